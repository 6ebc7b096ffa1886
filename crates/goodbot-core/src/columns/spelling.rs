//! The spellings of a URL that are judged: as it is sent, and as it is written.
//!
//! A robot sends the normal form of a URL (`address`). Parsing costs a multiple of a verdict, so the
//! URLs whose normal form is how they are written, which are most, are recognised by their bytes.

use std::borrow::Cow;

use crate::address;
use crate::sent_path::has;

/// A URL of http or https, as far as a verdict needs it.
pub(super) enum Spelling<'a> {
    /// It is sent as it is written, but for the fragment.
    Usual {
        /// The URL.
        url: &'a [u8],
        /// Where its path begins; the origin is before.
        path: usize,
        /// Whether it has no escape, star or fragment: it is compared as it is written.
        is_plain: bool,
    },
    /// Its normal form differs.
    Other(Box<Other>),
}

/// A URL that is sent in another spelling.
pub(super) struct Other {
    /// The origin.
    pub(super) origin: String,
    /// The URL as it is sent.
    pub(super) sent: String,
    /// The same with its escapes as they are written, if that differs.
    pub(super) written: Option<String>,
}

impl<'a> Spelling<'a> {
    /// Reads a URL; `None` if it is not an address of http or https. `known` is where its path begins,
    /// if its origin is that of another usual URL.
    #[inline]
    pub(super) fn of(url: &'a [u8], known: Option<usize>) -> Option<Spelling<'a>> {
        match known.or_else(|| end_of_origin(url)) {
            Some(path) if !may_be_odd(url, path) => {
                Some(Spelling::Usual { url, path, is_plain: true })
            }
            Some(path) if is_usual(&url[path..]) => {
                Some(Spelling::Usual { url, path, is_plain: false })
            }
            _ => Other::of(url).map(Box::new).map(Spelling::Other),
        }
    }

    /// Returns the origin.
    #[inline]
    pub(super) fn origin(&self) -> &[u8] {
        match self {
            Spelling::Usual { url, path, .. } => &url[..*path],
            Spelling::Other(other) => other.origin.as_bytes(),
        }
    }
}

impl Other {
    fn of(url: &[u8]) -> Option<Other> {
        let text = match std::str::from_utf8(url) {
            Ok(text) => Cow::Borrowed(text),
            Err(_) => Cow::Owned(address::escaped(url)),
        };
        let (sent, written) = address::in_both_spellings(&text).ok()?;
        Some(Other { origin: sent.origin, sent: sent.url, written })
    }
}

/// Returns where the path of a URL begins, if its origin is in its normal form. It may answer `None`
/// wrongly, but never a place.
#[inline]
fn end_of_origin(url: &[u8]) -> Option<usize> {
    let start = if url.starts_with(b"https://") {
        8
    } else if url.starts_with(b"http://") {
        7
    } else {
        return None;
    };
    let length = memchr::memchr(b'/', &url[start..])?;
    address::is_usual_host(&url[start..start + length]).then_some(start + length)
}

/// Whether a URL has, from its path on, any byte that may have to be escaped, may be an escape already,
/// is compared other than literally, or may begin a fragment or a dot segment. For most URLs this one test is enough, in which the machine
/// compares many bytes at once. It may answer yes wrongly, but never no.
#[inline]
#[expect(
    clippy::needless_bitwise_bool,
    reason = "without branches many bytes are compared at once"
)]
fn may_be_odd(url: &[u8], path: usize) -> bool {
    has(url, path, |before, byte| {
        (byte <= b'\'') & (byte != b'!') & (byte != b'$') & (byte != b'&')
            | (byte == b'*')
            | (byte == b'<')
            | (byte == b'>')
            | (byte == b'\\')
            | (byte == b'^')
            | (byte == b'`')
            | (byte >= b'{') & (byte != b'~')
            | ((byte == b'.') & (before == b'/'))
    })
}

/// Whether a path, query and fragment are sent as they are written: their bytes need no escape, their
/// escapes are in the usual spelling, and there is no dot segment. It may answer no wrongly, but never
/// yes.
#[inline]
fn is_usual(path: &[u8]) -> bool {
    let mut marks = 0;
    let mut before = 0;
    for &byte in path {
        marks |= MARKS[usize::from(byte)];
        if before == b'/' && byte == b'.' {
            marks |= ODD;
        }
        before = byte;
    }
    match marks {
        0 => true,
        _ if marks & (ODD | FRAGMENT) != 0 => {
            marks & FRAGMENT != 0
                && memchr::memchr(b'#', path).is_some_and(|end| is_usual(&path[..end]))
        }
        _ => are_usual_escapes(path),
    }
}

const ODD: u8 = 1;
const ESCAPE: u8 = 2;
const FRAGMENT: u8 = 4;

/// What each byte of a path or query may need.
const MARKS: [u8; 256] = {
    let mut marks = [ODD; 256];
    let usual = b"-_~!$&()*+,;=:@/?.[]";
    let mut place = 0;
    while place < usual.len() {
        marks[usual[place] as usize] = 0;
        place += 1;
    }
    let mut byte = 0;
    while byte < 128_u8 {
        if byte.is_ascii_alphanumeric() {
            marks[byte as usize] = 0;
        }
        byte += 1;
    }
    marks[b'%' as usize] = ESCAPE;
    marks[b'#' as usize] = FRAGMENT;
    marks
};

/// Whether each `%` begins an escape with upper-case digits of a byte that must be escaped.
fn are_usual_escapes(path: &[u8]) -> bool {
    let mut rest = path;
    while let Some(place) = memchr::memchr(b'%', rest) {
        let (Some(high), Some(low)) = (digit(rest, place + 1), digit(rest, place + 2)) else {
            return false;
        };
        let byte = high << 4 | low;
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            return false;
        }
        rest = &rest[place + 3..];
    }
    true
}

/// Returns the value of an upper-case hexadecimal digit.
fn digit(text: &[u8], place: usize) -> Option<u8> {
    match text.get(place)? {
        byte @ b'0'..=b'9' => Some(byte - b'0'),
        byte @ b'A'..=b'F' => Some(byte - b'A' + 10),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::target::Scratch;
    use crate::{RobotsTxt, dialects};
    use proptest::prelude::*;

    fn check(url: &str) {
        let found = Spelling::of(url.as_bytes(), None);
        let expected = address::address(url).ok();
        assert_eq!(found.is_some(), expected.is_some(), "{url}");
        let (Some(found), Some(expected)) = (found, expected) else { return };
        assert_eq!(found.origin(), expected.origin.as_bytes(), "{url}");
        if let Spelling::Usual { url: usual, .. } = found {
            let sent = url.split('#').next().unwrap_or_default();
            assert_eq!(sent, expected.url, "{url}");
            assert_eq!(usual, url.as_bytes());
            assert_eq!(address::as_written(url).map(|written| written.url), Ok(expected.url));
        }
        if let Spelling::Usual { path, is_plain: true, .. } = found {
            check_decisions(url.as_bytes(), path);
        }
    }

    /// A plain URL is decided by its path alone as the whole URL is.
    fn check_decisions(url: &[u8], path: usize) {
        for dialect in dialects::DIALECTS.iter() {
            let text = b"User-agent: *\nDisallow: /a\nAllow: /*b\nDisallow: /?\nDisallow: /%7e";
            let rules = RobotsTxt::parse(text, dialect.clone()).rules_for("ExampleBot");
            let rules = rules.expect("a name");
            let mut scratch = Scratch::default();
            let found = rules.decide_plain_at(url, path, &mut scratch);
            assert_eq!(found, rules.decide(url, &mut scratch));
        }
    }

    #[test]
    fn most_urls_are_usual() {
        for url in [
            "https://example.com/",
            "http://www.example-shop.co.uk/a/b.html?c=d&e=f%20g#h",
            "https://a1.b_c.example/~fred/%C3%A9",
        ] {
            check(url);
            assert!(matches!(Spelling::of(url.as_bytes(), None), Some(Spelling::Usual { .. })));
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4_000))]

        /// A URL that counts as usual is its own normal form.
        #[test]
        fn what_is_usual_is_the_normal_form(
            url in "(http|https|HTTP|ftp)://(u@)?([a-z0-9_.-]{0,6}|xn--[a-z]{0,3}|1\\.2|0x1|[é\\[\\]%|]?a)(\\.[a-z0-9-]{0,3})?(:80|:443|:8080|:)?(/|\\\\|\\.|%2e|%2E|%7E|%41|%c3|%C3%A9|%|a|\\?|#|[ -~]|\t|é){0,9}"
        ) {
            check(&url);
        }

        /// Every character of ASCII, in a path and in a query.
        #[test]
        fn every_character_counts(path in "/[\\x00-\\x7f]{0,4}\\??[\\x00-\\x7f]{0,4}") {
            check(&format!("https://example.com{path}"));
        }
    }
}
