//! The characters of texts, attributes and tags.

use std::collections::HashMap;

use markup5ever::data::NAMED_ENTITIES;

/// A start tag as it is written.
#[derive(Debug)]
pub(super) struct Tag<'s> {
    pub(super) name: &'s str,
    /// Its attributes: name, value as written.
    pub(super) attributes: Vec<(&'s str, &'s str)>,
    pub(super) is_empty: bool,
    /// How long it is.
    pub(super) length: usize,
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}

/// Reads the start tag that a text begins with; nothing if it is broken off.
pub(super) fn tag(text: &str) -> Option<Tag<'_>> {
    let bytes = text.as_bytes();
    let name_ends = |from: usize| {
        let ends = |byte: &u8| is_space(*byte) || matches!(byte, b'=' | b'>' | b'/');
        bytes[from..].iter().position(ends).map(|length| from + length)
    };
    let mut at = name_ends(1)?;
    let name = &text[1..at];
    let mut attributes = Vec::new();
    loop {
        at += bytes[at..].iter().position(|byte| !is_space(*byte))?;
        match bytes[at] {
            b'>' => return Some(Tag { name, attributes, is_empty: false, length: at + 1 }),
            b'/' => {
                let length = at + 2;
                let ends = bytes.get(at + 1) == Some(&b'>');
                return ends.then_some(Tag { name, attributes, is_empty: true, length });
            }
            _ => {
                let end = name_ends(at)?;
                let quote = end + memchr::memchr2(b'"', b'\'', &bytes[end..])?;
                let length = memchr::memchr(bytes[quote], &bytes[quote + 1..])?;
                attributes.push((&text[at..end], &text[quote + 1..quote + 1 + length]));
                at = quote + length + 2;
            }
        }
    }
}

/// How long the document type is that a text begins with, and where comments and instructions stand in
/// it; as far as it goes, if it is broken off.
pub(super) fn doctype(text: &str) -> (usize, Vec<(usize, usize)>) {
    let bytes = text.as_bytes();
    let (mut at, mut inner, mut in_subset) = (2, Vec::new(), false);
    while let Some(found) =
        bytes[at..].iter().position(|byte| matches!(byte, b'"' | b'\'' | b'<' | b'[' | b']' | b'>'))
    {
        at += found;
        let rest = &bytes[at..];
        let behind = |end: &[u8], from: usize| {
            let found = memchr::memmem::find(rest.get(from..)?, end)?;
            Some(at + from + found + end.len())
        };
        let next = match rest[0] {
            quote @ (b'"' | b'\'') => behind(&[quote], 1),
            b'<' if rest.starts_with(b"<!--") => behind(b"-->", 4),
            b'<' if rest.starts_with(b"<?") => behind(b"?>", 2),
            b'>' if !in_subset => return (at + 1, inner),
            byte => {
                in_subset = byte == b'[' || (in_subset && byte != b']');
                Some(at + 1)
            }
        };
        let Some(next) = next else { break };
        if rest[0] == b'<' && next > at + 1 {
            inner.push((at, next));
        }
        at = next;
    }
    (text.len(), inner)
}

/// Appends text as written with its references replaced: those that XML and HTML name.
pub(super) fn append_text(written: &str, text: &mut String) {
    let mut rest = written;
    while let Some(at) = memchr::memchr2(b'&', b'\r', rest.as_bytes()) {
        text.push_str(&rest[..at]);
        rest = &rest[at..];
        rest = if let Some(behind) = rest.strip_prefix('\r') {
            text.push('\n');
            behind.strip_prefix('\n').unwrap_or(behind)
        } else {
            let Some((name, behind)) = reference(rest) else { return };
            if let Some(character) = character(name) {
                text.push(character);
            } else if let Some((first, second)) = NAMED_ENTITIES.get(&rest[1..name.len() + 2]) {
                let codes = [*first, *second].into_iter().filter(|code| *code != 0);
                text.extend(codes.filter_map(char::from_u32));
            }
            behind
        };
    }
    text.push_str(rest);
}

/// The value of an attribute (XML 1.0 section 3.3.3).
pub(super) fn value(written: &str, entities: &HashMap<String, String>, is_tokens: bool) -> String {
    let mut value = String::with_capacity(written.len());
    let mut rest = written;
    while let Some(at) = rest.bytes().position(|byte| matches!(byte, b'&' | b'\t' | b'\n' | b'\r'))
    {
        value.push_str(&rest[..at]);
        rest = &rest[at..];
        rest = if rest.starts_with('&') {
            let Some((name, behind)) = reference(rest) else { break };
            if let Some(character) = character(name) {
                value.push(character);
            } else if let Some(text) = entities.get(name) {
                value.extend(
                    text.chars().map(|one| if one.is_ascii_whitespace() { ' ' } else { one }),
                );
            }
            behind
        } else {
            value.push(' ');
            rest.strip_prefix("\r\n").unwrap_or(&rest[1..])
        };
    }
    value.push_str(rest);
    if is_tokens {
        value = value.split(' ').filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
    }
    value
}

/// The name of the reference that a text begins with, and what stands behind it.
fn reference(text: &str) -> Option<(&str, &str)> {
    let end = memchr::memchr(b';', text.as_bytes())?;
    Some((&text[1..end], &text[end + 1..]))
}

/// The character of a numeric reference, or of a name that XML has (XML 1.0 sections 4.1, 4.6).
fn character(name: &str) -> Option<char> {
    match name {
        "lt" => Some('<'),
        "gt" => Some('>'),
        "amp" => Some('&'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        _ => {
            let number = name.strip_prefix('#')?;
            let code = match number.strip_prefix('x') {
                Some(hex) => u32::from_str_radix(hex, 16),
                None => number.parse(),
            };
            char::from_u32(code.ok()?)
        }
    }
}

/// A text with line ends as LF alone (XML 1.0 section 2.11).
pub(super) fn line_feeds(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\r', "\n")
}

/// Where elements stand deeper than a limit, if they do; as far as the text is well-formed.
pub(super) fn deeper_than(text: &str, most: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let (mut at, mut depth) = (0, 0_usize);
    while let Some(found) = memchr::memchr(b'<', &bytes[at..]) {
        at += found;
        let rest = &text[at..];
        let behind = |end: &str| {
            memchr::memmem::find(rest.as_bytes(), end.as_bytes()).map(|found| found + end.len())
        };
        at += if rest.starts_with("<!--") {
            behind("-->")?
        } else if rest.starts_with("<![CDATA[") {
            behind("]]>")?
        } else if rest.starts_with("<?") {
            behind("?>")?
        } else if rest.starts_with("<!") {
            doctype(rest).0
        } else if rest.starts_with("</") {
            depth = depth.saturating_sub(1);
            behind(">")?
        } else {
            let tag = tag(rest)?;
            if depth == most {
                return Some(at);
            }
            depth += usize::from(!tag.is_empty);
            tag.length
        };
    }
    None
}
