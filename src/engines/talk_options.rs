//! The numbers of a talk: each by its name, with its default, recorded in the opening event.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::engines::options;
use crate::kernel::engine::{OptionDoc, Refusal};

/// The options that every talk has.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TalkOptions {
    /// Turns before the last words, failed ones included.
    pub turn_budget: u32,
    /// The share of them after which the crux is sought.
    pub crux_share: f64,
    /// The share of them after which the last words are asked for.
    pub closing_share: f64,
    /// Turns that must wait before any are distilled.
    pub fewest_pending: u32,
    /// Turns that never wait longer.
    pub most_pending: u32,
    /// Turns that a clerk sees at the least, older ones to understand the new.
    pub fewest_distilled: u32,
    /// New turns that a clerk sees at the most.
    pub most_distilled: u32,
    /// Turns that a speaker sees.
    pub shown_turns: u32,
    /// Crystallizations over which what is contested must be the same.
    pub stable: u32,
    /// Turns of others for which a participant waits at the most.
    pub patience: u32,
    /// Overlap of the latest turns with those before them from which the talk circles.
    pub circling: f64,
    /// The same, where an embedder tells how alike turns are in what they mean.
    pub circling_meaning: f64,
    /// How many turns are held against as many.
    pub circling_turns: u32,
    /// Turns for which a challenge goes unanswered before somebody is told.
    pub unanswered: u32,
    /// Challenges in a row before somebody is told.
    pub challenges: u32,
    /// Pairs of claims that one comparison examines.
    pub pairs: u32,
    /// Passages that a speaker is given.
    pub passages: u32,
    /// Tokens that one reply may have.
    pub max_tokens: u32,
}

impl Default for TalkOptions {
    fn default() -> Self {
        TalkOptions {
            turn_budget: 30,
            crux_share: 0.6,
            closing_share: 0.85,
            fewest_pending: 2,
            most_pending: 5,
            fewest_distilled: 6,
            most_distilled: 11,
            shown_turns: 8,
            stable: 3,
            patience: 3,
            circling: 0.6,
            circling_meaning: 0.6,
            circling_turns: 4,
            unanswered: 3,
            challenges: 4,
            pairs: 60,
            passages: 4,
            max_tokens: 4_096,
        }
    }
}

const fn doc(name: &'static str, about: &'static str, default: &'static str) -> OptionDoc {
    OptionDoc { name, about, default }
}

/// The documentation of the options that every talk has.
const DOCS: [OptionDoc; 18] = [
    doc("turn_budget", "turns before the last words, failed ones included, 4 to 1000", "30"),
    doc("crux_share", "share of the turns after which the crux is sought, 0 to 1", "0.6"),
    doc("closing_share", "share of the turns after which last words are asked for, crux_share to 1", "0.85"),
    doc("fewest_pending", "turns that must wait before any are distilled, 1 to 20", "2"),
    doc("most_pending", "turns after which they are distilled in any case, fewest_pending to 40", "5"),
    doc("fewest_distilled", "turns that the crystallizer sees at the least, older ones included, 1 to 40", "6"),
    doc("most_distilled", "new turns that the crystallizer sees at the most, 2 to 40", "11"),
    doc("shown_turns", "latest turns that a speaker sees, 2 to 100", "8"),
    doc("stable", "crystallizations over which what is contested stays the same, 2 to 20", "3"),
    doc(
        "patience",
        "turns of others that a participant waits at the most, where four or fewer take part, 1 to 20",
        "3",
    ),
    doc("circling", "overlap of content words from which the talk goes in circles, 0 to 1", "0.6"),
    doc("circling_meaning", "mean likeness by an embedder from which the talk goes in circles, 0 to 1", "0.6"),
    doc("circling_turns", "turns that are held against as many before them, 2 to 20", "4"),
    doc("unanswered", "turns for which a challenge goes unanswered before a hint, 1 to 20", "3"),
    doc("challenges", "challenges in a row before a hint, 2 to 20", "4"),
    doc("pairs", "pairs of claims that one comparison examines, 1 to 80", "60"),
    doc("passages", "passages of its own that a speaker is given, 0 to 12", "4"),
    doc("max_tokens", "tokens that one reply may have, 256 to 32000", "4096"),
];

/// The documentation of an engine's own options, followed by those of every talk; `ALL` is how many there are.
pub const fn documented<const OWN: usize, const ALL: usize>(own: [OptionDoc; OWN]) -> [OptionDoc; ALL] {
    let mut all = [DOCS[0]; ALL];
    let mut at = 0;
    while at < ALL {
        all[at] = if at < OWN { own[at] } else { DOCS[at - OWN] };
        at += 1;
    }
    all
}

/// Reads the options of an engine: its own, and those of every talk.
///
/// # Errors
/// A [`Refusal`] that names the option and its range, or those there are.
pub fn read<O: serde::de::DeserializeOwned + Default>(
    given: &Value,
    known: &'static [OptionDoc],
) -> Result<(O, TalkOptions), Refusal> {
    let (mut own, mut shared) = (given.clone(), given.clone());
    if let (Some(own), Some(shared)) = (own.as_object_mut(), shared.as_object_mut()) {
        let is_shared = |name: &str| DOCS.iter().any(|it| it.name == name);
        own.retain(|name, _| !is_shared(name));
        shared.retain(|name, _| is_shared(name));
    }
    let shared: TalkOptions = options::read(&shared, known)?;
    check(&shared)?;
    Ok((options::read(&own, known)?, shared))
}

/// All options of an engine with their defaults written out.
pub fn written_out<O: Serialize>((own, shared): &(O, TalkOptions)) -> Value {
    let fields = |it: Value| if let Value::Object(fields) = it { fields } else { Map::new() };
    let mut all = fields(options::written_out(own));
    all.extend(fields(options::written_out(shared)));
    Value::Object(all)
}

fn check(read: &TalkOptions) -> Result<(), Refusal> {
    let numbers = [
        ("turn_budget", read.turn_budget, 4, 1_000),
        ("fewest_pending", read.fewest_pending, 1, 20),
        ("most_pending", read.most_pending, read.fewest_pending, 40),
        ("fewest_distilled", read.fewest_distilled, 1, 40),
        ("most_distilled", read.most_distilled, 2, 40),
        ("shown_turns", read.shown_turns, 2, 100),
        ("stable", read.stable, 2, 20),
        ("patience", read.patience, 1, 20),
        ("circling_turns", read.circling_turns, 2, 20),
        ("unanswered", read.unanswered, 1, 20),
        ("challenges", read.challenges, 2, 20),
        ("pairs", read.pairs, 1, 80),
        ("passages", read.passages, 0, 12),
        ("max_tokens", read.max_tokens, 256, 32_000),
    ];
    for (name, value, lowest, highest) in numbers {
        options::within(name, value, lowest, highest)?;
    }
    options::within("crux_share", read.crux_share, 0.0, 1.0)?;
    options::within("closing_share", read.closing_share, read.crux_share, 1.0)?;
    options::within("circling", read.circling, 0.0, 1.0)?;
    options::within("circling_meaning", read.circling_meaning, 0.0, 1.0)
}
