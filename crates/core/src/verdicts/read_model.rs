//! Read model of a whole debate: all projections as one fold, and the verdict over them.
//!
//! This is the only list of projections: fields, fold and law tests derive from it.

use std::fmt::Debug;

use crate::events::dispute::ReasonGiven;
use crate::events::event::Recorded;
use crate::events::ids::DisputeId;
use crate::projections::agenda::Agenda;
use crate::projections::argument_graph::{Argument, ArgumentGraph};
use crate::projections::attention::Attention;
use crate::projections::audits::Audits;
use crate::projections::calls::missed_calls::MissedCalls;
use crate::projections::calls::searches::Searches;
use crate::projections::calls::speaker_use::SpeakersUse;
use crate::projections::concessions::Concessions;
use crate::projections::crux_proposals::CruxProposals;
use crate::projections::crux_rooms::CruxRooms;
use crate::projections::disputes::dispute_graph::DisputeGraph;
use crate::projections::fact_checks::FactChecks;
use crate::projections::flip_conditions::FlipConditions;
use crate::projections::floor::Floor;
use crate::projections::grounding::Grounding;
use crate::projections::motion::Motion;
use crate::projections::participants::Participants;
use crate::projections::probes::Probes;
use crate::projections::progress::TalkProgress;
use crate::projections::projection::Projection;
use crate::projections::proposals::Proposals;
use crate::projections::room_candidates::RoomCandidates;
use crate::projections::summary::Summary;
use crate::projections::tables::Tables;
use crate::projections::transcript::Transcript;
use crate::projections::voice_compliance::VoiceCompliance;
use crate::verdicts::audit::items::{AuditItem, items};
use crate::verdicts::coverage::proposal_asked_about;
use crate::verdicts::verdict::{Verdict, VerdictInputs, verdict};

/// Revision of folds and rules. Increase it whenever one of them changes; everything stored is then rebuilt.
pub const REVISION: i32 = 26;

/// Visitor of all projections, for code that treats each of them alike.
pub trait ProjectionVisitor {
    /// Visits one projection: the name of its field in [`DebateReadModel`], and its state.
    fn visit<P: Projection + Clone + Debug + PartialEq>(&mut self, name: &'static str, view: &P);
}

/// Defines the read model from the list of projections, one line each: field and type.
macro_rules! read_model {
    ($($(#[$doc:meta])+ $name:ident: $projection:ty,)+) => {
        /// All projections of one debate at one version.
        #[derive(Clone, Debug, Default, PartialEq)]
        pub struct DebateReadModel {
            $($(#[$doc])+ pub $name: $projection,)+
        }

        impl DebateReadModel {
            /// Applies the next event.
            pub fn apply(&mut self, recorded: &Recorded) {
                $(self.$name.apply(recorded);)+
            }

            /// Shows every projection to a visitor, in order.
            pub fn visit(&self, visitor: &mut impl ProjectionVisitor) {
                $(visitor.visit(stringify!($name), &self.$name);)+
            }
        }
    };
}

read_model! {
    /// Summary.
    summary: Summary,
    /// Turns in order.
    transcript: Transcript,
    /// Arguments and attacks.
    arguments: ArgumentGraph,
    /// Disputes, stances and reasons.
    disputes: DisputeGraph,
    /// Cruxes that participants proposed.
    crux_proposals: CruxProposals,
    /// Rooms for the discussion of one question. Of a verdict, only the cards of cruxes show what they state.
    rooms: CruxRooms,
    /// Candidates for rooms, as a detector saw them. No verdict depends on them.
    candidates: RoomCandidates,
    /// The floor of the main channel and of rooms, and skipped turns. No verdict depends on them.
    floor: Floor,
    /// Attention to turns. No verdict depends on it.
    attention: Attention,
    /// The questions in focus. No verdict depends on them.
    agenda: Agenda,
    /// Tables of a debate in rounds. No verdict depends on them.
    tables: Tables,
    /// Fact checks of claims. No verdict depends on them.
    fact_checks: FactChecks,
    /// Sides of a formal debate, and drafts. No verdict depends on them.
    motion: Motion,
    /// Searches that speakers asked for. No verdict depends on them.
    searches: Searches,
    /// Words and calls of each participant. No verdict depends on them.
    speaker_use: SpeakersUse,
    /// Recorded concessions.
    concessions: Concessions,
    /// Audits of words.
    audits: Audits,
    /// Probes after the end. No verdict depends on them.
    probes: Probes,
    /// Conditions that participants stated for a change of their mind.
    flip_conditions: FlipConditions,
    /// Calls that were given up, and turns that no clerk read.
    missed: MissedCalls,
    /// Progress of the talk.
    progress: TalkProgress,
    /// Proposals of a dialectic debate.
    proposals: Proposals,
    /// Grounding of speech in cited passages.
    grounding: Grounding,
    /// Participants as the debate pinned them.
    cast: Participants,
    /// Compliance of turns with the pinned voices.
    voice: VoiceCompliance,
}

impl DebateReadModel {
    /// Folds the given events, in order.
    pub fn of<'a>(events: impl IntoIterator<Item = &'a Recorded>) -> DebateReadModel {
        let mut read_model = DebateReadModel::default();
        for recorded in events {
            read_model.apply(recorded);
        }
        read_model
    }

    /// Computes the verdict.
    pub fn verdict(&self) -> Verdict {
        verdict(self.verdict_inputs())
    }

    /// Projections from which the verdict is computed.
    pub fn verdict_inputs(&self) -> VerdictInputs<'_> {
        VerdictInputs {
            summary: &self.summary,
            transcript: &self.transcript,
            graph: &self.arguments,
            disputes: &self.disputes,
            concessions: &self.concessions,
            cruxes: &self.crux_proposals,
            drafts: &self.proposals,
            cast: &self.cast,
            rooms: &self.rooms,
            flip_conditions: &self.flip_conditions,
            audits: &self.audits,
            missed: &self.missed,
        }
    }

    /// True if a turn contains a statement.
    pub fn is_said(&self, statement: &str) -> bool {
        self.transcript.turns.iter().any(|turn| self.transcript.quote(turn.turn, statement).is_some())
    }

    /// True if no turn of its speaker contains a statement of an argument: a clerk's reading of what they take for granted,
    /// or a statement that was written and not spoken. False if the turn of the argument is unknown.
    pub fn is_unsaid(&self, argument: &Argument, statement: &str) -> bool {
        let is_known = argument.turns().any(|turn| self.transcript.turn(turn).is_some());
        is_known && self.transcript.said_by(&argument.advanced.speaker, statement).next().is_none()
    }

    /// True if the turn of a reason does not contain one of its statements.
    pub fn is_unsaid_reason(&self, given: &ReasonGiven, statement: &str) -> bool {
        self.transcript.quote(given.turn, statement).is_none()
    }

    /// True if a dispute asks whether a proposal should stand.
    pub fn asks_about_proposal(&self, dispute: DisputeId) -> bool {
        let dispute = self.disputes.disputes.get(&dispute);
        dispute.is_some_and(|dispute| proposal_asked_about(&self.proposals, dispute).is_some())
    }

    /// Lists the words that an audit reads, those that were read before included.
    pub fn audit_items(&self) -> Vec<AuditItem> {
        items(self.verdict_inputs().audited())
    }

    /// True if no event was applied.
    pub fn is_empty(&self) -> bool {
        self.summary.version == 0
    }
}
