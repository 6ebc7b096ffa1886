//! Recognises files that are evidently not a robots.txt: an error page, a compressed body, a path.
//!
//! The verdicts do not change: RFC 9309 section 2.2 accepts any bytes. The finding warns those who
//! would take the body of a failed fetch for permission.

use crate::dialects;

use super::finding::Code;
use super::line;
use super::parse::Parsed;
use super::spelling;

/// How many bytes are searched for signs that occur only at the beginning.
const BEGINNING: usize = 1_024;

/// The first bytes of compressed data and archives, and the format of each.
const COMPRESSED: [(&[u8], &str); 6] = [
    (b"\x1F\x8B", "gzip"),
    (b"\x28\xB5\x2F\xFD", "Zstandard"),
    (b"BZh", "bzip2"),
    (b"\xFD7zXZ", "xz"),
    (b"PK\x03\x04", "ZIP"),
    (b"%PDF", "PDF"),
];

/// Returns what the file looks like, if it does not look like a robots.txt.
pub(crate) fn of(text: &[u8], parsed: &Parsed) -> Option<(Code, String)> {
    let beginning = &text[..text.len().min(BEGINNING)];
    if let Some((_, name)) = COMPRESSED.iter().find(|(magic, _)| text.starts_with(magic)) {
        let message = format!("the file looks like {name} data, not robots.txt; unpack it first");
        return Some((Code::LooksCompressed, message));
    }
    if is_utf_16(beginning) {
        let message = "the file looks like UTF-16; convert it to UTF-8";
        return Some((Code::LooksLikeUtf16, message.to_owned()));
    }
    if looks_like_html(text) {
        let message =
            "the file looks like HTML, not robots.txt; check that it was fetched without an error";
        return Some((Code::LooksLikeHtml, message.to_owned()));
    }
    if looks_like_address(text) {
        let message = "the content looks like a path or URL; pass the content of the file instead";
        return Some((Code::LooksLikeAddress, message.to_owned()));
    }
    (parsed.records.is_empty() && has_text(&text[..parsed.reach.end])).then(|| {
        let message = "the file has text and no field of robots.txt: was it fetched without error?";
        (Code::NoKnownField, message.to_owned())
    })
}

/// Whether there is a UTF-16 byte order mark, or every other byte is a NUL.
fn is_utf_16(beginning: &[u8]) -> bool {
    let marked = beginning.starts_with(b"\xFF\xFE") || beginning.starts_with(b"\xFE\xFF");
    let nuls = |from: usize| beginning.iter().skip(from).step_by(2).filter(|octet| **octet == 0);
    let half = beginning.len() / 2;
    marked || (half > 4 && (nuls(0).count() * 10 > half * 9 || nuls(1).count() * 10 > half * 9))
}

/// Whether the first bytes after any white space begin an HTML page or another kind of XML.
fn looks_like_html(text: &[u8]) -> bool {
    let start = text[line::byte_order_mark(text)..].trim_ascii_start();
    let begins = |tag: &str| {
        start.get(..tag.len()).is_some_and(|head| head.eq_ignore_ascii_case(tag.as_bytes()))
    };
    ["<!doctype", "<html", "<head", "<body", "<!--", "<?xml", "<script", "<title", "<meta"]
        .into_iter()
        .any(begins)
}

/// The longest address that is recognised: the longest path in Linux.
const LONGEST_ADDRESS: usize = 4_096;

/// Whether the text is nothing but a path or a URL: one line without a field that is either a single
/// word with a dot or a slash in it, or the name of a text file.
pub(crate) fn looks_like_address(text: &[u8]) -> bool {
    let text = text.trim_ascii();
    let is_foreign = |octet: &u8| octet.is_ascii_control() || b"<>{}\"#".contains(octet);
    if text.len() > LONGEST_ADDRESS || text.iter().any(is_foreign) || is_field(text) {
        return false;
    }
    let is_one_word = !text.iter().any(u8::is_ascii_whitespace);
    let is_text_file = text.len() > 4 && text[text.len() - 4..].eq_ignore_ascii_case(b".txt");
    is_text_file || (is_one_word && text.iter().any(|octet| b"./\\".contains(octet)))
}

/// Whether the text begins like a line with a known field, in any dialect.
fn is_field(text: &[u8]) -> bool {
    let end = text.iter().position(|octet| *octet == b':' || line::is_space(*octet));
    let name = &text[..end.unwrap_or(text.len())];
    let spellings = [&dialects::RFC_9309, &dialects::GOOGLE];
    spellings.iter().any(|dialect| spelling::recognise(name, dialect).is_some())
}

/// Whether there is a line that is neither blank nor a comment.
fn has_text(text: &[u8]) -> bool {
    let lines = text.split(|octet| matches!(octet, b'\n' | b'\r'));
    lines.map(<[u8]>::trim_ascii).any(|line| !matches!(line, [] | [b'#', ..]))
}
