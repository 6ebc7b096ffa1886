//! A rule as the table has it, in the order of the file.

use std::ops::Range;

use crate::packed::packed;

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

/// A rule in 8 bytes: it suffices for almost every file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Narrow {
    pub(super) start: u16,
    pub(super) line: u16,
    pub(super) rank: u16,
    pub(super) flags: u16,
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
    fn line(self) -> u32 {
        u32::from(self.line)
    }
    #[inline]
    fn rank(self) -> u32 {
        u32::from(self.rank)
    }
    #[inline]
    fn flags(self) -> u16 {
        self.flags
    }
    #[inline]
    fn start(self) -> u32 {
        u32::from(self.start)
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

packed!(Narrow { start, line, rank, flags });
packed!(Wide { start, line, rank, flags });
