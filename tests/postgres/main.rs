//! Tests that need a Postgres: each has a database of its own.

mod support;

mod log;
