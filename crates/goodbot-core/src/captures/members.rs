//! The gzip members of a piece of a file, one after the other.
//!
//! Source: WARC 1.1 annex D.2; RFC 1952.

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

/// Where a piece of a file was read to.
#[derive(Clone, Copy, Debug)]
pub struct Reached {
    /// How many bytes of it were read.
    pub used: usize,
    /// Why it was not read further.
    pub stop: Stop,
}

/// What comes after a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// The next one.
    On,
    /// Nothing: it was the last one for now.
    Last(Stop),
    /// Nothing: the other reader must read it.
    Odd,
}

/// Reads members from a piece of a file.
///
/// # Arguments
///
/// - `data`: the piece, which begins with a member.
/// - `offset`: where that is in the file.
/// - `is_end`: whether the file ends with the piece.
/// - `records`: how many records of the file were read.
/// - `one`: reads the record that is the content of a member, with the place of that in the file.
pub fn read_members(
    data: &[u8],
    offset: u64,
    is_end: bool,
    inflate: &mut impl Inflate,
    records: &mut u64,
    mut one: impl FnMut(&[u8], u64) -> Step,
) -> Reached {
    let mut used = 0;
    let stop = loop {
        let rest = &data[used..];
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
        if *records >= FREE_RECORDS + (place + size as u64) / LEAST_SIZE {
            break Stop::Odd;
        }
        let step = one(content, place);
        if step == Step::Odd {
            break Stop::Odd;
        }
        used += size;
        *records += 1;
        if let Step::Last(stop) = step {
            break stop;
        }
    };
    Reached { used, stop }
}
