//! What one robot must obey: a small value that does not depend on the file.

use std::collections::HashSet;
use std::hash::Hash;
use std::sync::Arc;

use crate::dialect::{Dialect, OtherSchemes, RelativeUrls, RobotsTxtItself};
use crate::dialects;
use crate::field::Field;
use crate::packed::packed;
use crate::spellings::Spellings;
use crate::target::{Paths, Scratch, Target};
use crate::verdict::Reason;

use super::clean_param::CleanParam;
use super::origins::{self, AskedOrigin};
use super::select::How;
use super::table::{Asked, Row, Table, Tree, flag};
use super::texts::Texts;
use super::usage::Statements;
use super::value::{RequestRate, VisitTime};

/// The path of robots.txt itself.
pub(crate) const ROBOTS_TXT: &[u8] = b"/robots.txt";

/// Values that few files have.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Extras {
    pub(crate) crawl_delay: Option<f64>,
    pub(crate) request_rates: Box<[RequestRate]>,
    pub(crate) visit_times: Box<[VisitTime]>,
    pub(crate) comments: Box<[Box<str>]>,
    pub(crate) please_visit: Box<[Box<str>]>,
    pub(crate) statements: Statements,
    pub(crate) clean_params: Box<[CleanParam]>,
    /// The origins that rules apply to, by where their patterns begin; other rules apply to all.
    pub(crate) origins: Box<[(u32, Vec<String>)]>,
}

packed!(Extras {
    crawl_delay,
    request_rates,
    visit_times,
    comments,
    please_visit,
    statements,
    clean_params,
    origins,
});

impl Extras {
    /// Combines what the two readings of a file ask for: the longest delay, the first visiting time, and
    /// all other values of both.
    fn and(mut self, other: Extras) -> Extras {
        self.crawl_delay = match (self.crawl_delay, other.crawl_delay) {
            (Some(one), Some(other)) => Some(one.max(other)),
            (one, other) => one.or(other),
        };
        self.request_rates = combine_rates(&self.request_rates, &other.request_rates);
        if self.visit_times.is_empty() {
            self.visit_times = other.visit_times;
        }
        self.comments = union(self.comments, other.comments);
        self.please_visit = union(self.please_visit, other.please_visit);
        self.statements.add_all(other.statements);
        self
    }
}

/// Combines the rates of two readings. A rate that only one of them has is doubtful: a guess must not
/// lift what the other reading asks for.
fn combine_rates(one: &[RequestRate], other: &[RequestRate]) -> Box<[RequestRate]> {
    let (own, others): (HashSet<_>, HashSet<_>) = (one.iter().collect(), other.iter().collect());
    let told = |rate: &RequestRate, there: &HashSet<&RequestRate>| RequestRate {
        doubtful: rate.doubtful || !there.contains(rate),
        ..*rate
    };
    let first = one.iter().map(|rate| told(rate, &others));
    let more = other.iter().filter(|rate| !own.contains(rate)).map(|rate| told(rate, &own));
    first.chain(more).collect()
}

fn union<T: Eq + Hash>(one: Box<[T]>, other: Box<[T]>) -> Box<[T]> {
    let own: HashSet<&T> = one.iter().collect();
    let missing: Vec<T> = other.into_iter().filter(|value| !own.contains(value)).collect();
    one.into_iter().chain(missing).collect()
}

/// A pattern of a rule, as it is compared.
#[derive(Clone, Debug)]
pub(crate) struct Ranked {
    pub(crate) line: u32,
    pub(crate) allow: bool,
    pub(crate) pattern: Vec<u8>,
    /// The properties of the rule (`table::flag`).
    pub(super) flags: u16,
    /// Where its pattern begins among all.
    pub(super) start: u32,
}

impl Ranked {
    fn of(row: &Row<'_>) -> Ranked {
        let root: &[u8] = if row.flags & flag::ROOTED != 0 { b"/" } else { b"" };
        let pattern = [root, row.kept].concat();
        let Row { line, flags, start, .. } = *row;
        Ranked { line, allow: flags & flag::ALLOW != 0, pattern, flags, start }
    }

    /// Whether a `*` in the pattern is any run of bytes.
    pub(crate) fn is_wild(&self) -> bool {
        self.flags & flag::WILD != 0
    }

    /// Whether the pattern must match up to the end of the path.
    pub(crate) fn is_whole(&self) -> bool {
        self.flags & flag::WHOLE != 0
    }

    /// Whether it is a shell pattern.
    pub(crate) fn is_shell(&self) -> bool {
        self.flags & flag::SHELL != 0
    }

    /// Whether it is compared with the path whose query is unescaped, too.
    pub(crate) fn reads_open_query(&self) -> bool {
        self.flags & (flag::QUERY | flag::OPENED) != 0
    }

    /// Whether it is compared with that path only.
    pub(crate) fn reads_only_open_query(&self) -> bool {
        self.flags & flag::OPENED != 0
    }
}

/// What one robot must obey. It is self-contained: the file's text need not be kept.
#[derive(Debug)]
pub struct Rules {
    pub(crate) dialect: Arc<Dialect>,
    /// Whether the rules are read as Conner's version 1 records, which have a dialect of their own.
    pub(crate) is_version_1: bool,
    pub(crate) table: Table,
    /// The verdict if no rule matches.
    pub(crate) otherwise: (bool, Reason),
    /// The verdict on every URL, if the file as a whole decides.
    pub(crate) blanket: Option<(bool, Reason)>,
    /// Whether a path without escape or star is compared unchanged, and decides alone.
    pub(crate) quick: bool,
    pub(crate) how: How,
    pub(crate) texts: Texts,
    pub(crate) extras: Option<Box<Extras>>,
    /// The rules of another reading, if they differ: without guesses, or as Conner's version 1. A URL is
    /// allowed only if all readings allow it.
    pub(crate) strict: Option<Box<Rules>>,
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
    /// The reading whose rules decided: 0 is the first.
    pub(crate) reading: u8,
}

impl Decision {
    /// Returns what tells the decisions of the same rules apart: the reading, the place of the rule
    /// in its table, and the reason.
    #[must_use]
    pub fn basis(&self) -> (u8, Option<u32>, Reason) {
        (self.reading, self.place, self.reason)
    }

    /// Returns a decision that no rule made.
    fn without_rule((allowed, reason): (bool, Reason)) -> Decision {
        Decision { allowed, reason, line: 0, place: None, reading: 0 }
    }
}

impl Rules {
    /// Returns about how many bytes rules without texts take in memory.
    pub(crate) fn size(&self) -> usize {
        let own = size_of::<Rules>() + self.table.size();
        own + self.extras.as_ref().map_or(0, |_| 2 * size_of::<Extras>())
            + self.strict.as_ref().map_or(0, |strict| strict.size())
    }

    /// Returns about how many bytes rules take in memory, with the texts of the file that they keep.
    #[must_use]
    pub fn memory(&self) -> usize {
        let texts: usize = self.readings().map(|reading| reading.texts.size()).sum();
        self.size() + texts
    }

    /// Reads a little of everything that decides, so that it comes into the caches of the processor.
    #[inline]
    pub(crate) fn prefetch(&self) -> u8 {
        let own = self.quick ^ self.otherwise.0 ^ self.strict.is_some() ^ self.blanket.is_some();
        self.table.prefetch() ^ u8::from(own)
    }

    /// Combines both readings of a file: these rules, and those of the reading without guesses.
    pub(crate) fn and(mut self, mut strict: Rules) -> Rules {
        let asked = strict.extras.take().map_or_else(Extras::default, |extras| *extras);
        let extras = self.extras.take().map_or_else(Extras::default, |extras| *extras).and(asked);
        self.extras = (extras != Extras::default()).then(|| Box::new(extras));
        self.and_rules(strict)
    }

    /// Combines these rules with those of another reading whose other fields are the same.
    pub(crate) fn and_rules(mut self, mut other: Rules) -> Rules {
        let more = other.strict.take();
        if !self.readings().any(|reading| reading.decides_as(&other)) {
            self.quick = false;
            other.quick = false;
            let mut last = &mut self.strict;
            while let Some(reading) = last {
                last = &mut reading.strict;
            }
            *last = Some(Box::new(other));
        }
        match more {
            Some(more) => self.and_rules(*more),
            None => self,
        }
    }

    fn decides_as(&self, other: &Rules) -> bool {
        self.table == other.table
            && self.otherwise == other.otherwise
            && self.blanket == other.blanket
            && self.reader() == other.reader()
    }

    /// Iterates over these rules and those of every other reading.
    pub(crate) fn readings(&self) -> impl Iterator<Item = &Rules> {
        std::iter::successors(Some(self), |reading| reading.strict.as_deref())
    }

    /// Returns the rules that led to a decision.
    pub(super) fn behind(&self, decision: Decision) -> &Rules {
        self.readings().nth(usize::from(decision.reading)).unwrap_or(self)
    }

    /// Whether the robot may fetch the URL.
    #[must_use]
    #[inline]
    pub fn allows(&self, url: &[u8]) -> bool {
        self.decide_target(&Target::new(url), &mut Scratch::default(), &[]).allowed
    }

    /// Whether the robot may fetch the URL, with the reason and the line.
    #[must_use]
    pub fn decide(&self, url: &[u8], scratch: &mut Scratch) -> Decision {
        self.decide_target(&Target::new(url), scratch, &[])
    }

    /// Decides on a URL as it is sent and, if that allows it, as it is written: either spelling can
    /// disallow. Returns the spelling that was compared last, too.
    pub fn decide_spellings<'a>(
        &self,
        spellings: &'a Spellings<'_>,
        scratch: &mut Scratch,
    ) -> (Decision, &'a [u8]) {
        let decision = self.decide(&spellings.sent, scratch);
        match &spellings.written {
            Some(written) if decision.allowed => (self.decide(written, scratch), written),
            _ => (decision, &spellings.sent),
        }
    }

    /// Decides as [`Rules::decide`] does, for consecutive URLs that begin alike.
    #[must_use]
    #[inline]
    pub fn decide_next(&self, url: &[u8], scratch: &mut Scratch) -> Decision {
        self.decide_next_by(&[], url, scratch)
    }

    /// Decides as [`Rules::decide`] does on an absolute URL whose path begins at a place and has no byte
    /// that ends it, is not sent as it is, or is compared other than literally.
    #[inline]
    pub(crate) fn decide_plain_at(
        &self,
        url: &[u8],
        path: usize,
        scratch: &mut Scratch,
    ) -> Decision {
        self.decide_target(&Target::from_plain_path(url, path), scratch, &[])
    }

    /// Decides as [`Rules::decide_next`] does, by the trees of the readings, if there are any.
    #[inline]
    pub(super) fn decide_next_by(
        &self,
        trees: &[Tree],
        url: &[u8],
        scratch: &mut Scratch,
    ) -> Decision {
        let target = Target::with_prefix(url, &mut scratch.prefix);
        self.decide_target(&target, scratch, trees)
    }

    /// Decides a path that is compared unchanged.
    #[inline]
    fn decide_plain(&self, url: &[u8], path: &[u8], tree: Option<&Tree>) -> Decision {
        self.decide_paths(url, Paths { plain: path, open_query: None }, tree)
    }

    /// Decides by the trees of the readings, if there are any.
    #[inline]
    fn decide_target(
        &self,
        target: &Target<'_>,
        scratch: &mut Scratch,
        trees: &[Tree],
    ) -> Decision {
        if let (true, Some(path)) = (self.quick, target.plain_path()) {
            return self.decide_plain(target.url, path, trees.first());
        }
        let decision = self.decide_reading(target, scratch, trees.first());
        if !decision.allowed || self.strict.is_none() {
            return decision;
        }
        for (reading, rules) in (1..).zip(self.readings().skip(1)) {
            let tree = trees.get(usize::from(reading));
            let other = rules.decide_reading(target, scratch, tree);
            if !other.allowed {
                return Decision { reading, ..other };
            }
        }
        decision
    }

    /// Returns the decision of this reading alone.
    #[inline]
    fn decide_reading(
        &self,
        target: &Target<'_>,
        scratch: &mut Scratch,
        tree: Option<&Tree>,
    ) -> Decision {
        let mut room = Vec::new();
        let target = &target.judged(self.reader(), &mut room);
        if let Some(answer) = self.without_rules(target) {
            return Decision::without_rule(answer);
        }
        let paths = target.paths(self.reader(), scratch);
        self.decide_paths(target.url, paths, tree)
    }

    #[inline]
    fn decide_paths(&self, url: &[u8], paths: Paths<'_>, tree: Option<&Tree>) -> Decision {
        // RFC 9309 section 2.2.2: "The /robots.txt URI is implicitly allowed."
        if paths.plain == ROBOTS_TXT
            && self.reader().robots_txt_itself == RobotsTxtItself::AlwaysAllowed
        {
            return Decision::without_rule((true, Reason::RobotsTxtItself));
        }
        let asked = Asked::new(paths);
        let asked_origin = AskedOrigin::default();
        let for_origin = |start| self.is_for_origin(start, asked_origin.of(url));
        let decided = match tree {
            Some(tree) => self.table.decide_by(tree, &asked, for_origin),
            None => self.table.decide(&asked, for_origin),
        };
        match decided {
            None => Decision::without_rule(self.otherwise),
            Some((place, line, allowed)) => {
                let reason = if allowed { Reason::RuleAllows } else { Reason::RuleDisallows };
                let place = u32::try_from(place).ok();
                Decision { allowed, reason, line, place, reading: 0 }
            }
        }
    }

    /// Returns the verdict that does not depend on the path, if there is one.
    #[inline]
    fn without_rules(&self, target: &Target<'_>) -> Option<(bool, Reason)> {
        if target.relative && self.reader().relative_urls == RelativeUrls::Forbidden {
            return Some((false, Reason::RelativeUrl));
        }
        if self.blanket.is_some() {
            return self.blanket;
        }
        // WWW::RobotRules, allowed: "Robots.txt applies to only those schemes."
        if self.reader().other_schemes == OtherSchemes::Allowed {
            let http = |scheme: &[u8]| {
                scheme.eq_ignore_ascii_case(b"http") || scheme.eq_ignore_ascii_case(b"https")
            };
            if target.scheme().is_some_and(|scheme| !http(scheme)) {
                return Some((true, Reason::SchemeNotCovered));
            }
        }
        None
    }

    /// Whether there are no rules.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.table.len() == 0 && self.strict.as_ref().is_none_or(|strict| strict.is_empty())
    }

    /// Returns the verdict if no rule matches, or on every URL if the file as a whole decides, with
    /// its reason.
    #[must_use]
    pub fn otherwise(&self) -> (bool, Reason) {
        self.blanket.unwrap_or(self.otherwise)
    }

    /// Returns the dialect that the rules are read in: it differs from [`Rules::dialect`] for Conner's
    /// version 1 records.
    #[must_use]
    pub fn reader(&self) -> &Arc<Dialect> {
        if self.is_version_1 { &dialects::VERSION_1 } else { &self.dialect }
    }

    /// Returns the dialect.
    #[must_use]
    pub fn dialect(&self) -> &Arc<Dialect> {
        &self.dialect
    }

    /// Returns the robot, as the caller named it.
    #[must_use]
    pub fn robot(&self) -> &str {
        self.texts.robot()
    }

    /// Returns the least time between two visits that the site asks for, in seconds.
    #[must_use]
    pub fn crawl_delay(&self) -> Option<f64> {
        self.extras.as_ref().and_then(|extras| extras.crawl_delay)
    }

    /// Returns the request rates that the site asks for, in the order of the file; if it has guesses,
    /// those of both readings.
    #[must_use]
    pub fn request_rates(&self) -> &[RequestRate] {
        self.extras.as_ref().map_or(&[], |extras| &extras.request_rates)
    }

    /// Returns when visits are welcome; if empty, always. Of several the first applies (Conner
    /// 1996, Visit-time: "This can only appear once per rule set").
    #[must_use]
    pub fn visit_times(&self) -> &[VisitTime] {
        self.extras.as_ref().map_or(&[], |extras| &extras.visit_times)
    }

    /// Iterates over the messages to the people who run the robot.
    pub fn comments(&self) -> impl Iterator<Item = &str> {
        self.extras.iter().flat_map(|extras| extras.comments.iter().map(|comment| &**comment))
    }

    /// Iterates over the URLs that the site asks the robot to visit.
    pub fn please_visit(&self) -> impl Iterator<Item = &str> {
        self.extras.iter().flat_map(|extras| extras.please_visit.iter().map(|url| &**url))
    }

    /// Iterates over the sitemaps of the file.
    pub fn sitemaps(&self) -> impl Iterator<Item = String> {
        self.texts.sitemaps()
    }

    /// Returns how the groups were chosen.
    #[must_use]
    pub fn how(&self) -> How {
        self.how
    }

    /// Returns what the site states about the use of its content.
    #[must_use]
    pub fn statements(&self) -> Option<&Statements> {
        self.extras.as_ref().map(|extras| &extras.statements)
    }

    /// Returns the patterns of this reading, those first that decide before the others.
    pub(crate) fn ranked(&self) -> Vec<Ranked> {
        let mut rows: Vec<_> = (0..self.table.len()).map(|place| self.table.row(place)).collect();
        rows.sort_unstable_by_key(|row| (row.rank, row.start));
        rows.iter().map(Ranked::of).collect()
    }

    /// Whether the rule whose pattern begins at a position applies to the URL's origin. A URL
    /// without an origin is assumed to belong to the file's site, so the rule applies to it.
    pub(super) fn is_for_origin(&self, start: u32, origin: Option<&String>) -> bool {
        let origins = origins::of_rule(self.of_origins(), start);
        !origins.is_empty() && origin.is_none_or(|origin| origins.contains(origin))
    }

    /// Whether a rule of this reading applies to the URLs of an origin.
    pub(crate) fn applies_to(&self, rule: &Ranked, origin: &str) -> bool {
        let is_for_all = rule.flags & flag::ORIGIN == 0;
        let origins = || origins::of_rule(self.of_origins(), rule.start);
        is_for_all || origins().iter().any(|named| named == origin)
    }

    /// Returns the rules of this reading that apply to some origins only: where their patterns
    /// begin, and the origins.
    pub(crate) fn of_origins(&self) -> &[(u32, Vec<String>)] {
        self.extras.as_ref().map_or(&[], |extras| &extras.origins)
    }

    /// Returns the field of a rule.
    pub(crate) fn field_of(flags: u16) -> Field {
        if flags & flag::ALLOW != 0 { Field::Allow } else { Field::Disallow }
    }
}
