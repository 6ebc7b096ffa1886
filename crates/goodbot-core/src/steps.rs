//! Steps of work, which tests count with the feature `reference`: a byte that was looked at, a node or
//! a rule that was visited. A busy machine takes as many as a quiet one. Without the feature nothing is
//! counted, and counting costs nothing.
//!
//! What searches, copies or walks counts its steps where it does so, before it knows the result.

#[cfg(feature = "reference")]
thread_local! {
    static TAKEN: std::cell::Cell<u64> = const { std::cell::Cell::new(0) };
}

/// Counts steps that are taken.
#[inline]
pub(crate) fn count(steps: usize) {
    #[cfg(feature = "reference")]
    TAKEN.with(|taken| taken.set(taken.get() + steps as u64));
    #[cfg(not(feature = "reference"))]
    let _ = steps;
}

/// Counts the bytes that a search looked at, up to where it found something or to the end; returns
/// what it found.
#[inline]
pub(crate) fn searched(found: Option<usize>, octets: usize) -> Option<usize> {
    count(found.map_or(octets, |place| place + 1));
    found
}

/// Returns how many steps this thread has taken.
#[cfg(feature = "reference")]
#[must_use]
pub fn taken() -> u64 {
    TAKEN.with(std::cell::Cell::get)
}
