//! Audit of the words on which a verdict rests, as a closing task.
//!
//! Every stance, thesis, distilled claim, concession and agreement is read once more in a few requests. The auditor sees a
//! question, the words and their neighbours, and neither their speaker nor what was recorded.

use crate::events::audit::{AuditSetting, Auditor, QualificationBasis, WordsAudited, WordsReading};
use crate::events::event::Event;
use crate::events::ids::PersonaId;
use crate::events::lifecycle::{DebateOpened, DebateOutcome};
use crate::events::receipt::{EffectKey, Tier};
use crate::kernel::closing::audit_request::{AUDIT_REVISION, BATCH, prompt, readings};
use crate::kernel::closing::closing::{ClosingTask, Occasion};
use crate::kernel::effect::{AddedQueries, Effect, Responder, effect_key};
use crate::kernel::engine::EngineReply;
use crate::kernel::quotations::turn_quotes;
use crate::kernel::reply::Unreadable;
use crate::kernel::task::{Task, TaskKind, WordsInput};
use crate::projections::audits::AUDIT_PURPOSE;
use crate::projections::transcript::Transcript;
use crate::verdicts::audit::items::AuditItem;
use crate::verdicts::read_model::DebateReadModel;

/// Maximum number of words that one audit reads; the verdict lists the others as not read.
const MAX_WORDS: usize = 480;

/// Audit of one debate.
pub struct Audit {
    topic: String,
    seed: u64,
    participants: Vec<PersonaId>,
    setting: AuditSetting,
}

impl Audit {
    /// Creates the audit of an opened debate.
    pub fn new(opened: &DebateOpened) -> Audit {
        Audit {
            topic: opened.topic.clone(),
            seed: opened.seed,
            participants: opened.participants.iter().map(|persona| persona.id.clone()).collect(),
            setting: AuditSetting::of(opened),
        }
    }

    fn effect(&self, transcript: &Transcript, (round, batch): (u32, u32), items: &[AuditItem]) -> Effect {
        let words = items.iter().map(|item| input(transcript, item)).collect();
        let task = Task {
            topic: self.topic.clone(),
            seed: self.seed,
            speaker: None,
            participants: self.participants.clone(),
            work: TaskKind::ReadWords { items: Vec::new() },
        };
        Effect {
            key: effect_key(AUDIT_PURPOSE, round, batch),
            voice: Responder::Clerk,
            tier: Tier::Quick,
            prompt: prompt(task, words),
            ground: None,
            added: AddedQueries::default(),
        }
    }
}

impl ClosingTask for Audit {
    fn purposes(&self) -> &'static [&'static str] {
        &[AUDIT_PURPOSE]
    }

    fn is_due(&self, occasion: Occasion) -> bool {
        match occasion {
            Occasion::End => self.setting == AuditSetting::Required,
            Occasion::AuditRequested => true,
            Occasion::ProbesRequested => false,
        }
    }

    /// Takes back that something was settled if stances, concessions or agreements are contested.
    fn revise(&self, debate: &DebateReadModel, outcome: DebateOutcome) -> DebateOutcome {
        let DebateOutcome::Settled { reason } = outcome else { return outcome };
        let contested = debate.verdict().audit.contested().filter(|words| words.subject.settles()).count();
        match contested {
            0 => DebateOutcome::Settled { reason },
            1 => DebateOutcome::Exhausted { reason: format!("{reason}, but the audit contests 1 of the statements") },
            n => DebateOutcome::Exhausted { reason: format!("{reason}, but the audit contests {n} of the statements") },
        }
    }

    fn effects(&self, debate: &DebateReadModel, round: u32) -> Vec<Effect> {
        let items = items(debate);
        let batches = (0..).zip(items.chunks(BATCH));
        batches.map(|(batch, items)| self.effect(&debate.transcript, (round, batch), items)).collect()
    }

    fn decide(&self, debate: &DebateReadModel, key: &EffectKey, reply: &EngineReply) -> Result<Vec<Event>, Unreadable> {
        let items = items(debate);
        let batch = items.chunks(BATCH).nth(key.ordinal as usize).unwrap_or_default();
        let asked: Vec<String> = batch.iter().map(alias).collect();
        let found = readings(reply.text, &asked)?;
        let reading = |item: &AuditItem| {
            let alias = alias(item);
            let (_, reading) = found.readings.iter().find(|(name, _)| *name == alias)?;
            Some(WordsReading { event: item.event, asked: item.asked, reading: *reading })
        };
        let readings: Vec<WordsReading> = batch.iter().filter_map(reading).collect();
        let unread = batch.iter().filter(|item| reading(item).is_none()).map(|item| item.event).collect();
        let auditor = reply.auditor.cloned().unwrap_or_else(|| unmeasured(debate));
        Ok(vec![Event::WordsAudited(WordsAudited { auditor, readings, unread, refused: found.refused })])
    }
}

/// Returns the words to read.
fn items(debate: &DebateReadModel) -> Vec<AuditItem> {
    let mut items = debate.audit_items();
    items.truncate(MAX_WORDS);
    items
}

/// Returns the auditor of whom nothing is known but the debate's provider.
fn unmeasured(debate: &DebateReadModel) -> Auditor {
    let provider = debate.summary.provider.clone();
    Auditor {
        model: provider.clone(),
        provider,
        revision: AUDIT_REVISION,
        qualified: false,
        basis: QualificationBasis::Unmeasured,
        precision: None,
        recall: None,
    }
}

/// Returns the name of words in a request: the version of their event.
fn alias(item: &AuditItem) -> String {
    format!("e{}", item.event)
}

/// Returns words as shown in a prompt, with the rest of their sentence and the neighbouring sentences.
fn input(transcript: &Transcript, item: &AuditItem) -> WordsInput {
    let text = transcript.turn(item.turn).map(|turn| turn.text.as_str()).unwrap_or_default();
    let (before, after) = neighbours(text, &item.words);
    WordsInput {
        alias: alias(item),
        asked: item.asked,
        question: item.question.clone(),
        about: item.about.clone(),
        before: before.to_owned(),
        words: item.words.clone(),
        after: after.to_owned(),
    }
}

/// Returns the text between the beginning of the sentence before a quotation and the quotation, and the text between the
/// quotation and the end of the next sentence; empty if the text does not contain the quotation.
fn neighbours<'a>(text: &'a str, quote: &str) -> (&'a str, &'a str) {
    let Some(from) = text.find(quote).filter(|_| !quote.is_empty()) else { return ("", "") };
    let to = from + quote.len();
    let sentences = turn_quotes::sentences(text);
    let earlier = sentences.iter().rev().find(|sentence| sentence.end <= from);
    let own = sentences.iter().find(|sentence| sentence.contains(&from));
    let begin = earlier.or(own).map_or(from, |sentence| sentence.start.min(from));
    let later = sentences.iter().find(|sentence| sentence.start >= to);
    let own = sentences.iter().rev().find(|sentence| sentence.start < to);
    let end = later.or(own).map_or(to, |sentence| sentence.end.max(to));
    (text[begin..from].trim(), text[to..end].trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_are_the_rest_of_the_sentence_and_the_sentences_beside_it() {
        let text = "First. I say no, since it rains. Third. Fourth.";
        for (quote, expected) in [
            ("I say no, since it rains.", ("First.", "Third.")),
            ("since it rains", ("First. I say no,", ". Third.")),
            ("First.", ("", "I say no, since it rains.")),
            ("Fourth.", ("Third.", "")),
            (text, ("", "")),
            ("absent", ("", "")),
            ("", ("", "")),
        ] {
            assert_eq!(neighbours(text, quote), expected, "{quote:?}");
        }
    }
}
