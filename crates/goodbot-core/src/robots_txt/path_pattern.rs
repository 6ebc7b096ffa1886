//! Path patterns of fields other than rules, in the pattern language of RFC 9309 section 2.2.3.

use crate::dialects;
use crate::escape::{Form, Side};
use crate::packed::packed;
use crate::steps;
use crate::target::{Paths, Scratch, Target};

use super::table::{flag, pattern_matches};

/// A path pattern; the empty one matches every URL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PathPattern {
    pattern: Box<[u8]>,
    /// The pattern with its query unescaped (RFC 9309 section 2.2.2, Figure 4), if that differs.
    open: Option<Box<[u8]>>,
    flags: u16,
    /// Its length, for "most bytes".
    pub(crate) octets: usize,
}

packed!(PathPattern { pattern, open, flags, octets });

/// Returns the bytes of a path pattern that matches a URL, for "most bytes"; `None` if it does not match.
#[must_use]
pub fn matching_octets(pattern: &[u8], url: &[u8]) -> Option<usize> {
    let (mut room, mut scratch) = (Vec::new(), Scratch::default());
    let pattern = PathPattern::read(pattern);
    pattern.matches(PathPattern::paths(url, &mut room, &mut scratch)).then_some(pattern.octets)
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
        let written = |query: bool| {
            let mut pattern = Vec::new();
            form.write(rest, Side::Pattern, query, &mut pattern);
            pattern
        };
        let pattern = written(false);
        let open = written(true);
        let octets = form.octets(&pattern) + path.len() - rest.len();
        let open = (open != pattern).then(|| open.into());
        PathPattern { pattern: pattern.into(), open, flags, octets }
    }

    /// Returns the paths of a URL that patterns are compared with; `room` is a buffer for the URL
    /// as sent, if it differs.
    pub(crate) fn paths<'a>(
        url: &'a [u8],
        room: &'a mut Vec<u8>,
        scratch: &'a mut Scratch,
    ) -> Paths<'a> {
        Target::new(url).judged(&dialects::RFC_9309, room).paths(&dialects::RFC_9309, scratch)
    }

    /// Whether it matches a URL's path, in either spelling, as a rule would.
    pub(crate) fn matches(&self, paths: Paths<'_>) -> bool {
        steps::count(1);
        let Paths { plain, open_query } = paths;
        let open = self.open.as_ref().unwrap_or(&self.pattern);
        pattern_matches(&self.pattern, self.flags, plain)
            || pattern_matches(open, self.flags, open_query.unwrap_or(plain))
    }
}
