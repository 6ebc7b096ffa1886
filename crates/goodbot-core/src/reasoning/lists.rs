//! The rules of both sides of a comparison, as lists in the order in which they decide.
//!
//! A pattern that stands in several lists is one run, which is read once.

use std::collections::{HashMap, HashSet};

use crate::dialect::RobotsTxtItself;
use crate::robots_txt::{ROBOTS_TXT, Ranked, Rules};

use super::alphabet::{Alphabet, Reader};
use super::chain::{Chain, Pattern};

/// How many steps it takes to add a rule to a list.
const STEPS_OF_A_RULE: usize = 48;

/// How many steps it takes to see that a rule does not apply to a site, and to begin with another site.
const STEPS_OF_A_FOREIGN_RULE: usize = 2;
const STEPS_OF_A_SITE: usize = 1_600;

/// A rule of a list.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    /// Its pattern, by its place in [`Lists::runs`].
    pub(super) run: u32,
    /// Whether it allows.
    pub(super) allow: bool,
    /// Its line.
    pub(super) line: u32,
    /// Whether the other side lacks it, or has it in another order.
    pub(super) is_changed: bool,
}

/// The rules of one reading of one side; of those that match, the first decides.
#[derive(Debug)]
pub(super) struct List {
    pub(super) entries: Vec<Entry>,
    /// The rules that never decide, because an entry before them has the same pattern: the order of that
    /// entry, and their lines.
    pub(super) repeated: Vec<(u32, u32)>,
    /// Whether a path that no rule matches is allowed.
    pub(super) otherwise: bool,
    /// Whether the other side decides otherwise about such a path.
    pub(super) is_otherwise_changed: bool,
}

impl List {
    /// Returns the verdict of a rule, or that without a rule.
    pub(super) fn allows(&self, order: u32) -> bool {
        self.entries.get(order as usize).map_or(self.otherwise, |entry| entry.allow)
    }

    /// Returns the line of a rule; 0 if there is none.
    pub(super) fn line(&self, order: u32) -> u32 {
        self.entries.get(order as usize).map_or(0, |entry| entry.line)
    }

    /// Whether the other side lacks what decides here.
    pub(super) fn is_changed(&self, order: u32) -> bool {
        let entry = self.entries.get(order as usize);
        entry.map_or(self.is_otherwise_changed, |entry| entry.is_changed)
    }

    /// Iterates over the rules of a line.
    pub(super) fn of_line(&self, line: u32) -> impl Iterator<Item = &Entry> {
        self.entries.iter().filter(move |entry| entry.line == line)
    }

    /// Returns the order of what decides if no rule matches.
    pub(super) fn end(&self) -> u32 {
        index(self.entries.len())
    }
}

/// A pattern that reads the path, in one spelling or both.
#[derive(Debug)]
pub(super) struct Run {
    pub(super) chain: Chain,
    /// The pattern up to its first star.
    head: Vec<u8>,
    /// The reader whose form it is written in.
    pub(super) reader: usize,
    /// Whether it reads the path as compared.
    pub(super) reads_plain: bool,
    /// Whether it reads the path whose query is unescaped.
    pub(super) reads_open: bool,
    /// The lists that have it, and its order there.
    pub(super) uses: Vec<(u32, u32)>,
}

impl Run {
    /// Whether it may match in a query what it would not match before one: two dots between slashes
    /// are no dot segment there, and `%2F` is compared as a slash (RFC 9309 section 2.2.2, Figure 4).
    pub(super) fn gains_in_query(&self) -> bool {
        self.reads_open || self.chain.bytes().any(|byte| byte == b'.')
    }
}

/// Both sides of a comparison: the lists of the first side, then those of the second.
#[derive(Debug)]
pub(super) struct Lists {
    pub(super) all: Vec<List>,
    /// The number of lists of the first side.
    pub(super) split: usize,
    pub(super) runs: Vec<Run>,
    pub(super) alphabet: Alphabet,
    /// The number of runs with a star.
    stars: usize,
    /// The number of rules that apply to other sites only.
    foreign: usize,
    /// Whether both sides have lists in pairs, so that `is_changed` says what may differ.
    pub(super) are_paired: bool,
}

/// Builds lists.
struct Builder<'a> {
    /// The site whose rules are listed.
    site: &'a str,
    lists: Vec<List>,
    runs: Vec<Run>,
    readers: Vec<Reader>,
    /// The number of rules that apply to other sites only.
    foreign: usize,
    known: HashMap<(usize, Pattern, bool, bool), u32>,
}

impl Lists {
    /// Lists the rules of both sides that apply to a site; `None` if a pattern is a shell pattern, or if
    /// only one side reads queries.
    pub(super) fn new(before: &Rules, after: &Rules, site: &str) -> Option<Lists> {
        let mut builder = Builder::new(site);
        builder.side(before)?;
        let split = builder.lists.len();
        builder.side(after)?;
        let alphabet = builder.alphabet();
        let Builder { mut lists, runs, readers, foreign, .. } = builder;
        // Of two dialects, one could read a query, and the other none.
        if readers.iter().any(|reader| reader.query != readers[0].query) {
            return None;
        }
        let are_paired = lists.len() == 2 * split && readers.len() == 1;
        if are_paired {
            for place in 0..split {
                let (first, second) = lists.split_at_mut(split);
                mark_changes(&mut first[place], &mut second[place]);
            }
        }
        let stars = stars(&runs);
        Some(Lists { all: lists, split, stars, foreign, runs, alphabet, are_paired })
    }

    /// Lists the rules of one side; `None` as in [`Lists::new`].
    pub(super) fn of(rules: &Rules, site: &str) -> Option<Lists> {
        let mut builder = Builder::new(site);
        builder.side(rules)?;
        let alphabet = builder.alphabet();
        let Builder { lists, runs, foreign, .. } = builder;
        let (split, stars) = (lists.len(), stars(&runs));
        Some(Lists { all: lists, split, stars, foreign, runs, alphabet, are_paired: false })
    }

    /// Returns how many steps it takes at least to build the lists of some rules.
    pub(super) fn least_cost(sides: &[&Rules]) -> usize {
        STEPS_OF_A_RULE * sides.iter().map(|rules| rules.len()).sum::<usize>()
    }

    /// Returns how many steps it took to build the lists.
    pub(super) fn cost(&self) -> usize {
        let rules: usize =
            self.all.iter().map(|list| list.entries.len() + list.repeated.len()).sum();
        let bytes: usize = self.runs.iter().map(|run| run.chain.bytes().count()).sum();
        let foreign = match self.foreign {
            0 => 0,
            foreign => STEPS_OF_A_SITE + STEPS_OF_A_FOREIGN_RULE * foreign,
        };
        STEPS_OF_A_RULE * rules + bytes / 4 + foreign
    }

    /// Returns how many steps it takes to decide a path of so many letters.
    pub(super) fn cost_of_verdict(&self, letters: usize) -> usize {
        // Rules without a star are looked up.
        (letters + 16) * (16 + self.stars + self.runs.len() / 64) / 16 + self.foreign / 2
    }

    /// Whether a wish is for paths that some rule of each side may decide: whether the beginnings of the
    /// wanted patterns, up to their first stars, do not exclude each other.
    pub(super) fn may_meet(&self, one: &[u32], other: &[u32]) -> bool {
        let head = |run: &u32| &self.runs[*run as usize].head;
        self.alphabet.readers.len() > 1
            || one.iter().map(head).all(|one| other.iter().map(head).all(|head| agree(one, head)))
    }

    /// Whether one of two rules that decide is changed, or may be.
    pub(super) fn is_change(&self, one: (usize, u32), other: (usize, u32)) -> bool {
        !self.are_paired
            || self.split > 1
            || self.all[one.0].is_changed(one.1)
            || self.all[other.0].is_changed(other.1)
    }
}

/// Returns the number of runs with a star.
fn stars(runs: &[Run]) -> usize {
    runs.iter().filter(|run| run.chain.has_star()).count()
}

/// Whether some path begins with both.
fn agree(one: &[u8], other: &[u8]) -> bool {
    // In a query, one spelling may be that of the other pattern's path.
    let shared = one.iter().zip(other).take_while(|(byte, _)| **byte != b'?');
    let mut shared = shared.take_while(|(one, other)| **one != b'%' && **other != b'%');
    shared.all(|(one, other)| one == other)
}

impl<'a> Builder<'a> {
    fn new(site: &'a str) -> Builder<'a> {
        let (lists, runs, readers) = (Vec::new(), Vec::new(), Vec::new());
        Builder { site, lists, runs, readers, foreign: 0, known: HashMap::new() }
    }

    /// Returns the letters of the paths that all readers read.
    fn alphabet(&self) -> Alphabet {
        let mut has = vec![[false; 256]; self.readers.len()];
        for run in &self.runs {
            for byte in run.chain.bytes() {
                has[run.reader][usize::from(byte)] = true;
            }
        }
        Alphabet::new(&self.readers, &has)
    }

    /// Adds the rules of every reading of a side.
    fn side(&mut self, rules: &Rules) -> Option<()> {
        rules.readings().try_for_each(|reading| self.list(reading))
    }

    /// Adds the rules of one reading.
    fn list(&mut self, rules: &Rules) -> Option<()> {
        let reader = Reader::of(rules.reader());
        let reader = self.readers.iter().position(|known| *known == reader).unwrap_or_else(|| {
            self.readers.push(reader);
            self.readers.len() - 1
        });
        let place = index(self.lists.len());
        let (otherwise, _) = rules.otherwise();
        self.lists.push(List {
            entries: Vec::new(),
            repeated: Vec::new(),
            otherwise,
            is_otherwise_changed: true,
        });
        if rules.blanket.is_some() {
            return Some(());
        }
        // RFC 9309 section 2.2.2: "The /robots.txt URI is implicitly allowed."
        if rules.reader().robots_txt_itself == RobotsTxtItself::AlwaysAllowed {
            let bytes = ROBOTS_TXT.to_vec();
            let pattern = Pattern { bytes, wild: false, whole: true };
            self.entry(place, (reader, pattern, true, false), true, 0);
        }
        for ranked in rules.ranked() {
            if ranked.is_shell() {
                return None;
            }
            if !rules.applies_to(&ranked, self.site) {
                self.foreign += 1;
                continue;
            }
            let Ranked { line, allow, .. } = ranked;
            let (wild, whole) = (ranked.is_wild(), ranked.is_whole());
            let (plain, open) = (!ranked.reads_only_open_query(), ranked.reads_open_query());
            let pattern = Pattern { bytes: ranked.pattern, wild, whole };
            self.entry(place, (reader, pattern, plain, open), allow, line);
        }
        Some(())
    }

    /// Adds a rule to a list, unless the same pattern decides there before it.
    fn entry(&mut self, list: u32, key: (usize, Pattern, bool, bool), allow: bool, line: u32) {
        let next = index(self.runs.len());
        let run = *self.known.entry(key.clone()).or_insert(next);
        if run == next {
            let (reader, pattern, reads_plain, reads_open) = key;
            let chain = Chain::new(&pattern);
            let end = pattern.bytes.iter().position(|byte| pattern.wild && *byte == b'*');
            let head = pattern.bytes[..end.unwrap_or(pattern.bytes.len())].to_vec();
            let uses = Vec::new();
            self.runs.push(Run { chain, head, reader, reads_plain, reads_open, uses });
        }
        let List { entries, repeated, .. } = &mut self.lists[list as usize];
        let uses = &mut self.runs[run as usize].uses;
        if let Some((_, first)) = uses.iter().find(|(known, _)| *known == list) {
            repeated.push((*first, line));
        } else {
            uses.push((list, index(entries.len())));
            entries.push(Entry { run, allow, line, is_changed: true });
        }
    }
}

/// Marks the rules that both lists have, in the same order, as unchanged.
///
/// Where the rule that decides is unchanged in both lists, it is the same rule: it matches on both
/// sides, and neither list has an unchanged rule before it that matches.
fn mark_changes(before: &mut List, after: &mut List) {
    let is_changed = before.otherwise != after.otherwise;
    (before.is_otherwise_changed, after.is_otherwise_changed) = (is_changed, is_changed);
    let orders: HashMap<(u32, bool), usize> = (after.entries.iter().enumerate())
        .map(|(order, entry)| ((entry.run, entry.allow), order))
        .collect();
    let common: Vec<(usize, usize)> = (before.entries.iter().enumerate())
        .filter_map(|(order, entry)| Some((order, *orders.get(&(entry.run, entry.allow))?)))
        .collect();
    for place in longest_increasing(&common) {
        let (first, second) = common[place];
        before.entries[first].is_changed = false;
        after.entries[second].is_changed = false;
    }
    for list in [before, after] {
        spread_over_lines(&mut list.entries);
    }
}

/// Marks every rule of a line as changed if one of them is: a line counts as one decider.
fn spread_over_lines(entries: &mut [Entry]) {
    let changed: HashSet<u32> =
        entries.iter().filter(|entry| entry.is_changed).map(|entry| entry.line).collect();
    for entry in entries {
        entry.is_changed = changed.contains(&entry.line);
    }
}

/// Returns the places of a longest subsequence whose second numbers increase.
fn longest_increasing(pairs: &[(usize, usize)]) -> Vec<usize> {
    let mut ends: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = Vec::with_capacity(pairs.len());
    for (place, (_, value)) in pairs.iter().enumerate() {
        let length = ends.partition_point(|end| pairs[*end].1 < *value);
        before.push(length.checked_sub(1).map(|shorter| ends[shorter]));
        match ends.get_mut(length) {
            Some(end) => *end = place,
            None => ends.push(place),
        }
    }
    let mut found: Vec<usize> =
        std::iter::successors(ends.last().copied(), |place| before[*place]).collect();
    found.reverse();
    found
}

/// Numbers of rules fit in 32 bits, as their file does.
fn index(value: usize) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}
