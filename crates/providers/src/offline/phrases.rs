//! Fixed phrases: the only words of an offline debate that are not in a corpus. None of them is counted as a quotation.

use faultline_core::events::dispute::Side;

/// Words before a concession by which a speaker comes over to yes or no. Not said before a conditional offer.
pub const MOVED: &str = "You have changed my mind.";
/// Answer to the question where a speaker stands on something that its positions do not mention.
pub const NO_SIDE: &str = "I take no side on that question.";
/// The same, asked several questions of which its positions mention none.
pub const NO_SIDES: &str = "I take no side on these questions.";
/// The same, asked several questions of which its positions mention only those that it has answered before.
pub const NO_OTHER_SIDE: &str = "I take no side on what else was asked.";
/// Words by which the author of a proposal stands by it.
pub const STANDS: &str = "This proposal should stand.";
/// Words of acceptance of a proposal.
pub const ACCEPTED: &str = "I accept this proposal.";
/// Reasoning of a proposal that its author changes to meet a critic.
pub const NARROWED: &str = "I keep what stands, and change what I concede.";
/// Reasoning of a proposal that its author repeats, because no issue moves them.
pub const UNCHANGED: &str = "I change nothing, since I concede no open issue.";
/// Reason of a finding that two claims conflict.
pub const CONFLICT: &str = "One is annotated as a rebuttal of the other.";
/// Reason of a finding that two claims can both hold.
pub const COMPATIBLE: &str = "They are annotated as compatible.";
/// Reason for the revision of a dispute whose criteria grow.
pub const SETTLED_BY: &str = "The turn says what would settle it.";
/// Reason of an exit check that ends a room.
pub const SURFACED: &str = "Both have stated in this room a side and what would settle the question.";
/// Reason of an exit check after which a room goes on.
pub const NOT_SURFACED: &str = "Not both have stated in this room a side and what would settle the question.";
/// Reason why a pair of claims stays unexamined.
pub const UNRELATED: &str = "No annotation relates them.";

/// Reflection of a speaker, before the claim that is answered.
pub const TO_ANSWER: &str = "The claim to answer is";
/// Critique of a speaker, before the annotated reason of an objection.
pub const AGAINST_IT: &str = "Against it";
/// Critique of a speaker, before the annotated reason of a grant or a concession.
pub const FOR_IT: &str = "What speaks for it";
/// Critique of a speaker, before the annotated reason of any other reply.
pub const BESIDE_IT: &str = "In answer to it";
/// Mark of a reason that is in the words of the author of the positions, and in nobody's writings.
pub const AS_ANNOTATED: &str = "as annotated";
/// Explanation of a claim that no annotation decides.
pub const UNKNOWN_FACT: &str = "No annotation decides it.";

/// Phrases of the corpora that state a condition for a change of mind.
pub const CHANGES_MIND: &[&str] = &["change my mind", "be wrong"];

/// Phrases that state a side, on whatever question was asked.
pub const STATED_SIDES: &[(&str, Side)] = &[
    (NO_SIDE, Side::Undecided),
    (NO_SIDES, Side::Undecided),
    (NO_OTHER_SIDE, Side::Undecided),
    (STANDS, Side::Yes),
    (ACCEPTED, Side::Yes),
];

/// Returns all phrases that can be spoken.
pub fn spoken() -> [&'static str; 6] {
    [MOVED, NO_SIDE, NO_SIDES, NO_OTHER_SIDE, STANDS, ACCEPTED]
}
