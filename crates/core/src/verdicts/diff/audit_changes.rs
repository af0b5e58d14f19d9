//! Changes between two audits.

use crate::events::audit::Auditor;
use crate::events::ids::{PersonaId, TurnId};
use crate::verdicts::audit::audit_verdict::{AuditVerdict, AuditedWords};
use crate::verdicts::audit::items::AuditSubject;
use crate::verdicts::crux_id::CruxKey;
use crate::verdicts::diff::list_match::match_items;
use crate::verdicts::diff::verdict_change::{ChangeKind, ChangeList, ChangedItem, listed, optional};

/// Adds all changes between two audits. Words are matched by their record, turn, speaker and text.
pub fn compare_audits(found: &mut ChangeList, before: &AuditVerdict, after: &AuditVerdict) {
    let AuditVerdict { setting, auditor, failure, words } = before;
    let whole = ChangedItem::default();
    found.compare(ChangeKind::AuditSetting, &whole, (setting, &after.setting), json);
    found.compare(ChangeKind::Auditor, &whole, (auditor, &after.auditor), |it| it.as_ref().map(auditor_text));
    found.compare(ChangeKind::AuditFailure, &whole, (failure, &after.failure), optional);
    let matched = match_items(words, &after.words, key);
    for (from, to) in &matched.both {
        let item = item(from);
        found.compare(ChangeKind::AuditedRecord, &item, (&record(from), &record(to)), Clone::clone);
        found.compare(ChangeKind::AuditReading, &item, (&reading(from), &reading(to)), Clone::clone);
    }
    for lost in &matched.lost {
        found.add(ChangeKind::AuditedWords, &item(lost), record(lost), None);
    }
    for gained in &matched.gained {
        found.add(ChangeKind::AuditedWords, &item(gained), None, record(gained));
    }
    if matched.is_reordered {
        let order = |audit: &AuditVerdict| listed(&audit.words.iter().map(|words| words.turn).collect::<Vec<_>>());
        found.add(ChangeKind::AuditOrder, &whole, order(before), order(after));
    }
}

/// Returns what distinguishes words: their record, turn, speaker and text.
fn key(words: &AuditedWords) -> (TurnId, &PersonaId, &AuditSubject, &str) {
    (words.turn, &words.persona, &words.subject, &words.words)
}

fn item(words: &AuditedWords) -> ChangedItem {
    let item = ChangedItem { persona: Some(words.persona.clone()), ..ChangedItem::default() };
    match words.subject {
        AuditSubject::Stance { dispute } => ChangedItem { dispute: Some(dispute), ..item },
        AuditSubject::Thesis { argument } | AuditSubject::Claim { argument } => {
            ChangedItem { argument: Some(argument), ..item }
        }
        AuditSubject::Crux { crux } => ChangedItem { crux: Some(CruxKey::Proposal(crux)), ..item },
        AuditSubject::Reason { .. }
        | AuditSubject::Concession
        | AuditSubject::Grant
        | AuditSubject::Proposal { .. } => item,
    }
}

/// Renders what was recorded of words.
fn record(words: &AuditedWords) -> Option<String> {
    Some(format!("{} to {:?}", words.recorded.name(), words.question))
}

/// Renders what was read in words.
fn reading(words: &AuditedWords) -> Option<String> {
    let AuditedWords { reading, is_audited, is_contested, .. } = words;
    let reading = reading.map_or("not read", |reading| reading.name());
    let qualified = if *is_audited { "" } else { ", not counted" };
    let contested = if *is_contested { ", contested" } else { "" };
    Some(format!("{reading}{qualified}{contested}"))
}

fn auditor_text(auditor: &Auditor) -> String {
    let Auditor { provider, model, revision, qualified, basis, precision, recall } = auditor;
    let qualified = if *qualified { "qualified" } else { "not qualified" };
    let share = |share: &Option<f64>| share.map_or("none".to_owned(), |share| share.to_string());
    let basis = json(basis).unwrap_or_default();
    let (precision, recall) = (share(precision), share(recall));
    format!("{model} of {provider}, revision {revision}, {qualified} ({basis}), precision {precision}, recall {recall}")
}

fn json<T: serde::Serialize>(value: &T) -> Option<String> {
    let text = serde_json::to_string(value).ok()?;
    Some(text.trim_matches('"').to_owned())
}
