//! Entry point of all readers.

use std::io;
use std::path::{Path, PathBuf, absolute};

use serde::{Deserialize, Serialize};

use crate::readers::archive::posted;
use crate::readers::decode::decode;
use crate::readers::document::{ReadDocuments, SourceMetadata};
use crate::readers::feed::feed;
use crate::readers::form::Form;
use crate::readers::html::article;
use crate::readers::parser_sandbox::{run_isolated, serve};
use crate::readers::pdf::pdf;
use crate::readers::plain::plain;
use crate::readers::posts::{handle, posts};

/// Task of a parser process.
#[derive(Deserialize, Serialize)]
struct Task {
    form: Form,
    /// Charset that a header declares.
    charset: Option<String>,
    origin: SourceMetadata,
    /// Path of an archive; the bytes of all other sources follow the task.
    archive: Option<PathBuf>,
}

/// Reads the bytes of a source, given the charset that a header declares. Markdown and plain text are read in this
/// process, everything else in a separate one. Blocks.
///
/// # Errors
/// A message if the form's reader refuses the source, or if its process crashes, exceeds its memory or hangs.
pub fn read(
    form: Form,
    bytes: Vec<u8>,
    charset: Option<String>,
    origin: SourceMetadata,
) -> Result<ReadDocuments, String> {
    let task = Task { form, charset, origin, archive: None };
    if matches!(form, Form::Markdown | Form::Text) { parse(task, bytes) } else { run_isolated(&task, bytes) }
}

/// Reads a file of which the bytes are known. The bytes of an archive of posts are not needed. Blocks.
///
/// # Errors
/// The errors of [`read`].
pub fn read_file(form: Form, file: &Path, bytes: Vec<u8>) -> Result<ReadDocuments, String> {
    let origin = SourceMetadata::of_file(file);
    if form != Form::Posts {
        return read(form, bytes, None, origin);
    }
    let file = absolute(file).map_err(|error| format!("cannot be found: {error}"))?;
    run_isolated(&Task { form, charset: None, origin, archive: Some(file) }, Vec::new())
}

/// Runs as the parser process: reads one source from standard input and answers on standard output.
///
/// # Errors
/// [`io::Error`] if the limits cannot be set, the task cannot be read, or the answer cannot be written.
pub fn serve_one() -> io::Result<()> {
    serve(parse)
}

fn parse(task: Task, bytes: Vec<u8>) -> Result<ReadDocuments, String> {
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
        _ => plain(&decoded.text, form, &origin)?,
    };
    reading.remarks.extend(decoded.remark);
    Ok(reading)
}
