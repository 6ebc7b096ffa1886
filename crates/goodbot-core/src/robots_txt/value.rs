//! Typed values: delays, rates, times of day, versions. `None` is a malformed value, which has no
//! effect and is reported as a finding.
//!
//! An oddly written value is accepted if it has only one possible meaning (`2s`, `+2`, `1 / 10`), and
//! that is a finding too. If it has several (`1,5`), it is malformed: a guess could be faster than what
//! is meant.

use std::fmt;

use crate::field::Field;
use crate::packed::packed;

/// The longest time that is kept, in seconds: some 31,700 years, so that a number too large for a
/// machine word still exceeds what any robot will wait.
pub const LONGEST: u64 = 1_000_000_000_000;

/// A time of day in UT, to the minute.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TimeOfDay {
    /// 0 to 23.
    pub hour: u8,
    /// 0 to 59.
    pub minute: u8,
}

packed!(TimeOfDay { hour, minute });
packed!(VisitTime { start, end });
packed!(RequestRate { documents, seconds, window, doubtful });

impl TimeOfDay {
    /// Returns the minutes since midnight.
    #[must_use]
    pub fn minutes(self) -> u16 {
        u16::from(self.hour) * 60 + u16::from(self.minute)
    }

    /// Parses `0600`, as in the sample file of Conner's final page, or `06:00`.
    fn read(text: &str) -> Option<TimeOfDay> {
        let (hour, minute) = match text.split_once(':') {
            Some((hour, minute)) if matches!(hour.len(), 1 | 2) => (hour, minute),
            Some(_) => return None,
            None => text.split_at_checked(2)?,
        };
        let digits = |part: &str| part.bytes().all(|octet| octet.is_ascii_digit());
        if minute.len() != 2 || !digits(hour) || !digits(minute) {
            return None;
        }
        let (hour, minute) = (hour.parse().ok()?, minute.parse().ok()?);
        (hour < 24 && minute < 60).then_some(TimeOfDay { hour, minute })
    }

    /// Parses the last minute of a window. `2400` is the end of the day (ISO 8601-1:2019 section
    /// 5.3.2), so that 23:59 is the last minute before it.
    fn read_end(text: &str) -> Option<TimeOfDay> {
        match text {
            "2400" | "24:00" => Some(TimeOfDay { hour: 23, minute: 59 }),
            _ => TimeOfDay::read(text),
        }
    }
}

impl fmt::Display for TimeOfDay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:02}:{:02}", self.hour, self.minute)
    }
}

/// A part of the day in UT: from the start of one minute to the end of another, past midnight if
/// the end is earlier than the start.
///
/// That the last minute is included follows from the sample file of Conner's final page, whose
/// three windows 1300-1659, 1700-0459 and 0500-1259 divide up the day.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct VisitTime {
    /// The first minute.
    pub start: TimeOfDay,
    /// The last minute.
    pub end: TimeOfDay,
}

impl VisitTime {
    /// Parses `0600-0845` (the final page) or `0600 0845` (the proposal of October 1996). The name
    /// of the time zone may follow: `UT`, `UTC`, `GMT` or `Z`.
    #[must_use]
    pub fn read(text: &str) -> Option<VisitTime> {
        let text = without_zone(text.trim());
        let (start, end) = match text.split_once(['-', '\u{2013}']) {
            Some(pair) => pair,
            None => text.split_once(|c: char| c.is_ascii_whitespace())?,
        };
        let (start, end) = (TimeOfDay::read(start.trim())?, TimeOfDay::read_end(end.trim())?);
        Some(VisitTime { start, end })
    }

    /// Whether a minute of the day is within the window.
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

/// At most this many documents in this many seconds, perhaps only in a part of the day.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RequestRate {
    /// How many documents, at least 1.
    pub documents: u32,
    /// In how many seconds, at least 1.
    pub seconds: u64,
    /// When it applies; `None` if always.
    pub window: Option<VisitTime>,
    /// Whether it may apply at other times, or not at all: its times cannot be parsed, or it is in only
    /// one of two readings of a file. It must not replace any other pace.
    pub doubtful: bool,
}

impl RequestRate {
    /// Parses `10/60`, `10/10m`, `20/1h`, each perhaps followed by a window.
    ///
    /// The units m and h are Conner's; s, d and w are accepted by other parsers and are unambiguous, and
    /// so are the words for all of them. White space is allowed around the slash and before the unit.
    ///
    /// Conner leaves the format of times open ("<time> format is to be worked out"): if times cannot be
    /// parsed, the rate still applies, at all times.
    #[must_use]
    pub fn read(text: &str) -> Option<RequestRate> {
        let (documents, rest) = text.split_once('/')?;
        let (number, behind) = split_number(rest.trim_start());
        let (mut unit, mut rest) = split_word(behind);
        // A word that is not a unit, followed by more text, is the beginning of the times.
        let is_apart = behind.starts_with(|c: char| c.is_ascii_whitespace());
        if unit_of(unit).is_none() && is_apart && !rest.is_empty() {
            (unit, rest) = ("", behind);
        }
        let times = rest.trim_start();
        // A number must not run into the times.
        if !times.is_empty() && times.len() == rest.len() && !is_list(rest) {
            return None;
        }
        // `1/m` is one document a minute.
        let seconds = if number.is_empty() && !unit.is_empty() { "1" } else { number };
        let window = VisitTime::read(times);
        let doubtful = window.is_none() && !times.is_empty();
        let documents = u32::try_from(whole(documents.trim_end())?).unwrap_or(u32::MAX);
        let seconds = whole(seconds)?.saturating_mul(unit_of(unit)?).min(LONGEST);
        // Zero documents or zero seconds is not a rate: this is unspecified, so it has no effect.
        let is_rate = documents > 0 && seconds > 0;
        is_rate.then_some(RequestRate { documents, seconds, window, doubtful })
    }
}

impl fmt::Display for RequestRate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plural = if self.documents == 1 { "" } else { "s" };
        write!(f, "{} document{plural} in {} s", self.documents, self.seconds)?;
        match self.window {
            Some(window) => write!(f, ", {window}"),
            None => Ok(()),
        }
    }
}

/// Parses a whole number, perhaps with a plus sign; one too large for a machine word becomes the largest.
fn whole(text: &str) -> Option<u64> {
    let digits = text.strip_prefix('+').unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|octet| octet.is_ascii_digit()) {
        return None;
    }
    Some(digits.parse().unwrap_or(u64::MAX))
}

/// Splits a text after the number that it begins with, including its point and exponent.
fn split_number(text: &str) -> (&str, &str) {
    let of_number = |octet: &u8| octet.is_ascii_digit() || b"+-.".contains(octet);
    let end = text.bytes().position(|octet| !of_number(&octet)).unwrap_or(text.len());
    let is_digit = |at: usize| text.as_bytes().get(at).is_some_and(u8::is_ascii_digit);
    // `1e3`: an exponent has a digit, perhaps after a sign; `1e` has none.
    let exponent = matches!(text.as_bytes().get(end), Some(b'e' | b'E'));
    let sign = usize::from(matches!(text.as_bytes().get(end + 1), Some(b'+' | b'-')));
    if !exponent || !is_digit(end + 1 + sign) {
        return text.split_at(end);
    }
    let behind = &text[end + 1 + sign..];
    let digits = behind.bytes().position(|octet| !octet.is_ascii_digit()).unwrap_or(behind.len());
    text.split_at(end + 1 + sign + digits)
}

/// Splits a text after the word that it begins with, skipping white space before the word.
fn split_word(text: &str) -> (&str, &str) {
    let word = text.trim_start();
    let end = word.bytes().position(|octet| !octet.is_ascii_alphabetic()).unwrap_or(word.len());
    if end == 0 { ("", text) } else { word.split_at(end) }
}

/// Whether a text begins with a comma or semicolon followed by white space.
fn is_list(text: &str) -> bool {
    let behind = text.strip_prefix([',', ';']);
    behind.is_some_and(|behind| behind.starts_with(|c: char| c.is_ascii_whitespace()))
}

/// Returns the seconds of a unit of time; without a unit, it is one second (Conner 1996, Request-rate).
fn unit_of(word: &str) -> Option<u64> {
    match word.to_ascii_lowercase().as_str() {
        "" | "s" | "sec" | "secs" | "second" | "seconds" => Some(1),
        "m" | "min" | "mins" | "minute" | "minutes" => Some(60),
        "h" | "hr" | "hrs" | "hour" | "hours" => Some(3_600),
        "d" | "day" | "days" => Some(86_400),
        "w" | "week" | "weeks" => Some(604_800),
        _ => None,
    }
}

/// Removes a time zone: times of day are in UT, and a text may say so.
fn without_zone(text: &str) -> &str {
    let is_letter = |c: char| c.is_ascii_alphabetic();
    let times = text.trim_end_matches(is_letter);
    match text[times.len()..].to_ascii_lowercase().as_str() {
        "ut" | "utc" | "gmt" | "z" => times.trim_end(),
        _ => text,
    }
}

/// Parses the seconds of a Crawl-delay: a number, perhaps with decimals, an exponent or a unit of
/// time. A time longer than [`LONGEST`] becomes that.
#[must_use]
pub fn delay(text: &str) -> Option<f64> {
    let (number, rest) = split_number(text.strip_prefix('+').unwrap_or(text));
    let (unit, rest) = split_word(rest);
    let is_number = number.starts_with(|c: char| c.is_ascii_digit() || c == '.');
    if !is_number || !rest.is_empty() {
        return None;
    }
    // The type of the delay represents every unit and the longest time exactly.
    #[expect(clippy::cast_precision_loss, reason = "both are far below 2^53")]
    let (unit, longest) = (unit_of(unit)? as f64, LONGEST as f64);
    let seconds: f64 = number.parse().ok()?;
    Some((seconds * unit).min(longest))
}

/// Whether a value of Crawl-delay, Request-rate, Visit-time or Robot-version is written as the
/// documents write it: digits and separators, and no more digits than necessary.
pub(crate) fn is_usual(field: Field, text: &str) -> bool {
    const MOST_DIGITS: usize = 12;
    let digits = |part: &str| {
        (1..=MOST_DIGITS).contains(&part.len()) && part.bytes().all(|octet| octet.is_ascii_digit())
    };
    let time = |part: &str| part.len() == 4 && digits(part) && part != "2400";
    let times = |part: &str| {
        let mut pair = part.split(|c: char| c == '-' || c.is_ascii_whitespace());
        pair.all(|one| one.is_empty() || time(one))
    };
    match field {
        Field::CrawlDelay => text.split('.').all(digits),
        Field::RequestRate => {
            let (rate, window) =
                text.split_once(|c: char| c.is_ascii_whitespace()).unwrap_or((text, ""));
            let (documents, seconds) = rate.split_once('/').unwrap_or((rate, ""));
            let unit = |c: char| "smhdwSMHDW".contains(c);
            digits(documents)
                && digits(seconds.strip_suffix(unit).unwrap_or(seconds))
                && times(window)
        }
        Field::VisitTime => times(text),
        Field::RobotVersion => text.split('.').all(digits) && text.split('.').count() == 3,
        _ => true,
    }
}

/// A version of Conner's standard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Version {
    pub(crate) major: u32,
    pub(crate) minor: u32,
}

/// How a robot of version 2.0.0 treats a record of a version (Conner 1996, Robot-version).
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
    /// A value that is not a version number: a URL is allowed if both 1.0.0 and 2.0.0 allow it.
    Either,
}

impl Version {
    /// Parses `2.0.0`, or `2.0` as in the sample of the final page. `v2.0.0`, `2` and `2.0.0-beta` have
    /// only one possible meaning: read as version 1, a record of Allow lines alone would allow
    /// everything.
    pub(crate) fn read(text: &str) -> Option<Version> {
        let text = text.strip_prefix(['v', 'V']).unwrap_or(text);
        let is_behind = |c: char| matches!(c, '-' | '+') || c.is_ascii_whitespace();
        let number = text.split(is_behind).next().unwrap_or_default();
        let part = |text: &str| -> Option<u32> {
            let digits = text.bytes().all(|octet| octet.is_ascii_digit());
            if digits { text.parse().ok() } else { None }
        };
        let parts: Option<Vec<u32>> = number.split('.').map(part).collect();
        match parts?[..] {
            [major] => Some(Version { major, minor: 0 }),
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

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "version {}.{}", self.major, self.minor)
    }
}

/// Whether a value is an absolute URL: a scheme, `://`, and a host.
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
            "10/60m0600-0845",
            "10/60 ms",
            "-1/60",
            "1/month",
            "1/10,",
        ] {
            assert_eq!(RequestRate::read(text), None, "{text}");
        }
        for text in [
            "", ".", "x", "-1", "nan", "inf", "1,5", "1.2.3", "10x", "1e", "1e-", "e3", "++1",
            "1-2", "+-1",
        ] {
            assert_eq!(delay(text), None, "{text}");
        }
        for text in ["", "two", "2.x.0", "2.0.0.0", "2.", "vv2", "-2", "v"] {
            assert_eq!(Version::read(text), None, "{text}");
        }
    }

    #[test]
    fn a_rate_outlives_times_that_cannot_be_read() {
        for text in ["1/600 soon later", "1/600, 0600 0845", "1/600 noon-midnight"] {
            let rate = RequestRate::read(text).expect("a rate");
            assert_eq!((rate.seconds, rate.doubtful), (600, true), "{text}");
        }
        for text in ["1/10m at night", "1/10m 2500 2600", "1/600 0600", "1/10m 0600-0845 EST"] {
            let rate = RequestRate::read(text).expect("a rate");
            assert_eq!((rate.documents, rate.seconds, rate.window), (1, 600, None), "{text}");
            assert!(rate.doubtful, "{text}");
        }
        assert!(!RequestRate::read("1/10m 0600 0845").expect("a rate").doubtful);
        assert!(!RequestRate::read("1/10m").expect("a rate").doubtful);
    }

    #[test]
    fn odd_versions_are_read_where_they_can_mean_one_thing_only() {
        for text in ["2.0.0", "2.0", "2", "v2.0.0", "V2", "2.0.0-beta", "2.0.1 (draft)", "2.0+x"] {
            assert_eq!(Version::read(text), Some(Version { major: 2, minor: 0 }), "{text}");
        }
        assert_eq!(Version::read("2.1-rc1").map(Version::reading), Some(Reading::Experimental));
    }

    #[test]
    fn numbers_of_any_length_stay_long() {
        let nines = "9".repeat(400);
        #[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
        let longest = LONGEST as f64;
        for text in [nines.clone(), "1e999".to_owned(), format!("{nines}w"), format!("+{nines}.5")]
        {
            assert_eq!(delay(&text), Some(longest), "{text}");
        }
        let rate = RequestRate::read(&format!("1/{nines}w")).expect("a rate");
        assert_eq!((rate.documents, rate.seconds), (1, LONGEST));
        let rate = RequestRate::read(&format!("{nines}/{nines}")).expect("a rate");
        assert_eq!((rate.documents, rate.seconds), (u32::MAX, LONGEST));
    }

    #[test]
    fn absolute_urls_are_told_from_others() {
        assert!(is_absolute_url(b"https://example.com/s.xml"));
        for value in ["/s.xml", "s.xml", "https:/x", "://x", "https:///x", "https://a b"] {
            assert!(!is_absolute_url(value.as_bytes()), "{value}");
        }
    }
}
