//! The head of a response as it is kept in the archive (`goodbot.crawl.archive.http_message`).

use std::borrow::Cow;

use goodbot_core::token::is_token_byte;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};

use crate::page_parts::is_space;

/// The prefix that archives put before the name of a field that does not apply to the kept bytes.
const ORIGINAL: &str = "X-Archive-Orig-";

/// Return the status line, the header fields and the empty line of a kept response.
///
/// `size` is the length of the kept content, and `is_encoded` says whether it has its
/// Content-Encoding; it never has its Transfer-Encoding. A field that does not apply to it gets a name
/// that says so. What no field can have in its name (RFC 9110 section 5.6.2, token) or its value
/// (section 5.5) is replaced; another client may pass it.
#[pyfunction]
pub(crate) fn message_head<'py>(
    py: Python<'py>,
    status_line: &str,
    fields: &Bound<'py, PyAny>,
    size: usize,
    is_encoded: bool,
) -> PyResult<Bound<'py, PyBytes>> {
    let size = size.to_string();
    let mut head = Vec::with_capacity(1024);
    let mut is_measured = true;
    append(&mut head, status_line.chars());
    head.extend(b"\r\n");
    for field in fields.try_iter()? {
        let (name, value): (Bound<'py, PyString>, Bound<'py, PyString>) = field?.extract()?;
        let (name, value) = (in_latin_1(&name)?, in_latin_1(&value)?);
        let stated = value.trim_matches(is_space);
        let is = |other: &str| name.eq_ignore_ascii_case(other);
        if is("transfer-encoding") || (!is_encoded && is("content-encoding")) {
            if !stated.is_empty() && !stated.eq_ignore_ascii_case("identity") {
                head.extend(ORIGINAL.as_bytes());
            }
        } else if is("content-length") && stated != size {
            head.extend(ORIGINAL.as_bytes());
            is_measured = false;
        }
        if name.is_empty() {
            head.push(b'-');
        }
        append(&mut head, name.chars().map(|one| if is_token(one) { one } else { '-' }));
        head.extend(b": ");
        append_value(&mut head, &value);
        head.extend(b"\r\n");
    }
    if !is_measured {
        head.extend(format!("Content-Length: {size}\r\n").into_bytes());
    }
    head.extend(b"\r\n");
    Ok(PyBytes::new(py, &head))
}

/// Returns a text; if it has lone surrogates, with a question mark for each character that is not in
/// ISO 8859-1.
fn in_latin_1<'t>(text: &'t Bound<'_, PyString>) -> PyResult<Cow<'t, str>> {
    if let Ok(text) = text.to_str() {
        return Ok(Cow::Borrowed(text));
    }
    let octets = text.call_method1(intern!(text.py(), "encode"), ("latin-1", "replace"))?;
    Ok(octets.cast::<PyBytes>()?.as_bytes().iter().map(|byte| char::from(*byte)).collect())
}

/// Appends characters in ISO 8859-1, with a question mark for those that it has not.
fn append(head: &mut Vec<u8>, characters: impl Iterator<Item = char>) {
    head.extend(characters.map(|one| u8::try_from(u32::from(one)).unwrap_or(b'?')));
}

/// Appends the value of a field, with a space in place of the ends of lines and NUL.
fn append_value(head: &mut Vec<u8>, value: &str) {
    let is_odd = |one: char| matches!(one, '\r' | '\n' | '\0');
    if !value.contains(is_odd) {
        append(head, value.chars());
        return;
    }
    let mut was_odd = false;
    append(
        head,
        value.chars().filter_map(|one| {
            let follows = std::mem::replace(&mut was_odd, is_odd(one));
            match was_odd {
                true => (!follows).then_some(' '),
                false => Some(one),
            }
        }),
    );
}

/// Returns whether the name of a field can have a character.
fn is_token(one: char) -> bool {
    u8::try_from(one).is_ok_and(is_token_byte)
}
