//! What expressions decide by: opened once, and shared by the process.
//!
//! An expression carries only a text, its question. Where a process does not know it, as after a plan
//! was sent there, `goodbot.tables.polars` opens it again, once.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

use goodbot_core::columns::{Family, History, Robot, Robots};
use goodbot_core::{Dialect, Rules, dialects};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::policies::{Policies, Table};

/// What an expression decides by.
pub enum Question {
    /// The rules of one file, and whether URLs are judged as they are sent, too.
    Rules(Box<Rules>, bool),
    /// The policies that held at a time, for one robot.
    Policies(Arc<History<Table>>, Arc<Robots>),
}

static KNOWN: RwLock<Option<HashMap<String, Arc<Question>>>> = RwLock::new(None);

fn known(question: &str) -> Option<Arc<Question>> {
    let known = KNOWN.read().unwrap_or_else(PoisonError::into_inner);
    known.as_ref()?.get(question).cloned()
}

fn register(question: String, opened: Question) {
    let mut known = KNOWN.write().unwrap_or_else(PoisonError::into_inner);
    known.get_or_insert_default().insert(question, Arc::new(opened));
}

/// Returns what a question decides by, and opens it if this process has not yet.
pub fn opened(question: &str) -> Result<Arc<Question>, String> {
    if let Some(found) = known(question) {
        return Ok(found);
    }
    Python::attach(|py| -> PyResult<()> {
        let adapter = py.import("goodbot.tables.polars")?;
        adapter.call_method1("reopen", (question,)).map(drop)
    })
    .map_err(|error| error.to_string())?;
    known(question).ok_or_else(|| "the policies of this expression could not be opened".to_owned())
}

/// The choices of a dialect: name and value.
type Choices = Vec<(String, String)>;
/// The tokens of a family, and the name that it falls back to.
type Names = (Vec<String>, Option<String>);

fn dialect(choices: &Choices) -> PyResult<Arc<Dialect>> {
    let wrong = || PyValueError::new_err("this dialect was made by another version of goodbot");
    if let [(_, name)] = &choices[..] {
        return dialects::named(name).ok_or_else(wrong);
    }
    let mut dialect = Dialect::clone(&*dialects::named("rfc9309").ok_or_else(wrong)?);
    for (name, value) in choices {
        dialect = dialect.with(name, value).map_err(|_| wrong())?;
    }
    Ok(Arc::new(dialect))
}

/// Register a question about a robot and a table of policies.
#[pyfunction]
#[allow(clippy::needless_pass_by_value)] // PyO3 makes the list for this call
pub fn register_policies(
    question: String,
    policies: &Bound<'_, Policies>,
    name: String,
    choices: Choices,
    family: Option<Names>,
) -> PyResult<()> {
    let family = family.map(|(tokens, default)| Family { tokens, default });
    let robot = Robot { name, dialect: dialect(&choices)?, family };
    let history = Arc::clone(&policies.get().history);
    let robots = history.robots(vec![robot]);
    let robots = robots.map_err(|error| PyValueError::new_err(error.to_string()))?;
    register(question, Question::Policies(history, robots));
    Ok(())
}

/// Register a question about the rules of one file, which are given as their pickle has them; `as_sent`
/// is whether URLs are judged as they are sent and as they are written, or as they are written alone.
#[pyfunction]
#[pyo3(signature = (question, rules, choices, as_sent = false))]
#[allow(clippy::needless_pass_by_value)] // the same
pub fn register_rules(
    question: String,
    rules: &[u8],
    choices: Choices,
    as_sent: bool,
) -> PyResult<()> {
    let rules = Rules::from_bytes(rules, &dialect(&choices)?);
    let wrong = || PyValueError::new_err("these rules were made by another version of goodbot");
    register(question, Question::Rules(Box::new(rules.ok_or_else(wrong)?), as_sent));
    Ok(())
}
