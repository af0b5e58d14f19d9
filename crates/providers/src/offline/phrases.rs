//! Fixed phrases: everything that an offline persona says and that is not in a corpus.
//!
//! Each is a whole sentence or a lead-in with its colon, so that a speech can be split again into phrases and
//! quotations; a test does so.

use crate::offline::corpus::stance::CorpusSide;

/// Lead-ins to the quotation that answers the topic.
pub const OPENING: &[&str] = &["In words I have published:", "As I wrote:", "Let my own pages open this:"];
/// Lead-ins to another quotation.
pub const FURTHER: &[&str] = &["And further:", "I wrote this as well:", "Add to that:"];
/// Lead-ins to a quotation against an argument.
pub const AGAINST: &[&str] = &["Against that I set this:", "My pages answer that:", "Set this beside what was said:"];
/// Lead-ins to a quotation that defends the speaker's own argument.
pub const DEFENCE: &[&str] =
    &["To the attack on my argument I answer:", "I stand by my argument, and for this reason:"];
/// Lead-ins to a concession.
pub const GRANTS: &[&str] = &["I give ground on one point:", "So much I have granted in print:"];
/// Phrases for a speaker with nothing left to quote.
pub const SILENCE: &[&str] =
    &["I have written nothing further on what stands here.", "My pages hold no better answer than those given."];

/// Rationale of an attack on a claim.
pub const REBUTS: &str = "Quoted on the same matter, from the other side, against the claim.";
/// Rationale of an attack on a premise or an assumption.
pub const UNDERMINES: &str = "Quoted on the same matter, from the other side, against what the claim rests on.";
/// Rationale of an attack on the step from the grounds to the claim.
pub const UNDERCUTS: &str = "Quoted on the same matter: the ground may stand, and the claim does not follow from it.";

/// Lead-in to a proposal.
pub const PROPOSES: &str = "I propose this:";
/// Lead-ins to a further sentence of a proposal.
pub const WITH: &[&str] = &["With it goes this:", "And this:"];
/// Lead-in to a reason for a proposal.
pub const REASON: &str = "For this reason:";
/// Lead-in to a concession by the author of an answered sentence.
pub const GRANTED: &str = "This is granted:";
/// Lead-in to the answer that qualifies a sentence.
pub const BOUND: &str = "Bound by this:";
/// Lead-in to the answer that replaces a sentence.
pub const INSTEAD: &str = "In place of what was answered:";
/// Summary of a synthesis.
pub const JOINED: &str =
    "What nothing was held against stands as it was; what was answered is bound to its answer or gives way to it.";

/// Lead-ins to a concession in talk.
pub const YIELDS: &[&str] = &["There you have me.", "So much is yours.", "I cannot wave that away."];
/// Lead-ins to a condition that would change the speaker's mind.
pub const MOVES: &[&str] = &["This would move me.", "You want to know what would turn me."];
/// Lead-ins to the speaker's proposed crux.
pub const CRUX: &[&str] = &["It comes down to one thing.", "Leave the rest aside."];
/// Phrases that agree with another speaker's proposed crux.
pub const SIGNS: &[&str] = &["That is what it turns on. I would sign it.", "Yes, that is the sentence."];
/// Phrases that reject another speaker's proposed crux.
pub const DECLINES: &[&str] = &["That is not the sentence I would sign.", "It does not turn on that for me."];
/// Phrases for a speaker with nothing new to say in talk.
pub const RESTS: &[&str] =
    &["I have said what I have to say on that.", "My mind is where it was.", "I leave it there."];
/// Lead-ins to closing words.
pub const LAST: &[&str] = &["This is what I take home.", "At the end of it I stand here."];
/// Criterion for a dispute on which nobody wrote what would change their mind.
pub const COUNT: &str = "A count that both would accept, made where they disagree.";

/// Returns the phrase that states a side.
pub fn side(side: CorpusSide) -> &'static str {
    match side {
        CorpusSide::Yes => "My answer is yes.",
        CorpusSide::No => "My answer is no.",
        CorpusSide::Nuanced => "My answer is neither a plain yes nor a plain no.",
        CorpusSide::Undecided => "My pages do not settle the question.",
    }
}

/// Returns all fixed phrases.
pub fn connectives() -> Vec<&'static str> {
    let mut all = [OPENING, FURTHER, AGAINST, DEFENCE, GRANTS, SILENCE].concat();
    all.extend([YIELDS, MOVES, CRUX, SIGNS, DECLINES, RESTS, LAST].concat());
    all.push(COUNT);
    all.extend(WITH);
    all.extend([REBUTS, UNDERMINES, UNDERCUTS, PROPOSES, REASON, GRANTED, BOUND, INSTEAD, JOINED]);
    all.extend([CorpusSide::Yes, CorpusSide::No, CorpusSide::Nuanced, CorpusSide::Undecided].map(side));
    all
}
