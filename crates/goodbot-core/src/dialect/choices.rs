//! The choices: one enum for each point on which the documents differ.

use std::borrow::Cow;

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
    /// What a version or a comment in a User-agent value (`ExampleBot/1.0 (all)`) is.
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
    /// What the path of a URL is that has none.
    MissingPath {
        /// `/`, as RFC 3986 section 6.2.3 has it.
        Slash = "slash",
        /// Nothing, so that `Disallow: /` does not match `http://example.com`; what is sent always has
        /// a path, so this is for URLs that are judged as they are given.
        Nothing = "nothing",
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
        /// A User-agent line after a rule or a Content-Usage line.
        AgentAfterRuleOrUsage = "agent-after-rule-or-usage",
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
    /// What a UTF-8 byte order mark at the beginning of the file is.
    ByteOrderMark {
        /// It is passed over, also a part of it.
        Ignored = "ignored",
        /// It belongs to the first line, which is then no known field.
        Kept = "kept",
    }
}
choice! {
    /// What a NUL octet does in a line.
    Nul {
        /// It is a byte like any other.
        Kept = "kept",
        /// It ends what is read of the line.
        EndsLine = "ends-line",
        /// It ends the value of Disallow, Crawl-delay, Request-rate and Visit-time; an Allow line with
        /// one allows nothing; a User-agent line with one is read cut there and as naming no robot, and
        /// what either reading forbids is forbidden. So are names with NULs around or in Disallow or
        /// User-agent; a line of NULs alone is passed over.
        Careful = "careful",
    }
}
choice! {
    /// What a NUL octet in the path of a URL does.
    NulInUrl {
        /// It is a byte like any other.
        Kept = "kept",
        /// It ends the path.
        EndsPath = "ends-path",
    }
}
choice! {
    /// Which User-agent values stand for every robot without a group of its own.
    StarAgent {
        /// `*` alone.
        Alone = "alone",
        /// `*`, also with white space and anything behind it, as in `* (all robots)`.
        FirstWord = "first-word",
        /// The same; `*` with a version or a comment directly behind it, as in `*/1.0`, is a guess, as
        /// `misspellings` describes it.
        Careful = "careful",
    }
}
choice! {
    /// What is answered for a URL that is neither absolute nor a path that begins with `/`.
    RelativeUrls {
        /// That it is forbidden: which page is meant is not known.
        Forbidden = "forbidden",
        /// What the rules say of its part from the first `/`, `?` or `;` on, or of `/`.
        Ruled = "ruled",
    }
}
choice! {
    /// In which form a URL is judged.
    UrlForm {
        /// As a browser would send it: dot segments are resolved, backslashes are slashes, and spaces
        /// around it and line ends within it are left out.
        AsSent = "as-sent",
        /// As it is given, from the first `/`, `?` or `;` behind its `://` on.
        AsGiven = "as-given",
    }
}
choice! {
    /// Which misspelt field names are understood.
    Misspellings {
        /// None.
        Rejected = "rejected",
        /// Those in google/robotstxt, and any name that begins with a known one.
        Google = "google",
        /// Google's list; Disallow or User-agent with one letter wrong, missing, added or swapped is a
        /// guess: the file is read with its guesses and without, and what either reading forbids is
        /// forbidden.
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
        /// One; a Disallow line of several parts, each of which begins with `/`, also forbids each part,
        /// beside the path that all of them are together.
        Careful = "careful",
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
        &[("0", "No limit."), ("a number", "So many.")]
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
        &[(
            "names of fields, separated by spaces",
            "The fields that are read; `fields()` lists them.",
        )]
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
