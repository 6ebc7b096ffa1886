//! Verdicts: whether a URL is allowed, for what reason, and by which line.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use crate::dialect::{Dialect, Precedence};
use crate::quote::{LONGEST_NAME, MOST_QUOTED, quoted};

macro_rules! reasons {
    ($($(#[doc = $meaning:literal])+ $variant:ident = $slug:literal, $clause:literal;)+) => {
        /// Why a verdict is what it is. The slugs are stable.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Reason { $($(#[doc = $meaning])+ $variant,)+ }

        /// Every reason, with its slug and its meaning.
        pub const REASONS: &[(Reason, &str, &str)] =
            &[$((Reason::$variant, $slug, concat!($($meaning),+))),+];

        impl Reason {
            /// Returns the stable slug.
            #[must_use]
            pub fn slug(self) -> &'static str {
                match self { $(Reason::$variant => $slug,)+ }
            }

            /// Returns the reason as a clause of a sentence, for verdicts that no rule explains better.
            fn clause(self) -> &'static str {
                match self { $(Reason::$variant => $clause,)+ }
            }
        }
    };
}

reasons! {
    /// The rule that decides allows the URL.
    RuleAllows = "rule-allows", "a rule allows it";
    /// The rule that decides disallows the URL.
    RuleDisallows = "rule-disallows", "a rule disallows it";
    /// No rule of the robot's group matches the URL.
    NoRuleMatches = "no-rule-matches", "no rule matches";
    /// No group matches the robot, and there is no group for `*`.
    NoGroup = "no-group", "no group matches this robot, and there is no group for *";
    /// `/robots.txt` itself is always allowed.
    RobotsTxtItself = "robots-txt-itself", "/robots.txt itself is always allowed";
    /// Conner's record has Allow lines only, and none of them matches.
    NoAllowMatches = "no-allow-matches",
        "no Allow line matches, and this record allows nothing else";
    /// The file exceeds the dialect's size limit. The dialect decides what that means for every URL.
    TooLarge = "too-large", "the file exceeds the size limit of the dialect";
    /// The robot has more rules than the dialect accepts, so that every URL is disallowed.
    TooManyRules = "too-many-rules", "the group has more rules than the dialect accepts";
    /// The dialect does not apply robots.txt to URLs of this scheme.
    SchemeNotCovered = "scheme-not-covered", "robots.txt does not apply to URLs of this scheme";
    /// The URL is neither an absolute URL with a host nor a path that begins with `/`.
    RelativeUrl = "relative-url",
        "the URL is neither absolute with a host nor a path that begins with /";
}

/// The line that a verdict rests on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleInfo {
    /// `Allow` or `Disallow`.
    pub field: &'static str,
    /// The pattern as written; as compared, if the dialect allows several on a line.
    pub pattern: String,
    /// The number of the line, from 1.
    pub line: u32,
    /// The line as written, without its line end; the rules of one line share it.
    pub text: Arc<str>,
}

/// A group of rules, and the robots that it applies to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupInfo {
    /// The values of its User-agent lines, in order.
    pub agents: Vec<String>,
    /// The numbers of those lines, from 1.
    pub lines: Vec<u32>,
}

impl GroupInfo {
    /// Returns the first few robots of the group; empty for the lines before any User-agent.
    pub(crate) fn shown(&self) -> String {
        shown(self.agents.iter().map(String::as_str), self.agents.len())
    }
}

/// How many robots of a group are shown.
const SHOWN: usize = 3;

fn shown<'a>(agents: impl Iterator<Item = &'a str>, count: usize) -> String {
    let first: Vec<String> = agents.take(SHOWN).map(|agent| quoted(agent, LONGEST_NAME)).collect();
    match count.saturating_sub(SHOWN) {
        0 => first.join(", "),
        rest => format!("{} and {rest} more", first.join(", ")),
    }
}

/// A group in the form in which rules store it: a line for each robot, with the number of its line. A
/// group may name 250,000 robots, and a verdict is made for every URL, so that it shares their text.
#[derive(Clone, Debug)]
pub struct PackedGroup {
    texts: Arc<str>,
    place: Range<usize>,
}

impl PackedGroup {
    /// Refers to the group that stands at a place of the texts of rules.
    pub(crate) fn new(texts: &Arc<str>, place: Range<usize>) -> PackedGroup {
        PackedGroup { texts: Arc::clone(texts), place }
    }

    fn packed(&self) -> &str {
        &self.texts[self.place.clone()]
    }

    /// Returns the group with so many of its robots at most.
    #[must_use]
    pub fn info(&self, most: usize) -> GroupInfo {
        GroupInfo::unpacked(self.packed(), most)
    }
}

impl PartialEq for PackedGroup {
    fn eq(&self, other: &PackedGroup) -> bool {
        self.packed() == other.packed()
    }
}

impl Eq for PackedGroup {}

impl GroupInfo {
    /// Returns a packed group with so many of its robots at most.
    pub(crate) fn unpacked(packed: &str, most: usize) -> GroupInfo {
        let (lines, agents) =
            agents_of(packed).take(most).map(|(number, agent)| (number, agent.to_owned())).unzip();
        GroupInfo { agents, lines }
    }
}

/// Returns the robots of a packed group, each with the number of its line.
pub(crate) fn agents_of(packed: &str) -> impl Iterator<Item = (u32, &str)> {
    let parts = packed.lines().filter_map(|line| line.split_once(' '));
    parts.map(|(number, agent)| (number.parse().unwrap_or(0), agent))
}

impl fmt::Display for PackedGroup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let agents = || agents_of(self.packed()).map(|(_, agent)| agent);
        match agents().next() {
            None => f.write_str(BEFORE_GROUPS),
            Some(_) => write!(f, "group {}", shown(agents(), self.packed().lines().count())),
        }
    }
}

/// The name of a group without a robot.
pub(crate) const BEFORE_GROUPS: &str = "the lines before any User-agent";

/// The verdict on a URL: whether a robot may fetch it, and which rule says so.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// Whether it is allowed.
    pub allowed: bool,
    /// Why.
    pub reason: Reason,
    /// The rule that decided, if one did.
    pub rule: Option<RuleInfo>,
    /// The group of that rule; without a rule, the first group that was obeyed.
    pub group: Option<PackedGroup>,
    /// The dialect in which the file was parsed.
    pub dialect: Arc<Dialect>,
    /// The robot, as the caller named it.
    pub robot: String,
    /// The URL, as the caller passed it.
    pub url: String,
}

impl fmt::Display for Verdict {
    /// Writes the outcome first, then what decided, then the group and the dialect. The URL is not repeated.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.allowed { "Allowed: " } else { "Disallowed: " })?;
        match &self.rule {
            Some(rule) => {
                let text = quoted(rule.text.trim(), MOST_QUOTED);
                write!(f, "line {}, \"{text}\", {}", rule.line, self.how())?;
            }
            // A caller who passes `*` means every robot without a group of its own.
            None if self.reason == Reason::NoGroup && self.robot == "*" => {
                f.write_str("there is no group for *")?;
            }
            None if self.reason == Reason::NoGroup => {
                write!(f, "no group matches {}, and there is no group for *", self.robot)?;
            }
            None => f.write_str(self.reason.clause())?,
        }
        match &self.group {
            Some(group) => write!(f, " ({group}; dialect {}).", self.dialect.name),
            None => write!(f, " (dialect {}).", self.dialect.name),
        }
    }
}

impl Verdict {
    /// Returns how the deciding rule won, as the end of a sentence.
    fn how(&self) -> &'static str {
        match self.dialect.precedence {
            Precedence::Longest => "is the longest match",
            Precedence::First => "is the first match",
            Precedence::AnyDisallow if self.allowed => "matches, and no Disallow does",
            Precedence::AnyDisallow | Precedence::Conner => "matches",
        }
    }
}

/// A rule that matched a URL, and whether it decided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Considered {
    /// The rule.
    pub rule: RuleInfo,
    /// Whether it decided.
    pub decides: bool,
    /// Why it decided or lost.
    pub why: &'static str,
}
