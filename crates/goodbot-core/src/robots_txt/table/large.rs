//! The rules of a large table, and their index, which is made once enough URLs were checked.
//!
//! Most rules are asked about a few URLs. Until an index has paid, all rules are tried whose patterns may
//! begin as the path does: each check costs more, but nothing is sorted, and no index is kept.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::packed::Packed;

use super::codes::ROOT;
use super::entries::Entry;
use super::index::{Index, Place, order};
use super::rows::Rows;
use super::{Asked, Deciding};

/// How many rules are tried, for each rule of the table, before an index is made: it costs about as much.
const TRIES_WORTH_AN_INDEX: usize = 4;

/// How many codes are compared at the cost of trying one rule.
const CODES_FOR_A_TRY: usize = 64;

/// Many rules, in the order of the file.
#[derive(Debug)]
pub(super) struct Large<E, P> {
    entries: Box<[E]>,
    /// The code of each rule.
    codes: Box<[u8]>,
    patterns: Box<[u8]>,
    tries: AtomicU32,
    index: OnceLock<Box<Index<P>>>,
}

impl<E: Entry, P: Place> Large<E, P> {
    /// Makes the table of rules with their codes and patterns.
    pub(super) fn new(entries: Vec<E>, codes: Vec<u8>, patterns: Vec<u8>) -> Large<E, P> {
        Large {
            entries: entries.into(),
            codes: codes.into(),
            patterns: patterns.into(),
            tries: AtomicU32::new(0),
            index: OnceLock::new(),
        }
    }

    /// Returns the rules.
    #[inline]
    pub(super) fn rows(&self) -> Rows<'_, E> {
        Rows { entries: &self.entries, patterns: &self.patterns }
    }

    /// Returns the rule that decides.
    #[inline]
    pub(super) fn decide(
        &self,
        codes: (u8, u8),
        asked: &Asked<'_>,
        for_origin: &impl Fn(u32) -> bool,
    ) -> Option<Deciding> {
        let rows = self.rows();
        let matches = |place| rows.matches(place, asked, for_origin);
        rows.deciding(self.first(asked.paths.plain, codes, matches)?)
    }

    /// Returns the place of the rule that decides; `matches` says whether a rule does that is not plain.
    #[inline]
    fn first(
        &self,
        path: &[u8],
        codes: (u8, u8),
        matches: impl Fn(usize) -> bool,
    ) -> Option<usize> {
        match self.index() {
            Some(index) => index.first((&self.entries, &self.patterns), path, codes, matches),
            None => self.first_of_all(codes, matches),
        }
    }

    /// Returns the index, if it is due.
    #[inline]
    fn index(&self) -> Option<&Index<P>> {
        if let Some(index) = self.index.get() {
            return Some(index);
        }
        let due = self.entries.len().saturating_mul(TRIES_WORTH_AN_INDEX);
        if (self.tries.load(Ordering::Relaxed) as usize) < due {
            return None;
        }
        Some(self.make_index())
    }

    #[cold]
    fn make_index(&self) -> &Index<P> {
        self.index.get_or_init(|| Box::new(Index::new(&self.entries, &self.codes, &self.patterns)))
    }

    /// Returns the same by trying all rules whose codes fit.
    fn first_of_all(
        &self,
        (one, other): (u8, u8),
        matches: impl Fn(usize) -> bool,
    ) -> Option<usize> {
        let mut best: Option<usize> = None;
        let mut tries = self.codes.len() / CODES_FOR_A_TRY;
        for place in memchr::memchr3_iter(ROOT, one, other, &self.codes) {
            tries += 1;
            let is_better =
                best.is_none_or(|best| order(&self.entries, place) < order(&self.entries, best));
            if is_better && matches(place) {
                best = Some(place);
            }
        }
        // What is lost when two threads count at once only makes the index later.
        let before = self.tries.load(Ordering::Relaxed);
        let tries = u32::try_from(tries).unwrap_or(u32::MAX);
        self.tries.store(before.saturating_add(tries), Ordering::Relaxed);
        best
    }
}

/// The index follows from the rules.
impl<E: PartialEq, P> PartialEq for Large<E, P> {
    fn eq(&self, other: &Large<E, P>) -> bool {
        self.entries == other.entries
            && self.codes == other.codes
            && self.patterns == other.patterns
    }
}

impl<E: Entry + Packed, P: Place> Packed for Large<E, P> {
    fn pack(&self, into: &mut Vec<u8>) {
        self.entries.pack(into);
        self.codes.pack(into);
        self.patterns.pack(into);
    }

    fn unpack(from: &mut &[u8]) -> Option<Self> {
        let (entries, codes) = Packed::unpack(from)?;
        Some(Large::new(entries, codes, Packed::unpack(from)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::robots_txt::table::entries::Wide;

    #[test]
    fn an_index_is_made_once_it_pays() {
        let entries = (0..100).map(|line| Wide { start: 0, line, rank: line, flags: 0 }).collect();
        let large: Large<Wide, u32> = Large::new(entries, vec![ROOT; 100], Vec::new());
        let checks = |count| {
            for _ in 0..count {
                assert_eq!(large.first(b"/", (ROOT, ROOT), |place| place > 2), Some(3));
            }
        };
        checks(TRIES_WORTH_AN_INDEX - 1);
        assert!(large.index.get().is_none());
        checks(2);
        assert!(large.index.get().is_some());
    }
}
