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

/// Returns every path of up to so many pieces behind the first slash.
fn paths(longest: usize) -> Vec<String> {
    paths_of(&PIECES, longest)
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

/// Returns, for each pair of lines that decide differently, the number of letters of a shortest path.
fn by_trying(before: &Rules, after: &Rules, paths: &[String]) -> BTreeMap<(u32, u32), usize> {
    let mut found = BTreeMap::new();
    let mut scratch = Scratch::default();
    for path in paths {
        let url = format!("http://h{path}");
        let one = before.decide(url.as_bytes(), &mut scratch);
        let other = after.decide(url.as_bytes(), &mut scratch);
        if one.allowed != other.allowed {
            let shortest = found.entry((one.line, other.line)).or_insert(usize::MAX);
            *shortest = (*shortest).min(letters(path, before.dialect()));
        }
    }
    found
}

/// Counts the letters of a path: an escape is one where the dialect decodes it.
fn letters(path: &str, dialect: &Dialect) -> usize {
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
const CASES: u32 = 400;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(CASES))]

    /// What the search finds is what trying every short path finds, in every dialect.
    #[test]
    fn the_reference_agrees(one in file(), other in file(), dialect in 0..11_usize) {
        let dialect = &dialects::DIALECTS[dialect];
        let before = rules(&text(&one), dialect);
        let after = rules(&text(&other), dialect);
        let tried = by_trying(&before, &after, &paths(4));
        let budget = Budget::default();
        let found = differences(&before, &after, budget);
        // WWW::RobotRules reads `//h` as the name of a server.
        let may_name_servers = dialect.name == "lwp" && (text(&one) + &text(&other)).contains("//");
        prop_assert!(found.is_complete || may_name_servers);
        prop_assume!(found.is_complete);
        let lengths = lengths(&found, dialect);
        prop_assert_eq!(lengths.len(), found.examples.len());
        for (pair, length) in &tried {
            prop_assert_eq!(lengths.get(pair), Some(length), "{:?} {:?}", pair, found.examples);
        }
        for (pair, length) in &lengths {
            prop_assert!(*length > 5 || tried.contains_key(pair), "{:?} {:?}", pair, found.examples);
        }
        match first_difference(&before, &after, budget) {
            Answer::Same => prop_assert!(lengths.is_empty()),
            Answer::Different(example) => {
                prop_assert_eq!(Some(&letters(&example.path, dialect)), lengths.values().min());
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
        // WWW::RobotRules reads `//h` as the name of a server.
        prop_assume!(found.is_complete);
        let lengths = lengths(&found, dialect);
        for (pair, length) in by_trying(&before, &after, &paths_of(&["a", "b", "/"], 7)) {
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
        if at_once.is_complete && by_pair.is_complete {
            prop_assert_eq!(lengths(&at_once, dialect), lengths(&by_pair, dialect));
        }
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
        let itself = first_difference(&before, &before, Budget::default());
        prop_assert!(matches!(itself, Answer::Same | Answer::Unknown));
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
        for path in paths(4).into_iter().chain(empty) {
            let line = rules.decide(format!("http://h{path}").as_bytes(), &mut scratch).line;
            let shortest = tried.entry(line).or_insert(usize::MAX);
            *shortest = (*shortest).min(letters(&path, dialect));
        }
        for effect in line_effects(&rules, Budget::default()).0 {
            prop_assume!(effect.is_complete);
            let length = effect.example.as_ref().map(|path| letters(path, dialect));
            let expected = tried.get(&effect.line).copied();
            if length.is_none_or(|length| length <= 5) || expected.is_some() {
                prop_assert_eq!(length, expected, "{:?}", effect);
            }
            if effect.example.is_none() {
                let hides = |line: &u32| tried.contains_key(line) || *line == 0;
                prop_assert!(effect.matched.is_none() || effect.hidden_by.iter().any(hides));
            }
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
