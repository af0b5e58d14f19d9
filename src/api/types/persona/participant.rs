//! GraphQL types of participants: the persona as used by the debate, and how closely it is followed.

use std::sync::Arc;

use async_graphql::{ID, SimpleObject};

use crate::api::types::debate::debate::Debate;
use crate::api::types::debate::debate_ref::ParticipantSource;
use crate::api::types::debate_object::DebateObject;
use faultline_core::events::ids::PersonaId;
use faultline_core::projections::voice_compliance::SpeakerCompliance;
use faultline_core::projections::{summary, voice_compliance};
use faultline_core::verdicts::voice_attribution;

/// A participant of a debate, with the persona version that the debate uses.
#[derive(SimpleObject, Clone)]
#[graphql(complex)]
pub struct Participant {
    /// Unique id, also accepted by `node`: it is of the persona in this debate.
    pub(crate) id: ID,
    /// Id of the persona.
    persona_id: ID,
    /// Display name.
    name: String,
    /// One-line description.
    about: String,
    /// Number of the persona version that the debate uses, set by hand.
    version: i32,
    /// Persona version that the debate uses: the number and the hashes of contract and voice. Use it in
    /// `persona(version:)`.
    version_id: ID,
    /// Version of its contract: name, description and positions.
    contract_version: ID,
    /// Version of its voice.
    voice_version: ID,
    /// Name of the model chosen for the participant; null if the provider's own answers.
    model: Option<String>,
    /// True if the participant left when the debate was forked: its earlier turns remain, and it takes no more.
    left: bool,
    #[graphql(skip)]
    pub(crate) of: summary::Participant,
    #[graphql(skip)]
    pub(crate) debate: Arc<Debate>,
}

impl Participant {
    /// Builds a participant of this debate.
    pub fn new(participant: &summary::Participant, debate: Arc<Debate>) -> Participant {
        let edition = &participant.edition;
        Participant {
            id: debate.object_id(DebateObject::Participant(participant.persona.clone())),
            persona_id: ID(participant.persona.to_string()),
            name: participant.name.clone(),
            about: participant.about.clone(),
            version: participant.version,
            version_id: ID(edition.to_string()),
            contract_version: ID(edition.contract.clone()),
            voice_version: ID(edition.voice.clone()),
            model: participant.model.clone(),
            left: participant.left,
            of: participant.clone(),
            debate,
        }
    }
}

/// A participant's compliance with the voice that the debate uses.
#[derive(SimpleObject, Clone)]
#[graphql(complex)]
pub struct ParticipantVoice {
    /// Number of turns taken.
    turn_count: u32,
    /// Number of words in them.
    word_count: u32,
    /// Number of uses of phrases that the persona would never use, and of stock phrases such as "great point". A speaker
    /// is asked once to say it otherwise; a second use stands and is counted here.
    forbidden_phrase_count: u32,
    /// Uses of forbidden phrases per hundred words; null if there are no words.
    forbidden_phrases_per_hundred_words: Option<f64>,
    /// Occurrences, at most 200.
    forbidden_phrase_uses: Vec<ForbiddenPhraseUse>,
    #[graphql(skip)]
    pub(crate) of: summary::Participant,
    #[graphql(skip)]
    pub(crate) debate: Arc<Debate>,
}

/// A forbidden phrase in a turn.
#[derive(SimpleObject, Clone)]
pub struct ForbiddenPhraseUse {
    /// Id of the turn.
    turn_id: ID,
    /// Phrase, as written in the persona file, or a stock phrase.
    phrase: String,
    /// Number of occurrences in the turn.
    count: u32,
}

impl ParticipantVoice {
    pub(crate) fn new(kept: &SpeakerCompliance, participant: &Participant) -> ParticipantVoice {
        let used = |slip: &voice_compliance::Slip| ForbiddenPhraseUse {
            turn_id: ID(slip.turn.to_string()),
            phrase: slip.phrase.clone(),
            count: slip.times,
        };
        ParticipantVoice {
            turn_count: kept.turns,
            word_count: kept.words,
            forbidden_phrase_count: kept.hits,
            forbidden_phrases_per_hundred_words: kept.hits_per_hundred_words(),
            forbidden_phrase_uses: kept.slips.iter().map(used).collect(),
            of: participant.of.clone(),
            debate: Arc::clone(&participant.debate),
        }
    }
}

/// Attribution of a participant's turns by writing style.
#[derive(SimpleObject, Clone)]
pub struct VoiceAttribution {
    /// Number of turns long enough to be attributed.
    eligible_turn_count: u64,
    /// Number of turns attributed to their speaker.
    correct_turn_count: u64,
    /// Share of turns attributed to their speaker (nearest-persona accuracy); null if no turn was attributed.
    accuracy: Option<f64>,
    /// Share expected by chance.
    chance_accuracy: f64,
    /// Distances of all turns as one text to each participant, nearest first; empty if the text is too short.
    overall: Vec<VoiceDistance>,
    /// Attribution of each turn that was long enough.
    turns: Vec<TurnAttribution>,
}

/// A distance between a text and a participant's writings.
#[derive(SimpleObject, Clone)]
#[graphql(complex)]
pub struct VoiceDistance {
    /// Id of the participant.
    pub(crate) persona_id: ID,
    /// Distance: 0 for the same direction, 1 for nothing in common, 2 for the opposite direction.
    distance: f64,
    #[graphql(skip)]
    pub(crate) participants: ParticipantSource,
}

/// Attribution of one turn.
#[derive(SimpleObject, Clone)]
pub struct TurnAttribution {
    /// Id of the turn.
    turn_id: ID,
    /// Participant with the nearest writings, and the distance.
    nearest: VoiceDistance,
}

impl VoiceAttribution {
    pub(crate) fn new(
        sound: &voice_attribution::Attribution,
        writers: usize,
        debate: &Arc<Debate>,
    ) -> VoiceAttribution {
        let distance = |persona: &PersonaId, distance: f64| VoiceDistance {
            persona_id: ID(persona.to_string()),
            distance,
            participants: debate.into(),
        };
        let turn = |attribution: &voice_attribution::TurnAttribution| TurnAttribution {
            turn_id: ID(attribution.turn.to_string()),
            nearest: distance(&attribution.nearest, attribution.distance),
        };
        VoiceAttribution {
            eligible_turn_count: sound.turns.judged as u64,
            correct_turn_count: sound.turns.right as u64,
            accuracy: sound.turns.share(),
            chance_accuracy: 1.0 / writers.max(1) as f64,
            overall: sound.whole.iter().map(|candidate| distance(&candidate.persona, candidate.distance)).collect(),
            turns: sound.heard.iter().map(turn).collect(),
        }
    }
}
