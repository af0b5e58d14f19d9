//! Check of replies and compatible pairs.

use std::collections::BTreeSet;

use crate::events::argument::ArgumentPart;
use crate::events::dispute::Side;
use crate::positions::collector::Collector;
use crate::positions::finding::FindingKind;
use crate::positions::model::{AnnotatedClaim, AnnotatedReply, GivesWay, ReplyKind, TopicPositions};

/// Checks the references, components and consequences of all replies.
pub fn replies(collector: &mut Collector<'_>) {
    for reply in &collector.topic.replies {
        let key = format!("replies/{}", reply.to);
        if let Some((theirs, claim)) = collector.claim_of_other(&reply.to, reply.line, &key, "") {
            component(collector, reply, claim, &key);
            rebuttal(collector, reply, theirs, claim, &key);
        }
        for needed in &reply.needs {
            collector.claim_of_other(needed, reply.line, &key, &format!("needs {needed}: "));
        }
        if let Some(with) = &reply.with {
            collector.own_claim(with, reply.line, &key);
            if reply.kind.attack().is_none() {
                let what = format!("a reply of kind {:?} is no attack; remove \"with\"", reply.kind.name());
                collector.find(FindingKind::Component, reply.line, &key, what);
            }
        }
        if !reply.in_words && reply.kind != ReplyKind::Grant {
            let what = format!("\"in_words\" is for grants; remove it from a reply of kind {:?}", reply.kind.name());
            collector.find(FindingKind::Component, reply.line, &key, what);
        }
        consequences(collector, reply, &key);
    }
}

fn component(collector: &mut Collector<'_>, reply: &AnnotatedReply, claim: &AnnotatedClaim, key: &str) {
    if claim.part(reply.component).is_none() {
        let (parts, noun, at) = match reply.component {
            ArgumentPart::Premise(at) => (claim.premises.len(), "premise", at),
            ArgumentPart::Assumption(at) => (claim.assumptions.len(), "assumption", at),
            ArgumentPart::Claim => return,
        };
        let at = u64::from(at) + 1;
        let what = format!("component \"{noun} {at}\" does not exist; {} has {parts} of this kind", reply.to);
        return collector.find(FindingKind::Component, reply.line, key, what);
    }
    let fits = match reply.kind {
        ReplyKind::Rebut => reply.component == ArgumentPart::Claim,
        ReplyKind::Undermine => reply.component != ArgumentPart::Claim,
        _ => true,
    };
    if !fits {
        let needed = if reply.kind == ReplyKind::Rebut { "the claim" } else { "a premise or an assumption" };
        let what = format!("{:?} attacks {needed}; change the kind or the component", reply.kind.name());
        collector.find(FindingKind::Component, reply.line, key, what);
    }
}

/// Finds rebuttals of an answer to the topic by a persona on the same side.
fn rebuttal(
    collector: &mut Collector<'_>,
    reply: &AnnotatedReply,
    theirs: &TopicPositions,
    claim: &AnnotatedClaim,
    key: &str,
) {
    let side = collector.topic.side;
    let rebuts_answer = reply.kind == ReplyKind::Rebut && claim.answers_topic;
    if rebuts_answer && theirs.side == side && matches!(side, Side::Yes | Side::No) {
        let what = format!("rebuts an answer to the topic, but both personas are on the side {}", side.name());
        collector.find(FindingKind::Side, reply.line, key, what);
    }
}

fn consequences(collector: &mut Collector<'_>, reply: &AnnotatedReply, key: &str) {
    let line = reply.line;
    if (reply.kind == ReplyKind::Concede) == reply.gives_way.is_empty() {
        let what = match reply.kind {
            ReplyKind::Concede => "a concession must state in gives_way what is given up; otherwise it is a grant",
            _ => "only a reply of kind \"concede\" can have gives_way",
        };
        collector.find(FindingKind::Consequence, line, key, what.to_owned());
    }
    for way in &reply.gives_way {
        let (before, after, noun) = match way {
            GivesWay::Claim { name, .. } => {
                collector.own_claim(name, line, key);
                continue;
            }
            GivesWay::Dispute { name, side } => match collector.topic.dispute(name) {
                Some(dispute) => (dispute.side, *side, format!("dispute {name:?}")),
                None => {
                    let what = format!("gives way on {name:?}, which is no own dispute");
                    collector.find(FindingKind::Reference, line, key, what);
                    continue;
                }
            },
            GivesWay::Topic { side, .. } => (collector.topic.side, *side, "topic".to_owned()),
        };
        if before == after {
            let what = format!("gives way to {} on the {noun}, which is the side it has already", after.name());
            collector.find(FindingKind::Side, line, key, what);
        }
    }
}

/// Checks the references of compatible pairs, and finds pairs in which one claim attacks the other.
pub fn compatible(collector: &mut Collector<'_>) {
    let topic = collector.topic;
    let mut attacks: BTreeSet<(String, String)> = BTreeSet::new();
    let ours = topic.replies.iter().filter(|reply| reply.kind.attack().is_some());
    attacks.extend(ours.filter_map(|reply| Some((reply.with.clone()?, reply.to.to_string()))));
    for (id, theirs) in collector.others_on_topic() {
        let against = theirs.replies.iter().filter(|reply| reply.kind.attack().is_some());
        let against = against.filter(|reply| reply.to.persona == *collector.persona);
        attacks.extend(
            against.filter_map(|reply| Some((reply.to.claim.clone(), format!("{id}/{}", reply.with.as_ref()?)))),
        );
    }
    for entry in &topic.compatible {
        let key = format!("compatible/{}", entry.with);
        collector.claim_of_other(&entry.with, entry.line, &key, "");
        for claim in &entry.claims {
            collector.own_claim(claim, entry.line, &key);
            if attacks.contains(&(claim.clone(), entry.with.to_string())) {
                let what = format!("{claim:?} and {} are called compatible, but one attacks the other", entry.with);
                collector.find(FindingKind::Side, entry.line, &key, what);
            }
        }
    }
}
