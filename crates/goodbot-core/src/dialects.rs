//! The dialects, one constant each. No other file names a dialect.
//!
//! A dialect is [`RFC_9309`], or a close relative with its differences. `sources` records what the
//! documents state, and where. Where a document leaves a point open, the dialect makes the careful
//! choice, and `sources` says so.

use std::borrow::Cow;
use std::sync::{Arc, LazyLock};

use crate::dialect::{
    AbsolutePaths, AgentChoice, AgentMatch, AgentVersion, AgentsPerLine, AllowLines, BadRecord,
    ByteOrderMark, DefaultGroups, Dialect, Dollar, EmptyAgent, EmptyAllow, EmptyDisallow, Escapes,
    Extent, GroupEnd, IndexHtml, MissingColon, MissingPath, Misspellings, NoMatchWithBoth, Nul,
    NulInUrl, Orphans, OtherSchemes, OverRules, OverSize, PathsPerLine, Precedence, Query,
    RelativeUrls, RobotName, RobotsTxtItself, StandIns, Star, StarAgent, Tie, UrlForm, VersionGate,
};
use crate::field::{Field, FieldSet};

/// 500 kibibytes: the least that RFC 9309 section 2.5 requires a crawler to parse, and what Google reads.
const FIVE_HUNDRED_KIBIBYTES: u32 = 512_000;

/// Fields that are read in every dialect: usage preferences are a layer of their own
/// (draft-ietf-aipref-attach, contentsignals.org, RSL), and a sitemap belongs to no group.
const LAYERS: [Field; 4] =
    [Field::Sitemap, Field::ContentUsage, Field::ContentSignal, Field::License];

const fn layers_and(fields: &[Field]) -> FieldSet {
    FieldSet::of(&LAYERS).with(fields)
}

/// RFC 9309, the default.
pub const RFC_9309: Dialect = Dialect {
    name: Cow::Borrowed("rfc9309"),
    title: Cow::Borrowed("RFC 9309, Robots Exclusion Protocol (September 2022): the default"),
    sources: &[
        ("agents: equal product tokens, groups merged", "RFC 9309 section 2.2.1"),
        ("the longest match decides, Allow wins a tie", "RFC 9309 section 2.2.2"),
        ("an octet equals its escape", "RFC 9309 section 2.2.2, Figures 4 to 6"),
        ("`*` and `$`", "RFC 9309 section 2.2.3"),
        ("other records do not end a group", "RFC 9309 section 2.2.4"),
        (
            "other fields belong to the User-agent lines before them",
            "Conner 1996; RSL 1.0, robots.txt; RFC 9309 is silent",
        ),
        ("lenient with misspellings and colons", "RFC 9309 section 2.2.4, MAY"),
        ("several agents on a line, by commas", "RFC 9309 erratum 8895 (reported)"),
        ("a path may begin with `*`", "RFC 9309 erratum 7995 (reported)"),
        ("an empty path matches nothing", "RFC 9309 section 2.2, empty-pattern: goodbot's reading"),
        ("500 KiB", "RFC 9309 section 2.5"),
        ("names that are not product tokens", "no document: goodbot compares the whole name first"),
        ("`* (all robots)` is `*`", "robots.cc, HandleUserAgent; here the careful choice"),
        ("guesses can only disallow", "no document: the careful choice"),
        ("lines cut by a NUL can only disallow", "no document: the careful choice"),
        ("a relative URL is disallowed", "no document: the careful choice"),
        ("a URL is judged as it would be sent", "WHATWG URL; RFC 3986 sections 5.2.4 and 6.2.2.3"),
    ],
    fields: FieldSet::ALL.without(&[Field::RobotVersion, Field::Noindex, Field::Host]),
    robot_name: RobotName::Product,
    agent_match: AgentMatch::Token,
    agent_version: AgentVersion::Ignored,
    empty_agent: EmptyAgent::Nobody,
    star_agent: StarAgent::Careful,
    agent_choice: AgentChoice::Merge,
    default_groups: DefaultGroups::Merge,
    stand_ins: StandIns(Cow::Borrowed(&[])),
    version_gate: VersionGate::None,
    group_end: GroupEnd::AgentAfterRule,
    orphans: Orphans::Ignored,
    bad_record: BadRecord::DropLine,
    misspellings: Misspellings::Near,
    missing_colon: MissingColon::Accepted,
    agents_per_line: AgentsPerLine::Comma,
    paths_per_line: PathsPerLine::One,
    allow_lines: AllowLines::Honoured,
    precedence: Precedence::Longest,
    tie: Tie::Allow,
    empty_disallow: EmptyDisallow::MatchesNothing,
    empty_allow: EmptyAllow::MatchesNothing,
    star: Star::Wildcard,
    dollar: Dollar::End,
    extent: Extent::Prefix,
    escapes: Escapes::Rfc9309,
    url_form: UrlForm::AsSent,
    missing_path: MissingPath::Slash,
    query: Query::Included,
    absolute_paths: AbsolutePaths::NeverMatch,
    robots_txt_itself: RobotsTxtItself::AlwaysAllowed,
    other_schemes: OtherSchemes::Ruled,
    relative_urls: RelativeUrls::Forbidden,
    index_html: IndexHtml::Literal,
    no_match_with_both: NoMatchWithBoth::Allow,
    size_limit: FIVE_HUNDRED_KIBIBYTES,
    over_size: OverSize::Cut,
    line_limit: 0,
    byte_order_mark: ByteOrderMark::Ignored,
    nul: Nul::Careful,
    nul_in_url: NulInUrl::Kept,
    rule_limit: 0,
    over_rules: OverRules::Keep,
};

/// The verdicts of google/robotstxt, within the documented size limit.
pub const GOOGLE: Dialect = Dialect {
    name: Cow::Borrowed("google"),
    title: Cow::Borrowed(
        "The code of google/robotstxt, with the 500 KiB that Google documents (0 turns them off)",
    ),
    sources: &[
        ("only four fields are read", "Google robots.txt specification, 2026-04-14"),
        ("agents are cut at the first byte outside A-Za-z_-", "robots.cc, ExtractUserAgent"),
        ("misspellings, names that begin with a known one", "robots.cc, ParsedRobotsKey"),
        ("a missing colon", "robots.cc, GetKeyAndValueFrom"),
        ("Allow: /x/index.html also allows /x/", "robots.cc, HandleAllow"),
        ("patterns are escaped, URLs are not", "robots.cc, MaybeEscapePattern"),
        ("16,663 bytes of a line, and none after a NUL", "robots.cc, RobotsTxtParser::Parse"),
        ("a URL's path ends at a NUL", "robots.cc, InitUserAgentsAndPath"),
        ("a relative URL is matched from its first /, ? or ;", "robots.cc, GetPathParamsQuery"),
        ("a URL is judged as it is passed", "robots.cc, GetPathParamsQuery"),
        ("/robots.txt is not special", "robots.cc does not mention it"),
        (
            "500 KiB; the code has no limit: size_limit = 0",
            "Google robots.txt specification, file size",
        ),
    ],
    fields: FieldSet::of(&[Field::UserAgent, Field::Allow, Field::Disallow, Field::Sitemap]),
    agent_match: AgentMatch::GoogleToken,
    agents_per_line: AgentsPerLine::One,
    misspellings: Misspellings::Google,
    escapes: Escapes::Google,
    robots_txt_itself: RobotsTxtItself::Ruled,
    index_html: IndexHtml::AlsoDirectory,
    line_limit: 16_663,
    star_agent: StarAgent::FirstWord,
    nul: Nul::EndsLine,
    nul_in_url: NulInUrl::EndsPath,
    url_form: UrlForm::AsGiven,
    relative_urls: RelativeUrls::Ruled,
    ..RFC_9309
};

/// v0.0: A Standard for Robot Exclusion.
pub const KOSTER_1994: Dialect = Dialect {
    name: Cow::Borrowed("koster1994"),
    title: Cow::Borrowed("v0.0: A Standard for Robot Exclusion (Koster, June 1994)"),
    sources: &[
        ("Disallow only, a union of prefixes", "Koster 1994, Disallow"),
        ("agents: substring without version", "Koster 1994, User-agent"),
        ("which contains which is not stated", "as in the HTTP book"),
        ("a blank line ends a record", "Koster 1994, The Format"),
        ("octets are compared, %-escapes handled", "Koster's reply to Kollar, 4 June 1996"),
        ("Disalow means Disallow", "Koster's reply to Kollar, 4 June 1996"),
        (
            "several paths on one Disallow are handled",
            "Koster's reply to Kollar, 4 June 1996; if each begins with /, in addition to the whole line",
        ),
        ("Disallow: together with Disallow: /", "not stated; the careful choice, disallowed"),
        ("too large or too many lines: disallow all", "Koster's reply; the numbers are goodbot's"),
    ],
    fields: layers_and(&[Field::UserAgent, Field::Disallow, Field::PleaseVisit]),
    agent_match: AgentMatch::RobotContainsRecord,
    agent_choice: AgentChoice::First,
    default_groups: DefaultGroups::First,
    group_end: GroupEnd::BlankLine,
    agents_per_line: AgentsPerLine::One,
    paths_per_line: PathsPerLine::Careful,
    allow_lines: AllowLines::Ignored,
    precedence: Precedence::AnyDisallow,
    star: Star::Literal,
    dollar: Dollar::Literal,
    escapes: Escapes::ExceptSlash,
    over_size: OverSize::DisallowAll,
    rule_limit: 5_000,
    over_rules: OverRules::DisallowAll,
    ..RFC_9309
};

/// v1.0: A Method for Web Robots Control.
pub const DRAFT_1996: Dialect = Dialect {
    name: Cow::Borrowed("draft1996"),
    title: Cow::Borrowed(
        "v1.0: A Method for Web Robots Control (draft-koster-robots-00), as the HTTP book reads it",
    ),
    sources: &[
        ("the first matching rule decides", "draft-koster-robots-00 section 3.2.2"),
        ("agents: the robot's name contains the value", "HTTP: The Definitive Guide, chapter 9"),
        (
            "agents: the value contains the robot's name",
            "draft-koster-robots-00 section 3.2.1, option",
        ),
        ("an empty path matches everything", "HTTP: The Definitive Guide, Table 9-3"),
        ("%xx decoded, except %2F", "draft-koster-robots-00 section 3.2.2"),
        (
            "limits are asked for, none is stated",
            "draft-koster-robots-00 section 3.3; 500 KiB is goodbot's",
        ),
    ],
    fields: layers_and(&[Field::UserAgent, Field::Allow, Field::Disallow]),
    misspellings: Misspellings::Rejected,
    missing_colon: MissingColon::Rejected,
    paths_per_line: PathsPerLine::One,
    allow_lines: AllowLines::Honoured,
    precedence: Precedence::First,
    empty_disallow: EmptyDisallow::AllowsAll,
    empty_allow: EmptyAllow::AllowsAll,
    over_size: OverSize::Cut,
    rule_limit: 0,
    over_rules: OverRules::Keep,
    ..KOSTER_1994
};

/// v2.0: An Extended Standard for Robot Exclusion.
pub const CONNER_1996: Dialect = Dialect {
    name: Cow::Borrowed("conner1996"),
    title: Cow::Borrowed("v2.0: An Extended Standard for Robot Exclusion (Conner, October 1996)"),
    sources: &[
        ("Robot-version must come first; odd minors are skipped", "Conner 1996, Robot-version"),
        (
            "fields of other documents may come before it; v2.0.0, 2 and 2.0.0-beta are 2.0.0",
            "not stated; the careful choice",
        ),
        ("records of version 1 are read as koster1994", "Conner 1996, introduction"),
        ("the User-agent value is a general match: a prefix", "Conner 1996, User-agent"),
        ("explicit Allow, Disallow, regex Allow", "Conner 1996, Allow and Disallow"),
        ("explicit matches are whole", "Conner, robots list, 12 November 1996"),
        (
            "choice 1 or 2 is not settled",
            "Conner 1996, Disallow: \"Discuss\"; goodbot uses choice 2",
        ),
        ("`?`, `[set]`, `\\`", "the lost final page; star = shell is an option"),
        ("rates and times also apply in 1.0.0 records", "not stated; the careful choice"),
        ("several paths on a Disallow line are read one by one", "not stated; as in koster1994"),
        (
            "a version that is not a number: what both 1.0.0 and 2.0.0 allow; also for the only record for *",
            "not stated; the careful choice",
        ),
    ],
    fields: layers_and(&[
        Field::UserAgent,
        Field::Allow,
        Field::Disallow,
        Field::RobotVersion,
        Field::RequestRate,
        Field::VisitTime,
        Field::Comment,
    ]),
    agent_match: AgentMatch::RecordIsPrefix,
    version_gate: VersionGate::Conner,
    allow_lines: AllowLines::Honoured,
    precedence: Precedence::Conner,
    star: Star::Wildcard,
    extent: Extent::Whole,
    ..KOSTER_1994
};

/// Robot Exclusion Standard Revisited.
pub const KOLLAR_1996: Dialect = Dialect {
    name: Cow::Borrowed("kollar1996"),
    title: Cow::Borrowed(
        "Robot Exclusion Standard Revisited (Kollar, Leavitt and Mauldin, May 1996), as quoted by Koster",
    ),
    sources: &[
        ("several agents and paths on a line", "Kollar 1996, Discussion"),
        ("a record outside the grammar is ignored entirely", "Kollar 1996; Koster objects"),
        ("leftmost characters, compared exactly", "Kollar 1996"),
        ("over the size threshold: not stored", "Kollar 1996; the number is goodbot's"),
        ("User-agent may be repeated", "Koster 1994; Kollar's grammar has one line a record"),
    ],
    fields: layers_and(&[Field::UserAgent, Field::Disallow]),
    misspellings: Misspellings::Rejected,
    missing_colon: MissingColon::Rejected,
    agents_per_line: AgentsPerLine::WhiteSpace,
    paths_per_line: PathsPerLine::WhiteSpace,
    bad_record: BadRecord::DropRecord,
    escapes: Escapes::None,
    over_size: OverSize::Keep,
    rule_limit: 0,
    over_rules: OverRules::Keep,
    ..KOSTER_1994
};

/// The behaviour of WWW::RobotRules.
pub const LWP: Dialect = Dialect {
    name: Cow::Borrowed("lwp"),
    title: Cow::Borrowed("WWW::RobotRules 6.x: exactly what it does"),
    sources: &[
        ("the first word without version names the robot", "WWW::RobotRules, agent"),
        ("the robot's name contains the value", "WWW::RobotRules, is_me"),
        ("records for * accumulate", "WWW::RobotRules, parse"),
        ("Disallow before any User-agent is for *", "WWW::RobotRules, parse"),
        ("a path is resolved as a URL relative to /robots.txt", "WWW::RobotRules, parse; URI.pm 5"),
        ("a URL without a path has none: / does not match", "WWW::RobotRules, allowed; URI.pm 5"),
        ("a URL is judged as it is passed", "WWW::RobotRules, allowed; URI.pm 5, path_query"),
        ("a byte order mark spoils the first line", "WWW::RobotRules, parse"),
        ("first rule; an empty one allows", "WWW::RobotRules, allowed"),
        ("other schemes are allowed", "WWW::RobotRules, allowed"),
        ("no limits; /robots.txt is not special", "WWW::RobotRules does not mention them"),
    ],
    fields: FieldSet::of(&[Field::UserAgent, Field::Disallow]),
    robot_name: RobotName::FirstWord,
    agent_version: AgentVersion::Compared,
    empty_agent: EmptyAgent::Everybody,
    default_groups: DefaultGroups::Merge,
    orphans: Orphans::DefaultGroup,
    misspellings: Misspellings::Rejected,
    missing_colon: MissingColon::Rejected,
    paths_per_line: PathsPerLine::One,
    precedence: Precedence::First,
    empty_disallow: EmptyDisallow::AllowsAll,
    escapes: Escapes::Unsafe,
    absolute_paths: AbsolutePaths::SameOrigin,
    missing_path: MissingPath::Nothing,
    byte_order_mark: ByteOrderMark::Kept,
    robots_txt_itself: RobotsTxtItself::Ruled,
    nul: Nul::Kept,
    star_agent: StarAgent::Alone,
    url_form: UrlForm::AsGiven,
    relative_urls: RelativeUrls::Ruled,
    other_schemes: OtherSchemes::Allowed,
    size_limit: 0,
    over_size: OverSize::Cut,
    rule_limit: 0,
    over_rules: OverRules::Keep,
    ..KOSTER_1994
};

/// Yandex.
pub const YANDEX: Dialect = Dialect {
    name: Cow::Borrowed("yandex"),
    title: Cow::Borrowed("Yandex: RFC 9309 with what its webmaster pages state"),
    sources: &[
        (
            "YandexBot, else Yandex, else *: the most specific",
            "Yandex, Using robots.txt, User-agent",
        ),
        ("sorted by length, the last match decides", "Yandex, Allow and Disallow together"),
        ("Allow wins a tie", "not stated; as RFC 9309"),
        ("an empty Disallow allows all, an empty Allow is ignored", "Yandex, Disallow and Allow"),
        ("Crawl-delay and Host are ignored", "Yandex, 22 February 2018 and 20 March 2018"),
        ("over 500 KB everything is allowed", "Yandex, Using robots.txt"),
        (
            "2,048 rules; what happens to more is not stated",
            "Yandex; they apply, the careful choice",
        ),
    ],
    fields: RFC_9309.fields.without(&[Field::CrawlDelay]),
    agent_match: AgentMatch::RobotContainsRecord,
    agent_choice: AgentChoice::MostSpecific,
    empty_disallow: EmptyDisallow::AllowsAll,
    over_size: OverSize::AllowAll,
    rule_limit: 2_048,
    over_rules: OverRules::Keep,
    ..RFC_9309
};

/// Bing.
pub const BING: Dialect = Dialect {
    name: Cow::Borrowed("bing"),
    title: Cow::Borrowed("Bing: RFC 9309 with what its webmaster blog states"),
    sources: &[
        (
            "bingbot, else msnbot, else *; one section only",
            "Bing webmaster blog, May 2012 (secondary)",
        ),
        ("Crawl-delay is read: a window of 1 to 30 s", "Bing webmaster blog, May 2012 (secondary)"),
    ],
    stand_ins: StandIns(Cow::Borrowed(&[(Cow::Borrowed("bingbot"), Cow::Borrowed("msnbot"))])),
    ..RFC_9309
};

/// Apple.
pub const APPLE: Dialect = Dialect {
    name: Cow::Borrowed("apple"),
    title: Cow::Borrowed("Apple: RFC 9309 with what its page on Applebot states"),
    sources: &[
        ("Applebot follows the Googlebot group if not named", "support.apple.com/119829"),
        ("Crawl-delay is ignored", "support.apple.com/119829"),
    ],
    fields: RFC_9309.fields.without(&[Field::CrawlDelay]),
    stand_ins: StandIns(Cow::Borrowed(&[(Cow::Borrowed("applebot"), Cow::Borrowed("googlebot"))])),
    ..RFC_9309
};

/// RFC 9309 with the IETF's draft on preferences.
pub const AIPREF: Dialect = Dialect {
    name: Cow::Borrowed("aipref"),
    title: Cow::Borrowed(
        "RFC 9309 with Content-Usage as a rule (draft-ietf-aipref-attach-05, August 2026)",
    ),
    sources: &[
        (
            "Content-Usage is a rule: a User-agent line after it begins a group",
            "draft-ietf-aipref-attach-05 section 3",
        ),
        (
            "Content-Usage neither allows nor disallows fetching",
            "draft-ietf-aipref-attach-05 section 3.1",
        ),
        ("everything else", "RFC 9309"),
    ],
    group_end: GroupEnd::AgentAfterRuleOrUsage,
    ..RFC_9309
};

/// Every dialect, the default first.
pub static DIALECTS: LazyLock<Vec<Arc<Dialect>>> = LazyLock::new(|| {
    [
        RFC_9309,
        GOOGLE,
        KOSTER_1994,
        DRAFT_1996,
        CONNER_1996,
        KOLLAR_1996,
        LWP,
        YANDEX,
        BING,
        APPLE,
        AIPREF,
    ]
    .map(Arc::new)
    .to_vec()
});

/// The dialect for version 1 records within `conner1996`.
pub(crate) static VERSION_1: LazyLock<Arc<Dialect>> = LazyLock::new(|| Arc::new(KOSTER_1994));

/// Returns the dialect with this name.
#[must_use]
pub fn named(name: &str) -> Option<Arc<Dialect>> {
    DIALECTS.iter().find(|dialect| dialect.name == name).cloned()
}
