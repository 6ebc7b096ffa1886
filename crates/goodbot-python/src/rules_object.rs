//! The Python class of rules without its methods: verdicts hold it, and its methods create verdicts.

use goodbot_core::robots_txt as core;
use pyo3::prelude::*;

/// What one robot must obey, literally: the rules that a file has for one name. It is self-contained: the
/// file need not be kept.
///
/// Created by `RobotsTxt.rules_for`. Its length is the number of rules, and you can iterate over
/// it.
///
/// >>> import goodbot
/// >>> rules = goodbot.RobotsTxt("User-agent: *\nDisallow: /a\nCrawl-delay: 2.5").rules_for("ExampleBot")
/// >>> rules.allows("https://example.com/a"), rules.crawl_delay, [rule.text for rule in rules]
/// (False, 2.5, ['Disallow: /a'])
///
/// Source: RFC 9309 section 2.2, or the documents of the dialect.
#[pyclass(frozen, module = "goodbot")]
pub(crate) struct Rules {
    pub(crate) inner: core::Rules,
}

impl From<core::Rules> for Rules {
    fn from(inner: core::Rules) -> Rules {
        Rules { inner }
    }
}
