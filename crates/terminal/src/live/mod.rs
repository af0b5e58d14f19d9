//! A running debate on the terminal, event by event.

pub mod after_end_notices;
pub mod block;
pub mod clerk;
pub mod drafts;
pub mod event_notices;
pub mod judgements;
pub mod live;
pub mod motion_notices;
pub mod pending_calls;
pub mod places;
pub mod proposal;
pub mod room_card;
pub mod speech;
pub mod table_notices;
pub mod talk;
