//! The verdict: every rule, joined.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::argumentation::acceptance::standings;
use crate::argumentation::labelling::{Label, grounded};
use crate::argumentation::limits::Limits;
use crate::argumentation::preferred::preferred_factors;
use crate::events::ids::ArgumentId;
use crate::events::lifecycle::Outcome;
use crate::projections::argument_graph::ArgumentGraph;
use crate::projections::crux_proposals::CruxProposals;
use crate::projections::dispute_graph::DisputeGraph;
use crate::projections::summary::Summary;
use crate::projections::transcript::Transcript;
use crate::verdicts::camps::{Camp, are_split, camps};
use crate::verdicts::common_ground::{CommonGround, common_ground};
use crate::verdicts::coverage::coverage;
use crate::verdicts::cruxes::{Crux, Views, cruxes, resolved};
use crate::verdicts::last_word::{LastWord, last_word};
use crate::verdicts::regime::{Findings, Regime, regime};

/// By which algorithm, in which revision, a verdict was made. Raise it whenever a rule changes its mind.
pub const ALGORITHM: &str = "faultline-verdict/4";

/// Steps of the search for positions that one verdict may take: below a second in the hardest debates, microseconds in most.
pub const MAX_STEPS: u64 = 250_000;
/// Conflicts from which the solver may learn for one verdict.
pub const MAX_CONFLICTS: u64 = 5_000;

/// What may be said of a debate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Verdict {
    /// Which algorithm made it.
    pub algorithm: String,
    /// The state of the debate as a whole.
    pub regime: Regime,
    /// What the disagreement turns on, most telling first.
    pub cruxes: Vec<Crux>,
    /// What it turned on until all came to one side.
    pub resolved: Vec<Crux>,
    /// What is held in common.
    pub common_ground: Vec<CommonGround>,
    /// Who stands together.
    pub camps: Vec<Camp>,
    /// Whether these are all camps: false where somebody is tied among more than are listed, or something was recorded that
    /// this version does not know.
    pub camps_exact: bool,
    /// The grounded label of every live argument.
    pub labels: BTreeMap<ArgumentId, Label>,
    /// How many preferred extensions there are, as a decimal number.
    pub n_extensions: String,
    /// What stands only because nobody answered.
    pub last_word: LastWord,
    /// The limit that the debate reached, if it ended by one.
    pub limit: Option<String>,
}

impl Verdict {
    /// All cruxes, the resolved ones behind the open ones.
    pub fn all_cruxes(&self) -> impl Iterator<Item = &Crux> {
        self.cruxes.iter().chain(&self.resolved)
    }
}

/// The verdict over these views. `quorum` is how many have to agree; `None` asks for all participants.
///
/// Whether it is exact depends on the search for preferred extensions, of which none is listed but for camps, and on whether
/// every event is known: where one is not, more may have been said.
pub fn verdict(
    summary: &Summary,
    transcript: &Transcript,
    graph: &ArgumentGraph,
    disputes: &DisputeGraph,
    proposals: &CruxProposals,
    quorum: Option<usize>,
) -> Verdict {
    let framed = graph.framed();
    let labelling = grounded(&framed.framework);
    let limits = Limits { nodes: MAX_STEPS, conflicts: MAX_CONFLICTS, ..Limits::default() };
    let factors = preferred_factors(&framed.framework, &limits);
    let camps = camps(graph, &framed, &factors);
    let common_ground = common_ground(disputes, quorum.unwrap_or(summary.present().count()));
    let findings = Findings {
        split_disputes: disputes.counted().filter(|(_, it)| it.is_split()).count(),
        split_camps: are_split(&camps.camps),
        agreed: common_ground.len(),
        coverage: coverage(graph, disputes, summary.present().count()),
        exact: factors.limit.is_none(),
        unknown_events: summary.unknown_events,
    };
    let views = Views { transcript, graph, framed: &framed, disputes, proposals };
    Verdict {
        algorithm: ALGORITHM.to_owned(),
        regime: regime(findings),
        cruxes: cruxes(views, &standings(&factors)),
        resolved: resolved(views),
        common_ground,
        camps: camps.camps,
        camps_exact: camps.exact && summary.unknown_events == 0,
        last_word: last_word(&framed, &labelling),
        n_extensions: factors.count().to_string(),
        labels: framed.ids.iter().copied().zip(labelling.0).collect(),
        limit: match &summary.outcome {
            Some(Outcome::Limit { limit, .. }) => Some(limit.clone()),
            _ => None,
        },
    }
}
