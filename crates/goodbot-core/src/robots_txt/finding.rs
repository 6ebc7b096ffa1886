//! Findings: what is odd about a file. One table of codes.

use std::fmt;

use crate::named::named;

named! {
    /// How much a finding matters.
    #[derive(PartialOrd, Ord, Hash)]
    pub enum Severity {
        /// Good to know.
        Info = "info",
        /// Likely not what the author meant.
        Warning = "warning",
        /// What is written has no effect, or another than it says.
        Error = "error",
    }
}

macro_rules! codes {
    ($($(#[doc = $meaning:literal])+ $variant:ident = $slug:literal, $severity:ident;)+) => {
        /// What kind of oddity a finding is. The slugs are stable.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Code { $($(#[doc = $meaning])+ $variant,)+ }

        /// Every code: its slug, how much it matters, and what it means.
        pub const CODES: &[(Code, &str, Severity, &str)] =
            &[$((Code::$variant, $slug, Severity::$severity, concat!($($meaning),+))),+];

        impl Code {
            /// The stable slug.
            #[must_use]
            pub fn slug(self) -> &'static str {
                match self { $(Code::$variant => $slug,)+ }
            }

            /// How much it matters.
            #[must_use]
            pub fn severity(self) -> Severity {
                match self { $(Code::$variant => Severity::$severity,)+ }
            }
        }
    };
}

codes! {
    /// The file begins with a UTF-8 byte order mark, which is passed over.
    ByteOrderMark = "byte-order-mark", Info;
    /// The file begins with part of a UTF-8 byte order mark, which is passed over.
    PartialByteOrderMark = "partial-byte-order-mark", Warning;
    /// A line is not UTF-8.
    NotUtf8 = "not-utf-8", Warning;
    /// A line has a NUL octet.
    NulOctet = "nul-byte", Warning;
    /// A line has a control character.
    ControlCharacter = "control-character", Warning;
    /// The file looks like a page of HTML.
    LooksLikeHtml = "looks-like-html", Error;
    /// The file is compressed, or an archive.
    LooksCompressed = "looks-compressed", Error;
    /// The file is in UTF-16: robots.txt is in UTF-8.
    LooksLikeUtf16 = "looks-like-utf-16", Error;
    /// The file has text, but no field of robots.txt: it is likely an error message.
    NoKnownField = "no-known-field", Error;
    /// The file is one line that looks like the address of a robots.txt, instead of its content.
    LooksLikeAddress = "looks-like-address", Error;
    /// A field and its value are separated by white space instead of a colon.
    MissingColon = "missing-colon", Warning;
    /// There is white space between a field and its colon.
    SpaceBeforeColon = "space-before-colon", Info;
    /// The name of a field is misspelt, and was understood.
    MisspeltField = "misspelt-field", Warning;
    /// The name of a field is not known.
    UnknownField = "unknown-field", Info;
    /// A line is neither a comment nor a field with a value.
    LineWithoutField = "line-without-field", Warning;
    /// A line that belongs in a group stands outside any.
    RuleOutsideGroup = "rule-outside-group", Error;
    /// A User-agent line names nobody.
    EmptyUserAgent = "empty-user-agent", Warning;
    /// A robot's name is no product token of RFC 9309: it has other characters than A-Za-z_-.
    InvalidProductToken = "invalid-product-token", Info;
    /// A User-agent line names several robots.
    SeveralAgents = "several-agents", Warning;
    /// A rule has white space within its path, as if it held several.
    SeveralPaths = "several-paths", Warning;
    /// A rule names /robots.txt itself, which is always allowed.
    RuleForRobotsTxt = "rule-for-robots-txt", Warning;
    /// A path begins neither with a slash nor with a wildcard, and can never match.
    PatternWithoutSlash = "pattern-without-slash", Error;
    /// A path is an absolute URL.
    AbsoluteUrlPattern = "absolute-url-pattern", Error;
    /// A field is known, and has no effect in any dialect.
    WithoutEffect = "without-effect", Warning;
    /// A field is known, and this dialect does not read it.
    IgnoredByDialect = "ignored-by-dialect", Info;
    /// A value is malformed, and has no effect.
    MalformedValue = "malformed-value", Error;
    /// A value is written in an unusual way, and was understood.
    UnusualValue = "unusual-value", Info;
    /// The times of a Request-rate cannot be read: the rate holds at all times.
    UnreadableTimes = "unreadable-times", Warning;
    /// A record has a second Visit-time; the first holds.
    RepeatedVisitTime = "repeated-visit-time", Warning;
    /// The file is over the size limit of the dialect.
    TooLarge = "too-large", Error;
    /// A line is over the line limit of the dialect; what is over it is ignored.
    LineTooLong = "line-too-long", Error;
    /// A Robot-version does not follow its User-agent lines at once, and has no effect.
    RobotVersionMisplaced = "robot-version-misplaced", Error;
    /// A record has a second Robot-version, which has no effect.
    RepeatedRobotVersion = "repeated-robot-version", Warning;
    /// A record is of an experimental version and is passed over.
    ExperimentalVersion = "experimental-version", Warning;
    /// A record is of a version that does not exist and is passed over.
    UnsupportedVersion = "unsupported-version", Error;
    /// A group has no rules, and so allows everything.
    GroupWithoutRules = "group-without-rules", Info;
    /// A User-agent line behind a field such as Crawl-delay joins the group before it: both share one set of rules.
    MergedGroups = "merged-groups", Warning;
    /// A label of Content-Usage is not in the newest vocabulary.
    UnknownUsageLabel = "unknown-usage-label", Warning;
    /// A group has more rules than the dialect takes.
    TooManyRules = "too-many-rules", Warning;
    /// A record has a line outside the grammar, and the dialect drops it whole.
    RecordDropped = "record-dropped", Error;
    /// There are several groups for `*`.
    SeveralDefaultGroups = "several-default-groups", Info;
    /// The robot's name can never match a group in this dialect.
    NameNeverMatches = "name-never-matches", Warning;
    /// There are more findings than are listed.
    FindingsCut = "findings-cut", Info;
}

/// An oddity, and where it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// What kind it is.
    pub code: Code,
    /// The number of the line, from 1; 0 if it is about the file or the question as a whole.
    pub line: u32,
    /// The column in octets, from 1; 0 if it is about the line as a whole.
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
