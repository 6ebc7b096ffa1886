//! The table of one robot's rules, and the way it answers.
//!
//! What a pattern begins with says at a glance whether it can match: the first octet is always `/`,
//! and a code of the second and third stands in a row of its own, in which a check looks for the
//! path's own codes, eight at a time. Of the rules found so, the one of the lowest rank that matches
//! decides. Rules stand in the order of the file; where there are many, they are sorted by code and
//! rank, so that a check looks at three short runs. A check costs at most the sum over the rules of
//! (length of the pattern + length of the URL).

use std::cell::Cell;

use crate::dialect::{Dialect, Precedence, Tie};
use crate::target::Paths;

use super::wildcard;

/// What is known of one rule beside its pattern, as bits.
pub(crate) mod flag {
    /// It allows.
    pub(crate) const ALLOW: u16 = 1;
    /// Its pattern has a wildcard.
    pub(crate) const WILD: u16 = 1 << 1;
    /// It must match to the end of the path.
    pub(crate) const WHOLE: u16 = 1 << 2;
    /// It is written with a `$` at its end.
    pub(crate) const DOLLAR: u16 = 1 << 3;
    /// It is written with a `*` at its end, which is not kept.
    pub(crate) const TRAILING_STAR: u16 = 1 << 4;
    /// It has a `?`, behind which slashes may be opened.
    pub(crate) const QUERY: u16 = 1 << 5;
    /// It holds for the origin of its value only.
    pub(crate) const ORIGIN: u16 = 1 << 6;
    /// Its field is written in lower case.
    pub(crate) const LOWER: u16 = 1 << 7;
    /// No space follows its colon.
    pub(crate) const NO_SPACE: u16 = 1 << 8;
    /// Its line is kept as written, because it cannot be told from its parts.
    pub(crate) const WRITTEN: u16 = 1 << 9;
    /// Its pattern is a shell pattern.
    pub(crate) const SHELL: u16 = 1 << 10;
    /// It is compared with the path whose query is opened, and only with that.
    pub(crate) const OPENED: u16 = 1 << 11;
    /// Its pattern is kept without the `/` that it begins with.
    pub(crate) const ROOTED: u16 = 1 << 12;
}

/// The code of a rule that could match whatever the path begins with.
const ROOT: u8 = 0;

/// The code of a pattern of which the second octet is known.
fn short_code(second: u8) -> u8 {
    second & 0x3F | 0x40
}

/// The code of a pattern of which the second and third octets are known.
fn long_code(second: u8, third: u8) -> u8 {
    let mixed = u16::from(second) * 158 + u16::from(third) * 61;
    (mixed >> 3) as u8 & 0x7F | 0x80
}

/// The code of a pattern, or nothing if it cannot match any path.
fn code_of(pattern: &[u8], flags: u16) -> Option<u8> {
    let literal = match flags & (flag::WILD | flag::SHELL) {
        0 => pattern,
        flag::WILD => pattern.split(|octet| *octet == b'*').next().unwrap_or_default(),
        // A shell pattern may begin with anything.
        _ => return Some(ROOT),
    };
    match literal {
        [] if pattern.is_empty() && flags & flag::WHOLE != 0 => None,
        [] | [b'/'] => Some(ROOT),
        // Behind a `?` the octets may be compared in two spellings.
        [b'/', b'?', ..] => Some(short_code(b'?')),
        [b'/', second] => Some(short_code(*second)),
        [b'/', second, third, ..] => Some(long_code(*second, *third)),
        _ => None,
    }
}

/// The codes that the rules for a path can have, beside [`ROOT`].
#[inline]
fn codes_of(path: &[u8]) -> (u8, u8) {
    match path {
        [_, second, third, ..] => (short_code(*second), long_code(*second, *third)),
        [_, second] => (short_code(*second), short_code(*second)),
        _ => (ROOT, ROOT),
    }
}

/// How many codes are looked at at once.
const ROW: usize = size_of::<u64>();

/// The lowest bit of each octet, and the highest.
const LOWS: u64 = 0x0101_0101_0101_0101;
const HIGHS: u64 = LOWS << 7;

/// In a row of codes, the highest bit of each that is [`ROOT`] or one of those looked for.
#[inline]
fn candidates(row: &[u8], (one, other): (u8, u8)) -> u64 {
    let row = row.first_chunk().map_or(0, |row| u64::from_le_bytes(*row));
    let nonzero = |octets: u64| ((octets & !HIGHS) + !HIGHS) | octets;
    let apart = |code: u8| nonzero(row ^ (LOWS * u64::from(code)));
    !(nonzero(row) & apart(one) & apart(other)) & HIGHS
}

/// More rules than this are sorted into runs.
const MOST_IN_ROWS: usize = 96;

/// How many codes there are.
const CODES: usize = 256;

/// How many octets the set takes that stands before a pattern with a wildcard.
const SET: usize = size_of::<u64>();

/// One rule, as the engine sees it.
trait Entry: Copy {
    fn start(self) -> usize;
    fn line(self) -> u32;
    fn rank(self) -> u32;
    fn flags(self) -> u16;
}

/// A rule in 8 octets: almost every file fits.
#[derive(Clone, Copy, Debug)]
struct Narrow {
    start: u16,
    line: u16,
    rank: u16,
    flags: u16,
}

/// A rule in 16 octets.
#[derive(Clone, Copy, Debug)]
struct Wide {
    start: u32,
    line: u32,
    rank: u32,
    flags: u16,
}

impl Entry for Narrow {
    fn start(self) -> usize {
        usize::from(self.start)
    }
    fn line(self) -> u32 {
        u32::from(self.line)
    }
    fn rank(self) -> u32 {
        u32::from(self.rank)
    }
    fn flags(self) -> u16 {
        self.flags
    }
}

impl Entry for Wide {
    fn start(self) -> usize {
        self.start as usize
    }
    fn line(self) -> u32 {
        self.line
    }
    fn rank(self) -> u32 {
        self.rank
    }
    fn flags(self) -> u16 {
        self.flags
    }
}

#[derive(Debug)]
enum Entries<N, W> {
    Narrow(N),
    Wide(W),
}

/// The rules of one robot.
#[derive(Debug)]
pub(crate) struct Table {
    entries: Entries<Box<[Narrow]>, Box<[Wide]>>,
    finder: Finder,
    /// The patterns, one behind the other, each without its `/`, if it begins with one.
    patterns: Box<[u8]>,
}

/// How the rules are found that may match a path.
#[derive(Debug)]
enum Finder {
    /// The code of each rule, filled up to whole rows.
    Rows(Box<[u8]>),
    /// Where the rules of each code begin; they are sorted by code and rank.
    Runs(Box<[u32]>),
}

/// A rule of a table.
pub(crate) struct Row {
    pub(crate) line: u32,
    pub(crate) rank: u32,
    pub(crate) flags: u16,
    /// The pattern in the spelling that is compared.
    pub(crate) pattern: Vec<u8>,
}

/// A table that is being filled.
pub(crate) struct Builder {
    entries: Entries<Vec<Narrow>, Vec<Wide>>,
    codes: Vec<u8>,
    patterns: Vec<u8>,
    /// Ranks are counted down from here.
    precedence: Precedence,
    tie: Tie,
}

impl Builder {
    /// A table for at most so many rules with so many octets of patterns.
    pub(crate) fn new(dialect: &Dialect, rules: usize, octets: usize) -> Builder {
        Builder {
            entries: Entries::Narrow(Vec::with_capacity(rules)),
            codes: Vec::with_capacity(rules.next_multiple_of(ROW)),
            patterns: Vec::with_capacity(octets),
            precedence: dialect.precedence,
            tie: dialect.tie,
        }
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
        self.codes.push(code);
        let rank = self.rank(flags, line, octets);
        let flags = flags | if code == ROOT { 0 } else { flag::ROOTED };
        let wide = Wide { start: narrowed(start), line, rank, flags };
        self.enter(wide);
    }

    fn enter(&mut self, wide: Wide) {
        if let Entries::Narrow(entries) = &mut self.entries {
            if let Some(narrow) = narrow(wide, self.precedence) {
                entries.push(narrow);
                return;
            }
            let widened = entries.iter().map(|entry| widened(*entry, self.precedence));
            let mut all: Vec<Wide> = Vec::with_capacity(entries.capacity());
            all.extend(widened);
            self.entries = Entries::Wide(all);
        }
        if let Entries::Wide(entries) = &mut self.entries {
            entries.push(wide);
        }
    }

    /// The rank of a rule: of those that match, the lowest decides, the earlier if ranks are equal.
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

    pub(crate) fn finish(mut self) -> Table {
        if self.codes.len() > MOST_IN_ROWS {
            return self.sorted();
        }
        self.codes.resize(self.codes.len().next_multiple_of(ROW), ROOT);
        let entries = match self.entries {
            Entries::Narrow(entries) => Entries::Narrow(entries.into()),
            Entries::Wide(entries) => Entries::Wide(entries.into()),
        };
        Table { entries, finder: Finder::Rows(self.codes.into()), patterns: self.patterns.into() }
    }

    /// The table with its rules sorted by code and rank.
    fn sorted(self) -> Table {
        let mut patterns = Vec::with_capacity(self.patterns.len());
        let old = |start: usize, end: Option<usize>| &self.patterns[start..end.unwrap_or(self.patterns.len())];
        let (entries, runs) = match &self.entries {
            Entries::Narrow(entries) => {
                let (order, runs) = order(entries, &self.codes);
                let mut sorted = Vec::with_capacity(entries.len());
                for place in order {
                    let start = narrowed(patterns.len()) as u16;
                    sorted.push(Narrow { start, ..entries[place] });
                    patterns.extend_from_slice(old(entries[place].start(), entries.get(place + 1).map(|next| next.start())));
                }
                (Entries::Narrow(sorted.into()), runs)
            }
            Entries::Wide(entries) => {
                let (order, runs) = order(entries, &self.codes);
                let mut sorted = Vec::with_capacity(entries.len());
                for place in order {
                    sorted.push(Wide { start: narrowed(patterns.len()), ..entries[place] });
                    patterns.extend_from_slice(old(entries[place].start(), entries.get(place + 1).map(|next| next.start())));
                }
                (Entries::Wide(sorted.into()), runs)
            }
        };
        Table { entries, finder: Finder::Runs(runs), patterns: patterns.into() }
    }
}

/// The order by code and rank, the file's among equals, and where the rules of each code begin.
fn order<E: Entry>(entries: &[E], codes: &[u8]) -> (Vec<usize>, Box<[u32]>) {
    let mut order: Vec<usize> = (0..entries.len()).collect();
    order.sort_unstable_by_key(|place| (codes[*place], entries[*place].rank(), *place));
    let mut runs = vec![0; CODES + 1];
    for code in codes {
        runs[usize::from(*code) + 1] += 1;
    }
    for code in 0..CODES {
        runs[code + 1] += runs[code];
    }
    (order, runs.into())
}

/// The longest pattern whose length is told from longer ones.
const MOST_OCTETS: usize = 0x7FFF_FFFF;
const MOST_NARROW_OCTETS: usize = 0x7FFF;

/// What lies between the ranks of the wide and of the narrow form, where lengths are ranks.
fn narrowing(precedence: Precedence) -> u32 {
    match precedence {
        Precedence::Longest => narrowed((MOST_OCTETS - MOST_NARROW_OCTETS) << 1),
        Precedence::First | Precedence::AnyDisallow | Precedence::Conner => 0,
    }
}

fn narrow(wide: Wide, precedence: Precedence) -> Option<Narrow> {
    let rank = wide.rank.checked_sub(narrowing(precedence))?;
    Some(Narrow {
        start: u16::try_from(wide.start).ok()?,
        line: u16::try_from(wide.line).ok()?,
        rank: u16::try_from(rank).ok()?,
        flags: wide.flags,
    })
}

fn widened(narrow: Narrow, precedence: Precedence) -> Wide {
    Wide {
        start: u32::from(narrow.start),
        line: u32::from(narrow.line),
        rank: u32::from(narrow.rank) + narrowing(precedence),
        flags: narrow.flags,
    }
}

/// Counts within a text whose places fit 32 bits.
fn narrowed(value: usize) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}

/// Whether a rule has a wildcard, also one at its end.
pub(crate) fn is_wild(flags: u16) -> bool {
    flags & (flag::WILD | flag::TRAILING_STAR) != 0
}

/// A URL that is asked about.
pub(crate) struct Asked<'a> {
    paths: Paths<'a>,
    /// The octets of the path, once a rule wants to know; every path has a `/`, so 0 is not yet.
    octets: Cell<u64>,
}

impl<'a> Asked<'a> {
    #[inline]
    pub(crate) fn new(paths: Paths<'a>) -> Asked<'a> {
        Asked { paths, octets: Cell::new(0) }
    }

    /// Whether the path has the octets that a pattern needs, whose set stands before it.
    #[inline]
    fn may_match(&self, stored: &[u8]) -> bool {
        if self.octets.get() == 0 {
            self.octets.set(wildcard::octet_set(self.paths.plain));
        }
        let needed = stored.first_chunk().map_or(0, |set| u64::from_le_bytes(*set));
        needed & !self.octets.get() == 0
    }
}

impl Table {
    pub(crate) fn len(&self) -> usize {
        match &self.entries {
            Entries::Narrow(entries) => entries.len(),
            Entries::Wide(entries) => entries.len(),
        }
    }

    /// The place of the rule that decides, its line, and whether it allows. `for_origin` tells
    /// whether the rule of a line is for the URL's origin.
    #[inline]
    pub(crate) fn decide(&self, asked: &Asked<'_>, for_origin: impl Fn(u32) -> bool) -> Option<(usize, u32, bool)> {
        match &self.entries {
            Entries::Narrow(entries) => self.decide_in(entries, asked, for_origin),
            Entries::Wide(entries) => self.decide_in(entries, asked, for_origin),
        }
    }

    #[inline]
    fn decide_in<E: Entry>(
        &self,
        entries: &[E],
        asked: &Asked<'_>,
        for_origin: impl Fn(u32) -> bool,
    ) -> Option<(usize, u32, bool)> {
        let codes = codes_of(asked.paths.plain);
        let place = match &self.finder {
            Finder::Rows(rows) => {
                let mut best = (u32::MAX, usize::MAX);
                for (row, found) in rows.chunks_exact(ROW).enumerate() {
                    let mut found = candidates(found, codes);
                    while found != 0 {
                        let place = row * ROW + found.trailing_zeros() as usize / 8;
                        found &= found - 1;
                        // What fills up the last row is no rule.
                        let Some(entry) = entries.get(place) else { break };
                        if entry.rank() < best.0 && self.matches(entries, place, asked, &for_origin) {
                            best = (entry.rank(), place);
                        }
                    }
                }
                best.1
            }
            Finder::Runs(runs) => {
                let first = |code: u8| {
                    let code = usize::from(code);
                    let mut run = runs[code] as usize..runs[code + 1] as usize;
                    run.find(|place| self.matches(entries, *place, asked, &for_origin))
                };
                let found = [Some(ROOT), Some(codes.0), Some(codes.1).filter(|code| *code != codes.0)];
                let places = found.into_iter().flatten().filter_map(first);
                places.min_by_key(|place| (entries[*place].rank(), entries[*place].line()))?
            }
        };
        let decides = entries.get(place)?;
        Some((place, decides.line(), decides.flags() & flag::ALLOW != 0))
    }

    /// The places of all rules that match.
    pub(crate) fn matching(&self, asked: &Asked<'_>, for_origin: impl Fn(u32) -> bool) -> Vec<usize> {
        let places = 0..self.len();
        match &self.entries {
            Entries::Narrow(entries) => {
                places.filter(|place| self.matches(entries, *place, asked, &for_origin)).collect()
            }
            Entries::Wide(entries) => {
                places.filter(|place| self.matches(entries, *place, asked, &for_origin)).collect()
            }
        }
    }

    #[inline]
    fn matches<E: Entry>(
        &self,
        entries: &[E],
        place: usize,
        asked: &Asked<'_>,
        for_origin: &impl Fn(u32) -> bool,
    ) -> bool {
        let entry = entries[place];
        let flags = entry.flags();
        let end = entries.get(place + 1).map_or(self.patterns.len(), |next| next.start());
        let stored = &self.patterns[entry.start()..end];
        // The first octet of a path is a slash, and is left out of most patterns.
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
            && (flags & flag::ORIGIN == 0 || for_origin(entry.line()))
    }

    /// A rule of the table.
    pub(crate) fn row(&self, place: usize) -> Row {
        match &self.entries {
            Entries::Narrow(entries) => self.row_in(entries, place),
            Entries::Wide(entries) => self.row_in(entries, place),
        }
    }

    fn row_in<E: Entry>(&self, entries: &[E], place: usize) -> Row {
        let entry = entries[place];
        let end = entries.get(place + 1).map_or(self.patterns.len(), |next| next.start());
        let set = if has_set(entry.flags()) { SET } else { 0 };
        let kept = &self.patterns[entry.start() + set..end];
        let slash: &[u8] = if entry.flags() & flag::ROOTED != 0 { b"/" } else { b"" };
        let pattern = [slash, kept].concat();
        Row { line: entry.line(), rank: entry.rank(), flags: entry.flags(), pattern }
    }
}

/// Whether the set of the octets that a pattern needs stands before it.
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

/// A pattern without a wildcard, or a shell pattern.
#[inline]
fn simple_matches(pattern: &[u8], flags: u16, path: &[u8]) -> bool {
    if flags & (flag::WHOLE | flag::SHELL) != 0 {
        return pattern_matches(pattern, flags, path);
    }
    // The last octet differs most often; comparing it first spares most calls for the rest.
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
