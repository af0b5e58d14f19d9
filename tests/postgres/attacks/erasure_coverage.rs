//! Erasure reaches every table and column of the database.
