//! Which URL a line is about: scheme, host and target, of what its log says and the sites that it
//! belongs to.

use std::borrow::Cow;
use std::fmt::Write;

use super::entry::{Entry, Slot};

/// A site: `https` and `example.com`, or `http` and `example.com:8080`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site {
    /// `http` or `https`.
    pub scheme: String,
    /// The host in lower case, with its port unless it is the default one of the scheme.
    pub authority: String,
}

impl Site {
    /// Returns the port, also if it is the default one.
    fn port(&self) -> &str {
        match (without_port(&self.authority).1, self.scheme.as_str()) {
            ("", "https") => "443",
            ("", _) => "80",
            (port, _) => port,
        }
    }
}

/// The parts of a URL, as far as they are known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Asked<'l> {
    /// `http` or `https`; empty if it is not known.
    pub scheme: Cow<'l, str>,
    /// The host, with its port unless it is the default one; empty if it is not known.
    pub host: Cow<'l, str>,
    /// The target with its query.
    pub target: Cow<'l, str>,
}

/// The URL that a line is about. A log without hosts is about the first of the sites; a host of a log
/// is one of the sites, or another one.
pub(super) fn asked<'l>(entry: &Entry<'l>, sites: &'l [Site], ports: &[String]) -> Asked<'l> {
    let target = target(entry);
    let (scheme, host, target) = match absolute(&target) {
        Some((scheme, host, rest)) => (scheme, host, Cow::Owned(rest)),
        None => (scheme(entry), host(entry), target),
    };
    if host.is_empty() {
        let Some(site) = sites.first() else { return Asked { scheme, host, target } };
        let authority = Cow::Borrowed(site.authority.as_str());
        return Asked { scheme: Cow::Borrowed(&site.scheme), host: authority, target };
    }
    let (name, port) = without_port(&host);
    let listening = String::from_utf8_lossy(port_of(entry));
    if let Some(site) = site_of(sites, &scheme, (name, port), (&listening, ports)) {
        let authority = Cow::Borrowed(site.authority.as_str());
        return Asked { scheme: Cow::Borrowed(&site.scheme), host: authority, target };
    }
    let port = if port.is_empty() { &*listening } else { port };
    let scheme = match (&*scheme, port) {
        ("", "443") => "https".into(),
        ("", "80") => "http".into(),
        _ => scheme,
    };
    let is_default = matches!((&*scheme, port), (_, "") | ("http", "80") | ("https", "443"));
    let host = if is_default { name.to_owned() } else { format!("{name}:{port}") };
    Asked { scheme, host: host.into(), target }
}

/// Returns the site of a host. Each port is a site of its own (RFC 9309 section 2.3: robots.txt is
/// that of one scheme and authority), unless it is one at which the server listens behind a proxy. The
/// port of http may be that: a proxy that ends TLS mostly speaks to it, and where it does not, a site
/// that is named with https alone redirects from there.
fn site_of<'s>(
    sites: &'s [Site],
    scheme: &str,
    (name, port): (&str, &str),
    (listening, ports): (&str, &[String]),
) -> Option<&'s Site> {
    let fits = |site: &&Site| {
        without_port(&site.authority).0 == name
            && (scheme.is_empty() || site.scheme == scheme)
            && (port.is_empty() || site.port() == port)
    };
    let mut candidates = sites.iter().filter(fits);
    let is_behind_a_proxy = matches!(listening, "" | "80")
        || !port.is_empty()
        || ports.iter().any(|declared| declared == listening);
    (candidates.clone().find(|site| site.port() == listening))
        .or_else(|| is_behind_a_proxy.then(|| candidates.next()).flatten())
}

/// Returns the scheme of the request: a WebSocket begins with a request of HTTP (RFC 6455 section 3).
fn scheme<'l>(entry: &Entry<'l>) -> Cow<'l, str> {
    let scheme = lower(entry.text(Slot::Scheme).decoded());
    match &*scheme {
        "-" => "".into(),
        "ws" => "http".into(),
        "wss" => "https".into(),
        _ => scheme,
    }
}

fn port_of<'l>(entry: &Entry<'l>) -> &'l [u8] {
    let port = entry.text(Slot::Port);
    if port.is_absent() { b"" } else { port.written }
}

fn host<'l>(entry: &Entry<'l>) -> Cow<'l, str> {
    let host = entry.text(Slot::Host);
    if !host.is_absent() {
        return lower(host.decoded());
    }
    let either = entry.text(Slot::HostOrMachine);
    let is_host = either.written.contains(&b'.');
    if is_host { lower(either.decoded()) } else { Cow::Borrowed("") }
}

fn lower(text: Cow<'_, [u8]>) -> Cow<'_, str> {
    let text = lossy(text);
    if text.bytes().any(|byte| byte.is_ascii_uppercase()) {
        return Cow::Owned(text.to_ascii_lowercase());
    }
    text
}

/// Returns a text; bytes that are not UTF-8 are replaced.
pub(super) fn lossy(text: Cow<'_, [u8]>) -> Cow<'_, str> {
    match text {
        Cow::Borrowed(text) => String::from_utf8_lossy(text),
        Cow::Owned(text) => Cow::Owned(String::from_utf8_lossy(&text).into_owned()),
    }
}

/// Returns the target of a line with its query. Bytes that are not UTF-8 are percent-encoded, which
/// is another spelling of the same target (RFC 3986 section 2.1).
fn target<'l>(entry: &Entry<'l>) -> Cow<'l, str> {
    let target = encoded(entry.target().decoded());
    let query = entry.query();
    if query.is_absent() {
        return target;
    }
    Cow::Owned(format!("{target}?{}", encoded(query.decoded())))
}

fn encoded(text: Cow<'_, [u8]>) -> Cow<'_, str> {
    match text {
        Cow::Borrowed(text) if let Ok(text) = std::str::from_utf8(text) => Cow::Borrowed(text),
        text => Cow::Owned(percent_encoded(&text)),
    }
}

fn percent_encoded(text: &[u8]) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    for chunk in text.utf8_chunks() {
        out.push_str(chunk.valid());
        for byte in chunk.invalid() {
            // Writing into a text cannot fail.
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}

/// Returns scheme, host and the rest of a target in the absolute form (RFC 9112 section 3.2.2).
fn absolute(target: &str) -> Option<(Cow<'static, str>, Cow<'static, str>, String)> {
    let split = |prefix: &str| {
        let begin = target.get(..prefix.len())?;
        begin.eq_ignore_ascii_case(prefix).then(|| &target[prefix.len()..])
    };
    let (scheme, rest) = match split("https://") {
        Some(rest) => ("https", rest),
        None => ("http", split("http://")?),
    };
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let path = &rest[end..];
    let path = if path.starts_with('/') { path.to_owned() } else { format!("/{path}") };
    Some((scheme.into(), rest[..end].to_ascii_lowercase().into(), path))
}

/// Returns the host and the port of an authority; the port may be empty.
fn without_port(authority: &str) -> (&str, &str) {
    match authority.rsplit_once(':') {
        Some((host, port))
            if port.bytes().all(|byte| byte.is_ascii_digit())
                && (!host.contains(':') || host.ends_with(']')) =>
        {
            (host, port)
        }
        _ => (authority, ""),
    }
}

#[cfg(test)]
mod tests {
    use super::super::known::known;
    use super::*;

    fn sites() -> Vec<Site> {
        let site = |scheme: &str, authority: &str| Site {
            scheme: scheme.to_owned(),
            authority: authority.to_owned(),
        };
        vec![site("https", "example.com"), site("http", "shop.example:8080")]
    }

    fn url(format: &str, line: &str) -> String {
        url_behind(format, line, &[])
    }

    fn url_behind(format: &str, line: &str, ports: &[String]) -> String {
        let mut format = known(format).expect("a name").format().expect("well-formed");
        let entry = format.read(line.as_bytes()).expect("this form").expect("an entry");
        let sites = sites();
        let Asked { scheme, host, target } = asked(&entry, &sites, ports);
        format!("{scheme} {host} {target}")
    }

    #[test]
    fn hosts_of_a_log_belong_to_sites() {
        let rest = r#"192.0.2.1 - - [10/Oct/2000:13:55:36 -0700] "GET /a HTTP/1.1" 200 23"#;
        let with = |host: &str| url("common-with-host", &format!("{host} {rest}"));
        let with_port = |host: &str| url("common-with-host-and-port", &format!("{host} {rest}"));
        assert_eq!(url("common", rest), "https example.com /a");
        assert_eq!(with("EXAMPLE.com"), "https example.com /a");
        assert_eq!(with_port("example.com:443"), "https example.com /a");
        assert_eq!(with_port("example.com:80"), "https example.com /a");
        assert_eq!(with_port("example.com:8080"), " example.com:8080 /a");
        assert_eq!(with_port("shop.example:8080"), "http shop.example:8080 /a");
        assert_eq!(with_port("shop.example:3000"), " shop.example:3000 /a");
        assert_eq!(with_port("other.example:443"), "https other.example /a");
        assert_eq!(with_port("other.example:8443"), " other.example:8443 /a");
        assert_eq!(with("other.example"), " other.example /a");
    }

    #[test]
    fn a_declared_port_is_that_of_a_server_behind_a_proxy() {
        let rest = r#"192.0.2.1 - - [10/Oct/2000:13:55:36 -0700] "GET /a HTTP/1.1" 200 23"#;
        let ports = ["3000".to_owned()];
        let behind =
            |host: &str| url_behind("common-with-host-and-port", &format!("{host} {rest}"), &ports);
        assert_eq!(behind("example.com:3000"), "https example.com /a");
        assert_eq!(behind("shop.example:3000"), "http shop.example:8080 /a");
        assert_eq!(behind("example.com:8080"), " example.com:8080 /a");
        assert_eq!(behind("other.example:3000"), " other.example:3000 /a");
    }

    #[test]
    fn a_target_may_be_a_url() {
        let get = |target: &str| {
            let line = format!(
                r#"192.0.2.1 - - [10/Oct/2000:13:55:36 -0700] "GET {target} HTTP/1.1" 200 23"#
            );
            url("common", &line)
        };
        assert_eq!(get("HTTP://Example.com:80/a?b"), "http example.com /a?b");
        assert_eq!(get("https://EXAMPLE.com"), "https example.com /");
        assert_eq!(get("http://shop.example:8080?q"), "http shop.example:8080 /?q");
        assert_eq!(get(r"/\xff\xe2\x82\xacz"), "https example.com /%FF€z");
    }
}
