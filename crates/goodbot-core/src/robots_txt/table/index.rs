//! Many rules, in an order in which a check finds those that match without trying every one.
//!
//! All rules are grouped by the code of their beginning. Most rules are plain: a path matches if it
//! begins with the pattern. In a group, these are sorted by their patterns, and each knows the longest
//! other one that it begins with. They are searched by their heads: the eight bytes after those that all
//! patterns of the group share, which lie side by side in memory. All patterns of the group that a path begins with are then on the
//! way up from the last pattern that is not behind the path; the best rule of each such way is known
//! beforehand. The other rules are sorted by their ranks, the best first.

use std::ops::Range;

use super::codes::ROOT;
use super::entries::Entry;
use super::flag;

/// A place in the table, or in the index: as small as the number of rules permits.
pub(super) trait Place: Copy {
    fn of(place: usize) -> Self;
    fn at(self) -> usize;
}

impl Place for u16 {
    fn of(place: usize) -> u16 {
        u16::try_from(place).unwrap_or(u16::MAX)
    }
    #[inline]
    fn at(self) -> usize {
        usize::from(self)
    }
}

impl Place for u32 {
    fn of(place: usize) -> u32 {
        u32::try_from(place).unwrap_or(u32::MAX)
    }
    #[inline]
    fn at(self) -> usize {
        self as usize
    }
}

/// A plain rule, in the order of patterns.
#[derive(Clone, Copy, Debug)]
struct Plain<P> {
    /// The place of the rule.
    place: P,
    /// The place of the best rule among it and all that it begins with.
    best: P,
    /// How far before it the longest rule is that it begins with; 0 if there is none.
    up: P,
}

/// The order of many rules.
#[derive(Debug)]
pub(super) struct Index<P> {
    plain: Box<[Plain<P>]>,
    /// The head of each plain rule.
    heads: Box<[u64]>,
    plain_runs: Runs<P>,
    /// The places of all other rules, by code and rank.
    others: Box<[P]>,
    other_runs: Runs<P>,
}

/// Where the rules of each code begin and end, in a list that is sorted by codes.
#[derive(Debug)]
struct Runs<P> {
    /// The codes that there are, as bits.
    codes: [u64; 4],
    /// Where the rules of each of them end.
    ends: Box<[P]>,
}

impl<P: Place> Runs<P> {
    /// Notes the runs in a sorted list of codes.
    fn new(sorted: impl Iterator<Item = u8>) -> Runs<P> {
        let mut codes = [0; 4];
        let mut ends: Vec<P> = Vec::new();
        for (place, code) in sorted.enumerate() {
            let bit = 1_u64 << (code % 64);
            let word = &mut codes[usize::from(code / 64)];
            if *word & bit == 0 {
                *word |= bit;
                ends.push(P::of(place));
            }
            if let Some(end) = ends.last_mut() {
                *end = P::of(place + 1);
            }
        }
        Runs { codes, ends: ends.into() }
    }

    /// Returns where the rules of a code are.
    #[inline]
    fn of(&self, code: u8) -> Range<usize> {
        let (word, bit) = (usize::from(code / 64), 1_u64 << (code % 64));
        if self.codes[word] & bit == 0 {
            return 0..0;
        }
        let before = self.codes[..word].iter().map(|codes| codes.count_ones()).sum::<u32>()
            + (self.codes[word] & (bit - 1)).count_ones();
        let before = before as usize;
        let start = before.checked_sub(1).map_or(0, |last| self.ends[last].at());
        start..self.ends[before].at()
    }
}

/// Whether a path matches a rule exactly if it begins with a slash and the pattern behind it.
fn is_plain(flags: u16) -> bool {
    let special =
        flag::WILD | flag::SHELL | flag::WHOLE | flag::ORIGIN | flag::OPENED | flag::QUERY;
    flags & (special | flag::ROOTED) == flag::ROOTED
}

impl<P: Place> Index<P> {
    /// Sorts rules whose codes are known.
    pub(super) fn new<E: Entry>(entries: &[E], codes: &[u8], patterns: &[u8]) -> Index<P> {
        let pattern = |place: usize| &patterns[E::span(entries, place, patterns.len())];
        let (mut plain, mut others): (Vec<usize>, Vec<usize>) =
            (0..entries.len()).partition(|place| is_plain(entries[*place].flags()));
        plain.sort_unstable_by_key(|place| (codes[*place], pattern(*place), *place));
        others.sort_unstable_by_key(|place| (codes[*place], entries[*place].rank(), *place));
        let plain_runs = Runs::new(plain.iter().map(|place| codes[*place]));
        let groups = plain.chunk_by(|one, other| codes[*one] == codes[*other]);
        let heads = groups.flat_map(|group| {
            let (first, last) = (pattern(group[0]), pattern(group[group.len() - 1]));
            let same = shared(first, last);
            group.iter().map(move |place| head(&pattern(*place)[same..]))
        });
        Index {
            heads: heads.collect(),
            plain: linked(entries, &plain, codes, pattern),
            plain_runs,
            other_runs: Runs::new(others.iter().map(|place| codes[*place])),
            others: others.into_iter().map(P::of).collect(),
        }
    }

    /// Returns the place of the rule that decides; `matches` says whether one of the other rules does.
    #[inline]
    pub(super) fn first<E: Entry>(
        &self,
        (entries, patterns): (&[E], &[u8]),
        path: &[u8],
        (one, other): (u8, u8),
        matches: impl Fn(usize) -> bool,
    ) -> Option<usize> {
        let codes = if one == other { &[ROOT, one][..] } else { &[ROOT, one, other] };
        let mut best = None;
        if let Some(path) = path.strip_prefix(b"/") {
            for code in &codes[1..] {
                let run = self.plain_runs.of(*code);
                let group = (&self.plain[run.clone()], &self.heads[run]);
                best = better(entries, best, longest(group, (entries, patterns), path));
            }
        }
        for code in codes {
            let run = self.other_runs.of(*code);
            for place in self.others[run].iter().map(|place| place.at()) {
                if best.is_some_and(|best| order(entries, best) <= order(entries, place)) {
                    break;
                }
                if matches(place) {
                    best = Some(place);
                    break;
                }
            }
        }
        best
    }
}

/// Returns the place of the best of the sorted plain rules that a path behind its slash matches.
#[inline]
fn longest<E: Entry, P: Place>(
    (group, heads): (&[Plain<P>], &[u64]),
    (entries, patterns): (&[E], &[u8]),
    path: &[u8],
) -> Option<usize> {
    let pattern = |plain: &Plain<P>| &patterns[E::span(entries, plain.place.at(), patterns.len())];
    let first = pattern(group.first()?);
    let same = shared(first, pattern(group.last()?));
    let rest = path.strip_prefix(&first[..same])?;
    // Rules whose heads differ from the path's are in the order of their heads.
    let wanted = head(rest);
    let start = heads.partition_point(|head| *head < wanted);
    let alike = heads[start..].partition_point(|head| *head == wanted);
    let behind = group[start..start + alike].partition_point(|plain| pattern(plain) <= path);
    let mut at = (start + behind).checked_sub(1)?;
    let shared = shared(pattern(&group[at]), path);
    // What is as short as what both share is a beginning of both.
    while pattern(&group[at]).len() > shared {
        at = at.checked_sub(group[at].up.at()).filter(|up| *up < at)?;
    }
    Some(group[at].best.at())
}

/// Returns the better one of two rules.
#[inline]
fn better<E: Entry>(entries: &[E], one: Option<usize>, other: Option<usize>) -> Option<usize> {
    match (one, other) {
        (Some(place), Some(than)) if order(entries, than) < order(entries, place) => other,
        (None, _) => other,
        _ => one,
    }
}

/// Returns by what rules are compared: of those that match, the lowest decides.
#[inline]
pub(super) fn order<E: Entry>(entries: &[E], place: usize) -> (u32, usize) {
    (entries[place].rank(), place)
}

/// Returns the first bytes of a text as a number: texts whose numbers differ are in the same order.
#[inline]
fn head(text: &[u8]) -> u64 {
    if let Some(octets) = text.first_chunk() {
        return u64::from_be_bytes(*octets);
    }
    let mut octets = [0; size_of::<u64>()];
    octets[..text.len()].copy_from_slice(text);
    u64::from_be_bytes(octets)
}

/// Returns how many bytes are the same at the beginning of two texts.
#[inline]
fn shared(one: &[u8], other: &[u8]) -> usize {
    one.iter().zip(other).take_while(|(one, other)| one == other).count()
}

/// Links sorted rules with those of their group whose patterns they begin with.
fn linked<'a, E: Entry, P: Place>(
    entries: &[E],
    sorted: &[usize],
    codes: &[u8],
    pattern: impl Fn(usize) -> &'a [u8],
) -> Box<[Plain<P>]> {
    let mut linked: Vec<Plain<P>> = Vec::with_capacity(sorted.len());
    // The rules that the last one begins with, the shortest first, and the last one itself.
    let mut way: Vec<usize> = Vec::new();
    for (at, place) in sorted.iter().copied().enumerate() {
        let is_longer = |up: usize| {
            codes[sorted[up]] == codes[place] && pattern(place).starts_with(pattern(sorted[up]))
        };
        while way.pop_if(|up| !is_longer(*up)).is_some() {}
        let up = way.last().copied();
        let best = better(entries, Some(place), up.map(|up| linked[up].best.at())).unwrap_or(place);
        let distance = up.map_or(0, |up| at - up);
        linked.push(Plain { place: P::of(place), best: P::of(best), up: P::of(distance) });
        way.push(at);
    }
    linked.into()
}
