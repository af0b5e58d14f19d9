//! Repliers without good will: they answer every request with a reply that fits its schema, and with nothing else in mind.

use faultline_core::events::receipt::{Failure, FailureKind};
use faultline_core::kernel::effect::EffectAttempt;
use faultline_core::kernel::task::{TaskKind, WordsInput};
use serde_json::{Map, Value, json};

use crate::support::random::Random;

/// Words that a replier puts into every text: plain, opposite, equal, hedged, about the topic, about nothing.
const TEXTS: &[&str] = &[
    "The ferry should run at night.",
    "the ferry should run at night",
    "The ferry should not run at night.",
    "Winter is rough.",
    "Winter is not rough.",
    "It costs 400,000 a year.",
    "Yes.",
    "No.",
    "I agree.",
    "I grant that winter is rough.",
    "Nobody can say.",
    "Is it so?",
    "I would change my mind if the crews were rested.",
    "Should the ferry run rather than the bus?",
    "Should the bus run rather than the ferry?",
    "Is winter rough?",
    "Is winter not rough?",
];

/// Inclination of a replier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Inclination {
    /// Whatever chance picks.
    Random,
    /// Says yes, accepts, finds everything valid.
    Yes,
    /// Agrees with everything that others propose, and says no to everything else.
    Agreeing,
    /// Says no and finds nothing valid.
    No,
    /// Has no objection, and leaves every list empty.
    Silent,
    /// Is of another mind in every reply.
    Turncoat,
    /// Says yes to everything, in words that it never said.
    Forging,
    /// Grants everything that it is asked about, and then takes the other side.
    Conceding,
}

impl Inclination {
    /// All inclinations.
    pub const ALL: [Inclination; 8] = [
        Inclination::Random,
        Inclination::Yes,
        Inclination::Agreeing,
        Inclination::No,
        Inclination::Silent,
        Inclination::Turncoat,
        Inclination::Forging,
        Inclination::Conceding,
    ];
}

/// A replier with an inclination, a chance to fail, and its own random numbers.
#[derive(Clone, Debug)]
pub struct Adversary {
    inclination: Inclination,
    /// One reply in so many fails; 0 for none.
    fails: u64,
    random: Random,
    /// True if every text is long, and says what no other says.
    is_talkative: bool,
    replies: usize,
    /// Text of the reply that is being written.
    said: String,
}

impl Adversary {
    /// Creates the replier of this number: every inclination in turn, each third one with failures.
    pub fn numbered(number: u64) -> Adversary {
        // A stride that is coprime to the number of inclinations mixes them with cuts and kills.
        let inclination = Inclination::ALL[(number / 3 + number) as usize % Inclination::ALL.len()];
        let fails = if number % 3 == 2 { 2 + number % 5 } else { 0 };
        let random = Random(number.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        Adversary { inclination, fails, random, is_talkative: false, replies: 0, said: String::new() }
    }

    /// Creates a replier that never fails, and whose texts are long and all different.
    pub fn talkative(seed: u64) -> Adversary {
        let random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        let (inclination, said) = (Inclination::Random, String::new());
        Adversary { inclination, fails: 0, random, is_talkative: true, replies: 0, said }
    }

    /// Answers a request in the shape of its schema.
    ///
    /// # Errors
    /// A failure, as often as this replier fails.
    pub fn reply(&mut self, asked: &EffectAttempt) -> Result<String, Failure> {
        self.replies += 1;
        if self.fails > 0 && self.random.below(self.fails) == 0 {
            return self.failure(&asked.prompt.schema);
        }
        if let TaskKind::ReadWords { items } = &asked.prompt.task.work {
            return Ok(self.readings(items));
        }
        Ok(self.value(&asked.prompt.schema, "").to_string())
    }

    /// Fails: without a reply, with a reply that nobody can read, or with half of one.
    fn failure(&mut self, schema: &Value) -> Result<String, Failure> {
        let kinds = [FailureKind::Unavailable, FailureKind::TimedOut, FailureKind::Declined, FailureKind::Hopeless];
        match self.random.below(kinds.len() + 2) {
            0 => Ok("I would rather not reply in JSON.".to_owned()),
            1 => {
                let reply = self.value(schema, "").to_string();
                let half = (0..=reply.len() / 2).rev().find(|at| reply.is_char_boundary(*at)).unwrap_or(0);
                Ok(reply[..half].to_owned())
            }
            n => Err(Failure::new(kinds[n - 2], "the replier failed")),
        }
    }

    /// Reads all words by inclination, and now and then words about which nobody asked.
    fn readings(&mut self, items: &[WordsInput]) -> String {
        let mut readings = Vec::new();
        for item in items.iter().filter(|_| self.inclination != Inclination::Silent) {
            let reading = match self.inclination {
                Inclination::Random => self.random.choose(&["yes", "no", "nuanced", "none"]),
                Inclination::Turncoat if readings.len() % 2 == 1 => "no",
                Inclination::No => "no",
                _ => "yes",
            };
            readings.push(json!({ "name": item.alias, "reading": reading }));
        }
        if self.random.below(3) == 0 {
            readings.push(json!({ "name": "e1", "reading": "yes" }));
        }
        json!({ "readings": readings }).to_string()
    }

    fn value(&mut self, schema: &Value, name: &str) -> Value {
        // A crux ends a debate when somebody agrees on it.
        if self.is_talkative && ["crux", "crux_words", "agrees_with"].contains(&name) {
            return Value::Null;
        }
        if let Some(options) = schema.get("anyOf").and_then(Value::as_array) {
            let option = options[self.random.below(options.len())].clone();
            return self.value(&option, name);
        }
        if let Some(words) = schema.get("enum").and_then(Value::as_array) {
            // A proposed crux and the acceptance of a proposal can end a debate.
            let lasting =
                |word: &&Value| !self.is_talkative || !["propose_crux", "accept"].iter().any(|it| *word == it);
            return self.word(&words.iter().filter(lasting).cloned().collect::<Vec<_>>());
        }
        if let Some(word) = schema.get("const") {
            return word.clone();
        }
        match kind(schema) {
            "object" => {
                let fields = schema.get("properties").and_then(Value::as_object).cloned().unwrap_or_default();
                // The text comes first, so that the other fields can quote it.
                let (texts, others): (Vec<_>, Vec<_>) =
                    fields.iter().partition(|(name, _)| ["text", "speech"].contains(&name.as_str()));
                let fields = texts.into_iter().chain(others).map(|(name, field)| {
                    let value = self.value(field, name);
                    if ["text", "speech"].contains(&name.as_str()) {
                        self.said = value.as_str().unwrap_or_default().to_owned();
                    }
                    (name.clone(), value)
                });
                Value::Object(fields.collect::<Map<_, _>>())
            }
            "array" => {
                let n = if self.inclination == Inclination::Silent { 0 } else { self.random.below(4) };
                let items = schema.get("items").cloned().unwrap_or(Value::Null);
                Value::Array(
                    (0..n.max(usize::from(self.is_talkative || name == "arguments")))
                        .map(|_| self.value(&items, name))
                        .collect(),
                )
            }
            "boolean" => json!(self.says_yes().unwrap_or_else(|| self.random.below(2) == 0)),
            "number" => json!(self.random.below(11) as f64 / 10.0),
            "integer" => json!(self.random.below(4)),
            "null" => Value::Null,
            _ => json!(self.text(name)),
        }
    }

    /// Picks one of the words of an enumeration, by inclination if one of them says yes or no.
    fn word(&mut self, words: &[Value]) -> Value {
        let favourite: &[&str] = match self.says_yes() {
            Some(true) => &["yes", "accept", "supports"],
            Some(false) => &["no", "reject", "attacks"],
            None => &[],
        };
        let favourite = match self.inclination {
            Inclination::Conceding => [favourite, &["concede", "full"]].concat(),
            _ => favourite.to_vec(),
        };
        let liked = words.iter().find(|word| word.as_str().is_some_and(|word| favourite.contains(&word)));
        liked.cloned().unwrap_or_else(|| words[self.random.below(words.len())].clone())
    }

    fn says_yes(&self) -> Option<bool> {
        match self.inclination {
            Inclination::Random => None,
            Inclination::Yes | Inclination::Agreeing | Inclination::Silent | Inclination::Forging => Some(true),
            Inclination::No => Some(false),
            Inclination::Turncoat | Inclination::Conceding => Some(self.replies.is_multiple_of(2)),
        }
    }

    /// Returns a name where the field asks for one, and a sentence otherwise.
    fn text(&mut self, name: &str) -> String {
        let letters: &[&str] = match name {
            "target" | "source" | "argument" | "arguments" => &["a"],
            "turn" | "answers" | "cites" => &["t"],
            "attack" => &["k"],
            "dispute" => &["d"],
            "crux" | "agrees" | "acknowledges" => &["c"],
            "reason" if self.random.below(3) == 0 => &["r"],
            "one" | "other" => &["a", "r"],
            // Two of three quotations are true, the others are forged.
            "stance_words" | "agreement_words" | "words"
                if self.is_talkative || self.inclination != Inclination::Forging && self.random.below(3) > 0 =>
            {
                return self.said.clone();
            }
            "issue" => &["i"],
            "speaker" | "to" | "addressed" => return self.random.choose(&["ada", "ben", "P1", "P2"]).to_owned(),
            _ if self.is_talkative => {
                let word = |random: &mut Random| format!("{:x}", random.below(1u64 << 20));
                let words: Vec<String> = (0..30).map(|_| word(&mut self.random)).collect();
                return match name {
                    "question" => format!("Should the ferry run if {}?", words.join(" ")),
                    _ => format!("The ferry should run if {}.", words.join(" ")),
                };
            }
            _ => return self.random.choose(TEXTS).to_owned(),
        };
        let letter = self.random.choose(letters);
        format!("{letter}{}", 1 + self.random.below(8u64))
    }
}

fn kind(schema: &Value) -> &str {
    match schema.get("type") {
        Some(Value::String(kind)) => kind,
        // `[T, null]`: present.
        Some(Value::Array(kinds)) => kinds.first().and_then(Value::as_str).unwrap_or("string"),
        _ => "string",
    }
}
