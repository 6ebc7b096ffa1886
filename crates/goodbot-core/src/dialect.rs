//! The record of choices that a dialect is.
//!
//! What may live here: names for behaviours, and what each means. No dialect is named here (that is
//! [`crate::dialects`]), and nothing is decided here (that is `robots_txt`).

use std::borrow::Cow;
use std::fmt;

use crate::field::FieldSet;

mod choices;

pub use choices::*;

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
            /// The documents it is taken from: pairs of what is stated and where.
            pub sources: &'static [(&'static str, &'static str)],
            $($(#[doc = $question])+ pub $name: $type,)+
        }

        /// Dialects are equal that have one name and make the same choices: where these are taken from
        /// does not change an answer.
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
    /// Which User-agent values stand for every robot without a group of its own.
    star_agent: StarAgent,
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
    /// In which form a URL is judged.
    url_form: UrlForm,
    /// What the path of a URL is that has none.
    missing_path: MissingPath,
    /// Whether the query belongs to what is matched.
    query: Query,
    /// What an absolute URL as the value of a rule does.
    absolute_paths: AbsolutePaths,
    /// Whether `/robots.txt` itself is subject to the rules.
    robots_txt_itself: RobotsTxtItself,
    /// What is answered for a URL whose scheme is not HTTP or HTTPS.
    other_schemes: OtherSchemes,
    /// What is answered for a URL that is neither absolute nor a path that begins with `/`.
    relative_urls: RelativeUrls,
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
    /// What a UTF-8 byte order mark at the beginning of the file is.
    byte_order_mark: ByteOrderMark,
    /// What a NUL octet does in a line.
    nul: Nul,
    /// What a NUL octet in the path of a URL does.
    nul_in_url: NulInUrl,
    /// How many rules one robot may have.
    rule_limit: u32,
    /// What is done when a robot has more rules than the limit.
    over_rules: OverRules,
}
