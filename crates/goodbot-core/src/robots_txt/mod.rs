//! robots.txt: parses a text into groups, compiles one robot's rules from them, and decides URLs.

pub(crate) mod agent;
mod alike;
mod clean_param;
mod column_decider;
mod compile;
mod diagnose;
mod explain;
mod finding;
mod invisible;
mod joined_groups;
mod line;
mod named_groups;
mod obedience;
mod odd_agent;
mod odd_field;
mod odd_path;
mod origins;
mod packing;
mod parse;
mod pasted;
mod path_pattern;
mod reference;
mod resemblance;
mod rule_line;
mod rules;
mod select;
mod special;
mod spelling;
mod table;
mod texts;
mod usage;
mod usage_findings;
mod value;
mod wildcard;
mod words;

use std::collections::HashSet;
use std::sync::Arc;

use crate::dialect::{Dialect, MissingColon};
use crate::field::{Field, Scope};
use crate::named::named;
use crate::verdict::{GroupInfo, RuleInfo};

pub(crate) use agent::Name;
pub use agent::{NameError, product};
pub use column_decider::ColumnDecider;
pub use diagnose::MOST_FINDINGS;
pub use explain::RuleLine;
pub use finding::{CODES, Code, Finding, Severity};
pub use path_pattern::matching_octets;
pub use rules::{Decision, Rules};
pub(crate) use rules::{ROBOTS_TXT, Ranked};
pub use select::{HOWS, How};
pub use usage::{
    Preference, SIGNAL_ANSWERS, Statements, Usage, VOCABULARIES, content_signal_of_fields,
    content_usage_of_fields,
};
pub use usage_findings::findings_of_field;
pub use value::{LONGEST, RequestRate, TimeOfDay, VisitTime, delay};

use line::Content;
use parse::Parsed;

/// Whether a text is evidently the path or the URL of a file rather than its content.
#[must_use]
pub fn looks_like_address(text: &[u8]) -> bool {
    resemblance::looks_like_address(text)
}

/// A robots.txt file, parsed in a dialect. It keeps its bytes in any container.
#[derive(Debug)]
pub struct RobotsTxt<T = Box<[u8]>> {
    text: T,
    dialect: Arc<Dialect>,
    parsed: Parsed,
}

/// A group of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// The robots that it applies to.
    pub info: GroupInfo,
    /// Its Allow and Disallow lines.
    pub rules: Vec<RuleInfo>,
    /// Its other known fields: name, value, line. Some may apply to only some of its robots.
    pub fields: Vec<FieldLine>,
}

/// A line with a field other than a rule: the name of the field, its value, the number of the line.
pub type FieldLine = (&'static str, String, u32);

named! {
    /// What a line contains.
    pub enum LineKind {
        /// Only white space.
        Blank = "blank",
        /// Only a comment.
        Comment = "comment",
        /// A field that goodbot knows.
        Field = "field",
        /// A field that goodbot does not know.
        UnknownField = "unknown-field",
        /// Anything else, or a line beyond the size limit.
        Other = "other",
    }
}

/// A line of a file. All lines joined together are the file, byte for byte.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextLine<'a> {
    /// Its number, from 1.
    pub number: u32,
    /// The bytes, with the line end.
    pub raw: &'a [u8],
    /// What it contains.
    pub kind: LineKind,
    /// The name of its field, as written.
    pub name: Option<&'a [u8]>,
    /// The value of its field, without comment and white space.
    pub value: Option<&'a [u8]>,
    /// Its comment, after the `#`.
    pub comment: Option<&'a [u8]>,
}

impl RobotsTxt {
    /// Parses a file. No content makes it fail; the time is linear in the bytes.
    #[must_use]
    pub fn parse(text: &[u8], dialect: Arc<Dialect>) -> RobotsTxt {
        RobotsTxt::read(text.into(), dialect)
    }
}

impl<T: AsRef<[u8]>> RobotsTxt<T> {
    /// Parses a file as [`RobotsTxt::parse`] does, without copying bytes that the caller already holds.
    #[must_use]
    pub fn read(text: T, dialect: Arc<Dialect>) -> RobotsTxt<T> {
        let parsed = parse::parse(text.as_ref(), &dialect);
        RobotsTxt { text, dialect, parsed }
    }

    /// Returns the bytes of the file, unchanged.
    #[must_use]
    pub fn content(&self) -> &[u8] {
        self.text.as_ref()
    }

    /// Returns the dialect.
    #[must_use]
    pub fn dialect(&self) -> &Arc<Dialect> {
        &self.dialect
    }

    /// Returns what a robot must obey.
    ///
    /// # Errors
    ///
    /// When the robot has no name, or its name looks like a URL.
    pub fn rules_for(&self, robot: &str) -> Result<Rules, NameError> {
        let name = Name::read(robot, self.dialect.robot_name)?;
        Ok(self.compiled(robot, &name, true))
    }

    /// Returns rules that decide as those of [`RobotsTxt::rules_for`], and keep no texts of the file: they
    /// are made sooner and are smaller, and cannot say in its words what they are.
    pub(crate) fn deciding_rules(&self, name: &Name) -> Rules {
        self.compiled("", name, false)
    }

    fn compiled(&self, robot: &str, name: &Name, keeps_texts: bool) -> Rules {
        let (text, dialect) = (self.content(), &self.dialect);
        let job = compile::Job { text, dialect, robot, name, keeps_texts };
        compile::compile(&job, &self.parsed)
    }

    /// Returns where what a robot obeys stands in the file: of each reading the lines at which its
    /// groups begin, then those at which its fields do where they are not all those of its groups.
    /// Robots with equal lists obey the same.
    ///
    /// # Errors
    ///
    /// When the robot has no name, or its name looks like a URL.
    pub fn obeyed_lines(&self, robot: &str) -> Result<Vec<Vec<u32>>, NameError> {
        let name = Name::read(robot, self.dialect.robot_name)?;
        let mut lines = Vec::new();
        for parsed in std::iter::once(&self.parsed).chain(self.parsed.strict.as_deref()) {
            let selection = select::select(parsed, self.content(), &self.dialect, &name);
            let groups = selection.groups.iter().map(|place| &parsed.groups[*place]);
            let first = groups.filter_map(|group| select::records(parsed, group).first());
            lines.push(first.map(|record| record.line()).collect());
            let read = |record: &&parse::Record| self.dialect.fields.has(record.field());
            let fields = selection.parts(parsed).filter_map(|mut part| part.find(read));
            lines.push(fields.map(|record| record.line()).collect());
        }
        Ok(lines)
    }

    /// Returns how the groups of a robot are chosen, without compiling their rules.
    ///
    /// # Errors
    ///
    /// When the robot has no name, or its name looks like a URL.
    pub fn how_selected(&self, robot: &str) -> Result<How, NameError> {
        Ok(self.how(&Name::read(robot, self.dialect.robot_name)?))
    }

    /// The same for a name that was read before.
    pub(crate) fn how(&self, name: &Name) -> How {
        select::select(&self.parsed, self.content(), &self.dialect, name).how
    }

    /// Returns the names in the User-agent lines of all groups, each spelling once.
    #[must_use]
    pub fn agents(&self) -> Vec<String> {
        let spans = self.parsed.groups.iter();
        let records = spans.flat_map(|span| select::records(&self.parsed, span));
        let values = records
            .filter(|record| record.field() == Field::UserAgent)
            .map(|record| record.value(self.content()));
        let mut known = HashSet::new();
        let mut before: &[u8] = b"\n";
        values
            .flat_map(|value| agent::agents(value, self.dialect.agents_per_line))
            .filter(|agent| std::mem::replace(&mut before, agent) != *agent && known.insert(*agent))
            .map(|agent| String::from_utf8_lossy(agent).into_owned())
            .collect()
    }

    /// Returns the fields, other than rules, that apply to a robot: name, value, line. A field belongs
    /// to the User-agent lines before it, so a group may contain fields of other robots. If the file has
    /// guesses, the fields that apply only without them come last.
    ///
    /// # Errors
    ///
    /// When the robot has no name, or its name looks like a URL.
    pub fn fields_for(&self, robot: &str) -> Result<Vec<FieldLine>, NameError> {
        let name = Name::read(robot, self.dialect.robot_name)?;
        let mut fields = self.fields_of_reading(&self.parsed, &name);
        if let Some(strict) = &self.parsed.strict {
            let known: HashSet<u32> = fields.iter().map(|(_, _, line)| *line).collect();
            let more = self.fields_of_reading(strict, &name);
            fields.extend(more.into_iter().filter(|(_, _, line)| !known.contains(line)));
        }
        Ok(fields)
    }

    fn fields_of_reading(&self, parsed: &Parsed, name: &Name) -> Vec<FieldLine> {
        let selection = select::select(parsed, self.content(), &self.dialect, name);
        let read = |record: &&parse::Record| self.dialect.fields.has(record.field());
        selection.fields(parsed).filter(read).map(|record| self.field_line(*record)).collect()
    }

    /// Returns the fields that apply to the whole file, without its sitemaps: name, value, line. Those
    /// that only the reading without guesses has come last.
    #[must_use]
    pub fn file_fields(&self) -> Vec<FieldLine> {
        let readings = std::iter::once(&self.parsed).chain(self.parsed.strict.as_deref());
        let records = readings.flat_map(|parsed| compile::of_whole_file(parsed, &self.dialect));
        let mut known = HashSet::new();
        records
            .filter(|record| record.field() != Field::Sitemap && known.insert(record.line()))
            .map(|record| self.field_line(record))
            .collect()
    }

    /// Returns the sitemaps that the file names.
    #[must_use]
    pub fn sitemaps(&self) -> Vec<String> {
        let sitemaps = compile::sitemaps(&self.parsed, self.content(), &self.dialect);
        sitemaps.map(std::borrow::Cow::into_owned).collect()
    }

    /// Returns what is odd about the file.
    #[must_use]
    pub fn findings(&self) -> Vec<Finding> {
        diagnose::diagnose(self.content(), &self.parsed, &self.dialect)
    }

    /// Returns those of the findings that are about limits of the dialect: sooner, since the others are
    /// not put in words that each dialect must be asked for.
    #[must_use]
    pub fn limits_exceeded(&self) -> Vec<Finding> {
        diagnose::limits_exceeded(self.content(), &self.parsed, &self.dialect)
    }

    /// Returns the groups, as the dialect divides them.
    #[must_use]
    pub fn groups(&self) -> Vec<Group> {
        let spans = self.parsed.groups.iter();
        spans.map(|span| self.group(select::records(&self.parsed, span))).collect()
    }

    /// Returns the names that the dialect compares with those of robots: for each reading of the file, of
    /// each group that may be obeyed, in the order of the file and in lower case. A `*` is no name, and
    /// what is not UTF-8 names no robot.
    #[must_use]
    pub fn compared_names(&self) -> Vec<Vec<Vec<String>>> {
        let readings = std::iter::once(&self.parsed).chain(self.parsed.strict.as_deref());
        let names = |parsed| select::compared_names(parsed, self.content(), &self.dialect);
        readings.map(names).collect()
    }

    /// Returns the number of groups, and how many bytes the group of a name has, on average over the
    /// User-agent lines: so much is read to take the rules of a robot.
    #[must_use]
    pub fn group_sizes(&self) -> (usize, usize) {
        let (mut names, mut bytes) = (0, 0_usize);
        for group in &self.parsed.groups {
            let records = select::records(&self.parsed, group);
            let of_robots = records.iter().filter(|record| record.field() == Field::UserAgent);
            let count = of_robots.count();
            let (Some(first), Some(last)) = (records.first(), records.last()) else { continue };
            let end = last.start() + last.value(self.content()).len();
            bytes = bytes.saturating_add((end - first.start().min(end)).saturating_mul(count));
            names += count;
        }
        (self.parsed.groups.len(), bytes / names.max(1))
    }

    /// Returns the groups, divided further at each User-agent line that follows a field other than
    /// Allow and Disallow: such a field belongs to the User-agent lines before it. Each part has
    /// only the lines in it, although a rule applies to all robots of its group.
    #[must_use]
    pub fn field_groups(&self) -> Vec<Group> {
        let spans = self.parsed.groups.iter();
        let parts = spans.flat_map(|span| select::field_groups(&self.parsed, span));
        parts.map(|part| self.group(&self.parsed.records[part])).collect()
    }

    fn group(&self, records: &[parse::Record]) -> Group {
        let mut group = Group {
            info: GroupInfo { agents: vec![], lines: vec![] },
            rules: vec![],
            fields: vec![],
        };
        for record in records {
            let (field, line) = (record.field(), record.line());
            match field {
                Field::UserAgent => {
                    let value = record.value(self.content());
                    for agent in agent::agents(value, self.dialect.agents_per_line) {
                        group.info.agents.push(String::from_utf8_lossy(agent).into_owned());
                        group.info.lines.push(line);
                    }
                }
                Field::Allow | Field::Disallow => group.rules.push(RuleInfo {
                    field: field.row().name,
                    pattern: self.shown(*record),
                    line,
                    text: String::from_utf8_lossy(
                        &self.content()[line::around(self.content(), record.start())],
                    )
                    .into(),
                }),
                // A line for the whole file belongs to no group, wherever it is.
                _ if field.row().scope == Scope::File => {}
                _ => group.fields.push(self.field_line(*record)),
            }
        }
        group
    }

    fn field_line(&self, record: parse::Record) -> FieldLine {
        (record.field().row().name, self.shown(record), record.line())
    }

    fn shown(&self, record: parse::Record) -> String {
        String::from_utf8_lossy(record.value(self.content())).into_owned()
    }

    /// Whether the file is over the size limit with no whole line within the limit.
    #[must_use]
    pub fn is_cut_short(&self) -> bool {
        self.parsed.reach.lost
    }

    /// Returns the fields in the file that the dialect reads, in the order of the file.
    #[must_use]
    pub fn fields_used(&self) -> Vec<&'static str> {
        let mut names = Vec::new();
        for record in &self.parsed.records {
            let name = record.field().row().name;
            if self.dialect.fields.has(record.field()) && !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }

    /// Returns every line of the file, including those beyond the size limit: nothing is lost.
    #[must_use]
    pub fn lines(&self) -> Vec<TextLine<'_>> {
        self.text_lines().collect()
    }

    /// Returns the lines before the first User-agent line of a group, all if there is none: what is stated
    /// there is about the whole file.
    #[must_use]
    pub fn lines_before_groups(&self) -> Vec<TextLine<'_>> {
        self.head().collect()
    }

    /// Returns the value and line of each line of a name among those, whatever the case of the name.
    #[must_use]
    pub fn fields_before_groups(&self, name: &str) -> Vec<(String, u32)> {
        let named = self.head().filter(|line| {
            line.name.is_some_and(|found| found.eq_ignore_ascii_case(name.as_bytes()))
        });
        let value = |line: TextLine<'_>| {
            line.value.map(|value| (String::from_utf8_lossy(value).into_owned(), line.number))
        };
        named.filter_map(value).collect()
    }

    /// Iterates over the lines before the first User-agent line of a group.
    fn head(&self) -> impl Iterator<Item = TextLine<'_>> {
        let first = self.first_agent();
        self.text_lines().take_while(move |line| first.is_none_or(|first| line.number < first))
    }

    /// Returns the number of the first User-agent line of a group that names a robot.
    fn first_agent(&self) -> Option<u32> {
        let spans = self.parsed.groups.iter();
        let mut records = spans.flat_map(|span| select::records(&self.parsed, span));
        let is_named = |record: &&parse::Record| {
            let value = record.value(self.content());
            let is_agent = record.field() == Field::UserAgent;
            is_agent && agent::agents(value, self.dialect.agents_per_line).next().is_some()
        };
        records.find(is_named).map(|record| record.line())
    }

    fn text_lines(&self) -> impl Iterator<Item = TextLine<'_>> {
        let (mut at, mut number) = (0, 0);
        std::iter::from_fn(move || {
            if at >= self.content().len() {
                return None;
            }
            number += 1;
            let line = line::line_at(self.content(), at);
            let read = self.text_line(number, at..line.next, line.content);
            at = line.next;
            Some(read)
        })
    }

    fn text_line(
        &self,
        number: u32,
        raw: std::ops::Range<usize>,
        mut content: std::ops::Range<usize>,
    ) -> TextLine<'_> {
        let text = self.content();
        let read = raw.start < self.parsed.reach.end || self.parsed.reach.end == text.len();
        if raw.start == 0 {
            content.start += line::passed_over(text, &self.dialect).min(content.len());
        }
        content.end = parse::read_end(text, &content, &self.dialect);
        let limit = content.end;
        let mut line = TextLine {
            number,
            raw: &text[raw],
            kind: LineKind::Other,
            name: None,
            value: None,
            comment: None,
        };
        let missing: MissingColon = self.dialect.missing_colon;
        match line::content_of(text, content, missing) {
            Content::Blank => line.kind = LineKind::Blank,
            Content::Comment(hash) => {
                line.kind = LineKind::Comment;
                line.comment = Some(&text[hash + 1..limit]);
            }
            Content::Field { name, value, comment, .. } => {
                let known = spelling::recognise(&text[name.clone()], &self.dialect);
                line.kind = if known.is_some() { LineKind::Field } else { LineKind::UnknownField };
                let value = match known {
                    Some((field, _)) => line::value_of(text, field, value, limit, &self.dialect),
                    None => value,
                };
                let is_part = |hash: &usize| value.contains(hash);
                line.comment =
                    comment.filter(|hash| !is_part(hash)).map(|hash| &text[hash + 1..limit]);
                line.name = Some(&text[name]);
                line.value = Some(&text[value]);
            }
            Content::Other { comment, .. } => {
                line.comment = comment.map(|hash| &text[hash + 1..limit]);
            }
        }
        if !read {
            line.kind = LineKind::Other;
        }
        line
    }
}

impl Rules {
    /// Reports what is odd about the question: a name that can never match in this dialect.
    #[must_use]
    pub fn name_finding(&self) -> Option<Finding> {
        let name = Name::read(self.robot(), self.dialect.robot_name).ok()?;
        diagnose::name_finding(&name, &self.dialect)
    }

    /// Returns a sentence on which groups are obeyed and why.
    #[must_use]
    pub fn selection_sentence(&self) -> String {
        explain::selection(self)
    }

    /// Returns the name that was compared with User-agent values, in lower case.
    #[must_use]
    pub fn name(&self) -> String {
        let name = Name::read(self.robot(), self.dialect.robot_name).map(|name| name.whole);
        String::from_utf8_lossy(&name.unwrap_or_default()).into_owned()
    }

    /// Returns a URL without the query parameters that the site calls insignificant (Clean-param).
    #[must_use]
    pub fn clean_url(&self, url: &[u8]) -> Vec<u8> {
        clean_param::clean(url, self.extras.as_ref().map_or(&[], |extras| &extras.clean_params))
    }

    /// Returns what the site states about the use of the content at a URL.
    #[must_use]
    pub fn usage(&self, url: &[u8], labels: &'static [&'static str]) -> Usage {
        self.usage_where(url, self.allows(url), labels)
    }

    /// Returns what the site states about the use of the content at a URL, where something else decides
    /// whether it may be fetched.
    #[must_use]
    pub fn usage_where(
        &self,
        url: &[u8],
        fetchable: bool,
        labels: &'static [&'static str],
    ) -> Usage {
        match self.statements() {
            Some(statements) => statements.usage(url, fetchable, labels),
            None => Statements::default().usage(url, fetchable, labels),
        }
    }
}
