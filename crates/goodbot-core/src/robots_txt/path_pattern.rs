//! Paths of fields that are no rules, in the pattern language of RFC 9309 section 2.2.3.

use crate::dialects;
use crate::escape::{Form, Side};
use crate::target::{Scratch, Target};

use super::table::{flag, pattern_matches};

/// A path pattern; the empty one matches every URL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PathPattern {
    pattern: Box<[u8]>,
    flags: u16,
    /// How long it is, for "most octets".
    pub(crate) octets: usize,
}

impl PathPattern {
    pub(crate) fn read(path: &[u8]) -> PathPattern {
        let mut flags = 0;
        let mut rest = path;
        if let [body @ .., b'$'] = path {
            rest = body;
            flags |= flag::WHOLE;
        }
        if rest.contains(&b'*') {
            flags |= flag::WILD;
        }
        let form = Form::of(&dialects::RFC_9309);
        let mut pattern = Vec::new();
        form.write(rest, Side::Pattern, false, &mut pattern);
        let octets = form.octets(&pattern) + path.len() - rest.len();
        PathPattern { pattern: pattern.into(), flags, octets }
    }

    pub(crate) fn matches(&self, url: &[u8]) -> bool {
        let mut scratch = Scratch::default();
        let paths = Target::new(url).paths(&dialects::RFC_9309, &mut scratch);
        pattern_matches(&self.pattern, self.flags, paths.plain)
    }
}
