//! Card of a crux: its question, the kind of disagreement, the conditions under which participants would change their
//! minds, the observations that would settle it, the diagnosis, and the resolution.
//!
//! Everything on a card is taken from the log. What nobody said is absent, and the card says why.

pub mod agreed_dispute;
pub mod crux_places;
pub mod crux_text;
pub mod diagnosis;
pub mod kind;
pub mod make_card;
pub mod mind_changes;
pub mod question;
pub mod resolution;
pub mod room;
