//! Comments, document types and CDATA sections (HTML 13.2.5.41 to 13.2.5.71).

use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{Doctype, Token};

use super::tokenizer::{Tokenizer, is_space, without_nul};

impl Tokenizer<'_> {
    /// HTML 13.2.5.42, markup declaration open state: `at` is at the `<!`.
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
        let length = memchr::memchr(b'>', &self.octets[text..]);
        let end = length.map_or(self.octets.len(), |length| text + length);
        self.at = if length.is_some() { end + 1 } else { end };
        let comment = without_nul(&self.text[text..end]);
        self.emit(Token::CommentToken(comment), start);
    }

    /// A comment (HTML 13.2.5.43 to 13.2.5.52).
    fn comment(&mut self) {
        let start = self.at;
        let text = start + 4;
        let (end, behind) = self.comment_end(text);
        self.at = behind;
        let comment = without_nul(&self.text[text..end]);
        self.emit(Token::CommentToken(comment), start);
    }

    /// Where the text of a comment ends, and what closes it.
    fn comment_end(&self, text: usize) -> (usize, usize) {
        let rest = &self.octets[text..];
        // `<!-->` and `<!--->` are whole.
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
            // Of three dashes the last two may close.
            if let Some(length) = rest.get(dashes + 1..).and_then(closes) {
                return (text + dashes + 1, text + dashes + 1 + length);
            }
        }
        // What the text ends in may have begun to close it.
        let length = rest.len();
        let cut = [&b"--!"[..], b"--", b"-"].into_iter().find(|end| rest.ends_with(end));
        (text + length - cut.map_or(0, <[u8]>::len), text + length)
    }

    /// A CDATA section (HTML 13.2.5.69 to 13.2.5.71).
    fn cdata(&mut self) {
        let start = self.at + "<![CDATA[".len();
        let found = memchr::memmem::find(&self.octets[start..], b"]]>");
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

    /// A document type (HTML 13.2.5.53 to 13.2.5.68).
    fn doctype(&mut self) {
        let start = self.at;
        self.at += "<!doctype".len();
        let mut doctype = Doctype::default();
        doctype.force_quirks = self.doctype_parts(&mut doctype).is_none_or(|quirks| quirks);
        // What is left of it is passed over.
        let closed = self.octets.get(self.at.wrapping_sub(1)) == Some(&b'>') && self.at > start + 9;
        if !closed {
            let rest = memchr::memchr(b'>', &self.octets[self.at..]);
            self.at = rest.map_or(self.octets.len(), |length| self.at + length + 1);
        }
        self.emit(Token::DoctypeToken(doctype), start);
    }

    /// The parts of a document type, up to its `>` where it is well formed: whether it asks for quirks;
    /// nothing, if the text ends in it.
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

    /// A quoted identifier. An error, if there is none or a `>` cuts it, with what there is of it;
    /// nothing, if the text ends in it.
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

/// How long what closes a comment is, if a text begins with it.
fn closes(text: &[u8]) -> Option<usize> {
    match text {
        [b'-', b'-', b'>', ..] => Some(3),
        [b'-', b'-', b'!', b'>', ..] => Some(4),
        _ => None,
    }
}
