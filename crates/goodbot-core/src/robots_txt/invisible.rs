//! Characters that cannot be seen: blanks other than space and tab, joiners, marks of direction, fillers.

use std::ops::RangeInclusive;

use crate::field::Field;

use super::obedience::{self, Meant};

/// What stands for an invisible character in the line as it was meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// It looks like a space.
    Blank,
    /// It looks like the end of a line.
    LineEnd,
    /// It takes no room.
    Nothing,
    /// It takes no room, and belongs between letters of some scripts, or behind a symbol.
    Joiner,
}

/// Every such character outside ASCII: `White_Space` and `Default_Ignorable_Code_Point` of Unicode 16
/// (`PropList.txt`, `DerivedCoreProperties.txt`), control characters (general category Cc), and what else
/// has no form (U+2800, U+FFF9 to U+FFFB). The rows are in the order of the code points.
const CHARACTERS: [(RangeInclusive<char>, Kind, &str); 40] = [
    ('\u{80}'..='\u{84}', Kind::Nothing, "a control character"),
    ('\u{85}'..='\u{85}', Kind::LineEnd, "next line"),
    ('\u{86}'..='\u{9F}', Kind::Nothing, "a control character"),
    ('\u{A0}'..='\u{A0}', Kind::Blank, "no-break space"),
    ('\u{AD}'..='\u{AD}', Kind::Nothing, "soft hyphen"),
    ('\u{34F}'..='\u{34F}', Kind::Joiner, "combining grapheme joiner"),
    ('\u{61C}'..='\u{61C}', Kind::Nothing, "Arabic letter mark"),
    ('\u{115F}'..='\u{1160}', Kind::Nothing, "a filler of Hangul"),
    ('\u{1680}'..='\u{1680}', Kind::Blank, "Ogham space mark"),
    ('\u{17B4}'..='\u{17B5}', Kind::Nothing, "an inherent vowel of Khmer"),
    ('\u{180B}'..='\u{180D}', Kind::Joiner, "a variation selector of Mongolian"),
    ('\u{180E}'..='\u{180E}', Kind::Joiner, "Mongolian vowel separator"),
    ('\u{180F}'..='\u{180F}', Kind::Joiner, "a variation selector of Mongolian"),
    ('\u{2000}'..='\u{2006}', Kind::Blank, "a space of a certain width"),
    ('\u{2007}'..='\u{2007}', Kind::Blank, "figure space"),
    ('\u{2008}'..='\u{200A}', Kind::Blank, "a space of a certain width"),
    ('\u{200B}'..='\u{200B}', Kind::Nothing, "zero-width space"),
    ('\u{200C}'..='\u{200C}', Kind::Joiner, "zero-width non-joiner"),
    ('\u{200D}'..='\u{200D}', Kind::Joiner, "zero-width joiner"),
    ('\u{200E}'..='\u{200F}', Kind::Nothing, "a mark of direction"),
    ('\u{2028}'..='\u{2028}', Kind::LineEnd, "line separator"),
    ('\u{2029}'..='\u{2029}', Kind::LineEnd, "paragraph separator"),
    ('\u{202A}'..='\u{202E}', Kind::Nothing, "a mark of direction"),
    ('\u{202F}'..='\u{202F}', Kind::Blank, "narrow no-break space"),
    ('\u{205F}'..='\u{205F}', Kind::Blank, "medium mathematical space"),
    ('\u{2060}'..='\u{2060}', Kind::Nothing, "word joiner"),
    ('\u{2061}'..='\u{2065}', Kind::Nothing, "an invisible operator"),
    ('\u{2066}'..='\u{2069}', Kind::Nothing, "a mark of direction"),
    ('\u{206A}'..='\u{206F}', Kind::Nothing, "a format character"),
    ('\u{2800}'..='\u{2800}', Kind::Blank, "blank Braille pattern"),
    ('\u{3000}'..='\u{3000}', Kind::Blank, "ideographic space"),
    ('\u{3164}'..='\u{3164}', Kind::Nothing, "a filler of Hangul"),
    ('\u{FE00}'..='\u{FE0F}', Kind::Joiner, "a variation selector"),
    ('\u{FEFF}'..='\u{FEFF}', Kind::Nothing, "byte order mark"),
    ('\u{FFA0}'..='\u{FFA0}', Kind::Nothing, "a filler of Hangul"),
    ('\u{FFF0}'..='\u{FFFB}', Kind::Nothing, "a format character"),
    ('\u{1BCA0}'..='\u{1BCA3}', Kind::Nothing, "a format character"),
    ('\u{1D173}'..='\u{1D17A}', Kind::Nothing, "a format character"),
    ('\u{E0000}'..='\u{E00FF}', Kind::Joiner, "a tag"),
    ('\u{E0100}'..='\u{E0FFF}', Kind::Joiner, "a variation selector"),
];

/// The first invisible character of a line, and how many there are.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Invisible {
    /// Where it is, in bytes.
    pub(crate) at: usize,
    character: char,
    name: &'static str,
    count: usize,
}

impl Invisible {
    /// Finds the invisible characters of a line without its comment.
    pub(crate) fn find(text: &[u8]) -> Option<Invisible> {
        let mut found: Option<Invisible> = None;
        each(text, |at, character, row| match &mut found {
            Some(first) => first.count += 1,
            None => found = Some(Invisible { at, character, name: row.1, count: 1 }),
        });
        found
    }

    /// Returns what is odd about the line, and who obeys it nevertheless, if `asked` is the line too.
    pub(crate) fn message(&self, text: &[u8], asked: &[u8]) -> String {
        let Invisible { character, name, count, .. } = self;
        let more = match count {
            1 => String::new(),
            count => format!(", the first of {count}"),
        };
        let meant = meant(text);
        let who = if meant.is_empty() && is_blank(text) {
            "; the line looks blank and is not".to_owned()
        } else {
            obedience::clause(asked, &meant)
        };
        let code = u32::from(*character);
        let them = if *count == 1 { "it" } else { "them" };
        format!("there is an invisible character, U+{code:04X} ({name}){more}{who}; remove {them}")
    }
}

/// Returns the field and value that look like a line end and what follows it, in a comment: the author
/// sees a rule, and robots see a comment.
pub(crate) fn hidden_in_comment(comment: &[u8]) -> Option<(usize, char, Meant)> {
    let mut end = None;
    each(comment, |at, character, row| {
        let is_end = row.0 == Kind::LineEnd;
        if is_end && end.is_none() {
            let rest = &comment[at + character.len_utf8()..];
            let next = lines(rest).into_iter().next().unwrap_or_default();
            end = obedience::meant_by(&next)
                .filter(|(field, _)| *field != Field::Comment)
                .map(|meant| (at, character, meant));
        }
    });
    end
}

/// Returns the lines that a line looks like, as fields and values.
fn meant(text: &[u8]) -> Vec<Meant> {
    lines(text).iter().filter_map(|line| obedience::meant_by(line)).collect()
}

fn is_blank(text: &[u8]) -> bool {
    lines(text).iter().all(|line| line.trim_ascii().is_empty())
}

/// Returns a line as it looks: with spaces, line ends, or nothing in place of what is invisible.
fn lines(text: &[u8]) -> Vec<Vec<u8>> {
    let (mut lines, mut from) = (vec![Vec::new()], 0);
    each(text, |at, character, row| {
        let Some(last) = lines.last_mut() else { return };
        last.extend_from_slice(&text[from..at]);
        match row.0 {
            Kind::Blank => last.push(b' '),
            Kind::LineEnd => lines.push(Vec::new()),
            Kind::Nothing | Kind::Joiner => {}
        }
        from = at + character.len_utf8();
    });
    if let Some(last) = lines.last_mut() {
        last.extend_from_slice(&text[from..]);
    }
    lines
}

/// Calls a function with each invisible character: where it is, and what it is.
fn each(text: &[u8], mut found: impl FnMut(usize, char, (Kind, &'static str))) {
    if text.is_ascii() {
        return;
    }
    let mut start = 0;
    for chunk in text.utf8_chunks() {
        let valid = chunk.valid();
        for (at, character) in valid.char_indices() {
            let Some((kind, name)) = row(character) else { continue };
            if kind != Kind::Joiner || !is_among_letters(&valid[..at]) {
                found(start + at, character, (kind, name));
            }
        }
        start += valid.len() + chunk.invalid().len();
    }
}

/// Whether a joiner or selector stands where scripts and symbols need it: behind a visible character
/// outside ASCII.
fn is_among_letters(before: &str) -> bool {
    before.chars().next_back().is_some_and(|character| {
        !character.is_ascii() && row(character).is_none_or(|(kind, _)| kind == Kind::Joiner)
    })
}

fn row(character: char) -> Option<(Kind, &'static str)> {
    if character.is_ascii() {
        return None;
    }
    let place = CHARACTERS.partition_point(|(range, ..)| *range.end() < character);
    let (range, kind, name) = CHARACTERS.get(place)?;
    range.contains(&character).then_some((*kind, name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rows_are_in_order() {
        let ends: Vec<char> =
            CHARACTERS.iter().flat_map(|(range, ..)| [*range.start(), *range.end()]).collect();
        assert!(ends.is_sorted());
        assert_eq!(row('\u{200B}').map(|row| row.1), Some("zero-width space"));
        assert_eq!(row('é'), None);
    }

    #[test]
    fn joiners_that_scripts_need_are_left_alone() {
        let found = |text: &str| Invisible::find(text.as_bytes()).map(|one| one.character);
        assert_eq!(found("Disallow: /می\u{200C}خواهم/"), None);
        assert_eq!(found("Disallow: /❤\u{FE0F}/"), None);
        assert_eq!(found("Disallow: /a\u{200C}b/"), Some('\u{200C}'));
        assert_eq!(found("Disallow\u{200D}: /"), Some('\u{200D}'));
        assert_eq!(found("Disallow: /café"), None);
        assert_eq!(found("Disallow:\u{3000}/\u{A0}"), Some('\u{3000}'));
    }

    #[test]
    fn what_a_line_looks_like() {
        let looks = |text: &str| -> Vec<String> {
            let lines = lines(text.as_bytes());
            lines.iter().map(|line| String::from_utf8_lossy(line).into_owned()).collect()
        };
        assert_eq!(looks("User-agent:\u{A0}*"), ["User-agent: *"]);
        assert_eq!(
            looks("\u{FEFF}Dis\u{AD}allow: /a\u{2028}Allow: /b"),
            ["Disallow: /a", "Allow: /b"]
        );
    }

    #[test]
    fn bytes_that_are_not_utf_8_do_not_matter() {
        let found = Invisible::find(b"Disallow: /\xE9\xC2\xA0").expect("a no-break space");
        assert_eq!((found.at, found.character), (12, '\u{A0}'));
        assert_eq!(Invisible::find(b"Disallow: /\xA0"), None);
    }
}
