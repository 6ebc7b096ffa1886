//! Findings on Content-Signal and Content-Usage: what the reader of a value did not read.

use crate::quote::in_quotes;

use super::finding::Code;
use super::usage::{self, Signal, SignalFault, UsageFault};

/// Returns what is wrong with a Content-Signal value. A signal that is not read or not defined is
/// one signal; those beside it stand.
pub(super) fn of_signals(value: &[u8]) -> Vec<(Code, String)> {
    let signals = usage::signals(value);
    let then = if signals.iter().any(Signal::is_stated) {
        "the other signals of the line apply"
    } else {
        "the line has no effect"
    };
    if signals.is_empty() {
        let message = format!("the line has no signal such as ai-train=no; {then}");
        return vec![(Code::MalformedValue, message)];
    }
    signals.iter().filter_map(|signal| of_signal(signal, then)).collect()
}

fn of_signal(signal: &Signal, then: &str) -> Option<(Code, String)> {
    let Signal { name, answer, fault } = signal;
    let whole = if answer.is_empty() { name.clone() } else { format!("{name}={answer}") };
    let shown = in_quotes(whole.as_bytes());
    let (code, message) = match (fault.as_ref()?, usage::meant_signal(name)) {
        (SignalFault::NoAnswer, _) => {
            (Code::MalformedValue, format!("{shown} is not a signal such as ai-train=no; {then}"))
        }
        (SignalFault::UnknownAnswer, _) => {
            let answers = usage::answers_of(name).join(", ");
            let message = format!("{shown} states nothing: {name} is one of {answers}; {then}");
            (Code::MalformedValue, message)
        }
        (SignalFault::UnknownSignal, Some(meant)) => {
            let cure = format!("did you mean {meant}={answer}?");
            (Code::MalformedValue, format!("{shown} is not read as {meant}; {cure}"))
        }
        (SignalFault::UnknownSignal, None) => {
            let message = format!("{shown}: no document defines the signal {name}; {then}");
            (Code::UnknownSignal, message)
        }
    };
    Some((code, message))
}

/// Returns what is wrong with a Content-Usage value.
pub(super) fn of_usage(value: &[u8]) -> Vec<(Code, String)> {
    usage::faults(value).into_iter().map(of_preference).collect()
}

fn of_preference(fault: UsageFault) -> (Code, String) {
    match fault {
        UsageFault::NotADictionary => (
            Code::MalformedValue,
            "the preferences are not a dictionary such as train-ai=n, search=y; they have no effect"
                .to_owned(),
        ),
        UsageFault::UnknownLabel(label) => (
            Code::UnknownUsageLabel,
            format!("{} is not in the newest vocabulary", in_quotes(label.as_bytes())),
        ),
        UsageFault::UnknownValue(label) => (
            Code::MalformedValue,
            format!(
                "{} is neither y nor n, so its preference is unknown",
                in_quotes(label.as_bytes())
            ),
        ),
    }
}
