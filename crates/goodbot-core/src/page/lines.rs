//! Numbers of lines, from places in a text.

/// So many lines ahead are looked at one by one.
const NEAR: usize = 16;

/// Where the lines of a text begin.
#[derive(Debug)]
pub struct Lines {
    ends: Vec<u32>,
    /// The number of the first line.
    first: u32,
}

impl Lines {
    /// Looks through a text once.
    #[must_use]
    pub fn of(text: &str) -> Lines {
        Lines::from(text, 1)
    }

    /// The same for the end of a text, which begins in a line.
    #[must_use]
    pub fn from(text: &str, first: u32) -> Lines {
        let ends = memchr::memchr_iter(b'\n', text.as_bytes());
        Lines { ends: ends.map(|end| u32::try_from(end).unwrap_or(u32::MAX)).collect(), first }
    }

    /// The number of the line that a byte stands in, from 1.
    #[must_use]
    pub fn number(&self, place: u32) -> u32 {
        self.numbered(self.ends.partition_point(|end| *end < place))
    }

    /// The same for places that mostly come in order: `near` is the number found before, and becomes
    /// the number found.
    pub fn number_near(&self, place: u32, near: &mut u32) -> u32 {
        let before = (*near).saturating_sub(self.first) as usize;
        let is_behind = before == 0 || self.ends.get(before - 1).is_some_and(|end| *end < place);
        let ahead = self.ends.get(before..).unwrap_or_default().iter().take(NEAR);
        let passed = ahead.take_while(|end| **end < place).count();
        *near = if is_behind && passed < NEAR {
            self.numbered(before + passed)
        } else {
            self.number(place)
        };
        *near
    }

    fn numbered(&self, before: usize) -> u32 {
        u32::try_from(before).unwrap_or(u32::MAX).saturating_add(self.first)
    }
}
