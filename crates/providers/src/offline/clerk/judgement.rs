//! Judgement of attacks: those that are annotated are valid, and everything else stays unjudged.

use serde_json::{Value, json};

use crate::offline::cast::Cast;
use crate::offline::recognition::{Origin, is_part_of, origin};
use faultline_core::events::receipt::{Failure, FailureKind};
use faultline_core::kernel::task::{ArgumentInput, AttackInput};
use faultline_core::positions::model::AnnotatedReply;

/// Judges attacks.
///
/// # Errors
/// [`FailureKind::Hopeless`] if none of the attacks is annotated: asking again cannot help.
pub fn judge(cast: &Cast, arguments: &[ArgumentInput], attacks: &[AttackInput]) -> Result<Value, Failure> {
    let judged: Vec<Value> = attacks
        .iter()
        .filter_map(|attack| {
            let reply = annotated(cast, arguments, attack)?;
            Some(json!({ "attack": attack.alias, "valid": true, "strength": 1.0, "reason": reply.reason.text() }))
        })
        .collect();
    if judged.is_empty() {
        let message = "none of these attacks is annotated, so they stay unjudged";
        return Err(Failure::new(FailureKind::Hopeless, message));
    }
    Ok(json!({ "judgements": judged }))
}

/// Finds the reply that an attack makes.
fn annotated<'a>(cast: &'a Cast, arguments: &[ArgumentInput], attack: &AttackInput) -> Option<&'a AnnotatedReply> {
    let target = arguments.iter().find(|argument| argument.alias == attack.target)?;
    let Origin::Claim(theirs, claim) = origin(cast, &target.speaker, &target.claim)? else { return None };
    let attacker = cast.member(&attack.speaker)?;
    let carries = |reply: &AnnotatedReply| {
        let with = reply.with.as_ref().and_then(|name| attacker.topic.claim(name));
        with.is_some_and(|own| is_part_of(&attack.counter_claim, &own.sentence.quote))
            || reply.words.iter().any(|words| is_part_of(&attack.counter_claim, &words.quote))
    };
    attacker.topic.replies.iter().find(|reply| {
        let is_to_it = reply.to.persona == theirs.id && reply.to.claim == claim.name;
        is_to_it && reply.kind.attack() == Some(attack.kind) && carries(reply)
    })
}
