//! Explanations of grounded labels as text, one sentence per step.

use std::collections::BTreeSet;

use crate::explanation::explanation::{DefeatedAttacker, Explanation, ExplanationStep};

/// Maximum number of arguments named in one sentence.
pub const MAX_NAMED: usize = 12;

/// Renders an explanation as sentences, in the order of its steps; `name` returns the display name of an argument.
///
/// An unattacked argument gets no sentence of its own, because the sentence that refers to it says that nothing attacks
/// it; the explained argument always gets one. If a limit cut the steps, a last sentence gives the number of omitted
/// steps.
pub fn explanation_sentences(explanation: &Explanation, name: impl Fn(u32) -> String) -> Vec<String> {
    let free: BTreeSet<u32> = explanation.steps.iter().filter_map(unattacked).collect();
    let teller = Teller { name, free };
    let own = |step: &&ExplanationStep| unattacked(step).is_none_or(|argument| argument == explanation.argument);
    let mut sentences: Vec<String> = explanation.steps.iter().filter(own).map(|step| teller.sentence(step)).collect();
    match explanation.omitted {
        0 => {}
        1 => sentences.push("One more step is left out.".to_owned()),
        omitted => sentences.push(format!("{omitted} more steps are left out.")),
    }
    sentences
}

/// Returns the argument of a step about an unattacked argument, and `None` for any other step.
fn unattacked(step: &ExplanationStep) -> Option<u32> {
    match step {
        ExplanationStep::Accepted { argument, defeats: answers, .. } if answers.is_empty() => Some(*argument),
        _ => None,
    }
}

struct Teller<N> {
    name: N,
    /// Arguments that nothing attacks.
    free: BTreeSet<u32>,
}

impl<N: Fn(u32) -> String> Teller<N> {
    fn sentence(&self, step: &ExplanationStep) -> String {
        let name = &self.name;
        match step {
            ExplanationStep::Accepted { argument, defeats: answers, .. } => {
                format!("{} {}.", name(*argument), self.defence(answers))
            }
            ExplanationStep::Defeated { argument, defeater: to, .. } => {
                format!("{} is defeated by {}.", name(*argument), self.defeater(*to))
            }
            ExplanationStep::Undecided { argument, attacker: on } => {
                format!("{} is undecided because {}, which attacks it, is undecided.", name(*argument), name(*on))
            }
            ExplanationStep::Cycle { arguments } => self.circle(arguments),
        }
    }

    /// Explains why an argument is accepted.
    fn defence(&self, answers: &[DefeatedAttacker]) -> String {
        let name = &self.name;
        match answers {
            [] => "is accepted: nothing attacks it".to_owned(),
            [DefeatedAttacker { attacker, defeater: by }] => {
                format!(
                    "is accepted because {}, which attacks it, is defeated by {}",
                    name(*attacker),
                    self.defeater(*by)
                )
            }
            _ => {
                let mut defeaters: Vec<u32> = Vec::new();
                for by in answers.iter().take(MAX_NAMED).map(|answer| answer.defeater) {
                    if !defeaters.contains(&by) {
                        defeaters.push(by);
                    }
                }
                let fallen = |by: u32| {
                    let to_it = answers.iter().take(MAX_NAMED).filter(|answer| answer.defeater == by);
                    let named: Vec<String> = to_it.map(|answer| name(answer.attacker)).collect();
                    let verb = if named.len() == 1 { "is" } else { "are" };
                    format!("{} {verb} defeated by {}", joined(&named), self.defeater(by))
                };
                let groups: Vec<String> = defeaters.into_iter().map(fallen).collect();
                let more = answers.len().saturating_sub(MAX_NAMED);
                let rest = if more == 0 { String::new() } else { format!("; so are {more} more") };
                format!("is accepted because all its attackers are defeated: {}{rest}", groups.join("; "))
            }
        }
    }

    /// Names a defeater and, if so, adds that nothing attacks it.
    fn defeater(&self, argument: u32) -> String {
        let name = (self.name)(argument);
        if self.free.contains(&argument) { format!("{name}, which nothing attacks") } else { name }
    }

    fn circle(&self, arguments: &[u32]) -> String {
        const UNDECIDED: &str = "and nothing outside decides it";
        let mut named: Vec<String> = arguments.iter().take(MAX_NAMED).map(|&argument| (self.name)(argument)).collect();
        let first = named.first().cloned().unwrap_or_default();
        match arguments.len() {
            1 => format!("{first} is undecided: it attacks itself, {UNDECIDED}."),
            2 => format!("{first} is undecided: {} attack each other, {UNDECIDED}.", joined(&named)),
            len => {
                if len > MAX_NAMED {
                    named.push(format!("{} more", len - MAX_NAMED));
                }
                format!("{first} is undecided: {} attack one another in a cycle, {UNDECIDED}.", joined(&named))
            }
        }
    }
}

/// Joins names: `a`, `a and b`, `a, b and c`.
fn joined(names: &[String]) -> String {
    match names {
        [front @ .., last] if !front.is_empty() => format!("{} and {last}", front.join(", ")),
        _ => names.concat(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::explanation::explanation::explain_label;
    use crate::explanation::reasons::GroundedDerivation;
    use crate::framework::Framework;

    fn told(arguments: usize, attacks: &[(u32, u32)], argument: u32, most: usize) -> Vec<String> {
        let framework = Framework::new(arguments, attacks.iter().copied()).expect("in range");
        explanation_sentences(&explain_label(&GroundedDerivation::new(&framework), argument, most), |argument| {
            format!("a{argument}")
        })
    }

    #[test]
    fn every_label_is_explained_in_sentences() {
        fn check(attacks: &[(u32, u32)], argument: u32, sentences: &[&str]) {
            assert_eq!(told(10, attacks, argument, usize::MAX), sentences, "{attacks:?}");
        }
        check(&[], 2, &["a2 is accepted: nothing attacks it."]);
        check(&[(2, 4)], 4, &["a4 is defeated by a2, which nothing attacks."]);
        check(
            &[(2, 4), (4, 9)],
            9,
            &["a9 is accepted because a4, which attacks it, is defeated by a2, which nothing attacks."],
        );
        let deep = [(4, 9), (2, 4), (1, 2), (0, 1), (5, 9), (6, 9), (3, 5), (3, 6)];
        check(
            &deep,
            9,
            &[
                "a9 is accepted because all its attackers are defeated: a4 is defeated by a2; \
                 a5 and a6 are defeated by a3, which nothing attacks.",
                "a2 is accepted because a1, which attacks it, is defeated by a0, which nothing attacks.",
            ],
        );
        check(
            &deep,
            4,
            &[
                "a4 is defeated by a2.",
                "a2 is accepted because a1, which attacks it, is defeated by a0, which nothing attacks.",
            ],
        );
        check(&[(3, 3)], 3, &["a3 is undecided: it attacks itself, and nothing outside decides it."]);
        check(&[(3, 5), (5, 3)], 3, &["a3 is undecided: a3 and a5 attack each other, and nothing outside decides it."]);
        check(
            &[(3, 5), (5, 7), (7, 3), (3, 8)],
            8,
            &[
                "a8 is undecided because a3, which attacks it, is undecided.",
                "a3 is undecided: a3, a5 and a7 attack one another in a cycle, and nothing outside decides it.",
            ],
        );
    }

    #[test]
    fn long_explanations_are_cut_and_report_the_omission() {
        let chain: Vec<(u32, u32)> = (1..40).map(|a| (a - 1, a)).collect();
        let sentences = told(40, &chain, 38, 3);
        assert_eq!(sentences.len(), 4);
        assert_eq!(sentences[2], "a34 is accepted because a33, which attacks it, is defeated by a32.");
        assert_eq!(sentences[3], "17 more steps are left out.");
        assert_eq!(told(40, &chain, 38, 19).last().expect("not empty"), "One more step is left out.");
        let crowd: Vec<(u32, u32)> = (1..20).flat_map(|a| [(a, 0), (20, a)]).collect();
        let sentence = &told(21, &crowd, 0, 3)[0];
        assert!(
            sentence.ends_with("a11 and a12 are defeated by a20, which nothing attacks; so are 7 more."),
            "{sentence}"
        );
        let ring: Vec<(u32, u32)> = (0..20).map(|a| (a, (a + 1) % 20)).chain([(0, 19), (19, 18)]).collect();
        let ring = told(20, &ring[..20], 0, 3);
        assert!(ring[0].contains("a10, a11 and 8 more attack one another in a cycle"), "{ring:?}");
    }
}
