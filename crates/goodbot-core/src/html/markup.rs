//! Comments, document types and CDATA sections (HTML 13.2.5.41 to 13.2.5.71).

use crate::steps;
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{Doctype, Token};

use super::tokenizer::{Tokenizer, is_space, without_nul};

impl Tokenizer<'_> {
    /// HTML 13.2.5.42, markup declaration open state: `at` is the position of the `<!`.
    pub(crate) fn markup_declaration(&mut self) {
        let start = self.at;
        let rest = &self.octets[start + 2..];
        if rest.starts_with(b"--") {
            return self.comment();
        }
        if rest.get(..7).is_some_and(|word| word.eq_ignore_ascii_case(b"doctype")) {
            return self.doctype();
        }
        if rest.starts_with(b"[CDATA[") && self.builder.is_foreign() {
            return self.cdata();
        }
        self.bogus_comment(start, start + 2);
    }

    /// HTML 13.2.5.41, bogus comment state: everything up to the next `>`.
    pub(crate) fn bogus_comment(&mut self, start: usize, text: usize) {
        let rest = &self.octets[text..];
        let length = steps::searched(memchr::memchr(b'>', rest), rest.len());
        let end = length.map_or(self.octets.len(), |length| text + length);
        self.at = if length.is_some() { end + 1 } else { end };
        steps::count(end - text);
        let comment = without_nul(&self.text[text..end]);
        self.emit(Token::CommentToken(comment), start);
    }

    /// Reads a comment (HTML 13.2.5.43 to 13.2.5.52).
    fn comment(&mut self) {
        let start = self.at;
        let text = start + 4;
        let (end, behind) = self.comment_end(text);
        self.at = behind;
        steps::count(end - text);
        let comment = without_nul(&self.text[text..end]);
        self.emit(Token::CommentToken(comment), start);
    }

    /// Returns where the text of a comment ends and where the comment itself ends.
    fn comment_end(&self, text: usize) -> (usize, usize) {
        let rest = &self.octets[text..];
        // `<!-->` and `<!--->` are complete comments.
        if rest.starts_with(b">") {
            return (text, text + 1);
        }
        if rest.starts_with(b"->") {
            return (text, text + 2);
        }
        for dashes in memchr::memmem::find_iter(rest, b"--") {
            let ends = closes(&rest[dashes..]);
            if let Some(length) = ends {
                return (text + dashes, text + dashes + length);
            }
            // The last two of three dashes may close the comment.
            if let Some(length) = rest.get(dashes + 1..).and_then(closes) {
                return (text + dashes + 1, text + dashes + 1 + length);
            }
        }
        // The text may end in the middle of the closing sequence.
        let length = rest.len();
        let cut = [&b"--!"[..], b"--", b"-"].into_iter().find(|end| rest.ends_with(end));
        (text + length - cut.map_or(0, <[u8]>::len), text + length)
    }

    /// Reads a CDATA section (HTML 13.2.5.69 to 13.2.5.71).
    fn cdata(&mut self) {
        let start = self.at + "<![CDATA[".len();
        let rest = &self.octets[start..];
        let found = steps::searched(memchr::memmem::find(rest, b"]]>"), rest.len());
        let end = found.map_or(self.octets.len(), |length| start + length);
        let mut from = start;
        while from < end {
            let nul = memchr::memchr(0, &self.octets[from..end]);
            let to = nul.map_or(end, |length| from + length);
            self.at = to;
            self.emit_text(from, to);
            if nul.is_some() {
                self.at = to + 1;
                self.emit(Token::NullCharacterToken, to);
            }
            from = to + 1;
        }
        self.at = if found.is_some() { end + 3 } else { end };
    }

    /// Reads a document type (HTML 13.2.5.53 to 13.2.5.68).
    fn doctype(&mut self) {
        let start = self.at;
        self.at += "<!doctype".len();
        let mut doctype = Doctype::default();
        doctype.force_quirks = self.doctype_parts(&mut doctype).is_none_or(|quirks| quirks);
        // The rest of it is skipped.
        let closed = self.octets.get(self.at.wrapping_sub(1)) == Some(&b'>') && self.at > start + 9;
        if !closed {
            let rest = &self.octets[self.at..];
            let rest = steps::searched(memchr::memchr(b'>', rest), rest.len());
            self.at = rest.map_or(self.octets.len(), |length| self.at + length + 1);
        }
        self.emit(Token::DoctypeToken(doctype), start);
    }

    /// Reads the parts of a document type, up to its `>` if it is well formed. Returns whether it
    /// requires quirks mode, or `None` if the text ends within it.
    fn doctype_parts(&mut self, doctype: &mut Doctype) -> Option<bool> {
        self.skip_space();
        if *self.octets.get(self.at)? == b'>' {
            self.at += 1;
            return Some(true);
        }
        let name = self.at;
        let length = self.octets[name..].iter().position(|o| is_space(*o) || *o == b'>');
        self.at = length.map_or(self.octets.len(), |length| name + length);
        let lower = self.text[name..self.at].to_ascii_lowercase();
        doctype.name = Some(without_nul(&lower));
        self.skip_space();
        if *self.octets.get(self.at)? == b'>' {
            self.at += 1;
            return Some(false);
        }
        let word = self.octets.get(self.at..self.at + 6).unwrap_or_default();
        let (public, system) =
            (word.eq_ignore_ascii_case(b"public"), word.eq_ignore_ascii_case(b"system"));
        if !public && !system {
            return Some(true);
        }
        self.at += 6;
        if public {
            match self.identifier()? {
                Ok(identifier) => doctype.public_id = Some(identifier),
                Err(cut) => {
                    doctype.public_id = cut;
                    return Some(true);
                }
            }
            self.skip_space();
            if *self.octets.get(self.at)? == b'>' {
                self.at += 1;
                return Some(false);
            }
        }
        match self.identifier()? {
            Ok(identifier) => doctype.system_id = Some(identifier),
            Err(cut) => {
                doctype.system_id = cut;
                return Some(true);
            }
        }
        self.skip_space();
        if *self.octets.get(self.at)? == b'>' {
            self.at += 1;
        }
        Some(false)
    }

    /// Reads a quoted identifier. Returns an error if there is none, or if a `>` cuts it off, with
    /// the part before the `>`; returns `None` if the text ends within it.
    fn identifier(&mut self) -> Option<Result<StrTendril, Option<StrTendril>>> {
        self.skip_space();
        let quote = *self.octets.get(self.at)?;
        if quote != b'"' && quote != b'\'' {
            if quote == b'>' {
                self.at += 1;
            }
            return Some(Err(None));
        }
        let start = self.at + 1;
        let length = memchr::memchr2(quote, b'>', &self.octets[start..])?;
        let identifier = without_nul(&self.text[start..start + length]);
        self.at = start + length + 1;
        let whole = self.octets[start + length] == quote;
        Some(if whole { Ok(identifier) } else { Err(Some(identifier)) })
    }

    fn skip_space(&mut self) {
        let rest = &self.octets[self.at..];
        self.at += rest.iter().position(|octet| !is_space(*octet)).unwrap_or(rest.len());
    }
}

/// Returns the length of the sequence that closes a comment, if the text begins with one.
fn closes(text: &[u8]) -> Option<usize> {
    match text {
        [b'-', b'-', b'>', ..] => Some(3),
        [b'-', b'-', b'!', b'>', ..] => Some(4),
        _ => None,
    }
}
