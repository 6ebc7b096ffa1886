//! A URL and two files, between NULs: what differs, the reference confirms; what is the same, is the
//! same there.
#![no_main]

use std::sync::Arc;

use goodbot_core::reasoning::{Budget, differences};
use goodbot_core::{RobotsTxt, dialects};
use libfuzzer_sys::fuzz_target;

#[path = "../../crates/goodbot-core/tests/reference/mod.rs"]
mod reference;

fuzz_target!(|input: &[u8]| {
    let mut parts = input.splitn(3, |byte| *byte == 0);
    let (Some(path), Some(one), Some(other)) = (parts.next(), parts.next(), parts.next()) else {
        return;
    };
    for dialect in dialects::DIALECTS.iter() {
        let rules =
            |text| RobotsTxt::parse(text, Arc::clone(dialect)).rules_for("foo").expect("a name");
        let allows = |text, path: &[u8]| {
            let url = [b"https://example.com", path].concat();
            reference::allows(text, dialect, "foo", &url)
        };
        let (before, after) = (rules(one), rules(other));
        let found = differences(&before, &after, Budget::of(500));
        for example in &found.examples {
            let path = example.path.as_bytes();
            assert_ne!(allows(one, path), allows(other, path), "{} {found:?}", dialect.name);
        }
        let is_plain = path.iter().all(|byte| b"/ab?=_-".contains(byte));
        if found.is_complete && found.examples.is_empty() && path.first() == Some(&b'/') && is_plain {
            assert_eq!(allows(one, path), allows(other, path), "{} {path:?}", dialect.name);
        }
    }
});
