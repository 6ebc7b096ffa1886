//! The states of a search: each is kept once, with the letter and the state that led to it.

use std::hash::{BuildHasher, Hasher};

/// The most bytes that the states of a search take.
pub(super) const MOST_BYTES: usize = 48 << 20;

/// How many steps it takes to keep a state.
pub(super) const STATE_COST: usize = 12;

/// A state: a sequence of numbers, whose meaning is the search's.
pub(super) type Words = [u32];

/// How a state was reached.
#[derive(Clone, Copy, Debug)]
struct Origin {
    /// Where its words begin and end.
    start: u32,
    end: u32,
    parent: u32,
    letter: u16,
}

/// The states found so far, in the order in which they were found.
#[derive(Debug)]
pub(super) struct States {
    words: Vec<u32>,
    origins: Vec<Origin>,
    /// The states by their hash: open addressing; 0 is free, others are a state's number plus one.
    table: Vec<u32>,
    hasher: std::hash::BuildHasherDefault<Fold>,
}

/// A hash of numbers that multiplies and folds; states are no secret, and their number is bounded.
#[derive(Debug, Default)]
pub(super) struct Fold(u64);

impl Hasher for Fold {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u32(u32::from(*byte));
        }
    }

    fn write_u32(&mut self, value: u32) {
        let mixed = (self.0 ^ u64::from(value)).wrapping_add(0x9E37_79B9_7F4A_7C15);
        let product = mixed.wrapping_mul(0xD6E8_FEB8_6659_FD93);
        self.0 = product ^ product >> 32;
    }
}

/// The number of the first state.
pub(super) const FIRST: u32 = 0;

impl States {
    pub(super) fn new() -> States {
        States {
            words: Vec::new(),
            origins: Vec::new(),
            table: vec![0; 1 << 8],
            hasher: std::hash::BuildHasherDefault::default(),
        }
    }

    /// Returns the number of states.
    pub(super) fn len(&self) -> usize {
        self.origins.len()
    }

    /// Returns the memory that the states take, in bytes.
    pub(super) fn memory(&self) -> usize {
        self.words.capacity() * size_of::<u32>()
            + self.origins.capacity() * size_of::<Origin>()
            + self.table.capacity() * size_of::<u32>()
    }

    /// Returns a state.
    pub(super) fn words(&self, state: u32) -> &Words {
        let Origin { start, end, .. } = self.origins[state as usize];
        &self.words[start as usize..end as usize]
    }

    /// Adds a state, unless it is known.
    pub(super) fn add(&mut self, words: impl Iterator<Item = u32>, parent: u32, letter: u16) {
        let start = self.words.len();
        self.words.extend(words);
        let mut slot = self.slot(&self.words[start..]);
        while let Some(known) = self.table[slot].checked_sub(1) {
            if self.words(known) == &self.words[start..] {
                self.words.truncate(start);
                return;
            }
            slot = (slot + 1) % self.table.len();
        }
        let (start, end) = (index(start), index(self.words.len()));
        self.origins.push(Origin { start, end, parent, letter });
        self.table[slot] = index(self.origins.len());
        if self.origins.len() * 2 > self.table.len() {
            self.grow();
        }
    }

    /// Returns the letters that lead from the first state to another.
    pub(super) fn path(&self, state: u32) -> Vec<u16> {
        let mut letters = Vec::new();
        let mut state = state;
        while state != FIRST {
            let origin = self.origins[state as usize];
            letters.push(origin.letter);
            state = origin.parent;
        }
        letters.reverse();
        letters
    }

    fn slot(&self, words: &Words) -> usize {
        let mut hasher = self.hasher.build_hasher();
        for word in words {
            hasher.write_u32(*word);
        }
        // The table's length is a power of two.
        let low = u32::try_from(hasher.finish() & u64::from(u32::MAX)).unwrap_or(0);
        low as usize & (self.table.len() - 1)
    }

    fn grow(&mut self) {
        let most = self.table.len() * 2;
        // The old table is dropped first.
        self.table = Vec::new();
        self.table.resize(most, 0);
        for state in 0..index(self.origins.len()) {
            let mut slot = self.slot(self.words(state));
            while self.table[slot] != 0 {
                slot = (slot + 1) % self.table.len();
            }
            self.table[slot] = state + 1;
        }
    }
}

/// Numbers of states and their words fit in 32 bits, because the memory for them is bounded.
fn index(value: usize) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}
