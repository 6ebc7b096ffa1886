//! The head of a WARC record, and what it is a capture of.
//!
//! Source: WARC 1.1 sections 4, 5.4 and 5.5.

use memchr::memchr;

use crate::address;
use crate::log::instant;
use crate::token::is_token_byte;

/// The longest head that is read here.
const MOST_HEAD: usize = 32 * 1024;
const VERSIONS: [&[u8]; 2] = [b"WARC/1.0\r\n", b"WARC/1.1\r\n"];
/// What is behind a block.
const END: &[u8] = b"\r\n\r\n";
/// How many digits a length has at most.
pub(super) const LENGTH_DIGITS: usize = 15;
const DATE: &[u8] = b"0000-00-00T00:00:00";
/// How many digits of a fraction of a second there may be (WARC 1.1 section 5.4).
const FRACTION: std::ops::RangeInclusive<usize> = 1..=9;

/// A record that must be read by the other reader.
pub(super) struct Odd;

/// A record with what counts of its head.
#[derive(Default)]
pub(super) struct Record<'a> {
    kind: Option<&'a str>,
    url: Option<&'a str>,
    date: Option<&'a str>,
    length: Option<&'a str>,
    pub(super) digest: Option<&'a str>,
    pub(super) truncated: Option<&'a str>,
    pub(super) block: &'a [u8],
}

/// What a record is a capture of.
pub(super) struct Capture {
    /// The origin of a robots.txt; the URL of anything else.
    pub(super) key: String,
    pub(super) is_robots_txt: bool,
    /// When it was captured, in microseconds since 1970.
    pub(super) at: i64,
    pub(super) is_revisit: bool,
}

/// Reads a record that is alone in its member; `None` if it is odd.
pub(super) fn record(content: &[u8]) -> Option<Record<'_>> {
    let mut record = Record::default();
    let rest = read_fields(content, |name, value| record.set(name, value))?;
    record.block = block(rest, record.length?)?;
    Some(record)
}

/// Reads the fields of a record, and returns what is behind its head; `None` if that is odd.
pub(super) fn read_fields<'a>(
    content: &'a [u8],
    mut set: impl FnMut(&'a str, &'a str),
) -> Option<&'a [u8]> {
    let mut rest = VERSIONS.iter().find_map(|version| content.strip_prefix(*version))?;
    let whole = rest.len();
    loop {
        if whole - rest.len() > MOST_HEAD {
            return None;
        }
        let (line, behind) = line(rest)?;
        rest = behind;
        if line.is_empty() {
            return Some(rest);
        }
        let (name, value) = field(line)?;
        set(name, value);
    }
}

/// Returns the block that is behind a head and has a length; `None` if it does not end its member.
pub(super) fn block<'a>(rest: &'a [u8], stated: &str) -> Option<&'a [u8]> {
    let length = length(stated)?;
    let is_whole = rest.len() == length.checked_add(END.len())? && rest.ends_with(END);
    is_whole.then(|| &rest[..length])
}

impl<'a> Record<'a> {
    /// Keeps the first value of a field that counts.
    fn set(&mut self, name: &str, value: &'a str) {
        let place = match name.len() {
            9 if name.eq_ignore_ascii_case("WARC-Type") => &mut self.kind,
            9 if name.eq_ignore_ascii_case("WARC-Date") => &mut self.date,
            14 if name.eq_ignore_ascii_case("Content-Length") => &mut self.length,
            14 if name.eq_ignore_ascii_case("WARC-Truncated") => &mut self.truncated,
            15 if name.eq_ignore_ascii_case("WARC-Target-URI") => &mut self.url,
            19 if name.eq_ignore_ascii_case("WARC-Payload-Digest") => &mut self.digest,
            _ => return,
        };
        place.get_or_insert(value);
    }

    /// Returns what it is a capture of; `None` if it is neither a response nor a revisit of the web.
    pub(super) fn capture(&self) -> Result<Option<Capture>, Odd> {
        let kind = self.kind.unwrap_or_default();
        let is_revisit = kind.eq_ignore_ascii_case("revisit");
        if !is_revisit && !kind.eq_ignore_ascii_case("response") {
            return Ok(None);
        }
        let written = self.url.unwrap_or_default().trim_matches(['<', '>', ' ', '\t']);
        let Some((key, is_robots_txt)) = key(written) else { return Ok(None) };
        let at = time(self.date.unwrap_or_default().as_bytes()).ok_or(Odd)?;
        Ok(Some(Capture { key, is_robots_txt, at, is_revisit }))
    }
}

/// Returns the origin of a robots.txt, or the URL of anything else, and whether it is a robots.txt;
/// `None` if it is not an address.
fn key(url: &str) -> Option<(String, bool)> {
    if let Some(origin) = address::plain_origin(url)
        && &url[origin.len()..] == "/robots.txt"
    {
        return Some((origin.to_owned(), true));
    }
    let found = address::address(url).ok()?;
    let is_robots_txt = found.url.strip_prefix(&found.origin) == Some("/robots.txt");
    Some((if is_robots_txt { found.origin } else { found.url }, is_robots_txt))
}

/// Returns a date of the usual form, to the second or more precise, in microseconds since 1970.
fn time(date: &[u8]) -> Option<i64> {
    let is_same = |(digit, byte): (&u8, &u8)| match digit {
        b'0' => byte.is_ascii_digit(),
        other => other == byte,
    };
    let (seconds, behind) = date.split_at_checked(DATE.len())?;
    let is_rest_usual = match behind {
        [b'Z'] => true,
        [b'.', digits @ .., b'Z'] => {
            FRACTION.contains(&digits.len()) && digits.iter().all(u8::is_ascii_digit)
        }
        _ => false,
    };
    let is_usual = is_rest_usual && DATE.iter().zip(seconds).all(is_same);
    // Neither a year 0 nor a leap second, on which programs differ.
    (is_usual && !date.starts_with(b"0000") && &date[17..19] < b"60".as_slice())
        .then(|| instant(date))
        .flatten()
}

/// Returns a length of a few digits.
pub(super) fn length(text: &str) -> Option<usize> {
    let is_number = (1..=LENGTH_DIGITS).contains(&text.len());
    (is_number && text.bytes().all(|byte| byte.is_ascii_digit())).then(|| text.parse().ok())?
}

/// Returns the first line without its end, and what is behind it; `None` if it is odd: with another
/// end than CR LF, or with a control character or one beyond ASCII.
pub(super) fn line(data: &[u8]) -> Option<(&str, &[u8])> {
    let end = memchr(b'\n', data)?;
    let line = data[..end].strip_suffix(b"\r")?;
    let is_plain = line.iter().all(|byte| matches!(byte, b' '..=b'~' | b'\t'));
    if !is_plain {
        return None;
    }
    Some((std::str::from_utf8(line).ok()?, &data[end + 1..]))
}

/// Returns the name and the value of a field line; `None` if it is none, or continues another.
pub(super) fn field(line: &str) -> Option<(&str, &str)> {
    let (name, value) = line.split_once(':')?;
    (!name.is_empty() && name.bytes().all(is_token_byte))
        .then(|| (name, value.trim_matches([' ', '\t'])))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{address, key};

    proptest! {
        #[test]
        fn the_key_of_a_url_is_that_of_its_parser(
            url in "https?://([a-cA]|[0-2.-]|xn--|%4[19]|[:@]){1,9}(/(robots.txt|[a.%/]{1,4}))?[?#]?",
        ) {
            let slow = address::address(&url).ok().map(|found| {
                let robots_txt = address::robots_txt_url(found.url.as_bytes());
                let is_robots_txt = robots_txt.is_ok_and(|url| url == found.url);
                (if is_robots_txt { found.origin } else { found.url }, is_robots_txt)
            });
            prop_assert_eq!(key(&url), slow);
        }
    }
}
