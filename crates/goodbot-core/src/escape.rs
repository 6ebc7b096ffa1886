//! Escapes: the form in which patterns and URL paths are compared.
//!
//! RFC 9309 section 2.2.2 requires that bytes be escaped before comparison; the 1996 draft requires that
//! they be unescaped. Both define classes of equal spellings. The unescaped spelling is the cheapest
//! member of its class, because most URLs are written that way and need no work at all. A byte that must
//! stay distinct from its own escape (`/` always, `?` in RFC 9309, `*` where it is a wildcard) keeps the
//! escape, and a `%` byte is always written `%25`, so that no two classes overlap.

use crate::dialect::{Dialect, Escapes, Star};

/// Which bytes keep their escape, and which must be escaped.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Form {
    pub(crate) escapes: Escapes,
    /// Whether a literal `*` must be distinguished from the wildcard; a shell pattern has `\\` for that.
    pub(crate) star: bool,
}

/// Which side of the comparison a text is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    /// A rule: `*` is the wildcard, if the dialect has one.
    Pattern,
    /// A rule that is a shell pattern: an escaped byte stands for itself.
    ShellPattern,
    /// A URL: `*` stands for itself.
    Url,
}

const HEX: &[u8; 16] = b"0123456789ABCDEF";

impl Form {
    pub(crate) fn of(dialect: &Dialect) -> Form {
        Form { escapes: dialect.escapes, star: dialect.star == Star::Wildcard }
    }

    /// Whether a URL's path is already in this form; `without_special` says that it has neither an
    /// escape nor a star.
    #[inline]
    pub(crate) fn is_plain(self, path: &[u8], without_special: bool) -> bool {
        match self.escapes {
            Escapes::Google | Escapes::None => true,
            Escapes::Rfc9309 | Escapes::ExceptSlash => without_special,
            Escapes::Unsafe => path.iter().all(|&octet| is_uric(octet)),
        }
    }

    /// Appends the text in the form in which it is compared.
    ///
    /// With `query`, every byte after the first `?` is unescaped, `/` and `?` included: Figure 4 of
    /// RFC 9309 compares `?baz=https://foo.bar` with `?baz=https%3A%2F%2Ffoo.bar` as equal.
    pub(crate) fn write(self, text: &[u8], side: Side, query: bool, out: &mut Vec<u8>) {
        match self.escapes {
            Escapes::None => out.extend_from_slice(text),
            Escapes::Google if side == Side::Url => out.extend_from_slice(text),
            Escapes::Google => write_google(text, out),
            Escapes::Unsafe => write_unsafe(text, out),
            Escapes::Rfc9309 | Escapes::ExceptSlash => self.write_unescaped(text, side, query, out),
        }
    }

    fn write_unescaped(self, text: &[u8], side: Side, query: bool, out: &mut Vec<u8>) {
        let mut in_query = false;
        let mut at = 0;
        while at < text.len() {
            let octet = text[at];
            let escaped = unescape(&text[at..]);
            at += if escaped.is_some() { 3 } else { 1 };
            let value = escaped.unwrap_or(octet);
            let keeps =
                escaped.is_some() && self.keeps(value) && !(query && in_query && value != b'*');
            let literal_star = self.star && side == Side::Url && octet == b'*';
            if value == b'%' || keeps || literal_star {
                out.extend([b'%', HEX[usize::from(value >> 4)], HEX[usize::from(value & 15)]]);
            } else {
                if side == Side::ShellPattern && escaped.is_some() && b"*?[\\".contains(&value) {
                    out.push(b'\\');
                }
                out.push(value);
            }
            in_query |= escaped.is_none() && octet == b'?';
        }
    }

    /// Whether a byte differs from its escape.
    fn keeps(self, octet: u8) -> bool {
        match octet {
            b'/' => true,
            b'*' => self.star,
            b'?' => self.escapes == Escapes::Rfc9309,
            _ => false,
        }
    }

    /// Counts the bytes of a pattern as RFC 9309 section 2.2.2 does for "most bytes": a non-ASCII
    /// byte counts as the three bytes of its escape. `text` is in this form.
    pub(crate) fn octets(self, text: &[u8]) -> usize {
        match self.escapes {
            Escapes::Rfc9309 | Escapes::ExceptSlash => {
                text.len() + 2 * text.iter().filter(|octet| !octet.is_ascii()).count()
            }
            _ => text.len(),
        }
    }
}

/// Returns the byte that a text's first three characters escape, if they are an escape.
fn unescape(text: &[u8]) -> Option<u8> {
    let [b'%', high, low, ..] = text else { return None };
    let value = char::from(*high).to_digit(16)? * 16 + char::from(*low).to_digit(16)?;
    u8::try_from(value).ok()
}

/// Escapes as `MaybeEscapePattern` of google/robotstxt does.
fn write_google(text: &[u8], out: &mut Vec<u8>) {
    let mut at = 0;
    while at < text.len() {
        if unescape(&text[at..]).is_some() {
            out.extend(text[at..at + 3].iter().map(u8::to_ascii_uppercase));
            at += 3;
            continue;
        }
        write_octet(text[at], text[at].is_ascii(), out);
        at += 1;
    }
}

/// Escapes as URI.pm does; WWW::RobotRules passes both sides through it.
fn write_unsafe(text: &[u8], out: &mut Vec<u8>) {
    for &octet in text {
        write_octet(octet, is_uric(octet), out);
    }
}

fn write_octet(octet: u8, as_it_is: bool, out: &mut Vec<u8>) {
    if as_it_is {
        out.push(octet);
    } else {
        out.extend([b'%', HEX[usize::from(octet >> 4)], HEX[usize::from(octet & 15)]]);
    }
}

/// Whether a byte is RFC 2396 `uric`, which URI.pm leaves unescaped; brackets are excluded since 5.11.
fn is_uric(octet: u8) -> bool {
    octet.is_ascii_alphanumeric() || b"-_.!~*'();/?:@&=+$,%".contains(&octet)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialects;

    fn form(dialect: &str, text: &str, side: Side, query: bool) -> String {
        let mut out = Vec::new();
        let dialect = dialects::named(dialect).expect("a dialect");
        Form::of(&dialect).write(text.as_bytes(), side, query, &mut out);
        String::from_utf8_lossy(&out).into_owned()
    }

    #[test]
    fn rfc9309_keeps_slash_question_mark_star_and_percent_apart() {
        assert_eq!(form("rfc9309", "/%62%61%7A%2f%3f%2a%25", Side::Url, false), "/baz%2F%3F%2A%25");
        assert_eq!(form("rfc9309", "/a*b", Side::Url, false), "/a%2Ab");
        assert_eq!(form("rfc9309", "/a*b%2A", Side::Pattern, false), "/a*b%2A");
        assert_eq!(form("rfc9309", "/100%", Side::Url, false), "/100%25");
        assert_eq!(form("rfc9309", "/%E3%83%84", Side::Url, false), "/ツ");
    }

    #[test]
    fn the_query_form_opens_slashes_behind_the_question_mark_only() {
        assert_eq!(form("rfc9309", "/a%2Fb?c=%2F%3f", Side::Url, true), "/a%2Fb?c=/?");
    }

    #[test]
    fn google_escapes_patterns_and_leaves_urls() {
        assert_eq!(form("google", "/ツ%aa%62", Side::Pattern, false), "/%E3%83%84%AA%62");
        assert_eq!(form("google", "/ツ%aa", Side::Url, false), "/ツ%aa");
    }

    #[test]
    fn plain_texts_are_their_own_form() {
        for dialect in dialects::DIALECTS.iter() {
            let form = Form::of(dialect);
            for path in ["/", "/a/b?c=d&e=f", "/a$b", "/%zz", "/a*", "/ツ", "/a b"] {
                let mut out = Vec::new();
                form.write(path.as_bytes(), Side::Url, false, &mut out);
                let without_special = !path.contains(['%', '*']);
                if form.is_plain(path.as_bytes(), without_special) {
                    assert_eq!(out, path.as_bytes(), "{} {path}", dialect.name);
                }
            }
        }
    }
}
