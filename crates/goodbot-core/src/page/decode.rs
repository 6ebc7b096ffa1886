//! Decodes bytes to text: determines the encoding of a page and what declares it.

use std::borrow::Cow;

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};

use crate::named::named;

/// How many bytes are searched for a META that declares the encoding (HTML 13.2.3.2: "the first
/// 1024 bytes").
const PRESCANNED: usize = 1_024;

named! {
    /// What declares an encoding.
    pub enum Declared {
        /// A byte order mark.
        ByteOrderMark = "byte order mark",
        /// The `Content-Type` field.
        Header = "Content-Type",
        /// A META element.
        Meta = "META",
        /// Nothing; the bytes are UTF-8.
        Nobody = "nobody",
        /// Nothing; the bytes are not UTF-8, and are read as windows-1252 (HTML 13.2.3.2).
        Fallback = "fallback",
    }
}

/// A page as text.
#[derive(Debug)]
pub struct Decoded {
    /// The text.
    pub text: String,
    /// The name of the encoding.
    pub encoding: &'static str,
    /// What declared it.
    pub declared: Declared,
    /// Whether some bytes are not valid in the encoding.
    pub broken: bool,
    /// A label in the header or META that is not the name of an encoding.
    pub unknown: Option<String>,
    /// Whether the header and META declare different encodings.
    pub contradicted: bool,
}

/// Decodes a page. `header` is the charset of the `Content-Type` field.
///
/// The order of precedence is that of HTML 13.2.3.2: byte order mark, header, META.
#[must_use]
pub fn decode(octets: &[u8], header: Option<&str>) -> Decoded {
    let mut unknown = None;
    let mut known = |label: &str| {
        let found = Encoding::for_label_no_replacement(label.trim().as_bytes());
        if found.is_none() {
            unknown = Some(label.trim().chars().take(60).collect());
        }
        found
    };
    let of_header = header.and_then(&mut known);
    let label = prescan(&octets[..octets.len().min(PRESCANNED)]);
    let of_meta = label.and_then(|label| known(&label)).map(mended);
    let contradicted = matches!((of_header, of_meta), (Some(a), Some(b)) if a != b);
    let mut valid = None;
    let (encoding, declared) = match (Encoding::for_bom(octets), of_header, of_meta) {
        (Some((encoding, _)), _, _) => (encoding, Declared::ByteOrderMark),
        (_, Some(encoding), _) => (encoding, Declared::Header),
        (_, _, Some(encoding)) => (encoding, Declared::Meta),
        _ => {
            valid = std::str::from_utf8(octets).ok();
            valid.map_or((WINDOWS_1252, Declared::Fallback), |_| (UTF_8, Declared::Nobody))
        }
    };
    let (text, broken) = match valid {
        Some(text) => (Cow::Borrowed(text), false),
        None => encoding.decode_with_bom_removal(octets),
    };
    Decoded {
        text: text.into_owned(),
        encoding: encoding.name(),
        declared,
        broken,
        unknown,
        contradicted,
    }
}

/// Replaces UTF-16 with UTF-8: a META that could be read as ASCII cannot be UTF-16 (HTML 13.2.3.2,
/// prescan, step 13).
fn mended(encoding: &'static Encoding) -> &'static Encoding {
    if encoding == UTF_16LE || encoding == UTF_16BE { UTF_8 } else { encoding }
}

/// Returns the label of the first META that has one (HTML 13.2.3.2, "prescan a byte stream").
fn prescan(octets: &[u8]) -> Option<String> {
    let mut at = 0;
    while let Some(found) = memchr::memchr(b'<', &octets[at..]) {
        let rest = &octets[at + found..];
        if rest.starts_with(b"<!--") {
            // The dashes that open a comment may also close it.
            let end = memchr::memmem::find(&rest[2..], b"-->").map(|end| end + 5)?;
            at += found + end;
            continue;
        }
        let end = memchr::memchr(b'>', rest).unwrap_or(rest.len());
        let name = rest.get(1..5).unwrap_or_default();
        let is_meta = name.eq_ignore_ascii_case(b"meta")
            && rest.get(5).is_some_and(|octet| octet.is_ascii_whitespace() || *octet == b'/');
        if is_meta && let Some(label) = label_of(&String::from_utf8_lossy(&rest[5..end])) {
            return Some(label);
        }
        at += found + end.max(1);
    }
    None
}

/// Returns the label in the attributes of a META: `charset`, or the charset in `content` if there
/// is an `http-equiv`.
fn label_of(attributes: &str) -> Option<String> {
    let value = |name: &str| attribute(attributes, name);
    if let Some(label) = value("charset") {
        return Some(label);
    }
    let pragma = value("http-equiv")?;
    let content = value("content").filter(|_| pragma.eq_ignore_ascii_case("content-type"))?;
    let lower = content.to_ascii_lowercase();
    let at = lower.find("charset")? + "charset".len();
    let label = content[at..].trim_start().strip_prefix('=')?.trim_start();
    let label = label.trim_start_matches(['"', '\'']);
    let end = label.find(|c: char| c.is_ascii_whitespace() || "\"';".contains(c));
    Some(label[..end.unwrap_or(label.len())].to_owned())
}

/// Returns the value of an attribute in the text of a tag.
fn attribute(text: &str, wanted: &str) -> Option<String> {
    let mut rest = text;
    loop {
        rest = rest.trim_start_matches(|c: char| c.is_ascii_whitespace() || c == '/');
        if rest.is_empty() {
            return None;
        }
        let end = rest.find(|c: char| c.is_ascii_whitespace() || "=/".contains(c));
        let (name, behind) = rest.split_at(end.unwrap_or(rest.len()));
        let (value, behind) = value_of(behind.trim_start());
        if name.eq_ignore_ascii_case(wanted) {
            return Some(value.to_owned());
        }
        // A lone `=` is skipped.
        rest = if behind.len() == rest.len() { &rest[1..] } else { behind };
    }
}

fn value_of(text: &str) -> (&str, &str) {
    let Some(text) = text.strip_prefix('=').map(str::trim_start) else { return ("", text) };
    if let Some(quote) = text.chars().next().filter(|c| "\"'".contains(*c)) {
        let inner = &text[1..];
        let end = inner.find(quote).unwrap_or(inner.len());
        return (&inner[..end], inner.get(end + 1..).unwrap_or_default());
    }
    let end = text.find(|c: char| c.is_ascii_whitespace()).unwrap_or(text.len());
    text.split_at(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encodings_are_taken_in_the_order_of_the_standard() {
        let of = |octets: &[u8], header: Option<&str>| {
            let decoded = decode(octets, header);
            (decoded.encoding, decoded.declared)
        };
        assert_eq!(of(b"a", None), ("UTF-8", Declared::Nobody));
        assert_eq!(of(b"\xE9", None), ("windows-1252", Declared::Fallback));
        assert_eq!(of(b"\xEF\xBB\xBFa", Some("latin1")), ("UTF-8", Declared::ByteOrderMark));
        assert_eq!(of(b"\xFF\xFEa\0", None), ("UTF-16LE", Declared::ByteOrderMark));
        assert_eq!(of(b"<meta charset=koi8-r>", Some("utf-8")), ("UTF-8", Declared::Header));
        assert_eq!(of(b"<meta charset='koi8-r'>", Some("nonsense")), ("KOI8-R", Declared::Meta));
        assert_eq!(of(b"<!--<meta charset=big5>--><meta charset=\"utf-16\">", None).0, "UTF-8");
        let pragma = b"<META HTTP-EQUIV=Content-Type CONTENT='text/html; charset=Shift_JIS'>";
        assert_eq!(of(pragma, None), ("Shift_JIS", Declared::Meta));
    }

    #[test]
    fn odd_attributes_end() {
        for text in ["=", "= =", "a==b", "charset", "charset=", "charset='", "/ / x"] {
            let _ = label_of(text);
        }
        assert_eq!(label_of(" charset='a"), Some("a".to_owned()));
        assert_eq!(decode(b"<meta charset=", None).encoding, "UTF-8");
    }
}
