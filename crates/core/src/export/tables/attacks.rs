//! Table of attacks between arguments.

use crate::events::argument::ArgumentPart;
use crate::events::ids::{AttackId, DebateId};
use crate::export::tables::arguments::FRAMEWORK_KINDS;
use crate::export::tables::cell::{TableRows, word};
use crate::export::tables::export_table::{ExportTable, ProjectionFold, TableSource};
use crate::projections::argument_graph::{ArgumentGraph, Attack};

/// Attacks, in the order in which they were raised.
pub const ATTACKS: ExportTable = ExportTable {
    name: "attacks",
    about: "One row per attack ever raised, valid or not, by id.",
    columns: COLUMNS,
    source: TableSource::Events { kinds: FRAMEWORK_KINDS, fold: || ProjectionFold::boxed(push) },
};

struct AttackItem<'a> {
    debate: DebateId,
    id: AttackId,
    attack: &'a Attack,
    graph: &'a ArgumentGraph,
}

table_row!(item: AttackItem<'_> {
    Uuid "debate_id" "Id of the debate." => item.debate;
    Integer "version" "Version of the event that raised the attack." => item.attack.version;
    Text "attack_id" "Id of the attack in its debate." => item.id;
    Text "speaker_id" "Persona that attacks." => &item.attack.raised.speaker;
    Text "turn_id" "Turn that contains the attack." => item.attack.raised.turn;
    Text "source_id" "The attacking argument." => item.attack.raised.source;
    Text "target_id" "The attacked argument." => item.attack.raised.target;
    Text or null "target_speaker_id" "Persona that advanced the attacked argument."
        => item.graph.speaker(item.attack.raised.target);
    Text "kind" "`rebut`, `undermine` or `undercut`, as corrected by the judge." => word(&item.attack.kind());
    Text "component" "Attacked part of the target, as corrected by the judge: `claim`, `premise` or `assumption`."
        => component(item.attack.component()).0;
    Integer or null "component_index" "Index of the premise or assumption, from 0." => component(item.attack.component()).1;
    Text "rationale" "Reason for which the source defeats the target." => item.attack.raised.rationale.as_str();
    Text or null "quote" "Words of the turn that make the attack." => item.attack.raised.quote.as_deref();
    Float "confidence" "Confidence of the attacker, from 0 to 1." => item.attack.raised.confidence;
    Boolean or null "is_valid" "Ruling of the judge; null if the attack was not judged. An attack between equal claims is never \
        valid." => item.attack.judged.as_ref().map(|judged| judged.valid && !item.attack.is_between_equals);
    Float or null "strength" "Strength that the judge gave it, from 0 to 1."
        => item.attack.judged.as_ref().map(|judged| judged.strength);
    Text or null "ruling" "Reason of the judge." => item.attack.judged.as_ref().map(|judged| judged.reason.as_str());
    Boolean "is_active" "True if it is valid, not withdrawn, and between two live arguments." => is_active(item);
    Text or null "withdrawn_in" "Turn that shows that it no longer applies; null if it was not withdrawn."
        => item.attack.withdrawn.as_ref().map(|withdrawn| withdrawn.turn);
});

fn push(debate: DebateId, graph: &ArgumentGraph, rows: &mut TableRows) {
    for (id, attack) in &graph.attacks {
        push_row(rows, &AttackItem { debate, id: *id, attack, graph });
    }
}

fn component(part: ArgumentPart) -> (&'static str, Option<u32>) {
    match part {
        ArgumentPart::Claim => ("claim", None),
        ArgumentPart::Premise(index) => ("premise", Some(index)),
        ArgumentPart::Assumption(index) => ("assumption", Some(index)),
    }
}

fn is_active(item: &AttackItem<'_>) -> bool {
    let raised = &item.attack.raised;
    item.attack.is_valid() && item.graph.is_live(raised.source) && item.graph.is_live(raised.target)
}
