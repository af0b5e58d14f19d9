//! A debate told to readers: every part of it in words, before it is laid out as a page or as Markdown.

use chrono::{DateTime, Utc};
use serde_json::Value;

use crate::events::event::{Event, Recorded};
use crate::events::ids::{ArgumentId, PersonaId, RoomId, TurnId};
use crate::export::quotes::short;
use crate::export::rooms::{checks, rooms};
use crate::export::teller::Teller;
use crate::projections::summary::Status;
use crate::verdicts::board::Board;
use crate::verdicts::cruxes::Crux;
use crate::verdicts::verdict::Verdict;

/// A debate told to readers.
#[derive(Clone, Debug)]
pub struct Account {
    /// What is debated.
    pub topic: String,
    /// Facts about it, each after the word for it.
    pub facts: Vec<(&'static str, String)>,
    /// Who takes part, in speaking order.
    pub speakers: Vec<Speaker>,
    /// The name of the state of the debate.
    pub regime: &'static str,
    /// Why it is called so.
    pub because: String,
    /// What a reader should bear in mind.
    pub warnings: Vec<String>,
    /// What the disagreement turns on.
    pub cruxes: Vec<CruxTold>,
    /// What is taken for granted as well, and decides nothing by itself.
    pub minor: Vec<String>,
    /// What participants themselves called the crux.
    pub proposed: Vec<Said>,
    /// What is held in common: the question, the side, who said so and where.
    pub common: Vec<CommonTold>,
    /// Who stands together.
    pub camps: Vec<CampTold>,
    /// Questions, and who stands where.
    pub questions: Vec<QuestionTold>,
    /// Rooms, and what came of them.
    pub rooms: Vec<RoomTold>,
    /// Who gave ground, in order.
    pub concessions: Vec<Said>,
    /// Claims that were checked.
    pub checks: Vec<CheckTold>,
    /// Arguments.
    pub arguments: Vec<ArgumentTold>,
    /// Proposals: thesis, and what became of it.
    pub proposals: Vec<Said>,
    /// What was said, by stretches.
    pub stretches: Vec<Stretch>,
}

/// Somebody who takes part.
#[derive(Clone, Debug)]
pub struct Speaker {
    /// Its id.
    pub id: PersonaId,
    /// Its name for people.
    pub name: String,
    /// Who this is, in a line.
    pub about: String,
}

/// Something that was said, where, and by whom.
#[derive(Clone, Debug)]
pub struct Said {
    /// The speaker's place in speaking order; `None` for the moderator.
    pub speaker: Option<usize>,
    /// The turn.
    pub turn: TurnId,
    /// What it is, in a word or two.
    pub what: String,
    /// The words.
    pub text: String,
}

/// A crux, with its evidence.
#[derive(Clone, Debug)]
pub struct CruxTold {
    /// The crux.
    pub statement: String,
    /// What it is, and how it was found.
    pub origin: String,
    /// The share of theses that it decides, as words; `None` for a question.
    pub weight: Option<String>,
    /// Who stands where, and the words that show it.
    pub evidence: Vec<Said>,
    /// The arguments that rest on it.
    pub dependents: Vec<ArgumentId>,
}

/// Something held in common.
#[derive(Clone, Debug)]
pub struct CommonTold {
    /// The question, and the side that all take.
    pub question: String,
    /// That side.
    pub side: &'static str,
    /// Who said so, and where.
    pub holders: Vec<Said>,
}

/// A set of arguments that stand together.
#[derive(Clone, Debug)]
pub struct CampTold {
    /// Whose, by their places in speaking order.
    pub speakers: Vec<usize>,
    /// Whose as much as another camp's.
    pub tied: Vec<usize>,
    /// Those of its arguments that not every camp holds.
    pub own: Vec<ArgumentId>,
    /// Those that every camp holds.
    pub shared: Vec<ArgumentId>,
}

/// A question, and who stands where.
#[derive(Clone, Debug)]
pub struct QuestionTold {
    /// The question.
    pub question: String,
    /// Where it is in its life.
    pub status: &'static str,
    /// Who stands where, and the words that show it.
    pub stances: Vec<Said>,
}

/// A room, and what came of it.
#[derive(Clone, Debug)]
pub struct RoomTold {
    /// Its name.
    pub id: RoomId,
    /// What was talked out in it.
    pub question: String,
    /// How it ended, in a word or two.
    pub status: &'static str,
    /// Who was in it, by their places in speaking order.
    pub speakers: Vec<usize>,
    /// Where they stood in it, and the words that show it.
    pub stances: Vec<Said>,
    /// What is to be said of it, each after the word for it: why it was opened and closed, what was drawn from it.
    pub notes: Vec<(&'static str, String)>,
    /// The turns taken in it.
    pub turns: Vec<TurnId>,
}

/// A claim that was checked: `what` is what it was called, and by whom.
#[derive(Clone, Debug)]
pub struct CheckTold {
    /// The claim.
    pub said: Said,
    /// How the sources bear on it.
    pub explanation: Option<String>,
    /// What was found.
    pub sources: Vec<String>,
}

/// An argument.
#[derive(Clone, Debug)]
pub struct ArgumentTold {
    /// Its name.
    pub id: ArgumentId,
    /// The speaker's place.
    pub speaker: Option<usize>,
    /// The turn in which it was advanced.
    pub turn: TurnId,
    /// What it concludes.
    pub claim: String,
    /// Whether it stands: `stands`, `falls`, `open`, or why it does not count.
    pub standing: &'static str,
    /// What it is concluded from.
    pub premises: Vec<String>,
    /// What it takes for granted.
    pub assumptions: Vec<String>,
    /// What it points to.
    pub evidence: Vec<String>,
    /// What is told against it by attacks that count.
    pub attacked_by: Vec<ArgumentId>,
}

/// A stretch of the debate.
#[derive(Clone, Debug)]
pub struct Stretch {
    /// Its title.
    pub title: String,
    /// What was said in it; `what` is what each turn does.
    pub turns: Vec<Said>,
}

impl Account {
    /// The account of a debate. The events are looked through for what no view holds: the word of an earlier system.
    ///
    /// Cost: that of [`Board::verdict`].
    pub fn of(board: &Board, events: &[Recorded]) -> Account {
        let verdict = board.verdict();
        let teller = Teller::of(board);
        Account {
            topic: board.summary.topic.clone(),
            facts: facts(board),
            speakers: teller.speakers.clone(),
            regime: verdict.regime.kind.name(),
            because: verdict.regime.reason.clone(),
            warnings: warnings(&verdict, events),
            cruxes: verdict.cruxes.iter().filter(|it| decides(it)).map(|it| teller.crux(it)).collect(),
            minor: verdict.cruxes.iter().filter(|it| !decides(it)).map(|it| it.statement.clone()).collect(),
            proposed: teller.proposed(),
            common: teller.common(&verdict),
            camps: teller.camps(&verdict),
            questions: teller.questions(),
            rooms: rooms(&teller, board),
            concessions: teller.concessions(),
            checks: checks(&teller, board),
            arguments: teller.arguments(&verdict),
            proposals: teller.proposals(),
            stretches: teller.stretches(),
        }
    }

    /// Whether there is anything that the disagreement turns on.
    pub fn has_cruxes(&self) -> bool {
        !self.cruxes.is_empty() || !self.minor.is_empty() || !self.proposed.is_empty()
    }

    /// A speaker's name by its place; the moderator's where there is none.
    pub fn name(&self, speaker: Option<usize>) -> &str {
        speaker.and_then(|it| self.speakers.get(it)).map_or("Moderator", |it| it.name.as_str())
    }
}

/// Whether its settlement changes anything; an open question always might.
fn decides(crux: &Crux) -> bool {
    crux.pivotality.is_none_or(|it| it > 0.0)
}

fn facts(board: &Board) -> Vec<(&'static str, String)> {
    let summary = &board.summary;
    let total = &summary.usage.total;
    let day = |it: DateTime<Utc>| it.format("%-d %B %Y, %H:%M UTC").to_string();
    let ended = match (&summary.outcome, &summary.aborted, summary.status) {
        (Some(outcome), _, _) if outcome.kind() == "limit" => format!("a limit was reached: {}", outcome.reason()),
        (Some(outcome), ..) => format!("{}: {}", outcome.kind(), outcome.reason()),
        (None, Some(reason), _) => format!("stopped: {reason}"),
        (None, None, Status::Paused) => "paused".to_owned(),
        (None, None, _) => "still under way".to_owned(),
    };
    let mut facts = vec![
        ("Debate", summary.debate.map(|it| it.to_string()).unwrap_or_default()),
        ("Held", summary.opened_at.map(day).unwrap_or_default()),
        ("Engine", format!("{}, answers by {}", summary.engine, summary.provider)),
        ("Ended", ended),
        (
            "Length",
            format!(
                "{} turns, {} arguments, {} events",
                summary.n_turns,
                board.arguments.arguments.len(),
                summary.version
            ),
        ),
    ];
    if let Some(origin) = &summary.origin {
        facts.push(("Goes on from", format!("{} at version {}", origin.debate, origin.at)));
    }
    let tokens = total.input_tokens + total.output_tokens;
    if tokens > 0 {
        let money = total.cost_micros as f64 / 1_000_000.0;
        facts.push(("Cost", format!("{} calls, {tokens} tokens, {money:.2} US dollars", total.calls)));
    }
    facts
}

fn warnings(verdict: &Verdict, events: &[Recorded]) -> Vec<String> {
    let mut warnings = Vec::new();
    if let Some(limit) = &verdict.limit {
        warnings.push(format!("The debate ended because a limit was reached ({limit}), and not because all was said."));
    }
    if verdict.last_word.is_all() {
        warnings
            .push("Everything that stands does so by an attack that nobody answered: whoever spoke last.".to_owned());
    }
    let unknown = verdict.regime.unknown_events;
    if unknown > 0 {
        warnings.push(format!(
            "{unknown} of its events are of kinds that this version does not know; what is told may be incomplete."
        ));
    } else if !verdict.regime.exact {
        warnings.push("Not every set of arguments could be computed; what is told may be incomplete.".to_owned());
    }
    let coverage = verdict.regime.coverage;
    if !coverage.is_complete() {
        let (examined, pairs) = (coverage.examined, coverage.pairs);
        warnings.push(format!("{examined} of {pairs} pairs of claims were examined for conflict."));
    }
    let mut said = events.iter().filter_map(|it| match &it.event {
        Event::VerdictImported(it) => it.said.get("regime").and_then(Value::as_str),
        _ => None,
    });
    if let Some(said) = said.next_back() {
        let said = short(said, 80);
        warnings.push(format!(
            "This debate was imported. The system that held it called it \"{said}\"; nothing here rests on that."
        ));
    }
    warnings
}
