//! Drafting of a persona: asks a model for a structured draft, retries with the error, and verifies the draft against
//! the corpus.

use uuid::Uuid;

use crate::corpus_reader::CorpusTexts;
use faultline_core::drafting::draft::{PLACEHOLDER, PersonaDraft};
use faultline_core::drafting::habits::{count, habits};
use faultline_core::drafting::material::{Material, SourcePassage, sample};
use faultline_core::drafting::verify::{Portrait, verify};
use faultline_core::drafting::vocabulary::vocabulary;
use faultline_core::events::ids::PersonaId;
use faultline_core::events::receipt::{Failure, FailureKind, PassageRef, Tier, Usage};
use faultline_core::kernel::effect;
use faultline_core::kernel::effect::{AddedQueries, Effect, Responder, effect_key};
use faultline_core::kernel::passages::prompt_assembly::assemble;
use faultline_core::kernel::prompt::{Prompt, PromptTemplates};
use faultline_core::kernel::reply;
use faultline_core::kernel::schema;
use faultline_core::kernel::task::{Task, TaskKind};
use faultline_core::voices::phrase::{plain, uses_plain};
use faultline_providers::ports::Model;

/// Prompts of drafting.
pub const WORDS: PromptTemplates = PromptTemplates(include_str!("draft_persona.md"));

/// Maximum number of attempts.
pub const MAX_ATTEMPTS: u32 = 3;
/// Maximum number of tokens of a draft.
const MAX_TOKENS: u32 = 8_000;

/// Phrases that are typical of language models and rare in human texts.
#[rustfmt::skip]
const FOREIGN: &[&str] = &[
    "great point", "I understand your perspective", "I can see where you're coming from", "it depends", "let's unpack",
    "at the end of the day", "it's important to note", "nuanced", "delve", "win-win", "going forward", "multifaceted",
];

/// Verified draft, with its cost.
#[derive(Clone, Debug)]
pub struct Portrayed {
    /// Verified draft.
    pub portrait: Portrait,
    /// Provider and model that drafted it.
    pub by: String,
    /// Number of attempts.
    pub attempts: u32,
    /// Usage of all attempts together.
    pub usage: Usage,
}

/// Collects the material of a draft: a sample of passages, and measurements over all texts, compared with those of
/// others. Cost: linear in the texts.
pub fn material(name: &str, texts: &CorpusTexts, others: &[CorpusTexts]) -> Material {
    let of = |texts: &CorpusTexts| {
        texts.passages.iter().flat_map(|passage| passage.sentences.clone()).collect::<Vec<String>>()
    };
    let (own, rest) = (of(texts), others.iter().flat_map(of).collect::<Vec<_>>());
    let whole = plain(&texts.text());
    Material {
        name: name.to_owned(),
        passages: sample(&texts.passages),
        vocabulary: vocabulary(&texts.documents(), &others.iter().map(CorpusTexts::text).collect::<Vec<_>>()),
        habits: habits(&count(own.iter().map(String::as_str)), &count(rest.iter().map(String::as_str))),
        foreign: FOREIGN
            .iter()
            .filter(|word| uses_plain(&whole, &plain(word)) == 0)
            .map(|word| (*word).to_owned())
            .collect(),
    }
}

/// Drafts a persona with a model and verifies the draft against the corpus.
///
/// # Errors
/// The provider's [`Failure`]; [`FailureKind::Unreadable`] if all [`MAX_ATTEMPTS`] replies were unusable.
pub async fn draft_persona(
    model: &dyn Model,
    id: &PersonaId,
    material: Material,
    texts: &CorpusTexts,
) -> Result<Portrayed, Failure> {
    let sampled = material.passages.clone();
    let passages: Vec<effect::SuppliedPassage> = sampled.iter().map(passage).collect();
    let effect = question(id, material);
    let (mut usage, mut unreadable) = (Usage::default(), None);
    for attempt in 1..=MAX_ATTEMPTS {
        let ask = assemble(&effect, attempt, passages.clone(), unreadable.as_deref(), 0);
        let answer = model.complete(&ask).await?;
        usage = usage.plus(&answer.usage);
        let read =
            reply::read::<PersonaDraft>(&answer.text).map(|reading| reading.value).map_err(|error| error.to_string());
        match read.and_then(|draft| draft.fault().map_or(Ok(draft), Err)) {
            Ok(draft) => {
                let portrait = verify(&draft, &sampled, &texts.pages);
                return Ok(Portrayed { portrait, by: answer.by, attempts: attempt, usage });
            }
            Err(why) => unreadable = Some(why),
        }
    }
    let why = unreadable.unwrap_or_default();
    Err(Failure::new(FailureKind::Unreadable, format!("none of {MAX_ATTEMPTS} drafts was usable; the last one: {why}")))
}

fn passage(passage: &SourcePassage) -> effect::SuppliedPassage {
    let ground = PassageRef::of_chunk("", Uuid::nil(), 0.0);
    effect::SuppliedPassage { ground, text: passage.text(), title: passage.title.clone() }
}

fn question(id: &PersonaId, material: Material) -> Effect {
    let habits: Vec<String> = material.habits.iter().map(|habit| format!("- {habit}")).collect();
    let values = [
        ("name", material.name.as_str()),
        ("habits", &habits.join("\n")),
        ("vocabulary", &material.vocabulary.join("; ")),
    ];
    let prompt = Prompt {
        system: WORDS.fill("clerk", &[("placeholder", PLACEHOLDER)]),
        text: WORDS.fill("portray", &values),
        schema: schema::strict::<PersonaDraft>(),
        schema_name: "persona",
        max_tokens: MAX_TOKENS,
        task: Task {
            topic: material.name.clone(),
            seed: 0,
            speaker: None,
            participants: vec![id.clone()],
            work: TaskKind::Portray(material),
        },
    };
    Effect {
        key: effect_key("portray", id, 0),
        voice: Responder::Clerk,
        tier: Tier::Deep,
        prompt,
        ground: None,
        added: AddedQueries::default(),
    }
}
