//! The tokenizer (HTML 13.2.5): each function implements one or more states of the standard.
//!
//! The whole text is available, so most states are a search for the byte that ends them.

use crate::steps;
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::states::RawKind;
use html5ever::tokenizer::{Token, TokenSinkResult};

use super::bounded::Bounded;
use super::characters;
use super::tree::Tree;

/// How the following text is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    Data,
    /// Character references but no tags: `title`, `textarea`.
    Rcdata,
    /// Neither: `style`, `xmp`, `iframe`, `noembed`, `noframes`.
    Rawtext,
    Script,
    Plaintext,
}

/// Reads a text and feeds its tokens to the tree builder.
pub(crate) struct Tokenizer<'a> {
    pub(crate) text: &'a str,
    pub(crate) octets: &'a [u8],
    /// The text, in the form that the tokens share.
    shared: StrTendril,
    pub(crate) at: usize,
    pub(crate) builder: Bounded,
    pub(crate) most_attributes: usize,
    pub(crate) mode: Mode,
    /// The name of the last start tag; an end tag must have the same name to end a raw text.
    pub(crate) last_start: String,
}

impl<'a> Tokenizer<'a> {
    pub(crate) fn new(text: &'a str, builder: Bounded, most_attributes: usize) -> Tokenizer<'a> {
        Tokenizer {
            text,
            octets: text.as_bytes(),
            shared: StrTendril::from_slice(text),
            at: 0,
            builder,
            most_attributes,
            mode: Mode::Data,
            last_start: String::new(),
        }
    }

    pub(crate) fn run(mut self) -> Tree {
        while self.at < self.octets.len() {
            steps::count(1);
            match self.mode {
                Mode::Data => self.data(),
                Mode::Rcdata | Mode::Rawtext | Mode::Script => self.raw(),
                Mode::Plaintext => self.plaintext(),
            }
        }
        let end = self.octets.len();
        self.emit(Token::EOFToken, end);
        self.builder.finish()
    }

    /// Returns a part of the text without copying it.
    pub(crate) fn part(&self, start: usize, end: usize) -> StrTendril {
        let (Ok(offset), Ok(length)) = (u32::try_from(start), u32::try_from(end - start)) else {
            return StrTendril::new();
        };
        self.shared.subtendril(offset, length)
    }

    /// Emits a token that begins at `start` and ends at the current position.
    pub(crate) fn emit(&mut self, token: Token, start: usize) {
        match self.builder.token(token, start, self.at) {
            TokenSinkResult::Continue
            | TokenSinkResult::Script(_)
            | TokenSinkResult::EncodingIndicator(_) => {}
            TokenSinkResult::Plaintext => self.mode = Mode::Plaintext,
            TokenSinkResult::RawData(RawKind::Rcdata) => self.mode = Mode::Rcdata,
            TokenSinkResult::RawData(RawKind::Rawtext) => self.mode = Mode::Rawtext,
            TokenSinkResult::RawData(_) => self.mode = Mode::Script,
        }
    }

    /// Emits the text between two positions.
    pub(crate) fn emit_text(&mut self, start: usize, end: usize) {
        if start < end {
            let part = self.part(start, end);
            self.emit(Token::CharacterTokens(part), start);
        }
    }

    /// HTML 13.2.5.1, data state.
    fn data(&mut self) {
        let start = self.at;
        let rest = &self.octets[start..];
        let found = steps::searched(memchr::memchr3(b'<', b'&', 0, rest), rest.len());
        let Some(length) = found else {
            self.at = self.octets.len();
            return self.emit_text(start, self.at);
        };
        self.at = start + length;
        self.emit_text(start, self.at);
        match self.octets[self.at] {
            b'<' => self.tag_open(),
            b'&' => self.reference(),
            _ => {
                self.at += 1;
                self.emit(Token::NullCharacterToken, self.at - 1);
            }
        }
    }

    /// Reads a character reference in a text.
    pub(crate) fn reference(&mut self) {
        let start = self.at;
        if let Some((characters, length)) = characters::reference(&self.text[start..], false) {
            self.at += length;
            self.emit(Token::CharacterTokens(characters.into()), start);
        } else {
            self.at += 1;
            self.emit_text(start, self.at);
        }
    }

    /// HTML 13.2.5.6, tag open state: `at` is the position of the `<`.
    fn tag_open(&mut self) {
        let start = self.at;
        match self.octets.get(start + 1) {
            Some(b'!') => self.markup_declaration(),
            Some(b'/') => self.end_tag_open(),
            Some(b'?') => self.bogus_comment(start, start + 1),
            Some(octet) if octet.is_ascii_alphabetic() => self.tag(false),
            _ => {
                self.at += 1;
                self.emit_text(start, self.at);
            }
        }
    }

    /// HTML 13.2.5.7, end tag open state.
    fn end_tag_open(&mut self) {
        let start = self.at;
        match self.octets.get(start + 2) {
            Some(octet) if octet.is_ascii_alphabetic() => self.tag(true),
            Some(b'>') => self.at += 3,
            Some(_) => self.bogus_comment(start, start + 2),
            None => {
                self.at = self.octets.len();
                self.emit_text(start, self.at);
            }
        }
    }

    /// HTML 13.2.5.5, PLAINTEXT state.
    fn plaintext(&mut self) {
        let start = self.at;
        self.at = self.octets.len();
        let text = without_nul(&self.text[start..]);
        self.emit(Token::CharacterTokens(text), start);
    }
}

/// Replaces each NUL in a text with the replacement character.
pub(crate) fn without_nul(text: &str) -> StrTendril {
    steps::count(text.len());
    if memchr::memchr(0, text.as_bytes()).is_none() {
        return StrTendril::from_slice(text);
    }
    text.replace('\0', "\u{FFFD}").into()
}

/// Whether a byte is white space between the parts of a tag.
pub(crate) fn is_space(octet: u8) -> bool {
    matches!(octet, b'\t' | b'\n' | b'\x0C' | b' ')
}
