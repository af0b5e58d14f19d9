//! Integration tests that need a real Postgres, real sockets or real processes. Each test has its own database.

mod support;
mod attacks;
mod api;
mod database;
mod debates;
mod faults;
mod library;
mod log;
mod providers;
mod scale;
mod studio;
mod subscriptions;
mod views;
