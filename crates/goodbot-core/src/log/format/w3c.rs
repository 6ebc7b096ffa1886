//! The W3C extended log file format: IIS, and CloudFront with tabs.
//!
//! Source: W3C working draft WD-logfile-960323; IIS' and CloudFront's own documentation for their
//! fields and escapes.

use super::super::entry::{Fields, Refused, Slot};
use super::super::text::{Escapes, Text};
use super::MOST_FIELDS;
use super::header_slots::{of_answer, of_header};

/// The fields, as the last `#Fields` directive names them.
#[derive(Clone, Debug, Default)]
pub(in crate::log) struct W3c {
    slots: Vec<Slot>,
    /// Whether the log is Akamai's, whose targets begin with the host, and whose quoted texts are
    /// percent-encoded.
    is_akamai: bool,
}

impl W3c {
    /// Reads a directive; only `#Fields` says how the lines behind it are read.
    pub(in crate::log) fn name_fields(&mut self, line: &[u8]) {
        if let Some(names) = strip_prefix_ignoring_case(line, b"#Fields:") {
            let names = names.split(|byte| matches!(byte, b' ' | b'\t'));
            let names = names.filter(|name| !name.is_empty()).take(MOST_FIELDS);
            self.slots = names.clone().map(slot).collect();
            self.is_akamai = names.clone().any(|name| name.eq_ignore_ascii_case(b"cs-ip"));
            // IIS Advanced Logging may write its local time instead of UTC, or both.
            if !self.slots.contains(&Slot::Date) {
                let is_date = |name: &[u8]| name.eq_ignore_ascii_case(b"date-local");
                if let Some(place) = names.clone().position(is_date) {
                    self.slots[place] = Slot::Date;
                }
            }
            // Where there is no host that the viewer asked for, the field Host is all there is.
            let mut names = names.map(|name| name.eq_ignore_ascii_case(b"cs(host)"));
            if !self.slots.contains(&Slot::Host)
                && let Some(place) = names.position(|is_host| is_host)
            {
                self.slots[place] = Slot::Host;
            }
        }
    }

    pub(in crate::log) fn slots(&self) -> impl Iterator<Item = Slot> + '_ {
        self.slots.iter().copied()
    }

    /// Reads a line. Returns whether it is an entry.
    pub(in crate::log) fn read<'l>(
        &mut self,
        line: &'l [u8],
        fields: &mut Fields<'l>,
    ) -> Result<bool, Refused> {
        if line[0] == b'#' {
            self.name_fields(line);
            return Ok(false);
        }
        let is_cloudfront = memchr::memchr(b'\t', line).is_some();
        let separator = if is_cloudfront { b'\t' } else { b' ' };
        let mut rest = Some(line);
        for slot in &self.slots {
            let (written, is_quoted);
            (written, is_quoted, rest) = next(rest.ok_or(Refused::Form)?, separator);
            let escapes = if is_quoted && !self.is_akamai {
                Escapes::DoubledQuotes
            } else {
                escapes(*slot, is_cloudfront)
            };
            let text = Text { written, escapes };
            if *slot == Slot::Target {
                put_target(text, self.is_akamai, fields);
            } else {
                fields.put(*slot, text);
            }
        }
        if self.slots.is_empty()
            || rest.is_some_and(|rest| self.slots.len() < MOST_FIELDS && !rest.is_empty())
        {
            return Err(Refused::Form);
        }
        Ok(true)
    }
}

/// Puts a target; some services write it without its scheme: `example.com/path`, Akamai behind a slash.
fn put_target<'l>(text: Text<'l>, is_akamai: bool, fields: &mut Fields<'l>) {
    if is_akamai
        && let Some(written) = text.written.strip_prefix(b"/")
        && let Some(end) = memchr::memchr(b'/', written)
        && written[..end].contains(&b'.')
    {
        return put_target(Text { written, ..text }, false, fields);
    }
    let slash = memchr::memchr(b'/', text.written).unwrap_or(0);
    let (host, path) = text.written.split_at(slash);
    // Behind a scheme, a second slash follows.
    if host.is_empty() || host.contains(&b':') && path.starts_with(b"//") {
        return fields.put(Slot::Target, text);
    }
    fields.put(Slot::Host, Text { written: host, ..text });
    fields.put(Slot::Target, Text { written: path, ..text });
}

fn strip_prefix_ignoring_case<'l>(line: &'l [u8], prefix: &[u8]) -> Option<&'l [u8]> {
    let (begin, rest) = line.split_at_checked(prefix.len())?;
    begin.eq_ignore_ascii_case(prefix).then_some(rest)
}

/// How a field that is not quoted is escaped: IIS writes a space as a plus sign, and CloudFront has a
/// table of characters that it encodes in every field, the percent sign among them.
fn escapes(slot: Slot, is_cloudfront: bool) -> Escapes {
    match (slot, is_cloudfront) {
        (Slot::UserAgent | Slot::Referer | Slot::Forwarded | Slot::Reported, false) => {
            Escapes::Plus
        }
        (Slot::UserAgent | Slot::Referer, true) => Escapes::PercentTwice,
        (Slot::Path | Slot::Query | Slot::Target | Slot::Forwarded | Slot::Reported, true) => {
            Escapes::Percent
        }
        _ => Escapes::None,
    }
}

/// Returns the next field, whether it is quoted, and what follows the separator behind it, if there is
/// one. A quoted field may contain separators, and quotation marks that are doubled.
fn next(line: &[u8], separator: u8) -> (&[u8], bool, Option<&[u8]>) {
    if let Some(inner) = line.strip_prefix(b"\"")
        && let Some(end) = closing(inner)
        && inner.get(end + 1).is_none_or(|byte| *byte == separator)
    {
        return (&inner[..end], true, inner.get(end + 2..));
    }
    match memchr::memchr(separator, line) {
        Some(end) => (&line[..end], false, Some(&line[end + 1..])),
        None => (line, false, None),
    }
}

/// Returns the place of the first quotation mark that is not one of two.
fn closing(text: &[u8]) -> Option<usize> {
    let mut from = 0;
    loop {
        let end = from + memchr::memchr(b'"', &text[from..])?;
        if text.get(end + 1) != Some(&b'"') {
            return Some(end);
        }
        from = end + 2;
    }
}

/// Returns what a field of a request's header says. IIS' custom fields have any name, mostly that of the
/// header's field.
fn of_field(name: &[u8]) -> Slot {
    let inner = name.strip_prefix(b"cs(").and_then(|rest| rest.strip_suffix(b")"));
    match of_header(inner.unwrap_or(name)) {
        // Without `cs(…)`, only a name that says so much is that of a header's field.
        slot @ (Slot::Forwarded | Slot::Reported) => slot,
        slot if inner.is_some() => slot,
        _ => Slot::Other,
    }
}

fn slot(name: &[u8]) -> Slot {
    let name = name.to_ascii_lowercase();
    match name.as_slice() {
        b"date" => Slot::Date,
        b"timestamp" | b"timestamp(ms)" => Slot::Time,
        b"time" => Slot::TimeOfDay,
        b"time-local" => Slot::LocalTimeOfDay,
        b"c-ip" | b"cs-ip" => Slot::Address,
        // CloudFront: the host that the viewer asked for; cs(Host) is the distribution's.
        b"x-host-header" | b"cs-host" => Slot::Host,
        b"s-port" => Slot::Port,
        b"cs-protocol" => Slot::Scheme,
        b"cs-method" => Slot::Method,
        b"cs-uri" => Slot::Target,
        b"cs-uri-stem" => Slot::Path,
        b"cs-uri-query" => Slot::Query,
        b"sc-status" => Slot::Status,
        b"sc-bytes" => Slot::Bytes,
        b"cs-referer" => Slot::Referer,
        b"cs-user-agent" => Slot::UserAgent,
        // The host that the distribution has, of which `name_fields` says whether it counts.
        b"cs(host)" => Slot::Other,
        _ => match name.strip_prefix(b"sc(").and_then(|rest| rest.strip_suffix(b")")) {
            Some(inner) => of_answer(inner),
            None => of_field(&name),
        },
    }
}
