//! Response bodies with size limits on received and decompressed bytes.

use std::io::Read;
use std::time::Duration;

use flate2::read::MultiGzDecoder;
use reqwest::Response;
use reqwest::header::{CONTENT_ENCODING, CONTENT_LENGTH};

use crate::fetch::validators::text;

/// Reads a body of at most `most_bytes` bytes and decompresses it. No pause between chunks may exceed `silence`.
///
/// # Errors
/// A message if the body is too large, stalls, is cut off, or has an encoding that was not requested.
pub async fn body(mut response: Response, most_bytes: u64, silence: Duration) -> Result<Vec<u8>, String> {
    let too_large = || format!("sends more than {} KiB (the limit)", most_bytes / 1024);
    let said: Option<u64> = text(response.headers(), &CONTENT_LENGTH).and_then(|value| value.trim().parse().ok());
    if said.is_some_and(|length| length > most_bytes) {
        return Err(too_large());
    }
    let packing = text(response.headers(), &CONTENT_ENCODING).unwrap_or("identity").trim().to_lowercase();
    let mut bytes = Vec::new();
    loop {
        let chunk = tokio::time::timeout(silence, response.chunk()).await;
        let chunk = chunk.map_err(|_| format!("sent nothing for {} seconds", silence.as_secs_f32()))?;
        let Some(chunk) = chunk.map_err(|error| format!("closed the connection early: {}", told(&error)))? else {
            break;
        };
        if (bytes.len() + chunk.len()) as u64 > most_bytes {
            return Err(too_large());
        }
        bytes.extend_from_slice(&chunk);
    }
    match packing.as_str() {
        "identity" | "" => Ok(bytes),
        "gzip" | "x-gzip" => unpacked(&bytes, most_bytes),
        other => Err(format!("compresses its response as {other:?}, which was not requested")),
    }
}

fn unpacked(packed: &[u8], most_bytes: u64) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    let read = MultiGzDecoder::new(packed).take(most_bytes + 1).read_to_end(&mut bytes);
    read.map_err(|error| format!("sends an invalid gzip body: {error}"))?;
    if bytes.len() as u64 > most_bytes {
        return Err(format!("decompresses to more than {} KiB (the limit)", most_bytes / 1024));
    }
    Ok(bytes)
}

/// Formats the root cause of a client error, without the URL, which the report shows anyway.
pub fn told(error: &reqwest::Error) -> String {
    let mut causes = Vec::new();
    let mut cause = std::error::Error::source(error);
    while let Some(it) = cause {
        causes.push(it.to_string());
        cause = it.source();
    }
    causes.pop().unwrap_or_else(|| if error.is_timeout() { "timed out".to_owned() } else { "failed".to_owned() })
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    #[test]
    fn decompressed_bytes_are_limited() {
        let mut packer = GzEncoder::new(Vec::new(), Compression::best());
        packer.write_all(&vec![b'x'; 1 << 20]).unwrap();
        let packed = packer.finish().unwrap();
        assert_eq!(unpacked(&packed, 1 << 20).unwrap().len(), 1 << 20);
        assert_eq!(unpacked(&packed, (1 << 20) - 1).unwrap_err(), "decompresses to more than 1023 KiB (the limit)");
        assert!(unpacked(&packed[..500], 1 << 20).unwrap_err().starts_with("sends an invalid gzip body"));
    }
}
