//! Words that a report has for sides, moves, cards and changes.

use crate::events::crux::Disagreement;
use crate::events::dispute::Side;
use crate::events::turn::Move;
use crate::projections::disputes::dispute_state::{Dispute, Stance};
use crate::projections::proposals::Refinement;
use crate::verdicts::card::CruxCard;
use crate::verdicts::crux::PositionSide;

/// Describes how a proposal changed from first to last: counts first, then what the speakers say of themselves.
pub fn refinement_sentences(found: &Refinement) -> Vec<String> {
    let mut sentences = Vec::new();
    if found.initial != found.last {
        let text = match &found.literals {
            Some(it) => format!(
                "from {} literals to {} ({} added, {} removed)",
                it.initial,
                it.last,
                it.added.len(),
                it.removed.len()
            ),
            None => format!("by {} words added and {} removed", found.words_added, found.words_removed),
        };
        let is_same = found.literals.is_none() && found.words_added + found.words_removed == 0;
        sentences.push(if is_same {
            format!("{} has the words of {}.", found.last, found.initial)
        } else {
            format!("From {} to {}, the text changed {text}.", found.initial, found.last)
        });
    }
    if found.initial != found.last && found.improvement() != 0.0 {
        sentences.push(format!(
            "Self-reported confidence went from {:.2} to {:.2} ({:+.2}); its mean is {:.2}.",
            found.initial_confidence,
            found.final_confidence,
            found.improvement(),
            found.mean_confidence
        ));
    }
    if let (Some(mean), Some(share)) = (found.issues_per_round(), found.answered_share()) {
        sentences.push(format!(
            "Different issues raised: {}, {mean:.1} new ones a round; answered by a change: {} ({:.0} %).",
            found.issues,
            found.answered,
            share * 100.0
        ));
    }
    sentences
}

/// Title of a part of the transcript: its phase and round.
pub fn title(phase: Option<&str>, round: Option<u32>) -> String {
    let phase = phase.unwrap_or("debate").replace('_', " ");
    let mut letters = phase.chars();
    let first = letters.next().map(|letter| letter.to_uppercase().to_string()).unwrap_or_default();
    match round {
        Some(round) if round > 0 => format!("{first}{}, round {round}", letters.as_str()),
        _ => format!("{first}{}", letters.as_str()),
    }
}

/// Labelled content of a crux card; what is absent is replaced by the reason.
pub fn card_notes(card: &CruxCard) -> Vec<(&'static str, String)> {
    let kind = card.kind.map_or("unknown", Disagreement::name);
    let by = card.diagnosed_in.map(|room| format!(" (card of room {room})")).unwrap_or_default();
    let settling = [card.criteria.join("; "), card.criteria_missing.clone().unwrap_or_default()].concat();
    let mut notes =
        vec![("kind", format!("{kind}. {}", card.kind_reason)), ("diagnosis", format!("{}{by}", card.diagnosis))];
    notes.extend(card.horizon.iter().map(|horizon| ("time frame", horizon.clone())));
    notes.push(("settled by", settling));
    let resolution = card.resolution.clone().or(card.resolution_missing.clone()).unwrap_or_default();
    notes.push(("resolution", resolution));
    notes
}

/// Name of a side of a position on a crux.
pub fn position_word(side: PositionSide) -> &'static str {
    match side {
        PositionSide::Yes => "yes",
        PositionSide::No => "no",
        PositionSide::Nuanced => "it depends",
        PositionSide::Undecided => "undecided",
        PositionSide::RestsOn => "rests on it",
        PositionSide::Attacks => "attacks it",
        PositionSide::Undercuts => "denies that it follows",
        PositionSide::ConflictsWith => "conflicts with it",
        PositionSide::ProposesCrux => "proposed it as the crux",
        PositionSide::AgreesOnCrux => "agrees that it is the crux",
    }
}

/// Name of a side.
pub fn side_word(side: Side) -> &'static str {
    match side {
        Side::Yes => "yes",
        Side::No => "no",
        Side::Nuanced => "it depends",
        Side::Undecided => "undecided",
    }
}

/// Side of a stance, with the confidence that its speaker expressed.
pub fn stance_words(stance: &Stance) -> String {
    let confidence = stance.confidence.map(|share| format!(" ({:.0} % sure)", share * 100.0)).unwrap_or_default();
    side_word(stance.side).to_owned() + &confidence
}

/// Remarks on a dispute: former wordings, contested stances, and why it was retired.
pub fn dispute_remarks(dispute: &Dispute) -> Vec<String> {
    let reworded = dispute.revisions.iter().filter(|revision| revision.revised.question.is_some());
    let formerly = reworded.map(|revision| format!("formerly worded: {}", revision.former_question));
    let contested = match dispute.contested.len() {
        0 => None,
        1 => Some("the audit contests 1 stance on it, which does not count".to_owned()),
        n => Some(format!("the audit contests {n} stances on it, which do not count")),
    };
    formerly.chain(contested).chain(dispute.retired.iter().map(|reason| format!("retired: {reason}"))).collect()
}

/// Verb of a move, in the third person.
pub fn move_word(it: Move) -> &'static str {
    match it {
        Move::Claim => "claims",
        Move::Challenge => "challenges",
        Move::Clarify => "clarifies",
        Move::Concede => "concedes",
        Move::Reframe => "reframes",
        Move::ProposeCrux => "proposes a crux",
        Move::Propose => "proposes",
    }
}
