//! Faultline.
#![allow(missing_docs)]
pub mod argumentation;
pub mod engines;
pub mod events;
pub mod kernel;
pub mod projections;
pub mod verdicts;
pub mod providers {
    pub mod ports;
}
