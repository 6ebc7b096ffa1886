//! Parses a text into records and groups, in one pass that is linear in the bytes.
//!
//! Only lines with a known field are kept, as positions in the text (12 bytes each); groups are spans of
//! them. Their meaning is determined later: by `compile` for one robot, by `diagnose` for findings.

use crate::steps;
use std::ops::Range;

use crate::dialect::{
    AllowLines, BadRecord, Dialect, GroupEnd, Nul, Orphans, StarAgent, VersionGate,
};
use crate::field::{Field, FieldSet};

use super::agent;
use super::line::{self, Content, Line, Reach};
use super::named_groups::LazyGroups;
use super::spelling::{self, Spelling};
use super::value::{Reading, Version};

/// A line with a known field: where its value is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Record {
    start: u32,
    length: u32,
    /// The line number in the lower bits, the field above them.
    packed: u32,
}

const LINE_BITS: u32 = 27;
const LAST_LINE: u32 = (1 << LINE_BITS) - 1;

impl Record {
    fn new(field: Field, value: &Range<usize>, line: u32) -> Record {
        // `Reach` keeps positions within 32 bits.
        Record {
            start: u32::try_from(value.start).unwrap_or(u32::MAX),
            length: u32::try_from(value.len()).unwrap_or(0),
            packed: ((field as u32) << LINE_BITS) | line.min(LAST_LINE),
        }
    }

    pub(crate) fn field(self) -> Field {
        Field::at(self.packed >> LINE_BITS)
    }

    pub(crate) fn line(self) -> u32 {
        self.packed & LAST_LINE
    }

    pub(crate) fn start(self) -> usize {
        self.start as usize
    }

    pub(crate) fn value(self, text: &[u8]) -> &[u8] {
        &text[self.start as usize..(self.start + self.length) as usize]
    }
}

/// A group: a span of records, including its User-agent lines.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Span {
    pub(crate) start: u32,
    pub(crate) end: u32,
    /// Whether the group is for `*` although it has no User-agent line.
    pub(crate) orphans: bool,
    /// Whether the dialect drops the whole record.
    pub(crate) dropped: bool,
    /// How its fields other than Allow and Disallow are divided.
    pub(crate) fields: Fields,
}

/// How the fields of a group, other than its rules, are divided among its User-agent lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fields {
    /// There are none.
    None,
    /// They belong to all User-agent lines of the group.
    Shared,
    /// A User-agent line follows one of them: each belongs to the User-agent lines before it
    /// (`select::field_groups`).
    Divided,
}

/// Fields that belong to the User-agent lines before them. RFC 9309 section 2.2.4 keeps them from
/// ending a group, but does not apply them to the next robot. Whether the dialect reads them makes
/// no difference to what the author meant.
///
/// Robot-version is not one of them: it says how the record is read, which is decided for the whole
/// record.
pub(crate) const OF_AGENTS: FieldSet = FieldSet::of_groups().without(&[
    Field::UserAgent,
    Field::Allow,
    Field::Disallow,
    Field::RobotVersion,
]);

/// Fields that apply to the whole file, wherever they are or before every group.
const OF_FILE: FieldSet =
    FieldSet::of(&[Field::Sitemap, Field::CleanParam, Field::ContentSignal, Field::License]);

/// The headers of Conner's proposal: Robot-version must be the first of them after the User-agent lines.
/// Headers from other documents, which he could not know, do not take its place.
pub(crate) const OF_CONNER: FieldSet = FieldSet::of(&[
    Field::Allow,
    Field::Disallow,
    Field::RobotVersion,
    Field::VisitTime,
    Field::RequestRate,
    Field::Comment,
]);

/// A parsed file.
#[derive(Debug)]
pub(crate) struct Parsed {
    pub(crate) records: Vec<Record>,
    pub(crate) groups: Vec<Span>,
    /// The positions in `records` where the field groups of a group begin, except the first:
    /// User-agent lines that follow a field of the User-agent lines before them.
    pub(crate) borders: Vec<u32>,
    pub(crate) reach: Reach,
    /// The positions in `records` of the fields for the whole file, which every robot's rules read.
    pub(crate) of_file: Box<[u32]>,
    /// The same file parsed without its guesses, if there are any. A guess must not permit anything, and
    /// every kind of line can: a User-agent line takes rules away from the group before it and gives a
    /// robot a group of its own, and a Disallow line ends the run of User-agent lines before it. So a
    /// URL is allowed only if both readings allow it.
    pub(crate) strict: Option<Box<Parsed>>,
    /// The groups by name, once they are needed (`select`).
    pub(crate) by_name: LazyGroups,
}

/// Parses a file in a dialect, and a second time without its guesses if it has any.
pub(crate) fn parse(text: &[u8], dialect: &Dialect) -> Parsed {
    let reach = Reach::of(text, dialect);
    let read = |guesses| {
        let mut parser = Parser::new(&text[..reach.end], dialect, guesses);
        parser.run();
        (parser.guessed, parser.finish(reach))
    };
    let (guessed, parsed) = read(Guesses::Taken);
    let strict = guessed.then(|| Box::new(read(Guesses::Left).1));
    Parsed { strict, ..parsed }
}

/// How lines are treated whose meaning is only guessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Guesses {
    Taken,
    Left,
}

/// Fields whose value is cut at a NUL: the remaining value can only restrict the robot.
const CUT_AT_NUL: FieldSet =
    FieldSet::of(&[Field::Disallow, Field::CrawlDelay, Field::RequestRate, Field::VisitTime]);

#[expect(clippy::struct_excessive_bools, reason = "the state of a reader is its flags")]
struct Parser<'a> {
    text: &'a [u8],
    dialect: &'a Dialect,
    records: Vec<Record>,
    groups: Vec<Span>,
    borders: Vec<u32>,
    /// Whether the open group has had a field since its last User-agent line.
    behind_field: bool,
    /// Whether the last group can still take lines.
    open: bool,
    /// Whether the open group has a rule.
    has_rule: bool,
    /// Whether the next User-agent line begins a group.
    complete: bool,
    /// Whether any User-agent line has been seen.
    has_agent: bool,
    /// Whether a Robot-version may still follow in the open group.
    may_state_version: bool,
    /// Whether the open group is read as version 1 of Conner's standard, which has no Allow.
    is_first_version: bool,
    /// Whether parsing a line may stop before its line end: at google/robotstxt's limit or at a NUL.
    shortens: bool,
    /// Whether there is a NUL that may spoil a value.
    careful_nul: bool,
    guesses: Guesses,
    /// Whether anything was guessed.
    guessed: bool,
}

impl<'a> Parser<'a> {
    fn new(text: &'a [u8], dialect: &'a Dialect, guesses: Guesses) -> Parser<'a> {
        // A size that needs at most one reallocation for most files.
        let size = text.len() / 48 + 4;
        let has_nul = dialect.nul != Nul::Kept && memchr::memchr(0, text).is_some();
        Parser {
            text,
            dialect,
            records: Vec::with_capacity(size),
            groups: Vec::new(),
            borders: Vec::new(),
            behind_field: false,
            open: false,
            has_rule: false,
            complete: false,
            has_agent: false,
            may_state_version: false,
            is_first_version: dialect.version_gate == VersionGate::Conner,
            shortens: (has_nul && dialect.nul == Nul::EndsLine)
                || (dialect.line_limit != 0 && text.len() > dialect.line_limit as usize),
            careful_nul: has_nul && dialect.nul == Nul::Careful,
            guesses,
            guessed: false,
        }
    }

    fn run(&mut self) {
        let mut at = line::passed_over(self.text, self.dialect);
        let mut number = 0;
        let long_way = self.shortens || self.careful_nul;
        while at < self.text.len() {
            number += 1;
            let start = at;
            at = match self.text[at] {
                // By far the most common lines are rules, comments and blank lines.
                _ if long_way => self.any_line(at, number),
                b'#' => line::line_at(self.text, at).next,
                b'\n' | b'\r' => {
                    self.blank();
                    line::line_end(self.text, at)
                }
                _ => match quick_field(&self.text[at..]) {
                    Some((field, length)) => self.quick_line(field, at + length, number),
                    None => self.any_line(at, number),
                },
            };
            steps::count(at - start);
        }
    }

    /// Handles a line whose field is known and whose value begins at `start`; returns where the
    /// next line begins.
    #[inline]
    fn quick_line(&mut self, field: Field, start: usize, number: u32) -> usize {
        let text = self.text;
        let found = memchr::memchr3(b'\n', b'\r', b'#', &text[start..]);
        let end = found.map_or(text.len(), |length| start + length);
        self.field(field, &line::trim(text, start..end), number);
        match text.get(end) {
            None => end,
            Some(b'#') => line::line_at(text, end).next,
            Some(_) => line::line_end(text, end),
        }
    }

    fn any_line(&mut self, at: usize, number: u32) -> usize {
        let Line { mut content, next } = line::line_at(self.text, at);
        if self.shortens {
            content.end = read_end(self.text, &content, self.dialect);
        } else if !self.careful_nul && !self.may_be_field(&content) {
            // HTML pages are served as robots.txt often enough that skipping them quickly pays.
            self.bad_line();
            return next;
        }
        self.line(content, number);
        next
    }

    /// Whether a line could be a field or is blank: names of fields begin with a letter, even if
    /// misspelt.
    fn may_be_field(&self, content: &Range<usize>) -> bool {
        let first = self.text[content.clone()].iter().find(|octet| !line::is_space(**octet));
        first.is_none_or(u8::is_ascii_alphabetic)
    }

    fn blank(&mut self) {
        if self.dialect.group_end == GroupEnd::BlankLine {
            self.close();
        }
    }

    fn line(&mut self, content: Range<usize>, number: u32) {
        let first_column = self.text.get(content.start) == Some(&b'#');
        let end = content.end;
        match line::content_of(self.text, content, self.dialect.missing_colon) {
            Content::Blank => self.blank(),
            // Kollar's grammar allows comments only in the first column.
            Content::Comment(_) if first_column => {}
            // A line of only NULs says nothing, and so drops no record.
            Content::Other { text, .. } if self.is_padding(&text) => {}
            Content::Comment(_) | Content::Other { .. } => self.bad_line(),
            Content::Field { name, value, .. } => {
                match spelling::recognise(&self.text[name], self.dialect) {
                    Some((field, spelling)) => {
                        let value = line::value_of(self.text, field, value, end, self.dialect);
                        self.doubtful(field, spelling, value, number);
                    }
                    None => self.bad_line(),
                }
            }
        }
    }

    /// Whether a text is only NULs and white space, in a dialect that is careful with them.
    fn is_padding(&self, text: &Range<usize>) -> bool {
        self.careful_nul && line::before_nul(self.text, text.clone()).is_empty()
    }

    /// Handles a field whose name may be guessed, and whose value may have a NUL.
    fn doubtful(&mut self, field: Field, spelling: Spelling, value: Range<usize>, number: u32) {
        let has_nul = self.careful_nul && self.text[value.clone()].contains(&0);
        // An Allow line with a NUL allows nothing (`rule_line` ensures that), but it may end a group.
        let guess = spelling == Spelling::Guessed || (has_nul && field == Field::Allow);
        self.guessed |= guess;
        if guess && self.guesses == Guesses::Left {
            return self.bad_line();
        }
        let cut = if has_nul && CUT_AT_NUL.has(field) {
            line::before_nul(self.text, value.clone())
        } else {
            value.clone()
        };
        // An empty Disallow may allow everything; a value of only NULs must not become one.
        self.field(field, if cut.is_empty() { &value } else { &cut }, number);
    }

    #[inline]
    fn field(&mut self, field: Field, value: &Range<usize>, number: u32) {
        match field {
            Field::UserAgent => return self.agent_line(value, number),
            Field::Disallow => self.rule(),
            Field::Allow if self.is_first_version => self.allow_of_first_version(),
            Field::Allow if self.dialect.allow_lines == AllowLines::Honoured => self.rule(),
            _ if !self.dialect.fields.has(field) => self.bad_line(),
            Field::RobotVersion if self.may_state_version => self.version(value),
            _ => {}
        }
        if OF_AGENTS.has(field) {
            self.field_of_agents(field);
        }
        self.may_state_version &= !(OF_CONNER.has(field) && self.dialect.fields.has(field));
        self.records.push(Record::new(field, value, number));
    }

    /// Handles an Allow line of a record that has none (Conner 1996): to a dialect that does not read
    /// the field, it is outside the grammar as anywhere else.
    #[cold]
    fn allow_of_first_version(&mut self) {
        if !self.dialect.fields.has(Field::Allow) {
            self.bad_line();
        }
    }

    /// Handles a User-agent line. If its value is a guess, it still counts as a User-agent line
    /// without guesses, but then names no robot.
    fn agent_line(&mut self, value: &Range<usize>, number: u32) {
        self.agent();
        let guess = self.guess_agent(value);
        self.guessed |= guess.is_some();
        if guess.is_none() || self.guesses == Guesses::Taken {
            let value = guess.as_ref().unwrap_or(value);
            self.records.push(Record::new(Field::UserAgent, value, number));
        }
    }

    /// Guesses the agent of a User-agent value with a NUL, and `*` for a `*` directly followed by a
    /// version or a comment.
    fn guess_agent(&self, value: &Range<usize>) -> Option<Range<usize>> {
        let agent = &self.text[value.clone()];
        if self.careful_nul && agent.contains(&0) {
            return Some(line::before_nul(self.text, value.clone()));
        }
        let is_star = matches!(agent, [b'*', b'/' | b'(', ..])
            && agent::agents(agent, self.dialect.agents_per_line).nth(1).is_none()
            && self.dialect.star_agent == StarAgent::Careful;
        is_star.then_some(value.start..value.start + 1)
    }

    fn agent(&mut self) {
        self.has_agent = true;
        if !self.open || self.complete {
            self.open_group(false);
        } else if let (true, Some(group)) = (self.behind_field, self.groups.last_mut()) {
            group.fields = Fields::Divided;
            self.borders.push(self.records.len().try_into().unwrap_or(u32::MAX));
        }
        self.behind_field = false;
    }

    /// Handles a field that belongs to the User-agent lines before it, if there are any.
    #[cold]
    fn field_of_agents(&mut self, field: Field) {
        if let (true, Some(group)) = (self.open, self.groups.last_mut()) {
            if group.fields == Fields::None {
                group.fields = Fields::Shared;
            }
            self.behind_field = true;
            // draft-ietf-aipref-attach-05 section 3: `rule =/ content-usage`.
            self.complete |= field == Field::ContentUsage
                && self.dialect.group_end == GroupEnd::AgentAfterRuleOrUsage;
        }
    }

    fn rule(&mut self) {
        let orphan = !self.open && !self.has_agent;
        if orphan && self.dialect.orphans == Orphans::DefaultGroup {
            self.open_group(true);
        }
        self.has_rule = true;
        self.complete = true;
    }

    /// Handles the version of the open group, if it is where it counts: after the User-agent lines.
    fn version(&mut self, value: &Range<usize>) {
        let stated = std::str::from_utf8(&self.text[value.clone()]).ok().and_then(Version::read);
        self.is_first_version = self.dialect.version_gate == VersionGate::Conner
            && stated.is_some_and(|version| version.reading() == Reading::First);
    }

    fn open_group(&mut self, orphans: bool) {
        self.close();
        self.may_state_version = !orphans;
        self.is_first_version = self.dialect.version_gate == VersionGate::Conner;
        let start = u32::try_from(self.records.len()).unwrap_or(u32::MAX);
        let fields = Fields::None;
        self.groups.push(Span { start, end: start, orphans, dropped: false, fields });
        self.open = true;
        self.has_rule = false;
        self.complete = false;
    }

    fn close(&mut self) {
        if let (true, Some(group)) = (self.open, self.groups.last_mut()) {
            group.end = u32::try_from(self.records.len()).unwrap_or(u32::MAX);
            // Kollar's grammar requires at least one Disallow line in a record.
            group.dropped |= self.dialect.bad_record == BadRecord::DropRecord && !self.has_rule;
        }
        self.open = false;
    }

    /// Handles a line outside the grammar.
    fn bad_line(&mut self) {
        let drops = self.dialect.bad_record == BadRecord::DropRecord && self.open;
        if let (true, Some(group)) = (drops, self.groups.last_mut()) {
            group.dropped = true;
        }
    }

    fn finish(mut self, reach: Reach) -> Parsed {
        self.close();
        if self.records.capacity() > 1024 {
            self.records.shrink_to_fit();
            self.groups.shrink_to_fit();
        }
        let Parser { records, groups, borders, .. } = self;
        let places = (0..).zip(&records).filter(|(_, record)| OF_FILE.has(record.field()));
        let of_file = places.map(|(place, _)| place).collect();
        Parsed {
            records,
            groups,
            borders,
            reach,
            of_file,
            strict: None,
            by_name: LazyGroups::default(),
        }
    }
}

/// Returns where google/robotstxt stops reading a line: at its line limit, or at a NUL.
pub(crate) fn read_end(text: &[u8], content: &Range<usize>, dialect: &Dialect) -> usize {
    let mut end = content.end;
    if dialect.line_limit != 0 {
        end = end.min(content.start + dialect.line_limit as usize);
    }
    if dialect.nul == Nul::EndsLine {
        end = memchr::memchr(0, &text[content.start..end]).map_or(end, |at| content.start + at);
    }
    end
}

/// Recognises the four most common fields, written plainly from the first column on; the rest of
/// the line begins after the colon. `line` parses every such line in the same way (tested).
#[inline]
fn quick_field(line: &[u8]) -> Option<(Field, usize)> {
    const CASE: u64 = 0x2020_2020_2020_2020;
    let head = u64::from_le_bytes(*line.first_chunk()?) | CASE;
    if head == u64::from_le_bytes(*b"disallow") {
        return (line.get(8) == Some(&b':')).then_some((Field::Disallow, 9));
    }
    // The six bytes of `allow:`; the colon already has the bit that marks lower case.
    if head << 16 == u64::from_le_bytes(*b"\0\0allow:") {
        return (line[5] == b':').then_some((Field::Allow, 6));
    }
    if head == u64::from_le_bytes(*b"user-age") {
        let rest = line.get(8..11)?;
        let named = rest[..2].eq_ignore_ascii_case(b"nt") && rest[2] == b':' && line[4] == b'-';
        return named.then_some((Field::UserAgent, 11));
    }
    if head == u64::from_le_bytes(*b"sitemap:") {
        return (line[7] == b':').then_some((Field::Sitemap, 8));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialects;
    use proptest::prelude::*;

    /// Returns everything that is parsed, in a form that can be compared.
    fn read(text: &[u8], dialect: &Dialect, quick: bool) -> (Vec<String>, Vec<String>) {
        let mut parser = Parser::new(text, dialect, Guesses::Taken);
        // The slow path parses every line with `line::content_of`.
        parser.shortens |= !quick;
        parser.run();
        let parsed = parser.finish(Reach::whole(text));
        let shown = |record: &Record| {
            format!("{} {:?} {:?}", record.line(), record.field(), record.value(text))
        };
        let spans = parsed.groups.iter().map(|span| format!("{span:?}"));
        (parsed.records.iter().map(shown).collect(), spans.collect())
    }

    proptest! {
        /// The fast path and the slow path parse a file alike, in every dialect.
        #[test]
        fn the_long_way_agrees(
            text in "(?i:(user-agent|disallow|allow|sitemap|host| |#|x|<)[ :x]{0,2}[ /a#:*]{0,6}[\r\n]{0,3}){0,12}"
        ) {
            for dialect in dialects::DIALECTS.iter() {
                let text = text.as_bytes();
                prop_assert_eq!(read(text, dialect, true), read(text, dialect, false));
            }
        }
    }

    #[test]
    fn groups_are_spans_of_records() {
        let spans = |text: &str, dialect: &Dialect| -> Vec<(u32, u32)> {
            parse(text.as_bytes(), dialect)
                .groups
                .iter()
                .map(|span| (span.start, span.end))
                .collect()
        };
        let text =
            "User-agent: a\nDisallow: /\n\nDisallow: /b\nUser-agent: b\nUser-agent: c\nAllow: /\n";
        assert_eq!(spans(text, &dialects::RFC_9309), [(0, 3), (3, 6)]);
        assert_eq!(spans(text, &dialects::KOSTER_1994), [(0, 2), (3, 6)]);
    }
}
