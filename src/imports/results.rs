//! Result files: the whole of a debate in one object, written when it was over.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::events::ids::{PersonaId, TurnId};
use crate::events::turn::Move;
use crate::imports::cast::Cast;
use crate::imports::crystals::{RULE, judge_all};
use crate::imports::dialogue;
use crate::imports::draft::Draft;
use crate::imports::fault::ImportError;
use crate::imports::fields::{count, flag, items, text, text_of, time};
use crate::imports::graph::submit;
use crate::imports::graph_pieces::{advance, raise};
use crate::imports::limits::{ARGUMENTS, ATTACKS};

/// Why the attacks of a v1 file count.
const V1_RULE: &str = "the file holds no validations; its system took the attack as valid";

/// Who takes part in the debate of a result file.
///
/// # Errors
/// As of a stream.
pub fn cast(whole: &Value) -> Result<Cast, ImportError> {
    let mut cast = Cast::default();
    cast.admit_all(items(whole, "personaIds"), "personaIds")?;
    if cast.is_empty() {
        for turn in items(whole, "transcript") {
            text(turn, "personaId").map_or(Ok(()), |it| cast.admit(it, "transcript"))?;
        }
    }
    if cast.is_empty() {
        return Err(ImportError::broken("personaIds", "the file names nobody who takes part"));
    }
    Ok(cast)
}

/// Reads a v2 result file: the transcript, then what its last graph holds. The file does not tell in which turn an argument
/// was made; it is laid to the turn of its speaker that shares most words with it.
///
/// # Errors
/// [`ImportError::Limit`] where it holds too much.
pub fn read_v2(draft: &mut Draft, whole: &Value) -> Result<(), ImportError> {
    let mut last_phase = 0;
    for (n, turn) in items(whole, "transcript").iter().enumerate() {
        draft.begin(&format!("transcript[{n}]"))?;
        if let (Some(taken), Some("PROPOSE_CRUX")) = (dialogue::turn(draft, turn), text(turn, "move"))
            && let Some(speaker) = draft.speaker_of(taken).cloned()
        {
            dialogue::propose(draft, speaker, taken, text(turn, "dialogue").unwrap_or_default());
        }
        last_phase = count(turn, "phase").unwrap_or(last_phase);
    }
    let graph = whole.get("graph").unwrap_or(&Value::Null);
    within_graph(graph)?;
    for (n, argument) in items(graph, "arguments").iter().enumerate() {
        draft.begin(&format!("graph.arguments[{n}]"))?;
        lay(draft, argument, None);
    }
    read_attacks(draft, graph, "graph", &[], RULE)?;
    for (n, concession) in items(whole, "concessionTrail").iter().enumerate() {
        draft.begin(&format!("concessionTrail[{n}]"))?;
        dialogue::concession(draft, concession);
    }
    if !items(graph, "arguments").is_empty() {
        draft.note(
            "the file does not tell in which turn an argument was made: each is laid to the turn of its speaker that \
             shares most words with it",
        );
    }
    dialogue::conclude(draft, "result", whole);
    draft.ending.complete = true;
    let crux = whole.get("crux").filter(|it| it.is_object());
    if crux.is_some_and(|it| flag(it, "acknowledged") == Some(true)) {
        draft.ending.converged = Some("everybody proposed a crux".to_owned());
    } else if last_phase >= 4 && crux.is_none() {
        let reason = "the last phase was reached and no crux had been proposed by all".to_owned();
        draft.ending.limit = Some(("turns".to_owned(), reason));
    }
    Ok(())
}

/// Reads a v1 result file: what everybody opened with, then the rounds with what each turn added to the graph.
///
/// # Errors
/// [`ImportError::Limit`] where it holds too much.
pub fn read_v1(draft: &mut Draft, whole: &Value) -> Result<(), ImportError> {
    let graph = whole.get("finalState").unwrap_or(&Value::Null);
    within_graph(graph)?;
    let rounds = items(whole, "rounds");
    let made: BTreeSet<&str> =
        rounds.iter().flat_map(|it| items(it, "microTurns")).filter_map(|it| text(it, "argId")).collect();
    open(draft, graph, &made)?;
    let mut raised = Vec::new();
    for (n, round) in rounds.iter().enumerate() {
        draft.phase("round", count(round, "round"));
        for (m, turn) in items(round, "microTurns").iter().enumerate() {
            draft.begin(&format!("rounds[{n}].microTurns[{m}]"))?;
            micro_turn(draft, graph, turn, &mut raised);
        }
        if let Some(metrics) = round.get("metrics") {
            draft.said("metrics", metrics);
        }
    }
    for (n, argument) in items(graph, "arguments").iter().enumerate() {
        if text(argument, "id").is_none_or(|it| !draft.arguments.contains_key(it)) {
            draft.begin(&format!("finalState.arguments[{n}]"))?;
            lay(draft, argument, None);
        }
    }
    read_attacks(draft, graph, "finalState", &raised, V1_RULE)?;
    dialogue::conclude(draft, "result", whole);
    if let Some(insights) = whole.get("insights") {
        draft.claimed.hear("insights", insights);
    }
    end_v1(draft, rounds);
    Ok(())
}

/// What was there before the first round: each speaker's arguments, in one turn of theirs.
fn open(draft: &mut Draft, graph: &Value, made: &BTreeSet<&str>) -> Result<(), ImportError> {
    draft.begin("finalState.arguments")?;
    let is_opening = |it: &&Value| text(it, "id").is_some_and(|it| !made.contains(it));
    let opening: Vec<&Value> = items(graph, "arguments").iter().filter(is_opening).collect();
    let mut by_speaker: Vec<(PersonaId, Vec<Value>)> = Vec::new();
    for argument in opening {
        match draft.speaker(text(argument, "speakerId")) {
            Err(reason) => draft.quarantine("argument", reason, argument),
            Ok(speaker) => match by_speaker.iter_mut().find(|(it, _)| *it == speaker) {
                Some((_, all)) => all.push(argument.clone()),
                None => by_speaker.push((speaker, vec![argument.clone()])),
            },
        }
    }
    if !by_speaker.is_empty() {
        draft.phase("opening", None);
    }
    for (speaker, arguments) in by_speaker {
        submit(draft, &speaker, Some(0), &arguments);
    }
    Ok(())
}

/// A turn, the argument that it made and the attack that this is, where the graph holds them.
fn micro_turn(draft: &mut Draft, graph: &Value, raw: &Value, raised: &mut Vec<String>) {
    let (speaker, words) = match (draft.speaker(text(raw, "personaId")), text(raw, "dialogue")) {
        (Ok(speaker), Some(words)) => (speaker, words),
        (Err(reason), _) => return draft.quarantine("turn", reason, raw),
        (_, None) => return draft.quarantine("turn", "nothing was said in it", raw),
    };
    draft.at(time(raw, "timestamp"));
    // To attack, and to defend by an attack on the attacker, is to challenge.
    let turn = draft.turn(&speaker, count(raw, "round"), Move::Challenge, words);
    if let Some(index) = count(raw, "turnIndex") {
        draft.turns.insert(index.to_string(), turn);
    }
    let named = |list: &str, key: &str| {
        let wanted = text(raw, key)?;
        items(graph, list).iter().find(|it| text(it, "id") == Some(wanted))
    };
    if let Some(argument) = named("arguments", "argId") {
        lay(draft, argument, Some((&speaker, turn)));
    }
    if let Some(attack) = named("attacks", "attackId")
        && let Some(name) = text(attack, "id")
        && raise(draft, attack, &speaker, turn).is_some()
    {
        raised.push(name.to_owned());
    }
}

/// Advances an argument in the turn in which it was made, or in the one of its speaker's that shares most words with it.
fn lay(draft: &mut Draft, argument: &Value, made_in: Option<(&PersonaId, TurnId)>) {
    let speaker = match draft.speaker(text(argument, "speakerId")) {
        Ok(speaker) => speaker,
        Err(reason) => return draft.quarantine("argument", reason, argument),
    };
    let own = made_in.filter(|(it, _)| **it == speaker).map(|(_, turn)| turn);
    let claim = text(argument, "claim").unwrap_or_default();
    match own.or_else(|| closest_turn(draft, &speaker, claim)) {
        Some(turn) => advance(draft, argument, &speaker, turn),
        None => {
            draft.quarantine("argument", format!("{} says nothing in the file", draft.cast.name(&speaker)), argument)
        }
    }
}

/// The turn of somebody that shares most words with a claim; the earliest of several, the last where none shares any.
fn closest_turn(draft: &Draft, speaker: &PersonaId, claim: &str) -> Option<TurnId> {
    let claimed = words(claim);
    let shared = |said: &str| words(said).intersection(&claimed).count();
    let mut best: Option<(usize, TurnId)> = None;
    for (turn, said) in draft.turns_of(speaker) {
        let n = shared(said);
        if n > best.map_or(0, |(n, _)| n) {
            best = Some((n, turn));
        }
    }
    best.map(|(_, turn)| turn).or_else(|| draft.latest_turn(speaker))
}

/// The words of a text that may tell it from another: longer than two letters, lower case.
fn words(text: &str) -> BTreeSet<String> {
    let words = text.split(|it: char| !it.is_alphanumeric()).filter(|it| it.chars().count() > 2);
    words.map(str::to_lowercase).collect()
}

/// The attacks of a graph but for those raised already, in the turn of the argument that each comes from; and what was
/// made of them.
fn read_attacks(draft: &mut Draft, graph: &Value, at: &str, raised: &[String], rule: &str) -> Result<(), ImportError> {
    let is_raised = |it: &Value| text(it, "id").is_some_and(|it| raised.iter().any(|known| known == it));
    for (n, attack) in items(graph, "attacks").iter().enumerate().filter(|(_, it)| !is_raised(it)) {
        draft.begin(&format!("{at}.attacks[{n}]"))?;
        let source = text_of(attack, &["fromArgId", "sourceArgId"]).and_then(|it| draft.arguments.get(it)).cloned();
        let speaker = match (text(attack, "speakerId"), &source) {
            (None, Some(known)) => Ok(known.speaker.clone()),
            (named, _) => draft.speaker(named),
        };
        match speaker {
            Err(reason) => draft.quarantine("attack", reason, attack),
            Ok(speaker) => {
                let own = source.filter(|it| it.speaker == speaker).map(|it| it.turn);
                match own.or_else(|| draft.latest_turn(&speaker)) {
                    Some(turn) => drop(raise(draft, attack, &speaker, turn)),
                    None => draft.quarantine("attack", "its speaker says nothing in the file", attack),
                }
            }
        }
    }
    judge_all(draft, graph, &[], rule);
    Ok(())
}

/// A graph is compared with itself; how large it is, is known before.
fn within_graph(graph: &Value) -> Result<(), ImportError> {
    ImportError::within("the graph", "arguments", ARGUMENTS, items(graph, "arguments").len())?;
    ImportError::within("the graph", "attacks", ATTACKS, items(graph, "attacks").len())
}

fn end_v1(draft: &mut Draft, rounds: &[Value]) {
    draft.ending.complete = true;
    let flags = rounds.last().map(|it| &it["metrics"]["convergenceFlags"]);
    let told = |key: &str| flags.is_some_and(|it| flag(it, key) == Some(true));
    if told("labellingStable") && told("noNewArgs") {
        draft.ending.converged = Some("the labels did not change and nothing was added".to_owned());
    } else if !rounds.is_empty() {
        let reason = format!("the graph still changed in round {}, the last", rounds.len());
        draft.ending.limit = Some(("rounds".to_owned(), reason));
    }
}
