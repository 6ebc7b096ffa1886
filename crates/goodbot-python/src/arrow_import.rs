//! Validates a foreign Arrow array before any of its buffers are read.
//!
//! `arrow-array` trusts the structures of the C data interface: it panics on a null pointer, and reads
//! wherever an offset points. This module first compares them with the type; then it validates every
//! offset, view and key, which costs one pass over them.
//!
//! The interface does not report how long a buffer is, except for views: the producer guarantees that a
//! buffer is as long as the array's length, offset and last offset require. Source: the Arrow C data
//! interface.
#![allow(unsafe_code, reason = "the C data interface hands over raw structures")]

use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema, from_ffi_and_data_type};
use arrow_array::{ArrayRef, NullArray, make_array};
use arrow_data::ArrayData;
use arrow_schema::{ArrowError, DataType, Field};

/// `struct ArrowArray` of the C data interface.
#[repr(C)]
pub(crate) struct RawArray {
    pub(crate) length: i64,
    pub(crate) null_count: i64,
    pub(crate) offset: i64,
    n_buffers: i64,
    pub(crate) n_children: i64,
    buffers: *const *const c_void,
    pub(crate) children: *mut *mut RawArray,
    dictionary: *mut RawArray,
    pub(crate) release: *const c_void,
    private_data: *mut c_void,
}

/// More rows than any memory has room for.
const MOST_ROWS: i64 = 1 << 40;

/// More buffers than an array of views can point to.
const MOST_BUFFERS: i64 = 1 << 31;

/// The most bytes that an answer takes.
const ANSWER: usize = 16;

/// Returns the type that a schema describes.
pub(crate) fn kind(schema: &FFI_ArrowSchema) -> Result<DataType, String> {
    // A null format pointer or missing children cause a panic.
    catch_unwind(AssertUnwindSafe(|| DataType::try_from(schema)))
        .map_err(|_| "its schema is incomplete".to_owned())?
        .map_err(|error| error.to_string())
}

/// Returns how a column of another type becomes one of texts.
pub(crate) fn to_text(_: &str) -> &'static str {
    "cast it to a string type"
}

/// Whether an array of this type is a column of texts, or of nulls only; or a table of one such column,
/// as which databases hand over what they found.
pub(crate) fn is_text(kind: &DataType) -> bool {
    match kind {
        DataType::Struct(_) => only_column(kind).is_some_and(is_text),
        DataType::Null => true,
        DataType::Dictionary(key, value) => {
            key.is_dictionary_key_type() && (octets(value).is_some() || has_only_nulls(kind))
        }
        DataType::RunEndEncoded(ends, values) => is_runs(ends, values, is_text),
        _ => octets(kind).is_some(),
    }
}

/// Whether an array of this type is a column of times, in any encoding, or of nulls only; or a table of
/// one such column.
pub(crate) fn is_time(kind: &DataType) -> bool {
    match kind {
        DataType::Struct(_) => only_column(kind).is_some_and(is_time),
        DataType::Timestamp(..) | DataType::Null => true,
        DataType::Dictionary(key, value) => {
            key.is_dictionary_key_type()
                && matches!(**value, DataType::Timestamp(..) | DataType::Null)
        }
        DataType::RunEndEncoded(ends, values) => is_runs(ends, values, is_time),
        _ => false,
    }
}

/// Whether runs have ends that the format permits, and suitable values that are not nested further.
fn is_runs(ends: &Field, values: &Field, suits: fn(&DataType) -> bool) -> bool {
    let is_nested = matches!(values.data_type(), DataType::Struct(_) | DataType::RunEndEncoded(..));
    ends.data_type().is_run_ends_type() && !is_nested && suits(values.data_type())
}

/// Whether every value of a type is null; a dictionary without values has values of such a type.
fn has_only_nulls(kind: &DataType) -> bool {
    match kind {
        DataType::Dictionary(_, value) => **value == DataType::Null,
        DataType::RunEndEncoded(_, values) => has_only_nulls(values.data_type()),
        kind => *kind == DataType::Null,
    }
}

/// Returns the type of the column of a table that has only one.
pub(crate) fn only_column(kind: &DataType) -> Option<&DataType> {
    match kind {
        DataType::Struct(columns) if columns.len() == 1 => {
            Some(columns[0].data_type()).filter(|column| !matches!(column, DataType::Struct(_)))
        }
        _ => None,
    }
}

/// Returns the type of the same layout that requires no encoding: a URL may be any bytes.
fn octets(kind: &DataType) -> Option<DataType> {
    match kind {
        DataType::Utf8 | DataType::Binary => Some(DataType::Binary),
        DataType::LargeUtf8 | DataType::LargeBinary => Some(DataType::LargeBinary),
        DataType::Utf8View | DataType::BinaryView => Some(DataType::BinaryView),
        _ => None,
    }
}

/// Compares what an array declares with its type.
///
/// SAFETY: pointers that are not null must point to what the C data interface says.
pub(crate) unsafe fn check(array: &RawArray, kind: &DataType) -> Result<(), String> {
    let RawArray { length, offset, null_count, n_buffers, .. } = *array;
    let fault = if array.release.is_null() {
        "it has been released already".to_owned()
    } else if length < 0 || offset < 0 || length.saturating_add(offset) > MOST_ROWS {
        format!("it has {length} rows from row {offset} on")
    } else if has_no_room(length) {
        format!("its {length} rows have more answers than memory has room for")
    } else if null_count < -1 || null_count > length {
        format!("{null_count} of its {length} rows are null")
    } else if let Some(column) = only_column(kind) {
        // SAFETY: the caller's responsibility.
        return unsafe { check_table(array, column) };
    } else if let DataType::RunEndEncoded(ends, values) = kind {
        // SAFETY: the caller's responsibility.
        return unsafe { check_runs(array, ends.data_type(), values.data_type()) };
    } else if array.n_children != 0 {
        format!("it has {} children", array.n_children)
    } else if matches!(kind, DataType::Dictionary(..)) == array.dictionary.is_null() {
        "its dictionary and its type do not agree".to_owned()
    } else if *kind == DataType::Null {
        return Ok(());
    } else if !has_its_buffers(n_buffers, kind) || array.buffers.is_null() {
        format!("it has {n_buffers} buffers, which is not what its type has")
    } else {
        // SAFETY: the pointers are not null; what they point to is the caller's responsibility.
        return unsafe { check_buffers(array, kind) };
    };
    Err(fault)
}

/// Compares what a table declares with the type of its only column.
///
/// SAFETY: as for `check`.
unsafe fn check_table(table: &RawArray, kind: &DataType) -> Result<(), String> {
    if table.n_children != 1 || table.n_buffers != 1 {
        let RawArray { n_children, n_buffers, .. } = *table;
        return Err(format!(
            "a table of one column has {n_children} children and {n_buffers} buffers"
        ));
    }
    if table.buffers.is_null() || table.children.is_null() {
        return Err("its column is missing".to_owned());
    }
    // SAFETY: there is one child.
    let column = unsafe { at(table.children, 0) };
    if column.is_null() {
        return Err("its column is missing".to_owned());
    }
    // SAFETY: the pointer is not null; what it points to is the caller's responsibility.
    let column = unsafe { &*column };
    if column.length < table.length + table.offset {
        return Err(format!("its column has {} of its rows", column.length));
    }
    // SAFETY: the caller's responsibility.
    unsafe { check(column, kind) }
}

/// Compares what runs declare with the types of their ends and values.
///
/// SAFETY: as for `check`.
unsafe fn check_runs(runs: &RawArray, ends: &DataType, values: &DataType) -> Result<(), String> {
    if runs.n_children != 2 || runs.n_buffers != 0 {
        let RawArray { n_children, n_buffers, .. } = *runs;
        return Err(format!("runs have {n_children} children and {n_buffers} buffers"));
    }
    if runs.children.is_null() {
        return Err("its runs are missing".to_owned());
    }
    for (place, kind) in [(0, ends), (1, values)] {
        // SAFETY: there are two children.
        let child = unsafe { at(runs.children, place) };
        if child.is_null() {
            return Err("its runs are missing".to_owned());
        }
        // SAFETY: the pointer is not null; what it points to is the caller's responsibility.
        unsafe { check(&*child, kind) }?;
    }
    Ok(())
}

fn has_no_room(length: i64) -> bool {
    let octets = usize::try_from(length).unwrap_or(usize::MAX).saturating_mul(ANSWER);
    Vec::<u8>::new().try_reserve_exact(octets).is_err()
}

fn has_its_buffers(count: i64, kind: &DataType) -> bool {
    match kind {
        DataType::Dictionary(..)
        | DataType::Timestamp(..)
        | DataType::Boolean
        | DataType::Int16
        | DataType::Int32
        | DataType::Int64 => count == 2,
        // Besides nulls and views: any number of text buffers, and their lengths.
        DataType::Utf8View | DataType::BinaryView => (3..MOST_BUFFERS).contains(&count),
        _ => count == 3,
    }
}

/// SAFETY: there must be more than `place` values.
unsafe fn at<T>(values: *const T, place: i64) -> T {
    // Positions are at most `MOST_ROWS`, and not negative.
    let place = usize::try_from(place).unwrap_or(0);
    // SAFETY: the caller's responsibility.
    unsafe { values.add(place).read_unaligned() }
}

/// SAFETY: as for `check`, which must have found no other fault.
unsafe fn check_buffers(array: &RawArray, kind: &DataType) -> Result<(), String> {
    // SAFETY: there are that many buffers.
    let buffer = |place: i64| unsafe { at(array.buffers, place) };
    let rows = array.length + array.offset;
    if array.null_count > 0 && buffer(0).is_null() {
        return Err("rows are null, and none is marked so".to_owned());
    }
    if rows > 0 && buffer(1).is_null() {
        return Err("a buffer is missing".to_owned());
    }
    match kind {
        // SAFETY: as above; a dictionary has a pointer to its values.
        DataType::Dictionary(_, value) => unsafe { check(&*array.dictionary, value) },
        DataType::Utf8View | DataType::BinaryView => {
            let lengths: *const i64 = buffer(array.n_buffers - 1).cast();
            let count = array.n_buffers - 3;
            // SAFETY: the last buffer has the length of each text buffer.
            let is_whole = |place: i64| match unsafe { at(lengths, place) } {
                0 => true,
                length => length > 0 && !buffer(2 + place).is_null(),
            };
            if count > 0 && (lengths.is_null() || !(0..count).all(is_whole)) {
                return Err("a buffer of texts is missing".to_owned());
            }
            Ok(())
        }
        DataType::Timestamp(..)
        | DataType::Boolean
        | DataType::Int16
        | DataType::Int32
        | DataType::Int64 => Ok(()),
        _ if rows == 0 => Ok(()),
        _ => {
            let offsets = buffer(1);
            let is_large = matches!(kind, DataType::LargeUtf8 | DataType::LargeBinary);
            // SAFETY: there is one more offset than there are rows.
            let last = unsafe {
                match is_large {
                    true => at(offsets.cast::<i64>(), rows),
                    false => at(offsets.cast::<i32>(), rows).into(),
                }
            };
            if last < 0 || (last > 0 && buffer(2).is_null()) {
                return Err(format!("its last offset is {last}, which is outside its texts"));
            }
            Ok(())
        }
    }
}

/// Imports an array, and validates all its offsets, views and keys.
///
/// SAFETY: as for `check`, which must have found no fault.
pub(crate) unsafe fn import(array: FFI_ArrowArray, kind: DataType) -> Result<ArrayRef, String> {
    // A column of only nulls has no buffers to read; some producers hand over an empty one.
    if has_only_nulls(only_column(&kind).unwrap_or(&kind)) {
        return Ok(Arc::new(NullArray::new(array.len())));
    }
    let is_table = only_column(&kind).is_some();
    let validated = || {
        // SAFETY: the caller's responsibility.
        let data = unsafe { from_ffi_and_data_type(array, kind) }?;
        let data = as_octets(if is_table { column_of(&data)? } else { data })?;
        data.validate_full()?;
        Ok(make_array(data))
    };
    catch_unwind(AssertUnwindSafe(validated))
        .map_err(|_| "it is not what its type says".to_owned())?
        .map_err(|error: ArrowError| error.to_string())
}

/// Returns the only column of a table.
fn column_of(table: &ArrayData) -> Result<ArrayData, ArrowError> {
    if table.null_count() > 0 {
        return Err(ArrowError::CDataInterface("rows of the table are null".to_owned()));
    }
    Ok(table.child_data()[0].slice(table.offset(), table.len()))
}

/// Returns the same array, dictionary or runs, with a type of bytes.
fn as_octets(data: ArrayData) -> Result<ArrayData, ArrowError> {
    let kind = match data.data_type() {
        DataType::Dictionary(key, value) => {
            let values = as_octets(data.child_data()[0].clone())?;
            let value = octets(value).unwrap_or_else(|| value.as_ref().clone());
            let kind = DataType::Dictionary(key.clone(), Box::new(value));
            let builder = data.into_builder().data_type(kind).child_data(vec![values]);
            // SAFETY: the caller validates.
            return unsafe { builder.skip_validation(true) }.build();
        }
        DataType::RunEndEncoded(ends, values) => {
            let found = as_octets(data.child_data()[1].clone())?;
            let values = values.as_ref().clone().with_data_type(found.data_type().clone());
            let kind = DataType::RunEndEncoded(Arc::clone(ends), Arc::new(values));
            let children = vec![data.child_data()[0].clone(), found];
            let builder = data.into_builder().data_type(kind).child_data(children);
            // SAFETY: the caller validates.
            return unsafe { builder.skip_validation(true) }.build();
        }
        kind => octets(kind).unwrap_or_else(|| kind.clone()),
    };
    // SAFETY: the caller validates.
    unsafe { data.into_builder().data_type(kind).skip_validation(true) }.build()
}
