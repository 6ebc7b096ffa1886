//! The answers to a question about columns, as columns.

use std::sync::Arc;
use std::thread;

use arrow_array::builder::StringViewBuilder;
use arrow_array::{
    ArrayRef, BooleanArray, DurationMicrosecondArray, Int64Array, StructArray, UInt32Array,
};
use arrow_buffer::{BooleanBuffer, NullBuffer};
use arrow_schema::{DataType, Field, Fields, TimeUnit};
use goodbot_core::Rules;
use goodbot_core::columns::{
    self, Answers, Explained, NO_POLICY, NULL, OF_POLICY, OfStanding, Options, Part, Policies,
    Wanted, decide_at, decide_many, decide_many_as_sent, slugs,
};
use goodbot_core::robots_txt::Decision;

use crate::columns::{Times, Urls, parts};
use crate::export::Series;
use crate::policies::Table;
use crate::questions::Question;

/// How many rows are worth a thread of our own; Polars divides long columns itself when it streams.
const ROWS_OF_A_THREAD: usize = 1 << 17;

/// Returns the columns of an answer with its reasons.
pub fn fields() -> Fields {
    Fields::from(vec![
        Field::new("allowed", DataType::Boolean, true),
        Field::new("reason", DataType::Utf8View, true),
        Field::new("line", DataType::UInt32, true),
        Field::new("policy", DataType::Int64, true),
        Field::new("age", DataType::Duration(TimeUnit::Microsecond), true),
    ])
}

/// Answers a question about the columns that an expression has.
pub fn answer(question: &Question, inputs: &[Series], explain: bool) -> Result<ArrayRef, String> {
    let (urls, times) = match inputs {
        [urls] => (urls, None),
        [urls, times] => (urls, Some(times)),
        _ => return Err("an expression needs one or two columns".to_owned()),
    };
    let parts = parts(urls, times)?;
    let rows: usize = parts.iter().map(|(urls, _)| columns::Urls::length(urls)).sum();
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let threads = (rows / ROWS_OF_A_THREAD).clamp(1, cores);
    match question {
        Question::Rules(rules, as_sent) => Ok(if explain {
            by_rules(&decided(rules, *as_sent, &parts, threads, None, Some))
        } else {
            let allowed = |decision: Decision| u8::from(decision.allowed);
            Arc::new(booleans(&decided(rules, *as_sent, &parts, threads, NULL, allowed)))
        }),
        Question::Policies(history, robots) => {
            let standing = explain.then_some(OfStanding::Age);
            let wanted = Wanted { reasons: explain, standing, ..Wanted::default() };
            let options = Options { wanted, threads };
            let answers = decide_at::<Table, Urls, Times>(history, robots, &parts[..], options);
            Ok(if explain {
                by_policies(history.policies(), &answers)
            } else {
                Arc::new(booleans(&answers.allowed[0]))
            })
        }
    }
}

/// Returns what the rules of one file decide on the URLs of all parts.
fn decided<T: Copy + Send + Sync>(
    rules: &Rules,
    as_sent: bool,
    parts: &[Part<Urls, Times>],
    threads: usize,
    null: T,
    answer: impl Fn(Decision) -> T + Sync,
) -> Vec<T> {
    let decide = |(urls, _): &Part<Urls, Times>| {
        if as_sent {
            decide_many_as_sent(rules, urls, threads, null, &answer)
        } else {
            decide_many(rules, urls, threads, null, &answer)
        }
    };
    parts.iter().flat_map(decide).collect()
}

fn booleans(answers: &[u8]) -> BooleanArray {
    let values = BooleanBuffer::collect_bool(answers.len(), |row| answers[row] == 1);
    let valid = BooleanBuffer::collect_bool(answers.len(), |row| answers[row] != NULL);
    BooleanArray::new(values, Some(NullBuffer::new(valid)).filter(|nulls| nulls.null_count() > 0))
}

fn texts<'a>(texts: impl Iterator<Item = Option<&'a str>>) -> ArrayRef {
    let mut builder = StringViewBuilder::new().with_deduplicate_strings();
    texts.for_each(|text| builder.append_option(text));
    Arc::new(builder.finish())
}

fn table(columns: Vec<ArrayRef>) -> ArrayRef {
    Arc::new(StructArray::new(fields(), columns, None))
}

fn by_rules(answers: &[Option<Decision>]) -> ArrayRef {
    let allowed: Vec<u8> = answers
        .iter()
        .map(|answer| answer.map_or(NULL, |answer| u8::from(answer.allowed)))
        .collect();
    let slug = |answer: &Option<Decision>| answer.map(|answer| answer.reason.slug());
    let line =
        |answer: &Option<Decision>| answer.map(|answer| answer.line).filter(|line| *line > 0);
    table(vec![
        Arc::new(booleans(&allowed)),
        texts(answers.iter().map(slug)),
        Arc::new(answers.iter().map(line).collect::<UInt32Array>()),
        Arc::new(Int64Array::new_null(answers.len())),
        Arc::new(DurationMicrosecondArray::new_null(answers.len())),
    ])
}

fn by_policies(policies: &Table, answers: &Answers) -> ArrayRef {
    let Explained { reason, line, policy } = &answers.reasons[0];
    let slugs: Vec<&str> = slugs().collect();
    let slug = |row: usize| match reason[row] {
        OF_POLICY => std::str::from_utf8(policies.reason(policy[row])).ok(),
        code => slugs.get(usize::from(code)).copied(),
    };
    let rows = 0..reason.len();
    let number = |row: &usize| i64::try_from(*row).ok().filter(|_| *row != NO_POLICY);
    table(vec![
        Arc::new(booleans(&answers.allowed[0])),
        texts(rows.map(slug)),
        Arc::new(
            line.iter().map(|line| Some(*line).filter(|line| *line > 0)).collect::<UInt32Array>(),
        ),
        Arc::new(policy.iter().map(number).collect::<Int64Array>()),
        Arc::new(answers.age.iter().copied().collect::<DurationMicrosecondArray>()),
    ])
}

/// Reads each byte of the texts, and returns whether there is an even number of bits: the least that an
/// expression over texts does.
#[cfg(feature = "trivial")]
pub fn only_read(inputs: &[Series]) -> Result<ArrayRef, String> {
    let mut answers = Vec::new();
    for (urls, _) in &parts(&inputs[0], None)? {
        let url = |row| columns::Urls::url(urls, row);
        let is_even =
            |url: &[u8]| url.iter().fold(0, |bits, byte| bits ^ byte).count_ones() % 2 == 0;
        let rows = 0..columns::Urls::length(urls);
        answers.extend(rows.map(|row| url(row).map_or(NULL, |url| u8::from(is_even(url)))));
    }
    Ok(Arc::new(booleans(&answers)))
}
