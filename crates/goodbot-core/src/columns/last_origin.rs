//! The origin of the last URL, which the next one often has, too.

/// An origin.
#[derive(Default)]
pub(super) struct LastOrigin {
    /// It, with the `/` behind it; empty if there is none.
    prefix: Vec<u8>,
}

impl LastOrigin {
    /// Returns where the path of a URL begins, if it begins with this origin as it is written.
    #[inline]
    pub(super) fn end_in(&self, url: &[u8]) -> Option<usize> {
        let end = self.prefix.len().checked_sub(1)?;
        url.starts_with(&self.prefix).then_some(end)
    }

    /// Makes another origin the last one; returns whether it differs.
    #[inline]
    pub(super) fn replace(&mut self, origin: &[u8]) -> bool {
        if self.prefix.strip_suffix(b"/") == Some(origin) {
            return false;
        }
        self.prefix.clear();
        self.prefix.extend_from_slice(origin);
        self.prefix.push(b'/');
        true
    }
}
