//! The format of a log: where in a line which field stands.

mod apache;
pub(super) mod clf;
mod header_slots;
pub(super) mod json;
mod nginx;
pub(super) mod relayed;
pub(super) mod unescaped;
mod w3c;

use memchr::memmem::Finder;

use super::entry::{Entry, Fields, LastTime, Refused, Slot};
use super::text::{Escapes, Text};
use clf::Clf;
use json::Mapping;
use unescaped::Unescaped;
use w3c::W3c;

/// Why a format cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Malformed {
    /// Two fields follow each other with nothing between them: nobody could tell them apart.
    Adjacent,
    /// A directive that is not complete, or not one.
    Directive(String),
    /// A part of a time without the rest.
    PartOfTime,
    /// There is no field for the time.
    NoTime,
    /// There is no field for the target of the request.
    NoTarget,
    /// There are too many fields.
    Many,
}

/// The most fields of a format.
pub(super) const MOST_FIELDS: usize = 128;

/// A field, and the text that ends it.
#[derive(Clone, Debug)]
struct Piece {
    slot: Slot,
    /// What follows; empty at the end of the line.
    literal: Vec<u8>,
    finder: Finder<'static>,
}

/// Fields between fixed texts.
#[derive(Clone, Debug)]
pub(super) struct Pattern {
    /// What a line begins with.
    begin: Vec<u8>,
    pieces: Vec<Piece>,
    escapes: Escapes,
}

/// What a pattern is made of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Literal(Vec<u8>),
    Field(Slot),
}

#[derive(Clone, Debug)]
enum Form {
    Pattern(Pattern),
    Clf(Clf),
    Unescaped(Unescaped),
    Json(Mapping),
    /// A line of JSON behind time, level and logger.
    Console(Mapping),
    W3c(W3c),
}

/// A format, and what it remembers from line to line.
#[derive(Clone, Debug)]
pub struct Format {
    form: Form,
    last: LastTime,
}

impl Format {
    /// Makes a format of parts.
    pub(super) fn of_parts(parts: &[Part], escapes: Escapes) -> Result<Format, Malformed> {
        Pattern::new(parts, escapes).map(|pattern| Format::new(Form::Pattern(pattern)))
    }

    /// Makes a format for lines of JSON: pairs of a path such as `request.headers.User-Agent` and
    /// what stands there.
    ///
    /// # Errors
    ///
    /// When time or target are missing, or there are too many pairs.
    pub fn json(pairs: &[(&str, Slot)]) -> Result<Format, Malformed> {
        complete(pairs.iter().map(|(_, slot)| *slot))?;
        Mapping::new(pairs).map(|mapping| Format::new(Form::Json(mapping)))
    }

    /// Makes the same for lines whose values are percent-encoded.
    pub(super) fn encoded_json(pairs: &[(&str, Slot)]) -> Result<Format, Malformed> {
        Mapping::new(pairs).map(|mapping| Format::new(Form::Json(mapping.encoded())))
    }

    /// Makes the format of W3C extended logs, whose first lines name their fields.
    #[must_use]
    pub fn w3c() -> Format {
        Format::new(Form::W3c(W3c::default()))
    }

    /// Makes the format of logs whose `#Fields` directive is missing; this is that line.
    ///
    /// # Errors
    ///
    /// When it does not name the time and the target.
    pub fn w3c_of(fields: &str) -> Result<Format, Malformed> {
        let mut w3c = W3c::default();
        w3c.name_fields(fields.as_bytes());
        complete(w3c.slots())?;
        Ok(Format::new(Form::W3c(w3c)))
    }

    /// Makes the format of Caddy's encoder for consoles: what it says of the request is JSON.
    pub(super) fn console(pairs: &[(&str, Slot)]) -> Result<Format, Malformed> {
        Mapping::new(pairs).map(|mapping| Format::new(Form::Console(mapping)))
    }

    pub(super) fn clf(clf: Clf) -> Format {
        Format::new(Form::Clf(clf))
    }

    pub(super) fn unescaped(server: Unescaped) -> Format {
        Format::new(Form::Unescaped(server))
    }

    fn new(form: Form) -> Format {
        Format { form, last: LastTime::default() }
    }

    /// Whether lines of the log say how the lines behind them are to be read.
    pub(super) fn has_directives(&self) -> bool {
        matches!(self.form, Form::W3c(_))
    }

    /// Reads a line, without its line end. `None` if it is one that states no request: a directive
    /// or an empty line.
    ///
    /// # Errors
    ///
    /// When it does not have this format.
    pub fn read<'l>(&mut self, line: &'l [u8]) -> Result<Option<Entry<'l>>, Refused> {
        if line.is_empty() {
            return Ok(None);
        }
        let line = match &self.form {
            Form::W3c(_) => line,
            Form::Console(_) if json::console(line).is_some() => line,
            Form::Pattern(pattern) if !pattern.begins_with_client() => line,
            _ => relayed::message(line).unwrap_or(line),
        };
        let mut fields = Fields::new(line);
        match &mut self.form {
            Form::Pattern(pattern) => {
                // A format of one's own may name what others write before a line.
                if let Err(refused) = pattern.read(line, &mut fields) {
                    let line = relayed::message(line).ok_or(refused)?;
                    fields = Fields::new(line);
                    pattern.read(line, &mut fields)?;
                }
            }
            Form::Clf(clf) => clf.read(line, &mut fields)?,
            Form::Unescaped(server) => server.read(line, &mut fields)?,
            Form::Console(mapping) => {
                if !json::read_console(mapping, line, &mut fields)? || !fields.is_request() {
                    return Ok(None);
                }
            }
            Form::Json(mapping) => {
                json::read(mapping, line, &mut fields)?;
                if !fields.is_request() {
                    return Ok(None);
                }
            }
            Form::W3c(w3c) => {
                if !w3c.read(line, &mut fields)? {
                    return Ok(None);
                }
            }
        }
        Entry::new(&fields, &mut self.last).map(Some)
    }
}

/// Returns where to look for the space that ends a field which has spaces itself: a request ends behind its
/// protocol, and a time behind its zone.
fn own_spaces(slot: Slot, line: &[u8]) -> usize {
    match slot {
        Slot::Request if line.first().is_some_and(u8::is_ascii_uppercase) => {
            memchr::memmem::find(line, b" HTTP/").map_or(0, |space| space + 1)
        }
        Slot::LocalTimeOfDay => {
            let end = memchr::memchr(b' ', line).unwrap_or(line.len());
            if is_zone(&line[end..]) { end + 6 } else { 0 }
        }
        Slot::Time => {
            let first = memchr::memchr(b' ', line).unwrap_or(line.len());
            let clock = if is_clock(&line[first..]) { first + 9 } else { first };
            if is_zone(&line[clock..]) { clock + 6 } else { clock }
        }
        _ => 0,
    }
}

/// Whether a text begins with a space and a time of day.
fn is_clock(text: &[u8]) -> bool {
    matches!(text, [b' ', b'0'..=b'9', b'0'..=b'9', b':', _, _, b':', _, _, ..])
}

/// Whether a text begins with a space and a distance from UTC.
fn is_zone(text: &[u8]) -> bool {
    let zone = text.get(..6);
    zone.is_some_and(|zone| {
        matches!(zone, [b' ', b'+' | b'-', digits @ ..] if digits.iter().all(u8::is_ascii_digit))
    })
}

/// Checks that a format says when something was requested, and what.
pub(super) fn complete(slots: impl Iterator<Item = Slot>) -> Result<(), Malformed> {
    let slots: Vec<Slot> = slots.collect();
    let has = |wanted: &[Slot]| slots.iter().any(|slot| wanted.contains(slot));
    if slots.len() > MOST_FIELDS {
        return Err(Malformed::Many);
    }
    if !has(&[Slot::Time, Slot::TimeOfDay, Slot::LocalTimeOfDay]) {
        return Err(Malformed::NoTime);
    }
    if !has(&[Slot::Request, Slot::Target, Slot::Path]) {
        return Err(Malformed::NoTarget);
    }
    Ok(())
}

impl Pattern {
    fn new(parts: &[Part], escapes: Escapes) -> Result<Pattern, Malformed> {
        let (mut begin, mut pieces) = (Vec::new(), Vec::<(Slot, Vec<u8>)>::new());
        for part in parts {
            match (part, pieces.last_mut()) {
                (Part::Literal(text), None) => begin.extend_from_slice(text),
                (Part::Literal(text), Some((_, literal))) => literal.extend_from_slice(text),
                (Part::Field(_), Some((_, literal))) if literal.is_empty() => {
                    return Err(Malformed::Adjacent);
                }
                (Part::Field(slot), _) => pieces.push((*slot, Vec::new())),
            }
        }
        complete(pieces.iter().map(|(slot, _)| *slot))?;
        let piece = |(slot, literal): (Slot, Vec<u8>)| {
            let finder = Finder::new(&literal).into_owned();
            Piece { slot, literal, finder }
        };
        Ok(Pattern { begin, pieces: pieces.into_iter().map(piece).collect(), escapes })
    }

    /// Whether the first field is an address or a host, which would take any text for its own.
    fn begins_with_client(&self) -> bool {
        let clients = [
            Slot::Address,
            Slot::AddressAndPort,
            Slot::Host,
            Slot::Forwarded,
            Slot::Reported,
            Slot::Peer,
        ];
        self.begin.is_empty()
            && self.pieces.first().is_some_and(|piece| clients.contains(&piece.slot))
    }

    #[inline]
    fn read<'l>(&self, line: &'l [u8], fields: &mut Fields<'l>) -> Result<(), Refused> {
        let mut rest = line.strip_prefix(self.begin.as_slice()).ok_or(Refused::Form)?;
        for piece in &self.pieces {
            let (written, after) = self.cut(piece, rest).ok_or(Refused::Form)?;
            fields.put(piece.slot, Text { written, escapes: self.escapes });
            rest = after;
        }
        // Servers add fields of their own to well-known formats.
        if rest.is_empty() || rest[0] == b' ' { Ok(()) } else { Err(Refused::Form) }
    }

    /// Returns the text before what ends a field, and the rest of the line behind that.
    #[inline]
    fn cut<'l>(&self, piece: &Piece, line: &'l [u8]) -> Option<(&'l [u8], &'l [u8])> {
        let length = piece.literal.len();
        if length == 0 {
            // The last field, which ends with the line or before fields that nobody asked about. A
            // text that has spaces itself ends with the line.
            let has_spaces =
                matches!(piece.slot, Slot::UserAgent | Slot::Referer | Slot::Request | Slot::Time);
            let space = if has_spaces { None } else { memchr::memchr(b' ', line) };
            let end = space.unwrap_or(line.len());
            return Some(line.split_at(end));
        }
        let mut from = if piece.literal[0] == b' ' { own_spaces(piece.slot, line) } else { 0 };
        loop {
            let found = match piece.literal.as_slice() {
                [byte] => memchr::memchr(*byte, &line[from..])?,
                _ => piece.finder.find(&line[from..])?,
            };
            let end = from + found;
            if !self.is_escaped(&line[..end], piece.literal[0]) {
                return Some((&line[..end], &line[end + length..]));
            }
            from = end + 1;
        }
    }

    /// Whether a quotation mark behind this text belongs to the text.
    #[inline]
    fn is_escaped(&self, before: &[u8], mark: u8) -> bool {
        mark == b'"'
            && matches!(self.escapes, Escapes::Backslash | Escapes::Json)
            && before.iter().rev().take_while(|byte| **byte == b'\\').count() % 2 == 1
    }
}
