//! Lines: where each ends and what it contains. Meaning comes later.

use std::ops::Range;

use crate::dialect::{ByteOrderMark, Dialect, MissingColon, OverSize};
use crate::field::Field;

/// A line of a file, as positions in the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Line {
    /// Its content, without the line end.
    pub(crate) content: Range<usize>,
    /// Where the next line begins.
    pub(crate) next: usize,
}

/// Returns the line that begins at `at`. CR, LF and CRLF end a line (RFC 9309 section 2.2, NL).
#[inline]
pub(crate) fn line_at(text: &[u8], at: usize) -> Line {
    match memchr::memchr2(b'\n', b'\r', &text[at..]) {
        None => Line { content: at..text.len(), next: text.len() },
        Some(length) => {
            let end = at + length;
            Line { content: at..end, next: line_end(text, end) }
        }
    }
}

/// Returns where the next line begins, if a line ends at `end`.
#[inline]
pub(crate) fn line_end(text: &[u8], end: usize) -> usize {
    let is_pair = text[end] == b'\r' && text.get(end + 1) == Some(&b'\n');
    end + 1 + usize::from(is_pair)
}

/// Returns the content of the line that contains a byte.
pub(crate) fn around(text: &[u8], at: usize) -> Range<usize> {
    let start = memchr::memrchr2(b'\n', b'\r', &text[..at]).map_or(0, |end| end + 1);
    let end = memchr::memchr2(b'\n', b'\r', &text[at..]).map_or(text.len(), |length| at + length);
    start..end
}

/// Counts the bytes of a UTF-8 byte order mark at the beginning of the text.
///
/// Google's parser skips a whole or partial mark: no field name begins with one of its bytes
/// (google/robotstxt, `RobotsTxtParser::Parse`).
pub(crate) fn byte_order_mark(text: &[u8]) -> usize {
    text.iter().zip([0xEF, 0xBB, 0xBF]).take_while(|(octet, mark)| **octet == *mark).count()
}

/// Counts the bytes of a byte order mark that the dialect skips.
pub(crate) fn passed_over(text: &[u8], dialect: &Dialect) -> usize {
    match dialect.byte_order_mark {
        ByteOrderMark::Ignored => byte_order_mark(text),
        ByteOrderMark::Kept => 0,
    }
}

/// The content of a line, as positions in the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Content {
    /// Nothing but white space.
    Blank,
    /// Nothing but a comment, starting at its `#`.
    Comment(usize),
    /// A field name and its value; the name may be empty.
    Field { name: Range<usize>, value: Range<usize>, separator: Separator, comment: Option<usize> },
    /// Anything else.
    Other { text: Range<usize>, comment: Option<usize> },
}

/// What separates a field name from its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Separator {
    Colon,
    Space,
}

/// Whether a byte is white space within a line: RFC 9309 has space and tab; the vertical tab and
/// the form feed are white space to google/robotstxt (`StripAsciiWhitespace`) and to
/// WWW::RobotRules (`\s`).
pub(crate) fn is_space(octet: u8) -> bool {
    matches!(octet, b' ' | b'\t' | 0x0B | 0x0C)
}

/// Returns a range without the white space at its ends.
#[inline]
pub(crate) fn trim(text: &[u8], mut range: Range<usize>) -> Range<usize> {
    while range.start < range.end && is_space(text[range.start]) {
        range.start += 1;
    }
    while range.start < range.end && is_space(text[range.end - 1]) {
        range.end -= 1;
    }
    range
}

/// Returns the part of a value before its first NUL, without any NULs and white space at its beginning.
pub(crate) fn before_nul(text: &[u8], value: Range<usize>) -> Range<usize> {
    let is_padding = |octet: &u8| *octet == 0 || is_space(*octet);
    let padding = text[value.clone()].iter().take_while(|octet| is_padding(octet)).count();
    let start = value.start + padding;
    let length = memchr::memchr(0, &text[start..value.end]);
    trim(text, start..length.map_or(value.end, |length| start + length))
}

/// Parses the content of a line. `#` begins a comment wherever it is (RFC 9309 section 2.2.3;
/// Koster 1994: "the preceding space and the remainder of the line are discarded").
pub(crate) fn content_of(text: &[u8], range: Range<usize>, missing_colon: MissingColon) -> Content {
    let hash = memchr::memchr(b'#', &text[range.clone()]).map(|at| range.start + at);
    let body = trim(text, range.start..hash.unwrap_or(range.end));
    if body.is_empty() {
        return hash.map_or(Content::Blank, Content::Comment);
    }
    if let Some(at) = memchr::memchr(b':', &text[body.clone()]) {
        let colon = body.start + at;
        return Content::Field {
            name: trim(text, body.start..colon),
            value: trim(text, colon + 1..body.end),
            separator: Separator::Colon,
            comment: hash,
        };
    }
    match missing_colon {
        MissingColon::Accepted => two_words(text, body.clone(), hash),
        MissingColon::Rejected => None,
    }
    .unwrap_or(Content::Other { text: body, comment: hash })
}

/// Returns the value of a field, in a line whose content ends at `end`. A Comment goes "to EOLN" (Conner
/// 1996, Comment), so that a `#` and what follows it are part of it.
pub(crate) fn value_of(
    text: &[u8],
    field: Field,
    value: Range<usize>,
    end: usize,
    dialect: &Dialect,
) -> Range<usize> {
    let is_whole = field == Field::Comment && dialect.fields.has(field);
    if is_whole { trim(text, value.start..end) } else { value }
}

/// Reads a line of exactly two words as a field and its value (google/robotstxt, `GetKeyAndValueFrom`).
fn two_words(text: &[u8], body: Range<usize>, comment: Option<usize>) -> Option<Content> {
    let blank = |octet: &u8| matches!(octet, b' ' | b'\t');
    let name_end = body.start + text[body.clone()].iter().position(blank)?;
    let rest = &text[name_end..body.end];
    let blanks = rest.iter().take_while(|octet| blank(octet)).count();
    let value = name_end + blanks..body.end;
    // Other white space is removed only after the words are counted.
    if text[value.clone()].iter().any(blank) {
        return None;
    }
    Some(Content::Field {
        name: trim(text, body.start..name_end),
        value: trim(text, value),
        separator: Separator::Space,
        comment,
    })
}

/// How much of a file is parsed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Reach {
    /// Where parsing stops.
    pub(crate) end: usize,
    /// Whether the file is over the dialect's size limit.
    pub(crate) over: bool,
    /// Whether the limit leaves no whole line with any content, so that it is unknown what the file
    /// says. This never happens in a dialect that then allows everything or reads on.
    pub(crate) lost: bool,
}

impl Reach {
    /// Determines how far the dialect reads. A line that the limit cuts is dropped entirely: half
    /// of a `Disallow: /private` is a rule that the author never wrote.
    pub(crate) fn of(text: &[u8], dialect: &Dialect) -> Reach {
        let limit = dialect.size_limit as usize;
        let longest = if limit == 0 { MOST_OCTETS } else { limit.min(MOST_OCTETS) };
        if text.len() <= longest {
            return Reach::whole(text);
        }
        if dialect.over_size == OverSize::Keep && text.len() <= MOST_OCTETS {
            return Reach { over: true, ..Reach::whole(text) };
        }
        let end = match text[longest] {
            b'\n' | b'\r' => longest,
            _ => memchr::memrchr2(b'\n', b'\r', &text[..longest]).map_or(0, |at| at + 1),
        };
        let has_text = text[byte_order_mark(text).min(end)..end]
            .iter()
            .any(|octet| !matches!(octet, b'\n' | b'\r') && !is_space(*octet));
        let lost = !has_text && dialect.over_size != OverSize::AllowAll;
        Reach { end, over: true, lost }
    }

    /// Covers all of a text that is not too large.
    pub(crate) fn whole(text: &[u8]) -> Reach {
        Reach { end: text.len(), over: false, lost: false }
    }
}

/// The most bytes that any dialect reads, 128 MiB: line numbers are stored in 27 bits, and
/// positions in a text that escapes may triple are stored in 32.
pub(crate) const MOST_OCTETS: usize = (1 << 27) - 1;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialects;

    fn lines(text: &[u8]) -> Vec<&[u8]> {
        let (mut at, mut lines) = (0, Vec::new());
        while at < text.len() {
            let line = line_at(text, at);
            lines.push(&text[line.content.clone()]);
            at = line.next;
        }
        lines
    }

    #[test]
    fn every_line_end_ends_a_line() {
        assert_eq!(lines(b"a\nb\r\nc\rd\n\re"), [b"a", b"b", b"c", b"d", &b""[..], b"e"]);
        assert_eq!(lines(b"\r\r\n\n"), [b""; 3]);
    }

    #[test]
    fn content_is_taken_apart() {
        let of = |text: &[u8]| content_of(text, 0..text.len(), MissingColon::Accepted);
        assert_eq!(of(b" \t"), Content::Blank);
        assert_eq!(of(b"  # c"), Content::Comment(2));
        assert_eq!(
            of(b" Allow\t: /a # c"),
            Content::Field {
                name: 1..6,
                value: 9..11,
                separator: Separator::Colon,
                comment: Some(12)
            }
        );
        assert_eq!(
            of(b"Disallow /a"),
            Content::Field { name: 0..8, value: 9..11, separator: Separator::Space, comment: None }
        );
        // google/robotstxt counts words by spaces and tabs alone, before it removes the rest.
        assert_eq!(of(b"Disallow \x0b /a"), Content::Other { text: 0..13, comment: None });
        assert_eq!(
            of(b"Disallow\x0b /a"),
            Content::Field {
                name: 0..8,
                value: 10..12,
                separator: Separator::Space,
                comment: None
            }
        );
        assert_eq!(of(b"a b c"), Content::Other { text: 0..5, comment: None });
        assert_eq!(of(b"word"), Content::Other { text: 0..4, comment: None });
    }

    #[test]
    fn a_cut_line_is_dropped_whole() {
        let dialect = Dialect { size_limit: 12, ..dialects::RFC_9309 };
        assert_eq!(
            Reach::of(b"Allow: /a\nDisallow: /b\n", &dialect),
            Reach { end: 10, over: true, lost: false }
        );
        let reach = |text| Reach::of(text, &dialect);
        assert_eq!(reach(b"Disallow: /a\n"), Reach { end: 12, over: true, lost: false });
        assert_eq!(reach(b"Disallow: /abc\n"), Reach { end: 0, over: true, lost: true });
        assert_eq!(reach(b" \r\n\nDisallow: /abc\n"), Reach { end: 4, over: true, lost: true });
        assert_eq!(reach(b"Disallow: /a"), Reach { end: 12, over: false, lost: false });
    }
}
