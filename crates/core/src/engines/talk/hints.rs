//! Hints of the moderator to the next speaker: at most one per turn, none in the opening or closing phase.
//!
//! In the exchange, the first applicable hint is given: a stance is missing; another participant conceded something to
//! the speaker; another participant reframed the question; the talk repeats itself; a challenge to the speaker went unanswered;
//! several challenges followed one another; nothing new was found. In the crux-seeking phase, the moderator asks for
//! agreement with a proposed crux, for a crux, and for conditions that would change the speaker's mind.

use crate::engines::talk::prompts as telling;
use crate::engines::talk::prompts::WORDS;
use crate::engines::talk::repetition::is_circling;
use crate::engines::talk::state::{Talk, TalkPhase};
use crate::engines::talk::turn_taking as floor;
use crate::events::ids::{CruxId, DisputeId, PersonaId, TurnId};
use crate::events::turn::{Hint, HintGiven, Move};
use crate::kernel::safety::foreign_text::flat;
use crate::projections::transcript::Turn;

/// Number of turns for which a hint is not repeated.
const REST: usize = 4;
/// Maximum number of characters of a statement quoted in a hint.
const MAX_QUOTED_CHARS: usize = 150;

/// Returns the hint for the speaker's next turn; `None` if none applies, or one was already given. `missing` are the
/// disputes on which the speaker has taken no side.
pub fn next_hint(talk: &Talk, speaker: &PersonaId, missing: &[DisputeId]) -> Option<HintGiven> {
    if talk.current_hint().is_some() {
        return None;
    }
    let (hint, subject) = match talk.phase? {
        TalkPhase::Opening | TalkPhase::Resolution => return None,
        TalkPhase::Exchange => stance_wanted(talk, speaker, missing).or_else(|| in_talk(talk, speaker))?,
        TalkPhase::CruxSeeking => stance_wanted(talk, speaker, missing)
            .or_else(|| of_the_crux(talk, speaker))
            .or_else(|| in_talk(talk, speaker))?,
    };
    Some(told(talk, speaker, hint, subject))
}

/// Returns true if the participant was ever asked for a stance on the dispute.
pub fn was_asked(talk: &Talk, speaker: &PersonaId, dispute: DisputeId) -> bool {
    talk.hints.iter().any(|(_, hint)| hint.speaker == *speaker && hint.dispute == Some(dispute))
}

/// Subject of a hint.
enum Subject {
    Nothing,
    Turn(TurnId),
    Dispute(DisputeId),
    Crux(CruxId),
}

type Due = (Hint, Subject);

fn stance_wanted(talk: &Talk, speaker: &PersonaId, missing: &[DisputeId]) -> Option<Due> {
    let wanted = missing.iter().find(|dispute| !was_asked(talk, speaker, **dispute))?;
    Some((Hint::StanceWanted, Subject::Dispute(*wanted)))
}

fn in_talk(talk: &Talk, speaker: &PersonaId) -> Option<Due> {
    let taken: Vec<&Turn> = talk.channel_turns().collect();
    let last = taken.last().copied()?;
    let by_another = last.speaker.as_ref() != Some(speaker);
    let does = |talk_move: Move| by_another && last.moves.contains(&talk_move);
    if does(Move::Concede) && floor::addressed(talk, last) == Some(speaker) {
        return Some((Hint::Conceded, Subject::Turn(last.turn)));
    }
    if does(Move::Reframe) {
        return Some((Hint::Reframed, Subject::Turn(last.turn)));
    }
    if is_circling(talk) && is_rested(talk, Hint::Circling) {
        return Some((Hint::Circling, Subject::Nothing));
    }
    if is_rested(talk, Hint::OneSided)
        && let Some(challenge) = unanswered(talk, speaker, &taken)
    {
        return Some((Hint::OneSided, Subject::Turn(challenge)));
    }
    let n_challenges = taken.iter().rev().take_while(|turn| turn.moves.contains(&Move::Challenge)).count();
    if n_challenges >= talk.options.challenges as usize && is_rested(talk, Hint::Challenges) {
        return Some((Hint::Challenges, Subject::Nothing));
    }
    (is_stuck(talk) && is_rested(talk, Hint::Stuck)).then_some((Hint::Stuck, Subject::Nothing))
}

/// Finds the oldest challenge to the speaker that is unanswered for long enough and was not the subject of a hint.
fn unanswered(talk: &Talk, speaker: &PersonaId, taken: &[&Turn]) -> Option<TurnId> {
    let old_enough = taken.len().saturating_sub(talk.options.unanswered as usize);
    let challenges = taken[..old_enough].iter().filter(|turn| turn.moves.contains(&Move::Challenge));
    let to_speaker = challenges.filter(|challenge| floor::addressed(talk, challenge) == Some(speaker));
    let open = to_speaker.filter(|challenge| taken.iter().all(|later| later.answers != Some(challenge.turn)));
    open.map(|challenge| challenge.turn)
        .find(|turn| talk.hints.iter().all(|(_, hint)| hint.hint != Hint::OneSided || hint.about != Some(*turn)))
}

/// Returns true if the last two measurements are equal. Measurements of the opening do not count.
fn is_stuck(talk: &Talk) -> bool {
    match talk.progress.signals.as_slice() {
        [.., one, other] if one.phase.as_deref() != Some(TalkPhase::Opening.name()) => {
            let (one, other) = (&one.measured, &other.measured);
            (&one.frontier, one.live, one.attacks) == (&other.frontier, other.live, other.attacks)
        }
        _ => false,
    }
}

fn is_rested(talk: &Talk, hint: Hint) -> bool {
    talk.hints.iter().all(|(slot, given)| given.hint != hint || slot + REST <= talk.slots.len())
}

fn of_the_crux(talk: &Talk, speaker: &PersonaId) -> Option<Due> {
    let told = |hint: Hint| talk.hints.iter().any(|(_, given)| given.speaker == *speaker && given.hint == hint);
    let asked = |crux: CruxId| talk.hints.iter().any(|(_, hint)| hint.speaker == *speaker && hint.crux == Some(crux));
    let others = talk.cruxes.cruxes.iter().rev().filter(|(_, crux)| crux.proposed.speaker != *speaker);
    if let Some((crux, _)) = others.clone().find(|(crux, _)| !asked(**crux)) {
        return Some((Hint::AgreementWanted, Subject::Crux(*crux)));
    }
    if !talk.cruxes.is_proposer(speaker) && !told(Hint::CruxWanted) {
        return Some((Hint::CruxWanted, Subject::Nothing));
    }
    let has_said = talk.flip_conditions.of(speaker).next().is_some();
    (!told(Hint::FlipWanted) && !has_said).then_some((Hint::FlipWanted, Subject::Nothing))
}

fn told(talk: &Talk, speaker: &PersonaId, hint: Hint, subject: Subject) -> HintGiven {
    let (mut about, mut dispute, mut crux) = (None, None, None);
    let (mut name, mut said) = (String::new(), String::new());
    match subject {
        Subject::Nothing => {}
        Subject::Turn(turn) => {
            about = Some(turn);
            if let Some(it) = talk.transcript.get(turn) {
                (name, said) = (it.name.clone(), quoted(&it.text));
            }
        }
        Subject::Dispute(id) => {
            dispute = Some(id);
            said = talk.disputes.disputes.get(&id).map(|dispute| quoted(&dispute.question)).unwrap_or_default();
        }
        Subject::Crux(id) => {
            crux = Some(id);
            if let Some(it) = talk.cruxes.cruxes.get(&id) {
                about = Some(it.proposed.turn);
                (name, said) = (talk.names.of(&it.proposed.speaker), quoted(&it.proposed.statement));
            }
        }
    }
    let named = |text: Option<String>| text.unwrap_or_default();
    let values = [
        ("name", name),
        ("said", said),
        ("turn", named(about.map(|turn| turn.to_string()))),
        ("dispute", named(dispute.map(|dispute| dispute.to_string()))),
        ("crux", named(crux.map(|crux| crux.to_string()))),
    ];
    let values = values.each_ref().map(|(slot, value)| (*slot, value.as_str()));
    let text = WORDS.fill(telling::hint_section(hint), &values);
    HintGiven { speaker: speaker.clone(), hint, text, about, dispute, crux }
}

fn quoted(text: &str) -> String {
    let text = flat(text);
    match text.char_indices().nth(MAX_QUOTED_CHARS) {
        None => text,
        Some((end, _)) => format!("{}...", text[..end].trim_end()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engines::talk::sample::{persona, talk};

    #[test]
    fn only_the_first_applicable_hint_is_given() {
        let check = |lines: &[&str], missing: &[u32], expected: Option<Hint>| {
            let talk = talk(&["ada", "ben", "cleo"], lines);
            let missing: Vec<DisputeId> = missing.iter().map(|number| DisputeId(*number)).collect();
            let found = next_hint(&talk, &persona("ada"), &missing);
            assert_eq!(found.as_ref().map(|due| due.hint), expected, "{lines:?}");
            assert!(found.is_none_or(|due| !due.text.is_empty()), "{lines:?}");
        };
        let in_talk = |lines: &[&'static str]| [&["= exchange"], lines].concat();
        check(&["= opening", "ben concede: b"], &[], None);
        check(&["= resolution", "ben concede: b"], &[2], None);
        check(&in_talk(&["ben: b"]), &[], None);
        check(&in_talk(&["ada: a", "ben concede >1: b"]), &[], Some(Hint::Conceded));
        check(&in_talk(&["ben concede: as you say, Ada"]), &[], Some(Hint::Conceded));
        check(&in_talk(&["ben concede: to nobody"]), &[], None);
        check(&in_talk(&["ada: a", "cleo: c", "ben concede >2: to cleo"]), &[], None);
        check(&in_talk(&["ada: a", "ben concede >1: b"]), &[2], Some(Hint::StanceWanted));
        check(&in_talk(&["ada: a", "ben concede >1: b", "! ada conceded 2"]), &[], None);
        check(&in_talk(&["ada concede: a"]), &[], None);
        check(&in_talk(&["ben challenge,reframe: b"]), &[], Some(Hint::Reframed));
        let open = ["ada: a", "ben challenge >1: b", "ada: c", "ben: d", "ada: e"];
        check(&in_talk(&open[..4]), &[], None);
        check(&in_talk(&open), &[], Some(Hint::OneSided));
        check(&in_talk(&["ada: a", "ben challenge >1: b", "ada >2: c", "ben: d", "ada: e"]), &[], None);
        let blows = ["ada challenge: a", "ben challenge >1: b", "ada challenge >2: c", "ben challenge >3: d"];
        check(&in_talk(&blows), &[], Some(Hint::Challenges));
        check(&in_talk(&["ada: a", "# 1 2", "ben: b", "# 1 2"]), &[], Some(Hint::Stuck));
        check(&in_talk(&["ada: a", "# 1 2", "ben: b", "# 1"]), &[], None);
        check(&["= opening", "ada: a", "# 1", "= exchange", "ben: b", "# 1"], &[], None);
    }

    #[test]
    fn crux_hints_are_given_in_order() {
        let check = |lines: &[&str], expected: Option<Hint>| {
            let talk = talk(&["ada", "ben"], &[&["= crux_seeking"], lines].concat());
            assert_eq!(next_hint(&talk, &persona("ada"), &[]).map(|due| due.hint), expected, "{lines:?}");
        };
        check(&["ben: b"], Some(Hint::CruxWanted));
        check(&["! ada crux_wanted", "ada: a", "ben: b"], Some(Hint::FlipWanted));
        check(&["! ada crux_wanted", "ada: a", "ben: b", "! ada flip_wanted", "ada: c", "ben: d"], None);
        check(&["ben propose_crux: b", "? ben 1"], Some(Hint::AgreementWanted));
        check(&["ada propose_crux: a", "? ada 1", "ben: b"], Some(Hint::FlipWanted));
    }
}
