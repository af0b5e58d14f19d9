//! Table of debates.

use crate::export::tables::cell::{TableRows, joined};
use crate::export::tables::export_table::{ExportTable, ListedDebate, TableSource};

/// Debates, from the stored list.
pub const DEBATES: ExportTable =
    ExportTable { name: "debates", about: "One row per debate.", columns: COLUMNS, source: TableSource::List(push) };

table_row!(listed: ListedDebate {
    Uuid "debate_id" "Id of the debate." => listed.debate;
    Integer "version" "Version of the debate's newest event in the row." => listed.version;
    Text "topic" "Topic of the debate." => listed.topic.as_str();
    Text "engine" "Name of the engine." => listed.engine.as_str();
    Text "provider" "Name of the provider." => listed.provider.as_str();
    Text "status" "`running`, `paused`, `concluded` or `cancelled`." => listed.status.as_str();
    Text or null "phase" "Current or last phase, as the engine names it; null if it has none." => listed.phase.as_deref();
    Text or null "outcome" "`settled`, `exhausted`, `limit`, `stalled` or `failed`; null unless the debate ended by itself."
        => listed.outcome.as_deref();
    Text or null "regime" "`consensus`, `polarized`, `partial` or `undetermined`." => listed.regime.as_deref();
    Text or null "seed" "Seed of the random choices, a decimal number of up to 64 bits without a sign." => listed.seed.as_deref();
    Text "participants" "Ids of the participants in speaking order, separated by commas." => joined(&listed.participants);
    Integer "n_participants" "Number of participants." => listed.participants.len();
    Integer "n_turns" "Number of turns taken, without interjections." => listed.counts.turns;
    Integer or null "n_arguments" "Number of arguments ever advanced: rows of `arguments`." => listed.counts.arguments;
    Integer or null "n_attacks" "Number of attacks ever raised: rows of `attacks`." => listed.counts.attacks;
    Integer "n_disputes" "Number of disputes raised." => listed.counts.disputes;
    Integer "n_open_disputes" "Number of disputes on which participants are opposed." => listed.counts.open_disputes;
    Integer "n_cruxes" "Number of cruxes, open or resolved: rows of `cruxes`." => listed.counts.cruxes;
    Integer "n_open_cruxes" "Number of open cruxes." => listed.counts.open_cruxes;
    Integer or null "n_concessions" "Number of concessions: rows of `concessions`." => listed.counts.concessions;
    Integer "tokens" "Number of tokens read and written." => listed.tokens;
    Integer "cost_micros" "Cost in millionths of a US dollar." => listed.cost_micros;
    Timestamp "opened_at" "Time of the opening." => listed.opened_at;
    Timestamp "changed_at" "Time of the newest event." => listed.changed_at;
    Timestamp or null "ended_at" "Time of the end; null while the debate runs." => listed.ended_at;
});

fn push(listed: &ListedDebate, rows: &mut TableRows) {
    push_row(rows, listed);
}
