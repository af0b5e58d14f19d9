//! Read model of a whole debate: all projections as one fold, and the verdict over them.

use crate::events::event::Recorded;
use crate::projections::argument_graph::ArgumentGraph;
use crate::projections::concessions::Concessions;
use crate::projections::crux_proposals::CruxProposals;
use crate::projections::crux_rooms::CruxRooms;
use crate::projections::dispute_graph::DisputeGraph;
use crate::projections::fact_checks::FactChecks;
use crate::projections::grounding::Grounding;
use crate::projections::participants::Cast;
use crate::projections::progress::TalkProgress;
use crate::projections::projection::Projection;
use crate::projections::proposals::Proposals;
use crate::projections::summary::Summary;
use crate::projections::transcript::Transcript;
use crate::projections::voice_compliance::VoiceCompliance;
use crate::verdicts::verdict::{Verdict, verdict};

/// Revision of folds and rules. Increase it whenever one of them changes; everything stored is then rebuilt.
pub const REVISION: i32 = 7;

/// All projections of one debate at one version.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DebateReadModel {
    /// Summary.
    pub summary: Summary,
    /// Turns in order.
    pub transcript: Transcript,
    /// Arguments and attacks.
    pub arguments: ArgumentGraph,
    /// Disputes, stances and reasons.
    pub disputes: DisputeGraph,
    /// Cruxes that participants proposed.
    pub crux_proposals: CruxProposals,
    /// Rooms for the discussion of one question. No verdict depends on them.
    pub rooms: CruxRooms,
    /// Fact checks of claims. No verdict depends on them.
    pub fact_checks: FactChecks,
    /// Recorded concessions.
    pub concessions: Concessions,
    /// Progress of the talk.
    pub progress: TalkProgress,
    /// Proposals of a dialectic debate.
    pub proposals: Proposals,
    /// Grounding of speech in cited passages.
    pub grounding: Grounding,
    /// Participants as the debate pinned them.
    pub cast: Cast,
    /// Compliance of turns with the pinned voices.
    pub voice: VoiceCompliance,
}

impl DebateReadModel {
    /// Folds the given events, in order.
    pub fn of<'a>(events: impl IntoIterator<Item = &'a Recorded>) -> DebateReadModel {
        let mut board = DebateReadModel::default();
        for recorded in events {
            board.apply(recorded);
        }
        board
    }

    /// Applies the next event.
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

    /// Computes the verdict.
    pub fn verdict(&self) -> Verdict {
        verdict(&self.summary, &self.transcript, &self.arguments, &self.disputes, &self.crux_proposals, None)
    }

    /// True if no event was applied.
    pub fn is_empty(&self) -> bool {
        self.summary.version == 0
    }
}
