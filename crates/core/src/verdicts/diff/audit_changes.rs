//! Changes between two audits.

use crate::events::audit::Auditor;
use crate::verdicts::audit::audit_verdict::{AuditVerdict, AuditedWords};
use crate::verdicts::diff::list_match::match_items;
use crate::verdicts::diff::verdict_change::{ChangeKind, ChangeList, ChangedItem, listed, optional};

/// Adds all changes between two audits. Words are matched by their event and the kind of question.
pub fn compare_audits(found: &mut ChangeList, before: &AuditVerdict, after: &AuditVerdict) {
    let AuditVerdict { setting, auditor, failure, words } = before;
    let whole = ChangedItem::default();
    found.compare(ChangeKind::AuditSetting, &whole, (setting, &after.setting), |setting| json(setting));
    found.compare(ChangeKind::Auditor, &whole, (auditor, &after.auditor), |it| it.as_ref().map(auditor_text));
    found.compare(ChangeKind::AuditFailure, &whole, (failure, &after.failure), optional);
    let matched = match_items(words, &after.words, |words| (words.event, words.asked));
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
        let order = |audit: &AuditVerdict| listed(&audit.words.iter().map(|words| words.event).collect::<Vec<_>>());
        found.add(ChangeKind::AuditOrder, &whole, order(before), order(after));
    }
}

fn item(words: &AuditedWords) -> ChangedItem {
    ChangedItem { event: Some(words.event), persona: Some(words.persona.clone()), ..ChangedItem::default() }
}

/// Renders what was recorded of words.
fn record(words: &AuditedWords) -> Option<String> {
    let AuditedWords { event: _, subject, asked: _, question, persona, turn, words, recorded, .. } = words;
    let subject = json(subject).unwrap_or_default();
    Some(format!("{subject} {persona} {turn} {question:?} {words:?} {}", recorded.name()))
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
    json(auditor).unwrap_or_default()
}

fn json<T: serde::Serialize>(value: &T) -> Option<String> {
    let text = serde_json::to_string(value).ok()?;
    Some(text.trim_matches('"').to_owned())
}
