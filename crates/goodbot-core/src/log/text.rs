//! The text of a field, and the escapes in which its server wrote it.

use std::borrow::Cow;

use memchr::{memchr, memmem};

/// How a server escapes what it writes into a field.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Escapes {
    /// Not at all.
    #[default]
    None,
    /// With backslashes, as Apache (`\"`, `\n`, `\xhh`) and nginx (`\xHH`) do.
    Backslash,
    /// As a string of JSON (RFC 8259 section 7).
    Json,
    /// With percent signs, once more than the client sent: CloudFront writes `%` as `%25`.
    Percent,
    /// The same, perhaps twice: CloudFront wrote a space of a User-Agent as `%2520` for years.
    PercentTwice,
    /// With a plus sign instead of a space: IIS (W3C extended log file format).
    Plus,
    /// With two quotation marks for one (W3C WD-logfile-960323, "string").
    DoubledQuotes,
    /// With percent signs, within a string of JSON.
    JsonPercent,
    /// The same, where a space may be a plus sign, as in forms.
    JsonForm,
    /// With a backslash before quotation marks alone, as gunicorn does.
    Quotes,
    /// With a number sign before two digits, as HAProxy does (`#22`).
    Hash,
}

impl Escapes {
    /// How many kinds there are.
    pub const COUNT: usize = Escapes::Hash as usize + 1;
}

/// The text of a field, as written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Text<'l> {
    /// The bytes as written.
    pub written: &'l [u8],
    /// How they are escaped.
    pub escapes: Escapes,
}

impl<'l> Text<'l> {
    /// Returns whether there is nothing: an empty text, or the hyphen that stands for it.
    #[must_use]
    pub fn is_absent(self) -> bool {
        matches!(self.written, b"" | b"-")
    }

    /// Returns the bytes without escapes. An escape that is no escape stands for itself.
    #[must_use]
    pub fn decoded(self) -> Cow<'l, [u8]> {
        let mark = match self.escapes {
            Escapes::None => return Cow::Borrowed(self.written),
            Escapes::Backslash | Escapes::Json | Escapes::Quotes => b'\\',
            Escapes::Hash => b'#',
            Escapes::Percent | Escapes::PercentTwice => b'%',
            Escapes::Plus => b'+',
            Escapes::DoubledQuotes => b'"',
            Escapes::JsonPercent | Escapes::JsonForm => return Cow::Owned(self.twice_decoded()),
        };
        let Some(first) = memchr(mark, self.written) else { return Cow::Borrowed(self.written) };
        let once = self.replaced(first, mark);
        // A User-Agent has spaces, which are written in one of the two ways.
        if self.escapes == Escapes::PercentTwice
            && !once.contains(&b' ')
            && memmem::find(&once, b"%20").is_some()
        {
            return Cow::Owned(
                Text { written: &once, escapes: Escapes::Percent }.replaced(0, mark),
            );
        }
        Cow::Owned(once)
    }

    /// Returns a text of JSON without its percent signs. A plus sign is a space only where no space is
    /// written in another way.
    fn twice_decoded(self) -> Vec<u8> {
        let mut text = Text { escapes: Escapes::Json, ..self }.decoded().into_owned();
        if self.escapes == Escapes::JsonForm && memmem::find(&text, b"%20").is_none() {
            text.iter_mut().filter(|byte| **byte == b'+').for_each(|byte| *byte = b' ');
        }
        Text { written: &text, escapes: Escapes::Percent }.decoded().into_owned()
    }

    fn replaced(self, first: usize, mark: u8) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.written.len());
        out.extend_from_slice(&self.written[..first]);
        let mut rest = &self.written[first..];
        while let Some((&byte, after)) = rest.split_first() {
            rest = after;
            if byte != mark {
                out.push(byte);
                continue;
            }
            rest = match self.escapes {
                Escapes::Backslash => backslash(after, &mut out),
                Escapes::Json => json(after, &mut out),
                Escapes::Percent | Escapes::PercentTwice | Escapes::Hash => {
                    digits_behind(mark, after, &mut out)
                }
                Escapes::Quotes => {
                    if after.first() != Some(&b'"') {
                        out.push(b'\\');
                    }
                    after
                }
                Escapes::DoubledQuotes => {
                    out.push(b'"');
                    after.strip_prefix(b"\"").unwrap_or(after)
                }
                _ => {
                    // Robots name their pages as `(+http://…)`, and nobody writes a space before them.
                    let is_plus = after.starts_with(b"http") && out.ends_with(b"(");
                    let is_second = after.starts_with(b"http") && out.ends_with(b"; ");
                    out.push(if is_plus || is_second { b'+' } else { b' ' });
                    after
                }
            };
        }
        out
    }
}

fn hex(pair: Option<&[u8]>) -> Option<u8> {
    let digits = pair.filter(|pair| pair.iter().all(u8::is_ascii_hexdigit))?;
    u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

/// Appends what an escape with a backslash stands for. Returns what follows it.
fn backslash<'l>(after: &'l [u8], out: &mut Vec<u8>) -> &'l [u8] {
    let plain = match after.first() {
        Some(b'x') => {
            if let Some(byte) = hex(after.get(1..3)) {
                out.push(byte);
                return &after[3..];
            }
            None
        }
        Some(b'n') => Some(b'\n'),
        Some(b'r') => Some(b'\r'),
        Some(b't') => Some(b'\t'),
        Some(b'v') => Some(0x0b),
        Some(b'f') => Some(0x0c),
        Some(b'b') => Some(0x08),
        Some(byte @ (b'"' | b'\\')) => Some(*byte),
        _ => None,
    };
    if let Some(byte) = plain {
        out.push(byte);
        return &after[1..];
    }
    out.push(b'\\');
    after
}

/// Appends what an escape of JSON stands for, surrogates included. Returns what follows it.
fn json<'l>(after: &'l [u8], out: &mut Vec<u8>) -> &'l [u8] {
    if after.first() != Some(&b'u') {
        if after.first() == Some(&b'/') {
            out.push(b'/');
            return &after[1..];
        }
        return backslash(after, out);
    }
    let Some(unit) = unit(after.get(1..5)) else {
        out.push(b'\\');
        return after;
    };
    let (point, used) = match low_surrogate(unit, &after[5..]) {
        Some(low) => (0x1_0000 + ((unit - 0xd800) << 10) + (low - 0xdc00), 11),
        None => (unit, 5),
    };
    let character = char::from_u32(point).unwrap_or(char::REPLACEMENT_CHARACTER);
    out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
    &after[used..]
}

fn unit(digits: Option<&[u8]>) -> Option<u32> {
    let high = hex(digits.and_then(|digits| digits.get(..2)))?;
    let low = hex(digits.and_then(|digits| digits.get(2..4)))?;
    Some(u32::from(high) << 8 | u32::from(low))
}

fn low_surrogate(high: u32, after: &[u8]) -> Option<u32> {
    if !(0xd800..0xdc00).contains(&high) || !after.starts_with(b"\\u") {
        return None;
    }
    unit(after.get(2..6)).filter(|low| (0xdc00..0xe000).contains(low))
}

/// Appends what two digits behind a mark stand for. Returns what follows them.
fn digits_behind<'l>(mark: u8, after: &'l [u8], out: &mut Vec<u8>) -> &'l [u8] {
    if let Some(byte) = hex(after.get(..2)) {
        out.push(byte);
        return &after[2..];
    }
    out.push(mark);
    after
}

/// Returns how many bytes of what follows a backslash are an escape as Apache and nginx write them;
/// `None` if it is none.
pub(super) fn is_known_escape(after: &[u8]) -> Option<usize> {
    match after.first()? {
        b'"' | b'\\' | b'n' | b'r' | b't' | b'v' | b'f' | b'b' => Some(1),
        b'x' => hex(after.get(1..3)).map(|_| 3),
        _ => None,
    }
}

/// Returns the field that ends with a space, and what follows it.
#[inline]
pub(super) fn before_space(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = memchr(b' ', line)?;
    Some((&line[..end], &line[end + 1..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(written: &str, escapes: Escapes) -> String {
        let text = Text { written: written.as_bytes(), escapes };
        String::from_utf8(text.decoded().into_owned()).expect("UTF-8")
    }

    #[test]
    fn each_server_writes_its_own_escapes() {
        assert_eq!(decoded(r#"a\"b\x41\\n\q"#, Escapes::Backslash), r#"a"bA\n\q"#);
        assert_eq!(decoded(r"\x4", Escapes::Backslash), r"\x4");
        assert_eq!(decoded(r"a\/é😀", Escapes::Json), "a/é😀");
        assert_eq!(decoded(r"\ud83dx \u00", Escapes::Json), "\u{fffd}x \\u00");
        assert_eq!(decoded("a%20b%2", Escapes::Percent), "a b%2");
        assert_eq!(decoded("a%2520b%20c", Escapes::Percent), "a%20b c");
        assert_eq!(decoded("a%2520b%2522", Escapes::PercentTwice), "a b\"");
        assert_eq!(decoded("a%20b%2520", Escapes::PercentTwice), "a b%20");
        assert_eq!(decoded("a+b", Escapes::Plus), "a b");
        assert_eq!(decoded(r#"a ""b"" c""#, Escapes::DoubledQuotes), r#"a "b" c""#);
        assert_eq!(decoded(r"a\x41", Escapes::None), r"a\x41");
        assert_eq!(decoded(r#"a\"b\\"c\x41\"#, Escapes::Quotes), r#"a"b\"c\x41\"#);
        assert_eq!(decoded("a#22b#2322#C3#A9#", Escapes::Hash), "a\"b#22é#");
    }
}
