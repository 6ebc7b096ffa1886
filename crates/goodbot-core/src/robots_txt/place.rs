//! Rules put in their places: sorted, ranked, and made small.

use crate::dialect::{Dialect, Precedence, Tie};

use super::rules::{Entries, Index, Narrow, SET, Wide, flag, has_set};
use super::wildcard;

/// A rule before it has its place.
pub(crate) struct Draft {
    /// 0 if it could begin anyhow, else its second octet plus one.
    pub(crate) run: u16,
    pub(crate) flags: u16,
    pub(crate) rank: u32,
    pub(crate) line: u32,
    /// Where its pattern is: in the text, or in the rewritten patterns.
    pub(crate) start: u32,
    pub(crate) length: u32,
    pub(crate) rewritten: bool,
}

impl Draft {
    /// What drafts are sorted by: run, rank, line.
    fn order(&self) -> u128 {
        u128::from(self.run) << 64 | u128::from(self.rank) << 32 | u128::from(self.line)
    }

    fn pattern<'t>(&self, text: &'t [u8], rewritten: &'t [u8]) -> &'t [u8] {
        let source = if self.rewritten { rewritten } else { text };
        &source[self.start as usize..][..self.length as usize]
    }
}

/// Gives every rule its place; most files fit the narrow form.
pub(crate) fn place(
    drafts: &mut [Draft],
    text: &[u8],
    rewritten: &[u8],
    dialect: &Dialect,
) -> (Entries, Index, Box<[u8]>) {
    drafts.sort_unstable_by_key(Draft::order);
    let kept = |draft: &Draft| draft.length as usize + if has_set(draft.flags) { SET } else { 0 };
    let length = drafts.iter().map(kept).sum();
    let mut patterns = Vec::with_capacity(length);
    let mut index = Index::default();
    let mut starts = Vec::new();
    let mut last = 0;
    let mut offsets = Vec::with_capacity(drafts.len());
    for (place, draft) in drafts.iter().enumerate() {
        if draft.run != last {
            let octet = draft.run - 1;
            index.octets[usize::from(octet >> 6)] |= 1 << (octet & 63);
            starts.push(narrowed(place));
            last = draft.run;
        }
        offsets.push(narrowed(patterns.len()));
        let pattern = draft.pattern(text, rewritten);
        if has_set(draft.flags) {
            patterns.extend_from_slice(&wildcard::needed(pattern).to_le_bytes());
        }
        patterns.extend_from_slice(pattern);
    }
    starts.push(narrowed(drafts.len()));
    index.starts = starts.into();
    (entries(drafts, &offsets, patterns.len(), dialect), index, patterns.into())
}

fn entries(drafts: &[Draft], offsets: &[u32], length: usize, dialect: &Dialect) -> Entries {
    let placed = || drafts.iter().zip(offsets);
    let fits = |draft: &Draft| {
        let rank = narrow_rank(dialect, draft.rank);
        u16::try_from(draft.line).is_ok() && rank.is_some_and(|rank| u16::try_from(rank).is_ok())
    };
    if length > usize::from(u16::MAX) || !drafts.iter().all(fits) {
        let wide = |(draft, start): (&Draft, &u32)| Wide {
            start: *start,
            line: draft.line,
            rank: draft.rank,
            flags: draft.flags,
        };
        return Entries::Wide(placed().map(wide).collect());
    }
    // All of these fit, as was just seen.
    let low = |value: u32| (value & 0xFFFF) as u16;
    let narrow = |(draft, start): (&Draft, &u32)| Narrow {
        start: low(*start),
        line: low(draft.line),
        rank: low(narrow_rank(dialect, draft.rank).unwrap_or_default()),
        flags: draft.flags,
    };
    Entries::Narrow(placed().map(narrow).collect())
}

/// Where a pattern can match.
pub(crate) enum Run {
    Never,
    Root,
    Octet(u8),
}

/// Where a pattern can match: every path begins with `/`.
pub(crate) fn run_of(pattern: &[u8], flags: u16) -> Run {
    let wild = flags & flag::WILD != 0;
    let shell = flags & flag::SHELL != 0;
    match pattern {
        [] if flags & flag::WHOLE != 0 => Run::Never,
        [] | [b'/'] => Run::Root,
        _ if shell => Run::Root,
        [b'*', ..] | [b'/', b'*', ..] if wild => Run::Root,
        [b'/', octet, ..] => Run::Octet(*octet),
        _ => Run::Never,
    }
}

const MOST_OCTETS: usize = 0x7FFF_FFFF;
const MOST_NARROW_OCTETS: usize = 0x7FFF;

/// The rank of a rule: of those that match, the lowest decides, the earlier line if ranks are equal.
pub(crate) fn rank(dialect: &Dialect, allow: bool, wild: bool, line: u32, octets: usize) -> u32 {
    match dialect.precedence {
        Precedence::First => line,
        Precedence::AnyDisallow => u32::from(allow),
        Precedence::Conner => match (allow, wild) {
            (true, false) => 0,
            (false, _) => 1,
            (true, true) => 2,
        },
        Precedence::Longest => {
            let wins_tie = allow == (dialect.tie == Tie::Allow);
            let shortness = MOST_OCTETS - octets.min(MOST_OCTETS);
            (narrowed(shortness) << 1) | u32::from(!wins_tie)
        }
    }
}

/// The rank in 16 bits, if the pattern is not too long for that.
fn narrow_rank(dialect: &Dialect, rank: u32) -> Option<u32> {
    if dialect.precedence == Precedence::Longest {
        rank.checked_sub(narrowed((MOST_OCTETS - MOST_NARROW_OCTETS) << 1))
    } else {
        Some(rank)
    }
}

/// Counts within a text whose places fit 32 bits.
pub(crate) fn narrowed(value: usize) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}
