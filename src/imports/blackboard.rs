//! What the blitz and classical engines told: claims, and who stood where on them. A claim is a dispute here.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::events::dispute::{DisputeRaised, Side, StanceTaken};
use crate::events::event::Event;
use crate::events::ids::{DisputeId, PersonaId, TurnId};
use crate::events::turn::Move;
use crate::imports::draft::{Draft, excerpt};
use crate::imports::fields::{count, flag, items, text};

/// Whose stance on which claim in which round has a turn of its own: every turn repeated all stances of its speaker.
pub type Owned = BTreeSet<(String, String, Option<u32>)>;

/// The stances that have a turn of their own.
pub fn owned<'a>(records: impl IntoIterator<Item = &'a Value>) -> Owned {
    let turns = records.into_iter().filter(|it| text(it, "type") == Some("agent_turn"));
    turns.filter_map(|it| owner(text(it, "personaId")?, it.get("stance")?)).collect()
}

fn owner(speaker: &str, stance: &Value) -> Option<(String, String, Option<u32>)> {
    Some((speaker.to_owned(), text(stance, "claimId")?.to_owned(), count(stance, "round")))
}

/// `debate_start`: the claims into which the topic was taken apart.
pub fn claims(draft: &mut Draft, record: &Value) {
    for claim in items(record, "claims") {
        match (text(claim, "id"), text(claim, "text")) {
            (Some(id), Some(said)) if !draft.disputes.contains_key(id) => {
                let dispute = raise(draft, &question(said), Vec::new());
                draft.disputes.insert(id.to_owned(), dispute);
            }
            (Some(id), Some(_)) => draft.quarantine("claim", format!("another claim is called {}", excerpt(id)), claim),
            _ => draft.quarantine("claim", "it lacks an id or a text", claim),
        }
    }
}

/// A statement as a question that yes or no answers.
fn question(statement: &str) -> String {
    if statement.ends_with('?') { statement.to_owned() } else { format!("Does this hold: {statement}") }
}

/// Raises a question, drawn from some turns, as a dispute.
pub fn raise(draft: &mut Draft, question: &str, turns: Vec<TurnId>) -> DisputeId {
    let dispute = draft.next_dispute();
    draft.counts.disputes += 1;
    draft.record(Event::DisputeRaised(DisputeRaised { turns, ..DisputeRaised::bare(dispute, question, false) }));
    dispute
}

/// `initial_stance`: where somebody stands before anybody has spoken. The reasons are what they say.
pub fn initial_stance(draft: &mut Draft, record: &Value) {
    let speaker = match draft.speaker(text(record, "personaId")) {
        Ok(speaker) => speaker,
        Err(reason) => return draft.quarantine("initial_stance", reason, record),
    };
    let reasonings = items(record, "reasonings");
    let reasons: Vec<&str> = reasonings.iter().filter_map(|it| text(it, "reasoning")).collect();
    let words = if reasons.is_empty() { "(took a stance without a word)".to_owned() } else { reasons.join("\n") };
    let turn = draft.turn(&speaker, Some(0), Move::Claim, &words);
    for stance in items(record, "stances") {
        let given = reasonings.iter().find(|it| text(it, "claimId") == text(stance, "claimId"));
        take(draft, stance, &speaker, turn, given.and_then(|it| text(it, "reasoning")));
    }
}

/// `agent_turn`: what somebody says on one claim, and all their stances once more.
pub fn agent_turn(draft: &mut Draft, record: &Value, owned: &Owned) {
    let name = text(record, "personaId");
    let speaker = match draft.speaker(name) {
        Ok(speaker) => speaker,
        Err(reason) => return draft.quarantine("agent_turn", reason, record),
    };
    let Some(words) = text(record, "content") else {
        return draft.quarantine("agent_turn", "nothing was said in it", record);
    };
    let turn = draft.turn(&speaker, count(record, "round"), Move::Claim, words);
    if let Some(stance) = record.get("stance") {
        take(draft, stance, &speaker, turn, None);
    }
    for stance in items(record, "stances") {
        // One that has a turn of its own is taken there.
        if owner(name.unwrap_or_default(), stance).is_none_or(|it| !owned.contains(&it)) {
            take(draft, stance, &speaker, turn, None);
        }
    }
}

fn take(draft: &mut Draft, stance: &Value, speaker: &PersonaId, turn: TurnId, statement: Option<&str>) {
    let whose = text(stance, "personaId");
    if whose.is_some_and(|it| draft.cast.find(it) != Some(speaker)) {
        return draft.quarantine("stance", "it is somebody else's than the speaker's", stance);
    }
    let claim = text(stance, "claimId").unwrap_or_default();
    let Some(dispute) = draft.disputes.get(claim).copied() else {
        let reason = format!("it is on {:?}, and the file holds no such claim", excerpt(claim));
        return draft.quarantine("stance", reason, stance);
    };
    let Some(side) = text(stance, "stance").and_then(side_of) else {
        return draft.quarantine("stance", "it is neither pro nor con nor uncertain", stance);
    };
    let statement = statement.map(str::to_owned);
    stand(draft, StanceTaken { dispute, speaker: speaker.clone(), side, turn, statement }, count(stance, "round"));
}

/// Takes a side, once a round.
pub fn stand(draft: &mut Draft, taken: StanceTaken, round: Option<u32>) {
    if draft.stances.insert((taken.speaker.clone(), taken.dispute, round)) {
        draft.counts.stances += 1;
        draft.record(Event::StanceTaken(taken));
    }
}

/// The side of a word, in the words of all the old systems.
pub fn side_of(word: &str) -> Option<Side> {
    Some(match word.to_lowercase().as_str() {
        "pro" | "yes" | "for" => Side::Yes,
        "con" | "no" | "against" => Side::No,
        "nuanced" | "mixed" => Side::Nuanced,
        "uncertain" | "undecided" => Side::Undecided,
        _ => return None,
    })
}

/// `convergence_update`: the engines called it convergence when their events were spent.
pub fn convergence(draft: &mut Draft, record: &Value) {
    let metrics = record.get("metrics").unwrap_or(&Value::Null);
    let (spent, most) = (count(metrics, "eventCount"), count(metrics, "maxEvents"));
    draft.ending.limit = match (spent, most) {
        (Some(spent), Some(most)) if spent >= most => Some(("events".to_owned(), format!("{spent} of {most} events"))),
        _ => None,
    };
    let told = |word: &str| flag(metrics, word) == Some(true);
    draft.ending.converged = match (told("converged"), told("diverged")) {
        (_, true) => Some("positions stay apart and nothing new comes up".to_owned()),
        (true, false) => Some("nothing is left open".to_owned()),
        (false, false) => None,
    };
}
