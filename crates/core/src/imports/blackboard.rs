//! Importer for files of the blitz and classical engines: claims, and the speakers' stances on them. Each claim becomes
//! a dispute.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::events::dispute::{DisputeRaised, Side, StanceTaken};
use crate::events::event::Event;
use crate::events::ids::{DisputeId, PersonaId, TurnId};
use crate::events::table::TableSeated;
use crate::events::turn::Move;
use crate::export::legacy::legacy_debate::CLAIM_AS_QUESTION;
use crate::imports::draft::{ImportDraft, excerpt};
use crate::imports::fields::{count, flag, items, share, text};

/// Stances with a turn of their own, as speaker, claim and round. Every turn of the old engines repeats all stances of
/// its speaker.
pub type StancesWithTurn = BTreeSet<(String, String, Option<u32>)>;

/// Collects the stances that have a turn of their own.
pub fn owned<'a>(records: impl IntoIterator<Item = &'a Value>) -> StancesWithTurn {
    let turns = records.into_iter().filter(|record| text(record, "type") == Some("agent_turn"));
    turns.filter_map(|record| owner(text(record, "personaId")?, record.get("stance")?)).collect()
}

fn owner(speaker: &str, stance: &Value) -> Option<(String, String, Option<u32>)> {
    Some((speaker.to_owned(), text(stance, "claimId")?.to_owned(), count(stance, "round")))
}

/// Imports `debate_start`: the claims of the topic. A claim with the words of the stated topic is the topic itself.
pub fn claims(draft: &mut ImportDraft, record: &Value) {
    for claim in items(record, "claims") {
        match (text(claim, "id"), text(claim, "text")) {
            (Some(id), Some(said)) if !draft.disputes.contains_key(id) => {
                let dispute = if text(record, "topic") == Some(said) {
                    raise_topic(draft, said)
                } else {
                    raise(draft, &question(said), Vec::new())
                };
                draft.disputes.insert(id.to_owned(), dispute);
            }
            (Some(id), Some(_)) => {
                draft.quarantine("claim", format!("the claim id {} is used twice", excerpt(id)), claim)
            }
            _ => draft.quarantine("claim", "it has no id or no text", claim),
        }
    }
}

/// Imports `table_assigned` and `final_table_start`: who sits at a table.
pub fn table_assigned(draft: &mut ImportDraft, record: &Value) {
    let names = items(record, "personaIds").iter().filter_map(Value::as_str);
    let participants: Vec<PersonaId> = names.filter_map(|name| draft.cast.find(name).cloned()).collect();
    if participants.is_empty() {
        return draft.quarantine("table_assigned", "it names no participant of the debate", record);
    }
    let (table, reason) = (draft.next_table(), "the imported file seats them".to_owned());
    let is_final = text(record, "type") == Some("final_table_start");
    let claims = items(record, "claimIds").iter().filter_map(Value::as_str);
    let disputes = claims.filter_map(|claim| draft.disputes.get(claim).copied()).collect();
    draft.record(Event::TableSeated(TableSeated { table, participants, disputes, is_final, reason }));
}

/// Turns a statement into a yes-or-no question.
fn question(statement: &str) -> String {
    if statement.ends_with('?') { statement.to_owned() } else { format!("{CLAIM_AS_QUESTION}{statement}") }
}

/// Records a dispute with this question, drawn from the given turns.
pub fn raise(draft: &mut ImportDraft, question: &str, turns: Vec<TurnId>) -> DisputeId {
    let dispute = draft.next_dispute();
    draft.counts.disputes += 1;
    draft.record(Event::DisputeRaised(DisputeRaised { turns, ..DisputeRaised::bare(dispute, question, false) }));
    dispute
}

fn raise_topic(draft: &mut ImportDraft, topic: &str) -> DisputeId {
    let dispute = draft.next_dispute();
    draft.counts.disputes += 1;
    draft.record(Event::DisputeRaised(DisputeRaised::bare(dispute, topic, true)));
    dispute
}

/// Imports `initial_stance`: stances before the first turn. The reasons become the text of a turn.
pub fn initial_stance(draft: &mut ImportDraft, record: &Value) {
    let speaker = match draft.speaker(text(record, "personaId")) {
        Ok(speaker) => speaker,
        Err(reason) => return draft.quarantine("initial_stance", reason, record),
    };
    let reasonings = items(record, "reasonings");
    let reasons: Vec<&str> = reasonings.iter().filter_map(|reasoning| text(reasoning, "reasoning")).collect();
    let words =
        if reasons.is_empty() { "(took a stance without giving a reason)".to_owned() } else { reasons.join("\n") };
    let turn = draft.turn(&speaker, Some(0), Move::Claim, &words);
    for stance in items(record, "stances") {
        let given = reasonings.iter().find(|reasoning| text(reasoning, "claimId") == text(stance, "claimId"));
        take(draft, stance, &speaker, turn, given.and_then(|reasoning| text(reasoning, "reasoning")));
    }
}

/// Imports `agent_turn`: a turn on one claim, which also repeats all stances of its speaker.
pub fn agent_turn(draft: &mut ImportDraft, record: &Value, owned: &StancesWithTurn) {
    let name = text(record, "personaId");
    let speaker = match draft.speaker(name) {
        Ok(speaker) => speaker,
        Err(reason) => return draft.quarantine("agent_turn", reason, record),
    };
    let Some(words) = text(record, "content") else {
        return draft.quarantine("agent_turn", "it has no text", record);
    };
    let turn = draft.turn(&speaker, count(record, "round"), Move::Claim, words);
    if let Some(stance) = record.get("stance") {
        take(draft, stance, &speaker, turn, None);
    }
    for stance in items(record, "stances") {
        // A stance with a turn of its own is recorded at that turn.
        if owner(name.unwrap_or_default(), stance).is_none_or(|owner| !owned.contains(&owner)) {
            take(draft, stance, &speaker, turn, None);
        }
    }
}

fn take(draft: &mut ImportDraft, stance: &Value, speaker: &PersonaId, turn: TurnId, statement: Option<&str>) {
    let whose = text(stance, "personaId");
    if whose.is_some_and(|name| draft.cast.find(name) != Some(speaker)) {
        return draft.quarantine("stance", "it belongs to another speaker", stance);
    }
    let claim = text(stance, "claimId").unwrap_or_default();
    let Some(dispute) = draft.disputes.get(claim).copied() else {
        let reason = format!("its claim {:?} is not in the file", excerpt(claim));
        return draft.quarantine("stance", reason, stance);
    };
    let Some(side) = text(stance, "stance").and_then(side_of) else {
        return draft.quarantine("stance", "its side is not pro, con or uncertain", stance);
    };
    let (confidence, quote) = (share(stance, "confidence"), draft.quote(turn, statement));
    let (speaker, statement) = (speaker.clone(), statement.map(str::to_owned));
    let taken = StanceTaken { dispute, speaker, side, turn, statement, confidence, quote };
    record_stance(draft, taken, count(stance, "round"));
}

/// Records a stance, at most once per round.
pub fn record_stance(draft: &mut ImportDraft, taken: StanceTaken, round: Option<u32>) {
    if draft.stances.insert((taken.speaker.clone(), taken.dispute, round)) {
        draft.counts.stances += 1;
        draft.record(Event::StanceTaken(taken));
    }
}

/// Side that a word of the old systems names.
pub fn side_of(word: &str) -> Option<Side> {
    Some(match word.to_lowercase().as_str() {
        "pro" | "yes" | "for" => Side::Yes,
        "con" | "no" | "against" => Side::No,
        "nuanced" | "mixed" => Side::Nuanced,
        "uncertain" | "undecided" => Side::Undecided,
        _ => return None,
    })
}

/// Imports `convergence_update`. These engines reported convergence when their event budget was spent.
pub fn convergence(draft: &mut ImportDraft, record: &Value) {
    let metrics = record.get("metrics").unwrap_or(&Value::Null);
    let (spent, most) = (count(metrics, "eventCount"), count(metrics, "maxEvents"));
    draft.ending.limit = match (spent, most) {
        (Some(spent), Some(most)) if spent >= most => Some(("events".to_owned(), format!("{spent} of {most} events"))),
        _ => None,
    };
    let is_set = |word: &str| flag(metrics, word) == Some(true);
    draft.ending.converged = match (is_set("converged"), is_set("diverged")) {
        (_, true) => Some("positions diverge and no new points are raised".to_owned()),
        (true, false) => Some("no open points remain".to_owned()),
        (false, false) => None,
    };
}
