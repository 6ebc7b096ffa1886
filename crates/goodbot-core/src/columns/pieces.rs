//! Which rows are decided together: those of one part, or of several parts in no order.

use std::ops::Range;

use super::many::Urls;

/// The most rows that are decided together.
const ROWS_AT_ONCE: usize = 1 << 18;
/// The same of rows that are not sorted by origin: of more rows, more have the same origin.
const MIXED_AT_ONCE: usize = 1 << 22;
/// The fewest rows that a part is divided into.
const LEAST_ROWS: usize = 8_192;

/// The most bits that say which of the rows of a piece one is: its segment, and its place in that.
pub(super) const ROW_BITS: u32 = 24;

/// How many neighbours are compared to find out whether rows are sorted by origin.
const NEIGHBOURS: usize = 256;

/// Rows of one part.
pub(super) struct Segment {
    pub(super) part: usize,
    pub(super) rows: Range<usize>,
}

/// Rows that are decided together; those of several segments follow one another.
#[derive(Default)]
pub(super) struct Piece {
    pub(super) segments: Vec<Segment>,
    /// Whether the rows are in no order of origin.
    pub(super) is_mixed: bool,
}

impl Piece {
    /// Returns how many rows there are.
    pub(super) fn rows(&self) -> usize {
        self.segments.iter().map(|segment| segment.rows.len()).sum()
    }

    /// Returns where each segment begins among these rows.
    pub(super) fn firsts(&self) -> Vec<usize> {
        let mut next = 0;
        let first = |segment: &Segment| {
            next += segment.rows.len();
            next - segment.rows.len()
        };
        self.segments.iter().map(first).collect()
    }

    /// Returns how many rows the longest segment has.
    pub(super) fn longest(&self) -> usize {
        self.segments.iter().map(|segment| segment.rows.len()).max().unwrap_or(0)
    }

    /// Whether another segment can be decided together with these.
    fn takes(&self, is_mixed: bool, rows: usize, most: usize) -> bool {
        let is_alike = self.is_mixed && is_mixed;
        let can_be_ordered = || can_be_ordered(self.segments.len() + 1, self.longest().max(rows));
        self.segments.is_empty() || is_alike && self.rows() + rows <= most && can_be_ordered()
    }
}

/// Whether rows in a number of segments can be sorted, of which the longest has a number of rows.
fn can_be_ordered(segments: usize, longest: usize) -> bool {
    let bits = |count: usize| usize::BITS - count.saturating_sub(1).leading_zeros();
    bits(segments) + bits(longest) <= ROW_BITS
}

/// Whether neighbours often have different origins: some of them are compared.
pub fn are_mixed(urls: &impl Urls) -> bool {
    let origin = |row| urls.url(row).map(beginning);
    let step = (urls.length() / NEIGHBOURS).max(1);
    let seen = (0..urls.length()).step_by(step).filter(|row| row + 1 < urls.length());
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

/// Divides parts of columns among threads.
pub(super) fn divide<'u, U: Urls + 'u>(
    parts: impl Iterator<Item = &'u U>,
    rows: usize,
    threads: usize,
) -> Vec<Piece> {
    let share = rows.div_ceil(threads).max(LEAST_ROWS);
    let mut pieces = Vec::new();
    let mut open = Piece::default();
    for (part, urls) in parts.enumerate() {
        let length = urls.length();
        let is_mixed = are_mixed(urls);
        let most = share.min(if is_mixed { MIXED_AT_ONCE } else { ROWS_AT_ONCE });
        for first in (0..length).step_by(most) {
            let rows = first..length.min(first + most);
            if !open.takes(is_mixed, rows.len(), most) {
                pieces.push(std::mem::take(&mut open));
            }
            open.is_mixed = is_mixed;
            open.segments.push(Segment { part, rows });
        }
    }
    pieces.push(open);
    pieces.retain(|piece| !piece.segments.is_empty());
    pieces
}
