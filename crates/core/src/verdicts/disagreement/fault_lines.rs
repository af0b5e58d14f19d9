//! Fault lines of a debate: between the camps of its arguments, or on the questions that divide its participants.

use crate::verdicts::disagreement::camp_lines::camp_lines;
use crate::verdicts::disagreement::dispute_lines::dispute_lines;
use crate::verdicts::disagreement::fault_line::FaultLine;
use crate::verdicts::read_model::DebateReadModel;
use crate::verdicts::verdict::Verdict;

/// Finds the fault lines of a debate: between camps if it has live arguments, otherwise on its questions. Where arguments
/// are, their attacks show what conflicts; where none is, only stances do.
pub fn fault_lines(read_model: &DebateReadModel, verdict: &Verdict) -> Vec<FaultLine> {
    let DebateReadModel { arguments, disputes, transcript, .. } = read_model;
    match arguments.live().next() {
        Some(_) => camp_lines(arguments, verdict),
        None => dispute_lines(disputes, transcript, verdict),
    }
}
