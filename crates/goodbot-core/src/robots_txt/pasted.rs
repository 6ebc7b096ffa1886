//! What people paste into a line: quotation marks, several paths or names, and several fields.
//!
//! Each function finds what the author meant; whether anybody reads the line so is asked in `obedience`.

use crate::field::Field;

use super::line;
use super::obedience::Meant;
use super::value;

/// Quotation marks, straight and typographic.
const QUOTES: &str = "\"'`\u{B4}\u{201C}\u{201D}\u{201E}\u{201F}\u{2018}\u{2019}\u{201A}\u{201B}\
\u{AB}\u{BB}\u{2039}\u{203A}\u{300C}\u{300D}\u{300E}\u{300F}\u{301D}\u{301E}\u{301F}\u{FF02}\u{FF07}\
\u{2032}\u{2033}\u{275B}\u{275C}\u{275D}\u{275E}";

/// What stands between paths, names and URLs that are written in one line, besides white space.
const SEPARATORS: &str = ",;|\u{3001}\u{FF0C}\u{FF1B}\u{60C}\u{61B}\u{FF5C}\u{2022}\u{B7}";

/// Words that stand between them.
const BETWEEN: [&str; 4] = ["and", "or", "&", "+"];

/// Fields that begin a line which was joined to another one. Names of other fields occur in values.
const JOINED: [Field; 5] =
    [Field::UserAgent, Field::Disallow, Field::Allow, Field::Sitemap, Field::CrawlDelay];

/// Returns a value without the quotation marks around it, if it begins with one.
pub(crate) fn without_quotes(value: &[u8]) -> Option<Vec<u8>> {
    let text = std::str::from_utf8(value).ok()?;
    let is_quote = |character: char| QUOTES.contains(character);
    let bare = text.strip_prefix(is_quote)?;
    Some(bare.trim_matches(is_quote).trim().as_bytes().to_vec())
}

/// A part of a value, and whether white space stands before it.
struct Part<'a> {
    text: &'a str,
    apart: bool,
}

/// Divides a value at white space, separators, and the words between them.
fn parts(text: &str) -> Vec<Part<'_>> {
    let is_space = |character: char| character.is_ascii() && line::is_space(character as u8);
    let mut parts: Vec<Part<'_>> = Vec::new();
    let mut apart = true;
    for word in text.split(is_space) {
        for (number, part) in word.split(|one| SEPARATORS.contains(one)).enumerate() {
            apart |= number == 0;
            if !part.is_empty() && !BETWEEN.contains(&part.to_ascii_lowercase().as_str()) {
                parts.push(Part { text: part, apart: std::mem::take(&mut apart) });
            }
        }
    }
    parts
}

/// Returns the paths or URLs in a value, if there are several and each part begins as one.
pub(crate) fn several_paths(value: &[u8]) -> Option<Vec<Vec<u8>>> {
    let text = std::str::from_utf8(value).ok()?;
    let parts = parts(text);
    let begins = |part: &Part<'_>| {
        let text = part.text;
        text.starts_with("http://")
            || text.starts_with("https://")
            || (text.starts_with('/') && (part.apart || text.len() > 1))
            || (text.starts_with('*') && part.apart && text.len() > 1)
    };
    // `/*,/a/` and `/*;*/` are patterns for paths with a comma or a semicolon.
    let is_pattern = |part: &Part<'_>| matches!(part.text, "/*" | "*");
    let is_several = parts.len() > 1
        && parts.iter().all(begins)
        && (parts.iter().skip(1).all(|part| part.apart) || !parts.first().is_some_and(is_pattern));
    is_several.then(|| parts.iter().map(|part| part.text.as_bytes().to_vec()).collect())
}

/// Returns the URLs in a value, if there are several and each part begins as one.
pub(crate) fn several_urls(value: &[u8]) -> Option<Vec<Vec<u8>>> {
    let found = several_paths(value)?;
    found.iter().all(|part| value::is_absolute_url(part)).then_some(found)
}

/// Returns the names in a User-agent value, if there are several. White space is part of some names, such
/// as `Foo Bot`, so that it divides only words that are whole names of robots.
pub(crate) fn several_names(value: &[u8]) -> Option<Vec<Vec<u8>>> {
    let text = std::str::from_utf8(value).ok()?;
    // `(all robots)` is a comment, and `[NC,OR]` are flags of a server's rules.
    if text.contains(['(', ')', '[', ']']) || text.contains("//") {
        return None;
    }
    let by_marks = text.split(|one| SEPARATORS.contains(one)).map(str::trim);
    let names: Vec<&str> = by_marks.filter(|name| !name.is_empty()).collect();
    let names = if names.len() > 1 { names } else { whole_names(text)? };
    let is_name = |name: &&str| {
        let begins = *name == "*" || name.starts_with(|one: char| one.is_alphanumeric());
        begins && name.split_ascii_whitespace().count() <= MOST_WORDS
    };
    (names.len() > 1 && names.iter().all(is_name))
        .then(|| names.iter().map(|name| name.as_bytes().to_vec()).collect())
}

/// The most words of a name; more of them are a description.
const MOST_WORDS: usize = 3;

/// How words end that are whole names of robots.
const ENDS: [&str; 4] = ["bot", "spider", "crawler", "-extended"];

/// Returns the words of a value if each is a name: it ends like one, or has a hyphen, and some end like one.
fn whole_names(text: &str) -> Option<Vec<&str>> {
    let words: Vec<&str> = parts(text).iter().map(|part| part.text).collect();
    let ends = |word: &&str| {
        let name = word.to_ascii_lowercase();
        ENDS.iter().any(|end| name.ends_with(end) && name.len() > end.len())
    };
    let is_whole = words.iter().all(|word| ends(word) || word.contains(['-', '_']));
    (is_whole && words.iter().any(ends)).then_some(words)
}

/// Returns the fields of a line that holds several: `User-agent: * Disallow: /private`.
pub(crate) fn several_fields(name: &[u8], value: &[u8]) -> Option<Vec<Meant>> {
    let mut starts = Vec::new();
    for colon in memchr::memchr_iter(b':', value) {
        let head = value[..colon].trim_ascii_end();
        let field =
            JOINED.into_iter().find(|field| ends_with_name(head, field.row().name.as_bytes()));
        if let Some(field) = field {
            starts.push((head.len() - field.row().name.len(), colon + 1, field));
        }
    }
    let first = Field::named(name)?;
    let mut meant = Vec::new();
    let (mut field, mut from) = (first, 0);
    for (start, end, next) in &starts {
        meant.push((field, trimmed(&value[from..(*start).max(from)])));
        (field, from) = (*next, *end);
    }
    meant.push((field, trimmed(&value[from..])));
    (!starts.is_empty()).then_some(meant)
}

/// Returns a value without white space, separators and escapes of line ends around it.
fn trimmed(value: &[u8]) -> Vec<u8> {
    let mut rest = value.trim_ascii();
    while let Some(shorter) = [&b"\\r"[..], b"\\n", b",", b";", b"|", b"<br>", b"<br/>", b"<br />"]
        .iter()
        .find_map(|end| rest.strip_suffix(*end))
    {
        rest = shorter.trim_ascii_end();
    }
    rest.to_vec()
}

/// Whether a text ends with the name of a field that begins a word there: behind anything but a letter,
/// digit or hyphen, behind the escape of a line end, or in upper case behind lower case.
fn ends_with_name(text: &[u8], name: &[u8]) -> bool {
    let Some(start) = text.len().checked_sub(name.len()) else { return false };
    let (before, written) = text.split_at(start);
    if !written.eq_ignore_ascii_case(name) {
        return false;
    }
    let is_escape = before.ends_with(b"\\n") || before.ends_with(b"\\r");
    let is_capital = written[0].is_ascii_uppercase();
    before.last().is_none_or(|last| match last {
        b'a'..=b'z' | b'0'..=b'9' => is_escape || is_capital,
        b'A'..=b'Z' | b'-' | b'_' => false,
        // `?allow:` and `/allow:` can be parts of a path.
        b'/' | b'?' | b'&' | b'=' | b'.' | b'*' | b'%' => is_capital,
        _ => true,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(found: Option<Vec<Vec<u8>>>) -> Option<Vec<String>> {
        found.map(|all| all.iter().map(|one| String::from_utf8_lossy(one).into_owned()).collect())
    }

    #[test]
    fn paths_are_several_only_where_each_part_begins_as_one() {
        let of = |text: &str| texts(several_paths(text.as_bytes()));
        for text in [
            "/a /b",
            "/a, /b",
            "/a,/b",
            "/a;/b",
            "/a | /b",
            "/a\u{3001}/b",
            "/a and /b",
            "/a, and /b,",
        ] {
            assert_eq!(of(text), Some(vec!["/a".to_owned(), "/b".to_owned()]), "{text}");
        }
        assert!(of("/a https://example.com/b").is_some());
        assert!(of("/*.pdf$ *.doc$").is_some());
        for text in [
            "/a",
            "/My Documents/",
            "/a,b",
            "/a;jsessionid=*",
            "/*,*",
            "/*,/",
            "/*;*/",
            "/*,/a",
            "/*|/*",
            "/a b /c",
            "/search?q=a|b",
            "/a, b",
            "/",
            "",
            "/a,",
            "/*/*,*",
            "/wiki/A,_B",
        ] {
            assert_eq!(of(text), None, "{text}");
        }
    }

    #[test]
    fn names_are_several_only_where_each_is_one() {
        let of = |text: &str| several_names(text.as_bytes()).map_or(1, |names| names.len());
        for text in
            ["AlphaBot, BetaBot", "A;B", "A | B", "A\u{3001}B", "Googlebot Bingbot", "a-bot, *"]
        {
            assert_eq!(of(text), 2, "{text}");
        }
        for text in [
            "Foo Bot",
            "HTTrack [NC,OR]",
            "Reaper the reaper of pages, ours",
            "Screaming Frog SEO Spider",
            "* (all robots)",
            "Yahoo Pipes 1.0",
            "A,",
            "Mozilla/5.0 (compatible; ExampleBot/1.0)",
            "Bot",
            "*",
            "bot crawler",
        ] {
            assert_eq!(of(text), 1, "{text}");
        }
    }

    #[test]
    fn fields_are_several_where_names_begin_a_word() {
        let of = |name: &str, value: &str| {
            let found = several_fields(name.as_bytes(), value.as_bytes());
            texts(found.map(|all| all.into_iter().map(|(_, value)| value).collect()))
        };
        let two = |a: &str, b: &str| Some(vec![a.to_owned(), b.to_owned()]);
        assert_eq!(of("User-agent", "* Disallow: /x"), two("*", "/x"));
        assert_eq!(of("User-agent", "*\\nDisallow: /x"), two("*", "/x"));
        assert_eq!(of("Disallow", "/aDisallow: /b"), two("/a", "/b"));
        assert_eq!(of("Disallow", "/a, allow : /b"), two("/a", "/b"));
        assert_eq!(
            of("Disallow", "/Sitemap: https://example.com/s.xml"),
            two("/", "https://example.com/s.xml")
        );
        for value in ["/allow:x", "/a:b", "https://example.com/disallow:", "/xallow: /", "/a"] {
            assert_eq!(of("Disallow", value), None, "{value}");
        }
    }

    #[test]
    fn quotation_marks_are_removed() {
        let of = |text: &str| {
            without_quotes(text.as_bytes()).map(|v| String::from_utf8_lossy(&v).into_owned())
        };
        for text in [
            "\u{201C}/a\u{201D}",
            "\"/a\"",
            "'/a'",
            "\u{201E}/a\u{201C}",
            "`/a`",
            "\u{AB}\u{20}/a\u{20}\u{BB}",
        ] {
            assert_eq!(of(text), Some("/a".to_owned()), "{text}");
        }
        for text in ["/a\"", "/it\u{2019}s", "/a", ""] {
            assert_eq!(of(text), None, "{text}");
        }
    }
}
