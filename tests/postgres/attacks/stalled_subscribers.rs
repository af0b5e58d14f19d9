//! Subscribers that never read hold no database connection.
