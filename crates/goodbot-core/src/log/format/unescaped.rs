//! Logs of servers that escape little or nothing: a field may have the quotation marks that end it.
//!
//! What a client sends must not decide how its line is read, so each line is read from the left, with the
//! shortest request and the shortest Referer, and a User-Agent that ends with the line. A line that can
//! also be read in another way says so.
//!
//! Source: the default formats of aiohttp 3.14 (`aiohttp.web_log`), Hypercorn 0.18 (`access_log_format`)
//! and gunicorn 27.0 (`access_log_format`: only quotation marks are escaped), as they write them.

use memchr::{memchr, memmem, memrchr};

use super::super::client_address::is_address;
use super::super::entry::{Fields, Reading, Refused, Slot};
use super::super::text::{Escapes, Text, before_space};

/// A server that escapes nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::log) enum Unescaped {
    Aiohttp,
    Hypercorn,
}

/// What stands behind the time.
pub(super) struct Parts<'l> {
    pub(super) request: &'l [u8],
    pub(super) status: &'l [u8],
    pub(super) bytes: &'l [u8],
    pub(super) referer: &'l [u8],
    pub(super) agent: &'l [u8],
    /// Whether the line can be read in no other way.
    pub(super) is_only: bool,
}

impl Unescaped {
    pub(in crate::log) fn read<'l>(
        self,
        line: &'l [u8],
        fields: &mut Fields<'l>,
    ) -> Result<(), Refused> {
        let (rest, is_end): (_, fn(&[u8]) -> bool) = match self {
            Unescaped::Aiohttp => (aiohttp_sender(line, fields), ends_with_http),
            Unescaped::Hypercorn => (hypercorn_sender(line, fields), ends_with_number),
        };
        let rest = rest.and_then(|rest| rest.strip_prefix(b"[")).ok_or(Refused::Form)?;
        let end = memmem::find(rest, b"] \"").ok_or(Refused::Form)?;
        let found = parts(&rest[end + 3..], is_end, Escapes::None).ok_or(Refused::Form)?;
        let request = found.request;
        if self == Unescaped::Hypercorn {
            // `GET /a 1.1`: the path is decoded, and has no query.
            let (method, rest) = before_space(request).ok_or(Refused::Form)?;
            let path = memrchr(b' ', rest).map_or(rest, |space| &rest[..space]);
            put(fields, &[(Slot::Method, method), (Slot::Path, path)], Escapes::None);
        } else {
            put(fields, &[(Slot::Request, request)], Escapes::None);
        }
        put(fields, &[(Slot::Time, &rest[..end])], Escapes::None);
        found.put(fields, Escapes::None);
        Ok(())
    }
}

impl<'l> Parts<'l> {
    /// Puts everything but the request.
    pub(super) fn put(&self, fields: &mut Fields<'l>, escapes: Escapes) {
        let pairs = [
            (Slot::Status, self.status),
            (Slot::Bytes, self.bytes),
            (Slot::Referer, self.referer),
            (Slot::UserAgent, self.agent),
        ];
        put(fields, &pairs, escapes);
        if !self.is_only {
            fields.read_as(Reading::Several);
        }
    }
}

fn put<'l>(fields: &mut Fields<'l>, pairs: &[(Slot, &'l [u8])], escapes: Escapes) {
    for (slot, written) in pairs {
        fields.put(*slot, Text { written, escapes });
    }
}

/// Reads `192.0.2.1 `; returns the rest.
fn aiohttp_sender<'l>(line: &'l [u8], fields: &mut Fields<'l>) -> Option<&'l [u8]> {
    let (address, rest) = before_space(line)?;
    (address == b"-" || is_address(address)).then_some(())?;
    put(fields, &[(Slot::Address, address)], Escapes::None);
    Some(rest)
}

/// Reads `192.0.2.1:4711 - - `; returns the rest.
fn hypercorn_sender<'l>(line: &'l [u8], fields: &mut Fields<'l>) -> Option<&'l [u8]> {
    let (address, rest) = before_space(line)?;
    put(fields, &[(Slot::AddressAndPort, address)], Escapes::None);
    rest.strip_prefix(b"- - ")
}

/// Whether a request ends as a request line does.
pub(super) fn ends_with_http(request: &[u8]) -> bool {
    let version = memrchr(b' ', request).map_or(&b""[..], |space| &request[space + 1..]);
    version.strip_prefix(b"HTTP/").is_some_and(is_version)
}

/// Whether a request ends with the number of a version of HTTP.
fn ends_with_number(request: &[u8]) -> bool {
    memrchr(b' ', request).is_some_and(|space| is_version(&request[space + 1..]))
}

fn is_version(text: &[u8]) -> bool {
    matches!(text, [b'0'..=b'9'] | [b'0'..=b'9', b'.', b'0'..=b'9'])
}

/// Returns the parts of what follows the quotation mark before the request; the line ends with the
/// User-Agent. With `Escapes::Quotes`, a quotation mark behind a backslash is one of the text.
pub(super) fn parts(rest: &[u8], is_end: fn(&[u8]) -> bool, escapes: Escapes) -> Option<Parts<'_>> {
    let rest = rest.strip_suffix(b"\"")?;
    let is_free =
        |text: &[u8], end: usize| escapes != Escapes::Quotes || end == 0 || text[end - 1] != b'\\';
    let mut ends = memmem::find_iter(rest, b"\" ").filter_map(|end| {
        let numbers = numbers(&rest[end + 2..])?;
        (is_free(rest, end) && is_end(&rest[..end])).then_some((end, numbers))
    });
    let (end, (status, bytes, behind)) = ends.next()?;
    let is_only = ends.next().is_none();
    let mut marks = memmem::find_iter(behind, b"\" \"");
    let mut free = memmem::find_iter(behind, b"\" \"").filter(|mark| is_free(behind, *mark));
    let (mark, is_only_mark) = match free.next() {
        Some(mark) => (mark, free.next().is_none()),
        None => (marks.next()?, marks.next().is_none()),
    };
    Some(Parts {
        request: &rest[..end],
        status,
        bytes,
        referer: &behind[..mark],
        agent: &behind[mark + 3..],
        is_only: is_only && is_only_mark,
    })
}

/// Returns status and size, and what follows the quotation mark behind them.
fn numbers(text: &[u8]) -> Option<(&[u8], &[u8], &[u8])> {
    let (status, rest) = text.split_at_checked(3)?;
    let rest = rest.strip_prefix(b" ")?;
    let (bytes, rest) = rest.split_at(memchr(b' ', rest.get(..20).unwrap_or(rest))?);
    let is_number = |text: &[u8]| !text.is_empty() && text.iter().all(u8::is_ascii_digit);
    let behind = rest.strip_prefix(b" \"")?;
    (is_number(status) && (bytes == b"-" || is_number(bytes))).then_some((status, bytes, behind))
}
