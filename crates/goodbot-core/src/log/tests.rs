//! What holds for every format and any bytes.

use proptest::prelude::*;

use super::*;

fn formats() -> Vec<Format> {
    KNOWN.iter().map(|known| known.format().expect("well-formed")).collect()
}

/// Bytes that formats have in common, and others.
fn any_line() -> impl Strategy<Value = Vec<u8>> {
    let parts: [&[u8]; 21] = [
        b"\"",
        b"\\",
        b" ",
        b"[",
        b"]",
        b"{",
        b"}",
        b":",
        b",",
        b"\t",
        b"#Fields: ",
        b"date time cs-method cs-uri-stem",
        b"10/Oct/2000:13:55:36 -0700",
        b"2000-10-10T20:55:36Z",
        b"GET /a HTTP/1.1",
        b"200",
        b"\"ts\"",
        b"1.5",
        b"\\ud83d",
        b"\xff\0",
        b"-",
    ];
    let part = prop::sample::select(parts.to_vec()).prop_map(<[u8]>::to_vec);
    prop::collection::vec(part, 0..40).prop_map(|parts| parts.concat())
}

proptest! {
    /// Foreign lines are read or refused; what is read lies within the line.
    #[test]
    fn any_line_is_read_or_refused(lines in prop::collection::vec(any_line(), 1..6)) {
        for mut format in formats() {
            for line in &lines {
                let Ok(Some(entry)) = format.read(line) else { continue };
                for text in [entry.target(), entry.method(), entry.query(), entry.user_agent()] {
                    prop_assert!(text.decoded().len() <= line.len());
                    prop_assert!(text.written.len() <= line.len());
                }
                prop_assert!(entry.address().len() <= line.len());
            }
        }
    }

    /// A time that is written in a form of the web is read as it was meant.
    #[test]
    fn every_second_is_read(second in 0_i64..250_000_000_000) {
        prop_assert_eq!(instant(second.to_string().as_bytes()).map(|time| time % 1_000), Some(0));
        let (days, rest) = (second / 86_400, second % 86_400);
        // The calendar in steps of one year and one month: slow, and plain.
        let is_leap = |year: i64| year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
        let (mut year, mut left) = (1970, days);
        while left >= 365 + i64::from(is_leap(year)) {
            left -= 365 + i64::from(is_leap(year));
            year += 1;
        }
        let lengths = [31, 28 + i64::from(is_leap(year)), 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
        let mut month = 0;
        while left >= lengths[month] {
            left -= lengths[month];
            month += 1;
        }
        let (hour, minute, second_of) = (rest / 3_600, rest / 60 % 60, rest % 60);
        let written = format!(
            "{year:04}-{:02}-{:02}T{hour:02}:{minute:02}:{second_of:02}Z", month + 1, left + 1,
        );
        prop_assert_eq!(instant(written.as_bytes()), Some(second * 1_000_000));
    }
}

#[test]
fn own_formats_are_read() {
    let line =
        br#"[2000-10-10T20:55:36+00:00] example.com "GET /a HTTP/1.1" 404 "it's \x22me\x22""#;
    let written = r#"[$time_iso8601] $host "$request" ${status} "$http_user_agent""#;
    let mut nginx = Format::nginx(written, Escapes::Backslash).expect("well-formed");
    let written = r#"[%{%Y-%m-%dT%H:%M:%S%z}t] %v \"%r\" %>s \"%400,501!{User-Agent}i\""#;
    let mut apache = Format::apache(written).expect("well-formed");
    for format in [&mut nginx, &mut apache] {
        let entry = format.read(line).expect("this form").expect("an entry");
        assert_eq!(entry.text(Slot::Host).written, b"example.com");
        assert_eq!(entry.user_agent().decoded().as_ref(), br#"it's "me""#);
        assert_eq!((entry.status, entry.bytes, entry.time), (Some(404), None, 971_211_336_000_000));
    }
}

#[test]
fn formats_that_could_be_read_wrongly_are_refused() {
    let nginx = |written| Format::nginx(written, Escapes::Backslash).err();
    assert_eq!(nginx("$time_local $status$request"), Some(Malformed::Adjacent));
    assert_eq!(nginx("$request"), Some(Malformed::NoTime));
    assert_eq!(nginx("[$time_local] $status"), Some(Malformed::NoTarget));
    assert!(matches!(nginx("$ $request"), Some(Malformed::Directive(_))));
    assert!(matches!(Format::apache("%{%d}t %r").err(), Some(Malformed::PartOfTime)));
    assert!(matches!(Format::apache("%{User-Agent %r").err(), Some(Malformed::Directive(_))));
    assert!(matches!(Format::apache("%r %").err(), Some(Malformed::Directive(_))));
    let many: Vec<_> = (0..200).map(|_| ("a", Slot::Time)).chain([("b", Slot::Target)]).collect();
    assert_eq!(Format::json(&many).err(), Some(Malformed::Many));
}

#[test]
fn deep_and_long_lines_are_refused_in_time() {
    let deep = [&b"{\"a\":"[..], &b"[".repeat(60_000)].concat();
    let quotes =
        [&b"192.0.2.1 - - [10/Oct/2000:13:55:36 -0700] \""[..], &b"\\\"".repeat(30_000)].concat();
    for mut format in formats() {
        assert!(!matches!(format.read(&deep), Ok(Some(_))));
        assert!(!matches!(format.read(&quotes), Ok(Some(_))));
    }
}
