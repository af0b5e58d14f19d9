//! Errors of the import. A file that fails is not imported in part.

use crate::kernel::engine::Refusal;

/// Reason why a file cannot be imported. Nothing of it is imported.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ImportError {
    /// Import limit exceeded.
    #[error("{place}: {actual} {what}; the limit is {limit}")]
    Limit {
        /// Place in the file.
        place: String,
        /// Kind of the things counted, in the plural.
        what: &'static str,
        /// Maximum number.
        limit: usize,
        /// Actual number.
        actual: usize,
    },
    /// The file is not UTF-8 text.
    #[error("byte {offset} is not valid UTF-8; import a debate as JSON or as JSON lines")]
    Binary {
        /// Offset of the first invalid byte, from 0.
        offset: usize,
    },
    /// The text is not valid JSON, or an object repeats a key.
    #[error("line {line}, column {column}: {what}")]
    Json {
        /// Line, counted from 1.
        line: usize,
        /// Column, counted from 1, in bytes.
        column: usize,
        /// Message of the parser.
        what: String,
    },
    /// The JSON value has none of the supported shapes.
    #[error(
        "{found}; supported are event streams (blitz, classical, graph, dialogue, crux rooms), result files (v1, v2) \
         and Faultline exports (jsonl, json)"
    )]
    Unknown {
        /// Description of the content.
        found: String,
    },
    /// The file has a supported shape, but is invalid.
    #[error("{place}: {what}")]
    Broken {
        /// Place in the file.
        place: String,
        /// Error, and the way to correct it.
        what: String,
    },
}

impl ImportError {
    /// Creates an error for an invalid file of a supported shape.
    pub fn broken(place: impl Into<String>, what: impl Into<String>) -> ImportError {
        ImportError::Broken { place: place.into(), what: what.into() }
    }

    /// Checks a limit.
    ///
    /// # Errors
    /// [`ImportError::Limit`] if `actual` is above `limit`.
    pub fn within(place: &str, what: &'static str, limit: usize, actual: usize) -> Result<(), ImportError> {
        if actual <= limit {
            return Ok(());
        }
        Err(ImportError::Limit { place: place.to_owned(), what, limit, actual })
    }
}

impl From<ImportError> for Refusal {
    fn from(error: ImportError) -> Refusal {
        let reason = error.to_string();
        match error {
            ImportError::Limit { what, limit, actual, .. } => {
                Refusal::limit(&what.replace(' ', "_"), limit as u64, actual as u64, reason)
            }
            _ => Refusal::invalid(reason),
        }
    }
}
