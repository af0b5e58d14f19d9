//! Reservation of a debate's limits for calls that run side by side.
//!
//! What a call will take is known only when it has ended. Each call under way therefore reserves what it can take at
//! most, and further ones wait if that does not fit into what is left. A single call is always started while a limit is
//! not reached: limits of tokens are overshot by one call at most. The cost of tokens is estimated by the dearest call so
//! far; before the first call with a price, nothing is reserved.

use crate::events::lifecycle::DebateLimits;
use crate::kernel::effect::Effect;
use crate::kernel::ledger::Ledger;
use crate::kernel::passages::prompt_assembly::{MAX_PASSAGE_BYTES, MAX_TITLE_BYTES};
use crate::kernel::retry_reason;

/// Number of bytes of a prompt that one token takes at least. English has about four.
const TOKEN_BYTES: usize = 3;

/// Returns those of the effects, in order, that can be started beside the running ones.
pub fn affordable(effects: Vec<Effect>, running: &[Effect], ledger: &Ledger, limits: &DebateLimits) -> Vec<Effect> {
    let (tokens, cost) = ledger.left(limits);
    let mut reserved: u64 = running.iter().map(|effect| most_tokens(effect, ledger)).sum();
    let mut is_alone = running.is_empty();
    let fits = |effect: &Effect| {
        reserved = reserved.saturating_add(most_tokens(effect, ledger));
        let fits = reserved <= tokens && ledger.cost_of(reserved) <= cost;
        std::mem::replace(&mut is_alone, false) || fits
    };
    effects.into_iter().take_while(fits).collect()
}

/// Returns the number of tokens that an effect can take at most: its prompt, its passages, and a reply up to the limit.
pub fn most_tokens(effect: &Effect, ledger: &Ledger) -> u64 {
    let queries = [&effect.ground, &effect.added.shared, &effect.added.search].into_iter().flatten();
    let passages: usize = queries.map(|query| query.passages as usize).sum();
    let schema = effect.prompt.schema.to_string().len();
    let bytes = effect.prompt.system.len()
        + effect.prompt.text.len()
        + schema
        + passages.saturating_mul(MAX_PASSAGE_BYTES + MAX_TITLE_BYTES);
    let reply = retry_reason::token_limit(effect.prompt.max_tokens, ledger.of(&effect.key).truncations);
    (bytes / TOKEN_BYTES) as u64 + u64::from(reply)
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::events::receipt::Tier;
    use crate::kernel::effect::{AddedQueries, Responder, effect_key};
    use crate::kernel::prompt::Prompt;
    use crate::kernel::task::{Task, TaskKind};

    fn effects(n: u32) -> Vec<Effect> {
        let task = || Task {
            topic: String::new(),
            seed: 0,
            speaker: None,
            participants: Vec::new(),
            work: TaskKind::OpenTalk,
        };
        let prompt = || Prompt {
            system: String::new(),
            text: "x".repeat(300 * TOKEN_BYTES),
            schema: Value::Bool(true),
            schema_name: "turn",
            max_tokens: 700,
            task: task(),
        };
        let effect = |number| Effect {
            key: effect_key("open", "ada", number),
            voice: Responder::Clerk,
            tier: Tier::Deep,
            prompt: prompt(),
            ground: None,
            added: AddedQueries::default(),
        };
        (0..n).map(effect).collect()
    }

    #[test]
    fn calls_side_by_side_fit_into_what_is_left_and_a_single_one_always_starts() {
        let check = |tokens: u64, running: u32, expected: usize| {
            let limits = DebateLimits { tokens, ..DebateLimits::default() };
            let started = affordable(effects(3), &effects(running), &Ledger::default(), &limits);
            assert_eq!(started.len(), expected, "{tokens} tokens beside {running}");
        };
        // Each takes 1,001 tokens at most.
        check(10_000, 0, 3);
        check(3_003, 0, 3);
        check(3_002, 0, 2);
        check(1_500, 0, 1);
        check(1, 0, 1);
        check(1, 1, 0);
        check(2_500, 1, 1);
    }
}
