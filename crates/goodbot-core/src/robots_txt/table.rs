//! The table of one robot's rules, and how it is searched.
//!
//! The first byte of a pattern is always `/`; a code for the second and third is stored in a sorted row,
//! which a check searches, eight at a time. Of the candidates, the match with the lowest rank decides. A
//! check costs at most the sum over the rules of (length of the pattern + length of the URL).

use std::cell::Cell;
use std::ops::Range;

use crate::dialect::{Dialect, Precedence, Tie};
use crate::packed::{Packed, packed};
use crate::target::Paths;

use super::wildcard;

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

/// The code of a rule that could match however the path begins.
const ROOT: u8 = 0;

/// Returns the code of a pattern whose second byte is known.
fn short_code(second: u8) -> u8 {
    second & 0x3F | 0x40
}

/// Returns the code of a pattern whose second and third bytes are known.
fn long_code(second: u8, third: u8) -> u8 {
    let mixed = u16::from(second) * 158 + u16::from(third) * 61;
    (mixed >> 3).to_le_bytes()[0] & 0x7F | 0x80
}

/// Returns the code of a pattern, or `None` if it cannot match any path.
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
        // After a `?` the bytes may be compared in two spellings.
        [b'/', b'?', ..] => Some(short_code(b'?')),
        [b'/', second] => Some(short_code(*second)),
        [b'/', second, third, ..] => Some(long_code(*second, *third)),
        // The result of URI.pm for `http://example.com?x`.
        [b'?', ..] if flags & flag::ORIGIN != 0 => Some(ROOT),
        _ => None,
    }
}

/// Returns the codes, besides [`ROOT`], that the rules for a path can have.
#[inline]
fn codes_of(path: &[u8]) -> (u8, u8) {
    match path {
        [b'/', second, third, ..] => (short_code(*second), long_code(*second, *third)),
        [b'/', second] => (short_code(*second), short_code(*second)),
        _ => (ROOT, ROOT),
    }
}

/// How many codes are compared at once.
const ROW: usize = size_of::<u64>();

/// The lowest bit of each byte, and the highest.
const LOWS: u64 = 0x0101_0101_0101_0101;
const HIGHS: u64 = LOWS << 7;

/// Returns the matches in a row of codes: the highest bit of each code that is [`ROOT`] or searched for.
#[inline]
fn candidates(row: &[u8], (one, other): (u8, u8)) -> u64 {
    let row = row.first_chunk().map_or(0, |row| u64::from_le_bytes(*row));
    let nonzero = |octets: u64| ((octets & !HIGHS) + !HIGHS) | octets;
    let apart = |code: u8| nonzero(row ^ (LOWS * u64::from(code)));
    !(nonzero(row) & apart(one) & apart(other)) & HIGHS
}

/// The most rules that are kept unsorted; more are sorted into runs.
const MOST_IN_ROWS: usize = 1_024;

/// How many codes there are.
const CODES: usize = 256;

/// The size of the byte set before a pattern with a wildcard.
const SET: usize = size_of::<u64>();

/// A rule, as the matching engine sees it.
trait Entry: Copy {
    fn line(self) -> u32;
    fn rank(self) -> u32;
    fn flags(self) -> u16;
    fn start(self) -> u32;
    /// Returns where the pattern of a rule is stored.
    fn span(entries: &[Self], place: usize, length: usize) -> Range<usize>;
}

/// A rule in 8 bytes: it suffices for almost every file. The next rule's pattern begins where this
/// one's ends.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Narrow {
    start: u16,
    line: u16,
    rank: u16,
    flags: u16,
}

/// A rule in 20 bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Wide {
    start: u32,
    length: u32,
    line: u32,
    rank: u32,
    flags: u16,
    code: u8,
}

impl Entry for Narrow {
    fn line(self) -> u32 {
        u32::from(self.line)
    }
    fn rank(self) -> u32 {
        u32::from(self.rank)
    }
    fn flags(self) -> u16 {
        self.flags
    }
    fn start(self) -> u32 {
        u32::from(self.start)
    }
    #[inline]
    fn span(entries: &[Narrow], place: usize, length: usize) -> Range<usize> {
        let end = entries.get(place + 1).map_or(length, |next| usize::from(next.start));
        usize::from(entries[place].start)..end
    }
}

impl Entry for Wide {
    fn line(self) -> u32 {
        self.line
    }
    fn rank(self) -> u32 {
        self.rank
    }
    fn flags(self) -> u16 {
        self.flags
    }
    fn start(self) -> u32 {
        self.start
    }
    #[inline]
    fn span(entries: &[Wide], place: usize, _: usize) -> Range<usize> {
        let Wide { start, length, .. } = entries[place];
        start as usize..(start + length) as usize
    }
}

/// The rules of one robot.
#[derive(Debug, PartialEq)]
pub(crate) struct Table {
    rules: Kept,
    /// The patterns in the order of the file, joined together: each without the `/` that its code
    /// implies, and preceded by the set of its bytes if it has a wildcard.
    patterns: Box<[u8]>,
}

/// How the rules are stored.
#[derive(Debug, PartialEq)]
enum Kept {
    /// In the order of the file, with the code of each, padded to whole rows.
    Few { entries: Box<[Narrow]>, codes: Box<[u8]> },
    /// Sorted by code and rank, with where the rules of each code begin.
    Many { entries: Box<[Wide]>, runs: Box<[u32]> },
}

packed!(Narrow { start, line, rank, flags });
packed!(Wide { start, length, line, rank, flags, code });
packed!(Table { rules, patterns });

impl Packed for Kept {
    fn pack(&self, into: &mut Vec<u8>) {
        match self {
            Kept::Few { entries, codes } => {
                true.pack(into);
                entries.pack(into);
                codes.pack(into);
            }
            Kept::Many { entries, runs } => {
                false.pack(into);
                entries.pack(into);
                runs.pack(into);
            }
        }
    }

    fn unpack(from: &mut &[u8]) -> Option<Self> {
        Some(match bool::unpack(from)? {
            true => Kept::Few { entries: Packed::unpack(from)?, codes: Packed::unpack(from)? },
            false => Kept::Many { entries: Packed::unpack(from)?, runs: Packed::unpack(from)? },
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
    patterns: Vec<u8>,
    precedence: Precedence,
    tie: Tie,
}

impl Builder {
    /// Starts a table for about this many rules and bytes of patterns.
    pub(crate) fn new(dialect: &Dialect, rules: usize, octets: usize) -> Builder {
        Builder {
            entries: Vec::with_capacity(rules),
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
        let (start, length) = (narrowed(start), narrowed(self.patterns.len() - start));
        self.entries.push(Wide { start, length, line, rank, flags, code });
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
        let rules = match self.few() {
            Some(entries) => {
                let mut codes = Vec::with_capacity(entries.len().next_multiple_of(ROW));
                codes.extend(self.entries.iter().map(|entry| entry.code));
                codes.resize(entries.len().next_multiple_of(ROW), ROOT);
                Kept::Few { entries, codes: codes.into() }
            }
            None => many(self.entries),
        };
        Table { rules, patterns: self.patterns.into() }
    }

    /// Returns the rules in the narrow form, if they are few and fit it.
    fn few(&self) -> Option<Box<[Narrow]>> {
        if self.entries.len() > MOST_IN_ROWS || u16::try_from(self.patterns.len()).is_err() {
            return None;
        }
        self.entries.iter().map(|entry| narrow(*entry, self.precedence)).collect()
    }
}

fn many(mut entries: Vec<Wide>) -> Kept {
    // Patterns are in the order of the file, which decides among equals.
    entries.sort_unstable_by_key(|entry| (entry.code, entry.rank, entry.start));
    let mut runs = vec![0; CODES + 1];
    for entry in &entries {
        runs[usize::from(entry.code) + 1] += 1;
    }
    for code in 0..CODES {
        runs[code + 1] += runs[code];
    }
    Kept::Many { entries: entries.into(), runs: runs.into() }
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
            Kept::Many { entries, .. } => entries.len(),
        }
    }

    /// Returns the positions of all rules, in the order of the file; a rule with two spellings has one.
    pub(crate) fn rules(&self) -> Vec<usize> {
        let mut places: Vec<(u32, usize)> = match &self.rules {
            Kept::Few { entries, .. } => first_spellings(entries).collect(),
            Kept::Many { entries, .. } => first_spellings(entries).collect(),
        };
        places.sort_unstable();
        places.into_iter().map(|(_, place)| place).collect()
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
            Kept::Many { entries, runs } => {
                let place = self.first_of_many(entries, runs, codes, asked, &for_origin)?;
                deciding(entries, place)
            }
        }
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

    fn first_of_many(
        &self,
        entries: &[Wide],
        runs: &[u32],
        (one, other): (u8, u8),
        asked: &Asked<'_>,
        for_origin: &impl Fn(u32) -> bool,
    ) -> Option<usize> {
        let first = |code: u8| {
            let mut run = runs[usize::from(code)] as usize..runs[usize::from(code) + 1] as usize;
            run.find(|place| self.matches(entries, *place, asked, for_origin))
        };
        let places = [ROOT, one, other].into_iter().filter_map(first);
        places.min_by_key(|place| (entries[*place].rank, entries[*place].start))
    }

    /// Returns the positions of all rules that match.
    pub(crate) fn matching(
        &self,
        asked: &Asked<'_>,
        for_origin: impl Fn(u32) -> bool,
    ) -> Vec<usize> {
        match &self.rules {
            Kept::Few { entries, .. } => self.matching_of(entries, asked, &for_origin),
            Kept::Many { entries, .. } => self.matching_of(entries, asked, &for_origin),
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
            Kept::Many { entries, .. } => self.row_in(entries, place),
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

/// Iterates over where the pattern of each rule begins, and the rule's position.
fn first_spellings<E: Entry>(entries: &[E]) -> impl Iterator<Item = (u32, usize)> + use<'_, E> {
    let rules = entries.iter().enumerate().filter(|(_, entry)| entry.flags() & flag::ALSO == 0);
    rules.map(|(place, entry)| (entry.start(), place))
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
