//! One way in to all readers.

use std::io;
use std::path::{Path, PathBuf, absolute};

use serde::{Deserialize, Serialize};

use crate::ingest::readers::apart::{apart, serve};
use crate::ingest::readers::archive::posted;
use crate::ingest::readers::decode::decode;
use crate::ingest::readers::document::{Origin, Reading};
use crate::ingest::readers::feed::feed;
use crate::ingest::readers::form::Form;
use crate::ingest::readers::html::article;
use crate::ingest::readers::pdf::pdf;
use crate::ingest::readers::plain::plain;
use crate::ingest::readers::posts::{handle, posts};

/// A parser's task.
#[derive(Deserialize, Serialize)]
struct Task {
    form: Form,
    /// The charset that a header declares.
    charset: Option<String>,
    origin: Origin,
    /// Of an archive its file; of everything else the bytes follow.
    archive: Option<PathBuf>,
}

/// Reads the bytes of a source, given the charset that a header declares. Plain text is read here, everything else by a
/// process of its own. Blocks.
///
/// # Errors
/// In words: what the form's reader refuses, and that it broke, took too much or hung.
pub fn read(form: Form, bytes: Vec<u8>, charset: Option<String>, origin: Origin) -> Result<Reading, String> {
    let task = Task { form, charset, origin, archive: None };
    if form == Form::Text { parse(task, bytes) } else { apart(&task, bytes) }
}

/// Reads an archive of posts, by a process of its own. Blocks.
///
/// # Errors
/// As [`read`].
pub fn read_posts(file: &Path, origin: Origin) -> Result<Reading, String> {
    let file = absolute(file).map_err(|it| format!("cannot be found: {it}"))?;
    apart(&Task { form: Form::Posts, charset: None, origin, archive: Some(file) }, Vec::new())
}

/// Is the process of its own: reads one source, and ends.
///
/// # Errors
/// The system's: nobody asks, or nobody listens.
pub fn serve_one() -> io::Result<()> {
    serve(parse)
}

fn parse(task: Task, bytes: Vec<u8>) -> Result<Reading, String> {
    let Task { form, charset, origin, archive } = task;
    if let Some(file) = archive {
        let found = posted(&file)?;
        let handle = found.account.as_deref().and_then(handle);
        return posts(&found.files, handle.as_deref(), &origin);
    }
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
}
