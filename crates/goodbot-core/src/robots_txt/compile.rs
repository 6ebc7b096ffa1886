//! One robot's rules, put together from the groups that it obeys.

use std::borrow::Cow;
use std::fmt::Write;
use std::ops::Range;
use std::sync::Arc;

use crate::dialect::{
    AbsolutePaths, AllowLines, Dialect, Dollar, EmptyAllow, EmptyDisallow, Escapes, Extent,
    IndexHtml, NoMatchWithBoth, OverRules, OverSize, PathsPerLine, Precedence, Star, VersionGate,
};
use crate::dialects;
use crate::escape::{Form, Side};
use crate::field::Field;
use crate::verdict::Reason;

use super::agent::{self, Name};
use super::clean_param::CleanParam;
use super::line;
use super::parse::{Parsed, Record};
use super::place::{self, Draft, Run};
use super::rules::{Extras, Rules, flag};
use super::select::{self, How};
use super::special::Special;
use super::usage::Statements;
use super::value::{self, Reading, RequestRate, VisitTime};

/// The rules of one robot.
pub(crate) fn compile(
    parsed: &Parsed,
    text: &[u8],
    dialect: &Arc<Dialect>,
    robot: &str,
    name: &Name,
) -> Rules {
    let selection = select::select(parsed, text, dialect, name);
    let mut compiler = Compiler::new(parsed, text, dialect, &selection.groups);
    for place in &selection.groups {
        compiler.group(*place);
    }
    compiler.finish(robot, selection.how)
}

/// Where a pattern is taken from: the text, or the rewritten patterns.
struct Source {
    rewritten: bool,
    /// Whether the pattern has a `?`.
    query: bool,
    pattern: Range<usize>,
}

/// What Conner's decision counts (Conner 1996, Disallow).
#[derive(Default)]
struct Counts {
    allow: usize,
    disallow: usize,
    wild_allow: usize,
}

struct Compiler<'a> {
    parsed: &'a Parsed,
    text: &'a [u8],
    dialect: &'a Arc<Dialect>,
    /// The dialect that rules are read in: another than `dialect` for Conner's version 1 records.
    reader: Arc<Dialect>,
    form: Form,
    drafts: Vec<Draft>,
    rewritten: Vec<u8>,
    counts: Counts,
    groups: String,
    extras: Extras,
    written: Vec<(u32, Box<str>)>,
    rates: Vec<RequestRate>,
    times: Vec<VisitTime>,
    comments: Vec<Box<str>>,
    please_visit: Vec<Box<str>>,
    clean_params: Vec<CleanParam>,
}

impl<'a> Compiler<'a> {
    fn new(
        parsed: &'a Parsed,
        text: &'a [u8],
        dialect: &'a Arc<Dialect>,
        groups: &[usize],
    ) -> Self {
        let reader = reader(parsed, text, dialect, groups);
        let spans = groups.iter().map(|place| &parsed.groups[*place]);
        let records: usize = spans.map(|span| (span.end - span.start) as usize).sum();
        Compiler {
            parsed,
            text,
            dialect,
            form: Form::of(&reader),
            reader,
            drafts: Vec::with_capacity(records),
            rewritten: Vec::new(),
            counts: Counts::default(),
            groups: String::new(),
            extras: Extras::default(),
            written: Vec::new(),
            rates: Vec::new(),
            times: Vec::new(),
            comments: Vec::new(),
            please_visit: Vec::new(),
            clean_params: Vec::new(),
        }
    }

    fn group(&mut self, place: usize) {
        let span = &self.parsed.groups[place];
        if !self.groups.is_empty() {
            self.groups.push('\n');
        }
        let mut has_time = false;
        for record in select::records(self.parsed, span) {
            match record.field() {
                Field::UserAgent => self.agent(*record),
                Field::Disallow => self.rules(*record, false),
                Field::Allow if self.reader.allow_lines == AllowLines::Honoured => {
                    self.rules(*record, true);
                }
                field if !self.dialect.fields.has(field) => {}
                // "This can only appear once per rule set": which one holds is not said; the first.
                Field::VisitTime if std::mem::replace(&mut has_time, true) => {}
                _ => self.extra(*record),
            }
        }
    }

    fn agent(&mut self, record: Record) {
        for agent in agent::agents(record.value(self.text), self.dialect.agents_per_line) {
            let agent = String::from_utf8_lossy(agent);
            // Writing to a string does not fail.
            let _ = writeln!(self.groups, "{} {agent}", record.line());
        }
    }

    fn extra(&mut self, record: Record) {
        let value = String::from_utf8_lossy(record.value(self.text));
        match record.field() {
            // Several delays: the longest, so that none is undercut.
            Field::CrawlDelay => {
                let delay = value::delay(&value);
                self.extras.crawl_delay = match (self.extras.crawl_delay, delay) {
                    (Some(a), Some(b)) => Some(a.max(b)),
                    (a, b) => a.or(b),
                };
            }
            Field::RequestRate => self.rates.extend(RequestRate::read(&value)),
            Field::VisitTime => self.times.extend(VisitTime::read(&value)),
            Field::Comment => self.comments.push(value.into()),
            Field::PleaseVisit if !value.is_empty() => self.please_visit.push(value.into()),
            field @ (Field::ContentUsage | Field::ContentSignal | Field::License) => {
                self.extras.statements.add(field, record.line(), record.value(self.text));
            }
            _ => {}
        }
    }

    /// The rules of one line.
    fn rules(&mut self, record: Record, allow: bool) {
        if allow {
            self.counts.allow += 1;
        } else {
            self.counts.disallow += 1;
        }
        let value = record.value(self.text);
        if self.dialect.paths_per_line == PathsPerLine::One || value.is_empty() {
            self.rule(record, record.start()..record.start() + value.len(), allow);
            return;
        }
        let mut at = record.start();
        for word in value.split(|octet| line::is_space(*octet)) {
            if !word.is_empty() {
                self.rule(record, at..at + word.len(), allow);
            }
            at += word.len() + 1;
        }
    }

    fn rule(&mut self, record: Record, value: Range<usize>, allow: bool) {
        if value.is_empty() {
            let allows_all = match allow {
                true => self.reader.empty_allow == EmptyAllow::AllowsAll,
                false => self.reader.empty_disallow == EmptyDisallow::AllowsAll,
            };
            if allows_all {
                let flags = flag::ALLOW | if allow { 0 } else { flag::WRITTEN };
                self.push(
                    record,
                    flags,
                    Source { rewritten: false, query: false, pattern: value },
                    0,
                );
            }
            return;
        }
        let mut flags = if allow { flag::ALLOW } else { 0 };
        if self.reader.absolute_paths == AbsolutePaths::SameOrigin {
            let Some(path) = self.absolute(&value, &mut flags) else { return };
            return self.pattern(record, flags, &path);
        }
        let special = Special::of(&self.text[value.clone()]);
        if !self.needs_rewriting(&special) {
            return self.plain_pattern(record, flags, value, &special);
        }
        let pattern = self.text[value].to_vec();
        self.pattern(record, flags, &pattern);
    }

    /// WWW::RobotRules, parse: `URI->new_abs($disallow, $robot_txt_uri)`, then its path and query.
    fn absolute(&self, value: &Range<usize>, flags: &mut u16) -> Option<Vec<u8>> {
        let text = &self.text[value.clone()];
        *flags |= flag::WRITTEN;
        if value::is_absolute_url(text) || text.starts_with(b"//") {
            *flags |= flag::ORIGIN;
            let target = crate::target::Target::new(text);
            let mut scratch = crate::target::Scratch::default();
            return Some(target.paths(&self.reader, &mut scratch).plain.to_vec());
        }
        // A scheme without an authority (`mailto:x`) has no host to compare: URI.pm dies, the line
        // is passed over.
        if memchr::memchr(b':', text)
            .is_some_and(|at| text[..at].iter().all(u8::is_ascii_alphanumeric))
        {
            return None;
        }
        let slash: &[u8] = if text[0] == b'/' { b"" } else { b"/" };
        Some([slash, text].concat())
    }

    /// Whether a pattern is compared in another spelling than its own.
    fn needs_rewriting(&self, special: &Special) -> bool {
        match self.reader.escapes {
            Escapes::None => false,
            Escapes::Rfc9309 | Escapes::ExceptSlash => special.has(Special::PERCENT),
            Escapes::Google => special.has(Special::PERCENT | Special::FOREIGN),
            Escapes::Unsafe => true,
        }
    }

    /// A pattern that is compared as it is written: the common case, without a copy.
    fn plain_pattern(
        &mut self,
        record: Record,
        mut flags: u16,
        mut value: Range<usize>,
        special: &Special,
    ) {
        let full = value.len();
        value.end -= self.ending(&self.text[value.clone()], special, &mut flags);
        let octets = match special.has(Special::FOREIGN) {
            true => self.form.octets(&self.text[value.clone()]) + full - value.len(),
            false => full,
        };
        self.index_html(record, flags, &self.text[value.start..value.start + full]);
        let query = special.has(Special::QUESTION);
        self.push(record, flags, Source { rewritten: false, query, pattern: value }, octets);
    }

    /// A pattern that is compared in another spelling than its own.
    fn pattern(&mut self, record: Record, mut flags: u16, written: &[u8]) {
        flags |= flag::WRITTEN;
        let special = Special::of(written);
        let plain = self.rewrite(record, flags, written, &special, false);
        if self.reader.escapes == Escapes::Rfc9309 && special.has(Special::QUESTION) {
            let start = self.rewritten.len();
            let cut = self.ending(written, &special, &mut 0);
            self.form.write(
                &written[..written.len() - cut],
                Side::Pattern,
                true,
                &mut self.rewritten,
            );
            let differs = self.rewritten[plain] != self.rewritten[start..];
            self.rewritten.truncate(start);
            if differs {
                self.rewrite(record, flags | flag::OPENED, written, &special, true);
            }
        }
        self.index_html(record, flags, written);
    }

    /// Adds a pattern in the spelling that is compared; where that is in the rewritten patterns.
    fn rewrite(
        &mut self,
        record: Record,
        mut flags: u16,
        written: &[u8],
        special: &Special,
        open: bool,
    ) -> Range<usize> {
        let start = self.rewritten.len();
        let cut = self.ending(written, special, &mut flags);
        self.form.write(&written[..written.len() - cut], Side::Pattern, open, &mut self.rewritten);
        let pattern = start..self.rewritten.len();
        let octets = self.form.octets(&self.rewritten[pattern.clone()]) + cut;
        let query = special.has(Special::QUESTION);
        self.push(
            record,
            flags,
            Source { rewritten: true, query, pattern: pattern.clone() },
            octets,
        );
        pattern
    }

    /// Takes off what ends a pattern, `$` or stars, and says in the flags what it means. How many
    /// octets are taken off.
    fn ending(&self, pattern: &[u8], special: &Special, flags: &mut u16) -> usize {
        let mut rest = pattern;
        if self.reader.dollar == Dollar::End && rest.last() == Some(&b'$') {
            rest = &rest[..rest.len() - 1];
            *flags |= flag::WHOLE | flag::DOLLAR;
        }
        match self.reader.star {
            Star::Literal => {}
            Star::Wildcard if !special.has(Special::STAR) => {}
            Star::Wildcard => {
                let stars = rest.iter().rev().take_while(|octet| **octet == b'*').count();
                if stars > 0 && *flags & flag::WHOLE == 0 {
                    // A star at the end is what a prefix is (RFC 9309 section 2.2.3: 0 or more).
                    rest = &rest[..rest.len() - stars];
                    *flags |= flag::TRAILING_STAR | if stars > 1 { flag::WRITTEN } else { 0 };
                }
                *flags |= if rest.contains(&b'*') { flag::WILD } else { 0 };
            }
            Star::Shell => {
                *flags |= if special.has(Special::SHELL) { flag::WILD | flag::SHELL } else { 0 };
            }
        }
        if self.reader.extent == Extent::Whole && *flags & flag::TRAILING_STAR == 0 {
            *flags |= flag::WHOLE;
        }
        pattern.len() - rest.len()
    }

    /// google/robotstxt, HandleAllow: `Allow: /x/index.html` also allows `/x/` itself.
    fn index_html(&mut self, record: Record, flags: u16, written: &[u8]) {
        if self.reader.index_html == IndexHtml::Literal || flags & flag::ALLOW == 0 {
            return;
        }
        let Some(slash) = memchr::memrchr(b'/', written) else { return };
        if !written[slash..].starts_with(b"/index.htm") {
            return;
        }
        let start = self.rewritten.len();
        self.form.write(&written[..=slash], Side::Pattern, false, &mut self.rewritten);
        let range = start..self.rewritten.len();
        let wild = if self.rewritten[range.clone()].contains(&b'*') { flag::WILD } else { 0 };
        let flags = flag::ALLOW | flag::WRITTEN | flag::WHOLE | wild;
        let octets = range.len() + 1;
        self.push(record, flags, Source { rewritten: true, query: false, pattern: range }, octets);
    }

    fn push(&mut self, record: Record, mut flags: u16, source: Source, octets: usize) {
        let Source { rewritten, query, pattern } = source;
        let text = if rewritten { self.rewritten.as_slice() } else { self.text };
        let run = match place::run_of(&text[pattern.clone()], flags) {
            Run::Never => return,
            Run::Root => 0,
            Run::Octet(octet) => u16::from(octet) + 1,
        };
        if query && self.reader.escapes == Escapes::Rfc9309 {
            flags |= flag::QUERY;
        }
        if flags & flag::WRITTEN == 0 {
            flags |= self.spelling(record, flags);
        }
        if flags & flag::WRITTEN != 0
            && self.written.last().is_none_or(|last| last.0 != record.line())
        {
            self.written.push((record.line(), line_text(self.text, record.start()).into()));
        }
        let allow = flags & flag::ALLOW != 0;
        let wild = flags & (flag::WILD | flag::TRAILING_STAR) != 0;
        self.counts.wild_allow += usize::from(allow && wild);
        let rank = place::rank(&self.reader, allow, wild, record.line(), octets);
        let (start, length) = (place::narrowed(pattern.start), place::narrowed(pattern.len()));
        self.drafts.push(Draft { run, flags, rank, line: record.line(), start, length, rewritten });
    }

    /// How a line is written that can be told from its parts: `Allow: x`, `allow:x` and the like.
    fn spelling(&self, record: Record, flags: u16) -> u16 {
        let value = record.value(self.text);
        let (start, end) = (record.start(), record.start() + value.len());
        let ends = self.text.get(end).is_none_or(|octet| matches!(octet, b'\n' | b'\r'));
        let space = start > 0 && self.text[start - 1] == b' ';
        let head = &self.text[..start - usize::from(space)];
        let name = Rules::field_of(flags).row().name;
        let Some((before, colon)) =
            head.split_last_chunk::<1>().map(|(head, last)| (head, last[0]))
        else {
            return flag::WRITTEN;
        };
        let Some(at) = before.len().checked_sub(name.len()) else { return flag::WRITTEN };
        let begins = at == 0 || matches!(before[at - 1], b'\n' | b'\r');
        let field = &before[at..];
        let lower = field.iter().all(|octet| !octet.is_ascii_uppercase());
        let known =
            field == name.as_bytes() || (lower && field.eq_ignore_ascii_case(name.as_bytes()));
        if !(ends && begins && known && colon == b':')
            || self.dialect.paths_per_line != PathsPerLine::One
        {
            return flag::WRITTEN;
        }
        (if lower { flag::LOWER } else { 0 }) | (if space { 0 } else { flag::NO_SPACE })
    }

    fn finish(mut self, robot: &str, how: How) -> Rules {
        self.file_statements();
        let blanket = self.blanket();
        let otherwise = self.otherwise(how);
        let sitemaps = self.sitemaps();
        let (entries, index, patterns) =
            place::place(&mut self.drafts, self.text, &self.rewritten, &self.reader);
        let extras = Extras {
            request_rates: self.rates.into(),
            visit_times: self.times.into(),
            comments: self.comments.into(),
            please_visit: self.please_visit.into(),
            clean_params: self.clean_params.into(),
            written: self.written.into(),
            ..self.extras
        };
        Rules {
            dialect: Arc::clone(self.dialect),
            reader: self.reader,
            entries,
            index,
            patterns,
            otherwise,
            blanket,
            robot: robot.into(),
            how,
            groups: self.groups.into(),
            sitemaps,
            extras: (extras != Extras::default()).then(|| Box::new(extras)),
        }
    }

    /// What the file as a whole decides for every URL.
    fn blanket(&self) -> Option<(bool, Reason)> {
        if self.parsed.reach.over {
            match self.dialect.over_size {
                OverSize::AllowAll => return Some((true, Reason::TooLarge)),
                OverSize::DisallowAll => return Some((false, Reason::TooLarge)),
                OverSize::Cut | OverSize::Keep => {}
            }
        }
        let limit = self.dialect.rule_limit as usize;
        let over = limit != 0 && self.counts.allow + self.counts.disallow > limit;
        (over && self.dialect.over_rules == OverRules::DisallowAll)
            .then_some((false, Reason::TooManyRules))
    }

    /// What holds where no rule matches.
    fn otherwise(&self, how: How) -> (bool, Reason) {
        if how == How::None {
            return (true, Reason::NoGroup);
        }
        let Counts { allow, disallow, wild_allow } = self.counts;
        // Conner 1996, Allow: "If there are no disallow rules, then the robot is ONLY allowed to
        // retrieve the URLs that match"; Disallow: what passes the Disallow rules must "then pass
        // (any) wild card/regular expression rules"; without such rules, "Discuss".
        let only_allowed = self.reader.precedence == Precedence::Conner
            && allow > 0
            && (disallow == 0
                || wild_allow > 0
                || self.reader.no_match_with_both == NoMatchWithBoth::Deny);
        if only_allowed { (false, Reason::NoAllowMatches) } else { (true, Reason::NoRuleMatches) }
    }

    fn sitemaps(&self) -> Box<str> {
        let mut joined = String::new();
        for sitemap in sitemaps(self.parsed, self.text, self.dialect) {
            joined.push_str(if joined.is_empty() { "" } else { "\n" });
            joined.push_str(&sitemap);
        }
        joined.into()
    }

    /// Statements before every group hold for the whole file, unless a group says otherwise
    /// (RSL 1.0, robots.txt: "inside a group overrides").
    fn file_statements(&mut self) {
        let first = self
            .parsed
            .groups
            .first()
            .map_or(self.parsed.records.len(), |group| group.start as usize);
        let mut of_file = Statements::default();
        for record in &self.parsed.records[..first] {
            let field = record.field();
            if matches!(field, Field::ContentSignal | Field::License)
                && self.dialect.fields.has(field)
            {
                of_file.add(field, record.line(), record.value(self.text));
            }
        }
        self.extras.statements.fall_back_on(of_file);
        // Yandex, Clean-param: it may stand anywhere in the file.
        if self.dialect.fields.has(Field::CleanParam) {
            let lines =
                self.parsed.records.iter().filter(|record| record.field() == Field::CleanParam);
            self.clean_params
                .extend(lines.filter_map(|record| CleanParam::read(record.value(self.text))));
        }
    }
}

/// The sitemaps of a file; they belong to no group (RFC 9309 section 2.2.4).
pub(crate) fn sitemaps<'a>(
    parsed: &'a Parsed,
    text: &'a [u8],
    dialect: &Dialect,
) -> impl Iterator<Item = Cow<'a, str>> + use<'a> {
    let known = dialect.fields.has(Field::Sitemap);
    let records =
        parsed.records.iter().filter(move |record| known && record.field() == Field::Sitemap);
    records
        .map(|record| record.value(text))
        .filter(|value| value::is_absolute_url(value))
        .map(String::from_utf8_lossy)
}

/// The dialect that the chosen groups are read in.
fn reader(parsed: &Parsed, text: &[u8], dialect: &Arc<Dialect>, groups: &[usize]) -> Arc<Dialect> {
    let first = groups.first().map(|place| &parsed.groups[*place]);
    let is_first_version = dialect.version_gate == VersionGate::Conner
        && first
            .is_some_and(|group| select::reading(group, parsed, text, dialect) == Reading::First);
    if is_first_version { Arc::clone(&dialects::VERSION_1) } else { Arc::clone(dialect) }
}

/// The line that an octet stands in, as written.
pub(crate) fn line_text(text: &[u8], at: usize) -> String {
    let start = memchr::memrchr2(b'\n', b'\r', &text[..at]).map_or(0, |end| end + 1);
    let end = memchr::memchr2(b'\n', b'\r', &text[at..]).map_or(text.len(), |length| at + length);
    String::from_utf8_lossy(&text[start..end]).into_owned()
}
