//! The path that is sent for a URL, if it differs from the path as written.
//!
//! Before sending anything, browsers and clients that behave like them remove spaces around a URL and
//! line ends within it, read backslashes as slashes and resolve dot segments (WHATWG URL, "basic URL
//! parser"; RFC 3986 section 5.2.4). This module does that and no more. Escapes stay as they are: how
//! they are compared is a choice of the dialect.

#![expect(
    clippy::needless_bitwise_bool,
    reason = "without branches the machine compares many bytes at once"
)]

use crate::address::has_no_host;
use crate::url_parser::is_slash;

/// Whether a URL has, from a position on, any byte that may end its path, be compared other than
/// literally, or not be sent as it is. For most URLs this one test is enough. It may answer yes wrongly,
/// but never no.
#[inline]
pub(crate) fn has_marks(url: &[u8], from: usize) -> bool {
    has(url, from, |before, byte| {
        is_structure(before, byte) | (byte == b'#') | (byte == b'%') | (byte == b'*')
    })
}

/// Whether the path that is sent for a URL may differ from the one written, judging by the bytes from a
/// position on. It may answer yes wrongly, but never no.
#[inline]
pub(crate) fn is_odd(url: &[u8], from: usize) -> bool {
    // The end of an escaped dot.
    has(url, from, |before, byte| {
        is_structure(before, byte) | ((before == b'2') & byte.eq_ignore_ascii_case(&b'e'))
    })
}

/// Whether browsers remove a byte or read it as a slash, given the byte before it, or whether it may
/// begin a dot segment.
#[inline]
fn is_structure(before: u8, byte: u8) -> bool {
    (byte <= b' ') | (byte == b'\\') | ((byte == b'.') & (before == b'/'))
}

/// Whether a test holds for any byte from a position on, together with the byte before it.
#[inline]
pub(crate) fn has(url: &[u8], from: usize, test: impl Fn(u8, u8) -> bool) -> bool {
    match url.len() {
        17.. => has_in_pieces::<16>(url, from, test),
        9.. => has_in_pieces::<8>(url, from, test),
        _ => (from..url.len()).any(|at| test(if at > 0 { url[at - 1] } else { b' ' }, url[at])),
    }
}

/// Tests the bytes in pieces that the machine compares at once, from the end on; the last piece overlaps
/// the one before it. The very first byte is part of a scheme or a slash, and is not tested.
#[inline]
fn has_in_pieces<const N: usize>(url: &[u8], from: usize, test: impl Fn(u8, u8) -> bool) -> bool {
    let mut end = url.len();
    while end > from {
        let start = end.saturating_sub(N).max(1);
        let before = url[start - 1..].first_chunk::<N>();
        let bytes = url[start..].first_chunk::<N>();
        let holds = |(before, bytes): (&[u8; N], &[u8; N])| {
            let mut found = [0; N];
            for place in 0..N {
                found[place] = u8::from(test(before[place], bytes[place]));
            }
            found != [0; N]
        };
        if before.zip(bytes).is_none_or(holds) {
            return true;
        }
        end = if start > 1 { start } else { 0 };
    }
    false
}

/// Returns the path and query that are sent for an absolute URL of http, https or ftp, a URL without its
/// scheme (`//host/path`), or an absolute path; `None` for other texts.
pub(crate) fn sent_path(url: &[u8]) -> Option<Vec<u8>> {
    let text = written(url);
    let rest = match url {
        [b'/', b'/', ..] => behind_authority(&text[2..])?,
        [b'/', ..] => &text,
        _ => behind_authority(behind_scheme(&text)?)?,
    };
    let rest = &rest[..memchr::memchr(b'#', rest).unwrap_or(rest.len())];
    let (path, query) = rest.split_at(memchr::memchr(b'?', rest).unwrap_or(rest.len()));
    let mut sent = Vec::with_capacity(rest.len() + 1);
    sent.push(b'/');
    let mut segments = path.split(|byte| is_slash(*byte)).skip(1).peekable();
    while let Some(segment) = segments.next() {
        let dots = dots_of(segment);
        if dots == 2 {
            sent.pop();
            let parent = memchr::memrchr(b'/', &sent).map_or(0, |slash| slash + 1);
            sent.truncate(parent);
            sent.extend(sent.is_empty().then_some(b'/'));
        } else if dots == 0 {
            sent.extend_from_slice(segment);
            sent.extend(segments.peek().map(|_| b'/'));
        }
    }
    sent.extend_from_slice(query);
    Some(sent)
}

/// Returns a URL without the characters that are removed before it is parsed.
fn written(url: &[u8]) -> Vec<u8> {
    let is_kept = |byte: &u8| *byte > b' ';
    let start = url.iter().position(is_kept).unwrap_or(url.len());
    let end = url.iter().rposition(is_kept).map_or(start, |last| last + 1);
    let line_end = |byte: &u8| matches!(byte, b'\t' | b'\n' | b'\r');
    url[start..end].iter().copied().filter(|byte| !line_end(byte)).collect()
}

/// Returns what follows the `://` of a URL of http, https or ftp.
fn behind_scheme(url: &[u8]) -> Option<&[u8]> {
    let scheme = &url[..memchr::memchr(b':', url)?];
    let known = [&b"http"[..], b"https", b"ftp"];
    let is_known = known.iter().any(|known| scheme.eq_ignore_ascii_case(known));
    url[scheme.len()..].strip_prefix(b"://").filter(|_| is_known)
}

/// Returns what follows an authority: path, query and fragment.
fn behind_authority(authority: &[u8]) -> Option<&[u8]> {
    if has_no_host(authority) {
        return None;
    }
    let ends = |byte: &u8| is_slash(*byte) || matches!(byte, b'?' | b'#');
    Some(&authority[authority.iter().position(ends).unwrap_or(authority.len())..])
}

/// Counts the dots that make up a segment, escaped or not; 0 for other segments.
fn dots_of(segment: &[u8]) -> usize {
    let mut rest = segment;
    let mut dots = 0;
    while let [b'.', behind @ ..] | [b'%', b'2', b'e' | b'E', behind @ ..] = rest {
        (rest, dots) = (behind, dots + 1);
    }
    if rest.is_empty() && dots <= 2 { dots } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::address;
    use proptest::prelude::*;

    fn sent(url: &str) -> Option<String> {
        sent_path(url.as_bytes()).map(|path| String::from_utf8_lossy(&path).into_owned())
    }

    #[test]
    fn the_structure_of_a_path_is_that_of_browsers() {
        for (url, expected) in [
            ("http://h\\private", Some("/private")),
            ("http://a.example\\@b.example/c", Some("/@b.example/c")),
            ("http://h/x/../private", Some("/private")),
            ("http://h/x/%2e%2E/private", Some("/private")),
            ("http://h/a/b/.", Some("/a/b/")),
            ("http://h/a/b/..", Some("/a/")),
            ("http://h/../..", Some("/")),
            ("http://h/a//../b", Some("/a/b")),
            ("http://h/.../a", Some("/.../a")),
            ("http://h/a?b\\c/../d#e", Some("/a?b\\c/../d")),
            (" http://h/pri\nvate ", Some("/private")),
            ("http://u;x@h/private", Some("/private")),
            ("http://h?q", Some("/?q")),
            ("//h\\a", Some("/a")),
            ("/a\\..\\b", Some("/b")),
            ("/\\b", Some("//b")),
            ("/\t/b", Some("//b")),
            ("gopher://h/a/../b", None),
            ("a/../b", None),
            ("\\b", None),
            (" /b", None),
            ("http:\\\\h\\b", None),
            ("http:///h/b", None),
            ("", None),
        ] {
            assert_eq!(sent(url).as_deref(), expected, "{url}");
        }
    }

    /// Returns the path as the URL parser writes it, without the escapes that it adds.
    fn escapes_undone(path: &str) -> Vec<u8> {
        let bytes = path.as_bytes();
        let mut plain = Vec::new();
        let mut at = 0;
        while at < bytes.len() {
            let digits = bytes.get(at + 1..at + 3).and_then(|two| std::str::from_utf8(two).ok());
            let escaped = digits.filter(|_| bytes[at] == b'%');
            let byte = escaped.and_then(|two| u8::from_str_radix(two, 16).ok());
            at += if byte.is_some() { 3 } else { 1 };
            plain.push(byte.unwrap_or(bytes[at - 1]));
        }
        plain
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]

        /// The path that is judged is the one that is sent, wherever the URL can be sent.
        #[test]
        fn it_is_the_path_of_the_address(url in "[ \n]?(http|HTTPS)://(u;x@|u\\\\|h;)?h(:80)?(/|\\\\|\\.|\\.\\.|%2e|%2E|%2f|a|b|\\?|#|;|\t| |\"|é|@|:|%|\x00){0,9}[ \n]?") {
            let Ok(found) = address::address(&url) else { return Ok(()) };
            let expected = escapes_undone(&found.url[found.origin.len()..]);
            prop_assert_eq!(escapes_undone(&sent(&url).expect("a path")), expected);
        }

        /// A URL that is not odd is sent as it is written.
        #[test]
        fn what_is_not_odd_is_sent_as_it_is(path in "/([./\\\\ab?#%2eE \t]{0,9})") {
            if !is_odd(path.as_bytes(), 0) {
                let written = path.split('#').next().map(str::to_owned);
                // A host follows two slashes.
                prop_assume!(!path.starts_with("//"));
                prop_assert_eq!(sent(&path), written);
            }
        }
    }
}
