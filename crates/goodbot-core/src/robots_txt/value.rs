//! Typed values: delays, rates, times of day, versions. `None` is a malformed value, which has no
//! effect and is a finding.

use std::fmt;

/// A time of day in UT, to the minute.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TimeOfDay {
    /// 0 to 23.
    pub hour: u8,
    /// 0 to 59.
    pub minute: u8,
}

impl TimeOfDay {
    /// Minutes since midnight.
    #[must_use]
    pub fn minutes(self) -> u16 {
        u16::from(self.hour) * 60 + u16::from(self.minute)
    }

    /// `0600`, as in the sample file of Conner's final page.
    fn read(text: &str) -> Option<TimeOfDay> {
        if text.len() != 4 || !text.bytes().all(|octet| octet.is_ascii_digit()) {
            return None;
        }
        let (hour, minute) = (text[..2].parse().ok()?, text[2..].parse().ok()?);
        (hour < 24 && minute < 60).then_some(TimeOfDay { hour, minute })
    }
}

impl fmt::Display for TimeOfDay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:02}:{:02}", self.hour, self.minute)
    }
}

/// A part of the day in UT: from the start of one minute to the end of another, over midnight if
/// the end comes before the start.
///
/// That the last minute is part of it follows from the sample file of Conner's final page, whose
/// three windows 1300-1659, 1700-0459 and 0500-1259 share out the day.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct VisitTime {
    /// The first minute.
    pub start: TimeOfDay,
    /// The last minute.
    pub end: TimeOfDay,
}

impl VisitTime {
    /// Reads `0600-0845` (the final page) or `0600 0845` (the proposal of October 1996).
    #[must_use]
    pub fn read(text: &str) -> Option<VisitTime> {
        let (start, end) = match text.split_once('-') {
            Some(pair) => pair,
            None => text.split_once(|c: char| c.is_ascii_whitespace())?,
        };
        Some(VisitTime { start: TimeOfDay::read(start.trim())?, end: TimeOfDay::read(end.trim())? })
    }

    /// Whether a minute of the day is within it.
    #[must_use]
    pub fn contains(self, minute: u16) -> bool {
        let (start, end) = (self.start.minutes(), self.end.minutes());
        if start <= end {
            (start..=end).contains(&minute)
        } else {
            minute >= start || minute <= end
        }
    }
}

impl fmt::Display for VisitTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{} UT", self.start, self.end)
    }
}

/// At most so many documents in so many seconds, perhaps in a part of the day.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RequestRate {
    /// How many documents, at least 1.
    pub documents: u32,
    /// In how many seconds, at least 1.
    pub seconds: u64,
    /// When it holds; always, if nothing is said.
    pub window: Option<VisitTime>,
}

impl RequestRate {
    /// Reads `10/60`, `10/10m`, `20/1h`, each perhaps with a window behind it.
    ///
    /// The units m and h are Conner's; s, d and w are read by other parsers and cannot be mistaken.
    #[must_use]
    pub fn read(text: &str) -> Option<RequestRate> {
        let (rate, window) = match text.split_once(|c: char| c.is_ascii_whitespace()) {
            Some((rate, window)) => (rate, Some(VisitTime::read(window.trim())?)),
            None => (text, None),
        };
        let (documents, time) = rate.split_once('/')?;
        let digits = time.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        let unit = match time[digits.len()..].to_ascii_lowercase().as_str() {
            "" | "s" => 1,
            "m" => 60,
            "h" => 3_600,
            "d" => 86_400,
            "w" => 604_800,
            _ => return None,
        };
        let documents: u32 = whole(documents)?;
        let seconds = u64::from(whole(digits)?) * unit;
        // No documents, or no time, is no rate: not specified, so it has no effect.
        (documents > 0 && seconds > 0).then_some(RequestRate { documents, seconds, window })
    }
}

impl fmt::Display for RequestRate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plural = if self.documents == 1 { "" } else { "s" };
        write!(f, "{} document{plural} in {} s", self.documents, self.seconds)?;
        self.window.map_or(Ok(()), |window| write!(f, ", {window}"))
    }
}

fn whole(text: &str) -> Option<u32> {
    if text.is_empty() || !text.bytes().all(|octet| octet.is_ascii_digit()) {
        return None;
    }
    text.parse().ok()
}

/// Reads the seconds of a Crawl-delay: digits, perhaps with decimals.
#[must_use]
pub fn delay(text: &str) -> Option<f64> {
    let (integer, decimals) = text.split_once('.').unwrap_or((text, ""));
    let digits = |part: &str| part.bytes().all(|octet| octet.is_ascii_digit());
    let some = !integer.is_empty() || !decimals.is_empty();
    if !some || !digits(integer) || !digits(decimals) || text.len() > 32 {
        return None;
    }
    text.parse().ok().filter(|seconds: &f64| seconds.is_finite())
}

/// A version of Conner's standard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Version {
    pub(crate) major: u32,
    pub(crate) minor: u32,
}

/// What a robot of version 2.0.0 does with a record of a version (Conner 1996, Robot-version).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reading {
    /// As version 1.0.0.
    First,
    /// As version 2.0.0: an even minor "is okay".
    Second,
    /// An odd minor: "should probably ignore that rule set and use the default".
    Experimental,
    /// "Valid numbers for this part are 1 and 2."
    Unsupported,
}

impl Version {
    /// Reads `2.0.0`, or `2.0` as the sample of the final page has it.
    pub(crate) fn read(text: &str) -> Option<Version> {
        let parts: Option<Vec<u32>> = text.split('.').map(whole).collect();
        match parts?[..] {
            [major, minor] | [major, minor, _] => Some(Version { major, minor }),
            _ => None,
        }
    }

    pub(crate) fn reading(self) -> Reading {
        match (self.major, self.minor % 2) {
            (1 | 2, 1) => Reading::Experimental,
            (1, _) => Reading::First,
            (2, _) => Reading::Second,
            _ => Reading::Unsupported,
        }
    }
}

/// Whether a value is an absolute URL: a scheme, `://`, and something behind it.
pub(crate) fn is_absolute_url(value: &[u8]) -> bool {
    let Some(colon) = memchr::memchr(b':', value) else { return false };
    let scheme = &value[..colon];
    value[colon..].starts_with(b"://")
        && scheme.first().is_some_and(u8::is_ascii_alphabetic)
        && scheme.iter().all(|octet| octet.is_ascii_alphanumeric() || b"+-.".contains(octet))
        && value.get(colon + 3).is_some_and(|octet| !matches!(octet, b'/' | b'?' | b'#'))
        && !value.iter().any(u8::is_ascii_whitespace)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn malformed_values_are_none() {
        for text in [
            "",
            "10",
            "10/",
            "/10",
            "1/0",
            "0/1",
            "10/10x",
            "10/60 0600",
            "1/60 0600-2500",
            "-1/60",
        ] {
            assert_eq!(RequestRate::read(text), None, "{text}");
        }
        for text in ["", ".", "x", "-1", "1e3", "nan", "inf", "1,5", "1.2.3", "10s"] {
            assert_eq!(delay(text), None, "{text}");
        }
        for text in ["", "2", "2.x.0", "2.0.0.0", "v2.0"] {
            assert_eq!(Version::read(text), None, "{text}");
        }
    }

    #[test]
    fn absolute_urls_are_told_from_others() {
        assert!(is_absolute_url(b"https://example.com/s.xml"));
        for value in ["/s.xml", "s.xml", "https:/x", "://x", "https:///x", "https://a b"] {
            assert!(!is_absolute_url(value.as_bytes()), "{value}");
        }
    }
}
