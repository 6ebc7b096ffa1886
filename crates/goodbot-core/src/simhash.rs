//! Texts that are nearly the same: a hash of 64 bits that changes little when a text changes little,
//! and the groups of texts whose hashes differ in few bits.
//!
//! Source: Charikar, Similarity Estimation Techniques from Rounding Algorithms, 2002; Manku, Jain and
//! Sarma, Detecting Near-Duplicates for Web Crawling, 2007 (64 bits, of which at most 3 differ).

use std::collections::HashMap;

/// In how many bits the hashes of texts that are nearly the same may differ.
pub const DISTANCE: u32 = 3;

/// How many words are gathered before those that occur again are removed; a text with more than half
/// as many different words is compared by its beginning.
const MOST_GATHERED: usize = 1 << 16;

/// Parts of a hash: of texts that are nearly the same, at least one part is equal.
const BANDS: usize = DISTANCE as usize + 1;
const BAND_BITS: usize = 64 / BANDS;

/// How many leaders with an equal part a hash is compared with: the latest. So the work
/// is linear in the number of pages, also if somebody sends pages whose hashes have equal parts.
const MOST_COMPARED: usize = 1_024;

/// Counts words, and computes the hash of a text from them.
///
/// Each different word counts once: in measurements on pages of some hundred words, a changed word
/// then changes fewer bits than if sequences of words were compared, or frequent words counted more.
#[derive(Debug, Default)]
pub struct Words {
    count: u32,
    /// The hashes of the words.
    gathered: Vec<u64>,
    is_full: bool,
}

impl Words {
    /// Adds a piece of the text; its beginning and its end are also those of words.
    pub fn add(&mut self, text: &str) {
        if text.is_ascii() {
            self.add_ascii(text.as_bytes());
        } else {
            self.add_any(text);
        }
    }

    /// Adds a piece of text in ASCII, as `add_any` does.
    fn add_ascii(&mut self, text: &[u8]) {
        let mut word = EMPTY;
        for byte in text {
            match LETTERS[usize::from(*byte)] {
                0 => {
                    self.end(word);
                    word = EMPTY;
                }
                b'\'' => {}
                letter => word = with(word, char::from(letter)),
            }
        }
        self.end(word);
    }

    fn add_any(&mut self, text: &str) {
        let mut word = EMPTY;
        for letter in text.chars() {
            if is_ideograph(letter) {
                self.end(word);
                self.end(with(EMPTY, letter));
                word = EMPTY;
            } else if letter.is_ascii_alphanumeric() {
                word = with(word, letter.to_ascii_lowercase());
            } else if letter.is_alphanumeric() {
                word = letter.to_lowercase().fold(word, with);
            } else if !is_within_words(letter) {
                self.end(word);
                word = EMPTY;
            }
        }
        self.end(word);
    }

    fn end(&mut self, word: u64) {
        if word == EMPTY {
            return;
        }
        self.count = self.count.saturating_add(1);
        if !self.is_full {
            self.gathered.push(mixed(word));
            if self.gathered.len() == MOST_GATHERED {
                self.drop_repeated();
                self.is_full = self.gathered.len() > MOST_GATHERED / 2;
            }
        }
    }

    fn drop_repeated(&mut self) {
        self.gathered.sort_unstable();
        self.gathered.dedup();
    }

    /// Returns how many words there are: sequences of letters and digits, or single ideographs.
    #[must_use]
    pub fn count(&self) -> u32 {
        self.count
    }

    /// Returns the hash of the text; `None` if it has no words.
    #[must_use]
    pub fn simhash(mut self) -> Option<u64> {
        if self.count == 0 {
            return None;
        }
        self.drop_repeated();
        let mut features = Features::default();
        self.gathered.iter().for_each(|word| features.add(*word));
        Some(features.hash())
    }
}

/// The offset of FNV-1a, which is also the hash of an empty word.
const EMPTY: u64 = 0xcbf2_9ce4_8422_2325;

/// Adds a letter to the hash of a word (FNV-1a): hashes are stored, so they must be the same in every
/// version and on every machine, which the hashers of the standard library do not promise.
fn with(word: u64, letter: char) -> u64 {
    (word ^ u64::from(u32::from(letter))).wrapping_mul(0x0100_0000_01b3)
}

/// What each byte of a text in ASCII is: a letter or digit in lower case, an apostrophe, which is within
/// words, or 0, which ends a word.
const LETTERS: [u8; 256] = {
    let mut table = [0; 256];
    let mut byte = 0_u8;
    while byte.is_ascii() {
        if byte.is_ascii_alphanumeric() || byte == b'\'' {
            table[byte as usize] = byte.to_ascii_lowercase();
        }
        byte += 1;
    }
    table
};

/// Spreads every bit over the whole hash (the last step of MurmurHash3).
fn mixed(mut hash: u64) -> u64 {
    hash = (hash ^ (hash >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    hash = (hash ^ (hash >> 33)).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    hash ^ (hash >> 33)
}

/// Whether a character is a word in writing that has no spaces between words.
fn is_ideograph(letter: char) -> bool {
    matches!(letter,
        '\u{3040}'..='\u{30FF}' | '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}'
        | '\u{F900}'..='\u{FAFF}' | '\u{20000}'..='\u{3FFFF}')
}

/// Whether a character neither ends a word nor belongs to it: apostrophes, soft hyphens, accents.
fn is_within_words(letter: char) -> bool {
    matches!(letter, '\'' | '\u{2019}' | '\u{AD}' | '\u{200C}' | '\u{200D}' | '\u{300}'..='\u{36F}')
}

/// Counts in how many features each bit is set: eight counters of 8 bits in each number, which are
/// emptied before they overflow.
#[derive(Debug)]
struct Features {
    lanes: [u64; 8],
    pending: u8,
    set: [u32; 64],
    count: u32,
}

impl Default for Features {
    fn default() -> Features {
        Features { lanes: [0; 8], pending: 0, set: [0; 64], count: 0 }
    }
}

impl Features {
    fn add(&mut self, feature: u64) {
        for (lane, byte) in self.lanes.iter_mut().zip(feature.to_le_bytes()) {
            *lane += SPREAD[usize::from(byte)];
        }
        self.pending += 1;
        if self.pending == u8::MAX {
            self.empty();
        }
    }

    fn empty(&mut self) {
        let counters = self.lanes.iter().flat_map(|lane| lane.to_le_bytes());
        for (set, counter) in self.set.iter_mut().zip(counters) {
            *set += u32::from(counter);
        }
        self.count += u32::from(self.pending);
        (self.lanes, self.pending) = ([0; 8], 0);
    }

    /// Returns the bits that are set in more than half of the features.
    fn hash(mut self) -> u64 {
        self.empty();
        let bits = self.set.iter().enumerate();
        bits.filter(|(_, set)| **set > self.count / 2).fold(0, |hash, (bit, _)| hash | 1 << bit)
    }
}

/// The bits of each byte, every one in a byte of its own.
const SPREAD: [u64; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut bit = 0;
        while bit < 8 {
            table[byte] |= ((byte as u64 >> bit) & 1) << (8 * bit);
            bit += 1;
        }
        byte += 1;
    }
    table
};

/// Groups hashes that differ in at most [`DISTANCE`] bits from the first of their group.
///
/// Returns the index of the first of its group for each hash, which is its own index for the first
/// itself. A hash joins the earliest group that it may join.
#[must_use]
pub fn near(hashes: &[u64]) -> Vec<usize> {
    let mut groups = Vec::with_capacity(hashes.len());
    let mut known: HashMap<u64, usize> = HashMap::with_capacity(hashes.len());
    let mut bands: [HashMap<u16, Leaders>; BANDS] = std::array::from_fn(|_| HashMap::new());
    for (index, hash) in hashes.iter().enumerate() {
        let group = *known.entry(*hash).or_insert_with(|| {
            let found = parts(*hash)
                .zip(&bands)
                .filter_map(|(part, band)| band.get(&part)?.first_near(*hash));
            let leader = found.min();
            if leader.is_none() {
                for (part, band) in parts(*hash).zip(&mut bands) {
                    band.entry(part).or_default().add(*hash, index);
                }
            }
            leader.unwrap_or(index)
        });
        groups.push(group);
    }
    groups
}

/// Returns the parts of a hash, one for each band.
#[allow(clippy::cast_possible_truncation, reason = "a part has as many bits as are kept")]
fn parts(hash: u64) -> impl Iterator<Item = u16> {
    (0..BANDS).map(move |band| (hash >> (band * BAND_BITS)) as u16)
}

/// The first hashes of groups that have one part in common: the latest [`MOST_COMPARED`] of them.
#[derive(Default)]
struct Leaders {
    latest: Vec<(u64, usize)>,
    oldest: usize,
}

impl Leaders {
    fn add(&mut self, hash: u64, index: usize) {
        if self.latest.len() < MOST_COMPARED {
            self.latest.push((hash, index));
        } else {
            self.latest[self.oldest] = (hash, index);
            self.oldest = (self.oldest + 1) % MOST_COMPARED;
        }
    }

    fn first_near(&self, hash: u64) -> Option<usize> {
        let is_near = |leader: &&(u64, usize)| (leader.0 ^ hash).count_ones() <= DISTANCE;
        self.latest.iter().filter(is_near).map(|leader| leader.1).min()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(text: &str) -> Words {
        let mut words = Words::default();
        words.add(text);
        words
    }

    fn distance(one: &str, other: &str) -> u32 {
        (of(one).simhash().unwrap_or(0) ^ of(other).simhash().unwrap_or(0)).count_ones()
    }

    /// Returns a text of this many words, none of which is in the text of another seed.
    fn text(seed: u64, words: usize) -> String {
        let word = |at| format!("{:x}", mixed(seed << 32 | at) & 0xfff);
        (0..words as u64).map(word).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn words_are_counted_in_every_writing() {
        for (text, count) in [
            ("", 0),
            (" - … ", 0),
            ("Brass lamps, 12 of them.", 5),
            ("Don't l'été e\u{301}te\u{301}", 3),
            ("Привет, мир", 2),
            ("日本語です", 5),
            ("東京tower", 3),
        ] {
            assert_eq!(of(text).count(), count, "{text}");
        }
        assert_eq!(of("").simhash(), None);
        assert_eq!(distance("Brass LAMPS", "brass, lamps!"), 0);
    }

    #[test]
    fn a_long_text_is_compared_by_its_beginning() {
        let numbered = (0..MOST_GATHERED + 9).map(|at| format!("w{at}"));
        let long = numbered.collect::<Vec<_>>().join(" ");
        assert_eq!(of(&long).count() as usize, MOST_GATHERED + 9);
        assert_eq!(distance(&long, &format!("{long} and more")), 0);
        let repeated = "one two three ".repeat(MOST_GATHERED);
        assert_eq!(distance(&repeated, "three two one"), 0);
    }

    #[test]
    fn near_texts_have_near_hashes_and_others_do_not() {
        let mut near = 0;
        for seed in 0..20 {
            let (one, other) = (text(seed, 400), text(seed + 100, 400));
            near += u32::from(distance(&one, &format!("{one} today")) <= DISTANCE);
            assert!(distance(&one, &other) > 3 * DISTANCE, "{seed}");
        }
        // One word more can tip several bits that hang in the balance; that is rare.
        assert!(near >= 18, "{near}");
    }

    /// The same in the plain way: compared with every leader.
    fn plainly_near(hashes: &[u64]) -> Vec<usize> {
        let mut groups: Vec<usize> = Vec::new();
        for (index, hash) in hashes.iter().enumerate() {
            let mut leaders = (0..index).filter(|other| groups[*other] == *other);
            let near = leaders.find(|other| (hashes[*other] ^ hash).count_ones() <= DISTANCE);
            groups.push(near.unwrap_or(index));
        }
        groups
    }

    proptest! {
        #[test]
        fn ascii_is_read_like_any_text(text in "[\\x00-\\x7f]{0,80}") {
            let (mut quick, mut plain) = (Words::default(), Words::default());
            quick.add_ascii(text.as_bytes());
            plain.add_any(&text);
            prop_assert_eq!(quick.gathered, plain.gathered);
        }

        #[test]
        fn groups_are_those_of_all_comparisons(
            bases in prop::collection::vec(any::<u64>(), 1..4),
            flips in prop::collection::vec((0_usize..4, prop::collection::vec(0_u32..64, 0..5)), 0..60),
        ) {
            let flipped = |(base, bits): &(usize, Vec<u32>)| {
                bits.iter().fold(bases[base % bases.len()], |hash, bit| hash ^ 1 << bit)
            };
            let hashes: Vec<u64> = flips.iter().map(flipped).collect();
            prop_assert_eq!(near(&hashes), plainly_near(&hashes));
        }

        /// Counting eight bits at once gives what counting one by one gives.
        #[test]
        fn features_are_counted(features in prop::collection::vec(any::<u64>(), 1..600)) {
            let mut counted = Features::default();
            for feature in &features {
                counted.add(*feature);
            }
            let set = |bit: u32| features.iter().filter(|one| **one >> bit & 1 == 1).count();
            let plain = (0..64).filter(|bit| set(*bit) > features.len() / 2);
            prop_assert_eq!(counted.hash(), plain.fold(0, |hash, bit| hash | 1 << bit));
        }
    }

    #[test]
    fn equal_parts_on_purpose_cost_linear_work() {
        // All share three of four parts with many leaders; a quadratic search would take minutes.
        let hashes: Vec<u64> = (0..200_000).map(|at| mixed(at) << 16).collect();
        let groups = near(&hashes);
        let leaders = groups.iter().enumerate().filter(|(index, group)| index == *group).count();
        assert!(leaders > 199_000);
    }
}
