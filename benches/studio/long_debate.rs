//! A debate of any length, appended by a client: turns, arguments and attacks that name earlier arguments.

use faultline_core::events::ids::DebateId;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::client::Client;

const SPEAKERS: [&str; 3] = ["edda-tolvane", "gus-ormerand", "dara-velloway"];
const APPEND: &str = "mutation ($id: ID!, $at: Int!, $events: [EventInput!]!) {
    appendEvents(input: { debateId: $id, expectedVersion: $at, events: $events }) { version }
}";

/// Debate of an external engine that is appended to.
pub struct LongDebate {
    pub id: DebateId,
    /// Version that was acknowledged last.
    pub version: i64,
    n_turns: usize,
    /// Speakers of the arguments, in order.
    arguers: Vec<&'static str>,
    n_attacks: usize,
    random: u32,
}

impl LongDebate {
    pub async fn start(client: &Client) -> LongDebate {
        let input = json!({
            "id": Uuid::now_v7(), "topic": "Should the ferry run at night?", "engine": "external",
            "personaIds": SPEAKERS, "limits": { "turns": 10_000 },
        });
        let id = client.start(&input).await;
        LongDebate { id, version: 1, n_turns: 0, arguers: Vec::new(), n_attacks: 0, random: 3 }
    }

    /// Appends turns with so many arguments distributed over them, in appends of at least `batch` events.
    pub async fn append(&mut self, client: &Client, n_turns: usize, n_arguments: usize, batch: usize) {
        let every = n_turns.div_ceil(n_arguments.max(1));
        let mut events = Vec::new();
        for n in 0..n_turns {
            self.add_turn(&mut events);
            if n % every == 0 {
                self.add_argument(&mut events);
            }
            if events.len() >= batch {
                self.send(client, std::mem::take(&mut events)).await;
            }
        }
        self.send(client, events).await;
    }

    async fn send(&mut self, client: &Client, events: Vec<Value>) {
        if events.is_empty() {
            return;
        }
        let asked = json!({ "id": self.id, "at": self.version, "events": events });
        self.version = client.data(APPEND, asked).await["appendEvents"]["version"].as_i64().expect("a version");
    }

    fn speaker(&self, n: usize) -> &'static str {
        SPEAKERS[n % SPEAKERS.len()]
    }

    fn add_turn(&mut self, events: &mut Vec<Value>) {
        self.n_turns += 1;
        let n = self.n_turns;
        let text = format!("Turn {n}: buses have been promised to this city as a substitute for cars for years. ");
        events.push(event(
            "turn_taken",
            json!({
                "turn": format!("t{n}"), "speaker": self.speaker(n), "moves": ["challenge"],
                "text": text.repeat(1 + n % 2).trim_end(),
            }),
        ));
    }

    /// Adds an argument of the last turn's speaker; most arguments attack one of somebody else.
    fn add_argument(&mut self, events: &mut Vec<Value>) {
        let turn = self.n_turns;
        let speaker = self.speaker(turn);
        let target = self.target(speaker);
        self.arguers.push(speaker);
        let n = self.arguers.len();
        let mut argument = json!({
            "argument": format!("a{n}"), "speaker": speaker, "turn": format!("t{turn}"),
            "claim": format!("Claim {n}: the crew cannot sleep by day."), "premises": ["There is one crew."],
            "assumptions": [format!("They would work at night {}.", n % 9)], "answers_topic": n < 7,
        });
        let Some(target) = target.filter(|_| n > 6) else {
            events.push(event("argument_advanced", argument));
            return;
        };
        self.n_attacks += 1;
        let attack = format!("k{}", self.n_attacks);
        argument["carries"] = json!(attack);
        events.push(event("argument_advanced", argument));
        let part = json!({ "part": "claim" });
        events.push(event(
            "attack_raised",
            json!({
                "attack": attack, "speaker": speaker, "turn": format!("t{turn}"), "source": format!("a{n}"),
                "target": target, "component": part, "kind": "rebut", "rationale": "It does not follow.", "confidence": 0.8,
            }),
        ));
        events.push(event(
            "attack_judged",
            json!({
                "attack": attack, "valid": true, "strength": 0.6, "reason": "It answers the claim.", "kind": "undercut",
                "component": part,
            }),
        ));
    }

    /// An earlier argument of somebody else, which is attacked next; `None` in a seventh of the cases.
    fn target(&mut self, speaker: &str) -> Option<String> {
        self.random = self.random.wrapping_mul(1_103_515_245).wrapping_add(12_345);
        let number = (self.random >> 8) as usize;
        let others: Vec<usize> = (0..self.arguers.len()).filter(|n| self.arguers[*n] != speaker).collect();
        let target = others.get(number % others.len().max(1)).filter(|_| !number.is_multiple_of(7))?;
        Some(format!("a{}", target + 1))
    }
}

fn event(kind: &str, body: Value) -> Value {
    json!({ "id": Uuid::now_v7(), "kind": kind, "body": body })
}
