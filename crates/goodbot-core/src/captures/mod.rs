//! Answers in WARC files whose records are gzip members of their own: the plain ones, by columns.
//!
//! Scope: from compressed bytes to rows. A record that is odd in any way (damaged, spread over
//! members, a revisit, with chunks or a content coding, …) is left to the reader in Python, which
//! reads any of them; so there is one set of rules for what is hard, and what is frequent is fast.
//!
//! Source: WARC 1.1 sections 4 and 5, annex D.2; RFC 9112 sections 4 and 5; RFC 1952.

mod contents;
mod fields;
mod head;
mod remembered;
mod response;
mod rows;

pub use contents::plain_content;
pub use fields::{add_deciding, fields};
pub use remembered::Remembered;
pub use rows::{Packed, Rows};

use head::{Capture, record};

/// What a gzip file begins with.
const MAGIC: &[u8] = b"\x1f\x8b\x08";
/// The place of the flags in the head of a member, and those that are read here: a name, a comment.
const FLAGS: usize = 3;
const KNOWN_FLAGS: u8 = 0b1_1000;

/// A file may have one record for so many of its bytes, and so many more: as the reader in Python.
const LEAST_SIZE: u64 = 16;
const FREE_RECORDS: u64 = 10_000;

/// The longest compressed member that is read here.
const MOST_MEMBER: usize = 16 * 1024 * 1024;
/// How many bytes of rows are returned at once, at most by one record more.
const FULL: usize = 8 * 1024 * 1024;

/// Why a member could not be decompressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// It is damaged, or its end is missing.
    Bad,
    /// It expands too far.
    TooLarge,
}

/// Decompresses members of gzip.
pub trait Inflate {
    /// Decompresses the member that some bytes begin with; returns how many bytes it has, and its content.
    ///
    /// # Errors
    ///
    /// It is damaged, cut, or expands too far.
    fn member(&mut self, data: &[u8]) -> Result<(usize, &[u8]), Fault>;
}

/// Why the reading of a piece stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The next member is not whole in the piece, or there is none.
    More,
    /// There are many rows.
    Full,
    /// The next record must be read by the other reader.
    Odd,
    /// The last row is a redirect, which may make another URL count.
    Redirect,
}

impl Stop {
    /// Its name.
    #[must_use]
    pub fn slug(self) -> &'static str {
        match self {
            Stop::More => "more",
            Stop::Full => "full",
            Stop::Odd => "odd",
            Stop::Redirect => "redirect",
        }
    }
}

/// What is read of files.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The longest body that is read here.
    pub most_body: usize,
    /// The header fields that matter, in lower case.
    pub fields: Vec<String>,
}

/// Where a piece of a file was read to.
#[derive(Clone, Copy, Debug)]
pub struct Reached {
    /// How many bytes of it were read.
    pub used: usize,
    /// Why it was not read further.
    pub stop: Stop,
}

/// What a record is.
enum Found {
    /// An answer that counts.
    Row { is_redirect: bool },
    /// Nothing that counts.
    Other,
    /// What the other reader must read.
    Odd,
}

/// Reads the plain records of files.
pub struct CaptureReader {
    settings: Settings,
    takes_all: bool,
    believed: Option<(i64, i64)>,
    /// How many records were read, by any reader.
    pub records: u64,
    /// What is remembered of the file.
    pub remembered: Remembered,
}

impl CaptureReader {
    /// Starts before any file.
    #[must_use]
    pub fn new(settings: Settings, remembered: Remembered) -> CaptureReader {
        CaptureReader { settings, takes_all: false, believed: None, records: 0, remembered }
    }

    /// Begins another file.
    ///
    /// # Arguments
    ///
    /// - `takes_all`: whether every URL counts, or only a robots.txt and what one redirects to.
    /// - `believed`: the dates that are believed, in microseconds since 1970, both included.
    pub fn begin(&mut self, takes_all: bool, believed: Option<(i64, i64)>) {
        (self.takes_all, self.believed, self.records) = (takes_all, believed, 0);
        self.remembered.begin();
    }

    /// Reads members from a piece of the file, and adds what counts to `rows`.
    ///
    /// # Arguments
    ///
    /// - `data`: the piece, which begins with a member.
    /// - `offset`: where that is in the file.
    /// - `is_end`: whether the file ends with the piece.
    pub fn read(
        &mut self,
        data: &[u8],
        offset: u64,
        is_end: bool,
        inflate: &mut impl Inflate,
        rows: &mut Rows,
    ) -> Reached {
        let mut used = 0;
        let stop = loop {
            let rest = &data[used..];
            if rows.size() >= FULL {
                break Stop::Full;
            }
            if rest.len() <= FLAGS {
                break if is_end && !rest.is_empty() { Stop::Odd } else { Stop::More };
            }
            if !rest.starts_with(MAGIC) || rest[FLAGS] & !KNOWN_FLAGS != 0 {
                break Stop::Odd;
            }
            let (size, content) = match inflate.member(rest) {
                Ok(member) => member,
                Err(Fault::Bad) if !is_end && rest.len() < MOST_MEMBER => break Stop::More,
                Err(_) => break Stop::Odd,
            };
            let place = offset + used as u64;
            if self.records >= FREE_RECORDS + (place + size as u64) / LEAST_SIZE {
                break Stop::Odd;
            }
            let found = self.one(content, place, rows);
            if matches!(found, Found::Odd) {
                break Stop::Odd;
            }
            used += size;
            self.records += 1;
            if matches!(found, Found::Row { is_redirect: true }) && !self.takes_all {
                break Stop::Redirect;
            }
        };
        Reached { used, stop }
    }

    /// Reads the record that is the content of a member.
    fn one(&mut self, content: &[u8], place: u64, rows: &mut Rows) -> Found {
        let Some(record) = record(content) else { return Found::Odd };
        let capture = match record.capture() {
            Ok(Some(capture)) => capture,
            Ok(None) => return Found::Other,
            Err(head::Odd) => return Found::Odd,
        };
        let Capture { key, is_robots_txt, at, is_revisit } = &capture;
        if !(*is_robots_txt || self.takes_all || self.remembered.is_wanted(key)) {
            return Found::Other;
        }
        let is_believed = self.believed.is_none_or(|(low, high)| low <= *at && *at <= high);
        if *is_revisit || record.truncated.is_some() || !is_believed {
            return Found::Odd;
        }
        let Some(response) = response::response(record.block, &self.settings.fields) else {
            return Found::Odd;
        };
        if response.body.len() > self.settings.most_body
            || !self.remembered.has_room(key, response.body.len())
        {
            return Found::Odd;
        }
        self.remembered.count(key, response.body.len());
        self.remembered.add_original(record.digest.unwrap_or_default(), place);
        rows.add(key, *at, &response);
        Found::Row { is_redirect: (300..400).contains(&response.status) }
    }
}
