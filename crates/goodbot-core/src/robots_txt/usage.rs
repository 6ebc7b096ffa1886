//! Usage preferences: Content-Usage, Content-Signal and License, each kept apart.
//!
//! None of them is mapped onto another: `ai-input` of Content Signals is not `ai-use` of the IETF's
//! vocabulary, and neither draft says so. Unknown stays unknown: it is not permission.

use std::cmp::Reverse;
use std::collections::HashSet;

use sfv::{BareItem, Dictionary, ListEntry, Parser};

use crate::field::Field;
use crate::named::named;
use crate::packed::packed;
use crate::target::Scratch;

use super::path_pattern::PathPattern;
use super::value::is_absolute_url;

/// The vocabularies of draft-ietf-aipref-vocab, newest first. Labels of other revisions are unknown
/// labels, which "MUST be ignored". In the newest, `search` overrides the other two for uses that
/// link to the source and do not summarise; what a use is, only the caller can know.
pub const VOCABULARIES: &[(&str, &[&str])] = &[
    ("aipref-08", &["train-ai", "ai-use", "search"]),
    ("aipref-07", &["train-ai", "search"]),
    ("aipref-04", &["bots", "train-ai", "ai-output", "search"]),
    ("aipref-03", &["bots", "train-ai", "train-genai", "search"]),
    ("aipref-02", &["all", "train-ai", "train-genai", "ai-use", "search"]),
    ("aipref-01", &["tdm", "ai", "genai", "search", "inference"]),
];

/// The most different signals that are kept: a hostile file must not make each one costlier than the last.
const MOST_SIGNALS: usize = 64;

/// The possible answers of signals.
pub const SIGNAL_ANSWERS: &[&str] = &["yes", "no", "immediate", "reference", "full"];

/// What stands for the answer of a signal at a path that is none of those that it can have.
const UNREAD: &str = "";

/// The answers of a signal for one use, the more restrictive first.
const YES_OR_NO: &[&str] = &["no", "yes"];

/// The signals that are defined, each with its answers, the most restrictive first: the Content
/// Signals Policy (24 September 2025), and `use`, the level up to which content may be used
/// (Cloudflare, managed robots.txt, "Content use signal", 30 June 2026).
const SIGNALS: &[(&str, &[&str])] = &[
    ("search", YES_OR_NO),
    ("ai-input", YES_OR_NO),
    ("ai-train", YES_OR_NO),
    ("use", &["immediate", "reference", "full"]),
];

named! {
    /// The preference for a use.
    #[derive(Hash)]
    pub enum Preference {
        /// A statement disallows it.
        Disallow = "disallow",
        /// No statement disallows it, and one allows it.
        Allow = "allow",
        /// No statement mentions it.
        Unknown = "unknown",
    }
}

/// What the site states about the use of the content at a URL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Usage {
    /// Each label of the vocabulary with its preference; `None` if the URL must not be fetched:
    /// disallowed content carries no preference (draft-ietf-aipref-attach-05 section 3.1).
    pub content_usage: Option<Vec<(&'static str, Preference)>>,
    /// The numbers of the lines that state the preferences.
    pub content_usage_lines: Vec<u32>,
    /// The signals that are stated, as written: `yes` or `no`, or the level of `use`. An absent one
    /// "neither grants nor restricts".
    pub content_signal: Vec<(String, String)>,
    /// The URIs of the licences.
    pub licenses: Vec<String>,
}

/// One Content-Usage line.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Statement {
    path: PathPattern,
    preferences: Box<str>,
    line: u32,
}

/// One signal of a Content-Signal line with a path.
#[derive(Clone, Debug, PartialEq, Eq)]
struct PathSignal {
    path: PathPattern,
    name: String,
    answer: String,
}

/// The statements that apply to one robot.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Statements {
    usage: Vec<Statement>,
    signals: Vec<(String, String)>,
    path_signals: Vec<PathSignal>,
    licenses: Vec<String>,
}

packed!(Statement { path, preferences, line });
packed!(PathSignal { path, name, answer });
packed!(Statements { usage, signals, path_signals, licenses });

impl Statements {
    pub(crate) fn add(&mut self, field: Field, line: u32, value: &[u8]) {
        match field {
            Field::ContentUsage => self.usage.push(Statement::read(line, value)),
            Field::ContentSignal => self.signal_of_file(value),
            Field::License if is_absolute_url(value) => {
                self.licenses.push(String::from_utf8_lossy(value).into_owned());
            }
            _ => {}
        }
    }

    /// Adds the signals of a line, which may begin with a path (contentsignals.org, "Protect specific
    /// pages").
    fn signal_of_file(&mut self, value: &[u8]) {
        let (path, rest) = split_path(value);
        if path.is_empty() {
            return self.signal(value);
        }
        let path = PathPattern::read(path);
        for signal in signals(rest) {
            let answer = match signal.is_stated() {
                true => signal.answer,
                false if is_known_signal(&signal.name) => UNREAD.to_owned(),
                false => continue,
            };
            self.path_signals.push(PathSignal { path: path.clone(), name: signal.name, answer });
        }
    }

    /// Adds signals. Of two conflicting signals the more restrictive applies: the careful choice,
    /// as the documents say nothing.
    fn signal(&mut self, value: &[u8]) {
        for signal in signals(value).into_iter().filter(Signal::is_stated) {
            self.one_signal(signal.name, signal.answer);
        }
    }

    fn one_signal(&mut self, name: String, answer: String) {
        // Unknown signals never displace known ones.
        let has_room = self.signals.len() < MOST_SIGNALS || is_known_signal(&name);
        let rank = |answer: &str| answers_of(&name).iter().position(|one| *one == answer);
        match self.signals.iter_mut().find(|(known, _)| *known == name) {
            Some((_, known)) if rank(&answer) < rank(known) => *known = answer,
            None if has_room => self.signals.push((name, answer)),
            Some(_) | None => {}
        }
    }

    /// Returns the signals for a URL. Of each signal the longest path that matches decides, which is
    /// goodbot's choice, as the document names no order; of equal ones the more restrictive. An answer
    /// that is not known decides nothing, but leaves no permission of a shorter path.
    fn signals_for(&self, url: &[u8]) -> Vec<(String, String)> {
        if self.path_signals.is_empty() {
            return self.signals.clone();
        }
        let (mut room, mut scratch) = (Vec::new(), Scratch::default());
        let paths = PathPattern::paths(url, &mut room, &mut scratch);
        let mut found: Vec<(usize, &str, &str)> =
            self.signals.iter().map(|(name, answer)| (0, &**name, &**answer)).collect();
        let matching: Vec<_> =
            self.path_signals.iter().filter(|one| one.path.matches(paths)).collect();
        for one in matching.iter().filter(|one| one.answer != UNREAD) {
            let (octets, name, answer) = (one.path.octets, &*one.name, &*one.answer);
            let rank = |answer: &str| answers_of(name).iter().position(|one| *one == answer);
            let has_room = found.len() < MOST_SIGNALS || is_known_signal(name);
            match found.iter_mut().find(|(_, known, _)| *known == name) {
                Some(stated) if octets > stated.0 => *stated = (octets, name, answer),
                Some(stated) if octets == stated.0 && rank(answer) < rank(stated.2) => {
                    stated.2 = answer;
                }
                None if has_room => found.push((octets, name, answer)),
                Some(_) | None => {}
            }
        }
        for one in matching.iter().filter(|one| one.answer == UNREAD) {
            let is_strictest = |answer: &str| answers_of(&one.name).first() == Some(&answer);
            found.retain(|(octets, name, answer)| {
                *name != one.name || *octets >= one.path.octets || is_strictest(answer)
            });
        }
        found.into_iter().map(|(_, name, answer)| (name.to_owned(), answer.to_owned())).collect()
    }

    /// Adds the statements of another reading of the file.
    pub(crate) fn add_all(&mut self, other: Statements) {
        let own: HashSet<u32> = self.usage.iter().map(|statement| statement.line).collect();
        self.usage.extend(other.usage.into_iter().filter(|usage| !own.contains(&usage.line)));
        for (name, answer) in other.signals {
            self.one_signal(name, answer);
        }
        self.path_signals.extend(other.path_signals);
        let own: HashSet<String> = self.licenses.iter().cloned().collect();
        self.licenses.extend(other.licenses.into_iter().filter(|license| !own.contains(license)));
    }

    /// Fills in what the file states before every group, where the group says nothing: signals that
    /// no document defines say nothing.
    pub(crate) fn fall_back_on(&mut self, of_file: Statements) {
        let named = self.signals.iter().map(|(name, _)| name);
        let of_paths = self.path_signals.iter().filter(|one| one.answer != UNREAD);
        let named = named.chain(of_paths.map(|one| &one.name));
        if !named.into_iter().any(|name| is_known_signal(name)) {
            let own = std::mem::replace(&mut self.signals, of_file.signals);
            for (name, answer) in own {
                self.one_signal(name, answer);
            }
            self.path_signals.extend(of_file.path_signals);
        }
        if self.licenses.is_empty() {
            self.licenses = of_file.licenses;
        }
    }

    /// Returns what is stated about the use of a URL.
    #[must_use]
    pub fn usage(&self, url: &[u8], fetchable: bool, labels: &'static [&'static str]) -> Usage {
        let (applying, doubtful) =
            if fetchable { self.applying(url, labels) } else { Default::default() };
        let allowed = if doubtful { Preference::Unknown } else { Preference::Allow };
        Usage {
            content_usage: fetchable.then(|| combine(&applying, labels, allowed)),
            content_usage_lines: applying.iter().map(|statement| statement.line).collect(),
            content_signal: self.signals_for(url),
            licenses: self.licenses.clone(),
        }
    }

    /// Returns the statements with the longest matching path; equal lengths apply together, so that
    /// the order of lines carries no meaning (draft-ietf-aipref-attach-05 section 3.1). And whether
    /// they only disallow, because a longer one states something else.
    ///
    /// A line that states no preference that the vocabulary knows cannot be read, or its labels and
    /// values "MUST be ignored" (draft-ietf-aipref-vocab-08 section 6.4). However long its path is, it
    /// hides nothing that another one disallows; but what it meant may have been to disallow.
    fn applying(&self, url: &[u8], labels: &[&str]) -> (Vec<&Statement>, bool) {
        let (mut room, mut scratch) = (Vec::new(), Scratch::default());
        let paths = PathPattern::paths(url, &mut room, &mut scratch);
        let mut matching: Vec<&Statement> =
            self.usage.iter().filter(|statement| statement.path.matches(paths)).collect();
        matching.sort_by_key(|statement| Reverse(statement.path.octets));
        let longest = matching.iter().find(|statement| statement.states_any(labels));
        let Some(octets) = longest.map(|statement| statement.path.octets) else {
            return (Vec::new(), false);
        };
        let doubtful = matching.first().is_some_and(|one| one.path.octets > octets);
        let states = |one: &Statement| {
            if doubtful { one.disallows_any(labels) } else { one.states_any(labels) }
        };
        matching.retain(|one| one.path.octets == octets && states(one));
        (matching, doubtful)
    }
}

impl Statement {
    /// Parses `Content-Usage: [path] preferences`: a path begins with a slash and ends at white space.
    fn read(line: u32, value: &[u8]) -> Statement {
        let (path, preferences) = split_path(value);
        let preferences = String::from_utf8_lossy(preferences).into();
        Statement { path: PathPattern::read(path), preferences, line }
    }

    /// Whether it allows or disallows a use of the vocabulary.
    fn states_any(&self, labels: &[&str]) -> bool {
        self.states(labels, |preference| preference != Preference::Unknown)
    }

    /// Whether it disallows a use of the vocabulary.
    fn disallows_any(&self, labels: &[&str]) -> bool {
        self.states(labels, |preference| preference == Preference::Disallow)
    }

    fn states(&self, labels: &[&str], wanted: impl Fn(Preference) -> bool) -> bool {
        preferences(&self.preferences).is_some_and(|stated| {
            stated
                .iter()
                .any(|(key, preference)| wanted(*preference) && labels.contains(&key.as_str()))
        })
    }
}

pub(crate) fn split_path(value: &[u8]) -> (&[u8], &[u8]) {
    if value.first() != Some(&b'/') {
        return (b"", value);
    }
    let end = value.iter().position(|octet| matches!(octet, b' ' | b'\t')).unwrap_or(value.len());
    (&value[..end], value[end..].trim_ascii())
}

/// Returns the preferences of a Content-Usage value; `None` if it is not a dictionary, which makes
/// all of them unknown.
fn preferences(text: &str) -> Option<Vec<(String, Preference)>> {
    let dictionary: Dictionary = Parser::new(text).parse().ok()?;
    let one = |entry: &ListEntry| match entry {
        // "The value must be the Token y or n; otherwise unknown."
        ListEntry::Item(item) => match &item.bare_item {
            BareItem::Token(token) if token.as_str() == "y" => Preference::Allow,
            BareItem::Token(token) if token.as_str() == "n" => Preference::Disallow,
            _ => Preference::Unknown,
        },
        ListEntry::InnerList(_) => Preference::Unknown,
    };
    Some(dictionary.iter().map(|(key, entry)| (key.to_string(), one(entry))).collect())
}

/// Combines preferences: any disallow wins, then any allow, which counts as `allowed`, otherwise
/// unknown (draft-ietf-aipref-vocab section 5.1).
fn combine(
    statements: &[&Statement],
    labels: &'static [&'static str],
    allowed: Preference,
) -> Vec<(&'static str, Preference)> {
    let stated: Vec<_> = statements
        .iter()
        .filter_map(|statement| preferences(&statement.preferences))
        .flatten()
        .collect();
    let of = |label: &str| {
        let has = |wanted: Preference| {
            stated.iter().any(|(key, preference)| key == label && *preference == wanted)
        };
        match (has(Preference::Disallow), has(Preference::Allow)) {
            (true, _) => Preference::Disallow,
            (false, true) => allowed,
            (false, false) => Preference::Unknown,
        }
    };
    labels.iter().map(|label| (*label, of(label))).collect()
}

/// Returns the preferences of the `Content-Usage` fields of an HTTP message. Field lines are combined
/// before they are parsed (RFC 9651 section 4.2), so that of two values for one key the last applies.
#[must_use]
pub fn content_usage_of_fields(
    fields: &[String],
    labels: &'static [&'static str],
) -> Vec<(&'static str, Preference)> {
    let statement = Statement::read(0, b"");
    let whole = Statement { preferences: fields.join(", ").into(), ..statement };
    combine(&[&whole], labels, Preference::Allow)
}

/// Returns the signals of the `Content-Signal` fields of an HTTP message.
#[must_use]
pub fn content_signal_of_fields(fields: &[String]) -> Vec<(String, String)> {
    let mut statements = Statements::default();
    for value in fields {
        statements.signal(value.as_bytes());
    }
    statements.signals
}

/// One part of a Content-Signal value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Signal {
    /// Its name, in lower case; the whole part if it has no equals sign.
    pub(crate) name: String,
    /// Its answer, in lower case.
    pub(crate) answer: String,
    /// What is wrong with it.
    pub(crate) fault: Option<SignalFault>,
}

/// What is wrong with one signal. The others of its line stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SignalFault {
    /// It is not `name=answer`.
    NoAnswer,
    /// The answer is none of those of the signal.
    UnknownAnswer,
    /// No document defines the signal.
    UnknownSignal,
}

impl Signal {
    fn read(part: &str) -> Signal {
        let (name, answer) = part.split_once('=').unwrap_or((part, ""));
        let (name, answer) = (name.trim(), answer.trim());
        let is_name = !name.is_empty() && !name.contains([' ', '\t', '/']);
        let fault = if !is_name || answer.is_empty() {
            Some(SignalFault::NoAnswer)
        } else if !is_known_signal(name) {
            Some(SignalFault::UnknownSignal)
        } else if !answers_of(name).contains(&answer) {
            Some(SignalFault::UnknownAnswer)
        } else {
            None
        };
        Signal { name: name.to_owned(), answer: answer.to_owned(), fault }
    }

    /// Whether it states something: a signal that no document defines does so too with `yes` or
    /// `no`, whatever it means.
    pub(crate) fn is_stated(&self) -> bool {
        match self.fault {
            None => true,
            Some(SignalFault::UnknownSignal) => YES_OR_NO.contains(&self.answer.as_str()),
            Some(SignalFault::NoAnswer | SignalFault::UnknownAnswer) => false,
        }
    }
}

/// Whether a document defines a signal.
fn is_known_signal(name: &str) -> bool {
    SIGNALS.iter().any(|(known, _)| *known == name)
}

/// The answers that a signal can have, the most restrictive first.
pub(crate) fn answers_of(name: &str) -> &'static [&'static str] {
    SIGNALS.iter().find(|(known, _)| *known == name).map_or(YES_OR_NO, |(_, answers)| answers)
}

/// Returns the signal that a name is a spelling of, such as `ai-train` for `ai_train`.
pub(crate) fn meant_signal(name: &str) -> Option<&'static str> {
    let letters =
        |text: &str| -> String { text.chars().filter(char::is_ascii_alphabetic).collect() };
    SIGNALS.iter().map(|(known, _)| *known).find(|known| letters(known) == letters(name))
}

/// Returns the parts of a Content-Signal value, which what is stated and the findings both come
/// from. A path before them was cut off: only lines of robots.txt have one.
pub(crate) fn signals(value: &[u8]) -> Vec<Signal> {
    let text = String::from_utf8_lossy(value).to_ascii_lowercase();
    text.split(',').map(str::trim).filter(|part| !part.is_empty()).map(Signal::read).collect()
}

/// What is wrong with a Content-Usage value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum UsageFault {
    /// It is not an RFC 9651 dictionary.
    NotADictionary,
    /// A label is not in the newest vocabulary.
    UnknownLabel(String),
    /// A value is neither y nor n.
    UnknownValue(String),
}

pub(crate) fn faults(value: &[u8]) -> Vec<UsageFault> {
    let (_, text) = split_path(value);
    let text = String::from_utf8_lossy(text);
    let Some(stated) = preferences(&text).filter(|stated| !stated.is_empty()) else {
        return vec![UsageFault::NotADictionary];
    };
    // Labels of older revisions mean nothing to a current parser.
    let known = |key: &str| VOCABULARIES[0].1.contains(&key);
    let fault = |(key, preference): (String, Preference)| match preference {
        _ if !known(&key) => Some(UsageFault::UnknownLabel(key)),
        Preference::Unknown => Some(UsageFault::UnknownValue(key)),
        _ => None,
    };
    stated.into_iter().filter_map(fault).collect()
}
