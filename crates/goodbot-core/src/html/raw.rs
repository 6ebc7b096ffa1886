//! Text in which the only tag is the end tag that closes it: RCDATA, RAWTEXT and script data (HTML
//! 13.2.5.2 to 13.2.5.4 and 13.2.5.9 to 13.2.5.31).

use crate::steps;
use html5ever::tokenizer::Token;

use super::tokenizer::{Mode, Tokenizer, is_space, without_nul};

impl Tokenizer<'_> {
    /// Reads the text up to its end tag or the end of the input; the tag itself is then read as
    /// data.
    pub(crate) fn raw(&mut self) {
        let start = self.at;
        let end = match self.mode {
            Mode::Script => self.script_end(),
            _ => self.end_tag_from(start),
        };
        self.at = end.unwrap_or(self.octets.len());
        if self.mode == Mode::Rcdata {
            self.with_references(start, self.at);
        } else if start < self.at {
            let text = match memchr::memchr(0, &self.octets[start..self.at]) {
                None => self.part(start, self.at),
                Some(_) => without_nul(&self.text[start..self.at]),
            };
            self.emit(Token::CharacterTokens(text), start);
        }
        if end.is_some() {
            self.mode = Mode::Data;
            self.tag(true);
        }
    }

    fn with_references(&mut self, start: usize, end: usize) {
        self.at = start;
        while self.at < end {
            let from = self.at;
            let rest = &self.octets[from..end];
            let found = steps::searched(memchr::memchr2(b'&', 0, rest), rest.len());
            self.at = found.map_or(end, |length| from + length);
            self.emit_text(from, self.at);
            match self.octets.get(self.at).filter(|_| self.at < end) {
                Some(b'&') => self.reference(),
                Some(_) => {
                    self.at += 1;
                    self.emit(Token::CharacterTokens("\u{FFFD}".into()), self.at - 1);
                }
                None => {}
            }
        }
    }

    /// Returns where the end tag that closes a raw text begins; its name must be followed by white
    /// space, `/` or `>`.
    fn end_tag_from(&self, from: usize) -> Option<usize> {
        let mut at = from;
        loop {
            let rest = &self.octets[at..];
            at += steps::searched(memchr::memchr(b'<', rest), rest.len())?;
            if self.is_tag(at, "/", &self.last_start) {
                return Some(at);
            }
            at += 1;
        }
    }

    /// Whether `<`, these signs and this name are at a position, and the name ends there.
    fn is_tag(&self, at: usize, signs: &str, name: &str) -> bool {
        let rest = &self.octets[at + 1..];
        let length = signs.len() + name.len();
        rest.starts_with(signs.as_bytes())
            && rest.len() > length
            && rest[signs.len()..length].eq_ignore_ascii_case(name.as_bytes())
            && (is_space(rest[length]) || matches!(rest[length], b'/' | b'>'))
    }

    /// Returns where the `</script` that ends a script begins. Within `<!--`, a second `<script`
    /// opens a part that the next `</script` closes without ending the script (script data escaped
    /// and double escaped states).
    fn script_end(&self) -> Option<usize> {
        #[derive(PartialEq)]
        enum Part {
            Plain,
            Escaped,
            DoubleEscaped,
        }
        let octets = self.octets;
        let mut part = Part::Plain;
        let mut at = self.at;
        loop {
            let rest = &octets[at..];
            at += steps::searched(memchr::memchr2(b'<', b'-', rest), rest.len())?;
            if octets[at] == b'-' {
                // The two dashes of `<!--` may be the first two of `-->`.
                if part != Part::Plain && octets[at..].starts_with(b"-->") {
                    part = Part::Plain;
                }
                at += 1;
                continue;
            }
            match part {
                Part::Plain | Part::Escaped if self.is_tag(at, "/", "script") => return Some(at),
                Part::Plain if octets[at..].starts_with(b"<!--") => {
                    part = Part::Escaped;
                    at += 2;
                    continue;
                }
                Part::Escaped if self.is_tag(at, "", "script") => part = Part::DoubleEscaped,
                Part::DoubleEscaped if self.is_tag(at, "/", "script") => part = Part::Escaped,
                _ => {}
            }
            at += 1;
        }
    }
}
