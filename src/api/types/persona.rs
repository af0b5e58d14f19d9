//! GraphQL types of personas, providers and engines.

use async_graphql::{ComplexObject, Context, ID, Json, Result, SimpleObject};
use serde_json::Value;

use crate::api::pages::debate_pages;
use crate::api::paging::PageArguments;
use crate::api::types::debate::{FOLD_COMPLEXITY, assumed_page_size};
use crate::api::types::edition::PersonaVersion;
use crate::api::types::list::DebateConnection;
use crate::service::catalog::{Member, Provider as Known};
use faultline_core::events::edition::Edition;
use faultline_core::events::ids::PersonaId;
use faultline_core::events::persona;
use faultline_core::kernel::engine::EngineRegistration;
use faultline_store::views::debates::{DebateQuery, DebateSort};

/// A persona that can take part in debates.
#[derive(SimpleObject, Clone)]
#[graphql(complex)]
pub struct Persona {
    /// Id of the persona.
    pub(crate) id: ID,
    /// Display name.
    name: String,
    /// One-line description of the persona and its positions.
    about: String,
    /// Version number, raised by hand whenever contract or voice change.
    version: i32,
    /// Version id: the number and the hashes of contract and voice. Use it in `persona(version:)`.
    version_id: ID,
    /// Version of its contract: name, description and positions.
    contract_version: ID,
    /// Version of its voice.
    voice_version: ID,
    /// Topics it wrote about.
    topics: Vec<String>,
    /// Positions and character of the persona.
    contract: Contract,
    /// Voice: speech patterns, vocabulary, forbidden phrases, examples, registers.
    voice: Json<persona::Voice>,
    #[graphql(skip)]
    persona: PersonaId,
}

/// Positions of a persona, the reasons for them, and what would change them.
#[derive(SimpleObject, Clone)]
pub struct Contract {
    /// Personality.
    personality: String,
    /// Bias.
    bias: String,
    /// Stakes: what it can lose or gain.
    stakes: String,
    /// Epistemology: what it counts as knowledge.
    epistemology: String,
    /// Time horizon, forward and back.
    time_horizon: String,
    /// Conditions that would change its mind.
    flip_conditions: Vec<String>,
    /// Kinds of evidence it accepts.
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
    /// Builds a persona with the topics it wrote about.
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

/// History, read from the database with a short delay.
#[ComplexObject]
impl Persona {
    /// All versions that were ever ingested or took part in a debate, latest first: by number, then by the time they
    /// were first seen.
    #[graphql(complexity = "FOLD_COMPLEXITY + 10 * child_complexity")]
    async fn versions(&self, context: &Context<'_>) -> Result<Vec<PersonaVersion>> {
        PersonaVersion::all(context, &self.persona).await
    }

    /// Debates in which any version of it takes part, newest first.
    #[graphql(complexity = "FOLD_COMPLEXITY + assumed_page_size(first.or(last)) * child_complexity")]
    async fn debates(
        &self,
        context: &Context<'_>,
        #[graphql(
            desc = "Number of debates from the start, or after `after`: 1 to 100; default 20, unless `last` is given."
        )]
        first: Option<i32>,
        #[graphql(desc = "Only debates after this cursor. Requires `first`.")] after: Option<String>,
        #[graphql(desc = "Number of debates from the end, or before `before`: 1 to 100.")] last: Option<i32>,
        #[graphql(desc = "Only debates before this cursor. Requires `last`.")] before: Option<String>,
    ) -> Result<DebateConnection> {
        let filter = DebateQuery { persona: Some(self.persona.clone()), ..DebateQuery::default() };
        debate_pages::page(context, &filter, DebateSort::Newest, PageArguments { first, after, last, before }.page()?)
            .await
    }
}

/// A model provider.
#[derive(SimpleObject, Clone)]
pub struct Provider {
    /// Id, equal to the name.
    id: ID,
    /// Name by which to select it.
    name: String,
    /// Description.
    about: String,
}

impl From<&Known> for Provider {
    fn from(known: &Known) -> Self {
        Provider { id: ID(known.name.clone()), name: known.name.clone(), about: known.about.clone() }
    }
}

/// A debate engine.
#[derive(SimpleObject, Clone)]
pub struct Engine {
    /// Id, equal to the name.
    id: ID,
    /// Name by which to select it.
    name: String,
    /// One-line description.
    about: String,
    /// Revision, raised whenever prompts or control flow change.
    revision: i32,
    /// Minimum number of participants.
    min_participants: i32,
    /// Maximum number of participants.
    max_participants: i32,
    /// Options.
    options: Vec<EngineOption>,
}

/// An option of an engine.
#[derive(SimpleObject, Clone)]
pub struct EngineOption {
    /// Name.
    name: String,
    /// Description, with unit and range.
    about: String,
    /// Default value; null if there is none.
    default: Option<Value>,
}

impl From<&EngineRegistration> for Engine {
    fn from(engine: &EngineRegistration) -> Self {
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
