//! Personas, providers and engines.

use async_graphql::{ComplexObject, Context, ID, Json, Result, SimpleObject};
use serde_json::Value;

use crate::api::types::debate::FOLD;
use crate::api::types::folded::Folded;
use crate::api::types::grounding::Grounding;
use crate::desk::roster::{Member, Provider as Known};
use crate::events::ids::PersonaId;
use crate::events::persona;
use crate::kernel::engine::Registration;
use crate::projections::summary;

/// Who can take part.
#[derive(SimpleObject, Clone)]
pub struct Persona {
    /// Its name for machines.
    id: ID,
    /// Its name for people.
    name: String,
    /// Who this is and what they hold, in a line.
    about: String,
    /// Raised whenever contract or voice change.
    version: i32,
    /// Topics that it wrote about.
    topics: Vec<String>,
    /// Who the persona is.
    contract: Contract,
    /// How it sounds: speech patterns, vocabulary, forbidden phrases, examples, registers.
    voice: Json<persona::Voice>,
}

/// What a persona holds, why, and what would move it.
#[derive(SimpleObject, Clone)]
pub struct Contract {
    /// How it meets the world.
    personality: String,
    /// Which way it leans.
    bias: String,
    /// What it stands to lose or gain.
    stakes: String,
    /// What counts as knowing.
    epistemology: String,
    /// How far ahead, and back, it looks.
    time_horizon: String,
    /// What would change its mind.
    flip_conditions: Vec<String>,
    /// What it accepts as evidence.
    evidence_policy: String,
}

impl From<&Member> for Persona {
    fn from(member: &Member) -> Self {
        let persona = &member.persona;
        let contract = persona.contract.clone();
        Persona {
            id: ID(persona.id.to_string()),
            name: persona.name.clone(),
            about: persona.about.clone(),
            version: persona.version,
            topics: member.topics.clone(),
            contract: Contract {
                personality: contract.personality,
                bias: contract.bias,
                stakes: contract.stakes,
                epistemology: contract.epistemology,
                time_horizon: contract.time_horizon,
                flip_conditions: contract.flip_conditions,
                evidence_policy: contract.evidence_policy,
            },
            voice: Json(persona.voice.clone()),
        }
    }
}

/// Who takes part in a debate, as the debate pinned them.
#[derive(SimpleObject, Clone)]
#[graphql(complex)]
pub struct Participant {
    /// The persona.
    persona_id: ID,
    /// Its name for people.
    name: String,
    /// Who this is, in a line.
    about: String,
    /// The version of the persona that the debate pinned.
    version: i32,
    /// Whether it left when the debate was forked: what it said stands, and it says no more.
    left: bool,
    #[graphql(skip)]
    persona: PersonaId,
    #[graphql(skip)]
    folded: Folded,
}

#[ComplexObject]
impl Participant {
    /// How their speech is grounded in what they wrote.
    #[graphql(complexity = "FOLD + child_complexity")]
    async fn grounding(&self, context: &Context<'_>) -> Result<Grounding> {
        Ok(self.folded.board(context).await?.grounding.of(&self.persona).into())
    }
}

impl Participant {
    /// A participant of a debate whose views are folded when somebody asks for them.
    pub fn new(participant: &summary::Participant, folded: &Folded) -> Self {
        Participant {
            persona_id: ID(participant.persona.to_string()),
            name: participant.name.clone(),
            about: participant.about.clone(),
            version: participant.version,
            left: participant.left,
            persona: participant.persona.clone(),
            folded: folded.clone(),
        }
    }
}

/// Whoever answers.
#[derive(SimpleObject, Clone)]
pub struct Provider {
    /// The name by which to ask for it.
    name: String,
    /// What it is.
    about: String,
}

impl From<&Known> for Provider {
    fn from(known: &Known) -> Self {
        Provider { name: known.name.clone(), about: known.about.clone() }
    }
}

/// A way to debate.
#[derive(SimpleObject, Clone)]
pub struct Engine {
    /// The name by which to ask for it.
    name: String,
    /// What it does, in a line.
    about: String,
    /// Raised whenever prompts or control flow change.
    revision: i32,
    /// How few may take part.
    min_participants: i32,
    /// How many may take part.
    max_participants: i32,
    /// Its options.
    options: Vec<EngineOption>,
}

/// An option of an engine.
#[derive(SimpleObject, Clone)]
pub struct EngineOption {
    /// Its name.
    name: String,
    /// What it does, its unit and its range.
    about: String,
    /// What it is where nothing is said.
    default: Value,
}

impl From<&Registration> for Engine {
    fn from(engine: &Registration) -> Self {
        let options = engine.options.iter().map(|it| EngineOption {
            name: it.name.to_owned(),
            about: it.about.to_owned(),
            default: serde_json::from_str(it.default).unwrap_or_default(),
        });
        Engine {
            name: engine.name.to_owned(),
            about: engine.about.to_owned(),
            revision: engine.revision,
            min_participants: engine.participants.0 as i32,
            max_participants: engine.participants.1 as i32,
            options: options.collect(),
        }
    }
}
