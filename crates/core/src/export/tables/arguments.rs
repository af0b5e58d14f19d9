//! Table of arguments.

use std::collections::BTreeMap;

use faultline_argumentation::labelling::Label;

use crate::events::ids::{ArgumentId, DebateId};
use crate::export::tables::cell::{TableRows, texts, word};
use crate::export::tables::export_table::{ExportTable, ProjectionFold, TableSource};
use crate::projections::argument_graph::{Argument, ArgumentGraph};

/// Kinds of events from which the argumentation framework of a debate is made.
pub(crate) const FRAMEWORK_KINDS: &[&str] = &[
    "debate_opened",
    "debate_forked",
    "turn_taken",
    "interjected",
    "dispute_raised",
    "stance_taken",
    "concession_made",
    "words_audited",
    "argument_advanced",
    "argument_attributed",
    "argument_revised",
    "argument_withdrawn",
    "attack_raised",
    "attack_judged",
    "attack_withdrawn",
    "claims_compared",
];

/// Arguments, in the order in which they were advanced.
pub const ARGUMENTS: ExportTable = ExportTable {
    name: "arguments",
    about: "One row per argument ever advanced, in its present form, by id.",
    columns: COLUMNS,
    source: TableSource::Events { kinds: FRAMEWORK_KINDS, fold: || ProjectionFold::boxed(push) },
};

struct ArgumentItem<'a> {
    debate: DebateId,
    id: ArgumentId,
    argument: &'a Argument,
    label: Option<Label>,
    n_attackers: usize,
    n_attacked: usize,
}

table_row!(item: ArgumentItem<'_> {
    Uuid "debate_id" "Id of the debate." => item.debate;
    Integer "version" "Version of the event that advanced the argument." => item.argument.version;
    Text "argument_id" "Id of the argument in its debate." => item.id;
    Text "speaker_id" "Persona that advanced it." => &item.argument.advanced.speaker;
    Text or null "turn_id" "Turn in which it was advanced; null if the turn is unknown, as in some imports."
        => item.argument.turn();
    Text "claim" "Claim, as last revised." => item.argument.advanced.claim.as_str();
    Text "premises" "Premises, as a JSON array of texts." => texts(&item.argument.advanced.premises);
    Text "assumptions" "Assumptions, as a JSON array of texts." => texts(&item.argument.advanced.assumptions);
    Integer "n_evidence" "Number of pieces of evidence." => item.argument.advanced.evidence.len();
    Text or null "label" "Label in the grounded labelling: `IN`, `OUT` or `UNDEC`; null if the argument is not live."
        => item.label.map(|label| word(&label));
    Boolean "is_live" "True if it was neither withdrawn nor contested, and carries no attack or a valid one."
        => item.label.is_some();
    Boolean "answers_topic" "True if the claim answers the topic: a thesis." => item.argument.advanced.answers_topic;
    Text or null "carries" "Attack that the argument carries out." => item.argument.advanced.carries;
    Boolean "is_distilled" "True if a clerk distilled it from a turn." => item.argument.advanced.distilled;
    Boolean "is_contested" "True if a qualified auditor read that the speaker's words do not say it."
        => item.argument.is_contested;
    Integer "n_attackers" "Number of active attacks on it." => item.n_attackers;
    Integer "n_attacked" "Number of active attacks by it." => item.n_attacked;
    Integer "n_revisions" "Number of revisions." => item.argument.revisions.len();
    Text or null "withdrawn_in" "Turn in which it was withdrawn; null if it was not."
        => item.argument.withdrawn.as_ref().map(|withdrawn| withdrawn.turn);
    Text or null "superseded_by" "Argument that replaces it."
        => item.argument.withdrawn.as_ref().and_then(|withdrawn| withdrawn.superseded_by);
});

fn push(debate: DebateId, graph: &ArgumentGraph, rows: &mut TableRows) {
    let labels = graph.labels();
    let (mut on, mut by) = (BTreeMap::new(), BTreeMap::new());
    for (_, attack) in graph.active() {
        *on.entry(attack.raised.target).or_insert(0_usize) += 1;
        *by.entry(attack.raised.source).or_insert(0_usize) += 1;
    }
    let count = |counts: &BTreeMap<ArgumentId, usize>, id| counts.get(&id).copied().unwrap_or(0);
    for (id, argument) in &graph.arguments {
        let (n_attackers, n_attacked) = (count(&on, *id), count(&by, *id));
        let label = labels.get(id).copied();
        push_row(rows, &ArgumentItem { debate, id: *id, argument, label, n_attackers, n_attacked });
    }
}
