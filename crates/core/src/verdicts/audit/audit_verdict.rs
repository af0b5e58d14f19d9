//! Result of the audit: what was read, by whom, and where a reading differs from the record.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::events::audit::{AuditSetting, Auditor, Reading};
use crate::events::ids::{DisputeId, PersonaId, TurnId};
use crate::projections::audits::Audits;
use crate::verdicts::audit::items::{AuditItem, AuditSubject};
use crate::verdicts::crux_card::crux_text::quoted;

/// Audit of the words on which a verdict rests.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AuditVerdict {
    /// Setting of the debate.
    pub setting: AuditSetting,
    /// Auditor of the latest audit; `None` if nothing was audited.
    pub auditor: Option<Auditor>,
    /// Reason of the last failure, if an audit was abandoned.
    pub failure: Option<String>,
    /// Words on which the verdict rests, in the order in which they were recorded, each with its reading.
    pub words: Vec<AuditedWords>,
}

/// Words on which a verdict rests, and their reading.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AuditedWords {
    /// Record that rests on them.
    pub subject: AuditSubject,
    /// The question.
    pub question: String,
    /// Participant who said the words.
    pub persona: PersonaId,
    /// Turn that contains them.
    pub turn: TurnId,
    /// The words, shortened.
    pub words: String,
    /// Reading that agrees with the record.
    pub recorded: Reading,
    /// The auditor's reading; `None` if the words were not read.
    pub reading: Option<Reading>,
    /// True if a qualified auditor read them.
    pub is_audited: bool,
    /// True if a qualified auditor read them otherwise than they were recorded. What rests on them is not counted.
    pub is_contested: bool,
}

/// State of an audit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AuditState {
    /// The debate requires no audit, and there was none.
    Off,
    /// Nothing was read.
    Missing,
    /// Words were read, but not by a qualified auditor.
    Unqualified,
    /// A qualified auditor read some of the words.
    Partial,
    /// A qualified auditor read all words.
    Complete,
}

impl AuditState {
    /// Name of the state: `off`, `missing`, `unqualified`, `partial`, `complete`.
    pub fn name(self) -> &'static str {
        match self {
            AuditState::Off => "off",
            AuditState::Missing => "missing",
            AuditState::Unqualified => "unqualified",
            AuditState::Partial => "partial",
            AuditState::Complete => "complete",
        }
    }
}

impl AuditVerdict {
    /// Number of words that a qualified auditor read.
    pub fn audited(&self) -> usize {
        self.words.iter().filter(|words| words.is_audited).count()
    }

    /// Words that were read otherwise than they were recorded, by a qualified auditor.
    pub fn contested(&self) -> impl Iterator<Item = &AuditedWords> {
        self.words.iter().filter(|words| words.is_contested)
    }

    /// Returns true if a stance of a participant on a dispute is contested.
    pub fn contests(&self, persona: &PersonaId, dispute: DisputeId) -> bool {
        self.contested().any(|words| words.persona == *persona && words.subject == AuditSubject::Stance { dispute })
    }

    /// State of the audit.
    pub fn state(&self) -> AuditState {
        let audited = self.audited();
        match self.words.iter().any(|words| words.reading.is_some()) {
            _ if audited > 0 && audited == self.words.len() => AuditState::Complete,
            _ if audited > 0 => AuditState::Partial,
            true => AuditState::Unqualified,
            false if self.setting == AuditSetting::Off => AuditState::Off,
            false => AuditState::Missing,
        }
    }

    /// The audit in words: "audited 12 of 12 statements that the verdict rests on (4 stances, 8 claims), 1 read otherwise".
    pub fn in_words(&self) -> String {
        let (audited, all) = (self.audited(), self.statements());
        match self.state() {
            AuditState::Off => "audit off: nobody read the words a second time".to_owned(),
            AuditState::Missing => format!("audited 0 of {all}{}", self.why()),
            AuditState::Unqualified => {
                let read = self.words.iter().filter(|words| words.reading.is_some()).count();
                let differ = self.words.iter().filter(|words| words.differs()).count();
                format!(
                    "audited 0 of {all}; an unqualified auditor read {read}, {differ} of them otherwise{}{}{}",
                    self.why(),
                    self.unread(),
                    self.failed()
                )
            }
            AuditState::Partial => {
                let differ = self.contested().count();
                format!("audited {audited} of {all}, {differ} read otherwise{}{}", self.unread(), self.failed())
            }
            AuditState::Complete => format!("audited {audited} of {all}, {} read otherwise", self.contested().count()),
        }
    }

    /// Number and kinds of the words. Those about retired questions are not among them.
    fn statements(&self) -> String {
        let n = self.words.len();
        let plural = if n == 1 { "" } else { "s" };
        format!("{n} statement{plural} that the verdict rests on{}", self.records())
    }

    /// Numbers of records that rest on the words, by kind, in parentheses; empty if there are none.
    fn records(&self) -> String {
        let mut counts: BTreeMap<(usize, [&str; 2]), usize> = BTreeMap::new();
        for words in &self.words {
            *counts.entry(words.subject.record()).or_default() += 1;
        }
        let parts =
            counts.into_iter().map(|((_, [one, several]), n)| format!("{n} {}", if n == 1 { one } else { several }));
        let parts: Vec<String> = parts.collect();
        if parts.is_empty() { String::new() } else { format!(" ({})", parts.join(", ")) }
    }

    /// Condition of a consensus that the audit does not meet, as a clause; `None` if it meets all.
    pub fn obstacle(&self) -> Option<String> {
        let (audited, all) = (self.audited(), self.words.len());
        match self.state() {
            AuditState::Complete | AuditState::Off => None,
            _ if self.setting == AuditSetting::Off => None,
            AuditState::Partial => {
                Some(format!("a qualified auditor read {audited} of {all} statements{}", self.failed()))
            }
            AuditState::Missing | AuditState::Unqualified => {
                Some(format!("no qualified auditor read the words{}", self.why()))
            }
        }
    }

    /// Turns whose words no qualified auditor read, or, without such an auditor, none at all, as a clause; empty if there
    /// are none.
    fn unread(&self) -> String {
        let is_any = self.audited() > 0;
        let is_read = |words: &&AuditedWords| if is_any { words.is_audited } else { words.reading.is_some() };
        let turns: BTreeSet<TurnId> =
            self.words.iter().filter(|words| !is_read(words)).map(|words| words.turn).collect();
        let turns: Vec<String> = turns.iter().map(ToString::to_string).collect();
        if turns.is_empty() { String::new() } else { format!("; not read: words in {}", turns.join(", ")) }
    }

    /// Failure of an audit that left words unread, as a clause; empty if none failed.
    fn failed(&self) -> String {
        self.failure.as_ref().map_or_else(String::new, |reason| format!("; an audit failed: {}", quoted(reason)))
    }

    /// Explanation of why no qualified auditor read the words, in parentheses; empty if there is none.
    fn why(&self) -> String {
        match (&self.auditor, &self.failure) {
            (Some(auditor), _) if !auditor.qualified => match auditor.precision {
                Some(precision) => {
                    format!(" ({} has a precision of {precision:.2} and is not qualified)", quoted(&auditor.model))
                }
                None => format!(
                    " ({} is not qualified yet: measure it with `faultline provider check --audit`)",
                    quoted(&auditor.model)
                ),
            },
            (None, Some(reason)) => format!(" (the audit failed: {})", quoted(reason)),
            (Some(_), _) => String::new(),
            (None, None) => " (no auditor was asked)".to_owned(),
        }
    }
}

impl AuditedWords {
    /// True if the words were read otherwise than they were recorded, by any auditor.
    pub fn differs(&self) -> bool {
        self.reading.is_some_and(|reading| !self.subject.agrees(self.recorded, reading))
    }
}

/// Combines the words on which a verdict rests with their readings.
pub fn audit_verdict(setting: AuditSetting, audits: &Audits, items: Vec<AuditItem>) -> AuditVerdict {
    let words = items.into_iter().map(|item| {
        let read = audits.reading(item.event, item.asked);
        let reading = read.map(|(reading, _)| reading);
        let is_audited = read.is_some_and(|(_, auditor)| auditor.qualified);
        let is_contested = is_audited && reading.is_some_and(|reading| !item.agrees_with(reading));
        let AuditItem { subject, question, persona, turn, words, recorded, .. } = item;
        let words = quoted(&words);
        AuditedWords { subject, question, persona, turn, words, recorded, reading, is_audited, is_contested }
    });
    AuditVerdict {
        setting,
        auditor: audits.latest().cloned(),
        failure: audits.abandoned.last().map(|abandoned| abandoned.reason.clone()),
        words: words.collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Audit of two statements, of which the first was read.
    fn half_read(qualified: bool, failure: Option<&str>) -> AuditVerdict {
        let words = |turn: u32, reading: Option<Reading>| AuditedWords {
            subject: AuditSubject::Stance { dispute: DisputeId(1) },
            question: "Should the ferry run?".to_owned(),
            persona: "ada".parse().expect("an id"),
            turn: TurnId(turn),
            words: "It should run.".to_owned(),
            recorded: Reading::Yes,
            reading,
            is_audited: qualified && reading.is_some(),
            is_contested: false,
        };
        AuditVerdict {
            failure: failure.map(str::to_owned),
            words: vec![words(1, Some(Reading::Yes)), words(2, None)],
            ..AuditVerdict::default()
        }
    }

    #[test]
    fn a_failed_audit_is_told_beside_an_earlier_one() {
        let partial = half_read(true, Some("no answer"));
        let told = "audited 1 of 2 statements that the verdict rests on (2 stances), 0 read otherwise; not read: words in \
                    t2; an audit failed: no answer";
        assert_eq!(partial.in_words(), told);
        let obstacle = "a qualified auditor read 1 of 2 statements; an audit failed: no answer";
        assert_eq!(partial.obstacle().as_deref(), Some(obstacle));
        assert!(half_read(false, Some("no answer")).in_words().ends_with("; an audit failed: no answer"));
        assert!(!half_read(true, None).in_words().contains("failed"));
    }
}
