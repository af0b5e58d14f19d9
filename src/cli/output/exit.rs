//! Errors and exit codes of commands.

use std::process::ExitCode;

use crate::api::local::LocalQueryError;
use crate::app::error::AppError;
use faultline_core::kernel::engine::Refusal;
use faultline_ingest::file_error::FileError;
use faultline_ingest::report::IngestError;
use faultline_service::error::ServiceError;
use faultline_store::error::StoreError;
use faultline_store::library::open::LibraryError;
use faultline_store::shard::ShardError;

/// Exit code of a command that the user interrupted.
pub const INTERRUPTED: u8 = 130;

/// Error of a command: one line for people, and an exit code.
#[derive(Debug, thiserror::Error)]
pub enum CliError {
    /// Refused, or not found: exit code 1.
    #[error("{0}")]
    Refused(String),
    /// Invalid arguments or configuration: exit code 2.
    #[error("{0}")]
    Usage(String),
    /// Internal fault or fault of the machine: exit code 3.
    #[error("{0}")]
    Fault(String),
    /// The debate ended, but stalled or failed: exit code 4.
    #[error("{0}")]
    Unfinished(String),
    /// The user pressed Ctrl-C: exit code 130, as of a process that SIGINT ended. The message is empty if there is nothing
    /// to say.
    #[error("{0}")]
    Interrupted(String),
    /// The reader of the output closed the pipe: exit code 0, and no message.
    #[error("the reader of the output closed the pipe")]
    OutputClosed,
}

impl CliError {
    /// Returns the exit code.
    pub fn code(&self) -> ExitCode {
        match self {
            CliError::OutputClosed => ExitCode::SUCCESS,
            CliError::Refused(_) => ExitCode::from(1),
            CliError::Usage(_) => ExitCode::from(2),
            CliError::Fault(_) => ExitCode::from(3),
            CliError::Unfinished(_) => ExitCode::from(4),
            CliError::Interrupted(_) => ExitCode::from(INTERRUPTED),
        }
    }

    /// Returns true if nothing is printed about the error: the reader of the output is gone, or the user knows.
    pub fn is_silent(&self) -> bool {
        matches!(self, CliError::OutputClosed) || matches!(self, CliError::Interrupted(hint) if hint.is_empty())
    }
}

impl From<Refusal> for CliError {
    fn from(refusal: Refusal) -> Self {
        CliError::Refused(refusal.to_string())
    }
}

impl From<Vec<FileError>> for CliError {
    fn from(faults: Vec<FileError>) -> Self {
        CliError::Refused(faults.iter().map(FileError::to_string).collect::<Vec<_>>().join("\n"))
    }
}

impl From<StoreError> for CliError {
    fn from(fault: StoreError) -> Self {
        match fault {
            StoreError::Erased { .. } | StoreError::MasterKeyMismatch { .. } | StoreError::KeyMissing { .. } => {
                CliError::Refused(fault.to_string())
            }
            StoreError::Shard(
                ShardError::NoShard { .. }
                | ShardError::NoLane { .. }
                | ShardError::MoveUnderWay { .. }
                | ShardError::QuestionsMoving { .. },
            ) => CliError::Refused(fault.to_string()),
            StoreError::Address { .. } | StoreError::ReadAddress { .. } => CliError::Usage(fault.to_string()),
            _ => CliError::Fault(fault.to_string()),
        }
    }
}

impl From<LocalQueryError> for CliError {
    fn from(error: LocalQueryError) -> Self {
        match error {
            LocalQueryError::Refused(reason) => CliError::Refused(reason),
            LocalQueryError::Fault(reason) => CliError::Fault(reason),
        }
    }
}

impl From<ServiceError> for CliError {
    fn from(error: ServiceError) -> Self {
        match error {
            ServiceError::Refused(refusal) => refusal.into(),
            ServiceError::Moved { reason, .. } => CliError::Refused(reason),
            ServiceError::Fault(fault) => fault.into(),
        }
    }
}

impl From<AppError> for CliError {
    fn from(error: AppError) -> Self {
        match error {
            AppError::Refused(reason) => CliError::Refused(reason),
            AppError::Store(fault) => fault.into(),
            AppError::Configuration(reason) => CliError::Usage(reason),
            listen @ AppError::Listen { .. } => CliError::Refused(listen.to_string()),
            AppError::Embedded(fault) if fault.is_about_a_choice() => CliError::Refused(fault.to_string()),
            AppError::Ingest(
                fault @ (IngestError::Personas(_) | IngestError::SharedCorpora(_) | IngestError::Corpus(_)),
            ) => CliError::Refused(fault.to_string()),
            AppError::Library(error @ LibraryError::OtherEmbedder { .. })
            | AppError::Ingest(IngestError::Library(error @ LibraryError::OtherEmbedder { .. })) => {
                CliError::Refused(error.to_string())
            }
            other => CliError::Fault(other.to_string()),
        }
    }
}

impl From<std::io::Error> for CliError {
    fn from(error: std::io::Error) -> Self {
        match error.kind() {
            std::io::ErrorKind::BrokenPipe => CliError::OutputClosed,
            _ => CliError::Fault(format!("printing failed: {error}")),
        }
    }
}
