use super::*;
use crate::dialect::Escapes;
use crate::{Dialect, RobotsTxt, dialects};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

fn rules(text: &str, dialect: &Arc<Dialect>) -> Rules {
    RobotsTxt::parse(text.as_bytes(), Arc::clone(dialect)).rules_for("a").expect("a name")
}

/// The pieces of which paths are made, for the plain reference.
const PIECES: [&str; 9] = ["/", "a", "b", "?", "%2F", ".", "%3F", "$", "*"];

/// Returns every path that is sent of up to so many pieces behind the first slash.
fn paths(longest: usize) -> Vec<String> {
    let mut all = paths_of(&PIECES, longest);
    all.retain(|path| !has_dot_segment(path));
    all
}

fn paths_of(pieces: &[&str], longest: usize) -> Vec<String> {
    let mut all = vec!["/".to_owned()];
    let mut from = 0;
    for _ in 0..longest {
        let end = all.len();
        for place in from..end {
            for piece in pieces {
                all.push(format!("{}{piece}", all[place]));
            }
        }
        from = end;
    }
    all
}

/// Whether a path has a segment that is resolved before a URL is sent.
fn has_dot_segment(path: &str) -> bool {
    let before_query = path.split('?').next().unwrap_or_default();
    before_query.split('/').any(|segment| segment == "." || segment == "..")
}

/// Returns the sites of which some rule may say more than of others: WWW::RobotRules reads `//h` as the
/// name of a server.
fn tried_sites(dialect: &Dialect, text: &str) -> Vec<String> {
    let mut sites = vec!["https://h".to_owned()];
    if dialect.name == "lwp" && text.contains("//") {
        let hosts = paths_of(&["a", "b", ".", "*"], 3);
        let ends = hosts.iter().flat_map(|host| [host.clone(), format!("{host}$")]);
        sites.extend(ends.skip(1).map(|host| format!("http:/{host}")));
    }
    sites
}

/// Returns the paths to try: fewer where many sites are. A rule for a server may want a query without a path.
fn tried_paths(sites: &[String]) -> Vec<String> {
    if sites.len() == 1 {
        return paths(4);
    }
    let paths = paths(3);
    let without = paths.iter().filter_map(|path| path.strip_prefix('/'));
    let without: Vec<String> = without
        .filter(|rest| matches!(rest.as_bytes(), [] | [b'?', ..]))
        .map(str::to_owned)
        .collect();
    [paths, without].concat()
}

/// Returns, for each pair of lines that decide differently, the number of letters of a shortest path.
fn by_trying(
    before: &Rules,
    after: &Rules,
    sites: &[String],
    paths: &[String],
) -> BTreeMap<(u32, u32), usize> {
    let mut found = BTreeMap::new();
    let mut scratch = Scratch::default();
    for (site, path) in sites.iter().flat_map(|site| paths.iter().map(move |path| (site, path))) {
        let url = format!("{site}{path}");
        let one = before.decide(url.as_bytes(), &mut scratch);
        let other = after.decide(url.as_bytes(), &mut scratch);
        if one.allowed != other.allowed {
            let shortest = found.entry((one.line, other.line)).or_insert(usize::MAX);
            *shortest = (*shortest).min(letters(path, before.dialect()));
        }
    }
    found
}

/// Counts the letters of an example's path: an escape is one where the dialect decodes it.
fn letters(example: &str, dialect: &Dialect) -> usize {
    let server = example.split_once("://").filter(|(scheme, _)| !scheme.contains(['/', '?']));
    let path = server
        .map_or(example, |(_, behind)| &behind[behind.find(['/', '?']).unwrap_or(behind.len())..]);
    match dialect.escapes {
        Escapes::Rfc9309 | Escapes::ExceptSlash => path.len() - 2 * path.matches('%').count(),
        _ => path.len(),
    }
}

fn line() -> impl Strategy<Value = String> {
    ("(Allow|Disallow)", "/?(a|b|/|\\*|\\?|%2F|\\.|a|b|/){0,4}\\$?")
        .prop_map(|(field, pattern)| format!("{field}: {pattern}\n"))
}

fn file() -> impl Strategy<Value = Vec<String>> {
    proptest::collection::vec(line(), 0..5)
}

fn text(lines: &[String]) -> String {
    format!("User-agent: *\n{}", lines.concat())
}

/// How often the property is tried; each time tries every short path.
const CASES: u32 = 300;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(CASES))]

    /// What the search finds is what trying every short path finds, in every dialect.
    #[test]
    fn the_reference_agrees(one in file(), other in file(), dialect in 0..11_usize) {
        let dialect = &dialects::DIALECTS[dialect];
        let before = rules(&text(&one), dialect);
        let after = rules(&text(&other), dialect);
        let sites = tried_sites(dialect, &(text(&one) + &text(&other)));
        let tried = by_trying(&before, &after, &sites, &tried_paths(&sites));
        let budget = Budget::default();
        let found = differences(&before, &after, budget);
        prop_assert!(found.is_complete);
        let lengths = lengths(&found, dialect);
        prop_assert_eq!(lengths.len(), found.examples.len());
        for (pair, length) in &tried {
            prop_assert_eq!(lengths.get(pair), Some(length), "{:?} {:?}", pair, found.examples);
        }
        for (pair, length) in &lengths {
            let longest = if sites.len() > 1 { 4 } else { 5 };
            prop_assert!(*length > longest || tried.contains_key(pair), "{:?} {:?}", pair, found.examples);
        }
        match first_difference(&before, &after, budget) {
            Answer::Same => prop_assert!(lengths.is_empty()),
            Answer::Different(example) => {
                let length = letters(&example.path, dialect);
                prop_assert!(lengths.values().all(|other| length <= *other) || sites.len() > 1);
                prop_assert!(lengths.values().any(|other| length == *other));
            }
            Answer::Unknown => prop_assert!(false, "unknown"),
        }
    }
}

/// Returns the lines and the length of each example.
fn lengths(found: &Differences, dialect: &Dialect) -> BTreeMap<(u32, u32), usize> {
    let length = |one: &Example| letters(&one.path, dialect);
    found.examples.iter().map(|one| ((one.before.line, one.after.line), length(one))).collect()
}

/// Returns the lines of the examples.
fn lines(found: &Differences) -> BTreeSet<(u32, u32)> {
    found.examples.iter().map(|one| (one.before.line, one.after.line)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    /// On three letters, it is what trying every path of up to seven letters finds.
    #[test]
    fn longer_paths_agree(
        one in proptest::collection::vec("(Allow|Disallow): /(a|b|/|\\*){0,5}\\$?\n", 0..6),
        other in proptest::collection::vec("(Allow|Disallow): /(a|b|/|\\*){0,5}\\$?\n", 0..6),
        dialect in 0..11_usize,
    ) {
        let dialect = &dialects::DIALECTS[dialect];
        let before = rules(&text(&one), dialect);
        let after = rules(&text(&other), dialect);
        let found = differences(&before, &after, Budget::default());
        prop_assert!(found.is_complete);
        let lengths = lengths(&found, dialect);
        let sites = ["https://h".to_owned()];
        for (pair, length) in by_trying(&before, &after, &sites, &paths_of(&["a", "b", "/"], 7)) {
            prop_assert!(lengths.get(&pair).is_some_and(|found| *found <= length), "{:?}", pair);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_500))]

    /// The search for all pairs at once and the searches for single pairs find the same.
    #[test]
    fn both_ways_agree(one in file(), other in file(), dialect in 0..11_usize) {
        let dialect = &dialects::DIALECTS[dialect];
        let before = rules(&text(&one), dialect);
        let after = rules(&text(&other), dialect);
        let at_once = differences(&before, &after, Budget::default());
        let by_pair = find(&before, &after, Goal::Pairs, 0, Budget::default());
        prop_assert!(at_once.is_complete && by_pair.is_complete);
        prop_assert_eq!(lengths(&at_once, dialect), lengths(&by_pair, dialect));
    }

    /// Swapping the sides swaps what is found, and nothing differs from itself.
    #[test]
    fn it_is_symmetric(one in file(), other in file(), of_one in 0..11_usize, of_other in 0..11_usize) {
        let before = rules(&text(&one), &dialects::DIALECTS[of_one]);
        let after = rules(&text(&other), &dialects::DIALECTS[of_other]);
        let forth = differences(&before, &after, Budget::default());
        let back = differences(&after, &before, Budget::default());
        let swapped: BTreeSet<_> =
            lines(&back).into_iter().map(|(one, other)| (other, one)).collect();
        prop_assert_eq!(lines(&forth), swapped);
        prop_assert_eq!(forth.is_complete, back.is_complete);
        let same = first_difference(&before, &after, Budget::default()) == Answer::Same;
        if forth.is_complete {
            prop_assert_eq!(same, forth.examples.is_empty());
        }
        prop_assert_eq!(first_difference(&before, &before, Budget::default()), Answer::Same);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(CASES))]

    /// A line decides if trying every short path finds one that it decides, and none shorter.
    #[test]
    fn lines_that_decide_are_those_found_by_trying(one in file(), dialect in 0..11_usize) {
        let dialect = &dialects::DIALECTS[dialect];
        let rules = rules(&text(&one), dialect);
        let mut tried = BTreeMap::new();
        let mut scratch = Scratch::default();
        // WWW::RobotRules judges a URL without a path by the empty one.
        let empty = (dialect.name == "lwp").then(String::new);
        let sites = tried_sites(dialect, &text(&one));
        let longest = if sites.len() > 1 { 3 } else { 4 };
        let paths: Vec<String> = tried_paths(&sites).into_iter().chain(empty).collect();
        for (site, path) in sites.iter().flat_map(|site| paths.iter().map(move |path| (site, path))) {
            let line = rules.decide(format!("{site}{path}").as_bytes(), &mut scratch).line;
            let shortest = tried.entry(line).or_insert(usize::MAX);
            *shortest = (*shortest).min(letters(path, dialect));
        }
        for effect in line_effects(&rules, Budget::default()).0 {
            prop_assert!(effect.is_complete);
            let length = effect.example.as_ref().map(|path| letters(path, dialect));
            let expected = tried.get(&effect.line).copied();
            if length.is_none_or(|length| length <= longest + 1) || expected.is_some() {
                prop_assert_eq!(length, expected, "{:?}", effect);
            }
            if effect.example.is_none() {
                let hides = |line: &u32| tried.contains_key(line) || *line == 0;
                prop_assert!(effect.matched.is_none() || effect.hidden_by.iter().any(hides));
            }
        }
    }
}

/// A value with or without a server.
fn servers() -> impl Strategy<Value = Vec<String>> {
    let line = "Disallow: (//|http://|https://|//|/)(a|b)/?(a|b|/){0,2}\n";
    proptest::collection::vec(line, 0..6)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(CASES))]

    /// Where rules name servers, what is found is what trying every short path of each server finds.
    #[test]
    fn rules_that_name_servers_agree(one in servers(), other in servers()) {
        let lwp = dialects::named("lwp").expect("a dialect");
        let (before, after) = (rules(&text(&one), &lwp), rules(&text(&other), &lwp));
        let found = differences(&before, &after, Budget::default());
        prop_assert!(found.is_complete);
        let hosts = paths_of(&["a", "b"], 3);
        let sites: Vec<String> = ["http", "https"]
            .iter()
            .flat_map(|scheme| hosts[1..].iter().map(move |host| format!("{scheme}:/{host}")))
            .chain(["https://h".to_owned()])
            .collect();
        let paths = paths_of(&["a", "b", "/"], 4);
        let tried = by_trying(&before, &after, &sites, &paths);
        prop_assert_eq!(lengths(&found, &lwp), tried);
        let mut deciding = BTreeSet::new();
        for (site, path) in sites.iter().flat_map(|site| paths.iter().map(move |path| (site, path))) {
            let url = format!("{site}{path}");
            deciding.insert(before.decide(url.as_bytes(), &mut Scratch::default()).line);
        }
        for effect in line_effects(&before, Budget::default()).0 {
            prop_assert!(effect.is_complete);
            prop_assert_eq!(effect.example.is_some(), deciding.contains(&effect.line), "{:?}", effect);
        }
    }
}

#[test]
fn what_hides_a_line_is_named() {
    let effects = |text: &str| {
        line_effects(&rules(text, &dialects::DIALECTS[0]), Budget::default())
            .0
            .into_iter()
            .map(|one| (one.line, one.example, one.matched, one.hidden_by))
            .collect::<Vec<_>>()
    };
    let path = |path: &str| Some(path.to_owned());
    assert_eq!(
        effects("User-agent: *\nDisallow: /b\nAllow: /b\nDisallow: /*\nAllow: //../\n"),
        [
            (2, None, path("/b"), vec![3]),
            (3, path("/b"), None, vec![]),
            (4, path("/"), None, vec![]),
            (5, None, None, vec![]),
        ]
    );
}

#[test]
fn rules_that_name_a_server_decide_on_that_server() {
    let lwp = dialects::named("lwp").expect("a dialect");
    let file = |rest: &str| rules(&format!("User-agent: *\nDisallow: /a\n{rest}"), &lwp);
    let found = |before: &str, after: &str| {
        let found = differences(&file(before), &file(after), Budget::default());
        assert!(found.is_complete, "{before:?} {after:?}");
        found.examples.into_iter().map(|one| one.path).collect::<Vec<_>>()
    };
    assert_eq!(found("", "Disallow: //b.example/a/c\n"), [""; 0]);
    assert_eq!(found("", "Disallow: //b.example/c\n"), ["http://b.example/c"]);
    assert_eq!(found("", "Disallow: https://example.com/c\n"), ["https://example.com/c"]);
    assert_eq!(found("Disallow: //b.example/c\n", "Disallow: /c\n"), ["/c"]);
    assert_eq!(
        found("Disallow: http://b.example:81/c\n", "Disallow: //b.example:81/c\n"),
        ["https://b.example:81/c"]
    );
    assert_eq!(found("", "Disallow: ftp://b.example/c\n"), [""; 0]);
    let effects =
        line_effects(&file("Disallow: //b.example/a\nDisallow: //c.example\n"), Budget::default())
            .0;
    let examples: Vec<_> = effects.iter().map(|one| one.example.as_deref()).collect();
    assert_eq!(examples, [Some("/a"), None, Some("http://c.example/")]);
    assert_eq!((effects[1].hidden_by.as_slice(), effects[1].is_complete), (&[2][..], true));
}

/// Returns 32 rules of two stars each, which make the most of every search.
fn hostile(field: &str) -> String {
    let piece =
        |number: usize| format!("a{}b{}", "xy".repeat(number % 7 + 1), "ab".repeat(number % 5));
    let lines = (0..32).map(|number| {
        let field = if number % 2 == 0 { field } else { "Allow" };
        format!("{field}: /*{}*{}\n", piece(number), piece(number * 3 + 1))
    });
    format!("User-agent: *\n{}", lines.collect::<String>())
}

#[test]
fn a_hostile_file_ends_within_the_budget() {
    let dialect = &dialects::DIALECTS[0];
    let before = rules(&hostile("Disallow"), dialect);
    let after = rules(&(hostile("Disallow") + "Disallow: /*ax*by*\n"), dialect);
    let budget = Budget { steps: 200_000 };
    let found = differences(&before, &after, budget);
    assert!(found.steps <= budget.steps + 60_000, "one state has at most so many successors");
    let again = differences(&before, &after, budget);
    assert_eq!(found, again, "the same budget gives the same answer");
}
