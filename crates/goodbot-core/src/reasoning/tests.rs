use super::*;
use crate::{Dialect, RobotsTxt, dialects};
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::sync::Arc;

fn rules(text: &str, dialect: &Arc<Dialect>) -> Rules {
    RobotsTxt::parse(text.as_bytes(), Arc::clone(dialect)).rules_for("a").expect("a name")
}

/// The pieces of which paths are made, for the plain reference.
const PIECES: [&str; 9] = ["/", "a", "b", "?", "%2F", ".", "%3F", "$", "*"];

/// Returns every path of up to so many pieces behind the first slash.
fn paths(longest: usize) -> Vec<String> {
    let mut all = vec!["/".to_owned()];
    let mut from = 0;
    for _ in 0..longest {
        let end = all.len();
        for place in from..end {
            for piece in PIECES {
                all.push(format!("{}{piece}", all[place]));
            }
        }
        from = end;
    }
    all
}

/// Returns, for each pair of lines that decide differently, the number of pieces of a shortest path.
fn by_trying(before: &Rules, after: &Rules, paths: &[String]) -> BTreeMap<(u32, u32), usize> {
    let mut found = BTreeMap::new();
    let mut scratch = Scratch::default();
    for path in paths {
        let url = format!("http://h{path}");
        let one = before.decide(url.as_bytes(), &mut scratch);
        let other = after.decide(url.as_bytes(), &mut scratch);
        if one.allowed != other.allowed {
            found.entry((one.line, other.line)).or_insert_with(|| pieces(path));
        }
    }
    found
}

/// Counts the pieces of a path.
fn pieces(path: &str) -> usize {
    path.len() - 2 * path.matches('%').count()
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
const CASES: u32 = 150;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(CASES))]

    /// What the search finds is what trying every short path finds, in every dialect.
    #[test]
    fn the_reference_agrees(one in file(), other in file(), dialect in 0..11_usize) {
        let dialect = &dialects::DIALECTS[dialect];
        let before = rules(&text(&one), dialect);
        let after = rules(&text(&other), dialect);
        let tried = by_trying(&before, &after, &paths(5));
        let budget = Budget::default();
        let found = differences(&before, &after, budget);
        // WWW::RobotRules reads `//h` as the name of a server.
        let may_name_servers = dialect.name == "lwp" && (text(&one) + &text(&other)).contains("//");
        prop_assert!(found.is_complete || may_name_servers);
        prop_assume!(found.is_complete);
        let lengths: BTreeMap<(u32, u32), usize> = found.examples.iter()
            .map(|one| ((one.before.line, one.after.line), pieces(&one.path))).collect();
        prop_assert_eq!(lengths.len(), found.examples.len());
        for (pair, length) in &tried {
            prop_assert_eq!(lengths.get(pair), Some(length), "{:?} {:?}", pair, found.examples);
        }
        for (pair, length) in &lengths {
            prop_assert!(*length > 6 || tried.contains_key(pair), "{:?} {:?}", pair, found.examples);
        }
        match first_difference(&before, &after, budget) {
            Answer::Same => prop_assert!(lengths.is_empty()),
            Answer::Different(example) => {
                prop_assert_eq!(Some(&pieces(&example.path)), lengths.values().min());
            }
            Answer::Unknown => prop_assert!(false, "unknown"),
        }
    }
}
