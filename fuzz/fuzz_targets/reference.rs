//! A URL, a NUL and a file: the engine agrees with the reference in every dialect.
#![no_main]

use std::sync::Arc;

use goodbot_core::{RobotsTxt, dialects};
use libfuzzer_sys::fuzz_target;

#[path = "../../crates/goodbot-core/tests/reference/mod.rs"]
mod reference;

fuzz_target!(|input: &[u8]| {
    let Some(at) = input.iter().position(|byte| *byte == 0) else { return };
    let (url, text) = (&input[..at], &input[at + 1..]);
    for dialect in dialects::DIALECTS.iter() {
        let rules = RobotsTxt::parse(text, Arc::clone(dialect)).rules_for("foo").expect("a name");
        let expected = reference::allows(text, dialect, "foo", url);
        assert_eq!(
            rules.allows(url),
            expected,
            "{}\nlet text = b\"{}\";\nlet url = b\"{}\";",
            dialect.name,
            text.escape_ascii(),
            url.escape_ascii(),
        );
    }
});
