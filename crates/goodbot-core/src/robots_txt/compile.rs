//! Compiles one robot's rules from the groups that it obeys.

use std::borrow::Cow;
use std::sync::Arc;

use crate::dialect::{
    AllowLines, Dialect, Escapes, NoMatchWithBoth, NulInUrl, OtherSchemes, OverRules, OverSize,
    Precedence, Query,
};
use crate::dialects;
use crate::field::Field;
use crate::verdict::Reason;

use super::agent::{self, Name};
use super::clean_param::CleanParam;
use super::parse::{Parsed, Record};
use super::rule_line::{Counts, RuleLines};
use super::rules::{Extras, Rules};
use super::select::{self, How, Selection};
use super::texts::TextsBuilder;
use super::usage::Statements;
use super::value::{self, Reading, RequestRate, VisitTime};

/// What is compiled: the rules of one robot.
pub(crate) struct Job<'a> {
    pub(crate) text: &'a [u8],
    pub(crate) dialect: &'a Arc<Dialect>,
    pub(crate) robot: &'a str,
    pub(crate) name: &'a Name,
    /// Whether the rules keep what they need to say in the words of the file what they are.
    pub(crate) keeps_texts: bool,
}

/// Compiles the rules of one robot, for both readings if some line was guessed.
pub(crate) fn compile(job: &Job<'_>, parsed: &Parsed) -> Rules {
    let rules = compile_reading(job, parsed);
    match &parsed.strict {
        None => rules,
        Some(strict) => rules.and(compile_reading(job, strict)),
    }
}

fn compile_reading(job: &Job<'_>, parsed: &Parsed) -> Rules {
    let Job { text, dialect, name, .. } = *job;
    let selection = select::select(parsed, text, dialect, name);
    let first = selection.groups.first().map(|place| &parsed.groups[*place]);
    let version_1 = &dialects::VERSION_1;
    let compile = |reader| compile_as(job, parsed, reader, &selection);
    match first.map_or(Reading::Second, |group| select::reading(group, parsed, text, dialect)) {
        Reading::First => compile(version_1),
        Reading::Second => compile(dialect),
        // It is unknown which version is meant, and doubt is not permission.
        Reading::Either | Reading::Experimental | Reading::Unsupported => {
            compile(dialect).and_rules(Rules { extras: None, ..compile(version_1) })
        }
    }
}

/// Compiles the rules of the chosen groups in one dialect.
fn compile_as(
    job: &Job<'_>,
    parsed: &Parsed,
    reader: &Arc<Dialect>,
    selection: &Selection,
) -> Rules {
    let Job { text, dialect, robot, keeps_texts, .. } = *job;
    let spans = selection.groups.iter().map(|place| &parsed.groups[*place]);
    let records = spans.flat_map(|span| select::records(parsed, span));
    let lines = RuleLines::new(text, reader, records, keeps_texts);
    let texts = TextsBuilder::new(robot, keeps_texts);
    let mut compiler =
        Compiler { parsed, text, dialect, reader, lines, texts, more: More::default() };
    for place in &selection.groups {
        compiler.group(*place);
    }
    for record in selection.fields(parsed).filter(|record| dialect.fields.has(record.field())) {
        compiler.extra(*record);
    }
    compiler.finish(reader, selection.how)
}

/// Values of fields that few files have.
#[derive(Default)]
struct More {
    crawl_delay: Option<f64>,
    statements: Statements,
    rates: Vec<RequestRate>,
    times: Vec<VisitTime>,
    comments: Vec<Box<str>>,
    please_visit: Vec<Box<str>>,
    clean_params: Vec<CleanParam>,
}

struct Compiler<'a> {
    parsed: &'a Parsed,
    text: &'a [u8],
    dialect: &'a Arc<Dialect>,
    /// The dialect that rules are read in: differs from `dialect` for Conner's version 1 records.
    reader: &'a Arc<Dialect>,
    lines: RuleLines<'a>,
    texts: TextsBuilder<'a>,
    more: More,
}

impl Compiler<'_> {
    fn group(&mut self, place: usize) {
        let span = &self.parsed.groups[place];
        self.texts.next_group();
        if let (true, Some(first)) = (span.orphans, select::records(self.parsed, span).first()) {
            // Rules before any User-agent line count as a group for `*` that begins at their first line.
            self.texts.agents(first.line(), std::iter::once(&b"*"[..]));
        }
        for record in select::records(self.parsed, span) {
            match record.field() {
                Field::UserAgent => self.agent(*record),
                Field::Disallow => self.lines.line(*record, false),
                Field::Allow if self.reader.allow_lines == AllowLines::Honoured => {
                    self.lines.line(*record, true);
                }
                _ => {}
            }
        }
    }

    fn agent(&mut self, record: Record) {
        let agents = agent::agents(record.value(self.text), self.dialect.agents_per_line);
        self.texts.agents(record.line(), agents);
    }

    fn extra(&mut self, record: Record) {
        let field = record.field();
        let value = record.value(self.text);
        let text = || String::from_utf8_lossy(value);
        match field {
            // Of several delays the longest counts, so that none is undercut.
            Field::CrawlDelay => {
                let delay = value::delay(&text());
                self.more.crawl_delay = match (self.more.crawl_delay, delay) {
                    (Some(a), Some(b)) => Some(a.max(b)),
                    (a, b) => a.or(b),
                };
            }
            Field::RequestRate => self.more.rates.extend(RequestRate::read(&text())),
            // "This can only appear once per rule set" does not say which one applies: the first
            // that can be parsed does, also if several rule sets are merged.
            Field::VisitTime if self.more.times.is_empty() => {
                self.more.times.extend(VisitTime::read(&text()));
            }
            Field::Comment => self.more.comments.push(text().into()),
            Field::PleaseVisit if !value.is_empty() => self.more.please_visit.push(text().into()),
            Field::ContentUsage | Field::ContentSignal | Field::License => {
                self.more.statements.add(field, record.line(), value);
            }
            _ => {}
        }
    }

    fn finish(mut self, reader: &Arc<Dialect>, how: How) -> Rules {
        self.whole_file();
        let blanket = self.blanket();
        let otherwise = self.otherwise(how);
        let origins = std::mem::take(&mut self.lines.origins).into();
        let (table, written) = self.lines.finish();
        let texts = self.texts.finish(self.text, &written);
        let More { crawl_delay, statements, rates, times, comments, please_visit, clean_params } =
            self.more;
        let extras = Extras {
            crawl_delay,
            statements,
            request_rates: rates.into(),
            visit_times: times.into(),
            comments: comments.into(),
            please_visit: please_visit.into(),
            clean_params: clean_params.into(),
            origins,
        };
        Rules {
            dialect: Arc::clone(self.dialect),
            is_version_1: !Arc::ptr_eq(reader, self.dialect),
            table,
            otherwise,
            blanket,
            quick: blanket.is_none() && is_quick(reader),
            how,
            texts,
            extras: (extras != Extras::default()).then(|| Box::new(extras)),
            strict: None,
        }
    }

    /// Adds what applies to the whole file, either wherever it is (RFC 9309 section 2.2.4; Yandex,
    /// Clean-param) or because it comes before every group (RSL 1.0, robots.txt: "inside a group
    /// overrides").
    fn whole_file(&mut self) {
        let mut of_file = Statements::default();
        self.texts.end_of_groups();
        for record in of_whole_file(self.parsed, self.dialect) {
            let (field, value) = (record.field(), record.value(self.text));
            match field {
                Field::Sitemap if self.texts.keeps && value::is_absolute_url(value) => {
                    self.texts.sitemap(value);
                }
                Field::CleanParam => self.more.clean_params.extend(CleanParam::read(value)),
                Field::ContentSignal | Field::License => of_file.add(field, record.line(), value),
                _ => {}
            }
        }
        self.more.statements.fall_back_on(of_file);
    }

    /// Returns the verdict on every URL, if the file as a whole decides.
    fn blanket(&self) -> Option<(bool, Reason)> {
        if self.parsed.reach.over {
            match self.dialect.over_size {
                OverSize::AllowAll => return Some((true, Reason::TooLarge)),
                OverSize::DisallowAll => return Some((false, Reason::TooLarge)),
                // It is unknown what the file says, and doubt is not permission.
                OverSize::Cut if self.parsed.reach.lost => return Some((false, Reason::TooLarge)),
                OverSize::Cut | OverSize::Keep => {}
            }
        }
        let Counts { allow, disallow, .. } = self.lines.counts;
        let limit = self.dialect.rule_limit as usize;
        let over = limit != 0 && allow + disallow > limit;
        (over && self.dialect.over_rules == OverRules::DisallowAll)
            .then_some((false, Reason::TooManyRules))
    }

    /// Returns the verdict on URLs that no rule matches.
    fn otherwise(&self, how: How) -> (bool, Reason) {
        if how == How::None {
            return (true, Reason::NoGroup);
        }
        let Counts { allow, disallow, wild_allow } = self.lines.counts;
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
}

/// Returns the lines that apply to the whole file: those of some fields wherever they are, and of others
/// before every group.
pub(crate) fn of_whole_file<'a>(
    parsed: &'a Parsed,
    dialect: &'a Dialect,
) -> impl Iterator<Item = Record> + use<'a> {
    let records = &parsed.records;
    let first = parsed.groups.first().map_or(records.len(), |group| group.start as usize);
    let places = parsed.of_file.iter().map(|place| *place as usize);
    places.map(|place| (place, records[place])).filter_map(move |(place, record)| {
        let applies = match record.field() {
            Field::ContentSignal | Field::License => place < first,
            _ => true,
        };
        (applies && dialect.fields.has(record.field())).then_some(record)
    })
}

/// Returns the sitemaps of a file; they belong to no group (RFC 9309 section 2.2.4).
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

/// Whether a dialect compares a path without escape or star unchanged, whatever the scheme.
fn is_quick(dialect: &Dialect) -> bool {
    dialect.other_schemes == OtherSchemes::Ruled
        && dialect.query == Query::Included
        && dialect.escapes != Escapes::Unsafe
        && dialect.nul_in_url == NulInUrl::Kept
}
