//! Compression, with the compressors of this thread: making one takes longer than using it.
//!
//! Source: RFC 1950 (zlib) and RFC 1952 (gzip).

use std::cell::RefCell;
use std::collections::BTreeMap;

use libdeflater::{CompressionLvl, Compressor};

thread_local! {
    /// The compressors of this thread, by their levels.
    static PACKERS: RefCell<BTreeMap<u32, Compressor>> = const { RefCell::new(BTreeMap::new()) };
}

/// Packs bytes as one member of gzip, at a level from 0 to 9.
#[must_use]
pub fn gzip(content: &[u8], level: u32) -> Vec<u8> {
    with_packer(level, |packer| {
        let mut out = vec![0; packer.gzip_compress_bound(content.len())];
        // There is always room, and any bytes can be compressed.
        let length = packer.gzip_compress(content, &mut out).unwrap_or_default();
        out.truncate(length);
        out
    })
}

/// Packs bytes in the format of zlib, at a level from 0 to 9.
#[must_use]
pub fn zlib(content: &[u8], level: u32) -> Vec<u8> {
    with_packer(level, |packer| {
        let mut out = vec![0; packer.zlib_compress_bound(content.len())];
        let length = packer.zlib_compress(content, &mut out).unwrap_or_default();
        out.truncate(length);
        out
    })
}

fn with_packer<T>(level: u32, work: impl FnOnce(&mut Compressor) -> T) -> T {
    PACKERS.with_borrow_mut(|packers| {
        work(packers.entry(level).or_insert_with(|| {
            let of_level = CompressionLvl::new(i32::try_from(level).unwrap_or(9));
            Compressor::new(of_level.unwrap_or_default())
        }))
    })
}
