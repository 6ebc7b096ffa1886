//! A table of policies as the core reads it: Arrow columns, validated and not copied.
#![allow(unsafe_code, reason = "the C data interface hands over raw structures")]

use std::collections::HashMap;
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};

use arrow_array::cast::AsArray;
use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema};
use arrow_array::types::{
    ArrowDictionaryKeyType, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type,
    UInt32Type, UInt64Type,
};
use arrow_array::{
    Array, ArrayRef, ArrowPrimitiveType, BooleanArray, OffsetSizeTrait, PrimitiveArray,
};
use arrow_buffer::{ArrowNativeType, NullBuffer, ScalarBuffer};
use arrow_schema::{DataType, TimeUnit};
use goodbot_core::address;
use goodbot_core::columns::{Access, Policies, Times, Urls};
use goodbot_core::quote::{LONGEST_NAME, quoted};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::arrow::{self, Expected};
use crate::arrow_import::{self, RawArray};
use crate::arrow_texts::{self, Texts};
use crate::errors::{WrongTypeError, WrongValueError};

/// The columns that a verdict needs, in the order of `Batch`.
const COLUMNS: [Expected; 7] = [
    texts("origin"),
    times("valid_from"),
    times("valid_until"),
    texts("access"),
    texts("reason"),
    Expected { name: "stale", is: "a column of booleans", suits: is_flag, cure: to_flag },
    texts("body"),
];
/// How many origins of a batch are checked.
const SAMPLED: usize = 4_096;
/// For how many rows it is remembered in which batch the first is.
const NEARBY: usize = 1_024;
/// How long a text may be that is in its view.
const SHORT: u128 = 12;
/// The column that a table may have besides.
const DIALECT: Expected = texts("dialect");

const fn texts(name: &'static str) -> Expected {
    let suits = arrow_import::is_text;
    Expected { name, is: "a column of strings or bytes", suits, cure: arrow_import::to_text }
}

/// Returns a column of times.
pub(crate) const fn times(name: &'static str) -> Expected {
    let suits = arrow_import::is_time;
    Expected { name, is: "a column of timestamps", suits, cure: to_time }
}

/// Returns how a column of another type becomes one of timestamps.
fn to_time(found: &str) -> &'static str {
    match found {
        found if found.starts_with("Date") => {
            "cast it to timestamps, for example by cast(pl.Datetime) in Polars, or \
             cast(pyarrow.timestamp(\"us\"))"
        }
        found if found.starts_with("Int") || found.starts_with("UInt") => {
            "cast it to timestamps of its unit, for example by cast(pyarrow.timestamp(\"s\")) if \
             it has seconds"
        }
        found if found.starts_with("Utf8") || found.starts_with("LargeUtf8") => {
            "parse it, for example by str.to_datetime() in Polars, or pandas.to_datetime"
        }
        _ => "pass the times as timestamps",
    }
}

fn to_flag(_: &str) -> &'static str {
    "cast it to a type of booleans"
}

fn is_flag(kind: &DataType) -> bool {
    *kind == DataType::Boolean
}

/// Texts, each row's own or by the keys of a dictionary.
enum Column {
    Plain(Texts),
    Keyed { keys: Keys, nulls: Option<NullBuffer>, values: Texts },
}

/// The keys of a dictionary, as they came.
enum Keys {
    I8(ScalarBuffer<i8>),
    I16(ScalarBuffer<i16>),
    I32(ScalarBuffer<i32>),
    I64(ScalarBuffer<i64>),
    U8(ScalarBuffer<u8>),
    U16(ScalarBuffer<u16>),
    U32(ScalarBuffer<u32>),
    U64(ScalarBuffer<u64>),
    /// Those of runs, which have none of their own.
    Runs(Vec<usize>),
}

impl Keys {
    #[inline]
    fn at(&self, row: usize) -> usize {
        match self {
            Keys::I8(keys) => keys[row].as_usize(),
            Keys::I16(keys) => keys[row].as_usize(),
            Keys::I32(keys) => keys[row].as_usize(),
            Keys::I64(keys) => keys[row].as_usize(),
            Keys::U8(keys) => keys[row].as_usize(),
            Keys::U16(keys) => keys[row].as_usize(),
            Keys::U32(keys) => keys[row].as_usize(),
            Keys::U64(keys) => keys[row].as_usize(),
            Keys::Runs(keys) => keys[row],
        }
    }

    fn of(array: &ArrayRef) -> Option<Keys> {
        fn keys<T: ArrowDictionaryKeyType>(
            array: &ArrayRef,
            make: fn(ScalarBuffer<T::Native>) -> Keys,
        ) -> Keys {
            make(array.as_dictionary::<T>().keys().values().clone())
        }
        let DataType::Dictionary(key, _) = array.data_type() else { return None };
        Some(match key.as_ref() {
            DataType::Int8 => keys::<Int8Type>(array, Keys::I8),
            DataType::Int16 => keys::<Int16Type>(array, Keys::I16),
            DataType::Int32 => keys::<Int32Type>(array, Keys::I32),
            DataType::Int64 => keys::<Int64Type>(array, Keys::I64),
            DataType::UInt8 => keys::<UInt8Type>(array, Keys::U8),
            DataType::UInt16 => keys::<UInt16Type>(array, Keys::U16),
            DataType::UInt32 => keys::<UInt32Type>(array, Keys::U32),
            DataType::UInt64 => keys::<UInt64Type>(array, Keys::U64),
            _ => return None,
        })
    }
}

impl Column {
    fn of(array: &ArrayRef) -> Option<Column> {
        let Some(keys) = Keys::of(array) else {
            let Some((values, keys, nulls)) = arrow_texts::keyed(array) else {
                return arrow_texts::texts(array).map(Column::Plain);
            };
            let values = arrow_texts::texts(&values)?;
            return Some(Column::Keyed { keys: Keys::Runs(keys), nulls, values });
        };
        let dictionary = array.as_any_dictionary_opt()?;
        let values = arrow_texts::texts(dictionary.values())?;
        Some(Column::Keyed { keys, nulls: dictionary.nulls().cloned(), values })
    }

    #[inline]
    fn text(&self, row: usize) -> Option<&[u8]> {
        match self {
            Column::Plain(texts) => texts.url(row),
            Column::Keyed { keys, nulls, values } => {
                let is_null = nulls.as_ref().is_some_and(|nulls| nulls.is_null(row));
                if is_null { None } else { values.url(keys.at(row)) }
            }
        }
    }

    /// Whether all rows have one text. It may answer no wrongly, but never yes.
    fn is_repeated(&self) -> bool {
        match self {
            Column::Plain(Texts::Octets(array)) => {
                array.null_count() == 0 && are_equal(array.value_offsets(), array.value_data())
            }
            Column::Plain(Texts::LargeOctets(array)) => {
                array.null_count() == 0 && are_equal(array.value_offsets(), array.value_data())
            }
            Column::Plain(Texts::OctetsView(array)) => {
                let views = array.views();
                let is_short = |view: &u128| view & 0xffff_ffff <= SHORT;
                let first = views.first().filter(|view| is_short(view));
                array.null_count() == 0
                    && first.is_some_and(|first| views.iter().all(|view| view == first))
            }
            Column::Plain(Texts::Nulls(_)) => false,
            Column::Keyed { nulls, values, .. } => nulls.is_none() && values.length() == 1,
        }
    }

    /// Returns the texts that occur: those of a dictionary, or those of all rows.
    fn different(&self) -> impl Iterator<Item = &[u8]> {
        let texts = match self {
            Column::Plain(texts) => texts,
            Column::Keyed { values, .. } => values,
        };
        (0..texts.length()).filter_map(|place| texts.url(place))
    }
}

/// Whether texts that follow one another are the same.
fn are_equal<T: OffsetSizeTrait>(offsets: &[T], data: &[u8]) -> bool {
    let ([first, second, ..], Some(last)) = (offsets, offsets.last()) else { return false };
    let length = *second - *first;
    let (first, last) = (first.as_usize(), last.as_usize());
    let step = length.as_usize();
    // Each is the same as the one before it.
    offsets.windows(2).all(|pair| pair[1] - pair[0] == length)
        && data[first + step..last] == data[first..last - step]
}

/// Times of any unit, read as microseconds.
pub(crate) struct TimeColumn {
    values: ScalarBuffer<i64>,
    nulls: Option<NullBuffer>,
    unit: TimeUnit,
}

impl TimeColumn {
    pub(crate) fn of(array: &ArrayRef) -> TimeColumn {
        fn values<T: ArrowPrimitiveType<Native = i64>>(array: &ArrayRef) -> ScalarBuffer<i64> {
            array.as_primitive::<T>().values().clone()
        }
        use arrow_array::types::{
            TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType,
            TimestampSecondType,
        };
        if let Some((values, keys, nulls)) = arrow_texts::keyed(array) {
            return TimeColumn::of(&values).by_keys(&keys, nulls.as_ref());
        }
        let DataType::Timestamp(unit, _) = array.data_type() else {
            // A column of nulls only has no type.
            let nulls = Some(NullBuffer::new_null(array.len()));
            return TimeColumn {
                values: vec![0; array.len()].into(),
                nulls,
                unit: TimeUnit::Second,
            };
        };
        let values = match unit {
            TimeUnit::Second => values::<TimestampSecondType>(array),
            TimeUnit::Millisecond => values::<TimestampMillisecondType>(array),
            TimeUnit::Microsecond => values::<TimestampMicrosecondType>(array),
            TimeUnit::Nanosecond => values::<TimestampNanosecondType>(array),
        };
        TimeColumn { values, nulls: array.nulls().cloned(), unit: *unit }
    }

    /// Returns a row for each key; those that are null have no key.
    fn by_keys(&self, keys: &[usize], nulls: Option<&NullBuffer>) -> TimeColumn {
        let is_valid = |row: usize, key: usize| {
            nulls.is_none_or(|nulls| nulls.is_valid(row))
                && self.nulls.as_ref().is_none_or(|nulls| nulls.is_valid(key))
        };
        let rows = keys.iter().enumerate();
        TimeColumn {
            // Without values every row is null.
            values: keys.iter().map(|key| self.values.get(*key).copied().unwrap_or(0)).collect(),
            nulls: Some(
                rows.map(|(row, key)| *key < self.values.len() && is_valid(row, *key)).collect(),
            ),
            unit: self.unit,
        }
    }

    /// Makes a column of microseconds.
    pub(crate) fn of_microseconds(times: Vec<Option<i64>>) -> TimeColumn {
        let array: PrimitiveArray<Int64Type> = times.into();
        let nulls = array.nulls().cloned();
        TimeColumn { values: array.values().clone(), nulls, unit: TimeUnit::Microsecond }
    }

    pub(crate) fn length(&self) -> usize {
        self.values.len()
    }

    /// Returns some of the rows.
    pub(crate) fn slice(&self, first: usize, length: usize) -> TimeColumn {
        TimeColumn {
            values: self.values.slice(first, length),
            nulls: self.nulls.as_ref().map(|nulls| nulls.slice(first, length)),
            unit: self.unit,
        }
    }
}

impl Times for TimeColumn {
    #[inline]
    fn time(&self, place: usize) -> Option<i64> {
        if self.nulls.as_ref().is_some_and(|nulls| nulls.is_null(place)) {
            return None;
        }
        let value = self.values[place];
        Some(match self.unit {
            TimeUnit::Second => value.saturating_mul(1_000_000),
            TimeUnit::Millisecond => value.saturating_mul(1_000),
            TimeUnit::Microsecond => value,
            TimeUnit::Nanosecond => value.div_euclid(1_000),
        })
    }
}

/// The rows of one record batch.
struct Batch {
    rows: usize,
    origin: Column,
    learned: TimeColumn,
    until: TimeColumn,
    access: Column,
    reason: Column,
    stale: BooleanArray,
    body: Column,
    dialect: Option<Column>,
}

/// A table of policies.
pub(crate) struct PolicyRows {
    /// The names of all columns.
    pub(crate) names: Vec<String>,
    /// What the schema says besides.
    pub(crate) metadata: HashMap<String, String>,
    batches: Vec<Batch>,
    /// Where each batch begins.
    starts: Vec<usize>,
    /// The batch of the first of so many rows.
    nearby: Vec<usize>,
    rows: usize,
}

impl PolicyRows {
    /// Reads a table of policies.
    pub(crate) fn read(table: &Bound<'_, PyAny>) -> PyResult<PolicyRows> {
        let mut batches = Vec::new();
        let schema = if table.hasattr("__arrow_c_stream__")? {
            arrow::each_of_stream(table, |array, schema| {
                // SAFETY: the producer follows the interface.
                batches.push(unsafe { read_batch(array, schema) }?);
                Ok(())
            })?
        } else if table.hasattr("__arrow_c_array__")? {
            let pair = table.call_method0("__arrow_c_array__")?.cast_into::<PyTuple>()?;
            let schema: *mut FFI_ArrowSchema = arrow::capsule(&pair.get_item(0)?, c"arrow_schema")?;
            let array: *mut FFI_ArrowArray = arrow::capsule(&pair.get_item(1)?, c"arrow_array")?;
            // SAFETY: the capsules' names say what they point to; moving the structures out leaves
            // released ones behind, as the interface requires.
            unsafe {
                let schema = FFI_ArrowSchema::from_raw(schema);
                batches.push(read_batch(FFI_ArrowArray::from_raw(array), &schema)?);
                schema
            }
        } else {
            return Err(no_table(&table.get_type().name()?.to_string_lossy()));
        };
        let mut rows = 0;
        let starts = batches.iter().map(|batch| {
            rows += batch.rows;
            rows - batch.rows
        });
        let starts: Vec<usize> = starts.collect();
        let batch_of = |row| starts.partition_point(|start| *start <= row) - 1;
        let nearby = (0..rows).step_by(NEARBY).map(batch_of).collect();
        let (names, metadata) = described(&schema);
        let rows = PolicyRows { names, metadata, batches, starts, nearby, rows };
        rows.check()?;
        Ok(rows)
    }

    /// Returns the dialect that the rows name; `None` if they name none.
    pub(crate) fn dialect(&self) -> PyResult<Option<String>> {
        let mut found: Option<&[u8]> = None;
        for batch in &self.batches {
            let Some(column) = &batch.dialect else { continue };
            let rows = if column.is_repeated() { batch.rows.min(1) } else { batch.rows };
            for name in (0..rows).filter_map(|row| column.text(row)) {
                match found {
                    Some(first) if first != name => {
                        let [first, name] = [first, name].map(String::from_utf8_lossy);
                        return Err(WrongValueError::new_err(format!(
                            "the table of policies has rows in several dialects, {first} and \
                             {name}; open each by itself, or make one table of them with \
                             `goodbot tables merge`"
                        )));
                    }
                    Some(_) => {}
                    None => found = Some(name),
                }
            }
        }
        Ok(found.map(|name| String::from_utf8_lossy(name).into_owned()))
    }

    /// Checks what no validation of Arrow does.
    fn check(&self) -> PyResult<()> {
        for batch in &self.batches {
            for text in batch.access.different() {
                if access_of(text).is_none() {
                    let text = quoted(&String::from_utf8_lossy(text), LONGEST_NAME);
                    return Err(WrongValueError::new_err(format!(
                        "access is {text:?}; write rules, allow-all, disallow-all, defer or unknown"
                    )));
                }
            }
            let is_missing =
                |column: &Column| (0..batch.rows).any(|row| column.text(row).is_none());
            let is_null = |column: &Column| match column {
                Column::Plain(Texts::Nulls(rows)) => *rows > 0,
                Column::Plain(_) | Column::Keyed { .. } => is_missing(column),
            };
            let no_time = batch.learned.nulls.as_ref().is_some_and(|nulls| nulls.null_count() > 0);
            for (name, fault) in [
                ("origin", is_null(&batch.origin)),
                ("access", is_null(&batch.access)),
                ("valid_from", no_time),
            ] {
                if fault {
                    return Err(WrongValueError::new_err(format!(
                        "{name} is null in some rows of the table of policies; leave those rows out"
                    )));
                }
            }
            // Some rows are enough: who writes one origin in another form writes all so.
            let some = (0..batch.rows).step_by(batch.rows.div_ceil(SAMPLED).max(1));
            let mut origins = some.filter_map(|row| batch.origin.text(row));
            if let Some(origin) = origins.find(|origin| !is_origin(origin)) {
                return Err(no_origin(origin));
            }
        }
        Ok(())
    }

    /// Returns the batch of a row, and the row in it.
    #[inline]
    fn at(&self, row: usize) -> (&Batch, usize) {
        if let [batch] = &self.batches[..] {
            return (batch, row);
        }
        let (first, rest) = (self.nearby[row / NEARBY], self.nearby.get(row / NEARBY + 1));
        let starts = rest.map_or(&self.starts[first..], |last| &self.starts[first..=*last]);
        let place = first + starts.partition_point(|start| *start <= row) - 1;
        (&self.batches[place], row - self.starts[place])
    }
}

impl Policies for PolicyRows {
    fn length(&self) -> usize {
        self.rows
    }
    #[inline]
    fn origin(&self, row: usize) -> &[u8] {
        let (batch, row) = self.at(row);
        batch.origin.text(row).unwrap_or_default()
    }
    #[inline]
    fn learned(&self, row: usize) -> i64 {
        let (batch, row) = self.at(row);
        batch.learned.time(row).unwrap_or(i64::MAX)
    }
    fn until(&self, row: usize) -> Option<i64> {
        let (batch, row) = self.at(row);
        batch.until.time(row)
    }
    fn access(&self, row: usize) -> Access {
        let (batch, row) = self.at(row);
        batch.access.text(row).and_then(access_of).unwrap_or(Access::Nothing)
    }
    fn reason(&self, row: usize) -> &[u8] {
        let (batch, row) = self.at(row);
        batch.reason.text(row).unwrap_or_default()
    }
    fn is_stale(&self, row: usize) -> bool {
        let (batch, row) = self.at(row);
        batch.stale.is_null(row) || batch.stale.value(row)
    }
    fn body(&self, row: usize) -> Option<&[u8]> {
        let (batch, row) = self.at(row);
        batch.body.text(row)
    }
}

/// Returns the names of the columns and the metadata of a schema, as far as they can be read.
fn described(schema: &FFI_ArrowSchema) -> (Vec<String>, HashMap<String, String>) {
    // A null format or name causes a panic.
    let read = || {
        let names = schema.children().map(|child| child.name().unwrap_or_default().to_owned());
        (names.collect(), schema.metadata().unwrap_or_default())
    };
    catch_unwind(AssertUnwindSafe(read)).unwrap_or_default()
}

/// Whether a text is an origin as verdicts look for it. It may answer yes wrongly for a host or a port
/// in an unusual spelling, but never no.
fn is_origin(text: &[u8]) -> bool {
    let (site, port) = match text {
        [b'h', b't', b't', b'p', b's', b':', b'/', b'/', site @ ..] => (site, &b":443"[..]),
        [b'h', b't', b't', b'p', b':', b'/', b'/', site @ ..] => (site, &b":80"[..]),
        _ => return false,
    };
    let is_odd = |byte: &u8| {
        !byte.is_ascii_graphic()
            || byte.is_ascii_uppercase()
            || matches!(byte, b'/' | b'\\' | b'?' | b'#' | b'@')
    };
    !site.is_empty() && !site.ends_with(b":") && !site.ends_with(port) && !site.iter().any(is_odd)
}

fn no_origin(text: &[u8]) -> PyErr {
    let found = quoted(&String::from_utf8_lossy(text), LONGEST_NAME);
    let meant = address::origin(text).ok().filter(|meant| is_origin(meant.as_bytes()));
    let meant = meant.unwrap_or_else(|| "one such as https://example.com".to_owned());
    WrongValueError::new_err(format!(
        "origin is {found:?} in some rows of the table of policies; write {meant}, as \
         goodbot.tables.columns.origins has the origins of URLs"
    ))
}

/// Returns what a policy allows, by the name that the policy layer has for it.
fn access_of(name: &[u8]) -> Option<Access> {
    Some(match name {
        // Without a body, nothing is known of the rules.
        b"rules" | b"unknown" => Access::Rules,
        b"allow-all" => Access::All,
        b"disallow-all" | b"defer" => Access::Nothing,
        _ => return None,
    })
}

fn no_table(found: &str) -> PyErr {
    WrongTypeError::new_err(format!(
        "policies must be a table with the Arrow interface, not {found}; \
         goodbot.tables.building.open_policies opens a file"
    ))
}

/// Reads the columns of a record batch that verdicts need; the others are not touched.
///
/// SAFETY: the array and the schema must be structures of the C data interface.
unsafe fn read_batch(array: FFI_ArrowArray, schema: &FFI_ArrowSchema) -> PyResult<Batch> {
    // A null format or name causes a panic.
    let described = catch_unwind(AssertUnwindSafe(|| {
        let names: Vec<Option<&str>> = schema.children().map(FFI_ArrowSchema::name).collect();
        (schema.format() == "+s", names)
    }));
    let Ok((is_table, names)) = described else {
        return Err(WrongValueError::new_err("the schema of the table of policies is incomplete"));
    };
    if !is_table {
        return Err(no_table("a single column"));
    }
    let raw: *const RawArray = (&raw const array).cast();
    // SAFETY: `FFI_ArrowArray` has the layout of the C structure.
    let raw = unsafe { &*raw };
    let malformed = |fault: &str| {
        WrongValueError::new_err(format!(
            "policies is a malformed Arrow table: {fault}; build it again from its values"
        ))
    };
    if raw.release.is_null() || usize::try_from(raw.n_children) != Ok(names.len()) {
        return Err(malformed("its columns and its schema do not agree"));
    }
    if raw.null_count > 0 {
        return Err(malformed("whole rows are null"));
    }
    let (Ok(offset), Ok(rows)) = (usize::try_from(raw.offset), usize::try_from(raw.length)) else {
        return Err(malformed("its length is negative"));
    };
    let column = |expected: &Expected| -> PyResult<ArrayRef> {
        let Some(place) = names.iter().position(|name| *name == Some(expected.name)) else {
            let name = expected.name;
            return Err(WrongValueError::new_err(format!(
                "the table of policies has no column {name}; \
                 docs/reference/policy-table.md lists the columns"
            )));
        };
        if raw.children.is_null() {
            return Err(malformed("its columns are missing"));
        }
        // SAFETY: there are that many children. Moving one out leaves a released one behind, as the
        // interface permits.
        let child = unsafe {
            let child: *mut FFI_ArrowArray = (*raw.children.add(place)).cast();
            if child.is_null() {
                return Err(malformed("a column is missing"));
            }
            mem::replace(&mut *child, FFI_ArrowArray::empty())
        };
        // SAFETY: the caller's responsibility.
        let array = unsafe { arrow::imported(child, schema.child(place), expected) }?;
        if array.len() < offset + rows {
            return Err(malformed(&format!("{} is too short", expected.name)));
        }
        Ok(array.slice(offset, rows))
    };
    let text = |expected: &Expected| {
        let array = column(expected)?;
        Column::of(&array).ok_or_else(|| expected.unlike(Some(array.data_type())))
    };
    let time = |expected: &Expected| Ok::<_, PyErr>(TimeColumn::of(&column(expected)?));
    let [origin, learned, until, access, reason, stale, body] = &COLUMNS;
    let has_dialect = names.contains(&Some(DIALECT.name));
    Ok(Batch {
        dialect: has_dialect.then(|| text(&DIALECT)).transpose()?,
        rows,
        origin: text(origin)?,
        learned: time(learned)?,
        until: time(until)?,
        access: text(access)?,
        reason: text(reason)?,
        stale: column(stale)?.as_boolean().clone(),
        body: text(body)?,
    })
}
