//! Names in User-Agents, for Python.

use std::sync::Arc;

use goodbot_core::user_agent as core;
use pyo3::prelude::*;

use crate::errors::WrongValueError;
use crate::octets;

/// Find which of many names a User-Agent contains (`goodbot.bots.of_user_agent`).
///
/// It is built once from a list of names, and answers with positions in that list.
#[pyclass(frozen, module = "goodbot._core")]
pub(crate) struct UserAgentNames {
    pub(crate) names: Arc<core::UserAgentNames>,
}

#[pymethods]
impl UserAgentNames {
    #[new]
    fn new(names: Vec<String>) -> PyResult<UserAgentNames> {
        let names = core::UserAgentNames::new(&names).map_err(WrongValueError::new_err)?;
        Ok(UserAgentNames { names: Arc::new(names) })
    }

    /// Return the position of the longest name in a User-Agent; `None` if it contains none.
    fn longest(&self, user_agent: &Bound<'_, PyAny>) -> PyResult<Option<usize>> {
        octets::with(user_agent, "user_agent", |text| self.names.longest(text))
    }
}
