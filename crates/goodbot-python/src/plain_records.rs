//! The plain records of WARC files, for Python: their fields and blocks.

use goodbot_core::captures::{PlainRecord, Step, Stop, plain_record, read_members};
use pyo3::exceptions::PyMemoryError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyString, PyTuple};

use crate::inflate::Inflater;

/// The names of fields that most records have, in lower case.
const NAMES: [&str; 11] = [
    "warc-type",
    "warc-date",
    "content-type",
    "content-length",
    "warc-record-id",
    "warc-target-uri",
    "warc-ip-address",
    "warc-block-digest",
    "warc-payload-digest",
    "warc-concurrent-to",
    "warc-warcinfo-id",
];
/// How many bytes of records are returned at once, at most by one record more.
const FULL: usize = 1024 * 1024;

/// Where a record is, its fields, its block, and the fields that are there again.
type Found = (u64, Py<PyDict>, Py<PyBytes>, Py<PyTuple>);

/// Read the plain records of a WARC file (`goodbot.warc.foreign_records`).
///
/// `most_block` is the length up to which a block is read.
#[pyclass(module = "goodbot._core")]
pub(crate) struct PlainRecords {
    inflater: Inflater,
    most_block: usize,
    names: Vec<Py<PyString>>,
    /// How many records were read, by any reader.
    #[pyo3(get, set)]
    records: u64,
}

#[pymethods]
impl PlainRecords {
    #[new]
    fn new(py: Python<'_>, most_block: usize) -> PyResult<PlainRecords> {
        let inflater = Inflater::new().ok_or_else(|| PyMemoryError::new_err(()))?;
        let names = NAMES.map(|name| PyString::intern(py, name).unbind()).into();
        Ok(PlainRecords { inflater, most_block, names, records: 0 })
    }

    /// Read members from a place of a piece of the file. Return the records, where the reading
    /// stopped in the piece, and why.
    fn read(
        &mut self,
        py: Python<'_>,
        data: &Bound<'_, PyBytes>,
        start: usize,
        offset: u64,
        is_end: bool,
    ) -> PyResult<(Vec<Found>, usize, &'static str)> {
        let piece = data.as_bytes().get(start..).unwrap_or_default();
        let (mut found, mut size, mut failure) = (Vec::new(), 0, None);
        let mut records = self.records;
        let (names, most_block) = (&self.names, self.most_block);
        let one = |content: &[u8], place: u64| {
            let Some(record) = plain_record(content, most_block) else { return Step::Odd };
            size += content.len();
            match objects(py, names, &record, place) {
                Ok(one) => found.push(one),
                Err(error) => failure = Some(error),
            }
            if failure.is_some() || size >= FULL { Step::Last(Stop::Full) } else { Step::On }
        };
        let reached = read_members(piece, offset, is_end, &mut self.inflater, &mut records, one);
        self.records = records;
        match failure {
            Some(error) => Err(error),
            None => Ok((found, start + reached.used, reached.stop.slug())),
        }
    }
}

/// Returns a record as objects of Python.
fn objects(
    py: Python<'_>,
    names: &[Py<PyString>],
    record: &PlainRecord<'_>,
    place: u64,
) -> PyResult<Found> {
    let fields = PyDict::new(py);
    for (name, value) in &record.fields {
        fields.set_item(lowered(py, names, name), PyString::new(py, value))?;
    }
    let repeated = record.repeated.iter().map(|(name, value)| (lowered(py, names, name), *value));
    let repeated = PyTuple::new(py, repeated.collect::<Vec<_>>())?;
    let block = PyBytes::new(py, record.block);
    Ok((place, fields.unbind(), block.unbind(), repeated.unbind()))
}

/// Returns the name of a field in lower case.
fn lowered<'py>(py: Python<'py>, names: &[Py<PyString>], name: &str) -> Bound<'py, PyString> {
    match NAMES.iter().position(|known| known.eq_ignore_ascii_case(name)) {
        Some(place) => names[place].bind(py).clone(),
        None => PyString::new(py, &name.to_ascii_lowercase()),
    }
}
