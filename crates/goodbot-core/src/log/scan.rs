//! Blocks of a log, read by several threads: requests of robots in the order of their lines, and sums
//! over everything else.
//!
//! A block is split at line ends, into several parts for each thread, which take them one by one. What a
//! thread remembers — the format, the User-Agents and their sums — is its own, so that the threads share
//! nothing else.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use memchr::{memchr, memmem, memrchr};

use super::agent_table::{AgentTable, Found, Sender};
use super::client_address::without_port;
use super::days::{Day, Days};
use super::entry::{Entry, Reading, Refused, Slot};
use super::format::Format;
use super::format::relayed;
use super::lines::{Line, Lines};
use super::requests::{FURTHER, Requests, Row};
use super::site_map::{Asked, Site, asked, lossy};
use super::tally::Tally;
use super::text::Text;
use crate::threads::in_threads;
use crate::user_agent::UserAgentNames;

/// How many lines that could not be read are kept to be shown, and how many bytes of each.
pub const MOST_SHOWN: usize = 5;
/// How many bytes of such a line are kept.
pub const MOST_SHOWN_BYTES: usize = 200;
/// The fields that few logs have.
const FURTHER_SLOTS: [Slot; FURTHER] = [
    Slot::RetryAfter,
    Slot::Challenge,
    Slot::Signature,
    Slot::SignatureInput,
    Slot::SignatureAgent,
];
/// The most bytes of such a field.
const LONGEST_FURTHER: usize = 8 * 1024;
/// The most bytes of a target. Servers accept 8 KiB for the whole request line by default, but for some.
pub const LONGEST_TARGET: usize = 8 * 1024;
/// How many bytes of a longer target are given out, behind an ellipsis, with which no target begins.
const CUT_TARGET: usize = 256;
/// The most bytes of a method, a host, a scheme and an address.
const LONGEST_WORD: usize = 512;
/// The fewest bytes of a block that are worth a thread of their own.
const WORTH_A_THREAD: usize = 128 * 1024;
/// Into how many parts a block is split for each thread: one that is held up reads fewer of them, and at
/// the end of a block no thread waits longer than for a part.
const PARTS_OF_A_THREAD: usize = 16;

/// What is asked of a log.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    /// Whether requests are given out, or only summed.
    pub rows: bool,
    /// Whether requests of unknown robots are given out, too.
    pub unknown: bool,
    /// Whether requests for robots.txt are given out under any User-Agent, also that of a person.
    pub robots_txt: bool,
    /// How many proxies in front of the server can be trusted to report addresses: the address is the
    /// one that the first of them saw. Without proxies, it is the address that connected.
    pub proxies: usize,
    /// The sites; a log without hosts is about the first one.
    pub sites: Vec<Site>,
    /// The ports at which the server listens behind a proxy: what came to them was asked of the sites.
    pub ports: Vec<String>,
    /// The name of the robot for each name in User-Agents.
    pub robots: Vec<Arc<str>>,
}

/// A line that could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unread {
    /// Its number in its file.
    pub line: i64,
    /// Why.
    pub refused: Refused,
    /// How it begins.
    pub begin: Vec<u8>,
}

/// What was counted.
#[derive(Clone, Debug, Default)]
pub struct Counts {
    /// The lines that could not be read, in the order of `Refused::ALL`.
    pub refused: [u64; Refused::ALL.len()],
    /// The first of them.
    pub shown: Vec<Unread>,
    /// The lines that state no request: directives, and empty lines.
    pub silent: u64,
    /// The requests that were given out with addresses that proxies report.
    pub forwarded: u64,
    /// The requests whose times state no zone.
    pub zoneless: u64,
    /// The requests that were given out without an address.
    pub addressless: u64,
    /// The lines that were too long to be read, by the robot that their beginnings name.
    pub too_long: HashMap<usize, u64>,
    /// How lines were read, in the order of `Reading::ALL`.
    pub readings: [u64; Reading::ALL.len()],
}

/// What one thread remembers.
#[derive(Debug)]
struct Worker {
    format: Option<Format>,
    agents: AgentTable,
    counts: Counts,
    requests: Requests,
    days: Days,
    lines: i64,
}

/// What was read of some lines.
struct PartRead {
    requests: Requests,
    shown: Vec<Unread>,
    lines: i64,
}

impl Worker {
    /// Returns what was read since this was called last.
    fn take(&mut self) -> PartRead {
        PartRead {
            requests: std::mem::take(&mut self.requests),
            shown: std::mem::take(&mut self.counts.shown),
            lines: std::mem::take(&mut self.lines),
        }
    }

    fn line(&mut self, line: &Line<'_>, wanted: &Wanted) {
        self.lines += 1;
        let line = match line {
            Line::Whole(line) => line,
            Line::TooLong(begin) => {
                if let Sender::Robot(place) = self.agents.sender_in(begin) {
                    *self.counts.too_long.entry(place).or_default() += 1;
                }
                return self.refuse(Refused::Length, begin);
            }
        };
        let Some(format) = &mut self.format else { return self.refuse(Refused::Form, line) };
        match format.read(line) {
            Ok(Some(entry)) => self.entry(&entry, wanted),
            other => {
                let refused = other.err();
                if !self.line_within(line, wanted) {
                    match refused {
                        None => self.counts.silent += 1,
                        Some(refused) => self.refuse(refused, line),
                    }
                }
            }
        }
    }

    /// Reads the line that a line of JSON has as a text. Returns whether there is one.
    fn line_within(&mut self, line: &[u8], wanted: &Wanted) -> bool {
        let Some(inner) = relayed::within(line) else { return false };
        let Some(format) = &mut self.format else { return false };
        let Ok(Some(entry)) = format.read(&inner) else { return false };
        self.entry(&entry, wanted);
        true
    }

    #[cold]
    fn refuse(&mut self, refused: Refused, line: &[u8]) {
        self.counts.refused[refused as usize] += 1;
        if self.counts.shown.len() < MOST_SHOWN {
            let begin = line[..line.len().min(MOST_SHOWN_BYTES)].to_vec();
            self.counts.shown.push(Unread { line: self.lines, refused, begin });
        }
    }

    #[inline]
    fn entry(&mut self, entry: &Entry<'_>, wanted: &Wanted) {
        let found = self.agents.find(entry.user_agent());
        let path = entry.target().written;
        let path = &path[..memchr(b'?', path).unwrap_or(path.len())];
        let is_policy = path == b"/robots.txt";
        let (text, sender, tally) = match &found {
            Found::Known(place) => {
                let agent = &mut self.agents.agents[*place];
                (&agent.text, agent.sender, &mut agent.tally)
            }
            Found::Other(text, sender) => {
                (text, *sender, self.agents.others.entry(*sender).or_default())
            }
        };
        for (sum, is_so) in self.counts.readings.iter_mut().zip(entry.readings()) {
            *sum += u64::from(is_so);
        }
        self.counts.zoneless += u64::from(!entry.states_zone);
        tally.add(entry.time, entry.status, entry.bytes, is_policy);
        self.days.add(entry.time);
        let robot = match sender {
            Sender::Robot(place) => wanted.robots.get(place),
            Sender::Unknown if wanted.unknown => None,
            Sender::Unknown | Sender::Person if is_policy && wanted.robots_txt => None,
            Sender::Unknown | Sender::Person => return,
        };
        if wanted.rows {
            let (address, is_forwarded) = address(entry, wanted.proxies);
            self.counts.forwarded += u64::from(is_forwarded);
            self.counts.addressless += u64::from(address.is_empty());
            store(&mut self.requests, entry, wanted, (self.lines, text, robot), &address);
        }
    }
}

fn store(
    requests: &mut Requests,
    entry: &Entry<'_>,
    wanted: &Wanted,
    (line, user_agent, robot): (i64, &Arc<str>, Option<&Arc<str>>),
    address: &str,
) {
    let Asked { scheme, host, target } = asked(entry, &wanted.sites, &wanted.ports);
    let further = FURTHER_SLOTS.map(|slot| further(entry, slot));
    requests.push(Row {
        line,
        time: entry.time,
        address: begin_of(address, LONGEST_WORD),
        host: begin_of(&host, LONGEST_WORD),
        scheme: begin_of(&scheme, LONGEST_WORD),
        method: begin_of(&lossy(entry.method().decoded()), LONGEST_WORD),
        target: &kept(target),
        status: entry.status,
        bytes: entry.bytes,
        user_agent,
        robot,
        further: further.each_ref().map(|text| &**text),
    });
}

/// Returns a target, or how a longer one begins: a client may send any number of them.
fn kept(target: Cow<'_, str>) -> Cow<'_, str> {
    if target.len() <= LONGEST_TARGET {
        return target;
    }
    Cow::Owned(format!("…{}", begin_of(&target, CUT_TARGET)))
}

/// Returns how a text begins.
fn begin_of(text: &str, most: usize) -> &str {
    let mut end = most.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// Returns a field that few logs have; empty if the line has none, or one that is too long.
fn further<'l>(entry: &Entry<'l>, slot: Slot) -> Cow<'l, str> {
    let text = entry.text(slot);
    let is_short = text.written.len() <= LONGEST_FURTHER;
    if text.is_absent() || !is_short { Cow::Borrowed("") } else { lossy(text.decoded()) }
}

/// Returns the address that the first of the trusted proxies saw, and whether the line has what proxies
/// report: the last address of X-Forwarded-For was added by the nearest proxy, and what clients write
/// there themselves comes before. A log that has nothing else has at least that proxy.
fn address<'l>(entry: &Entry<'l>, proxies: usize) -> (Cow<'l, str>, bool) {
    let alone = entry.address();
    let reported =
        if alone.is_empty() || proxies > 0 { reported(entry, proxies) } else { Text::default() };
    if reported.is_absent() && memchr(b',', alone).is_none() {
        return (String::from_utf8_lossy(alone), false);
    }
    let list = match reported.is_absent() {
        true => String::from_utf8_lossy(alone),
        false => lossy(reported.decoded()),
    };
    let seen = list.rsplit(',').take(proxies.max(1)).last().unwrap_or_default();
    let seen = without_port(seen.trim().as_bytes());
    (Cow::Owned(String::from_utf8_lossy(seen).into_owned()), true)
}

/// Returns what proxies report. With a number of proxies, X-Forwarded-For is counted back; otherwise a
/// field that names the client alone says more than the last address of a list, which may be a proxy's.
fn reported<'l>(entry: &Entry<'l>, proxies: usize) -> Text<'l> {
    let (list, alone) = (entry.text(Slot::Forwarded), entry.text(Slot::Reported));
    let is_list = !list.is_absent() && (proxies > 0 || alone.is_absent());
    if is_list { list } else { alone }
}

/// Reads logs, block by block.
#[derive(Debug)]
pub struct Scan {
    wanted: Wanted,
    workers: Vec<Worker>,
    /// The line that a block ends within.
    begun: Lines,
    /// The lines of the present file before the block.
    before: i64,
    /// The lines of all files, and the bytes.
    lines: i64,
    bytes: u64,
    shown: Vec<Unread>,
    pending: Requests,
}

impl Scan {
    /// Makes one for so many threads.
    #[must_use]
    pub fn new(names: &Arc<UserAgentNames>, wanted: Wanted, threads: usize) -> Scan {
        let worker = |_| Worker {
            format: None,
            agents: AgentTable::new(Arc::clone(names)),
            counts: Counts::default(),
            requests: Requests::default(),
            days: Days::default(),
            lines: 0,
        };
        Scan {
            wanted,
            workers: (0..threads.max(1)).map(worker).collect(),
            begun: Lines::default(),
            before: 0,
            lines: 0,
            bytes: 0,
            shown: Vec::new(),
            pending: Requests::default(),
        }
    }

    /// Begins another file, after the last line of the previous one.
    pub fn begin(&mut self) {
        self.finish();
        self.before = 0;
        self.set_format(None);
    }

    /// Sets the format of the lines that follow; without one, none can be read.
    pub fn set_format(&mut self, format: Option<&Format>) {
        for worker in &mut self.workers {
            worker.format = format.cloned();
        }
    }

    /// Reads a block of the present file.
    pub fn feed(&mut self, block: &[u8]) {
        self.feed_beside(block, &|| ());
    }

    /// Reads a block of the present file. Meanwhile, one of the threads does some other work first, such
    /// as to read the next block: a thread more would take a processor from those that are here, just
    /// when they begin.
    pub fn feed_beside(&mut self, block: &[u8], work: &(dyn Fn() + Sync)) {
        self.bytes += block.len() as u64;
        let (Some(first), Some(last)) = (memchr(b'\n', block), memrchr(b'\n', block)) else {
            work();
            self.begun.feed(block, |_| ());
            return;
        };
        let (head, rest) = block.split_at(first + 1);
        let (middle, tail) = rest.split_at(last - first);
        let Scan { wanted, workers, begun, .. } = self;
        begun.feed(head, |line| workers[0].line(&line, wanted));
        let read = workers[0].take();
        self.gather(read);
        self.feed_lines(middle, work);
        self.begun.feed(tail, |_| ());
    }

    /// Reads the last line of the present file, if it has no end.
    pub fn finish(&mut self) {
        let Scan { wanted, workers, begun, .. } = self;
        begun.finish(|line| workers[0].line(&line, wanted));
        let read = workers[0].take();
        self.gather(read);
    }

    /// Reads whole lines; see `feed_beside`.
    fn feed_lines(&mut self, block: &[u8], work: &(dyn Fn() + Sync)) {
        let most = self.workers.len() * PARTS_OF_A_THREAD;
        let parts = split(block, most.min(block.len() / WORTH_A_THREAD + 1));
        let formats = formats_of(&parts, self.workers[0].format.as_ref());
        for part in self.read_parts(&parts, &formats, work) {
            self.gather(part);
        }
        // What the last part said about the fields holds for the next block.
        if let Some(last) = formats.last() {
            self.set_format(Some(last));
        }
    }

    /// Reads parts in several threads, after other work in one of them; returns what was read of each
    /// part, in their order.
    fn read_parts(
        &mut self,
        parts: &[&[u8]],
        formats: &[Format],
        work: &(dyn Fn() + Sync),
    ) -> Vec<PartRead> {
        let next = AtomicUsize::new(0);
        let wanted = &self.wanted;
        let busy = self.workers.len().min(parts.len() + 1);
        let done = in_threads(&mut self.workers[..busy], |worker| {
            let mut done = Vec::new();
            loop {
                let Some(place) = next.fetch_add(1, Ordering::Relaxed).checked_sub(1) else {
                    work();
                    continue;
                };
                let Some(part) = parts.get(place) else { return done };
                if let Some(format) = formats.get(place) {
                    worker.format = Some(format.clone());
                }
                Lines::default().feed(part, |line| worker.line(&line, wanted));
                done.push((place, worker.take()));
            }
        });
        let mut done: Vec<_> = done.into_iter().flatten().collect();
        done.sort_unstable_by_key(|(place, _)| *place);
        done.into_iter().map(|(_, read)| read).collect()
    }

    /// Stores what was read of the lines that follow those before.
    fn gather(&mut self, part: PartRead) {
        self.pending.append(&part.requests, self.before);
        for unread in part.shown {
            if self.shown.len() < MOST_SHOWN {
                self.shown.push(Unread { line: unread.line + self.before, ..unread });
            }
        }
        self.before += part.lines;
        self.lines += part.lines;
    }

    /// Returns how many requests wait to be taken, and about how many bytes their texts have.
    #[must_use]
    pub fn pending(&self) -> (usize, usize) {
        (self.pending.len(), self.pending.size())
    }

    /// Returns the requests that were read, and forgets them.
    pub fn take(&mut self) -> Requests {
        std::mem::take(&mut self.pending)
    }

    /// Returns how many lines and bytes were read, of all files.
    #[must_use]
    pub fn read(&self) -> (i64, u64) {
        (self.lines, self.bytes)
    }

    /// Returns what was counted.
    #[must_use]
    pub fn counts(&self) -> Counts {
        let mut counts = Counts { shown: self.shown.clone(), ..Counts::default() };
        for worker in &self.workers {
            counts.silent += worker.counts.silent;
            counts.forwarded += worker.counts.forwarded;
            counts.zoneless += worker.counts.zoneless;
            counts.addressless += worker.counts.addressless;
            for (place, more) in &worker.counts.too_long {
                *counts.too_long.entry(*place).or_default() += more;
            }
            for (sum, more) in counts.readings.iter_mut().zip(worker.counts.readings) {
                *sum += more;
            }
            for (sum, more) in counts.refused.iter_mut().zip(worker.counts.refused) {
                *sum += more;
            }
        }
        counts
    }

    /// Returns how many requests each day has, and its first and last time, the earliest day first.
    #[must_use]
    pub fn days(&self) -> Vec<(i64, Day)> {
        let mut days = Days::default();
        for worker in &self.workers {
            days.merge(&worker.days);
        }
        days.each()
    }

    /// Returns the sum of each User-Agent that is remembered, and, without a User-Agent, of all others
    /// of a sender together.
    #[must_use]
    pub fn agents(&self) -> Vec<(Option<Arc<str>>, Sender, Tally)> {
        let mut sums = HashMap::<(Option<Arc<str>>, Sender), Tally>::new();
        for worker in &self.workers {
            for agent in &worker.agents.agents {
                let key = (Some(Arc::clone(&agent.text)), agent.sender);
                sums.entry(key).or_default().merge(&agent.tally);
            }
            for (sender, tally) in &worker.agents.others {
                sums.entry((None, *sender)).or_default().merge(tally);
            }
        }
        sums.into_iter().map(|((text, sender), tally)| (text, sender, tally)).collect()
    }
}

/// Splits whole lines into so many parts of about the same size, or fewer.
fn split(block: &[u8], count: usize) -> Vec<&[u8]> {
    let (mut parts, mut rest) = (Vec::new(), block);
    for left in (1..count).rev() {
        let about = rest.len() / (left + 1);
        let Some(end) = memchr(b'\n', &rest[about..]) else { break };
        let (part, after) = rest.split_at(about + end + 1);
        parts.push(part);
        rest = after;
    }
    parts.push(rest);
    parts
}

/// Returns the format at the beginning of each part and behind the last one, where directives may change
/// it; otherwise nothing.
fn formats_of(parts: &[&[u8]], first: Option<&Format>) -> Vec<Format> {
    let Some(first) = first.filter(|format| format.has_directives()) else { return Vec::new() };
    let mut formats = vec![first.clone()];
    let mut format = first.clone();
    for part in parts {
        for found in memmem::find_iter(part, b"#") {
            if found == 0 || part[found - 1] == b'\n' {
                let end = memchr(b'\n', &part[found..]).unwrap_or(part.len() - found);
                let line = &part[found..found + end];
                let _ = format.read(line.strip_suffix(b"\r").unwrap_or(line));
            }
        }
        formats.push(format.clone());
    }
    formats
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::known::known;
    use super::*;

    const NAMES: [&str; 2] = ["GPTBot", "bingbot"];

    fn scan(threads: usize, blocks: &[&[u8]], format: &str) -> (String, Counts, String) {
        let names = Arc::new(UserAgentNames::new(&NAMES).expect("two names"));
        let robots = NAMES.map(Arc::from).to_vec();
        let wanted = Wanted { rows: true, unknown: true, robots, ..Wanted::default() };
        let mut scan = Scan::new(&names, wanted, threads);
        scan.begin();
        scan.set_format(known(format).expect("a name").format().as_ref());
        for block in blocks {
            scan.feed(block);
        }
        scan.finish();
        let mut agents = scan.agents();
        agents.sort_by(|a, b| a.0.cmp(&b.0));
        let rows = scan.take();
        let robots = rows.robots.keys.iter().map(|key| {
            key.map(|key| Arc::clone(&rows.robots.values[usize::try_from(key).unwrap_or(0)]))
        });
        let rows = format!("{:?} {:?} {:?}", rows.lines, rows.targets, robots.collect::<Vec<_>>());
        (rows, scan.counts(), format!("{agents:?} {:?} {:?}", scan.read(), scan.days()))
    }

    proptest! {
        /// Neither threads nor the sizes of blocks change what is read.
        #[test]
        fn blocks_and_threads_do_not_matter(
            which in prop::collection::vec(0_usize..6, 0..3_000),
            size in 1_usize..400_000,
            threads in 2_usize..5,
        ) {
            let lines = [
                "192.0.2.1 - - [10/Oct/2000:13:55:36 -0700] \"GET /a HTTP/1.1\" 200 23 \"-\" \"GPTBot/1\"\n",
                "192.0.2.1 - - [10/Oct/2000:13:55:37 -0700] \"GET /robots.txt HTTP/1.1\" 200 - \"-\" \"bingbot/1\"\r\n",
                "192.0.2.1 - - [10/Oct/2000:13:55:38 -0700] \"GET /b HTTP/1.1\" 200 1 \"-\" \"Firefox/1\"\n",
                "192.0.2.1 - - [10/Oct/2000:13:55:39 -0700] \"GET /c HTTP/1.1\" 404 1 \"-\" \"a-bot\"\n",
                "broken\n",
                "\n",
            ];
            let text: Vec<u8> = which.iter().flat_map(|line| lines[*line].bytes()).collect();
            let whole = scan(1, &[&text], "combined");
            let blocks: Vec<&[u8]> = text.chunks(size).collect();
            let (rows, counts, sums) = scan(threads, &blocks, "combined");
            prop_assert_eq!(rows, whole.0);
            prop_assert_eq!(sums, whole.2);
            prop_assert_eq!(counts.refused, whole.1.refused);
            prop_assert_eq!(counts.shown, whole.1.shown);
            prop_assert_eq!(counts.silent, whole.1.silent);
        }
    }

    #[test]
    fn other_work_is_done_once_for_each_block() {
        let line = "192.0.2.1 - - [10/Oct/2000:13:55:36 -0700] \"GET /a HTTP/1.1\" 200 23\n";
        let many = line.repeat(20_000);
        let blocks = ["", "no end", "\n", line, &many];
        for threads in 1..4 {
            let names = Arc::new(UserAgentNames::new(&NAMES).expect("two names"));
            let mut scan = Scan::new(&names, Wanted::default(), threads);
            for block in blocks {
                let times = AtomicUsize::new(0);
                scan.feed_beside(block.as_bytes(), &|| {
                    times.fetch_add(1, Ordering::Relaxed);
                });
                assert_eq!(times.into_inner(), 1, "{threads} threads, {} bytes", block.len());
            }
        }
    }

    #[test]
    fn fields_that_are_named_in_one_part_hold_in_the_next() {
        let mut text = b"#Fields: date time cs-method cs-uri-stem cs(User-Agent)\n".to_vec();
        for part in 0..8 {
            for _ in 0..5_000 {
                let (first, second) = if part % 2 == 0 { ("GET", "/a") } else { ("/a", "GET") };
                text.extend(format!("2000-10-10 13:55:36 {first} {second} GPTBot/1\n").bytes());
            }
            let (first, second) =
                if part % 2 == 1 { ("method", "uri-stem") } else { ("uri-stem", "method") };
            text.extend(
                format!("#Fields: date time cs-{first} cs-{second} cs(User-Agent)\n").bytes(),
            );
        }
        assert!(text.len() > 8 * WORTH_A_THREAD);
        let whole = scan(1, &[&text], "w3c");
        assert_eq!(scan(4, &[&text], "w3c").0, whole.0);
        assert_eq!(scan(3, &text.chunks(300_000).collect::<Vec<_>>(), "w3c").0, whole.0);
        assert_eq!(whole.1.refused, [0; 4]);
        assert_eq!(whole.0.matches("GET").count(), 0);
    }
}
