//! The whole of a debate as one fold: every view, and the verdict over them.

use crate::events::event::Recorded;
use crate::projections::argument_graph::ArgumentGraph;
use crate::projections::cast::Cast;
use crate::projections::concessions::Concessions;
use crate::projections::crux_proposals::CruxProposals;
use crate::projections::crux_rooms::CruxRooms;
use crate::projections::dispute_graph::DisputeGraph;
use crate::projections::fact_checks::FactChecks;
use crate::projections::grounding::Grounding;
use crate::projections::progress::Progress;
use crate::projections::projection::Projection;
use crate::projections::proposals::Proposals;
use crate::projections::summary::Summary;
use crate::projections::transcript::Transcript;
use crate::projections::voice::VoiceKept;
use crate::verdicts::verdict::{Verdict, verdict};

/// Raise it whenever a fold or a rule of the verdict changes its mind: everything stored is then made again.
pub const REVISION: i32 = 7;

/// Every view of one debate, at one version.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Board {
    /// The debate in a line.
    pub summary: Summary,
    /// The turns in order.
    pub transcript: Transcript,
    /// Arguments and attacks.
    pub arguments: ArgumentGraph,
    /// Disputes and stances.
    pub disputes: DisputeGraph,
    /// What participants hold to be the crux.
    pub crux_proposals: CruxProposals,
    /// Rooms in which a disagreement is talked out. No verdict rests on them.
    pub rooms: CruxRooms,
    /// Claims that were checked. No verdict rests on what a checker says.
    pub fact_checks: FactChecks,
    /// Who gave ground.
    pub concessions: Concessions,
    /// How far the talk had come.
    pub progress: Progress,
    /// What thesis, antithesis and synthesis work on.
    pub proposals: Proposals,
    /// What speech rests on.
    pub grounding: Grounding,
    /// Who takes part, as the debate pinned them.
    pub cast: Cast,
    /// How far turns keep to the voices that the debate pinned.
    pub voice: VoiceKept,
}

impl Board {
    /// The board after all these events, in order.
    pub fn of<'a>(events: impl IntoIterator<Item = &'a Recorded>) -> Board {
        let mut board = Board::default();
        for recorded in events {
            board.apply(recorded);
        }
        board
    }

    /// Takes note of the next event.
    pub fn apply(&mut self, recorded: &Recorded) {
        self.summary.apply(recorded);
        self.transcript.apply(recorded);
        self.arguments.apply(recorded);
        self.disputes.apply(recorded);
        self.crux_proposals.apply(recorded);
        self.rooms.apply(recorded);
        self.fact_checks.apply(recorded);
        self.concessions.apply(recorded);
        self.progress.apply(recorded);
        self.proposals.apply(recorded);
        self.grounding.apply(recorded);
        self.cast.apply(recorded);
        self.voice.apply(recorded);
    }

    /// What may be said of it.
    pub fn verdict(&self) -> Verdict {
        verdict(&self.summary, &self.transcript, &self.arguments, &self.disputes, &self.crux_proposals, None)
    }

    /// Whether any event was seen.
    pub fn is_empty(&self) -> bool {
        self.summary.version == 0
    }
}
