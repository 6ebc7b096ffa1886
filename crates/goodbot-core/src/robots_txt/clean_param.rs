//! Clean-param: query parameters that do not change the document.
//!
//! Source: Yandex, Using robots.txt, Clean-param: `Clean-param: p0[&p1&p2&..&pn] [path]`, at most 500
//! characters, anywhere in the file.

use crate::steps;
use std::collections::HashSet;

use crate::packed::packed;
use crate::target::Scratch;

use super::line;
use super::path_pattern::PathPattern;

/// The most bytes of a value.
const MOST_OCTETS: usize = 500;

/// One Clean-param line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CleanParam {
    names: Box<[Box<[u8]>]>,
    path: PathPattern,
}

packed!(CleanParam { names, path });

impl CleanParam {
    /// Parses a value; `None` if it is malformed.
    pub(crate) fn read(value: &[u8]) -> Option<CleanParam> {
        if value.len() > MOST_OCTETS {
            return None;
        }
        let mut words = value.split(|octet| line::is_space(*octet)).filter(|word| !word.is_empty());
        let names = words.next()?.split(|octet| *octet == b'&');
        let names: Box<[Box<[u8]>]> =
            names.filter(|name| !name.is_empty()).map(Into::into).collect();
        let path = words.next().unwrap_or_default();
        let well_formed = !names.is_empty() && words.next().is_none();
        well_formed.then(|| CleanParam { names, path: PathPattern::read(path) })
    }
}

/// Returns a URL without the parameters that the site calls insignificant.
pub(crate) fn clean(url: &[u8], lines: &[CleanParam]) -> Vec<u8> {
    let hash = memchr::memchr(b'#', url).unwrap_or(url.len());
    let (address, fragment) = url.split_at(hash);
    let Some(mark) = memchr::memchr(b'?', address) else { return url.to_vec() };
    let (mut room, mut scratch) = (Vec::new(), Scratch::default());
    let paths = PathPattern::paths(url, &mut room, &mut scratch);
    let holding = lines.iter().filter(|line| line.path.matches(paths));
    let dropped: HashSet<&[u8]> =
        holding.flat_map(|line| &line.names).map(|name| &**name).collect();
    steps::count(lines.len() + dropped.len() + url.len());
    let kept: Vec<&[u8]> = address[mark + 1..]
        .split(|octet| *octet == b'&')
        .filter(|parameter| {
            let name = parameter.split(|octet| *octet == b'=').next();
            name.is_none_or(|name| !dropped.contains(name))
        })
        .collect();
    let mut clean = address[..mark].to_vec();
    if !kept.is_empty() {
        clean.push(b'?');
        clean.extend(kept.join(&b'&'));
    }
    clean.extend_from_slice(fragment);
    clean
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cleaned(value: &str, url: &str) -> String {
        let lines: Vec<_> = CleanParam::read(value.as_bytes()).into_iter().collect();
        String::from_utf8(clean(url.as_bytes(), &lines)).expect("UTF-8")
    }

    #[test]
    fn named_parameters_are_dropped_where_the_path_matches() {
        let book = "http://www.example.com/some_dir/get_book.pl";
        let value = "ref /some_dir/get_book.pl";
        assert_eq!(
            cleaned(value, &format!("{book}?ref=site_1&book_id=123")),
            format!("{book}?book_id=123")
        );
        assert_eq!(cleaned(value, &format!("{book}?ref=site_1")), book);
        assert_eq!(
            cleaned(value, "http://www.example.com/x?ref=a"),
            "http://www.example.com/x?ref=a"
        );
        assert_eq!(cleaned("a&b", "/x?b=1&c=2&a=3#d"), "/x?c=2#d");
        assert_eq!(cleaned("sid /forum/*.php", "/forum/a.php?sid=1&t=2"), "/forum/a.php?t=2");
    }

    #[test]
    fn malformed_values_drop_nothing() {
        for value in ["", "&", "a /b c", &"a".repeat(501)] {
            assert_eq!(CleanParam::read(value.as_bytes()), None, "{value}");
        }
    }
}
