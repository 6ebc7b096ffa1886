//! The names, orders and limits that Rust and Python share: defined in the core, read in Python.

use goodbot_core::address::{Fault, LONGEST_URL};
use goodbot_core::field::{FIELDS, Field, Scope};
use goodbot_core::html::{Limits, Met};
use goodbot_core::knowledge::KNOWN_AS_OF;
use goodbot_core::log::{LONGEST_AGENT, MOST_AGENTS, MOST_LINE_BYTES, Slot};
use goodbot_core::page::{Act, Declared, LinkKind, ResourceKind, Unresolved};
use goodbot_core::quote::MOST_QUOTED;
use goodbot_core::robots_txt::{CODES, HOWS, LineKind, Preference, SIGNAL_ANSWERS, Severity};
use goodbot_core::sitemap::{Form, Kind, Limit};
use goodbot_core::user_agent::LONGEST_USER_AGENT;
use goodbot_core::verdict::REASONS;
use goodbot_core::xml::LONGEST_ENTITY;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::page_parts::VOTES;

/// Adds the constants to the module.
pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    module.add("CODES", codes(py)?)?;
    module.add("KNOWN_AS_OF", KNOWN_AS_OF)?;
    module.add("LONGEST_ENTITY", LONGEST_ENTITY)?;
    module.add("LONGEST_URL", LONGEST_URL)?;
    module.add("LONGEST_USER_AGENT", LONGEST_USER_AGENT)?;
    module.add("MOST_QUOTED", MOST_QUOTED)?;
    let Limits { depth, nodes, attributes } = Limits::default();
    let limits = PyDict::new(py);
    for (name, most) in Met::LIMITS.iter().zip([depth, nodes, attributes]) {
        limits.set_item(name, most)?;
    }
    module.add("PAGE_LIMITS", limits)?;
    let limits = PyDict::new(py);
    limits.set_item("line_bytes", MOST_LINE_BYTES)?;
    limits.set_item("user_agents", MOST_AGENTS)?;
    limits.set_item("user_agent_bytes", LONGEST_AGENT)?;
    module.add("LOG_LIMITS", limits)?;
    module.add("PART_ACTS", PyTuple::new(py, Act::ALL.iter().map(|act| act.slug()))?)
}

/// Return the names of each enumeration of the core, in its order. A test compares the type stubs with them.
fn codes(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let rules = [Field::Allow, Field::Disallow];
    let rows: [(&str, Vec<&str>); 22] = [
        ("declared", Declared::ALL.iter().map(|one| one.slug()).collect()),
        ("field", FIELDS.iter().map(|row| row.name).collect()),
        ("finding", CODES.iter().map(|row| row.1).collect()),
        ("limit", Met::LIMITS.to_vec()),
        ("line_kind", LineKind::ALL.iter().map(|one| one.slug()).collect()),
        ("link_kind", LinkKind::ALL.iter().map(|one| one.slug()).collect()),
        ("log_field", Slot::ALL.iter().map(|one| one.slug()).collect()),
        ("part_act", Act::ALL.iter().map(|one| one.slug()).collect()),
        ("preference", Preference::ALL.iter().map(|one| one.slug()).collect()),
        ("reason", REASONS.iter().map(|row| row.1).collect()),
        ("resource_kind", ResourceKind::ALL.iter().map(|one| one.slug()).collect()),
        ("rule_field", rules.iter().map(|field| field.row().name).collect()),
        ("scope", Scope::ALL.iter().map(|one| one.slug()).collect()),
        ("selection_way", HOWS.iter().map(|row| row.1).collect()),
        ("severity", Severity::ALL.iter().map(|one| one.slug()).collect()),
        ("signal", SIGNAL_ANSWERS.to_vec()),
        ("sitemap_entry", Kind::ALL.iter().map(|one| one.slug()).collect()),
        ("sitemap_form", Form::ALL.iter().map(|one| one.slug()).collect()),
        ("sitemap_limit", Limit::ALL.iter().map(|one| one.slug()).collect()),
        ("unresolved", Unresolved::ALL.iter().map(|one| one.slug()).collect()),
        ("url_fault", Fault::ALL.iter().map(|one| one.slug()).collect()),
        ("vote", VOTES.to_vec()),
    ];
    let codes = PyDict::new(py);
    for (name, values) in rows {
        codes.set_item(name, PyTuple::new(py, values)?)?;
    }
    Ok(codes)
}
