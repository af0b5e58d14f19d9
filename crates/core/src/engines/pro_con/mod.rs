//! The engine `pro_con`: two sides speak for and against a motion, in rounds of reflected speeches whose facts are checked.

pub mod claims;
pub mod decode;
pub mod entering;
pub mod fact_checks;
pub mod moderator;
pub mod outcomes;
pub mod pro_con;
pub mod requests;
pub mod rounds;
pub mod schema;
pub mod settings;
pub mod sides;
pub mod words;
