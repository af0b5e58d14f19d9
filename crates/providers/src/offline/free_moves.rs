//! Moves that are free in a talk: possible after what was said, and not spent.

use std::collections::BTreeSet;

use crate::offline::cast::{Cast, CastMember};
use crate::offline::composition::quoted;
use crate::offline::spoken::{Spoken, SpokenTurn};
use faultline_core::events::dispute::Side;
use faultline_core::positions::model::{AnnotatedClaim, AnnotatedReply, ClaimRef, GivesWay, ReplyKind};

/// Reply that is possible, with the turn that it answers.
#[derive(Clone, Copy)]
pub struct FreeReply<'a, 's> {
    /// The reply.
    pub reply: &'a AnnotatedReply,
    /// Latest turn that makes its claim.
    pub turn: &'s SpokenTurn<'a>,
}

/// Returns the replies that are free for a speaker.
pub fn free_replies<'a, 's>(cast: &'a Cast, spoken: &'s Spoken<'a>, speaker: &'a CastMember) -> Vec<FreeReply<'a, 's>> {
    let open = speaker.topic.replies.iter().filter_map(|reply| open_reply(cast, spoken, speaker, reply));
    let open: Vec<FreeReply> = open.collect();
    // Nobody gives way to a claim before having tried every objection to it.
    let objects_to =
        |claim: &ClaimRef| open.iter().any(|free| free.reply.kind.attack().is_some() && free.reply.to == *claim);
    let is_free = |free: &&FreeReply| free.reply.kind != ReplyKind::Concede || !objects_to(&free.reply.to);
    open.iter().filter(is_free).copied().collect()
}

fn open_reply<'a, 's>(
    cast: &'a Cast,
    spoken: &'s Spoken<'a>,
    speaker: &'a CastMember,
    reply: &'a AnnotatedReply,
) -> Option<FreeReply<'a, 's>> {
    let turn = spoken.turn_of(&reply.to)?;
    let is_said = reply.words.iter().all(|words| spoken.has_said(speaker, &words.quote));
    let is_ready =
        reply.needs.iter().all(|needed| spoken.turn_of(needed).is_some()) && is_heard(spoken, speaker, turn, reply);
    let stands = !spoken.has_given_way_on(turn.member, &reply.to.claim);
    let carries = reply.with.as_ref().is_none_or(|own| !spoken.has_given_way_on(speaker, own));
    let is_early = changes_topic(reply) && claims_kept(spoken, speaker, reply) < MIN_KEPT;
    let fits =
        !is_said && !is_early && is_ready && stands && carries && is_consistent(spoken, speaker, turn.member, reply);
    (fits && cast.member(&reply.to.persona).is_some()).then_some(FreeReply { reply, turn })
}

/// Returns true if a reply concerns nothing that was not said: a granted statement was said by its owner, and the claims
/// that the speaker gives up were made.
fn is_heard(spoken: &Spoken, speaker: &CastMember, turn: &SpokenTurn, reply: &AnnotatedReply) -> bool {
    let granted = || turn.member.topic.claim(&reply.to.claim).and_then(|claim| claim.part(reply.component));
    let is_granted = reply.kind != ReplyKind::Grant || granted().is_some_and(|part| spoken.has_said(turn.member, part));
    let is_made = |way: &GivesWay| match way {
        GivesWay::Claim { name, .. } => {
            spoken.turn_of(&ClaimRef { persona: speaker.id.clone(), claim: name.clone() }).is_some()
        }
        GivesWay::Dispute { .. } | GivesWay::Topic { .. } => true,
    };
    is_granted && reply.gives_way.iter().all(is_made)
}

/// Minimum number of claims that somebody has made, and keeps, before changing sides on the topic.
const MIN_KEPT: usize = 2;

fn changes_topic(reply: &AnnotatedReply) -> bool {
    reply.gives_way.iter().any(|way| matches!(way, GivesWay::Topic { .. }))
}

/// Returns the number of claims that a speaker has made and would keep after a concession.
fn claims_kept(spoken: &Spoken, speaker: &CastMember, concession: &AnnotatedReply) -> usize {
    let is_lost = |claim: &AnnotatedClaim| {
        let mut ways = concession.gives_way.iter();
        ways.any(|way| matches!(way, GivesWay::Claim { name, .. } if *name == claim.name))
    };
    let made = spoken.turns_of(speaker).flat_map(|turn| turn.claims.iter());
    let kept = made.filter(|claim| !is_lost(claim) && !spoken.has_given_way_on(speaker, &claim.name));
    kept.map(|claim| claim.name.as_str()).collect::<BTreeSet<_>>().len()
}

/// Returns false for an attack by somebody who has come over to the side of the attacked.
fn is_consistent(spoken: &Spoken, speaker: &CastMember, other: &CastMember, reply: &AnnotatedReply) -> bool {
    let side = spoken.side(speaker);
    reply.kind.attack().is_none() || side == speaker.topic.side || side != spoken.side(other)
}

/// Returns the claims that are free for a speaker: neither made nor given up. A speaker who has changed
/// sides makes no further case for the side that was left.
pub fn free_claims<'a>(spoken: &Spoken, speaker: &'a CastMember) -> Vec<&'a AnnotatedClaim> {
    if spoken.side(speaker) != speaker.topic.side {
        return Vec::new();
    }
    let is_made = |claim: &AnnotatedClaim| {
        let reference = ClaimRef { persona: speaker.id.clone(), claim: claim.name.clone() };
        spoken.turn_of(&reference).is_some() || spoken.has_said(speaker, &claim.sentence.quote)
    };
    let is_free = |claim: &&AnnotatedClaim| !is_made(claim) && !spoken.has_given_way_on(speaker, &claim.name);
    speaker.topic.claims.iter().filter(is_free).collect()
}

/// Returns the weight of a claim as a next move: what others can answer, what would move them, and what is in dispute.
pub fn claim_weight(cast: &Cast, speaker: &CastMember, claim: &AnnotatedClaim) -> f64 {
    let is_it = |reference: &ClaimRef| reference.persona == speaker.id && reference.claim == claim.name;
    let replies = || cast.others(&speaker.id).flat_map(|other| &other.topic.replies);
    let answers = replies().filter(|reply| is_it(&reply.to) && reply.kind.attack().is_some()).count();
    let moving = replies().filter(|reply| is_it(&reply.to) || reply.needs.iter().any(is_it));
    let moves_somebody = moving.filter(|reply| reply.kind == ReplyKind::Concede).map(|reply| {
        let is_deep = |way: &GivesWay| matches!(way, GivesWay::Topic { .. } | GivesWay::Dispute { .. });
        if reply.gives_way.iter().any(is_deep) { 0.6 } else { 0.3 }
    });
    let disputed = if is_disputed(cast, speaker, claim) { 0.8 } else { 0.0 };
    0.15 * answers.min(3) as f64 + moves_somebody.fold(0.0, f64::max) + disputed
}

/// Returns true if a claim states or rests on the speaker's side of a dispute on which another participant is on the
/// opposite side.
pub fn is_disputed(cast: &Cast, speaker: &CastMember, claim: &AnnotatedClaim) -> bool {
    let is_part = |words: &str| {
        claim.sentence.quote == words || claim.premises.iter().filter_map(quoted).any(|premise| premise.quote == words)
    };
    let opposite = |side: Side| match side {
        Side::Yes => Some(Side::No),
        Side::No => Some(Side::Yes),
        Side::Nuanced | Side::Undecided => None,
    };
    speaker.topic.disputes.iter().filter(|dispute| is_part(&dispute.words.quote)).any(|dispute| {
        let other_side = |other: &CastMember| other.topic.dispute(&dispute.name).map(|theirs| theirs.side);
        cast.others(&speaker.id).any(|other| other_side(other) == opposite(dispute.side) && other_side(other).is_some())
    })
}
