//! Compiled rules, cached for the next URL of the same site, in a bounded number of bytes.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock, PoisonError, RwLock, RwLockReadGuard};

use super::index::folded;
use super::robot::{Obeyed, Robots};
use crate::robots_txt::Rules;

/// What identifies compiled rules: the robots, and where the bytes of the file are. The file outlives
/// the store: both belong to one table.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Key {
    robots: u64,
    place: usize,
    length: usize,
}

impl Key {
    fn of(robots: &Robots, body: &[u8]) -> Key {
        Key { robots: robots.number, place: body.as_ptr() as usize, length: body.len() }
    }
}

/// Hashes keys: nobody chooses where bytes are in memory.
#[derive(Default)]
struct KeyHasher(u64);

impl Hasher for KeyHasher {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64(u64::from(*byte));
        }
    }
    fn write_u64(&mut self, number: u64) {
        self.0 = folded(self.0 ^ number, 0x9e37_79b9_7f4a_7c15);
    }
    fn write_usize(&mut self, number: usize) {
        self.write_u64(number as u64);
    }
}

struct Entry {
    obeyed: Arc<Obeyed>,
    bytes: usize,
    /// When it was last used.
    used: AtomicUsize,
}

/// Where in memory the rules of policies are, in the order of the table: rows that are asked about in
/// this order find them faster than by a hash.
type Slots = Vec<OnceLock<Box<[OnceLock<Arc<Obeyed>>]>>>;
/// How many policies have their slots together.
const SLOTS: usize = 32;

/// Rules in the order of their last use, roughly: when half of the room is full, what was not used since
/// the half before it was full is dropped.
#[derive(Default)]
struct Store {
    entries: HashMap<Key, Entry, BuildHasherDefault<KeyHasher>>,
    /// What was found in this generation, by the number of robots.
    slots: HashMap<u64, Slots, BuildHasherDefault<KeyHasher>>,
    /// How often half of the room was full.
    generation: usize,
    /// The bytes that were used in this generation.
    bytes: AtomicUsize,
}

impl Store {
    fn get(&self, key: Key, row: usize) -> Option<&Arc<Obeyed>> {
        let slots = self.slots.get(&key.robots).and_then(|slots| slots.get(row / SLOTS));
        let found = slots.and_then(OnceLock::get).and_then(|slots| slots[row % SLOTS].get());
        if found.is_some() {
            return found;
        }
        let found = self.find(key)?;
        let Some(slots) = slots else { return Some(found) };
        let slots = slots.get_or_init(|| {
            self.bytes.fetch_add(SLOTS * size_of::<OnceLock<Arc<Obeyed>>>(), Ordering::Relaxed);
            (0..SLOTS).map(|_| OnceLock::new()).collect()
        });
        Some(slots[row % SLOTS].get_or_init(|| Arc::clone(found)))
    }

    fn find(&self, key: Key) -> Option<&Arc<Obeyed>> {
        let entry = self.entries.get(&key)?;
        if entry.used.swap(self.generation, Ordering::Relaxed) != self.generation {
            self.bytes.fetch_add(entry.bytes, Ordering::Relaxed);
        }
        Some(&entry.obeyed)
    }

    fn put(&mut self, key: Key, entry: Entry, room: usize, policies: usize) {
        if entry.bytes > room {
            return;
        }
        if *self.bytes.get_mut() + entry.bytes > room {
            let generation = self.generation;
            self.entries.retain(|_, entry| *entry.used.get_mut() == generation);
            self.slots.clear();
            self.generation += 1;
            *self.bytes.get_mut() = 0;
        }
        let pages = || (0..policies.div_ceil(SLOTS)).map(|_| OnceLock::new()).collect();
        self.slots.entry(key.robots).or_insert_with(pages);
        *self.bytes.get_mut() += entry.bytes;
        self.entries.insert(key, Entry { used: AtomicUsize::new(self.generation), ..entry });
    }
}

/// The store of compiled rules.
pub(super) struct RulesCache {
    store: RwLock<Store>,
    /// The most bytes of half the store.
    room: usize,
    /// How many policies the table has.
    policies: usize,
    /// A bit for each policy, by the hash of its file: whether it was compiled before.
    seen: Vec<AtomicU64>,
}

/// How many bits there are for a policy.
const BITS: usize = 8;

impl RulesCache {
    /// Makes a store of a number of bytes for the policies of a table.
    pub(super) fn new(bytes: usize, policies: usize) -> RulesCache {
        let words = (policies.saturating_mul(BITS) / u64::BITS as usize).next_power_of_two();
        let seen = (0..words).map(|_| AtomicU64::new(0)).collect();
        RulesCache { store: RwLock::default(), room: bytes / 2, policies, seen }
    }

    /// Returns what robots obey in the file of a row.
    ///
    /// What is needed once and never again, as in rows that are sorted by origin, is not cached: the next
    /// file then finds its memory in the caches of the processor. `will_return` keeps it at once.
    pub(super) fn obeyed(
        &self,
        robots: &Robots,
        row: usize,
        body: &[u8],
        will_return: bool,
    ) -> Arc<Obeyed> {
        let key = Key::of(robots, body);
        let known = self.reader().get(key, row).cloned();
        known.unwrap_or_else(|| {
            let obeyed = Arc::new(robots.compile(body));
            if self.was_seen(key) || will_return {
                let bytes = obeyed.bytes();
                let entry = Entry { obeyed: Arc::clone(&obeyed), bytes, used: AtomicUsize::new(0) };
                let mut store = self.store.write().unwrap_or_else(PoisonError::into_inner);
                store.put(key, entry, self.room, self.policies);
            }
            obeyed
        })
    }

    fn reader(&self) -> RwLockReadGuard<'_, Store> {
        self.store.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a file was asked about before, most likely.
    fn was_seen(&self, key: Key) -> bool {
        let mut hasher = KeyHasher::default();
        std::hash::Hash::hash(&key, &mut hasher);
        let hash = hasher.finish();
        let bit = 1 << (hash % u64::from(u64::BITS));
        let word = usize::try_from(hash >> u64::BITS.trailing_zeros()).unwrap_or(0);
        let word = &self.seen[word % self.seen.len()];
        word.fetch_or(bit, Ordering::Relaxed) & bit != 0
    }

    /// Reads a little of what robots obey in the files of rows (`order::prefetch`).
    pub(super) fn prefetch<'b>(
        &self,
        robots: &Robots,
        files: impl Iterator<Item = (usize, &'b [u8])>,
    ) -> u8 {
        let store = self.reader();
        let known = files.filter_map(|(row, body)| store.get(Key::of(robots, body), row));
        let known: Vec<&Arc<Obeyed>> = known.collect();
        let rules: Vec<&Rules> = known.iter().flat_map(|obeyed| obeyed.rules()).collect();
        rules.iter().fold(0, |sum, rules| sum ^ rules.prefetch())
    }

    /// Returns how many files are cached, and about how many bytes that takes.
    #[cfg(test)]
    pub(super) fn size(&self) -> (usize, usize) {
        let store = self.reader();
        (store.entries.len(), store.entries.values().map(|entry| entry.bytes).sum())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::columns::Robot;
    use crate::dialects;

    #[test]
    fn the_bytes_are_bounded_and_answers_do_not_change() {
        let dialect = dialects::named("rfc9309").expect("the default");
        let robot = Robot { name: "ExampleBot".to_owned(), dialect, family: None };
        let robots = Robots::new(vec![robot], 0).expect("a name");
        let bodies: Vec<String> =
            (0..2_000).map(|number| format!("User-agent: *\nDisallow: /{number}\n")).collect();
        let room = 256 * 1024;
        let cache = RulesCache::new(room, bodies.len());
        for (number, body) in bodies.iter().enumerate().chain(bodies.iter().enumerate()) {
            let obeyed = cache.obeyed(&robots, number, body.as_bytes(), number % 2 == 0);
            let url = format!("https://a.example/{number}");
            let mut scratch = crate::target::Scratch::default();
            assert!(!obeyed.decide(0, url.as_bytes(), &mut scratch).allowed);
            assert!(cache.size().1 <= room);
        }
        assert!(cache.size().0 > 100);
    }
    #[test]
    fn what_is_needed_once_and_never_again_is_not_cached() {
        let dialect = dialects::named("rfc9309").expect("the default");
        let robot = Robot { name: "ExampleBot".to_owned(), dialect, family: None };
        let robots = Robots::new(vec![robot], 0).expect("a name");
        let bodies: Vec<String> = (0..50).map(|number| format!("# {number}")).collect();
        let cache = RulesCache::new(1 << 20, bodies.len());
        let ask_all = || {
            for (row, body) in bodies.iter().enumerate() {
                cache.obeyed(&robots, row, body.as_bytes(), false);
            }
            cache.size().0
        };
        // A few files may have the hash of another one.
        assert!(ask_all() < 10);
        assert_eq!(ask_all(), bodies.len());
        assert!(RulesCache::new(1 << 20, 0).size() == (0, 0));
    }
}
