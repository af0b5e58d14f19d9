//! The state machine of a running debate.
//!
//! An engine is a pure state machine over the debate's own events ([`engine`]). It requests effects: questions to
//! providers whose answers its present state needs ([`effect`]). A [`session`] decides which of them to start, which
//! events an outcome adds to the log, and when the debate is over; [`closing`] effects are asked before an engine's own
//! end. [`command`] grants or refuses commands of people; [`external`] validates events of an external orchestrator.
//!
//! Library passages are supplied with a prompt as data: [`passages::prompt_assembly`] adds them, after [`safety`] has
//! sanitized and scanned them. A speaker may ask for a search before answering: [`passages::searching`]. [`quotations`] finds and checks quotations from them, and
//! [`rulings`] holds the reasons of judges against their rulings.
//!
//! Pure. Imports `events`, `argumentation`, `projections` and `verdicts`. Calls nothing and waits for nothing: the
//! runtime carries out the decisions made here.

pub mod closing;
pub mod command;
pub mod degenerate;
pub mod effect;
pub mod engine;
pub mod external;
pub mod forking;
pub mod ledger;
pub mod open_requests;
pub mod passages;
pub mod phrase_check;
pub mod prompt;
pub mod quotations;
pub mod reply;
pub mod reservation;
pub mod retry_reason;
pub mod rulings;
pub mod safety;
pub mod schema;
pub mod session;
pub mod similarity;
pub mod spoken_text;
pub mod task;
