//! All measures, with their formulas, in the order in which they are shown.

use crate::measures::inputs::MeasureInputs;
use crate::measures::measure::{MeasureDefinition, MeasureGroup, MeasureUnit, MeasureValue, Measured};
use crate::measures::{
    answers, concession_measures, consensus, cost, course_measures, crux_measures, facts, grounding_measures,
    judgement, probe_measures, stances, voice, wording_measures,
};
use crate::verdicts::diff::timeline::TimelineEntry;
use crate::verdicts::read_model::DebateReadModel;
use crate::verdicts::verdict::Verdict;

/// Revision of the formulas. Increase it whenever one of them changes.
pub const MEASURES_REVISION: i32 = 3;

use MeasureGroup::{Cost, Cruxes, Facts, Grounding, Judgement, Stances, Talk, Voice};
use MeasureUnit::{Count, Number, Seconds, Share, Tokens, Turns, UsDollars};

type Formula = fn(&MeasureInputs<'_>) -> MeasureValue;

const fn defined(
    (key, name): (&'static str, &'static str),
    (group, unit): (MeasureGroup, MeasureUnit),
    compute: Formula,
    formula: &'static str,
) -> MeasureDefinition {
    MeasureDefinition { key, name, group, unit, formula, needs_timeline: false, compute }
}

const fn of_course(definition: MeasureDefinition) -> MeasureDefinition {
    MeasureDefinition { needs_timeline: true, ..definition }
}

/// All measures.
#[rustfmt::skip]
pub const MEASURES: &[MeasureDefinition] = &[
    defined(("cruxes", "Open cruxes"), (Cruxes, Count), crux_measures::cruxes,
        "Number of open cruxes of the verdict."),
    defined(("opposed_cruxes", "Opposed cruxes"), (Cruxes, Share), crux_measures::opposed_cruxes,
        "Open cruxes with a participant on each side, both in quoted words / open cruxes."),
    defined(("crux_flip", "Crux flip"), (Cruxes, Share), crux_measures::crux_flip,
        "Mean pivotality of the open cruxes that have one: the share of the theses whose acceptance can change if the crux is settled."),
    defined(("crux_reach", "Crux reach"), (Cruxes, Share), crux_measures::crux_reach,
        "Mean over the open cruxes of: arguments in conflict that rest on the crux / arguments in conflict."),
    defined(("acknowledged_cruxes", "Acknowledged cruxes"), (Cruxes, Share), crux_measures::acknowledged_cruxes,
        "Open cruxes that two participants named as the crux / open cruxes."),
    defined(("crux_conditions", "Conditions on cruxes"), (Cruxes, Share), crux_measures::crux_conditions,
        "Positions on open cruxes with a condition for a change of mind, said in a turn or stated on a room's card / positions on open cruxes."),
    defined(("crux_redundancy", "Crux redundancy"), (Cruxes, Share), crux_measures::crux_redundancy,
        "Mean over the open cruxes of the greatest likeness to another one."),
    defined(("crux_quality", "Crux quality"), (Cruxes, Share), crux_measures::crux_quality,
        "0.3 × opposed_cruxes + 0.3 × crux_flip + 0.2 × crux_conditions + 0.2 × acknowledged_cruxes; one without a value counts as 0."),
    of_course(defined(("crux_persistence", "Crux persistence"), (Cruxes, Share), course_measures::crux_persistence,
        "Mean over the open cruxes of: turns since the crux was last found / turns. On request, not in statistics across debates.")),
    of_course(defined(("crux_turnover", "Crux turnover"), (Cruxes, Share), course_measures::crux_turnover,
        "Times a crux ceased to be open / times a crux was found. On request, not in statistics across debates.")),
    of_course(defined(("label_changes", "Label changes"), (Cruxes, Number), course_measures::label_changes,
        "Changes of grounded labels, the first label of an argument not counted / arguments ever advanced. On request, not in statistics across debates.")),
    defined(("stance_drift", "Stance drift"), (Stances, Number), stances::drift,
        "Mean over participants and questions of |last position - first position|. A position is the stated confidence for yes, minus it for no, 0 for neither; from 0 to 2."),
    defined(("stance_path", "Stance path"), (Stances, Number), stances::path,
        "Mean over participants and questions of the sum of |change of position|; from 0."),
    defined(("unexplained_flips", "Unexplained flips"), (Stances, Count), stances::unexplained_flips,
        "Changes between yes and no without a concession in the same turn, a newly cited passage, or a valid attack by somebody else since the former stance."),
    defined(("capitulation", "Capitulation"), (Stances, Share), stances::capitulation,
        "Stances taken again against opposition that move towards the others without a reason / stances taken again against opposition."),
    defined(("capitulation_gap", "Capitulation gap"), (Stances, Share), stances::capitulation_gap,
        "Greatest minus smallest capitulation of a participant."),
    defined(("collapse_turn", "Collapse"), (Stances, Turns), stances::collapse_turn,
        "Number of the turn since which all positions on the topic have been within 0.25 although no crux was agreed on."),
    defined(("topic_entropy", "Entropy on the topic"), (Stances, Share), consensus::topic_entropy,
        "Entropy of the confidence on yes, no and neither / ln 3."),
    defined(("topic_distance", "Distance on the topic"), (Stances, Number), consensus::topic_distance,
        "Mean distance of two positions on the topic; from 0 to 2."),
    defined(("group_consensus", "Consensus across sides"), (Stances, Share), consensus::group_consensus,
        "Mean over the other questions of the greater of two products, for yes and for no: over the two sides of the topic, (1 + agreeing) / (2 + voting)."),
    defined(("contradicted_common_ground", "Contradicted common ground"), (Stances, Count), consensus::contradicted_common_ground,
        "Statements of the common ground that a current stance or another statement of it contradicts. Anything but 0 is a fault."),
    defined(("probed_contradictions", "Probed contradictions"), (Stances, Count), probe_measures::probed_contradictions,
        "After `faultline probe`: pairs of statements of the common ground that cannot both be true, as a model reads them."),
    defined(("endorsement", "Endorsement"), (Stances, Number), probe_measures::endorsement,
        "After `faultline probe`: mean over participants and statements of the common ground of the rating, from 1 (firmly rejects) to 7 (firmly endorses)."),
    defined(("least_endorsement", "Least endorsement"), (Stances, Number), probe_measures::least_endorsement,
        "After `faultline probe`: mean over the statements of the common ground of the lowest rating; from 1 to 7."),
    defined(("endorsement_spread", "Spread of endorsement"), (Stances, Number), probe_measures::endorsement_spread,
        "After `faultline probe`: mean over the statements of the common ground of the highest rating - the lowest rating; from 0 to 6."),
    defined(("concession_integrity", "Concession integrity"), (Stances, Share), concession_measures::concession_integrity,
        "Concessions in quoted words that give way to an attack or a side of somebody else, or grant another's statement / concessions."),
    defined(("relapses", "Relapses"), (Stances, Share), concession_measures::relapses,
        "Withdrawn arguments that their author claims again later (likeness of at least 0.6) / withdrawn arguments."),
    defined(("steelmen_accepted", "Accepted steelmen"), (Stances, Share), concession_measures::steelmen_accepted,
        "Positions stated for another participant and accepted by them at the first try / positions judged."),
    defined(("novelty", "Novelty"), (Talk, Share), wording_measures::novelty,
        "Claims whose greatest likeness to an earlier claim is below 0.6 / claims."),
    defined(("circling", "Circling"), (Talk, Share), wording_measures::circling,
        "Mean over the last six turns of the greatest likeness to an earlier turn of the same speaker."),
    defined(("diversity", "Diversity"), (Talk, Share), consensus::diversity,
        "Mean over pairs of claims of different participants of 1 - likeness."),
    defined(("distinct_word_pairs", "Distinct word pairs"), (Talk, Share), wording_measures::distinct_word_pairs,
        "Different pairs of neighbouring words in turns / pairs of neighbouring words in turns."),
    defined(("vocabulary_overlap", "Vocabulary overlap"), (Talk, Share), consensus::vocabulary_overlap,
        "Mean over pairs of participants of: common content words of their last turns / all content words of their last turns."),
    defined(("responsiveness", "Responsiveness"), (Talk, Share), answers::responsiveness,
        "Turns after a participant's first that answer another's turn or attack an argument / turns after a participant's first."),
    defined(("dropped_attacks", "Dropped attacks"), (Talk, Share), answers::dropped_attacks,
        "Valid attacks by others that the attacked participant never answered although they spoke again / valid attacks by others on somebody who spoke again."),
    defined(("answer_latency", "Answer latency"), (Talk, Turns), answers::answer_latency,
        "Mean number of turns from a valid attack to its answer."),
    defined(("word_inequality", "Inequality of words"), (Talk, Share), answers::word_inequality,
        "Gini coefficient of the participants' words; 0 if all speak alike."),
    defined(("grounded_turns", "Grounded turns"), (Grounding, Share), grounding_measures::grounded_turns,
        "Turns that cite a passage / turns."),
    defined(("supported_claims", "Supported claims"), (Grounding, Share), grounding_measures::supported_claims,
        "Claims whose turn cites a passage / claims whose turn is known."),
    defined(("verified_quotations", "Verified quotations"), (Grounding, Share), grounding_measures::verified_quotations,
        "Quotations that the cited passage contains, whole or abridged / quotations."),
    defined(("dangling_citations", "Dangling citations"), (Grounding, Share), grounding_measures::dangling_citations,
        "Citations of passages that the speaker was not given / citations."),
    defined(("factuality", "Factuality"), (Facts, Share), facts::factuality,
        "Claims found true / claims found true or false, in what was said."),
    defined(("fact_coverage", "Coverage of facts"), (Facts, Share), facts::fact_coverage,
        "Claims found true or false / claims pointed out, in what was said."),
    defined(("false_claims_said", "False claims said"), (Facts, Share), facts::false_claims_said,
        "False claims in turns / false claims in turns and rejected drafts."),
    defined(("retry_gain", "Gain of rejections"), (Facts, Share), facts::retry_gain,
        "Rejected drafts whose next draft has fewer false claims / rejected drafts."),
    defined(("forbidden_phrases", "Forbidden phrases"), (Voice, Number), voice::forbidden_phrases,
        "Uses of phrases that the personas' voices forbid, by hundred words; from 0."),
    defined(("contract_contradictions", "Contradictions with contracts"), (Voice, Share), probe_measures::contract_contradictions,
        "After `faultline probe`: turns with words that contradict the contract of their speaker, as a model reads them / turns that it read."),
    defined(("valid_attacks", "Valid attacks"), (Judgement, Share), judgement::valid_attacks,
        "Attacks judged valid / attacks judged."),
    defined(("attack_calibration", "Calibration of attackers"), (Judgement, Number), judgement::attack_calibration,
        "Mean of (attacker's confidence - ruling)², with 1 for valid and 0 for not (Brier score); from 0, the best, to 1."),
    defined(("audit_agreement", "Agreement of the audit"), (Judgement, Share), judgement::audit_agreement,
        "Words read as they were recorded / words that an auditor read."),
    defined(("unread_turns", "Unread turns"), (Judgement, Share), judgement::unread_turns,
        "Turns that no clerk could read / turns."),
    defined(("probe_agreement", "Agreement of probes"), (Judgement, Share), probe_measures::probe_agreement,
        "After `faultline probe`, twice: turns, pairs and ratings answered alike in the two latest rounds / those answered in both."),
    defined(("cost", "Cost"), (Cost, UsDollars), cost::cost,
        "Cost of all calls; absent if the price of a call is unknown."),
    defined(("cost_per_turn", "Cost per turn"), (Cost, UsDollars), cost::cost_per_turn,
        "Cost of all calls / turns."),
    defined(("tokens_per_turn", "Tokens per turn"), (Cost, Tokens), cost::tokens_per_turn,
        "Tokens of all calls, read and written / turns."),
    defined(("waste", "Waste"), (Cost, Share), cost::waste,
        "Tokens of answers that could not be used or were no longer needed / tokens of all answers."),
    defined(("cache_share", "Cached input"), (Cost, Share), cost::cache_share,
        "Input tokens that the provider read from its cache / input tokens."),
    defined(("failed_calls", "Failed calls"), (Cost, Share), cost::failed_calls,
        "Requests that failed or whose answers could not be used / requests."),
    defined(("call_seconds_per_turn", "Waiting per turn"), (Cost, Seconds), cost::call_seconds_per_turn,
        "Seconds of waiting for calls, those at the same time added up / turns."),
    defined(("model_variety", "Variety of models"), (Cost, Number), cost::model_variety,
        "exp(entropy of the answered calls by model): the effective number of models; from 1."),
];

/// Finds the measure with this key.
pub fn measure(key: &str) -> Option<&'static MeasureDefinition> {
    MEASURES.iter().find(|definition| definition.key == key)
}

/// Explains that there is no measure with this key, and lists those that there are.
pub fn unknown_measure(key: &str) -> String {
    unknown_measures(&[key])
}

/// Explains that there are no measures with these keys, and lists those that there are once.
pub fn unknown_measures(unknown: &[&str]) -> String {
    let keys: Vec<&str> = MEASURES.iter().map(|definition| definition.key).collect();
    let named: Vec<String> = unknown.iter().map(|key| format!("\"{key}\"")).collect();
    let what = if unknown.len() == 1 { "measure" } else { "measures" };
    format!("unknown {what} {}; available: {}", named.join(", "), keys.join(", "))
}

/// Finds the measure with this key among those that are summarized over debates.
///
/// # Errors
/// A message if there is no such measure, or it is computed for one debate at a time.
pub fn summarized_measure(key: &str) -> Result<&'static MeasureDefinition, String> {
    let found = measure(key).ok_or_else(|| unknown_measure(key))?;
    if found.needs_timeline {
        return Err(format!(
            "the measure \"{key}\" is computed for one debate at a time, and is not summarized over debates"
        ));
    }
    Ok(found)
}

/// Computes all measures of a debate, in the order of [`MEASURES`]. Cost: quadratic in the claims, of which the first
/// [`MAX_COMPARED`](crate::measures::inputs::MAX_COMPARED) are compared. Those that need the timeline have no value.
pub fn measures(read_model: &DebateReadModel, verdict: &Verdict) -> Vec<Measured> {
    measures_with_timeline(read_model, verdict, None)
}

/// Computes all measures of a debate like [`measures`], with its timeline up to the version of the read model.
pub fn measures_with_timeline(
    read_model: &DebateReadModel,
    verdict: &Verdict,
    timeline: Option<&[TimelineEntry]>,
) -> Vec<Measured> {
    let inputs = MeasureInputs::new(read_model, verdict, timeline);
    let measured =
        |definition: &'static MeasureDefinition| Measured { definition, measurement: (definition.compute)(&inputs) };
    MEASURES.iter().map(measured).collect()
}
