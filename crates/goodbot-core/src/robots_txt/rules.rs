//! What one robot must obey: a small value that stands alone, and the way it answers.
//!
//! Rules are kept sorted by the second octet of their pattern (the first is always `/`), and within
//! that by rank, the first that decides first. A check looks at two short runs of them: those that
//! begin as the path does, and those that could begin anyhow. Its cost is at most the sum over the
//! rules of (length of the pattern + length of the URL).

use std::cell::Cell;
use std::sync::Arc;

use crate::dialect::{Dialect, OtherSchemes, RobotsTxtItself};
use crate::field::Field;
use crate::target::{self, Paths, Scratch, Target};
use crate::verdict::{Considered, GroupInfo, Reason, RuleInfo, Verdict};

use super::clean_param::CleanParam;
use super::explain;
use super::select::How;
use super::usage::Statements;
use super::value::{RequestRate, VisitTime};
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
}

/// One rule, as the engine sees it.
pub(crate) trait Entry: Copy {
    fn start(self) -> usize;
    fn line(self) -> u32;
    fn rank(self) -> u32;
    fn flags(self) -> u16;
}

/// A rule in 8 octets: almost every file fits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Narrow {
    pub(crate) start: u16,
    pub(crate) line: u16,
    pub(crate) rank: u16,
    pub(crate) flags: u16,
}

/// A rule in 16 octets.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wide {
    pub(crate) start: u32,
    pub(crate) line: u32,
    pub(crate) rank: u32,
    pub(crate) flags: u16,
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

/// The rules in the order of the index.
#[derive(Debug)]
pub(crate) enum Entries {
    Narrow(Box<[Narrow]>),
    Wide(Box<[Wide]>),
}

/// Where the rules are that begin with `/` and a given octet.
#[derive(Debug, Default)]
pub(crate) struct Index {
    /// The octets that have rules.
    pub(crate) octets: [u64; 4],
    /// The first rule of each such octet, in order; before them are those that could begin anyhow.
    /// The last element is the number of rules.
    pub(crate) starts: Box<[u32]>,
}

impl Index {
    /// The run of rules that begin as the path does.
    #[inline]
    fn run(&self, path: &[u8]) -> Option<(usize, usize)> {
        let octet = *path.get(1)?;
        let (word, bit) = (usize::from(octet >> 6), octet & 63);
        let here = self.octets[word];
        if here & (1 << bit) == 0 {
            return None;
        }
        let before: u32 = self.octets[..word].iter().map(|word| word.count_ones()).sum();
        let place = (before + (here & ((1 << bit) - 1)).count_ones()) as usize;
        Some((self.starts[place] as usize, self.starts[place + 1] as usize))
    }

    /// How many rules could begin anyhow.
    #[inline]
    fn roots(&self) -> usize {
        self.starts.first().map_or(0, |start| *start as usize)
    }
}

/// What few files have.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Extras {
    pub(crate) crawl_delay: Option<f64>,
    pub(crate) request_rates: Box<[RequestRate]>,
    pub(crate) visit_times: Box<[VisitTime]>,
    pub(crate) comments: Box<[Box<str>]>,
    pub(crate) please_visit: Box<[Box<str>]>,
    pub(crate) statements: Statements,
    pub(crate) clean_params: Box<[CleanParam]>,
    /// Lines that cannot be told from their parts: number and text, by number.
    pub(crate) written: Box<[(u32, Box<str>)]>,
}

/// What one robot must obey. It stands alone: the file's text need not be kept.
#[derive(Debug)]
pub struct Rules {
    pub(crate) dialect: Arc<Dialect>,
    /// The dialect that the rules are read in: another for Conner's version 1 records.
    pub(crate) reader: Arc<Dialect>,
    pub(crate) entries: Entries,
    pub(crate) index: Index,
    /// The patterns, one behind the other, in the order of the entries.
    pub(crate) patterns: Box<[u8]>,
    /// What is answered when no rule matches.
    pub(crate) otherwise: (bool, Reason),
    /// What is answered for every URL, if the file as a whole decides.
    pub(crate) blanket: Option<(bool, Reason)>,
    pub(crate) robot: Box<str>,
    pub(crate) how: How,
    /// The groups obeyed, as lines `number agent`, a blank line between groups.
    pub(crate) groups: Box<str>,
    /// The sitemaps of the file, one a line.
    pub(crate) sitemaps: Box<str>,
    pub(crate) extras: Option<Box<Extras>>,
}

/// The outcome of a check, before it is put in words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decision {
    /// Whether the URL is allowed.
    pub allowed: bool,
    /// Why.
    pub reason: Reason,
    /// The number of the line that decided; 0 if none did.
    pub line: u32,
    pub(crate) place: Option<u32>,
}

impl Rules {
    /// Whether the robot may fetch the URL.
    #[must_use]
    #[inline]
    pub fn allows(&self, url: &[u8]) -> bool {
        self.decide(url, &mut Scratch::default()).allowed
    }

    /// Whether the robot may fetch the URL, with the reason and the line.
    #[must_use]
    pub fn decide(&self, url: &[u8], scratch: &mut Scratch) -> Decision {
        let target = Target::new(url);
        if let Some((allowed, reason)) = self.without_rules(&target) {
            return Decision { allowed, reason, line: 0, place: None };
        }
        let paths = target.paths(&self.reader, scratch);
        self.decide_paths(&target, paths)
    }

    #[inline]
    fn decide_paths(&self, target: &Target<'_>, paths: Paths<'_>) -> Decision {
        // RFC 9309 section 2.2.2: "The /robots.txt URI is implicitly allowed."
        if paths.plain == b"/robots.txt"
            && self.reader.robots_txt_itself == RobotsTxtItself::AlwaysAllowed
        {
            let reason = Reason::RobotsTxtItself;
            return Decision { allowed: true, reason, line: 0, place: None };
        }
        match &self.entries {
            Entries::Narrow(entries) => self.first(entries, target, paths),
            Entries::Wide(entries) => self.first(entries, target, paths),
        }
    }

    /// The answer that does not depend on the path, if there is one.
    #[inline]
    fn without_rules(&self, target: &Target<'_>) -> Option<(bool, Reason)> {
        if self.blanket.is_some() {
            return self.blanket;
        }
        // WWW::RobotRules, allowed: "Robots.txt applies to only those schemes."
        if self.reader.other_schemes == OtherSchemes::Allowed {
            let http = |scheme: &[u8]| {
                scheme.eq_ignore_ascii_case(b"http") || scheme.eq_ignore_ascii_case(b"https")
            };
            if target.scheme().is_some_and(|scheme| !http(scheme)) {
                return Some((true, Reason::SchemeNotCovered));
            }
        }
        None
    }

    /// Of the rules that match, the one that ranks first decides.
    #[inline]
    fn first<E: Entry>(&self, entries: &[E], target: &Target<'_>, paths: Paths<'_>) -> Decision {
        let asked = Asked::new(target, paths);
        let root = self.first_in(entries, 0, self.index.roots(), &asked);
        let run = self
            .index
            .run(paths.plain)
            .and_then(|(from, to)| self.first_in(entries, from, to, &asked));
        let place = match (root, run) {
            (Some(a), Some(b)) => {
                let order = |place: usize| (entries[place].rank(), entries[place].line());
                if order(a) <= order(b) { a } else { b }
            }
            (None, None) => {
                let (allowed, reason) = self.otherwise;
                return Decision { allowed, reason, line: 0, place: None };
            }
            (one, other) => one.or(other).unwrap_or(0),
        };
        let allowed = entries[place].flags() & flag::ALLOW != 0;
        let reason = if allowed { Reason::RuleAllows } else { Reason::RuleDisallows };
        let line = entries[place].line();
        Decision { allowed, reason, line, place: u32::try_from(place).ok() }
    }

    #[inline]
    fn first_in<E: Entry>(
        &self,
        entries: &[E],
        from: usize,
        to: usize,
        asked: &Asked<'_>,
    ) -> Option<usize> {
        (from..to).find(|&place| self.matches(entries, place, asked))
    }

    #[inline]
    fn matches<E: Entry>(&self, entries: &[E], place: usize, asked: &Asked<'_>) -> bool {
        let flags = entries[place].flags();
        let stored = self.stored(entries, place);
        let rare = if asked.paths.open_query.is_some() { flag::QUERY } else { 0 };
        if flags & (flag::OPENED | flag::ORIGIN | rare) == 0 {
            let path = asked.paths.plain;
            return match has_set(flags) {
                false => simple_matches(stored, flags, path),
                true => asked.may_match(stored) && pattern_matches(&stored[SET..], flags, path),
            };
        }
        self.matches_rarely(entries[place].line(), without_set(stored, flags), flags, asked)
    }

    #[cold]
    fn matches_rarely(&self, line: u32, pattern: &[u8], flags: u16, asked: &Asked<'_>) -> bool {
        let Asked { target, paths, .. } = asked;
        let open = paths.open_query.unwrap_or(paths.plain);
        let matched = if flags & flag::OPENED != 0 {
            pattern_matches(pattern, flags, open)
        } else {
            pattern_matches(pattern, flags, paths.plain)
                || paths.open_query.is_some_and(|path| pattern_matches(pattern, flags, path))
        };
        matched && (flags & flag::ORIGIN == 0 || self.is_for_origin(line, target))
    }

    /// Whether a rule whose value is an absolute URL is for the URL's origin. A URL without an origin
    /// of its own is taken to be of the file's site, and the rule to be meant for it.
    fn is_for_origin(&self, line: u32, target: &Target<'_>) -> bool {
        let value =
            self.written(line).and_then(|text| text.split_once(':')).map(|(_, value)| value);
        let Some(rule) = value.and_then(|value| target::origin(value.trim().as_bytes()).ok())
        else {
            return false;
        };
        target::origin(target.url).map_or(true, |origin| origin == rule)
    }

    /// What is kept of a pattern: the pattern, behind the set of octets that it needs if it has one.
    #[inline]
    fn stored<E: Entry>(&self, entries: &[E], place: usize) -> &[u8] {
        let end = entries.get(place + 1).map_or(self.patterns.len(), |entry| entry.start());
        &self.patterns[entries[place].start()..end]
    }

    /// A line that was kept as written.
    pub(crate) fn written(&self, line: u32) -> Option<&str> {
        let written = &self.extras.as_ref()?.written;
        let place = written.binary_search_by_key(&line, |(number, _)| *number).ok()?;
        Some(&written[place].1)
    }

    /// The verdict on a URL: the decision with the rule and the group in words.
    #[must_use]
    pub fn verdict(&self, url: &[u8]) -> Verdict {
        let decision = self.decide(url, &mut Scratch::default());
        explain::verdict(self, url, decision)
    }

    /// Every rule that matches the URL, the one that decides first.
    #[must_use]
    pub fn considered(&self, url: &[u8]) -> Vec<Considered> {
        let target = Target::new(url);
        let mut scratch = Scratch::default();
        let paths = target.paths(&self.reader, &mut scratch);
        let decision = self.decide(url, &mut Scratch::default());
        let asked = Asked::new(&target, paths);
        let mut places: Vec<usize> = match &self.entries {
            Entries::Narrow(entries) => self.matching(entries, &asked),
            Entries::Wide(entries) => self.matching(entries, &asked),
        };
        places.sort_by_key(|place| self.order(*place));
        explain::considered(self, &places, decision)
    }

    fn matching<E: Entry>(&self, entries: &[E], asked: &Asked<'_>) -> Vec<usize> {
        (0..entries.len()).filter(|place| self.matches(entries, *place, asked)).collect()
    }

    /// The rank and line of a rule, its flags, and its pattern.
    pub(crate) fn entry(&self, place: usize) -> (u32, u32, u16, &[u8]) {
        match &self.entries {
            Entries::Narrow(entries) => self.entry_in(entries, place),
            Entries::Wide(entries) => self.entry_in(entries, place),
        }
    }

    fn entry_in<E: Entry>(&self, entries: &[E], place: usize) -> (u32, u32, u16, &[u8]) {
        let (entry, stored) = (entries[place], self.stored(entries, place));
        (entry.rank(), entry.line(), entry.flags(), without_set(stored, entry.flags()))
    }

    fn order(&self, place: usize) -> (u32, u32) {
        let (rank, line, _, _) = self.entry(place);
        (rank, line)
    }

    /// How many rules there are.
    #[must_use]
    pub fn len(&self) -> usize {
        match &self.entries {
            Entries::Narrow(entries) => entries.len(),
            Entries::Wide(entries) => entries.len(),
        }
    }

    /// Whether there is no rule.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The rules in the order of the file.
    #[must_use]
    pub fn list(&self) -> Vec<RuleInfo> {
        let mut places: Vec<usize> = (0..self.len()).collect();
        places.sort_by_key(|place| self.entry(*place).1);
        let mut list: Vec<RuleInfo> =
            places.into_iter().map(|place| explain::rule(self, place)).collect();
        list.dedup();
        list
    }

    /// The dialect.
    #[must_use]
    pub fn dialect(&self) -> &Arc<Dialect> {
        &self.dialect
    }

    /// The robot, as the caller named it.
    #[must_use]
    pub fn robot(&self) -> &str {
        &self.robot
    }

    /// The groups obeyed.
    #[must_use]
    pub fn groups(&self) -> Vec<GroupInfo> {
        explain::groups(&self.groups)
    }

    /// The least time between two visits that the site asks for, in seconds.
    #[must_use]
    pub fn crawl_delay(&self) -> Option<f64> {
        self.extras.as_ref().and_then(|extras| extras.crawl_delay)
    }

    /// The request rates that the site asks for, in the order of the file.
    #[must_use]
    pub fn request_rates(&self) -> &[RequestRate] {
        self.extras.as_ref().map_or(&[], |extras| &extras.request_rates)
    }

    /// When visits are welcome; one a record, by Conner's rule, so that several come from merging.
    #[must_use]
    pub fn visit_times(&self) -> &[VisitTime] {
        self.extras.as_ref().map_or(&[], |extras| &extras.visit_times)
    }

    /// The messages to the people who run the robot.
    pub fn comments(&self) -> impl Iterator<Item = &str> {
        self.extras.iter().flat_map(|extras| extras.comments.iter().map(|comment| &**comment))
    }

    /// The URLs that the site asks the robot to visit.
    pub fn please_visit(&self) -> impl Iterator<Item = &str> {
        self.extras.iter().flat_map(|extras| extras.please_visit.iter().map(|url| &**url))
    }

    /// The sitemaps of the file.
    pub fn sitemaps(&self) -> impl Iterator<Item = &str> {
        self.sitemaps.lines()
    }

    /// How the groups were chosen.
    #[must_use]
    pub fn how(&self) -> How {
        self.how
    }

    /// What the site states on the use of content.
    #[must_use]
    pub fn statements(&self) -> Option<&Statements> {
        self.extras.as_ref().map(|extras| &extras.statements)
    }

    /// The name of the field of a rule.
    pub(crate) fn field_of(flags: u16) -> Field {
        if flags & flag::ALLOW != 0 { Field::Allow } else { Field::Disallow }
    }
}

/// A URL that is asked about.
struct Asked<'a> {
    target: &'a Target<'a>,
    paths: Paths<'a>,
    /// The octets of the path, once a rule wants to know; every path has a `/`, so 0 is not yet.
    octets: Cell<u64>,
}

impl<'a> Asked<'a> {
    #[inline]
    fn new(target: &'a Target<'a>, paths: Paths<'a>) -> Asked<'a> {
        Asked { target, paths, octets: Cell::new(0) }
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

/// How many octets the set takes that stands before a pattern with a wildcard.
pub(crate) const SET: usize = size_of::<u64>();

/// Whether the set of the octets that a pattern needs stands before it.
#[inline]
pub(crate) fn has_set(flags: u16) -> bool {
    flags & (flag::WILD | flag::SHELL) == flag::WILD
}

fn without_set(stored: &[u8], flags: u16) -> &[u8] {
    if has_set(flags) { &stored[SET..] } else { stored }
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
