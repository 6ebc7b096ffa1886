//! The table of one robot's rules, and how it is searched.
//!
//! Of the rules that match, the one with the lowest rank decides. Of few rules, all are tried whose
//! patterns may begin as the path does (`codes`); more are found by an index (`index`), once that pays
//! (`large`). A check costs
//! at most the sum over the rules of (length of the pattern + length of the URL).

mod codes;
mod entries;
mod index;
mod large;
mod tree;

use std::cell::Cell;

use crate::dialect::{Dialect, Precedence, Tie};
use crate::packed::{Packed, packed};
use crate::target::Paths;

use super::wildcard;

use self::codes::{ROOT, ROW, candidates, code_of, codes_of};
use self::entries::{Entry, Narrow, Wide};
use self::index::Place;
use self::large::Large;
pub(crate) use self::tree::Tree;

/// Properties of a rule besides its pattern, as bits.
pub(crate) mod flag {
    /// It allows.
    pub(crate) const ALLOW: u16 = 1;
    /// Its pattern has a wildcard.
    pub(crate) const WILD: u16 = 1 << 1;
    /// It must match up to the end of the path.
    pub(crate) const WHOLE: u16 = 1 << 2;
    /// It is written with a `$` at its end.
    pub(crate) const DOLLAR: u16 = 1 << 3;
    /// It is written with a `*` at its end, which is not stored.
    pub(crate) const TRAILING_STAR: u16 = 1 << 4;
    /// It has a `?`, after which slashes may be unescaped.
    pub(crate) const QUERY: u16 = 1 << 5;
    /// It applies only to the origin of its value.
    pub(crate) const ORIGIN: u16 = 1 << 6;
    /// Its field is written in lower case.
    pub(crate) const LOWER: u16 = 1 << 7;
    /// No space follows its colon.
    pub(crate) const NO_SPACE: u16 = 1 << 8;
    /// Its line is kept as written, because it cannot be rebuilt from its parts.
    pub(crate) const WRITTEN: u16 = 1 << 9;
    /// Its pattern is a shell pattern.
    pub(crate) const SHELL: u16 = 1 << 10;
    /// It is compared with the path whose query is unescaped, and only with that.
    pub(crate) const OPENED: u16 = 1 << 11;
    /// Its pattern is stored without its leading `/`.
    pub(crate) const ROOTED: u16 = 1 << 12;
    /// It is a second spelling of the rule before it.
    pub(crate) const ALSO: u16 = 1 << 13;
    /// It is one of several paths of its line.
    pub(crate) const PART: u16 = 1 << 14;
}

/// The most rules without an index.
const MOST_IN_ROWS: usize = 64;

/// The size of the byte set before a pattern with a wildcard.
const SET: usize = size_of::<u64>();

/// The rules of one robot.
#[derive(Debug, PartialEq)]
pub(crate) struct Table {
    rules: Kept,
    /// The patterns in the order of the file, joined together: each without the `/` that its code
    /// implies, and preceded by the set of its bytes if it has a wildcard.
    patterns: Box<[u8]>,
}

/// How the rules are stored: always in the order of the file.
#[derive(Debug, PartialEq)]
enum Kept {
    /// With the code of each, padded to whole rows.
    Few { entries: Box<[Narrow]>, codes: Box<[u8]> },
    /// With an index, once it pays.
    More(Box<Large<Narrow, u16>>),
    /// The same, in a file of more than 64 KiB or 65,535 lines.
    Many(Box<Large<Wide, u32>>),
}

packed!(Table { rules, patterns });

impl Packed for Kept {
    fn pack(&self, into: &mut Vec<u8>) {
        match self {
            Kept::Few { entries, codes } => {
                0_u8.pack(into);
                entries.pack(into);
                codes.pack(into);
            }
            Kept::More(large) => {
                1_u8.pack(into);
                large.pack(into);
            }
            Kept::Many(large) => {
                2_u8.pack(into);
                large.pack(into);
            }
        }
    }

    fn unpack(from: &mut &[u8]) -> Option<Self> {
        Some(match u8::unpack(from)? {
            0 => Kept::Few { entries: Packed::unpack(from)?, codes: Packed::unpack(from)? },
            1 => Kept::More(Packed::unpack(from)?),
            _ => Kept::Many(Packed::unpack(from)?),
        })
    }
}

/// A rule of a table.
#[derive(Clone, Copy)]
pub(crate) struct Row<'a> {
    /// Where its pattern begins: these positions follow the order of the file.
    pub(crate) start: u32,
    pub(crate) line: u32,
    pub(crate) rank: u32,
    pub(crate) flags: u16,
    /// The pattern in the spelling that is compared, without the `/` that [`flag::ROOTED`] implies.
    pub(crate) kept: &'a [u8],
}

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
        if has_set(flags) {
            self.patterns.extend_from_slice(&wildcard::needed(kept).to_le_bytes());
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

    fn finish_with(self, most_in_rows: usize) -> Table {
        let rules = match self.narrow() {
            Some(entries) if entries.len() <= most_in_rows => {
                let mut codes = self.codes;
                codes.resize(entries.len().next_multiple_of(ROW), ROOT);
                Kept::Few { entries, codes: codes.into() }
            }
            Some(entries) => Kept::More(Box::new(Large::new(entries, self.codes.into()))),
            None => {
                let large = Large::new(self.entries.into(), self.codes.into());
                Kept::Many(Box::new(large))
            }
        };
        Table { rules, patterns: self.patterns.into() }
    }

    /// Returns the rules in the narrow form, if they fit it.
    fn narrow(&self) -> Option<Box<[Narrow]>> {
        u16::try_from(self.patterns.len()).ok()?;
        self.entries.iter().map(|entry| narrow(*entry, self.precedence)).collect()
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
    Some(Narrow {
        start: u16::try_from(wide.start).ok()?,
        line: u16::try_from(wide.line).ok()?,
        rank: u16::try_from(wide.rank.checked_sub(most)?).ok()?,
        flags: wide.flags,
    })
}

/// Narrows a position or count within a text whose positions fit in 32 bits.
fn narrowed(value: usize) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}

/// Whether a rule has a wildcard, including one at its end.
pub(crate) fn is_wild(flags: u16) -> bool {
    flags & (flag::WILD | flag::TRAILING_STAR) != 0
}

/// The URL that is being checked.
pub(crate) struct Asked<'a> {
    paths: Paths<'a>,
    /// The bytes of the path, computed when a rule first needs them; every path has a `/`, so 0
    /// means not yet.
    octets: Cell<u64>,
}

impl<'a> Asked<'a> {
    #[inline]
    pub(crate) fn new(paths: Paths<'a>) -> Asked<'a> {
        Asked { paths, octets: Cell::new(0) }
    }

    /// Whether the path has the bytes that a pattern needs; their set is stored before the pattern.
    #[inline]
    fn may_match(&self, stored: &[u8]) -> bool {
        if self.octets.get() == 0 {
            self.octets.set(wildcard::octet_set(self.paths.plain));
        }
        let needed = stored.first_chunk().map_or(0, |set| u64::from_le_bytes(*set));
        needed & !self.octets.get() == 0
    }
}

/// The rule that decides: its place, its line, and whether it allows.
pub(crate) type Deciding = (usize, u32, bool);

impl Table {
    /// Returns how many rules and second spellings there are.
    pub(crate) fn len(&self) -> usize {
        match &self.rules {
            Kept::Few { entries, .. } => entries.len(),
            Kept::More(large) => large.entries.len(),
            Kept::Many(large) => large.entries.len(),
        }
    }

    /// Returns the positions of all rules, in the order of the file; a rule with two spellings has one.
    pub(crate) fn rules(&self) -> Vec<usize> {
        match &self.rules {
            Kept::Few { entries, .. } => first_spellings(entries),
            Kept::More(large) => first_spellings(&large.entries),
            Kept::Many(large) => first_spellings(&large.entries),
        }
    }

    /// Returns the rule that decides. `for_origin` says whether the rule whose pattern begins at a
    /// position applies to the URL's origin.
    #[inline]
    pub(crate) fn decide(
        &self,
        asked: &Asked<'_>,
        for_origin: impl Fn(u32) -> bool,
    ) -> Option<Deciding> {
        let codes = codes_of(asked.paths.plain);
        match &self.rules {
            Kept::Few { entries, codes: rows } => {
                let place = self.first_of_few(entries, rows, codes, asked, &for_origin);
                deciding(entries, place)
            }
            Kept::More(large) => self.decide_large(large, codes, asked, &for_origin),
            Kept::Many(large) => self.decide_large(large, codes, asked, &for_origin),
        }
    }

    #[inline]
    fn decide_large<E: Entry, P: Place>(
        &self,
        large: &Large<E, P>,
        codes: (u8, u8),
        asked: &Asked<'_>,
        for_origin: &impl Fn(u32) -> bool,
    ) -> Option<Deciding> {
        let entries = &large.entries;
        let matches = |place| self.matches(entries, place, asked, for_origin);
        deciding(entries, large.first(&self.patterns, asked.paths.plain, codes, matches)?)
    }

    /// Returns the tree of the rules, for [`Table::decide_by`].
    pub(crate) fn tree(&self) -> Tree {
        Tree::new((0..self.len()).map(|place| self.row(place)))
    }

    /// Decides as [`Table::decide`] does, by the tree of the table.
    #[inline]
    pub(crate) fn decide_by(
        &self,
        tree: &Tree,
        asked: &Asked<'_>,
        for_origin: impl Fn(u32) -> bool,
    ) -> Option<Deciding> {
        match &self.rules {
            Kept::Few { entries, .. } => self.decide_among(entries, tree, asked, &for_origin),
            Kept::More(large) => self.decide_among(&large.entries, tree, asked, &for_origin),
            Kept::Many(large) => self.decide_among(&large.entries, tree, asked, &for_origin),
        }
    }

    #[inline]
    fn decide_among<E: Entry>(
        &self,
        entries: &[E],
        tree: &Tree,
        asked: &Asked<'_>,
        for_origin: &impl Fn(u32) -> bool,
    ) -> Option<Deciding> {
        let matches = |place| self.matches(entries, place, asked, for_origin);
        deciding(entries, tree.first(entries, asked.paths.plain, matches))
    }

    #[inline]
    fn first_of_few(
        &self,
        entries: &[Narrow],
        rows: &[u8],
        codes: (u8, u8),
        asked: &Asked<'_>,
        for_origin: &impl Fn(u32) -> bool,
    ) -> usize {
        let mut best = (u32::MAX, usize::MAX);
        for (row, found) in rows.chunks_exact(ROW).enumerate() {
            let mut found = candidates(found, codes);
            while found != 0 {
                let place = row * ROW + found.trailing_zeros() as usize / 8;
                found &= found - 1;
                // The padding of the last row is not a rule.
                let Some(entry) = entries.get(place) else { break };
                if entry.rank() < best.0 && self.matches(entries, place, asked, for_origin) {
                    best = (entry.rank(), place);
                }
            }
        }
        best.1
    }

    /// Returns the positions of all rules that match.
    pub(crate) fn matching(
        &self,
        asked: &Asked<'_>,
        for_origin: impl Fn(u32) -> bool,
    ) -> Vec<usize> {
        match &self.rules {
            Kept::Few { entries, .. } => self.matching_of(entries, asked, &for_origin),
            Kept::More(large) => self.matching_of(&large.entries, asked, &for_origin),
            Kept::Many(large) => self.matching_of(&large.entries, asked, &for_origin),
        }
    }

    fn matching_of<E: Entry>(
        &self,
        entries: &[E],
        asked: &Asked<'_>,
        for_origin: &impl Fn(u32) -> bool,
    ) -> Vec<usize> {
        // A path without a slash has no first byte that could be omitted.
        let rooted = asked.paths.plain.first() == Some(&b'/');
        let possible = |place: &usize| rooted || entries[*place].flags() & flag::ROOTED == 0;
        (0..entries.len())
            .filter(|place| possible(place) && self.matches(entries, *place, asked, for_origin))
            .collect()
    }

    #[inline]
    fn matches<E: Entry>(
        &self,
        entries: &[E],
        place: usize,
        asked: &Asked<'_>,
        for_origin: &impl Fn(u32) -> bool,
    ) -> bool {
        let flags = entries[place].flags();
        let stored = &self.patterns[E::span(entries, place, self.patterns.len())];
        // The first byte of a path is a slash, which most patterns omit.
        let told = usize::from(flags & flag::ROOTED != 0);
        let rare = if asked.paths.open_query.is_some() { flag::QUERY } else { 0 };
        if flags & (flag::OPENED | flag::ORIGIN | rare) == 0 {
            let path = &asked.paths.plain[told..];
            return match has_set(flags) {
                false => simple_matches(stored, flags, path),
                true => asked.may_match(stored) && pattern_matches(&stored[SET..], flags, path),
            };
        }
        let pattern = if has_set(flags) { &stored[SET..] } else { stored };
        rarely_matches(pattern, flags, told, asked)
            && (flags & flag::ORIGIN == 0 || for_origin(E::start(entries[place])))
    }

    /// Returns a rule of the table.
    pub(crate) fn row(&self, place: usize) -> Row<'_> {
        match &self.rules {
            Kept::Few { entries, .. } => self.row_in(entries, place),
            Kept::More(large) => self.row_in(&large.entries, place),
            Kept::Many(large) => self.row_in(&large.entries, place),
        }
    }

    fn row_in<E: Entry>(&self, entries: &[E], place: usize) -> Row<'_> {
        let entry = entries[place];
        let stored = &self.patterns[E::span(entries, place, self.patterns.len())];
        let kept = if has_set(entry.flags()) { &stored[SET..] } else { stored };
        let start = entry.start();
        Row { start, line: entry.line(), rank: entry.rank(), flags: entry.flags(), kept }
    }
}

/// Returns the places of all rules but second spellings, in the order of the file.
fn first_spellings<E: Entry>(entries: &[E]) -> Vec<usize> {
    (0..entries.len()).filter(|place| entries[*place].flags() & flag::ALSO == 0).collect()
}

#[inline]
fn deciding<E: Entry>(entries: &[E], place: usize) -> Option<Deciding> {
    let entry = entries.get(place)?;
    Some((place, entry.line(), entry.flags() & flag::ALLOW != 0))
}

/// Whether a pattern is preceded by the set of the bytes that it needs.
#[inline]
fn has_set(flags: u16) -> bool {
    flags & (flag::WILD | flag::SHELL) == flag::WILD
}

#[cold]
fn rarely_matches(pattern: &[u8], flags: u16, told: usize, asked: &Asked<'_>) -> bool {
    let Paths { plain, open_query } = asked.paths;
    let open = open_query.unwrap_or(plain);
    if flags & flag::OPENED != 0 {
        return pattern_matches(pattern, flags, &open[told..]);
    }
    pattern_matches(pattern, flags, &plain[told..])
        || (flags & flag::QUERY != 0 && pattern_matches(pattern, flags, &open[told..]))
}

/// Matches a pattern without a wildcard, or a shell pattern.
#[inline]
fn simple_matches(pattern: &[u8], flags: u16, path: &[u8]) -> bool {
    if flags & (flag::WHOLE | flag::SHELL) != 0 {
        return pattern_matches(pattern, flags, path);
    }
    // The last byte differs most often; comparing it first avoids most comparisons of the rest.
    match pattern.split_last() {
        None => true,
        Some((last, rest)) => path.get(rest.len()) == Some(last) && path.starts_with(rest),
    }
}

/// Whether a pattern matches a path.
pub(crate) fn pattern_matches(pattern: &[u8], flags: u16, path: &[u8]) -> bool {
    let whole = flags & flag::WHOLE != 0;
    if flags & flag::SHELL != 0 {
        return wildcard::matches_shell(pattern, path, whole);
    }
    if flags & flag::WILD != 0 {
        return wildcard::matches(pattern, path, whole);
    }
    if whole { path == pattern } else { path.starts_with(pattern) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialects;
    use proptest::prelude::*;

    fn rule() -> impl Strategy<Value = (String, u16)> {
        let pattern = "/(a|b|c|/|\\?|\\*|bcabcabcab){0,5}";
        let flags = prop::sample::select(vec![0, 0, 0, flag::WHOLE, flag::QUERY, flag::OPENED]);
        (pattern, flags, any::<bool>()).prop_map(|(pattern, flags, allow): (String, u16, bool)| {
            let wild = if pattern.contains('*') { flag::WILD } else { 0 };
            (pattern, flags | wild | u16::from(allow))
        })
    }

    fn table(dialect: &Dialect, rules: &[(String, u16)], most_in_rows: usize, lines: u32) -> Table {
        let mut builder = Builder::new(dialect, rules.len(), 0);
        for (line, (pattern, flags)) in (lines..).zip(rules) {
            builder.push(pattern.as_bytes(), *flags, line, pattern.len());
        }
        builder.finish_with(most_in_rows)
    }

    proptest! {
        /// However rules are stored, the same one decides.
        #[test]
        fn an_index_finds_what_rows_find(
            rules in prop::collection::vec(rule(), 0..24),
            paths in prop::collection::vec("/?(a|b|c|/|\\?|bcabcabcab){0,6}", 1..8),
            open in prop::option::of("/(a|b|c|/|\\?){0,6}"),
            dialect in 0..11_usize,
        ) {
            let dialect = &dialects::DIALECTS[dialect];
            // Lines beyond 16 bits need the wide form.
            let tables = [(usize::MAX, 1), (0, 1), (0, 100_000)]
                .map(|(most_in_rows, lines)| table(dialect, &rules, most_in_rows, lines));
            // Again and again, so that an index is made in between.
            for path in std::iter::repeat_n(&paths, 20).flatten() {
                let paths = Paths { plain: path.as_bytes(), open_query: open.as_deref().map(str::as_bytes) };
                let places = tables.each_ref().map(|table| {
                    let decided = table.decide(&Asked::new(paths), |_| true);
                    decided.map(|(place, _, allowed)| (place, allowed))
                });
                prop_assert_eq!(places[0], places[1]);
                prop_assert_eq!(places[0], places[2]);
            }
        }

        /// The tree finds the rule that decides, also where the paths of URLs differ after the `?`.
        #[test]
        fn a_tree_finds_what_rows_find(
            rules in prop::collection::vec(long_rule(), 0..24),
            stem in "/?(a|b|c|/|abcabcabcabc){0,5}",
            tails in prop::option::of(("(a|b|/|\\?){0,4}", prop::option::of("(a|b|/|\\?){0,4}"))),
            dialect in 0..11_usize,
        ) {
            let dialect = &dialects::DIALECTS[dialect];
            let written = |tail: &str| format!("{stem}?{tail}").into_bytes();
            let plain = tails.as_ref().map_or(stem.clone().into_bytes(), |(tail, _)| written(tail));
            let open = tails.and_then(|(_, tail)| tail).map(|tail| written(&tail));
            let asked = Asked::new(Paths { plain: &plain, open_query: open.as_deref() });
            let for_origin = |start: u32| start.is_multiple_of(2);
            for lines in [1, 100_000] {
                let table = table(dialect, &rules, usize::MAX, lines);
                let by_tree = table.decide_by(&table.tree(), &asked, for_origin);
                prop_assert_eq!(by_tree, table.decide(&asked, for_origin));
            }
        }
    }

    fn long_rule() -> impl Strategy<Value = (String, u16)> {
        let pattern = "/(a|b|c|/|\\?|\\*|abcabcabcab){0,5}";
        let special = [0, 0, 0, flag::WHOLE, flag::QUERY, flag::OPENED, flag::ORIGIN, flag::SHELL];
        (pattern, prop::sample::select(special.to_vec()), any::<bool>()).prop_map(
            |(pattern, special, allow): (String, u16, bool)| {
                let wild = if pattern.contains('*') { flag::WILD } else { 0 };
                let query = if pattern.contains('?') { flag::QUERY } else { 0 };
                (pattern, special | wild | query | u16::from(allow))
            },
        )
    }
}
