//! A byte for how each pattern begins, by which most rules are excluded at once.
//!
//! The first byte of a pattern is always `/`; a code for the second and third is stored in a row,
//! which a check searches, eight at a time.

use super::super::words::{HIGHS, LOWS, nonzero};
use super::flag;

/// The code of a rule that could match however the path begins.
pub(super) const ROOT: u8 = 0;

/// Returns the code of a pattern whose second byte is known.
fn short_code(second: u8) -> u8 {
    second & 0x3F | 0x40
}

/// Returns the code of a pattern whose second and third bytes are known.
fn long_code(second: u8, third: u8) -> u8 {
    let mixed = u16::from(second) * 158 + u16::from(third) * 61;
    (mixed >> 3).to_le_bytes()[0] & 0x7F | 0x80
}

/// Returns the code of a pattern, or `None` if it cannot match any path.
pub(super) fn code_of(pattern: &[u8], flags: u16) -> Option<u8> {
    let literal = match flags & (flag::WILD | flag::SHELL) {
        0 => pattern,
        flag::WILD => pattern.split(|octet| *octet == b'*').next().unwrap_or_default(),
        // A shell pattern may begin with anything.
        _ => return Some(ROOT),
    };
    match literal {
        [] if pattern.is_empty() && flags & flag::WHOLE != 0 => None,
        [] | [b'/'] => Some(ROOT),
        // After a `?` the bytes may be compared in two spellings.
        [b'/', b'?', ..] => Some(short_code(b'?')),
        [b'/', second] => Some(short_code(*second)),
        [b'/', second, third, ..] => Some(long_code(*second, *third)),
        // The result of URI.pm for `http://example.com?x`.
        [b'?', ..] if flags & flag::ORIGIN != 0 => Some(ROOT),
        _ => None,
    }
}

/// Returns the codes, besides [`ROOT`], that the rules for a path can have.
#[inline]
pub(super) fn codes_of(path: &[u8]) -> (u8, u8) {
    match path {
        [b'/', second, third, ..] => (short_code(*second), long_code(*second, *third)),
        [b'/', second] => (short_code(*second), short_code(*second)),
        _ => (ROOT, ROOT),
    }
}

/// How many codes are compared at once.
pub(super) const ROW: usize = size_of::<u64>();

/// Returns the matches in a row of codes: the highest bit of each code that is [`ROOT`] or searched for.
#[inline]
pub(super) fn candidates(row: &[u8], (one, other): (u8, u8)) -> u64 {
    let row = row.first_chunk().map_or(0, |row| u64::from_le_bytes(*row));
    let apart = |code: u8| nonzero(row ^ (LOWS * u64::from(code)));
    !(nonzero(row) & apart(one) & apart(other)) & HIGHS
}
