//! Table of stances on disputes.

use crate::events::ids::{DebateId, DisputeId, PersonaId};
use crate::export::tables::cell::TableRows;
use crate::export::tables::export_table::{ExportTable, ProjectionFold, TableSource};
use crate::projections::disputes::dispute_graph::DisputeGraph;
use crate::projections::disputes::dispute_state::{Dispute, Stance};

/// Stances, dispute by dispute.
pub const STANCES: ExportTable = ExportTable {
    name: "stances",
    about: "One row per stance ever taken, by dispute and, within it, in the order in which they were recorded.",
    columns: COLUMNS,
    source: TableSource::Events {
        kinds: &[
            "debate_opened",
            "debate_forked",
            "turn_taken",
            "interjected",
            "turns_crystallized",
            "dispute_raised",
            "dispute_linked",
            "dispute_revised",
            "dispute_retired",
            "stance_taken",
            "reason_given",
            "reason_withdrawn",
            "claims_compared",
            "words_audited",
        ],
        fold: || ProjectionFold::boxed(push),
    },
};

struct StanceItem<'a> {
    debate: DebateId,
    id: DisputeId,
    dispute: &'a Dispute,
    persona: &'a PersonaId,
    stance: &'a Stance,
    counting: &'static str,
}

table_row!(item: StanceItem<'_> {
    Uuid "debate_id" "Id of the debate." => item.debate;
    Integer "version" "Version of the event that recorded the stance." => item.stance.version;
    Text "dispute_id" "Id of the dispute in its debate." => item.id;
    Text "question" "Question of the dispute, as last revised." => item.dispute.question.as_str();
    Boolean "is_topic" "True if the question is the topic of the debate." => item.dispute.is_topic;
    Text "dispute_status" "`proposed`, `open`, `settled` or `retired`." => item.dispute.status().name();
    Text "persona_id" "Persona that took the stance." => item.persona;
    Text "side" "`yes`, `no`, `nuanced` or `undecided`." => item.stance.side.name();
    Text "turn_id" "Turn of the persona in which it was taken." => item.stance.turn;
    Text or null "statement" "The stance in one sentence." => item.stance.statement.as_deref();
    Text or null "quote" "Words of the turn that state it." => item.stance.quote.as_deref();
    Float or null "confidence" "Confidence that the persona expressed, from 0 to 1." => item.stance.confidence;
    Text "counting" "`counted`; `reported` if no words of the turn answer the question; `contested` if a qualified auditor \
        read the words otherwise. Only counted stances count." => item.counting;
    Boolean "is_current" "True if it is the persona's present stance on the dispute." => is_current(item);
});

fn push(debate: DebateId, graph: &DisputeGraph, rows: &mut TableRows) {
    for (id, dispute) in &graph.disputes {
        let lists = [(&dispute.history, "counted"), (&dispute.reported, "reported"), (&dispute.contested, "contested")];
        let items = lists.into_iter().flat_map(|(list, counting)| {
            let item = move |(persona, stance)| StanceItem { debate, id: *id, dispute, persona, stance, counting };
            list.iter().map(|(persona, stance)| (persona, stance)).map(item)
        });
        let mut items: Vec<StanceItem<'_>> = items.collect();
        items.sort_by_key(|item| item.stance.version);
        items.iter().for_each(|item| push_row(rows, item));
    }
}

fn is_current(item: &StanceItem<'_>) -> bool {
    let current = item.dispute.stances.get(item.persona);
    item.counting == "counted" && current.is_some_and(|current| current.version == item.stance.version)
}
