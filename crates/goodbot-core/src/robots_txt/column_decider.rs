//! The rules of one robot, prepared for many URLs.

use crate::spellings::Spellings;
use crate::target::Scratch;

use super::rules::{Decision, Rules};
use super::table::Tree;

/// The fewest URLs for each rule for which a tree of the rules pays: to make it costs as much as some
/// five decisions for each.
const URLS_PER_RULE: usize = 16;

/// The most rules that are tried as fast without a tree as with one.
const MOST_WITHOUT_TREE: usize = 4;

/// The rules of one robot, prepared for a column of URLs.
#[derive(Debug)]
pub struct ColumnDecider<'a> {
    rules: &'a Rules,
    /// The tree of each reading, or none if they do not pay.
    trees: Vec<Tree>,
}

impl Rules {
    /// Prepares the rules for about so many URLs.
    #[must_use]
    pub fn column_decider(&self, urls: usize) -> ColumnDecider<'_> {
        let rules: usize = self.readings().map(|reading| reading.table.len()).sum();
        self.decider(rules > MOST_WITHOUT_TREE && urls / URLS_PER_RULE >= rules)
    }

    fn decider(&self, with_trees: bool) -> ColumnDecider<'_> {
        let readings = self.readings().filter(|_| with_trees);
        ColumnDecider { rules: self, trees: readings.map(|reading| reading.table.tree()).collect() }
    }
}

impl ColumnDecider<'_> {
    /// Decides as [`Rules::decide`] does, for consecutive URLs that begin alike.
    #[must_use]
    #[inline]
    pub fn decide_next(&self, url: &[u8], scratch: &mut Scratch) -> Decision {
        self.rules.decide_next_by(&self.trees, url, scratch)
    }

    /// Decides as [`Rules::decide_spellings`] does, for consecutive URLs that begin alike.
    #[must_use]
    pub fn decide_next_as_sent(&self, url: &[u8], scratch: &mut Scratch) -> Decision {
        let spellings = Spellings::of(url);
        let decision = self.decide_next(&spellings.sent, scratch);
        match &spellings.written {
            Some(written) if decision.allowed => self.decide_next(written, scratch),
            _ => decision,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{RobotsTxt, dialects};
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1_000))]

        /// A column has the decisions of its URLs alone, line and reason included, in every dialect.
        #[test]
        fn a_column_is_decided_as_its_urls_are(
            lines in prop::collection::vec(
                "(Allow|Disallow|disalow): (/|\\*|https?://h)?(a|b|c/|/|\\?|\\*|%2[Ff]|%61|abcdefghijk|\\$|\\[){0,5}", 0..20),
            version in prop::option::of("Robot-version: (1.0|2.0|x)\n"),
            urls in prop::collection::vec(
                "(https?://h|ftp://h|//h|)/?(a|b|c/|/|\\?|%2[Ff]|%61|abcdefghijk|#|\\.\\./|\\*){0,6}", 1..12),
            dialect in 0..dialects::DIALECTS.len(),
        ) {
            let text = format!("User-agent: *\n{}{}\n", version.unwrap_or_default(), lines.join("\n"));
            let robots = RobotsTxt::parse(text.as_bytes(), dialects::DIALECTS[dialect].clone());
            let rules = robots.rules_for("ExampleBot").expect("a name");
            let mut scratch = Scratch::default();
            for with_trees in [false, true] {
                let decider = rules.decider(with_trees);
                for url in &urls {
                    let alone = rules.decide(url.as_bytes(), &mut Scratch::default());
                    prop_assert_eq!(decider.decide_next(url.as_bytes(), &mut scratch), alone, "{}", url);
                    let spellings = Spellings::of(url.as_bytes());
                    let (alone, _) = rules.decide_spellings(&spellings, &mut Scratch::default());
                    let found = decider.decide_next_as_sent(url.as_bytes(), &mut scratch);
                    prop_assert_eq!(found, alone, "{}", url);
                }
            }
        }
    }
}
