//! Expressions of Polars that decide by robots.txt.
//!
//! Scope: Polars calls the functions of `expressions` over its stable C interface, without Python. What
//! they decide by was opened before, and is shared by the process (`questions`).

mod columns;
mod deciding;
mod export;
mod expressions;
mod policies;
mod questions;

use pyo3::prelude::*;

#[pymodule]
fn _plugin(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<policies::Policies>()?;
    module.add_function(wrap_pyfunction!(questions::register_policies, module)?)?;
    module.add_function(wrap_pyfunction!(questions::register_rules, module)?)
}
