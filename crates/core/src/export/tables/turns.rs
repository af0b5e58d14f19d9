//! Table of turns.

use std::collections::BTreeMap;

use uuid::Uuid;

use crate::events::event::{Event, Recorded};
use crate::events::ids::{DebateId, TurnId};
use crate::events::turn::Move;
use crate::export::tables::cell::{TableRows, joined};
use crate::export::tables::export_table::{ExportTable, TableFold, TableSource};
use crate::projections::projection::Projection;
use crate::projections::transcript::{Transcript, Turn};

/// Turns and interjections, in order.
pub const TURNS: ExportTable = ExportTable {
    name: "turns",
    about: "One row per turn or interjection, in the order in which they were recorded.",
    columns: COLUMNS,
    source: TableSource::Events {
        kinds: &["debate_opened", "debate_forked", "phase_entered", "turn_taken", "interjected"],
        fold: || Box::new(TurnsFold::default()),
    },
};

struct TurnItem<'a> {
    debate: DebateId,
    turn: &'a Turn,
    receipt: Option<Uuid>,
}

table_row!(item: TurnItem<'_> {
    Uuid "debate_id" "Id of the debate." => item.debate;
    Integer "version" "Version of the event that recorded the turn." => item.turn.version;
    Text "turn_id" "Id of the turn in its debate." => item.turn.turn;
    Text or null "speaker_id" "Persona that spoke; null for the moderator." => item.turn.speaker.as_ref();
    Text "speaker" "Display name of the speaker." => item.turn.name.as_str();
    Text or null "phase" "Phase of the turn, as the engine names it." => item.turn.phase.as_deref();
    Integer or null "round" "Round of the turn, if the engine has rounds; 0 is the opening." => item.turn.round;
    Text or null "room_id" "Room of the turn; null in the main channel." => item.turn.room;
    Text "moves" "Moves of the turn, separated by commas: `claim`, `challenge`, `clarify`, `concede`, `reframe`, \
        `propose_crux`, `propose`; empty for an interjection." => joined(item.turn.moves.iter().copied().map(Move::name));
    Text or null "reply_to" "Turn that it answers." => item.turn.answers;
    Text or null "addressed_id" "Persona that spoke in that turn, if it is another participant."
        => item.turn.addressed.as_ref();
    Integer "n_words" "Number of words of the text." => item.turn.text.split_whitespace().count();
    Integer "n_citations" "Number of passages cited." => item.turn.citations.len();
    Integer "n_refused" "Number of parts of the reply that were refused." => item.turn.refused.len();
    Text "text" "Text of the turn." => item.turn.text.as_str();
    Uuid or null "receipt_id" "Id of the event with the answer of which the turn was drawn: `receipt_id` of `calls`; null for \
        an interjection or an import." => item.receipt;
    Timestamp "at" "Time at which the turn was recorded." => item.turn.at;
});

#[derive(Default)]
struct TurnsFold {
    transcript: Transcript,
    receipts: BTreeMap<TurnId, Uuid>,
}

impl TableFold for TurnsFold {
    fn apply(&mut self, recorded: &Recorded) {
        self.transcript.apply(recorded);
        if let (Event::TurnTaken(taken), Some(receipt)) = (&recorded.event, recorded.caused_by) {
            self.receipts.insert(taken.turn, receipt);
        }
    }

    fn push_rows(&self, debate: DebateId, rows: &mut TableRows) {
        for turn in &self.transcript.turns {
            push_row(rows, &TurnItem { debate, turn, receipt: self.receipts.get(&turn.turn).copied() });
        }
    }
}
