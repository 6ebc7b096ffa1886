//! Any bytes, in every dialect: nothing panics, nothing is lost, and all answers are consistent.
#![no_main]

use std::sync::Arc;

use goodbot_core::{RobotsTxt, dialects};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &[u8]| {
    for dialect in dialects::DIALECTS.iter() {
        let robots = RobotsTxt::parse(text, Arc::clone(dialect));
        let back: Vec<u8> = robots.lines().iter().flat_map(|line| line.raw.to_vec()).collect();
        assert_eq!(back, text);
        let _ = (robots.findings(), robots.groups(), robots.sitemaps());
        let rules = robots.rules_for("ExampleBot").expect("a name");
        for url in [&b"https://example.com/a?b=%2F"[..], b"/", text] {
            let verdict = rules.verdict(url);
            assert_eq!(verdict.allowed, rules.allows(url));
            let considered = rules.considered(url);
            let decides = considered.iter().any(|one| one.decides);
            assert!(verdict.rule.is_none() || decides, "{verdict}\n{considered:?}");
        }
    }
});
