//! Answers in WARC files whose records are gzip members of their own: the plain ones, by columns.
//!
//! Scope: from compressed bytes to rows, or to records. A record that is odd in any way (damaged,
//! spread over members; for rows, also a revisit, or with chunks or a content coding, …) is left to the
//! reader in Python, which reads any of them; so there is one set of rules for what is hard, and what
//! is frequent is fast.
//!
//! Source: WARC 1.1 sections 4 and 5, annex D.2; RFC 9112 sections 4 and 5; RFC 1952.

mod contents;
mod fields;
mod head;
mod members;
mod plain_record;
mod remembered;
mod response;
mod rows;

pub use contents::plain_content;
pub use fields::{add_deciding, fields};
pub use members::{Fault, Inflate, Reached, Step, Stop, read_members};
pub use plain_record::{PlainRecord, plain_record};
pub use remembered::Remembered;
pub use rows::{Packed, Rows};

use head::{Capture, record};

/// How many bytes of rows are returned at once, at most by one record more.
const FULL: usize = 8 * 1024 * 1024;

/// What is read of files.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The longest body that is read here.
    pub most_body: usize,
    /// The header fields that matter, in lower case.
    pub fields: Vec<String>,
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
        let mut records = self.records;
        let reached =
            read_members(data, offset, is_end, inflate, &mut records, |content, place| match self
                .one(content, place, rows)
            {
                Step::On if rows.size() >= FULL => Step::Last(Stop::Full),
                other => other,
            });
        self.records = records;
        reached
    }

    /// Reads the record that is the content of a member.
    fn one(&mut self, content: &[u8], place: u64, rows: &mut Rows) -> Step {
        let Some(record) = record(content) else { return Step::Odd };
        let capture = match record.capture() {
            Ok(Some(capture)) => capture,
            Ok(None) => return Step::On,
            Err(head::Odd) => return Step::Odd,
        };
        let Capture { key, is_robots_txt, at, is_revisit } = &capture;
        if !(*is_robots_txt || self.takes_all || self.remembered.is_wanted(key)) {
            return Step::On;
        }
        let is_believed = self.believed.is_none_or(|(low, high)| low <= *at && *at <= high);
        if *is_revisit || record.truncated.is_some() || !is_believed {
            return Step::Odd;
        }
        let Some(response) = response::response(record.block, &self.settings.fields) else {
            return Step::Odd;
        };
        if response.body.len() > self.settings.most_body
            || !self.remembered.has_room(key, response.body.len())
        {
            return Step::Odd;
        }
        self.remembered.count(key, response.body.len());
        self.remembered.add_original(record.digest.unwrap_or_default(), place);
        rows.add(key, *at, &response);
        let is_redirect = (300..400).contains(&response.status);
        if is_redirect && !self.takes_all { Step::Last(Stop::Redirect) } else { Step::On }
    }
}
