//! A rule's value as a reference to a URL, resolved against the address of robots.txt.
//!
//! WWW::RobotRules passes every value through `URI->new_abs($disallow, $robot_txt_uri)` and keeps the
//! path and query of the result, if it is on the same server. The steps are those of URI.pm 5,
//! `URI::new` and `URI::_generic::abs`, which are older than RFC 3986 and treat dot segments
//! differently.

use crate::address;
use crate::steps;

/// What a value resolves to.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Reference {
    /// The path and query.
    pub(crate) path: Vec<u8>,
    /// The origins that it names, if it names a server; empty if it names no valid one.
    pub(crate) origins: Option<Vec<String>>,
}

/// Resolves a value; `None` if it has a scheme but no server, like `mailto:a`.
pub(crate) fn resolve(value: &[u8]) -> Option<Reference> {
    let value = unwrapped(value);
    let behind = &value[scheme_length(value)..];
    let Some(authority) = behind.strip_prefix(b"//") else {
        let own = behind.len() == value.len();
        return own.then(|| Reference { path: own_path(value), origins: None });
    };
    let end = authority.iter().position(|octet| matches!(octet, b'/' | b'?' | b'#'));
    let path = end.map_or(&b"/"[..], |end| &authority[end..]).to_vec();
    let server = &value[..value.len() - end.map_or(0, |end| authority.len() - end)];
    Some(Reference { path, origins: Some(origins(server, behind.len() == value.len())) })
}

/// Removes what URI.pm removes: `<URL:...>`, `<...>`, `"..."`, white space.
fn unwrapped(mut value: &[u8]) -> &[u8] {
    if let [b'<', inner @ .., b'>'] = value {
        value = inner.strip_prefix(b"URL:").unwrap_or(inner);
    }
    if let [b'"', inner @ .., b'"'] = value {
        value = inner;
    }
    value.trim_ascii()
}

/// Returns the length of the scheme that a value begins with, including its colon.
fn scheme_length(value: &[u8]) -> usize {
    let part = |octet: &u8| octet.is_ascii_alphanumeric() || b"+-.".contains(octet);
    let end = value.iter().position(|octet| !part(octet)).unwrap_or(value.len());
    let is_scheme =
        value.first().is_some_and(u8::is_ascii_alphabetic) && value.get(end) == Some(&b':');
    if is_scheme { end + 1 } else { 0 }
}

/// Returns the origins that a server's URL names: without a scheme, it has that of robots.txt.
///
/// URI.pm compares ports as they are written, and corrects nothing that a browser would correct.
fn origins(server: &[u8], without_scheme: bool) -> Vec<String> {
    let port = server.rsplit(|octet| *octet == b':').next().unwrap_or_default();
    let odd_port = matches!(port, [] | [b'0', ..]) && port.iter().all(u8::is_ascii_digit);
    let mended = |octet: &u8| octet.is_ascii_control() || *octet == b'\\';
    if odd_port || server.iter().any(mended) {
        return Vec::new();
    }
    let schemes: &[&[u8]] = if without_scheme { &[b"http:", b"https:"] } else { &[b""] };
    schemes.iter().filter_map(|scheme| address::origin(&[*scheme, server].concat()).ok()).collect()
}

/// Returns the path and query of a reference without scheme and server, relative to `/robots.txt`.
fn own_path(value: &[u8]) -> Vec<u8> {
    let behind = &value[odd_prefix(value)..];
    let end = behind.iter().position(|octet| *octet == b'?').unwrap_or(behind.len());
    let (path, query) = behind.split_at(end);
    match path {
        [] => [b"/robots.txt", query].concat(),
        [b'/', ..] if value.starts_with(b"/") => value.to_vec(),
        [b'/', ..] => [b"/", value].concat(),
        _ => [b"/", &*without_dots(path).join(&b'/'), query].concat(),
    }
}

/// Returns how much of a value `URI::_generic::path` skips if there is no scheme: also a colon that does
/// not end a scheme (`1a:b`), and what then looks like a server.
fn odd_prefix(value: &[u8]) -> usize {
    let ends = |octet: &u8| matches!(octet, b':' | b'/' | b'?' | b'#');
    let colon = value.iter().position(ends).filter(|at| *at > 0 && value[*at] == b':');
    let Some(colon) = colon else { return 0 };
    let behind = &value[colon + 1..];
    let server = behind.strip_prefix(b"//").map_or(0, |server| {
        let end = server.iter().position(|octet| matches!(octet, b'/' | b'?' | b'#'));
        end.unwrap_or(server.len()) + 2
    });
    colon + 1 + server
}

/// Returns the segments of a relative path without `.` and `..`, as far as URI.pm removes them: it
/// examines each segment together with the next, and the last one alone only if it is `.`.
fn without_dots(path: &[u8]) -> Vec<&[u8]> {
    let mut rest: Vec<&[u8]> = path.split(|octet| *octet == b'/').collect();
    rest.reverse();
    let mut kept: Vec<&[u8]> = Vec::new();
    steps::count(path.len());
    while let Some(next) = rest.pop() {
        steps::count(1);
        match kept.last() {
            Some(&b".") => {
                kept.pop();
                rest.push(next);
            }
            Some(last) if next == b".." && *last != b".." => {
                kept.pop();
                // `a/b/..` is `a/`, but `b/..` is nothing.
                if rest.is_empty() && !kept.is_empty() {
                    rest.push(b"");
                }
            }
            _ => kept.push(next),
        }
    }
    if let Some(last) = kept.last_mut().filter(|last| **last == b".") {
        *last = b"";
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(value: &str) -> Option<String> {
        resolve(value.as_bytes())
            .map(|reference| String::from_utf8_lossy(&reference.path).into_owned())
    }

    #[test]
    fn values_lead_where_uri_pm_says() {
        for (value, expected) in [
            ("/a/../b", "/a/../b"),
            ("a", "/a"),
            ("./a", "/a"),
            (".", "/"),
            ("..", "/.."),
            ("../a", "/../a"),
            ("a/../b", "/b"),
            ("a/..", "/"),
            ("a/b/..", "/a/"),
            ("a/./b/.", "/a/b/"),
            ("a//b", "/a//b"),
            (":a", "/:a"),
            ("1a:b", "/b"),
            ("1a:/b", "/1a:/b"),
            ("1a://x?y", "/robots.txt?y"),
            ("a b:../c", "/../c"),
            ("a/b:c", "/a/b:c"),
            ("?x=1", "/robots.txt?x=1"),
            ("a?b/../c", "/a?b/../c"),
            ("<URL:/a>", "/a"),
            ("\"a\"", "/a"),
            ("http://h", "/"),
            ("http://h?x", "?x"),
            ("//h/a", "/a"),
        ] {
            assert_eq!(path(value).as_deref(), Some(expected), "{value}");
        }
        assert_eq!((path("mailto:a"), path("http:a"), path("h:80/a")), (None, None, None));
    }

    #[test]
    fn servers_are_told_by_their_origins() {
        let origins = |value: &str| resolve(value.as_bytes()).and_then(|found| found.origins);
        assert_eq!(origins("/a"), None);
        assert_eq!(origins("HTTP://H:80/a"), Some(vec!["http://h".to_owned()]));
        assert_eq!(origins("//h/a"), Some(vec!["http://h".to_owned(), "https://h".to_owned()]));
        for none in ["http:///a", "http://h:/a", "http://h:080/a", "//h\u{1c}"] {
            assert_eq!(origins(none), Some(vec![]), "{none:?}");
        }
    }
}
