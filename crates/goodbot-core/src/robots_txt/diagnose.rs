//! Findings about a file, from a second pass that is separate from verdicts.
//!
//! It passes the same lines through the same functions as `parse`, and reports what is odd. At most
//! [`MOST_FINDINGS`] are listed, so that a hostile file cannot fill memory.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use crate::dialect::{
    AgentChoice, AgentMatch, AllowLines, BadRecord, ByteOrderMark, Dialect, Nul, OverSize,
    VersionGate,
};
use crate::field::{Field, FieldSet, Scope};
use crate::knowledge::not_known;
use crate::quote::{in_quotes, thousands};

use super::agent;
use super::clean_param::CleanParam;
use super::finding::{Code, Finding};
use super::invisible::{self, Invisible};
use super::joined_groups;
use super::line::{self, Content, Line, Separator};
use super::obedience;
use super::odd_agent;
use super::odd_field::{self, WithoutColon};
use super::odd_path;
use super::parse::{self, Parsed, Span};
use super::pasted;
use super::resemblance;
use super::select;
use super::spelling::{self, Spelling};
use super::usage_findings;
use super::value::{self, Reading, RequestRate, Version, VisitTime};

/// The most findings listed for one file.
pub const MOST_FINDINGS: usize = 10_000;

/// The most findings of a file that say who obeys the line: each dialect is asked about each of them.
const MOST_ASKED: usize = 1_000;

/// Fields that have no effect in any dialect.
const WITHOUT_EFFECT: FieldSet = FieldSet::of(&[Field::Noindex, Field::Host]);

/// The longest Crawl-delay in seconds with which crawler-commons lets anything be fetched
/// (`SimpleRobotRulesParser`, `DEFAULT_MAX_CRAWL_DELAY`).
const LONG_DELAY: f64 = 300.0;

/// The findings that are about limits of a dialect; none of them says who obeys a line.
const LIMITS: [Code; 3] = [Code::TooLarge, Code::LineTooLong, Code::TooManyRules];

/// Returns what is odd about a file.
pub(crate) fn diagnose(text: &[u8], parsed: &Parsed, dialect: &Dialect) -> Vec<Finding> {
    found_in(text, parsed, dialect, MOST_ASKED)
}

/// Returns those of the findings that are about limits.
pub(crate) fn limits_exceeded(text: &[u8], parsed: &Parsed, dialect: &Dialect) -> Vec<Finding> {
    let mut findings = found_in(text, parsed, dialect, 0);
    findings.retain(|finding| LIMITS.contains(&finding.code));
    findings
}

fn found_in(text: &[u8], parsed: &Parsed, dialect: &Dialect, most_asked: usize) -> Vec<Finding> {
    let mut diagnosis = Diagnosis {
        text,
        parsed,
        dialect,
        most_asked,
        findings: Vec::new(),
        line: 0,
        start: 0,
        rules: HashMap::new(),
        clauses: HashMap::new(),
    };
    diagnosis.whole_file();
    diagnosis.lines();
    if !diagnosis.is_cut() {
        diagnosis.groups();
    }
    let mut findings = diagnosis.findings;
    findings.sort_by_key(|finding| (finding.line, finding.column));
    findings
}

struct Diagnosis<'a> {
    text: &'a [u8],
    parsed: &'a Parsed,
    dialect: &'a Dialect,
    /// The most findings that say who obeys the line.
    most_asked: usize,
    findings: Vec<Finding>,
    /// The current line: its number, and where it begins.
    line: u32,
    start: usize,
    /// How many rules there are for each value of User-agent, in lower case.
    rules: HashMap<Vec<u8>, usize>,
    /// Who obeys each of the lines that were asked about, with what it was meant to say.
    clauses: HashMap<(Vec<u8>, Vec<obedience::Meant>), String>,
}

impl Diagnosis<'_> {
    fn find(&mut self, code: Code, at: usize, message: String) {
        let column = u32::try_from(at.saturating_sub(self.start) + 1).unwrap_or(u32::MAX);
        self.push(Finding { code, line: self.line, column, message });
    }

    fn found(&mut self, at: usize, findings: Vec<(Code, String)>) {
        for (code, message) in findings {
            self.find(code, at, message);
        }
    }

    fn about(&mut self, code: Code, line: u32, message: &str) {
        self.push(Finding { code, line, column: 0, message: message.to_owned() });
    }

    fn push(&mut self, finding: Finding) {
        match self.findings.len() {
            MOST_FINDINGS => {
                let most = thousands(MOST_FINDINGS);
                let message = format!("only the first {most} findings are listed");
                self.findings.push(Finding {
                    code: Code::FindingsCut,
                    line: 0,
                    column: 0,
                    message,
                });
            }
            count if count < MOST_FINDINGS => self.findings.push(finding),
            _ => {}
        }
    }

    /// Whether nothing more is listed, so that the rest of the file need not be read.
    fn is_cut(&self) -> bool {
        self.findings.len() > MOST_FINDINGS
    }

    /// Returns who obeys a line that was meant otherwise, as a clause. A file often has a mistake several
    /// times, and the dialects are asked once about equal lines.
    fn who_obeys(&mut self, range: Range<usize>, meant: Vec<obedience::Meant>) -> String {
        let line = self.asked(range).to_vec();
        if line.is_empty() {
            return String::new();
        }
        let known = self.clauses.entry((line, meant));
        let clause = known.or_insert_with_key(|(line, meant)| obedience::clause(line, meant));
        clause.clone()
    }

    /// Returns a line for asking the dialects who obeys it; nothing once enough were asked about.
    fn asked(&self, range: Range<usize>) -> &[u8] {
        if self.findings.len() < self.most_asked { &self.text[range] } else { b"" }
    }

    fn whole_file(&mut self) {
        let then = match self.dialect.byte_order_mark {
            ByteOrderMark::Ignored => "it is ignored",
            ByteOrderMark::Kept => "the dialect reads it as part of the first line",
        };
        let (code, what) = match line::byte_order_mark(self.text) {
            3 => (Code::ByteOrderMark, "a byte order mark"),
            _ => (Code::PartialByteOrderMark, "part of a byte order mark"),
        };
        if line::byte_order_mark(self.text) > 0 {
            self.about(code, 1, &format!("the file begins with {what}; {then}"));
        }
        if let Some((code, message)) = resemblance::of(self.text, self.parsed) {
            self.about(code, 1, &message);
        }
        if self.parsed.reach.over {
            let then = match self.dialect.over_size {
                OverSize::Cut if self.parsed.reach.lost => {
                    "no complete line fits within it, so everything is disallowed"
                }
                OverSize::Cut => "the rest is ignored, including the line that crosses the limit",
                OverSize::AllowAll => "everything is allowed in this dialect",
                OverSize::DisallowAll => "everything is disallowed in this dialect",
                OverSize::Keep => "this dialect reads such a file but does not store it",
            };
            let limit = match self.dialect.size_limit as usize {
                0 => line::MOST_OCTETS,
                limit => limit.min(line::MOST_OCTETS),
            };
            let line = self.line_of(self.parsed.reach.end);
            self.about(
                Code::TooLarge,
                line,
                &format!(
                    "the file has {} bytes, more than the limit of {}: {then}",
                    thousands(self.text.len()),
                    thousands(limit)
                ),
            );
        }
    }

    fn line_of(&self, end: usize) -> u32 {
        let (mut at, mut number) = (0, 1);
        while at < end {
            at = line::line_at(self.text, at).next;
            number += 1;
        }
        number
    }

    fn lines(&mut self) {
        let text = &self.text[..self.parsed.reach.end];
        let mut at = line::passed_over(text, self.dialect);
        while at < text.len() && !self.is_cut() {
            self.line += 1;
            let Line { content, next } = line::line_at(text, at);
            self.start = content.start;
            self.octets(&content);
            let end = parse::read_end(text, &content, self.dialect);
            let limit = self.dialect.line_limit as usize;
            if limit != 0 && content.len() > limit {
                let most = thousands(limit);
                let message = format!("the line is longer than {most} bytes; the rest is ignored");
                self.find(Code::LineTooLong, content.start + limit, message);
            }
            self.content(content.start..end);
            at = next;
        }
    }

    fn octets(&mut self, content: &Range<usize>) {
        let line = &self.text[content.clone()];
        if let Err(error) = std::str::from_utf8(line) {
            let at = content.start + error.valid_up_to();
            self.find(Code::NotUtf8, at, "the line is not valid UTF-8 from here on".to_owned());
        }
        if let Some(at) = memchr::memchr(0, line) {
            let then = match self.dialect.nul {
                Nul::Kept => "it counts as an ordinary byte",
                Nul::EndsLine => "the rest of the line is ignored",
                Nul::Careful => "a Disallow ends there and an Allow has no effect",
            };
            self.find(Code::NulOctet, content.start + at, format!("there is a NUL byte: {then}"));
        }
        let control = |octet: &u8| octet.is_ascii_control() && !matches!(octet, 0 | b'\t');
        if let Some(at) = line.iter().position(control) {
            let body = &line[..memchr::memchr(b'#', line).unwrap_or(line.len())];
            let bare: Vec<u8> = body.iter().copied().filter(|octet| !control(octet)).collect();
            let meant: Vec<_> = obedience::meant_by(&bare).into_iter().collect();
            let who = if at < body.len() {
                self.who_obeys(content.start..content.start + body.len(), meant)
            } else {
                String::new()
            };
            let message = format!("there is a control character, {:#04x}{who}", line[at]);
            self.find(Code::ControlCharacter, content.start + at, message);
        }
    }

    /// Reports what cannot be seen in a line; returns whether its fields cannot be read as they look.
    fn invisible(&mut self, range: &Range<usize>) -> bool {
        let line = &self.text[range.clone()];
        if line.is_ascii() {
            return false;
        }
        let (body, comment) = line.split_at(memchr::memchr(b'#', line).unwrap_or(line.len()));
        if let Some((at, end, (field, _))) = invisible::hidden_in_comment(comment) {
            let message = format!(
                "U+{:04X} in this comment ends no line: the {} behind it is part of the comment; write it on a line of its own",
                u32::from(end),
                field.row().name
            );
            self.find(Code::InvisibleCharacter, range.start + body.len() + at, message);
        }
        let found = Invisible::find(body);
        if let Some(found) = &found {
            let at = range.start + found.at;
            let asked = self.asked(range.start..range.start + body.len());
            self.find(Code::InvisibleCharacter, at, found.message(body, asked));
        }
        found.is_some()
    }

    fn content(&mut self, range: Range<usize>) {
        if self.invisible(&range) {
            return;
        }
        // Two words without a colon are reported whether or not the dialect accepts them.
        let accepted = crate::dialect::MissingColon::Accepted;
        match line::content_of(self.text, range, accepted) {
            Content::Blank | Content::Comment(_) => {}
            Content::Other { text, .. } if self.without_colon(&text) => {}
            Content::Other { text, .. } => self.other(text.start),
            Content::Field { name, value, separator, .. } => self.field(name, value, separator),
        }
    }

    fn other(&mut self, at: usize) {
        let message = "the line is neither a comment nor a field with a value".to_owned();
        self.find(Code::LineWithoutField, at, message);
    }

    /// Reports a line that would be a field if it had a colon; returns whether it is one.
    fn without_colon(&mut self, body: &Range<usize>) -> bool {
        let text = self.text;
        let written = &text[body.clone()];
        let Some(WithoutColon { field, name, instead, value }) = odd_field::without_colon(written)
        else {
            return false;
        };
        let what = match instead {
            "" => "there is no colon".to_owned(),
            _ => format!("{} is not a colon", in_quotes(instead.as_bytes())),
        };
        let (name_of, octets) = (field.row().name, value.as_bytes().to_vec());
        let cure = odd_agent::shown(&octets);
        let who = self.who_obeys(body.clone(), vec![(field, octets)]);
        let message = format!("{what}{who}; write \"{name_of}: {cure}\"");
        self.find(Code::MissingColon, body.start + name, message);
        true
    }

    fn field(&mut self, name: Range<usize>, value: Range<usize>, separator: Separator) {
        let (text, dialect) = (self.text, self.dialect);
        let recognised = spelling::recognise(&text[name.clone()], dialect);
        let is_exact = matches!(recognised, Some((_, Spelling::Exact)));
        let body = name.start..value.end.max(name.end);
        if (separator == Separator::Space || !is_exact) && self.without_colon(&body) {
            return;
        }
        if separator == Separator::Space {
            // Two words are not a field unless the first is a known name.
            if recognised.is_none() {
                return self.other(name.start);
            }
            let taken = dialect.missing_colon == crate::dialect::MissingColon::Accepted;
            let then = if taken {
                "the line is read as if there were one"
            } else {
                "this dialect ignores the line"
            };
            self.find(Code::MissingColon, name.end, format!("there is no colon; {then}"));
        } else if text.get(name.end).is_some_and(|octet| line::is_space(*octet)) {
            let message = "there is white space before the colon".to_owned();
            self.find(Code::SpaceBeforeColon, name.end, message);
        }
        let Some((field, spelling)) = recognised else { return self.unknown(name, &value) };
        if spelling != Spelling::Exact {
            let then = match spelling {
                Spelling::Guessed => ", but only to disallow: it never allows anything",
                Spelling::Exact | Spelling::Misspelt => "",
            };
            let meant = vec![(field, text[value.clone()].to_vec())];
            let who = self.who_obeys(body.clone(), meant);
            let (written, field) = (in_quotes(&text[name.clone()]), field.row().name);
            let message = format!("{written} is read as {field}{then}{who}; write {field}");
            self.find(Code::MisspeltField, name.start, message);
        }
        if let Some(meant) = pasted::several_fields(&text[name.clone()], &text[value.clone()]) {
            let count = meant.len();
            let who = self.who_obeys(body, meant);
            let message =
                format!("the line holds {count} fields{who}; write each on a line of its own");
            return self.find(Code::SeveralFields, value.start, message);
        }
        self.known(field, &name, value);
    }

    fn unknown(&mut self, name: Range<usize>, value: &Range<usize>) {
        let text = self.text;
        if name.is_empty() {
            return self.other(name.start);
        }
        let written = in_quotes(&text[name.clone()]);
        let Some(field) = odd_field::meant(&text[name.clone()]) else {
            let message = format!("the field {}; the line is ignored", not_known(written));
            return self.find(Code::UnknownField, name.start, message);
        };
        let octets = &text[value.clone()];
        let meant = pasted::without_quotes(octets).unwrap_or_else(|| octets.to_vec());
        let who = self.who_obeys(name.start..value.end.max(name.end), vec![(field, meant)]);
        let message = format!("{written} is not a field{who}; did you mean {}?", field.row().name);
        self.find(Code::MisspeltField, name.start, message);
    }

    fn known(&mut self, field: Field, written: &Range<usize>, value: Range<usize>) {
        let (name, at) = (field.row().name, written.start);
        if WITHOUT_EFFECT.has(field) {
            self.find(
                Code::WithoutEffect,
                at,
                format!("{name} has no effect: {}", field.row().source),
            );
        } else if !self.dialect.fields.has(field) {
            let message = format!("{name} has no effect in the dialect {}", self.dialect.name);
            self.find(Code::IgnoredByDialect, at, message);
        }
        let (text, dialect) = (self.text, self.dialect);
        let line = self.asked(at..value.end.max(written.end));
        let octets = &text[value.clone()];
        let found = match field {
            Field::UserAgent => odd_agent::of(line, octets, dialect),
            Field::Allow | Field::Disallow => {
                odd_path::of(line, octets, field == Field::Allow, dialect)
            }
            _ => match pasted_value(line, field, octets) {
                Some(found) => vec![found],
                None => return self.typed(field, value),
            },
        };
        for (code, message) in found {
            self.find(code, value.start, message);
        }
    }

    fn typed(&mut self, field: Field, value: Range<usize>) {
        let octets = &self.text[value.clone()];
        let text = String::from_utf8_lossy(octets);
        if field == Field::CrawlDelay && value::delay(&text).is_some_and(|delay| delay > LONG_DELAY)
        {
            let message = format!(
                "the delay is longer than {LONG_DELAY} s: robots that use crawler-commons, such as Apache Nutch, then fetch nothing"
            );
            self.find(Code::LongCrawlDelay, value.start, message);
        }
        let fault = match field {
            Field::RequestRate if RequestRate::read(&text).is_some_and(|rate| rate.doubtful) => {
                let message = format!(
                    "the times of {} cannot be read: the rate applies at all times, in addition to any other pace",
                    in_quotes(octets)
                );
                return self.find(Code::UnreadableTimes, value.start, message);
            }
            Field::CrawlDelay if value::delay(&text).is_none() => {
                "a number of seconds such as 10 or 0.5"
            }
            Field::RequestRate if RequestRate::read(&text).is_none() => {
                "documents/time such as 1/10, 10/10m or 1/10m 1300-1659"
            }
            Field::VisitTime if VisitTime::read(&text).is_none() => {
                "two times in UT such as 0600-0845"
            }
            Field::RobotVersion if Version::read(&text).is_none() => "a version such as 2.0.0",
            Field::Sitemap | Field::License if !value::is_absolute_url(octets) => {
                "an absolute URL such as https://example.com/sitemap.xml"
            }
            Field::ContentSignal => {
                return self.found(value.start, usage_findings::of_signals(octets));
            }
            Field::CleanParam if CleanParam::read(octets).is_none() => {
                "parameters and a path such as ref&sid /book"
            }
            Field::ContentUsage => {
                return self.found(value.start, usage_findings::of_usage(octets));
            }
            _ if !value::is_usual(field, &text) => return self.unusual(field, value),
            _ => return,
        };
        let then = match field {
            Field::VisitTime => "visits are treated as welcome at any time",
            Field::RobotVersion => "a URL must be allowed in version 1.0.0 and in 2.0.0",
            _ => "the line has no effect",
        };
        let message = format!("{} is not {fault}; {then}", in_quotes(octets));
        self.find(Code::MalformedValue, value.start, message);
    }

    /// Reports a value of a delay, rate, time or version that is written oddly but was understood.
    fn unusual(&mut self, field: Field, value: Range<usize>) {
        let octets = &self.text[value.clone()];
        let text = String::from_utf8_lossy(octets);
        let meant = match field {
            Field::CrawlDelay => value::delay(&text).map(|seconds| format!("{seconds} s")),
            Field::RequestRate => RequestRate::read(&text).map(|rate| rate.to_string()),
            Field::RobotVersion => Version::read(&text).map(|version| version.to_string()),
            _ => VisitTime::read(&text).map(|time| time.to_string()),
        };
        let message = format!(
            "{} is read as {}; other robots may not understand it",
            in_quotes(octets),
            meant.unwrap_or_default()
        );
        self.find(Code::UnusualValue, value.start, message);
    }

    fn groups(&mut self) {
        let mut defaults = 0;
        let mut at = 0;
        let mut second = 0;
        for span in &self.parsed.groups {
            if self.is_cut() {
                return;
            }
            self.outside(at..span.start as usize);
            at = span.end as usize;
            if let Some(line) = self.group(span) {
                defaults += 1;
                second = if defaults == 2 { line } else { second };
            }
        }
        self.outside(at..self.parsed.records.len());
        self.emptied();
        if defaults > 1 {
            let message = format!("there are {defaults} groups for *");
            self.about(Code::SeveralDefaultGroups, second, &message);
        }
    }

    /// Reports lines between groups that belong in a group.
    fn outside(&mut self, records: Range<usize>) {
        for record in &self.parsed.records[records] {
            let field = record.field();
            if field.row().scope == Scope::Group && self.dialect.fields.has(field) {
                let message =
                    format!("{} is outside any group and has no effect", field.row().name);
                self.about(Code::RuleOutsideGroup, record.line(), &message);
            }
        }
    }

    /// Adds the findings of one group; returns the line that makes it a group for `*`.
    fn group(&mut self, span: &Span) -> Option<u32> {
        let records = select::records(self.parsed, span);
        let line = records.first().map_or(0, |record| record.line());
        let allow = self.knows_allow(span);
        let is_rule = |field: Field| field == Field::Disallow || (field == Field::Allow && allow);
        let rules = records.iter().filter(|record| is_rule(record.field())).count();
        if rules == 0 {
            self.about(
                Code::GroupWithoutRules,
                line,
                "the group has no rules, so it allows everything",
            );
        }
        self.count(span, line, rules);
        if span.dropped && self.dialect.bad_record == BadRecord::DropRecord {
            self.about(
                Code::RecordDropped,
                line,
                "a line breaks the grammar, so the whole record is dropped",
            );
        }
        for (line, message) in joined_groups::of(self.text, records, self.dialect) {
            self.about(Code::MergedGroups, line, &message);
        }
        self.field_groups(span);
        self.default_in_new_version(records);
        if self.dialect.version_gate == VersionGate::Conner {
            self.version(span);
        }
        let is_star = |agent: &[u8]| agent::is_star(agent, self.dialect);
        let mut agents = records.iter().filter(|record| record.field() == Field::UserAgent);
        agents
            .find(|record| {
                agent::agents(record.value(self.text), self.dialect.agents_per_line).any(is_star)
            })
            .map(|record| record.line())
    }

    /// Adds the findings of the field groups of a group.
    fn field_groups(&mut self, span: &Span) {
        let parsed = self.parsed;
        for part in select::field_groups(parsed, span) {
            let records = &parsed.records[part.clone()];
            let times = records.iter().filter(|record| {
                let value = String::from_utf8_lossy(record.value(self.text));
                record.field() == Field::VisitTime && VisitTime::read(&value).is_some()
            });
            let repeated: Vec<u32> = times.skip(1).map(|record| record.line()).collect();
            for line in repeated {
                let message = "a record has only one Visit-time: the first readable one applies";
                self.about(Code::RepeatedVisitTime, line, message);
            }
        }
    }

    /// Reports a record for `*` in the form of version 2.0.0: "the default rule set should follow the 1.0.0
    /// standard" (Conner 1996, User-agent).
    fn default_in_new_version(&mut self, records: &[parse::Record]) {
        let is_version = |record: &&parse::Record| {
            let value = String::from_utf8_lossy(record.value(self.text));
            record.field() == Field::RobotVersion
                && Version::read(&value).is_some_and(|version| version.reading() == Reading::Second)
        };
        let is_default = records.iter().any(|record| {
            record.field() == Field::UserAgent
                && agent::is_star(record.value(self.text), self.dialect)
        });
        if let (true, Some(version)) = (is_default, records.iter().find(is_version)) {
            let message = "the record for * is in the form of version 2.0.0, which robots of version 1.0.0 do not read; \
                           write it in the form of 1.0.0, without Robot-version";
            self.about(Code::DefaultInNewVersion, version.line(), message);
        }
    }

    /// Reports groups of named robots with only empty rules, while other groups disallow something.
    fn emptied(&mut self) {
        let (text, parsed, dialect) = (self.text, self.parsed, self.dialect);
        let names = |span: &Span| {
            let records = select::records(parsed, span).iter();
            let values = records.filter(|record| record.field() == Field::UserAgent);
            values.flat_map(|record| agent::agents(record.value(text), dialect.agents_per_line))
        };
        let has_path = |record: &parse::Record| {
            matches!(record.field(), Field::Allow | Field::Disallow)
                && !record.value(text).is_empty()
        };
        let is_full = |span: &&Span| select::records(parsed, span).iter().any(has_path);
        let full: HashSet<Vec<u8>> = parsed
            .groups
            .iter()
            .filter(is_full)
            .flat_map(names)
            .map(<[u8]>::to_ascii_lowercase)
            .collect();
        if full.is_empty() {
            return;
        }
        let mut found = Vec::new();
        for span in parsed.groups.iter().filter(|span| !is_full(span)) {
            let records = select::records(parsed, span);
            let has_rule = records.iter().any(|one| one.field() == Field::Disallow);
            let open: Vec<&[u8]> =
                names(span).filter(|name| !full.contains(&name.to_ascii_lowercase())).collect();
            let is_named = open.iter().all(|name| !agent::is_star(name, dialect));
            if let (true, true, Some(name)) = (has_rule, is_named, open.first()) {
                let more = match open.len() {
                    1 => String::new(),
                    count => format!(" and {} more", count - 1),
                };
                let line = records.first().map_or(0, |record| record.line());
                found.push((line, format!(
                    "{}{more} may fetch everything: its only rule is empty, and it obeys no other group; if that is meant, \"Allow: /\" says so",
                    in_quotes(name)
                )));
            }
        }
        for (line, message) in found {
            self.about(Code::EmptiedGroup, line, &message);
        }
    }

    /// Whether the Allow lines of a group are rules.
    fn knows_allow(&self, span: &Span) -> bool {
        self.dialect.allow_lines == AllowLines::Honoured
            && (self.dialect.version_gate == VersionGate::None
                || select::reading(span, self.parsed, self.text, self.dialect) != Reading::First)
    }

    /// Counts the rules of the robots that a group names, across all groups that they obey.
    fn count(&mut self, span: &Span, line: u32, rules: usize) {
        let limit = self.dialect.rule_limit as usize;
        if limit == 0 || rules == 0 {
            return;
        }
        let (text, one_group) = (self.text, self.dialect.agent_choice == AgentChoice::First);
        let mut over = None;
        for record in select::records(self.parsed, span) {
            if record.field() == Field::UserAgent {
                let agent = record.value(text).to_ascii_lowercase();
                let before = self.rules.get(&agent).copied().unwrap_or(0);
                let now = if one_group { rules } else { before + rules };
                if now > limit && before <= limit {
                    over = Some((record.value(text), now));
                }
                self.rules.insert(agent, now);
            }
        }
        if let Some((agent, count)) = over {
            let message = format!(
                "{} has {} rules, more than the limit of {}",
                in_quotes(agent),
                thousands(count),
                thousands(limit)
            );
            self.about(Code::TooManyRules, line, &message);
        }
    }

    fn version(&mut self, span: &Span) {
        let records = select::records(self.parsed, span);
        let stated = select::version_of(span, self.parsed, self.text, self.dialect);
        let versions = || records.iter().filter(|record| record.field() == Field::RobotVersion);
        let first = select::first_header(span, self.parsed, self.dialect);
        let line = first.map_or(0, |record| record.line());
        let in_place = first.is_some_and(|record| record.field() == Field::RobotVersion);
        for version in versions().skip(usize::from(in_place)) {
            let (code, message) = if in_place {
                (
                    Code::RepeatedRobotVersion,
                    "a record has only one Robot-version: the first applies",
                )
            } else {
                (
                    Code::RobotVersionMisplaced,
                    "Robot-version must come directly after the User-agent lines: the record is read as 1.0.0",
                )
            };
            self.about(code, version.line(), message);
        }
        match stated.map(Version::reading) {
            Some(Reading::Experimental) => {
                let message = "the record has an experimental version: the record for * applies instead, unless this is the only one for *";
                self.about(Code::ExperimentalVersion, line, message);
            }
            Some(Reading::Unsupported) => {
                let message = "the record has a version that does not exist: the record for * applies instead, unless this is the only one for *";
                self.about(Code::UnsupportedVersion, line, message);
            }
            Some(Reading::First | Reading::Second | Reading::Either) | None => {}
        }
    }
}

/// Reports a value of another field with quotation marks around it, or with several URLs.
fn pasted_value(line: &[u8], field: Field, value: &[u8]) -> Option<(Code, String)> {
    if matches!(field, Field::Comment | Field::ContentUsage | Field::ContentSignal) {
        return None;
    }
    if let Some(bare) = pasted::without_quotes(value) {
        let cure = odd_agent::shown(&bare);
        let who = obedience::clause(line, &[(field, bare)]);
        let message = format!("{} has quotation marks{who}; write {cure}", in_quotes(value));
        return Some((Code::QuotedValue, message));
    }
    let urls = pasted::several_urls(value).filter(|_| field == Field::Sitemap)?;
    let meant: Vec<_> = urls.into_iter().map(|url| (field, url)).collect();
    let who = obedience::clause(line, &meant);
    let message = format!("there are {} URLs{who}; write a line for each", meant.len());
    Some((Code::SeveralPaths, message))
}

/// Reports a name that no group can match in this dialect: google/robotstxt cuts values at the
/// first byte outside `A-Za-z_-`, so that a name with another byte never equals one.
pub(crate) fn name_finding(name: &agent::Name, dialect: &Dialect) -> Option<Finding> {
    let never = dialect.agent_match == AgentMatch::GoogleToken
        && !name.is_default()
        && !name.is_product_token();
    never.then(|| Finding {
        code: Code::NameNeverMatches,
        line: 0,
        column: 0,
        message: format!(
            "{} can never match a group in the dialect {}: it has characters other than letters, - and _",
            in_quotes(&name.whole),
            dialect.name
        ),
    })
}
