//! Columns of captured answers, for Python: what is the same rule for each of them.

use std::str::from_utf8;
use std::sync::Arc;

use arrow_array::builder::{BooleanBuilder, StringBuilder};
use arrow_array::{Array, ArrayRef, ListArray, StructArray};
use arrow_buffer::OffsetBuffer;
use arrow_schema::{Field, Fields};
use goodbot_core::columns::Urls;
use goodbot_core::{address, captures};
use pyo3::prelude::*;

use crate::arrow::ArrowColumn;
use crate::errors::WrongValueError;
use crate::{columns, dialect};

/// Return whether plain contents have a line with `Disallow:`, a column of booleans; null where a
/// content is not plain, so that `goodbot.policy.classify` has to decide.
#[pyfunction]
pub(crate) fn plain_contents(
    contents: &Bound<'_, PyAny>,
    dialect: &Bound<'_, PyAny>,
) -> PyResult<ArrowColumn> {
    let dialect = dialect::of_argument(dialect)?;
    each(contents, |all| {
        let mut found = BooleanBuilder::new();
        all.for_each(|one| {
            found.append_option(one.and_then(|one| captures::plain_content(one, &dialect)));
        });
        Ok(Arc::new(found.finish()))
    })
}

/// Return the URLs of the robots.txt of origins, a column of texts; null where there is none.
#[pyfunction]
pub(crate) fn robots_txt_urls(origins: &Bound<'_, PyAny>) -> PyResult<ArrowColumn> {
    each(origins, |all| {
        let mut found = StringBuilder::new();
        all.for_each(|one| found.append_option(one.and_then(robots_txt_url)));
        Ok(Arc::new(found.finish()))
    })
}

/// Returns the URL of the robots.txt of an origin.
fn robots_txt_url(origin: &[u8]) -> Option<String> {
    match from_utf8(origin).ok().and_then(address::plain_origin) {
        Some(plain) => Some(format!("{plain}/robots.txt")),
        None => address::robots_txt_url(origin).ok(),
    }
}

/// Return packed header fields without those that are `ignored`, a column of texts; null where one of
/// the `lifetimes` is stated, with which other fields count.
#[pyfunction]
pub(crate) fn deciding_texts(
    texts: &Bound<'_, PyAny>,
    lifetimes: Vec<String>,
    ignored: Vec<String>,
) -> PyResult<ArrowColumn> {
    each(texts, |all| {
        let (mut found, mut deciding) = (StringBuilder::new(), String::new());
        all.for_each(|one| {
            deciding.clear();
            let text = one.and_then(|one| from_utf8(one).ok());
            let is_alike = text.is_some_and(|text| {
                captures::add_deciding(text, &lifetimes, &ignored, &mut deciding)
            });
            found.append_option(is_alike.then_some(&deciding));
        });
        Ok(Arc::new(found.finish()))
    })
}

/// Return packed header fields as lists of names and values, a column.
#[pyfunction]
pub(crate) fn field_lists(texts: &Bound<'_, PyAny>) -> PyResult<ArrowColumn> {
    each(texts, |all| {
        let (mut names, mut values) = (StringBuilder::new(), StringBuilder::new());
        let mut lengths = Vec::new();
        all.for_each(|one| {
            let text = one.and_then(|one| from_utf8(one).ok()).unwrap_or_default();
            let mut length = 0;
            for (name, value) in captures::fields(text) {
                names.append_value(name);
                values.append_value(value);
                length += 1;
            }
            lengths.push(length);
        });
        let columns: Vec<ArrayRef> = vec![Arc::new(names.finish()), Arc::new(values.finish())];
        let kinds =
            ["name", "value"].map(|name| Field::new(name, columns[0].data_type().clone(), true));
        let fields = StructArray::try_new(Fields::from_iter(kinds), columns, None)?;
        let item = Arc::new(Field::new("item", fields.data_type().clone(), true));
        let offsets = OffsetBuffer::from_lengths(lengths);
        Ok(Arc::new(ListArray::try_new(item, offsets, Arc::new(fields), None)?))
    })
}

/// Returns what is made of the values of a column, without the GIL.
fn each(
    column: &Bound<'_, PyAny>,
    make: impl FnOnce(
        &mut dyn Iterator<Item = Option<&[u8]>>,
    ) -> Result<ArrayRef, arrow_schema::ArrowError>
    + Send,
) -> PyResult<ArrowColumn> {
    let chunks = columns::chunks_of(column)?;
    let array = column.py().detach(|| {
        let of = |chunk| (0..Urls::length(chunk)).map(move |place| Urls::url(chunk, place));
        make(&mut chunks.iter().flat_map(of))
    });
    let array = array.map_err(|error| WrongValueError::new_err(error.to_string()))?;
    Ok(ArrowColumn { array })
}
