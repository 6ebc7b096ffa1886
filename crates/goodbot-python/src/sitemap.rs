//! Results of parsing XML other than pages: the entries of sitemaps, for `goodbot.crawl` to evaluate,
//! and documents without their declarations.

use std::borrow::Cow;

use goodbot_core::page::Lines;
use goodbot_core::sitemap;
use goodbot_core::{html, xml};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};

use crate::lists::{listed, place};
use crate::octets::beside;

/// A parsed XML sitemap.
#[pyclass(frozen, get_all, module = "goodbot._core")]
pub(crate) struct SitemapScan {
    /// The kind of document: `urlset`, `index`, `feed` or `none`.
    form: &'static str,
    /// The entries that have an address: `url` or `sitemap`, address, date, line.
    entries: Py<PyList>,
    /// The versions in other languages: number of the entry, language, address, line.
    versions: Py<PyList>,
    /// How many entries have none, the line of the first, and how many others come before it; or
    /// `None`.
    without_address: Option<(usize, u32, usize)>,
    /// The limit that ended the parsing, `elements` or `depth`, and the line; or `None`.
    limit: Option<(&'static str, u32)>,
    /// What is not well-formed first and its line, or `None`; reading goes on at the next entry.
    fault: Option<(&'static str, u32)>,
    /// How many faults there are.
    faults: usize,
    /// Whether reading ended at a fault, because there are too many of them.
    is_cut: bool,
    /// The name of the first entity that is too long or made of others, or `None`.
    unsafe_entity: Option<String>,
    /// Whether some bytes are not UTF-8.
    broken: bool,
}

/// Parse an XML sitemap in UTF-8; the GIL is released meanwhile.
///
/// If there are more than `most` entries, one more than `most` is parsed.
#[pyfunction]
pub(crate) fn parse_sitemap(py: Python<'_>, body: &[u8], most: usize) -> PyResult<SitemapScan> {
    let (read, lines, broken) = beside(py, body.len(), || {
        let text = String::from_utf8_lossy(body);
        let broken = matches!(text, Cow::Owned(_));
        let text = html::normalised(text.into_owned());
        (sitemap::read_sitemap(&text, most), Lines::of(&text), broken)
    });
    let line = |at: usize| lines.number(place(at));
    let mut near = 1;
    let entries = read.entries.iter().map(|entry| {
        let [address, modified] =
            [&entry.address, &entry.modified].map(|text| &read.texts[text.clone()]);
        Ok((entry.kind.slug(), address, modified, lines.number_near(place(entry.place), &mut near)))
    });
    let versions = read.versions.iter().map(|one| {
        let [language, address] =
            [&one.language, &one.address].map(|text| &read.texts[text.clone()]);
        Ok((one.entry, language, address, line(one.place)))
    });
    let limit = read.limit.map(|(limit, at)| (limit.slug(), line(at)));
    Ok(SitemapScan {
        form: read.form.slug(),
        entries: listed(py, entries)?.unbind(),
        versions: listed(py, versions)?.unbind(),
        without_address: read.without_address.map(|one| (one.count, line(one.place), one.behind)),
        limit,
        fault: read.fault.map(|fault| (fault.what, line(fault.at))),
        faults: read.faults,
        is_cut: read.is_cut,
        unsafe_entity: read.unsafe_entity,
        broken,
    })
}

/// Return an XML document in UTF-8 without the declarations of its internal subset.
///
/// Their effect is written where it applies: the texts of entities, or a placeholder, and default
/// attributes. Return `None` if it declares nothing. The GIL is released meanwhile.
#[pyfunction]
pub(crate) fn xml_without_declarations<'py>(
    py: Python<'py>,
    body: &[u8],
) -> Option<Bound<'py, PyBytes>> {
    let written = beside(py, body.len(), || {
        let text = html::normalised(String::from_utf8_lossy(body).into_owned());
        xml::without_declarations(&text)
    });
    written.map(|text| PyBytes::new(py, text.as_bytes()))
}
