//! Field names as they are written: exact, in Google's list of misspellings, or guessed.

use crate::dialect::{Dialect, Misspellings, Nul};
use crate::field::Field;

use super::line;

/// How a name was understood.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Spelling {
    Exact,
    /// A misspelling that google/robotstxt accepts too.
    Misspelt,
    /// A name that only goodbot accepts for the field.
    Guessed,
}

/// The misspellings that google/robotstxt accepts (`ParsedRobotsKey`, kAllowFrequentTypos).
const GOOGLE: [(&str, Field); 8] = [
    ("useragent", Field::UserAgent),
    ("user agent", Field::UserAgent),
    ("dissallow", Field::Disallow),
    ("dissalow", Field::Disallow),
    ("disalow", Field::Disallow),
    ("diasllow", Field::Disallow),
    ("disallaw", Field::Disallow),
    ("site-map", Field::Sitemap),
];

/// The fields that google/robotstxt knows, in the order in which it tries them.
const GOOGLE_FIELDS: [Field; 4] = [Field::UserAgent, Field::Allow, Field::Disallow, Field::Sitemap];

/// Fields that a near miss is read as. Allow is not among them: lenient parsing must never permit.
const NEAR: [Field; 2] = [Field::Disallow, Field::UserAgent];

/// Returns the field with this name, and how it was spelt.
pub(crate) fn recognise(name: &[u8], dialect: &Dialect) -> Option<(Field, Spelling)> {
    if let Some(field) = Field::named(name) {
        return Some((field, Spelling::Exact));
    }
    let found = match dialect.misspellings {
        Misspellings::Rejected => None,
        Misspellings::Google => google(name).map(|field| (field, Spelling::Misspelt)),
        Misspellings::Near => listed_or_near(name),
    };
    found.or_else(|| match dialect.nul {
        Nul::Careful => without_nuls(name).map(|field| (field, Spelling::Guessed)),
        Nul::Kept | Nul::EndsLine => None,
    })
}

fn listed_or_near(name: &[u8]) -> Option<(Field, Spelling)> {
    let listed = GOOGLE.iter().find(|(known, _)| known.as_bytes().eq_ignore_ascii_case(name));
    if let Some((_, field)) = listed {
        return Some((*field, Spelling::Misspelt));
    }
    let field = near(name)?;
    // Google's parser ends a line at a NUL.
    let accepted = google(name) == Some(field) && !name.contains(&0);
    Some((field, if accepted { Spelling::Misspelt } else { Spelling::Guessed }))
}

/// Recognises a name with NULs around or in it, as in UTF-16, also after a byte order mark. Only names
/// that disallow are tried.
fn without_nuls(name: &[u8]) -> Option<Field> {
    memchr::memchr(0, name)?;
    let in_mark = |octet: &u8| matches!(octet, 0 | 0xEF | 0xBB | 0xBF | 0xFE | 0xFF);
    let start = name.iter().take_while(|octet| in_mark(octet)).count();
    let name: Vec<u8> = name[start..].iter().copied().filter(|octet| *octet != 0).collect();
    Field::named(&name[line::trim(&name, 0..name.len())]).filter(|field| NEAR.contains(field))
}

/// Recognises a name as google/robotstxt does, comparing only its beginning: `Disallowed` is Disallow.
pub(crate) fn google(name: &[u8]) -> Option<Field> {
    let begins = |known: &str| {
        name.get(..known.len()).is_some_and(|start| start.eq_ignore_ascii_case(known.as_bytes()))
    };
    GOOGLE_FIELDS.into_iter().find(|&field| {
        begins(field.row().name) || GOOGLE.iter().any(|(known, of)| *of == field && begins(known))
    })
}

/// "If someone spells Disalow, I would rather you assumed they meant Disallow" (Koster's reply to
/// Kollar, 4 June 1996): one letter wrong, missing, added, or two swapped.
fn near(name: &[u8]) -> Option<Field> {
    NEAR.into_iter().find(|field| {
        let known = field.row().name;
        name.len().abs_diff(known.len()) <= 1
            && name[0].is_ascii_alphabetic()
            && one_edit_apart(&name.to_ascii_lowercase(), known.to_ascii_lowercase().as_bytes())
    })
}

fn one_edit_apart(left: &[u8], right: &[u8]) -> bool {
    let same = left.iter().zip(right).take_while(|(a, b)| a == b).count();
    let (left, right) = (&left[same..], &right[same..]);
    match (left, right) {
        ([_, left @ ..], [_, right @ ..]) if left == right => true,
        ([a, b, left @ ..], [c, d, right @ ..]) if a == d && b == c && left == right => true,
        ([_, left @ ..], right) if left == right => true,
        (left, [_, right @ ..]) => left == right,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialects::RFC_9309;

    fn of(name: &str, misspellings: Misspellings) -> Option<(Field, Spelling)> {
        let dialect = Dialect { misspellings, ..RFC_9309 };
        recognise(name.as_bytes(), &dialect)
    }

    #[test]
    fn names_are_understood_as_far_as_the_choice_goes() {
        let field = |name: &str, choice| of(name, choice).map(|(field, _)| field);
        assert_eq!(field("DISALLOW", Misspellings::Rejected), Some(Field::Disallow));
        assert_eq!(field("disalow", Misspellings::Rejected), None);
        for name in
            ["disalow", "dissallow", "diasllow", "disallaw", "disallows", "isallow", "dsiallow"]
        {
            assert_eq!(field(name, Misspellings::Near), Some(Field::Disallow), "{name}");
        }
        for name in ["useragent", "user agent", "user_agent", "user-agnet", "ser-agent"] {
            assert_eq!(field(name, Misspellings::Near), Some(Field::UserAgent), "{name}");
        }
        for name in ["alow", "allows", "disallow-x", "disalloww2", ""] {
            assert_eq!(field(name, Misspellings::Near), None, "{name}");
        }
        assert_eq!(field("disallowed", Misspellings::Google), Some(Field::Disallow));
        assert_eq!(field("allowance", Misspellings::Google), Some(Field::Allow));
        assert_eq!(field("isallow", Misspellings::Google), None);
    }

    #[test]
    fn what_google_does_not_accept_is_a_guess() {
        let spelling = |name: &str| of(name, Misspellings::Near).map(|(_, spelling)| spelling);
        assert_eq!(spelling("User-agent"), Some(Spelling::Exact));
        for name in ["useragent", "user agent", "disalow", "disallows", "user-agents"] {
            assert_eq!(spelling(name), Some(Spelling::Misspelt), "{name}");
        }
        for name in ["user-agnet", "user_agent", "isallow", "disallow\0"] {
            assert_eq!(spelling(name), Some(Spelling::Guessed), "{name}");
        }
    }

    #[test]
    fn nuls_around_a_name_are_a_guess_and_never_an_allow() {
        let guess = |field| Some((field, Spelling::Guessed));
        let rejected = Misspellings::Rejected;
        assert_eq!(of("\0\0Disallow\0 \0", rejected), guess(Field::Disallow));
        assert_eq!(of("\0user-agent", rejected), guess(Field::UserAgent));
        assert_eq!(of("\0D\0i\0s\0a\0l\0l\0o\0w\0", rejected), guess(Field::Disallow));
        for name in ["\0Allow", "Allow\0", "\0", "\0A\0l\0l\0o\0w\0"] {
            assert_eq!(of(name, rejected), None, "{name:?}");
        }
        let kept = Dialect { nul: Nul::Kept, misspellings: rejected, ..RFC_9309 };
        assert_eq!(recognise(b"\0Disallow", &kept), None);
    }
}
