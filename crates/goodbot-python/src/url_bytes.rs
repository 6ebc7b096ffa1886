//! A byte in memory for each URL, by its number (`goodbot.crawl.folder.url_bytes`).

use std::collections::{HashMap, HashSet};

use pyo3::prelude::*;

/// How many bits of a number are its place in a piece.
const PIECE_BITS: u32 = 8;
const PIECE: usize = 1 << PIECE_BITS;

/// A byte for each URL, 0 unless it was set.
#[pyclass(subclass, module = "goodbot._core")]
pub(crate) struct UrlBytes {
    pieces: HashMap<i64, Box<[u8; PIECE]>>,
    most_pieces: usize,
    /// Whether bytes were not stored for lack of room, so that nothing is known of any URL.
    #[pyo3(get)]
    is_full: bool,
}

impl UrlBytes {
    fn byte(&self, url_id: i64) -> u8 {
        self.pieces.get(&(url_id >> PIECE_BITS)).map_or(0, |piece| piece[place(url_id)])
    }
}

#[pymethods]
impl UrlBytes {
    #[new]
    fn new(most_pieces: usize) -> UrlBytes {
        UrlBytes { pieces: HashMap::new(), most_pieces, is_full: false }
    }

    fn __getitem__(&self, url_id: i64) -> u8 {
        self.byte(url_id)
    }

    fn __setitem__(&mut self, url_id: i64, value: u8) {
        let number = url_id >> PIECE_BITS;
        if !self.pieces.contains_key(&number) {
            if self.pieces.len() >= self.most_pieces {
                self.pieces.clear();
                self.is_full = true;
            }
            if self.is_full {
                return;
            }
        }
        self.pieces.entry(number).or_insert_with(|| Box::new([0; PIECE]))[place(url_id)] = value;
    }

    /// Return the URLs, each once, whose byte is neither `value` nor 0, and those of byte 0 whose
    /// number is at most `last`. A negative number is that of a URL of another process.
    fn unlike(&self, url_ids: Vec<i64>, value: u8, last: i64) -> Vec<i64> {
        let mut known = HashSet::new();
        let is_unlike = |url_id: &i64| match self.byte(*url_id) {
            0 => (0..=last).contains(url_id),
            byte => byte != value,
        };
        let found = url_ids.into_iter().filter(is_unlike);
        found.filter(|url_id| known.insert(*url_id)).collect()
    }

    /// Set all bytes to 0.
    fn clear(&mut self) {
        self.pieces.clear();
        self.is_full = false;
    }
}

/// Returns the place of a URL in its piece.
fn place(url_id: i64) -> usize {
    usize::from(url_id.to_le_bytes()[0])
}
