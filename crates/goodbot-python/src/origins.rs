//! The origins of a column of URLs.

use std::sync::Arc;

use arrow_array::builder::StringDictionaryBuilder;
use arrow_array::types::Int32Type;
use goodbot_core::columns::each_origin;
use pyo3::prelude::*;

use crate::arrow::ArrowColumn;
use crate::columns;

/// Return the origins of URLs, a dictionary column; null where a URL has none.
#[pyfunction]
pub(crate) fn column_origins(urls: &Bound<'_, PyAny>) -> PyResult<ArrowColumn> {
    let chunks = columns::chunks_of(urls)?;
    let array = urls.py().detach(|| {
        let mut found = StringDictionaryBuilder::<Int32Type>::new();
        for chunk in &chunks {
            each_origin(chunk, |origin| {
                found.append_option(origin.and_then(|origin| std::str::from_utf8(origin).ok()));
            });
        }
        found.finish()
    });
    Ok(ArrowColumn { array: Arc::new(array) })
}
