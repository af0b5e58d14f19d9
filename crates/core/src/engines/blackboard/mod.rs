//! Blackboard debates: the engines `blitz` and `classical`. Both decompose the topic, seat tables and measure how far stances
//! come together; they differ in who speaks in a round.

pub mod blackboard;
pub mod blitz;
pub mod board;
pub mod classical;
pub mod convergence;
pub mod decomposition;
pub mod endings;
pub mod intents;
pub mod requests;
pub mod rounds;
pub mod schema;
pub mod seating;
pub mod settings;
pub mod speaking_order;
pub mod words;
