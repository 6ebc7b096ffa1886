//! Any bytes as a URL: an answer in every dialect, an origin or an error, and the path alone has
//! the same answer as the whole URL.
#![no_main]

use std::sync::Arc;

use goodbot_core::{RobotsTxt, address, dialects};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|url: &[u8]| {
    if let (Ok(origin), Ok(address)) = (address::origin(url), address::robots_txt_url(url)) {
        assert_eq!(address, format!("{origin}/robots.txt"));
        assert_eq!(address::origin(origin.as_bytes()), Ok(origin));
    }
    let reference = address::escaped(url);
    if let Ok(found) = address::resolve(Some("https://example.com/a/b"), &reference) {
        assert_eq!(address::address(&found.url).as_ref(), Ok(&found));
        assert_eq!(address::origin(found.url.as_bytes()).as_ref(), Ok(&found.origin));
    }
    let text = b"User-agent: *\nDisallow: /a\nDisallow: /*?*b\nDisallow: /%2F$\nAllow: /a/*c\n";
    let is_path = url.first() == Some(&b'/') && url.get(1) != Some(&b'/');
    let whole = [b"https://example.com", url].concat();
    for dialect in dialects::DIALECTS.iter() {
        let rules = RobotsTxt::parse(text, Arc::clone(dialect)).rules_for("ExampleBot").expect("a name");
        let allowed = rules.allows(url);
        if is_path {
            assert_eq!(allowed, rules.allows(&whole), "{}: {}", dialect.name, url.escape_ascii());
        }
    }
});
