//! Answers by columns, in the layout of Arrow.

use super::response::Response;

/// Texts or contents one after the other, with their ends.
#[derive(Debug)]
pub struct Packed {
    /// All of them.
    pub bytes: Vec<u8>,
    /// Where each begins, and where the last one ends.
    pub offsets: Vec<i32>,
}

impl Default for Packed {
    fn default() -> Packed {
        Packed { bytes: Vec::new(), offsets: vec![0] }
    }
}

impl Packed {
    /// Adds one.
    fn add(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
        // Rows are returned long before there are so many bytes.
        self.offsets.push(i32::try_from(self.bytes.len()).unwrap_or(i32::MAX));
    }
}

/// The columns.
#[derive(Default, Debug)]
pub struct Rows {
    /// The origins, or the URLs of what is no robots.txt.
    pub keys: Packed,
    /// When they were captured, in microseconds since 1970.
    pub times: Vec<i64>,
    /// The statuses.
    pub statuses: Vec<i16>,
    /// The fields that matter, a line each.
    pub headers: Packed,
    /// The contents.
    pub bodies: Packed,
}

impl Rows {
    /// How many bytes they take, roughly.
    #[must_use]
    pub fn size(&self) -> usize {
        let packed = [&self.keys, &self.headers, &self.bodies];
        packed.iter().map(|one| one.bytes.len()).sum::<usize>() + self.times.len() * 32
    }

    /// Adds one.
    pub(super) fn add(&mut self, key: &str, at: i64, response: &Response<'_>) {
        self.keys.add(key.as_bytes());
        self.times.push(at);
        self.statuses.push(response.status);
        self.headers.add(response.headers.as_bytes());
        self.bodies.add(response.body);
    }
}
