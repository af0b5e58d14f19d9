//! Measurements and checks over the shipped personas, corpora and labelled sets.

mod personas;
mod positions;
mod questions;
mod retrieval;
mod voice;
