//! Converts positions in a text to line numbers.

/// How many following lines are checked one by one.
const NEAR: usize = 16;

/// The line ends of a text.
#[derive(Debug)]
pub struct Lines {
    ends: Vec<u32>,
    /// The number of the first line.
    first: u32,
}

impl Lines {
    /// Finds the line ends of a text.
    #[must_use]
    pub fn of(text: &str) -> Lines {
        Lines::from(text, 1)
    }

    /// Finds the line ends of a later part of a text, which begins on the line numbered `first`.
    #[must_use]
    pub fn from(text: &str, first: u32) -> Lines {
        let ends = memchr::memchr_iter(b'\n', text.as_bytes());
        Lines { ends: ends.map(|end| u32::try_from(end).unwrap_or(u32::MAX)).collect(), first }
    }

    /// Returns the number of the line that contains a byte, counted from 1.
    #[must_use]
    pub fn number(&self, place: u32) -> u32 {
        self.numbered(self.ends.partition_point(|end| *end < place))
    }

    /// Returns the same, but faster for positions that mostly come in order. `near` is the line
    /// number found before, and is set to the one found now.
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
