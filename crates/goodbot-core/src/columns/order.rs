//! The order in which rows are decided: those of one origin one after the other.
//!
//! To look up an origin and to read its rules takes longer than to decide a URL. Rows in no order are
//! sorted by a hash of how their URLs begin; whatever the order, the answers are the same.

use std::hint::black_box;
use std::ops::Range;

use super::index::Hasher;
use super::many::Urls;
use super::verdicts::Times;

/// The bits of a key that are the number of a row; the others are those of a hash.
const ROW_BITS: u32 = 24;

/// The most rows that are sorted together.
pub(super) const MOST_ROWS: usize = 1 << ROW_BITS;

/// How many neighbours are compared to find out whether rows are sorted by origin.
const NEIGHBOURS: usize = 256;

/// How many rows are fetched from memory at once.
const AT_ONCE: usize = 64;

/// Returns rows by their origin, so that each origin is looked up once; `None` if neighbours mostly have
/// the same origin anyway, or if there are too many rows.
///
/// Backwards, the origins come in the opposite order: what was compiled last is needed first. In the
/// same order again and again, a store with too little room would drop each file just before it is needed.
pub(super) fn grouped<U: Urls>(
    urls: &U,
    rows: Range<usize>,
    is_backwards: bool,
) -> Option<Grouped> {
    if rows.len() > MOST_ROWS || !is_mixed(urls, &rows) {
        return None;
    }
    let hasher = Hasher::new();
    let first = rows.start;
    let key = |row: usize| {
        let hash = hasher.hash(beginning(urls.url(row).unwrap_or_default()));
        let hash = if is_backwards { !hash } else { hash };
        (hash >> ROW_BITS << ROW_BITS) | (row - first) as u64
    };
    let mut keys: Vec<u64> = rows.map(key).collect();
    keys.sort_unstable();
    Some(Grouped { keys, first })
}

/// Rows in the order in which they are decided.
pub(super) struct Grouped {
    keys: Vec<u64>,
    first: usize,
}

impl Grouped {
    /// Iterates over the keys of rows that are fetched from memory together.
    pub(super) fn parts(&self) -> impl Iterator<Item = &[u64]> {
        self.keys.chunks(AT_ONCE)
    }

    /// Returns the row of a key.
    #[inline]
    pub(super) fn row(&self, key: u64) -> usize {
        self.first + usize::try_from(key % MOST_ROWS as u64).unwrap_or(0)
    }

    /// Iterates over the rows of a part whose URLs begin otherwise than those before them.
    pub(super) fn firsts(&self, part: &[u64]) -> impl Iterator<Item = usize> {
        let runs = part.chunk_by(|one, other| one >> ROW_BITS == other >> ROW_BITS);
        runs.filter_map(|run| run.first().map(|key| self.row(*key)))
    }
}

/// Whether neighbours often have different origins.
pub(super) fn is_mixed<U: Urls>(urls: &U, rows: &Range<usize>) -> bool {
    let origin = |row| urls.url(row).map(beginning);
    let step = (rows.len() / NEIGHBOURS).max(1);
    let seen = rows.clone().step_by(step).filter(|row| row + 1 < rows.end);
    let (count, changes) = seen.fold((0, 0), |(count, changes), row| {
        (count + 1, changes + usize::from(origin(row) != origin(row + 1)))
    });
    changes * 4 > count
}

/// Returns how a URL begins, up to its path: most URLs of one origin begin alike.
#[inline]
pub(super) fn beginning(url: &[u8]) -> &[u8] {
    let authority = "https://".len().min(url.len());
    let length = memchr::memchr(b'/', &url[authority..]);
    length.map_or(url, |length| &url[..authority + length])
}

/// Reads a little of each row. The next reader of rows that are far apart in memory would wait for one
/// after the other; here the machine fetches several at the same time.
pub(super) fn touch<U: Urls, T: Times>(
    urls: &U,
    times: Option<&T>,
    rows: impl Iterator<Item = usize>,
) {
    let mut sum = 0;
    for row in rows {
        if let Some([first, .., last]) = urls.url(row) {
            sum ^= i64::from(first ^ last);
        }
        sum ^= times.and_then(|times| times.time(row)).unwrap_or(0);
    }
    black_box(sum);
}
