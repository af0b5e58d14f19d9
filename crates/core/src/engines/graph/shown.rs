//! Part of the argument graph that a prompt shows: a set number of bytes, however long the debate has lasted.
//!
//! All speakers are shown the same part, so that a provider reads it once; each also sees arguments of its own that are
//! not in it. Contested arguments come first, then those that stand, then the defeated ones; the newest first. What is
//! left out is counted.

use std::collections::BTreeSet;

use crate::engines::shared::bounded_lines::{MAX_ARGUMENT_BYTES, MAX_ATTACK_BYTES, fitting, told};
use crate::engines::shared::view_prompts;
use crate::engines::shared::view_prompts::DisplayNames;
use crate::events::ids::PersonaId;
use crate::kernel::task::{ArgumentInput, AttackInput};

/// Maximum number of bytes of a speaker's own arguments that are shown in addition.
pub const MAX_OWN_BYTES: usize = 4_000;
/// Maximum number of attacks that are judged at once: four of each of twelve speakers.
pub const MAX_JUDGED: usize = 48;
/// Maximum number of bytes of the attacks that are judged at once, unless the first alone is longer.
pub const MAX_JUDGED_BYTES: usize = 24_000;

/// Part of the graph that all speakers are shown.
pub struct Frontier {
    /// Arguments, in the order of their names.
    pub arguments: String,
    /// Attacks among them, in the order of their names.
    pub attacks: String,
    /// Names of the arguments.
    names: BTreeSet<String>,
}

impl Frontier {
    /// Returns true if an argument is among those that all speakers are shown.
    pub fn shows(&self, argument: &ArgumentInput) -> bool {
        self.names.contains(&argument.alias)
    }
}

/// Selects the part of the graph that all speakers are shown.
pub fn frontier(arguments: &[ArgumentInput], attacks: &[AttackInput], names: &DisplayNames) -> Frontier {
    let rank = |argument: &ArgumentInput| match argument.label.as_str() {
        "UNDEC" => 0,
        "IN" => 1,
        _ => 2,
    };
    let mut order: Vec<(usize, &ArgumentInput)> = arguments.iter().enumerate().collect();
    order.sort_by_key(|(at, argument)| (rank(argument), usize::MAX - at));
    let argument_line = |argument| view_prompts::argument_line(argument, names);
    let (shown, left_out) = fitting(order.into_iter(), argument_line, MAX_ARGUMENT_BYTES);
    let shown_names: BTreeSet<String> = shown.iter().map(|(at, _)| arguments[*at].alias.clone()).collect();

    let is_shown = |attack: &AttackInput| shown_names.contains(&attack.source) && shown_names.contains(&attack.target);
    let among = attacks.iter().enumerate().rev().filter(|(_, attack)| is_shown(attack));
    let (shown_attacks, _) = fitting(among, |attack| view_prompts::attack_line(attack, names), MAX_ATTACK_BYTES);
    let more_attacks = attacks.len() - shown_attacks.len();
    Frontier {
        arguments: told(&shown, left_out, "argument", "none yet"),
        attacks: told(&shown_attacks, more_attacks, "attack", "none"),
        names: shown_names,
    }
}

/// Describes a speaker's own arguments: their names, and the newest of those that the shared part leaves out.
pub fn own(arguments: &[ArgumentInput], speaker: &PersonaId, shown: &Frontier, names: &DisplayNames) -> String {
    let own = arguments.iter().enumerate().filter(|(_, argument)| argument.speaker == *speaker);
    let (above, others): (Vec<_>, Vec<_>) = own.partition(|(_, argument)| shown.names.contains(&argument.alias));
    let listed: Vec<&str> = above.iter().map(|(_, argument)| argument.alias.as_str()).collect();
    let mut text = match listed.as_slice() {
        [] => "None of these arguments is your own.".to_owned(),
        [one] => format!("Your own among these arguments is {one}."),
        several => format!("Your own among these arguments are {}.", several.join(", ")),
    };
    if !others.is_empty() {
        let line = |argument| view_prompts::argument_line(argument, names);
        let (shown, left_out) = fitting(others.into_iter().rev(), line, MAX_OWN_BYTES);
        text = format!("{text} Earlier ones of yours:\n{}", told(&shown, left_out, "argument", "none"));
    }
    text
}

/// Selects the attacks that are judged at once: the first that fit.
pub fn judged(unjudged: impl Iterator<Item = AttackInput>, names: &DisplayNames) -> Vec<AttackInput> {
    let mut room = MAX_JUDGED_BYTES;
    let fits = |(at, attack): &(usize, AttackInput)| {
        let bytes = view_prompts::attack_line(attack, names).len();
        let fits = bytes <= room || *at == 0;
        room = room.saturating_sub(bytes);
        fits
    };
    unjudged.take(MAX_JUDGED).enumerate().take_while(fits).map(|(_, attack)| attack).collect()
}

/// Formats attacks that are judged at once, all of them.
pub fn judged_lines(attacks: &[AttackInput], names: &DisplayNames) -> String {
    let lines = attacks.iter().map(|attack| view_prompts::attack_line(attack, names));
    told(&lines.enumerate().collect::<Vec<_>>(), 0, "attack", "none")
}

/// Formats the arguments that some of these attacks are aimed at.
pub fn attacked(arguments: &[ArgumentInput], attacks: &[AttackInput], names: &DisplayNames) -> String {
    let is_target = |argument: &ArgumentInput| attacks.iter().any(|attack| attack.target == argument.alias);
    let targets = arguments.iter().enumerate().rev().filter(|(_, argument)| is_target(argument));
    let line = |argument| view_prompts::argument_line(argument, names);
    let (shown, left_out) = fitting(targets, line, MAX_ARGUMENT_BYTES);
    told(&shown, left_out, "argument", "none")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::events::argument::{ArgumentPart, AttackKind};

    const LABELS: [&str; 3] = ["OUT", "IN", "UNDEC"];

    /// Arguments and attacks of so many speakers and rounds, with the longest texts that an engine accepts.
    fn debate(speakers: usize, rounds: usize) -> (Vec<ArgumentInput>, Vec<AttackInput>) {
        let text = |name: usize| format!("Claim {name} {}", "is long ".repeat(120));
        let speaker = |n: usize| format!("speaker-{}", n % speakers).parse().expect("an id");
        let argument = |n: usize| ArgumentInput {
            alias: format!("a{n}"),
            speaker: speaker(n),
            claim: text(n),
            premises: vec![text(n); 3],
            assumptions: vec![text(n); 2],
            label: LABELS[n % 3].to_owned(),
        };
        let attack = |n: usize| AttackInput {
            alias: format!("k{n}"),
            speaker: speaker(n),
            source: format!("a{}", n + 4),
            counter_claim: text(n + 4),
            target: format!("a{n}"),
            target_text: text(n),
            component: ArgumentPart::Claim,
            kind: AttackKind::Rebut,
            rationale: text(n),
        };
        let n = speakers * 4 * (rounds + 1);
        ((1..=n).map(argument).collect(), (1..n - 4).map(attack).collect())
    }

    #[test]
    fn the_part_shown_is_bounded_however_long_the_debate() {
        const FRAME: usize = 200;
        let names = DisplayNames::default();
        for (speakers, rounds) in [(2, 1), (6, 8), (12, 20)] {
            let (arguments, attacks) = debate(speakers, rounds);
            let shown = frontier(&arguments, &attacks, &names);
            assert!(shown.arguments.len() <= MAX_ARGUMENT_BYTES + FRAME, "{}", shown.arguments.len());
            assert!(shown.attacks.len() <= MAX_ATTACK_BYTES + FRAME, "{}", shown.attacks.len());
            let speaker = &arguments[0].speaker;
            let own = own(&arguments, speaker, &shown, &names);
            assert!(own.len() <= MAX_OWN_BYTES + FRAME, "{}", own.len());
            let judged = attacked(&arguments, &attacks[..attacks.len().min(MAX_JUDGED)], &names);
            assert!(judged.len() <= MAX_ARGUMENT_BYTES + FRAME, "{}", judged.len());
        }
    }

    #[test]
    fn contested_arguments_come_first_and_the_rest_is_counted() {
        let (arguments, attacks) = debate(12, 20);
        let shown = frontier(&arguments, &attacks, &DisplayNames::default());
        let left_out = arguments.len() - shown.names.len();
        assert!(shown.names.iter().all(|name| arguments.iter().any(|it| it.alias == *name && it.label == "UNDEC")));
        assert!(shown.names.contains(&format!("a{}", arguments.len() - 1 - (arguments.len() - 1 - 2) % 3)));
        assert!(
            shown.arguments.ends_with(&format!("({left_out} other arguments are not shown.)")),
            "{}",
            shown.arguments
        );
        assert!(shown.attacks.contains("other attacks are not shown.)"), "{}", shown.attacks);
    }

    #[test]
    fn everything_is_shown_while_it_fits() {
        let (mut arguments, _) = debate(2, 0);
        for argument in &mut arguments {
            (argument.claim, argument.premises, argument.assumptions) = ("So it is.".to_owned(), vec![], vec![]);
        }
        let shown = frontier(&arguments, &[], &DisplayNames::default());
        assert_eq!((shown.names.len(), shown.attacks.as_str()), (arguments.len(), "none"));
        let own = own(&arguments, &arguments[0].speaker, &shown, &DisplayNames::default());
        assert_eq!(own, "Your own among these arguments are a1, a3, a5, a7.");
    }
}
