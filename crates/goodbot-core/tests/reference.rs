//! The engine and its simple reference agree on random files and URLs, in every dialect and with single
//! choices changed.

#[path = "reference/mod.rs"]
mod reference;

use std::collections::HashSet;
use std::sync::Arc;

use goodbot_core::dialect::CHOICES;
use goodbot_core::robots_txt::{Group, RequestRate, VisitTime, delay};
use goodbot_core::{Dialect, RobotsTxt, dialects};
use proptest::prelude::*;

/// Returns how many files to try: PROPTEST_CASES, or enough for everyday runs.
fn cases() -> u32 {
    std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(1_500)
}

/// Generates lines as honest and hostile authors write them.
fn line() -> impl Strategy<Value = String> {
    let path = "[/ab*$?%:;=.]{0,3}(/|a|b|\\*|%2F|%2f|%61|%2A|%24|%3F|%25|ツ|/index.html|\\?a=/b|http://h/a|http://g/|//h/|http://h|\\./|\\.\\./|\\[ab\\]|\\[!a|\\]|\\\\){0,4}\\$?";
    prop_oneof![
        4 => path.prop_map(|path| format!("Disallow: {path}")),
        4 => path.prop_map(|path| format!("Allow: {path}")),
        3 => "(\\*|foo|FooBot|bar/1\\.0|foobot-x|f|foo, bar|foo bar|x\tfoo|bingbot|msnbot|googlebot|x y|\\* x|\\*/1|\\*\0|\0\\*|foo\0x|\0|)".prop_map(|agent| format!("User-agent: {agent}")),
        2 => Just(String::new()),
        1 => "(User-agnet: (foo|\\*)|Dsallow: /a?|\0Disallow: /|Disallow\0: /a|\0User-agent\0 : (\\*|foo)|Allow\0: /|Disallow: (/a\0b|\0/a\0|\0)|Allow: (/a\0b|\0)|Disallow: /b\0#x)",
        1 => "(#.{0,3}| # c|Disalow: /a|Disallow /b|disallow : /a b|Disallow: /a /b|Disallow: /a  /%61 # c|Allow: /a /b|useragent: foo|Sitemap: x|Crawl-delay: 1|junk|<p>|Noindex: /|allowed: /a)",
        2 => "(Crawl-delay: [123]|Request-rate: 1/[123]|Visit-time: 0[123]00-0400|Visit-time: x|Comment: [ab]|Comment: a # b|Comment:# b|Comment a #b|Request-rate: 1/[12]m ([12]500-2600|0600-0700)|Content-Usage: (train-ai=[yn]|/a search=n)|Content-Signal: search=yes|License: http://h/l|Noindex: /b|PleaseVisit: /c|Host: h)",
        1 => "Robot-version: (1\\.0\\.0|2\\.0\\.0|2\\.1\\.0|2\\.2|3\\.0\\.0|x|v2\\.0\\.0|2|1|V2\\.0-b|2\\.0 x|2\\.|2,0,0|)",
    ]
}

fn file() -> impl Strategy<Value = String> {
    let end = prop_oneof![6 => Just("\n"), 1 => Just("\r\n"), 1 => Just("\r")];
    prop::collection::vec((line(), end), 0..14)
        .prop_map(|lines| lines.into_iter().map(|(line, end)| line + end).collect())
}

fn url() -> impl Strategy<Value = String> {
    "[ \n]?(http://h|https://g|//h|ftp://h|http://u;x@h|http://|http:|gopher://h|)/?[ab/*$?%;:]{0,3}(/|a|b|%2F|%61|%2A|%3F|%25|ツ|index.html|\\?a=/b|\\?a=%2Fb|robots.txt|#x|\0|\\\\|/\\.|\\.|/\\.\\./|%2e%2E/|\t){0,4}"
}

fn robot() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "FooBot",
        "foo/1.0",
        "Bar",
        "bingbot",
        "Applebot/0.1",
        "x",
        "MJ12bot",
        "*",
    ])
}

fn check(text: &str, dialect: &Arc<Dialect>, robot: &str, url: &str) -> Result<(), TestCaseError> {
    let rules =
        RobotsTxt::parse(text.as_bytes(), Arc::clone(dialect)).rules_for(robot).expect("a name");
    let expected = reference::allows(text.as_bytes(), dialect, robot, url.as_bytes());
    let verdict = rules.verdict(url.as_bytes());
    prop_assert_eq!(
        rules.allows(url.as_bytes()),
        expected,
        "{}\n{:?}\n{}",
        dialect.name,
        text,
        verdict
    );
    prop_assert_eq!(verdict.allowed, expected);
    // The explanation agrees with the verdict.
    let considered = rules.considered(url.as_bytes());
    let decides = considered.first().filter(|first| first.decides);
    prop_assert_eq!(decides.map(|first| &first.rule), verdict.rule.as_ref(), "{:?}", text);
    prop_assert_eq!(
        considered.iter().filter(|one| one.decides).count(),
        usize::from(decides.is_some())
    );
    let list = rules.list();
    prop_assert_eq!(list.len(), rules.len());
    prop_assert!(list.is_sorted_by_key(|rule| rule.line));
    prop_assert!(considered.iter().all(|one| list.contains(&one.rule)), "{:?}", text);
    Ok(())
}

/// Checks that the fields that apply to a robot are those of the reference, and that the values
/// come from them.
fn check_fields(text: &str, dialect: &Arc<Dialect>, robot: &str) -> Result<(), TestCaseError> {
    let file = RobotsTxt::parse(text.as_bytes(), Arc::clone(dialect));
    let found = file.fields_for(robot).expect("a name");
    let expected: Vec<(String, String, u32)> =
        reference::fields_for(text.as_bytes(), dialect, robot)
            .into_iter()
            .map(|(name, value, line)| {
                let line = u32::try_from(line).expect("a short file");
                (name, String::from_utf8_lossy(&value).into_owned(), line)
            })
            .collect();
    let lower = found.iter().map(|(name, value, line)| (name.to_lowercase(), value.clone(), *line));
    prop_assert_eq!(lower.collect::<Vec<_>>(), expected, "{} {}\n{}", dialect.name, robot, text);
    let rules = file.rules_for(robot).expect("a name");
    let values = |field: &'static str| {
        found.iter().filter(move |(name, _, _)| *name == field).map(|(_, value, _)| value.as_str())
    };
    let delays = values("Crawl-delay").filter_map(delay);
    prop_assert_eq!(rules.crawl_delay(), delays.reduce(f64::max));
    let times: Vec<_> = values("Visit-time").filter_map(VisitTime::read).take(1).collect();
    prop_assert_eq!(rules.visit_times(), times);
    // Values that are the same in both readings of a file with guesses are reported once.
    let read = |values: Vec<String>| -> HashSet<RequestRate> {
        values.iter().filter_map(|value| RequestRate::read(value)).collect()
    };
    let [own, other] = reference::rates_for(text.as_bytes(), dialect, robot).map(read);
    let rates: HashSet<_> = own
        .union(&other)
        .map(|rate| {
            let alone = !(own.contains(rate) && other.contains(rate));
            RequestRate { doubtful: rate.doubtful || alone, ..*rate }
        })
        .collect();
    prop_assert_eq!(rules.request_rates().iter().copied().collect::<HashSet<_>>(), rates);
    let comments: HashSet<_> = values("Comment").collect();
    prop_assert_eq!(rules.comments().collect::<HashSet<_>>(), comments);
    // Dividing the groups loses no line and adds none.
    let lines = |groups: Vec<Group>| -> Vec<u32> {
        let mut lines: Vec<u32> = groups
            .into_iter()
            .flat_map(|group| {
                let fields = group.fields.into_iter().map(|field| field.2);
                let rules = group.rules.into_iter().map(|rule| rule.line);
                group.info.lines.into_iter().chain(rules).chain(fields).collect::<Vec<_>>()
            })
            .collect();
        lines.sort_unstable();
        lines
    };
    prop_assert_eq!(lines(file.groups()), lines(file.field_groups()));
    Ok(())
}

proptest! {
    // A failing case is committed as a conformance case, which states the expected result.
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(cases()) })]

    #[test]
    fn the_reference_agrees_in_every_dialect(text in file(), url in url(), robot in robot()) {
        for dialect in dialects::DIALECTS.iter() {
            check(&text, dialect, robot, &url)?;
            check_fields(&text, dialect, robot)?;
        }
    }

    #[test]
    fn the_reference_agrees_when_a_choice_is_made_otherwise(
        text in file(), url in url(), robot in robot(), dialect in 0..11_usize, choice: prop::sample::Index, value: prop::sample::Index,
    ) {
        // Sets and numbers do not have a short list of values.
        let rows: Vec<_> = CHOICES
            .iter()
            .filter(|row| !matches!(row.name, "fields" | "stand_ins" | "robot_name") && !row.name.ends_with("limit"))
            .collect();
        let row = rows[choice.index(rows.len())];
        let values = (row.values)();
        let value = values[value.index(values.len())].0;
        let base = (*dialects::DIALECTS[dialect]).clone();
        let changed = Arc::new(base.with(row.name, value).expect("a choice"));
        check(&text, &changed, robot, &url)?;
        check_fields(&text, &changed, robot)?;
    }

    #[test]
    fn any_octets_are_safe_and_come_back(text: Vec<u8>, url: Vec<u8>, robot in "[a-z/(); .:]{1,12}") {
        for dialect in dialects::DIALECTS.iter() {
            let robots = RobotsTxt::parse(&text, Arc::clone(dialect));
            let back: Vec<u8> = robots.lines().iter().flat_map(|line| line.raw.to_vec()).collect();
            prop_assert_eq!(&back, &text);
            let _ = (robots.findings(), robots.groups(), robots.field_groups(), robots.sitemaps(), robots.fields_used());
            if let Ok(rules) = robots.rules_for(&robot) {
                let verdict = rules.verdict(&url);
                prop_assert_eq!(verdict.allowed, rules.allows(&url));
                let _ = (verdict.to_string(), rules.considered(&url), rules.selection_sentence(), rules.list());
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(cases() / 40) })]

    /// Many rules are stored in a different order than few.
    #[test]
    fn the_reference_agrees_on_many_rules(
        lines in prop::collection::vec(line(), 900..1300), urls in prop::collection::vec(url(), 4), robot in robot(), dialect in 0..11_usize,
    ) {
        let text = format!("User-agent: *\n{}", lines.join("\n"));
        for url in urls {
            check(&text, &dialects::DIALECTS[dialect], robot, &url)?;
        }
    }
}

/// Many rules are looked up in another order than few: the explanation begins with the one that decides
/// nevertheless, also where another of the same length stands before it.
#[test]
fn the_explanation_of_many_rules_begins_with_the_one_that_decides() {
    let empty = "Disallow: \n".repeat(20);
    let text = format!("User-agent: *\nDisallow: **\nDisallow: /a\0b\n{empty}Disalow: /a\n{empty}");
    for dialect in dialects::DIALECTS.iter() {
        for url in ["http://h", "http://h/a"] {
            check(&text, dialect, "Bar", url).expect("both agree");
        }
    }
}

/// A known trap: looking up the longest match only among sorted prefixes misses shorter ones.
#[test]
fn a_shorter_prefix_still_forbids_beside_a_longer_one() {
    let dialect = dialects::named("rfc9309").expect("the default");
    let robots = RobotsTxt::parse(b"User-agent: *\nDisallow: /\nDisallow: /admin\n", dialect);
    let rules = robots.rules_for("ExampleBot").expect("a name");
    assert!(!rules.allows(b"https://example.com/blog"));
    assert!(!rules.allows(b"https://example.com/admin/x"));
}
