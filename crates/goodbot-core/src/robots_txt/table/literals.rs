//! What a path must contain for any of many patterns to match it, searched at once.
//!
//! Many files have rules like `Disallow: *jsessionid`, which may match every path. Each by itself would be
//! searched in each path, and few paths contain any of them.

use std::ops::RangeInclusive;

use aho_corasick::Span;
use aho_corasick::packed::{Config, MatchKind, Searcher};

use super::{Row, flag};

/// The fewest bytes that are worth a search: fewer are in many paths.
const SHORTEST: usize = 2;
/// How many bytes of each pattern are searched.
const LONGEST: usize = 16;
/// The fewest and the most patterns that are searched at once: the search for many finds too much, and
/// each has a bit.
const PATTERNS: RangeInclusive<usize> = 3..=u64::BITS as usize;
/// After how many places in a path all literals count as found: to find more takes longer than to try.
const MOST_PLACES: usize = 8;

/// The bits of all literals, also where they were not all searched.
pub(super) const ALL: u64 = u64::MAX;

/// What each path contains that a rule matches, besides how it begins.
#[derive(Clone, Copy)]
pub(super) struct Literal<'a> {
    pub(super) text: &'a [u8],
    /// Whether the rule matches every path that begins as its pattern does and contains the text.
    pub(super) suffices: bool,
}

/// Returns the literal of a rule; `None` if it has none.
pub(super) fn literal_of<'a>(row: &Row<'a>) -> Option<Literal<'a>> {
    let other = flag::SHELL | flag::OPENED | flag::ORIGIN;
    if row.flags & flag::WILD == 0 || row.flags & other != 0 {
        return None;
    }
    let pieces = row.kept.split(|byte| *byte == b'*').skip(1);
    let longest = pieces.max_by_key(|piece| piece.len())?;
    let text = &longest[..longest.len().min(LONGEST)];
    let is_all = match row.kept {
        [b'*', rest @ ..] => rest == text,
        // The slash with which the path begins counts once.
        [b'/', b'*', rest @ ..] => rest == text && text.first() != Some(&b'/'),
        _ => false,
    };
    let suffices = is_all && row.flags & flag::WHOLE == 0;
    (text.len() >= SHORTEST).then_some(Literal { text, suffices })
}

/// The literals of some rules.
#[derive(Debug)]
pub(super) struct Literals {
    search: Searcher,
    /// For each literal the bits of those with which it begins, its own among them.
    beginnings: Box<[u64]>,
}

impl Literals {
    /// Makes the search for the literals of rules, `None` for a rule that needs none, and returns it with
    /// the bit of the literal that each needs, 0 for none; `None` if it is not worth while, or the processor
    /// cannot search for several texts at once.
    pub(super) fn new(literals: &[Option<&[u8]>]) -> Option<(Literals, Vec<u64>)> {
        let mut texts: Vec<&[u8]> = literals.iter().flatten().copied().collect();
        texts.sort_unstable();
        texts.dedup();
        if !PATTERNS.contains(&texts.len()) {
            return None;
        }
        let bit = |text: &&[u8]| texts.binary_search(text).map_or(0, |place| 1 << place);
        let beginnings = texts.iter().map(|text| {
            let others = texts.iter().filter(|other| text.starts_with(other));
            others.fold(0, |bits, other| bits | bit(other))
        });
        // The longest, since it says which others begin at the same place.
        let mut search = Config::new().match_kind(MatchKind::LeftmostLongest).builder();
        let search = search.extend(&texts).build()?;
        let needed = literals.iter().map(|text| text.as_ref().map_or(0, bit));
        Some((Literals { search, beginnings: beginnings.collect() }, needed.collect()))
    }

    /// Returns the bits of the literals that a path contains; of a path with very many, all bits.
    #[inline]
    pub(super) fn within(&self, path: &[u8]) -> u64 {
        let mut bits = 0;
        let mut start = 0;
        for _ in 0..MOST_PLACES {
            let Some(found) = self.search.find_in(path, Span { start, end: path.len() }) else {
                return bits;
            };
            bits |= self.beginnings[found.pattern().as_usize()];
            start = found.start() + 1;
        }
        ALL
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// What is in a path is found, also where literals overlap or begin alike.
        #[test]
        fn all_are_found(
            literals in prop::collection::vec(prop::option::of("[ab/]{2,4}"), 3..12),
            path in "/[ab/]{0,20}",
        ) {
            let texts: Vec<Option<&[u8]>> =
                literals.iter().map(|text| text.as_deref().map(str::as_bytes)).collect();
            let Some((search, needed)) = Literals::new(&texts) else { return Ok(()) };
            let within = search.within(path.as_bytes());
            for (needed, text) in needed.into_iter().zip(&literals) {
                let Some(text) = text else { prop_assert_eq!(needed, 0); continue };
                let is_found = within & needed != 0;
                prop_assert!(is_found == path.contains(text) || within == ALL);
            }
        }
    }
}
