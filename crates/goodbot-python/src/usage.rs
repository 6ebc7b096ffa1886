//! Usage preferences, for Python.

use goodbot_core::knowledge;
use goodbot_core::quote::{LONGEST_NAME, MOST_QUOTED, quoted};
use goodbot_core::robots_txt as core;
use pyo3::Borrowed;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::errors::UnknownVocabularyError;
use crate::pickled::hash_of;
use crate::values::Finding;
use crate::{octets, pickled};

/// What the site states about the use of the content at a URL; each kind of statement is kept apart.
///
/// >>> import goodbot
/// >>> rules = goodbot.RobotsTxt(b"User-agent: *\nContent-Usage: train-ai=n\nAllow: /").rules_for("ExampleBot")
/// >>> rules.usage("/a").content_usage
/// {'train-ai': 'disallow', 'ai-use': 'unknown', 'search': 'unknown'}
///
/// Source: draft-ietf-aipref-attach-05 section 3; contentsignals.org; RSL 1.0.
#[pyclass(frozen, eq, module = "goodbot")]
#[derive(PartialEq)]
pub(crate) struct Usage {
    inner: core::Usage,
}

impl Usage {
    pub(crate) fn new(inner: core::Usage) -> Usage {
        Usage { inner }
    }
}

#[pymethods]
impl Usage {
    /// The preference for each label of the vocabulary: a `dict` of `str` to `"allow"`,
    /// `"disallow"` or `"unknown"`. `None` if the URL must not be fetched: disallowed content
    /// carries no preference.
    #[getter]
    fn content_usage<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        let Some(preferences) = &self.inner.content_usage else { return Ok(None) };
        let dict = PyDict::new(py);
        for (label, preference) in preferences {
            dict.set_item(label, preference.slug())?;
        }
        Ok(Some(dict))
    }

    /// The numbers of the Content-Usage lines that state the preferences, a list of `int`.
    #[getter]
    fn content_usage_lines(&self) -> Vec<u32> {
        self.inner.content_usage_lines.clone()
    }

    /// The signals that are stated: a `dict` of `str` to `"yes"` or `"no"`, and for `use` to the
    /// level up to which content may be used: `"immediate"`, `"reference"` or `"full"`. A signal
    /// that is absent neither grants nor restricts.
    #[getter]
    fn content_signal<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        for (name, answer) in &self.inner.content_signal {
            dict.set_item(name, answer)?;
        }
        Ok(dict)
    }

    /// The URIs of the licences, a list of `str`.
    #[getter]
    fn licenses(&self) -> Vec<String> {
        self.inner.licenses.clone()
    }

    /// The URI of the first licence, a `str`, or `None`.
    #[getter]
    fn license(&self) -> Option<String> {
        self.inner.licenses.first().cloned()
    }

    /// Return the statements as a `dict` of plain values, for JSON.
    fn as_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        dict.set_item("content_usage", self.content_usage(py)?)?;
        dict.set_item("content_usage_lines", self.content_usage_lines())?;
        dict.set_item("content_signal", self.content_signal(py)?)?;
        dict.set_item("licenses", self.licenses())?;
        Ok(dict)
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let text = self.as_dict(py)?.repr()?.to_cow()?.into_owned();
        Ok(format!("<Usage {}>", quoted(&text, MOST_QUOTED)))
    }

    fn __hash__(&self) -> u64 {
        hash_of(&(&self.inner.content_usage, &self.inner.content_signal, &self.inner.licenses))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let core::Usage { content_usage, content_usage_lines, content_signal, licenses } =
            &self.inner;
        let content_usage = content_usage.as_ref().map(|preferences| {
            preferences.iter().map(|(label, one)| (*label, one.slug())).collect::<Vec<_>>()
        });
        let parts =
            (content_usage, content_usage_lines.clone(), content_signal.clone(), licenses.clone());
        pickled::reduced(py, "Usage", parts)
    }
}

impl Usage {
    /// Restores the statements from their pickle.
    pub(crate) fn restored(parts: &Bound<'_, PyTuple>) -> PyResult<Usage> {
        type Named = Option<Vec<(String, String)>>;
        let (named, content_usage_lines, content_signal, licenses): (Named, _, _, _) =
            parts.extract()?;
        let known = |(label, slug): (String, String)| {
            let mut labels = core::VOCABULARIES.iter().flat_map(|(_, labels)| *labels);
            let label = labels.find(|known| **known == label)?;
            let preference = core::Preference::ALL.iter().find(|one| one.slug() == slug)?;
            Some((*label, *preference))
        };
        let content_usage = named
            .map(|named| named.into_iter().map(known).collect::<Option<Vec<_>>>())
            .map(|known| known.ok_or_else(|| pickled::unreadable("Usage")))
            .transpose()?;
        Ok(Usage::new(core::Usage { content_usage, content_usage_lines, content_signal, licenses }))
    }
}

/// Return the vocabularies of Content-Usage, newest first: a list of `(name, [label, ...])`.
///
/// >>> import goodbot
/// >>> goodbot.vocabularies()[0]
/// ('aipref-08', ['train-ai', 'ai-use', 'search'])
#[pyfunction]
pub(crate) fn vocabularies() -> Vec<(&'static str, Vec<&'static str>)> {
    core::VOCABULARIES.iter().map(|(name, labels)| (*name, labels.to_vec())).collect()
}

/// Return what the `Content-Usage` fields of an HTTP message state: a `dict` of each label of the
/// vocabulary to `"allow"`, `"disallow"` or `"unknown"`.
///
/// Args:
///     fields: The values of the fields, a list of `str`: they are combined before they are parsed.
///     vocabulary: As in `Rules.usage`.
///
/// >>> from goodbot._core import content_usage
/// >>> content_usage(["train-ai=n", "search=y"])
/// {'train-ai': 'disallow', 'ai-use': 'unknown', 'search': 'allow'}
///
/// Source: RFC 9651 section 4.2; draft-ietf-aipref-vocab section 5.
#[pyfunction]
#[pyo3(signature = (fields, *, vocabulary = Vocabulary::NEWEST), text_signature = "(fields, *, vocabulary='aipref-08')")]
pub(crate) fn content_usage<'py>(
    py: Python<'py>,
    fields: Vec<String>,
    vocabulary: Vocabulary<'py>,
) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    for (label, preference) in core::content_usage_of_fields(&fields, vocabulary.labels()?) {
        dict.set_item(label, preference.slug())?;
    }
    Ok(dict)
}

/// Return what the `Content-Signal` fields of an HTTP message state: a `dict` of each signal to
/// `"yes"` or `"no"`, and of `use` to its level. Of two conflicting ones the more restrictive
/// applies.
///
/// >>> from goodbot._core import content_signal
/// >>> content_signal(["search=yes, ai-train=yes", "ai-train=no"])
/// {'search': 'yes', 'ai-train': 'no'}
///
/// Source: contentsignals.org; Cloudflare, managed robots.txt.
#[pyfunction]
pub(crate) fn content_signal(py: Python<'_>, fields: Vec<String>) -> PyResult<Bound<'_, PyDict>> {
    let dict = PyDict::new(py);
    for (name, answer) in core::content_signal_of_fields(&fields) {
        dict.set_item(name, answer)?;
    }
    Ok(dict)
}

/// Return what is odd about the value of a field `Content-Signal` or `Content-Usage` of an HTTP
/// message, a list of `Finding`, with the codes that such a line of robots.txt has.
///
/// >>> from goodbot._core import usage_findings
/// >>> [one.code for one in usage_findings("Content-Signal", "ai-train=no, ai-draw=no")]
/// ['unknown-signal']
#[pyfunction]
pub(crate) fn usage_findings(name: &str, value: &str) -> Vec<Finding> {
    core::findings_of_field(name, value.as_bytes()).into_iter().map(Finding::from).collect()
}

/// Return the sentence on a word that no known document defines, with the day of what is known.
///
/// >>> from goodbot._core import KNOWN_AS_OF, not_known
/// >>> not_known("the word x").replace(KNOWN_AS_OF, "DATE")
/// 'the word x is not known to goodbot as of DATE'
#[pyfunction]
pub(crate) fn not_known(shown: &str) -> String {
    knowledge::not_known(shown)
}

/// Return how many bytes of a path pattern match a URL, for "most bytes"; `None` if it does not match.
///
/// >>> from goodbot._core import matching_octets
/// >>> matching_octets("/a/*.jpg$", "https://example.com/a/b.jpg")
/// 9
/// >>> matching_octets("/b", "https://example.com/a") is None
/// True
///
/// Source: RFC 9309 section 2.2.2, whose language `tdmrep.json` and RSL use, too.
#[pyfunction]
pub(crate) fn matching_octets(pattern: &str, url: &str) -> Option<usize> {
    core::matching_octets(pattern.as_bytes(), url.as_bytes())
}

/// The vocabulary that an argument names.
pub(crate) enum Vocabulary<'py> {
    Newest,
    Named(Bound<'py, PyAny>),
}

impl Vocabulary<'_> {
    pub(crate) const NEWEST: Self = Vocabulary::Newest;

    /// Returns its labels.
    pub(crate) fn labels(&self) -> PyResult<&'static [&'static str]> {
        let Vocabulary::Named(name) = self else { return Ok(core::VOCABULARIES[0].1) };
        let name = octets::text(name, "vocabulary", core::VOCABULARIES[0].0)?;
        let found = core::VOCABULARIES.iter().find(|(known, _)| *known == name);
        found.map(|(_, labels)| *labels).ok_or_else(|| {
            let names: Vec<_> = core::VOCABULARIES.iter().map(|(name, _)| *name).collect();
            let name = quoted(&name, LONGEST_NAME);
            UnknownVocabularyError::new_err(format!(
                "there is no vocabulary {name:?}; use one of {}",
                names.join(", ")
            ))
        })
    }
}

impl<'py> FromPyObject<'_, 'py> for Vocabulary<'py> {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        Ok(Vocabulary::Named(value.to_owned()))
    }
}
