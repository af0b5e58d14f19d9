//! `aif`: the Argument Interchange Format (Chesñevar et al. 2006) in JSON, as `AIFdb` writes it.
//!
//! ```text
//! claim, premise, assumption     I
//! premises -> claim              I -> RA -> I
//! rebuttal                       I -> CA -> I (the claim), both ways where it is mutual
//! undermining                    I -> CA -> I (the premise or assumption)
//! undercut                       I -> CA -> RA
//! side of a question             I; yes and no are in conflict: I -> CA -> I, both ways
//! reason for a side              I -> RA -> I; against a side: I -> CA -> I
//! issue of a proposal            I -> CA -> I; a later proposal that resolves it: I -> CA -> I (the issue)
//! revision of a proposal         I -> MA -> I (the earlier proposal)
//! utterance                      L -> YA (Asserting) -> I, and -> RA or CA (Arguing, Disagreeing) where there is one
//! stance                         L -> YA -> I: Asserting a side; or, on a proposal, Agreeing, Disagreeing or
//!                                Default Illocuting
//! ```
//!
//! An undercut of an argument without premises has no inference node to attack, so it is drawn against the claim. Nodes
//! are numbered in the order of the debate, so the same debate always gives the same text.

use std::collections::BTreeMap;
use std::fmt::Display;

use chrono::{DateTime, Utc};
use serde_json::{Value, json};

use crate::events::argument::{ArgumentPart, AttackKind};
use crate::events::dispute::Side;
use crate::events::ids::TurnId;
use crate::events::imported::TurnBasis;
use crate::export::map::{DebateMap, MapGround, MapLink, MapNode, MapStance, NodeContent, NodeId, Relation};
use crate::export::map_text::side_name;
use crate::export::text::clean;
use crate::projections::transcript::Transcript;

/// Renders the debate with its utterances.
pub fn aif(map: &DebateMap, transcript: &Transcript) -> String {
    let times = transcript.turns.iter().map(|turn| (turn.turn, turn.at)).collect();
    let mut web = Web { map, times, points: Vec::new(), joints: Vec::new(), locutions: Vec::new() };
    let placed: Vec<Placed> = map.nodes.iter().map(|node| web.node(node)).collect();
    for (place, node) in map.nodes.iter().enumerate() {
        web.contradiction(place, node, &placed);
    }
    for link in &map.links {
        web.link(link, &placed);
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

/// Ids of what a node of the map became.
struct Placed {
    /// The I-node of the claim; `None` for a question, whose sides are claims.
    claim: Option<String>,
    premises: Vec<String>,
    assumptions: Vec<String>,
    /// The RA-node of the inference from premises and assumptions.
    step: Option<String>,
    /// The L-node of the utterance.
    locution: Option<String>,
}

/// Nodes and edges written so far.
struct Web<'m> {
    map: &'m DebateMap,
    points: Vec<Value>,
    joints: Vec<Value>,
    locutions: Vec<Value>,
    times: BTreeMap<TurnId, DateTime<Utc>>,
}

impl Web<'_> {
    fn node(&mut self, node: &MapNode) -> Placed {
        let (turn, none) = (node.turn, Vec::new());
        let (premises, assumptions) = match &node.content {
            NodeContent::Argument { premises, assumptions, .. } => (premises, assumptions),
            NodeContent::Reason { assumptions, .. } => (&none, assumptions),
            NodeContent::Question { .. } => {
                return Placed { claim: None, premises: vec![], assumptions: vec![], step: None, locution: None };
            }
            _ => (&none, &none),
        };
        let text = match &node.content {
            NodeContent::Position { side, .. } => format!("{}: {}", side_name(*side), node.text),
            _ => node.text.clone(),
        };
        let claim = self.point(&text, "I", turn);
        let each = |web: &mut Self, grounds: &[MapGround]| -> Vec<String> {
            grounds.iter().map(|ground| web.point(&ground.text, "I", turn)).collect()
        };
        let premises = each(self, premises);
        let assumptions = each(self, assumptions);
        let grounds: Vec<&String> = premises.iter().chain(&assumptions).collect();
        let step = (!grounds.is_empty()).then(|| self.point("Default Inference", "RA", turn));
        if let Some(step) = &step {
            grounds.into_iter().for_each(|ground| self.join(ground, step));
            self.join(step, &claim);
        }
        let locution = node.speaker.map(|speaker| {
            let source = match (node.turn_basis, turn) {
                (TurnBasis::Stated, _) | (_, None) => source_in(node.id, turn),
                (basis, Some(turn)) => format!("{} {}", node.id, basis.describe(turn)),
            };
            let locution = self.locution(speaker, turn, &node.text, &source);
            self.act(&locution, "Asserting", &claim, turn);
            if let Some(step) = &step {
                self.act(&locution, "Arguing", step, turn);
            }
            locution
        });
        self.stances(node, &claim);
        Placed { claim: Some(claim), premises, assumptions, step, locution }
    }

    /// Writes the utterances that take a side, or a stance on a proposal.
    fn stances(&mut self, node: &MapNode, claim: &str) {
        let (stances, source, question) = match (&node.content, node.id) {
            (NodeContent::Position { stances, .. }, NodeId::Position(dispute, _)) => (stances, dispute, &node.text),
            (NodeContent::Proposal { stances, dispute: Some((dispute, question)), .. }, _) => {
                (stances, *dispute, question)
            }
            _ => return,
        };
        for MapStance { speaker, side, turn, statement, quote, .. } in stances {
            let words = quote.as_ref().or(statement.as_ref()).map(|words| format!(" {words}")).unwrap_or_default();
            let said = format!("{}: {question}{words}", side_name(*side));
            let turn = Some(*turn);
            let locution = self.locution(*speaker, turn, &said, &source_in(source, turn));
            let act = match (&node.content, side) {
                (NodeContent::Position { .. }, _) => "Asserting",
                (_, Side::Yes) => "Agreeing",
                (_, Side::No) => "Disagreeing",
                (_, Side::Nuanced | Side::Undecided) => "Default Illocuting",
            };
            self.act(&locution, act, claim, turn);
        }
    }

    /// Writes the conflict between yes and no to a question.
    fn contradiction(&mut self, place: usize, node: &MapNode, placed: &[Placed]) {
        let NodeId::Position(dispute, Side::Yes) = node.id else { return };
        let no = NodeId::Position(dispute, Side::No);
        let other = self.map.nodes.iter().position(|node| node.id == no);
        if let (Some(yes), Some(no)) = (&placed[place].claim, other.and_then(|other| placed[other].claim.as_ref())) {
            for (from, to) in [(yes, no), (no, yes)] {
                self.scheme("Default Conflict", "CA", from, to, None);
            }
        }
    }

    fn link(&mut self, link: &MapLink, placed: &[Placed]) {
        let (source, target) = (&placed[link.source], &placed[link.target]);
        let (Some(from), Some(claim)) = (&source.claim, &target.claim) else { return };
        let scheme = match link.relation {
            Relation::Answer => return,
            Relation::Support => self.scheme("Default Inference", "RA", from, claim, link.turn),
            Relation::Revision => self.scheme("Default Rephrase", "MA", from, claim, link.turn),
            Relation::Strike(_) | Relation::Attack | Relation::Oppose | Relation::Criticism | Relation::Resolution => {
                let conflict = self.scheme("Default Conflict", "CA", from, hit(link, target, claim), link.turn);
                if link.is_mutual {
                    self.scheme("Default Conflict", "CA", claim, from, link.turn);
                }
                conflict
            }
        };
        let act = match link.relation {
            Relation::Support => "Arguing",
            Relation::Revision => "Restating",
            Relation::Oppose | Relation::Criticism | Relation::Resolution => "Disagreeing",
            _ => return,
        };
        if let Some(locution) = &source.locution {
            self.act(locution, act, &scheme, link.turn);
        }
    }

    /// Writes a scheme node between two others, and returns its id.
    fn scheme(&mut self, name: &str, kind: &str, from: &str, to: &str, turn: Option<TurnId>) -> String {
        let scheme = self.point(name, kind, turn);
        self.join(from, &scheme);
        self.join(&scheme, to);
        scheme
    }

    /// Writes the illocutionary act that connects an utterance to what it does.
    fn act(&mut self, locution: &str, act: &str, on: &str, turn: Option<TurnId>) {
        let act = self.point(act, "YA", turn);
        self.join(locution, &act);
        self.join(&act, on);
    }

    /// Writes an utterance. Its source is what was said, followed by the turn if it is known, and by the basis of the turn
    /// if it is not recorded.
    fn locution(&mut self, speaker: usize, turn: Option<TurnId>, words: &str, source: &str) -> String {
        let said = format!("{} : {words}", self.map.speakers[speaker].name);
        let locution = self.point(&said, "L", turn);
        self.locutions.push(json!({
            "nodeID": locution,
            "personID": format!("{}", speaker + 1),
            "timestamp": self.time(turn),
            "start": null,
            "end": null,
            "source": source,
        }));
        locution
    }

    fn point(&mut self, text: &str, kind: &str, turn: Option<TurnId>) -> String {
        let id = format!("{}", self.points.len() + 1);
        self.points.push(json!({ "nodeID": id, "text": clean(text), "type": kind, "timestamp": self.time(turn) }));
        id
    }

    fn join(&mut self, from: &str, to: &str) {
        let id = format!("{}", self.joints.len() + 1);
        self.joints.push(json!({ "edgeID": id, "fromID": from, "toID": to, "formEdgeID": null }));
    }

    fn time(&self, turn: Option<TurnId>) -> String {
        let time = turn.and_then(|turn| self.times.get(&turn));
        time.map(|time| time.format("%Y-%m-%d %H:%M:%S").to_string()).unwrap_or_default()
    }
}

/// Source of an utterance: what was said, and its turn if it is known.
fn source_in(id: impl Display, turn: Option<TurnId>) -> String {
    turn.map_or_else(|| id.to_string(), |turn| format!("{id} {turn}"))
}

/// Id of the node that an attack hits.
fn hit<'p>(link: &MapLink, target: &'p Placed, claim: &'p String) -> &'p String {
    let part = match link.component {
        ArgumentPart::Claim => None,
        ArgumentPart::Premise(number) => target.premises.get(number as usize),
        ArgumentPart::Assumption(number) => target.assumptions.get(number as usize),
    };
    let hit = match link.relation {
        Relation::Strike(AttackKind::Undercut) => target.step.as_ref().or(part),
        _ => part,
    };
    hit.unwrap_or(claim)
}
