//! Findings: what is odd about a robots.txt file. Scope: one table of codes.

use std::fmt;

use crate::named::named;

named! {
    /// How much a finding matters.
    #[derive(PartialOrd, Ord, Hash)]
    pub enum Severity {
        /// Worth knowing.
        Info = "info",
        /// Probably not what the author meant.
        Warning = "warning",
        /// The line or file has no effect, or a different effect than it seems to have.
        Error = "error",
    }
}

macro_rules! codes {
    ($($(#[doc = $meaning:literal])+ $variant:ident = $slug:literal, $severity:ident;)+) => {
        /// What kind of oddity a finding is. The slugs are stable.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Code { $($(#[doc = $meaning])+ $variant,)+ }

        /// Every code: its slug, its severity, and what it means.
        pub const CODES: &[(Code, &str, Severity, &str)] =
            &[$((Code::$variant, $slug, Severity::$severity, concat!($($meaning),+))),+];

        impl Code {
            /// Returns the stable slug.
            #[must_use]
            pub fn slug(self) -> &'static str {
                match self { $(Code::$variant => $slug,)+ }
            }

            /// Returns the severity.
            #[must_use]
            pub fn severity(self) -> Severity {
                match self { $(Code::$variant => Severity::$severity,)+ }
            }
        }
    };
}

codes! {
    /// The file begins with a UTF-8 byte order mark, which is ignored.
    ByteOrderMark = "byte-order-mark", Info;
    /// The file begins with part of a UTF-8 byte order mark, which is ignored.
    PartialByteOrderMark = "partial-byte-order-mark", Warning;
    /// A line is not UTF-8.
    NotUtf8 = "not-utf-8", Warning;
    /// A line contains a NUL byte.
    NulOctet = "nul-byte", Warning;
    /// A line contains a control character.
    ControlCharacter = "control-character", Warning;
    /// A line has a character that cannot be seen, such as a no-break space or a byte order mark.
    InvisibleCharacter = "invisible-character", Warning;
    /// The file looks like an HTML page.
    LooksLikeHtml = "looks-like-html", Error;
    /// The file is compressed or an archive.
    LooksCompressed = "looks-compressed", Error;
    /// The file is encoded in UTF-16; robots.txt must be UTF-8.
    LooksLikeUtf16 = "looks-like-utf-16", Error;
    /// The file contains text but no robots.txt field: it is probably an error page.
    NoKnownField = "no-known-field", Error;
    /// The content is one line that looks like the path or URL of a robots.txt file.
    LooksLikeAddress = "looks-like-address", Error;
    /// A field and its value are separated by white space or another sign instead of a colon.
    MissingColon = "missing-colon", Warning;
    /// There is white space between a field and its colon.
    SpaceBeforeColon = "space-before-colon", Info;
    /// The name of a field is misspelt: some dialects understand it, or none.
    MisspeltField = "misspelt-field", Warning;
    /// The name of a field is unknown.
    UnknownField = "unknown-field", Info;
    /// A line holds several fields, as if the line end between them were lost.
    SeveralFields = "several-fields", Warning;
    /// A value has quotation marks around it.
    QuotedValue = "quoted-value", Warning;
    /// A line is neither a comment nor a field with a value.
    LineWithoutField = "line-without-field", Warning;
    /// A line that belongs in a group is outside any group.
    RuleOutsideGroup = "rule-outside-group", Error;
    /// A User-agent line names no robot.
    EmptyUserAgent = "empty-user-agent", Warning;
    /// A robot's name is not a product token as in RFC 9309: it has characters other than A-Za-z_-.
    InvalidProductToken = "invalid-product-token", Info;
    /// A User-agent line has a whole User-Agent string instead of a robot's name.
    UserAgentString = "user-agent-string", Warning;
    /// A User-agent line has a URL or a path instead of a robot's name.
    UrlAsName = "url-as-name", Warning;
    /// A robot's name is part of the names of many robots, which some dialects then take for it.
    PartOfManyNames = "part-of-many-names", Info;
    /// A User-agent line names several robots.
    SeveralAgents = "several-agents", Warning;
    /// A line holds several paths or URLs.
    SeveralPaths = "several-paths", Warning;
    /// A path has a character that a URL has only as an escape.
    CharacterNotInUrls = "character-not-in-urls", Info;
    /// A rule names /robots.txt itself, which is always allowed.
    RuleForRobotsTxt = "rule-for-robots-txt", Warning;
    /// A path begins with neither a slash nor a wildcard, so it can never match.
    PatternWithoutSlash = "pattern-without-slash", Error;
    /// A path is an absolute URL.
    AbsoluteUrlPattern = "absolute-url-pattern", Error;
    /// A field is known but has no effect in any dialect.
    WithoutEffect = "without-effect", Warning;
    /// A field is known but not read in this dialect.
    IgnoredByDialect = "ignored-by-dialect", Info;
    /// A value is malformed and has no effect.
    MalformedValue = "malformed-value", Error;
    /// A value is written in an unusual way, but understood.
    UnusualValue = "unusual-value", Info;
    /// A Crawl-delay is so long that some robots do not visit the site at all.
    LongCrawlDelay = "long-crawl-delay", Info;
    /// The times of a Request-rate cannot be read, so the rate applies at all times.
    UnreadableTimes = "unreadable-times", Warning;
    /// A record has a second Visit-time; the first applies.
    RepeatedVisitTime = "repeated-visit-time", Warning;
    /// The file exceeds the dialect's size limit.
    TooLarge = "too-large", Error;
    /// A line exceeds the dialect's line limit; the rest of it is ignored.
    LineTooLong = "line-too-long", Error;
    /// A Robot-version does not come directly after its User-agent lines, so it has no effect.
    RobotVersionMisplaced = "robot-version-misplaced", Error;
    /// A record has a second Robot-version, which has no effect.
    RepeatedRobotVersion = "repeated-robot-version", Warning;
    /// A record has an experimental version and is skipped.
    ExperimentalVersion = "experimental-version", Warning;
    /// A record has a version that does not exist and is skipped.
    UnsupportedVersion = "unsupported-version", Error;
    /// The record for `*` is in the form of version 2.0.0, which older robots do not read.
    DefaultInNewVersion = "default-in-new-version", Info;
    /// A group has no rules, so it allows everything.
    GroupWithoutRules = "group-without-rules", Info;
    /// A group for named robots has only empty rules, which open everything to them, while others have rules.
    EmptiedGroup = "emptied-group", Info;
    /// A User-agent line joins the group before it, although another field, a blank line or a comment divides them.
    MergedGroups = "merged-groups", Warning;
    /// A label of Content-Usage is not in the newest vocabulary.
    UnknownUsageLabel = "unknown-usage-label", Warning;
    /// A signal of Content-Signal is defined by no document, so that few robots know it.
    UnknownSignal = "unknown-signal", Info;
    /// A group has more rules than the dialect accepts.
    TooManyRules = "too-many-rules", Warning;
    /// A record has a line outside the grammar, so the dialect drops the whole record.
    RecordDropped = "record-dropped", Error;
    /// There are several groups for `*`.
    SeveralDefaultGroups = "several-default-groups", Info;
    /// The robot's name can never match a group in this dialect.
    NameNeverMatches = "name-never-matches", Warning;
    /// There are more findings than those listed.
    FindingsCut = "findings-cut", Info;
}

/// Something odd in a file, and where it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// What kind it is.
    pub code: Code,
    /// The number of the line, from 1; 0 if it is about the file or the question as a whole.
    pub line: u32,
    /// The column in bytes, from 1; 0 if it is about the line as a whole.
    pub column: u32,
    /// What is odd here, in a sentence.
    pub message: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Finding { code, line, column, message } = self;
        match (line, column) {
            (0, _) => write!(f, "{}: {message} [{}]", code.severity().slug(), code.slug()),
            (_, 0) => write!(f, "{line}: {}: {message} [{}]", code.severity().slug(), code.slug()),
            _ => write!(
                f,
                "{line}:{column}: {}: {message} [{}]",
                code.severity().slug(),
                code.slug()
            ),
        }
    }
}
