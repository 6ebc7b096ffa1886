//! Columns of answers as a table with the Arrow stream interface.
#![allow(unsafe_code, reason = "the C data interface hands over raw structures")]

use std::sync::Arc;

use arrow_array::ffi::FFI_ArrowSchema;
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{RecordBatch, RecordBatchIterator, RecordBatchOptions};
use arrow_schema::{Field, Schema};
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict, PyTuple};

use crate::arrow::ArrowColumn;
use crate::errors::WrongValueError;
use crate::pickled;

/// A table of answers with the Arrow PyCapsule interface: what `goodbot.tables.columns.verdicts` returns.
///
/// Pass it to any library that supports the interface, such as `pyarrow.table(table)` or
/// `polars.DataFrame(table)`.
#[pyclass(frozen, module = "goodbot._core")]
pub(crate) struct ArrowTable {
    pub(crate) batch: RecordBatch,
}

#[pymethods]
impl ArrowTable {
    #[new]
    fn new(columns: Vec<(String, Bound<'_, ArrowColumn>)>) -> PyResult<ArrowTable> {
        let rows = columns.first().map_or(0, |(_, column)| column.get().array.len());
        let array =
            |(_, column): &(String, Bound<'_, ArrowColumn>)| Arc::clone(&column.get().array);
        let arrays: Vec<_> = columns.iter().map(array).collect();
        let field = |(name, column): &(String, Bound<'_, ArrowColumn>)| {
            Field::new(name, column.get().array.data_type().clone(), true)
        };
        let schema = Arc::new(Schema::new(columns.iter().map(field).collect::<Vec<_>>()));
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        let batch = RecordBatch::try_new_with_options(schema, arrays, &options)
            .map_err(|error| WrongValueError::new_err(error.to_string()))?;
        Ok(ArrowTable { batch })
    }

    /// Return a capsule of the rows: the Arrow PyCapsule interface.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // "Best effort": the answers have only one form.
        let _ = requested_schema;
        let batches = RecordBatchIterator::new([Ok(self.batch.clone())], self.batch.schema());
        let stream = FFI_ArrowArrayStream::new(Box::new(batches));
        PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
    }

    /// Return a capsule of the schema: the Arrow PyCapsule interface.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let schema = FFI_ArrowSchema::try_from(self.batch.schema().as_ref())
            .map_err(|error| WrongValueError::new_err(error.to_string()))?;
        PyCapsule::new_with_value(py, schema, c"arrow_schema")
    }

    /// The names of the columns: a list of `str`.
    #[getter]
    fn column_names(&self) -> Vec<String> {
        self.batch.schema().fields().iter().map(|field| field.name().clone()).collect()
    }

    /// Return a column by its name.
    ///
    /// Raises:
    ///     KeyError: There is no such column.
    fn __getitem__(&self, name: &str) -> PyResult<ArrowColumn> {
        let column = self.batch.column_by_name(name);
        let array = column.ok_or_else(|| PyKeyError::new_err(name.to_owned()))?;
        Ok(ArrowColumn { array: Arc::clone(array) })
    }

    /// Return the columns as lists: a `dict` by name.
    fn to_pydict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let columns = PyDict::new(py);
        for name in self.column_names() {
            columns.set_item(&name, self.__getitem__(&name)?.tolist(py)?)?;
        }
        Ok(columns)
    }

    fn __len__(&self) -> usize {
        self.batch.num_rows()
    }

    fn __repr__(&self) -> String {
        format!("<ArrowTable {} of {}>", self.column_names().join(", "), self.batch.num_rows())
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<ArrowTable>().is_ok_and(|other| self.batch == other.get().batch)
    }

    fn __hash__(&self) -> u64 {
        pickled::hash_of(&(self.column_names(), self.batch.num_rows()))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let named = |name: String| Ok((name.clone(), Bound::new(py, self.__getitem__(&name)?)?));
        let columns = self.column_names().into_iter().map(named).collect::<PyResult<Vec<_>>>()?;
        (py.get_type::<ArrowTable>(), (columns,)).into_pyobject(py)
    }
}
