//! A rule as the table has it, in the order of the file.

use std::ops::Range;

use crate::packed::{Packed, packed};

/// A rule, as the matching engine sees it.
pub(super) trait Entry: Copy {
    fn line(self) -> u32;
    fn rank(self) -> u32;
    fn flags(self) -> u16;
    fn start(self) -> u32;

    /// Returns where the pattern of a rule is stored: the next rule's begins where this one's ends.
    #[inline]
    fn span(entries: &[Self], place: usize, length: usize) -> Range<usize> {
        let end = entries.get(place + 1).map_or(length, |next| next.start() as usize);
        entries[place].start() as usize..end
    }
}

/// A rule in 8 bytes: start, line, rank and flags, in two bytes each. It suffices for almost every file,
/// and may stand anywhere in a block of memory.
pub(super) type Narrow = [u8; NARROW];

/// The bytes of a narrow rule.
pub(super) const NARROW: usize = 8;

/// Returns a rule in the narrow form.
pub(super) fn narrow(start: u16, line: u16, rank: u16, flags: u16) -> Narrow {
    let mut entry = [0; NARROW];
    for (bytes, value) in entry.chunks_exact_mut(2).zip([start, line, rank, flags]) {
        bytes.copy_from_slice(&value.to_le_bytes());
    }
    entry
}

/// A rule in 16 bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Wide {
    pub(super) start: u32,
    pub(super) line: u32,
    pub(super) rank: u32,
    pub(super) flags: u16,
}

impl Entry for Narrow {
    #[inline]
    fn start(self) -> u32 {
        u32::from(u16::from_le_bytes([self[0], self[1]]))
    }
    #[inline]
    fn line(self) -> u32 {
        u32::from(u16::from_le_bytes([self[2], self[3]]))
    }
    #[inline]
    fn rank(self) -> u32 {
        u32::from(u16::from_le_bytes([self[4], self[5]]))
    }
    #[inline]
    fn flags(self) -> u16 {
        u16::from_le_bytes([self[6], self[7]])
    }
}

impl Entry for Wide {
    #[inline]
    fn line(self) -> u32 {
        self.line
    }
    #[inline]
    fn rank(self) -> u32 {
        self.rank
    }
    #[inline]
    fn flags(self) -> u16 {
        self.flags
    }
    #[inline]
    fn start(self) -> u32 {
        self.start
    }
}

impl Packed for Narrow {
    fn pack(&self, into: &mut Vec<u8>) {
        into.extend_from_slice(self);
    }

    fn unpack(from: &mut &[u8]) -> Option<Self> {
        let (entry, rest) = from.split_first_chunk()?;
        *from = rest;
        Some(*entry)
    }
}

packed!(Wide { start, line, rank, flags });
