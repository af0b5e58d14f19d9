//! Why a file cannot be imported. Nothing of it was.

use crate::kernel::engine::{Refusal, RefusalKind};

/// Why a file cannot be imported. Nothing of it was.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ImportError {
    /// More than a file may hold.
    #[error("{place}: {actual} {what}; an import takes {limit} at most")]
    Limit {
        /// Where in the file.
        place: String,
        /// What there is too much of, with its unit.
        what: &'static str,
        /// The most there may be.
        limit: usize,
        /// How much there is.
        actual: usize,
    },
    /// Not text at all.
    #[error("byte {offset} is no UTF-8 text: a debate is imported from JSON, or from JSON lines")]
    Binary {
        /// Bytes before the first that is none, from 0.
        offset: usize,
    },
    /// Text, but no JSON, or a kind of JSON that says two things at once.
    #[error("line {line}, column {column}: {what}")]
    Json {
        /// Counted from 1.
        line: usize,
        /// Counted from 1, in bytes.
        column: usize,
        /// What the reader said.
        what: String,
    },
    /// JSON, but none of the shapes that are known.
    #[error(
        "{found}; taken are event streams (blitz, classical, graph, dialogue, crux rooms), result files (v1, v2) and \
         exports of ours (jsonl, json)"
    )]
    Unknown {
        /// What was found instead.
        found: String,
    },
    /// Of a known shape, and not whole.
    #[error("{place}: {what}")]
    Broken {
        /// Where in the file.
        place: String,
        /// What is wrong with it, and how to mend it.
        what: String,
    },
}

impl ImportError {
    /// An error in a file of a known shape.
    pub fn broken(place: impl Into<String>, what: impl Into<String>) -> ImportError {
        ImportError::Broken { place: place.into(), what: what.into() }
    }

    /// Refuses where there is more of something than may be.
    ///
    /// # Errors
    /// [`ImportError::Limit`] above the limit.
    pub fn within(place: &str, what: &'static str, limit: usize, actual: usize) -> Result<(), ImportError> {
        if actual <= limit {
            return Ok(());
        }
        Err(ImportError::Limit { place: place.to_owned(), what, limit, actual })
    }
}

impl From<ImportError> for Refusal {
    fn from(error: ImportError) -> Refusal {
        let kind = if matches!(error, ImportError::Limit { .. }) { RefusalKind::Limit } else { RefusalKind::Invalid };
        Refusal::new(kind, error.to_string())
    }
}
