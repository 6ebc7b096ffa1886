//! The columns that expressions read: URLs and times.

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowTimestampType, TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType,
};
use arrow_array::{Array, ArrayRef, BinaryViewArray};
use arrow_buffer::{NullBuffer, ScalarBuffer};
use arrow_schema::{DataType, TimeUnit};
use goodbot_core::columns;

use crate::export::Series;

/// Texts as bytes.
pub enum Urls {
    Plain(BinaryViewArray),
    /// Those of a categorical: a key into the distinct texts for each row.
    Categories {
        texts: Box<Urls>,
        keys: Vec<usize>,
        nulls: Option<NullBuffer>,
    },
    /// A column without any value has no type.
    Nulls(usize),
    /// One text for this many rows.
    Repeated(Option<Vec<u8>>, usize),
}

impl Urls {
    fn of(array: &ArrayRef) -> Result<Urls, String> {
        if let Some(dictionary) = array.as_any_dictionary_opt() {
            let texts = Box::new(Urls::of(dictionary.values())?);
            if columns::Urls::length(&*texts) == 0 {
                return Ok(Urls::Nulls(array.len()));
            }
            let keys = dictionary.normalized_keys();
            return Ok(Urls::Categories { texts, keys, nulls: dictionary.nulls().cloned() });
        }
        match array.data_type() {
            DataType::Utf8View => Ok(Urls::Plain(array.as_string_view().clone().to_binary_view())),
            DataType::BinaryView => Ok(Urls::Plain(array.as_binary_view().clone())),
            DataType::Null => Ok(Urls::Nulls(array.len())),
            // As Polars hands over objects of Python, which an expression without Python cannot read.
            DataType::FixedSizeBinary(_) => Err("the column of URLs is an Object; pass it to \
                 goodbot.tables.columns.verdicts, which reads its values, or make it one of pl.String"
                .to_owned()),
            kind => Err(format!(
                "the column of URLs must be a String, Categorical or Binary, not {kind}; cast it to \
                 pl.String"
            )),
        }
    }
}

impl columns::Urls for Urls {
    fn length(&self) -> usize {
        match self {
            Urls::Plain(array) => array.len(),
            Urls::Categories { keys, .. } => keys.len(),
            Urls::Nulls(length) | Urls::Repeated(_, length) => *length,
        }
    }

    #[inline]
    fn url(&self, place: usize) -> Option<&[u8]> {
        match self {
            Urls::Plain(array) => (!array.is_null(place)).then(|| array.value(place)),
            Urls::Categories { texts, keys, nulls } => {
                let is_null = nulls.as_ref().is_some_and(|nulls| nulls.is_null(place));
                if is_null { None } else { texts.url(keys[place]) }
            }
            Urls::Nulls(_) => None,
            Urls::Repeated(text, _) => text.as_deref(),
        }
    }

    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "a part of it is read as well as all")]
    fn prefetch(&self, place: usize) -> u64 {
        match self {
            Urls::Plain(array) => array.views()[place] as u64,
            Urls::Categories { keys, .. } => keys[place] as u64,
            Urls::Nulls(_) | Urls::Repeated(..) => 0,
        }
    }
}

/// Times in microseconds.
pub enum Times {
    Column {
        values: ScalarBuffer<i64>,
        nulls: Option<NullBuffer>,
        unit: TimeUnit,
    },
    /// One time for each row.
    Repeated(Option<i64>),
}

impl Times {
    fn of(array: &ArrayRef) -> Result<Times, String> {
        match array.data_type() {
            DataType::Timestamp(TimeUnit::Millisecond, _) => {
                Ok(Times::column::<TimestampMillisecondType>(array))
            }
            DataType::Timestamp(TimeUnit::Microsecond, _) => {
                Ok(Times::column::<TimestampMicrosecondType>(array))
            }
            DataType::Timestamp(TimeUnit::Nanosecond, _) => {
                Ok(Times::column::<TimestampNanosecondType>(array))
            }
            DataType::Null => Ok(Times::Repeated(None)),
            kind => Err(format!(
                "at must be a Datetime column, not {kind}; convert it, such as with \
                 pl.col(\"fetch_time\").str.to_datetime(), or .cast(pl.Datetime) if it has dates"
            )),
        }
    }

    fn column<T: ArrowTimestampType>(array: &ArrayRef) -> Times {
        let array = array.as_primitive::<T>();
        Times::Column {
            values: array.values().clone(),
            nulls: array.nulls().cloned(),
            unit: T::UNIT,
        }
    }
}

impl columns::Times for Times {
    #[inline]
    fn time(&self, place: usize) -> Option<i64> {
        let (values, nulls, unit) = match self {
            Times::Column { values, nulls, unit } => (values, nulls, unit),
            Times::Repeated(time) => return *time,
        };
        if nulls.as_ref().is_some_and(|nulls| nulls.is_null(place)) {
            return None;
        }
        let value = values[place];
        Some(match unit {
            TimeUnit::Second => value.saturating_mul(1_000_000),
            TimeUnit::Millisecond => value.saturating_mul(1_000),
            TimeUnit::Microsecond => value,
            TimeUnit::Nanosecond => value.div_euclid(1_000),
        })
    }
}

/// Returns the columns in parts of one chunk each. A column of one row counts for each row of the other.
pub fn parts(
    urls: &Series,
    times: Option<&Series>,
) -> Result<Vec<columns::Part<Urls, Times>>, String> {
    let Some(times) = times else {
        return urls.chunks.iter().map(|chunk| Ok((Urls::of(chunk)?, None))).collect();
    };
    match (urls.length(), times.length()) {
        (rows, other) if rows == other => aligned(urls, times),
        (_, 1) => {
            let time = columns::Times::time(&Times::of(first(times)?)?, 0);
            let part = |chunk| Ok((Urls::of(chunk)?, Some(Times::Repeated(time))));
            urls.chunks.iter().map(part).collect()
        }
        (1, _) => {
            let url = Urls::of(first(urls)?)?;
            let url = columns::Urls::url(&url, 0).map(<[u8]>::to_vec);
            let part = |chunk: &ArrayRef| {
                Ok((Urls::Repeated(url.clone(), chunk.len()), Some(Times::of(chunk)?)))
            };
            times.chunks.iter().map(part).collect()
        }
        (rows, other) => Err(format!(
            "there are {rows} URLs and {other} times; both columns must be equally long"
        )),
    }
}

fn first(series: &Series) -> Result<&ArrayRef, String> {
    let chunk = series.chunks.iter().find(|chunk| !chunk.is_empty());
    chunk.ok_or_else(|| "a column of one row has none".to_owned())
}

/// Divides two columns where a chunk of either ends.
fn aligned(urls: &Series, times: &Series) -> Result<Vec<columns::Part<Urls, Times>>, String> {
    let mut parts = Vec::new();
    let mut others = times.chunks.iter().filter(|chunk| !chunk.is_empty());
    let (mut other, mut taken) = (others.next(), 0);
    for chunk in &urls.chunks {
        let mut start = 0;
        while let Some(found) = other.filter(|_| start < chunk.len()) {
            let rows = (chunk.len() - start).min(found.len() - taken);
            let times = Times::of(&found.slice(taken, rows))?;
            parts.push((Urls::of(&chunk.slice(start, rows))?, Some(times)));
            start += rows;
            taken += rows;
            if taken == found.len() {
                (other, taken) = (others.next(), 0);
            }
        }
    }
    Ok(parts)
}
