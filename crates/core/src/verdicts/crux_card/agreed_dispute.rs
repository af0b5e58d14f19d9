//! Dispute that asks the question which participants agreed on as the crux.

use crate::events::ids::DisputeId;
use crate::projections::crux_proposals::ProposedCrux;
use crate::projections::disputes::dispute_state::Dispute;
use crate::questions::wording::says_the_same;
use crate::verdicts::crux::CruxInputs;
use crate::verdicts::crux_card::question::settling_question;

/// Returns whether a wording of the dispute is that of the crux, or the question made of it: false if it is, true if the
/// wording negates the dispute, so that the sides are turned round; `None` if the dispute asks something else.
/// `proposer` is the display name of the participant who proposed the crux.
pub fn is_worded(dispute: &Dispute, crux: &ProposedCrux, proposer: &str) -> Option<bool> {
    let statement = crux.proposed.statement.as_str();
    let question = settling_question(statement, Some(proposer));
    let mut wordings = dispute.worded();
    let is_it = |wording: &str| says_the_same(wording, statement) || says_the_same(wording, &question);
    wordings.find(|(wording, _)| is_it(wording)).map(|(_, negates)| negates)
}

/// Finds the dispute that asks what a proposed crux states, and whether the crux negates it.
pub fn dispute_asking<'a>(views: CruxInputs<'a>, crux: &ProposedCrux) -> Option<(DisputeId, &'a Dispute, bool)> {
    let name = views.name(&crux.proposed.speaker);
    let mut disputes = views.disputes.not_retired();
    disputes.find_map(|(id, dispute)| Some((id, dispute, is_worded(dispute, crux, &name)?)))
}
