//! Sample corpora for tests: two who disagree, one who agrees with the first, one who wrote on another subject.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;
use uuid::Uuid;

use crate::hashing::Hashing;
use crate::offline::model::Offline;
use crate::ports::{Corpora, Embedder, Model, Pending, Sentence};
use faultline_core::events::ids::PersonaId;
use faultline_core::events::receipt::{EffectKey, Failure, ProviderAnswer, Tier};
use faultline_core::kernel::effect::EffectAttempt;
use faultline_core::kernel::prompt::Prompt;
use faultline_core::kernel::task::{Task, TaskKind};

/// Topic of the sample debate.
pub const TOPIC: &str = "Should the harbour street be closed to lorries?";

/// Sample corpora by persona: a list of passages, each a list of sentences.
pub const PAPERS: &[(&str, &[&[&str]])] = &[
    (
        "mara",
        &[
            &[
                "I support closing the harbour street to lorries for good.",
                "Lorries shake the old houses of the harbour street every day.",
                "The harbour street should carry people and prams, because the street was laid for carts.",
            ],
            &[
                "The sea wall lost eleven stones in the spring of 2021.",
                "Engineers counted 640 lorries a day beside the sea wall that spring.",
                "A sea wall should not pay for a short cut, because a sea wall cannot be moved.",
            ],
            &[
                "The school on the harbour street counted 61 coughing children in May.",
                "Diesel smoke from lorries stood in the school yard until noon.",
                "A town owes its coughing children clean air before it owes a driver ten minutes.",
            ],
            &[
                "I grant that the baker's flour came by lorry and now comes late.",
                "A handcart from the ring yard should bring the baker's flour, because a full handcart replaces a half-empty lorry.",
                "I would change my mind about the closure if takings on the quay fell by a tenth.",
            ],
        ],
    ),
    (
        "tobias",
        &[
            &[
                "I'm against closing the harbour street to lorries.",
                "A town that stops lorries on the harbour street stops its own trade.",
                "The harbour street should stay open to lorries, because the quay lives on what lorries bring.",
            ],
            &[
                "The winter storm of 2021 broke the sea wall, and no lorry was near the sea wall in that storm.",
                "Engineers blamed the winter storm for every stone of the sea wall.",
                "A sea wall should be judged by the storm it meets, because lorries never reached the foot of the sea wall.",
            ],
            &[
                "Coughing children at the school were counted in May, when the whole valley coughs from pollen.",
                "Diesel smoke in the school yard fell by half when the new lorries came.",
                "Clean air for coughing children should be bought with clean lorries, because a closed street only moves the smoke.",
            ],
            &[
                "To be fair, a handcart is quick with a loaf.",
                "A handcart never carried the baker's flour up the hill, though, since flour comes by the ton.",
                "I'd change my mind about the closure if the quay's takings stayed within a twentieth.",
            ],
        ],
    ),
    (
        "ilse",
        &[
            &[
                "I support closing the harbour street to lorries, and I said so to the council.",
                "The harbour street should be closed to lorries on every day of the week.",
                "A sea wall must be kept from lorries, because the sea wall is all that the harbour has.",
            ],
            &[
                "Lorries on the harbour street broke two lamps and a bench.",
                "The council should mend the bench of the harbour street before it paints the lorries' bays.",
            ],
        ],
    ),
    (
        "kasper",
        &[&[
            "Bees winter badly in a tall hive.",
            "A beekeeper should feed syrup in autumn, because frost comes before the heather.",
            "Honey sells best in small jars.",
        ]],
    ),
];

/// Corpora made from the sample texts.
pub struct Library(BTreeMap<PersonaId, Arc<Vec<Sentence>>>);

impl Corpora for Library {
    fn sentences<'a>(&'a self, persona: &'a PersonaId) -> Pending<'a, Arc<Vec<Sentence>>> {
        Box::pin(async move { Ok(self.0.get(persona).cloned().unwrap_or_default()) })
    }
}

/// Parses a persona id.
pub fn persona(name: &str) -> PersonaId {
    name.parse().expect("a persona's name")
}

/// Creates the offline provider over the sample corpora, with the hashing embedder.
pub async fn offline() -> Offline {
    let mut corpora = BTreeMap::new();
    for (name, passages) in PAPERS {
        let mut sentences = Vec::new();
        for (number, passage) in passages.iter().enumerate() {
            let texts: Vec<String> = passage.iter().map(|line| (*line).to_owned()).collect();
            let vectors = Hashing.embed(&texts).await.expect("hashing cannot fail");
            for ((text, vector), ordinal) in texts.into_iter().zip(vectors).zip(0..) {
                sentences.push(Sentence { persona: persona(name), chunk: chunk(name, number), ordinal, text, vector });
            }
        }
        corpora.insert(persona(name), Arc::new(sentences));
    }
    Offline::new(Arc::new(Library(corpora)), Arc::new(Hashing))
}

/// Returns the chunk id of a passage.
pub fn chunk(name: &str, number: usize) -> Uuid {
    Uuid::new_v5(&Uuid::NAMESPACE_OID, format!("{name}/{number}").as_bytes())
}

/// Builds a question about the topic.
pub fn ask(speaker: Option<&str>, participants: &[&str], seed: u64, work: TaskKind) -> EffectAttempt {
    let task = Task {
        topic: TOPIC.to_owned(),
        seed,
        speaker: speaker.map(persona),
        participants: participants.iter().map(|participant| persona(participant)).collect(),
        work,
    };
    EffectAttempt {
        key: EffectKey { purpose: "test".to_owned(), subject: "test".to_owned(), ordinal: 0 },
        attempt: 1,
        tier: Tier::Deep,
        prompt: Prompt {
            system: String::new(),
            text: String::new(),
            schema: Value::Null,
            schema_name: "test",
            max_tokens: 1,
            task,
        },
        grounds: Vec::new(),
        auditor: None,
    }
}

/// Returns the answer to a question, and its reply as JSON.
pub async fn reply(offline: &Offline, ask: &EffectAttempt) -> Result<(ProviderAnswer, Value), Failure> {
    let answer = offline.complete(ask).await?;
    let reply = serde_json::from_str(&answer.text).expect("a reply is JSON");
    Ok((answer, reply))
}
