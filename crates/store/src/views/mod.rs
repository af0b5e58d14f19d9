//! Stored read models: debates with statistics over them, agreement of participants, cruxes, disputes, persona versions and
//! dead letters, by generation. Reading and the statements that write each table; `generations::save` writes them together.

pub mod analyst_debates;
pub mod crux_writes;
pub mod cruxes;
pub mod dead_letters;
pub mod debate_stats;
pub mod debates;
pub mod dispute_writes;
pub mod disputes;
pub mod editions;
pub mod persona_agreements;
pub mod question_search;
pub mod short_ids;
pub mod stored_summary;
pub mod views;

pub(crate) mod debate_writes;
pub(crate) mod json_rows;
