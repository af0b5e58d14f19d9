//! Requests to the participants of a talk: opening statements, turns and closing statements.

use serde_json::Value;

use crate::engines::shared::persona_prompts;
use crate::engines::shared::persona_prompts::TurnKind;
use crate::engines::shared::view_prompts;
use crate::engines::talk::model_request::ModelRequest;
use crate::engines::talk::prompts as telling;
use crate::engines::talk::prompts::WORDS;
use crate::engines::talk::replies::schema::{ClosingReply, OpeningStatementReply, TurnReply};
use crate::engines::talk::state::{CLOSE, OPEN, TURN, Talk, TalkPhase};
use crate::events::ids::PersonaId;
use crate::events::persona::Persona;
use crate::events::receipt::{EffectKey, Tier};
use crate::events::turn::Move;
use crate::kernel::effect::{AddedQueries, Effect, PassageQuery, Responder, effect_key};
use crate::kernel::prompt::{Prompt, with_persona};
use crate::kernel::schema;
use crate::kernel::task::{CruxInput, TalkInput, Task, TaskKind};

/// Requests to the participants, made from the state of a talk.
#[derive(Clone, Copy)]
pub struct Speeches<'a> {
    /// The talk.
    pub talk: &'a Talk,
}

impl Speeches<'_> {
    /// Requests an opening statement.
    pub fn opening(&self, speaker: &Persona) -> Effect {
        let names: Vec<&str> = self.talk.participants.iter().map(|participant| participant.name.as_str()).collect();
        let interjections = view_prompts::interjections(&self.talk.transcript);
        let values = [
            ("topic", self.talk.topic.as_str()),
            ("participants", &names.join(", ")),
            ("interjections", &interjections),
            ("length", self.talk.options.brevity.statement()),
        ];
        let schema = (schema::strict::<OpeningStatementReply>(), "opening");
        let asked = self.asked(speaker, TurnKind::Opening, WORDS.fill(OPEN, &values), schema, TaskKind::OpenTalk);
        self.effect(effect_key(OPEN, &speaker.id, 0), speaker, asked, std::slice::from_ref(&self.talk.topic))
    }

    /// Requests a turn in the main channel.
    pub fn turn(&self, speaker: &Persona) -> Effect {
        let talk = self.talk;
        let told = telling::talk(talk);
        let hint = talk.current_hint().map_or_else(String::new, |hint| WORDS.fill("hint", &[("hint", &hint.text)]));
        let text = WORDS.fill(
            TURN,
            &self
                .slots(speaker, &told, &hint, talk.options.brevity.turn())
                .each_ref()
                .map(|(slot, text)| (*slot, text.as_str())),
        );
        let challenged = talk.channel_turns().next_back().is_some_and(|turn| turn.moves.contains(&Move::Challenge));
        let manner = match talk.phase {
            Some(TalkPhase::CruxSeeking) => TurnKind::CruxSeeking,
            _ if challenged => TurnKind::Answer,
            _ => TurnKind::Exchange,
        };
        let ordinal = u32::try_from(talk.slots.len()).unwrap_or(u32::MAX);
        let about = self.about(speaker);
        let schema = schema::closed(schema::strict::<TurnReply>(), &self.names(speaker, &told));
        let asked = self.asked(speaker, manner, text, (schema, "turn"), TaskKind::Speak(told));
        self.effect(effect_key(TURN, &speaker.id, ordinal), speaker, asked, &about)
    }

    /// Requests a closing statement.
    pub fn closing(&self, speaker: &Persona) -> Effect {
        let told = telling::talk(self.talk);
        let length = self.talk.options.brevity.statement();
        let text = WORDS
            .fill(CLOSE, &self.slots(speaker, &told, "", length).each_ref().map(|(slot, text)| (*slot, text.as_str())));
        let schema = schema::closed(schema::strict::<ClosingReply>(), &self.names(speaker, &told));
        let asked = self.asked(speaker, TurnKind::Closing, text, (schema, "closing"), TaskKind::Close(told));
        self.effect(effect_key(CLOSE, &speaker.id, 0), speaker, asked, &self.at_stake())
    }

    /// Returns what fills the slots of a speaker's request.
    pub fn slots(&self, speaker: &Persona, told: &TalkInput, hint: &str, length: &str) -> [(&'static str, String); 8] {
        let names = &self.talk.names;
        let shown = telling::shown(told, self.talk.options.shown_turns as usize);
        [
            ("topic", self.talk.topic.clone()),
            ("turns", telling::turn_lines(&shown, names)),
            ("disputes", telling::dispute_lines(&told.disputes, names)),
            ("cruxes", telling::crux_lines(&told.cruxes, names)),
            ("interjections", view_prompts::interjections(&self.talk.transcript)),
            ("hint", hint.to_owned()),
            ("own", telling::own_lines(told, &speaker.id, &shown)),
            ("length", length.to_owned()),
        ]
    }

    /// Returns the names that a speaker's reply may use: turns of others as shown, disputes, and cruxes of others that the
    /// speaker has not agreed with.
    pub fn names(&self, speaker: &Persona, told: &TalkInput) -> [(&'static str, Vec<String>); 3] {
        let shown = telling::shown(told, self.talk.options.shown_turns as usize);
        let turns = shown.into_iter().filter(|turn| turn.speaker.as_ref() != Some(&speaker.id));
        let is_open = |crux: &&CruxInput| crux.speaker != speaker.id && !crux.acknowledged.contains(&speaker.id);
        let cruxes = told.cruxes.iter().filter(is_open);
        [
            ("answers", turns.map(|turn| turn.alias).collect()),
            ("dispute", told.disputes.iter().map(|dispute| dispute.alias.clone()).collect()),
            ("agrees_with", cruxes.map(|crux| crux.alias.clone()).collect()),
        ]
    }

    /// Returns the texts for a speaker's passage query: the subject of the hint, the turn to answer, the latest
    /// statements of others, the topic.
    pub fn about(&self, speaker: &Persona) -> Vec<String> {
        let talk = self.talk;
        let others = || talk.channel_turns().rev().filter(|turn| turn.speaker.as_ref() != Some(&speaker.id));
        let hint = talk.current_hint();
        let put = hint.and_then(|hint| talk.transcript.get(hint.about?));
        let asked =
            hint.and_then(|hint| talk.disputes.disputes.get(&hint.dispute?)).map(|dispute| dispute.question.clone());
        let named =
            hint.and_then(|hint| talk.cruxes.cruxes.get(&hint.crux?)).map(|crux| crux.proposed.statement.clone());
        let addressed = others().find(|turn| turn.addressed.as_ref() == Some(&speaker.id));
        let said = put.into_iter().chain(addressed).chain(others().take(2)).map(|turn| turn.text.clone());
        asked.into_iter().chain(named).chain(said).chain([talk.topic.clone()]).collect()
    }

    /// Returns the texts for the passage query of a closing statement: the latest cruxes, and the topic.
    fn at_stake(&self) -> Vec<String> {
        let cruxes = self.talk.cruxes.cruxes.values().rev().map(|crux| crux.proposed.statement.clone());
        cruxes.take(2).chain([self.talk.topic.clone()]).collect()
    }

    /// Completes a request with the manners of the talk and the description of the speaker.
    pub fn asked(
        &self,
        speaker: &Persona,
        manner: TurnKind,
        text: String,
        schema: (Value, &'static str),
        work: TaskKind,
    ) -> ModelRequest {
        let text = with_persona(&text, &persona_prompts::persona(speaker, manner, self.talk.seed));
        ModelRequest { system: telling::manners(&self.talk.options), text, schema, work }
    }

    /// Makes the effect of a speaker's request. `about` are the texts for the passage query, the most important first.
    pub fn effect(&self, key: EffectKey, speaker: &Persona, asked: ModelRequest, about: &[String]) -> Effect {
        let persona = speaker.id.clone();
        Effect {
            key,
            voice: Responder::Persona(persona.clone()),
            tier: Tier::Deep,
            prompt: self.prompt(asked, Some(persona.clone())),
            ground: PassageQuery::about(&persona, self.talk.options.passages, about.iter().map(String::as_str)),
            added: AddedQueries::default(),
        }
    }

    /// Makes the effect of a clerk's request.
    pub fn clerk(&self, key: EffectKey, tier: Tier, asked: ModelRequest) -> Effect {
        Effect {
            key,
            voice: Responder::Clerk,
            tier,
            prompt: self.prompt(asked, None),
            ground: None,
            added: AddedQueries::default(),
        }
    }

    fn prompt(&self, asked: ModelRequest, speaker: Option<PersonaId>) -> Prompt {
        let task = Task {
            topic: self.talk.topic.clone(),
            seed: self.talk.seed,
            speaker,
            participants: self.talk.participants.iter().map(|participant| participant.id.clone()).collect(),
            work: asked.work,
        };
        let (schema, schema_name) = asked.schema;
        let max_tokens = self.talk.options.max_tokens;
        Prompt { system: asked.system, text: asked.text, schema, schema_name, max_tokens, task }
    }
}
