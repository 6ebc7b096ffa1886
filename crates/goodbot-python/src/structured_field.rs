//! Structured fields, for Python.

use std::collections::HashMap;

use goodbot_core::structured_field::{self as core, ParameterValue};
use pyo3::prelude::*;
use pyo3::types::PyString;

/// The key, the value as it is written, the strings of an inner list, the parameters and the bytes.
type Member =
    (String, String, Option<Vec<String>>, HashMap<String, Option<Value>>, Option<Vec<u8>>);

/// A string or an integer.
#[derive(IntoPyObject)]
pub(crate) enum Value {
    Text(String),
    Number(i64),
}

/// Return the members of a dictionary (RFC 9651 section 3.2), each with its key, its value as it is
/// written, the strings of an inner list, its parameters, and its bytes; `None` if the text is none, as
/// one with bytes that are no UTF-8, which Python hands over as lone surrogates.
#[pyfunction]
pub(crate) fn structured_dictionary(text: &Bound<'_, PyString>) -> Option<Vec<Member>> {
    let text = text.to_str().ok()?;
    let member = |one: core::Member| {
        let parameters = one.parameters.into_iter().map(|(key, value)| (key, plain(value)));
        (one.key, one.written, one.strings, parameters.collect(), one.bytes)
    };
    core::dictionary(text.as_bytes()).map(|found| found.into_iter().map(member).collect())
}

fn plain(value: ParameterValue) -> Option<Value> {
    match value {
        ParameterValue::Text(text) => Some(Value::Text(text)),
        ParameterValue::Number(number) => Some(Value::Number(number)),
        ParameterValue::Other => None,
    }
}
