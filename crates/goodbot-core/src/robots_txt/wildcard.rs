//! Patterns with wildcards.
//!
//! A pattern is a sequence of literal pieces between stars. The leftmost position of each piece
//! after the previous one is always as good as any other, so no position is tried twice: a match
//! costs at most the length of the pattern plus the length of the path, however many stars there
//! are.

use crate::steps;
use memchr::{memchr, memmem};

use crate::sent_path::has;

use super::words::{HIGHS, LOWS};

/// Whether a path matches a pattern in which `*` is any run of bytes.
///
/// The pattern begins where the path begins (RFC 9309 section 2.2.2); with `whole` it also ends
/// where the path ends (section 2.2.3, `$`).
pub(crate) fn matches(pattern: &[u8], path: &[u8], whole: bool) -> bool {
    steps::count(1);
    if differ_at_once(pattern, path) {
        return false;
    }
    let Some(star) = memchr(b'*', pattern) else {
        return if whole { path == pattern } else { path.starts_with(pattern) };
    };
    let Some(mut path) = path.strip_prefix(&pattern[..star]) else { return false };
    let mut pattern = &pattern[star + 1..];
    steps::count(pattern.len());
    while let Some(star) = memchr(b'*', pattern) {
        let piece = &pattern[..star];
        let Some(at) = find(path, piece) else { return false };
        path = &path[at + piece.len()..];
        pattern = &pattern[star + 1..];
    }
    if whole { path.ends_with(pattern) } else { find(path, pattern).is_some() }
}

/// Whether the first bytes of a pattern, up to a star, are not those of a path: one comparison excludes
/// most patterns. It may answer no wrongly, but never yes.
#[inline]
fn differ_at_once(pattern: &[u8], path: &[u8]) -> bool {
    let (Some(own), Some(other)) = (pattern.first_chunk(), path.first_chunk()) else {
        return false;
    };
    let (own, other) = (u64::from_le_bytes(*own), u64::from_le_bytes(*other));
    // The highest bit of each byte that is a star; above the first one, others may have it, too.
    let apart = own ^ (LOWS * u64::from(b'*'));
    let stars = apart.wrapping_sub(LOWS) & !apart & HIGHS;
    let first = stars & stars.wrapping_neg();
    let before = if stars == 0 { u64::MAX } else { (first >> 7) - 1 };
    (own ^ other) & before != 0
}

/// Returns the bytes that a text has, as a set of their classes. A pattern whose set is not a subset of
/// a path's set cannot match the path (`Needed`).
#[inline]
pub(crate) fn octet_set(text: &[u8]) -> u32 {
    let pairs = text.chunks_exact(2);
    let rest = pairs.remainder().first().map_or(0, |octet| SETS[usize::from(*octet)]);
    // Two independent sets avoid waiting on each other.
    let (one, other) = pairs.fold((rest, 0), |(one, other), pair| {
        (one | SETS[usize::from(pair[0])], other | SETS[usize::from(pair[1])])
    });
    one | other
}

/// What a path must have to match a pattern.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Needed {
    /// The classes of bytes; none if the pattern has stars only.
    pub(crate) set: u32,
    /// Where the pattern has a byte that few paths have.
    rare: u8,
}

impl Needed {
    /// How many bytes it takes.
    pub(crate) const SIZE: usize = size_of::<u32>() + 1;

    /// Returns what a path must have to match a pattern.
    pub(crate) fn of(pattern: &[u8]) -> Needed {
        let mut needed = Needed { set: 0, rare: 0 };
        let mut rarest = u32::MAX;
        for (place, octet) in pattern.iter().enumerate().filter(|(_, octet)| **octet != b'*') {
            let class = SETS[usize::from(*octet)];
            needed.set |= class;
            // The first classes are the rarest.
            if class < rarest
                && let Ok(place) = u8::try_from(place)
            {
                (rarest, needed.rare) = (class, place);
            }
        }
        needed
    }

    pub(crate) fn to_bytes(self) -> [u8; Needed::SIZE] {
        let [one, two, three, four] = self.set.to_le_bytes();
        [one, two, three, four, self.rare]
    }

    #[inline]
    pub(crate) fn from_bytes([one, two, three, four, rare]: [u8; Needed::SIZE]) -> Needed {
        Needed { set: u32::from_le_bytes([one, two, three, four]), rare }
    }

    /// Whether a path has the rare byte of a pattern, and beside it the bytes that the pattern has there.
    #[inline]
    #[expect(
        clippy::needless_bitwise_bool,
        reason = "without branches many bytes are compared at once"
    )]
    pub(crate) fn has_rare(self, pattern: &[u8], path: &[u8]) -> bool {
        let place = usize::from(self.rare);
        let Some(&rare) = pattern.get(place).filter(|octet| **octet != b'*') else { return true };
        let fixed = |place: usize| pattern.get(place).filter(|octet| **octet != b'*');
        match (place.checked_sub(1).and_then(fixed), fixed(place + 1)) {
            (_, Some(&after)) => has(path, 0, |one, other| (one == rare) & (other == after)),
            (Some(&before), None) => has(path, 0, |one, other| (one == before) & (other == rare)),
            (None, None) => memchr(rare, path).is_some(),
        }
    }
}

/// The classes of bytes, the rarest in paths first. Signs that tell paths apart and frequent letters have
/// a class of their own; the case of letters does not count. All other bytes have a class before these.
const CLASSES: [&[u8]; 31] = [
    b"+",
    b",",
    b"%",
    b"&",
    b"=",
    b"?",
    b"_",
    b"jqxz",
    b"kw",
    b"vy",
    b"f",
    b"bg",
    b"h",
    b".",
    b"u",
    b"m",
    b"d",
    b"p",
    b"l",
    b"c",
    b"n",
    b"0123456789",
    b"o",
    b"r",
    b"i",
    b"s",
    b"t",
    b"a",
    b"e",
    b"-",
    b"/",
];

/// The set of each byte alone.
const SETS: [u32; 256] = sets();

const fn sets() -> [u32; 256] {
    let mut sets = [1; 256];
    let mut class = 0;
    while class < CLASSES.len() {
        let mut place = 0;
        while place < CLASSES[class].len() {
            let octet = CLASSES[class][place];
            sets[octet as usize] = 2 << class;
            sets[octet.to_ascii_uppercase() as usize] = 2 << class;
            place += 1;
        }
        class += 1;
    }
    sets
}

/// Below this many bytes, a simple search beats the setup cost of a linear one.
const SHORT: usize = 64;

/// Returns the first position of a piece in a path.
fn find(path: &[u8], piece: &[u8]) -> Option<usize> {
    let found = match piece {
        [] => return Some(0),
        [octet] => memchr(*octet, path),
        _ if path.len() < SHORT => path.windows(piece.len()).position(|window| window == piece),
        _ => memmem::find(path, piece),
    };
    steps::searched(found, path.len())
}

/// Whether a path matches a shell pattern: `*`, `?`, `[set]`, `[!set]`, `\x`.
///
/// This is an option (`star = shell`): the final page of Conner's proposal, which is lost, is said
/// to have had these. It costs at most the length of the pattern times the length of the path.
pub(crate) fn matches_shell(pattern: &[u8], path: &[u8], whole: bool) -> bool {
    // After the last `]` a `[` opens no set, so its end need not be searched for.
    let sets = memchr::memrchr(b']', pattern).unwrap_or(0);
    let (mut at, mut place) = (0, 0);
    // Where to continue when the bytes after the last star do not match.
    let mut retry = None;
    loop {
        steps::count(1);
        if at == pattern.len() {
            if !whole || place == path.len() {
                return true;
            }
        } else if pattern[at] == b'*' {
            at += 1;
            retry = Some((at, place));
            continue;
        } else if place < path.len() {
            let (matched, length) = one_of(&pattern[at..], at < sets, path[place]);
            if matched {
                at += length;
                place += 1;
                continue;
            }
        }
        let Some((star, from)) = retry else { return false };
        if from >= path.len() {
            return false;
        }
        (at, place) = (star, from + 1);
        retry = Some((star, from + 1));
    }
}

/// Returns whether a byte matches the pattern's next element, and the length of the element; `sets`
/// says whether the pattern may still contain the end of a set.
fn one_of(pattern: &[u8], sets: bool, octet: u8) -> (bool, usize) {
    match pattern {
        [b'?', ..] => (true, 1),
        [b'\\', literal, ..] => (*literal == octet, 2),
        [b'[', set @ ..] if sets => match end_of_set(set) {
            Some(length) => (in_set(&set[..=length], octet), length + 3),
            None => (octet == b'[', 1),
        },
        [literal, ..] => (*literal == octet, 1),
        [] => (false, 0),
    }
}

/// Returns where a set ends, counted from its second byte.
fn end_of_set(set: &[u8]) -> Option<usize> {
    steps::searched(set.iter().skip(1).position(|end| *end == b']'), set.len())
}

fn in_set(set: &[u8], octet: u8) -> bool {
    let (negated, set) = match set {
        [b'!' | b'^', rest @ ..] if !rest.is_empty() => (true, rest),
        _ => (false, set),
    };
    let mut at = 0;
    let mut found = false;
    while at < set.len() {
        if set.get(at + 1) == Some(&b'-') && at + 2 < set.len() {
            found |= (set[at]..=set[at + 2]).contains(&octet);
            at += 3;
        } else {
            found |= set[at] == octet;
            at += 1;
        }
    }
    found != negated
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Tries every way of matching: the simple reference.
    fn slow(pattern: &[u8], path: &[u8], whole: bool) -> bool {
        match pattern {
            [] => !whole || path.is_empty(),
            [b'*', rest @ ..] => (0..=path.len()).any(|from| slow(rest, &path[from..], whole)),
            [octet, rest @ ..] => path.first() == Some(octet) && slow(rest, &path[1..], whole),
        }
    }

    proptest! {
        #[test]
        fn the_reference_agrees(pattern in "[/ab*]{0,14}", path in "/[/ab]{0,12}", whole: bool) {
            let (pattern, path) = (pattern.as_bytes(), path.as_bytes());
            prop_assert_eq!(matches(pattern, path, whole), slow(pattern, path, whole));
            prop_assert_eq!(matches_shell(pattern, path, whole), slow(pattern, path, whole));
        }

        #[test]
        fn the_reference_agrees_on_long_paths(pattern in "/?([ab]{1,3}\\*){0,4}[ab]{0,3}", path in "/[ab]{60,200}", whole: bool) {
            let (pattern, path) = (pattern.as_bytes(), path.as_bytes());
            prop_assert_eq!(matches(pattern, path, whole), slow(pattern, path, whole));
        }

        #[test]
        fn any_shell_pattern_is_safe(pattern: Vec<u8>, path: Vec<u8>, whole: bool) {
            matches_shell(&pattern, &path, whole);
        }
    }

    proptest! {
        /// What matches has the bytes needed: the set never rules out a match.
        #[test]
        fn a_match_has_what_is_needed(pattern in "/[ -~]{0,6}\\*[ -~]{0,3}", path in "/[ -~]{0,30}") {
            let (pattern, path) = (pattern.as_bytes(), path.as_bytes());
            let needed = Needed::of(pattern);
            if matches(pattern, path, false) {
                prop_assert_eq!(needed.set & !octet_set(path), 0);
                prop_assert!(needed.has_rare(pattern, path));
            }
            prop_assert_eq!(Needed::from_bytes(needed.to_bytes()), needed);
        }
    }

    #[test]
    fn shell_elements_match() {
        let of =
            |pattern: &str, path: &str| matches_shell(pattern.as_bytes(), path.as_bytes(), true);
        assert!(of("/a?c", "/abc") && !of("/a?c", "/ac"));
        assert!(of("/[a-c]x", "/bx") && !of("/[a-c]x", "/dx") && of("/[!a-c]x", "/dx"));
        assert!(of("/\\*", "/*") && !of("/\\*", "/a"));
        assert!(of("/[", "/["));
    }
}
