//! Verdict of a debate, combined from all rules.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::events::ids::ArgumentId;
use crate::events::lifecycle::DebateOutcome;
use crate::projections::argument_graph::ArgumentGraph;
use crate::projections::audits::Audits;
use crate::projections::calls::missed_calls::MissedCalls;
use crate::projections::concessions::Concessions;
use crate::projections::crux_proposals::CruxProposals;
use crate::projections::crux_rooms::CruxRooms;
use crate::projections::disputes::dispute_graph::DisputeGraph;
use crate::projections::flip_conditions::FlipConditions;
use crate::projections::participants::Participants;
use crate::projections::proposals::Proposals;
use crate::projections::summary::Summary;
use crate::projections::transcript::Transcript;
use crate::questions::content_words::ContentWords;
use crate::verdicts::audit::audit_verdict::{AuditVerdict, audit_verdict};
use crate::verdicts::audit::items::{AuditViews, items};
use crate::verdicts::camps::{Camp, are_split, camps};
use crate::verdicts::common_ground::{CommonGround, common_ground};
use crate::verdicts::concessions::granted::{GrantInputs, GrantedStatement, granted};
use crate::verdicts::concessions::guard::without_contradictions;
use crate::verdicts::coverage::coverage;
use crate::verdicts::crux::{Crux, CruxInputs, CruxOrigin};
use crate::verdicts::crux_card::crux_text::quoted;
use crate::verdicts::cruxes::{cruxes, resolved};
use crate::verdicts::labels::last_word::{LastWord, last_word};
use crate::verdicts::regime::{Findings, Regime, regime};
use crate::verdicts::topic::{TopicVerdict, topic_verdict};
use faultline_argumentation::explanation::acceptance::acceptance_from_factors;
use faultline_argumentation::labelling::{Label, grounded};
use faultline_argumentation::limits::SolverLimits;
use faultline_argumentation::preferred::preferred_factors;

/// Name and revision of the algorithm. Increase the revision whenever a rule changes.
pub const ALGORITHM: &str = "faultline-verdict/12";

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
    /// Topic and the positions on it; `None` if the debate has no dispute about its topic.
    pub topic: Option<TopicVerdict>,
    /// Second reading of the words on which the verdict rests.
    #[serde(default)]
    pub audit: AuditVerdict,
    /// Open cruxes, most important first.
    pub cruxes: Vec<Crux>,
    /// Resolved cruxes: former disputes on which all now take the same side.
    pub resolved: Vec<Crux>,
    /// Contested premises: statements that one participant's argument rests on and another attacks, but that decide no
    /// thesis. They are no cruxes.
    pub contested: Vec<Crux>,
    /// Common ground.
    pub common_ground: Vec<CommonGround>,
    /// Statements of one participant that others granted in words and nobody denies, in the order of the first grants.
    #[serde(default)]
    pub granted: Vec<GrantedStatement>,
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
    /// True if participants agreed on what the crux is, and its question is open: agreeing that something is the crux is no
    /// answer to it.
    pub fn has_open_agreed_crux(&self) -> bool {
        has_open_agreed(&self.cruxes)
    }

    /// All cruxes: open ones, then resolved ones.
    pub fn all_cruxes(&self) -> impl Iterator<Item = &Crux> {
        self.cruxes.iter().chain(&self.resolved)
    }
}

/// Projections from which a verdict is computed.
#[derive(Clone, Copy, Debug)]
pub struct VerdictInputs<'a> {
    /// Summary, with the setting of the quorum.
    pub summary: &'a Summary,
    /// Turns.
    pub transcript: &'a Transcript,
    /// Arguments and attacks.
    pub graph: &'a ArgumentGraph,
    /// Disputes and stances.
    pub disputes: &'a DisputeGraph,
    /// Recorded concessions.
    pub concessions: &'a Concessions,
    /// Cruxes that participants proposed.
    pub cruxes: &'a CruxProposals,
    /// Proposals of a dialectic debate.
    pub drafts: &'a Proposals,
    /// Participants with their contracts.
    pub cast: &'a Participants,
    /// Rooms with their cards.
    pub rooms: &'a CruxRooms,
    /// Stated flip conditions.
    pub flip_conditions: &'a FlipConditions,
    /// Audits.
    pub audits: &'a Audits,
    /// Calls that were given up, and turns that no clerk read.
    pub missed: &'a MissedCalls,
}

impl<'a> VerdictInputs<'a> {
    /// Views that contain the words to audit.
    pub fn audited(&self) -> AuditViews<'a> {
        AuditViews {
            transcript: self.transcript,
            arguments: self.graph,
            disputes: self.disputes,
            cruxes: self.cruxes,
            proposals: self.drafts,
            concessions: self.concessions,
        }
    }
}

/// Computes the verdict over these projections.
///
/// The verdict is exact if the search for preferred extensions was complete and all events are known, since unknown
/// events may contain more. Extensions are listed only for camps.
pub fn verdict(inputs: VerdictInputs<'_>) -> Verdict {
    let VerdictInputs { summary, transcript, graph, disputes, concessions, .. } = inputs;
    let framed = graph.framework();
    let labelling = grounded(&framed.framework);
    let limits = SolverLimits { nodes: MAX_STEPS, conflicts: MAX_CONFLICTS, ..SolverLimits::default() };
    let factors = preferred_factors(&framed.framework, &limits);
    let camps = camps(graph, &framed, &factors);
    let agreed = common_ground(disputes, summary.required_quorum());
    let granted = granted(GrantInputs { transcript, graph, disputes, concessions });
    let (common_ground, granted, contradictions) = without_contradictions(agreed, granted, disputes, graph);
    let topic = topic_verdict(summary, disputes, transcript);
    let audit = audit_verdict(summary.audit, inputs.audits, items(inputs.audited()));
    let content_words = ContentWords::default();
    let views = CruxInputs {
        topic: &summary.topic,
        transcript,
        graph,
        framed: &framed,
        disputes,
        proposals: inputs.cruxes,
        cast: inputs.cast,
        rooms: inputs.rooms,
        flip_conditions: inputs.flip_conditions,
        content_words: &content_words,
    };
    let found = cruxes(views, &acceptance_from_factors(&factors));
    let obstacles = obstacles(summary, transcript, topic.as_ref(), inputs.drafts).into_iter();
    let findings = Findings {
        split_topic: topic.as_ref().is_some_and(TopicVerdict::is_split),
        split_disputes: disputes.not_retired().filter(|(_, dispute)| dispute.is_split() && !dispute.is_topic).count(),
        split_camps: are_split(&camps.camps),
        agreed: common_ground.len(),
        granted: granted.len(),
        coverage: coverage(graph, disputes, inputs.drafts, inputs.missed, summary.present().count()),
        exact: factors.limit.is_none(),
        unknown_events: summary.unknown_events,
        obstacles: obstacles.chain(dividing(&found.cruxes)).chain(open_agreed_crux(&found.cruxes)).collect(),
        audit_obstacle: audit.obstacle(),
        contradictions,
    };
    Verdict {
        algorithm: ALGORITHM.to_owned(),
        regime: regime(findings),
        topic,
        audit,
        cruxes: found.cruxes,
        contested: found.contested,
        resolved: resolved(views),
        common_ground,
        granted,
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

/// Returns the obstacle to a consensus, as a clause, if cruxes divide the participants. An attack in one direction makes
/// no camps, but participants do not agree if one rests an argument on a statement and the other attacks it.
fn dividing(cruxes: &[Crux]) -> Option<String> {
    let divides = |crux: &&Crux| crux.open && matches!(crux.origin, CruxOrigin::Structure { .. });
    match cruxes.iter().filter(divides).count() {
        0 => None,
        1 => Some("a participant attacks a statement on which another rests an argument".to_owned()),
        n => Some(format!("participants attack {n} statements on which others rest arguments")),
    }
}

/// Returns the obstacle to a consensus, as a clause, if participants agreed on what the crux is, and its question is open.
fn open_agreed_crux(cruxes: &[Crux]) -> Option<String> {
    has_open_agreed(cruxes).then(|| "the question that they agreed on as the crux is open".to_owned())
}

fn has_open_agreed(cruxes: &[Crux]) -> bool {
    cruxes.iter().any(|crux| crux.open && crux.agreed.is_some())
}

/// Conditions of a consensus, beside those on claims and disputes, that the debate does not meet: it ended by itself and
/// by no limit or failure, each participant spoke after the opening, all are on one side of the topic, and if there are
/// proposals, all accepted the last one.
fn obstacles(
    summary: &Summary,
    transcript: &Transcript,
    topic: Option<&TopicVerdict>,
    proposals: &Proposals,
) -> Vec<String> {
    let ending = match (&summary.outcome, &summary.cancelled) {
        (_, Some(_)) => Some("the debate was cancelled".to_owned()),
        (None, None) => Some("the debate has not ended".to_owned()),
        (Some(DebateOutcome::Settled { .. } | DebateOutcome::Exhausted { .. }), _) => None,
        (Some(DebateOutcome::Limit { limit, .. }), _) => {
            Some(format!("the debate ended at its limit `{}`", quoted(limit)))
        }
        (Some(DebateOutcome::Stalled { .. }), _) => Some("the debate stalled".to_owned()),
        (Some(DebateOutcome::Failed { .. }), _) => Some("the debate failed".to_owned()),
    };
    let silent: Vec<&str> = summary
        .present()
        .filter(|participant| !transcript.spoke_after_opening(&participant.persona))
        .map(|participant| participant.name.as_str())
        .collect();
    let silent = (!silent.is_empty()).then(|| format!("{} said nothing after the opening", silent.join(", ")));
    let topic = match topic {
        None => Some("nobody was asked about the topic".to_owned()),
        Some(topic) if topic.agreed_side().is_none() => Some("not all are on one side of the topic".to_owned()),
        Some(_) => None,
    };
    [ending, silent, topic, not_accepted(summary, proposals)].into_iter().flatten().collect()
}

/// Returns the obstacle to a consensus, as a clause, if the last proposal is not accepted by every participant: its
/// author accepts it by proposing it with a reason, everybody else in words with a reason. `None` without proposals.
fn not_accepted(summary: &Summary, proposals: &Proposals) -> Option<String> {
    let last = proposals.proposals.last()?;
    let missing: Vec<&str> = summary
        .present()
        .filter(|participant| {
            !last.is_accepted_by(&participant.persona)
                || participant.persona == last.speaker && last.reasoning.trim().is_empty()
        })
        .map(|participant| participant.name.as_str())
        .collect();
    let proposal = last.proposal;
    (!missing.is_empty()).then(|| format!("{} did not accept {proposal} in words with a reason", missing.join(", ")))
}
