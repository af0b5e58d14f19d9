//! Measurements and checks over the shipped personas, corpora and labelled sets.

mod audit_sentences;
mod personas;
mod positions;
mod questions;
mod retrieval;
mod voice;
