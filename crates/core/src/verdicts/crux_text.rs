//! Texts about cruxes: questions and explanations, composed by rules without a language model.

use crate::projections::crux_proposals::ProposedCrux;
use crate::verdicts::candidates::Level;
use crate::verdicts::consequence::Consequence;
use crate::verdicts::crux::{Position, PositionSide};

/// Maximum number of characters of a quotation.
pub const QUOTE_CHARS: usize = 280;

/// Words that are written in lower case when their sentence becomes part of another. Other words may be names and keep
/// their case.
const SMALL: &[&str] = &[
    "a", "about", "after", "all", "an", "any", "as", "at", "because", "before", "both", "but", "by", "each", "either",
    "even", "every", "few", "for", "from", "good", "he", "her", "his", "if", "in", "it", "its", "less", "many", "more",
    "most", "much", "neither", "no", "nobody", "not", "nothing", "of", "on", "once", "one", "only", "other", "our",
    "people", "she", "since", "some", "such", "that", "the", "their", "there", "these", "they", "this", "those", "to",
    "under", "we", "what", "when", "where", "whether", "whoever", "with", "without", "you",
];

/// Yes-or-no question whose answer settles a statement: `Is it so that ...?` for assumptions and premises, `Does it
/// hold that ...?` for claims. A statement that is a question is returned unchanged; one of several sentences is
/// quoted.
pub fn settling_question(level: Level, statement: &str) -> String {
    let text = statement.trim();
    let bare = text.trim_end_matches(['.', ';', ',', ':', '!']).trim_end();
    if text.ends_with('?') || bare.is_empty() {
        return text.to_owned();
    }
    let asks = match level {
        Level::Assumption | Level::Premise => "Is it so",
        Level::Claim => "Does it hold",
    };
    if [". ", "! ", "? ", "\n"].iter().any(|mark| bare.contains(mark)) {
        return format!("{asks}: “{text}”?");
    }
    format!("{asks} that {}?", lowered(said(bare)))
}

/// Text without a leading `Whether` or `Whether or not`.
fn said(text: &str) -> &str {
    let first = text.split_whitespace().next().unwrap_or_default();
    if !first.eq_ignore_ascii_case("whether") {
        return text;
    }
    let asked = text[first.len()..].trim_start();
    asked.strip_prefix("or not ").unwrap_or(asked)
}

/// Explains the rank of a structural crux.
pub fn why_statement(consequence: &Consequence, dependents: usize) -> String {
    let Consequence { changed, theses, order, searched } = *consequence;
    let of = format!("{theses} {}", plural(theses, "thesis", "theses"));
    let settles = match (order, theses) {
        (_, 0) => "the only theses that it could change rest on it themselves".to_owned(),
        (Some(1), _) => format!("settling it changes {changed} of {of}"),
        (Some(_), _) => format!("settling it alone changes none of {of}; with one more argument settled it does"),
        (None, _) if searched > 1 => {
            format!("settling it changes none of {of}, neither alone nor with one more argument settled")
        }
        (None, _) => format!("settling it alone changes none of {of}"),
    };
    let rest = if dependents == 1 { "argument rests on it" } else { "arguments rest on it" };
    format!("{settles}; {dependents} disputed {rest}")
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

/// Explains why a crux that participants agreed on is one.
pub fn why_acknowledged(crux: &ProposedCrux) -> String {
    let agreed: Vec<String> = crux
        .acknowledged
        .iter()
        .map(|acknowledgement| format!("{} in {}", acknowledgement.speaker, acknowledgement.turn))
        .collect();
    let ProposedCrux { proposed, .. } = crux;
    format!("{} proposed it as the crux in {}; agreed: {}", proposed.speaker, proposed.turn, agreed.join(", "))
}

/// Beginning of a text on one line: at most [`QUOTE_CHARS`] characters, cut between words if possible.
pub fn quoted(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let Some((end, _)) = line.char_indices().nth(QUOTE_CHARS - 1) else {
        return line;
    };
    if line[end..].chars().count() == 1 {
        return line;
    }
    let cut = line[..end].rfind(' ').unwrap_or(end);
    format!("{}…", line[..cut].trim_end_matches([',', ';', ':', '-', '–', ' ']))
}

fn lowered(text: &str) -> String {
    let first = text.split(' ').next().unwrap_or_default();
    let small = first.to_lowercase();
    let is_small = SMALL.contains(&small.as_str()) && first.chars().skip(1).all(char::is_lowercase);
    if is_small { format!("{small}{}", &text[first.len()..]) } else { text.to_owned() }
}

fn plural(n: usize, one: &'static str, several: &'static str) -> &'static str {
    if n == 1 { one } else { several }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_statement_becomes_a_question() {
        let check =
            |level: Level, statement: &str, expected: &str| assert_eq!(settling_question(level, statement), expected);
        check(Level::Assumption, "The crews are scarce.", "Is it so that the crews are scarce?");
        check(Level::Premise, " Crews are scarce ", "Is it so that Crews are scarce?");
        check(Level::Claim, "No ferry should run at night", "Does it hold that no ferry should run at night?");
        check(Level::Claim, "Whether they can refuse", "Does it hold that they can refuse?");
        check(Level::Claim, "Whether or not they can refuse", "Does it hold that they can refuse?");
        check(Level::Assumption, "NO ferry runs", "Is it so that NO ferry runs?");
        check(Level::Assumption, "Ålesund's ferry is full.", "Is it so that Ålesund's ferry is full?");
        check(Level::Assumption, "Are crews scarce?", "Are crews scarce?");
        check(Level::Claim, "It rains. It pours.", "Does it hold: “It rains. It pours.”?");
        check(Level::Assumption, " . ", ".");
        check(Level::Assumption, "", "");
    }

    #[test]
    fn ranks_are_explained() {
        let check = |changed, theses, order, searched, dependents, expected: &str| {
            assert_eq!(why_statement(&Consequence { changed, theses, order, searched }, dependents), expected);
        };
        check(3, 4, Some(1), 2, 5, "settling it changes 3 of 4 theses; 5 disputed arguments rest on it");
        check(1, 1, Some(1), 2, 1, "settling it changes 1 of 1 thesis; 1 disputed argument rests on it");
        check(
            0,
            2,
            Some(2),
            2,
            1,
            "settling it alone changes none of 2 theses; with one more argument settled it does; 1 disputed argument \
             rests on it",
        );
        check(
            0,
            2,
            None,
            2,
            2,
            "settling it changes none of 2 theses, neither alone nor with one more argument settled; 2 disputed \
             arguments rest on it",
        );
        check(0, 2, None, 1, 2, "settling it alone changes none of 2 theses; 2 disputed arguments rest on it");
        check(
            0,
            0,
            None,
            2,
            1,
            "the only theses that it could change rest on it themselves; 1 disputed argument rests on it",
        );
    }

    #[test]
    fn quotations_are_short_and_end_at_a_word() {
        assert_eq!(quoted("  One\n two  "), "One two");
        let exact = "x".repeat(QUOTE_CHARS);
        assert_eq!(quoted(&exact), exact);
        assert_eq!(quoted(&"é".repeat(QUOTE_CHARS + 1)).chars().count(), QUOTE_CHARS);
        let long = "word, ".repeat(100);
        let cut = quoted(&long);
        assert!(cut.ends_with("word…") && cut.chars().count() <= QUOTE_CHARS, "{cut}");
    }
}
