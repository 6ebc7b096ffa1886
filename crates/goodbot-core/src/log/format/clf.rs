//! The Common Log Format and what grew from it: Combined, and both behind the name of a host.
//!
//! Source: Apache HTTP Server 2.4, "Log Files", and `other_vhosts_access_log` as Debian configures
//! it; nginx, `ngx_http_log_module`, and the format `main` of its packages; Traefik 3.7.13,
//! `pkg/middlewares/accesslog/logger_formatters.go`.
//!
//! Servers and their configurations change within a log, so that each line says for itself whether
//! it has a User-Agent, and whether a host comes before the address.

use std::sync::LazyLock;

use memchr::memchr;
use memchr::memmem::Finder;

use super::super::client_address::{is_address, last_of, without_port};
use super::super::entry::{Fields, Reading, Refused, Slot};
use super::super::text::{Escapes, Text, before_space, is_known_escape};
use super::unescaped;

/// What comes before the address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::log) enum Before {
    /// Nothing; or, in single lines, a host.
    Nothing,
    /// The name of the host.
    Host,
    /// The name of the host, a colon and the port.
    HostAndPort,
}

/// A log of this family.
#[derive(Clone, Copy, Debug)]
pub(in crate::log) struct Clf {
    pub(in crate::log) before: Before,
    /// Whether lines end with Referer and User-Agent. A line that ends before them has none; one
    /// that has something else there is refused.
    pub(in crate::log) is_combined: bool,
}

static USER_END: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(b" ["));
static TIME_END: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(b"] \""));
static REQUEST_END: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(b"\" "));
static REFERER_END: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(b"\" \""));

impl Clf {
    #[inline]
    pub(in crate::log) fn read<'l>(
        self,
        line: &'l [u8],
        fields: &mut Fields<'l>,
    ) -> Result<(), Refused> {
        let line = if quoted_address(line).is_some() { line } else { unquoted(line) };
        let before = *fields;
        if self.is_combined && line.ends_with(b"ms") {
            if self.read_as_traefik(line, fields).is_some() {
                return Ok(());
            }
            *fields = before;
        }
        let is_plain = memchr(b'\\', line).is_none();
        let read = if is_plain || has_known_escapes(line) {
            self.read_as_apache(line, fields)
        } else {
            Err(Refused::Form)
        };
        if read.is_ok() || !self.is_combined {
            if !is_plain && has_other_escapes(line) {
                fields.read_as(Reading::Escaped);
            }
            return read;
        }
        // gunicorn escapes quotation marks only, and others nothing.
        *fields = before;
        self.read_as_gunicorn(line, fields)
    }

    /// Reads a line whose backslashes are escaped, too.
    #[inline]
    fn read_as_apache<'l>(self, line: &'l [u8], fields: &mut Fields<'l>) -> Result<(), Refused> {
        let rest = self.sender(line, fields).ok_or(Refused::Form)?;
        let (_, rest) = until(&USER_END, rest).ok_or(Refused::Form)?;
        let (time, rest) = until(&TIME_END, rest).ok_or(Refused::Form)?;
        let (request, rest) = quoted(&REQUEST_END, rest).ok_or(Refused::Form)?;
        let (status, rest) = before_space(rest).ok_or(Refused::Form)?;
        let (bytes, rest) = rest.split_at(memchr(b' ', rest).unwrap_or(rest.len()));
        for (slot, written) in [
            (Slot::Time, time),
            (Slot::Request, request),
            (Slot::Status, status),
            (Slot::Bytes, bytes),
        ] {
            fields.put(slot, text(written));
        }
        self.tail(rest, fields)
    }

    /// Reads a line in which a backslash stands for itself, but before a quotation mark.
    #[cold]
    fn read_as_gunicorn<'l>(self, line: &'l [u8], fields: &mut Fields<'l>) -> Result<(), Refused> {
        let rest = self.sender(line, fields).ok_or(Refused::Form)?;
        let (_, rest) = until(&USER_END, rest).ok_or(Refused::Form)?;
        let (time, rest) = until(&TIME_END, rest).ok_or(Refused::Form)?;
        let found = unescaped::parts(rest, unescaped::ends_with_http, Escapes::Quotes)
            .ok_or(Refused::Form)?;
        fields.put(Slot::Time, text(time));
        fields.put(Slot::Request, Text { written: found.request, escapes: Escapes::Quotes });
        found.put(fields, Escapes::Quotes);
        fields.read_as(Reading::Bare);
        Ok(())
    }

    /// Reads a line of Traefik, which escapes quotation marks of Referer and User-Agent only: neither
    /// those of a query nor backslashes.
    fn read_as_traefik<'l>(self, line: &'l [u8], fields: &mut Fields<'l>) -> Option<()> {
        let rest = self.sender(before_traefik(line)?, fields)?;
        let (_, rest) = until(&USER_END, rest)?;
        let (time, rest) = until(&TIME_END, rest)?;
        let found = unescaped::parts(rest, unescaped::ends_with_http, Escapes::Quotes)?;
        fields.put(Slot::Time, text(time));
        fields.put(Slot::Request, Text { written: found.request, escapes: Escapes::None });
        found.put(fields, Escapes::Quotes);
        fields.read_as(Reading::Traefik);
        fields.read_as(Reading::Continued);
        Some(())
    }

    /// Reads host, address and ident; returns the rest of the line.
    #[inline]
    fn sender<'l>(self, line: &'l [u8], fields: &mut Fields<'l>) -> Option<&'l [u8]> {
        let mut rest = line;
        if self.before != Before::Nothing {
            let host;
            (host, rest) = before_space(rest)?;
            put_host(host, self.before == Before::HostAndPort, fields)?;
        }
        let (mut address, after) = match quoted_address(rest) {
            Some(found) if self.before == Before::Nothing => found,
            _ => addresses(rest)?,
        };
        let (ident, mut rest) = addresses(after)?;
        if ident != b"-" && self.before == Before::Nothing {
            match (is_address(last_of(address)), is_address(last_of(ident))) {
                // Only a line of a virtual host has an address there: `example.com 192.0.2.1 - - [`.
                (false, true) => {
                    put_host(address, false, fields)?;
                    address = ident;
                    (_, rest) = before_space(rest)?;
                }
                // lighttpd writes the host there, and so do some providers.
                (true, false) if is_host(ident) => put_host(ident, false, fields)?,
                _ => {}
            }
        }
        fields.put(Slot::Address, text(address));
        Some(rest)
    }

    /// Reads what follows the size: nothing, Referer and User-Agent, or fields of a server's own.
    #[inline]
    fn tail<'l>(self, rest: &'l [u8], fields: &mut Fields<'l>) -> Result<(), Refused> {
        if rest.is_empty() {
            return Ok(());
        }
        let mut found = referer_and_agent(rest);
        if found.is_none()
            && let Some((host, after)) = host_behind_size(rest)
        {
            found = referer_and_agent(after);
            fields.put(Slot::Host, text(host));
        }
        match found {
            Some((referer, agent, rest)) => {
                let marks = quotation_marks(rest);
                if marks % 2 == 1 {
                    return Err(Refused::Form);
                }
                if ends_as_traefik(rest) {
                    fields.read_as(Reading::Traefik);
                }
                fields.put(Slot::Referer, text(referer));
                fields.put(Slot::UserAgent, text(agent));
                fields.read_as(if marks == 0 { Reading::Ended } else { Reading::Continued });
                put_forwarded(rest, fields);
                Ok(())
            }
            None if self.is_combined && memchr(b'"', rest).is_some() => Err(Refused::Form),
            None => Ok(()),
        }
    }
}

/// Returns Referer, User-Agent and what follows them.
///
/// Some servers write more numbers behind the size, such as those of all bytes and of the time it
/// took, and Traefik a missing field as a hyphen without quotation marks.
#[inline]
fn referer_and_agent(rest: &[u8]) -> Option<(&[u8], &[u8], &[u8])> {
    let is_number = |byte: &&u8| byte.is_ascii_digit() || b" .-".contains(byte);
    let numbers = rest.iter().take_while(is_number).count();
    let (before, quotes) = rest.split_at(numbers);
    let is_end = |rest: &[u8]| rest.is_empty() || rest[0] == b' ';
    let (first, after) = quoted_text(quotes.strip_prefix(b"\"")?)?;
    if let Some(second) = after.strip_prefix(b" \"") {
        let (second, rest) = quoted_text(second)?;
        return is_end(rest).then_some((first, second, rest));
    }
    if before.ends_with(b" - ") && is_end(after) {
        return Some((&before[before.len() - 2..before.len() - 1], first, after));
    }
    if let Some(rest) = after.strip_prefix(b" -").filter(|rest| is_end(rest)) {
        return Some((first, &after[1..2], rest));
    }
    // A Referer with quotation marks that nobody escaped.
    let (referer, rest) = quoted(&REFERER_END, quotes.strip_prefix(b"\"")?)?;
    let (agent, rest) = quoted_text(rest)?;
    is_end(rest).then_some((referer, agent, rest))
}

/// Returns a host that stands between the size and the Referer, as some providers write it, and what
/// follows it.
#[cold]
fn host_behind_size(rest: &[u8]) -> Option<(&[u8], &[u8])> {
    let rest = rest.strip_prefix(b" ")?;
    let (host, after) = rest.split_at(memchr(b' ', rest)?);
    is_host(host).then_some((host, after))
}

/// Whether a text is the name of a host with a dot, perhaps with a port.
fn is_host(text: &[u8]) -> bool {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || b".-:".contains(byte);
    text.contains(&b'.') && text.iter().all(is_part) && text.iter().any(u8::is_ascii_alphabetic)
}

/// Returns a line without quotation marks around all of it: OpenLiteSpeed writes those that stand around
/// its `logFormat`.
#[inline]
fn unquoted(line: &[u8]) -> &[u8] {
    match line {
        [b'"', inner @ .., b'"'] => inner,
        _ => line,
    }
}

/// Returns an address in quotation marks, as Twisted writes it, and what follows the space behind it.
#[inline]
fn quoted_address(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let inner = line.strip_prefix(b"\"")?;
    let end = memchr(b'"', inner.get(..LONGEST_ADDRESS).unwrap_or(inner))?;
    let rest = inner[end + 1..].strip_prefix(b" ")?;
    (&inner[..end] == b"-" || is_address(&inner[..end])).then_some((&inner[..end], rest))
}

/// The most bytes of an address in quotation marks.
const LONGEST_ADDRESS: usize = 64;

/// Returns how many quotation marks a text has that are not escaped.
#[inline]
fn quotation_marks(text: &[u8]) -> usize {
    memchr::memchr_iter(b'"', text).filter(|mark| !is_escaped(&text[..*mark])).count()
}

/// Whether what follows the User-Agent is ` 12 "router@file" "http://192.0.2.8:80" 3ms`.
fn ends_as_traefik(rest: &[u8]) -> bool {
    let number = rest.strip_suffix(b"ms").unwrap_or_default();
    number.last().is_some_and(u8::is_ascii_digit) && rest.contains(&b'"')
}

/// Returns a line of Traefik up to its User-Agent. What follows it, ` 12 "router@file"
/// "http://192.0.2.8:80" 3ms`, is found from the end: no client writes it.
fn before_traefik(line: &[u8]) -> Option<&[u8]> {
    let rest = without_number(line.strip_suffix(b"ms")?)?;
    let rest = without_number(without_quoted(without_quoted(rest)?)?)?;
    rest.ends_with(b"\"").then_some(rest)
}

/// Returns a text without the space and the number, or the hyphen, at its end.
fn without_number(text: &[u8]) -> Option<&[u8]> {
    let (rest, number) = text.split_at(memchr::memrchr(b' ', text)?);
    let is_number = number[1..].iter().all(|byte| byte.is_ascii_digit() || *byte == b'-');
    (number.len() > 1 && is_number).then_some(rest)
}

/// Returns a text without the space and the text in quotation marks at its end.
fn without_quoted(text: &[u8]) -> Option<&[u8]> {
    let rest = text.strip_suffix(b"\"")?;
    Some(&rest[..memchr::memmem::rfind(rest, b" \"")?])
}

/// Whether every backslash is one of an escape as Apache, nginx and Twisted write them, which escape the
/// backslash itself.
fn has_known_escapes(line: &[u8]) -> bool {
    let mut rest = line;
    while let Some(place) = memchr(b'\\', rest) {
        let Some(length) = is_known_escape(&rest[place + 1..]) else { return false };
        rest = &rest[place + 1 + length..];
    }
    true
}

/// Whether a backslash stands before anything but a quotation mark.
#[cold]
fn has_other_escapes(line: &[u8]) -> bool {
    memchr::memchr_iter(b'\\', line).any(|place| line.get(place + 1) != Some(&b'"'))
}

fn text(written: &[u8]) -> Text<'_> {
    Text { written, escapes: Escapes::Backslash }
}

#[inline]
fn until<'l>(end: &Finder<'_>, line: &'l [u8]) -> Option<(&'l [u8], &'l [u8])> {
    let found = end.find(line)?;
    Some((&line[..found], &line[found + end.needle().len()..]))
}

/// Returns the text before a quotation mark that is not escaped and what belongs to it.
#[inline]
fn quoted<'l>(end: &Finder<'_>, line: &'l [u8]) -> Option<(&'l [u8], &'l [u8])> {
    let mut from = 0;
    loop {
        let found = from + end.find(&line[from..])?;
        if !is_escaped(&line[..found]) {
            return Some((&line[..found], &line[found + end.needle().len()..]));
        }
        from = found + 1;
    }
}

#[inline]
fn quoted_text(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let mut from = 0;
    loop {
        let found = from + memchr(b'"', &line[from..])?;
        if !is_escaped(&line[..found]) {
            return Some((&line[..found], &line[found + 1..]));
        }
        from = found + 1;
    }
}

fn is_escaped(before: &[u8]) -> bool {
    before.iter().rev().take_while(|byte| **byte == b'\\').count() % 2 == 1
}

/// Returns an address, or several with commas between them, as `$http_x_forwarded_for` and Traefik's
/// `ClientHost` have them.
#[inline]
fn addresses(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let mut end = memchr(b' ', line)?;
    while line[..end].ends_with(b",") {
        end += 1 + memchr(b' ', &line[end + 1..])?;
    }
    let found = &line[..end];
    (!found.starts_with(b"\"")).then_some((found, &line[end + 1..]))
}

/// Puts a host, and its port if it has one; a line without a port that must be there has another form.
fn put_host<'l>(written: &'l [u8], needs_port: bool, fields: &mut Fields<'l>) -> Option<()> {
    if written.starts_with(b"\"") || written.ends_with(b",") {
        return None;
    }
    let colon = memchr::memrchr(b':', written)
        .filter(|colon| *colon > 0 && written[colon + 1..].iter().all(u8::is_ascii_digit));
    match colon {
        Some(colon) => {
            fields.put(Slot::Host, text(&written[..colon]));
            fields.put(Slot::Port, text(&written[colon + 1..]));
        }
        None if needs_port => return None,
        None => fields.put(Slot::Host, text(written)),
    }
    Some(())
}

/// Puts the quoted text behind the User-Agent if it has addresses: nginx' packages write
/// `"$http_x_forwarded_for"` there, and some a number before it.
#[inline]
fn put_forwarded<'l>(rest: &'l [u8], fields: &mut Fields<'l>) {
    let is_number = |byte: &&u8| byte.is_ascii_digit() || b" .".contains(byte);
    let numbers = rest.iter().take_while(is_number).count();
    let rest = &rest[numbers.saturating_sub(1)..];
    let Some(rest) = rest.strip_prefix(b" \"") else { return };
    let may_be_one = |byte: &u8| byte.is_ascii_hexdigit() || b":.,[] ".contains(byte);
    let end = rest.iter().take_while(|byte| may_be_one(byte)).count();
    if rest.get(end) == Some(&b'"') && is_address(without_port(last_of(&rest[..end]))) {
        fields.put(Slot::Forwarded, text(&rest[..end]));
    }
}
