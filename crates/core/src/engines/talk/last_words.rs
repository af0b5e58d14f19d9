//! Last words of debates that are no talk: where a participant stands at the end, and what would change their mind.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use crate::engines::shared::view_prompts;
use crate::engines::shared::view_prompts::DisplayNames;
use crate::engines::talk::crux_naming::{NamedCrux, NamingTurn, name_crux};
use crate::engines::talk::echoes;
use crate::engines::talk::prompts;
use crate::engines::talk::schema::StanceReply;
use crate::events::dispute::{Side, StanceTaken};
use crate::events::event::Event;
use crate::events::ids::{DisputeId, PersonaId, TurnId};
use crate::events::receipt::PassageRef;
use crate::events::turn::{FlipConditionStated, Move, TurnTaken};
use crate::kernel::prompt::PromptTemplates;
use crate::kernel::quotations::turn_quotes;
use crate::kernel::reply::Unreadable;
use crate::kernel::schema;
use crate::kernel::task::{DisputeInput, TalkInput, TaskKind, TurnInput};
use crate::projections::crux_proposals::CruxProposals;
use crate::projections::transcript::Transcript;
use crate::questions::wording::asks_the_same;

/// Number of turns shown for last words.
const LAST_TURNS: usize = 8;
/// Maximum length of last words, in bytes; longer ones make the reply unreadable.
const MAX_TEXT_BYTES: usize = 4_000;

/// Reply to `close`.
#[derive(Deserialize, JsonSchema)]
pub struct LastWordsReply {
    /// The words said aloud, in the voice of the speaker.
    pub text: String,
    /// Stance of the speaker on the topic at the end.
    #[serde(default)]
    pub stances: Vec<StanceReply>,
    /// The words of `text` that say what the disagreement comes down to, copied exactly.
    #[serde(default)]
    pub core_words: Option<String>,
    /// The question that it comes down to, in one sentence.
    #[serde(default)]
    pub core_question: Option<String>,
    /// The words of `text` that say what would change the speaker's mind, copied exactly.
    #[serde(default)]
    pub would_change: Option<String>,
    /// Aliases of the passages used.
    #[serde(default)]
    pub passages: Vec<String>,
}

/// Request for last words: the text, the schema of the reply, and the task.
pub struct LastWordsRequest {
    /// Text of the prompt, without the persona.
    pub text: String,
    /// JSON Schema of the reply.
    pub schema: Value,
    /// The task as data.
    pub work: TaskKind,
}

/// Prepares a request for last words from the section `close` of an engine's templates. `stances` are the present sides of
/// the topic.
pub fn request(
    templates: &PromptTemplates,
    (dispute, topic): (DisputeId, &str),
    transcript: &Transcript,
    names: &DisplayNames,
    stances: Vec<(PersonaId, Side)>,
) -> LastWordsRequest {
    let latest = transcript.turns.len().saturating_sub(LAST_TURNS);
    let turns: Vec<TurnInput> = transcript.turns[latest..].iter().map(|turn| prompts::turn(turn, false)).collect();
    let (alias, criteria) = (dispute.to_string(), Vec::new());
    let asked = DisputeInput { alias, question: topic.to_owned(), stances, criteria };
    let values = [
        ("topic", topic),
        ("turns", &prompts::turn_lines(&turns, names)),
        ("interjections", &view_prompts::interjections(transcript)),
        ("dispute", &asked.alias),
    ];
    let closed = [("dispute", vec![asked.alias.clone()])];
    LastWordsRequest {
        text: templates.fill("close", &values),
        schema: schema::closed(schema::strict::<LastWordsReply>(), &closed),
        work: TaskKind::Close(TalkInput { turns, disputes: vec![asked], ..TalkInput::default() }),
    }
}

/// State in which last words are decoded.
pub struct LastWordsContext<'a> {
    /// The turns so far.
    pub transcript: &'a Transcript,
    /// The dispute about the topic, and its question.
    pub topic: (DisputeId, &'a str),
    /// Cruxes proposed so far.
    pub cruxes: &'a CruxProposals,
    /// The turn that the reply becomes.
    pub turn: TurnId,
    /// Author of the reply.
    pub speaker: &'a PersonaId,
    /// Number of the round.
    pub round: u32,
    /// Passages available to the author.
    pub grounds: &'a [PassageRef],
}

/// Decodes last words into their turn, the stance on the topic, the crux, and the condition for a change of mind, if they
/// state them.
///
/// # Errors
/// [`Unreadable`] if the text is empty or too long, or repeats a turn of somebody else. Last words may say again what
/// their speaker said.
pub fn closed(at: &LastWordsContext, reply: LastWordsReply) -> Result<Vec<Event>, Unreadable> {
    let text = reply.text.trim();
    if text.is_empty() {
        return Err(Unreadable::because("the text is empty; write your last words"));
    }
    if text.len() > MAX_TEXT_BYTES {
        let n = text.len();
        return Err(Unreadable::because(format!("the text has {n} bytes; at most {MAX_TEXT_BYTES} are allowed")));
    }
    echoes::refuse_others(text, at.transcript, at.speaker)?;
    let mut refused = Vec::new();
    let is_topic =
        |told: &StanceReply| told.dispute.trim().parse::<DisputeId>().is_ok_and(|dispute| dispute == at.topic.0);
    let told = reply.stances.iter().find(|told| is_topic(told));
    let taken = told.and_then(|told| stance(at, text, told.side.into(), &told.words, &mut refused));
    let crux = crux(at, text, &reply, &mut refused);
    let condition = condition(at, text, reply.would_change.as_deref(), &mut refused);
    let citations = view_prompts::citations(&reply.passages, at.grounds, &mut refused);
    let turn = Event::TurnTaken(TurnTaken {
        turn: at.turn,
        speaker: at.speaker.clone(),
        round: Some(at.round),
        room: None,
        moves: vec![if matches!(crux, Some(Event::CruxProposed(_))) { Move::ProposeCrux } else { Move::Clarify }],
        move_quotes: Vec::new(),
        answers: None,
        text: text.to_owned(),
        citations,
        dangling: view_prompts::dangling(&refused),
        refused,
    });
    Ok(std::iter::once(turn).chain(taken).chain(crux).chain(condition).collect())
}

/// Returns the stance on the topic, in words of the text; none if the text does not contain them.
fn stance(at: &LastWordsContext, text: &str, side: Side, copied: &str, refused: &mut Vec<String>) -> Option<Event> {
    let quote = turn_quotes::words(text, copied);
    if quote.is_none() {
        // Nobody needs words to be undecided.
        let reason = || "takes a side on the topic without words of the text".to_owned();
        refused.extend((side != Side::Undecided).then(reason));
        return None;
    }
    let (dispute, speaker, turn) = (at.topic.0, at.speaker.clone(), at.turn);
    Some(Event::StanceTaken(StanceTaken { dispute, speaker, side, turn, statement: None, confidence: None, quote }))
}

/// Returns the crux that the last words name, or the agreement with another participant's.
fn crux(at: &LastWordsContext, text: &str, reply: &LastWordsReply, refused: &mut Vec<String>) -> Option<Event> {
    let LastWordsContext { cruxes, speaker, turn, .. } = *at;
    let given = NamedCrux { statement: reply.core_question.as_deref(), words: reply.core_words.as_deref() };
    let asks_topic = |statement: &str| asks_the_same(statement, at.topic.1);
    name_crux(&NamingTurn { cruxes, speaker, turn, text }, given, asks_topic).unwrap_or_else(|reason| {
        refused.push(reason);
        None
    })
}

/// Returns the condition for a change of mind, in words of the text; none if the text does not contain them.
fn condition(at: &LastWordsContext, text: &str, copied: Option<&str>, refused: &mut Vec<String>) -> Option<Event> {
    let copied = copied.filter(|words| !words.trim().is_empty())?;
    let quote = turn_quotes::words(text, copied);
    if quote.is_none() {
        refused.push("states a flip condition without words of the text".into());
    }
    let (speaker, turn) = (at.speaker.clone(), at.turn);
    Some(Event::FlipConditionStated(FlipConditionStated { speaker, turn, quote: quote?, dispute: None, crux: None }))
}
