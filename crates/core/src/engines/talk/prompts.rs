//! Prompt descriptions of a talk: templates of the speakers, and views as data and as lines.

use std::fmt::Write;

use crate::engines::shared::bounded_lines::{fitting, newest, newest_with, told};
use crate::engines::shared::view_prompts::DisplayNames;
use crate::engines::talk::common_options::TalkOptions;
use crate::engines::talk::crux_dispute::dispute_about;
use crate::engines::talk::state::{Talk, Window};
use crate::events::crux::RoomKind;
use crate::events::dispute::Side;
use crate::events::ids::PersonaId;
use crate::events::turn::{Hint, HintGiven};
use crate::kernel::prompt::PromptTemplates;
use crate::kernel::quotations::turn_quotes;
use crate::kernel::safety::foreign_text::{MAX_TEXT_BYTES, fenced, flat, flat_within};
use crate::kernel::task::{CruxInput, DisputeInput, HintInput, PairInput, ReasonInput, TalkInput, TurnInput};
use crate::projections::disputes::dispute_graph::DisputeGraph;
use crate::projections::transcript::Turn;

/// Maximum number of bytes of the questions in a prompt.
pub const MAX_DISPUTE_BYTES: usize = 6_000;
/// Maximum number of bytes of the cruxes in a prompt.
pub const MAX_CRUX_BYTES: usize = 4_000;
/// Maximum number of bytes of the reasons in a clerk's prompt.
pub const MAX_REASON_BYTES: usize = 16_000;
/// Maximum number of bytes of a speaker's own earlier turns in a prompt.
pub const MAX_OWN_BYTES: usize = 2_000;
/// Maximum number of bytes shown of such a turn.
const MAX_OWN_TURN_BYTES: usize = 300;

/// Prompt templates of the participants in a talk.
pub const WORDS: PromptTemplates = PromptTemplates(include_str!("talk.md"));

/// Returns the name of the template section for a hint.
pub fn hint_section(hint: Hint) -> &'static str {
    match hint {
        Hint::Conceded => "hint_conceded",
        Hint::Reframed => "hint_reframed",
        Hint::Circling => "hint_circling",
        Hint::OneSided => "hint_one_sided",
        Hint::Challenges => "hint_challenges",
        Hint::Stuck => "hint_stuck",
        Hint::StanceWanted => "hint_stance_wanted",
        Hint::CruxWanted => "hint_crux_wanted",
        Hint::FlipWanted => "hint_flip_wanted",
        Hint::AgreementWanted => "hint_agreement_wanted",
    }
}

/// Returns the instructions of all speakers: the manners of the talk.
pub fn manners(options: &TalkOptions) -> String {
    WORDS.fill(
        "speaker",
        &[("length", options.brevity.turn()), ("manner", &WORDS.fill(options.combativeness.section(), &[]))],
    )
}

/// Returns the talk as data for its next speaker.
pub fn talk(talk: &Talk) -> TalkInput {
    TalkInput {
        turns: talk.transcript.turns.iter().map(|taken| turn(taken, false)).collect(),
        hint: talk.current_hint().map(told_hint),
        disputes: disputes(&talk.disputes),
        cruxes: cruxes(talk),
        room: None,
    }
}

/// Selects the turns shown in a prompt for the main channel: its latest ones, preceded by the subject of the hint. At least
/// `latest` are shown, and fewer than twice as many: the first one stays the same for `latest` turns, so that a provider has
/// read the beginning of most prompts before. The same holds for a thread; of a private room, all turns are shown.
pub fn shown(told: &TalkInput, latest: usize) -> Vec<TurnInput> {
    let room = told.room.as_ref().map(|room| &room.alias);
    let here: Vec<&TurnInput> = told.turns.iter().filter(|turn| turn.room.as_ref() == room).collect();
    let is_private = told.room.as_ref().is_some_and(|room| room.kind == RoomKind::Private);
    let from = if is_private { 0 } else { here.len().saturating_sub(latest) / latest.max(1) * latest };
    let about = told.hint.as_ref().and_then(|hint| hint.about.as_ref());
    let about = here[..from].iter().filter(|turn| Some(&turn.alias) == about);
    about.chain(&here[from..]).copied().cloned().collect()
}

fn told_hint(hint: &HintGiven) -> HintInput {
    HintInput {
        hint: hint.hint,
        about: hint.about.map(|turn| turn.to_string()),
        dispute: hint.dispute.map(|dispute| dispute.to_string()),
        crux: hint.crux.map(|crux| crux.to_string()),
    }
}

/// Returns a turn as data.
pub fn turn(turn: &Turn, fresh: bool) -> TurnInput {
    TurnInput {
        alias: turn.turn.to_string(),
        speaker: turn.speaker.clone(),
        moves: turn.moves.clone(),
        answers: turn.answers.map(|id| id.to_string()),
        room: turn.room.map(|room| room.to_string()),
        text: turn.text.clone(),
        fresh,
    }
}

/// Returns the turns of a distillation as data.
pub fn window(window: &Window) -> Vec<TurnInput> {
    let older = window.older.iter().map(|taken| turn(taken, false));
    older.chain(window.fresh.iter().map(|taken| turn(taken, true))).collect()
}

/// Returns the disputes that are not retired, as data.
pub fn disputes(disputes: &DisputeGraph) -> Vec<DisputeInput> {
    let told = disputes.not_retired().map(|(id, dispute)| DisputeInput {
        alias: id.to_string(),
        question: dispute.question.clone(),
        stances: dispute.stances.iter().map(|(persona, stance)| (persona.clone(), stance.side)).collect(),
        criteria: dispute.criteria.clone(),
    });
    told.collect()
}

fn cruxes(talk: &Talk) -> Vec<CruxInput> {
    let told = talk.cruxes.cruxes.iter().map(|(id, crux)| CruxInput {
        alias: id.to_string(),
        speaker: crux.proposed.speaker.clone(),
        statement: crux.proposed.statement.clone(),
        acknowledged: crux.acknowledged.iter().map(|acknowledgement| acknowledgement.speaker.clone()).collect(),
        dispute: dispute_about(&talk.disputes, &talk.names.of(&crux.proposed.speaker), crux)
            .filter(|_| !crux.acknowledged.is_empty())
            .map(|dispute| dispute.to_string()),
    });
    told.collect()
}

/// Formats turns as lines: the same for all speakers, so that a provider reads them once.
pub fn turn_lines(turns: &[TurnInput], names: &DisplayNames) -> String {
    turn_lines_within(turns, names, MAX_TEXT_BYTES)
}

/// Formats turns as lines, with at most this number of bytes of each.
pub fn turn_lines_within(turns: &[TurnInput], names: &DisplayNames, most: usize) -> String {
    let mut lines = String::new();
    for turn in turns {
        let who = turn.speaker.as_ref().map_or_else(|| "Moderator".to_owned(), |speaker| names.of(speaker));
        let to = turn.answers.as_ref().map(|alias| format!(" to {alias}")).unwrap_or_default();
        let _ = writeln!(lines, "[{}] {who}{to}: {}", turn.alias, flat_within(&turn.text, most));
    }
    fenced_or(&lines, "nothing yet")
}

/// Puts lines between delimiters; returns `none` if there are no lines.
fn fenced_or(lines: &str, none: &str) -> String {
    if lines.is_empty() { none.to_owned() } else { fenced(lines.trim_end()) }
}

/// Formats turns as lines for a clerk, with their moves. The sentences of participants are numbered, and new turns are
/// marked.
pub fn clerk_lines(turns: &[TurnInput], names: &DisplayNames) -> String {
    let mut lines = String::new();
    for turn in turns {
        let who = turn.speaker.as_ref().map_or_else(|| "Moderator".to_owned(), |speaker| names.of(speaker));
        let to = turn.answers.as_ref().map(|alias| format!(", to {alias}")).unwrap_or_default();
        let moves: Vec<&str> = turn.moves.iter().map(|talk_move| talk_move.name()).collect();
        let moves = moves.join(", ");
        if turn.speaker.is_none() {
            let _ = writeln!(lines, "[{}] {who}: {}", turn.alias, flat(&turn.text));
            continue;
        }
        let mark = if turn.fresh { "NEW " } else { "" };
        let _ = writeln!(lines, "{mark}[{}] {who} ({moves}{to}):", turn.alias);
        for (number, sentence) in (1..).zip(turn_quotes::sentences(&turn.text)) {
            let _ = writeln!(lines, "    {}.{number}: {}", turn.alias, flat(&turn.text[sentence]));
        }
    }
    fenced_or(&lines, "nothing yet")
}

/// Formats disputes as lines: the topic, which is the first, and the newest of the others.
pub fn dispute_lines(disputes: &[DisputeInput], names: &DisplayNames) -> String {
    let (topic, others): (Vec<_>, Vec<_>) = disputes.iter().enumerate().partition(|(at, _)| *at == 0);
    let entries = topic.into_iter().chain(others.into_iter().rev());
    let (shown, left_out) = fitting(entries, |dispute| dispute_line(dispute, names), MAX_DISPUTE_BYTES);
    told(&shown, left_out, "question", "none")
}

fn dispute_line(dispute: &DisputeInput, names: &DisplayNames) -> String {
    let on = |side: Side| {
        let those = dispute.stances.iter().filter(|(_, stance)| *stance == side).map(|(persona, _)| names.of(persona));
        those.collect::<Vec<_>>().join(", ")
    };
    let mut line = format!("{}: {}", dispute.alias, flat(&dispute.question));
    for side in [Side::Yes, Side::No, Side::Nuanced, Side::Undecided] {
        let those = on(side);
        if !those.is_empty() {
            let _ = write!(line, " | {}: {those}", side.name());
        }
    }
    line + "\n"
}

/// Formats cruxes as lines, the newest of them.
pub fn crux_lines(cruxes: &[CruxInput], names: &DisplayNames) -> String {
    let line = |crux: &CruxInput| {
        let whose = names.of(&crux.speaker);
        let agreed: Vec<String> = crux.acknowledged.iter().map(|speaker| names.of(speaker)).collect();
        let agreed = if agreed.is_empty() { String::new() } else { format!("; agreed: {}", agreed.join(", ")) };
        let asked = crux.dispute.as_ref().map(|dispute| format!("; asked as {dispute}")).unwrap_or_default();
        format!("{} ({whose}{agreed}{asked}): {}\n", crux.alias, flat(&crux.statement))
    };
    newest_with(cruxes, line, MAX_CRUX_BYTES, "crux", "none yet")
}

/// Formats pairs of claims as lines.
pub fn pair_lines(pairs: &[PairInput], names: &DisplayNames) -> String {
    let mut lines = String::new();
    for (number, PairInput { one, other }) in (1..).zip(pairs) {
        let _ = writeln!(lines, "pair {number}:");
        for claim in [one, other] {
            let _ = writeln!(lines, "    {} ({}): {}", claim.alias, names.of(&claim.speaker), flat(&claim.text));
        }
    }
    fenced_or(&lines, "none")
}

/// Formats reasons as lines, the newest of them.
pub fn reason_lines(reasons: &[ReasonInput], names: &DisplayNames) -> String {
    let entry = |reason: &ReasonInput| {
        let (side, whose) = (reason.side.name(), names.of(&reason.speaker));
        let claim = flat(&reason.claim);
        let mut entry = format!("{} ({whose}, for {side} on {}): {claim}\n", reason.alias, reason.dispute);
        for assumption in &reason.assumptions {
            let _ = writeln!(entry, "    taken for granted: {}", flat(assumption));
        }
        entry
    };
    newest_with(reasons, entry, MAX_REASON_BYTES, "reason", "none yet")
}

/// Formats what a speaker said in turns that the prompt does not show, for the speaker: the newest of them. Empty if there
/// are none.
pub fn own_lines(told: &TalkInput, speaker: &PersonaId, shown: &[TurnInput]) -> String {
    let is_own = |turn: &&TurnInput| turn.speaker.as_ref() == Some(speaker);
    let is_shown = |turn: &TurnInput| shown.iter().any(|other| other.alias == turn.alias);
    let earlier = told.turns.iter().filter(is_own).filter(|turn| !is_shown(turn));
    let lines: Vec<String> =
        earlier.map(|turn| format!("{}: {}\n", turn.alias, flat_within(&turn.text, MAX_OWN_TURN_BYTES))).collect();
    match lines.is_empty() {
        true => String::new(),
        false => WORDS.fill("own", &[("turns", &newest(lines, MAX_OWN_BYTES, "turn", ""))]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_turn_shown_stays_for_as_many_turns_as_are_shown_at_least() {
        let turn = |number: usize| TurnInput {
            alias: format!("t{number}"),
            speaker: None,
            moves: Vec::new(),
            answers: None,
            room: None,
            text: String::new(),
            fresh: false,
        };
        let first = |n_turns: usize| {
            let told = TalkInput { turns: (1..=n_turns).map(turn).collect(), ..TalkInput::default() };
            let shown = shown(&told, 4);
            (shown.len(), shown[0].alias.clone())
        };
        let expected = [(1, "t1"), (7, "t1"), (4, "t5"), (7, "t5"), (4, "t9")];
        for (n_turns, (n_shown, alias)) in [1, 7, 8, 11, 12].into_iter().zip(expected) {
            assert_eq!(first(n_turns), (n_shown, alias.to_owned()), "{n_turns} turns");
        }
    }
}
