//! Typical debates, for benches that read them back.

use faultline_core::events::argument::{ArgumentAdvanced, ArgumentPart, AttackJudged, AttackKind, AttackRaised};
use faultline_core::events::dispute::{DisputeRaised, Side, StanceTaken};
use faultline_core::events::event::Event;
use faultline_core::events::ids::{ArgumentId, AttackId, DebateId, DisputeId, TurnId};
use faultline_core::events::lifecycle::{DebateConcluded, DebateLimits, DebateOpened, DebateOutcome, PhaseEntered};
use faultline_core::events::persona::{Contract, Persona, Voice};
use faultline_core::events::turn::{Move, TurnTaken};
use faultline_store::log::append::{Append, NewEvent};
use faultline_store::open::Store;
use futures_util::StreamExt;
use futures_util::stream;
use serde_json::Value;
use uuid::Uuid;

/// Events per debate.
pub const EVENTS: usize = 50;
const SPEAKERS: [&str; 2] = ["ada", "ben"];
/// Debates that are appended concurrently.
const AT_ONCE: usize = 64;

/// Appends this many debates to the log. Returns their ids in the order in which they were opened, except for those
/// that were opened concurrently.
pub async fn fill(store: &Store, n_debates: usize) -> Vec<DebateId> {
    let appends = (0..n_debates).map(|n| {
        let debate = DebateId(Uuid::now_v7());
        let events = events(n).into_iter().map(|event| NewEvent { id: Uuid::now_v7(), event, caused_by: None });
        let append = Append { debate, expected: 0, events: events.collect(), fence: None, actor: None };
        async move {
            store.log.append(append).await.expect("append");
            debate
        }
    });
    stream::iter(appends).buffer_unordered(AT_ONCE).collect().await
}

/// Builds a typical debate: two speakers who take turns, each argument attacked by the next one, and three disputes.
pub fn events(n: usize) -> Vec<Event> {
    let speaker = |k: usize| SPEAKERS[k % 2].parse().expect("a persona");
    let text = |what: &str, k: usize| {
        format!("{what} {k} of debate {n}: crews rest too little, ferries are late, and nobody pays for the night. ")
            .repeat(3)
    };
    let opened = DebateOpened {
        topic: format!("Should ferry {n} run at night?"),
        engine: "graph".to_owned(),
        engine_revision: 1,
        options: Value::Null,
        participants: SPEAKERS.iter().map(|speaker| persona(speaker)).collect(),
        limits: DebateLimits::default(),
        models: std::collections::BTreeMap::new(),
        seed: n as u64,
        provider: "elsewhere".to_owned(),
        sentence_revision: None,
    };
    let begun = PhaseEntered::new("opening", None, None);
    let mut events = vec![Event::DebateOpened(Box::new(opened)), Event::PhaseEntered(begun)];
    for k in 1..=10 {
        let (turn, argument) = (TurnId(k as u32), ArgumentId(k as u32));
        events.push(turn_taken(turn, speaker(k), text("Turn", k)));
        events.push(Event::ArgumentAdvanced(ArgumentAdvanced {
            argument,
            speaker: speaker(k),
            turn,
            claim: text("Claim", k),
            premises: vec![text("Premise", k)],
            assumptions: vec![format!("Assumption {} of debate {n}", k / 3)],
            evidence: vec![],
            carries: None,
            answers_topic: k == 1,
            distilled: false,
            paraphrased: false,
        }));
        if k > 1 {
            let attack = AttackId(k as u32);
            events.push(Event::AttackRaised(AttackRaised {
                attack,
                speaker: speaker(k),
                turn,
                source: argument,
                target: ArgumentId(k as u32 - 1),
                component: ArgumentPart::Claim,
                kind: AttackKind::Rebut,
                rationale: text("Attack", k),
                quote: None,
                confidence: 0.5,
            }));
            events.push(Event::AttackJudged(AttackJudged {
                attack,
                valid: k % 4 != 0,
                strength: 0.5,
                reason: text("Judged", k),
                kind: None,
                component: None,
            }));
        }
    }
    for k in 0..3 {
        let dispute = DisputeId(k + 1);
        events.push(Event::DisputeRaised(DisputeRaised::bare(dispute, format!("Is point {k} of {n} so?"), false)));
        for (j, side) in [Side::Yes, Side::No].into_iter().enumerate() {
            let (speaker, turn) = (speaker(j), TurnId(9 + j as u32));
            let (statement, quote) = (None, Some(text("Turn", turn.0 as usize)));
            events.push(Event::StanceTaken(StanceTaken {
                dispute,
                speaker,
                side,
                turn,
                statement,
                confidence: None,
                quote,
            }));
        }
    }
    events.push(Event::DebateConcluded(DebateConcluded {
        outcome: DebateOutcome::Exhausted { reason: "done".to_owned() },
    }));
    assert_eq!(events.len(), EVENTS);
    events
}

fn turn_taken(turn: TurnId, speaker: faultline_core::events::ids::PersonaId, text: String) -> Event {
    Event::TurnTaken(TurnTaken {
        preparation: None,
        turn,
        speaker,
        round: None,
        room: None,
        moves: vec![Move::Claim],
        move_quotes: Vec::new(),
        answers: None,
        text,
        citations: vec![],
        dangling: 0,
        refused: vec![],
    })
}

fn persona(id: &str) -> Persona {
    Persona {
        id: id.parse().expect("a persona id"),
        name: id.to_uppercase(),
        about: format!("{id} of the bench"),
        version: 1,
        contract: Contract::default(),
        voice: Voice::default(),
    }
}
