//! Verdict of a debate, combined from all rules.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::events::ids::ArgumentId;
use crate::events::lifecycle::DebateOutcome;
use crate::projections::argument_graph::ArgumentGraph;
use crate::projections::crux_proposals::CruxProposals;
use crate::projections::dispute_graph::DisputeGraph;
use crate::projections::summary::Summary;
use crate::projections::transcript::Transcript;
use crate::verdicts::camps::{Camp, are_split, camps};
use crate::verdicts::common_ground::{CommonGround, common_ground};
use crate::verdicts::coverage::coverage;
use crate::verdicts::cruxes::{Crux, CruxInputs, cruxes, resolved};
use crate::verdicts::last_word::{LastWord, last_word};
use crate::verdicts::regime::{Findings, Regime, regime};
use faultline_argumentation::explanation::acceptance::acceptance_from_factors;
use faultline_argumentation::labelling::{Label, grounded};
use faultline_argumentation::limits::SolverLimits;
use faultline_argumentation::preferred::preferred_factors;

/// Name and revision of the algorithm. Increase the revision whenever a rule changes.
pub const ALGORITHM: &str = "faultline-verdict/4";

/// Maximum number of search steps for one verdict: below a second in the hardest debates, microseconds in most.
pub const MAX_STEPS: u64 = 250_000;
/// Maximum number of conflicts from which the solver learns for one verdict.
pub const MAX_CONFLICTS: u64 = 5_000;

/// Verdict of a debate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Verdict {
    /// Name and revision of the algorithm.
    pub algorithm: String,
    /// Overall state of the debate.
    pub regime: Regime,
    /// Open cruxes, most important first.
    pub cruxes: Vec<Crux>,
    /// Resolved cruxes: former disputes on which all now take the same side.
    pub resolved: Vec<Crux>,
    /// Common ground.
    pub common_ground: Vec<CommonGround>,
    /// Camps of the arguments.
    pub camps: Vec<Camp>,
    /// True if all camps are listed; false if a persona is tied among more camps than are listed, or the debate
    /// contains events that this version does not know.
    pub camps_exact: bool,
    /// Grounded label of every live argument.
    pub labels: BTreeMap<ArgumentId, Label>,
    /// Number of preferred extensions, as a decimal number.
    pub n_extensions: String,
    /// Arguments accepted only because nobody answered.
    pub last_word: LastWord,
    /// Limit that ended the debate; `None` if it ended otherwise.
    pub limit: Option<String>,
}

impl Verdict {
    /// All cruxes: open ones, then resolved ones.
    pub fn all_cruxes(&self) -> impl Iterator<Item = &Crux> {
        self.cruxes.iter().chain(&self.resolved)
    }
}

/// Computes the verdict over these projections. `quorum` is the number of participants who must agree; `None` requires
/// all.
///
/// The verdict is exact if the search for preferred extensions was complete and all events are known, since unknown
/// events may contain more. Extensions are listed only for camps.
pub fn verdict(
    summary: &Summary,
    transcript: &Transcript,
    graph: &ArgumentGraph,
    disputes: &DisputeGraph,
    proposals: &CruxProposals,
    quorum: Option<usize>,
) -> Verdict {
    let framed = graph.framework();
    let labelling = grounded(&framed.framework);
    let limits = SolverLimits { nodes: MAX_STEPS, conflicts: MAX_CONFLICTS, ..SolverLimits::default() };
    let factors = preferred_factors(&framed.framework, &limits);
    let camps = camps(graph, &framed, &factors);
    let common_ground = common_ground(disputes, quorum.unwrap_or(summary.present().count()));
    let findings = Findings {
        split_disputes: disputes.not_retired().filter(|(_, dispute)| dispute.is_split()).count(),
        split_camps: are_split(&camps.camps),
        agreed: common_ground.len(),
        coverage: coverage(graph, disputes, summary.present().count()),
        exact: factors.limit.is_none(),
        unknown_events: summary.unknown_events,
    };
    let views = CruxInputs { transcript, graph, framed: &framed, disputes, proposals };
    Verdict {
        algorithm: ALGORITHM.to_owned(),
        regime: regime(findings),
        cruxes: cruxes(views, &acceptance_from_factors(&factors)),
        resolved: resolved(views),
        common_ground,
        camps: camps.camps,
        camps_exact: camps.exact && summary.unknown_events == 0,
        last_word: last_word(&framed, &labelling),
        n_extensions: factors.count().to_string(),
        labels: framed.ids.iter().copied().zip(labelling.0).collect(),
        limit: match &summary.outcome {
            Some(DebateOutcome::Limit { limit, .. }) => Some(limit.clone()),
            _ => None,
        },
    }
}
