//! Personas, providers and engines.

use async_graphql::{ComplexObject, Context, ID, Json, Result, SimpleObject};
use serde_json::Value;

use crate::api::debate_pages;
use crate::api::paging::Asked;
use crate::api::types::debate::{FOLD, listed};
use crate::api::types::edition::PersonaVersion;
use crate::api::types::list::DebateConnection;
use crate::desk::roster::{Member, Provider as Known};
use crate::events::edition::Edition;
use crate::events::ids::PersonaId;
use crate::events::persona;
use crate::kernel::engine::Registration;
use crate::store::debates::{DebateOrder, Filter};

/// Who can take part.
#[derive(SimpleObject, Clone)]
#[graphql(complex)]
pub struct Persona {
    /// Its name for machines.
    pub(crate) id: ID,
    /// Its name for people.
    name: String,
    /// Who this is and what they hold, in a line.
    about: String,
    /// Raised by hand whenever contract or voice change.
    version: i32,
    /// Its version: the number, and what contract and voice hash to. Goes with `persona(version:)`.
    version_id: ID,
    /// The version of its contract: of the name, the line about it, and what it holds.
    contract_version: ID,
    /// The version of its voice.
    voice_version: ID,
    /// Topics that it wrote about.
    topics: Vec<String>,
    /// Who the persona is.
    contract: Contract,
    /// How it sounds: speech patterns, vocabulary, forbidden phrases, examples, registers.
    voice: Json<persona::Voice>,
    #[graphql(skip)]
    persona: PersonaId,
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

impl From<&persona::Contract> for Contract {
    fn from(contract: &persona::Contract) -> Self {
        let contract = contract.clone();
        Contract {
            personality: contract.personality,
            bias: contract.bias,
            stakes: contract.stakes,
            epistemology: contract.epistemology,
            time_horizon: contract.time_horizon,
            flip_conditions: contract.flip_conditions,
            evidence_policy: contract.evidence_policy,
        }
    }
}

impl From<&Member> for Persona {
    fn from(member: &Member) -> Self {
        Persona::new(&member.persona, member.topics.clone())
    }
}

impl Persona {
    /// A persona, and what it wrote about.
    pub fn new(persona: &persona::Persona, topics: Vec<String>) -> Persona {
        let edition = Edition::of(persona);
        Persona {
            id: ID(persona.id.to_string()),
            name: persona.name.clone(),
            about: persona.about.clone(),
            version: persona.version,
            version_id: ID(edition.to_string()),
            contract_version: ID(edition.contract.clone()),
            voice_version: ID(edition.voice),
            topics,
            contract: Contract::from(&persona.contract),
            voice: Json(persona.voice.clone()),
            persona: persona.id.clone(),
        }
    }
}

/// Its past: asked of the database, and a short while behind the log.
#[ComplexObject]
impl Persona {
    /// Every version of it that was ever ingested or took part in a debate, the latest first: by number, then by when it was
    /// first met.
    #[graphql(complexity = "FOLD + 10 * child_complexity")]
    async fn versions(&self, context: &Context<'_>) -> Result<Vec<PersonaVersion>> {
        PersonaVersion::all(context, &self.persona).await
    }

    /// Debates in which it takes part, in whatever version, newest first.
    #[graphql(complexity = "FOLD + listed(first.or(last)) * child_complexity")]
    async fn debates(
        &self,
        context: &Context<'_>,
        #[graphql(
            desc = "So many from the newest, or from `after`: 1 to 100; 20 where neither first nor last is given."
        )]
        first: Option<i32>,
        #[graphql(desc = "Only debates behind this cursor, which are older. Goes with first.")] after: Option<String>,
        #[graphql(desc = "So many before the oldest, or before `before`: 1 to 100.")] last: Option<i32>,
        #[graphql(desc = "Only debates before this cursor, which are newer. Goes with last.")] before: Option<String>,
    ) -> Result<DebateConnection> {
        let filter = Filter { persona: Some(self.persona.clone()), ..Filter::default() };
        debate_pages::page(context, &filter, DebateOrder::Newest, Asked { first, after, last, before }.page()?).await
    }
}

/// Whoever answers.
#[derive(SimpleObject, Clone)]
pub struct Provider {
    /// The same as its name.
    id: ID,
    /// The name by which to ask for it.
    name: String,
    /// What it is.
    about: String,
}

impl From<&Known> for Provider {
    fn from(known: &Known) -> Self {
        Provider { id: ID(known.name.clone()), name: known.name.clone(), about: known.about.clone() }
    }
}

/// A way to debate.
#[derive(SimpleObject, Clone)]
pub struct Engine {
    /// The same as its name.
    id: ID,
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
    /// What it is where nothing is said; none where it is nothing then.
    default: Option<Value>,
}

impl From<&Registration> for Engine {
    fn from(engine: &Registration) -> Self {
        let options = engine.options.iter().map(|it| EngineOption {
            name: it.name.to_owned(),
            about: it.about.to_owned(),
            default: serde_json::from_str(it.default).unwrap_or_default(),
        });
        Engine {
            id: ID(engine.name.to_owned()),
            name: engine.name.to_owned(),
            about: engine.about.to_owned(),
            revision: engine.revision,
            min_participants: engine.participants.0 as i32,
            max_participants: engine.participants.1 as i32,
            options: options.collect(),
        }
    }
}
