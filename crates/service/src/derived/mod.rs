//! Debates made from another one: forks, which share its history, and debates that distil its talk anew.

pub mod fork;
pub mod redistill;
