//! `aif`: the Argument Interchange Format (Chesñevar et al. 2006) in JSON, as `AIFdb` writes it.
//!
//! ```text
//! claim, premise, assumption     I
//! premises -> claim              I -> RA -> I
//! rebuttal                       I -> CA -> I (the claim), both ways where it is mutual
//! undermining                    I -> CA -> I (the premise or assumption)
//! undercut                       I -> CA -> RA
//! utterance                      L -> YA (Asserting) -> I, and -> RA (Arguing) where there is one
//! ```
//!
//! An undercut of an argument without premises has no inference node to attack, so it is drawn against the claim. Nodes
//! are numbered in the order of the debate, so the same debate always gives the same text.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use serde_json::{Value, json};

use crate::events::argument::{ArgumentPart, AttackKind};
use crate::events::ids::TurnId;
use crate::export::map::{ArgumentMap, MapArgument, MapAttack};
use crate::export::text::clean;
use crate::projections::transcript::Transcript;

/// Renders the debate with its utterances.
pub fn aif(map: &ArgumentMap, transcript: &Transcript) -> String {
    let times = transcript.turns.iter().map(|turn| (turn.turn, turn.at)).collect();
    let mut web = Web { times, ..Web::default() };
    let placed: Vec<Placed> = map.arguments.iter().map(|argument| web.argument(map, argument)).collect();
    for attack in &map.attacks {
        web.attack(attack, &placed);
    }
    let participants: Vec<Value> = (1..)
        .zip(&map.speakers)
        .map(|(number, speaker)| {
            let name = clean(&speaker.name);
            let (first, last) = name.rsplit_once(' ').unwrap_or((&name, ""));
            json!({ "participantID": format!("{number}"), "firstname": first, "surname": last })
        })
        .collect();
    let whole = json!({
        "nodes": web.points,
        "edges": web.joints,
        "locutions": web.locutions,
        "participants": participants,
    });
    format!("{whole:#}\n")
}

/// Node ids of the parts of an argument.
struct Placed {
    claim: String,
    premises: Vec<String>,
    assumptions: Vec<String>,
    step: Option<String>,
}

/// Nodes and edges written so far.
#[derive(Default)]
struct Web {
    points: Vec<Value>,
    joints: Vec<Value>,
    locutions: Vec<Value>,
    times: BTreeMap<TurnId, DateTime<Utc>>,
}

impl Web {
    fn argument(&mut self, map: &ArgumentMap, argument: &MapArgument) -> Placed {
        let turn = argument.turn;
        let claim = self.point(&argument.claim, "I", turn);
        let each = |web: &mut Self, texts: &[String]| -> Vec<String> {
            texts.iter().map(|text| web.point(text, "I", turn)).collect()
        };
        let premises = each(self, &argument.premises);
        let assumptions = each(self, &argument.assumptions);
        let grounds: Vec<&String> = premises.iter().chain(&assumptions).collect();
        let step = (!grounds.is_empty()).then(|| self.point("Default Inference", "RA", turn));
        if let Some(step) = &step {
            grounds.into_iter().for_each(|ground| self.join(ground, step));
            self.join(step, &claim);
        }
        let said = format!("{} : {}", map.speakers[argument.speaker].name, argument.claim);
        let locution = self.point(&said, "L", turn);
        self.locutions.push(json!({
            "nodeID": locution,
            "personID": format!("{}", argument.speaker + 1),
            "timestamp": self.time(turn),
            "start": null,
            "end": null,
            "source": format!("{} {turn}", argument.id),
        }));
        for (act, on) in [("Asserting", Some(&claim)), ("Arguing", step.as_ref())] {
            if let Some(on) = on {
                let act = self.point(act, "YA", turn);
                self.join(&locution, &act);
                self.join(&act, on);
            }
        }
        Placed { claim, premises, assumptions, step }
    }

    fn attack(&mut self, attack: &MapAttack, placed: &[Placed]) {
        let target = &placed[attack.target];
        let part = match attack.component {
            ArgumentPart::Claim => None,
            ArgumentPart::Premise(number) => target.premises.get(number as usize),
            ArgumentPart::Assumption(number) => target.assumptions.get(number as usize),
        };
        let hit = match attack.kind {
            AttackKind::Undercut => target.step.as_ref().or(part),
            AttackKind::Rebut | AttackKind::Undermine => part,
        };
        let (source, hit) = (&placed[attack.source].claim, hit.unwrap_or(&target.claim));
        let mut directions = vec![(source, hit)];
        if attack.is_mutual {
            directions.push((&target.claim, source));
        }
        for (from, to) in directions {
            let conflict = self.point("Default Conflict", "CA", attack.turn);
            self.join(from, &conflict);
            self.join(&conflict, to);
        }
    }

    fn point(&mut self, text: &str, kind: &str, turn: TurnId) -> String {
        let id = format!("{}", self.points.len() + 1);
        self.points.push(json!({ "nodeID": id, "text": clean(text), "type": kind, "timestamp": self.time(turn) }));
        id
    }

    fn join(&mut self, from: &str, to: &str) {
        let id = format!("{}", self.joints.len() + 1);
        self.joints.push(json!({ "edgeID": id, "fromID": from, "toID": to, "formEdgeID": null }));
    }

    fn time(&self, turn: TurnId) -> String {
        self.times.get(&turn).map(|time| time.format("%Y-%m-%d %H:%M:%S").to_string()).unwrap_or_default()
    }
}
