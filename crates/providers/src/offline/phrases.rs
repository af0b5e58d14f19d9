//! Fixed phrases: the only words of an offline debate that are not in a corpus. None of them is counted as a quotation.

use faultline_core::events::dispute::Side;

/// Words before a concession by which a speaker changes sides.
pub const MOVED: &str = "You have changed my mind.";
/// Answer to the question where a speaker stands on something that its positions do not mention.
pub const NO_SIDE: &str = "I take no side on that question.";
/// Words of acceptance of a proposal.
pub const ACCEPTED: &str = "I accept this proposal.";
/// Reasoning of a proposal that was changed to meet its critic.
pub const NARROWED: &str = "The proposal keeps what stands, and changes what its author concedes.";
/// Reason of a finding that two claims conflict.
pub const CONFLICT: &str = "One is annotated as a rebuttal of the other.";
/// Reason of a finding that two claims can both hold.
pub const COMPATIBLE: &str = "They are annotated as compatible.";

/// Phrases that state a side, on whatever question was asked.
pub const STATED_SIDES: &[(&str, Side)] = &[(NO_SIDE, Side::Undecided)];

/// Returns all phrases that can be spoken.
pub fn spoken() -> [&'static str; 3] {
    [MOVED, NO_SIDE, ACCEPTED]
}
