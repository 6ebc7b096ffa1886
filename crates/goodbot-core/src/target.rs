//! URLs: the part that rules are matched against.

use crate::address::has_no_host;
use crate::dialect::{Dialect, MissingPath, NulInUrl, Query, UrlForm};
use crate::escape::{Form, Side};
use crate::sent_path::{has_marks, is_odd, sent_path};
use crate::url_parser::is_scheme;

/// A URL, split as far as matching needs it. Any bytes can be split.
#[derive(Clone, Copy, Debug)]
pub struct Target<'a> {
    /// The URL as given.
    pub url: &'a [u8],
    /// The path and what follows it, without the fragment. If it does not begin with `/`, a `/` is
    /// implied: `https://example.com?a` has the path `/`.
    rest: &'a [u8],
    /// Whether `rest` begins with `/` and has neither an escape nor a star: most forms leave such a
    /// path unchanged.
    plain: bool,
    /// Whether the path that is sent may differ from `rest`.
    odd: bool,
    /// How many bytes of the URL there are from the path on; 0 if it has no path.
    length_behind: usize,
    /// Whether the URL is neither absolute with a host nor a path that begins with `/`.
    pub(crate) relative: bool,
}

/// The two spellings of a path that are compared with patterns.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Paths<'a> {
    /// The path and query.
    pub(crate) plain: &'a [u8],
    /// The same with the slashes after the `?` unescaped, if that differs.
    pub(crate) open_query: Option<&'a [u8]>,
}

/// Buffers for spellings that differ from the URL's own; reused from URL to URL.
#[derive(Debug, Default)]
pub struct Scratch {
    /// The beginning of the last URL, up to its path's first `/`.
    pub(crate) prefix: Vec<u8>,
    plain: Vec<u8>,
    open_query: Vec<u8>,
    rooted: Vec<u8>,
}

const HTTP: &[u8] = b"http";

impl<'a> Target<'a> {
    /// Splits a URL: absolute, without scheme (`//host/path`), or path only.
    ///
    /// The division is that of google/robotstxt, `GetPathParamsQuery`, which is defined for every
    /// text: the path begins at the first `/`, `?` or `;` after `://`, and a fragment ends it.
    #[must_use]
    #[inline]
    pub fn new(url: &'a [u8]) -> Target<'a> {
        let (start, relative) = authority_start(url);
        let target = Target::from_authority(url, start);
        if !relative {
            return target;
        }
        // A target that is not plain is examined closely before any rule is.
        Target { relative, odd: true, plain: false, ..target }
    }

    /// Splits a URL as `new` does. `prefix` may be the beginning of the URL up to its path's first `/`:
    /// the URLs of a column often begin alike.
    #[inline]
    pub(crate) fn with_prefix(url: &'a [u8], prefix: &mut Vec<u8>) -> Target<'a> {
        if !prefix.is_empty() && url.starts_with(prefix) {
            return Target::from_path(url, prefix.len() - 1);
        }
        let target = Target::new(url);
        prefix.clear();
        let start = target.url.len() - target.length_behind;
        // A prefix that ends in `:/` could become `://` in the next URL, which ends otherwise.
        let is_whole = start > 0 && url[start - 1] != b':';
        if target.is_rooted() && !target.odd && is_whole && target.length_behind > 0 {
            prefix.extend_from_slice(&url[..=start]);
        }
        target
    }

    #[inline]
    fn from_authority(url: &'a [u8], start: usize) -> Target<'a> {
        let behind = &url[start..];
        match memchr::memchr3(b'/', b'?', b';', behind) {
            Some(end) if behind[end] == b'/' && !has_marks(url, start) => {
                Target::from_plain_path(url, start + end)
            }
            end => Target::from_marked_authority(url, start, end.unwrap_or(behind.len())),
        }
    }

    /// Splits a URL whose path has special bytes, or whose authority is ended by something other
    /// than a slash.
    fn from_marked_authority(url: &'a [u8], start: usize, end: usize) -> Target<'a> {
        let end = memchr::memchr(b'#', &url[start..start + end]).unwrap_or(end);
        let target = match url.get(start + end) {
            None | Some(b'#') => {
                let rest = b"/";
                Target { rest, length_behind: 0, plain: true, ..Target::from_plain_path(rest, 0) }
            }
            Some(_) => Target::from_marked_path(url, start + end),
        };
        // Only google/robotstxt lets a semicolon end the authority.
        let odd = is_odd(url, start) || url.get(start + end) == Some(&b';');
        Target { url, odd, plain: target.plain && !odd, ..target }
    }

    #[inline]
    fn from_path(url: &'a [u8], start: usize) -> Target<'a> {
        if has_marks(url, start) {
            Target::from_marked_path(url, start)
        } else {
            Target::from_plain_path(url, start)
        }
    }

    /// Splits a URL whose path has no special bytes.
    #[inline]
    pub(crate) fn from_plain_path(url: &'a [u8], start: usize) -> Target<'a> {
        let rest = &url[start..];
        let (plain, length_behind) = (rest[0] == b'/', rest.len());
        Target { url, rest, plain, odd: false, length_behind, relative: false }
    }

    /// Splits a URL whose path has special bytes.
    fn from_marked_path(url: &'a [u8], start: usize) -> Target<'a> {
        let whole = &url[start..];
        let rest = &whole[..memchr::memchr(b'#', whole).unwrap_or(whole.len())];
        let odd = is_odd(url, start);
        let plain = !odd && rest[0] == b'/' && memchr::memchr2(b'%', b'*', rest).is_none();
        Target { url, rest, plain, odd, length_behind: whole.len(), relative: false }
    }

    /// Returns the URL as it is judged: as given, or as it would be sent, if that differs. `room` is a
    /// buffer for the URL as sent.
    #[inline]
    pub(crate) fn judged<'s>(&self, dialect: &Dialect, room: &'s mut Vec<u8>) -> Target<'s>
    where
        'a: 's,
    {
        if self.odd && dialect.url_form == UrlForm::AsSent { self.as_sent(room) } else { *self }
    }

    #[cold]
    fn as_sent<'s>(&self, room: &'s mut Vec<u8>) -> Target<'s>
    where
        'a: 's,
    {
        let Some(path) = sent_path(self.url) else { return *self };
        *room = path;
        let plain = memchr::memchr2(b'%', b'*', room).is_none();
        Target { rest: room, plain, odd: false, relative: false, ..*self }
    }

    fn is_rooted(&self) -> bool {
        self.rest.first() == Some(&b'/')
    }

    /// Returns the scheme, if the URL has one.
    #[must_use]
    pub fn scheme(&self) -> Option<&'a [u8]> {
        let end = memchr::memchr(b':', self.url)?;
        let scheme = &self.url[..end];
        is_scheme(scheme).then_some(scheme)
    }

    /// Returns the path and query if they are compared unchanged: they have no escape or star, and
    /// begin with a `/`.
    #[inline]
    pub(crate) fn plain_path(&self) -> Option<&'a [u8]> {
        self.plain.then_some(self.rest)
    }

    /// Returns the path and query in the form in which the dialect compares them.
    #[inline]
    pub(crate) fn paths<'s>(&self, dialect: &Dialect, scratch: &'s mut Scratch) -> Paths<'s>
    where
        'a: 's,
    {
        let mut path = self.rest;
        if dialect.missing_path == MissingPath::Nothing && dialect.url_form == UrlForm::AsGiven {
            path = if self.length_behind == 0 { b"" } else { path };
        } else if !self.is_rooted() {
            scratch.rooted.clear();
            scratch.rooted.push(b'/');
            scratch.rooted.extend_from_slice(path);
            path = &scratch.rooted;
        }
        if dialect.nul_in_url == NulInUrl::EndsPath {
            path = memchr::memchr(0, path).map_or(path, |nul| &path[..nul]);
        }
        if dialect.query == Query::Excluded {
            path = memchr::memchr(b'?', path).map_or(path, |mark| &path[..mark]);
        }
        let form = Form::of(dialect);
        if form.is_plain(path, self.plain) {
            return Paths { plain: path, open_query: None };
        }
        scratch.plain.clear();
        form.write(path, Side::Url, false, &mut scratch.plain);
        scratch.open_query.clear();
        if path.contains(&b'?') {
            form.write(path, Side::Url, true, &mut scratch.open_query);
        }
        let differs = !scratch.open_query.is_empty() && scratch.open_query != scratch.plain;
        Paths {
            plain: &scratch.plain,
            open_query: differs.then_some(scratch.open_query.as_slice()),
        }
    }
}

/// Returns where the authority begins, or the path if there is no authority; and whether the URL is
/// neither absolute nor a path that begins with `/`, so that it is unclear where its path begins.
#[inline]
fn authority_start(url: &[u8]) -> (usize, bool) {
    // The common cases first: a path alone, http:// and https://.
    if url.first() == Some(&b'/') {
        // Two leading slashes are skipped before a scheme is searched for, as google/robotstxt does.
        return (if url.get(1) == Some(&b'/') { scheme_end(url, 2) } else { 0 }, false);
    }
    if url.len() > 8 && url[..4].eq_ignore_ascii_case(HTTP) {
        if &url[4..7] == b"://" {
            return (7, has_no_host(&url[7..]));
        }
        if url[4] | 0x20 == b's' && &url[5..8] == b"://" {
            return (8, has_no_host(&url[8..]));
        }
    }
    (scheme_end(url, 0), !is_absolute(url))
}

/// Whether a URL has a scheme, `://` (RFC 3986 sections 3.1 and 3.2), and a host after them.
fn is_absolute(url: &[u8]) -> bool {
    memchr::memmem::find(url, b"://").is_some_and(|end| {
        let (scheme, behind) = (&url[..end], &url[end + 3..]);
        is_scheme(scheme) && !has_no_host(behind)
    })
}

fn scheme_end(url: &[u8], from: usize) -> usize {
    let early = url[from..].iter().position(|octet| matches!(octet, b'/' | b'?' | b';'));
    let hash = memchr::memchr(b'#', &url[from..]);
    match memchr::memmem::find(&url[from..], b"://") {
        // If `://` ends a scheme, its own slashes are the earliest.
        Some(colon)
            if early.is_none_or(|early| early > colon) && hash.is_none_or(|hash| hash > colon) =>
        {
            from + colon + 3
        }
        _ => from,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialects;

    fn path(url: &str) -> String {
        let mut scratch = Scratch::default();
        let paths = Target::new(url.as_bytes()).paths(&dialects::GOOGLE, &mut scratch);
        String::from_utf8_lossy(paths.plain).into_owned()
    }

    #[test]
    fn the_path_is_found_in_every_form_of_url() {
        for (url, expected) in [
            ("", "/"),
            ("http://www.example.com", "/"),
            ("http://www.example.com/", "/"),
            ("http://www.example.com/a", "/a"),
            ("http://www.example.com/a#b", "/a"),
            ("http://www.example.com#b/c", "/"),
            ("http://www.example.com?a=http://b/c", "/?a=http://b/c"),
            ("http://www.example.com/a/b?c=d;e=f", "/a/b?c=d;e=f"),
            ("http://www.example.com;p", "/;p"),
            ("HTTPS://u:p@EXAMPLE.com:8080/a", "/a"),
            ("//example.com/a", "/a"),
            ("//a/b/c", "/b/c"),
            ("/a?b#c", "/a?b"),
            ("?a", "/?a"),
            ("example.com", "/"),
            ("example.com/a/b", "/a/b"),
            ("/a://b/c", "/a://b/c"),
            ("ftp://h/x", "/x"),
            ("http:/", "/"),
            ("http:", "/"),
        ] {
            assert_eq!(path(url), expected, "{url}");
        }
    }
}
