//! What a path must contain for any of many patterns to match it, searched at once.
//!
//! Many files have rules like `Disallow: *jsessionid`, which may match every path. Each by itself would be
//! searched in each path, and few paths contain any of them.

use std::ops::RangeInclusive;

use aho_corasick::packed::Searcher;

use super::{Row, flag};

/// The fewest bytes that are worth a search: fewer are in many paths.
const SHORTEST: usize = 2;
/// How many bytes of each pattern are searched.
const LONGEST: usize = 16;
/// The fewest and the most patterns that are searched at once: the search for many finds too much.
const PATTERNS: RangeInclusive<usize> = 3..=64;

/// Returns what each path contains that a rule matches, besides how it begins; `None` if there is nothing.
pub(super) fn literal_of<'a>(row: &Row<'a>) -> Option<&'a [u8]> {
    let other = flag::SHELL | flag::OPENED | flag::ORIGIN;
    if row.flags & flag::WILD == 0 || row.flags & other != 0 {
        return None;
    }
    let pieces = row.kept.split(|byte| *byte == b'*').skip(1);
    let longest = pieces.max_by_key(|piece| piece.len())?;
    (longest.len() >= SHORTEST).then(|| &longest[..longest.len().min(LONGEST)])
}

/// The literals of some rules.
#[derive(Debug)]
pub(super) struct Literals {
    search: Searcher,
    /// Which rules need one of them.
    needing: Box<[bool]>,
}

impl Literals {
    /// Makes the search for the literals of rules, `None` for a rule that needs none; `None` if it is not
    /// worth while, or the processor cannot search for several texts at once.
    pub(super) fn new(literals: &[Option<&[u8]>]) -> Option<Literals> {
        let found: Vec<&[u8]> = literals.iter().flatten().copied().collect();
        if !PATTERNS.contains(&found.len()) {
            return None;
        }
        let needing = literals.iter().map(Option::is_some).collect();
        Some(Literals { search: Searcher::new(found)?, needing })
    }

    /// Whether a rule needs one of the literals.
    #[inline]
    pub(super) fn are_needed(&self, rule: usize) -> bool {
        self.needing.get(rule).copied().unwrap_or(false)
    }

    /// Whether a path contains any of them.
    #[inline]
    pub(super) fn are_in(&self, path: &[u8]) -> bool {
        self.search.find(path).is_some()
    }
}
