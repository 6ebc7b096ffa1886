//! The sites to which different rules apply.
//!
//! WWW::RobotRules resolves a rule's value against the address of robots.txt, so that one with a server
//! in it (`//h/a`, `http://h/a`) applies to the URLs of that server only. Rules with such values are
//! a set of rules for each server that they name, and one more for all others.

use std::collections::{BTreeMap, BTreeSet};

use crate::robots_txt::Rules;

/// The site of the examples that are written as a path.
const SITE: &str = "https://example.com";

/// A site that stands for all to which the same rules apply.
pub(super) struct Site {
    /// Its origin.
    pub(super) origin: String,
    /// Whether it matters to an example which site it is of.
    is_shown: bool,
}

impl Site {
    /// Returns the URL of a path. Two slashes at the beginning of a path alone would begin a host.
    pub(super) fn url(&self, path: &[u8]) -> Vec<u8> {
        [self.origin.as_bytes(), path].concat()
    }

    /// Returns an example: a path, or a URL if it depends on the site.
    pub(super) fn example(&self, path: &[u8]) -> String {
        let path = String::from_utf8_lossy(path);
        if self.is_shown { format!("{}{path}", self.origin) } else { path.into_owned() }
    }
}

/// The origins that rules name, and which rules do: the number of the reading, and where they begin.
type Named<'a> = BTreeMap<&'a str, Vec<(usize, u32)>>;

/// Returns a site for all that no rule names, and then one for each set of rules that name some.
///
/// Sites are reached by HTTP: a rule that names a server of another scheme decides nothing there.
pub(super) fn sites(sides: &[&Rules]) -> Vec<Site> {
    let named = named(sides);
    let origin = unnamed(&named);
    let mut found = vec![Site { is_shown: origin != SITE, origin }];
    let mut known = BTreeSet::new();
    for (origin, rules) in named {
        let is_http = origin.starts_with("http://") || origin.starts_with("https://");
        if is_http && known.insert(rules) {
            found.push(Site { origin: origin.to_owned(), is_shown: true });
        }
    }
    found
}

fn named<'a>(sides: &[&'a Rules]) -> Named<'a> {
    let mut named = Named::new();
    for (number, reading) in sides.iter().flat_map(|side| side.readings()).enumerate() {
        for (start, origins) in reading.of_origins() {
            for origin in origins {
                named.entry(origin).or_default().push((number, *start));
            }
        }
    }
    named
}

/// Returns an origin that no rule names.
fn unnamed(named: &Named<'_>) -> String {
    let numbered = (1..=named.len()).map(|number| format!("https://{number}.example.com"));
    let mut sites = std::iter::once(SITE.to_owned()).chain(numbered);
    sites.find(|site| !named.contains_key(site.as_str())).unwrap_or_default()
}
