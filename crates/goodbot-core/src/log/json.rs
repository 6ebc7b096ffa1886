//! Lines of JSON: the values at the paths of a mapping, without a tree.
//!
//! Source: RFC 8259.

use super::entry::{Fields, Refused, SLOTS, Slot};
use super::format::Malformed;
use super::text::{Escapes, Text};

/// The most pairs of a mapping: one bit each.
const MOST_PAIRS: usize = u128::BITS as usize;
/// The greatest depth of nested values.
const DEEPEST: usize = 64;

/// Which value is which field.
#[derive(Clone, Debug)]
pub(super) struct Mapping {
    paths: Vec<(Vec<Vec<u8>>, Slot)>,
}

impl Mapping {
    pub(super) fn new(pairs: &[(&str, Slot)]) -> Result<Mapping, Malformed> {
        if pairs.len() > MOST_PAIRS {
            return Err(Malformed::Many);
        }
        let keys = |path: &str| path.split('.').map(|key| key.as_bytes().to_vec()).collect();
        Ok(Mapping { paths: pairs.iter().map(|(path, slot)| (keys(path), *slot)).collect() })
    }
}

/// Reads a line.
pub(super) fn read<'l>(
    mapping: &Mapping,
    line: &'l [u8],
    fields: &mut Fields<'l>,
) -> Result<(), Refused> {
    let first = [u8::MAX; SLOTS];
    let mut cursor = Cursor { mapping, rest: line.trim_ascii(), fields, first };
    if cursor.rest.first() != Some(&b'{') {
        return Err(Refused::Form);
    }
    let all = u128::MAX >> (MOST_PAIRS - mapping.paths.len().max(1));
    cursor.value(all, 0).filter(|()| cursor.rest.is_empty()).ok_or(Refused::Form)
}

struct Cursor<'m, 'l, 'f> {
    mapping: &'m Mapping,
    rest: &'l [u8],
    fields: &'f mut Fields<'l>,
    /// The place of the pair that filled each slot: of two, the first of the mapping counts, wherever
    /// they stand in the line. Caddy writes the address that connected before that of the client.
    first: [u8; SLOTS],
}

impl<'l> Cursor<'_, 'l, '_> {
    /// Skips white space, and returns the next byte without consuming it.
    fn peek(&mut self) -> Option<u8> {
        self.rest = self.rest.trim_ascii_start();
        self.rest.first().copied()
    }

    fn consume(&mut self, byte: u8) -> Option<()> {
        (self.peek()? == byte).then(|| self.rest = &self.rest[1..])
    }

    /// Reads a value. `mask` has the pairs whose path led here.
    fn value(&mut self, mask: u128, depth: usize) -> Option<()> {
        match self.peek()? {
            b'{' if depth < DEEPEST => self.object(mask, depth),
            b'[' if depth < DEEPEST => self.array(mask, depth),
            b'{' | b'[' => None,
            b'"' => {
                let written = self.string()?;
                self.found(mask, depth, Text { written, escapes: Escapes::Json });
                Some(())
            }
            _ => {
                let is_end =
                    |byte: &u8| matches!(byte, b',' | b'}' | b']') || byte.is_ascii_whitespace();
                let end = self.rest.iter().position(is_end).unwrap_or(self.rest.len());
                let (written, rest) = self.rest.split_at(end);
                self.rest = rest;
                let is_number =
                    written.iter().all(|byte| byte.is_ascii_digit() || b"+-.eE".contains(byte));
                if !is_number && !matches!(written, b"true" | b"false" | b"null") {
                    return None;
                }
                // nginx writes nothing for a variable without a value (log_format, escape=json).
                if written.is_empty() && depth == 0 {
                    return None;
                }
                if !matches!(written, b"" | b"null") {
                    self.found(mask, depth, Text { written, escapes: Escapes::None });
                }
                Some(())
            }
        }
    }

    fn found(&mut self, mask: u128, depth: usize, text: Text<'l>) {
        for (place, (path, slot)) in self.mapping.paths.iter().enumerate() {
            if mask >> place & 1 == 1 && path.len() == depth && !text.is_absent() {
                let first = &mut self.first[*slot as usize];
                let place = u8::try_from(place).unwrap_or(u8::MAX);
                if place < *first {
                    *first = place;
                    self.fields.replace(*slot, text);
                }
            }
        }
    }

    fn object(&mut self, mask: u128, depth: usize) -> Option<()> {
        self.consume(b'{')?;
        if self.peek()? == b'}' {
            return self.consume(b'}');
        }
        loop {
            self.peek()?;
            let key = self.string()?;
            self.consume(b':')?;
            let inner = if mask == 0 { 0 } else { self.below(mask, depth, key) };
            self.value(inner, depth + 1)?;
            if self.peek()? == b'}' {
                return self.consume(b'}');
            }
            self.consume(b',')?;
        }
    }

    /// Returns the pairs whose path goes on with a key.
    fn below(&self, mask: u128, depth: usize, key: &[u8]) -> u128 {
        let goes_on =
            |path: &[Vec<u8>]| path.get(depth).is_some_and(|own| own.eq_ignore_ascii_case(key));
        let pairs = self.mapping.paths.iter().enumerate();
        let inner = pairs.filter(|(_, (path, _))| goes_on(path)).map(|(place, _)| 1 << place);
        inner.fold(0, |sum: u128, bit: u128| sum | bit) & mask
    }

    /// Reads an array: its first value counts, since a header field may have several.
    fn array(&mut self, mask: u128, depth: usize) -> Option<()> {
        self.consume(b'[')?;
        if self.peek()? == b']' {
            return self.consume(b']');
        }
        let mut mask = mask;
        loop {
            self.element(mask, depth)?;
            mask = 0;
            if self.peek()? == b']' {
                return self.consume(b']');
            }
            self.consume(b',')?;
        }
    }

    /// Reads an element of an array, to which the same path leads. Nested arrays and objects lead on
    /// to nothing: the depth of their paths would be wrong.
    fn element(&mut self, mask: u128, depth: usize) -> Option<()> {
        match self.peek()? {
            b'{' | b'[' => self.value(0, depth + 1),
            _ => self.value(mask, depth),
        }
    }

    fn string(&mut self) -> Option<&'l [u8]> {
        let inner = self.rest.strip_prefix(b"\"")?;
        let mut from = 0;
        loop {
            let found = from + memchr::memchr2(b'"', b'\\', &inner[from..])?;
            if inner[found] == b'"' {
                self.rest = &inner[found + 1..];
                return Some(&inner[..found]);
            }
            from = found + 2;
            inner.get(from..)?;
        }
    }
}
