//! Recognition of recorded arguments and reasons as annotated claims or replies, by their words.

use crate::offline::cast::{Cast, CastMember};
use faultline_core::events::argument::ArgumentPart;
use faultline_core::events::ids::PersonaId;
use faultline_core::positions::model::{AnnotatedClaim, AnnotatedReply, Basis, CompatibleClaims, GivesWay, ReplyKind};
use faultline_core::questions::wording::says_the_same;

/// Annotated origin of a recorded statement.
#[derive(Clone, Copy)]
pub enum Origin<'a> {
    /// Claim of the persona.
    Claim(&'a CastMember, &'a AnnotatedClaim),
    /// Words of a reply that no claim carries.
    Reply(&'a CastMember, &'a AnnotatedReply),
}

/// Relation of two claims of different personas, as annotated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnnotatedRelation {
    /// One rebuts the other.
    Conflict,
    /// Both can hold.
    Compatible,
}

/// Finds the annotated origin of a statement of a persona; `None` if there is none.
pub fn origin<'a>(cast: &'a Cast, speaker: &PersonaId, statement: &str) -> Option<Origin<'a>> {
    let member = cast.member(speaker)?;
    let claims = || member.topic.claims.iter();
    let exact = claims().find(|claim| says_the_same(&claim.sentence.quote, statement));
    if let Some(claim) = exact.or_else(|| claims().find(|claim| is_of_claim(member, claim, statement))) {
        return Some(Origin::Claim(member, claim));
    }
    let carried_by_words = |reply: &&AnnotatedReply| reply.kind.attack().is_some();
    let mut replies = member.topic.replies.iter().filter(carried_by_words);
    replies
        .find(|reply| reply.words.iter().any(|words| is_part_of(statement, &words.quote)))
        .map(|reply| Origin::Reply(member, reply))
}

/// Returns true if a statement is a claim, the first sentence of one, or what is left of one after a concession.
pub fn is_of_claim(member: &CastMember, claim: &AnnotatedClaim, statement: &str) -> bool {
    let ways = member.topic.replies.iter().flat_map(|reply| &reply.gives_way);
    let mut left = ways.filter_map(|way| match way {
        GivesWay::Claim { name, becomes: Some(becomes), .. } if *name == claim.name => Some(&becomes.quote),
        _ => None,
    });
    is_part_of(statement, &claim.sentence.quote) || left.any(|becomes| is_part_of(statement, becomes))
}

/// Returns true if one text contains the other, or they differ in white space, case and punctuation only.
pub fn is_part_of(one: &str, other: &str) -> bool {
    one.contains(other) || other.contains(one.trim_end_matches('.')) || says_the_same(one, other)
}

/// Returns the annotated relation of two statements; `None` if the annotations say nothing.
pub fn relation(cast: &Cast, one: (&PersonaId, &str), other: (&PersonaId, &str)) -> Option<AnnotatedRelation> {
    let (one, other) = (origin(cast, one.0, one.1)?, origin(cast, other.0, other.1)?);
    one_way(one, other).or_else(|| one_way(other, one))
}

/// Returns the relation that the annotations of the author of `one` state.
fn one_way(one: Origin, other: Origin) -> Option<AnnotatedRelation> {
    let Origin::Claim(theirs, target) = other else { return None };
    let is_to = |reply: &&AnnotatedReply| reply.to.persona == theirs.id && reply.to.claim == target.name;
    match one {
        Origin::Reply(_, reply) => {
            let conflicts = reply.kind == ReplyKind::Rebut && is_to(&reply);
            conflicts.then_some(AnnotatedRelation::Conflict)
        }
        Origin::Claim(own, claim) => {
            let replies = || own.topic.replies.iter().filter(is_to);
            let carried = |reply: &&AnnotatedReply| reply.with.as_ref() == Some(&claim.name);
            if replies().filter(carried).any(|reply| reply.kind == ReplyKind::Rebut) {
                return Some(AnnotatedRelation::Conflict);
            }
            // An annotated attack is no statement that both can hold, and counts once it was made.
            if replies().filter(carried).any(|reply| reply.kind.attack().is_some()) {
                return None;
            }
            let is_entry =
                |entry: &&CompatibleClaims| entry.with.persona == theirs.id && entry.with.claim == target.name;
            if let Some(entry) = own.topic.compatible.iter().find(is_entry) {
                return entry.claims.contains(&claim.name).then_some(AnnotatedRelation::Compatible);
            }
            let accepts = |reply: &AnnotatedReply| {
                let whole = reply.component == ArgumentPart::Claim;
                whole && matches!(reply.kind, ReplyKind::Compatible | ReplyKind::Grant)
            };
            replies().any(accepts).then_some(AnnotatedRelation::Compatible)
        }
    }
}

/// Returns the index of a part among the recorded premises and assumptions of a claim; `None` if it was not recorded.
/// Parts in the words of the author of the file are recorded as assumptions.
pub fn recorded_part(
    claim: &AnnotatedClaim,
    component: ArgumentPart,
    premises: &[String],
    assumptions: &[String],
) -> Option<ArgumentPart> {
    let basis = match component {
        ArgumentPart::Claim => return Some(ArgumentPart::Claim),
        ArgumentPart::Premise(at) => claim.premises.get(at as usize)?,
        ArgumentPart::Assumption(at) => claim.assumptions.get(at as usize)?,
    };
    let at = |texts: &[String]| {
        let found = texts.iter().position(|text| is_part_of(text, basis.text()))?;
        u32::try_from(found).ok()
    };
    at(premises).map(ArgumentPart::Premise).or_else(|| at(assumptions).map(ArgumentPart::Assumption))
}

/// Returns true if the words of a reply say that the part that it is about is true. A concession to a whole claim says what
/// its author gives up, and grants nothing by itself.
pub fn grants_its_part(reply: &AnnotatedReply) -> bool {
    let accepts = match reply.kind {
        ReplyKind::Grant => true,
        ReplyKind::Concede => reply.component != ArgumentPart::Claim,
        _ => false,
    };
    accepts && reply.in_words
}

/// Returns the part of a concession that says so in these words, if it does: the rest from "I grant" on.
pub fn granting_words(words: &str) -> &str {
    &words[words.find("I grant").unwrap_or(0)..]
}

/// Returns the texts of some parts that are quoted, or that are not.
pub fn texts(bases: &[Basis], is_quoted: bool) -> impl Iterator<Item = &str> {
    bases.iter().filter(move |basis| matches!(basis, Basis::Quoted(_)) == is_quoted).map(Basis::text)
}

/// Returns the name of a component in replies, and its index.
pub fn part_of(component: ArgumentPart) -> (&'static str, Option<u32>) {
    match component {
        ArgumentPart::Claim => ("claim", None),
        ArgumentPart::Premise(at) => ("premise", Some(at)),
        ArgumentPart::Assumption(at) => ("assumption", Some(at)),
    }
}
