//! Requests of blackboard debates: the decomposition of the topic, first stances, intents, turns, and last words.

use crate::engines::blackboard::board::Board;
use crate::engines::blackboard::schema::{DecompositionReply, IntentReply, StancesReply};
use crate::engines::blackboard::speaking_order::SpeakingOrder;
use crate::engines::blackboard::words::WORDS;
use crate::engines::shared::persona_prompts::TurnKind;
use crate::engines::shared::view_prompts;
use crate::engines::talk::dispute_clerk::clerk_steps::CLERK;
use crate::engines::talk::model_request::ModelRequest;
use crate::engines::talk::prompts;
use crate::engines::talk::rooms::schema::MessageReply;
use crate::engines::talk::rooms::words::WORDS as MESSAGE_WORDS;
use crate::engines::talk::speeches::Speeches;
use crate::engines::talk::state::{TOPIC, TURN, Talk};
use crate::events::persona::Persona;
use crate::events::receipt::Tier;
use crate::events::turn::Move;
use crate::kernel::effect::{Effect, effect_key};
use crate::kernel::schema;
use crate::kernel::task::{TalkInput, TaskKind};
use crate::projections::tables::Table;

/// Purpose of the decomposition.
pub const DECOMPOSE: &str = "decompose";
/// Purpose of first stances.
pub const STANCE: &str = "stance";
/// Purpose of intents.
pub const INTENT: &str = "intent";

/// Requests, made from the state at the start of a round.
#[derive(Clone, Copy)]
pub struct BlackboardRequests<'a> {
    /// The talk at the start of the round.
    pub talk: &'a Talk,
    /// Order in which participants speak.
    pub order: SpeakingOrder,
}

impl BlackboardRequests<'_> {
    /// Requests the decomposition of the topic into at most `most` questions.
    pub fn decomposition(&self, most: u32) -> Effect {
        let n = if most == 2 { "two".to_owned() } else { format!("two to {most}") };
        let values = [("n", n), ("participants", self.participants())];
        let asked = ModelRequest {
            system: WORDS.fill("clerk", &[]),
            text: self.fill(DECOMPOSE, &values),
            schema: (schema::strict::<DecompositionReply>(), "decomposition"),
            work: TaskKind::DecomposeTopic { most: most as usize },
        };
        Speeches { talk: self.talk }.clerk(effect_key(DECOMPOSE, CLERK, 0), Tier::Quick, asked)
    }

    /// Requests the first stances of a participant.
    pub fn stances(&self, speaker: &Persona) -> Effect {
        let board = Board { talk: self.talk, table: None };
        let told = TalkInput { turns: Vec::new(), ..board.told() };
        let values = [("participants", self.participants()), ("board", board.lines())];
        let disputes = ("dispute", told.disputes.iter().map(|dispute| dispute.alias.clone()).collect());
        let questions: Vec<String> = told.disputes.iter().map(|dispute| dispute.question.clone()).collect();
        let schema = (schema::closed(schema::strict::<StancesReply>(), &[disputes]), "stances");
        let text = self.fill(STANCE, &values);
        let speeches = Speeches { talk: self.talk };
        let asked = speeches.asked(speaker, TurnKind::Opening, text, schema, TaskKind::StateStances(told));
        speeches.effect(effect_key(STANCE, &speaker.id, 0), speaker, asked, &questions)
    }

    /// Requests the intent of a participant for a round.
    pub fn intent(&self, table: &Table, speaker: &Persona, round: u32) -> Effect {
        let (told, values) = self.at_table(table, speaker);
        let text = self.fill(INTENT, &values);
        let schema = (schema::strict::<IntentReply>(), "intent");
        let speeches = Speeches { talk: self.talk };
        let asked = speeches.asked(speaker, TurnKind::Exchange, text, schema, TaskKind::StateIntent(told));
        let effect = speeches.effect(effect_key(INTENT, &speaker.id, round), speaker, asked, &[]);
        Effect { tier: Tier::Quick, ground: None, ..effect }
    }

    /// Requests the turn of a participant in a round.
    pub fn turn(&self, table: &Table, speaker: &Persona, round: u32) -> Effect {
        let (told, mut values) = self.at_table(table, speaker);
        let call = match self.order {
            SpeakingOrder::AllAtOnce => WORDS.fill("call_blitz", &[("round", &round.to_string())]),
            SpeakingOrder::ByUrgency => WORDS.fill("call_classical", &[]),
        };
        let call = if table.seated.is_final { format!("{}\n{call}", WORDS.fill("final", &[])) } else { call };
        values.extend([("call", call), ("fields", MESSAGE_WORDS.fill("message", &[]))]);
        let speeches = Speeches { talk: self.talk };
        let schema = schema::closed(schema::strict::<MessageReply>(), &speeches.names(speaker, &told));
        let others = || told.turns.iter().rev().filter(|turn| turn.speaker.as_ref() != Some(&speaker.id));
        let is_challenged = others().next().is_some_and(|turn| turn.moves.contains(&Move::Challenge));
        let manner = if is_challenged { TurnKind::Answer } else { TurnKind::Exchange };
        let about: Vec<String> =
            others().take(2).map(|turn| turn.text.clone()).chain([self.talk.topic.clone()]).collect();
        let text = self.fill(TURN, &values);
        let asked = speeches.asked(speaker, manner, text, (schema, "message"), TaskKind::Speak(told));
        speeches.effect(effect_key(TURN, &speaker.id, round), speaker, asked, &about)
    }

    /// Returns the talk at a table as data for a speaker, and what fills the slots of the request.
    fn at_table(&self, table: &Table, speaker: &Persona) -> (TalkInput, Vec<(&'static str, String)>) {
        let board = Board { talk: self.talk, table: Some(table) };
        let (told, names) = (board.told(), &self.talk.names);
        let shown = prompts::shown(&told, self.talk.options.shown_turns as usize);
        let seated: Vec<String> = table.seated.participants.iter().map(|persona| names.of(persona)).collect();
        let values = vec![
            ("table", seated.join(", ")),
            ("board", board.lines()),
            ("cruxes", prompts::crux_lines(&told.cruxes, names)),
            ("conditions", board.condition_lines()),
            ("turns", prompts::turn_lines(&shown, names)),
            ("own", prompts::own_lines(&told, &speaker.id, &shown)),
        ];
        (told, values)
    }

    fn participants(&self) -> String {
        let names: Vec<&str> = self.talk.participants.iter().map(|participant| participant.name.as_str()).collect();
        names.join(", ")
    }

    fn fill(&self, section: &str, more: &[(&'static str, String)]) -> String {
        let (topic_dispute, interjections) = (TOPIC.to_string(), view_prompts::interjections(&self.talk.transcript));
        let common =
            [("topic", self.talk.topic.as_str()), ("topic_dispute", &topic_dispute), ("interjections", &interjections)];
        let more = more.iter().map(|(slot, text)| (*slot, text.as_str()));
        WORDS.fill(section, &common.into_iter().chain(more).collect::<Vec<_>>())
    }
}
