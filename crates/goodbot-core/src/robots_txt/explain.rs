//! Decisions in words: verdicts, rules as written, and why other rules lost.

use std::collections::HashSet;
use std::sync::Arc;

use crate::dialect::{MissingColon, Precedence};
use crate::field::Field;
use crate::target::{Scratch, Target};
use crate::verdict::{BEFORE_GROUPS, Considered, GroupInfo, Reason, RuleInfo, Verdict, agents_of};

use super::line::{self, Content};
use super::origins::AskedOrigin;
use super::rules::{Decision, Rules};
use super::select::How;
use super::table::{Asked, Row, flag};

/// A rule without its text: the field, the pattern, the number of the line.
pub type RuleLine = (&'static str, String, u32);

/// Describes rules and their decisions in words. The module `rules` decides, and contains no wording.
impl Rules {
    /// Returns the verdict on a URL: the decision, with the rule and the group in words.
    #[must_use]
    pub fn verdict(&self, url: &[u8]) -> Verdict {
        self.explain(url, self.decide(url, &mut Scratch::default()))
    }

    /// Returns the verdict that a decision of these rules on a URL stands for.
    #[must_use]
    pub fn explain(&self, url: &[u8], decision: Decision) -> Verdict {
        verdict(self.behind(decision), url, decision)
    }

    /// Returns every rule that matches the URL, starting with the one that decides. If a file has
    /// guesses, these are the rules of the reading that decides.
    #[must_use]
    pub fn considered(&self, url: &[u8]) -> Vec<Considered> {
        let decision = self.decide(url, &mut Scratch::default());
        if decision.reason == Reason::RelativeUrl {
            return Vec::new();
        }
        let rules = self.behind(decision);
        considered(rules, &rules.matching(url, decision), decision)
    }

    /// Returns whether a URL is allowed, the first of the rules that [`Rules::considered`] has, and how
    /// many there are.
    #[must_use]
    pub fn first_considered(&self, url: &[u8], most: usize) -> (bool, Vec<RuleLine>, usize) {
        let decision = self.decide(url, &mut Scratch::default());
        if decision.reason == Reason::RelativeUrl {
            return (decision.allowed, Vec::new(), 0);
        }
        let rules = self.behind(decision);
        let places = rules.matching(url, decision);
        let mut writer = Writer::new(rules);
        let first = places.iter().take(most).map(|place| writer.rule_line(*place)).collect();
        (decision.allowed, first, places.len())
    }

    /// Returns the places of the rules that match a URL, starting with the one that decides.
    fn matching(&self, url: &[u8], decision: Decision) -> Vec<usize> {
        let mut room = Vec::new();
        let target = Target::new(url).judged(self.reader(), &mut room);
        let mut scratch = Scratch::default();
        let paths = target.paths(self.reader(), &mut scratch);
        let asked = Asked::new(paths);
        let asked_origin = AskedOrigin::default();
        let for_origin = |start| self.is_for_origin(start, asked_origin.of(target.url));
        let mut places = self.table.matching(&asked, for_origin);
        // Of rules of equal rank, the one that decides need not be the first in the table.
        let decides = decision.place.map(|place| place as usize);
        places.sort_unstable_by_key(|place| {
            let row = self.table.row(*place);
            (row.rank, decides != Some(*place), row.start)
        });
        // A rule with two spellings is one rule: the better spelling comes first.
        let mut seen = HashSet::new();
        places.retain(|place| {
            let Row { line, flags, kept, .. } = self.table.row(*place);
            let ending = flags & (flag::TRAILING_STAR | flag::DOLLAR);
            seen.insert((line, (flags & flag::PART != 0).then_some((kept, ending))))
        });
        places
    }

    /// Returns how many rules there are.
    #[must_use]
    pub fn len(&self) -> usize {
        if self.strict.is_some() { self.list().len() } else { self.table.rules().len() }
    }

    /// Returns the rules in the order of the file; if it has guesses, those of both readings.
    #[must_use]
    pub fn list(&self) -> Vec<RuleInfo> {
        self.listed(&Writer::rule, &|rule| rule.line)
    }

    /// Returns the same without the texts of the lines.
    #[must_use]
    pub fn rule_lines(&self) -> Vec<RuleLine> {
        self.listed(&Writer::rule_line, &|(_, _, line)| *line)
    }

    fn listed<'a, T>(
        &'a self,
        write: &dyn Fn(&mut Writer<'a>, usize) -> T,
        line_of: &dyn Fn(&T) -> u32,
    ) -> Vec<T> {
        let mut writer = Writer::new(self);
        let own = self.table.rules().into_iter().map(|place| write(&mut writer, place)).collect();
        match &self.strict {
            None => own,
            Some(strict) => merged(own, strict.listed(write, line_of), line_of),
        }
    }

    /// Returns the first line of each group obeyed.
    pub fn group_starts(&self) -> impl Iterator<Item = u32> {
        let groups = self.texts.groups().split(BETWEEN).filter(|group| !group.is_empty());
        groups.filter_map(|group| agents_of(group).next()).map(|(line, _)| line)
    }

    /// Returns the groups obeyed.
    #[must_use]
    pub fn groups(&self) -> Vec<GroupInfo> {
        groups(self.texts.groups())
    }
}

/// Merges the rules of two readings of a file, in its order, each line only once.
fn merged<T>(own: Vec<T>, strict: Vec<T>, line_of: &dyn Fn(&T) -> u32) -> Vec<T> {
    let lines: HashSet<u32> = own.iter().map(line_of).collect();
    let mut all = own;
    all.extend(strict.into_iter().filter(|rule| !lines.contains(&line_of(rule))));
    all.sort_by_key(line_of);
    all
}

fn verdict(rules: &Rules, url: &[u8], decision: Decision) -> Verdict {
    let rule = decision.place.map(|place| Writer::new(rules).rule(place as usize));
    let group = group_of(rules.texts.groups(), rule.as_ref()).map(|group| rules.texts.share(group));
    Verdict {
        allowed: decision.allowed,
        reason: decision.reason,
        rule,
        group: group
            .filter(|_| !matches!(decision.reason, Reason::SchemeNotCovered | Reason::RelativeUrl)),
        dialect: Arc::clone(&rules.dialect),
        robot: rules.robot().to_owned(),
        url: String::from_utf8_lossy(url).into_owned(),
    }
}

/// Returns the group of a rule, the last one that begins before it, in the form in which rules store
/// them; without a rule, the first group.
fn group_of<'a>(packed: &'a str, rule: Option<&RuleInfo>) -> Option<&'a str> {
    let is_before =
        |group: &&str, line| agents_of(group).next().is_none_or(|(first, _)| first <= line);
    let own = rule.and_then(|rule| {
        packed.rsplit(BETWEEN).find(|group| !group.is_empty() && is_before(group, rule.line))
    });
    own.or_else(|| packed.split(BETWEEN).find(|group| !group.is_empty()))
}

/// What stands between two groups in that form.
const BETWEEN: &str = "\n\n";

/// Returns the groups, from the form in which rules store them.
fn groups(packed: &str) -> Vec<GroupInfo> {
    let all = packed.split(BETWEEN).filter(|group| !group.is_empty());
    all.map(|group| GroupInfo::unpacked(group, usize::MAX)).collect()
}

/// Returns the lines with the names of groups, from the same form: 0 begins each further group.
pub(crate) fn group_lines(packed: &str) -> impl Iterator<Item = u32> {
    packed.lines().map(|line| {
        line.split_once(' ').map_or(0, |(number, _)| number.parse::<u32>().unwrap_or(0))
    })
}

/// The most bytes quoted from a line with several rules.
const MOST_QUOTED: usize = 300;

/// Rebuilds rules as they are written in the file. The rules of one line share its text: a line may
/// have as many rules as it has words.
struct Writer<'a> {
    rules: &'a Rules,
    /// The last line that was needed, and its number, as quoted for each of its paths.
    last: Option<(u32, Arc<str>)>,
}

impl Writer<'_> {
    fn new(rules: &Rules) -> Writer<'_> {
        Writer { rules, last: None }
    }

    fn rule(&mut self, place: usize) -> RuleInfo {
        let (field, pattern, line) = self.rule_line(place);
        let flags = self.rules.table.row(place).flags;
        let text = match (flags & flag::WRITTEN != 0, flags & flag::PART != 0) {
            (false, _) => told(field, &pattern, flags),
            (true, false) => self.written(line).into(),
            (true, true) => self.line_of_parts(line),
        };
        RuleInfo { field, pattern, line, text }
    }

    fn rule_line(&mut self, place: usize) -> RuleLine {
        let row = self.rules.table.row(place);
        let Row { line, flags, .. } = row;
        if flags & flag::WRITTEN == 0 {
            return (Rules::field_of(flags).row().name, pattern(&row), line);
        }
        if flags & flag::PART == 0 {
            let (field, pattern) = parts(self.written(line), flags);
            return (field, pattern, line);
        }
        let text = self.line_of_parts(line);
        (field(text.trim_ascii_start(), flags), pattern(&row), line)
    }

    fn written(&self, line: u32) -> &str {
        self.rules.texts.written_line(line).unwrap_or_default()
    }

    /// Returns a line of several paths, as written. At most [`MOST_QUOTED`] bytes of it are quoted,
    /// since each of its rules quotes it.
    fn line_of_parts(&mut self, line: u32) -> Arc<str> {
        if let Some((_, text)) = self.last.as_ref().filter(|(number, _)| *number == line) {
            return Arc::clone(text);
        }
        let written = self.written(line);
        let text: Arc<str> = match written.len() > MOST_QUOTED {
            true => format!("{}...", beginning(written)).into(),
            false => written.into(),
        };
        self.last = Some((line, Arc::clone(&text)));
        text
    }
}

/// Returns the beginning of a text, cut between characters.
fn beginning(text: &str) -> &str {
    let end = (0..=MOST_QUOTED).rev().find(|end| text.is_char_boundary(*end));
    &text[..end.unwrap_or(0)]
}

/// Rebuilds a line from its parts.
fn told(field: &str, pattern: &str, flags: u16) -> Arc<str> {
    let mut text = String::with_capacity(field.len() + 2 + pattern.len());
    text.push_str(field);
    if flags & flag::LOWER != 0 {
        text.make_ascii_lowercase();
    }
    text.push_str(if flags & flag::NO_SPACE != 0 { ":" } else { ": " });
    text.push_str(pattern);
    text.into()
}

/// Returns the pattern of a rule, in the spelling that is compared.
fn pattern(row: &Row<'_>) -> String {
    let mut pattern = String::with_capacity(row.kept.len() + 3);
    if row.flags & flag::ROOTED != 0 {
        pattern.push('/');
    }
    pattern.push_str(&String::from_utf8_lossy(row.kept));
    if row.flags & flag::TRAILING_STAR != 0 {
        pattern.push('*');
    }
    if row.flags & flag::DOLLAR != 0 {
        pattern.push('$');
    }
    pattern
}

/// Returns the field and the pattern of a line, as written.
fn parts(text: &str, flags: u16) -> (&'static str, String) {
    let octets = &text.as_bytes()[line::byte_order_mark(text.as_bytes())..];
    match line::content_of(octets, 0..octets.len(), MissingColon::Accepted) {
        Content::Field { name, value, .. } => {
            let pattern = String::from_utf8_lossy(&octets[value]).into_owned();
            (field(&String::from_utf8_lossy(&octets[name]), flags), pattern)
        }
        _ => (field("", flags), text.to_owned()),
    }
}

/// Returns the field of a rule, judging by its name as written: an empty Disallow allows everything
/// in some dialects, so that the effect does not reveal the field.
fn field(name: &str, flags: u16) -> &'static str {
    let is_disallow =
        name.as_bytes().first().is_some_and(|octet| octet.eq_ignore_ascii_case(&b'd'));
    if is_disallow { Field::Disallow.row().name } else { Rules::field_of(flags).row().name }
}

/// Returns every rule that matched, with the reason why it decided or lost.
fn considered(rules: &Rules, places: &[usize], decision: Decision) -> Vec<Considered> {
    let winner = decision.place.map(|place| place as usize);
    let mut writer = Writer::new(rules);
    let list = places.iter().map(|&place| {
        let decides = Some(place) == winner;
        let why = match winner {
            _ if decides => decides_because(rules, place),
            None => lost_to(decision.reason),
            Some(winner) => loses_because(rules, place, winner),
        };
        Considered { rule: writer.rule(place), decides, why }
    });
    list.collect()
}

fn decides_because(rules: &Rules, place: usize) -> &'static str {
    let allows = rules.table.row(place).flags & flag::ALLOW != 0;
    match rules.reader().precedence {
        Precedence::Longest => "it is the longest match",
        Precedence::First => "it is the first match",
        Precedence::AnyDisallow if allows => "no Disallow matches",
        Precedence::AnyDisallow => "any Disallow that matches decides",
        Precedence::Conner => CONNER_ORDER,
    }
}

/// The order of precedence in Conner's draft.
const CONNER_ORDER: &str = "explicit Allow comes before Disallow, and Disallow before Allow with *";

fn lost_to(reason: Reason) -> &'static str {
    match reason {
        Reason::RobotsTxtItself => "/robots.txt itself is always allowed",
        Reason::SchemeNotCovered => "the dialect does not cover this scheme",
        _ => "the decision is about the whole file",
    }
}

fn loses_because(rules: &Rules, place: usize, winner: usize) -> &'static str {
    let Row { rank, flags, .. } = rules.table.row(place);
    let Row { rank: best, flags: best_flags, .. } = rules.table.row(winner);
    let same_effect = flags & flag::ALLOW == best_flags & flag::ALLOW;
    match rules.reader().precedence {
        Precedence::Longest if rank >> 1 != best >> 1 => "a longer rule matches",
        Precedence::Longest if same_effect => "an earlier line says the same",
        Precedence::Longest if best_flags & flag::ALLOW != 0 => {
            "a rule of the same length matches, and Allow wins a tie"
        }
        Precedence::Longest => "a rule of the same length matches, and Disallow wins a tie",
        Precedence::AnyDisallow if !same_effect => "any Disallow that matches decides",
        Precedence::First | Precedence::AnyDisallow => "an earlier rule matches",
        Precedence::Conner if rank == best => "an earlier rule of the same rank matches",
        Precedence::Conner => CONNER_ORDER,
    }
}

/// Returns a sentence on which groups are obeyed and why.
pub(crate) fn selection(rules: &Rules) -> String {
    let (robot, name) = (rules.robot(), rules.name());
    let groups: Vec<String> = groups(rules.texts.groups()).iter().map(in_prose).collect();
    let (obeyed, they) = match groups.len() {
        0 => ("the group for *".to_owned(), "it matches"),
        1 => (groups.concat(), "it matches"),
        _ => (groups.join(" and "), "they match"),
    };
    let robot = if name == "*" { "A robot without a group of its own" } else { robot };
    match rules.how {
        How::Default if name == "*" => format!("{robot} obeys {obeyed}."),
        How::Named => format!("{robot} obeys {obeyed}: {they} {name}."),
        How::LeadingToken => format!("{robot} obeys {obeyed}: {they} the first part of {name}."),
        How::StandIn => {
            format!(
                "{robot} obeys {obeyed}: no group matches {name}, and this dialect then uses that one."
            )
        }
        How::Default => format!("{robot} obeys {obeyed}: no group matches {name}."),
        How::None if name == "*" => format!("{robot} obeys no group: there is no group for *."),
        How::None => {
            format!("{robot} obeys no group: none matches {name}, and there is no group for *.")
        }
    }
}

fn in_prose(group: &GroupInfo) -> String {
    match group.agents.as_slice() {
        [] => BEFORE_GROUPS.to_owned(),
        _ => format!("the group for {}", group.shown()),
    }
}
