//! The base URL of a page, against which its links are resolved.

use std::sync::OnceLock;

use url::{Position, Url};

use crate::address::{LONGEST_URL, is_plain_path, plain_origin};
use crate::named::named;
use crate::url_parser;

named! {
    /// Why a link was not resolved.
    pub enum Unresolved {
        /// Its address is not a valid URL (URL Standard, "basic URL parser": failure).
        Invalid = "invalid",
        /// Its URL has more than [`LONGEST_URL`] bytes, or its base does and the link depends on
        /// it.
        TooLong = "too-long",
        /// The URLs of earlier links already use up the limit for the document.
        OverBudget = "over-budget",
    }
}

/// The URL that links are resolved against.
pub struct Base {
    written: String,
    /// The URL as it was parsed when a link needed that: of a plain one, few links do.
    url: OnceLock<Option<Url>>,
    /// Whether it is longer than a resolved link may be. Only links from its root are then resolved
    /// against it, since any other URL would be just as long.
    long: bool,
    /// Its scheme, host and port, if it is an HTTP or HTTPS URL.
    origin: String,
}

impl Base {
    /// Reads a URL. If it is invalid, only absolute URLs can be resolved against it.
    #[must_use]
    pub fn new(base: &str) -> Base {
        let written = base.to_owned();
        if base.len() <= LONGEST_URL
            && let Some(origin) = origin_of_plain(base)
        {
            return Base { written, url: OnceLock::new(), long: false, origin: origin.to_owned() };
        }
        let url = url_parser::parse(base).ok();
        let of_web = url.as_ref().filter(|url| matches!(url.scheme(), "http" | "https"));
        let origin = of_web.map_or("", |url| &url[..Position::BeforePath]).to_owned();
        let long = url.as_ref().is_some_and(|url| url.as_str().len() > LONGEST_URL);
        let url = if long { url.and_then(|url| url.join("/").ok()) } else { url };
        Base { written, url: OnceLock::from(url), long, origin }
    }

    /// Resolves a link to a URL of at most [`LONGEST_URL`] bytes. The cost is limited by that and
    /// the length of the link.
    ///
    /// # Errors
    ///
    /// Returns why the link cannot be resolved.
    pub fn resolve(&self, href: &str) -> Result<String, Unresolved> {
        if href.len() > LONGEST_URL || (self.long && !starts_at_root(href)) {
            return Err(Unresolved::TooLong);
        }
        let url = self.join(href).ok_or(Unresolved::Invalid)?;
        if url.len() > LONGEST_URL { Err(Unresolved::TooLong) } else { Ok(url) }
    }

    /// Resolves a link (URL Standard, "basic URL parser"). Returns `None` if it is invalid.
    fn join(&self, href: &str) -> Option<String> {
        if let Some(quick) = self.quick(href) {
            return Some(quick);
        }
        match self.url.get_or_init(|| url_parser::parse(&self.written).ok()) {
            Some(base) => url_parser::join(base, href).ok().map(String::from),
            None => url_parser::parse(href).ok().map(String::from),
        }
    }

    /// Handles the common cases in which the parser would change nothing: a plain HTTP or HTTPS
    /// URL, and a plain path from the root.
    fn quick(&self, href: &str) -> Option<String> {
        let octets = href.as_bytes();
        if octets.first() == Some(&b'/') && octets.get(1) != Some(&b'/') && !self.origin.is_empty()
        {
            return is_plain_path(octets).then(|| [self.origin.as_str(), href].concat());
        }
        origin_of_plain(href).map(|_| href.to_owned())
    }
}

/// Returns the origin of a URL in which the parser would change nothing.
fn origin_of_plain(url: &str) -> Option<&str> {
    let origin = plain_origin(url)?;
    let path = &url.as_bytes()[origin.len()..];
    (!path.is_empty() && is_plain_path(path)).then_some(origin)
}

/// Whether a link uses at most the scheme and host of its base: a path from the root, or an
/// absolute URL.
fn starts_at_root(href: &str) -> bool {
    let scheme = href.find("://").map(|end| &href.as_bytes()[..end]);
    href.starts_with(['/', '\\'])
        || scheme.is_some_and(|scheme| {
            scheme.first().is_some_and(u8::is_ascii_alphabetic)
                && scheme
                    .iter()
                    .all(|octet| octet.is_ascii_alphanumeric() || b"+-.".contains(octet))
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_long_base_gives_scheme_and_host_alone() {
        let base = Base::new(&format!("https://h.example/{}", "a/".repeat(LONGEST_URL)));
        let resolved = |href| base.resolve(href);
        assert_eq!(resolved("/x%20y"), Ok("https://h.example/x%20y".to_owned()));
        assert_eq!(resolved("//g.example"), Ok("https://g.example/".to_owned()));
        assert_eq!(resolved("http://g.example/ü"), Ok("http://g.example/%C3%BC".to_owned()));
        for href in ["x", "", "?q", "#f", "../x", "https:x", "x?u=https://g.example/"] {
            assert_eq!(resolved(href), Err(Unresolved::TooLong), "{href}");
        }
    }

    #[test]
    fn a_url_has_a_longest_length() {
        let base = Base::new("https://h.example/");
        let room = LONGEST_URL - "https://h.example/".len();
        for (plain, length) in [("a", 1), ("ü", "%C3%BC".len())] {
            let most = plain.repeat(room / length);
            assert!(base.resolve(&most).is_ok());
            assert!(base.resolve(&format!("/{most}")).is_ok());
            let more = plain.repeat(room / length + 1);
            assert_eq!(base.resolve(&more), Err(Unresolved::TooLong));
            assert_eq!(base.resolve(&format!("/{more}")), Err(Unresolved::TooLong));
        }
        assert_eq!(base.resolve("http://"), Err(Unresolved::Invalid));
    }

    proptest! {
        /// The origin of a plain base is the parsed one.
        #[test]
        fn a_plain_base_agrees(base in "https?://([a-z0-9.:-]{0,6}|[a-c.-]{1,4}\\.[a-z]{1,2}(:[0-9]{1,4})?)(/|//|\\.|\\.\\.|[a-z0-9_~?# <|.:-]{0,3}){0,6}") {
            if let Some(origin) = origin_of_plain(&base) {
                let url = url_parser::parse(&base);
                prop_assert_eq!(Ok(origin), url.as_ref().map(|url| &url[..Position::BeforePath]));
                prop_assert_eq!(Ok(&*base), url.as_ref().map(Url::as_str));
            }
        }

        /// The quick path returns what the parser returns.
        #[test]
        fn the_quick_way_agrees(href in "(https?://)?([a-zA-Z0-9.:@-]{0,6}|[a-c.-]{1,4}\\.[a-z]{1,2}(:[0-9]{1,4})?|/)(/|//|\\.|\\.\\.|[a-z0-9_~!$&'()*+,;=:@%?# <|.-]{0,3}){0,6}") {
            for base in ["https://example.com/a/b", "http://h.example:8080/", "file:///x", "nothing"] {
                let base = Base::new(base);
                if let Some(quick) = base.quick(&href) {
                    let url = url_parser::parse(&base.written).ok();
                    let url = url.map_or_else(|| Url::parse(&href), |url| url.join(&href));
                    prop_assert_eq!(Ok(quick), url.map(String::from));
                }
            }
        }
    }
}
