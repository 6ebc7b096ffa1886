//! What the outcome of a success depends on in its content, if that is a plain robots.txt.
//!
//! Scope: the frequent case, for the reader in Python (`goodbot.policy.classify`), which decides every
//! other one.

use std::sync::Arc;

use memchr::{memchr, memchr_iter};

use crate::dialect::{Dialect, OverSize};
use crate::robots_txt::RobotsTxt;

/// The name that LWP::RobotUA searches for before it parses.
const DISALLOW: &[u8] = b"disallow";

/// Returns whether a plain robots.txt has a line with `Disallow:`; `None` if the content is not plain:
/// over the size limit, without a field that the dialect reads, or with a NUL or an odd first byte.
#[must_use]
pub fn plain_content(content: &[u8], dialect: &Arc<Dialect>) -> Option<bool> {
    let limit = dialect.size_limit as usize;
    let is_large = limit > 0 && content.len() > limit && dialect.over_size != OverSize::Keep;
    let starts_plain = matches!(content.first(), Some(b'\t' | b'\r' | b'\n' | b' '..=b'~'));
    if is_large || !starts_plain || memchr(0, content).is_some() {
        return None;
    }
    let robots_txt = RobotsTxt::read(content, Arc::clone(dialect));
    let is_plain = !robots_txt.is_cut_short() && !robots_txt.fields_used().is_empty();
    is_plain.then(|| has_disallow(content))
}

/// Returns whether a line begins with `Disallow` in any case and a colon, with white space before both.
fn has_disallow(content: &[u8]) -> bool {
    let starts = std::iter::once(0).chain(memchr_iter(b'\n', content).map(|end| end + 1));
    starts.into_iter().any(|start| {
        let line = trimmed(&content[start..], |byte| is_space(byte) && byte != b'\n');
        line.split_at_checked(DISALLOW.len()).is_some_and(|(name, rest)| {
            name.eq_ignore_ascii_case(DISALLOW) && trimmed(rest, is_space).starts_with(b":")
        })
    })
}

/// Returns bytes without those at the beginning that are blank.
fn trimmed(bytes: &[u8], is_blank: impl Fn(u8) -> bool) -> &[u8] {
    let start = bytes.iter().position(|byte| !is_blank(*byte)).unwrap_or(bytes.len());
    &bytes[start..]
}

/// Whether a byte is white space for a regular expression of Python.
fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t'..=b'\r')
}

#[cfg(test)]
mod tests {
    use super::{has_disallow, plain_content};
    use crate::dialects::named;

    #[test]
    fn a_line_with_disallow_is_found_wherever_it_is() {
        for found in
            ["Disallow:", "a\n \x0b\tdISALLOW \n\r: /", "\n\nDisallow\x0c:", "x\n\rdisallow:"]
        {
            assert!(has_disallow(found.as_bytes()), "{found:?}");
        }
        for other in ["", "x Disallow:", "Disallow", "Disallow x:", "a\rDisallow:", "Disallo\n:"] {
            assert!(!has_disallow(other.as_bytes()), "{other:?}");
        }
    }

    #[test]
    fn only_plain_files_are_decided() {
        let dialect = named("rfc9309").expect("it is built in");
        let large = [b"User-agent: *\n".to_vec(), vec![b'#'; 600_000]].concat();
        assert_eq!(plain_content(b"User-agent: *\nDisallow: /", &dialect), Some(true));
        assert_eq!(plain_content(b"User-agent: *\nAllow: /", &dialect), Some(false));
        for odd in [b"".as_slice(), b"<html>", b"Disallow: /\0", b"\xef\xbb\xbfDisallow: /", &large]
        {
            assert_eq!(plain_content(odd, &dialect), None);
        }
    }
}
