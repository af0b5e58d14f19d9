//! GraphQL types of personas, providers and engines.

use async_graphql::{Enum, ID, Json, SimpleObject};
use serde_json::Value;

use faultline_core::events::edition::Edition;
use faultline_core::events::ids::PersonaId;
use faultline_core::events::persona;
use faultline_core::kernel::engine::{EngineRegistration, OptionDoc, OptionKind};
use faultline_service::catalog::{Member, Provider};

/// A persona that can take part in debates.
#[derive(SimpleObject, Clone)]
#[graphql(complex)]
pub struct Persona {
    /// Unique id, also accepted by `node`: the name of its file. In a version that the query names, `@` and the version
    /// follow.
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
    pub(crate) persona: PersonaId,
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
    /// Sentences of its writings, word for word, on which contract and voice rest.
    anchors: Vec<String>,
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
            anchors: contract.anchors,
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

    /// Returns the persona as an object of its own, apart from the current one: its id contains the version.
    #[must_use]
    pub fn pinned(self) -> Persona {
        Persona { id: ID(format!("{}@{}", self.persona, *self.version_id)), ..self }
    }
}

/// A model provider.
#[derive(SimpleObject, Clone)]
#[graphql(name = "Provider")]
pub struct ModelProvider {
    /// Unique id, also accepted by `node`.
    pub(crate) id: ID,
    /// Name by which to select it.
    name: String,
    /// Description.
    about: String,
}

impl From<&Provider> for ModelProvider {
    fn from(provider: &Provider) -> Self {
        ModelProvider {
            id: ID(format!("provider:{}", provider.name)),
            name: provider.name.clone(),
            about: provider.about.clone(),
        }
    }
}

/// A debate engine.
#[derive(SimpleObject, Clone)]
pub struct Engine {
    /// Unique id, also accepted by `node`.
    pub(crate) id: ID,
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
    /// Type of its values.
    #[graphql(name = "type")]
    kind: EngineOptionType,
    /// Least accepted value; null unless the type is `INTEGER` or `NUMBER`.
    minimum: Option<f64>,
    /// Greatest accepted value; null if it depends on the participants, or the type is neither `INTEGER` nor `NUMBER`.
    maximum: Option<f64>,
    /// Name of another option whose value this one must not be less than; null if there is none.
    not_below: Option<String>,
    /// Accepted values of the type `CHOICE`; empty for other types.
    choices: Vec<String>,
    /// Default value; null if there is none, in which case the option accepts null.
    default: Option<Value>,
}

/// Types of the values of an engine's option.
#[derive(Enum, Copy, Clone, PartialEq, Eq)]
pub enum EngineOptionType {
    /// True or false.
    Boolean,
    /// An integer, within `minimum` and `maximum`.
    Integer,
    /// A number, within `minimum` and `maximum`.
    Number,
    /// A text.
    Text,
    /// One of the texts in `choices`.
    Choice,
    /// A list of texts.
    TextList,
    /// A JSON value whose form `about` explains.
    Json,
}

impl From<&OptionDoc> for EngineOption {
    fn from(option: &OptionDoc) -> Self {
        let (kind, choices): (EngineOptionType, &[&str]) = match option.kind {
            OptionKind::Boolean => (EngineOptionType::Boolean, &[]),
            OptionKind::Integer(..) => (EngineOptionType::Integer, &[]),
            OptionKind::Number(..) => (EngineOptionType::Number, &[]),
            OptionKind::Text => (EngineOptionType::Text, &[]),
            OptionKind::Choice(choices) => (EngineOptionType::Choice, choices),
            OptionKind::Texts => (EngineOptionType::TextList, &[]),
            OptionKind::Json => (EngineOptionType::Json, &[]),
        };
        EngineOption {
            name: option.name.to_owned(),
            about: option.about.to_owned(),
            kind,
            minimum: option.kind.minimum(),
            maximum: option.kind.maximum(),
            not_below: option.not_below.map(str::to_owned),
            choices: choices.iter().map(|choice| (*choice).to_owned()).collect(),
            default: serde_json::from_str(option.default).unwrap_or_default(),
        }
    }
}

impl From<&EngineRegistration> for Engine {
    fn from(engine: &EngineRegistration) -> Self {
        Engine {
            id: ID(format!("engine:{}", engine.name)),
            name: engine.name.to_owned(),
            about: engine.about.to_owned(),
            revision: engine.revision,
            min_participants: engine.participants.0 as i32,
            max_participants: engine.participants.1 as i32,
            options: engine.options.iter().map(EngineOption::from).collect(),
        }
    }
}
