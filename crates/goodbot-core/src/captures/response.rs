//! The block of a record as a plain HTTP response.
//!
//! Source: RFC 9112 sections 4, 5 and 6.

use memchr::memmem;

use super::head::{field, length, line};

/// The statuses whose responses have no content (RFC 9110 section 8.6).
const NO_CONTENT: [i16; 2] = [204, 304];
/// The statuses that come before a final one (RFC 9110 section 15.2).
const INTERIM: std::ops::Range<i16> = 100..200;
const END_OF_HEAD: &[u8] = b"\r\n\r\n";

/// A whole response, whose content came as it is.
pub(super) struct Response<'a> {
    pub(super) status: i16,
    /// The fields that matter, a line each.
    pub(super) headers: String,
    pub(super) body: &'a [u8],
}

/// Reads a response; `None` if it is odd, or an interim one, behind which the final one may be.
pub(super) fn response<'a>(block: &'a [u8], matter: &[String]) -> Option<Response<'a>> {
    let end = memmem::find(block, END_OF_HEAD)?;
    let (mut head, body) = (&block[..end + 2], &block[end + END_OF_HEAD.len()..]);
    let (first, behind) = line(head)?;
    let status = status(first.as_bytes()).filter(|status| !INTERIM.contains(status))?;
    head = behind;
    let mut headers = String::new();
    let mut stated = 0;
    while !head.is_empty() {
        let (text, behind) = line(head)?;
        head = behind;
        let (name, value) = field(text)?;
        match name.len() {
            14 if name.eq_ignore_ascii_case("content-length") => {
                stated = stated.max(length(value)?);
            }
            16 if name.eq_ignore_ascii_case("content-encoding") && !body.is_empty() => return None,
            17 if name.eq_ignore_ascii_case("transfer-encoding") => return None,
            _ => {}
        }
        if matter.iter().any(|one| one.eq_ignore_ascii_case(name)) {
            if !headers.is_empty() {
                headers.push('\n');
            }
            headers.extend(name.chars().map(|letter| letter.to_ascii_lowercase()));
            headers.push(':');
            headers.push_str(value);
        }
    }
    (body.len() >= stated || NO_CONTENT.contains(&status)).then_some(Response {
        status,
        headers,
        body,
    })
}

/// Returns the status of a status line.
fn status(line: &[u8]) -> Option<i16> {
    let rest = line.strip_prefix(b"HTTP/")?;
    let (major, mut rest) = rest.split_first()?;
    if let [b'.', minor, behind @ ..] = rest {
        rest = minor.is_ascii_digit().then_some(behind)?;
    }
    let code = rest.trim_ascii_start();
    let ([a, b, c], behind) = code.split_first_chunk::<3>()?;
    let is_plain = major.is_ascii_digit()
        && code.len() < rest.len()
        && [a, b, c].iter().all(|digit| digit.is_ascii_digit())
        && matches!(behind.first(), None | Some(b' ' | b'\t'));
    let digit = |byte: &u8| i16::from(byte - b'0');
    is_plain.then(|| digit(a) * 100 + digit(b) * 10 + digit(c))
}
