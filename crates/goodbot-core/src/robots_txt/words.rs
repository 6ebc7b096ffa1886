//! Eight bytes in a word, which are compared at once.

/// The lowest bit of each byte, and the highest.
pub(crate) const LOWS: u64 = 0x0101_0101_0101_0101;
pub(crate) const HIGHS: u64 = LOWS << 7;

/// Sets the highest bit of each byte that is not 0; the other bits have no meaning.
#[inline]
pub(crate) fn nonzero(octets: u64) -> u64 {
    ((octets & !HIGHS) + !HIGHS) | octets
}
