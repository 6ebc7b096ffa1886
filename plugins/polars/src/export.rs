//! Series, as Polars hands them to plugins and takes them back.
//!
//! The structure is that of `polars_ffi::version_0`, which Polars keeps stable for plugins: an Arrow
//! schema, and the arrays of its chunks (Arrow C data interface). Reading it with `arrow-array` instead
//! of Polars' own crates makes the plugin independent of their version.

use std::ffi::c_void;
use std::mem::ManuallyDrop;
use std::ptr;
use std::sync::Arc;

use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema, from_ffi, to_ffi};
use arrow_array::{Array, ArrayRef, NullArray, make_array};
use arrow_schema::{ArrowError, DataType, Field};

/// A series with a function that releases it.
#[repr(C)]
pub struct SeriesExport {
    field: *mut FFI_ArrowSchema,
    arrays: *mut *mut FFI_ArrowArray,
    len: usize,
    release: Option<unsafe extern "C" fn(*mut SeriesExport)>,
    private_data: *mut c_void,
}

impl Drop for SeriesExport {
    fn drop(&mut self) {
        if let Some(release) = self.release {
            // SAFETY: the structure comes with a function that releases it once.
            unsafe { release(self) }
        }
    }
}

/// A series: its name and chunks.
pub struct Series {
    pub name: String,
    pub chunks: Vec<ArrayRef>,
}

impl Series {
    /// Returns the number of rows.
    pub fn length(&self) -> usize {
        self.chunks.iter().map(Array::len).sum()
    }
}

/// Becomes the owner of the series that Polars passes to an expression.
///
/// SAFETY: there must be so many structures, each of which is whole and used by nobody else.
pub unsafe fn import(inputs: *mut SeriesExport, count: usize) -> Result<Vec<Series>, ArrowError> {
    // SAFETY: the caller's. Reading moves each structure here, where dropping it releases it.
    (0..count).map(|place| unsafe { import_one(&ptr::read(inputs.add(place))) }).collect()
}

unsafe fn import_one(input: &SeriesExport) -> Result<Series, ArrowError> {
    // SAFETY: `field` points to a schema, and `arrays` to `len` pointers to arrays that nobody else
    // releases: what releases the structure frees only their boxes.
    unsafe {
        let schema = &*input.field;
        let field = Field::try_from(schema)?;
        let pointers: &[*mut FFI_ArrowArray] =
            if input.len == 0 { &[] } else { std::slice::from_raw_parts(input.arrays, input.len) };
        let arrays: Vec<_> =
            pointers.iter().map(|pointer| FFI_ArrowArray::from_raw(*pointer)).collect();
        let chunk = |array: FFI_ArrowArray| -> Result<ArrayRef, ArrowError> {
            // Those of Polars have a buffer, which the Arrow interface does not know.
            if *field.data_type() == DataType::Null {
                return Ok(Arc::new(NullArray::new(array.len())));
            }
            from_ffi(array, schema).map(make_array)
        };
        let chunks = arrays.into_iter().map(chunk).collect::<Result<_, _>>()?;
        Ok(Series { name: field.name().clone(), chunks })
    }
}

/// Owns what an exported series points to, besides the array itself, which Polars takes.
struct Owner {
    field: FFI_ArrowSchema,
    array: ManuallyDrop<FFI_ArrowArray>,
    pointer: *mut FFI_ArrowArray,
}

/// Returns a series of one chunk for Polars.
pub fn export(name: &str, array: &ArrayRef) -> Result<SeriesExport, ArrowError> {
    let (exported, _) = to_ffi(&array.to_data())?;
    let field = field(name, array.data_type())?;
    let mut owner =
        Box::new(Owner { field, array: ManuallyDrop::new(exported), pointer: ptr::null_mut() });
    owner.pointer = &raw mut *owner.array;
    let owner = Box::into_raw(owner);
    // SAFETY: the box lives until Polars releases the structure.
    let (field, arrays) = unsafe { (&raw mut (*owner).field, &raw mut (*owner).pointer) };
    Ok(SeriesExport { field, arrays, len: 1, release: Some(release), private_data: owner.cast() })
}

/// Returns the schema of a nullable column.
pub fn field(name: &str, kind: &DataType) -> Result<FFI_ArrowSchema, ArrowError> {
    FFI_ArrowSchema::try_from(Field::new(name, kind.clone(), true))
}

unsafe extern "C" fn release(export: *mut SeriesExport) {
    // SAFETY: Polars passes a structure that `export` made, and does so once: then nothing is left.
    unsafe {
        let export = &mut *export;
        if !export.private_data.is_null() {
            drop(Box::from_raw(export.private_data.cast::<Owner>()));
        }
        export.private_data = ptr::null_mut();
        export.release = None;
    }
}
