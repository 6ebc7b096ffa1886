//! Lines that another program handed on, with what it wrote before them: syslog (RFC 3164 section 4.1,
//! RFC 5424 section 6), also as it is written to files and by Fastly, and the logs of containers; or within
//! a line of JSON: Docker's driver `json-file`, Filebeat, journald, Google Cloud.

use std::sync::LazyLock;

use super::super::client_address::is_address;
use super::super::entry::{Fields, Slot};
use super::json::{self, Mapping};

/// Where a line of JSON has the line of a server.
static WITHIN: LazyLock<Option<Mapping>> = LazyLock::new(|| {
    let names = ["log", "message", "textPayload"];
    Mapping::new(&names.map(|name| (name, Slot::Request))).ok()
});

/// Returns the line of a server that a line of JSON has as a text.
#[cold]
pub(in crate::log) fn within(line: &[u8]) -> Option<Vec<u8>> {
    if line.first() != Some(&b'{') {
        return None;
    }
    let mut fields = Fields::new(line);
    json::read(WITHIN.as_ref()?, line, &mut fields).ok()?;
    let mut text = fields.get(Slot::Request).decoded().into_owned();
    text.truncate(text.trim_ascii_end().len());
    (!text.is_empty() && !text.contains(&b'\n')).then_some(text)
}

/// Returns what the server wrote, if something else stands before it.
#[inline]
pub(in crate::log) fn message(line: &[u8]) -> Option<&[u8]> {
    match line {
        [b'<', ..] => syslog(line),
        // A line of the server itself begins with an address or a host: `2001:db8::1`, `192.0.2.1`.
        [_, _, _, _, b'-', _, _, b'-', _, _, b'T', ..] => from_iso_time(line),
        [b'A'..=b'Z', _, _, b' ', ..] => from_tag(behind_time(line)?),
        // `[2026-11-28 21:38:24 +0000] [15379] [INFO] `, of Hypercorn's logger
        [b'[', b'0'..=b'9', _, _, _, b'-', ..] => behind_brackets(line),
        // `kubectl logs --prefix`
        [b'[', b'p', b'o', b'd', b'/', ..] => behind_word(line).map(|(_, rest)| rest),
        [b'A'..=b'Z', b'A'..=b'Z', ..] => behind_level(line).or_else(|| behind_bar(line)),
        _ => behind_bar(line),
    }
}

/// Returns what follows a priority: `<134>`.
fn syslog(line: &[u8]) -> Option<&[u8]> {
    let end = line.iter().take(5).position(|byte| *byte == b'>')?;
    let is_number = end > 1 && line[1..end].iter().all(u8::is_ascii_digit);
    let rest = is_number.then(|| &line[end + 1..])?;
    match rest.strip_prefix(b"1 ") {
        Some(header) => structured(header),
        None if rest.first()?.is_ascii_digit() => from_tag(behind_word(rest)?.1),
        None => from_tag(behind_time(rest)?),
    }
}

/// Returns the message behind the header of RFC 5424: time, host, program, process, kind, and data.
fn structured(header: &[u8]) -> Option<&[u8]> {
    let mut rest = header;
    for _ in 0..5 {
        rest = behind_word(rest)?.1;
    }
    if let Some(rest) = rest.strip_prefix(b"- ") {
        return Some(rest.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(rest));
    }
    while rest.first() == Some(&b'[') {
        rest = behind_data(rest)?;
    }
    let rest = rest.strip_prefix(b" ")?;
    Some(rest.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(rest))
}

/// Returns what follows an element of structured data; its values are in quotation marks.
fn behind_data(text: &[u8]) -> Option<&[u8]> {
    let (mut is_value, mut is_escaped) = (false, false);
    for (place, byte) in text.iter().enumerate() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if is_value => is_escaped = true,
            b'"' => is_value = !is_value,
            b']' if !is_value => return Some(&text[place + 1..]),
            _ => {}
        }
    }
    None
}

/// Whether a text begins as lines of servers do: with an address, or as JSON.
fn begins_line(text: &[u8]) -> bool {
    text.first() == Some(&b'{') || behind_word(text).is_some_and(|(word, _)| is_address(word))
}

/// Returns the message behind a time of RFC 3339: of a container's log, of syslog in a file, or of a
/// program that writes its time alone, as `docker logs --timestamps` does.
fn from_iso_time(line: &[u8]) -> Option<&[u8]> {
    let rest = behind_word(line)?.1;
    let of_container =
        [b"stdout F ", b"stderr F "].iter().find_map(|head| rest.strip_prefix(*head));
    of_container.or_else(|| from_tag(rest)).or_else(|| begins_line(rest).then_some(rest))
}

/// Returns what follows a time of RFC 3164: `Oct  7 13:55:36 `.
fn behind_time(line: &[u8]) -> Option<&[u8]> {
    let (time, rest) = line.split_at_checked(16)?;
    let [_, b'a'..=b'z', b'a'..=b'z', b' ', d1, d2, b' ', clock @ .., b' '] = time else {
        return None;
    };
    let is_day = matches!(d1, b' ' | b'0'..=b'3') && d2.is_ascii_digit();
    let is_clock = matches!(clock, [_, _, b':', _, _, b':', _, _]);
    (is_day && is_clock).then_some(rest)
}

/// Returns the message behind a tag, and a host before that if there is one: `web1 nginx[12]: `.
fn from_tag(text: &[u8]) -> Option<&[u8]> {
    let (first, rest) = behind_word(text)?;
    if first.ends_with(b":") {
        return Some(rest);
    }
    let (tag, rest) = behind_word(rest)?;
    tag.ends_with(b":").then_some(rest)
}

/// Returns what follows the name of a container or process, as `docker compose logs` and PM2 write it:
/// `web-1  | `, `0|web  | `.
fn behind_bar(line: &[u8]) -> Option<&[u8]> {
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_.|".contains(byte);
    let end = line.iter().position(|byte| !is_name(byte)).filter(|end| *end > 0)?;
    line[end..].trim_ascii_start().strip_prefix(b"| ").filter(|_| line[end] == b' ')
}

/// Returns what follows time, process and level, each in brackets.
fn behind_brackets(line: &[u8]) -> Option<&[u8]> {
    let mut rest = line;
    for _ in 0..3 {
        let inner = rest.strip_prefix(b"[")?;
        let end = memchr::memchr(b']', inner.get(..LONGEST_BRACKETS).unwrap_or(inner))?;
        rest = inner[end + 1..].strip_prefix(b" ")?;
    }
    Some(rest)
}

/// The most bytes within brackets.
const LONGEST_BRACKETS: usize = 40;

/// Returns what follows a level and the name of a logger, as Python's `logging` writes them by default:
/// `INFO:aiohttp.access:`.
fn behind_level(line: &[u8]) -> Option<&[u8]> {
    let rest = [&b"INFO:"[..], b"DEBUG:", b"WARNING:", b"ERROR:"]
        .iter()
        .find_map(|level| line.strip_prefix(*level))?;
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || b"._-".contains(byte);
    let end = rest.iter().position(|byte| !is_name(byte)).filter(|end| *end > 0)?;
    rest[end..].strip_prefix(b":")
}

/// Returns a word and what follows the space behind it.
fn behind_word(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = memchr::memchr(b' ', text).filter(|end| *end > 0)?;
    Some((&text[..end], &text[end + 1..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_before_a_line_is_skipped() {
        for before in [
            "<134>2016-07-04T22:37:26Z cache-sjc3128 LogTest[62959]: ",
            "<190>Oct 10 13:55:36 web1 nginx: ",
            "<190>Oct  7 13:55:36 nginx: ",
            "<134>1 2016-07-04T22:37:26Z cache-sjc3128 LogTest 62959 - - ",
            "<134>1 - - - - - [a@1 b=\"c]\\\"\"][d] \u{feff}",
            "Jul  4 22:37:26 web1 nginx[12]: ",
            "2016-07-04T22:37:26.123456+00:00 web1 caddy[1]: ",
            "2016-07-04T22:37:26.123456789Z stdout F ",
            "2016-07-04T22:37:26.123456789Z ",
            "[pod/web-7d4/nginx] ",
            "web-1  | ",
            "0|web  | ",
            "[2016-07-04 22:37:26 +0000] [15379] [INFO] ",
            "INFO:aiohttp.access:",
        ] {
            let line = format!("{before}192.0.2.1 - - [x] \"GET / HTTP/1.1\"");
            let found = message(line.as_bytes()).map(String::from_utf8_lossy);
            assert_eq!(found.as_deref(), Some("192.0.2.1 - - [x] \"GET / HTTP/1.1\""), "{before}");
        }
    }

    #[test]
    fn a_line_may_be_a_text_in_a_line_of_json() {
        let within = |line: &str| {
            within(line.as_bytes()).map(|text| String::from_utf8_lossy(&text).into_owned())
        };
        let docker =
            r#"{"log":"GET \"/\u0061\" \\x\n","stream":"stdout","time":"2016-07-04T22:37:26Z"}"#;
        assert_eq!(within(docker).as_deref(), Some(r#"GET "/a" \x"#));
        assert_eq!(within(r#"{"@timestamp":"2016","message":"a"}"#).as_deref(), Some("a"));
        for line in ["{}", "a", "", r#"{"log":"a\nb"}"#, r#"{"log":""}"#, r#"{"log":{"a":"b"}}"#] {
            assert_eq!(within(line), None, "{line}");
        }
    }

    #[test]
    fn a_line_of_a_server_is_left_alone() {
        for line in [
            "192.0.2.1 - - [10/Oct/2000:13:55:36 -0700] \"GET /a: | HTTP/1.1\" 200 5",
            "example.com 192.0.2.1 - - [10/Oct/2000:13:55:36 -0700] \"GET / HTTP/1.1\" 200 5",
            "2015-05-13T23:39:43.945958Z my-lb 192.0.2.1:2817 10.0.0.1:80 0.1 0.1 0.1 200 200 0 57",
            "2001:db8::1 - - [10/Oct/2000:13:55:36 -0700] \"GET / HTTP/1.1\" 200 5",
            "{\"a\": \"b | c\"}",
            "<134>",
            "<x>1 2 3 4 5 6: 7",
            "<134>1 a b c d e [f g",
            "Oct 10 13:55 web1 nginx: a",
            "",
        ] {
            assert_eq!(message(line.as_bytes()), None, "{line}");
        }
    }
}
