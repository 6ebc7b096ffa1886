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
        if let Some((origin, has_escapes)) = evident_origin(url) {
            let usual = if has_escapes { other_spelling(url) } else { None };
            let (sent, written) = match usual {
                Some(usual) => (Cow::Owned(usual), Some(Cow::Borrowed(url))),
                None => (Cow::Borrowed(url), None),
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

/// Returns the origin of a URL that is evidently sent as it is written but for the spelling of its
/// escapes, empty for a path, and whether there are escapes; `None` if that is not evident.
fn evident_origin(url: &[u8]) -> Option<(&str, bool)> {
    let text = std::str::from_utf8(url).ok()?;
    let origin = address::plain_origin(text).unwrap_or_default();
    let path = &url[origin.len()..];
    let is_path = path.first() == Some(&b'/') && (!origin.is_empty() || path.get(1) != Some(&b'/'));
    if !is_path {
        return None;
    }
    Some((origin, has_escapes(path)?))
}

/// Whether a path and its query have escapes; `None` if they may have dot segments, a fragment, or
/// characters that are to be escaped.
fn has_escapes(path: &[u8]) -> Option<bool> {
    let mut escapes = false;
    let mut before = b' ';
    for (place, &byte) in path.iter().enumerate() {
        if byte == b'%' {
            // A dot segment may be written with escapes.
            if before == b'/' && matches!(path.get(place + 1..), Some([b'2', b'e' | b'E', ..])) {
                return None;
            }
            escapes = true;
        } else if !IS_PLAIN[usize::from(byte)] || (before == b'/' && byte == b'.') {
            return None;
        }
        before = byte;
    }
    Some(escapes)
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
