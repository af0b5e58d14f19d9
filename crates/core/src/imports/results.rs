//! Importer for result files, which contain a whole debate as one object, written at its end.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::events::ids::{PersonaId, TurnId};
use crate::events::turn::Move;
use crate::imports::arguments::attribution::{ArgumentTurn, attributions};
use crate::imports::arguments::graph_fields::target_of;
use crate::imports::arguments::graph_pieces::{advance, advance_as, raise};
use crate::imports::cast::Cast;
use crate::imports::crystals::{RULE, judge_all};
use crate::imports::dialogue;
use crate::imports::draft::{ImportDraft, KnownArgument};
use crate::imports::fields::{count, flag, items, text, text_of, time};
use crate::imports::graph::submit;
use crate::imports::import_error::ImportError;
use crate::imports::limits::{MAX_ARGUMENTS, MAX_ATTACKS};

/// Reason recorded for the validity of attacks in a v1 file.
const V1_RULE: &str = "the file contains no validations; its system treated the attack as valid";

/// Collects the participants of a result file.
///
/// # Errors
/// [`ImportError::Limit`] if there are too many, [`ImportError::Broken`] if there are none.
pub fn cast(whole: &Value) -> Result<Cast, ImportError> {
    let mut cast = Cast::default();
    cast.admit_all(items(whole, "personaIds"), "personaIds")?;
    if cast.is_empty() {
        for turn in items(whole, "transcript") {
            text(turn, "personaId").map_or(Ok(()), |name| cast.admit(name, "transcript"))?;
        }
    }
    if cast.is_empty() {
        return Err(ImportError::broken("personaIds", "the file names no participants"));
    }
    Ok(cast)
}

/// Reads a v2 result file: the transcript, then the final graph. The file does not state the turns of arguments, so they
/// are attributed by words.
///
/// # Errors
/// [`ImportError::Limit`] if the file exceeds an import limit.
pub fn read_v2(draft: &mut ImportDraft, whole: &Value) -> Result<(), ImportError> {
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
    place_arguments(draft, graph, "graph")?;
    read_attacks(draft, graph, "graph", &[], RULE)?;
    for (n, concession) in items(whole, "concessionTrail").iter().enumerate() {
        draft.begin(&format!("concessionTrail[{n}]"))?;
        dialogue::concession(draft, concession);
    }
    dialogue::conclude(draft, "result", whole);
    draft.ending.complete = true;
    let crux = whole.get("crux").filter(|crux| crux.is_object());
    if crux.is_some_and(|crux| flag(crux, "acknowledged") == Some(true)) {
        draft.ending.converged = Some("all participants proposed a crux".to_owned());
    } else if last_phase >= 4 && crux.is_none() {
        let reason = "the last phase was reached before all participants had proposed a crux".to_owned();
        draft.ending.limit = Some(("turns".to_owned(), reason));
    }
    Ok(())
}

/// Reads a v1 result file: the opening arguments, then the rounds with the additions of each turn.
///
/// # Errors
/// [`ImportError::Limit`] if the file exceeds an import limit.
pub fn read_v1(draft: &mut ImportDraft, whole: &Value) -> Result<(), ImportError> {
    let graph = whole.get("finalState").unwrap_or(&Value::Null);
    within_graph(graph)?;
    let rounds = items(whole, "rounds");
    let made: BTreeSet<&str> =
        rounds.iter().flat_map(|round| items(round, "microTurns")).filter_map(|turn| text(turn, "argId")).collect();
    open(draft, graph, &made)?;
    let mut raised = Vec::new();
    for (n, round) in rounds.iter().enumerate() {
        draft.phase("round", count(round, "round"));
        for (m, turn) in items(round, "microTurns").iter().enumerate() {
            draft.begin(&format!("rounds[{n}].microTurns[{m}]"))?;
            micro_turn(draft, graph, turn, &mut raised);
        }
        if let Some(metrics) = round.get("metrics") {
            draft.record_result("metrics", metrics);
        }
    }
    place_arguments(draft, graph, "finalState")?;
    read_attacks(draft, graph, "finalState", &raised, V1_RULE)?;
    dialogue::conclude(draft, "result", whole);
    if let Some(insights) = whole.get("insights") {
        draft.claimed.collect("insights", insights);
    }
    end_v1(draft, rounds);
    Ok(())
}

/// Imports the arguments from before the first round, those of each speaker in one turn.
fn open(draft: &mut ImportDraft, graph: &Value, made: &BTreeSet<&str>) -> Result<(), ImportError> {
    draft.begin("finalState.arguments")?;
    let is_opening = |argument: &&Value| text(argument, "id").is_some_and(|name| !made.contains(name));
    let opening: Vec<&Value> = items(graph, "arguments").iter().filter(is_opening).collect();
    let mut by_speaker: Vec<(PersonaId, Vec<Value>)> = Vec::new();
    for argument in opening {
        match draft.speaker(text(argument, "speakerId")) {
            Err(reason) => draft.quarantine("argument", reason, argument),
            Ok(speaker) => match by_speaker.iter_mut().find(|(persona, _)| *persona == speaker) {
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

/// Imports a turn with its argument and its attack, if the graph contains them.
fn micro_turn(draft: &mut ImportDraft, graph: &Value, raw: &Value, raised: &mut Vec<String>) {
    let (speaker, words) = match (draft.speaker(text(raw, "personaId")), text(raw, "dialogue")) {
        (Ok(speaker), Some(words)) => (speaker, words),
        (Err(reason), _) => return draft.quarantine("turn", reason, raw),
        (_, None) => return draft.quarantine("turn", "it has no text", raw),
    };
    draft.at(time(raw, "timestamp"));
    // Both attacking and defending by a counter-attack are challenges.
    let turn = draft.turn(&speaker, count(raw, "round"), Move::Challenge, words);
    if let Some(index) = count(raw, "turnIndex") {
        draft.turns.insert(index.to_string(), turn);
    }
    let named = |list: &str, key: &str| {
        let wanted = text(raw, key)?;
        items(graph, list).iter().find(|entry| text(entry, "id") == Some(wanted))
    };
    // An argument of another speaker was not made in this turn.
    if let Some(argument) = named("arguments", "argId")
        && text(argument, "speakerId").and_then(|name| draft.cast.find(name)) == Some(&speaker)
    {
        advance(draft, argument, &speaker, turn);
    }
    if let Some(attack) = named("attacks", "attackId")
        && let Some(name) = text(attack, "id")
        && raise(draft, attack, &speaker, turn).is_some()
    {
        raised.push(name.to_owned());
    }
}

/// Records the arguments of a graph that are not in the debate yet, each in the turn to which it is attributed.
fn place_arguments(draft: &mut ImportDraft, graph: &Value, at: &str) -> Result<(), ImportError> {
    let arguments = items(graph, "arguments");
    let placed = attributions(draft, (arguments, items(graph, "attacks")), KnownArgument::known_turn);
    for (n, argument) in arguments.iter().enumerate() {
        if text(argument, "id").is_some_and(|name| draft.arguments.contains_key(name) && !placed.contains_key(name)) {
            continue;
        }
        draft.begin(&format!("{at}.arguments[{n}]"))?;
        match draft.speaker(text(argument, "speakerId")) {
            Err(reason) => draft.quarantine("argument", reason, argument),
            Ok(speaker) if draft.latest_turn(&speaker).is_none() => {
                let reason = format!("{} has no turn in the file", draft.cast.name(&speaker));
                draft.quarantine("argument", reason, argument);
            }
            Ok(speaker) => {
                let attribution = text(argument, "id").and_then(|name| placed.get(name)).copied();
                advance_as(draft, argument, &speaker, attribution.unwrap_or(ArgumentTurn::UNKNOWN));
            }
        }
    }
    Ok(())
}

/// Records the attacks of a graph, except those in `raised`, with their judgements: each in the turn of its source
/// argument, or in a later one of the speaker if the attacked argument is younger.
fn read_attacks(
    draft: &mut ImportDraft,
    graph: &Value,
    at: &str,
    raised: &[String],
    rule: &str,
) -> Result<(), ImportError> {
    let is_raised = |attack: &Value| text(attack, "id").is_some_and(|name| raised.iter().any(|known| known == name));
    for (n, attack) in items(graph, "attacks").iter().enumerate().filter(|(_, attack)| !is_raised(attack)) {
        draft.begin(&format!("{at}.attacks[{n}]"))?;
        let source = text_of(attack, &["fromArgId", "sourceArgId"]).and_then(|name| draft.arguments.get(name)).cloned();
        let speaker = match (text(attack, "speakerId"), &source) {
            (None, Some(known)) => Ok(known.speaker.clone()),
            (named, _) => draft.speaker(named),
        };
        match speaker {
            Err(reason) => draft.quarantine("attack", reason, attack),
            Ok(speaker) => {
                let own = source.filter(|argument| argument.speaker == speaker).and_then(|known| known.known_turn());
                let own = own.map(|turn| not_before_target(draft, attack, &speaker, turn));
                match own.or_else(|| draft.latest_turn(&speaker)) {
                    Some(turn) => drop(raise(draft, attack, &speaker, turn)),
                    None => draft.quarantine("attack", "its speaker has no turn in the file", attack),
                }
            }
        }
    }
    judge_all(draft, graph, &[], rule);
    Ok(())
}

/// The turn of an attack's source argument, or the speaker's first one after the attacked argument if that is younger: an
/// argument is not attacked before it is made.
fn not_before_target(draft: &ImportDraft, attack: &Value, speaker: &PersonaId, turn: TurnId) -> TurnId {
    let target = target_of(attack).and_then(|name| draft.arguments.get(name)).map_or(turn, |target| target.turn);
    if turn >= target {
        return turn;
    }
    draft.turns_of(speaker).map(|(own, _)| own).find(|own| *own > target).unwrap_or(turn)
}

/// Checks the size of a graph before it is processed, since its arguments are compared in pairs.
fn within_graph(graph: &Value) -> Result<(), ImportError> {
    ImportError::within("the graph", "arguments", MAX_ARGUMENTS, items(graph, "arguments").len())?;
    ImportError::within("the graph", "attacks", MAX_ATTACKS, items(graph, "attacks").len())
}

fn end_v1(draft: &mut ImportDraft, rounds: &[Value]) {
    draft.ending.complete = true;
    let flags = rounds.last().map(|round| &round["metrics"]["convergenceFlags"]);
    let is_set = |key: &str| flags.is_some_and(|flags| flag(flags, key) == Some(true));
    if is_set("labellingStable") && is_set("noNewArgs") {
        draft.ending.converged = Some("the labels did not change and nothing was added".to_owned());
    } else if !rounds.is_empty() {
        let reason = format!("the graph still changed in the last round, {}", rounds.len());
        draft.ending.limit = Some(("rounds".to_owned(), reason));
    }
}
