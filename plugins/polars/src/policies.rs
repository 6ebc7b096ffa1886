//! The table of policies, as the core reads it.

use std::sync::Arc;

use arrow_array::RecordBatchReader;
use arrow_array::cast::AsArray;
use arrow_array::ffi_stream::{FFI_ArrowArrayStream, RecordBatchStreamReader};
use arrow_array::types::{Int64Type, UInt8Type};
use arrow_array::{
    Array, ArrayRef, BinaryViewArray, BooleanArray, Int64Array, RecordBatch, UInt8Array,
};
use arrow_schema::{ArrowError, DataType};
use goodbot_core::columns::{self, Access, History};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

/// The columns of a table of policies. `goodbot.tables.polars` makes them of the documented ones.
pub struct Table {
    origin: BinaryViewArray,
    learned: Int64Array,
    until: Int64Array,
    access: UInt8Array,
    reason: BinaryViewArray,
    stale: BooleanArray,
    body: BinaryViewArray,
}

impl Table {
    fn of(batch: &RecordBatch) -> Option<Table> {
        let column = |name| batch.column_by_name(name);
        let bytes = |name| {
            let column: &ArrayRef = column(name)?;
            match column.data_type() {
                DataType::Utf8View => Some(column.as_string_view().clone().to_binary_view()),
                DataType::BinaryView => Some(column.as_binary_view().clone()),
                _ => None,
            }
        };
        let number = |name| column(name)?.as_primitive_opt::<Int64Type>().cloned();
        Some(Table {
            origin: bytes("origin")?,
            learned: number("valid_from")?,
            until: number("valid_until")?,
            access: column("access")?.as_primitive_opt::<UInt8Type>()?.clone(),
            reason: bytes("reason")?,
            stale: column("stale")?.as_boolean_opt()?.clone(),
            body: bytes("body")?,
        })
    }
}

impl columns::Policies for Table {
    fn length(&self) -> usize {
        self.origin.len()
    }

    #[inline]
    fn origin(&self, row: usize) -> &[u8] {
        self.origin.value(row)
    }

    #[inline]
    fn learned(&self, row: usize) -> i64 {
        self.learned.value(row)
    }

    #[inline]
    fn until(&self, row: usize) -> Option<i64> {
        self.until.is_valid(row).then(|| self.until.value(row))
    }

    #[inline]
    fn access(&self, row: usize) -> Access {
        match self.access.value(row) {
            0 => Access::Rules,
            1 => Access::All,
            _ => Access::Nothing,
        }
    }

    fn reason(&self, row: usize) -> &[u8] {
        self.reason.value(row)
    }

    fn is_stale(&self, row: usize) -> bool {
        self.stale.value(row)
    }

    #[inline]
    fn body(&self, row: usize) -> Option<&[u8]> {
        self.body.is_valid(row).then(|| self.body.value(row))
    }
}

/// An opened table, which questions about several robots share.
#[pyclass(frozen, module = "goodbot_polars")]
pub struct Policies {
    pub history: Arc<History<Table>>,
}

#[pymethods]
impl Policies {
    /// Open a table: an object with the Arrow stream interface, in one batch.
    #[new]
    fn new(table: &Bound<'_, PyAny>, held: Option<i64>, cache_bytes: usize) -> PyResult<Policies> {
        let held_capsule = table.call_method0("__arrow_c_stream__")?;
        let capsule = held_capsule.cast::<PyCapsule>()?;
        let pointer = capsule.pointer_checked(Some(c"arrow_array_stream"))?;
        let pointer: *mut FFI_ArrowArrayStream = pointer.as_ptr().cast();
        // SAFETY: the capsule's name says what it points to; the reader takes the stream out of it.
        let table = unsafe { RecordBatchStreamReader::from_raw(pointer) }.and_then(one_batch);
        let table = table.map_err(|error| PyValueError::new_err(error.to_string()))?;
        Ok(Policies { history: Arc::new(History::new(table, held, cache_bytes)) })
    }
}

fn one_batch(mut reader: RecordBatchStreamReader) -> Result<Table, ArrowError> {
    let empty = RecordBatch::new_empty(reader.schema());
    let batch = reader.next().transpose()?.unwrap_or(empty);
    let wrong = |message: &str| ArrowError::InvalidArgumentError(message.to_owned());
    if reader.next().is_some() {
        return Err(wrong("the table of policies has several batches; rechunk it"));
    }
    Table::of(&batch).ok_or_else(|| wrong("the table of policies lacks a column or its type"))
}
