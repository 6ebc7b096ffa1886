//! Few rules, in one block of memory: a check of a file that was not asked about for a while then waits
//! for few lines of memory, and many files that are kept take less of it.

use crate::packed::Packed;

use super::codes::{ROOT, ROW, candidates};
use super::entries::{Entry, NARROW, Narrow};
use super::rows::Rows;
use super::{Asked, Deciding};

/// The size of the number of rules.
const COUNT: usize = 1;

/// Few rules.
#[derive(Debug, PartialEq)]
pub(super) struct Few {
    /// How many rules there are, in a byte; their codes, padded to whole rows; the rules; their patterns.
    block: Box<[u8]>,
}

/// What a block consists of.
struct Parts<'a> {
    codes: &'a [u8],
    entries: &'a [Narrow],
    patterns: &'a [u8],
}

impl Few {
    /// Joins rules with their codes and patterns; `None` if they do not fit the narrow form.
    pub(super) fn new(
        codes: &[u8],
        entries: impl ExactSizeIterator<Item = Option<Narrow>>,
        patterns: &[u8],
    ) -> Option<Few> {
        u16::try_from(patterns.len()).ok()?;
        let count = entries.len();
        let before = COUNT + count.next_multiple_of(ROW);
        let mut block = Vec::with_capacity(before + count * NARROW + patterns.len());
        block.push(u8::try_from(count).ok()?);
        block.extend_from_slice(codes);
        block.resize(before, ROOT);
        for entry in entries {
            block.extend_from_slice(&entry?);
        }
        block.extend_from_slice(patterns);
        Some(Few { block: block.into() })
    }

    /// Returns how many bytes it takes in memory besides its own, with those of the allocator.
    pub(super) fn size(&self) -> usize {
        self.block.len() + 2 * size_of::<usize>()
    }

    /// Reads its beginning and its middle.
    #[inline]
    pub(super) fn prefetch(&self) -> u8 {
        let middle = self.block.get(self.block.len() / 2).copied().unwrap_or_default();
        self.block.first().copied().unwrap_or_default() ^ middle
    }

    #[inline]
    fn parts(&self) -> Parts<'_> {
        let (count, rest) = self.block.split_first().unwrap_or((&0, &[]));
        let count = usize::from(*count);
        let (codes, rest) = rest.split_at(count.next_multiple_of(ROW));
        let (entries, patterns) = rest.split_at(count * NARROW);
        Parts { codes, entries: entries.as_chunks().0, patterns }
    }

    /// Returns the rules.
    #[inline]
    pub(super) fn rows(&self) -> Rows<'_, Narrow> {
        let Parts { entries, patterns, .. } = self.parts();
        Rows { entries, patterns }
    }

    /// Returns the rule that decides: all are tried whose codes are those of the path.
    #[inline]
    pub(super) fn decide(
        &self,
        codes: (u8, u8),
        asked: &Asked<'_>,
        for_origin: &impl Fn(u32) -> bool,
    ) -> Option<Deciding> {
        let Parts { codes: rows_of_codes, entries, patterns } = self.parts();
        let rows = Rows { entries, patterns };
        let mut best = (u32::MAX, usize::MAX);
        for (row, found) in rows_of_codes.chunks_exact(ROW).enumerate() {
            let mut found = candidates(found, codes);
            while found != 0 {
                let place = row * ROW + found.trailing_zeros() as usize / 8;
                found &= found - 1;
                // The padding of the last row is not a rule.
                let Some(entry) = entries.get(place) else { break };
                if entry.rank() < best.0 && rows.matches(place, asked, for_origin) {
                    best = (entry.rank(), place);
                }
            }
        }
        rows.deciding(best.1)
    }
}

impl Packed for Few {
    fn pack(&self, into: &mut Vec<u8>) {
        self.block.pack(into);
    }

    fn unpack(from: &mut &[u8]) -> Option<Self> {
        let block: Box<[u8]> = Packed::unpack(from)?;
        let (count, rest) = block.split_first()?;
        let count = usize::from(*count);
        let is_whole = rest.len() >= count.next_multiple_of(ROW) + count * NARROW;
        is_whole.then_some(Few { block })
    }
}
