//! Turn-taking: selection of the next speaker.
//!
//! Priorities: the addressee of the last turn; then a participant whose stance is missing; then the one who has been
//! silent longest. Nobody speaks twice in a row, and nobody waits longer than the option `patience`; with too many
//! participants for that, the bound is one turn for each participant. An abandoned call counts as a turn, so a failing
//! participant does not keep the floor.

use crate::engines::talk::state::Talk;
use crate::engines::talk::wording as words;
use crate::events::ids::{PersonaId, TurnId};
use crate::events::persona::Persona;
use crate::projections::transcript::Turn;

/// Speaker who has the floor next, and why.
#[derive(Clone, Copy, Debug)]
pub struct NextSpeaker<'a> {
    /// The participant.
    pub speaker: &'a Persona,
    /// Reason of the choice.
    pub reason: FloorReason,
}

/// Reason for which a participant speaks next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FloorReason {
    /// Waited as long as anybody may wait.
    WaitedLongest,
    /// Addressee of this turn.
    Addressed(TurnId),
    /// A side on a question is missing.
    StanceMissing,
    /// Silent longest.
    SilentLongest,
}

/// Returns the next speaker. `wanted` are participants whose stance is missing, in any order.
pub fn next<'a>(talk: &'a Talk, wanted: &[&PersonaId]) -> Option<&'a Persona> {
    next_among(talk, wanted, |_| true).map(|next| next.speaker)
}

/// Returns the next speaker among eligible participants. Those who are not eligible do not wait.
pub fn next_among<'a>(
    talk: &'a Talk,
    wanted: &[&PersonaId],
    is_eligible: impl Fn(&PersonaId) -> bool,
) -> Option<NextSpeaker<'a>> {
    let speakers: Vec<&Persona> = talk.speakers().collect();
    let last = talk.slots.last().map(|slot| &slot.speaker);
    let waiting = |speaker: &Persona| waited(talk, &speaker.id);
    let mut others: Vec<&Persona> =
        speakers.iter().filter(|speaker| Some(&speaker.id) != last || speakers.len() == 1).copied().collect();
    others.retain(|speaker| is_eligible(&speaker.id));
    // The sort is stable: among those who waited equally long, the first in speaking order wins.
    others.sort_by_key(|speaker| std::cmp::Reverse(waiting(speaker)));
    let longest = others.first().copied()?;
    if waiting(longest) >= bound(talk, speakers.len()) {
        return Some(NextSpeaker { speaker: longest, reason: FloorReason::WaitedLongest });
    }
    let last = talk.channel_turns().next_back();
    let addressed = last.and_then(|turn| Some((turn.turn, addressed(talk, turn)?)));
    let by = |whom: &dyn Fn(&PersonaId) -> bool| others.iter().find(|speaker| whom(&speaker.id)).copied();
    let addressee = || {
        let (turn, addressee) = addressed?;
        Some(NextSpeaker { speaker: by(&|id| addressee == id)?, reason: FloorReason::Addressed(turn) })
    };
    let wanted = || {
        let speaker = by(&|id| wanted.contains(&id))?;
        Some(NextSpeaker { speaker, reason: FloorReason::StanceMissing })
    };
    let longest = NextSpeaker { speaker: longest, reason: FloorReason::SilentLongest };
    addressee().or_else(wanted).or(Some(longest))
}

/// Returns the number of slots since a participant last had the floor; `usize::MAX` if they never had it.
fn waited(talk: &Talk, persona: &PersonaId) -> usize {
    talk.slots.iter().rev().position(|slot| slot.speaker == *persona).unwrap_or(usize::MAX)
}

fn bound(talk: &Talk, n_speakers: usize) -> usize {
    let patience = talk.options.patience as usize;
    if n_speakers > patience + 1 { n_speakers } else { patience }
}

/// Returns the addressee of a turn: the speaker of the turn it answers, or else the only other participant it names.
pub fn addressed<'a>(talk: &'a Talk, turn: &'a Turn) -> Option<&'a PersonaId> {
    if turn.addressed.is_some() {
        return turn.addressed.as_ref();
    }
    let others = talk.participants.iter().filter(|participant| Some(&participant.id) != turn.speaker.as_ref());
    let mut named = others.filter(|participant| words::mentions_name(&turn.text, &participant.name));
    match (named.next(), named.next()) {
        (Some(it), None) => Some(&it.id),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engines::talk::sample::{persona, talk};

    #[test]
    fn the_addressee_speaks_unless_someone_waited_too_long() {
        let check = |people: &[&str], lines: &[&str], wanted: &[&str], expected: &str| {
            let talk = talk(people, lines);
            let wanted: Vec<PersonaId> = wanted.iter().map(|name| persona(name)).collect();
            let wanted: Vec<&PersonaId> = wanted.iter().collect();
            let found = next(&talk, &wanted).map(|speaker| speaker.id.as_str());
            assert_eq!(found, Some(expected), "{lines:?}");
        };
        let pair = ["ada", "ben"];
        let three = ["ada", "ben", "cleo"];
        let opened = ["ada: a", "ben: b", "cleo: c"];
        let with = |more: &[&'static str]| [&opened[..], more].concat();
        check(&pair, &["ada: a", "ben: b"], &[], "ada");
        check(&pair, &["ada: a", "ben: b", "- ada"], &[], "ben");
        check(&three, &opened, &[], "ada");
        check(&three, &with(&["ada >3: to cleo"]), &[], "cleo");
        check(&three, &with(&["ada: what do you say, Cleo?"]), &[], "cleo");
        check(&three, &with(&["ada: Ben or Cleo?"]), &[], "ben");
        check(&three, &with(&["ada: well"]), &["cleo"], "cleo");
        check(&three, &with(&["ada >3: to cleo", "cleo >4: to ada", "@ Cleo?"]), &[], "ben");
        check(&three, &with(&["ada >3: to cleo", "- cleo"]), &[], "ben");
    }

    /// The bound on waiting is kept regardless of who addresses whom and who fails.
    #[test]
    fn nobody_waits_longer_than_the_bound() {
        let names = ["ada", "ben", "cleo", "dan", "eve", "fay", "gus", "hal", "ida", "jon", "kim", "lea"];
        for n in 2..=names.len() {
            let people = &names[..n];
            let mut lines: Vec<String> = people.iter().map(|name| format!("{name}: hello")).collect();
            for step in 0..60_usize {
                let talk = talk(people, &lines.iter().map(String::as_str).collect::<Vec<_>>());
                let longest = talk.speakers().map(|speaker| waited(&talk, &speaker.id)).max().unwrap_or(0);
                assert!(longest <= bound(&talk, n), "{longest} of {n} at {step}");
                let speaker = next(&talk, &[]).map(|speaker| speaker.id.to_string()).unwrap_or_default();
                // Each turn answers the one before last, except for abandoned turns.
                let last = talk.transcript.turns.len();
                lines.push(match step % 7 {
                    3 => format!("- {speaker}"),
                    _ => format!("{speaker} >{}: so", last.saturating_sub(1)),
                });
            }
        }
    }
}
