//! Rules that apply to some origins only: WWW::RobotRules reads a server in a rule's value.

use std::cell::OnceCell;

use crate::address;
use crate::steps;

/// The origin of the URL that is checked, which is worked out once, and only if a rule names one.
#[derive(Default)]
pub(super) struct AskedOrigin(OnceCell<Option<String>>);

impl AskedOrigin {
    /// Returns it; `None` if the URL has none.
    pub(super) fn of(&self, url: &[u8]) -> Option<&String> {
        self.0.get_or_init(|| address::origin(url).ok()).as_ref()
    }
}

/// Returns the origins that the rule applies to whose pattern begins at a position; none if it applies
/// to all.
pub(super) fn of_rule(origins: &[(u32, Vec<String>)], start: u32) -> &[String] {
    steps::count(1);
    let place = origins.binary_search_by_key(&start, |(start, _)| *start);
    place.map_or(&[], |place| &origins[place].1)
}
