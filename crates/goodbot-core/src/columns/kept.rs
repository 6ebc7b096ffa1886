//! Compiled rules, kept for the next URL of the same site, in a bounded number of bytes.

use std::collections::HashMap;
use std::mem;
use std::sync::{Arc, Mutex, PoisonError};

use super::robot::{Obeyed, Robots};

/// How many parts the store has, so that threads seldom wait for one another.
const PARTS: usize = 16;

/// What identifies compiled rules: the robots, and where the bytes of the file are. The file outlives
/// the store: both belong to one table.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Key {
    robots: u64,
    place: usize,
    length: usize,
}

/// Rules in the order of their last use, roughly: when half of the room is full, what was not used since
/// then is dropped.
#[derive(Default)]
struct Part {
    recent: HashMap<Key, (Arc<Obeyed>, usize)>,
    older: HashMap<Key, (Arc<Obeyed>, usize)>,
    bytes: usize,
}

impl Part {
    fn get(&mut self, key: Key, room: usize) -> Option<Arc<Obeyed>> {
        if let Some((obeyed, _)) = self.recent.get(&key) {
            return Some(Arc::clone(obeyed));
        }
        let (obeyed, bytes) = self.older.remove(&key)?;
        self.put(key, Arc::clone(&obeyed), bytes, room);
        Some(obeyed)
    }

    fn put(&mut self, key: Key, obeyed: Arc<Obeyed>, bytes: usize, room: usize) {
        if bytes > room {
            return;
        }
        if self.bytes + bytes > room {
            self.older = mem::take(&mut self.recent);
            self.bytes = 0;
        }
        self.bytes += bytes;
        self.recent.insert(key, (obeyed, bytes));
    }
}

/// The store of compiled rules.
pub(super) struct Kept {
    parts: Vec<Mutex<Part>>,
    /// The most bytes of half a part.
    room: usize,
}

impl Kept {
    /// Makes a store for a number of bytes.
    pub(super) fn new(bytes: usize) -> Kept {
        let parts = (0..PARTS).map(|_| Mutex::default()).collect();
        Kept { parts, room: bytes / PARTS / 2 }
    }

    /// Returns what robots obey in a file.
    pub(super) fn obeyed(&self, robots: &Robots, body: &[u8]) -> Arc<Obeyed> {
        let place = body.as_ptr() as usize;
        let key = Key { robots: robots.number, place, length: body.len() };
        let part = &self.parts[(place >> 6) % PARTS];
        let lock = || part.lock().unwrap_or_else(PoisonError::into_inner);
        let known = lock().get(key, self.room);
        known.unwrap_or_else(|| {
            let obeyed = Arc::new(robots.compile(body));
            let bytes = obeyed.bytes(body.len());
            lock().put(key, Arc::clone(&obeyed), bytes, self.room);
            obeyed
        })
    }

    /// Returns how many files are kept, and about how many bytes that takes.
    #[cfg(test)]
    pub(super) fn size(&self) -> (usize, usize) {
        let parts = self.parts.iter().map(|part| {
            let part = part.lock().unwrap_or_else(PoisonError::into_inner);
            let all = part.recent.values().chain(part.older.values());
            (part.recent.len() + part.older.len(), all.map(|(_, bytes)| bytes).sum::<usize>())
        });
        parts.fold((0, 0), |(files, bytes), (more, larger)| (files + more, bytes + larger))
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
        let kept = Kept::new(room);
        for (number, body) in bodies.iter().enumerate().chain(bodies.iter().enumerate()) {
            let obeyed = kept.obeyed(&robots, body.as_bytes());
            let url = format!("https://a.example/{number}");
            let mut scratch = crate::target::Scratch::default();
            assert!(!obeyed.decide(0, url.as_bytes(), &mut scratch).allowed);
            assert!(kept.size().1 <= room);
        }
        assert!(kept.size().0 > 100);
    }
}
