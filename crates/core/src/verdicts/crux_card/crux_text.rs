//! Explanations of cruxes, composed by rules without a language model.

use crate::events::ids::{PersonaId, TurnId};
use crate::projections::crux_proposals::ProposedCrux;
use crate::verdicts::consequence::{Consequence, CountedClaims};
use crate::verdicts::crux::{Crux, Position, PositionSide};

/// Maximum number of characters of a quotation.
pub const MAX_QUOTE_CHARS: usize = 280;

/// Explains the rank of a structural crux.
pub fn why_statement(consequence: &Consequence, dependents: usize) -> String {
    let rest = if dependents == 1 { "argument rests on it" } else { "arguments rest on it" };
    format!("{}; {dependents} disputed {rest}", why_theses(consequence))
}

/// Describes the effect of settling a structural crux on the theses or, if none is in play, on the disputed claims.
pub fn why_theses(consequence: &Consequence) -> String {
    let Consequence { changed, theses, order, searched, among } = *consequence;
    let (one, several) = match among {
        CountedClaims::Theses => ("answer to the topic", "answers to the topic"),
        CountedClaims::DisputedClaims => ("claim in conflict", "claims in conflict"),
    };
    let of = match theses {
        1 => format!("the only {one} that does not rest on it"),
        _ => format!("the {theses} {several} that do not rest on it"),
    };
    let some = match theses {
        1 => of.clone(),
        _ if changed == theses => format!("all {theses} {several} that do not rest on it"),
        _ => format!("{changed} of {of}"),
    };
    let none = match theses {
        1 => format!("does not change the status of {of}"),
        _ => format!("changes the status of none of {of}"),
    };
    match (order, theses) {
        (_, 0) => format!("the only {several} that it could change rest on it themselves"),
        (Some(1), _) => format!("settling it can change the status of {some}"),
        (Some(_), _) => format!("settling it alone {none}; with one more argument settled it does"),
        (None, _) if searched > 1 => format!("settling it {none}, neither alone nor with one more argument settled"),
        (None, _) => format!("settling it alone {none}"),
    }
}

/// Says of contested statements which other claims none of them decides.
pub fn decides_nothing(contested: &[Crux]) -> &'static str {
    match contested.first().and_then(|crux| crux.consequence).map(|consequence| consequence.among) {
        Some(CountedClaims::DisputedClaims) => {
            "settling one of them decides no claims, except for those that rest on it"
        }
        Some(CountedClaims::Theses) | None => {
            "settling one of them decides no answer to the topic, except for answers that rest on it"
        }
    }
}

/// Joins names or clauses with commas, and the last two with `and`.
pub fn listed(parts: &[String]) -> String {
    match parts {
        [] => String::new(),
        [one] => one.clone(),
        [most @ .., last] => format!("{} and {last}", most.join(", ")),
    }
}

/// States that no condition of these participants is recorded.
pub fn no_condition_of(names: &[String]) -> String {
    format!("No condition of {} is recorded for this crux.", listed(names))
}

/// Explains why a dispute is, or was, a crux.
pub fn why_dispute(positions: &[Position]) -> String {
    let on = |side: PositionSide| positions.iter().filter(|position| position.side == side).count();
    let says = |n: usize| plural(n, "says", "say");
    match (on(PositionSide::Yes), on(PositionSide::No)) {
        (0, 0) => "nobody takes a side any more".to_owned(),
        (n, 0) => format!("all took the same side: {n} {} yes", says(n)),
        (0, n) => format!("all took the same side: {n} {} no", says(n)),
        (yes, no) => format!("{yes} {} yes and {no} {} no", says(yes), says(no)),
    }
}

/// Explains why a crux that participants agreed on is one. `name` returns the display name of a participant.
pub fn why_acknowledged(crux: &ProposedCrux, name: impl Fn(&PersonaId) -> String) -> String {
    let agreed: Vec<String> = crux
        .acknowledged
        .iter()
        .map(|acknowledgement| format!("{} in {}", name(&acknowledgement.speaker), acknowledgement.turn))
        .collect();
    let ProposedCrux { proposed, .. } = crux;
    format!("{} proposed it as the crux in {}; agreed: {}", name(&proposed.speaker), proposed.turn, agreed.join(", "))
}

/// Names the participants who proposed the same question as the crux, each without the agreement of another; `None` if
/// nobody did. `name` returns the display name of a participant.
pub fn why_named(proposals: &[&ProposedCrux], name: impl Fn(&PersonaId) -> String) -> Option<String> {
    let named = proposals.iter().map(|crux| format!("{} in {}", name(&crux.proposed.speaker), crux.proposed.turn));
    let named: Vec<String> = named.collect();
    (!named.is_empty()).then(|| format!("named as the crux by {}", listed(&named)))
}

/// Turn from which a criterion is quoted, as in `Ben in t4: "If it froze."`; `None` if it is no quotation.
pub fn criterion_turn(criterion: &str) -> Option<TurnId> {
    criterion.split_once(": \"")?.0.rsplit_once(" in ")?.1.parse().ok()
}

/// Beginning of a text on one line: at most [`MAX_QUOTE_CHARS`] characters, cut after a sentence that ends in the last
/// third of them, or else between words if possible.
pub fn quoted(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let Some((end, _)) = line.char_indices().nth(MAX_QUOTE_CHARS - 1) else {
        return line;
    };
    if line[end..].chars().count() == 1 {
        return line;
    }
    if let Some(sentence) = last_sentence_end(&line[..end]).filter(|sentence| 3 * sentence > 2 * end) {
        return format!("{} …", &line[..sentence]);
    }
    let cut = line[..end].rfind(' ').unwrap_or(end);
    format!("{}…", line[..cut].trim_end_matches([',', ';', ':', '-', '–', ' ']))
}

/// End of the last sentence that the next word follows, in bytes: after a final mark, before a capital letter.
fn last_sentence_end(line: &str) -> Option<usize> {
    let is_end = |(at, mark): &(usize, &str)| {
        let next = line[at + mark.len()..].trim_start().chars().next();
        next.is_some_and(char::is_uppercase)
    };
    line.rmatch_indices(['.', '?', '!'])
        .filter(|(at, _)| line[at + 1..].starts_with(' '))
        .find(is_end)
        .map(|(at, _)| at + 1)
}

fn plural(n: usize, one: &'static str, several: &'static str) -> &'static str {
    if n == 1 { one } else { several }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_explained() {
        let among = CountedClaims::Theses;
        let check = |changed, theses, order, searched, dependents, expected: &str| {
            assert_eq!(why_statement(&Consequence { changed, theses, order, searched, among }, dependents), expected);
        };
        check(
            3,
            4,
            Some(1),
            2,
            5,
            "settling it can change the status of 3 of the 4 answers to the topic that do not rest on it; 5 disputed arguments rest on it",
        );
        check(
            1,
            1,
            Some(1),
            2,
            1,
            "settling it can change the status of the only answer to the topic that does not rest on it; 1 disputed argument rests on it",
        );
        check(
            0,
            2,
            Some(2),
            2,
            1,
            "settling it alone changes the status of none of the 2 answers to the topic that do not rest on it; with one more argument \
             settled it does; 1 disputed argument rests on it",
        );
        check(
            0,
            2,
            None,
            2,
            2,
            "settling it changes the status of none of the 2 answers to the topic that do not rest on it, neither alone nor with one more \
             argument settled; 2 disputed arguments rest on it",
        );
        check(
            0,
            2,
            None,
            1,
            2,
            "settling it alone changes the status of none of the 2 answers to the topic that do not rest on it; 2 disputed arguments rest on it",
        );
        check(
            0,
            0,
            None,
            2,
            1,
            "the only answers to the topic that it could change rest on it themselves; 1 disputed argument rests on it",
        );
    }

    #[test]
    fn quotations_are_short_and_end_at_a_word() {
        assert_eq!(quoted("  One\n two  "), "One two");
        let exact = "x".repeat(MAX_QUOTE_CHARS);
        assert_eq!(quoted(&exact), exact);
        assert_eq!(quoted(&"é".repeat(MAX_QUOTE_CHARS + 1)).chars().count(), MAX_QUOTE_CHARS);
        let long = "word, ".repeat(100);
        let (first, second) = ("a ".repeat(110) + "end.", "B ".repeat(60));
        assert_eq!(quoted(&format!("{first} {second}")), format!("{first} …"));
        let cut = quoted(&long);
        assert!(cut.ends_with("word…") && cut.chars().count() <= MAX_QUOTE_CHARS, "{cut}");
    }
}
