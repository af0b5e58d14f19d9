//! GraphQL types of participants: the persona as used by the debate, and how closely it is followed.

use std::sync::Arc;

use async_graphql::{ComplexObject, Context, ID, Result, SimpleObject};

use crate::api::error::invalid;
use crate::api::types::debate::{Debate, FOLD_COMPLEXITY, SEARCH_COMPLEXITY};
use crate::api::types::fact_check::Factuality;
use crate::api::types::grounding::Grounding;
use crate::api::types::persona::Contract;
use faultline_core::events::ids::PersonaId;
use faultline_core::projections::summary;
use faultline_core::projections::voice_compliance;
use faultline_core::projections::voice_compliance::SpeakerCompliance;
use faultline_core::verdicts::voice_attribution;

/// A participant of a debate, with the persona version that the debate uses.
#[derive(SimpleObject, Clone)]
#[graphql(complex)]
pub struct Participant {
    /// Id of the debate and of the persona in it.
    id: ID,
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
    /// True if the participant left when the debate was forked: its earlier turns remain, and it takes no more.
    left: bool,
    #[graphql(skip)]
    of: summary::Participant,
    #[graphql(skip)]
    debate: Arc<Debate>,
}

impl Participant {
    /// Builds a participant of this debate.
    pub fn new(participant: &summary::Participant, debate: Arc<Debate>) -> Participant {
        let edition = &participant.edition;
        Participant {
            id: ID(format!("{}:{}", *debate.id, participant.persona)),
            persona_id: ID(participant.persona.to_string()),
            name: participant.name.clone(),
            about: participant.about.clone(),
            version: participant.version,
            version_id: ID(edition.to_string()),
            contract_version: ID(edition.contract.clone()),
            voice_version: ID(edition.voice.clone()),
            left: participant.left,
            of: participant.clone(),
            debate,
        }
    }
}

#[ComplexObject]
impl Participant {
    /// Positions, reasons and conditions for changing its mind, as used by the debate.
    #[graphql(complexity = "FOLD_COMPLEXITY + child_complexity")]
    async fn contract(&self, context: &Context<'_>) -> Result<Contract> {
        let board = self.debate.board(context).await?;
        let persona = board.cast.get(&self.of.persona);
        persona.map(|it| Contract::from(&it.contract)).ok_or_else(|| invalid("the debate has no such participant"))
    }

    /// Grounding of its speech in its own texts.
    #[graphql(complexity = "FOLD_COMPLEXITY + child_complexity")]
    async fn grounding(&self, context: &Context<'_>) -> Result<Grounding> {
        Ok(self.debate.board(context).await?.grounding.of(&self.of.persona).into())
    }

    /// Summary of the fact checks of its claims. Verdicts do not depend on it.
    #[graphql(complexity = "FOLD_COMPLEXITY + child_complexity")]
    async fn factuality(&self, context: &Context<'_>) -> Result<Factuality> {
        Ok(self.debate.board(context).await?.fact_checks.of(&self.of.persona).into())
    }

    /// Compliance with the voice that the debate uses.
    #[graphql(complexity = "FOLD_COMPLEXITY + child_complexity")]
    async fn voice(&self, context: &Context<'_>) -> Result<ParticipantVoice> {
        let kept =
            self.debate.board(context).await?.voice.by_persona.get(&self.of.persona).cloned().unwrap_or_default();
        Ok(ParticipantVoice::new(&kept, self))
    }
}

/// A participant's compliance with the voice that the debate uses.
#[derive(SimpleObject, Clone)]
#[graphql(complex)]
pub struct ParticipantVoice {
    /// Number of turns taken.
    turns: u32,
    /// Number of words in them.
    words: u32,
    /// Number of uses of phrases that the persona would never use. No turn is rejected for them.
    forbidden_hits: u32,
    /// Uses of forbidden phrases per hundred words; null if there are no words.
    forbidden_hits_per_hundred_words: Option<f64>,
    /// Occurrences, at most 200.
    slips: Vec<Slip>,
    #[graphql(skip)]
    of: summary::Participant,
    #[graphql(skip)]
    debate: Arc<Debate>,
}

/// A forbidden phrase in a turn.
#[derive(SimpleObject, Clone)]
pub struct Slip {
    /// Id of the turn.
    turn: ID,
    /// Phrase, as written in the persona file.
    phrase: String,
    /// Number of occurrences in the turn.
    times: u32,
}

impl ParticipantVoice {
    fn new(kept: &SpeakerCompliance, participant: &Participant) -> ParticipantVoice {
        let slip = |it: &voice_compliance::Slip| Slip {
            turn: ID(it.turn.to_string()),
            phrase: it.phrase.clone(),
            times: it.times,
        };
        ParticipantVoice {
            turns: kept.turns,
            words: kept.words,
            forbidden_hits: kept.hits,
            forbidden_hits_per_hundred_words: kept.hits_per_hundred_words(),
            slips: kept.slips.iter().map(slip).collect(),
            of: participant.of.clone(),
            debate: Arc::clone(&participant.debate),
        }
    }
}

#[ComplexObject]
impl ParticipantVoice {
    /// Attribution of its turns to the participants by writing style: frequencies of common words and punctuation
    /// (Burrows's Delta). Null if the library contains too little text of any participant.
    #[graphql(complexity = "SEARCH_COMPLEXITY + child_complexity")]
    async fn sound(&self, context: &Context<'_>) -> Result<Option<Sound>> {
        let sounds = self.debate.sounds(context).await?;
        Ok(sounds.get(&self.of.persona).map(|it| Sound::new(it, sounds.len())))
    }
}

/// Attribution of a participant's turns by writing style.
#[derive(SimpleObject, Clone)]
pub struct Sound {
    /// Number of turns long enough to be attributed.
    judged: u64,
    /// Number of turns attributed to their speaker.
    right: u64,
    /// Share of turns attributed to their speaker (nearest-persona accuracy); null if no turn was attributed.
    accuracy: Option<f64>,
    /// Share expected by chance.
    chance: f64,
    /// Distances of all turns as one text to each participant, nearest first; empty if the text is too short.
    whole: Vec<VoiceDistance>,
    /// Attribution of each turn that was long enough.
    turns: Vec<TurnSound>,
}

/// A distance between a text and a participant's writings.
#[derive(SimpleObject, Clone)]
pub struct VoiceDistance {
    /// Id of the participant.
    persona_id: ID,
    /// Distance: 0 for the same direction, 1 for nothing in common, 2 for the opposite direction.
    distance: f64,
}

/// Attribution of one turn.
#[derive(SimpleObject, Clone)]
pub struct TurnSound {
    /// Id of the turn.
    turn: ID,
    /// Participant with the nearest writings, and the distance.
    nearest: VoiceDistance,
}

impl Sound {
    fn new(sound: &voice_attribution::Attribution, writers: usize) -> Sound {
        let distance =
            |persona: &PersonaId, distance: f64| VoiceDistance { persona_id: ID(persona.to_string()), distance };
        let turn = |it: &voice_attribution::TurnAttribution| TurnSound {
            turn: ID(it.turn.to_string()),
            nearest: distance(&it.nearest, it.distance),
        };
        Sound {
            judged: sound.turns.judged as u64,
            right: sound.turns.right as u64,
            accuracy: sound.turns.share(),
            chance: 1.0 / writers.max(1) as f64,
            whole: sound.whole.iter().map(|it| distance(&it.persona, it.distance)).collect(),
            turns: sound.heard.iter().map(turn).collect(),
        }
    }
}
