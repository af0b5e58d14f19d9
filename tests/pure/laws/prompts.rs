//! Prompts have a set size, however many take part and however long a debate lasts; and most of a prompt was read by the
//! provider before.
//!
//! `cargo test --test pure prompts -- --nocapture` prints the sizes and shares.

use std::collections::BTreeMap;

use faultline_core::engines::registry::ENGINES;
use faultline_core::events::lifecycle::DebateLimits;
use faultline_core::kernel::effect::EffectAttempt;
use serde_json::{Value, json};

use crate::laws::support::script;
use crate::rehearsal::{Script, play};
use crate::support::adversary::Adversary;

/// Maximum number of bytes of a prompt, its schema included: about 20,000 tokens of English.
const MAX_PROMPT_BYTES: usize = 80_000;
/// Number of turns of each participant in a talk, and of rounds where an engine has rounds, as far as it allows them.
const ROUNDS: usize = 20;
/// Seed of the replies. With some seeds a debate of two ends early, because nothing is contested.
const SEED: u64 = 5;

#[test]
fn prompts_have_a_set_size_however_long_the_debate() {
    for engine in ENGINES.iter().filter(|engine| !engine.is_external()) {
        let (least, most) = engine.participants;
        for n in [least.max(2), 6, 12].into_iter().filter(|n| *n <= most) {
            let asked = requests(engine.name, n);
            let mut largest: BTreeMap<&str, usize> = BTreeMap::new();
            for request in &asked {
                let most = largest.entry(request.key.purpose.as_str()).or_default();
                *most = (*most).max(bytes(request));
            }
            if n > 2 && !["baseline", "graph", "classical", "pro_con"].contains(&engine.name) {
                let turns = asked.iter().filter(|request| ["open", "turn"].contains(&request.key.purpose.as_str()));
                let n_turns = turns.count();
                assert!(
                    n_turns >= ROUNDS * n,
                    "{}, {n} participants: the talk ended after {n_turns} turns",
                    engine.name
                );
            }
            let (first, last) = (mean(&asked[..asked.len() / 4]), mean(&asked[asked.len() * 3 / 4..]));
            println!(
                "{}, {n} participants: {} prompts, {first} bytes in the first quarter, {last} in the last, cached {:.2}; \
                 largest {largest:?}",
                engine.name,
                asked.len(),
                cached_share(&asked)
            );
            let too_large: Vec<_> = largest.iter().filter(|(_, bytes)| **bytes > MAX_PROMPT_BYTES).collect();
            assert!(too_large.is_empty(), "{}, {n} participants: {too_large:?}", engine.name);
        }
    }
}

/// Plays a debate of participants who always say something new, and returns its requests.
fn requests(engine: &str, n: usize) -> Vec<EffectAttempt> {
    let limits =
        DebateLimits { calls: 5_000, turns: 5_000, tokens: 1_000_000_000, seconds: 100_000, ..DebateLimits::default() };
    let options = match engine {
        "graph" | "dialectic" => json!({ "rounds": 10, "audit": "off" }),
        "pro_con" => json!({ "rounds": 10, "audit": "off" }),
        "baseline" => json!({ "method": "free_talk", "talk_turns": 40, "audit": "off" }),
        "blitz" => json!({ "rounds": ROUNDS, "final_rounds": 4, "stable": 10, "converged": 1.0, "audit": "off" }),
        "classical" => json!({ "rounds": 40, "final_rounds": 8, "stable": 10, "converged": 1.0, "audit": "off" }),
        // Nothing but the number of turns ends the exchange.
        _ => json!({
            "turn_budget": ROUNDS * n, "crux_share": 1.0, "closing_share": 1.0, "stable": 20, "audit": "off",
        }),
    };
    let mut options = options;
    let eager = match engine {
        // The first disagreements get rooms.
        "crux_rooms" => Some(json!({ "windows": 1, "confidence": 0.0, "cooldown_turns": 0, "rooms": 8 })),
        "forum" => Some(json!({ "windows": 1, "confidence": 0.0, "threads": 8 })),
        _ => None,
    };
    if let Some(eager) = eager {
        options.as_object_mut().into_iter().for_each(|all| all.extend(eager.as_object().cloned().unwrap_or_default()));
    }
    let personas = (0..n).map(|number| format!("speaker-{number}")).collect();
    let adversary = Some(Adversary::talkative(SEED));
    let mut script = Script { personas, options, adversary, ..script(engine, limits, &[]) };
    play(&mut script, None);
    script.asked
}

fn bytes(request: &EffectAttempt) -> usize {
    let prompt = &request.prompt;
    prompt.system.len() + prompt.text.len() + schema_bytes(&prompt.schema)
}

fn schema_bytes(schema: &Value) -> usize {
    schema.to_string().len()
}

fn mean(requests: &[EffectAttempt]) -> usize {
    requests.iter().map(bytes).sum::<usize>() / requests.len().max(1)
}

/// Share of all prompt bytes that begin an earlier prompt, as a provider's cache of prefixes accounts them.
fn cached_share(requests: &[EffectAttempt]) -> f64 {
    let text = |request: &EffectAttempt| format!("{}\n{}", request.prompt.system, request.prompt.joined());
    let texts: Vec<String> = requests.iter().map(text).collect();
    // Comparing whole halves is what is fast without optimization.
    let common = |one: &str, other: &str| {
        let (mut same, mut differs) = (0, one.len().min(other.len()) + 1);
        while same + 1 < differs {
            let middle = usize::midpoint(same, differs);
            let is_same = one.as_bytes()[same..middle] == other.as_bytes()[same..middle];
            if is_same { same = middle } else { differs = middle }
        }
        same
    };
    let cached = |at: usize| texts[at.saturating_sub(40)..at].iter().map(|earlier| common(earlier, &texts[at])).max();
    let shared: usize = (0..texts.len()).filter_map(cached).sum();
    shared as f64 / texts.iter().map(String::len).sum::<usize>().max(1) as f64
}
