//! [`Event`], the vocabulary that all engines share, and its recorded form.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use uuid::Uuid;

use crate::events::argument::{
    ArgumentAdvanced, ArgumentRevised, ArgumentWithdrawn, AttackJudged, AttackRaised, AttackWithdrawn,
};
use crate::events::check::ClaimChecked;
use crate::events::crux::{CruxAcknowledged, CruxProposed, RoomClosed, RoomOpened};
use crate::events::dispute::{DisputeLinked, DisputeRaised, DisputeRetired, ReasonGiven, ReasonWithdrawn, StanceTaken};
use crate::events::distillation::{ClaimsCompared, ProgressMeasured, TurnsCrystallized};
use crate::events::fork::DebateForked;
use crate::events::ids::DebateId;
use crate::events::imported::{ArgumentSynthesised, RecordKept, VerdictImported};
use crate::events::lifecycle::{
    DebateAborted, DebateConcluded, DebateOpened, DebatePaused, DebateResumed, Interjected, PhaseEntered,
};
use crate::events::proposal::{ProposalCriticized, ProposalDrafted, ProposalSynthesized};
use crate::events::receipt::{EffectAbandoned, EffectAnswered, EffectFailed, EffectRequested, InjectionSuspected};
use crate::events::turn::{ConcessionMade, HintGiven, TurnTaken};

/// Event of a debate. Immutable, never deleted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", content = "body", rename_all = "snake_case", deny_unknown_fields)]
#[expect(missing_docs, reason = "each variant is documented at its body")]
pub enum Event {
    DebateOpened(Box<DebateOpened>),
    DebateForked(DebateForked),
    PhaseEntered(PhaseEntered),
    DebatePaused(DebatePaused),
    DebateResumed(DebateResumed),
    Interjected(Interjected),
    DebateConcluded(DebateConcluded),
    DebateAborted(DebateAborted),
    EffectRequested(EffectRequested),
    EffectAnswered(EffectAnswered),
    EffectFailed(EffectFailed),
    EffectAbandoned(EffectAbandoned),
    InjectionSuspected(InjectionSuspected),
    TurnTaken(TurnTaken),
    HintGiven(HintGiven),
    ConcessionMade(ConcessionMade),
    ArgumentAdvanced(ArgumentAdvanced),
    AttackRaised(AttackRaised),
    AttackJudged(AttackJudged),
    ArgumentRevised(ArgumentRevised),
    ArgumentWithdrawn(ArgumentWithdrawn),
    AttackWithdrawn(AttackWithdrawn),
    DisputeRaised(DisputeRaised),
    StanceTaken(StanceTaken),
    DisputeRetired(DisputeRetired),
    DisputeLinked(DisputeLinked),
    ReasonGiven(ReasonGiven),
    ReasonWithdrawn(ReasonWithdrawn),
    RoomOpened(RoomOpened),
    RoomClosed(RoomClosed),
    CruxProposed(CruxProposed),
    CruxAcknowledged(CruxAcknowledged),
    ClaimChecked(ClaimChecked),
    TurnsCrystallized(TurnsCrystallized),
    ClaimsCompared(ClaimsCompared),
    ProgressMeasured(ProgressMeasured),
    ProposalDrafted(ProposalDrafted),
    ProposalCriticized(ProposalCriticized),
    ProposalSynthesized(ProposalSynthesized),
    VerdictImported(VerdictImported),
    RecordKept(RecordKept),
    ArgumentSynthesised(ArgumentSynthesised),
    /// Event of a kind unknown to this program version, kept as stored. Folds ignore it.
    #[serde(skip)]
    Opaque(Opaque),
    /// Event of an erased debate. Its existence is known, its content is not. Folds ignore it.
    #[serde(skip)]
    Erased(Erased),
}

/// An event whose content was erased.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Erased {
    /// Wire name of the event.
    pub kind: String,
    /// Schema number that its body had.
    pub schema: i16,
}

/// Event of a kind unknown to this program version.
#[derive(Clone, Debug, PartialEq)]
pub struct Opaque {
    /// Wire name of the event.
    pub kind: String,
    /// Schema number of its body.
    pub schema: i16,
    /// The body as stored.
    pub body: Value,
}

impl Event {
    /// Returns the event's wire name: `turn_taken`.
    pub fn kind(&self) -> &str {
        match self {
            Event::DebateOpened(_) => "debate_opened",
            Event::DebateForked(_) => "debate_forked",
            Event::PhaseEntered(_) => "phase_entered",
            Event::DebatePaused(_) => "debate_paused",
            Event::DebateResumed(_) => "debate_resumed",
            Event::Interjected(_) => "interjected",
            Event::DebateConcluded(_) => "debate_concluded",
            Event::DebateAborted(_) => "debate_aborted",
            Event::EffectRequested(_) => "effect_requested",
            Event::EffectAnswered(_) => "effect_answered",
            Event::EffectFailed(_) => "effect_failed",
            Event::EffectAbandoned(_) => "effect_abandoned",
            Event::InjectionSuspected(_) => "injection_suspected",
            Event::TurnTaken(_) => "turn_taken",
            Event::HintGiven(_) => "hint_given",
            Event::ConcessionMade(_) => "concession_made",
            Event::ArgumentAdvanced(_) => "argument_advanced",
            Event::AttackRaised(_) => "attack_raised",
            Event::AttackJudged(_) => "attack_judged",
            Event::ArgumentRevised(_) => "argument_revised",
            Event::ArgumentWithdrawn(_) => "argument_withdrawn",
            Event::AttackWithdrawn(_) => "attack_withdrawn",
            Event::DisputeRaised(_) => "dispute_raised",
            Event::StanceTaken(_) => "stance_taken",
            Event::DisputeRetired(_) => "dispute_retired",
            Event::DisputeLinked(_) => "dispute_linked",
            Event::ReasonGiven(_) => "reason_given",
            Event::ReasonWithdrawn(_) => "reason_withdrawn",
            Event::RoomOpened(_) => "room_opened",
            Event::RoomClosed(_) => "room_closed",
            Event::CruxProposed(_) => "crux_proposed",
            Event::CruxAcknowledged(_) => "crux_acknowledged",
            Event::ClaimChecked(_) => "claim_checked",
            Event::TurnsCrystallized(_) => "turns_crystallized",
            Event::ClaimsCompared(_) => "claims_compared",
            Event::ProgressMeasured(_) => "progress_measured",
            Event::ProposalDrafted(_) => "proposal_drafted",
            Event::ProposalCriticized(_) => "proposal_criticized",
            Event::ProposalSynthesized(_) => "proposal_synthesized",
            Event::VerdictImported(_) => "verdict_imported",
            Event::RecordKept(_) => "record_kept",
            Event::ArgumentSynthesised(_) => "argument_synthesised",
            Event::Opaque(it) => &it.kind,
            Event::Erased(it) => &it.kind,
        }
    }

    /// Returns true if no event can follow it in its debate.
    pub fn is_last(&self) -> bool {
        matches!(self, Event::DebateConcluded(_) | Event::DebateAborted(_))
    }

    /// Returns the opening data that applies from here on, if this is the first event of a debate or a fork.
    pub fn opening(&self) -> Option<&DebateOpened> {
        match self {
            Event::DebateOpened(opened) => Some(opened),
            Event::DebateForked(forked) => Some(&forked.opened),
            _ => None,
        }
    }

    /// Wire names of all event kinds known to this program version.
    pub const KINDS: &[&str] = &[
        "debate_opened",
        "debate_forked",
        "phase_entered",
        "debate_paused",
        "debate_resumed",
        "interjected",
        "debate_concluded",
        "debate_aborted",
        "effect_requested",
        "effect_answered",
        "effect_failed",
        "effect_abandoned",
        "injection_suspected",
        "turn_taken",
        "hint_given",
        "concession_made",
        "argument_advanced",
        "attack_raised",
        "attack_judged",
        "argument_revised",
        "argument_withdrawn",
        "attack_withdrawn",
        "dispute_raised",
        "stance_taken",
        "dispute_retired",
        "dispute_linked",
        "reason_given",
        "reason_withdrawn",
        "room_opened",
        "room_closed",
        "crux_proposed",
        "crux_acknowledged",
        "claim_checked",
        "turns_crystallized",
        "claims_compared",
        "progress_measured",
        "proposal_drafted",
        "proposal_criticized",
        "proposal_synthesized",
        "verdict_imported",
        "record_kept",
        "argument_synthesised",
    ];
}

/// Event with its log metadata.
#[derive(Clone, Debug, PartialEq)]
pub struct Recorded {
    /// Event id, chosen by the writer; unique in its stream.
    pub id: Uuid,
    /// The debate to whose stream it belongs.
    pub debate: DebateId,
    /// Version in the stream, from 1.
    pub version: i64,
    /// The lane of the log that the stream belongs to.
    pub lane: i16,
    /// Position in the lane, from 1, without gaps.
    pub position: i64,
    /// Time at which the database recorded it.
    pub at: DateTime<Utc>,
    /// The event that caused it; `None` if a person did.
    pub caused_by: Option<Uuid>,
    /// The event itself.
    pub event: Event,
}
