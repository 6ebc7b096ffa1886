//! The choices: one enum for each point on which the documents differ.

use std::borrow::Cow;

use crate::field::{Field, FieldSet};

/// A value of a choice, as text.
pub trait Choice: Sized {
    /// Returns the text of the value.
    fn show(&self) -> String;
    /// Returns the value with this text.
    fn read(text: &str) -> Option<Self>;
    /// Returns the accepted texts, each with its meaning.
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
        /// The robot's name equals the value up to the value's first byte outside `A-Za-z_-`.
        GoogleToken = "google-token",
        /// The robot's name contains the value.
        RobotContainsRecord = "robot-contains-record",
        /// The value contains the robot's name (the literal text of the 1996 draft).
        RecordContainsRobot = "record-contains-robot",
        /// Either contains the other.
        EitherContains = "either-contains",
        /// The value is the beginning of the robot's name.
        RecordIsPrefix = "record-is-prefix",
    }
}
choice! {
    /// How the robot's name is derived from what the caller passes.
    RobotName {
        /// The product of a User-Agent string, even inside `(compatible; ...)`, without its version.
        Product = "product",
        /// The first word up to a slash.
        FirstWord = "first-word",
    }
}
choice! {
    /// How a version or a comment in a User-agent value (`ExampleBot/1.0 (all)`) is treated.
    AgentVersion {
        /// It is ignored in the comparison.
        Ignored = "ignored",
        /// It is compared with the rest.
        Compared = "compared",
    }
}
choice! {
    /// Which robots a User-agent line without a value names.
    EmptyAgent {
        /// None.
        Nobody = "nobody",
        /// Every robot.
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
        /// The longest rule: the one with the most bytes (RFC 9309 section 2.2.2).
        Longest = "longest",
        /// The first rule in the file.
        First = "first",
        /// Any Disallow; without a matching Disallow, the URL is allowed.
        AnyDisallow = "any-disallow",
        /// An explicit Allow first, then any Disallow, then an Allow with a wildcard.
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
        /// They are ignored like an unknown field.
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
        /// A literal character.
        Literal = "literal",
        /// A shell pattern with `*`, `?`, `[set]` and `\` (Conner's last page, which is lost; unverified).
        Shell = "shell",
    }
}
choice! {
    /// What `$` at the end of a path means.
    Dollar {
        /// The end of the URL.
        End = "end",
        /// A literal character.
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
    /// How escaped and unescaped bytes are compared.
    Escapes {
        /// As in RFC 9309 section 2.2.2 and its Figure 4: a byte equals its escape, except `/`, `?`,
        /// `%` and the pattern's own `*` and `$`; after the first `?`, `/` and `?` equal theirs too.
        Rfc9309 = "rfc9309",
        /// A byte equals its escape, except the slash.
        ExceptSlash = "except-slash",
        /// The pattern's non-ASCII bytes are escaped and its escapes upper-cased; the URL is compared as passed.
        Google = "google",
        /// Bytes that are not allowed in a URI are escaped on both sides; nothing is decoded.
        Unsafe = "unsafe",
        /// They are compared as they are.
        None = "none",
    }
}
choice! {
    /// Which path a URL without a path has.
    MissingPath {
        /// `/`, as in RFC 3986 section 6.2.3.
        Slash = "slash",
        /// An empty one, so that `Disallow: /` does not match `http://example.com`. A request always has
        /// a path, so this matters only for URLs that are judged as they are passed.
        Nothing = "nothing",
    }
}
choice! {
    /// Whether the query is part of what is matched.
    Query {
        /// It is.
        Included = "included",
        /// Only the path is matched.
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
        /// They are read as a group for `*`.
        DefaultGroup = "default-group",
    }
}
choice! {
    /// How a UTF-8 byte order mark at the beginning of the file is treated.
    ByteOrderMark {
        /// It is ignored, even if only a part of it is there.
        Ignored = "ignored",
        /// It is part of the first line, which is then not a known field.
        Kept = "kept",
    }
}
choice! {
    /// What a NUL byte in a line does.
    Nul {
        /// It is a byte like any other.
        Kept = "kept",
        /// It ends the line: the rest is ignored.
        EndsLine = "ends-line",
        /// It ends the value of Disallow, Crawl-delay, Request-rate and Visit-time. An Allow line with
        /// a NUL allows nothing. A User-agent line with a NUL is read in two ways: cut there, and as
        /// naming no robot; what either reading disallows is disallowed. The same holds for NULs in or
        /// around the names Disallow and User-agent. A line of NULs alone is ignored.
        Careful = "careful",
    }
}
choice! {
    /// What a NUL byte in the path of a URL does.
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
        /// `*`, even if white space and other text follow it, as in `* (all robots)`.
        FirstWord = "first-word",
        /// The same; in addition, `*` directly followed by a version or a comment, as in `*/1.0`, is
        /// a guess, as described for `misspellings`.
        Careful = "careful",
    }
}
choice! {
    /// The verdict on a URL that is neither absolute nor a path that begins with `/`.
    RelativeUrls {
        /// Disallowed, because it is unknown which page is meant.
        Forbidden = "forbidden",
        /// The rules decide on its part from the first `/`, `?` or `;`, or on `/` if it has none.
        Ruled = "ruled",
    }
}
choice! {
    /// In which form a URL is judged.
    UrlForm {
        /// As a browser would send it: dot segments are resolved, backslashes become slashes, and
        /// surrounding spaces and line ends in it are removed.
        AsSent = "as-sent",
        /// As it is passed, from the first `/`, `?` or `;` after its `://`.
        AsGiven = "as-given",
    }
}
choice! {
    /// Which misspelt field names are understood.
    Misspellings {
        /// None.
        Rejected = "rejected",
        /// Those in google/robotstxt, and any name that begins with a known name.
        Google = "google",
        /// Google's list. In addition, Disallow or User-agent with one letter wrong, missing, added or
        /// swapped is a guess: the file is read with its guesses and without them, and what either
        /// reading disallows is disallowed.
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
    /// How many paths one rule line has.
    PathsPerLine {
        /// One.
        One = "one",
        /// Any number, separated by white space.
        WhiteSpace = "white-space",
        /// One. In addition, a Disallow line of several parts that each begin with `/` disallows each
        /// part as well as the whole.
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
        /// It is a rule for its own scheme, host and port, and has no effect for others.
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
    /// The verdict on a URL whose scheme is neither HTTP nor HTTPS.
    OtherSchemes {
        /// The rules decide.
        Ruled = "ruled",
        /// Allowed.
        Allowed = "allowed",
    }
}
choice! {
    /// What `Allow: /x/index.html` does for `/x/`.
    IndexHtml {
        /// Nothing.
        Literal = "literal",
        /// It allows `/x/` too.
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
    /// The case that Conner leaves open: the record has only Disallow and explicit Allow lines, and none matches.
    NoMatchWithBoth {
        /// Conner's choice 2: everything else is allowed.
        Allow = "allow",
        /// Conner's choice 1: nothing else is allowed.
        Deny = "deny",
    }
}
choice! {
    /// What happens to a file over the size limit.
    OverSize {
        /// The rest is ignored, including the line that crosses the limit.
        Cut = "cut",
        /// Everything is allowed.
        AllowAll = "allow-all",
        /// Everything is disallowed.
        DisallowAll = "disallow-all",
        /// The whole file is read, and a finding says that it must not be stored.
        Keep = "keep",
    }
}
choice! {
    /// What happens when a robot has more rules than the limit.
    OverRules {
        /// All of them apply; a finding reports it.
        Keep = "keep",
        /// Everything is disallowed.
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
        &[("0", "No limit."), ("a number", "The limit.")]
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

/// Names that a robot also answers to, in order, if the file does not name it: pairs of a robot's
/// name and its stand-in.
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
        &[(
            "robot=stand-in, separated by spaces",
            "The groups to try when no group matches the robot.",
        )]
    }
}
