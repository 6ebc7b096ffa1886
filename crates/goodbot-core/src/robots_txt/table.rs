//! The table of one robot's rules, and how it is searched.
//!
//! Of the rules that match, the one with the lowest rank decides. Of few rules (`few`), all are tried
//! whose patterns may begin as the path does (`codes`); more are found by an index (`index`), once that
//! pays (`large`). A check costs
//! at most the sum over the rules of (length of the pattern + length of the URL).

mod builder;
mod codes;
mod entries;
mod few;
mod index;
mod large;
mod literals;
mod rows;
mod tree;

use std::cell::Cell;

use crate::packed::{Packed, packed};
use crate::target::Paths;

use super::wildcard::{self, Needed};

pub(crate) use self::builder::Builder;
use self::codes::codes_of;
use self::entries::{Narrow, Wide};
use self::few::Few;
use self::large::Large;
use self::rows::first_spellings;
pub(crate) use self::rows::pattern_matches;
pub(crate) use self::tree::Tree;

/// Properties of a rule besides its pattern, as bits.
pub(crate) mod flag {
    /// It allows.
    pub(crate) const ALLOW: u16 = 1;
    /// Its pattern has a wildcard.
    pub(crate) const WILD: u16 = 1 << 1;
    /// It must match up to the end of the path.
    pub(crate) const WHOLE: u16 = 1 << 2;
    /// It is written with a `$` at its end.
    pub(crate) const DOLLAR: u16 = 1 << 3;
    /// It is written with a `*` at its end, which is not stored.
    pub(crate) const TRAILING_STAR: u16 = 1 << 4;
    /// It has a `?`, after which slashes may be unescaped.
    pub(crate) const QUERY: u16 = 1 << 5;
    /// It applies only to the origin of its value.
    pub(crate) const ORIGIN: u16 = 1 << 6;
    /// Its field is written in lower case.
    pub(crate) const LOWER: u16 = 1 << 7;
    /// No space follows its colon.
    pub(crate) const NO_SPACE: u16 = 1 << 8;
    /// Its line is kept as written, because it cannot be rebuilt from its parts.
    pub(crate) const WRITTEN: u16 = 1 << 9;
    /// Its pattern is a shell pattern.
    pub(crate) const SHELL: u16 = 1 << 10;
    /// It is compared with the path whose query is unescaped, and only with that.
    pub(crate) const OPENED: u16 = 1 << 11;
    /// Its pattern is stored without its leading `/`.
    pub(crate) const ROOTED: u16 = 1 << 12;
    /// It is a second spelling of the rule before it.
    pub(crate) const ALSO: u16 = 1 << 13;
    /// It is one of several paths of its line.
    pub(crate) const PART: u16 = 1 << 14;
}

/// Up to how many patterns that are tried on every path a rare byte is searched for each.
const MOST_SEARCHED: usize = 2;

/// The bytes before a pattern with a wildcard, which say what a path needs to match it.
const NEEDED: usize = Needed::SIZE;

/// The rules of one robot.
#[derive(Debug, PartialEq)]
pub(crate) struct Table {
    rules: Kept,
}

packed!(Table { rules });

/// How the rules are stored: always in the order of the file.
#[derive(Debug, PartialEq)]
enum Kept {
    /// In one block of memory.
    Few(Few),
    /// With an index, once it pays.
    Large(Box<Indexed>),
}

/// Rules with an index: as few bytes for each as the file permits.
#[derive(Debug, PartialEq)]
enum Indexed {
    Narrow(Large<Narrow, u16>),
    /// In a file of more than 64 KiB or 65,535 lines.
    Wide(Large<Wide, u32>),
}

/// The bytes of a rule in a large table, with its place in the index.
const BYTES_OF_LARGE: usize = 48;

impl Table {
    /// Returns about how many bytes it takes in memory besides its own.
    pub(crate) fn size(&self) -> usize {
        match &self.rules {
            Kept::Few(few) => few.size(),
            Kept::Large(large) => match &**large {
                Indexed::Narrow(large) => large.rows().size(BYTES_OF_LARGE),
                Indexed::Wide(large) => large.rows().size(BYTES_OF_LARGE),
            },
        }
    }

    /// Reads its beginning.
    #[inline]
    pub(crate) fn prefetch(&self) -> u8 {
        match &self.rules {
            Kept::Few(few) => few.prefetch(),
            Kept::Large(_) => 0,
        }
    }
}

impl Packed for Kept {
    fn pack(&self, into: &mut Vec<u8>) {
        match self {
            Kept::Few(few) => {
                0_u8.pack(into);
                few.pack(into);
            }
            Kept::Large(large) => match &**large {
                Indexed::Narrow(large) => {
                    1_u8.pack(into);
                    large.pack(into);
                }
                Indexed::Wide(large) => {
                    2_u8.pack(into);
                    large.pack(into);
                }
            },
        }
    }

    fn unpack(from: &mut &[u8]) -> Option<Self> {
        Some(match u8::unpack(from)? {
            0 => Kept::Few(Packed::unpack(from)?),
            1 => Kept::Large(Box::new(Indexed::Narrow(Packed::unpack(from)?))),
            _ => Kept::Large(Box::new(Indexed::Wide(Packed::unpack(from)?))),
        })
    }
}

/// A rule of a table.
#[derive(Clone, Copy)]
pub(crate) struct Row<'a> {
    /// Where its pattern begins: these positions follow the order of the file.
    pub(crate) start: u32,
    pub(crate) line: u32,
    pub(crate) rank: u32,
    pub(crate) flags: u16,
    /// The pattern in the spelling that is compared, without the `/` that [`flag::ROOTED`] implies.
    pub(crate) kept: &'a [u8],
}

/// Whether a rule has a wildcard, including one at its end.
pub(crate) fn is_wild(flags: u16) -> bool {
    flags & (flag::WILD | flag::TRAILING_STAR) != 0
}

/// The URL that is being checked.
pub(crate) struct Asked<'a> {
    paths: Paths<'a>,
    /// The bytes of the path, computed when a rule first needs them; every path has a `/`, so 0
    /// means not yet.
    octets: Cell<u32>,
    /// Whether a rare byte of each pattern is searched instead.
    searches: Cell<bool>,
}

impl<'a> Asked<'a> {
    #[inline]
    pub(crate) fn new(paths: Paths<'a>) -> Asked<'a> {
        Asked { paths, octets: Cell::new(0), searches: Cell::new(false) }
    }

    /// Whether the path has what a pattern needs.
    #[inline]
    fn may_match(&self, needed: Needed, pattern: &[u8]) -> bool {
        if self.searches.get() {
            return needed.has_rare(pattern, self.paths.plain);
        }
        if self.octets.get() == 0 {
            self.octets.set(wildcard::octet_set(self.paths.plain));
        }
        needed.set & !self.octets.get() == 0
    }
}

/// The rule that decides: its place, its line, and whether it allows.
pub(crate) type Deciding = (usize, u32, bool);

/// Evaluates an expression on the rules of a table, in whichever form it has them.
macro_rules! on_rows {
    ($table:expr, $rows:ident => $answer:expr) => {
        match &$table.rules {
            Kept::Few(few) => {
                let $rows = few.rows();
                $answer
            }
            Kept::Large(large) => match &**large {
                Indexed::Narrow(large) => {
                    let $rows = large.rows();
                    $answer
                }
                Indexed::Wide(large) => {
                    let $rows = large.rows();
                    $answer
                }
            },
        }
    };
}

impl Table {
    /// Returns how many rules and second spellings there are.
    pub(crate) fn len(&self) -> usize {
        on_rows!(self, rows => rows.entries.len())
    }

    /// Returns the positions of all rules, in the order of the file; a rule with two spellings has one.
    pub(crate) fn rules(&self) -> Vec<usize> {
        on_rows!(self, rows => first_spellings(rows.entries))
    }

    /// Returns the rule that decides. `for_origin` says whether the rule whose pattern begins at a
    /// position applies to the URL's origin.
    #[inline]
    pub(crate) fn decide(
        &self,
        asked: &Asked<'_>,
        for_origin: impl Fn(u32) -> bool,
    ) -> Option<Deciding> {
        let codes = codes_of(asked.paths.plain);
        match &self.rules {
            Kept::Few(few) => few.decide(codes, asked, &for_origin),
            Kept::Large(large) => match &**large {
                Indexed::Narrow(large) => large.decide(codes, asked, &for_origin),
                Indexed::Wide(large) => large.decide(codes, asked, &for_origin),
            },
        }
    }

    /// Returns the tree of the rules, for [`Table::decide_by`].
    pub(crate) fn tree(&self) -> Tree {
        Tree::new((0..self.len()).map(|place| self.row(place)))
    }

    /// Decides as [`Table::decide`] does, by the tree of the table.
    #[inline]
    pub(crate) fn decide_by(
        &self,
        tree: &Tree,
        asked: &Asked<'_>,
        for_origin: impl Fn(u32) -> bool,
    ) -> Option<Deciding> {
        asked.searches.set(tree.tried_on_all() <= MOST_SEARCHED);
        on_rows!(self, rows => {
            let matches = |place| rows.matches(place, asked, &for_origin);
            let Paths { plain, open_query } = asked.paths;
            rows.deciding(tree.first(rows.entries, plain, open_query.is_none(), matches))
        })
    }

    /// Returns the positions of all rules that match.
    pub(crate) fn matching(
        &self,
        asked: &Asked<'_>,
        for_origin: impl Fn(u32) -> bool,
    ) -> Vec<usize> {
        on_rows!(self, rows => rows.matching(asked, &for_origin))
    }

    /// Returns a rule of the table.
    pub(crate) fn row(&self, place: usize) -> Row<'_> {
        on_rows!(self, rows => rows.row(place))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::Dialect;
    use crate::dialects;
    use proptest::prelude::*;

    fn rule() -> impl Strategy<Value = (String, u16)> {
        let pattern = "/(a|b|c|/|\\?|\\*|bcabcabcab){0,5}";
        let flags = prop::sample::select(vec![0, 0, 0, flag::WHOLE, flag::QUERY, flag::OPENED]);
        (pattern, flags, any::<bool>()).prop_map(|(pattern, flags, allow): (String, u16, bool)| {
            let wild = if pattern.contains('*') { flag::WILD } else { 0 };
            (pattern, flags | wild | u16::from(allow))
        })
    }

    fn table(dialect: &Dialect, rules: &[(String, u16)], most_in_rows: usize, lines: u32) -> Table {
        let mut builder = Builder::new(dialect, rules.len(), 0);
        for (line, (pattern, flags)) in (lines..).zip(rules) {
            builder.push(pattern.as_bytes(), *flags, line, pattern.len());
        }
        builder.finish_with(most_in_rows)
    }

    proptest! {
        /// However rules are stored, the same one decides.
        #[test]
        fn an_index_finds_what_rows_find(
            rules in prop::collection::vec(rule(), 0..24),
            paths in prop::collection::vec("/?(a|b|c|/|\\?|bcabcabcab){0,6}", 1..8),
            open in prop::option::of("/(a|b|c|/|\\?){0,6}"),
            dialect in 0..11_usize,
        ) {
            let dialect = &dialects::DIALECTS[dialect];
            // Lines beyond 16 bits need the wide form.
            let tables = [(usize::MAX, 1), (0, 1), (0, 100_000)]
                .map(|(most_in_rows, lines)| table(dialect, &rules, most_in_rows, lines));
            // Again and again, so that an index is made in between.
            for path in std::iter::repeat_n(&paths, 20).flatten() {
                let paths = Paths { plain: path.as_bytes(), open_query: open.as_deref().map(str::as_bytes) };
                let places = tables.each_ref().map(|table| {
                    let decided = table.decide(&Asked::new(paths), |_| true);
                    decided.map(|(place, _, allowed)| (place, allowed))
                });
                prop_assert_eq!(places[0], places[1]);
                prop_assert_eq!(places[0], places[2]);
            }
        }

        /// The tree finds the rule that decides, also where the paths of URLs differ after the `?`.
        #[test]
        fn a_tree_finds_what_rows_find(
            rules in prop::collection::vec(long_rule(), 0..24),
            stem in "/?(a|b|c|/|abcabcabcabc){0,5}",
            tails in prop::option::of(("(a|b|/|\\?){0,4}", prop::option::of("(a|b|/|\\?){0,4}"))),
            dialect in 0..11_usize,
        ) {
            let dialect = &dialects::DIALECTS[dialect];
            let written = |tail: &str| format!("{stem}?{tail}").into_bytes();
            let plain = tails.as_ref().map_or(stem.clone().into_bytes(), |(tail, _)| written(tail));
            let open = tails.and_then(|(_, tail)| tail).map(|tail| written(&tail));
            let asked = Asked::new(Paths { plain: &plain, open_query: open.as_deref() });
            let for_origin = |start: u32| start.is_multiple_of(2);
            for lines in [1, 100_000] {
                let table = table(dialect, &rules, usize::MAX, lines);
                let by_tree = table.decide_by(&table.tree(), &asked, for_origin);
                prop_assert_eq!(by_tree, table.decide(&asked, for_origin));
            }
        }
    }

    fn long_rule() -> impl Strategy<Value = (String, u16)> {
        let pattern = "/(a|b|c|/|\\?|\\*|abcabcabcab){0,5}";
        let special = [0, 0, 0, flag::WHOLE, flag::QUERY, flag::OPENED, flag::ORIGIN, flag::SHELL];
        (pattern, prop::sample::select(special.to_vec()), any::<bool>()).prop_map(
            |(pattern, special, allow): (String, u16, bool)| {
                let wild = if pattern.contains('*') { flag::WILD } else { 0 };
                let query = if pattern.contains('?') { flag::QUERY } else { 0 };
                (pattern, special | wild | query | u16::from(allow))
            },
        )
    }
}
