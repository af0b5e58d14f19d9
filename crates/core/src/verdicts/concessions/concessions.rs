//! Concessions of participants, with turn and effect.
//!
//! They come from two sources: concessions that an engine recorded, and implicit ones, in which a participant who had
//! said yes says no in a later turn, or the other way round.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::events::dispute::Side;
use crate::events::ids::{ArgumentId, DisputeId, PersonaId, TurnId};
use crate::events::turn;
use crate::events::turn::{ConcessionEffect, ConcessionMade, GrantedPoint};
use crate::projections::concessions::Concessions;
use crate::projections::disputes::dispute_graph::DisputeGraph;
use crate::projections::disputes::dispute_state::Dispute;

/// Concession of a participant.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Concession {
    /// Kind of concession.
    pub kind: ConcessionKind,
    /// Participant who conceded.
    pub persona: PersonaId,
    /// Turn of the concession.
    pub turn: TurnId,
    /// Content of the concession, if it was recorded.
    pub what: Option<String>,
    /// Words of the turn that make the concession; `None` if it was only reported.
    pub quote: Option<String>,
    /// Dispute that it is about, if any.
    pub dispute: Option<DisputeId>,
    /// Argument that was withdrawn or revised, if any.
    pub argument: Option<ArgumentId>,
    /// Earlier side in the dispute.
    pub from: Option<Side>,
    /// New side in the dispute.
    pub to: Option<Side>,
    /// Statement of another participant that was granted, if any.
    pub granted: Option<GrantedPoint>,
    /// Effect of the concession.
    pub effect: ConcessionOutcome,
    /// True if a qualified auditor read no concession, or another side, in its words. It is shown, and not counted.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_contested: bool,
}

/// Kind of concession.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ConcessionKind {
    /// Gives up the point.
    Full,
    /// Keeps a narrower point.
    Partial,
    /// Keeps the point under a condition.
    Scope,
    /// Changes sides in a dispute, without a recorded concession.
    Stance,
}

/// Immediate effect of a concession.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ConcessionOutcome {
    /// Settled a dispute between yes and no.
    Settled,
    /// Withdrew an argument of the participant.
    Withdrew,
    /// Revised an argument of the participant, or restricted it by a condition.
    Revised,
    /// Granted a statement of another participant, and none of the above.
    Granted,
    /// Neither settled a dispute nor changed an argument, and granted no statement.
    None,
}

/// All concessions, by turn. Becoming undecided is not a concession. Retired disputes are included, since earlier
/// concessions on them remain.
pub fn concessions(recorded: &Concessions, disputes: &DisputeGraph) -> Vec<Concession> {
    let mut moved: Vec<Concession> = disputes.disputes.iter().flat_map(|(id, dispute)| on(*id, dispute)).collect();
    let made = recorded.concessions.iter().map(|concession| {
        let is_contested = concession.is_contested() || is_misread(&concession.made, disputes);
        Concession { is_contested, ..called_so(&concession.made, &mut moved) }
    });
    let mut found: Vec<Concession> = made.collect();
    found.extend(moved);
    found.sort_by_key(|concession| (concession.turn, concession.dispute));
    found
}

/// True if the side to which a concession moves was read otherwise.
fn is_misread(made: &ConcessionMade, disputes: &DisputeGraph) -> bool {
    let ConcessionEffect::Moved { dispute, .. } = made.effect else { return false };
    let contested = disputes.disputes.get(&dispute).into_iter().flat_map(|dispute| &dispute.contested);
    contested.into_iter().any(|(persona, stance)| *persona == made.speaker && stance.turn == made.turn)
}

/// Converts a recorded concession. If it caused a change of sides in `moved`, removes that entry, since both are the
/// same concession.
fn called_so(made: &ConcessionMade, moved: &mut Vec<Concession>) -> Concession {
    let mut concession = Concession {
        kind: match made.kind {
            turn::ConcessionExtent::Full => ConcessionKind::Full,
            turn::ConcessionExtent::Partial => ConcessionKind::Partial,
            turn::ConcessionExtent::Scope => ConcessionKind::Scope,
        },
        persona: made.speaker.clone(),
        turn: made.turn,
        what: Some(made.what.clone()),
        quote: made.quote.clone(),
        dispute: None,
        argument: None,
        from: None,
        to: None,
        granted: made.granted.clone(),
        effect: if made.granted.is_some() { ConcessionOutcome::Granted } else { ConcessionOutcome::None },
        is_contested: false,
    };
    match made.effect {
        ConcessionEffect::Withdrew { argument } => {
            (concession.argument, concession.effect) = (Some(argument), ConcessionOutcome::Withdrew);
        }
        ConcessionEffect::Revised { argument } => {
            (concession.argument, concession.effect) = (Some(argument), ConcessionOutcome::Revised);
        }
        ConcessionEffect::Moved { dispute, to } => {
            (concession.dispute, concession.to) = (Some(dispute), Some(to));
            let is_it = |other: &Concession| {
                (other.dispute, other.turn, &other.persona) == (Some(dispute), made.turn, &made.speaker)
            };
            if let Some(place) = moved.iter().position(is_it) {
                let change = moved.remove(place);
                concession.from = change.from;
                if change.effect != ConcessionOutcome::None {
                    concession.effect = change.effect;
                }
            }
        }
        ConcessionEffect::Said => {}
    }
    concession
}

/// Changes of sides in one dispute.
fn on(id: DisputeId, dispute: &Dispute) -> Vec<Concession> {
    let mut sides: BTreeMap<&PersonaId, Side> = BTreeMap::new();
    // Last yes or no of each participant, even if they became undecided since.
    let mut taken: BTreeMap<&PersonaId, (Side, TurnId)> = BTreeMap::new();
    let mut found = Vec::new();
    for (persona, stance) in &dispute.history {
        let was_split = is_split(&sides);
        sides.insert(persona, stance.side);
        if !matches!(stance.side, Side::Yes | Side::No) {
            continue;
        }
        let before = taken.insert(persona, (stance.side, stance.turn));
        if let Some((from, _)) = before.filter(|(side, turn)| *side != stance.side && *turn < stance.turn) {
            let settled = was_split && !is_split(&sides);
            found.push(Concession {
                kind: ConcessionKind::Stance,
                persona: persona.clone(),
                turn: stance.turn,
                what: stance.words().map(str::to_owned),
                quote: stance.quote.clone(),
                dispute: Some(id),
                argument: None,
                from: Some(from),
                to: Some(stance.side),
                granted: None,
                effect: if settled { ConcessionOutcome::Settled } else { ConcessionOutcome::None },
                is_contested: false,
            });
        }
    }
    found
}

fn is_split(sides: &BTreeMap<&PersonaId, Side>) -> bool {
    let is_held = |wanted| sides.values().any(|side| *side == wanted);
    is_held(Side::Yes) && is_held(Side::No)
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::events::dispute::{DisputeRaised, StanceTaken};
    use crate::events::event::{Event, Recorded};
    use crate::events::ids::DebateId;
    use crate::events::turn::TurnTaken;
    use crate::projections::projection::fold;
    use chrono::DateTime;
    use uuid::Uuid;

    const DISPUTE: DisputeId = DisputeId(1);

    /// Events of a dispute in which the given participants take sides, each in a turn.
    fn stances_taken(stances: &[(&str, Side)], more: &[Event]) -> Vec<Recorded> {
        let raised = r#"{"dispute": "d1", "question": "Is winter rough?"}"#;
        let raised: DisputeRaised = serde_json::from_str(raised).expect("a dispute");
        let mut events = vec![Event::DisputeRaised(raised)];
        for (turn, (persona, side)) in (1..).zip(stances) {
            let (turn, said) = (TurnId(turn), serde_json::json!({ "speaker": persona, "moves": [], "text": "So." }));
            let mut taken = said;
            taken["turn"] = serde_json::json!(turn);
            let taken: TurnTaken = serde_json::from_value(taken).expect("a turn");
            let speaker = taken.speaker.clone();
            events.push(Event::TurnTaken(taken));
            events.push(Event::StanceTaken(StanceTaken {
                dispute: DISPUTE,
                speaker,
                side: *side,
                turn,
                statement: None,
                confidence: None,
                quote: Some("So.".to_owned()),
            }));
        }
        events.extend(more.iter().cloned());
        let recorded = (1..).zip(events).map(|(version, event)| Recorded {
            lane: 0,
            position: version,
            debate: DebateId(Uuid::nil()),
            version,
            id: Uuid::nil(),
            caused_by: None,
            at: DateTime::UNIX_EPOCH,
            event,
        });
        recorded.collect()
    }

    fn found(events: &[Recorded]) -> Vec<Concession> {
        concessions(&fold::<Concessions>(events), &fold::<DisputeGraph>(events))
    }

    use Side::{No, Nuanced, Undecided, Yes};

    #[test]
    fn changing_sides_is_a_concession() {
        let check = |stances: &[(&str, Side)], expected: &[(&str, u32, Side, ConcessionOutcome)]| {
            let found = found(&stances_taken(stances, &[]));
            let actual: Vec<_> = found
                .iter()
                .map(|concession| {
                    (concession.persona.as_str(), concession.turn.0, concession.to.expect("a side"), concession.effect)
                })
                .collect();
            assert_eq!(actual, expected, "{stances:?}");
            assert!(found.iter().all(|concession| concession.kind == ConcessionKind::Stance));
        };
        check(&[("ada", Yes), ("ben", No)], &[]);
        check(&[("ada", Yes), ("ben", No), ("ben", Yes)], &[("ben", 3, Yes, ConcessionOutcome::Settled)]);
        check(&[("ada", Yes), ("ben", No), ("cleo", No), ("ben", Yes)], &[("ben", 4, Yes, ConcessionOutcome::None)]);
        check(&[("ada", Yes), ("ada", No)], &[("ada", 2, No, ConcessionOutcome::None)]);
        check(&[("ada", Yes), ("ben", No), ("ben", Nuanced)], &[]);
        check(
            &[("ada", Yes), ("ben", No), ("ben", Undecided), ("ben", Yes)],
            &[("ben", 4, Yes, ConcessionOutcome::None)],
        );
        check(
            &[("ada", Yes), ("ben", No), ("ada", No), ("ben", Yes)],
            &[("ada", 3, No, ConcessionOutcome::Settled), ("ben", 4, Yes, ConcessionOutcome::None)],
        );
        check(&[("ada", Nuanced), ("ada", Yes)], &[]);
    }

    #[test]
    fn a_recorded_concession_is_listed_once() {
        let made = |turn: u32, effect: ConcessionEffect| {
            Event::ConcessionMade(ConcessionMade {
                turn: TurnId(turn),
                speaker: "ben".parse().expect("a persona"),
                kind: turn::ConcessionExtent::Full,
                what: "winter is rough".into(),
                effect,
                quote: Some("So.".to_owned()),
                granted: None,
            })
        };
        let check = |effect: ConcessionEffect, expected: &[(ConcessionKind, u32, ConcessionOutcome)]| {
            let events = stances_taken(&[("ada", Yes), ("ben", No), ("ben", Yes)], &[made(3, effect.clone())]);
            let actual: Vec<_> = found(&events)
                .iter()
                .map(|concession| (concession.kind, concession.turn.0, concession.effect))
                .collect();
            assert_eq!(actual, expected, "{effect:?}");
        };
        use ConcessionKind::{Full, Stance};
        let argument = ArgumentId(1);
        check(ConcessionEffect::Moved { dispute: DISPUTE, to: Yes }, &[(Full, 3, ConcessionOutcome::Settled)]);
        let also = (Stance, 3, ConcessionOutcome::Settled);
        check(ConcessionEffect::Said, &[(Full, 3, ConcessionOutcome::None), also]);
        check(ConcessionEffect::Withdrew { argument }, &[(Full, 3, ConcessionOutcome::Withdrew), also]);
        check(ConcessionEffect::Revised { argument }, &[(Full, 3, ConcessionOutcome::Revised), also]);
    }
}
