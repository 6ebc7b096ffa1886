//! The links of a page, packed for a database: rows column by column, as JSON that is compressed.
//!
//! `goodbot.crawl.links.compact_rows` describes the format, and unpacks it.

use std::borrow::Cow;
use std::fmt::Write;

use crate::deflate;

/// The level of compression: higher ones save 4 % of the space, and cost a quarter more time.
const LEVEL: u32 = 1;

/// A link as it is stored. Numbers refer to the targets of the page and to texts.
#[derive(Debug)]
pub struct LinkRow<'a> {
    /// The place of its target in the list of targets.
    pub target: u32,
    /// Its line.
    pub line: u32,
    /// Its kind.
    pub kind: u32,
    /// Its relations.
    pub rel: Cow<'a, str>,
    /// The text that says why it must not be followed; 0 if it may be.
    pub forbids: u32,
    /// Its text.
    pub text: &'a str,
    /// The text that says why its text is not stored; 0 if it is.
    pub barred: u32,
}

/// Packs the links of a page, and the texts to which they refer by number.
#[must_use]
pub fn packed(rows: &[LinkRow<'_>], names: &[&str]) -> Vec<u8> {
    deflate::zlib(json(rows, names).as_bytes(), LEVEL)
}

/// Packs numbers, as the differences of each to the one before it.
#[must_use]
pub fn packed_numbers(numbers: &[i64]) -> Vec<u8> {
    let mut out = String::with_capacity(8 * (numbers.len() + 1));
    let mut before = 0;
    out.push('[');
    for number in numbers {
        if out.len() > 1 {
            out.push(',');
        }
        let _ = write!(out, "{}", number.wrapping_sub(before));
        before = *number;
    }
    out.push(']');
    deflate::zlib(out.as_bytes(), LEVEL)
}

fn json(rows: &[LinkRow<'_>], names: &[&str]) -> String {
    let mut out = String::with_capacity(64 * (rows.len() + 1));
    let _ = write!(out, "[{},[", rows.len());
    steps(&mut out, rows.iter().map(|row| row.target));
    steps(&mut out, rows.iter().map(|row| row.line));
    column(&mut out, rows, |row| row.kind == 0, |out, row| number(out, row.kind));
    column(&mut out, rows, |row| row.rel.is_empty(), |out, row| text(out, &row.rel));
    column(&mut out, rows, |row| row.forbids == 0, |out, row| number(out, row.forbids));
    column(&mut out, rows, |row| row.text.is_empty(), |out, row| text(out, row.text));
    column(&mut out, rows, |row| row.barred == 0, |out, row| number(out, row.barred));
    out.pop();
    out.push_str("],");
    list(&mut out, names, |out, name| text(out, name));
    out.pop();
    out.push(']');
    out
}

/// Writes a column; 0 if every value is empty.
fn column<T>(
    out: &mut String,
    rows: &[T],
    is_empty: impl Fn(&T) -> bool,
    write: impl Fn(&mut String, &T),
) {
    if rows.iter().all(is_empty) {
        out.push_str("0,");
    } else {
        list(out, rows, write);
    }
}

/// Writes the difference of each number to the one before it: small numbers compress well.
fn steps(out: &mut String, numbers: impl Iterator<Item = u32>) {
    let mut before = 0;
    let steps: Vec<i64> = numbers
        .map(|number| i64::from(number) - std::mem::replace(&mut before, i64::from(number)))
        .collect();
    column(
        out,
        &steps,
        |step| *step == 0,
        |out, step| {
            let _ = write!(out, "{step}");
        },
    );
}

fn list<T>(out: &mut String, items: &[T], write: impl Fn(&mut String, &T)) {
    out.push('[');
    for (place, item) in items.iter().enumerate() {
        if place > 0 {
            out.push(',');
        }
        write(out, item);
    }
    out.push_str("],");
}

fn number(out: &mut String, number: u32) {
    let _ = write!(out, "{number}");
}

/// Writes a text as JSON; only what must be escaped is.
fn text(out: &mut String, text: &str) {
    out.push('"');
    let mut rest = text;
    while let Some(at) = rest.bytes().position(|byte| byte < b' ' || byte == b'"' || byte == b'\\')
    {
        out.push_str(&rest[..at]);
        match rest.as_bytes()[at] {
            byte @ (b'"' | b'\\') => out.extend(['\\', char::from(byte)]),
            byte => {
                let _ = write!(out, "\\u{byte:04x}");
            }
        }
        rest = &rest[at + 1..];
    }
    out.push_str(rest);
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(target: u32, line: u32, text: &str) -> LinkRow<'_> {
        let rel = Cow::Borrowed("");
        LinkRow { target, line, kind: 0, rel, forbids: 0, text, barred: 0 }
    }

    #[test]
    fn columns_without_values_are_omitted() {
        let rows = [row(0, 4, "a\"\n"), row(2, 4, "\\"), row(1, 5, "é")];
        let expected = "[3,[[0,2,-1],[4,0,1],0,0,0,[\"a\\\"\\u000a\",\"\\\\\",\"é\"],0],[\"\"]]";
        assert_eq!(json(&rows, &[""]), expected);
        assert_eq!(json(&[], &[]), "[0,[0,0,0,0,0,0,0],[]]");
    }
}
