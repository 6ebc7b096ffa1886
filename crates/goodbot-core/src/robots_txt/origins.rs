//! Rules that apply to some origins only: WWW::RobotRules reads a server in a rule's value.

use crate::steps;
use std::cell::OnceCell;

use crate::address;

use super::rules::{Ranked, Rules};
use super::table::flag;

/// The origin of the URL that is checked, which is worked out once, and only if a rule names one.
#[derive(Default)]
pub(super) struct AskedOrigin(OnceCell<Option<String>>);

impl AskedOrigin {
    /// Returns it; `None` if the URL has none.
    pub(super) fn of(&self, url: &[u8]) -> Option<&String> {
        self.0.get_or_init(|| address::origin(url).ok()).as_ref()
    }
}

impl Rules {
    /// Whether the rule whose pattern begins at a position applies to the URL's origin. A URL
    /// without an origin is assumed to belong to the file's site, so the rule applies to it.
    pub(super) fn is_for_origin(&self, start: u32, origin: Option<&String>) -> bool {
        let origins = self.origins_of(start);
        !origins.is_empty() && origin.is_none_or(|origin| origins.contains(origin))
    }

    /// Whether a rule of this reading applies to the URLs of an origin.
    pub(crate) fn applies_to(&self, rule: &Ranked, origin: &str) -> bool {
        let is_for_all = rule.flags & flag::ORIGIN == 0;
        is_for_all || self.origins_of(rule.start).iter().any(|named| named == origin)
    }

    /// Returns the rules of this reading that apply to some origins only: where their patterns
    /// begin, and the origins.
    pub(crate) fn of_origins(&self) -> &[(u32, Vec<String>)] {
        self.extras.as_ref().map_or(&[], |extras| &extras.origins)
    }

    /// Returns the origins that the rule applies to whose pattern begins at a position; none if it
    /// applies to all.
    fn origins_of(&self, start: u32) -> &[String] {
        let origins = self.of_origins();
        steps::count(1);
        let place = origins.binary_search_by_key(&start, |(start, _)| *start);
        place.map_or(&[], |place| &origins[place].1)
    }
}
