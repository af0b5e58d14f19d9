//! Table of concessions.

use crate::events::argument::ArgumentPart;
use crate::events::dispute::Side;
use crate::events::ids::{ArgumentId, DebateId, DisputeId, TurnId};
use crate::events::turn::{ConcessionEffect, StatementSource};
use crate::export::tables::cell::{TableRows, word};
use crate::export::tables::export_table::{ExportTable, ProjectionFold, TableSource};
use crate::projections::concessions::{Concessions, RecordedConcession};

/// Concessions, in order.
pub const CONCESSIONS: ExportTable = ExportTable {
    name: "concessions",
    about: "One row per concession, in the order in which they were recorded.",
    columns: COLUMNS,
    source: TableSource::Events {
        kinds: &["debate_opened", "debate_forked", "concession_made", "words_audited"],
        fold: || ProjectionFold::boxed(push),
    },
};

struct ConcessionItem<'a> {
    debate: DebateId,
    concession: &'a RecordedConcession,
}

table_row!(item: ConcessionItem<'_> {
    Uuid "debate_id" "Id of the debate." => item.debate;
    Integer "version" "Version of the event that recorded the concession; it identifies the concession in its debate."
        => item.concession.version;
    Text "persona_id" "Persona that conceded." => &item.concession.made.speaker;
    Text "turn_id" "Turn that contains the concession." => item.concession.made.turn;
    Text "extent" "`full`, `partial` or `scope`." => word(&item.concession.made.kind);
    Text "what" "The point conceded." => item.concession.made.what.as_str();
    Text or null "quote" "Words of the turn that make the concession; null if it was only reported."
        => item.concession.made.quote.as_deref();
    Text "effect" "`withdrew`, `revised`, `moved` or `said`." => effect(&item.concession.made.effect);
    Text or null "argument_id" "Argument that was withdrawn or revised." => argument(&item.concession.made.effect);
    Text or null "dispute_id" "Dispute on which the persona changed sides."
        => moved(&item.concession.made.effect).map(|(dispute, _)| dispute);
    Text or null "side" "The new side on that dispute." => moved(&item.concession.made.effect).map(|(_, side)| side.name());
    Text or null "granted_statement" "Statement of another persona that the words grant."
        => item.concession.made.granted.as_ref().map(|granted| granted.statement.as_str());
    Text or null "granted_turn_id" "Turn that contains the granted statement." => granted(item).0;
    Text or null "granted_argument_id" "Argument that contains the granted statement." => granted(item).1;
    Text or null "granted_component" "Part of that argument: `claim`, `premise` or `assumption`." => granted(item).2;
    Boolean "is_contested" "True if a qualified auditor read no such concession in the words; it does not count."
        => item.concession.is_contested();
});

fn push(debate: DebateId, concessions: &Concessions, rows: &mut TableRows) {
    for concession in &concessions.concessions {
        push_row(rows, &ConcessionItem { debate, concession });
    }
}

fn effect(effect: &ConcessionEffect) -> &'static str {
    match effect {
        ConcessionEffect::Withdrew { .. } => "withdrew",
        ConcessionEffect::Revised { .. } => "revised",
        ConcessionEffect::Moved { .. } => "moved",
        ConcessionEffect::Said => "said",
    }
}

fn argument(effect: &ConcessionEffect) -> Option<ArgumentId> {
    match effect {
        ConcessionEffect::Withdrew { argument } | ConcessionEffect::Revised { argument } => Some(*argument),
        ConcessionEffect::Moved { .. } | ConcessionEffect::Said => None,
    }
}

fn moved(effect: &ConcessionEffect) -> Option<(DisputeId, Side)> {
    match effect {
        ConcessionEffect::Moved { dispute, to } => Some((*dispute, *to)),
        _ => None,
    }
}

/// Source of the granted statement: a turn, or a part of an argument.
fn granted(item: &ConcessionItem<'_>) -> (Option<TurnId>, Option<ArgumentId>, Option<&'static str>) {
    match item.concession.made.granted.as_ref().map(|granted| granted.source) {
        None => (None, None, None),
        Some(StatementSource::Turn { turn }) => (Some(turn), None, None),
        Some(StatementSource::Argument { argument, component }) => {
            let part = match component {
                ArgumentPart::Claim => "claim",
                ArgumentPart::Premise(_) => "premise",
                ArgumentPart::Assumption(_) => "assumption",
            };
            (None, Some(argument), Some(part))
        }
    }
}
