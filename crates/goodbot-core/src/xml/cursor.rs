//! A position in a text, and the functions that read from there.

use super::characters::{is_space, name_length, token_length};
use crate::steps;

/// A position in a text, which moves past whatever is read.
pub(super) struct Cursor<'s> {
    text: &'s str,
    at: usize,
}

impl<'s> Cursor<'s> {
    pub(super) fn new(text: &'s str, at: usize) -> Cursor<'s> {
        Cursor { text, at }
    }

    pub(super) fn at(&self) -> usize {
        self.at
    }

    /// Returns the rest of the text.
    pub(super) fn rest(&self) -> &'s str {
        &self.text[self.at..]
    }

    /// Returns the byte at this position.
    pub(super) fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// Reads white space. Returns whether there was any.
    pub(super) fn space(&mut self) -> bool {
        let rest = &self.text.as_bytes()[self.at..];
        let length = rest.iter().position(|byte| !is_space(*byte)).unwrap_or(rest.len());
        steps::count(length + 1);
        self.at += length;
        length > 0
    }

    /// Reads an expected text. Returns whether it was there.
    pub(super) fn eat(&mut self, expected: &str) -> bool {
        steps::count(expected.len());
        let stands = self.rest().starts_with(expected);
        self.at += if stands { expected.len() } else { 0 };
        stands
    }

    fn take(&mut self, length: usize) -> Option<&'s str> {
        steps::count(length);
        let taken = &self.text[self.at..self.at + length];
        self.at += length;
        (length > 0).then_some(taken)
    }

    /// Reads a name (production 5).
    pub(super) fn name(&mut self) -> Option<&'s str> {
        self.take(name_length(self.rest()))
    }

    /// Reads a name token (production 7).
    pub(super) fn token(&mut self) -> Option<&'s str> {
        self.take(token_length(self.rest()))
    }

    /// Reads up to and including an expected text. Returns the part before it.
    pub(super) fn up_to(&mut self, expected: &str) -> Option<&'s str> {
        let rest = self.rest().as_bytes();
        let found = memchr::memmem::find(rest, expected.as_bytes());
        let length = steps::searched(found, rest.len())?;
        let before = &self.rest()[..length];
        self.at += length + expected.len();
        Some(before)
    }

    /// Reads a quoted literal. Returns the text between the quotes.
    pub(super) fn literal(&mut self) -> Option<&'s str> {
        let quote = self.byte().filter(|byte| matches!(byte, b'"' | b'\''))?;
        let rest = &self.rest()[1..];
        let found = memchr::memchr(quote, rest.as_bytes());
        let length = steps::searched(found, rest.len())?;
        self.at += length + 2;
        Some(&rest[..length])
    }
}
