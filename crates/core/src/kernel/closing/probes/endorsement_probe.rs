//! Probe of endorsement: how far does a participant endorse the statements of the common ground?

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use crate::events::persona::Persona;
use crate::kernel::closing::probes::prompt_parts::{WORDS, persona, quoted, statement_lines};
use crate::kernel::closing::probes::reply_parts::{RefusedParts, decoded};
use crate::kernel::prompt::{Prompt, with_persona};
use crate::kernel::reply::{self, Unreadable};
use crate::kernel::schema;
use crate::kernel::task::{StatementInput, Task, TaskKind};

/// Lowest and highest rating.
pub const RATINGS: (u32, u32) = (1, 7);

/// Maximum number of bytes shown of the topic.
const MAX_TOPIC_BYTES: usize = 600;
/// Maximum number of tokens in a reply: a base, and an amount for each statement.
const MAX_REPLY_TOKENS: (u32, u32) = (400, 40);

/// Reply to `endorsement`.
#[derive(Deserialize, JsonSchema)]
struct RatingsReply {
    /// One rating for each name.
    #[schemars(with = "Vec<RatingReply>")]
    ratings: Vec<Value>,
}

/// Rating of a statement.
#[derive(Deserialize, JsonSchema)]
struct RatingReply {
    /// Name of the statement, such as s2.
    name: String,
    /// Rating, a whole number from 1 to 7.
    #[schemars(with = "i64")]
    rating: f64,
}

/// Creates the prompt for a participant. `task` carries topic, seed and participants of the debate.
pub fn prompt(task: Task, speaker: &Persona, statements: Vec<StatementInput>) -> Prompt {
    let names: Vec<String> = statements.iter().map(|it| it.alias.clone()).collect();
    let values = [
        ("topic", quoted(&task.topic, MAX_TOPIC_BYTES)),
        ("count", statements.len().to_string()),
        ("statements", statement_lines(&statements)),
    ];
    let text = WORDS.fill("endorsement", &values.each_ref().map(|(slot, value)| (*slot, value.as_str())));
    let (base, each) = MAX_REPLY_TOKENS;
    Prompt {
        system: WORDS.fill("rater", &[]),
        text: with_persona(&text, &persona(speaker)),
        schema: schema::closed(schema::strict::<RatingsReply>(), &[("name", names)]),
        schema_name: "ratings",
        max_tokens: base + each * u32::try_from(statements.len()).unwrap_or(u32::MAX / each / 2),
        task: Task { speaker: Some(speaker.id.clone()), work: TaskKind::RateStatements { statements }, ..task },
    }
}

/// Ratings of statements.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RatingReading {
    /// Ratings by the name of the statement, each once.
    pub ratings: Vec<(String, u32)>,
    /// Rejected parts of the reply, each with the reason.
    pub refused: Vec<String>,
}

/// Decodes the ratings of statements of these names. Of two different ratings of one statement, neither counts.
///
/// # Errors
/// [`Unreadable`] if the reply has another form, or has ratings and none of a statement that was asked about.
pub fn read(text: &str, asked: &[String]) -> Result<RatingReading, Unreadable> {
    let given = reply::read::<RatingsReply>(text)?.value.ratings;
    let (is_empty, mut refused) = (given.is_empty(), RefusedParts::default());
    let (mut found, mut twice): (Vec<(String, u32)>, Vec<String>) = (Vec::new(), Vec::new());
    for part in decoded::<RatingReply>(given, "rating", 2 * asked.len(), &mut refused) {
        let name = part.name.trim().to_owned();
        let Some(rating) = whole(part.rating) else {
            let (least, most) = RATINGS;
            let short: String = name.chars().take(20).collect();
            refused.add(&format!("rates {short:?} with {}, which is not from {least} to {most}", part.rating));
            continue;
        };
        match found.iter().find(|(known, _)| *known == name) {
            _ if !asked.contains(&name) => refused.add_unknown("rates", &name),
            Some((_, before)) if *before != rating => {
                refused.add(&format!("rates {name} in two ways"));
                twice.push(name);
            }
            Some(_) => {}
            None => found.push((name, rating)),
        }
    }
    found.retain(|(name, _)| !twice.contains(name));
    if found.is_empty() && !is_empty {
        return Err(Unreadable::because(format!("`ratings` has no usable rating of {}", asked.join(", ")))
            .advise("give a whole number from 1 to 7 for each"));
    }
    Ok(RatingReading { ratings: found, refused: refused.into_reasons() })
}

/// Returns a rating if it is one of the whole numbers allowed.
fn whole(rating: f64) -> Option<u32> {
    (RATINGS.0..=RATINGS.1).find(|allowed| f64::from(*allowed) == rating)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::events::dispute::Side;
    use crate::events::persona::{Contract, Voice};

    #[test]
    fn ratings_are_whole_numbers_from_1_to_7() {
        let asked = ["s1".to_owned(), "s2".to_owned()];
        let read = |text: &str| read(text, &asked).ok().map(|found| (found.ratings, found.refused.len()));
        let rated = |name: &str, rating: u32| (name.to_owned(), rating);
        for (text, expected) in [
            (
                r#"{"ratings": [{"name": "s1", "rating": 7}, {"name": "s2", "rating": 1.0}]}"#,
                Some((vec![rated("s1", 7), rated("s2", 1)], 0)),
            ),
            (r#"{"ratings": []}"#, Some((vec![], 0))),
            (
                r#"{"ratings": [{"name": "s1", "rating": 4}, {"name": "s2", "rating": 8}, {"name": "s2", "rating": 2.5}, {"name": "s3", "rating": 2}, "s2"]}"#,
                Some((vec![rated("s1", 4)], 4)),
            ),
            (
                r#"{"ratings": [{"name": "s1", "rating": 4}, {"name": "s1", "rating": 5}, {"name": "s2", "rating": 3}]}"#,
                Some((vec![rated("s2", 3)], 1)),
            ),
            (r#"{"ratings": [{"name": "s1", "rating": 0}]}"#, None),
            (r#"{"ratings": 7}"#, None),
            ("{}", None),
        ] {
            assert_eq!(read(text), expected, "{text}");
        }
    }

    #[test]
    fn all_participants_read_the_same_statements_first() {
        let task = Task {
            topic: "Should the ferry run?".into(),
            seed: 1,
            speaker: None,
            participants: Vec::new(),
            work: TaskKind::OpenTalk,
        };
        let persona = |id: &str| Persona {
            id: id.parse().expect("an id"),
            name: id.to_owned(),
            about: "Of the port.".into(),
            version: 1,
            contract: Contract { stakes: "The crew.".into(), ..Contract::default() },
            voice: Voice::default(),
        };
        let statement = StatementInput { alias: "s1".into(), question: "Is there a crew?".into(), side: Side::No };
        let prompt = |id: &str| prompt(task.clone(), &persona(id), vec![statement.clone()]);
        let ((shared, own), (other_shared, other)) = (prompt("ada").parts(), prompt("ben").parts());
        assert!(shared.ends_with("s1: \"Is there a crew?\" answer: no"), "{shared}");
        assert_eq!(shared, other_shared);
        assert!(own.starts_with("You are ada. Of the port.\n") && own.contains("\nstakes: \"The crew.\"\n"), "{own}");
        assert_ne!(own, other);
    }
}
