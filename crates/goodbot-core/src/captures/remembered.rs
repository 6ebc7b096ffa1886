//! What is remembered of a file while it is read: targets of redirects, originals of revisits, and
//! how much of each URL there is already.

use std::collections::hash_map::RandomState;
use std::collections::{HashMap, HashSet};
use std::hash::BuildHasher;

use libdeflater::crc32;

const BUCKETS: usize = 1 << 18;

/// What is remembered, within bounds.
pub struct Remembered {
    hasher: RandomState,
    /// Hashes of URLs.
    wanted: HashSet<u64>,
    originals: HashMap<Box<str>, u64>,
    most: usize,
    /// Bytes of answers by the hashes of their URLs.
    sizes: Vec<u64>,
    row: u64,
    most_of_one: u64,
}

impl Remembered {
    /// Starts with nothing.
    ///
    /// # Arguments
    ///
    /// - `most`: how many targets, and how many originals, are remembered.
    /// - `row`: how many bytes a row takes beside its body.
    /// - `most_of_one`: how many bytes of answers for one URL are kept.
    #[must_use]
    pub fn new(most: usize, row: u64, most_of_one: u64) -> Remembered {
        Remembered {
            hasher: RandomState::new(),
            wanted: HashSet::new(),
            originals: HashMap::new(),
            most,
            sizes: vec![0; BUCKETS],
            row,
            most_of_one,
        }
    }

    /// Begins another file; what was counted remains.
    pub fn begin(&mut self) {
        self.wanted.clear();
        self.originals.clear();
    }

    /// Remembers the target of a redirect.
    pub fn want(&mut self, key: &str) {
        if self.wanted.len() < self.most {
            self.wanted.insert(self.hasher.hash_one(key));
        }
    }

    /// Whether a redirect led to a URL.
    #[must_use]
    pub fn is_wanted(&self, key: &str) -> bool {
        !self.wanted.is_empty() && self.wanted.contains(&self.hasher.hash_one(key))
    }

    /// Remembers where the record is that has a content; nothing without a digest.
    pub fn add_original(&mut self, digest: &str, place: u64) {
        if !digest.is_empty() && self.originals.len() < self.most {
            self.originals.insert(digest.into(), place);
        }
    }

    /// Where the record is that has the content of a digest.
    #[must_use]
    pub fn original(&self, digest: &str) -> Option<u64> {
        self.originals.get(digest).copied()
    }

    /// Whether there is room for an answer.
    #[must_use]
    pub fn has_room(&self, key: &str, body: usize) -> bool {
        self.sizes[bucket(key)] + self.row + body as u64 <= self.most_of_one
    }

    /// Counts an answer; returns whether there was room for it.
    pub fn count(&mut self, key: &str, body: usize) -> bool {
        let size = &mut self.sizes[bucket(key)];
        *size += self.row + body as u64;
        *size <= self.most_of_one
    }
}

/// Returns the place of the size of a URL.
fn bucket(key: &str) -> usize {
    crc32(key.as_bytes()) as usize % BUCKETS
}
