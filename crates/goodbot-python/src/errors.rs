//! Errors of the core as the exceptions of `goodbot.errors`.

use goodbot_core::address::UrlError;
use goodbot_core::dialect::ChoiceError;
use goodbot_core::robots_txt::NameError;
use pyo3::{PyErr, import_exception};

import_exception!(goodbot.errors, DialectChoiceError);
import_exception!(goodbot.errors, LooksLikeAddressWarning);
import_exception!(goodbot.errors, NoOriginError);
import_exception!(goodbot.errors, OtherOriginError);
import_exception!(goodbot.errors, RobotNameError);
import_exception!(goodbot.errors, UnknownDialectError);
import_exception!(goodbot.errors, UnknownVocabularyError);
import_exception!(goodbot.errors, WrongTypeError);
import_exception!(goodbot.errors, WrongValueError);

/// Converts the error for a robot's name that cannot be used.
pub(crate) fn of_name(error: &NameError) -> PyErr {
    RobotNameError::new_err(error.to_string())
}

/// Converts the error for a URL without an origin, or one that robots.txt does not cover.
pub(crate) fn of_url(error: &UrlError) -> PyErr {
    NoOriginError::new_err(error.to_string())
}

/// Converts the error for a choice that a dialect does not have.
pub(crate) fn of_choice(error: &ChoiceError) -> PyErr {
    DialectChoiceError::new_err(error.to_string())
}
