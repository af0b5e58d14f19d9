//! Commands on debates: run and continue, list, show, watch, replay, compare, fork, export and import them, and search
//! their cruxes.

pub mod audit;
pub mod compare;
pub mod control;
pub mod cruxes;
pub mod debate;
pub mod export;
pub mod export_table;
pub mod fork;
pub mod history;
pub mod import;
pub mod list;
pub mod redistill;
pub mod replay;
pub mod run;
pub mod show;
pub mod watch;
pub mod what_if;
