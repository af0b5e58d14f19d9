//! Who is let in, and to what: the files of tokens and of operations, where there are any.

use std::path::Path;

use crate::api::persisted::Allowed;
use crate::api::tokens::Access;
use crate::app::error::AppError;
use crate::config::Config;

/// The largest of these files that is read, in bytes.
const MAX_FILE_BYTES: u64 = 4 * 1024 * 1024;

/// Whom the service lets in: holders of tokens, where `FAULTLINE_TOKENS` names a file of them; else everybody.
///
/// # Errors
/// [`AppError::Configuration`] where the file cannot be read as one: then nobody is let in by mistake.
pub fn access(config: &Config) -> Result<Access, AppError> {
    let Some(path) = &config.tokens else { return Ok(Access::default()) };
    read(path).map_err(|why| AppError::Configuration(format!("FAULTLINE_TOKENS: {}: {why}", path.display())))
}

/// The only operations that readers and writers may ask for, where `FAULTLINE_OPERATIONS` names a file of them.
///
/// # Errors
/// [`AppError::Configuration`] where the file cannot be read as one.
pub fn allowed(config: &Config) -> Result<Option<Allowed>, AppError> {
    let Some(path) = &config.operations else { return Ok(None) };
    let read = text(path).and_then(|it| Allowed::read(&it, &config.limits));
    read.map(Some).map_err(|why| AppError::Configuration(format!("FAULTLINE_OPERATIONS: {}: {why}", path.display())))
}

fn read(path: &Path) -> Result<Access, String> {
    Access::by_tokens(&text(path)?).map_err(|it| it.to_string())
}

fn text(path: &Path) -> Result<String, String> {
    let size = std::fs::metadata(path).map_err(|it| it.to_string())?.len();
    if size > MAX_FILE_BYTES {
        return Err(format!("it has {size} bytes; at most {MAX_FILE_BYTES}"));
    }
    std::fs::read_to_string(path).map_err(|it| it.to_string())
}
