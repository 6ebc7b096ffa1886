//! What a site's owner wants to know of a page, and which pages are nearly the same.

use goodbot_core::page::Inventory;
use goodbot_core::simhash::{self, Words};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::octets::beside;

/// Returns what a site's owner wants to know of a page, as a tuple that `goodbot.page.readers.marked` names.
pub(crate) fn listed<'py>(py: Python<'py>, page: &'py Inventory) -> PyResult<Bound<'py, PyTuple>> {
    let alternates = page.alternates.iter().map(|(language, url)| (&**language, &**url));
    let resources = page.resources.iter().map(|one| (one.kind.slug(), &*one.url));
    let texts = (&page.language, &*page.heading, page.withheld);
    let (language, heading, withheld) = texts;
    let (alternates, resources): (Vec<_>, Vec<_>) = (alternates.collect(), resources.collect());
    let numbers = (page.headings, page.words, page.simhash);
    let (headings, words, simhash) = numbers;
    (language, heading, withheld, headings, words, simhash, resources, alternates, page.more)
        .into_pyobject(py)
}

/// Count the words of some texts: return how many there are, and their hash of 64 bits.
#[pyfunction]
pub(crate) fn count_words(texts: Vec<String>) -> (u32, Option<u64>) {
    let mut words = Words::default();
    for text in &texts {
        words.add(text);
    }
    (words.count(), words.simhash())
}

/// Group hashes of texts that are nearly the same: return the index of the first of its group for each.
///
/// The GIL is released meanwhile.
#[pyfunction]
pub(crate) fn near_duplicates(py: Python<'_>, hashes: Vec<u64>) -> Vec<usize> {
    beside(py, hashes.len(), || simhash::near(&hashes))
}
