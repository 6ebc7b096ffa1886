//! Numbers of lines, from places in a text.

/// So many lines ahead are looked at one by one.
const NEAR: usize = 16;

/// Where the lines of a text begin.
#[derive(Debug)]
pub struct Lines {
    ends: Vec<u32>,
}

impl Lines {
    /// Looks through a text once.
    #[must_use]
    pub fn of(text: &str) -> Lines {
        let ends = memchr::memchr_iter(b'\n', text.as_bytes());
        Lines { ends: ends.map(|end| u32::try_from(end).unwrap_or(u32::MAX)).collect() }
    }

    /// The number of the line that an octet stands in, from 1.
    #[must_use]
    pub fn number(&self, place: u32) -> u32 {
        let before = self.ends.partition_point(|end| *end < place);
        u32::try_from(before).unwrap_or(u32::MAX - 1) + 1
    }

    /// The same for places that mostly come in order: `near` is the number found before, and becomes
    /// the number found.
    pub fn number_near(&self, place: u32, near: &mut u32) -> u32 {
        let before = *near as usize - 1;
        let is_behind = before == 0 || self.ends.get(before - 1).is_some_and(|end| *end < place);
        let ahead = self.ends.get(before..).unwrap_or_default().iter().take(NEAR);
        let passed = ahead.take_while(|end| **end < place).count();
        *near = if is_behind && passed < NEAR {
            u32::try_from(before + passed).unwrap_or(u32::MAX - 1) + 1
        } else {
            self.number(place)
        };
        *near
    }
}
