//! What the bytes of a document show before it is read.

/// Returns an upper bound on the elements and lines of a document: the number of `<`, or that of
/// line feeds if there are more.
#[must_use]
pub fn count_pieces(content: &[u8]) -> usize {
    let count = |byte| memchr::memchr_iter(byte, content).count();
    count(b'<').max(count(b'\n'))
}

/// The text by which a page names a page of robots' names, before its `x` and from there on.
const MARK: (&[u8], &[u8]) = (b"robote", b"xclusion.names");

/// Returns whether a document may contain `RobotExclusion.Names`, in any case of letters and in any
/// encoding that has the bytes of ASCII, such as UTF-16: NUL bytes do not count.
///
/// `x` is rare, so few places are checked. From each, the text is compared in both directions up to
/// the first byte that differs, so the time is linear in the bytes.
///
/// ```
/// use goodbot_core::page::may_name_robots;
/// assert!(may_name_robots(b"<link rel=\"robotExclusion.names\" href=/names>"));
/// let units = "RobotExclusion.Names".encode_utf16();
/// assert!(may_name_robots(&units.flat_map(u16::to_be_bytes).collect::<Vec<u8>>()));
/// assert!(!may_name_robots(b"RobotsExclusion.Names"));
/// ```
#[must_use]
pub fn may_name_robots(content: &[u8]) -> bool {
    let (before, after) = MARK;
    memchr::memchr2_iter(b'x', b'X', content).any(|at| {
        let (head, tail) = content.split_at(at);
        begins_with(tail.iter(), after.iter())
            && begins_with(head.iter().rev(), before.iter().rev())
    })
}

/// Returns whether bytes begin with a word in lower case, apart from NUL bytes and case.
fn begins_with<'a>(
    bytes: impl Iterator<Item = &'a u8>,
    word: impl ExactSizeIterator<Item = &'a u8>,
) -> bool {
    let length = word.len();
    let bytes = bytes.filter(|byte| **byte != 0);
    bytes.zip(word).take_while(|(byte, letter)| byte.to_ascii_lowercase() == **letter).count()
        == length
}
