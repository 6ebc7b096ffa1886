//! The spellings of a URL in which rules are compared with it.
//!
//! A robot sends the normal form of a URL, and dialects differ in how they treat escapes: rules are
//! checked for the URL as it is sent and, if its escapes are written otherwise, for that spelling too.

use std::borrow::Cow;

use crate::address::{self, Fault};

/// A URL, or a path that begins with `/`, in the spellings in which rules are compared with it.
#[derive(Debug, PartialEq, Eq)]
pub struct Spellings<'a> {
    /// The origin of an absolute URL of http or https; why there is none for other texts.
    pub origin: Result<Cow<'a, str>, Fault>,
    /// The URL as it is sent; as it is written if it cannot be sent.
    pub sent: Cow<'a, [u8]>,
    /// The same with its escapes as they are written, if that differs.
    pub written: Option<Cow<'a, [u8]>>,
}

impl Spellings<'_> {
    /// Returns the spellings of a URL, or of a path that begins with `/`.
    ///
    /// Source: RFC 3986 sections 6.2.2.1 and 6.2.2.2; the URL Standard of WHATWG.
    #[must_use]
    pub fn of(url: &[u8]) -> Spellings<'_> {
        if let Some((origin, signs)) = evident_origin(url) {
            let plain = if signs.dots {
                Cow::Owned(without_dot_segments(url, origin.len()))
            } else {
                Cow::Borrowed(url)
            };
            let usual = if signs.escapes { other_spelling(&plain) } else { None };
            let (sent, written) = match usual {
                Some(usual) => (Cow::Owned(usual), Some(plain)),
                None => (plain, None),
            };
            let origin =
                if origin.is_empty() { Err(Fault::NotAbsolute) } else { Ok(Cow::Borrowed(origin)) };
            return Spellings { origin, sent, written };
        }
        let text =
            std::str::from_utf8(url).map_or_else(|_| address::escaped(url).into(), Cow::from);
        let site = if text.starts_with("//") {
            "http:"
        } else if text.starts_with('/') {
            "http://a"
        } else {
            ""
        };
        let whole = if site.is_empty() { text } else { format!("{site}{text}").into() };
        match address::in_both_spellings(&whole) {
            Err(fault) => Spellings { origin: Err(fault), sent: Cow::Borrowed(url), written: None },
            Ok((found, written)) => {
                let without_site = |mut url: String| {
                    if !site.is_empty() && url.starts_with(site) {
                        url.drain(..site.len());
                    }
                    Cow::Owned(url.into_bytes())
                };
                Spellings {
                    origin: if site.is_empty() {
                        Ok(found.origin.into())
                    } else {
                        Err(Fault::NotAbsolute)
                    },
                    sent: without_site(found.url),
                    written: written.map(without_site),
                }
            }
        }
    }
}

/// What may change in a URL that is otherwise sent as it is written.
#[derive(Default)]
struct Signs {
    /// There are escapes.
    escapes: bool,
    /// There may be dot segments, written without escapes.
    dots: bool,
}

/// Returns the origin of a URL that is evidently sent as it is written but for the spelling of its
/// escapes and dot segments, empty for a path, and the signs of both; `None` if that is not evident.
fn evident_origin(url: &[u8]) -> Option<(&str, Signs)> {
    let text = std::str::from_utf8(url).ok()?;
    let origin = address::plain_origin(text).unwrap_or_default();
    let path = &url[origin.len()..];
    let is_path = path.first() == Some(&b'/') && (!origin.is_empty() || path.get(1) != Some(&b'/'));
    if !is_path {
        return None;
    }
    Some((origin, signs(path)?))
}

/// Returns the signs in a path and its query; `None` if they may have a fragment, dot segments that are
/// written with escapes, or characters that are to be escaped.
fn signs(path: &[u8]) -> Option<Signs> {
    let mut found = Signs::default();
    let mut before = b' ';
    for (place, &byte) in path.iter().enumerate() {
        if byte == b'%' {
            if matches!(before, b'/' | b'.')
                && matches!(path.get(place + 1..), Some([b'2', b'e' | b'E', ..]))
            {
                return None;
            }
            found.escapes = true;
        } else if !IS_PLAIN[usize::from(byte)] {
            return None;
        }
        found.dots |= before == b'/' && byte == b'.';
        before = byte;
    }
    Some(found)
}

/// Returns a URL without the dot segments of its path, which begins at a place with `/`.
///
/// Source: RFC 3986 section 5.2.4, as the URL Standard of WHATWG has it for empty segments.
fn without_dot_segments(url: &[u8], start: usize) -> Vec<u8> {
    let end = url.iter().position(|&byte| byte == b'?').unwrap_or(url.len());
    let mut plain = Vec::with_capacity(url.len());
    plain.extend_from_slice(&url[..start]);
    let mut is_open = false;
    for segment in url[start + 1..end].split(|&byte| byte == b'/') {
        is_open = matches!(segment, b"." | b"..");
        if segment == b".." {
            let last = plain[start..].iter().rposition(|&byte| byte == b'/');
            plain.truncate(start + last.unwrap_or_default());
        } else if segment != b"." {
            plain.push(b'/');
            plain.extend_from_slice(segment);
        }
    }
    if is_open {
        plain.push(b'/');
    }
    plain.extend_from_slice(&url[end..]);
    plain
}

/// Returns a URL with its escapes in the usual spelling, if that is another one.
fn other_spelling(url: &[u8]) -> Option<Vec<u8>> {
    let usual = address::usual_escapes(std::str::from_utf8(url).ok()?).into_bytes();
    (usual != url).then_some(usual)
}

/// Which bytes the URL Standard leaves in a path and in a query, and that mean nothing else there.
const IS_PLAIN: [bool; 256] = {
    let bytes = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/?-._~!$&()*+,;=:@";
    let mut plain = [false; 256];
    let mut place = 0;
    while place < bytes.len() {
        plain[bytes[place] as usize] = true;
        place += 1;
    }
    plain
};

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Returns the spellings by parsing, whether that is needed or not.
    fn parsed(url: &str) -> Vec<String> {
        let site = if url.starts_with("//") {
            "http:"
        } else if url.starts_with('/') {
            "http://a"
        } else {
            ""
        };
        let whole = format!("{site}{url}");
        let Ok(sent) = address::address(&whole) else { return vec![url.to_owned()] };
        let written = address::as_written(&whole).expect("an address").url;
        let mut all = vec![sent.url];
        if written != all[0] {
            all.push(written);
        }
        all.into_iter().map(|one| one.strip_prefix(site).expect("its site").to_owned()).collect()
    }

    #[test]
    fn an_escape_may_be_written_in_two_ways() {
        let of = |url: &'static str| {
            let found = Spellings::of(url.as_bytes());
            let written =
                found.written.map(|one| String::from_utf8(one.into_owned()).expect("text"));
            (String::from_utf8(found.sent.into_owned()).expect("text"), written)
        };
        assert_eq!(
            of("https://a.example/%7efred#top"),
            ("https://a.example/~fred".into(), Some("https://a.example/%7efred".into()))
        );
        assert_eq!(of("/%62"), ("/b".into(), Some("/%62".into())));
        assert_eq!(of("//a.example/x/../b"), ("//a.example/b".into(), None));
        assert_eq!(of("/x/../%7eb/."), ("/~b/".into(), Some("/%7eb/".into())));
        assert_eq!(of("/x//..?a/../b"), ("/x/?a/../b".into(), None));
        assert_eq!(of("/a/.%2e/b"), ("/b".into(), None));
        assert_eq!(of("b"), ("b".into(), None));
        assert_eq!(Spellings::of(b"/caf\xe9").sent.as_ref(), b"/caf%E9");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4_000))]

        /// What is evident is what parsing finds.
        #[test]
        fn what_is_evident_is_what_parsing_finds(
            url in "((https?|HTTP|ftp):)?(//)?([a-c]|xn--a|0x1|1\\.2|u@h|h:80|H|\\.|_|-){0,3}(/|\\.|\\.\\.|%2e|%2E|%62|%|a|\\?|#|;|'|\\^|\\||\"|é|@|:|\\*|\\$|\\\\| |\t){0,9}",
        ) {
            let found = Spellings::of(url.as_bytes());
            let mut all = vec![String::from_utf8(found.sent.into_owned()).expect("text")];
            all.extend(found.written.map(|one| String::from_utf8(one.into_owned()).expect("text")));
            prop_assert_eq!(all, parsed(&url));
            let origin = address::address(&url).map(|one| one.origin);
            prop_assert_eq!(found.origin.ok().map(Cow::into_owned), origin.ok());
        }
    }
}
