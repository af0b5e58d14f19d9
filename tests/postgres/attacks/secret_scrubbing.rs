//! Provider keys appear in nothing that is recorded.
