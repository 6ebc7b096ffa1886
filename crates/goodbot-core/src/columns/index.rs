//! From an origin to its policies, for many questions: a table of hashes.

use std::hash::{BuildHasher, RandomState};

/// Where the policies of each origin begin, by the hash of the origin.
pub(super) struct Index {
    /// Where each origin begins; at last, where the last one ends.
    starts: Vec<usize>,
    /// Half a hash, and the number of an origin plus 1; 0 is free. At most half of the slots are used.
    slots: Vec<(u32, u32)>,
}

impl Index {
    /// Makes the index of sorted origins; `None` if they are too many to number.
    pub(super) fn new<'a>(
        length: usize,
        origin: impl Fn(usize) -> &'a [u8],
        hash: impl Fn(&[u8]) -> u64,
    ) -> Option<Index> {
        let mut starts = Vec::new();
        for place in 0..length {
            if place == 0 || origin(place) != origin(place - 1) {
                starts.push(place);
            }
        }
        u32::try_from(starts.len() + 1).ok()?;
        let mut slots = vec![(0, 0); (starts.len() * 2).next_power_of_two()];
        for (number, start) in (1..).zip(&starts) {
            let (mut slot, tag) = split(hash(origin(*start)), slots.len());
            while slots[slot].1 != 0 {
                slot = (slot + 1) & (slots.len() - 1);
            }
            slots[slot] = (tag, number);
        }
        starts.push(length);
        Some(Index { starts, slots })
    }

    /// Returns the number of the origin that has a hash, most likely; numbers follow the order of the
    /// table. `None` if no origin has it.
    #[inline]
    pub(super) fn likely(&self, hash: u64) -> Option<u32> {
        let (mut slot, tag) = split(hash, self.slots.len());
        loop {
            match self.slots[slot] {
                (_, 0) => return None,
                (other, number) if other == tag => return Some(number - 1),
                _ => slot = (slot + 1) & (self.slots.len() - 1),
            }
        }
    }

    /// Returns the places of the policies of an origin by its number.
    #[inline]
    pub(super) fn places(&self, number: u64) -> Option<std::ops::Range<usize>> {
        let number = usize::try_from(number).ok()?;
        Some(*self.starts.get(number)?..*self.starts.get(number + 1)?)
    }

    /// Returns the places of an origin's policies.
    #[inline]
    pub(super) fn find<'a>(
        &self,
        hash: u64,
        sought: &[u8],
        origin: impl Fn(usize) -> &'a [u8],
    ) -> std::ops::Range<usize> {
        let (mut slot, tag) = split(hash, self.slots.len());
        loop {
            let (other, number) = self.slots[slot];
            if number == 0 {
                return 0..0;
            }
            if other == tag {
                let number = number as usize;
                let start = self.starts[number - 1];
                if origin(start) == sought {
                    return start..self.starts[number];
                }
            }
            slot = (slot + 1) & (self.slots.len() - 1);
        }
    }
}

/// Returns the first slot of a hash, and what is kept of the hash.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "both are parts of the hash")]
fn split(hash: u64, slots: usize) -> (usize, u32) {
    ((hash as usize) & (slots - 1), (hash >> 32) as u32)
}

/// A hash with a secret, so that no list of origins makes the table slow. A few multiplications: the
/// hash of the standard library takes a multiple of what a look-up costs otherwise.
pub(super) struct Hasher {
    secrets: [u64; 2],
}

impl Hasher {
    pub(super) fn new() -> Hasher {
        let random = RandomState::new();
        Hasher { secrets: [random.hash_one(0), random.hash_one(1) | 1] }
    }

    #[inline]
    pub(super) fn hash(&self, text: &[u8]) -> u64 {
        let [mut hash, secret] = self.secrets;
        let mut chunks = text.chunks_exact(8);
        for chunk in &mut chunks {
            let word = chunk.first_chunk().copied().map_or(0, u64::from_le_bytes);
            hash = folded(hash ^ word, secret);
        }
        let mut last = [0; 8];
        let rest = chunks.remainder();
        last[..rest.len()].copy_from_slice(rest);
        hash = folded(hash ^ u64::from_le_bytes(last), secret);
        folded(hash ^ text.len() as u64, self.secrets[0])
    }
}

/// Returns both halves of a product, combined.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "both halves are used")]
pub(super) fn folded(one: u64, other: u64) -> u64 {
    let product = u128::from(one) * u128::from(other);
    (product as u64) ^ ((product >> 64) as u64)
}
