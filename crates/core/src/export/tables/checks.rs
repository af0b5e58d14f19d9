//! Table of fact checks.

use crate::events::checks::check::EvidenceSource;
use crate::events::ids::{CheckId, DebateId, DraftId, PersonaId, TurnId};
use crate::export::tables::cell::{TableRows, texts};
use crate::export::tables::export_table::{ExportTable, ProjectionFold, TableSource};
use crate::projections::fact_checks::{FactCheck, FactChecks};

/// Fact checks, and claims that were not checked.
pub const CHECKS: ExportTable = ExportTable {
    name: "checks",
    about: "One row per claim that was picked for a fact check, checked or not, by id.",
    columns: COLUMNS,
    source: TableSource::Events {
        kinds: &[
            "debate_opened",
            "debate_forked",
            "turn_taken",
            "interjected",
            "turn_drafted",
            "claims_extracted",
            "claim_checked",
            "effect_abandoned",
            "debate_concluded",
            "debate_aborted",
        ],
        fold: || ProjectionFold::boxed(push),
    },
};

struct CheckItem<'a> {
    debate: DebateId,
    version: i64,
    id: CheckId,
    turn: Option<TurnId>,
    draft: Option<DraftId>,
    speaker: Option<&'a PersonaId>,
    claim: &'a str,
    quote: Option<&'a str>,
    same_as: Option<CheckId>,
    check: Option<&'a FactCheck>,
    unchecked: Option<&'a str>,
}

table_row!(item: CheckItem<'_> {
    Uuid "debate_id" "Id of the debate." => item.debate;
    Integer "version" "Version of the event with the result, or, without one, of the event that picked the claim." => item.version;
    Text "check_id" "Id of the check in its debate." => item.id;
    Text or null "turn_id" "Turn that contains the claim; null if it was made in a draft that became no turn." => item.turn;
    Text or null "draft_id" "Draft in which it was made, if it was checked before it was said." => item.draft;
    Text or null "speaker_id" "Persona that made the claim; null for the moderator." => item.speaker;
    Text "claim" "The claim, as a sentence that can be checked." => item.claim;
    Text or null "quote" "Words that make the claim, if they differ from it." => item.quote;
    Text or null "verdict" "`true`, `false` or `unverifiable`; null if the claim was not checked."
        => item.check.map(|check| check.checked.verdict.name());
    Text or null "unchecked" "Reason for which there is no result; null if there is one, and while the check is under way."
        => item.unchecked;
    Float or null "confidence" "Confidence of the checker, from 0 to 1." => item.check.and_then(|check| check.checked.confidence);
    Text or null "explanation" "Bearing of the sources on the claim, in the checker's words."
        => item.check.and_then(|check| check.checked.explanation.as_deref());
    Text or null "checker" "Name of the checker: a search engine, a corpus or a model."
        => item.check.map(|check| check.checked.by.as_str());
    Integer "n_sources" "Number of sources found." => item.check.map_or(0, |check| check.checked.sources.len());
    Text "sources" "Sources, as a JSON array of their addresses, or of their titles without an address."
        => texts(&item.check.map(sources).unwrap_or_default());
    Text or null "same_as" "Earlier check of the same claim, from which the result was taken over." => item.same_as;
});

fn push(debate: DebateId, checks: &FactChecks, rows: &mut TableRows) {
    let checked = checks.checks.iter().map(|(id, check)| CheckItem {
        debate,
        version: check.version,
        id: *id,
        turn: checks.turn_of(check),
        draft: check.checked.draft,
        speaker: check.speaker.as_ref(),
        claim: &check.checked.claim,
        quote: check.checked.quote.as_deref(),
        same_as: check.checked.same_as,
        check: Some(check),
        unchecked: None,
    });
    let unchecked = checks.unchecked.iter().map(|(id, unchecked)| CheckItem {
        debate,
        version: unchecked.version,
        id: *id,
        turn: checks.turn_with(unchecked.turn, unchecked.draft),
        draft: unchecked.draft,
        speaker: Some(&unchecked.speaker),
        claim: &unchecked.claim.claim,
        quote: Some(unchecked.claim.quote.as_str()).filter(|quote| *quote != unchecked.claim.claim),
        same_as: unchecked.claim.same_as,
        check: None,
        unchecked: unchecked.reason.as_deref(),
    });
    let mut items: Vec<CheckItem<'_>> = checked.chain(unchecked).collect();
    items.sort_by_key(|item| item.id);
    items.iter().for_each(|item| push_row(rows, item));
}

fn sources(check: &FactCheck) -> Vec<String> {
    let named = |source: &EvidenceSource| source.address.clone().unwrap_or_else(|| source.title.clone());
    check.checked.sources.iter().map(named).collect()
}
