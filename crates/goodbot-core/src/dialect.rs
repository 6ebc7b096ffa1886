//! The record of choices: one enum for each point on which the documents differ.
//!
//! What may live here: names for behaviours, and what each means. No dialect is named here (that is
//! [`crate::dialects`]), and nothing is decided here (that is `robots_txt`).

use std::borrow::Cow;
use std::fmt;

use crate::field::{Field, FieldSet};

/// A value of a choice, as people write it.
pub trait Choice: Sized {
    /// The text of the value.
    fn show(&self) -> String;
    /// The value with this text.
    fn read(text: &str) -> Option<Self>;
    /// The texts that can be read, each with its meaning.
    fn values() -> &'static [(&'static str, &'static str)];
}

macro_rules! choice {
    ($(#[doc = $doc:literal])+ $name:ident {
        $($(#[doc = $meaning:literal])+ $variant:ident = $slug:literal,)+
    }) => {
        $(#[doc = $doc])+
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $name { $($(#[doc = $meaning])+ $variant,)+ }

        impl Choice for $name {
            fn show(&self) -> String {
                match self { $(Self::$variant => $slug.to_owned(),)+ }
            }
            fn read(text: &str) -> Option<Self> {
                match text { $($slug => Some(Self::$variant),)+ _ => None }
            }
            fn values() -> &'static [(&'static str, &'static str)] {
                &[$(($slug, concat!($($meaning),+)),)+]
            }
        }
    };
}

choice! {
    /// How a User-agent value is compared with the robot's name.
    AgentMatch {
        /// Equal names, ignoring case: the whole name first, then its leading token.
        Token = "token",
        /// The robot's name equals the value up to its first octet outside `A-Za-z_-`.
        GoogleToken = "google-token",
        /// The robot's name contains the value.
        RobotContainsRecord = "robot-contains-record",
        /// The value contains the robot's name (the letter of the 1996 draft).
        RecordContainsRobot = "record-contains-robot",
        /// Either contains the other.
        EitherContains = "either-contains",
        /// The value is the beginning of the robot's name.
        RecordIsPrefix = "record-is-prefix",
    }
}
choice! {
    /// How the robot's name is taken from what the caller gives.
    RobotName {
        /// The product of a User-Agent string, also inside `(compatible; ...)`, without version.
        Product = "product",
        /// The first word up to a slash.
        FirstWord = "first-word",
    }
}
choice! {
    /// What a version in a User-agent value (`ExampleBot/1.0`) is.
    AgentVersion {
        /// Left out of the comparison.
        Ignored = "ignored",
        /// Compared with the rest.
        Compared = "compared",
    }
}
choice! {
    /// Whom a User-agent line without a value names.
    EmptyAgent {
        /// Nobody.
        Nobody = "nobody",
        /// Everybody.
        Everybody = "everybody",
    }
}
choice! {
    /// Which groups are obeyed when several match.
    AgentChoice {
        /// All of them, as one group.
        Merge = "merge",
        /// The first in the file.
        First = "first",
        /// Those with the longest matching value, as one group.
        MostSpecific = "most-specific",
    }
}
choice! {
    /// Which groups for `*` are obeyed when there are several.
    DefaultGroups {
        /// All of them, as one group.
        Merge = "merge",
        /// The first in the file.
        First = "first",
    }
}
choice! {
    /// Which of the matching rules decides.
    Precedence {
        /// The rule with the most octets.
        Longest = "longest",
        /// The first rule in the file.
        First = "first",
        /// Any Disallow; without one the URL is allowed.
        AnyDisallow = "any-disallow",
        /// An explicit Allow, then any Disallow, then an Allow with a wildcard.
        Conner = "conner",
    }
}
choice! {
    /// Which of two equally long rules decides.
    Tie {
        /// The Allow.
        Allow = "allow",
        /// The Disallow.
        Disallow = "disallow",
    }
}
choice! {
    /// Whether Allow lines are rules.
    AllowLines {
        /// They are.
        Honoured = "honoured",
        /// They are an unknown field.
        Ignored = "ignored",
    }
}
choice! {
    /// What a Disallow line without a value does.
    EmptyDisallow {
        /// Nothing: it matches no URL.
        MatchesNothing = "matches-nothing",
        /// It matches, and allows, every URL.
        AllowsAll = "allows-all",
    }
}
choice! {
    /// What an Allow line without a value does.
    EmptyAllow {
        /// Nothing: it matches no URL.
        MatchesNothing = "matches-nothing",
        /// It matches, and allows, every URL.
        AllowsAll = "allows-all",
    }
}
choice! {
    /// What `*` in a path means.
    Star {
        /// Any run of characters.
        Wildcard = "wildcard",
        /// Itself.
        Literal = "literal",
        /// A shell pattern: `*`, `?`, `[set]` and `\` (Conner's lost final page; unverified).
        Shell = "shell",
    }
}
choice! {
    /// What `$` at the end of a path means.
    Dollar {
        /// The end of the URL.
        End = "end",
        /// Itself.
        Literal = "literal",
    }
}
choice! {
    /// How much of the URL a path must match.
    Extent {
        /// Its beginning.
        Prefix = "prefix",
        /// All of it.
        Whole = "whole",
    }
}
choice! {
    /// How escaped and unescaped octets are compared.
    Escapes {
        /// As RFC 9309 section 2.2.2 and its Figure 4 do: an octet equals its escape, save `/`, `?`,
        /// `%` and the pattern's own `*` and `$`; behind the first `?` also `/` and `?` do.
        Rfc9309 = "rfc9309",
        /// An octet equals its escape, save the slash.
        ExceptSlash = "except-slash",
        /// The pattern's non-ASCII octets are escaped and its escapes upper-cased; the URL is as given.
        Google = "google",
        /// Octets that no URI may hold are escaped on both sides; nothing is decoded.
        Unsafe = "unsafe",
        /// Nothing is done.
        None = "none",
    }
}
choice! {
    /// Whether the query belongs to what is matched.
    Query {
        /// It does.
        Included = "included",
        /// Only the path does.
        Excluded = "excluded",
    }
}
choice! {
    /// What ends a group.
    GroupEnd {
        /// A User-agent line after a rule, and nothing else.
        AgentAfterRule = "agent-after-rule",
        /// A blank line, or a User-agent line after a rule.
        BlankLine = "blank-line",
    }
}
choice! {
    /// What rules before any User-agent line do.
    Orphans {
        /// Nothing.
        Ignored = "ignored",
        /// They are taken as a group for `*`.
        DefaultGroup = "default-group",
    }
}
choice! {
    /// What a NUL octet does in a line.
    Nul {
        /// It is an octet like any other.
        Kept = "kept",
        /// It ends what is read of the line.
        EndsLine = "ends-line",
    }
}
choice! {
    /// Which misspelt field names are understood.
    Misspellings {
        /// None.
        Rejected = "rejected",
        /// Those in google/robotstxt, and any name that begins with a known one.
        Google = "google",
        /// Google's list, and Disallow or User-agent with one letter wrong, missing, added or swapped.
        Near = "near",
    }
}
choice! {
    /// Whether a line of exactly two words without a colon is a field and its value.
    MissingColon {
        /// It is.
        Accepted = "accepted",
        /// It is not.
        Rejected = "rejected",
    }
}
choice! {
    /// How many robots one User-agent line names.
    AgentsPerLine {
        /// One.
        One = "one",
        /// Any number, separated by white space.
        WhiteSpace = "white-space",
        /// Any number, separated by commas.
        Comma = "comma",
    }
}
choice! {
    /// How many paths one line holds.
    PathsPerLine {
        /// One.
        One = "one",
        /// Any number, separated by white space.
        WhiteSpace = "white-space",
    }
}
choice! {
    /// What a line outside the grammar does to its record.
    BadRecord {
        /// Only the line is dropped.
        DropLine = "drop-line",
        /// The whole record is dropped.
        DropRecord = "drop-record",
    }
}
choice! {
    /// What an absolute URL as the value of a rule does.
    AbsolutePaths {
        /// It never matches.
        NeverMatch = "never-match",
        /// It is a rule for its own scheme, host and port, and dropped for others.
        SameOrigin = "same-origin",
    }
}
choice! {
    /// Whether `/robots.txt` itself is subject to the rules.
    RobotsTxtItself {
        /// It is always allowed.
        AlwaysAllowed = "always-allowed",
        /// It is a URL like any other.
        Ruled = "ruled",
    }
}
choice! {
    /// What is answered for a URL whose scheme is not HTTP or HTTPS.
    OtherSchemes {
        /// What the rules say.
        Ruled = "ruled",
        /// That it is allowed.
        Allowed = "allowed",
    }
}
choice! {
    /// What `Allow: /x/index.html` does for `/x/`.
    IndexHtml {
        /// Nothing.
        Literal = "literal",
        /// It allows it too.
        AlsoDirectory = "also-directory",
    }
}
choice! {
    /// Whether Robot-version decides how a record is read.
    VersionGate {
        /// It does not.
        None = "none",
        /// A record without it, or of major 1, is read as version 1.0.0; odd minors are skipped.
        Conner = "conner",
    }
}
choice! {
    /// Conner's open case: a record with Disallow and explicit Allow lines only, none of which match.
    NoMatchWithBoth {
        /// His choice 2: everything else is allowed.
        Allow = "allow",
        /// His choice 1: nothing else is allowed.
        Deny = "deny",
    }
}
choice! {
    /// What is done with a file over the size limit.
    OverSize {
        /// The rest is ignored; a line that the limit cuts is dropped whole.
        Cut = "cut",
        /// The file counts as allowing everything.
        AllowAll = "allow-all",
        /// The file counts as forbidding everything.
        DisallowAll = "disallow-all",
        /// All of it is read, and a finding says that it is not to be kept.
        Keep = "keep",
    }
}
choice! {
    /// What is done when a robot has more rules than the limit.
    OverRules {
        /// All of them hold; the site is told.
        Keep = "keep",
        /// Everything is forbidden.
        DisallowAll = "disallow-all",
    }
}

impl Choice for u32 {
    fn show(&self) -> String {
        self.to_string()
    }
    fn read(text: &str) -> Option<Self> {
        text.parse().ok()
    }
    fn values() -> &'static [(&'static str, &'static str)] {
        &[("0", "No limit."), ("any number", "So many.")]
    }
}

impl Choice for FieldSet {
    fn show(&self) -> String {
        let names: Vec<_> =
            self.iter().map(|field| field.row().name.to_ascii_lowercase()).collect();
        names.join(" ")
    }
    fn read(text: &str) -> Option<Self> {
        let fields: Option<Vec<Field>> =
            text.split_ascii_whitespace().map(|name| Field::named(name.as_bytes())).collect();
        fields.map(|fields| FieldSet::of(&fields))
    }
    fn values() -> &'static [(&'static str, &'static str)] {
        &[("names of fields, separated by spaces", "The fields that are read.")]
    }
}

/// Names that a robot also answers to, in order, when the file does not name it: pairs of the
/// robot's name and its stand-in.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct StandIns(pub Cow<'static, [(Cow<'static, str>, Cow<'static, str>)]>);

impl Choice for StandIns {
    fn show(&self) -> String {
        let pairs: Vec<_> =
            self.0.iter().map(|(robot, other)| format!("{robot}={other}")).collect();
        pairs.join(" ")
    }
    fn read(text: &str) -> Option<Self> {
        let pairs: Option<Vec<_>> = text
            .split_ascii_whitespace()
            .map(|pair| pair.split_once('='))
            .map(|pair| {
                pair.map(|(robot, other)| (robot.to_owned().into(), other.to_owned().into()))
            })
            .collect();
        pairs.map(|pairs| StandIns(pairs.into()))
    }
    fn values() -> &'static [(&'static str, &'static str)] {
        &[("robot=stand-in, separated by spaces", "The groups tried when none names the robot.")]
    }
}

/// A choice that every dialect makes: what `docs/dialects.md` is printed from.
#[derive(Clone, Copy, Debug)]
pub struct ChoiceRow {
    /// Its name, as in `Dialect::replace`.
    pub name: &'static str,
    /// The question that it answers.
    pub question: &'static str,
    /// The values it can take, each with its meaning.
    pub values: fn() -> &'static [(&'static str, &'static str)],
}

/// What is wrong with a choice that a caller made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChoiceError {
    /// There is no choice of this name.
    UnknownName(String),
    /// The choice has no such value.
    UnknownValue {
        /// The choice.
        name: &'static str,
        /// The value that was given.
        value: String,
    },
}

impl fmt::Display for ChoiceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ChoiceError::UnknownName(name) => {
                let names: Vec<_> = CHOICES.iter().map(|row| row.name).collect();
                write!(f, "a dialect has no choice {name:?}; it has {}", names.join(", "))
            }
            ChoiceError::UnknownValue { name, value } => {
                let row = CHOICES.iter().find(|row| row.name == *name);
                let values: Vec<_> =
                    row.map_or(&[][..], |row| (row.values)()).iter().map(|pair| pair.0).collect();
                write!(f, "{name} cannot be {value:?}; it can be {}", values.join(", "))
            }
        }
    }
}

impl std::error::Error for ChoiceError {}

macro_rules! dialect {
    ($($(#[doc = $question:literal])+ $name:ident: $type:ty,)+) => {
        /// A dialect of robots.txt: a record of choices.
        #[derive(Clone, Debug, PartialEq)]
        pub struct Dialect {
            /// Its name.
            pub name: Cow<'static, str>,
            /// What it is, in one line.
            pub title: Cow<'static, str>,
            /// The documents it is taken from: pairs of what is stated and where.
            pub sources: &'static [(&'static str, &'static str)],
            $($(#[doc = $question])+ pub $name: $type,)+
        }

        /// Every choice that a dialect makes, in the order of the record.
        pub const CHOICES: &[ChoiceRow] = &[$(ChoiceRow {
            name: stringify!($name),
            question: concat!($($question),+),
            values: <$type as Choice>::values,
        }),+];

        impl Dialect {
            /// The choices made, in the order of [`CHOICES`].
            #[must_use]
            pub fn choices(&self) -> Vec<(&'static str, String)> {
                vec![$((stringify!($name), self.$name.show())),+]
            }

            /// This dialect with one choice made otherwise.
            ///
            /// # Errors
            ///
            /// When there is no such choice, or the choice has no such value.
            pub fn with(mut self, name: &str, value: &str) -> Result<Self, ChoiceError> {
                match name {
                    $(stringify!($name) => {
                        self.$name = <$type as Choice>::read(value).ok_or_else(|| {
                            ChoiceError::UnknownValue {
                                name: stringify!($name),
                                value: value.to_owned(),
                            }
                        })?;
                    })+
                    _ => return Err(ChoiceError::UnknownName(name.to_owned())),
                }
                Ok(self)
            }
        }
    };
}

dialect! {
    /// Which fields are read.
    fields: FieldSet,
    /// How the robot's name is taken from what the caller gives.
    robot_name: RobotName,
    /// How a User-agent value is compared with the robot's name.
    agent_match: AgentMatch,
    /// What a version in a User-agent value is.
    agent_version: AgentVersion,
    /// Whom a User-agent line without a value names.
    empty_agent: EmptyAgent,
    /// Which groups are obeyed when several match.
    agent_choice: AgentChoice,
    /// Which groups for `*` are obeyed when there are several.
    default_groups: DefaultGroups,
    /// Which groups stand in when none names the robot.
    stand_ins: StandIns,
    /// Whether Robot-version decides how a record is read.
    version_gate: VersionGate,
    /// What ends a group.
    group_end: GroupEnd,
    /// What rules before any User-agent line do.
    orphans: Orphans,
    /// What a line outside the grammar does to its record.
    bad_record: BadRecord,
    /// Which misspelt field names are understood.
    misspellings: Misspellings,
    /// Whether a line of two words without a colon is a field and its value.
    missing_colon: MissingColon,
    /// How many robots one User-agent line names.
    agents_per_line: AgentsPerLine,
    /// How many paths one line holds.
    paths_per_line: PathsPerLine,
    /// Whether Allow lines are rules.
    allow_lines: AllowLines,
    /// Which of the matching rules decides.
    precedence: Precedence,
    /// Which of two equally long rules decides.
    tie: Tie,
    /// What a Disallow line without a value does.
    empty_disallow: EmptyDisallow,
    /// What an Allow line without a value does.
    empty_allow: EmptyAllow,
    /// What `*` in a path means.
    star: Star,
    /// What `$` at the end of a path means.
    dollar: Dollar,
    /// How much of the URL a path must match.
    extent: Extent,
    /// How escaped and unescaped octets are compared.
    escapes: Escapes,
    /// Whether the query belongs to what is matched.
    query: Query,
    /// What an absolute URL as the value of a rule does.
    absolute_paths: AbsolutePaths,
    /// Whether `/robots.txt` itself is subject to the rules.
    robots_txt_itself: RobotsTxtItself,
    /// What is answered for a URL whose scheme is not HTTP or HTTPS.
    other_schemes: OtherSchemes,
    /// What `Allow: /x/index.html` does for `/x/`.
    index_html: IndexHtml,
    /// What a 2.0 record with both kinds of rule says where none matches.
    no_match_with_both: NoMatchWithBoth,
    /// How many octets of the file are read.
    size_limit: u32,
    /// What is done with a file over the size limit.
    over_size: OverSize,
    /// How many octets of one line are read; the rest of the line is ignored.
    line_limit: u32,
    /// What a NUL octet does in a line.
    nul: Nul,
    /// How many rules one robot may have.
    rule_limit: u32,
    /// What is done when a robot has more rules than the limit.
    over_rules: OverRules,
}
