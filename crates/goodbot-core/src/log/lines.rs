//! Lines, cut from blocks of bytes in bounded memory.

use memchr::memchr;

/// The longest line that is read. Most servers accept 64 KiB of header fields or less, and write a byte of
/// them in up to six (`\u00ff`).
pub const MOST_LINE_BYTES: usize = 768 * 1024;

/// What is between two line ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Line<'b> {
    /// A line, without its end.
    Whole(&'b [u8]),
    /// How a line begins that is too long to be read.
    TooLong(&'b [u8]),
}

/// Cuts blocks into lines. A line may begin in one block and end in the next.
#[derive(Debug)]
pub struct Lines {
    begun: Vec<u8>,
    is_too_long: bool,
    most: usize,
}

impl Default for Lines {
    fn default() -> Lines {
        Lines { begun: Vec::new(), is_too_long: false, most: MOST_LINE_BYTES }
    }
}

impl Lines {
    /// Cuts a block, and passes on each line that ends in it.
    pub fn feed(&mut self, block: &[u8], mut each: impl FnMut(Line<'_>)) {
        let mut rest = block;
        while let Some(end) = memchr(b'\n', rest) {
            let part = &rest[..end];
            rest = &rest[end + 1..];
            if self.begun.is_empty() && !self.is_too_long {
                each(whole(part, self.most));
            } else {
                self.add(part);
                self.finish(&mut each);
            }
        }
        self.add(rest);
    }

    /// Passes on the last line, if it has no end.
    pub fn finish(&mut self, mut each: impl FnMut(Line<'_>)) {
        if self.is_too_long {
            each(Line::TooLong(&self.begun));
        } else if !self.begun.is_empty() {
            each(whole(&self.begun, self.most));
        }
        self.begun.clear();
        self.is_too_long = false;
    }

    fn add(&mut self, part: &[u8]) {
        if self.is_too_long {
            return;
        }
        let part = if self.begun.is_empty() { without_nuls(part) } else { part };
        if self.begun.len() + part.len() > self.most + 1 {
            self.is_too_long = true;
            // It may have one byte more, which could have been a carriage return.
            self.begun.truncate(self.most);
            self.begun.extend_from_slice(&part[..self.most - self.begun.len()]);
        } else {
            self.begun.extend_from_slice(part);
        }
    }
}

/// Returns a line without its carriage return, and without the NULs before it.
#[inline]
fn whole(line: &[u8], most: usize) -> Line<'_> {
    let line = without_nuls(line.strip_suffix(b"\r").unwrap_or(line));
    if line.len() > most { Line::TooLong(&line[..most]) } else { Line::Whole(line) }
}

/// Returns a line without the NULs before it: a server that goes on writing where it was, into a log that
/// was copied and truncated, leaves a hole there.
#[inline]
pub(super) fn without_nuls(line: &[u8]) -> &[u8] {
    if line.first() != Some(&0) {
        return line;
    }
    &line[line.iter().position(|byte| *byte != 0).unwrap_or(line.len())..]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Few bytes, so that blocks of one byte are quick.
    const MOST: usize = 64 * 1024;

    fn cut(text: &[u8], size: usize) -> Vec<Option<Vec<u8>>> {
        let mut found = Vec::new();
        let mut each = |line: Line<'_>| match line {
            Line::Whole(line) => found.push(Some(line.to_vec())),
            Line::TooLong(begin) => {
                assert_eq!(begin.len(), MOST);
                found.push(None);
            }
        };
        let mut lines = Lines { most: MOST, ..Lines::default() };
        text.chunks(size).for_each(|block| lines.feed(block, &mut each));
        lines.finish(&mut each);
        found
    }

    #[test]
    fn blocks_of_any_size_have_the_same_lines() {
        let long = vec![b'x'; MOST];
        let text =
            [&b"a\r\n\nbc\n"[..], &long, b"\r\n", &long, b"y\n", &long, &long, b"\nz"].concat();
        let texts: [Option<&[u8]>; 7] =
            [Some(b"a"), Some(b""), Some(b"bc"), Some(&long), None, None, Some(b"z")];
        let wanted = texts.map(|line| line.map(<[u8]>::to_vec));
        for size in [1, 2, 3, 7, 1_000, 65_536, text.len()] {
            assert_eq!(cut(&text, size), wanted, "{size}");
        }
    }

    #[test]
    fn nuls_before_a_line_do_not_count() {
        let hole = vec![0; 3 * MOST];
        let text = [&hole[..], b"a\0b\n\0\0\nc\n", &hole, b"d"].concat();
        let texts = [&b"a\0b"[..], b"", b"c", b"d"].map(|line| Some(line.to_vec()));
        for size in [1, 3, 1_000, 65_536, text.len()] {
            assert_eq!(cut(&text, size), texts, "{size}");
        }
    }
}
