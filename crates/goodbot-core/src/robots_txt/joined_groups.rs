//! Groups that are joined by accident: what stands between two User-agent lines, and what that means.
//!
//! A group ends where a User-agent line follows a rule (RFC 9309 section 2.2.1). Other fields, comments and
//! blank lines do not end it, although authors write them as if they did.

use crate::dialect::{AllowLines, Dialect, MissingColon};
use crate::field::Field;
use crate::quote::in_quotes;

use super::agent;
use super::line::{self, Content, Line};
use super::obedience::{self, Obedience};
use super::parse::Record;

/// What divides two User-agent lines, and the number of its line.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Divider {
    Comment(u32),
    Blank(u32),
    Field(String, u32),
}

/// The User-agent lines of a group so far.
struct Run {
    first: Record,
    last: Record,
    /// The first one for `*`.
    star: Option<Record>,
    /// Whether all of them name the same robot.
    same: bool,
}

/// Returns the line of each User-agent line that joins the group before it, with a message.
///
/// `records` are those of one group.
pub(crate) fn of(text: &[u8], records: &[Record], dialect: &Dialect) -> Vec<(u32, String)> {
    if !records.iter().any(|record| is_rule(record, dialect)) {
        return Vec::new();
    }
    let is_star = |record: &Record| {
        let mut agents = agent::agents(record.value(text), dialect.agents_per_line);
        agents.any(|one| agent::is_star(one, dialect))
    };
    let effect = effect(text, records);
    let mut found = Vec::new();
    let mut run: Option<Run> = None;
    for record in records.iter().filter(|record| record.field() == Field::UserAgent) {
        let star = is_star(record).then_some(*record);
        let Some(before) = &mut run else {
            run = Some(Run { first: *record, last: *record, star, same: true });
            continue;
        };
        before.same &= before.last.value(text).eq_ignore_ascii_case(record.value(text));
        if let (false, Some(divider)) = (before.same, between(text, before.last, *record)) {
            let joined = Joined { run: before, record: *record, star: star.is_some(), divider };
            found.extend(joined.message(text, dialect, effect).map(|said| (record.line(), said)));
        }
        before.last = *record;
        before.star = before.star.or(star);
    }
    found
}

fn is_rule(record: &Record, dialect: &Dialect) -> bool {
    match record.field() {
        Field::Disallow => true,
        Field::Allow => dialect.allow_lines == AllowLines::Honoured,
        _ => false,
    }
}

/// Returns what stands between two User-agent lines: a field above all, else a blank line, else a comment.
fn between(text: &[u8], first: Record, second: Record) -> Option<Divider> {
    let mut at = line::around(text, first.start()).start;
    let (end, mut number) = (line::around(text, second.start()).start, first.line());
    let mut found: Option<Divider> = None;
    at = line::line_at(text, at).next;
    while at < end {
        number += 1;
        let Line { content, next } = line::line_at(text, at);
        let divider = match line::content_of(text, content, MissingColon::Accepted) {
            Content::Field { name, .. } => {
                Divider::Field(String::from_utf8_lossy(&text[name]).into_owned(), number)
            }
            Content::Other { text: body, .. } => {
                Divider::Field(String::from_utf8_lossy(&text[body]).into_owned(), number)
            }
            Content::Blank => Divider::Blank(number),
            Content::Comment(_) => Divider::Comment(number),
        };
        found = Some(match (found, divider) {
            (Some(Divider::Field(..)), divider @ Divider::Field(..)) | (None, divider) => divider,
            (Some(kept @ Divider::Field(..)), _)
            | (Some(kept @ Divider::Blank(_)), Divider::Comment(_)) => kept,
            (Some(Divider::Comment(_) | Divider::Blank(_)), divider) => divider,
        });
        at = next;
    }
    found
}

/// A User-agent line that joins those before it.
struct Joined<'a> {
    run: &'a Run,
    record: Record,
    /// Whether it is for `*`.
    star: bool,
    divider: Divider,
}

impl Joined<'_> {
    fn message(&self, text: &[u8], dialect: &Dialect, effect: &str) -> Option<String> {
        let Joined { run, record, star, divider } = self;
        let (what, line) = match divider {
            Divider::Field(name, line) => (in_words(name), *line),
            Divider::Blank(line) => ("the blank line".to_owned(), *line),
            // Between the names of robots, comments say whose they are.
            Divider::Comment(_) if run.star.is_none() && !star => return None,
            Divider::Comment(line) => ("the comment".to_owned(), *line),
        };
        let lines =
            line::around(text, run.first.start()).start..line::around(text, record.start()).end;
        let name = run.star.unwrap_or(run.last).value(text);
        let name = agent::agents(name, dialect.agents_per_line).next().unwrap_or(name);
        let meant = [(Field::UserAgent, agent::compared(name, dialect).to_vec())];
        let who = Obedience::of(&text[lines], &meant)
            .filter(|found| !found.ignore.is_empty())
            .map_or(String::new(), |found| {
                format!(" (not by {})", obedience::listed(&found.ignore))
            });
        let meaning = match (run.star.is_some(), star) {
            (true, _) => format!("; that {effect} every robot that no group names"),
            (false, true) => "; the named robots obey what is meant for *".to_owned(),
            (false, false) => String::new(),
        };
        Some(format!(
            "this line does not begin a new group: {what} on line {line} does not end the group from line {}, so \
             the rules below apply to the robots of both{who}{meaning}; to separate them, add a rule such as \
             \"Disallow:\" before this line",
            run.first.line(),
        ))
    }
}

/// Returns the name of a field as a message has it.
fn in_words(name: &str) -> String {
    Field::named(name.as_bytes())
        .map_or_else(|| in_quotes(name.as_bytes()), |field| field.row().name.to_owned())
}

/// Returns what the rules of a group do to those who obey them.
fn effect(text: &[u8], records: &[Record]) -> &'static str {
    let mut values = (false, false, true);
    for record in records {
        let value = record.value(text);
        match record.field() {
            Field::Disallow => {
                values.0 |= matches!(value, b"/" | b"/*" | b"*");
                values.2 &= value.is_empty();
            }
            Field::Allow => values.1 |= !value.is_empty(),
            _ => {}
        }
    }
    match values {
        (true, true, _) => "closes the site, except for its Allow lines, to",
        (true, false, _) => "closes the whole site to",
        (false, _, true) => "opens the whole site to",
        (false, _, false) => "applies the same rules to",
    }
}
