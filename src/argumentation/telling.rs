//! Skeletons in words, a sentence a step.

use std::collections::BTreeSet;

use crate::argumentation::skeleton::{Answer, Skeleton, Step};

/// How many arguments one sentence names at most.
pub const MAX_NAMED: usize = 12;

/// The sentences of a skeleton, in order, with the names that arguments are known by.
///
/// What nobody attacks gets no sentence of its own where the sentence before can say so. What a limit left out is told
/// in a last sentence.
pub fn tell(skeleton: &Skeleton, name: impl Fn(u32) -> String) -> Vec<String> {
    let free: BTreeSet<u32> = skeleton.steps.iter().filter_map(unattacked).collect();
    let teller = Teller { name, free };
    let own = |step: &&Step| unattacked(step).is_none_or(|argument| argument == skeleton.argument);
    let mut sentences: Vec<String> = skeleton.steps.iter().filter(own).map(|step| teller.sentence(step)).collect();
    match skeleton.omitted {
        0 => {}
        1 => sentences.push("One more step is left out.".to_owned()),
        omitted => sentences.push(format!("{omitted} more steps are left out.")),
    }
    sentences
}

/// The argument of a step that says that nobody attacks it.
fn unattacked(step: &Step) -> Option<u32> {
    match step {
        Step::Stands { argument, answers, .. } if answers.is_empty() => Some(*argument),
        _ => None,
    }
}

struct Teller<N> {
    name: N,
    /// What nobody attacks.
    free: BTreeSet<u32>,
}

impl<N: Fn(u32) -> String> Teller<N> {
    fn sentence(&self, step: &Step) -> String {
        let name = &self.name;
        match step {
            Step::Stands { argument, answers, .. } => format!("{} {}.", name(*argument), self.defence(answers)),
            Step::Falls { argument, to, .. } => format!("{} falls to {}.", name(*argument), self.defeater(*to)),
            Step::Waits { argument, on } => {
                format!("{} is undecided because {}, which attacks it, is.", name(*argument), name(*on))
            }
            Step::Circle { arguments } => self.circle(arguments),
        }
    }

    /// Why something stands.
    fn defence(&self, answers: &[Answer]) -> String {
        let name = &self.name;
        match answers {
            [] => "stands: nobody attacks it".to_owned(),
            [Answer { attacker, by }] => {
                format!("stands because {}, which attacked it, falls to {}", name(*attacker), self.defeater(*by))
            }
            _ => {
                let mut defeaters: Vec<u32> = Vec::new();
                for by in answers.iter().take(MAX_NAMED).map(|answer| answer.by) {
                    if !defeaters.contains(&by) {
                        defeaters.push(by);
                    }
                }
                let fallen = |by: u32| {
                    let to_it = answers.iter().take(MAX_NAMED).filter(|answer| answer.by == by);
                    let named: Vec<String> = to_it.map(|answer| name(answer.attacker)).collect();
                    let fall = if named.len() == 1 { "falls" } else { "fall" };
                    format!("{} {fall} to {}", joined(&named), self.defeater(by))
                };
                let groups: Vec<String> = defeaters.into_iter().map(fallen).collect();
                let more = answers.len().saturating_sub(MAX_NAMED);
                let rest = if more == 0 { String::new() } else { format!("; so do {more} more") };
                format!("stands because all that attacked it is defeated: {}{rest}", groups.join("; "))
            }
        }
    }

    /// Something that stands, and that nobody attacks it if so.
    fn defeater(&self, argument: u32) -> String {
        let name = (self.name)(argument);
        if self.free.contains(&argument) { format!("{name}, which nobody attacks") } else { name }
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
                format!("{first} is undecided: {} attack one another in a circle, {UNDECIDED}.", joined(&named))
            }
        }
    }
}

/// `a`, `a and b`, `a, b and c`.
fn joined(names: &[String]) -> String {
    match names {
        [front @ .., last] if !front.is_empty() => format!("{} and {last}", front.join(", ")),
        _ => names.concat(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::argumentation::framework::Framework;
    use crate::argumentation::reasons::Grounds;
    use crate::argumentation::skeleton::skeleton;

    fn told(arguments: usize, attacks: &[(u32, u32)], argument: u32, most: usize) -> Vec<String> {
        let framework = Framework::new(arguments, attacks.iter().copied()).expect("in range");
        tell(&skeleton(&Grounds::new(&framework), argument, most), |argument| format!("a{argument}"))
    }

    #[test]
    fn reasons_are_told() {
        fn check(attacks: &[(u32, u32)], argument: u32, sentences: &[&str]) {
            assert_eq!(told(10, attacks, argument, usize::MAX), sentences, "{attacks:?}");
        }
        check(&[], 2, &["a2 stands: nobody attacks it."]);
        check(&[(2, 4)], 4, &["a4 falls to a2, which nobody attacks."]);
        check(&[(2, 4), (4, 9)], 9, &["a9 stands because a4, which attacked it, falls to a2, which nobody attacks."]);
        let deep = [(4, 9), (2, 4), (1, 2), (0, 1), (5, 9), (6, 9), (3, 5), (3, 6)];
        check(
            &deep,
            9,
            &[
                "a9 stands because all that attacked it is defeated: a4 falls to a2; \
                 a5 and a6 fall to a3, which nobody attacks.",
                "a2 stands because a1, which attacked it, falls to a0, which nobody attacks.",
            ],
        );
        check(
            &deep,
            4,
            &["a4 falls to a2.", "a2 stands because a1, which attacked it, falls to a0, which nobody attacks."],
        );
        check(&[(3, 3)], 3, &["a3 is undecided: it attacks itself, and nothing outside decides it."]);
        check(&[(3, 5), (5, 3)], 3, &["a3 is undecided: a3 and a5 attack each other, and nothing outside decides it."]);
        check(
            &[(3, 5), (5, 7), (7, 3), (3, 8)],
            8,
            &[
                "a8 is undecided because a3, which attacks it, is.",
                "a3 is undecided: a3, a5 and a7 attack one another in a circle, and nothing outside decides it.",
            ],
        );
    }

    #[test]
    fn long_stories_are_cut_and_say_so() {
        let chain: Vec<(u32, u32)> = (1..40).map(|a| (a - 1, a)).collect();
        let sentences = told(40, &chain, 38, 3);
        assert_eq!(sentences.len(), 4);
        assert_eq!(sentences[2], "a34 stands because a33, which attacked it, falls to a32.");
        assert_eq!(sentences[3], "17 more steps are left out.");
        assert_eq!(told(40, &chain, 38, 19).last().expect("not empty"), "One more step is left out.");
        let crowd: Vec<(u32, u32)> = (1..20).flat_map(|a| [(a, 0), (20, a)]).collect();
        let sentence = &told(21, &crowd, 0, 3)[0];
        assert!(sentence.ends_with("a11 and a12 fall to a20, which nobody attacks; so do 7 more."), "{sentence}");
        let ring: Vec<(u32, u32)> = (0..20).map(|a| (a, (a + 1) % 20)).chain([(0, 19), (19, 18)]).collect();
        let ring = told(20, &ring[..20], 0, 3);
        assert!(ring[0].contains("a10, a11 and 8 more attack one another in a circle"), "{ring:?}");
    }
}
