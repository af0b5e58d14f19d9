//! Compression of long values by raw deflate, in the program: faster than in the database, and possible before encryption.

use std::io::{Read, Write};

use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;

/// Level for values that are replaced often: about 2 microseconds per kilobyte of JSON.
pub(crate) const FASTEST: Compression = Compression::fast();
/// Level for values that stay: higher ones take longer than they are worth.
pub(crate) const SMALL: Compression = Compression::new(3);
/// Maximum size of a decompressed value in bytes; far more than an append may contain.
const MAX_DECOMPRESSED: u64 = 256 << 20;

/// Compresses a value. The same value and level give the same bytes.
///
/// # Errors
/// An I/O error of the encoder, which has none when it writes to memory.
pub(crate) fn compress(value: &[u8], level: Compression) -> std::io::Result<Vec<u8>> {
    let mut encoder = DeflateEncoder::new(Vec::with_capacity(value.len() / 2), level);
    encoder.write_all(value)?;
    encoder.finish()
}

/// Decompresses a value.
///
/// # Errors
/// An I/O error if the bytes are not compressed.
pub(crate) fn decompress(bytes: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut value = Vec::with_capacity(3 * bytes.len());
    DeflateDecoder::new(bytes).take(MAX_DECOMPRESSED).read_to_end(&mut value)?;
    Ok(value)
}
