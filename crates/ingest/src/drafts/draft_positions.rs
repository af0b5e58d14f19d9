//! Drafting of positions: asks a model to point at numbered sentences of a corpus, retries with the error, and puts the
//! positions together.

use std::collections::BTreeSet;
use std::fmt::Write;

use serde_json::Value;

use crate::corpus_reader::CorpusTexts;
use crate::drafts::draft_persona::MAX_ATTEMPTS;
use faultline_core::drafting::pointings::{
    PointableDispute, PointableMaterial, PointingsReply, select, sentence_names, short_name, targets,
};
use faultline_core::drafting::positions_draft::{PositionsDraft, assemble};
use faultline_core::events::ids::PersonaId;
use faultline_core::events::receipt::{Failure, FailureKind, Tier, Usage};
use faultline_core::kernel::effect::{AddedQueries, Effect, Responder, effect_key};
use faultline_core::kernel::passages::prompt_assembly;
use faultline_core::kernel::prompt::{Prompt, PromptTemplates};
use faultline_core::kernel::reply;
use faultline_core::kernel::schema;
use faultline_core::kernel::task::{Task, TaskKind};
use faultline_core::positions::model::{AllPositions, Positions, TopicPositions};
use faultline_core::positions::render::{DRAFT_MARK, render};
use faultline_providers::ports::Model;

/// Prompts of drafting positions.
pub const WORDS: PromptTemplates = PromptTemplates(include_str!("draft_positions.md"));

/// Maximum number of tokens of a draft.
const MAX_TOKENS: u32 = 8_000;

/// Draft of positions, with its cost.
#[derive(Clone, Debug)]
pub struct DraftedPositions {
    /// Positions, and what was dropped.
    pub draft: PositionsDraft,
    /// Provider and model that pointed.
    pub by: String,
    /// Number of attempts.
    pub attempts: u32,
    /// Usage of all attempts together.
    pub usage: Usage,
}

impl DraftedPositions {
    /// Returns the draft as the text of a positions file, with a first line that marks it as a draft.
    pub fn file(&self) -> String {
        let head = format!(
            "{DRAFT_MARK} by {}, read by nobody: read and correct each entry, then remove this line.\n\
             # Until then the file is not played. Every quotation is a sentence of the writings; which one has which role is\n\
             # a model's reading.\n",
            self.by.replace(char::is_control, " ")
        );
        render(&head, &Positions { topics: vec![self.draft.topic.clone()] })
    }
}

/// Collects everything that a model can point at. The topic is a question, or one that the files of `others` ask; it then
/// has their name and wording, and their claims can be answered.
pub fn material(topic: &str, corpus: &CorpusTexts, others: &AllPositions) -> PointableMaterial {
    let topic = topic.trim();
    let is_asked = |positions: &TopicPositions| positions.name == topic || positions.is_asked_by(topic);
    let known: Vec<(&PersonaId, &TopicPositions)> = others
        .iter()
        .filter_map(|(id, positions)| Some((id, positions.topics.iter().find(|topic| is_asked(topic))?)))
        .collect();
    let (name, question) = match known.first() {
        Some((_, topic)) => (topic.name.clone(), topic.question.clone()),
        None => (short_name(topic, &mut BTreeSet::new()), topic.to_owned()),
    };
    let mut disputes: Vec<PointableDispute> = Vec::new();
    for dispute in known.iter().flat_map(|(_, topic)| &topic.disputes) {
        if !disputes.iter().any(|seen| seen.name == dispute.name) {
            disputes.push(PointableDispute { name: dispute.name.clone(), question: dispute.question.clone() });
        }
    }
    let sentences = select(&corpus.passages, &question);
    PointableMaterial { topic: name, question, sentences, targets: targets(known), disputes }
}

/// Drafts positions with a model.
///
/// # Errors
/// The provider's [`Failure`]; [`FailureKind::Unreadable`] if all [`MAX_ATTEMPTS`] replies were unusable.
pub async fn draft_positions(
    model: &dyn Model,
    id: &PersonaId,
    material: &PointableMaterial,
) -> Result<DraftedPositions, Failure> {
    let effect = effect(id, material);
    let (mut usage, mut unreadable) = (Usage::default(), None::<String>);
    for attempt in 1..=MAX_ATTEMPTS {
        let ask = prompt_assembly::assemble(&effect, attempt, Vec::new(), unreadable.as_deref(), 0);
        let answer = model.complete(&ask).await?;
        usage = usage.plus(&answer.usage);
        let read = reply::read::<PointingsReply>(&answer.text).map_err(|error| error.to_string());
        match read.and_then(|reading| assemble(material, &reading.value)) {
            Ok(draft) => return Ok(DraftedPositions { draft, by: answer.by, attempts: attempt, usage }),
            Err(why) => unreadable = Some(why),
        }
    }
    let why = unreadable.unwrap_or_default();
    Err(Failure::new(FailureKind::Unreadable, format!("none of {MAX_ATTEMPTS} drafts was usable; the last one: {why}")))
}

fn effect(id: &PersonaId, material: &PointableMaterial) -> Effect {
    let sentences = sentence_names(material);
    let targets: Vec<String> = material.targets.iter().map(|target| target.name()).collect();
    let disputes: Vec<String> = material.disputes.iter().map(|dispute| dispute.name.clone()).collect();
    let values = [
        ("question", text(&material.question)),
        ("sentences", sentence_lines(material)),
        ("targets", lines(material.targets.iter().map(|target| (target.name(), target.text.as_str())))),
        ("disputes", lines(material.disputes.iter().map(|dispute| (dispute.name.clone(), dispute.question.as_str())))),
    ];
    let values = values.each_ref().map(|(slot, value)| (*slot, value.as_str()));
    let names =
        [("sentence", sentences.clone()), ("refers_to", sentences), ("answers", targets), ("dispute", disputes)];
    let prompt = Prompt {
        system: WORDS.fill("clerk", &[]),
        text: WORDS.fill("point", &values),
        schema: schema::closed(schema::strict::<PointingsReply>(), &names),
        schema_name: "positions",
        max_tokens: MAX_TOKENS,
        task: Task {
            topic: material.question.clone(),
            seed: 0,
            speaker: None,
            participants: vec![id.clone()],
            work: TaskKind::PointAtSentences,
        },
    };
    Effect {
        key: effect_key("positions", id, 0),
        voice: Responder::Clerk,
        tier: Tier::Deep,
        prompt,
        ground: None,
        added: AddedQueries::default(),
    }
}

/// Formats the sentences, one a line, below the names of their documents.
fn sentence_lines(material: &PointableMaterial) -> String {
    let (mut told, mut document) = (String::new(), None);
    for (name, sentence) in sentence_names(material).iter().zip(&material.sentences) {
        if document != Some(&sentence.document) {
            let _ = writeln!(told, "{}", text(&sentence.document));
            document = Some(&sentence.document);
        }
        let _ = writeln!(told, "    {name}: {}", text(&sentence.text));
    }
    told.trim_end().to_owned()
}

/// Formats names with their texts, one a line; `none` if there are none.
fn lines<'a>(entries: impl Iterator<Item = (String, &'a str)>) -> String {
    let told: Vec<String> = entries.map(|(name, words)| format!("    {name}: {}", text(words))).collect();
    if told.is_empty() { "    none".to_owned() } else { told.join("\n") }
}

/// Writes a text as a JSON string, so that it can end neither its line nor its quotation.
fn text(text: &str) -> String {
    Value::from(text).to_string()
}
