//! Sums over requests: what the summary of a log is made of.

use super::instant::Micros;

/// Requests, bytes, statuses and times.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// How many requests.
    pub requests: u64,
    /// How many bytes were sent; answers of which the log does not say it count as none.
    pub bytes: u64,
    /// How many answers of the classes 1xx to 5xx, and, first, of any other status or none.
    pub statuses: [u64; 6],
    /// How many requests for /robots.txt.
    pub robots_txt: u64,
    /// The earliest and the latest time; `None` without any request. Lines need not be in order.
    pub times: Option<(Micros, Micros)>,
}

impl Tally {
    /// Adds a request.
    #[inline]
    pub fn add(&mut self, time: Micros, status: Option<u16>, bytes: Option<u64>, is_policy: bool) {
        self.requests += 1;
        self.bytes = self.bytes.saturating_add(bytes.unwrap_or(0));
        let class = usize::from(status.unwrap_or(0) / 100);
        self.statuses[if class > 5 { 0 } else { class }] += 1;
        self.robots_txt += u64::from(is_policy);
        let (first, last) = self.times.unwrap_or((time, time));
        self.times = Some((first.min(time), last.max(time)));
    }

    /// Adds another sum.
    pub fn merge(&mut self, other: &Tally) {
        self.requests += other.requests;
        self.bytes = self.bytes.saturating_add(other.bytes);
        self.robots_txt += other.robots_txt;
        for (sum, more) in self.statuses.iter_mut().zip(other.statuses) {
            *sum += more;
        }
        self.times = match (self.times, other.times) {
            (Some((first, last)), Some((begin, end))) => Some((first.min(begin), last.max(end))),
            (times, None) | (None, times) => times,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_of_parts_are_the_sum_of_the_whole() {
        let rows = [
            (5, Some(200), Some(7), true),
            (3, Some(404), None, false),
            (9, None, Some(u64::MAX), false),
            (0, Some(999), Some(1), false),
        ];
        let mut whole = Tally::default();
        let (mut left, mut right) = (Tally::default(), Tally::default());
        for (place, (time, status, bytes, is_policy)) in rows.into_iter().enumerate() {
            whole.add(time, status, bytes, is_policy);
            [&mut left, &mut right][place % 2].add(time, status, bytes, is_policy);
        }
        left.merge(&right);
        left.merge(&Tally::default());
        assert_eq!(left, whole);
        assert_eq!(whole.statuses, [2, 0, 1, 0, 1, 0]);
        assert_eq!((whole.bytes, whole.robots_txt, whole.times), (u64::MAX, 1, Some((0, 9))));
    }
}
