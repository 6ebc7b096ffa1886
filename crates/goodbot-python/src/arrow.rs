//! Arrow arrays through the PyCapsule interface.
//!
//! `arrow-array` defines the C structures and manages their ownership; this module takes them out of
//! capsules and calls the functions of a stream. Source: the Arrow C data interface, the Arrow C stream
//! interface, and the Arrow PyCapsule interface.
#![allow(unsafe_code, reason = "the C data interface hands over raw structures")]

use std::ffi::{CStr, c_char, c_int, c_void};
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema, to_ffi};
use arrow_array::types::{
    DurationMicrosecondType, Int16Type, Int32Type, Int64Type, TimestampMicrosecondType, UInt32Type,
};
use arrow_array::{
    Array, ArrayRef, BooleanArray, DictionaryArray, DurationMicrosecondArray, Int64Array,
    StringArray, UInt32Array,
};
use arrow_buffer::{BooleanBuffer, NullBuffer};
use arrow_schema::DataType;
use goodbot_core::robots_txt::Rules;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict, PyIterator, PyList, PyTuple};

use crate::answers::{self, Answer, NULL};
use crate::arrow_import::{self, RawArray};
use crate::arrow_texts::{Chunk, chunk};
use crate::errors::{WrongTypeError, WrongValueError};
use crate::pickled;
use crate::times::{datetime, timedelta};
use crate::url_list;

/// The Arrow C stream interface, `struct ArrowArrayStream`.
#[repr(C)]
pub(crate) struct Stream {
    pub(crate) get_schema: Option<unsafe extern "C" fn(*mut Stream, *mut FFI_ArrowSchema) -> c_int>,
    pub(crate) get_next: Option<unsafe extern "C" fn(*mut Stream, *mut FFI_ArrowArray) -> c_int>,
    get_last_error: Option<unsafe extern "C" fn(*mut Stream) -> *const c_char>,
    release: Option<unsafe extern "C" fn(*mut Stream)>,
    private_data: *mut c_void,
}

/// A column of URLs, and the object that it came from.
pub(crate) struct Column<'py> {
    chunks: Vec<Chunk>,
    source: Bound<'py, PyAny>,
}

impl<'py> Column<'py> {
    /// Reads an object with the Arrow PyCapsule interface, or objects of a library that has it; `None`
    /// for anything else.
    pub(crate) fn read(source: &Bound<'py, PyAny>) -> PyResult<Option<Column<'py>>> {
        if let Some(objects) = url_list::objects(source)? {
            return Ok(Some(Column { chunks: vec![Chunk::List(objects)], source: source.clone() }));
        }
        checked_by_its_library(source, &URLS)?;
        let Some(arrays) = arrays_of(source, &URLS)? else { return Ok(None) };
        let chunks: Option<Vec<Chunk>> = arrays.iter().map(chunk).collect();
        let Some(chunks) = chunks else {
            return Err(URLS.unlike(arrays.first().map(Array::data_type)));
        };
        Ok(Some(Column { chunks, source: source.clone() }))
    }

    /// Returns the chunks, with URLs as they are sent.
    pub(crate) fn into_chunks(self) -> Vec<Chunk> {
        let sendable = |chunk| match chunk {
            Chunk::List(list) => Chunk::List(list.into_sendable()),
            chunk => chunk,
        };
        self.chunks.into_iter().map(sendable).collect()
    }

    fn decide<T: Copy + Send + Sync>(
        &self,
        rules: &Rules,
        threads: usize,
        null: T,
        answer: impl Fn(goodbot_core::robots_txt::Decision) -> T + Copy + Send + Sync,
    ) -> Vec<T> {
        let chunks = &self.chunks;
        self.source.py().detach(move || {
            let mut answers = Vec::new();
            for chunk in chunks {
                let part = chunk.decide(rules, threads, null, answer);
                if answers.is_empty() {
                    answers = part;
                } else {
                    answers.extend(part);
                }
            }
            answers
        })
    }

    pub(crate) fn allows(&self, rules: &Rules, threads: usize) -> PyResult<Bound<'py, PyAny>> {
        let answers = self.decide(rules, threads, NULL, answers::allowed);
        self.give_back(&booleans(answers.len(), |place| answers[place]))
    }

    pub(crate) fn verdicts(
        &self,
        rules: &Rules,
        threads: usize,
    ) -> PyResult<[(&'static str, Bound<'py, PyAny>); 3]> {
        let answers: Vec<Option<Answer>> = self.decide(rules, threads, None, answers::answered);
        let flag = |place: usize| answers[place].map_or(NULL, |answer| u8::from(answer.allowed));
        let allowed = booleans(answers.len(), flag);
        let lines: ArrayRef =
            Arc::new(answers.iter().map(|answer| answers::line(*answer)).collect::<UInt32Array>());
        let slug = |answer: &Option<Answer>| answer.map(|answer| answer.reason.slug());
        let reasons: ArrayRef = Arc::new(answers.iter().map(slug).collect::<StringArray>());
        Ok([
            ("allowed", self.give_back(&allowed)?),
            ("line", self.give_back(&lines)?),
            ("reason", self.give_back(&reasons)?),
        ])
    }

    /// Returns the column in the source's own kind, if its library is known.
    fn give_back(&self, array: &ArrayRef) -> PyResult<Bound<'py, PyAny>> {
        let py = self.source.py();
        let column = Bound::new(py, ArrowColumn { array: Arc::clone(array) })?.into_any();
        let class = self.source.get_type();
        let module: String = class.getattr("__module__")?.extract().unwrap_or_default();
        let library = module.split('.').next().unwrap_or_default();
        let Some(library) = answers::loaded(py, library)? else { return Ok(column) };
        match (module.split('.').next(), class.name()?.to_cow()?.as_ref()) {
            (Some("pyarrow"), "ChunkedArray") => {
                let array = library.call_method1("array", (column,))?;
                library.call_method1("chunked_array", ((array,),))
            }
            (Some("pyarrow"), _) => library.call_method1("array", (column,)),
            // A pandas series keeps its index and name.
            (Some("pandas"), name) if name != "DataFrame" => {
                let arguments = PyDict::new(py);
                for name in ["index", "name"] {
                    arguments.set_item(name, self.source.getattr(name)?)?;
                }
                arguments.set_item("dtype", pandas_type(array))?;
                library.call_method("Series", (column.call_method0("tolist")?,), Some(&arguments))
            }
            (Some("polars"), "Series") => {
                let name = self.source.getattr("name")?;
                library.call_method1("Series", (column,))?.call_method1("alias", (name,))
            }
            _ => Ok(column),
        }
    }
}

/// Has pyarrow check its own arrays: the C data interface does not report how long buffers are,
/// but pyarrow, which holds them, knows.
pub(crate) fn checked_by_its_library(
    source: &Bound<'_, PyAny>,
    expected: &Expected,
) -> PyResult<()> {
    let module: String = source.get_type().getattr("__module__")?.extract().unwrap_or_default();
    if module.split('.').next() != Some("pyarrow") || !source.hasattr("validate")? {
        return Ok(());
    }
    source
        .call_method0("validate")
        .map(drop)
        .map_err(|error| expected.malformed(&error.to_string()))
}

/// A column that is expected, for messages.
pub(crate) struct Expected {
    /// Its name.
    pub(crate) name: &'static str,
    /// What it is, and how to make it that.
    pub(crate) is: &'static str,
    /// Whether a type is right.
    pub(crate) suits: fn(&DataType) -> bool,
    /// What to do about another type, given its name.
    pub(crate) cure: fn(&str) -> &'static str,
}

/// The column of URLs.
pub(crate) const URLS: Expected = Expected {
    name: "urls",
    is: "an Arrow array of strings",
    suits: arrow_import::is_text,
    cure: arrow_import::to_text,
};

impl Expected {
    /// Returns the error for an array that is broken.
    pub(crate) fn malformed(&self, fault: &str) -> PyErr {
        let name = self.name;
        WrongValueError::new_err(format!(
            "{name} is a malformed Arrow array: {fault}; build it again from its values"
        ))
    }

    /// Returns the error for an array of another type.
    pub(crate) fn unlike(&self, found: Option<&DataType>) -> PyErr {
        let found = found.map(|kind| arrow_import::only_column(kind).unwrap_or(kind));
        let found = found.map_or_else(String::new, ToString::to_string);
        let hint = if found.starts_with("Struct") {
            "a table has several columns; pass one, such as table[\"url\"]"
        } else {
            (self.cure)(&found)
        };
        let found = found.split('(').next().unwrap_or_default();
        let (name, is) = (self.name, self.is);
        WrongTypeError::new_err(format!("{name} must be {is}, not of {found}; {hint}"))
    }
}

/// Returns the arrays of an object with the Arrow PyCapsule interface; `None` if it has none.
pub(crate) fn arrays_of(
    source: &Bound<'_, PyAny>,
    expected: &Expected,
) -> PyResult<Option<Vec<ArrayRef>>> {
    Ok(Some(if source.hasattr("__arrow_c_array__")? {
        vec![one_array(source, expected)?]
    } else if source.hasattr("__arrow_c_stream__")? {
        stream(source, expected)?
    } else {
        return Ok(None);
    }))
}

/// Returns the pandas type of a column; without nulls, it is the plain one.
fn pandas_type(array: &ArrayRef) -> &'static str {
    match array.data_type() {
        DataType::Boolean if array.null_count() == 0 => "bool",
        DataType::Boolean => "boolean",
        DataType::UInt32 => "UInt32",
        _ => "object",
    }
}

pub(crate) fn booleans(length: usize, answer: impl Fn(usize) -> u8) -> ArrayRef {
    let values = BooleanBuffer::collect_bool(length, |place| answer(place) == 1);
    // Most columns have no nulls, and to see that takes a tenth of noting where they are.
    let has_nulls = (0..length).fold(false, |found, place| found | (answer(place) == NULL));
    let valid = || BooleanBuffer::collect_bool(length, |place| answer(place) != NULL);
    Arc::new(BooleanArray::new(values, has_nulls.then(|| NullBuffer::new(valid()))))
}

fn one_array(source: &Bound<'_, PyAny>, expected: &Expected) -> PyResult<ArrayRef> {
    let pair = source.call_method0("__arrow_c_array__")?.cast_into::<PyTuple>()?;
    let schema = capsule::<FFI_ArrowSchema>(&pair.get_item(0)?, c"arrow_schema")?;
    let array = capsule::<FFI_ArrowArray>(&pair.get_item(1)?, c"arrow_array")?;
    // SAFETY: the capsules' names say what they point to, and the producer follows the interface.
    // Moving the structures out leaves released ones behind, as the interface requires.
    unsafe {
        let schema = FFI_ArrowSchema::from_raw(schema);
        imported(FFI_ArrowArray::from_raw(array), &schema, expected)
    }
}

pub(crate) fn capsule<T>(value: &Bound<'_, PyAny>, name: &CStr) -> PyResult<*mut T> {
    let capsule = value.cast::<PyCapsule>()?;
    Ok(capsule.pointer_checked(Some(name))?.as_ptr().cast())
}

/// Imports an array that was handed over, after validating it.
///
/// SAFETY: the array and the schema must be structures of the C data interface, and the buffers that the
/// array points to at least as long as its length, offset and last offset say.
pub(crate) unsafe fn imported(
    array: FFI_ArrowArray,
    schema: &FFI_ArrowSchema,
    expected: &Expected,
) -> PyResult<ArrayRef> {
    let malformed = |fault: String| expected.malformed(&fault);
    let kind = arrow_import::kind(schema).map_err(malformed)?;
    if !(expected.suits)(&kind) {
        return Err(expected.unlike(Some(&kind)));
    }
    let raw: *const RawArray = (&raw const array).cast();
    // SAFETY: `FFI_ArrowArray` has the layout of the C structure; the other requirements are the caller's.
    unsafe {
        arrow_import::check(&*raw, &kind).map_err(malformed)?;
        arrow_import::import(array, kind).map_err(malformed)
    }
}

/// Reads a stream of arrays.
fn stream(source: &Bound<'_, PyAny>, expected: &Expected) -> PyResult<Vec<ArrayRef>> {
    let mut arrays = Vec::new();
    each_of_stream(source, |array, schema| {
        // SAFETY: the producer follows the interface.
        arrays.push(unsafe { imported(array, schema, expected) }?);
        Ok(())
    })?;
    Ok(arrays)
}

/// Passes every array of a stream, with the schema, to `read`; returns the schema.
pub(crate) fn each_of_stream(
    source: &Bound<'_, PyAny>,
    mut read: impl FnMut(FFI_ArrowArray, &FFI_ArrowSchema) -> PyResult<()>,
) -> PyResult<FFI_ArrowSchema> {
    let held = source.call_method0("__arrow_c_stream__")?;
    let stream = capsule::<Stream>(&held, c"arrow_array_stream")?;
    let py = source.py();
    // SAFETY: the capsule's name says what it points to; it lives until `held` is dropped, and its
    // destructor releases the stream. The structures to be filled start out empty, as the interface
    // requires, and are released when they are dropped.
    unsafe {
        let failed = || unreadable(stream);
        let (Some(get_schema), Some(get_next)) = ((*stream).get_schema, (*stream).get_next) else {
            return Err(failed());
        };
        let mut schema = FFI_ArrowSchema::empty();
        if get_schema(stream, &raw mut schema) != 0 {
            return Err(failed());
        }
        let shared = Shared(stream);
        loop {
            let mut array = FFI_ArrowArray::empty();
            // A database may run functions of Python in threads of its own meanwhile.
            if py.detach(|| get_next(shared.pointer(), &raw mut array)) != 0 {
                return Err(failed());
            }
            if array.is_released() {
                return Ok(schema);
            }
            read(array, &schema)?;
        }
    }
}

/// A stream that is read without the GIL.
#[derive(Clone, Copy)]
struct Shared(*mut Stream);

// SAFETY: the interface requires only that no two threads call a stream at once.
unsafe impl Send for Shared {}
// SAFETY: as above.
unsafe impl Sync for Shared {}

impl Shared {
    fn pointer(self) -> *mut Stream {
        self.0
    }
}

/// Returns the error for a stream that failed, with its own account of it.
///
/// SAFETY: the pointer must be to a stream that has not been released.
unsafe fn unreadable(stream: *mut Stream) -> PyErr {
    // SAFETY: the text, if there is one, is valid until the stream is called again.
    let account = unsafe {
        let text = (*stream).get_last_error.map_or(std::ptr::null(), |last| last(stream));
        if text.is_null() { String::new() } else { CStr::from_ptr(text).to_string_lossy().into() }
    };
    let account = if account.is_empty() { account } else { format!(": {account}") };
    WrongTypeError::new_err(format!("the Arrow stream could not be read{account}"))
}

/// A column of answers with the Arrow PyCapsule interface: what `allows_many` returns for Arrow arrays
/// of libraries that it does not know.
///
/// Pass it to any library that supports the interface, such as `pyarrow.array(column)`.
///
/// >>> import goodbot, pyarrow
/// >>> class Urls:
/// ...     def __arrow_c_array__(self, requested_schema=None):
/// ...         return pyarrow.array(["/a", "/b"]).__arrow_c_array__(requested_schema)
/// >>> rules = goodbot.RobotsTxt("User-agent: *\nDisallow: /a").rules_for("ExampleBot")
/// >>> column = rules.allows_many(Urls())
/// >>> column, pyarrow.array(column).to_pylist()
/// (<ArrowColumn Boolean of 2>, [False, True])
#[pyclass(frozen, module = "goodbot")]
pub(crate) struct ArrowColumn {
    pub(crate) array: ArrayRef,
}

#[pymethods]
impl ArrowColumn {
    /// Return capsules of the schema and of the array: the Arrow PyCapsule interface.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<(Bound<'py, PyCapsule>, Bound<'py, PyCapsule>)> {
        // "Best effort": a column of answers has only one form.
        let _ = requested_schema;
        let (array, schema) = to_ffi(&self.array.to_data())
            .map_err(|error| WrongTypeError::new_err(error.to_string()))?;
        let schema = PyCapsule::new_with_value(py, schema, c"arrow_schema")?;
        Ok((schema, PyCapsule::new_with_value(py, array, c"arrow_array")?))
    }

    /// Return a capsule of the schema: the Arrow PyCapsule interface.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let schema = FFI_ArrowSchema::try_from(self.array.data_type())
            .map_err(|error| WrongTypeError::new_err(error.to_string()))?;
        PyCapsule::new_with_value(py, schema, c"arrow_schema")
    }

    /// Return the values, a list of `bool`, `int`, `str`, `timedelta` or `datetime`, with `None` for a null.
    pub(crate) fn tolist<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let list = PyList::empty(py);
        for place in 0..self.array.len() {
            match self.array.data_type() {
                _ if self.array.is_null(place) => list.append(py.None())?,
                DataType::Boolean => list.append(self.array.as_boolean().value(place))?,
                DataType::UInt32 => {
                    list.append(self.array.as_primitive::<UInt32Type>().value(place))?;
                }
                DataType::Int64 => {
                    list.append(self.array.as_primitive::<Int64Type>().value(place))?;
                }
                DataType::Int16 => {
                    list.append(self.array.as_primitive::<Int16Type>().value(place))?;
                }
                DataType::Timestamp(..) => {
                    let time = self.array.as_primitive::<TimestampMicrosecondType>().value(place);
                    list.append(datetime(py, time)?)?;
                }
                DataType::Duration(_) => {
                    let age = self.array.as_primitive::<DurationMicrosecondType>().value(place);
                    list.append(timedelta(py, age)?)?;
                }
                DataType::Dictionary(..) => {
                    let column = self.array.as_dictionary::<Int32Type>();
                    let key = usize::try_from(column.keys().value(place)).unwrap_or_default();
                    list.append(column.values().as_string::<i32>().value(key))?;
                }
                _ => list.append(self.array.as_string::<i32>().value(place))?,
            }
        }
        Ok(list)
    }

    fn __len__(&self) -> usize {
        self.array.len()
    }

    /// Iterate over the values of `tolist`.
    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        self.tolist(py)?.try_iter()
    }

    /// Return the values of `tolist` as a NumPy array: of objects where there is a null. pandas reads
    /// columns by this.
    #[pyo3(signature = (dtype = None, copy = None))]
    fn __array__<'py>(
        &self,
        py: Python<'py>,
        dtype: Option<Bound<'py, PyAny>>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        if copy == Some(false) {
            return Err(WrongValueError::new_err(
                "a NumPy array of an ArrowColumn is a copy; use numpy.asarray, without copy=False",
            ));
        }
        py.import("numpy")?.call_method1("array", (self.tolist(py)?, dtype))
    }

    fn __repr__(&self) -> String {
        format!("<ArrowColumn {} of {}>", self.array.data_type(), self.array.len())
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<ArrowColumn>().is_ok_and(|other| *self.array == *other.get().array)
    }

    fn __hash__(&self, py: Python<'_>) -> PyResult<isize> {
        self.tolist(py)?.to_tuple().hash()
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let parts = (self.array.data_type().to_string(), self.tolist(py)?);
        pickled::reduced(py, "ArrowColumn", parts)
    }
}

/// Returns the microseconds of a `timedelta`; `None` for `None`.
fn microseconds(age: &Bound<'_, PyAny>) -> PyResult<Option<i64>> {
    if age.is_none() {
        return Ok(None);
    }
    let part = |name| age.getattr(name)?.extract::<i64>();
    let seconds = part("days")? * 86_400 + part("seconds")?;
    Ok(Some(seconds * 1_000_000 + part("microseconds")?))
}

impl ArrowColumn {
    /// Restores a column from its pickle.
    pub(crate) fn restored(parts: &Bound<'_, PyTuple>) -> PyResult<ArrowColumn> {
        let (kind, list): (String, Bound<'_, PyList>) = parts.extract()?;
        let array: ArrayRef = match kind.as_str() {
            "Boolean" => Arc::new(BooleanArray::from(list.extract::<Vec<Option<bool>>>()?)),
            "UInt32" => Arc::new(UInt32Array::from(list.extract::<Vec<Option<u32>>>()?)),
            "Utf8" => Arc::new(StringArray::from(list.extract::<Vec<Option<String>>>()?)),
            "Int64" => Arc::new(Int64Array::from(list.extract::<Vec<Option<i64>>>()?)),
            _ if kind.starts_with("Duration") => {
                let ages =
                    list.iter().map(|age| microseconds(&age)).collect::<PyResult<Vec<_>>>()?;
                Arc::new(DurationMicrosecondArray::from(ages))
            }
            _ if kind.starts_with("Dictionary") => {
                let names = list.extract::<Vec<Option<String>>>()?;
                let names = names.iter().map(Option::as_deref);
                Arc::new(names.collect::<DictionaryArray<Int32Type>>())
            }
            _ => return Err(pickled::unreadable("ArrowColumn")),
        };
        Ok(ArrowColumn { array })
    }
}
