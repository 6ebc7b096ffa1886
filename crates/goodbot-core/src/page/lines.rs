//! Numbers of lines, from places in a text.

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
}
