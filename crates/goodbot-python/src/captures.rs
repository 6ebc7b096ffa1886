//! The plain records of WARC files, for Python: rows as Arrow, and no object for any record.

use std::sync::Arc;

use arrow_array::{ArrayRef, BinaryArray, Int16Array, Int64Array, RecordBatch, StringArray};
use arrow_buffer::{Buffer, OffsetBuffer, ScalarBuffer};
use goodbot_core::captures as core;
use goodbot_core::captures::{Packed, Remembered, Rows, Settings};
use pyo3::exceptions::PyMemoryError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::arrow_table::ArrowTable;
use crate::errors::WrongValueError;
use crate::inflate::Inflater;

/// Read the plain answers of a WARC file (`goodbot.tables.building.warc_answers`).
///
/// `fields` are the header fields that matter; `bounds` are how many targets of
/// redirects are remembered, how many bytes a row takes, and how many answers for one URL may take.
#[pyclass(module = "goodbot._core")]
pub(crate) struct CaptureReader {
    reader: core::CaptureReader,
    inflater: Inflater,
}

#[pymethods]
impl CaptureReader {
    #[new]
    fn new(
        most_body: usize,
        fields: Vec<String>,
        bounds: (usize, u64, u64),
    ) -> PyResult<CaptureReader> {
        let (most, row, most_of_one) = bounds;
        let settings = Settings { most_body, fields };
        let reader = core::CaptureReader::new(settings, Remembered::new(most, row, most_of_one));
        let inflater = Inflater::new().ok_or_else(|| PyMemoryError::new_err(()))?;
        Ok(CaptureReader { reader, inflater })
    }

    /// Begin another file. `believed` are the dates that are believed, in microseconds.
    fn begin(&mut self, takes_all: bool, believed: Option<(i64, i64)>) {
        self.reader.begin(takes_all, believed);
    }

    /// Read members from a place of a piece of the file, without the GIL. Return the rows, the bytes of
    /// their bodies, where the reading stopped in the piece, and why.
    fn read(
        &mut self,
        py: Python<'_>,
        data: &Bound<'_, PyBytes>,
        start: usize,
        offset: u64,
        is_end: bool,
    ) -> PyResult<(ArrowTable, usize, usize, &'static str)> {
        let piece = data.as_bytes().get(start..).unwrap_or_default();
        let (rows, reached) = py.detach(|| {
            let mut rows = Rows::default();
            let reached = self.reader.read(piece, offset, is_end, &mut self.inflater, &mut rows);
            (rows, reached)
        });
        let bodies = rows.bodies.bytes.len();
        Ok((table(rows)?, bodies, start + reached.used, reached.stop.slug()))
    }

    /// How many records were read, by any reader.
    #[getter]
    fn records(&self) -> u64 {
        self.reader.records
    }

    #[setter]
    fn set_records(&mut self, records: u64) {
        self.reader.records = records;
    }

    /// Remember the target of a redirect.
    fn want(&mut self, key: &str) {
        self.reader.remembered.want(key);
    }

    /// Return whether a redirect led to a URL.
    fn is_wanted(&self, key: &str) -> bool {
        self.reader.remembered.is_wanted(key)
    }

    /// Remember where the record is that has a content.
    fn add_original(&mut self, digest: &str, place: u64) {
        self.reader.remembered.add_original(digest, place);
    }

    /// Return where the record is that has the content of a digest; `None` if unknown.
    fn original(&self, digest: &str) -> Option<u64> {
        self.reader.remembered.original(digest)
    }

    /// Count an answer of a URL with its body; return whether there is room for it.
    fn count(&mut self, key: &str, body: usize) -> bool {
        self.reader.remembered.count(key, body)
    }
}

/// Returns rows as a table.
fn table(rows: Rows) -> PyResult<ArrowTable> {
    let columns: [(&str, ArrayRef); 5] = [
        ("key", Arc::new(texts(rows.keys)?)),
        ("at", Arc::new(Int64Array::from(rows.times))),
        ("status", Arc::new(Int16Array::from(rows.statuses))),
        ("headers", Arc::new(texts(rows.headers)?)),
        ("body", Arc::new(contents(rows.bodies)?)),
    ];
    let batch = RecordBatch::try_from_iter(columns);
    Ok(ArrowTable { batch: batch.map_err(|error| WrongValueError::new_err(error.to_string()))? })
}

/// Returns the ends and the bytes of a column.
fn parts(packed: Packed) -> (OffsetBuffer<i32>, Buffer) {
    (OffsetBuffer::new(ScalarBuffer::from(packed.offsets)), Buffer::from_vec(packed.bytes))
}

/// Returns a column of texts.
fn texts(packed: Packed) -> PyResult<StringArray> {
    let (offsets, bytes) = parts(packed);
    StringArray::try_new(offsets, bytes, None)
        .map_err(|error| WrongValueError::new_err(error.to_string()))
}

/// Returns a column of contents.
fn contents(packed: Packed) -> PyResult<BinaryArray> {
    let (offsets, bytes) = parts(packed);
    BinaryArray::try_new(offsets, bytes, None)
        .map_err(|error| WrongValueError::new_err(error.to_string()))
}
