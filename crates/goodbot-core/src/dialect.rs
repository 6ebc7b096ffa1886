//! Dialects as records of choices.
//!
//! Scope: the names of behaviours and what each means. The dialects themselves are in
//! [`crate::dialects`]; `robots_txt` makes the decisions.

use std::borrow::Cow;
use std::fmt;

use crate::field::FieldSet;
use crate::quote::{LONGEST_NAME, quoted};

mod choices;

pub use choices::*;

/// A choice that every dialect makes; `docs/reference/dialects.md` is generated from these rows.
#[derive(Clone, Copy, Debug)]
pub struct ChoiceRow {
    /// Its name, as passed to `Dialect::replace`.
    pub name: &'static str,
    /// The question that it answers.
    pub question: &'static str,
    /// The values it can have, each with its meaning.
    pub values: fn() -> &'static [(&'static str, &'static str)],
}

/// What is wrong with a choice that a caller passed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChoiceError {
    /// There is no choice of this name.
    UnknownName(String),
    /// The choice has no such value.
    UnknownValue {
        /// The choice.
        name: &'static str,
        /// The value that was passed.
        value: String,
    },
}

impl fmt::Display for ChoiceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ChoiceError::UnknownName(name) => {
                let names: Vec<_> = CHOICES.iter().map(|row| row.name).collect();
                let name = quoted(name, LONGEST_NAME);
                write!(f, "there is no choice {name:?}; choose one of {}", names.join(", "))
            }
            ChoiceError::UnknownValue { name, value } => {
                let row = CHOICES.iter().find(|row| row.name == *name);
                let values: Vec<_> =
                    row.map_or(&[][..], |row| (row.values)()).iter().map(|pair| pair.0).collect();
                let value = quoted(value, LONGEST_NAME);
                write!(f, "{name} cannot be {value:?}; it can be {}", values.join(" or "))
            }
        }
    }
}

impl std::error::Error for ChoiceError {}

macro_rules! dialect {
    ($($(#[doc = $question:literal])+ $name:ident: $type:ty,)+) => {
        /// A dialect of robots.txt: a record of choices.
        #[derive(Clone, Debug)]
        pub struct Dialect {
            /// Its name.
            pub name: Cow<'static, str>,
            /// What it is, in one line.
            pub title: Cow<'static, str>,
            /// The documents it follows: pairs of a statement and where it is made.
            pub sources: &'static [(&'static str, &'static str)],
            $($(#[doc = $question])+ pub $name: $type,)+
        }

        /// Two dialects are equal if they have the same name, title and choices: `sources` does not
        /// affect verdicts.
        impl PartialEq for Dialect {
            fn eq(&self, other: &Self) -> bool {
                self.name == other.name && self.title == other.title $(&& self.$name == other.$name)+
            }
        }

        /// Every choice that a dialect makes, in the order of the record.
        pub const CHOICES: &[ChoiceRow] = &[$(ChoiceRow {
            name: stringify!($name),
            question: concat!($($question),+),
            values: <$type as Choice>::values,
        }),+];

        impl Dialect {
            /// Returns the choices made, in the order of [`CHOICES`].
            #[must_use]
            pub fn choices(&self) -> Vec<(&'static str, String)> {
                vec![$((stringify!($name), self.$name.show())),+]
            }

            /// Returns this dialect with one choice changed.
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
    /// How the robot's name is derived from what the caller passes.
    robot_name: RobotName,
    /// How a User-agent value is compared with the robot's name.
    agent_match: AgentMatch,
    /// How a version in a User-agent value is treated.
    agent_version: AgentVersion,
    /// Which robots a User-agent line without a value names.
    empty_agent: EmptyAgent,
    /// Which User-agent values stand for every robot without a group of its own.
    star_agent: StarAgent,
    /// Which groups are obeyed when several match.
    agent_choice: AgentChoice,
    /// Which groups for `*` are obeyed when there are several.
    default_groups: DefaultGroups,
    /// Which groups are used instead when no group matches the robot.
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
    /// How many paths one rule line has.
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
    /// How escaped and unescaped bytes are compared.
    escapes: Escapes,
    /// In which form a URL is judged.
    url_form: UrlForm,
    /// Which path a URL without a path has.
    missing_path: MissingPath,
    /// Whether the query is part of what is matched.
    query: Query,
    /// What an absolute URL as the value of a rule does.
    absolute_paths: AbsolutePaths,
    /// Whether `/robots.txt` itself is subject to the rules.
    robots_txt_itself: RobotsTxtItself,
    /// The verdict on a URL whose scheme is neither HTTP nor HTTPS.
    other_schemes: OtherSchemes,
    /// The verdict on a URL that is neither absolute nor a path that begins with `/`.
    relative_urls: RelativeUrls,
    /// What `Allow: /x/index.html` does for `/x/`.
    index_html: IndexHtml,
    /// What a 2.0 record with both kinds of rule means when none matches.
    no_match_with_both: NoMatchWithBoth,
    /// How many bytes of the file are read.
    size_limit: u32,
    /// What happens to a file over the size limit.
    over_size: OverSize,
    /// How many bytes of one line are read; the rest of the line is ignored.
    line_limit: u32,
    /// How a UTF-8 byte order mark at the beginning of the file is treated.
    byte_order_mark: ByteOrderMark,
    /// What a NUL byte in a line does.
    nul: Nul,
    /// What a NUL byte in the path of a URL does.
    nul_in_url: NulInUrl,
    /// How many rules one robot may have.
    rule_limit: u32,
    /// What happens when a robot has more rules than the limit.
    over_rules: OverRules,
}
