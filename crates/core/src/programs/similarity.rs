//! Similarity of two texts by their tokens; of two logic programs, by those of their normal forms.

use crate::programs::normal_form::RuleProgram;

/// Jaccard similarity of the token sets of two texts, from 0 to 1. Tokens are separated by white space and keep their
/// punctuation; order and repetition are ignored. Returns 1 for two empty texts, and 0 if only one is empty.
///
/// Cost: that of sorting the tokens.
pub fn token_similarity(one: &str, other: &str) -> f64 {
    let (one, other) = (tokens(one), tokens(other));
    let shared = one.iter().filter(|token| other.binary_search(token).is_ok()).count();
    let all = one.len() + other.len() - shared;
    if all == 0 { 1.0 } else { shared as f64 / all as f64 }
}

/// Similarity of two proposals: [`token_similarity`] of the normal forms if both are logic programs, so that white space
/// and comments do not count; otherwise that of the texts.
pub fn similarity(one: &str, other: &str) -> f64 {
    match (RuleProgram::parse(one), RuleProgram::parse(other)) {
        (Some(one), Some(other)) => token_similarity(&one.text(), &other.text()),
        _ => token_similarity(one, other),
    }
}

fn tokens(text: &str) -> Vec<&str> {
    let mut tokens: Vec<&str> = text.split_whitespace().collect();
    tokens.sort_unstable();
    tokens.dedup();
    tokens
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIGNED: &str = "enforceable(C) :- contract(C), signed(C).";

    fn check(one: &str, other: &str, expected: f64) {
        for found in [similarity(one, other), similarity(other, one), token_similarity(one, other)] {
            assert!((found - expected).abs() < 5e-5, "{found} for {one:?} and {other:?}");
        }
    }

    #[test]
    fn similarity_is_that_of_token_sets() {
        check("", "", 1.0);
        check("", " \n", 1.0);
        check("", "a", 0.0);
        check("a b a", "b  a", 1.0);
        check("a, b", "a b", 1.0 / 3.0);
        check(SIGNED, SIGNED, 1.0);
    }

    /// Figures of the predecessor for rules with literals added, and for a body in another order.
    #[test]
    fn similarity_reproduces_the_figures_for_single_rules() {
        check(SIGNED, "enforceable(C) :- contract(C), signed(C), consideration(C), capacity(P1), capacity(P2).", 0.375);
        let grown = "enforceable(C) :- contract(C), consideration(C), capacity(P1), capacity(P2).";
        check("enforceable(C) :- contract(C).", grown, 0.2857);
        check("p(X) :- q(X), r(X), s(X).", "p(X) :- s(X), r(X), q(X).", 0.4286);
    }

    /// Published run of three steps.
    #[test]
    fn similarity_reproduces_the_published_figures() {
        let c = "enforceable(Contract) :- contract(Contract), ";
        let steps = [
            format!(
                "{c}acceptance(Contract), consideration(Contract), not invalid_capacity(Contract), not illegal_purpose(Contract)."
            ),
            format!(
                "{c}valid_offer(Contract), valid_acceptance(Contract), sufficient_consideration(Contract), full_legal_capacity(Contract), legal_purpose(Contract), mutually_assented(Contract)"
            ),
            format!(
                "{c}valid_offer(Contract), valid_acceptance(Contract), sufficient_consideration(Contract), legal_capacity_weighted(Contract), legal_purpose(Contract), mutually_assented(Contract), jurisdiction_valid(Contract), temporal_validity(Contract), not_prohibited(Contract)"
            ),
            format!(
                "{c}valid_offer(Contract), valid_acceptance(Contract), sufficient_consideration(Contract), legal_capacity(Contract), no_coercion_or_undue_influence(Contract), legal_purpose(Contract), mutually_assented(Contract), jurisdiction_compatibility(Contract), temporal_validity(Contract), not_prohibited(Contract)"
            ),
        ];
        for (pair, expected) in steps.windows(2).zip([0.2143, 0.5, 0.6667]) {
            check(&pair[0], &pair[1], expected);
        }
    }

    #[test]
    fn the_layout_of_a_rule_does_not_count() {
        let laid_out = "% who may sue\nenforceable( C ) :-\n    contract( C ),\n    signed( C ).\n";
        assert!((similarity(SIGNED, laid_out) - 1.0).abs() < f64::EPSILON);
        assert!(token_similarity(SIGNED, laid_out) < 0.2);
    }
}
