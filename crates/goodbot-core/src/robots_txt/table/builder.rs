//! A table that is being built.

use crate::dialect::{Dialect, Precedence, Tie};

use super::super::wildcard::Needed;
use super::codes::{ROOT, code_of};
use super::entries::{self, Narrow, Wide};
use super::few::Few;
use super::large::Large;
use super::rows::has_needed;
use super::{Indexed, Kept, Table, flag, is_wild};

/// The most rules without an index.
const MOST_IN_ROWS: usize = 64;

/// A table that is being built.
pub(crate) struct Builder {
    entries: Vec<Wide>,
    /// The code of each rule.
    codes: Vec<u8>,
    patterns: Vec<u8>,
    precedence: Precedence,
    tie: Tie,
}

impl Builder {
    /// Starts a table for about this many rules and bytes of patterns.
    pub(crate) fn new(dialect: &Dialect, rules: usize, octets: usize) -> Builder {
        Builder {
            entries: Vec::with_capacity(rules),
            codes: Vec::with_capacity(rules),
            patterns: Vec::with_capacity(octets),
            precedence: dialect.precedence,
            tie: dialect.tie,
        }
    }

    /// Returns where the pattern of the next rule will begin.
    pub(crate) fn next_start(&self) -> u32 {
        narrowed(self.patterns.len())
    }

    /// Adds a rule; `octets` is the length of its pattern as precedence counts it.
    pub(crate) fn push(&mut self, pattern: &[u8], flags: u16, line: u32, octets: usize) {
        let Some(code) = code_of(pattern, flags) else { return };
        let start = self.patterns.len();
        let kept = if code == ROOT { pattern } else { &pattern[1..] };
        if has_needed(flags) {
            self.patterns.extend_from_slice(&Needed::of(kept).to_bytes());
        }
        self.patterns.extend_from_slice(kept);
        let rank = self.rank(flags, line, octets);
        let flags = flags | if code == ROOT { 0 } else { flag::ROOTED };
        self.entries.push(Wide { start: narrowed(start), line, rank, flags });
        self.codes.push(code);
    }

    /// Returns the rank of a rule: of those that match, the lowest decides, and the earlier if
    /// ranks are equal.
    fn rank(&self, flags: u16, line: u32, octets: usize) -> u32 {
        let allow = flags & flag::ALLOW != 0;
        match self.precedence {
            Precedence::First => line,
            Precedence::AnyDisallow => u32::from(allow),
            Precedence::Conner => match (allow, is_wild(flags)) {
                (true, false) => 0,
                (false, _) => 1,
                (true, true) => 2,
            },
            Precedence::Longest => {
                let wins_tie = allow == (self.tie == Tie::Allow);
                let shortness = MOST_OCTETS - octets.min(MOST_OCTETS);
                (narrowed(shortness) << 1) | u32::from(!wins_tie)
            }
        }
    }

    pub(crate) fn finish(self) -> Table {
        self.finish_with(MOST_IN_ROWS)
    }

    pub(super) fn finish_with(self, most_in_rows: usize) -> Table {
        let (codes, patterns) = (&self.codes, &self.patterns);
        if self.entries.len() <= most_in_rows
            && let Some(few) = Few::new(codes, self.narrow(), patterns)
        {
            return Table { rules: Kept::Few(few) };
        }
        let fits = u16::try_from(patterns.len()).is_ok();
        let large = match self.narrow().collect::<Option<_>>().filter(|_| fits) {
            Some(entries) => Indexed::Narrow(Large::new(entries, self.codes, self.patterns)),
            None => Indexed::Wide(Large::new(self.entries, self.codes, self.patterns)),
        };
        let rules = Kept::Large(Box::new(large));
        Table { rules }
    }

    /// Iterates over the rules in the narrow form; `None` stands for one that does not fit it.
    fn narrow(&self) -> impl ExactSizeIterator<Item = Option<Narrow>> {
        self.entries.iter().map(|entry| narrow(*entry, self.precedence))
    }
}

/// The longest pattern whose length is distinguished from longer ones.
const MOST_OCTETS: usize = 0x7FFF_FFFF;
const MOST_NARROW_OCTETS: usize = 0x7FFF;

fn narrow(wide: Wide, precedence: Precedence) -> Option<Narrow> {
    // If lengths are ranks, they are counted down from the longest.
    let most = match precedence {
        Precedence::Longest => narrowed((MOST_OCTETS - MOST_NARROW_OCTETS) << 1),
        Precedence::First | Precedence::AnyDisallow | Precedence::Conner => 0,
    };
    let start = u16::try_from(wide.start).ok()?;
    let line = u16::try_from(wide.line).ok()?;
    let rank = u16::try_from(wide.rank.checked_sub(most)?).ok()?;
    Some(entries::narrow(start, line, rank, wide.flags))
}

/// Narrows a position or count within a text whose positions fit in 32 bits.
fn narrowed(value: usize) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}
