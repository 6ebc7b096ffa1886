//! The parser of URLs: that of the crate `url`, which departs from the URL Standard in one place.
//!
//! A segment such as `c:` is the letter of a drive in URLs of `file` only (URL Standard, "shorten a URL's
//! path"). The crate (2.5.8) has it so in every URL that a `..` follows: it makes `/c:/` of `/c:/..`,
//! where browsers, and clients that behave like them, send `/`. Such a segment is therefore parsed with a
//! mark in front of it, which is removed afterwards.

use std::borrow::Cow;

use memchr::memchr2_iter;
use url::{ParseError, Url};

/// Stands in front of the segment; no text that has it itself is changed.
const MARK: char = '\u{E000}';
/// What the parser makes of it.
const MARK_ESCAPED: &str = "%EE%80%80";

/// Parses a URL.
///
/// # Errors
///
/// It is not valid, or relative.
pub(crate) fn parse(url: &str) -> Result<Url, ParseError> {
    match marked(url) {
        Some(marked) => Url::parse(&marked).and_then(|url| unmarked(&url)),
        None => Url::parse(url),
    }
}

/// Joins a reference to a base.
///
/// # Errors
///
/// The reference is not valid.
pub(crate) fn join(base: &Url, reference: &str) -> Result<Url, ParseError> {
    let (own, other) = (marked(base.as_str()), marked(reference));
    if base.scheme() == "file" || (own.is_none() && other.is_none()) {
        return base.join(reference);
    }
    let base = own.map_or_else(|| Ok(base.clone()), |own| Url::parse(&own))?;
    base.join(other.as_deref().unwrap_or(reference)).and_then(|url| unmarked(&url))
}

/// Returns a URL or a reference with a mark in front of each segment that could be taken for a drive;
/// `None` if there is none, or where drives are meant.
fn marked(text: &str) -> Option<String> {
    let text = written(text);
    let bytes = text.as_bytes();
    let is_drive = |at: &usize| {
        let behind_slash = matches!(bytes[..*at], [_] | [.., b'/' | b'\\', _]);
        behind_slash
            && bytes[at - 1].is_ascii_alphabetic()
            && bytes.get(at + 1).copied().is_some_and(is_slash)
    };
    let mut drives = memchr2_iter(b':', b'|', bytes).filter(is_drive).peekable();
    drives.peek()?;
    let start = path_start(&text)?;
    let mut marked = String::with_capacity(text.len() + 8);
    let mut done = 0;
    for at in drives.filter(|at| *at > start) {
        marked.push_str(&text[done..at - 1]);
        marked.push(MARK);
        done = at - 1;
    }
    let is_free = !text.contains(MARK) && !text.contains(MARK_ESCAPED);
    let is_ours = !marked.is_empty() && is_free;
    marked.push_str(&text[done..]);
    is_ours.then_some(marked)
}

/// Returns where the path of a URL or a reference begins; `None` for URLs of files.
fn path_start(text: &str) -> Option<usize> {
    let scheme = scheme_of(text);
    if scheme.is_some_and(|scheme| scheme.eq_ignore_ascii_case("file")) {
        return None;
    }
    let behind = scheme.map_or(0, |scheme| scheme.len() + 1);
    let slashes = text.bytes().skip(behind).take_while(|byte| is_slash(*byte)).count();
    if slashes < 2 && scheme.is_none() {
        return Some(behind);
    }
    let authority = behind + slashes;
    let ends = |one: char| matches!(one, '/' | '\\' | '?' | '#');
    Some(text[authority..].find(ends).map_or(text.len(), |end| authority + end))
}

/// Returns a URL without the marks.
fn unmarked(url: &Url) -> Result<Url, ParseError> {
    Url::parse(&url.as_str().replace(MARK_ESCAPED, ""))
}

/// Returns a URL without what the URL Standard removes before parsing: control characters and
/// spaces around it, tabs and line ends within it.
pub(crate) fn written(url: &str) -> Cow<'_, str> {
    let trimmed = url.trim_matches(|character| character <= ' ');
    if trimmed.contains(['\t', '\n', '\r']) {
        Cow::Owned(trimmed.replace(['\t', '\n', '\r'], ""))
    } else {
        Cow::Borrowed(trimmed)
    }
}

/// Whether a text is a valid scheme name (RFC 3986 section 3.1).
pub(crate) fn is_scheme(text: &[u8]) -> bool {
    let valid = |byte: &u8| byte.is_ascii_alphanumeric() || b"+-.".contains(byte);
    text.first().is_some_and(u8::is_ascii_alphabetic) && text.iter().all(valid)
}

/// Returns the scheme that a reference begins with.
pub(crate) fn scheme_of(reference: &str) -> Option<&str> {
    let scheme = reference.split_once(':')?.0;
    is_scheme(scheme.as_bytes()).then_some(scheme)
}

/// Whether browsers read a byte of a path as a slash.
pub(crate) fn is_slash(byte: u8) -> bool {
    matches!(byte, b'/' | b'\\')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drive_is_one_in_urls_of_files_only() {
        for (url, expected) in [
            ("http://h/c:/..", "http://h/"),
            ("http://h/a/c:/../b", "http://h/a/b"),
            ("http://h/c|/..", "http://h/"),
            ("http://h\\c:\\..\\d:/%2e./x", "http://h/x"),
            (" http://h/c\t:/.. ", "http://h/"),
            ("http://h/c:/x", "http://h/c:/x"),
            ("http://c:/c:/..", "http://c/"),
            ("http://h/?/c:/..", "http://h/?/c:/.."),
            ("http://h/#/c:/..", "http://h/#/c:/.."),
            ("file:///c:/..", "file:///c:/"),
            ("http://h/\u{E000}/c:/x", "http://h/%EE%80%80/c:/x"),
        ] {
            assert_eq!(parse(url).as_ref().map(Url::as_str), Ok(expected), "{url}");
        }
    }

    #[test]
    fn references_and_bases_have_none_either() {
        let base = Url::parse("http://h/a/c:/b").expect("a URL");
        for (reference, expected) in [
            ("..", "http://h/a/"),
            ("../..", "http://h/"),
            ("/d:/..", "http://h/"),
            ("d|/../x", "http://h/a/c:/x"),
            ("//d:/..", "http://d/"),
            ("x", "http://h/a/c:/x"),
            ("?/e:/..", "http://h/a/c:/b?/e:/.."),
            ("http://i/d:/..", "http://i/"),
            ("d:/x", "d:/x"),
        ] {
            assert_eq!(
                join(&base, reference).as_ref().map(Url::as_str),
                Ok(expected),
                "{reference}"
            );
        }
        let file = Url::parse("file:///c:/b").expect("a URL");
        assert_eq!(join(&file, "..").as_ref().map(Url::as_str), Ok("file:///c:/"));
    }
}
