//! [`Event`], the vocabulary that all engines share, and its recorded form.
//!
//! The list in this file (`events!`) is the only list of event kinds. The enum, the names and schema numbers, encoder,
//! decoder, summaries, JSON Schemas and docs/events.md derive from it.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use uuid::Uuid;

use crate::events::argument::{
    ArgumentAdvanced, ArgumentRevised, ArgumentWithdrawn, AttackJudged, AttackRaised, AttackWithdrawn,
};
use crate::events::audit::{AuditConcluded, AuditRequested, WordsAudited};
use crate::events::channel::{
    AgendaSet, AttentionScored, DisagreementsDetected, ExitChecked, FloorGiven, RoomAspectsNamed, RoomStageEntered,
    SteelmanJudged, TurnSkipped,
};
use crate::events::checks::check::ClaimChecked;
use crate::events::checks::claims::ClaimsExtracted;
use crate::events::checks::drafts::{TurnDrafted, TurnRejected};
use crate::events::checks::probes::{
    ContractProbed, ContradictionsProbed, EndorsementsProbed, ProbesConcluded, ProbesRequested,
};
use crate::events::checks::sides::SidesAssigned;
use crate::events::crux::{CruxAcknowledged, CruxProposed, RoomClosed, RoomOpened};
use crate::events::dispute::{
    DisputeLinked, DisputeRaised, DisputeRetired, DisputeRevised, ReasonGiven, ReasonWithdrawn, StanceTaken,
};
use crate::events::distillation::{ClaimsCompared, ProgressMeasured, TurnsCrystallized};
use crate::events::ids::DebateId;
use crate::events::imported::{ArgumentAttributed, ArgumentSynthesised, RecordKept, VerdictImported};
use crate::events::lifecycle::DebateForked;
use crate::events::lifecycle::{
    DebateAborted, DebateConcluded, DebateOpened, DebatePaused, DebateResumed, Interjected, PhaseEntered,
};
use crate::events::proposal::{ProposalAccepted, ProposalCriticized, ProposalDrafted, ProposalSynthesized};
use crate::events::receipt::{
    EffectAbandoned, EffectAnswered, EffectFailed, EffectRequested, InjectionSuspected, SearchRequested,
};
use crate::events::registry::{EventKind, Recorder, UnknownEventKind, body_schema};
use crate::events::summary::Summarize;
use crate::events::table::{ConvergenceMeasured, IntentStated, TableSeated};
use crate::events::turn::{ConcessionMade, FlipConditionStated, HintGiven, TurnTaken};

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

/// Defines [`Event`] and all that follows from the list of kinds. A line gives the wire name, the schema number in which
/// bodies are written, the variant with its body, and the parties that record it. The body implements `Serialize`,
/// `Deserialize`, `JsonSchema` and [`Summarize`]; its example is the fixture `tests/fixtures/wire/<kind>.<schema>.json`.
macro_rules! events {
    ($($family:literal { $($kind:literal $schema:literal $variant:ident($body:ty) by $($by:ident)|+;)+ })+) => {
        /// Event of a debate. Immutable, never deleted.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[serde(tag = "kind", content = "body", deny_unknown_fields)]
        pub enum Event {
            $($(
                #[doc = concat!("Event of the kind `", $kind, "`.")]
                #[serde(rename = $kind)]
                $variant($body),
            )+)+
            /// Event of a kind unknown to this program version, kept as stored. Folds ignore it.
            #[serde(skip)]
            Opaque(Opaque),
            /// Event of an erased debate. Its existence is known, its content is not. Folds ignore it.
            #[serde(skip)]
            Erased(Erased),
        }

        impl Event {
            /// All event kinds known to this program version.
            pub const KINDS: &[EventKind] = &[$($(
                EventKind {
                    name: $kind,
                    schema: $schema,
                    family: $family,
                    recorded_by: &[$(Recorder::$by),+],
                    example: include_str!(concat!("../../../../tests/fixtures/wire/", $kind, ".", $schema, ".json")),
                    json_schema: body_schema::<$body>,
                },
            )+)+];

            /// Returns the event's wire name: `turn_taken`.
            pub fn kind(&self) -> &str {
                match self {
                    $($(Event::$variant(_) => $kind,)+)+
                    Event::Opaque(opaque) => &opaque.kind,
                    Event::Erased(erased) => &erased.kind,
                }
            }

            /// Returns the schema number in which the event's body is written.
            pub fn schema(&self) -> i16 {
                match self {
                    $($(Event::$variant(_) => $schema,)+)+
                    Event::Opaque(opaque) => opaque.schema,
                    Event::Erased(erased) => erased.schema,
                }
            }

            /// Returns the schema number in which bodies of a kind are written, from 1; `None` if the kind is unknown.
            pub fn current_schema(kind: &str) -> Option<i16> {
                match kind {
                    $($($kind => Some($schema),)+)+
                    _ => None,
                }
            }

            /// Summarizes the event in one line, without its kind.
            pub fn summary(&self) -> String {
                match self {
                    $($(Event::$variant(body) => body.summary(),)+)+
                    Event::Opaque(opaque) => format!("schema {}, unknown to this version", opaque.schema),
                    Event::Erased(_) => "erased".to_owned(),
                }
            }

            /// Encodes the body as JSON.
            ///
            /// # Errors
            /// The error of the encoder; bodies have none, because their maps have string keys.
            pub fn encode_body(&self) -> serde_json::Result<Vec<u8>> {
                match self {
                    $($(Event::$variant(body) => serde_json::to_vec(body),)+)+
                    Event::Opaque(opaque) => serde_json::to_vec(&opaque.body),
                    Event::Erased(_) => Ok(b"null".to_vec()),
                }
            }

            /// Decodes a body in the current schema of its kind; `None` if the kind is unknown.
            pub fn decode_body(kind: &str, body: &[u8]) -> Option<serde_json::Result<Event>> {
                Some(match kind {
                    $($($kind => serde_json::from_slice(body).map(Event::$variant),)+)+
                    _ => return None,
                })
            }
        }
    };
}

events! {
    "Lifecycle" {
        "debate_opened" 1 DebateOpened(Box<DebateOpened>) by Command | Import | External;
        "debate_forked" 1 DebateForked(DebateForked) by Command;
        "phase_entered" 1 PhaseEntered(PhaseEntered) by Engine | Import | External;
        "debate_paused" 1 DebatePaused(DebatePaused) by Command | External;
        "debate_resumed" 1 DebateResumed(DebateResumed) by Command | External;
        "interjected" 1 Interjected(Interjected) by Command | Import | External;
        "debate_concluded" 2 DebateConcluded(DebateConcluded) by Runner | Import | External;
        "debate_aborted" 1 DebateAborted(DebateAborted) by Command | Import | External;
    }
    "Provider calls" {
        "effect_requested" 1 EffectRequested(EffectRequested) by Runner | External;
        "effect_answered" 1 EffectAnswered(EffectAnswered) by Runner | External;
        "search_requested" 1 SearchRequested(SearchRequested) by Runner | External;
        "effect_failed" 1 EffectFailed(EffectFailed) by Runner | External;
        "effect_abandoned" 1 EffectAbandoned(EffectAbandoned) by Runner | External;
        "injection_suspected" 1 InjectionSuspected(InjectionSuspected) by Runner | External;
    }
    "Turns" {
        "turn_taken" 1 TurnTaken(TurnTaken) by Engine | Import | External;
        "floor_given" 1 FloorGiven(FloorGiven) by Engine | External;
        "attention_scored" 1 AttentionScored(AttentionScored) by Engine | External;
        "agenda_set" 1 AgendaSet(AgendaSet) by Engine | External;
        "turn_skipped" 1 TurnSkipped(TurnSkipped) by Engine | External;
        "hint_given" 1 HintGiven(HintGiven) by Engine | Import | External;
        "concession_made" 1 ConcessionMade(ConcessionMade) by Engine | Import | External;
        "flip_condition_stated" 1 FlipConditionStated(FlipConditionStated) by Engine | External;
    }
    "Arguments" {
        "argument_advanced" 1 ArgumentAdvanced(ArgumentAdvanced) by Engine | Import | External;
        "attack_raised" 1 AttackRaised(AttackRaised) by Engine | Import | External;
        "attack_judged" 1 AttackJudged(AttackJudged) by Engine | Import | External;
        "argument_revised" 1 ArgumentRevised(ArgumentRevised) by Engine | Import | External;
        "argument_withdrawn" 1 ArgumentWithdrawn(ArgumentWithdrawn) by Engine | Import | External;
        "attack_withdrawn" 1 AttackWithdrawn(AttackWithdrawn) by Engine | Import | External;
    }
    "Disputes" {
        "dispute_raised" 1 DisputeRaised(DisputeRaised) by Engine | Import | External;
        "stance_taken" 1 StanceTaken(StanceTaken) by Engine | Import | External;
        "dispute_retired" 1 DisputeRetired(DisputeRetired) by Engine | External;
        "dispute_linked" 1 DisputeLinked(DisputeLinked) by Engine | External;
        "dispute_revised" 1 DisputeRevised(DisputeRevised) by Engine | External;
        "reason_given" 1 ReasonGiven(ReasonGiven) by Engine | External;
        "reason_withdrawn" 1 ReasonWithdrawn(ReasonWithdrawn) by Engine | External;
    }
    "Rooms and cruxes" {
        "disagreements_detected" 1 DisagreementsDetected(DisagreementsDetected) by Engine | External;
        "room_opened" 1 RoomOpened(RoomOpened) by Engine | Import | External;
        "room_aspects_named" 1 RoomAspectsNamed(RoomAspectsNamed) by Engine | External;
        "room_stage_entered" 1 RoomStageEntered(RoomStageEntered) by Engine | External;
        "steelman_judged" 1 SteelmanJudged(SteelmanJudged) by Engine | External;
        "exit_checked" 1 ExitChecked(ExitChecked) by Engine | External;
        "room_closed" 1 RoomClosed(RoomClosed) by Engine | Import | External;
        "crux_proposed" 1 CruxProposed(CruxProposed) by Engine | Import | External;
        "crux_acknowledged" 1 CruxAcknowledged(CruxAcknowledged) by Engine | External;
    }
    "Tables" {
        "table_seated" 1 TableSeated(TableSeated) by Engine | Import | External;
        "intent_stated" 1 IntentStated(IntentStated) by Engine | External;
        "convergence_measured" 1 ConvergenceMeasured(ConvergenceMeasured) by Engine | External;
    }
    "Sides and fact checks" {
        "sides_assigned" 1 SidesAssigned(SidesAssigned) by Engine | External;
        "turn_drafted" 1 TurnDrafted(TurnDrafted) by Engine | External;
        "turn_rejected" 1 TurnRejected(TurnRejected) by Engine | External;
        "claims_extracted" 1 ClaimsExtracted(ClaimsExtracted) by Engine | External;
        "claim_checked" 1 ClaimChecked(ClaimChecked) by Engine | External;
    }
    "Distillation" {
        "turns_crystallized" 1 TurnsCrystallized(TurnsCrystallized) by Engine | Import | External;
        "claims_compared" 1 ClaimsCompared(ClaimsCompared) by Engine | External;
        "progress_measured" 1 ProgressMeasured(ProgressMeasured) by Engine | External;
    }
    "Proposals" {
        "proposal_drafted" 1 ProposalDrafted(ProposalDrafted) by Engine | External;
        "proposal_criticized" 2 ProposalCriticized(ProposalCriticized) by Engine | External;
        "proposal_accepted" 1 ProposalAccepted(ProposalAccepted) by Engine | External;
        "proposal_synthesized" 1 ProposalSynthesized(ProposalSynthesized) by Engine | External;
    }
    "Audits" {
        "words_audited" 1 WordsAudited(WordsAudited) by Engine | External;
        "audit_requested" 1 AuditRequested(AuditRequested) by Command;
        "audit_concluded" 1 AuditConcluded(AuditConcluded) by Runner;
    }
    "Probes" {
        "probes_requested" 1 ProbesRequested(ProbesRequested) by Command;
        "contract_probed" 1 ContractProbed(ContractProbed) by Engine;
        "contradictions_probed" 1 ContradictionsProbed(ContradictionsProbed) by Engine;
        "endorsements_probed" 1 EndorsementsProbed(EndorsementsProbed) by Engine;
        "probes_concluded" 1 ProbesConcluded(ProbesConcluded) by Runner;
    }
    "Imported records" {
        "verdict_imported" 1 VerdictImported(VerdictImported) by Import;
        "record_kept" 1 RecordKept(RecordKept) by Import;
        "argument_synthesised" 1 ArgumentSynthesised(ArgumentSynthesised) by Import;
        "argument_attributed" 1 ArgumentAttributed(ArgumentAttributed) by Import;
    }
}

impl Event {
    /// Returns the kind with this wire name.
    ///
    /// # Errors
    /// [`UnknownEventKind`] if there is none.
    pub fn find_kind(name: &str) -> Result<&'static EventKind, UnknownEventKind> {
        Event::KINDS.iter().find(|kind| kind.name == name).ok_or_else(|| {
            let names: Vec<&str> = Event::KINDS.iter().map(|kind| kind.name).collect();
            UnknownEventKind { given: name.to_owned(), available: names.join(", ") }
        })
    }

    /// Returns true if it ends its debate, or an audit or probes that were requested after the end. Only a request for
    /// these can follow it.
    pub fn is_last(&self) -> bool {
        let ends_debate = matches!(self, Event::DebateConcluded(_) | Event::DebateAborted(_));
        ends_debate || matches!(self, Event::AuditConcluded(_) | Event::ProbesConcluded(_))
    }

    /// Returns the opening data that applies from here on, if this is the first event of a debate or a fork.
    pub fn opening(&self) -> Option<&DebateOpened> {
        match self {
            Event::DebateOpened(opened) => Some(opened),
            Event::DebateForked(forked) => Some(&forked.opened),
            _ => None,
        }
    }
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
