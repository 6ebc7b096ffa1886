//! Names of fields that nobody knows, and lines without a colon: what was probably meant.

use crate::field::{FIELDS, Field};

use super::line;
use super::spelling;

/// The longest name that is compared with those of fields.
const LONGEST: usize = 40;

/// The fewest letters and digits of a name of which one may be wrong, and of one with two.
const SHORTEST_WITH_ONE: usize = 5;
const SHORTEST_WITH_TWO: usize = 8;

/// What stands where a colon should, besides white space: signs that look like one, and those that assign.
const INSTEAD_OF_COLON: &str =
    "=;-\u{2013}\u{2014}>|\u{FF1A}\u{FE55}\u{FE13}\u{2236}\u{A789}\u{5C3}";

/// Returns the field that a name is, or probably is meant to be: apart from hyphens and spaces, it differs
/// by a letter or two, or begins like one that google/robotstxt then reads.
pub(crate) fn meant(name: &[u8]) -> Option<Field> {
    if name.is_empty() || name.len() > LONGEST {
        return None;
    }
    let written = plain(&String::from_utf8_lossy(name));
    let apart = |field: Field| distance(&written, &plain(field.row().name));
    let nearest = FIELDS.iter().map(|row| row.field).min_by_key(|field| apart(*field))?;
    let letters = plain(nearest.row().name).len();
    let most = match letters {
        SHORTEST_WITH_TWO.. => 2,
        SHORTEST_WITH_ONE.. => 1,
        _ => 0,
    };
    let is_near = apart(nearest) <= most.min(written.len() / 3);
    if is_near { Some(nearest) } else { spelling::google(name) }
}

/// Returns the letters and digits of a name, in lower case.
fn plain(name: &str) -> Vec<char> {
    name.chars().filter(|one| one.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Counts the letters that are wrong, missing or added, or two exchanged, from one name to the other.
fn distance(left: &[char], right: &[char]) -> usize {
    let width = right.len() + 1;
    let mut rows: Vec<usize> = (0..width).collect();
    for (row, a) in left.iter().enumerate() {
        rows.push(row + 1);
        for (column, b) in right.iter().enumerate() {
            let at = |up: usize, back: usize| rows[(row + 1 - up) * width + column + 1 - back];
            let mut best = (at(1, 1) + usize::from(a != b)).min(at(1, 0) + 1).min(at(0, 1) + 1);
            let is_exchanged =
                row > 0 && column > 0 && *a == right[column - 1] && left[row - 1] == *b;
            if is_exchanged {
                best = best.min(at(2, 2) + 1);
            }
            rows.push(best);
        }
    }
    rows.last().copied().unwrap_or(0)
}

/// A line whose field and value something other than a colon separates.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct WithoutColon<'a> {
    pub(crate) field: Field,
    /// Where the name ends.
    pub(crate) name: usize,
    /// What stands there instead; empty if it is white space.
    pub(crate) instead: &'a str,
    pub(crate) value: &'a str,
}

/// Recognises a line that would be a field if it had a colon: `Disallow = /x`, `Sitemap https://...`.
///
/// Sentences can begin with the name of a field, so that the value must be one that the field can have.
pub(crate) fn without_colon(body: &[u8]) -> Option<WithoutColon<'_>> {
    let text = std::str::from_utf8(body).ok()?;
    let names = FIELDS.iter().map(|row| (row.name, row.field));
    let others = [("User agent", Field::UserAgent), ("Useragent", Field::UserAgent)];
    let (name, field) = names.chain(others).find(|(name, _)| {
        text.get(..name.len()).is_some_and(|head| head.eq_ignore_ascii_case(name))
    })?;
    let rest = &text[name.len()..];
    let is_between = |one: char| one.is_ascii_whitespace() || INSTEAD_OF_COLON.contains(one);
    let value = rest.trim_start_matches(is_between);
    let instead = rest[..rest.len() - value.len()].trim_ascii();
    let is_apart = value.len() < rest.len();
    let is_meant = is_apart && can_be(field, value, !instead.is_empty());
    is_meant.then_some(WithoutColon { field, name: name.len(), instead, value })
}

/// Whether a text can be the value of a field; behind a sign, a name may have several words.
fn can_be(field: Field, value: &str, behind_sign: bool) -> bool {
    let is_url = || value.starts_with("http://") || value.starts_with("https://");
    match field {
        Field::Allow | Field::Disallow => value.starts_with(['/', '*']) || is_url(),
        Field::UserAgent => {
            !value.is_empty() && (behind_sign || !value.bytes().any(line::is_space))
        }
        Field::Sitemap | Field::License => is_url(),
        Field::CrawlDelay => value.starts_with(|one: char| one.is_ascii_digit() || one == '.'),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_near_those_of_fields() {
        for (name, field) in [
            ("Content-Signals", Field::ContentSignal),
            ("ContentSignal", Field::ContentSignal),
            ("Content_Usage", Field::ContentUsage),
            ("Crawldelay", Field::CrawlDelay),
            ("Crawl Delay", Field::CrawlDelay),
            ("crawl\u{2013}delay", Field::CrawlDelay),
            ("Licence", Field::License),
            ("Disallowed", Field::Disallow),
            ("Disallowances", Field::Disallow),
            ("Disallo", Field::Disallow),
            ("Dissalow", Field::Disallow),
            ("Alow", Field::Allow),
            ("Allowed", Field::Allow),
            ("User\u{2013}agent", Field::UserAgent),
            ("Us\u{435}r-agent", Field::UserAgent),
            ("Site map", Field::Sitemap),
            ("Sitemaps", Field::Sitemap),
            ("\u{201C}Disallow", Field::Disallow),
            ("- Disallow", Field::Disallow),
            ("Requestrate", Field::RequestRate),
            ("No-index", Field::Noindex),
        ] {
            assert_eq!(meant(name.as_bytes()), Some(field), "{name}");
        }
        for name in [
            "Colour",
            "Permits",
            "Content",
            "Contact",
            "Cost",
            "Post",
            "Hosts",
            "Follow",
            "Index",
            "LLM-policy",
            "Content-Type",
            "Cache-delay",
            "Noarchive",
            "Licences",
            "",
            "x",
        ] {
            assert_eq!(meant(name.as_bytes()), None, "{name}");
        }
        assert_eq!(meant(&[b'a'; 41]), None);
    }

    #[test]
    fn lines_without_a_colon_are_recognised() {
        let of = |text: &str| {
            let found = without_colon(text.as_bytes())?;
            Some((found.field, found.instead.to_owned(), found.value.to_owned()))
        };
        let some =
            |field, instead: &str, value: &str| Some((field, instead.to_owned(), value.to_owned()));
        assert_eq!(of("Disallow = /x"), some(Field::Disallow, "=", "/x"));
        assert_eq!(of("Disallow=/x"), some(Field::Disallow, "=", "/x"));
        assert_eq!(of("Disallow /a:b"), some(Field::Disallow, "", "/a:b"));
        assert_eq!(of("Disallow\u{FF1A}/x"), some(Field::Disallow, "\u{FF1A}", "/x"));
        assert_eq!(of("User agent *"), some(Field::UserAgent, "", "*"));
        assert_eq!(of("User-agent - Foo Bot"), some(Field::UserAgent, "-", "Foo Bot"));
        assert_eq!(
            of("sitemap https://example.com/s.xml"),
            some(Field::Sitemap, "", "https://example.com/s.xml")
        );
        for text in [
            "Allow me to say",
            "Disallow the rest",
            "Host of it",
            "Disallow/x",
            "Disallow",
            "User-agent of mine",
        ] {
            assert_eq!(of(text), None, "{text}");
        }
    }

    #[test]
    fn distances_count_letters() {
        let of = |a: &str, b: &str| distance(&plain(a), &plain(b));
        assert_eq!(
            (of("abc", "abc"), of("abc", "acb"), of("abc", "ab"), of("abc", "xbcy")),
            (0, 1, 1, 2)
        );
        assert_eq!((of("", "abc"), of("abc", "")), (3, 3));
    }
}
