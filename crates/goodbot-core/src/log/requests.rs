//! Requests as columns: texts behind each other, User-Agents and robots once for each batch.

use std::collections::HashMap;
use std::sync::Arc;

use super::instant::Micros;

/// Texts, one behind the other.
#[derive(Clone, Debug)]
pub struct Texts {
    /// Where each text begins, and where the last one ends.
    pub offsets: Vec<i32>,
    /// The texts.
    pub text: String,
}

impl Default for Texts {
    fn default() -> Texts {
        Texts { offsets: vec![0], text: String::new() }
    }
}

impl Texts {
    fn push(&mut self, text: &str) {
        self.text.push_str(text);
        self.offsets.push(end(&self.text));
    }

    fn append(&mut self, other: &Texts) {
        let begin = end(&self.text);
        self.text.push_str(&other.text);
        self.offsets.extend(other.offsets[1..].iter().map(|offset| begin + offset));
    }
}

/// Where a text ends: batches are given out long before they reach 2 GiB.
fn end(text: &str) -> i32 {
    i32::try_from(text.len()).expect("a batch is below 2 GiB")
}

/// Texts of which each is stored once.
#[derive(Clone, Debug, Default)]
pub struct Repeated {
    /// The texts.
    pub values: Vec<Arc<str>>,
    /// The place of each row's text; `None` if it has none.
    pub keys: Vec<Option<i32>>,
    places: HashMap<Arc<str>, i32>,
    /// The bytes of the texts.
    size: usize,
}

impl Repeated {
    fn place(&mut self, text: &Arc<str>) -> i32 {
        if let Some(place) = self.places.get(text) {
            return *place;
        }
        let place = i32::try_from(self.values.len()).expect("a batch has fewer rows");
        self.size += text.len();
        self.values.push(Arc::clone(text));
        self.places.insert(Arc::clone(text), place);
        place
    }

    fn push(&mut self, text: Option<&Arc<str>>) {
        let key = text.map(|text| self.place(text));
        self.keys.push(key);
    }

    fn append(&mut self, other: &Repeated) {
        let places: Vec<i32> = other.values.iter().map(|text| self.place(text)).collect();
        let place = |key: &Option<i32>| key.map(|key| places[usize::try_from(key).unwrap_or(0)]);
        self.keys.extend(other.keys.iter().map(place));
    }
}

/// A row, before it is stored.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row<'r> {
    pub(super) line: i64,
    pub(super) time: Micros,
    pub(super) address: &'r str,
    pub(super) host: &'r str,
    pub(super) scheme: &'r str,
    pub(super) method: &'r str,
    pub(super) target: &'r str,
    pub(super) status: Option<u16>,
    pub(super) bytes: Option<u64>,
    pub(super) user_agent: &'r Arc<str>,
    pub(super) robot: Option<&'r Arc<str>>,
    pub(super) further: [&'r str; FURTHER],
}

/// How many fields there are that few logs have.
pub(super) const FURTHER: usize = 5;

/// Requests of robots, as columns.
#[derive(Clone, Debug, Default)]
pub struct Requests {
    /// The number of each line in its file, from 1.
    pub lines: Vec<i64>,
    /// When: microseconds since 1970.
    pub times: Vec<Micros>,
    /// Addresses of clients.
    pub addresses: Texts,
    /// Hosts; empty where none is known.
    pub hosts: Texts,
    /// Schemes; empty where none is known.
    pub schemes: Texts,
    /// Methods.
    pub methods: Texts,
    /// Targets with their queries.
    pub targets: Texts,
    /// Statuses.
    pub statuses: Vec<Option<i16>>,
    /// How many bytes were sent.
    pub bytes: Vec<Option<i64>>,
    /// User-Agents.
    pub user_agents: Repeated,
    /// Names of known robots.
    pub robots: Repeated,
    /// Fields that few logs have, empty where there is none: Retry-After of the answers, and what shows
    /// that they are challenges; Signature, Signature-Input and Signature-Agent of the requests.
    pub further: [Texts; FURTHER],
}

impl Requests {
    /// Returns how many requests there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.lines.len()
    }

    /// Returns whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// Returns about how many bytes the texts take.
    #[must_use]
    pub fn size(&self) -> usize {
        let columns = [&self.addresses, &self.hosts, &self.schemes, &self.methods, &self.targets];
        let texts: usize = columns.into_iter().chain(&self.further).map(|one| one.text.len()).sum();
        texts + self.user_agents.size
    }

    pub(super) fn push(&mut self, row: Row<'_>) {
        self.lines.push(row.line);
        self.times.push(row.time);
        self.addresses.push(row.address);
        self.hosts.push(row.host);
        self.schemes.push(row.scheme);
        self.methods.push(row.method);
        self.targets.push(row.target);
        self.statuses.push(row.status.and_then(|status| i16::try_from(status).ok()));
        self.bytes.push(row.bytes.and_then(|bytes| i64::try_from(bytes).ok()));
        self.user_agents.push(Some(row.user_agent));
        self.robots.push(row.robot);
        for (texts, text) in self.further.iter_mut().zip(row.further) {
            texts.push(text);
        }
    }

    /// Adds the requests of lines that follow `before` other ones.
    pub(super) fn append(&mut self, other: &Requests, before: i64) {
        self.lines.extend(other.lines.iter().map(|line| line + before));
        self.times.extend(&other.times);
        self.addresses.append(&other.addresses);
        self.hosts.append(&other.hosts);
        self.schemes.append(&other.schemes);
        self.methods.append(&other.methods);
        self.targets.append(&other.targets);
        self.statuses.extend(&other.statuses);
        self.bytes.extend(&other.bytes);
        self.user_agents.append(&other.user_agents);
        self.robots.append(&other.robots);
        for (texts, more) in self.further.iter_mut().zip(&other.further) {
            texts.append(more);
        }
    }
}
