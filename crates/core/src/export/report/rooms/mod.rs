//! Rooms, threads, tables and sides in a report: their results, the agenda, the places of cruxes, and fact checks. Results are shown as
//! stated by the service that closed the room or checked the claim.

pub mod agenda;
pub mod crux_places;
pub mod fact_checks;
pub mod searches;
pub mod motion;
pub mod room_reports;
pub mod room_sections;
pub mod tables;
