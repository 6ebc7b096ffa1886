//! The base of a page, and what its links resolve to.

use url::{Position, Url};

/// The URL that links are resolved against.
pub struct Base {
    url: Option<Url>,
    /// Its scheme, host and port, if it is of the Web.
    origin: String,
}

impl Base {
    /// Reads a URL; against one that cannot be read, only whole URLs resolve.
    #[must_use]
    pub fn new(base: &str) -> Base {
        let url = Url::parse(base).ok();
        let of_web = url.as_ref().filter(|url| matches!(url.scheme(), "http" | "https"));
        let origin = of_web.map_or("", |url| &url[..Position::BeforePath]).to_owned();
        Base { url, origin }
    }

    /// Where a link leads (URL Standard, "basic URL parser"); nothing, if it leads nowhere.
    #[must_use]
    pub fn resolve(&self, href: &str) -> Option<String> {
        if let Some(quick) = self.quick(href) {
            return Some(quick);
        }
        match &self.url {
            Some(base) => base.join(href).ok().map(String::from),
            None => Url::parse(href).ok().map(String::from),
        }
    }

    /// The common cases, in which the parser would change nothing: a plain URL of the Web, and a plain
    /// path from the root on.
    fn quick(&self, href: &str) -> Option<String> {
        let octets = href.as_bytes();
        if octets.first() == Some(&b'/') && octets.get(1) != Some(&b'/') && !self.origin.is_empty()
        {
            return is_plain_path(octets).then(|| [self.origin.as_str(), href].concat());
        }
        let behind =
            octets.strip_prefix(b"https://").or_else(|| octets.strip_prefix(b"http://"))?;
        let slash = memchr::memchr(b'/', behind)?;
        let (host, path) = behind.split_at(slash);
        (is_plain_host(host) && is_plain_path(path)).then(|| href.to_owned())
    }
}

/// A name in lower case whose last label is letters alone: no number, no port, nothing to decode.
fn is_plain_host(host: &[u8]) -> bool {
    let last = host.rsplit(|octet| *octet == b'.').next().unwrap_or_default();
    let plain = |octet: &u8| octet.is_ascii_lowercase() || octet.is_ascii_digit() || *octet == b'.';
    host.iter().all(plain)
        && !last.is_empty()
        && last.iter().all(u8::is_ascii_lowercase)
        && !host.starts_with(b".")
        && memchr::memmem::find(host, b"..").is_none()
}

/// A path, perhaps with query and fragment, of octets that stand for themselves everywhere in it, and
/// without a segment of dots.
fn is_plain_path(path: &[u8]) -> bool {
    let plain =
        |octet: &u8| octet.is_ascii_alphanumeric() || b"/-_~!$&()*+,;=:@?#.".contains(octet);
    path.iter().all(plain) && memchr::memmem::find(path, b"/.").is_none()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// The quick way gives what the parser gives.
        #[test]
        fn the_quick_way_agrees(href in "(https?://)?([a-zA-Z0-9.:@-]{0,6}|/)(/|//|\\.|\\.\\.|[a-z0-9_~!$&'()*+,;=:@%?# <|.-]{0,3}){0,6}") {
            for base in ["https://example.com/a/b", "http://h.example:8080/", "file:///x", "nothing"] {
                let base = Base::new(base);
                if let Some(quick) = base.quick(&href) {
                    let url = base.url.as_ref().map_or_else(|| Url::parse(&href), |url| url.join(&href));
                    prop_assert_eq!(Ok(quick), url.map(String::from));
                }
            }
        }
    }
}
