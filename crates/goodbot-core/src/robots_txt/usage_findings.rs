//! Findings on Content-Signal and Content-Usage: what the reader of a value did not read.

use crate::knowledge::not_known;
use crate::quote::in_quotes;

use super::finding::{Code, Finding};
use super::usage::{self, Signal, SignalFault, UsageFault, VOCABULARIES};

/// Returns what is wrong with a field of an HTTP message that states uses; empty of other fields.
#[must_use]
pub fn findings_of_field(name: &str, value: &[u8]) -> Vec<Finding> {
    let found = match name.to_ascii_lowercase().as_str() {
        "content-signal" => of_signals(value),
        "content-usage" => of_usage(value),
        _ => Vec::new(),
    };
    found.into_iter().map(|(code, message)| Finding { code, line: 0, column: 0, message }).collect()
}

/// Returns what is wrong with a Content-Signal value. A signal that is not read or not defined is
/// one signal; those beside it stand.
pub(super) fn of_signals(value: &[u8]) -> Vec<(Code, String)> {
    let signals = usage::signals(usage::split_path(value).1);
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
            let unknown = not_known(format_args!("{shown} states nothing: as an answer it"));
            let message = format!("{unknown}, and {name} is one of {answers}; {then}");
            (Code::MalformedValue, message)
        }
        (SignalFault::UnknownSignal, Some(meant)) => {
            let cure = format!("did you mean {meant}={answer}?");
            (Code::MalformedValue, format!("{shown} is not read as {meant}; {cure}"))
        }
        (SignalFault::UnknownSignal, None) => {
            let unknown = not_known(format_args!("the signal {name}"));
            (Code::UnknownSignal, format!("{shown}: {unknown}; {then}"))
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
        UsageFault::UnknownLabel(label) => (Code::UnknownUsageLabel, of_label(&label)),
        UsageFault::UnknownValue(label) => (
            Code::MalformedValue,
            format!(
                "{} is neither y nor n, so its preference is unknown",
                in_quotes(label.as_bytes())
            ),
        ),
    }
}

/// Returns why a label has no effect: it is one of an older vocabulary, or of none that is known.
fn of_label(label: &str) -> String {
    let shown = in_quotes(label.as_bytes());
    let older = VOCABULARIES.iter().find(|(_, labels)| labels.contains(&label));
    match older {
        Some((name, _)) => {
            let newest = VOCABULARIES[0].0;
            format!(
                "{shown} is a label of {name} and not of {newest}, the newest vocabulary; it has no effect"
            )
        }
        None => format!("the label {}; it has no effect", not_known(shown)),
    }
}
