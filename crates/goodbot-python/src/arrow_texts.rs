//! Columns of URLs as Arrow has them, read by index: texts of every layout, and dictionaries.

use arrow_array::cast::AsArray;
use arrow_array::types::ByteArrayType;
use arrow_array::{
    Array, ArrayRef, BinaryArray, BinaryViewArray, GenericByteArray, LargeBinaryArray,
};
use arrow_buffer::NullBuffer;
use arrow_schema::DataType;
use goodbot_core::columns::{Urls, decide_many};
use goodbot_core::robots_txt::{Decision, Rules};

use crate::columns::List;

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
    let Some(dictionary) = array.as_any_dictionary_opt() else {
        return texts(array).map(Chunk::Plain);
    };
    let values = texts(dictionary.values())?;
    // `normalized_keys` fails if there are no values: then every key is null.
    let keys = if dictionary.values().is_empty() {
        vec![0; array.len()]
    } else {
        dictionary.normalized_keys()
    };
    Some(Chunk::Dictionary { values, keys, nulls: dictionary.nulls().cloned() })
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
