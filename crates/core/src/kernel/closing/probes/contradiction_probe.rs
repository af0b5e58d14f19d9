//! Probe for contradictions: can both statements of a pair be true?

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use crate::kernel::closing::probes::prompt_parts::{WORDS, statement_lines};
use crate::kernel::closing::probes::reply_parts::{RefusedParts, decoded};
use crate::kernel::prompt::Prompt;
use crate::kernel::reply::{self, Unreadable};
use crate::kernel::schema;
use crate::kernel::task::{StatementPairInput, Task, TaskKind};

/// Number of pairs in one request.
pub const BATCH: usize = 40;

/// Maximum number of tokens in a reply: a base, and an amount for each pair.
const MAX_REPLY_TOKENS: (u32, u32) = (400, 40);

/// Reply to `contradictions`.
#[derive(Deserialize, JsonSchema)]
struct PairsReply {
    /// One finding for each name, without pairs that cannot be judged.
    #[schemars(with = "Vec<PairReply>")]
    pairs: Vec<Value>,
}

/// Finding about a pair.
#[derive(Deserialize, JsonSchema)]
struct PairReply {
    /// Name of the pair, such as p4.
    name: String,
    /// Can both statements be true?
    both_can_be_true: YesNoReply,
}

/// Answer to a question.
#[derive(Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum YesNoReply {
    /// Both can be true.
    #[serde(alias = "YES", alias = "Yes")]
    Yes,
    /// If one is true, the other is false.
    #[serde(alias = "NO", alias = "No")]
    No,
}

/// Creates the prompt for pairs of statements. `task` carries topic, seed and participants of the debate.
pub fn prompt(task: Task, pairs: Vec<StatementPairInput>) -> Prompt {
    let names: Vec<String> = pairs.iter().map(|pair| pair.alias.clone()).collect();
    let line = |pair: &StatementPairInput| format!("{}: {} and {}", pair.alias, pair.one.alias, pair.other.alias);
    let lines = pairs.iter().map(line).collect::<Vec<_>>().join("\n");
    let statements = statement_lines(pairs.iter().flat_map(|pair| [&pair.one, &pair.other]));
    let values = [("count", pairs.len().to_string()), ("statements", statements), ("pairs", lines)];
    let (base, each) = MAX_REPLY_TOKENS;
    Prompt {
        system: WORDS.fill("reader", &[]),
        text: WORDS.fill("contradictions", &values.each_ref().map(|(slot, value)| (*slot, value.as_str()))),
        schema: schema::closed(schema::strict::<PairsReply>(), &[("name", names)]),
        schema_name: "pairs",
        max_tokens: base + each * u32::try_from(pairs.len()).unwrap_or(u32::MAX / each / 2),
        task: Task { speaker: None, work: TaskKind::ProbeContradictions { pairs }, ..task },
    }
}

/// Findings about pairs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PairReading {
    /// Findings by the name of the pair, each once: true if the statements cannot both be true.
    pub contradicts: Vec<(String, bool)>,
    /// Rejected parts of the reply, each with the reason.
    pub refused: Vec<String>,
}

/// Decodes the findings about pairs of these names. Of two different findings about one pair, neither counts.
///
/// # Errors
/// [`Unreadable`] if the reply has another form, or has findings and none about a pair that was asked about.
pub fn read(text: &str, asked: &[String]) -> Result<PairReading, Unreadable> {
    let given = reply::read::<PairsReply>(text)?.value.pairs;
    let (is_empty, mut refused) = (given.is_empty(), RefusedParts::default());
    let (mut found, mut twice): (Vec<(String, bool)>, Vec<String>) = (Vec::new(), Vec::new());
    for part in decoded::<PairReply>(given, "finding", 2 * asked.len(), &mut refused) {
        let (name, contradicts) = (part.name.trim().to_owned(), part.both_can_be_true == YesNoReply::No);
        match found.iter().find(|(known, _)| *known == name) {
            _ if !asked.contains(&name) => refused.add_unknown("reads", &name),
            Some((_, before)) if *before != contradicts => {
                refused.add(&format!("reads {name} in two ways"));
                twice.push(name);
            }
            Some(_) => {}
            None => found.push((name, contradicts)),
        }
    }
    found.retain(|(name, _)| !twice.contains(name));
    if found.is_empty() && !is_empty {
        return Err(Unreadable::because(format!("`pairs` has no usable finding about {}", asked.join(", ")))
            .advise("give one for each"));
    }
    Ok(PairReading { contradicts: found, refused: refused.into_reasons() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn findings_are_about_pairs_that_were_asked_about() {
        let asked = ["p1".to_owned(), "p2".to_owned()];
        let read = |text: &str| read(text, &asked).ok().map(|found| (found.contradicts, found.refused.len()));
        let finding = |name: &str, contradicts: bool| (name.to_owned(), contradicts);
        for (text, expected) in [
            (
                r#"{"pairs": [{"name": "p1", "both_can_be_true": "yes"}, {"name": "p2", "both_can_be_true": "no"}]}"#,
                Some((vec![finding("p1", false), finding("p2", true)], 0)),
            ),
            (r#"{"pairs": []}"#, Some((vec![], 0))),
            (
                r#"{"pairs": [{"name": "p1", "both_can_be_true": "No"}, {"name": "p9", "both_can_be_true": "no"}, 3]}"#,
                Some((vec![finding("p1", true)], 2)),
            ),
            (
                r#"{"pairs": [{"name": "p1", "both_can_be_true": "no"}, {"name": "p2", "both_can_be_true": "no"}, {"name": "p1", "both_can_be_true": "yes"}]}"#,
                Some((vec![finding("p2", true)], 1)),
            ),
            (r#"{"pairs": [{"name": "p1", "both_can_be_true": "perhaps"}]}"#, None),
            ("{}", None),
        ] {
            assert_eq!(read(text), expected, "{text}");
        }
    }
}
