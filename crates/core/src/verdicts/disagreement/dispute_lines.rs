//! Fault lines of a debate without arguments: the questions that its participants answer with yes and with no, each with
//! the reasons that they gave.
//!
//! Only what was said counts: a side is a stance in words of its holder, and a word of a reason counts for the subject of
//! the line if the turn that gives the reason contains it, so that no clerk's paraphrase decides what a line is about.

use std::collections::BTreeSet;

use crate::events::dispute::Side;
use crate::events::ids::{DisputeId, PersonaId, ReasonId, TurnId};
use crate::projections::disputes::dispute_graph::DisputeGraph;
use crate::projections::disputes::dispute_state::{Dispute, Reason};
use crate::projections::transcript::Transcript;
use crate::verdicts::crux::Crux;
use crate::verdicts::crux_id::CruxKey;
use crate::verdicts::disagreement::fault_category::words_of;
use crate::verdicts::disagreement::fault_line::{FaultLine, FaultSide, Subject, conflicting_first, is_between};
use crate::verdicts::verdict::Verdict;

/// Finds a fault line for each question that has both a yes and a no, the topic included, in the order in which they were
/// raised.
pub fn dispute_lines(disputes: &DisputeGraph, transcript: &Transcript, verdict: &Verdict) -> Vec<FaultLine> {
    let split = disputes.not_retired().filter(|(_, dispute)| dispute.is_split());
    split.map(|(id, dispute)| dispute_line(disputes, transcript, verdict, (id, dispute))).collect()
}

fn dispute_line(
    disputes: &DisputeGraph,
    transcript: &Transcript,
    verdict: &Verdict,
    (id, dispute): (DisputeId, &Dispute),
) -> FaultLine {
    let conflicts: Vec<(ReasonId, ReasonId)> = disputes.reason_attacks(dispute).collect();
    let [yes, no] = conflicting_first(&conflicts, reasons_for(dispute, Side::Yes), reasons_for(dispute, Side::No));
    let first = |reasons: &[ReasonId]| reasons.first().and_then(|id| dispute.reasons.get(id));
    let Subject { category, missing, words } = match (first(&yes), first(&no)) {
        (Some(one), Some(other)) => {
            let said: Vec<String> =
                [one, other].into_iter().flat_map(|reason| said_words(transcript, reason)).collect();
            Subject::of(said.iter().map(String::as_str))
        }
        (None, None) => Subject::missing("Neither side gave a reason."),
        _ => Subject::missing("Only one side gave a reason."),
    };
    let (one, other) = (side(dispute, Side::Yes, yes), side(dispute, Side::No, no));
    let is_on_line = |crux: &&Crux| {
        crux.key == CruxKey::Dispute(id) || dispute.is_topic && is_between(crux, &one.personas, &other.personas)
    };
    let cruxes = verdict.cruxes.iter().filter(is_on_line).map(|crux| crux.key).collect();
    FaultLine { dispute: Some(id), one, other, category, category_missing: missing, words, cruxes }
}

/// Live reasons for a side or against the other, given by participants who are on it.
fn reasons_for(dispute: &Dispute, side: Side) -> Vec<ReasonId> {
    let is_held = |persona: &PersonaId| dispute.stances.get(persona).is_some_and(|stance| stance.side == side);
    let own = dispute.live_reasons().filter(|(_, reason)| reason.supported_side() == side);
    own.filter(|(_, reason)| is_held(&reason.given.speaker)).map(|(id, _)| id).collect()
}

/// Words of the claim and the assumptions of a reason that its turn contains.
fn said_words(transcript: &Transcript, reason: &Reason) -> Vec<String> {
    let given = &reason.given;
    let turn = transcript.turn(given.turn).map_or("", |turn| turn.text.as_str());
    let said: BTreeSet<String> = words_of(turn).collect();
    let written = std::iter::once(&given.claim).chain(&given.assumptions);
    written.flat_map(|text| words_of(text)).filter(|word| said.contains(word)).collect()
}

fn side(dispute: &Dispute, side: Side, reasons: Vec<ReasonId>) -> FaultSide {
    let stances = dispute.stances.iter().filter(|(_, stance)| stance.side == side);
    let given = reasons.iter().filter_map(|id| dispute.reasons.get(id)).map(|reason| reason.given.turn);
    let turns: BTreeSet<TurnId> = stances.map(|(_, stance)| stance.turn).chain(given).collect();
    let personas = dispute.on_side(side).cloned().collect();
    FaultSide { personas, arguments: Vec::new(), reasons, turns: turns.into_iter().collect() }
}
