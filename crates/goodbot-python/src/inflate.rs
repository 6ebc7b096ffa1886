//! Decompression of one gzip member at a time, by libdeflate.
#![allow(unsafe_code, reason = "only the C interface returns where a member ends")]

use std::os::raw::c_void;
use std::ptr::NonNull;

use goodbot_core::captures::{Fault, Inflate};
use libdeflate_sys::{
    libdeflate_alloc_decompressor, libdeflate_decompressor, libdeflate_free_decompressor,
    libdeflate_gzip_decompress_ex, libdeflate_result,
    libdeflate_result_LIBDEFLATE_INSUFFICIENT_SPACE, libdeflate_result_LIBDEFLATE_SUCCESS,
};

const SUCCESS: libdeflate_result = libdeflate_result_LIBDEFLATE_SUCCESS;
const NO_SPACE: libdeflate_result = libdeflate_result_LIBDEFLATE_INSUFFICIENT_SPACE;

/// How far a member may expand at first, and at most.
const FIRST: usize = 256 * 1024;
const MOST: usize = 32 * 1024 * 1024;

/// A decompressor with the buffer for what it returns.
pub(crate) struct Inflater {
    state: NonNull<libdeflate_decompressor>,
    content: Vec<u8>,
}

// SAFETY: the state is owned, and is used through `&mut self` only.
unsafe impl Send for Inflater {}
// SAFETY: nothing is done through `&self`.
unsafe impl Sync for Inflater {}

impl Inflater {
    /// Makes one; `None` without memory.
    pub(crate) fn new() -> Option<Inflater> {
        // SAFETY: it returns a state or null.
        let state = NonNull::new(unsafe { libdeflate_alloc_decompressor() })?;
        Some(Inflater { state, content: vec![0; FIRST] })
    }
}

impl Inflate for Inflater {
    fn member(&mut self, data: &[u8]) -> Result<(usize, &[u8]), Fault> {
        loop {
            let (mut used, mut size) = (0, 0);
            // SAFETY: the pointers are valid for the lengths that are passed with them.
            let result = unsafe {
                libdeflate_gzip_decompress_ex(
                    self.state.as_ptr(),
                    data.as_ptr().cast::<c_void>(),
                    data.len(),
                    self.content.as_mut_ptr().cast::<c_void>(),
                    self.content.len(),
                    &raw mut used,
                    &raw mut size,
                )
            };
            match result {
                SUCCESS => return Ok((used, &self.content[..size])),
                NO_SPACE if self.content.len() < MOST => {
                    self.content.resize(self.content.len() * 4, 0);
                }
                NO_SPACE => return Err(Fault::TooLarge),
                _ => return Err(Fault::Bad),
            }
        }
    }
}

impl Drop for Inflater {
    fn drop(&mut self) {
        // SAFETY: the state came from `libdeflate_alloc_decompressor`, and is freed once.
        unsafe { libdeflate_free_decompressor(self.state.as_ptr()) }
    }
}
