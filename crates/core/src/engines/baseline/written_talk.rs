//! Whole talk that one model writes: its request and its reply.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::engines::baseline::words::WORDS;
use crate::engines::shared::view_prompts;
use crate::engines::talk::model_request::ModelRequest;
use crate::engines::talk::replies::decode;
use crate::engines::talk::replies::decode::TalkContext;
use crate::engines::talk::replies::schema::{MoveMade, MoveReply, TurnReply};
use crate::engines::talk::state::Talk;
use crate::events::event::Event;
use crate::events::ids::{PersonaId, TurnId};
use crate::events::persona::Persona;
use crate::kernel::reply::Unreadable;
use crate::kernel::schema;
use crate::kernel::task::TaskKind;
use crate::questions::wording::says_the_same;

/// Reply to `write`.
#[derive(Deserialize, JsonSchema)]
pub struct WrittenTalk {
    /// The turns, in their order.
    pub turns: Vec<WrittenTurn>,
}

/// Turn of a written talk.
#[derive(Deserialize, JsonSchema)]
pub struct WrittenTurn {
    /// Id of the one who speaks.
    pub speaker: String,
    /// The words said aloud.
    pub text: String,
}

/// Requests the talk.
pub fn request(talk: &Talk) -> ModelRequest {
    let people: Vec<String> = talk.participants.iter().map(described).collect();
    let most = talk.options.turn_budget;
    let values = [
        ("topic", talk.topic.as_str()),
        ("people", &people.join("\n")),
        ("interjections", &view_prompts::interjections(&talk.transcript)),
        ("turns", &most.to_string()),
    ];
    let ids = talk.participants.iter().map(|participant| participant.id.to_string()).collect();
    ModelRequest {
        system: WORDS.fill("writer", &[("length", talk.options.brevity.turn())]),
        text: WORDS.fill("write", &values),
        schema: (schema::closed(schema::strict::<WrittenTalk>(), &[("speaker", ids)]), "talk"),
        work: TaskKind::WriteTalk { most },
    }
}

/// Describes a participant to the one who writes for it.
fn described(participant: &Persona) -> String {
    let Persona { id, name, about, contract, .. } = participant;
    let parts =
        [&contract.personality, &contract.bias, &contract.stakes, &contract.epistemology, &contract.time_horizon];
    let parts = parts.into_iter().chain(&contract.flip_conditions).filter(|part| !part.trim().is_empty());
    std::iter::once(format!("- {id}: {name}. {about}"))
        .chain(parts.map(|part| format!("  {part}")))
        .collect::<Vec<_>>()
        .join("\n")
}

/// Decodes a written talk into its turns. A turn that repeats one before it is left out.
///
/// # Errors
/// [`Unreadable`] if somebody speaks who does not take part, if fewer than two participants speak, or if a text is empty or
/// too long.
pub fn decode(talk: &Talk, reply: WrittenTalk) -> Result<Vec<Event>, Unreadable> {
    let mut said: Vec<(&PersonaId, String)> = Vec::new();
    for turn in reply.turns.into_iter().take(talk.options.turn_budget as usize) {
        let speaker = speaker(talk, &turn.speaker)?;
        if !said.iter().any(|(_, text)| says_the_same(text, &turn.text)) {
            said.push((speaker, turn.text));
        }
    }
    if said.iter().all(|(speaker, _)| Some(speaker) == said.first().map(|(first, _)| first)) {
        let reason = "fewer than two participants speak in the talk";
        return Err(Unreadable::because(reason).advise("let everybody speak"));
    }
    let first = talk.transcript.next_turn().0;
    let turns = (first..).zip(said).map(|(number, (speaker, text))| {
        let at = TalkContext { talk, turn: TurnId(number), speaker, grounds: &[], room: None };
        decode::said(&at, plain(text, Vec::new()))
    });
    Ok(turns.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect())
}

/// Returns the reply of a speaker who is asked for nothing but what they say.
pub fn plain(text: String, passages: Vec<String>) -> TurnReply {
    let claim = MoveReply { words: None, kind: MoveMade::Claim };
    TurnReply { passages, ..TurnReply::only(text, claim) }
}

fn speaker<'a>(talk: &'a Talk, named: &str) -> Result<&'a PersonaId, Unreadable> {
    let is_named = |participant: &&Persona| participant.id.as_str() == named.trim() || participant.name == named.trim();
    let found = talk.participants.iter().find(is_named).map(|participant| &participant.id);
    found.ok_or_else(|| {
        let named = view_prompts::excerpt(named);
        Unreadable::because(format!("{named} speaks in the talk and is no participant")).advise("use the ids given")
    })
}
