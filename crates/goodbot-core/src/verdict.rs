//! The answer to a question: allowed or not, for what reason, by which line.

use std::fmt;
use std::sync::Arc;

use crate::dialect::Dialect;
use crate::quote::{LONGEST_NAME, MOST_QUOTED, quoted};

macro_rules! reasons {
    ($($(#[doc = $meaning:literal])+ $variant:ident = $slug:literal, $clause:literal;)+) => {
        /// Why a verdict is what it is. The slugs are stable.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Reason { $($(#[doc = $meaning])+ $variant,)+ }

        /// Every reason: its slug, and what it means.
        pub const REASONS: &[(Reason, &str, &str)] =
            &[$((Reason::$variant, $slug, concat!($($meaning),+))),+];

        impl Reason {
            /// The stable slug.
            #[must_use]
            pub fn slug(self) -> &'static str {
                match self { $(Reason::$variant => $slug,)+ }
            }

            /// The reason as a clause of a sentence, where no rule gives a better one.
            fn clause(self) -> &'static str {
                match self { $(Reason::$variant => $clause,)+ }
            }
        }
    };
}

reasons! {
    /// A rule that matches allows the URL.
    RuleAllows = "rule-allows", "a rule allows it";
    /// A rule that matches disallows the URL.
    RuleDisallows = "rule-disallows", "a rule forbids it";
    /// The robot's group has no rule that matches.
    NoRuleMatches = "no-rule-matches", "no rule of its group matches";
    /// No group names the robot, and there is none for `*`.
    NoGroup = "no-group", "no group names it, and there is none for *";
    /// `/robots.txt` itself is always allowed.
    RobotsTxtItself = "robots-txt-itself", "/robots.txt itself is always allowed";
    /// Conner's record allows only what its Allow lines match, and none does.
    NoAllowMatches = "no-allow-matches", "its record allows only what its Allow lines match";
    /// The file is over the dialect's size limit, which says what then holds for every URL.
    TooLarge = "too-large", "the file is over the size limit of the dialect";
    /// The robot has more rules than the dialect takes, which then forbids every URL.
    TooManyRules = "too-many-rules", "the group has more rules than the dialect takes";
    /// The dialect does not apply robots.txt to URLs of this scheme.
    SchemeNotCovered = "scheme-not-covered", "the dialect does not cover URLs of this scheme";
    /// The URL is neither absolute, with a host, nor a path that begins with `/`.
    RelativeUrl = "relative-url",
        "it is neither an absolute URL with a host nor a path that begins with /";
}

/// The line that a verdict rests on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleInfo {
    /// `Allow` or `Disallow`.
    pub field: &'static str,
    /// The pattern as written; as compared, where the dialect has several on a line.
    pub pattern: String,
    /// The number of the line, from 1.
    pub line: u32,
    /// The line as written, without its end; the rules of one line share it.
    pub text: Arc<str>,
}

/// A group: whom it is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupInfo {
    /// The values of its User-agent lines, in order.
    pub agents: Vec<String>,
    /// The numbers of those lines, from 1.
    pub lines: Vec<u32>,
}

impl fmt::Display for GroupInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 3;
        let count = self.agents.len();
        if count == 0 {
            return f.write_str("the lines before any User-agent");
        }
        let shown: Vec<String> =
            self.agents.iter().take(SHOWN).map(|agent| quoted(agent, LONGEST_NAME)).collect();
        write!(f, "the group for {}", shown.join(", "))?;
        if count > SHOWN { write!(f, " and {} more", count - SHOWN) } else { Ok(()) }
    }
}

/// May this robot fetch this URL, and who says so?
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// Whether it may.
    pub allowed: bool,
    /// Why.
    pub reason: Reason,
    /// The rule that decided, if one did.
    pub rule: Option<RuleInfo>,
    /// The group of that rule; without a rule, the first group that was obeyed.
    pub group: Option<GroupInfo>,
    /// The dialect in which the file was read.
    pub dialect: Arc<Dialect>,
    /// The robot, as the caller named it.
    pub robot: String,
    /// The URL, as the caller gave it.
    pub url: String,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Verdict { robot, url, dialect, .. } = self;
        let may = if self.allowed { "may" } else { "may not" };
        // The caller who asks for `*` asks for every robot without a group of its own.
        let robot = if robot == "*" { "A robot that no group names" } else { robot };
        write!(f, "{robot} {may} fetch {url}: ")?;
        match &self.rule {
            Some(rule) => {
                let does = if self.allowed { "allows" } else { "forbids" };
                let text = quoted(rule.text.trim(), MOST_QUOTED);
                write!(f, "line {}, \"{text}\", {does} it", rule.line)?;
            }
            None if self.reason == Reason::NoGroup && self.robot == "*" => {
                f.write_str("there is no group for *")?;
            }
            None => f.write_str(self.reason.clause())?,
        }
        match &self.group {
            Some(group) => write!(f, " ({group}; {}).", dialect.name),
            None => write!(f, " ({}).", dialect.name),
        }
    }
}

/// A rule that matched a URL, and how it fared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Considered {
    /// The rule.
    pub rule: RuleInfo,
    /// Whether it decided.
    pub decides: bool,
    /// Why it decided or lost.
    pub why: &'static str,
}
