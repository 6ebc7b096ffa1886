//! The functions that Polars calls, by the names that its plugins have.
//!
//! Each expression has two: one returns its type, the other its values. Errors are texts that Polars
//! fetches afterwards, and a panic must not leave this library.

use std::cell::RefCell;
use std::ffi::{CString, c_char, c_void};
use std::panic::{self, AssertUnwindSafe};

use arrow_array::ArrayRef;
use arrow_array::ffi::FFI_ArrowSchema;
use arrow_schema::{DataType, Field};
use serde::Deserialize;

use crate::deciding::{answer, fields};
use crate::export::{Series, SeriesExport, export, field, import};
use crate::questions::opened;

/// The version of the interface: 0.1, as `polars_ffi` counts.
const VERSION: u32 = 1;

thread_local! {
    static LAST_ERROR: RefCell<CString> = RefCell::default();
}

/// What an expression carries besides its columns.
#[derive(Deserialize)]
struct Settings {
    question: String,
}

#[unsafe(no_mangle)]
extern "C" fn _polars_plugin_get_version() -> u32 {
    VERSION
}

#[unsafe(no_mangle)]
extern "C" fn _polars_plugin_get_last_error_message() -> *const c_char {
    LAST_ERROR.with_borrow(|message| message.as_ptr())
}

/// Runs a step, and keeps the message if it fails.
fn guarded<T>(step: impl FnOnce() -> Result<T, String>) -> Option<T> {
    let done = panic::catch_unwind(AssertUnwindSafe(step));
    let failed = match done {
        Ok(Ok(value)) => return Some(value),
        Ok(Err(message)) => message,
        // The word by which Polars knows a panic.
        Err(_) => "PANIC".to_owned(),
    };
    let message = CString::new(failed.replace('\0', " ")).unwrap_or_default();
    LAST_ERROR.with_borrow_mut(|last| *last = message);
    None
}

/// Decides on the columns that Polars hands over.
///
/// SAFETY: as Polars calls its plugins: `count` series, `length` bytes of settings, room for a series.
unsafe fn evaluate(
    (inputs, count): (*mut SeriesExport, usize),
    (settings, length): (*const u8, usize),
    output: *mut SeriesExport,
    decide: impl FnOnce(&[Series], &[u8]) -> Result<ArrayRef, String>,
) {
    let done = guarded(|| {
        // SAFETY: the caller's.
        let (inputs, settings) = unsafe {
            let settings =
                if length == 0 { &[] } else { std::slice::from_raw_parts(settings, length) };
            (import(inputs, count).map_err(|error| error.to_string())?, settings)
        };
        let name = inputs.first().map_or("", |urls| &urls.name);
        export(name, &decide(&inputs, settings)?).map_err(|error| error.to_string())
    });
    if let Some(done) = done {
        // SAFETY: the caller's; what was there before is empty.
        unsafe { output.write(done) }
    }
}

fn by_question(inputs: &[Series], settings: &[u8], explain: bool) -> Result<ArrayRef, String> {
    let settings: Settings = serde_pickle::from_slice(settings, serde_pickle::DeOptions::new())
        .map_err(|error| error.to_string())?;
    let question = opened(&settings.question)?;
    answer(&question, inputs, explain)
}

/// Writes the type of an expression: that of its answer, under the name of its first column.
///
/// SAFETY: as Polars calls its plugins: at least one schema, and room for one.
unsafe fn describe(inputs: *const FFI_ArrowSchema, output: *mut FFI_ArrowSchema, kind: &DataType) {
    let done = guarded(|| {
        // SAFETY: the caller's.
        let input = Field::try_from(unsafe { &*inputs }).map_err(|error| error.to_string())?;
        field(input.name(), kind).map_err(|error| error.to_string())
    });
    if let Some(done) = done {
        // SAFETY: the caller's; what was there before is empty.
        unsafe { output.write(done) }
    }
}

macro_rules! expression {
    ($name:ident, $field:ident, $kind:expr, $decide:expr) => {
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name(
            inputs: *mut SeriesExport,
            count: usize,
            settings: *const u8,
            length: usize,
            output: *mut SeriesExport,
            _context: *const c_void,
        ) {
            // SAFETY: Polars calls this as it calls its plugins.
            unsafe { evaluate((inputs, count), (settings, length), output, $decide) }
        }

        #[unsafe(no_mangle)]
        unsafe extern "C" fn $field(
            inputs: *const FFI_ArrowSchema,
            _count: usize,
            output: *mut FFI_ArrowSchema,
            _settings: *const u8,
            _length: usize,
        ) {
            // SAFETY: Polars calls this as it calls its plugins.
            unsafe { describe(inputs, output, &$kind) }
        }
    };
}

expression!(
    _polars_plugin_allows,
    _polars_plugin_field_allows,
    DataType::Boolean,
    |inputs, settings| by_question(inputs, settings, false)
);
expression!(
    _polars_plugin_verdict,
    _polars_plugin_field_verdict,
    DataType::Struct(fields()),
    |inputs, settings| by_question(inputs, settings, true)
);
#[cfg(feature = "trivial")]
expression!(
    _polars_plugin_trivial,
    _polars_plugin_field_trivial,
    DataType::Boolean,
    |inputs, _settings| crate::deciding::only_read(inputs)
);
