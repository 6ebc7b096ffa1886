//! What is read from the events of XML beside pages: the entries of sitemaps, for `goodbot.crawl` to
//! judge, and documents without their declarations.

use std::borrow::Cow;

use goodbot_core::page::Lines;
use goodbot_core::sitemap;
use goodbot_core::{html, xml};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};

use crate::octets::beside;
use crate::page::{listed, place};

/// What was read of a sitemap in XML.
#[pyclass(frozen, get_all, module = "goodbot._core")]
pub(crate) struct SitemapScan {
    /// What it is: `urlset`, `index`, `feed` or `none`.
    form: &'static str,
    /// The entries that have an address: `url` or `sitemap`, address, date, line.
    entries: Py<PyList>,
    /// How many entries have none, the line of the first, and how many others stand before that; or
    /// `None`.
    without_address: Option<(usize, u32, usize)>,
    /// The limit that ended the reading, `elements` or `depth`, and the line; or `None`.
    limit: Option<(&'static str, u32)>,
    /// What is not well-formed and its line, or `None`.
    fault: Option<(&'static str, u32)>,
    /// The name of the first entity that is too long or made of others, or `None`.
    unsafe_entity: Option<String>,
    /// Whether some bytes are no UTF-8.
    broken: bool,
}

/// Read a sitemap in XML, in UTF-8; the GIL is released meanwhile.
///
/// One entry more than `most` is read, if there are more.
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
    let limit = read.limit.map(|(limit, at)| (limit.slug(), line(at)));
    Ok(SitemapScan {
        form: read.form.slug(),
        entries: listed(py, entries)?.unbind(),
        without_address: read.without_address.map(|one| (one.count, line(one.place), one.behind)),
        limit,
        fault: read.fault.map(|fault| (fault.what, line(fault.at))),
        unsafe_entity: read.unsafe_entity,
        broken,
    })
}

/// Write a document of XML in UTF-8 without the declarations of its internal subset.
///
/// What they declare stands where it is meant: texts of entities, or a locution, and attributes by
/// default. `None` if it declares nothing. The GIL is released meanwhile.
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
