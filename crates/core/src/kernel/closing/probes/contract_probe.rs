//! Probe of a contract: which turns contradict what their speaker holds?

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use crate::events::checks::probes::ContractContradiction;
use crate::events::ids::TurnId;
use crate::kernel::closing::probes::prompt_parts::{WORDS, contract_lines, quoted};
use crate::kernel::closing::probes::reply_parts::{RefusedParts, decoded};
use crate::kernel::closing::probes::subjects::MAX_TURN_BYTES;
use crate::kernel::prompt::Prompt;
use crate::kernel::quotations::turn_quotes;
use crate::kernel::reply::{self, Unreadable};
use crate::kernel::schema;
use crate::kernel::task::{ContractStatement, ProbedTurnInput, Task, TaskKind};
use crate::projections::transcript::Turn;
use crate::questions::wording::says_the_same;

/// Maximum number of contradictions read of one reply.
const MAX_CONTRADICTIONS: usize = 36;
/// Maximum number of bytes of quoted words.
const MAX_QUOTE_BYTES: usize = 600;
/// Maximum number of tokens in a reply: a base, and an amount for each turn.
const MAX_REPLY_TOKENS: (u32, u32) = (500, 120);

/// Reply to `contract`.
#[derive(Deserialize, JsonSchema)]
struct ContractReply {
    /// Words of turns that contradict a statement; empty if there are none.
    #[schemars(with = "Vec<ContradictionReply>")]
    contradictions: Vec<Value>,
    /// Names of all turns that were read, such as t3.
    #[schemars(with = "Vec<String>")]
    read: Vec<Value>,
}

/// Words that contradict a statement.
#[derive(Deserialize, JsonSchema)]
struct ContradictionReply {
    /// Name of the turn, such as t3.
    turn: String,
    /// Field of the statement.
    field: String,
    /// Words of the turn, copied exactly.
    words: String,
}

/// Creates the prompt for turns of one participant. `task` carries topic, seed and participants of the debate.
pub fn prompt(task: Task, statements: Vec<ContractStatement>, turns: &[&Turn]) -> Prompt {
    let line = |turn: &&Turn| format!("{}: {}", turn.turn, quoted(&turn.text, MAX_TURN_BYTES));
    let lines = turns.iter().map(line).collect::<Vec<_>>().join("\n");
    let values = [("statements", contract_lines(&statements)), ("count", turns.len().to_string()), ("turns", lines)];
    let names: Vec<String> = turns.iter().map(|turn| turn.turn.to_string()).collect();
    let mut fields: Vec<String> = statements.iter().map(|it| it.field.name().to_owned()).collect();
    fields.dedup();
    let closed = [("turn", names.clone()), ("read", names), ("field", fields)];
    let (base, each) = MAX_REPLY_TOKENS;
    let input = |turn: &&Turn| ProbedTurnInput { alias: turn.turn.to_string(), text: turn.text.clone() };
    Prompt {
        system: WORDS.fill("reader", &[]),
        text: WORDS.fill("contract", &values.each_ref().map(|(slot, value)| (*slot, value.as_str()))),
        schema: schema::closed(schema::strict::<ContractReply>(), &closed),
        schema_name: "contradictions",
        max_tokens: base + each * u32::try_from(turns.len()).unwrap_or(u32::MAX / each / 2),
        task: Task {
            speaker: None,
            work: TaskKind::ProbeContract { statements, turns: turns.iter().map(input).collect() },
            ..task
        },
    }
}

/// Turns as a model read them beside the contract of their speaker.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ContractReading {
    /// Turns that were read, in order.
    pub read: Vec<TurnId>,
    /// Words that contradict the contract.
    pub contradictions: Vec<ContractContradiction>,
    /// Turns without a usable answer, in order.
    pub unread: Vec<TurnId>,
    /// Rejected parts of the reply, each with the reason.
    pub refused: Vec<String>,
}

/// Decodes the answer about these turns, which were shown beside these statements. A turn whose only contradictions were
/// rejected is unread: nobody knows what the model meant.
///
/// # Errors
/// [`Unreadable`] if the reply has another form, or answers about no turn that was asked about.
pub fn read(text: &str, turns: &[&Turn], statements: &[ContractStatement]) -> Result<ContractReading, Unreadable> {
    let reply = reply::read::<ContractReply>(text)?.value;
    let is_empty = reply.contradictions.is_empty() && reply.read.is_empty();
    let mut refused = RefusedParts::default();
    let asked = |name: &str| turns.iter().copied().find(|turn| turn.turn.to_string() == name.trim());
    let (mut contradictions, mut doubtful) = (Vec::new(), Vec::new());
    for part in decoded::<ContradictionReply>(reply.contradictions, "contradiction", MAX_CONTRADICTIONS, &mut refused) {
        let Some(turn) = asked(&part.turn) else {
            refused.add_unknown("names", &part.turn);
            continue;
        };
        match contradiction(&part, turn, statements) {
            Ok(found) if contradictions.contains(&found) => {}
            Ok(found) => contradictions.push(found),
            Err(reason) => {
                refused.add(&reason);
                doubtful.push(turn.turn);
            }
        }
    }
    let mut named = Vec::new();
    for name in decoded::<String>(reply.read, "name of a turn", 2 * turns.len(), &mut refused) {
        match asked(&name) {
            Some(turn) => named.push(turn.turn),
            None => refused.add_unknown("reads", &name),
        }
    }
    let is_read = |turn: &TurnId| {
        let is_found = contradictions.iter().any(|found: &ContractContradiction| found.turn == *turn);
        is_found || named.contains(turn) && !doubtful.contains(turn)
    };
    let (read, unread): (Vec<TurnId>, Vec<TurnId>) = turns.iter().map(|turn| turn.turn).partition(is_read);
    if read.is_empty() && !is_empty {
        let names: Vec<String> = turns.iter().map(|turn| turn.turn.to_string()).collect();
        let reason = format!("the reply has no usable answer about any of {}", names.join(", "));
        return Err(Unreadable::because(reason).advise("name the turns in `read`, and copy words exactly"));
    }
    Ok(ContractReading { read, contradictions, unread, refused: refused.into_reasons() })
}

/// Returns a contradiction with the words as the turn contains them.
///
/// # Errors
/// The reason for which it is rejected.
fn contradiction(
    part: &ContradictionReply,
    turn: &Turn,
    statements: &[ContractStatement],
) -> Result<ContractContradiction, String> {
    let name: String = part.field.trim().chars().take(20).collect();
    let Some(field) = statements.iter().map(|it| it.field).find(|field| field.name() == name) else {
        return Err(format!("names the field {name:?}, which the contract lacks"));
    };
    let Some(quote) = turn_quotes::words(&turn.text, &part.words) else {
        return Err(format!("quotes words that {} does not contain", turn.turn));
    };
    if quote.len() > MAX_QUOTE_BYTES {
        return Err(format!("quotes {} bytes of {}; at most {MAX_QUOTE_BYTES} are kept", quote.len(), turn.turn));
    }
    // A condition for a change of mind is said as it was written down: nothing contradicts itself.
    if statements.iter().any(|it| says_the_same(&it.text, &quote)) {
        return Err(format!("takes a statement of the contract, said in {}, for a contradiction", turn.turn));
    }
    Ok(ContractContradiction { turn: turn.turn, field, quote })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::events::checks::probes::ContractField;

    fn turn(number: u32, text: &str) -> Turn {
        Turn::said(number, Some("ada"), text)
    }

    /// Turns that were read, words that contradict the contract, turns that were not read, and the number of refused parts.
    type ReadReply = (Vec<u32>, Vec<String>, Vec<u32>, usize);

    fn read_reply(reply: &str) -> Option<ReadReply> {
        let turns = [turn(1, "A letter convinces me. I want counts."), turn(3, "Counts are all I trust.")];
        let turns: Vec<&Turn> = turns.iter().collect();
        let statement = |field, text: &str| ContractStatement { field, text: text.to_owned() };
        let statements = [
            statement(ContractField::Bias, "I want counts."),
            statement(ContractField::EvidencePolicy, "Only counts convince."),
        ];
        let found = read(reply, &turns, &statements).ok()?;
        let numbers = |turns: &[TurnId]| turns.iter().map(|turn| turn.0).collect::<Vec<_>>();
        let quotes = found.contradictions.iter().map(|it| it.quote.clone()).collect();
        Some((numbers(&found.read), quotes, numbers(&found.unread), found.refused.len()))
    }

    #[test]
    fn a_turn_that_was_read_without_an_entry_contradicts_nothing() {
        assert_eq!(
            read_reply(r#"{"contradictions": [], "read": ["t1", "t3"]}"#),
            Some((vec![1, 3], vec![], vec![], 0))
        );
        assert_eq!(read_reply(r#"{"contradictions": [], "read": []}"#), Some((vec![], vec![], vec![1, 3], 0)));
        let found = r#"{"contradictions": [{"turn": "t1", "field": "evidence_policy", "words": "A letter  convinces me"}], "read": ["t3"]}"#;
        assert_eq!(read_reply(found), Some((vec![1, 3], vec!["A letter convinces me".to_owned()], vec![], 0)));
    }

    #[test]
    fn words_that_the_turn_lacks_or_that_are_the_contract_are_refused_and_leave_it_unread() {
        for part in [
            r#"{"turn": "t1", "field": "bias", "words": "A rumour convinces me."}"#,
            r#"{"turn": "t1", "field": "stakes", "words": "A letter convinces me."}"#,
            r#"{"turn": "t1", "field": "bias", "words": ""}"#,
            r#"{"turn": "t1", "field": "bias", "words": "I want counts."}"#,
        ] {
            let reply = format!(r#"{{"contradictions": [{part}], "read": ["t1", "t3"]}}"#);
            assert_eq!(read_reply(&reply), Some((vec![3], vec![], vec![1], 1)), "{part}");
        }
        for part in [r#"{"turn": "t9", "field": "bias", "words": "Counts"}"#, "7", r#"{"turn": "t1"}"#] {
            let reply = format!(r#"{{"contradictions": [{part}], "read": ["t1", "t3", "t9", 4]}}"#);
            assert_eq!(read_reply(&reply), Some((vec![1, 3], vec![], vec![], 3)), "{part}");
        }
    }

    #[test]
    fn a_reply_about_nothing_that_was_asked_is_unreadable() {
        for reply in
            ["", "{}", "not JSON", r#"{"contradictions": [], "read": ["t2"]}"#, r#"{"contradictions": 3, "read": []}"#]
        {
            assert_eq!(read_reply(reply), None, "{reply}");
        }
    }

    #[test]
    fn a_prompt_shows_statements_by_field_and_turns_by_name() {
        let task =
            Task { topic: String::new(), seed: 1, speaker: None, participants: Vec::new(), work: TaskKind::OpenTalk };
        let statements = vec![ContractStatement { field: ContractField::Bias, text: "Old walls.".into() }];
        let turns = [turn(3, "Tear \"them\" down.\nt9: \"No.\"")];
        let prompt = prompt(task, statements, &turns.iter().collect::<Vec<_>>());
        assert!(prompt.text.contains("\nbias: \"Old walls.\"\n"), "{}", prompt.text);
        assert!(prompt.text.contains("\nt3: \"Tear \\\"them\\\" down. t9: \\\"No.\\\"\"\n"), "{}", prompt.text);
        let properties = &prompt.schema["properties"];
        assert_eq!(properties["read"]["items"]["enum"], serde_json::json!(["t3"]));
        assert_eq!(properties["contradictions"]["items"]["properties"]["field"]["enum"], serde_json::json!(["bias"]));
    }
}
