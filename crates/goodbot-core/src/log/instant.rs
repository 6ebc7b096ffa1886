//! Times as logs write them.

/// Microseconds since 1970-01-01 00:00 UTC.
pub type Micros = i64;

const SECOND: i64 = 1_000_000;
const DAY: i64 = 86_400;

/// No log is of this year. With a zone behind UTC, or a lifetime added, its times would leave the
/// calendar that Python and Arrow's readers have, which ends with it.
const FAR_YEAR: i64 = 9999;

/// The days of the months of a year that is no leap year, before each month.
const BEFORE: [i64; 12] = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334];
const MONTHS: &[u8; 36] = b"JanFebMarAprMayJunJulAugSepOctNovDec";

/// Returns a time in any of the forms that logs use; `None` if it is none of them.
///
/// They are the form of the Common Log Format (`10/Oct/2000:13:55:36 -0700`), RFC 3339
/// (`2000-10-10T13:55:36.25+02:00`, also with a space, with slashes in its date, or without a zone,
/// which then is UTC), as HTTP has it (`Tue, 10 Oct 2000 13:55:36 GMT`), and numbers of seconds, milliseconds, microseconds or nanoseconds since 1970, which their size tells
/// apart: a number of one unit that lies between 1973 and 5138 lies before 1973 in the next larger
/// one.
#[must_use]
pub fn instant(written: &[u8]) -> Option<Micros> {
    match written {
        // Some write the brackets of the Common Log Format into JSON.
        [b'[', inner @ .., b']'] if inner.first() != Some(&b'[') => instant(inner),
        [_, _, b'/', ..] => common(written),
        [_, _, _, _, b'-' | b'/', ..] => rfc3339(written),
        [_, _, _, b',', b' ', ..] => fixdate(written),
        _ => number(written),
    }
}

/// Whether a time that `instant` reads says how far it is from UTC; a number of seconds counts from 1970
/// in UTC.
pub(super) fn states_zone(written: &[u8]) -> bool {
    let behind_date = match written {
        [b'[', inner @ .., b']'] => return states_zone(inner),
        [_, _, b'/', ..] => written.get(12..),
        [_, _, _, _, b'-' | b'/', ..] => written.get(10..),
        _ => return true,
    };
    let is_zone = |byte: &u8| matches!(byte, b'+' | b'-' | b'Z' | b'z');
    behind_date.is_some_and(|rest| rest.iter().any(is_zone) || rest.ends_with(b" UTC"))
}

fn digits(written: &[u8]) -> Option<i64> {
    if written.is_empty() {
        return None;
    }
    written.iter().try_fold(0_i64, |sum, byte| {
        let digit = byte.is_ascii_digit().then(|| i64::from(byte - b'0'))?;
        sum.checked_mul(10)?.checked_add(digit)
    })
}

fn days(year: i64, month: i64, day: i64) -> Option<i64> {
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let index = usize::try_from(month - 1).ok().filter(|index| *index < 12)?;
    let length = match index {
        1 => 28 + i64::from(leap),
        3 | 5 | 8 | 10 => 30,
        _ => 31,
    };
    if !(1..=length).contains(&day) || !(1970..FAR_YEAR).contains(&year) {
        return None;
    }
    let before = year - 1;
    let leaps = before / 4 - before / 100 + before / 400;
    let to_year = before * 365 + leaps - 719_162;
    Some(to_year + BEFORE[index] + i64::from(leap && index > 1) + day - 1)
}

/// Returns the seconds of a time of day, `13:55:36`. A leap second counts as the one before it.
fn of_day(written: &[u8]) -> Option<i64> {
    let [h1, h2, b':', m1, m2, b':', s1, s2] = *written else { return None };
    let (hours, minutes) = (digits(&[h1, h2])?, digits(&[m1, m2])?);
    let seconds = digits(&[s1, s2])?;
    (hours < 24 && minutes < 60 && seconds <= 60)
        .then_some(hours * 3_600 + minutes * 60 + seconds.min(59))
}

/// Returns the seconds by which a zone is ahead of UTC: `-0700`, `+02:00`, `Z`, `UTC`, or nothing.
fn zone(written: &[u8]) -> Option<i64> {
    let (sign, hours, minutes) = match *written {
        [] | [b'Z' | b'z'] | [b'U', b'T', b'C'] => return Some(0),
        [sign @ (b'+' | b'-'), h1, h2, m1, m2] | [sign @ (b'+' | b'-'), h1, h2, b':', m1, m2] => {
            (sign, digits(&[h1, h2])?, digits(&[m1, m2])?)
        }
        _ => return None,
    };
    let ahead = hours * 3_600 + minutes * 60;
    (hours < 24 && minutes < 60).then_some(if sign == b'-' { -ahead } else { ahead })
}

fn month(name: &[u8]) -> Option<i64> {
    let place = MONTHS.chunks_exact(3).position(|month| month.eq_ignore_ascii_case(name))?;
    Some(i64::try_from(place).ok()? + 1)
}

/// Reads a date of HTTP (RFC 9110 section 5.6.7, IMF-fixdate).
fn fixdate(written: &[u8]) -> Option<Micros> {
    let (date, clock) = written.split_at_checked(17)?;
    let [_, _, _, b',', b' ', d1, d2, b' ', name @ .., b' ', y1, y2, y3, y4, b' '] = date else {
        return None;
    };
    let date = days(digits(&[*y1, *y2, *y3, *y4])?, month(name)?, digits(&[*d1, *d2])?)?;
    Some((date * DAY + of_day(clock.strip_suffix(b" GMT")?)?) * SECOND)
}

fn common(written: &[u8]) -> Option<Micros> {
    let ([d1, d2, b'/', name @ .., b'/', y1, y2, y3, y4, b':' | b' '], rest) =
        written.split_at_checked(12)?
    else {
        return None;
    };
    let date = days(digits(&[*y1, *y2, *y3, *y4])?, month(name)?, digits(&[*d1, *d2])?)?;
    let (time, after) = rest.split_at_checked(8)?;
    // Apache's `%{...}t` and Java's servers add a fraction.
    let (fraction, after) = fraction(after);
    let ahead = zone(after.strip_prefix(b" ").unwrap_or(after))?;
    Some((date * DAY + of_day(time)? - ahead) * SECOND + fraction)
}

fn rfc3339(written: &[u8]) -> Option<Micros> {
    let (date, rest) = written.split_at_checked(10)?;
    let [y1, y2, y3, y4, mark @ (b'-' | b'/'), m1, m2, second, d1, d2] = *date else { return None };
    if second != mark {
        return None;
    }
    let date = days(digits(&[y1, y2, y3, y4])?, digits(&[m1, m2])?, digits(&[d1, d2])?)?;
    let rest = rest.strip_prefix(b"T").or_else(|| rest.strip_prefix(b" "))?;
    let (time, after) = rest.split_at_checked(8)?;
    let (fraction, after) = fraction(after);
    let ahead = zone(after.strip_prefix(b" ").unwrap_or(after))?;
    Some((date * DAY + of_day(time)? - ahead) * SECOND + fraction)
}

/// Returns the microseconds of a fraction of a second, if there is one, and what follows it.
fn fraction(written: &[u8]) -> (i64, &[u8]) {
    let Some(after) = written.strip_prefix(b".").or_else(|| written.strip_prefix(b",")) else {
        return (0, written);
    };
    let length = after.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let shown = &after[..length.min(6)];
    let missing = u32::try_from(6 - shown.len()).unwrap_or(0);
    (digits(shown).unwrap_or(0) * 10_i64.pow(missing), &after[length..])
}

fn number(written: &[u8]) -> Option<Micros> {
    let end = written.iter().position(|byte| *byte == b'.').unwrap_or(written.len());
    let whole = digits(&written[..end])?;
    let (fraction, rest) = fraction(&written[end..]);
    if !rest.is_empty() {
        return None;
    }
    match whole {
        0..100_000_000_000 => Some(whole * SECOND + fraction),
        100_000_000_000..100_000_000_000_000 => Some(whole * 1_000 + fraction / 1_000),
        100_000_000_000_000..100_000_000_000_000_000 => Some(whole),
        _ => Some(whole / 1_000),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_time_in_all_its_forms() {
        let wanted = Some(971_211_336_000_000);
        for written in [
            "10/Oct/2000:13:55:36 -0700",
            "10/oct/2000:20:55:36 +0000",
            "[10/oct/2000:20:55:36 +0000]",
            "10/Oct/2000:20:55:36",
            "10/Oct/2000 20:55:36",
            "2000-10-10T20:55:36Z",
            "2000-10-10T22:55:36+02:00",
            "2000-10-10 20:55:36",
            "2000-10-10 20:55:36 UTC",
            "2000/10/10 20:55:36",
            "Tue, 10 Oct 2000 20:55:36 GMT",
            "2000-10-10T20:55:36.000000000Z",
            "971211336",
            "971211336.000",
            "971211336000",
            "971211336000000",
            "971211336000000000",
            "971211336000000000.0",
        ] {
            assert_eq!(instant(written.as_bytes()), wanted, "{written}");
        }
        assert_eq!(instant(b"971211336.25"), Some(971_211_336_250_000));
        assert_eq!(instant(b"2000-10-10T20:55:36.5Z"), Some(971_211_336_500_000));
        assert_eq!(instant(b"10/Oct/2000:13:55:36.25 -0700"), Some(971_211_336_250_000));
        assert_eq!(instant(b"29/Feb/2024:23:59:60 +0000"), instant(b"2024-02-29T23:59:59Z"));
        assert_eq!(instant(b"1970-01-01T00:00:00Z"), Some(0));
        // Nanoseconds since 2001-09-09 have nineteen digits.
        assert_eq!(instant(b"1653485126000000000"), instant(b"2022-05-25T13:25:26Z"));
        assert_eq!(instant(b"9223372036854775807"), Some(9_223_372_036_854_775));
    }

    #[test]
    fn what_is_no_time_has_none() {
        for written in [
            "",
            "-",
            "x",
            "31/Feb/2024:00:00:00 +0000",
            "29/Feb/2023:00:00:00 +0000",
            "10/Oct/2000:24:00:00 +0000",
            "10/Foo/2000:13:55:36 -0700",
            "10/Oct/2000",
            "12/",
            "Tue, 10 Oct 2000 20:55:36",
            "Tue, 10 Okt 2000 20:55:36 GMT",
            "2000-13-10T20:55:36Z",
            "2000-10-10",
            "2000-10/10 20:55:36",
            "2000-10-10T20:55:36 CET",
            "0000-01-01T00:00:00Z",
            "31/Dec/9999:23:59:59 -1200",
            "9999-12-31T23:59:59-12:00",
            "Fri, 31 Dec 9999 23:59:59 GMT",
            "9999999999999999999",
            "99999999999999999999999999",
            "1.2.3",
            "-5",
            "+5",
            "10/Oct/2000:13:55:36 -07",
        ] {
            assert_eq!(instant(written.as_bytes()), None, "{written}");
        }
    }

    #[test]
    fn a_time_states_its_zone_or_not() {
        for (written, expected) in [
            ("10/Oct/2000:13:55:36 -0700", true),
            ("10/Oct/2000:13:55:36", false),
            ("10/Oct/2000:13:55:36.123", false),
            ("2000-10-10T13:55:36.25+02:00", true),
            ("2000-10-10T13:55:36Z", true),
            ("2000-10-10 13:55:36,250", false),
            ("2000/10/10 13:55:36", false),
            ("2000-10-10 13:55:36 UTC", true),
            ("971211336", true),
        ] {
            assert!(instant(written.as_bytes()).is_some(), "{written}");
            assert_eq!(states_zone(written.as_bytes()), expected, "{written}");
        }
    }
}
