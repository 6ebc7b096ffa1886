//! The paths that can be asked about: their letters, and which sequences of letters are paths.
//!
//! A letter is what stands in a URL for one byte: itself or its escape. The bytes that it adds to the
//! path, in the form in which a dialect compares paths, depend on the dialect; two dialects read the
//! same letters. RFC 9309 compares a second spelling, in which the query is unescaped (section 2.2.2,
//! Figure 4).

use crate::dialect::{Dialect, Escapes, MissingPath, NulInUrl, Query, Star, UrlForm};
use crate::escape::{Form, Side};

/// How a dialect reads the path of a URL: everything that letters depend on.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a choice of the dialect")]
pub(super) struct Reader {
    escapes: Escapes,
    star: bool,
    as_sent: bool,
    may_be_empty: bool,
    nul_ends: bool,
    /// Whether the query is part of what is compared.
    pub(super) query: bool,
}

impl Reader {
    pub(super) fn of(dialect: &Dialect) -> Reader {
        Reader {
            escapes: dialect.escapes,
            star: dialect.star == Star::Wildcard,
            as_sent: dialect.url_form == UrlForm::AsSent,
            may_be_empty: dialect.missing_path == MissingPath::Nothing
                && dialect.url_form == UrlForm::AsGiven,
            nul_ends: dialect.nul_in_url == NulInUrl::EndsPath,
            query: dialect.query == Query::Included,
        }
    }

    /// Whether a byte and its escape are compared as equal, for most bytes.
    fn decodes(&self) -> bool {
        matches!(self.escapes, Escapes::Rfc9309 | Escapes::ExceptSlash)
    }

    /// Whether the reader compares the query in a second spelling.
    fn opens_query(&self) -> bool {
        self.escapes == Escapes::Rfc9309
    }
}

/// What a letter adds to a path as one reader compares it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Spelling {
    /// In the path and query as compared.
    pub(super) plain: Vec<u8>,
    /// The same behind the first `?`, in the second spelling.
    pub(super) open: Vec<u8>,
}

/// A letter of paths.
#[derive(Clone, Debug)]
pub(super) struct Letter {
    /// How it is written in a URL.
    pub(super) url: Vec<u8>,
    /// What it adds for each reader.
    pub(super) spellings: Vec<Spelling>,
    /// Whether the spellings of its query differ for some reader.
    pub(super) opens: bool,
}

impl Letter {
    /// Whether it adds to the path what is written, as long as the query is not unescaped.
    pub(super) fn is_verbatim(&self) -> bool {
        self.spellings.iter().all(|spelling| spelling.plain == self.url)
    }
}

/// What has been read of a path, as far as it matters which letters may follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// Nothing.
    Start = 0,
    /// The slash before a segment.
    Segment = 1,
    /// A segment that is a dot so far.
    Dot = 2,
    /// A segment that is two dots so far.
    Dots = 3,
    /// A segment that is no dot segment.
    Name = 4,
    /// The query, whose two spellings are the same so far.
    Query = 5,
    /// The query, whose two spellings differ.
    Opened = 6,
}

impl Place {
    const ALL: [Place; 7] = [
        Place::Start,
        Place::Segment,
        Place::Dot,
        Place::Dots,
        Place::Name,
        Place::Query,
        Place::Opened,
    ];

    pub(super) fn of(number: u32) -> Place {
        Place::ALL.get(number as usize).copied().unwrap_or(Place::Start)
    }
}

/// The letters of the paths that one or two readers read.
#[derive(Debug)]
pub(super) struct Alphabet {
    pub(super) readers: Vec<Reader>,
    /// The letters that every reader reads as one byte, by that byte.
    plain: Vec<Option<Letter>>,
    /// The other letters.
    others: Vec<Letter>,
    /// Those of them of which some pattern has a byte.
    pub(super) noticed: Vec<u16>,
    /// An escape of which no pattern has a byte, if there is one.
    unnoticed: Option<u16>,
    /// The bytes of `plain`, those first that look best in an example.
    pub(super) by_looks: Vec<u8>,
}

impl Alphabet {
    /// Builds the letters of the paths that every reader reads. For each reader, `has` says which bytes
    /// the patterns have that it reads.
    pub(super) fn new(readers: &[Reader], has: &[[bool; 256]]) -> Alphabet {
        let mut alphabet = Alphabet {
            readers: readers.to_vec(),
            plain: vec![None; 256],
            others: Vec::new(),
            noticed: Vec::new(),
            unnoticed: None,
            by_looks: Vec::new(),
        };
        let mut urls: Vec<Vec<u8>> = (0..=255).map(|byte| vec![byte]).collect();
        urls.extend((0..=255).map(escaped));
        for url in urls {
            alphabet.add(url);
        }
        let mut looks: Vec<u8> =
            (0..=255).filter(|byte| alphabet.plain[usize::from(*byte)].is_some()).collect();
        looks.sort_by_key(|byte| (ugliness(*byte), *byte));
        alphabet.by_looks = looks;
        alphabet.notice(has);
        alphabet
    }

    /// Finds the letters, besides those read as one byte, of which some pattern has a byte.
    fn notice(&mut self, has: &[[bool; 256]]) {
        let is_noticed = |letter: &Letter| {
            letter.spellings.iter().zip(has).any(|(spelling, has)| {
                let mut bytes = spelling.plain.iter().chain(&spelling.open);
                bytes.any(|byte| has[usize::from(*byte)])
            })
        };
        for (number, letter) in (256..).zip(&self.others) {
            if is_noticed(letter) {
                self.noticed.push(number);
            } else if letter.url.len() > 1 {
                self.unnoticed.get_or_insert(number);
            }
        }
    }

    /// Adds the letter that is written so, unless another letter reads the same.
    fn add(&mut self, url: Vec<u8>) {
        if self.is_needless(&url) {
            return;
        }
        let spellings: Option<Vec<Spelling>> =
            self.readers.iter().map(|reader| spelling(reader, &url)).collect();
        let Some(spellings) = spellings else { return };
        let opens = spellings.iter().any(|one| one.plain != one.open);
        let first = &spellings[0];
        let is_plain = !opens
            && url != b"%3F"
            && first.plain.len() == 1
            && spellings.iter().all(|spelling| spelling == first);
        let place = usize::from(first.plain[0]);
        let letter = Letter { url, spellings, opens };
        if is_plain {
            if self.plain[place].is_none() {
                self.plain[place] = Some(letter);
            }
        } else if self.others.iter().all(|other| other.spellings != letter.spellings) {
            self.others.push(letter);
        }
    }

    /// Whether an escape tells nothing: its byte needs none, or no reader decodes it.
    ///
    /// A reader that compares URLs as they are passed differs from all others on every path with a
    /// needless escape; no site links to such paths.
    fn is_needless(&self, url: &[u8]) -> bool {
        let [b'%', digits @ ..] = url else { return false };
        let decoded = std::str::from_utf8(digits).map(|two| u8::from_str_radix(two, 16));
        let Ok(Ok(byte)) = decoded else { return false };
        // An escaped question mark begins no query, also where it is compared as one.
        if byte == b'?' {
            return false;
        }
        let is_decoded = |reader: &Reader| {
            !reader.decodes() || spelling(reader, url).is_some_and(|found| found.plain == [byte])
        };
        let reads_alike =
            self.plain[usize::from(byte)].is_some() && self.readers.iter().all(is_decoded);
        reads_alike || self.plain[usize::from(b'%')].is_some()
    }

    /// Returns the letter that every reader reads as this byte.
    fn plain(&self, byte: u8) -> Option<&Letter> {
        self.plain[usize::from(byte)].as_ref()
    }

    /// Returns a letter by its number: its byte if every reader reads it as that, or else 256 and more.
    pub(super) fn letter(&self, number: u16) -> Option<&Letter> {
        match u8::try_from(number) {
            Ok(byte) => self.plain(byte),
            Err(_) => self.others.get(usize::from(number) - 256),
        }
    }

    /// Returns a letter that no pattern tells from others: a byte that is free, or an escape of which no
    /// pattern has a byte.
    pub(super) fn unnoticed(&self, is_free: impl Fn(u8) -> bool) -> Option<u16> {
        let byte = self.by_looks.iter().copied().find(|byte| is_free(*byte));
        byte.map(u16::from).or(self.unnoticed)
    }

    /// Returns the path that some letters make, as it is written in a URL.
    pub(super) fn url_path(&self, letters: &[u16]) -> Vec<u8> {
        let letters = letters.iter().filter_map(|number| self.letter(*number));
        letters.flat_map(|letter| letter.url.iter().copied()).collect()
    }

    /// Returns where a letter leads; `None` if no path continues so.
    pub(super) fn step(&self, place: Place, letter: &Letter) -> Option<Place> {
        let byte = match &*letter.url {
            [byte] => *byte,
            _ => 0,
        };
        let is_dot = byte == b'.';
        Some(match (place, byte) {
            (Place::Start, b'/') => Place::Segment,
            (Place::Start, b'?') if self.may_be_empty() => Place::Query,
            (Place::Query, _) if letter.opens => Place::Opened,
            (Place::Query | Place::Opened, _) => place,
            // Dot segments are resolved before a URL is sent, whatever the dialect (RFC 3986 section
            // 5.2.4).
            (Place::Start, _) | (Place::Dot | Place::Dots, b'/' | b'?') => return None,
            (_, b'/') => Place::Segment,
            (_, b'?') => Place::Query,
            (Place::Segment, _) if is_dot => Place::Dot,
            (Place::Dot, _) if is_dot => Place::Dots,
            _ => Place::Name,
        })
    }

    /// Whether a path may end here.
    pub(super) fn may_end(&self, place: Place) -> bool {
        match place {
            Place::Start => self.may_be_empty(),
            Place::Dot | Place::Dots => false,
            _ => true,
        }
    }

    fn may_be_empty(&self) -> bool {
        self.readers.iter().all(|reader| reader.may_be_empty)
    }
}

fn escaped(byte: u8) -> Vec<u8> {
    format!("%{byte:02X}").into_bytes()
}

/// Returns what a letter adds to a path; `None` if it cannot stand in one, or not alone.
fn spelling(reader: &Reader, url: &[u8]) -> Option<Spelling> {
    let raw = (url.len() == 1).then(|| url[0]);
    let decoded = u8::from_str_radix(std::str::from_utf8(url.get(1..)?).ok()?, 16);
    if raw == Some(b'#') || (raw == Some(b'?') && !reader.query) {
        return None;
    }
    // What clients remove or read as a slash has an escape, which they keep.
    if reader.as_sent && raw.is_some_and(|byte| byte <= b' ' || byte == b'\\') {
        return None;
    }
    // Other bytes than visible ASCII are sent as escapes.
    let compares_escapes = reader.escapes != Escapes::None;
    if compares_escapes && raw.is_some_and(|byte| !byte.is_ascii_graphic()) {
        return None;
    }
    if reader.nul_ends && raw == Some(0) {
        return None;
    }
    // A `%` that begins no escape reads like its escape. One that begins an escape is no letter.
    if reader.decodes() && raw == Some(b'%') {
        return None;
    }
    // An escaped dot may make a dot segment.
    if reader.as_sent && raw.is_none() && decoded == Ok(b'.') {
        return None;
    }
    let form = Form { escapes: reader.escapes, star: reader.star };
    let written = |text: &[u8], query: bool| {
        let mut out = Vec::new();
        form.write(text, Side::Url, query, &mut out);
        out
    };
    let plain = written(url, false);
    if plain.is_empty() {
        return None;
    }
    let open = match reader.opens_query() {
        // Only what follows a `?` is unescaped.
        true => written(&[b"?", url].concat(), true).split_off(1),
        false => plain.clone(),
    };
    Some(Spelling { plain, open })
}

/// Orders bytes by how well they look in an example: letters first.
fn ugliness(byte: u8) -> u8 {
    match byte {
        b'a'..=b'z' => 0,
        b'0'..=b'9' => 1,
        b'A'..=b'Z' => 2,
        b'-' | b'_' => 3,
        b'/' => 4,
        b'!'..=b'~' => 5,
        _ => 6,
    }
}
