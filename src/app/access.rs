//! Who is let in: the file of tokens, where there is one.

use std::path::Path;

use crate::api::tokens::Access;
use crate::app::error::AppError;
use crate::config::Config;

/// The largest file of tokens that is read, in bytes.
const MAX_FILE_BYTES: u64 = 4 * 1024 * 1024;

/// Whom the service lets in: holders of tokens, where `FAULTLINE_TOKENS` names a file of them; else everybody.
///
/// # Errors
/// [`AppError::Configuration`] where the file cannot be read as one: then nobody is let in by mistake.
pub fn access(config: &Config) -> Result<Access, AppError> {
    let Some(path) = &config.tokens else { return Ok(Access::default()) };
    read(path).map_err(|why| AppError::Configuration(format!("FAULTLINE_TOKENS: {}: {why}", path.display())))
}

fn read(path: &Path) -> Result<Access, String> {
    let size = std::fs::metadata(path).map_err(|it| it.to_string())?.len();
    if size > MAX_FILE_BYTES {
        return Err(format!("it has {size} bytes; at most {MAX_FILE_BYTES}"));
    }
    let file = std::fs::read_to_string(path).map_err(|it| it.to_string())?;
    Access::by_tokens(&file).map_err(|it| it.to_string())
}
