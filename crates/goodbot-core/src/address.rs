//! Addresses: the one place that parses whole URLs, both those asked about and those sent.
//!
//! The normal form of a URL is what browsers make of it (WHATWG URL Standard): dot segments are
//! resolved, the host is in ASCII and lower case, the default port is removed, and characters that are
//! invalid in a URL are escaped. Beyond that, escapes have one spelling: unreserved characters are
//! unescaped, and the remaining escapes have capital letters (RFC 3986 sections 6.2.2.1 and 6.2.2.2), so
//! that `/%7efred` and `/~fred` are one address. The fragment, the user name and the password are never
//! sent. Every other part of goodbot that needs the origin of a URL or the target of a reference uses
//! this module: if two parts parsed URLs differently, a site could lead the robot astray.

use std::borrow::Cow;
use std::fmt;

use url::{Position, Url, form_urlencoded};

use crate::named::named;
use crate::url_parser::{self, scheme_of, written};

/// The most bytes of a URL that comes from outside: a little over the 8,000 that senders and
/// recipients should support at least (RFC 9110 section 4.1).
pub const LONGEST_URL: usize = 8_192;

/// The most characters of a URL that a message quotes.
const LONGEST_QUOTE: usize = 200;

named! {
    /// Why a text is not an address.
    pub enum Fault {
        /// It has no scheme, or nothing between its `://` and its path.
        NotAbsolute = "not-absolute",
        /// Its scheme is neither http nor https.
        OtherScheme = "other-scheme",
        /// It cannot be parsed, or it is ambiguous.
        Malformed = "malformed",
        /// It has, or resolves to, more than [`LONGEST_URL`] bytes.
        TooLong = "too-long",
    }
}

/// An http or https address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    /// Scheme, host and port.
    pub origin: String,
    /// The URL in its normal form, without fragment, user name and password.
    pub url: String,
}

impl Address {
    /// Returns the address with its escapes in the usual spelling.
    fn with_usual_escapes(mut self) -> Address {
        if self.url.contains('%') {
            self.url = usual_escapes(&self.url);
        }
        self
    }
}

/// Returns a URL with its escapes in the usual spelling: an unreserved byte has none (RFC 3986 section
/// 6.2.2.2), and the others have upper-case digits (section 6.2.2.1). A `%` that does not begin an
/// escape stays, and never comes to begin one: `%2%35` is not `%25`.
pub(crate) fn usual_escapes(url: &str) -> String {
    let mut usual = String::with_capacity(url.len());
    let mut rest = url;
    // How many more digits would complete an escape after a `%` that does not begin one.
    let mut open = 0;
    while !rest.is_empty() {
        let (plain, escape) = rest.split_at(rest.find('%').unwrap_or(rest.len()));
        let are_digits = plain.len() <= open && plain.bytes().all(|one| one.is_ascii_hexdigit());
        open = if are_digits { open - plain.len() } else { 0 };
        usual.push_str(plain);
        let length = match escaped_byte(escape) {
            Some(byte) if is_unreserved(byte) && !(open > 0 && byte.is_ascii_hexdigit()) => {
                usual.push(char::from(byte));
                3
            }
            Some(_) => {
                usual.extend(escape[..3].chars().map(|one| one.to_ascii_uppercase()));
                3
            }
            None => {
                usual.push_str(&escape[..escape.len().min(1)]);
                1
            }
        };
        open = if length == 1 { 2 } else { 0 };
        rest = escape.get(length..).unwrap_or_default();
    }
    usual
}

/// Returns the byte that an escape at the beginning of a text stands for.
fn escaped_byte(text: &str) -> Option<u8> {
    let [b'%', high, low, ..] = text.as_bytes() else { return None };
    let digit = |byte: u8| char::from(byte).to_digit(16);
    u8::try_from(digit(*high)? << 4 | digit(*low)?).ok()
}

/// Whether a byte is unreserved (RFC 3986 section 2.3).
fn is_unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~".contains(&byte)
}

/// Parses a whole URL as a person or a page writes it: spaces around it are removed, backslashes become
/// slashes, and characters that are invalid in a URL are escaped (URL Standard, "basic URL parser").
///
/// `http:a.example` is refused. Browsers read it as `http://a.example`, or as a path of the page if
/// there is a base, so two readers may go to two places.
///
/// # Errors
///
/// Why it is not an address.
pub fn address(url: &str) -> Result<Address, Fault> {
    as_written(url).map(Address::with_usual_escapes)
}

/// Parses a whole URL as [`address`] does, but leaves its escapes as they are written.
///
/// # Errors
///
/// Why it is not an address.
pub fn as_written(url: &str) -> Result<Address, Fault> {
    match plain(url) {
        Some(plain) => Ok(plain),
        None => sent(absolute(url, is_of_web)?),
    }
}

/// Parses a whole URL as [`address`] does. Returns with it the URL with its escapes as they are written,
/// if that differs.
///
/// # Errors
///
/// Why it is not an address.
pub fn in_both_spellings(url: &str) -> Result<(Address, Option<String>), Fault> {
    let written = as_written(url)?;
    if !written.url.contains('%') {
        return Ok((written, None));
    }
    let usual = usual_escapes(&written.url);
    let Address { origin, url } = written;
    let other = (url != usual).then_some(url);
    Ok((Address { origin, url: usual }, other))
}

/// Resolves a reference from a protocol element, such as Location.
///
/// It is parsed strictly: a space, a control character or a backslash, which readers interpret
/// differently, makes it malformed (RFC 3986 section 2), and a reference with a scheme or an authority
/// is not relative (section 5.2.2). With a base, the reference and the URL it resolves to may each have
/// at most [`LONGEST_URL`] bytes.
///
/// # Errors
///
/// Why it does not resolve to an address.
pub fn resolve(base: Option<&str>, reference: &str) -> Result<Address, Fault> {
    resolve_as_written(base, reference).map(Address::with_usual_escapes)
}

/// Resolves a reference as [`resolve`] does, but leaves its escapes as they are written.
///
/// # Errors
///
/// Why it does not resolve to an address.
pub fn resolve_as_written(base: Option<&str>, reference: &str) -> Result<Address, Fault> {
    if scheme_of(reference).is_some_and(|scheme| !is_of_web(scheme)) {
        return Err(Fault::OtherScheme);
    }
    if reference.bytes().any(is_ambiguous) {
        return Err(Fault::Malformed);
    }
    let Some(base) = base else {
        return as_written(reference);
    };
    if reference.len() > LONGEST_URL {
        return Err(Fault::TooLong);
    }
    let address = sent(joined(base, reference)?)?;
    if address.url.len() > LONGEST_URL { Err(Fault::TooLong) } else { Ok(address) }
}

/// Returns a reference in ASCII: other bytes are escaped as they came, since some senders use UTF-8
/// and others ISO 8859-1 (RFC 3986 section 2.1).
#[must_use]
pub fn escaped(reference: &[u8]) -> String {
    let mut text = String::with_capacity(reference.len());
    for &byte in reference {
        if byte.is_ascii() {
            text.push(char::from(byte));
        } else {
            text.extend(['%', HEX[usize::from(byte >> 4)], HEX[usize::from(byte & 15)]]);
        }
    }
    text
}

const HEX: [char; 16] =
    ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'A', 'B', 'C', 'D', 'E', 'F'];

/// Returns the URL that was probably meant by one with backslashes, or with fewer or more than two
/// slashes, after `http:`.
#[must_use]
pub fn meant_by(url: &str) -> Option<String> {
    let written = url.trim();
    let scheme = scheme_of(written).filter(|scheme| is_of_web(scheme))?;
    let rest = written[scheme.len() + 1..].trim_start_matches(['/', '\\']);
    if rest.contains(char::is_whitespace) || rest.starts_with(['?', '#']) {
        return None;
    }
    let meant = format!("{}://{}", scheme.to_ascii_lowercase(), rest.replace('\\', "/"));
    address(&meant).is_ok().then_some(meant)
}

/// Returns the names and values of a form in a query; text that is not UTF-8 has U+FFFD.
///
/// Source: URL Standard, section 5.1 (application/x-www-form-urlencoded parsing).
#[must_use]
pub fn form_pairs(query: &[u8]) -> Vec<(Cow<'_, str>, Cow<'_, str>)> {
    form_urlencoded::parse(query).collect()
}

/// Why a URL has no origin, or why robots.txt does not apply to its origin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UrlError {
    /// It is not an absolute URL.
    NotAbsolute(String),
    /// Its scheme is not one that robots.txt covers.
    Scheme(String),
}

impl fmt::Display for UrlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            UrlError::NotAbsolute(url) => {
                let meant = meant_by(url);
                let cure = meant.as_deref().unwrap_or("one such as https://example.com/page");
                let url = shortened(url);
                write!(f, "{url:?} is not an absolute URL with a host; write {}", shortened(cure))
            }
            UrlError::Scheme(scheme) => write!(
                f,
                "URLs of the scheme {:?} have no robots.txt; only http, https and ftp do",
                shortened(scheme)
            ),
        }
    }
}

impl std::error::Error for UrlError {}

/// Returns the origin of a URL: scheme, host and port, without the default port (RFC 9309 section 2.3).
///
/// # Errors
///
/// When the URL is not absolute, or robots.txt does not cover its scheme.
pub fn origin(url: &[u8]) -> Result<String, UrlError> {
    let text = String::from_utf8_lossy(url);
    match absolute(&text, is_of_robots) {
        Ok(url) => Ok(url.origin().ascii_serialization()),
        Err(Fault::OtherScheme) => {
            let scheme = scheme_of(&written(&text)).unwrap_or_default().to_ascii_lowercase();
            Err(UrlError::Scheme(scheme))
        }
        Err(_) => Err(UrlError::NotAbsolute(text.into_owned())),
    }
}

/// Returns the URL of the robots.txt that governs a URL (RFC 9309 section 2.3).
///
/// # Errors
///
/// The same as for [`origin`].
pub fn robots_txt_url(url: &[u8]) -> Result<String, UrlError> {
    origin(url).map(|origin| origin + "/robots.txt")
}

/// Returns the origin that a URL begins with, if it is evident without parsing: a scheme of the web, and a
/// usual host or IPv4 address, perhaps with a port, in the normal form.
///
/// What is behind it begins with `/`, or is nothing.
#[must_use]
pub fn plain_origin(url: &str) -> Option<&str> {
    let behind = url.strip_prefix("http")?;
    let (behind, usual_port) = match behind.strip_prefix("://") {
        Some(behind) => (behind, 80),
        None => (behind.strip_prefix("s://")?, 443),
    };
    let end = memchr::memchr(b'/', behind.as_bytes()).unwrap_or(behind.len());
    let authority = &behind.as_bytes()[..end];
    let (host, port) = match memchr::memchr(b':', authority) {
        Some(colon) => (&authority[..colon], Some(&authority[colon + 1..])),
        None => (authority, None),
    };
    let is_plain_port = |port| decimal(port, u16::MAX).is_some_and(|port| port != usual_port);
    let is_plain = port.is_none_or(is_plain_port) && (is_usual_host(host) || is_ipv4(host));
    is_plain.then(|| &url[..url.len() - behind.len() + end])
}

/// Whether a host is an IPv4 address as the URL Standard writes it: four numbers of at most 255.
fn is_ipv4(host: &[u8]) -> bool {
    let mut parts = host.split(|byte| *byte == b'.');
    let is_byte = |part: Option<&[u8]>| part.is_some_and(|part| decimal(part, 255).is_some());
    (0..4).all(|_| is_byte(parts.next())) && parts.next().is_none()
}

/// Returns the number that decimal digits are, without leading zeros, if it is not too large.
fn decimal(digits: &[u8], most: u16) -> Option<u16> {
    let is_written_so = matches!(digits, [b'0'] | [b'1'..=b'9', ..]) && digits.len() <= 5;
    let number = digits.iter().try_fold(0_u32, |number, digit| {
        digit.is_ascii_digit().then(|| number * 10 + u32::from(digit - b'0'))
    });
    u16::try_from(number.filter(|_| is_written_so)?).ok().filter(|number| *number <= most)
}

/// Whether a path, possibly with query and fragment, contains only bytes that need no encoding, and
/// no segment that begins with a dot.
pub(crate) fn is_plain_path(path: &[u8]) -> bool {
    path.iter().all(|byte| PLAIN[usize::from(*byte)]) && memchr::memmem::find(path, b"/.").is_none()
}

/// The bytes that no part of a URL behind its host needs to encode.
const PLAIN: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0_u8;
    while byte < 128 {
        table[byte as usize] = byte.is_ascii_alphanumeric();
        byte += 1;
    }
    let others = b"/-_~!$&()*+,;=:@?#.";
    let mut place = 0;
    while place < others.len() {
        table[others[place] as usize] = true;
        place += 1;
    }
    table
};

/// Returns the address of a URL in which the parser would change nothing but remove the fragment.
fn plain(url: &str) -> Option<Address> {
    let origin = plain_origin(url)?;
    let behind = &url.as_bytes()[origin.len()..];
    if behind.is_empty() || !is_plain_path(behind) {
        return None;
    }
    let end = memchr::memchr(b'#', behind).map_or(url.len(), |end| origin.len() + end);
    Some(Address { origin: origin.to_owned(), url: url[..end].to_owned() })
}

/// Whether a host is what the URL Standard writes for it: labels of lower-case letters and digits that
/// are neither a number (which may be an address) nor encoded (which may be invalid).
pub(crate) fn is_usual_host(host: &[u8]) -> bool {
    let mut start = true;
    let mut last = 0;
    for (place, byte) in host.iter().enumerate() {
        match byte {
            b'a'..=b'z' | b'0'..=b'9' => start = false,
            // `xn--` begins an encoded label.
            b'-' if !start && host[place - 1] != b'-' => {}
            b'_' if !start => {}
            b'.' if !start => (start, last) = (true, place + 1),
            _ => return false,
        }
    }
    !start && host[last].is_ascii_lowercase() && host.len() <= LONGEST_HOST
}

/// The most bytes of a host name (RFC 1035 section 2.3.4).
const LONGEST_HOST: usize = 253;

/// Whether there is nothing between `://` and the path: browsers then read the beginning of the
/// path as a host.
#[inline]
pub(crate) fn has_no_host(behind: &[u8]) -> bool {
    matches!(behind.first(), None | Some(b'/' | b'?' | b'#' | b'\\'))
}

fn is_of_web(scheme: &str) -> bool {
    ["http", "https"].iter().any(|known| scheme.eq_ignore_ascii_case(known))
}

/// Whether robots.txt applies to a scheme: RFC 9309 section 2.3 names http, https and ftp.
fn is_of_robots(scheme: &str) -> bool {
    is_of_web(scheme) || scheme.eq_ignore_ascii_case("ftp")
}

/// Whether URL parsers differ on a byte: some remove it, some escape it, some stop there.
fn is_ambiguous(byte: u8) -> bool {
    byte <= b' ' || byte == 0x7F || byte == b'\\'
}

/// Parses a URL that has a host and a covered scheme.
fn absolute(url: &str, is_covered: fn(&str) -> bool) -> Result<Url, Fault> {
    let url = written(url);
    let scheme = scheme_of(&url).ok_or(Fault::NotAbsolute)?;
    if !is_covered(scheme) {
        return Err(Fault::OtherScheme);
    }
    let behind = url[scheme.len() + 1..].strip_prefix("//");
    if behind.is_none_or(|behind| has_no_host(behind.as_bytes())) {
        return Err(Fault::NotAbsolute);
    }
    url_parser::parse(&url).map_err(|_| Fault::Malformed)
}

/// Joins a reference to a base (RFC 3986 section 5.2.2).
fn joined(base: &str, reference: &str) -> Result<Url, Fault> {
    if scheme_of(reference).is_some() {
        return absolute(reference, is_of_web);
    }
    let base = absolute(base, is_of_web)?;
    if reference.starts_with("//") {
        return absolute(&format!("{}:{reference}", base.scheme()), is_of_web);
    }
    url_parser::join(&base, reference).map_err(|_| Fault::Malformed)
}

/// Returns the address of a URL: the part of it that is sent.
fn sent(mut url: Url) -> Result<Address, Fault> {
    url.set_fragment(None);
    // In a path a backslash is a slash. In a query the URL Standard leaves it as it is, although it is
    // invalid in a URL (RFC 3986 section 2) and readers differ on it.
    if let Some(query) = url.query().filter(|query| query.contains('\\')) {
        let escaped = query.replace('\\', "%5C");
        url.set_query(Some(&escaped));
    }
    // A link must not make a robot log in.
    url.set_username("").and_then(|()| url.set_password(None)).map_err(|()| Fault::Malformed)?;
    Ok(Address { origin: url[..Position::BeforePath].to_owned(), url: url.into() })
}

fn shortened(text: &str) -> String {
    text.chars().take(LONGEST_QUOTE).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn origins_are_scheme_host_and_port() {
        for (url, expected) in [
            ("https://Example.COM:443/a", "https://example.com"),
            ("http://example.com:8001", "http://example.com:8001"),
            ("http://user:p@example.com/a", "http://example.com"),
            ("https://bücher.example/a", "https://xn--bcher-kva.example"),
            ("http://[::1]:80/", "http://[::1]"),
            ("ftp://example.com:21/", "ftp://example.com"),
            ("\n http://a.example/", "http://a.example"),
        ] {
            assert_eq!(origin(url.as_bytes()).as_deref(), Ok(expected), "{url}");
        }
        for url in [
            "",
            "/a",
            "example.com",
            "mailto:a@b.example",
            "http://",
            "http:///a",
            "http://\\a",
            "https:a",
            "//a/b",
        ] {
            assert!(origin(url.as_bytes()).is_err(), "{url}");
        }
    }

    #[test]
    fn an_error_names_the_url_that_is_meant() {
        for (url, expected) in [
            ("http:a.example/x", Some("http://a.example/x")),
            (" HTTPS:\\\\a.example\\x", Some("https://a.example/x")),
            ("https:lamps", Some("https://lamps")),
            ("http:", None),
            ("http:?q", None),
            ("http://a.example:99999/", None),
            ("http:a b", None),
            ("/x", None),
            ("ftp:x", None),
        ] {
            assert_eq!(meant_by(url).as_deref(), expected, "{url}");
        }
        let message = origin(b"http:a.example/x").map_err(|error| error.to_string());
        let expected =
            "\"http:a.example/x\" is not an absolute URL with a host; write http://a.example/x";
        assert_eq!(message, Err(expected.to_owned()));
    }

    #[test]
    fn escapes_are_written_in_one_way() {
        for (path, expected) in [
            ("%7efred", "~fred"),
            ("%62?%41=%2d%2e", "b?A=-."),
            ("a%2fb%3a%c3%a9", "a%2Fb%3A%C3%A9"),
            ("%2%35", "%2%35"),
            ("%%32%35", "%%325"),
            ("%2", "%2"),
            ("100%", "100%"),
            ("%2541", "%2541"),
            ("%2%7e%35", "%2~5"),
            ("%g%41", "%gA"),
        ] {
            let url = format!("http://a.example/{path}");
            let found = address(&url).map(|found| found.url);
            assert_eq!(found, Ok(format!("http://a.example/{expected}")), "{path}");
            assert_eq!(as_written(&url).map(|found| found.url), Ok(url));
        }
    }

    #[test]
    fn a_backslash_in_a_query_is_escaped() {
        let found = address("http://a.example\\b?c\\d%5C#e\\f").map(|found| found.url);
        assert_eq!(found.as_deref(), Ok("http://a.example/b?c%5Cd%5C"));
    }

    #[test]
    fn what_others_wrote_has_a_longest_length() {
        let base = "https://h.example/";
        let room = LONGEST_URL - base.len();
        for (plain, length) in [("a", 1), ("é", "%C3%A9".len())] {
            let most = plain.repeat(room / length);
            assert!(resolve(Some(base), &most).is_ok());
            let more = plain.repeat(room / length + 1);
            assert_eq!(resolve(Some(base), &more), Err(Fault::TooLong));
            assert!(address(&format!("{base}{more}")).is_ok());
        }
    }

    const PARTS: &str = "(https?:|ftp:|mailto:|HTTP:)?(//|/|\\\\)?(u:p@|@)?([a-z.]{0,4}|\\[::1\\]|é)(:80|:443|:9|:x)?\
                         (/|//|\\\\|\\.|\\.\\.|%2e|%2F|[a-z0-9_~!$&'()*+,;=:@%?#<| ^`\"\t-]{0,3}|é){0,6}";

    #[test]
    fn an_origin_is_plain_if_no_parser_changes_it() {
        for (url, expected) in [
            ("https://a.example", Some("https://a.example")),
            ("http://a.example/b/c", Some("http://a.example")),
            ("https://3.a-b.example/", Some("https://3.a-b.example")),
            ("https://A.example/", None),
            ("https://a.example:8080/", Some("https://a.example:8080")),
            ("https://192.0.2.1/", Some("https://192.0.2.1")),
            ("http://192.0.2.1:443/b", Some("http://192.0.2.1:443")),
            ("https://a.example:443/", None),
            ("http://a.example:80/", None),
            ("http://a.example:080/", None),
            ("http://a.example:65536/", None),
            ("http://a.example:/", None),
            ("http://192.0.2.256/", None),
            ("http://192.0.02.1/", None),
            ("http://192.0.2/", None),
            ("http://192.0.2.1./", None),
            ("https://a.0x1/", None),
            ("https://xn--bcher-kva.example/", None),
            ("https://a.example?/", None),
            ("https:///a", None),
            ("ftp://a.example/", None),
        ] {
            assert_eq!(plain_origin(url), expected, "{url}");
        }
    }

    /// Returns a URL with its escapes in the usual spelling, one character after the other.
    fn usual_escapes_plainly(url: &str) -> String {
        let mut usual = String::with_capacity(url.len());
        let mut rest = url;
        // How many more bytes would complete an escape after a `%` that does not begin one.
        let mut open = 0;
        while let Some(first) = rest.chars().next() {
            let (piece, behind) = match escaped_byte_plainly(rest) {
                Some(byte) if is_unreserved(byte) && !(open > 0 && byte.is_ascii_hexdigit()) => {
                    (char::from(byte).to_string(), &rest[3..])
                }
                Some(_) => (rest[..3].to_ascii_uppercase(), &rest[3..]),
                None => (first.to_string(), &rest[first.len_utf8()..]),
            };
            open = match piece.as_str() {
                "%" => 2,
                digit
                    if open > 0 && digit.len() == 1 && digit.as_bytes()[0].is_ascii_hexdigit() =>
                {
                    open - 1
                }
                _ => 0,
            };
            usual.push_str(&piece);
            rest = behind;
        }
        usual
    }

    fn escaped_byte_plainly(text: &str) -> Option<u8> {
        let digits = text.strip_prefix('%')?.get(..2)?;
        let are_digits = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        u8::from_str_radix(digits, 16).ok().filter(|_| are_digits)
    }

    proptest! {
        #[test]
        fn a_plain_origin_is_the_parsed_one(
            url in "https?://(([a-c]|xn?-{0,2}|[0-2.-]){0,9}|[0-9.x]{1,8}|[0-3]{0,3}(\\.[0-3]{0,3}){3})(:[0-9x]{0,6}|:80|:443)?(/[a/.?#:@]{0,5})?",
        ) {
            if let Some(plain) = plain_origin(&url) {
                prop_assert_eq!(origin(url.as_bytes()), Ok(plain.to_owned()));
            }
        }

        /// What is read without a parser is what the parser returns.
        #[test]
        fn a_plain_address_is_the_parsed_one(
            url in "https?://([a-c]{1,3}\\.[a-z-]{1,3}|127\\.0\\.0\\.1)(:[0-9]{1,4})?(/|//|\\.|\\.\\.|[a-z0-9_~!$&'()*+,;=:@%?# <|.-]{0,3}){0,6}",
        ) {
            if let Some(plain) = plain(&url) {
                prop_assert_eq!(Ok(plain), absolute(&url, is_of_web).and_then(sent));
            }
        }

        #[test]
        fn escapes_have_one_spelling(text in "(%|[0-9a-fA-F]|%[0-9a-fA-F]{2}|%25|%2e|g|/|é|\\+){0,12}") {
            prop_assert_eq!(usual_escapes(&text), usual_escapes_plainly(&text));
        }

        #[test]
        fn both_spellings_are_those_of_two_readings(url in PARTS) {
            let found = in_both_spellings(&url);
            let sent = address(&url);
            prop_assert_eq!(found.clone().map(|one| one.0), sent.clone());
            let written = as_written(&url).map(|one| one.url).ok();
            let other = written.filter(|one| sent.is_ok_and(|sent| sent.url != *one));
            prop_assert_eq!(found.ok().and_then(|one| one.1), other);
        }

        /// A normal form is its own normal form, whichever function parses it.
        #[test]
        fn an_address_is_its_own_address(url in PARTS) {
            let Ok(found) = address(&url) else { return Ok(()) };
            prop_assert_eq!(address(&found.url), Ok(found.clone()));
            prop_assert_eq!(resolve(None, &found.url), Ok(found.clone()));
            prop_assert_eq!(resolve(Some("https://other.example/a"), &found.url), Ok(found.clone()));
            prop_assert_eq!(origin(url.as_bytes()), Ok(found.origin.clone()));
            prop_assert_eq!(origin(found.url.as_bytes()), Ok(found.origin.clone()));
            prop_assert!(found.url.bytes().all(|byte| byte.is_ascii_graphic()));
            prop_assert!(!found.url.contains('#') && found.url.starts_with(&found.origin));
        }

        /// Strict parsing refuses more than lenient parsing, but never resolves to a different URL.
        #[test]
        fn the_strict_reading_leads_nowhere_else(url in PARTS) {
            if let Ok(found) = resolve(None, &url) {
                prop_assert_eq!(address(&url), Ok(found));
            }
        }
    }
}
