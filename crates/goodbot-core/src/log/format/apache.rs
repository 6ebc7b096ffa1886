//! Formats as Apache's `LogFormat` writes them.
//!
//! Source: Apache HTTP Server 2.4, `mod_log_config`, "Custom Log Formats".

use super::super::entry::Slot;
use super::super::text::Escapes;
use super::header_slots::{of_answer, of_header};
use super::{Format, Malformed, Part};

impl Format {
    /// Makes a format of the string of a `LogFormat`.
    ///
    /// # Errors
    ///
    /// When it is not one, or lacks the time or the target.
    pub fn apache(format: &str) -> Result<Format, Malformed> {
        let mut parts = Vec::new();
        let mut rest = format.as_bytes();
        while let Some((&byte, after)) = rest.split_first() {
            rest = match byte {
                b'%' => directive(after, &mut parts)?,
                // As in the configuration file, where quotation marks are escaped.
                b'\\' if !after.is_empty() => {
                    parts.push(Part::Literal(vec![match after[0] {
                        b't' => b'\t',
                        b'n' => b'\n',
                        other => other,
                    }]));
                    &after[1..]
                }
                _ => {
                    parts.push(Part::Literal(vec![byte]));
                    after
                }
            };
        }
        Format::of_parts(&parts, Escapes::Backslash)
    }
}

/// Reads what follows a percent sign. Returns the rest.
fn directive<'f>(format: &'f [u8], parts: &mut Vec<Part>) -> Result<&'f [u8], Malformed> {
    let malformed = || {
        let shown = &format[..format.len().min(20)];
        Malformed::Directive(format!("%{}", String::from_utf8_lossy(shown)))
    };
    if let Some(rest) = format.strip_prefix(b"%") {
        parts.push(Part::Literal(b"%".to_vec()));
        return Ok(rest);
    }
    let is_modifier = |byte: &&u8| byte.is_ascii_digit() || b"!,<>".contains(byte);
    let mut rest = &format[format.iter().take_while(is_modifier).count()..];
    let mut argument = None;
    if let Some(after) = rest.strip_prefix(b"{") {
        let end = memchr::memchr(b'}', after).ok_or_else(malformed)?;
        argument = Some(&after[..end]);
        rest = &after[end + 1..];
        rest = &rest[rest.iter().take_while(is_modifier).count()..];
    }
    let (&letter, mut rest) = rest.split_first().ok_or_else(malformed)?;
    if letter == b'^' {
        // %^FB, %^ti and %^to have three letters.
        rest = rest.get(2..).ok_or_else(malformed)?;
    } else if !letter.is_ascii_alphabetic() {
        return Err(malformed());
    }
    // "%m %U%q %H" is the same as "%r".
    if letter == b'U'
        && let Some(after) = rest.strip_prefix(b"%q")
    {
        parts.push(Part::Field(Slot::Target));
        return Ok(after);
    }
    match (letter, argument) {
        (b't', None) => parts.extend([
            Part::Literal(b"[".to_vec()),
            Part::Field(Slot::Time),
            Part::Literal(b"]".to_vec()),
        ]),
        (b't', Some(form)) => add_time(parts, form).ok_or(Malformed::PartOfTime)?,
        _ => parts.push(Part::Field(slot(letter, argument.unwrap_or_default()))),
    }
    Ok(rest)
}

/// Adds a time with a format of its own. Apache cannot write a fraction of a second within another
/// format, so that a time may consist of several, with nothing but marks between them: they are one
/// field. `None` if it is only a part of a time, without which the rest would be read as another one.
fn add_time(parts: &mut Vec<Part>, form: &[u8]) -> Option<()> {
    let is_mark = |text: &u8| b".,:-/T+ ".contains(text);
    let marks = |part: &&Part| matches!(part, Part::Literal(text) if text.iter().all(is_mark));
    let between = parts.iter().rev().take_while(marks).count();
    let before = parts.len() - between;
    let joined: Vec<u8> = (parts[before..].iter())
        .flat_map(|part| if let Part::Literal(text) = part { &text[..] } else { &[] })
        .copied()
        .collect();
    let is_fraction = form.ends_with(b"_frac");
    let fits = !is_fraction || matches!(&joined[..], b"." | b",");
    let is_zone = matches!(form, b"%z" | b"%Z");
    let is_time = |part: &Part| matches!(part, Part::Field(Slot::Time | Slot::LocalTimeOfDay));
    if before > 0 && is_time(&parts[before - 1]) && fits && !has_date(form) {
        if is_zone && matches!(&joined[..], b"" | b" ") {
            parts.truncate(before);
        } else if joined.contains(&b' ') && parts[before - 1] == Part::Field(Slot::Time) {
            // The date ends with the space, which also may end the time.
            parts[before - 1] = Part::Field(Slot::Date);
            parts.push(Part::Field(Slot::LocalTimeOfDay));
        } else {
            parts.truncate(before);
        }
        return Some(());
    }
    is_whole(form).then(|| parts.push(Part::Field(Slot::Time)))
}

/// Whether a format says which day it is, so that it is a time of its own.
fn has_date(form: &[u8]) -> bool {
    let form = form.strip_prefix(b"begin:").or_else(|| form.strip_prefix(b"end:")).unwrap_or(form);
    let dates = [&b"%Y"[..], b"%y", b"%c", b"%s", b"%F", b"%D", b"%x", b"%+", b"%d"];
    form.starts_with(b"sec")
        || form.starts_with(b"msec") && !form.ends_with(b"_frac")
        || form.starts_with(b"usec") && !form.ends_with(b"_frac")
        || dates.iter().any(|date| memchr::memmem::find(form, date).is_some())
}

/// Whether a format of a time has more than a part of it.
fn is_whole(form: &[u8]) -> bool {
    let bare = form.strip_prefix(b"begin:").unwrap_or(form);
    let bare = bare.strip_prefix(b"end:").unwrap_or(bare);
    let is_part = bare.ends_with(b"_frac")
        || (bare.starts_with(b"%") && bare.len() <= 2 && bare != b"%s" && bare != b"%c");
    !is_part
}

fn slot(letter: u8, argument: &[u8]) -> Slot {
    match letter {
        b'a' if argument == b"c" => Slot::Peer,
        b'h' | b'a' => Slot::Address,
        b'v' | b'V' => Slot::Host,
        b'p' if matches!(argument, b"" | b"canonical" | b"local") => Slot::Port,
        b'r' => Slot::Request,
        b'm' => Slot::Method,
        b'U' => Slot::Path,
        b'q' => Slot::MarkedQuery,
        b's' => Slot::Status,
        b'b' | b'B' | b'O' => Slot::Bytes,
        b'i' => of_header(argument),
        b'o' => of_answer(argument),
        _ => Slot::Other,
    }
}
