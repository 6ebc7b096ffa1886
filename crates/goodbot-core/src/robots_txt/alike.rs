//! Whether two dialects read the same rules from the same lines, so that they decide alike.

use super::explain::{self, RuleLine};
use super::rules::Rules;

/// A name for which dialects have exceptions (`IndexHtml`): rules with it may be read differently.
const INDEX: &str = "index.htm";

impl Rules {
    /// Whether two dialects read the rules of a file from the same lines, with patterns of which they
    /// have the same spelling: letters, digits and the few other bytes that none of them escapes.
    /// Rules without a pattern are not compared.
    ///
    /// It is also true if that is no question of spelling: the dialects choose other groups for the
    /// robot, or one of them does not read the file at all.
    #[must_use]
    pub fn is_spelt_alike(&self, other: &Rules) -> bool {
        let same_groups = self.texts.groups() == other.texts.groups()
            || explain::group_lines(self.texts.groups())
                .eq(explain::group_lines(other.texts.groups()));
        if !same_groups || self.otherwise() != other.otherwise() {
            return true;
        }
        let (own, others) = (with_pattern(self), with_pattern(other));
        own == others && own.iter().all(|(_, pattern, _)| is_plain(pattern))
    }
}

fn with_pattern(rules: &Rules) -> Vec<RuleLine> {
    let mut list = rules.rule_lines();
    list.retain(|(_, pattern, _)| !pattern.is_empty());
    list.sort_by(|one, other| parts(one).cmp(&parts(other)));
    list
}

fn parts((field, pattern, line): &RuleLine) -> (u32, &'static str, &str) {
    (*line, field, pattern)
}

/// Whether every dialect spells a pattern as it is written.
fn is_plain(pattern: &str) -> bool {
    let plain =
        |octet: u8| octet.is_ascii_alphanumeric() || b"/_.~*$?=&+:;,!'()@-".contains(&octet);
    pattern.bytes().all(plain) && !pattern.contains(INDEX)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use crate::dialects::DIALECTS;
    use crate::robots_txt::{RobotsTxt, Rules};

    fn rules(text: &str, name: &str) -> Rules {
        let dialect = DIALECTS.iter().find(|one| one.name == name).expect("a dialect");
        let robots = RobotsTxt::parse(text.as_bytes(), Arc::clone(dialect));
        robots.rules_for("ExampleBot").expect("a name")
    }

    fn alike(text: &str) -> bool {
        rules(text, "google").is_spelt_alike(&rules(text, "yandex"))
    }

    #[test]
    fn only_plain_patterns_are_spelt_alike() {
        assert!(alike("User-agent: *\nDisallow: /a*b$\nAllow:\nAllow: /c?d=(e)\n"));
        for pattern in ["/%61", "/é", "/a b", "/\"", "/index.html"] {
            assert!(!alike(&format!("User-agent: *\nDisallow: /a\nDisallow: {pattern}\n")));
        }
    }

    #[test]
    fn other_lines_are_not_alike() {
        let (one, other) = ("User-agent: *\nDisallow: /a\n", "User-agent: *\n\nDisallow: /a\n");
        assert!(!rules(one, "google").is_spelt_alike(&rules(other, "google")));
        assert!(!rules(one, "google").is_spelt_alike(&rules(&one[..13], "google")));
    }

    #[test]
    fn other_groups_are_not_a_question_of_spelling() {
        let named = "User-agent: *\nDisallow: /\u{e9}\nUser-agent: ExampleBot\nDisallow: /\u{e8}\n";
        let moved = format!("\n{named}");
        assert!(rules(named, "google").is_spelt_alike(&rules(&moved, "google")));
    }
}
