//! The order in which rows are decided: those of one origin one after the other.
//!
//! To look up an origin and to read its rules takes longer than to decide a URL. Rows in no order are
//! sorted by the place of their origin in the table of policies, so that the policies and the compiled
//! rules are read in the order in which they are in memory; whatever the order, the answers are the same.

use std::hint::black_box;

use super::many::Urls;
use super::pieces::{Piece, ROW_BITS, beginning};

/// The greatest number of an origin.
const MOST_ORIGIN: u64 = u64::MAX >> ROW_BITS;

/// How many bits of an origin are sorted by at once.
const DIGIT_BITS: usize = 11;

/// The greatest number of so many bits.
const MOST_DIGIT: u64 = (1 << DIGIT_BITS) - 1;

/// How many rows are fetched from memory at once.
const AT_ONCE: usize = 64;

/// Of how many origins policies and rules are fetched from memory at once.
const ORIGINS_AT_ONCE: usize = 32;

/// Returns rows in no order by their origin, so that each origin is looked up once.
///
/// `hash` returns a hash of how a URL begins, and `number` the number of its origin. Backwards, the
/// origins come in the opposite order: what was compiled last is needed first. In the same order again
/// and again, a store with too little room would drop each file just before it is needed.
pub(super) fn group_by_origin<'u, U: Urls + 'u>(
    piece: &Piece,
    urls: impl Fn(usize) -> &'u U,
    hash: impl Fn(&[u8]) -> u64,
    number: impl Fn(u64) -> u64,
    is_backwards: bool,
) -> Grouped {
    let row_bits = usize::BITS - piece.longest().saturating_sub(1).leading_zeros();
    let mut keys = Vec::with_capacity(piece.rows());
    let flip = if is_backwards { MOST_ORIGIN } else { 0 };
    let mut hashes = Vec::with_capacity(AT_ONCE);
    for (place, segment) in piece.segments.iter().enumerate() {
        let urls = urls(segment.part);
        for first in segment.rows.clone().step_by(AT_ONCE) {
            let rows = first..segment.rows.end.min(first + AT_ONCE);
            // All hashes first: then the machine looks up several at the same time.
            hashes.clear();
            hashes.extend(rows.map(|row| hash(beginning(urls.url(row).unwrap_or_default()))));
            let offsets = first - segment.rows.start..;
            keys.extend(hashes.iter().zip(offsets).map(|(hash, offset)| {
                let origin = number(*hash).min(MOST_ORIGIN) ^ flip;
                origin << ROW_BITS | (place << row_bits | offset) as u64
            }));
        }
    }
    Grouped { keys: sort_by_origin(keys), row_bits, flip }
}

/// Sorts keys, which are in the order of their rows, by their origins: some bits after the other, from
/// the lowest, each time by counting.
fn sort_by_origin(mut keys: Vec<u64>) -> Vec<u64> {
    let (all, any) = keys.iter().fold((u64::MAX, 0), |(all, any), key| (all & key, any | key));
    let bits = u64::BITS - (all ^ any).leading_zeros();
    let mut sorted = vec![0; keys.len()];
    for shift in (ROW_BITS..bits).step_by(DIGIT_BITS) {
        let digit = |key: u64| usize::try_from(key >> shift & MOST_DIGIT).unwrap_or(0);
        let mut places = vec![0; 1 << DIGIT_BITS];
        for key in &keys {
            places[digit(*key)] += 1;
        }
        let mut before = 0;
        for place in &mut places {
            before += std::mem::replace(place, before);
        }
        for key in &keys {
            let place = &mut places[digit(*key)];
            sorted[*place] = *key;
            *place += 1;
        }
        std::mem::swap(&mut keys, &mut sorted);
    }
    keys
}

/// Rows in the order in which they are decided.
pub(super) struct Grouped {
    keys: Vec<u64>,
    /// The bits of a key that count rows within their segment.
    row_bits: u32,
    flip: u64,
}

/// A row in one of several segments.
#[derive(Clone, Copy)]
pub(super) struct Place {
    pub(super) segment: usize,
    pub(super) offset: usize,
    /// The number of its origin.
    pub(super) origin: u64,
}

impl Grouped {
    /// Iterates over the keys of the rows of a few origins, whose policies are fetched from memory at once.
    pub(super) fn neighbours(&self) -> impl Iterator<Item = &[u64]> {
        let mut rest = &self.keys[..];
        std::iter::from_fn(move || {
            let runs = rest.chunk_by(|one, other| one >> ROW_BITS == other >> ROW_BITS);
            let rows = runs.take(ORIGINS_AT_ONCE).map(<[u64]>::len).sum();
            let (next, behind) = rest.split_at(rows);
            rest = behind;
            Some(next).filter(|next| !next.is_empty())
        })
    }

    /// Returns the row of a key.
    #[inline]
    pub(super) fn place(&self, key: u64) -> Place {
        let row = (key & ((1 << ROW_BITS) - 1)) as usize;
        Place {
            segment: row >> self.row_bits,
            offset: row & ((1 << self.row_bits) - 1),
            origin: key >> ROW_BITS ^ self.flip,
        }
    }

    /// Iterates over the numbers of the origins of a part.
    pub(super) fn origins(&self, part: &[u64]) -> impl Iterator<Item = u64> {
        let runs = part.chunk_by(|one, other| one >> ROW_BITS == other >> ROW_BITS);
        runs.filter_map(|run| run.first().map(|key| key >> ROW_BITS ^ self.flip))
    }
}

/// Iterates over the keys of rows that are fetched from memory at once.
pub(super) fn rows_at_once(keys: &[u64]) -> impl Iterator<Item = &[u64]> {
    keys.chunks(AT_ONCE)
}

/// Reads a little of each URL. The next reader of texts that are far apart in memory would wait for one
/// after the other; here, with nothing else in between, the machine fetches many at the same time.
pub(super) fn prefetch<'u>(urls: impl Iterator<Item = Option<&'u [u8]>>) {
    let ends = urls.map(|url| match url {
        Some([first, .., last]) => first ^ last,
        _ => 0,
    });
    black_box(ends.fold(0, |sum, ends| sum ^ ends));
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Counting sorts as comparing does.
        #[test]
        fn keys_are_sorted(
            origins in prop::collection::vec(prop_oneof![0..9_u64, 0..5_000_u64, 0..=MOST_ORIGIN], 0..99),
        ) {
            let keys: Vec<u64> = (0..).zip(origins).map(|(row, at)| at << ROW_BITS | row).collect();
            let mut expected = keys.clone();
            expected.sort_unstable();
            prop_assert_eq!(sort_by_origin(keys), expected);
        }
    }
}
