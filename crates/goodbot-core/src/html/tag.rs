//! Tags and their attributes (HTML 13.2.5.8 and 13.2.5.32 to 13.2.5.40).

use crate::steps;
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{Tag, TagKind, Token};
use html5ever::{Attribute, LocalName, QualName, ns};

use super::characters;
use super::tokenizer::{Tokenizer, is_space};

/// Names up to this length, which covers every HTML name, are lowercased on the stack; longer ones
/// are allocated.
const SHORT_NAME: usize = 24;

/// Attributes that are read no matter how many come before them: a limit must not hide a mark.
pub(crate) const KEPT_ATTRIBUTES: [&str; 8] =
    ["class", "content", "data-nosnippet", "href", "http-equiv", "name", "profile", "rel"];

impl Tokenizer<'_> {
    /// Reads a tag; `at` is the position of the `<`. A tag cut off by the end of the text is not
    /// emitted.
    pub(crate) fn tag(&mut self, is_end: bool) {
        let start = self.at;
        self.at += if is_end { 2 } else { 1 };
        let name_start = self.at;
        self.skip_until(|octet| is_space(octet) || matches!(octet, b'/' | b'>'));
        let name = name_of(&self.text[name_start..self.at]);
        let mut attributes = Vec::new();
        let Some(self_closing) = self.attributes(start, is_end, &mut attributes) else {
            self.at = self.octets.len();
            return;
        };
        if is_end {
            if &*name == "noindex" {
                self.builder.noindex_end(start);
            }
        } else {
            self.last_start.clear();
            self.last_start.push_str(&name);
        }
        let kind = if is_end { TagKind::EndTag } else { TagKind::StartTag };
        let tag =
            Tag { kind, name, self_closing, attrs: attributes, had_duplicate_attributes: false };
        self.emit(Token::TagToken(tag), start);
    }

    fn skip_until(&mut self, ends: impl Fn(u8) -> bool) {
        let rest = &self.octets[self.at..];
        let length = rest.iter().position(|octet| ends(*octet));
        self.at += steps::searched(length, rest.len()).unwrap_or(rest.len());
    }

    /// Reads the attributes and the closing `>`. Returns whether the tag is self-closing, or `None`
    /// if the text ends first.
    fn attributes(
        &mut self,
        start: usize,
        is_end: bool,
        attributes: &mut Vec<Attribute>,
    ) -> Option<bool> {
        loop {
            self.skip_until(|octet| !is_space(octet));
            match self.octets.get(self.at)? {
                b'>' => {
                    self.at += 1;
                    return Some(false);
                }
                b'/' => {
                    self.at += 1;
                    if *self.octets.get(self.at)? == b'>' {
                        self.at += 1;
                        return Some(true);
                    }
                }
                _ => self.attribute(start, is_end, attributes)?,
            }
        }
    }

    /// Reads one attribute (HTML 13.2.5.33 to 13.2.5.39). Returns `None` if the text ends within
    /// it.
    fn attribute(
        &mut self,
        start: usize,
        is_end: bool,
        attributes: &mut Vec<Attribute>,
    ) -> Option<()> {
        let name_start = self.at;
        // A leading equals sign is part of the name.
        self.at += 1;
        self.skip_until(|octet| is_space(octet) || matches!(octet, b'/' | b'>' | b'='));
        let name_end = self.at;
        self.skip_until(|octet| !is_space(octet));
        let mut value = StrTendril::new();
        if *self.octets.get(self.at)? == b'=' {
            self.at += 1;
            self.skip_until(|octet| !is_space(octet));
            value = self.value()?;
        }
        if is_end {
            return Some(());
        }
        let local = name_of(&self.text[name_start..name_end]);
        if attributes.len() >= self.most_attributes {
            self.builder.cut_attributes(start);
            if !KEPT_ATTRIBUTES.contains(&&*local) {
                return Some(());
            }
        }
        let name = QualName::new(None, ns!(), local);
        // The first attribute with a given name wins.
        steps::count(attributes.len());
        if attributes.iter().all(|known| known.name.local != name.local) {
            attributes.push(Attribute { name, value });
        }
        Some(())
    }

    /// Reads the value of an attribute (HTML 13.2.5.35 to 13.2.5.38).
    fn value(&mut self) -> Option<StrTendril> {
        let start = self.at;
        match *self.octets.get(start)? {
            quote @ (b'"' | b'\'') => {
                let rest = &self.octets[start + 1..];
                let length = steps::searched(memchr::memchr(quote, rest), rest.len())?;
                self.at = start + 1 + length + 1;
                Some(self.value_text(start + 1, start + 1 + length))
            }
            b'>' => Some(StrTendril::new()),
            _ => {
                self.skip_until(|octet| is_space(octet) || octet == b'>');
                Some(self.value_text(start, self.at))
            }
        }
    }

    fn value_text(&self, start: usize, end: usize) -> StrTendril {
        let text = &self.text[start..end];
        steps::count(text.len());
        if memchr::memchr2(b'&', 0, text.as_bytes()).is_none() {
            return self.part(start, end);
        }
        characters::attribute_value(text)
    }
}

/// Returns a name in lower case, with each NUL replaced by the replacement character.
fn name_of(written: &str) -> LocalName {
    let octets = written.as_bytes();
    if octets.iter().all(|octet| !octet.is_ascii_uppercase() && *octet != 0) {
        return LocalName::from(written);
    }
    let mut short = [0; SHORT_NAME];
    if octets.len() <= SHORT_NAME && !octets.contains(&0) {
        let lower = &mut short[..octets.len()];
        lower.copy_from_slice(octets);
        lower.make_ascii_lowercase();
        return std::str::from_utf8(lower)
            .map_or_else(|_| LocalName::from(written), LocalName::from);
    }
    LocalName::from(written.to_ascii_lowercase().replace('\0', "\u{FFFD}"))
}
