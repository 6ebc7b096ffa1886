//! The rules of a table with their patterns, however they are stored.

use crate::target::Paths;

use super::super::wildcard::{self, Needed};
use super::entries::Entry;
use super::{Asked, Deciding, NEEDED, Row, flag};

/// Rules in the order of the file.
#[derive(Clone, Copy)]
pub(super) struct Rows<'a, E> {
    pub(super) entries: &'a [E],
    /// The patterns in the same order, joined together: each without the `/` that its code implies, and
    /// preceded by what a path needs to match it if it has a wildcard.
    pub(super) patterns: &'a [u8],
}

impl<'a, E: Entry> Rows<'a, E> {
    /// Returns how many bytes they take, with a number of bytes for each rule.
    pub(super) fn size(&self, each: usize) -> usize {
        self.patterns.len() + self.entries.len() * each
    }

    /// Returns the stored pattern of a rule.
    #[inline]
    fn stored(&self, place: usize) -> &'a [u8] {
        &self.patterns[E::span(self.entries, place, self.patterns.len())]
    }

    /// Returns a rule.
    pub(super) fn row(&self, place: usize) -> Row<'a> {
        let (entry, stored) = (self.entries[place], self.stored(place));
        let kept = if has_needed(entry.flags()) { &stored[NEEDED..] } else { stored };
        let start = entry.start();
        Row { start, line: entry.line(), rank: entry.rank(), flags: entry.flags(), kept }
    }

    /// Returns the rule that decides, by its place; `None` if there is none.
    #[inline]
    pub(super) fn deciding(&self, place: usize) -> Option<Deciding> {
        let entry = self.entries.get(place)?;
        Some((place, entry.line(), entry.flags() & flag::ALLOW != 0))
    }

    /// Returns the positions of all rules that match.
    pub(super) fn matching(
        &self,
        asked: &Asked<'_>,
        for_origin: &impl Fn(u32) -> bool,
    ) -> Vec<usize> {
        // A path without a slash has no first byte that could be omitted.
        let rooted = asked.paths.plain.first() == Some(&b'/');
        let possible = |place: &usize| rooted || self.entries[*place].flags() & flag::ROOTED == 0;
        (0..self.entries.len())
            .filter(|place| possible(place) && self.matches(*place, asked, for_origin))
            .collect()
    }

    /// Whether a rule matches.
    #[inline]
    pub(super) fn matches(
        &self,
        place: usize,
        asked: &Asked<'_>,
        for_origin: &impl Fn(u32) -> bool,
    ) -> bool {
        let entry = self.entries[place];
        let (flags, stored) = (entry.flags(), self.stored(place));
        // The first byte of a path is a slash, which most patterns omit.
        let told = usize::from(flags & flag::ROOTED != 0);
        let rare = if asked.paths.open_query.is_some() { flag::QUERY } else { 0 };
        if flags & (flag::OPENED | flag::ORIGIN | rare) == 0 {
            let path = &asked.paths.plain[told..];
            return match has_needed(flags) {
                false => simple_matches(stored, flags, path),
                true => match stored.split_first_chunk() {
                    Some((needed, pattern)) => {
                        asked.may_match(Needed::from_bytes(*needed), pattern)
                            && pattern_matches(pattern, flags, path)
                    }
                    None => false,
                },
            };
        }
        let pattern = if has_needed(flags) { &stored[NEEDED..] } else { stored };
        rarely_matches(pattern, flags, told, asked)
            && (flags & flag::ORIGIN == 0 || for_origin(entry.start()))
    }
}

/// Returns the places of all rules but second spellings, in the order of the file.
pub(super) fn first_spellings<E: Entry>(entries: &[E]) -> Vec<usize> {
    (0..entries.len()).filter(|place| entries[*place].flags() & flag::ALSO == 0).collect()
}

/// Whether a pattern is preceded by what a path needs to match it.
#[inline]
pub(super) fn has_needed(flags: u16) -> bool {
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
