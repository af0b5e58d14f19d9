//! Test helper that builds talks from one line per event.

use chrono::{DateTime, Utc};
use serde_json::Value;
use uuid::Uuid;

use crate::engines::shared::view_prompts::DisplayNames;
use crate::engines::talk::common_options::TalkOptions;
use crate::engines::talk::state::Talk;
use crate::events::argument::ArgumentAdvanced;
use crate::events::crux::{CruxAcknowledged, CruxProposed};
use crate::events::distillation::{ProgressMeasured, TurnsCrystallized};
use crate::events::event::{Event, Recorded};
use crate::events::ids::{ArgumentId, CruxId, DebateId, PersonaId, PointId, TurnId};
use crate::events::lifecycle::{DebateLimits, DebateOpened, Interjected, PhaseEntered};
use crate::events::persona::{Contract, Persona, Voice};
use crate::events::receipt::{EffectAbandoned, EffectFailed, Failure, FailureKind};
use crate::events::turn::{Hint, HintGiven, Move, TurnTaken};
use crate::kernel::effect::effect_key;

/// Builds a talk of the given participants from lines:
///
/// | line | event |
/// |------|-------|
/// | `= exchange` | a phase |
/// | `ada: text` | a turn with the move claim |
/// | `ada challenge,concede >2: text` | a turn with these moves, answering turn 2 |
/// | `- ada` | an abandoned turn |
/// | `~ ada` | a turn abandoned because its reply only repeated another |
/// | `! ada stuck 3` | a hint, about turn 3 |
/// | `# 1 2` | a distillation and its measurement, with the contested arguments |
/// | `@ text` | an interjection of the moderator |
/// | `? ada 4: text` | a crux that ada proposed in turn 4 |
/// | `+ ben 1 5` | ben acknowledges crux 1 in turn 5 |
pub fn talk(people: &[&str], lines: &[&str]) -> Talk {
    let mut talk = Talk::new(&opened(people), TalkOptions::default());
    for line in lines {
        let turn = talk.transcript.next_turn();
        for event in read(line, turn, talk.slots.len()) {
            talk.evolve(&recorded(event));
        }
    }
    talk
}

/// Parses a persona id.
pub fn persona(name: &str) -> PersonaId {
    name.parse().expect("a persona id")
}

/// Returns the event of a thesis: an argument that is only a claim, advanced in the turn of the same number.
pub fn thesis(number: u32, speaker: &str, claim: &str) -> Event {
    Event::ArgumentAdvanced(ArgumentAdvanced {
        argument: ArgumentId(number),
        speaker: persona(speaker),
        turn: TurnId(number),
        claim: claim.to_owned(),
        premises: Vec::new(),
        assumptions: Vec::new(),
        evidence: Vec::new(),
        carries: None,
        answers_topic: true,
        distilled: false,
        paraphrased: false,
    })
}

/// Returns display names of participants of these names.
pub fn names(people: &[&str]) -> DisplayNames {
    DisplayNames::new(&participants(people))
}

fn participants(people: &[&str]) -> Vec<Persona> {
    let named = |name: &&str| Persona {
        id: persona(name),
        name: (*name).to_owned(),
        about: String::new(),
        version: 1,
        contract: Contract::default(),
        voice: Voice::default(),
    };
    people.iter().map(named).collect()
}

fn opened(people: &[&str]) -> DebateOpened {
    DebateOpened {
        topic: "Should the ferry run at night?".into(),
        engine: "dialogue".into(),
        engine_revision: 1,
        options: Value::Null,
        participants: participants(people),
        limits: DebateLimits::default(),
        seed: 1,
        provider: "script".into(),
        models: std::collections::BTreeMap::new(),
        sentence_revision: None,
    }
}

fn recorded(event: Event) -> Recorded {
    let (id, debate) = (Uuid::nil(), DebateId(Uuid::nil()));
    Recorded { id, debate, version: 1, lane: 0, position: 1, at: DateTime::<Utc>::UNIX_EPOCH, caused_by: None, event }
}

fn read(line: &str, turn: TurnId, slots: usize) -> Vec<Event> {
    let (mark, rest) = line.split_once(' ').expect("a mark and its arguments");
    let words: Vec<&str> = rest.split([' ', ':']).collect();
    let number = |at: usize| words[at].parse::<u32>().expect("a number");
    match mark {
        "=" => vec![Event::PhaseEntered(PhaseEntered::new(rest, None, None))],
        "-" => {
            let key = effect_key("turn", rest, u32::try_from(slots).expect("few slots"));
            vec![Event::EffectAbandoned(EffectAbandoned { key, attempts: 1, reason: String::new() })]
        }
        "~" => {
            let key = effect_key("turn", rest, u32::try_from(slots).expect("few slots"));
            let failure = Failure::new(FailureKind::Repeated, String::new());
            vec![
                Event::EffectFailed(EffectFailed { key: key.clone(), attempt: 1, failure, answer: None }),
                Event::EffectAbandoned(EffectAbandoned { key, attempts: 1, reason: String::new() }),
            ]
        }
        "!" => {
            let hint: Hint = serde_json::from_value(Value::String(words[1].into())).expect("a hint");
            let about = words.get(2).map(|_| TurnId(number(2)));
            let (speaker, text) = (persona(words[0]), String::new());
            vec![Event::HintGiven(HintGiven { speaker, hint, text, about, dispute: None, crux: None })]
        }
        "#" => {
            let frontier = rest
                .split(' ')
                .filter_map(|word| word.parse().ok())
                .map(|number| PointId::Argument(ArgumentId(number)));
            let turn = TurnId(turn.0 - 1);
            let crystallized =
                TurnsCrystallized { turns: (1..=turn.0).map(TurnId).collect(), refused: vec![], repetition: None };
            vec![Event::TurnsCrystallized(crystallized), Event::ProgressMeasured(measured(turn, frontier.collect()))]
        }
        "@" => vec![Event::Interjected(Interjected { turn, text: rest.into(), speaker: None, room: None })],
        "?" => vec![Event::CruxProposed(CruxProposed {
            crux: CruxId(1),
            speaker: persona(words[0]),
            turn: TurnId(number(1)),
            statement: rest.into(),
            quote: None,
        })],
        "+" => vec![Event::CruxAcknowledged(CruxAcknowledged {
            crux: CruxId(number(1)),
            speaker: persona(words[0]),
            turn: TurnId(number(2)),
            cites: TurnId(1),
            quote: Some(rest.into()),
        })],
        _ => vec![taken(line, turn)],
    }
}

fn measured(turn: TurnId, frontier: Vec<PointId>) -> ProgressMeasured {
    ProgressMeasured {
        turn,
        live: 2,
        attacks: 1,
        frontier,
        examined: 1,
        pairs: 1,
        novelty: 0.5,
        circling: None,
        circling_by: None,
        concession_rate: 0.0,
        exact: true,
    }
}

fn taken(line: &str, turn: TurnId) -> Event {
    let (head, text) = line.split_once(": ").expect("a speaker and a text");
    let mut words = head.split(' ');
    let speaker = persona(words.next().unwrap_or_default());
    let (mut moves, mut answers) = (vec![Move::Claim], None);
    for word in words {
        match word.strip_prefix('>') {
            Some(number) => answers = number.parse().ok().map(TurnId),
            None => {
                let read = |name: &str| serde_json::from_value(Value::String(name.into())).expect("a move");
                moves = word.split(',').map(read).collect();
            }
        }
    }
    let (text, round, citations, refused) = (text.to_owned(), None, vec![], vec![]);
    let room = None;
    Event::TurnTaken(TurnTaken {
        preparation: None,
        turn,
        speaker,
        round,
        room,
        moves,
        move_quotes: Vec::new(),
        answers,
        text,
        citations,
        refused,
        dangling: 0,
    })
}
