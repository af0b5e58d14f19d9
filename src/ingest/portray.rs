//! Drafting of a persona: asks a model for a structured draft, retries with the error, and verifies the draft against
//! the corpus.

use uuid::Uuid;

use crate::drafting::draft::Draft;
use crate::drafting::habits::{count, habits};
use crate::drafting::material::{Material, Passage, sample};
use crate::drafting::verify::{Portrait, verify};
use crate::drafting::vocabulary::vocabulary;
use crate::events::ids::PersonaId;
use crate::events::receipt::{Failure, FailureKind, Ground, Tier, Usage};
use crate::ingest::shelf::Shelf;
use crate::kernel::asking::lay_out;
use crate::kernel::effect::{self, Effect, Voice, key};
use crate::kernel::prompt::{Prompt, Words};
use crate::kernel::reply;
use crate::kernel::schema;
use crate::kernel::task::{Task, Work};
use crate::providers::ports::Model;
use crate::voices::phrase::{plain, uses_plain};

/// Prompts of drafting.
pub const WORDS: Words = Words(include_str!("portray.md"));

/// Maximum number of attempts.
pub const ATTEMPTS: u32 = 3;
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
pub fn material(name: &str, shelf: &Shelf, others: &[Shelf]) -> Material {
    let of = |shelf: &Shelf| shelf.passages.iter().flat_map(|it| it.sentences.clone()).collect::<Vec<String>>();
    let (own, rest) = (of(shelf), others.iter().flat_map(of).collect::<Vec<_>>());
    let whole = plain(&shelf.text());
    Material {
        name: name.to_owned(),
        passages: sample(&shelf.passages),
        vocabulary: vocabulary(&shelf.documents(), &others.iter().map(Shelf::text).collect::<Vec<_>>()),
        habits: habits(&count(own.iter().map(String::as_str)), &count(rest.iter().map(String::as_str))),
        foreign: FOREIGN.iter().filter(|it| uses_plain(&whole, &plain(it)) == 0).map(|it| (*it).to_owned()).collect(),
    }
}

/// Drafts a persona with a model and verifies the draft against the corpus.
///
/// # Errors
/// The provider's [`Failure`]; [`FailureKind::Unreadable`] if all [`ATTEMPTS`] replies were unusable.
pub async fn portray(
    model: &dyn Model,
    id: &PersonaId,
    material: Material,
    shelf: &Shelf,
) -> Result<Portrayed, Failure> {
    let sampled = material.passages.clone();
    let passages: Vec<effect::Passage> = sampled.iter().map(passage).collect();
    let effect = question(id, material);
    let (mut usage, mut unreadable) = (Usage::default(), None);
    for attempt in 1..=ATTEMPTS {
        let ask = lay_out(&effect, attempt, passages.clone(), unreadable.as_ref(), 0);
        let answer = model.complete(&ask).await?;
        usage.input_tokens += answer.usage.input_tokens;
        usage.output_tokens += answer.usage.output_tokens;
        usage.cost_micros += answer.usage.cost_micros;
        let read = reply::read::<Draft>(&answer.text).map(|it| it.value).map_err(|it| it.0);
        match read.and_then(|draft| draft.fault().map_or(Ok(draft), Err)) {
            Ok(draft) => {
                let portrait = verify(&draft, &sampled, &shelf.pages);
                return Ok(Portrayed { portrait, by: answer.by, attempts: attempt, usage });
            }
            Err(why) => unreadable = Some(Failure::new(FailureKind::Unreadable, why)),
        }
    }
    let why = unreadable.map(|it| it.message).unwrap_or_default();
    Err(Failure::new(FailureKind::Unreadable, format!("none of {ATTEMPTS} drafts was usable; the last one: {why}")))
}

fn passage(passage: &Passage) -> effect::Passage {
    let ground = Ground { alias: String::new(), chunk: Uuid::nil(), score: 0.0 };
    effect::Passage { ground, text: passage.text(), title: passage.title.clone() }
}

fn question(id: &PersonaId, material: Material) -> Effect {
    let habits: Vec<String> = material.habits.iter().map(|it| format!("- {it}")).collect();
    let values = [
        ("name", material.name.as_str()),
        ("habits", &habits.join("\n")),
        ("vocabulary", &material.vocabulary.join("; ")),
    ];
    let prompt = Prompt {
        system: WORDS.fill("clerk", &[]),
        text: WORDS.fill("portray", &values),
        schema: schema::strict::<Draft>(),
        schema_name: "persona",
        max_tokens: MAX_TOKENS,
        task: Task {
            topic: material.name.clone(),
            seed: 0,
            speaker: None,
            participants: vec![id.clone()],
            work: Work::Portray(material),
        },
    };
    Effect { key: key("portray", id, 0), voice: Voice::Clerk, tier: Tier::Deep, prompt, ground: None }
}
