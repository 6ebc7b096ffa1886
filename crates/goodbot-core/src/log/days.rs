//! Requests by day: when a log begins, whatever single lines with a wrong clock say.

use std::collections::BTreeMap;

use super::instant::Micros;

/// A day in microseconds.
const DAY: Micros = 86_400_000_000;
/// The last day that is counted by itself, of the year 2149: whatever lines say, the days take few
/// megabytes. What is before 1970 is counted with the first day, and what is later with the last.
const LAST: i64 = 65_535;

/// The requests of one day, in UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Day {
    /// How many there are.
    pub requests: u64,
    /// The time of the earliest.
    pub first: Micros,
    /// The time of the latest.
    pub last: Micros,
}

impl Day {
    fn merge(&mut self, other: &Day) {
        self.requests += other.requests;
        self.first = self.first.min(other.first);
        self.last = self.last.max(other.last);
    }
}

/// Requests by day.
#[derive(Clone, Debug, Default)]
pub(super) struct Days {
    /// The day of the request before: the next one is nearly always of the same day.
    open: Option<(i64, Day)>,
    known: BTreeMap<i64, Day>,
}

impl Days {
    /// Counts a request.
    #[inline]
    pub(super) fn add(&mut self, time: Micros) {
        let number = time.div_euclid(DAY).clamp(0, LAST);
        match &mut self.open {
            Some((open, day)) if *open == number => {
                day.merge(&Day { requests: 1, first: time, last: time });
            }
            _ => {
                let day = Day { requests: 1, first: time, last: time };
                if let Some((before, done)) = self.open.replace((number, day)) {
                    self.put(before, done);
                }
            }
        }
    }

    fn put(&mut self, number: i64, day: Day) {
        self.known.entry(number).and_modify(|known| known.merge(&day)).or_insert(day);
    }

    /// Adds those of another part of the log.
    pub(super) fn merge(&mut self, other: &Days) {
        for (number, day) in
            other.known.iter().map(|(number, day)| (*number, *day)).chain(other.open)
        {
            self.put(number, day);
        }
    }

    /// Returns the days by their numbers since 1970, the earliest first.
    pub(super) fn each(mut self) -> Vec<(i64, Day)> {
        if let Some((number, day)) = self.open.take() {
            self.put(number, day);
        }
        self.known.into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neither_order_nor_parts_matter() {
        let times = [5, DAY + 1, 3, -1, i64::MAX, DAY * LAST, DAY, 4 * DAY, 4 * DAY + 7];
        let (mut whole, mut left, mut right) = <(Days, Days, Days)>::default();
        for (place, time) in times.into_iter().enumerate() {
            whole.add(time);
            [&mut left, &mut right][place % 2].add(times[times.len() - 1 - place]);
        }
        left.merge(&right);
        let day = |requests, first, last| Day { requests, first, last };
        let expected = vec![
            (0, day(3, -1, 5)),
            (1, day(2, DAY, DAY + 1)),
            (4, day(2, 4 * DAY, 4 * DAY + 7)),
            (LAST, day(2, DAY * LAST, i64::MAX)),
        ];
        assert_eq!(whole.each(), expected);
        assert_eq!(left.each(), expected);
    }
}
