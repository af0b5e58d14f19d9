//! Export tables: debates as rows with typed columns, for spreadsheets, data frames and databases.
//!
//! ```text
//! stored list ──────────────────────────────> debates
//! stored cruxes ────────────────────────────> cruxes
//! events of some kinds --fold of a debate--> turns, arguments, attacks, stances, concessions, citations, checks, calls
//! ```
//!
//! A table is a file: its columns with their documentation and values (`table_row!`), the kinds of events that it folds,
//! and a line in [`registry`]. Its documentation in docs/tables.md is generated from the columns.
//!
//! Not here: encoding rows as CSV, JSON Lines or Parquet, and reading debates (`service/tables`). Tables of a debate in
//! rounds, at which participants sit, are another matter: `projections/tables.rs`.

mod row_macro;

pub mod arguments;
pub mod attacks;
pub mod calls;
pub mod cell;
pub mod checks;
pub mod citations;
pub mod concessions;
pub mod cruxes;
pub mod debates;
pub mod export_table;
pub mod measures;
pub mod reference;
pub mod registry;
pub mod stances;
pub mod turns;
