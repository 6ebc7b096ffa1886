//! Numbers in memory for URLs that were met lately (`goodbot.crawl.frontier.known_urls`).

use std::collections::HashMap;
use std::hash::{BuildHasher, BuildHasherDefault, Hasher, RandomState};

use pyo3::prelude::*;

/// What stands for a URL: 128 bits that nobody can foresee, so that no two URLs have the same.
type Key = (u64, u64);

/// The numbers of URLs, of which those that were met longest ago are dropped when there are too many.
#[pyclass(subclass, module = "goodbot._core")]
pub(crate) struct KnownUrls {
    secrets: [RandomState; 2],
    /// Those that were met lately.
    new: HashMap<Key, i64, BuildHasherDefault<KeyHasher>>,
    /// Those that were met before, if not since.
    old: HashMap<Key, i64, BuildHasherDefault<KeyHasher>>,
    /// How many each of them holds.
    most: usize,
}

impl KnownUrls {
    /// Returns the number of a URL, which counts as met now.
    pub(crate) fn meet(&mut self, url: &str) -> Option<i64> {
        let key = self.key(url);
        if let Some(number) = self.new.get(&key) {
            return Some(*number);
        }
        let number = self.old.remove(&key)?;
        self.insert(key, number);
        Some(number)
    }

    fn key(&self, url: &str) -> Key {
        let [one, two] = &self.secrets;
        (one.hash_one(url), two.hash_one(url))
    }

    fn insert(&mut self, key: Key, number: i64) {
        if self.new.len() >= self.most && !self.new.contains_key(&key) {
            std::mem::swap(&mut self.new, &mut self.old);
            self.new.clear();
        }
        self.new.insert(key, number);
    }
}

#[pymethods]
impl KnownUrls {
    #[new]
    fn new(most: usize) -> KnownUrls {
        KnownUrls {
            secrets: [RandomState::new(), RandomState::new()],
            new: HashMap::default(),
            old: HashMap::default(),
            most,
        }
    }

    fn __setitem__(&mut self, url: &str, number: i64) {
        let key = self.key(url);
        self.old.remove(&key);
        self.insert(key, number);
    }

    fn get(&mut self, url: &str) -> Option<i64> {
        self.meet(url)
    }

    /// Drop all.
    fn clear(&mut self) {
        self.new.clear();
        self.old.clear();
    }
}

/// The hash of a key is its second half: it is one already.
#[derive(Default)]
struct KeyHasher(u64);

impl Hasher for KeyHasher {
    fn write(&mut self, _: &[u8]) {
        unreachable!("a key is two numbers");
    }

    fn write_u64(&mut self, value: u64) {
        self.0 = value;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}
