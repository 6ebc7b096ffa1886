//! Columns of URLs as Arrow has them, read by index: texts of every layout, and dictionaries.

use arrow_array::cast::AsArray;
use arrow_array::types::{ByteArrayType, Int16Type, Int32Type, Int64Type, RunEndIndexType};
use arrow_array::{
    Array, ArrayRef, BinaryArray, BinaryViewArray, GenericByteArray, LargeBinaryArray,
};
use arrow_buffer::{ArrowNativeType, NullBuffer};
use arrow_schema::DataType;
use goodbot_core::columns::{Urls, decide_many};
use goodbot_core::robots_txt::{Decision, Rules};

use crate::url_list::List;

/// The texts of one array, as bytes: a URL need not be UTF-8.
pub(crate) enum Texts {
    Octets(BinaryArray),
    LargeOctets(LargeBinaryArray),
    OctetsView(BinaryViewArray),
    /// This many nulls: a column without any value has no type.
    Nulls(usize),
}

/// One array: texts, or indices into texts.
pub(crate) enum Chunk {
    Plain(Texts),
    /// Each distinct text is decided only once.
    Dictionary {
        values: Texts,
        keys: Vec<usize>,
        nulls: Option<NullBuffer>,
    },
    /// Values of Python.
    List(List),
}

impl Urls for Chunk {
    fn length(&self) -> usize {
        match self {
            Chunk::Plain(texts) => texts.length(),
            Chunk::Dictionary { keys, .. } => keys.len(),
            Chunk::List(list) => list.length(),
        }
    }

    #[inline]
    fn url(&self, place: usize) -> Option<&[u8]> {
        match self {
            Chunk::Plain(texts) => texts.url(place),
            Chunk::Dictionary { values, keys, nulls } => {
                let is_null = nulls.as_ref().is_some_and(|nulls| nulls.is_null(place));
                if is_null || values.length() == 0 { None } else { values.url(keys[place]) }
            }
            Chunk::List(list) => list.url(place),
        }
    }

    #[inline]
    fn prefetch(&self, place: usize) -> u64 {
        match self {
            Chunk::Plain(texts) => texts.prefetch(place),
            Chunk::Dictionary { keys, .. } => keys[place] as u64,
            Chunk::List(_) => 0,
        }
    }
}

fn octets<T: ByteArrayType>(array: &GenericByteArray<T>, place: usize) -> Option<&[u8]> {
    (!array.is_null(place)).then(|| array.value(place).as_ref())
}

impl Urls for Texts {
    fn length(&self) -> usize {
        match self {
            Texts::Octets(array) => array.len(),
            Texts::LargeOctets(array) => array.len(),
            Texts::OctetsView(array) => array.len(),
            Texts::Nulls(length) => *length,
        }
    }

    #[inline]
    fn url(&self, place: usize) -> Option<&[u8]> {
        match self {
            Texts::Octets(array) => octets(array, place),
            Texts::LargeOctets(array) => octets(array, place),
            Texts::OctetsView(array) => (!array.is_null(place)).then(|| array.value(place)),
            Texts::Nulls(_) => None,
        }
    }

    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "a part of it is read as well as all")]
    fn prefetch(&self, place: usize) -> u64 {
        match self {
            Texts::Octets(array) => u64::from(array.value_offsets()[place].cast_unsigned()),
            Texts::LargeOctets(array) => array.value_offsets()[place].cast_unsigned(),
            Texts::OctetsView(array) => array.views()[place] as u64,
            Texts::Nulls(_) => 0,
        }
    }
}

pub(crate) fn texts(array: &dyn Array) -> Option<Texts> {
    Some(match array.data_type() {
        DataType::Binary => Texts::Octets(array.as_binary().clone()),
        DataType::LargeBinary => Texts::LargeOctets(array.as_binary().clone()),
        DataType::BinaryView => Texts::OctetsView(array.as_binary_view().clone()),
        DataType::Null => Texts::Nulls(array.len()),
        _ => return None,
    })
}

pub(crate) fn chunk(array: &ArrayRef) -> Option<Chunk> {
    let Some((values, keys, nulls)) = keyed(array) else {
        return texts(array).map(Chunk::Plain);
    };
    Some(Chunk::Dictionary { values: texts(&values)?, keys, nulls })
}

/// Returns the values of a dictionary or of runs, and for each row which of them it has, and whether it
/// is null; `None` for another array. Where there are no values, every row is null.
pub(crate) fn keyed(array: &ArrayRef) -> Option<(ArrayRef, Vec<usize>, Option<NullBuffer>)> {
    if let Some((values, runs)) = run_keys(array) {
        let Some((values, keys, nulls)) = keyed(&values) else {
            return Some((values, runs, None));
        };
        let nulls = nulls.map(|nulls| runs.iter().map(|run| nulls.is_valid(*run)).collect());
        return Some((values, runs.iter().map(|run| keys[*run]).collect(), nulls));
    }
    let dictionary = array.as_any_dictionary_opt()?;
    // `normalized_keys` fails if there are no values: then every key is null.
    if dictionary.values().is_empty() {
        let nulls = NullBuffer::new_null(array.len());
        return Some((dictionary.values().clone(), vec![0; array.len()], Some(nulls)));
    }
    Some((dictionary.values().clone(), dictionary.normalized_keys(), dictionary.nulls().cloned()))
}

/// Returns the values of runs, and for each row in which run it is; `None` for another array.
fn run_keys(array: &ArrayRef) -> Option<(ArrayRef, Vec<usize>)> {
    fn of<T: RunEndIndexType>(array: &ArrayRef) -> (ArrayRef, Vec<usize>) {
        let runs = array.as_run::<T>();
        let first = runs.run_ends().offset();
        let ends = runs.run_ends().values();
        let mut run = ends.partition_point(|end| end.as_usize() <= first);
        let of_row = |row: usize| {
            while ends[run].as_usize() <= row {
                run += 1;
            }
            run
        };
        (runs.values().clone(), (first..first + array.len()).map(of_row).collect())
    }
    let DataType::RunEndEncoded(ends, _) = array.data_type() else { return None };
    Some(match ends.data_type() {
        DataType::Int16 => of::<Int16Type>(array),
        DataType::Int32 => of::<Int32Type>(array),
        DataType::Int64 => of::<Int64Type>(array),
        _ => return None,
    })
}

impl Chunk {
    pub(crate) fn decide<T: Copy + Send + Sync>(
        &self,
        rules: &Rules,
        threads: usize,
        null: T,
        answer: impl Fn(Decision) -> T + Sync,
    ) -> Vec<T> {
        match self {
            Chunk::Plain(texts) => decide_many(rules, texts, threads, null, answer),
            Chunk::List(list) => decide_many(rules, list, threads, null, answer),
            Chunk::Dictionary { values, keys, nulls } => {
                let answers = decide_many(rules, values, threads, null, answer);
                let is_null = |place| nulls.as_ref().is_some_and(|nulls| nulls.is_null(place));
                let of = |(place, key): (usize, &usize)| {
                    if is_null(place) { null } else { answers.get(*key).copied().unwrap_or(null) }
                };
                keys.iter().enumerate().map(of).collect()
            }
        }
    }
}
