//! The service heals after a full disk, or exits with a clear error.
