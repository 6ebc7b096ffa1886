//! A request, as a line of a log has it.

use super::instant::{Micros, instant, states_zone};
use super::text::{Escapes, Text};
use crate::named::named;
use crate::token::is_token_byte;

named! {
    /// What a field of a log is.
    pub enum Slot {
        /// The address of the client, or its host name.
        Address = "address",
        /// The address of the client, a colon and its port.
        AddressAndPort = "address-and-port",
        /// The addresses that proxies report, the client's first.
        Forwarded = "forwarded",
        /// The address of the client, as a proxy reports it in a field of its own, such as X-Real-IP.
        Reported = "reported",
        /// The address that connected, perhaps that of a proxy.
        Peer = "peer",
        /// The host that was asked for.
        Host = "host",
        /// The host that was asked for, or the name of the machine that answered, which has no dot.
        HostOrMachine = "host-or-machine",
        /// The server's port.
        Port = "port",
        /// `http` or `https`.
        Scheme = "scheme",
        /// The time, in any form that `instant` reads.
        Time = "time",
        /// The date, without a time of day.
        Date = "date",
        /// The time of day, in UTC.
        TimeOfDay = "time-of-day",
        /// The time of day where the server is, with its zone if the log states it.
        LocalTimeOfDay = "local-time-of-day",
        /// The whole request line: method, target, protocol.
        Request = "request",
        /// The method.
        Method = "method",
        /// The target, with its query.
        Target = "target",
        /// The path, without a query.
        Path = "path",
        /// The query, without a question mark.
        Query = "query",
        /// The query behind its question mark; empty if there is none.
        MarkedQuery = "query-with-mark",
        /// The status.
        Status = "status",
        /// How many bytes were sent.
        Bytes = "bytes",
        /// The field Referer.
        Referer = "referer",
        /// The field User-Agent.
        UserAgent = "user-agent",
        /// The field Retry-After of the answer.
        RetryAfter = "retry-after",
        /// What shows that a firewall answered with a challenge, in a word: a field of the answer, or what the
        /// firewall logs.
        Challenge = "challenge",
        /// The field Signature of the request (RFC 9421).
        Signature = "signature",
        /// The field Signature-Input of the request (RFC 9421).
        SignatureInput = "signature-input",
        /// The field Signature-Agent of the request (Web Bot Auth).
        SignatureAgent = "signature-agent",
        /// The part of the server that writes the line; Caddy's requests are those of `http.log.access`.
        Logger = "logger",
        /// Something else.
        Other = "other",
    }
}

/// How many slots there are.
pub(super) const SLOTS: usize = Slot::ALL.len();

named! {
    /// Why a line is not a request.
    pub enum Refused {
        /// It does not have the form of the format.
        Form = "form",
        /// Its time is no time, or it has none.
        Time = "time",
        /// Its status, port or address is none.
        Value = "value",
        /// It is too long.
        Length = "length",
    }
}

named! {
    /// How a line was read, where that is in doubt: alone, a line does not show it, but all lines of a log
    /// together may.
    pub enum Reading {
        /// Backslashes were read as those of escapes, of which the line has others than `\"`.
        Escaped = "escaped",
        /// Backslashes were read as themselves but before a quotation mark, as nothing else fits.
        Bare = "bare",
        /// The line ends with the User-Agent, or with fields without quotation marks.
        Ended = "ended",
        /// More fields in quotation marks follow the User-Agent; or it has quotation marks itself.
        Continued = "continued",
        /// The line ends as those of Traefik do, which writes paths as it cleaned them.
        Traefik = "traefik",
        /// The line can be read in several ways; the first one was used.
        Several = "several",
    }
}

/// The fields of a line, as written: where each stands in the line, and its escapes. Texts would take
/// three times as much, for every line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fields<'l> {
    line: &'l [u8],
    places: [(u32, u32); SLOTS],
    escapes: [Escapes; SLOTS],
    readings: [bool; Reading::ALL.len()],
}

impl<'l> Fields<'l> {
    pub(super) fn new(line: &'l [u8]) -> Fields<'l> {
        let readings = [false; Reading::ALL.len()];
        Fields { line, places: [(0, 0); SLOTS], escapes: [Escapes::None; SLOTS], readings }
    }

    /// Notes how the line was read.
    #[inline]
    pub(super) fn read_as(&mut self, reading: Reading) {
        self.readings[reading as usize] = true;
    }

    /// Puts a part of the line into a slot that is still empty. A line that is longer than 4 GiB has
    /// no field behind that.
    #[inline]
    pub(super) fn put(&mut self, slot: Slot, text: Text<'l>) {
        let start = text.written.as_ptr() as usize - self.line.as_ptr() as usize;
        let (Ok(first), Ok(end)) =
            (u32::try_from(start), u32::try_from(start + text.written.len()))
        else {
            return;
        };
        if self.get(slot).is_absent() {
            self.places[slot as usize] = (first, end);
            self.escapes[slot as usize] = text.escapes;
        }
    }

    /// Puts a part of the line into a slot, whatever the slot has.
    pub(super) fn replace(&mut self, slot: Slot, text: Text<'l>) {
        self.places[slot as usize] = (0, 0);
        self.put(slot, text);
    }

    /// Whether a line of JSON is about a request: servers write other lines into the same log.
    pub(super) fn is_request(&self) -> bool {
        let logger = self.get(Slot::Logger).written;
        let is_access = logger.is_empty() || logger.starts_with(b"http.log.access");
        let asked = [Slot::Request, Slot::Method, Slot::Target, Slot::Path];
        is_access && asked.iter().any(|slot| !self.get(*slot).written.is_empty())
    }

    #[inline]
    pub(super) fn get(&self, slot: Slot) -> Text<'l> {
        let (first, end) = self.places[slot as usize];
        let written = &self.line[first as usize..end as usize];
        Text { written, escapes: self.escapes[slot as usize] }
    }
}

/// A request.
#[derive(Clone, Copy, Debug)]
pub struct Entry<'l> {
    fields: Fields<'l>,
    /// When it was answered, or when it came: servers differ.
    pub time: Micros,
    /// Whether the line says how far the time is from UTC, or the format defines it; UTC is assumed if
    /// not.
    pub states_zone: bool,
    /// The status of the answer; `None` if the log has none.
    pub status: Option<u16>,
    /// How many bytes were sent; `None` if the log does not say.
    pub bytes: Option<u64>,
    method: Text<'l>,
    target: Text<'l>,
    /// Whether the target is a path by itself.
    is_path: bool,
}

/// The last time that was read, since the next line is often of the same second.
#[derive(Clone, Debug, Default)]
pub(super) struct LastTime {
    written: Vec<u8>,
    instant: Micros,
    states_zone: bool,
}

/// The longest text of a time.
const LONGEST_TIME: usize = 64;

impl LastTime {
    #[inline]
    fn read(&mut self, written: &[u8]) -> Option<Micros> {
        if !written.is_empty() && self.written == written {
            return Some(self.instant);
        }
        if written.len() > LONGEST_TIME {
            return None;
        }
        self.instant = instant(written)?;
        self.states_zone = states_zone(written);
        self.written.clear();
        self.written.extend_from_slice(written);
        Some(self.instant)
    }
}

impl<'l> Entry<'l> {
    /// Reads the values of a line's fields.
    pub(super) fn new(fields: &Fields<'l>, last: &mut LastTime) -> Result<Entry<'l>, Refused> {
        let (date, utc) = (fields.get(Slot::Date), fields.get(Slot::TimeOfDay));
        // A time of day by itself is in UTC (W3C WD-logfile-960323, "time").
        let is_local = utc.is_absent();
        let clock = if is_local { fields.get(Slot::LocalTimeOfDay) } else { utc };
        let is_split = !date.is_absent() && !clock.is_absent();
        let time = match is_split {
            true => {
                let (date, clock) = (date.written, clock.written);
                // Seconds may be omitted.
                let seconds: &[u8] = if clock.len() == 5 { b":00" } else { b"" };
                last.read(&[date, b"T", clock, seconds].concat())
            }
            false => last.read(fields.get(Slot::Time).written),
        };
        let time = time.ok_or(Refused::Time)?;
        let status = number(fields.get(Slot::Status))?;
        let status = status.map(u16::try_from).transpose().map_err(|_| Refused::Value)?;
        // CloudFront writes 000 if the client left before there was an answer.
        let status = status.filter(|status| *status != 0);
        number(fields.get(Slot::Port))?;
        let bytes = number(fields.get(Slot::Bytes))?;
        let (mut method, mut target) = (fields.get(Slot::Method), fields.get(Slot::Target));
        let request = fields.get(Slot::Request);
        if target.is_absent() && !request.is_absent() {
            let (asked, whole) = split_request(request);
            target = whole;
            method = if method.is_absent() { asked } else { method };
        } else if method.is_absent() && is_token(request.written) {
            // Some call the method a request.
            method = request;
        }
        // A path by itself is often what a server made of the target.
        let is_path = target.is_absent();
        if is_path {
            target = fields.get(Slot::Path);
        }
        let states_zone = is_split && !is_local || last.states_zone;
        Ok(Entry { fields: *fields, time, states_zone, status, bytes, method, target, is_path })
    }

    /// Returns how the line was read, in the order of `Reading::ALL`.
    #[must_use]
    pub fn readings(&self) -> [bool; Reading::ALL.len()] {
        self.fields.readings
    }

    /// Returns a field as written; empty if the log has none.
    #[must_use]
    pub fn text(&self, slot: Slot) -> Text<'l> {
        self.fields.get(slot)
    }

    /// Whether the line has a field, also one that says that there is nothing.
    pub(super) fn has(&self, slot: Slot) -> bool {
        self.fields.places[slot as usize] != (0, 0)
    }

    /// Returns the address of the client, or its host name, without a port; or several addresses
    /// with commas between them, if proxies report them and the log has no other. Empty if there is
    /// none but what proxies report.
    #[must_use]
    #[inline]
    pub fn address(&self) -> &'l [u8] {
        let alone = self.fields.get(Slot::Address);
        if !alone.is_absent() {
            return alone.written;
        }
        let peer = self.fields.get(Slot::Peer);
        let with_port = self.fields.get(Slot::AddressAndPort);
        if with_port.is_absent() {
            return if peer.is_absent() { b"" } else { peer.written };
        }
        let with_port = with_port.written;
        let end = with_port.iter().rposition(|byte| *byte == b':').unwrap_or(with_port.len());
        let address = &with_port[..end];
        address.strip_prefix(b"[").and_then(|rest| rest.strip_suffix(b"]")).unwrap_or(address)
    }

    /// Returns the method; empty if there was no request.
    #[must_use]
    pub fn method(&self) -> Text<'l> {
        self.method
    }

    /// Returns the target as written; without its query if the log has that by itself.
    #[must_use]
    pub fn target(&self) -> Text<'l> {
        self.target
    }

    /// Returns the query of a log that has it by itself, and not in the target too.
    #[must_use]
    pub fn query(&self) -> Text<'l> {
        if !self.is_path && memchr::memchr(b'?', self.target.written).is_some() {
            return Text::default();
        }
        let marked = self.fields.get(Slot::MarkedQuery);
        let query = match marked.written.strip_prefix(b"?") {
            Some(written) => Text { written, ..marked },
            None => self.fields.get(Slot::Query),
        };
        // Real-time logs of CloudFront have the query in the path, too.
        let before = self.target.written.strip_suffix(query.written);
        let is_there = !query.is_absent() && before.is_some_and(|path| path.ends_with(b"?"));
        if is_there { Text::default() } else { query }
    }

    /// Returns the User-Agent.
    #[must_use]
    pub fn user_agent(&self) -> Text<'l> {
        self.fields.get(Slot::UserAgent)
    }
}

/// Returns a number; `None` if the log has none there.
fn number(text: Text<'_>) -> Result<Option<u64>, Refused> {
    // Vercel writes -1 for an answer that was never sent.
    if text.is_absent() || text.written == b"-1" {
        return Ok(None);
    }
    if text.written.len() > 18 {
        return Err(Refused::Value);
    }
    let add = |sum: u64, byte: &u8| {
        byte.is_ascii_digit().then(|| sum * 10 + u64::from(byte - b'0')).ok_or(Refused::Value)
    };
    text.written.iter().try_fold(0, add).map(Some)
}

/// Whether a text can be a method (RFC 9110 section 9.1); a hyphen alone says that there is none.
fn is_token(text: &[u8]) -> bool {
    !matches!(text, b"" | b"-") && text.iter().all(|byte| is_token_byte(*byte))
}

/// Returns method and target of a request line (RFC 9112 section 3). A target may contain spaces.
fn split_request(line: Text<'_>) -> (Text<'_>, Text<'_>) {
    let part = |written| Text { written, escapes: line.escapes };
    let written = line.written;
    let Some(first) = memchr::memchr(b' ', written) else {
        // Some call the target alone a request.
        return (part(b""), part(if written.first() == Some(&b'/') { written } else { b"" }));
    };
    let (method, rest) = (&written[..first], &written[first + 1..]);
    // A load balancer of AWS writes `- http://host:80- -` for a request that it could not read.
    if !is_token(method) {
        return (part(b""), part(b""));
    }
    let end = memchr::memrchr(b' ', rest).filter(|end| rest[end + 1..].starts_with(b"HTTP/"));
    (part(method), part(&rest[..end.unwrap_or(rest.len())]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_line_has_a_method_and_a_target() {
        let split = |line: &'static str| {
            let (method, target) =
                split_request(Text { written: line.as_bytes(), escapes: Escapes::None });
            (method.written, target.written)
        };
        assert_eq!(split("GET /a HTTP/1.1"), (&b"GET"[..], &b"/a"[..]));
        assert_eq!(split("GET /a b HTTP/1.1"), (&b"GET"[..], &b"/a b"[..]));
        assert_eq!(split("GET /a"), (&b"GET"[..], &b"/a"[..]));
        assert_eq!(split("-"), (&b""[..], &b""[..]));
        assert_eq!(split("- http://example.com:80- -"), (&b""[..], &b""[..]));
        assert_eq!(split("\\x16\\x03 a"), (&b""[..], &b""[..]));
        assert_eq!(split(" /a HTTP/1.1"), (&b""[..], &b""[..]));
    }
}
