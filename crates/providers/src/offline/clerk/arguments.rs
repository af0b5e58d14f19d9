//! Distillation of turns into arguments, attacks, withdrawals and concessions.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::offline::cast::Cast;
use crate::offline::clerk::draft_argument::{DraftArgument, Drafts, MAX_PREMISES};
use crate::offline::clerk::sentence_names::name_of;
use crate::offline::composition::quoted;
use crate::offline::recognition::{granting_words, grants_its_part, part_of, recorded_part, texts};
use crate::offline::spoken::{Spoken, SpokenTurn};
use faultline_core::events::argument::AttackKind;
use faultline_core::events::dispute::Side;
use faultline_core::events::turn::ConcessionExtent;
use faultline_core::kernel::task::{ArgumentInput, AttackInput, TurnInput};
use faultline_core::positions::model::{AnnotatedClaim, AnnotatedReply, Basis, GivesWay, PassageQuote, ReplyKind};
use faultline_core::positions::sides::moving_words;

/// Distils the new turns. `most` is the maximum number of new arguments.
pub fn distil(
    cast: &Cast,
    turns: &[TurnInput],
    arguments: &[ArgumentInput],
    attacks: &[AttackInput],
    most: u32,
) -> Value {
    let spoken = Spoken::of(cast, turns);
    let fresh: Vec<&SpokenTurn> = spoken.turns.iter().filter(|turn| turn.input.fresh).collect();
    let mut graph = Drafts { cast, arguments: arguments.iter().map(DraftArgument::live).collect() };
    let new = (0..fresh.len()).flat_map(|at| new_arguments(&fresh[..=at], &graph));
    let mut new: Vec<DraftArgument> = new.collect();
    // Answers to the topic and attacks matter more than further claims; the sort is stable.
    new.sort_by_key(|argument| argument.rank);
    let mut claims = BTreeSet::new();
    new.retain(|argument| claims.insert((argument.speaker.clone(), argument.claim.clone())));
    new.truncate(most as usize);
    for (number, argument) in (1..).zip(&mut new) {
        argument.alias = format!("n{number}");
    }
    let told: Vec<Value> = new.iter().map(DraftArgument::reply).collect();
    graph.arguments.extend(new);
    let made = fresh.iter().enumerate().flat_map(|(at, turn)| {
        let mut made = new_attacks(turn, &graph, attacks);
        made.retain(|attack| !is_met_by(&fresh[at + 1..], attack, &graph));
        made
    });
    let raised = without_mutual_repeats(made.collect());
    let mut changes = Changes::default();
    for turn in &fresh {
        for reply in &turn.replies {
            reply.gives_way.iter().for_each(|way| changes.give_way(turn, reply, way, &graph));
            changes.drop_met(turn, reply, &graph, attacks);
        }
    }
    json!({
        "arguments": told, "revised": changes.revised, "withdrawn": changes.withdrawn, "attacks": raised,
        "withdrawn_attacks": changes.dropped, "concessions": concessions(&spoken, &fresh),
    })
}

/// Returns the concessions of new turns, by the sentences that make them, each with the sentence of another participant
/// that it grants, if that is among the turns.
pub fn concessions(spoken: &Spoken, fresh: &[&SpokenTurn]) -> Vec<Value> {
    let made = fresh.iter().flat_map(|turn| turn.replies.iter().map(move |reply| (turn, reply)));
    let concessions = made.filter(|(_, reply)| matches!(reply.kind, ReplyKind::Grant | ReplyKind::Concede));
    let told = concessions.filter_map(|(turn, reply)| {
        let sentence = name_of(turn.input, granting_words(moving_words(reply)))?;
        // A condition, or a side that depends on one, gives up nothing as a whole.
        let is_full = reply.gives_way.iter().any(|way| match way {
            GivesWay::Claim { becomes, .. } => becomes.is_none(),
            GivesWay::Topic { side, .. } | GivesWay::Dispute { side, .. } => matches!(side, Side::Yes | Side::No),
        });
        let kind = if is_full { "full" } else { "partial" };
        Some(json!({ "sentence": sentence, "kind": kind, "grants": granted(spoken, reply) }))
    });
    told.collect()
}

/// Returns the name of the sentence that a reply grants; `None` if its words do not say that it is true.
fn granted(spoken: &Spoken, reply: &AnnotatedReply) -> Option<String> {
    let turn = spoken.turn_of(&reply.to).filter(|_| grants_its_part(reply))?;
    let claim = turn.member.topic.claim(&reply.to.claim)?;
    name_of(turn.input, claim.part(reply.component)?)
}

/// Returns the arguments that the last of these turns adds: the claims that it makes, and the words of attacks that no claim
/// carries.
fn new_arguments(turns: &[&SpokenTurn], graph: &Drafts) -> Vec<DraftArgument> {
    let Some((turn, _)) = turns.split_last() else { return Vec::new() };
    let member = turn.member;
    let attacks = || turn.replies.iter().filter(|reply| reply.kind.attack().is_some());
    let carries = |claim: &AnnotatedClaim| attacks().any(|reply| reply.with.as_ref() == Some(&claim.name));
    let made = turn.claims.iter().filter(|claim| graph.of_claim(member, claim).is_none());
    let mut new: Vec<DraftArgument> = made
        .filter_map(|claim| {
            let premises = claim.premises.iter().filter_map(quoted).take(MAX_PREMISES);
            let assumed = texts(&claim.premises, false).chain(claim.assumptions.iter().map(Basis::text));
            let rank = if claim.answers_topic { 0 } else { 2 - u8::from(carries(claim)) };
            Some(DraftArgument {
                assumptions: assumed.map(str::to_owned).collect(),
                answers_topic: claim.answers_topic,
                ..DraftArgument::drawn(turn, rank, &claim.sentence, premises)?
            })
        })
        .collect();
    for reply in attacks() {
        let is_made_here = |name: &String| {
            let own = turns.iter().filter(|turn| turn.member.id == member.id);
            own.flat_map(|turn| &turn.claims).any(|claim| claim.name == *name)
        };
        let is_known = graph.source(member, reply).is_some() || reply.with.as_ref().is_some_and(is_made_here);
        if let ([words, more @ ..], false) = (reply.words.as_slice(), is_known) {
            let support: Vec<&PassageQuote> = more.iter().chain(quoted(&reply.reason)).collect();
            new.extend(DraftArgument::drawn(turn, 1, words, support.into_iter()));
        }
    }
    new
}

/// Returns the attacks that a turn makes and that are not in force.
fn new_attacks(turn: &SpokenTurn, graph: &Drafts, attacks: &[AttackInput]) -> Vec<Value> {
    let made = turn.replies.iter().filter_map(|reply| {
        let kind = reply.kind.attack()?;
        let (claim, target) = graph.target(reply)?;
        let source = graph.source(turn.member, reply)?;
        let part = recorded_part(claim, reply.component, &target.premises, &target.assumptions)?;
        let is_it = |attack: &AttackInput| {
            let ends = (&attack.source, &attack.target);
            let is_mutual = kind == AttackKind::Rebut && ends == (&target.alias, &source.alias);
            attack.kind == kind && (is_mutual || ends == (&source.alias, &target.alias) && attack.component == part)
        };
        let (component, index) = part_of(part);
        (!attacks.iter().any(is_it)).then(|| {
            json!({
                "source": source.alias, "target": target.alias, "component": component, "index": index, "kind": kind,
                "reason": turn.reason_of(reply), "strength": 1.0,
            })
        })
    });
    made.collect()
}

/// Returns true if a later turn narrowed the target of an attack to meet it.
fn is_met_by(later: &[&SpokenTurn], attack: &Value, graph: &Drafts) -> bool {
    let mut replies = later.iter().flat_map(|turn| turn.replies.iter().map(move |reply| (turn, reply)));
    replies.any(|(turn, reply)| {
        let by = graph.target(reply).map(|(_, by)| by.alias.as_str());
        let narrowed = reply.gives_way.iter().filter_map(|way| match way {
            GivesWay::Claim { name, becomes: Some(_), .. } => turn.member.topic.claim(name),
            _ => None,
        });
        let mut own = narrowed.filter_map(|claim| graph.of_claim(turn.member, claim));
        by.is_some_and(|by| attack["source"] == by) && own.any(|own| attack["target"] == own.alias.as_str())
    })
}

/// Drops rebuttals that only turn round an earlier one: a rebuttal works in both directions.
fn without_mutual_repeats(raised: Vec<Value>) -> Vec<Value> {
    let mut kept: Vec<Value> = Vec::new();
    for attack in raised {
        let is_turned = |other: &Value| {
            other["kind"] == "rebut" && (&other["source"], &other["target"]) == (&attack["target"], &attack["source"])
        };
        if attack["kind"] != "rebut" || !kept.iter().any(is_turned) {
            kept.push(attack);
        }
    }
    kept
}

/// Changes to what was recorded before.
#[derive(Default)]
struct Changes {
    revised: Vec<Value>,
    withdrawn: Vec<Value>,
    dropped: Vec<Value>,
}

impl Changes {
    /// Withdraws, narrows or conditions an argument that its author gives way on.
    fn give_way(&mut self, turn: &SpokenTurn, reply: &AnnotatedReply, way: &GivesWay, graph: &Drafts) {
        let GivesWay::Claim { name, extent, becomes } = way else { return };
        let own = turn.member.topic.claim(name).and_then(|claim| graph.of_claim(turn.member, claim));
        let (Some(own), Some(conceding)) = (own, name_of(turn.input, moving_words(reply))) else { return };
        let left = becomes.as_ref().and_then(|left| Some((left, name_of(turn.input, &left.quote)?)));
        match (extent, left) {
            (ConcessionExtent::Partial, Some((_, sentence))) => self.revised.push(json!({
                "argument": own.alias, "sentence": sentence, "states_claim": true, "assumption": null, "concedes": true,
            })),
            (ConcessionExtent::Scope, Some((condition, sentence))) => self.revised.push(json!({
                "argument": own.alias, "sentence": sentence, "states_claim": false, "assumption": condition.quote,
                "concedes": true,
            })),
            _ => self.withdrawn.push(json!({
                "argument": own.alias, "sentence": conceding, "superseded_by": null, "reason": turn.reason_of(reply),
            })),
        }
    }

    /// Drops the attacks of a claim on an argument that was narrowed to meet it.
    fn drop_met(&mut self, turn: &SpokenTurn, reply: &AnnotatedReply, graph: &Drafts, attacks: &[AttackInput]) {
        let Some((_, by)) = graph.target(reply) else { return };
        for way in &reply.gives_way {
            let GivesWay::Claim { name, becomes: Some(_), .. } = way else { continue };
            let own = turn.member.topic.claim(name).and_then(|claim| graph.of_claim(turn.member, claim));
            let is_met =
                |attack: &&AttackInput| own.is_some_and(|own| attack.target == own.alias) && attack.source == by.alias;
            self.dropped.extend(attacks.iter().filter(is_met).map(
                |attack| json!({ "attack": attack.alias, "turn": turn.input.alias, "reason": turn.reason_of(reply) }),
            ));
        }
    }
}
