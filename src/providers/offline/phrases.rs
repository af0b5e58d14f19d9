//! The fixed phrases: everything that an offline persona says and that stands in no corpus.
//!
//! Each is a whole sentence or a lead-in with its colon, so that a speech can be taken apart again into phrases and
//! quotations; a test does so.

use crate::providers::offline::stance::Side;

/// Leads into the quotation that answers the topic.
pub const OPENING: &[&str] = &["In words I have published:", "As I wrote:", "Let my own pages open this:"];
/// Leads into another quotation.
pub const FURTHER: &[&str] = &["And further:", "I wrote this as well:", "Add to that:"];
/// Leads into a quotation against an argument.
pub const AGAINST: &[&str] = &["Against that I set this:", "My pages answer that:", "Set this beside what was said:"];
/// Leads into a quotation that defends the speaker's own argument.
pub const DEFENCE: &[&str] =
    &["To the attack on my argument I answer:", "I stand by my argument, and for this reason:"];
/// Leads into a concession.
pub const GRANTS: &[&str] = &["I give ground on one point:", "So much I have granted in print:"];
/// Nothing is left to quote.
pub const SILENCE: &[&str] =
    &["I have written nothing further on what stands here.", "My pages hold no better answer than those given."];

/// Why an attack on a claim is raised.
pub const REBUTS: &str = "Quoted on the same matter, from the other side, against the claim.";
/// Why an attack on a premise or an assumption is raised.
pub const UNDERMINES: &str = "Quoted on the same matter, from the other side, against what the claim rests on.";
/// Why an attack on the step is raised.
pub const UNDERCUTS: &str = "Quoted on the same matter: the ground may stand, and the claim does not follow from it.";

/// Leads into a proposal.
pub const PROPOSES: &str = "I propose this:";
/// Leads into a further sentence of a proposal.
pub const WITH: &[&str] = &["With it goes this:", "And this:"];
/// Leads into a reason for a proposal.
pub const REASON: &str = "For this reason:";
/// Leads into what the author of an answered sentence has granted.
pub const GRANTED: &str = "This is granted:";
/// Leads into the answer to which a sentence is bound.
pub const BOUND: &str = "Bound by this:";
/// Leads into the answer to which a sentence gave way.
pub const INSTEAD: &str = "In place of what was answered:";
/// Tells what a synthesis did.
pub const JOINED: &str =
    "What nothing was held against stands as it was; what was answered is bound to its answer or gives way to it.";

/// Leads into what a speaker grants in talk.
pub const YIELDS: &[&str] = &["There you have me.", "So much is yours.", "I cannot wave that away."];
/// Leads into what would change a speaker's mind.
pub const MOVES: &[&str] = &["This would move me.", "You want to know what would turn me."];
/// Leads into what a speaker takes to be the crux.
pub const CRUX: &[&str] = &["It comes down to one thing.", "Leave the rest aside."];
/// Agrees with what another takes to be the crux.
pub const SIGNS: &[&str] = &["That is what it turns on. I would sign it.", "Yes, that is the sentence."];
/// Does not.
pub const DECLINES: &[&str] = &["That is not the sentence I would sign.", "It does not turn on that for me."];
/// Nothing new is left to say in talk.
pub const RESTS: &[&str] =
    &["I have said what I have to say on that.", "My mind is where it was.", "I leave it there."];
/// Leads into last words.
pub const LAST: &[&str] = &["This is what I take home.", "At the end of it I stand here."];
/// What would settle a question on which nobody wrote what would change their mind.
pub const COUNT: &str = "A count that both would accept, made where they disagree.";

/// Says the side.
pub fn side(side: Side) -> &'static str {
    match side {
        Side::Yes => "My answer is yes.",
        Side::No => "My answer is no.",
        Side::Nuanced => "My answer is neither a plain yes nor a plain no.",
        Side::Undecided => "My pages do not settle the question.",
    }
}

/// All of them.
pub fn connectives() -> Vec<&'static str> {
    let mut all = [OPENING, FURTHER, AGAINST, DEFENCE, GRANTS, SILENCE].concat();
    all.extend([YIELDS, MOVES, CRUX, SIGNS, DECLINES, RESTS, LAST].concat());
    all.push(COUNT);
    all.extend(WITH);
    all.extend([REBUTS, UNDERMINES, UNDERCUTS, PROPOSES, REASON, GRANTED, BOUND, INSTEAD, JOINED]);
    all.extend([Side::Yes, Side::No, Side::Nuanced, Side::Undecided].map(side));
    all
}
