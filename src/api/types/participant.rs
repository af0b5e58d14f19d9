//! Who takes part in a debate: what the debate pinned of them, and how far they keep to it.

use std::sync::Arc;

use async_graphql::{ComplexObject, Context, ID, Result, SimpleObject};

use crate::api::error::invalid;
use crate::api::types::debate::{Debate, FOLD, SEARCH};
use crate::api::types::fact_check::Factuality;
use crate::api::types::grounding::Grounding;
use crate::api::types::persona::Contract;
use crate::events::ids::PersonaId;
use crate::projections::summary;
use crate::projections::voice::{self, Kept};
use crate::verdicts::sound;

/// Who takes part in a debate, as the debate pinned them.
#[derive(SimpleObject, Clone)]
#[graphql(complex)]
pub struct Participant {
    /// The debate and the persona in it.
    id: ID,
    /// The persona.
    persona_id: ID,
    /// Its name for people.
    name: String,
    /// Who this is, in a line.
    about: String,
    /// The number of the version that the debate pinned, as it was raised by hand.
    version: i32,
    /// The version that the debate pinned: the number, and what contract and voice hash to. Goes with `persona(version:)`.
    version_id: ID,
    /// The version of its contract: of the name, the line about it, and what it holds.
    contract_version: ID,
    /// The version of its voice.
    voice_version: ID,
    /// Whether it left when the debate was forked: what it said stands, and it says no more.
    left: bool,
    #[graphql(skip)]
    of: summary::Participant,
    #[graphql(skip)]
    debate: Arc<Debate>,
}

impl Participant {
    /// A participant of this debate.
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
    /// What it holds, why, and what would move it, as the debate pinned it.
    #[graphql(complexity = "FOLD + child_complexity")]
    async fn contract(&self, context: &Context<'_>) -> Result<Contract> {
        let board = self.debate.board(context).await?;
        let persona = board.cast.get(&self.of.persona);
        persona.map(|it| Contract::from(&it.contract)).ok_or_else(|| invalid("the debate pinned no such persona"))
    }

    /// How its speech is grounded in what it wrote.
    #[graphql(complexity = "FOLD + child_complexity")]
    async fn grounding(&self, context: &Context<'_>) -> Result<Grounding> {
        Ok(self.debate.board(context).await?.grounding.of(&self.of.persona).into())
    }

    /// How the checks of its claims came out. No verdict rests on it.
    #[graphql(complexity = "FOLD + child_complexity")]
    async fn factuality(&self, context: &Context<'_>) -> Result<Factuality> {
        Ok(self.debate.board(context).await?.fact_checks.of(&self.of.persona).into())
    }

    /// How far it keeps to the voice that the debate pinned.
    #[graphql(complexity = "FOLD + child_complexity")]
    async fn voice(&self, context: &Context<'_>) -> Result<ParticipantVoice> {
        let kept =
            self.debate.board(context).await?.voice.by_persona.get(&self.of.persona).cloned().unwrap_or_default();
        Ok(ParticipantVoice::new(&kept, self))
    }
}

/// How far a participant keeps to the voice that the debate pinned.
#[derive(SimpleObject, Clone)]
#[graphql(complex)]
pub struct ParticipantVoice {
    /// Turns taken.
    turns: u32,
    /// Words said in them.
    words: u32,
    /// How often a phrase was used that the persona would never use. Nothing is refused for it.
    forbidden_hits: u32,
    /// The same in a hundred words; none before anything was said.
    forbidden_hits_per_hundred_words: Option<f64>,
    /// Where, at most 200 of them.
    slips: Vec<Slip>,
    #[graphql(skip)]
    of: summary::Participant,
    #[graphql(skip)]
    debate: Arc<Debate>,
}

/// A forbidden phrase in a turn.
#[derive(SimpleObject, Clone)]
pub struct Slip {
    /// The turn.
    turn: ID,
    /// The phrase, as the persona's file has it.
    phrase: String,
    /// How often the turn uses it.
    times: u32,
}

impl ParticipantVoice {
    fn new(kept: &Kept, participant: &Participant) -> ParticipantVoice {
        let slip =
            |it: &voice::Slip| Slip { turn: ID(it.turn.to_string()), phrase: it.phrase.clone(), times: it.times };
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
    /// Whom it sounds like, of those who take part: by the share of common words and marks (Burrows's Delta). None where the
    /// library holds too little of what it, or any other of them, wrote.
    #[graphql(complexity = "SEARCH + child_complexity")]
    async fn sound(&self, context: &Context<'_>) -> Result<Option<Sound>> {
        let sounds = self.debate.sounds(context).await?;
        Ok(sounds.get(&self.of.persona).map(|it| Sound::new(it, sounds.len())))
    }
}

/// Whom a participant sounds like.
#[derive(SimpleObject, Clone)]
pub struct Sound {
    /// Turns long enough to be judged.
    judged: u64,
    /// Those of them that sound most like the speaker.
    right: u64,
    /// Their share, the nearest-persona accuracy; none where no turn was judged.
    accuracy: Option<f64>,
    /// What the share would be by chance.
    chance: f64,
    /// All turns as one text: how far it is from each, the nearest first; empty where that is too short.
    whole: Vec<VoiceDistance>,
    /// Turn by turn, those that were judged.
    turns: Vec<TurnSound>,
}

/// How far something is from how somebody writes.
#[derive(SimpleObject, Clone)]
pub struct VoiceDistance {
    /// The participant whose writings it is held against.
    persona_id: ID,
    /// 0 for the same direction, 1 for nothing in common, 2 for the opposite.
    distance: f64,
}

/// Whom a turn sounds like.
#[derive(SimpleObject, Clone)]
pub struct TurnSound {
    /// The turn.
    turn: ID,
    /// The participant whose writings it is nearest to, and how far it is.
    nearest: VoiceDistance,
}

impl Sound {
    fn new(sound: &sound::Sound, writers: usize) -> Sound {
        let distance =
            |persona: &PersonaId, distance: f64| VoiceDistance { persona_id: ID(persona.to_string()), distance };
        let turn = |it: &sound::Heard| TurnSound {
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
