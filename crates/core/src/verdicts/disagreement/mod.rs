//! The parts of a disagreement as the debate shows them: fault lines between its sides, evidence offered and contested,
//! conditions under which an argument would be accepted again, and questions that would settle the cruxes.
//!
//! All are computed from arguments, stances and verdict. Each item names the arguments, attacks or disputes that show
//! it, and a list is empty if the debate shows nothing.

pub mod camp_lines;
pub mod dispute_lines;
pub mod evidence_ledger;
pub mod fault_category;
pub mod fault_line;
pub mod fault_lines;
pub mod flip_conditions;
pub mod proposal_answers;
pub mod resolution_paths;
pub mod room_summary;
pub mod stance_measures;
pub mod tracked_conditions;
