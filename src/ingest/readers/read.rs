//! One way in to all readers.

use std::path::Path;
use std::time::Duration;

use crate::ingest::readers::apart::{PARSE_SECONDS, apart};
use crate::ingest::readers::archive::posted;
use crate::ingest::readers::decode::decode;
use crate::ingest::readers::document::{Origin, Reading};
use crate::ingest::readers::feed::feed;
use crate::ingest::readers::form::Form;
use crate::ingest::readers::html::article;
use crate::ingest::readers::pdf::pdf;
use crate::ingest::readers::plain::plain;
use crate::ingest::readers::posts::{handle, posts};

/// Reads the bytes of a source, given the charset that a header declares. Blocks.
///
/// # Errors
/// In words: what the form's reader refuses, and that it broke or hung.
pub fn read(form: Form, bytes: Vec<u8>, charset: Option<String>, origin: Origin) -> Result<Reading, String> {
    apart(Duration::from_secs(PARSE_SECONDS), move || {
        if form == Form::Pdf {
            return pdf(&bytes, &origin);
        }
        let decoded = decode(&bytes, charset.as_deref())?;
        let mut reading = match form {
            Form::Feed => feed(&decoded.text, &origin)?,
            Form::Html => article(&decoded.text, &origin)?,
            _ => plain(&decoded.text, &origin)?,
        };
        reading.remarks.extend(decoded.remark);
        Ok(reading)
    })
}

/// Reads an archive of posts. Blocks.
///
/// # Errors
/// As [`read`].
pub fn read_posts(file: &Path, origin: Origin) -> Result<Reading, String> {
    let file = file.to_owned();
    apart(Duration::from_secs(PARSE_SECONDS), move || {
        let found = posted(&file)?;
        let handle = found.account.as_deref().and_then(handle);
        posts(&found.files, handle.as_deref(), &origin)
    })
}
