//! Language: the words that docs open with, and type names that mean several things.

use std::collections::BTreeMap;

use crate::source::Source;

/// Words that no documentation opens with: a definition names the thing, it does not ask for it.
pub const OPENERS: &[&str] =
    &["What", "Who", "Whom", "Whose", "Whoever", "Whatever", "Where", "Wherever", "How", "However", "So", "Whether"];

/// Most opening lines of documentation, of a thousand, that may begin with such a word.
pub const MAX_OPENERS_PER_MILLE: usize = 10;

/// Public type names that a crate may use more than once, each with its reason.
pub const REUSED: &[(&str, &str, &str)] = &[];

/// A comment line that opens a sentence: its place and its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opening {
    /// File and line.
    pub place: String,
    /// The line without its comment marks.
    pub text: String,
}

/// Returns the lines of comments that begin with a capital letter.
#[must_use]
pub fn openings(source: &Source) -> Vec<Opening> {
    let read = |(number, line): (usize, &str)| {
        let text = line.trim_start().strip_prefix("//")?.trim_start_matches(['/', '!']).trim();
        let opens = text.starts_with(char::is_uppercase);
        opens.then(|| Opening { place: format!("{}:{number}", source.path), text: text.to_owned() })
    };
    (1..).zip(source.text.lines()).filter_map(read).collect()
}

/// Whether a line of documentation begins with one of [`OPENERS`].
#[must_use]
pub fn is_riddle(opening: &Opening) -> bool {
    let first = opening.text.split(|letter: char| !letter.is_alphabetic()).next().unwrap_or_default();
    OPENERS.contains(&first)
}

/// Returns the public types of each crate that share their name: crate, name and files.
#[must_use]
pub fn reused(sources: &[Source]) -> Vec<(String, String, Vec<String>)> {
    let mut found: BTreeMap<(String, String), Vec<String>> = BTreeMap::new();
    for source in sources {
        for name in public_types(source) {
            found.entry((source.krate.clone(), name)).or_default().push(source.path.clone());
        }
    }
    found.into_iter().filter(|(_, files)| files.len() > 1).map(|((krate, name), files)| (krate, name, files)).collect()
}

/// Names of the public structs, enums, traits, unions and aliases of a file.
fn public_types(source: &Source) -> Vec<String> {
    let mut found = Vec::new();
    for line in source.code.lines().filter(|line| line.starts_with("pub ")) {
        let mut words =
            line.split(|letter: char| !letter.is_alphanumeric() && letter != '_').filter(|word| !word.is_empty());
        let kind = words.find(|word| *word != "pub" && *word != "unsafe");
        if kind.is_some_and(|kind| ["struct", "enum", "trait", "union", "type"].contains(&kind)) {
            found.extend(words.next().map(str::to_owned));
        }
    }
    found
}

/// Returns the faults of a whole code base: too many riddles, and reused names without a reason.
#[must_use]
pub fn faults(sources: &[Source]) -> Vec<String> {
    let openings: Vec<Opening> = sources.iter().flat_map(openings).collect();
    let riddles: Vec<&Opening> = openings.iter().filter(|opening| is_riddle(opening)).collect();
    let mut faults = Vec::new();
    if riddles.len() * 1000 > openings.len() * MAX_OPENERS_PER_MILLE {
        faults.push(format!(
            "{} of {} lines of docs open with What, Who, Where, How or So:",
            riddles.len(),
            openings.len()
        ));
        faults.extend(riddles.iter().map(|opening| format!("  {}: {}", opening.place, opening.text)));
    }
    for (krate, name, files) in reused(sources) {
        if !REUSED.iter().any(|(owner, listed, _)| *owner == krate && *listed == name) {
            faults.push(format!("{krate} has {} public types {name}: {}", files.len(), files.join(", ")));
        }
    }
    for (krate, name, _) in REUSED {
        if !reused(sources).iter().any(|(owner, found, _)| owner == krate && found == name) {
            faults.push(format!("{krate}: {name} is listed as reused and is not; take it off the list"));
        }
    }
    faults
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn riddles_are_told_from_definitions() {
        let source =
            Source::new("src/a.rs", "//! Whoever keeps.\n/// Reads.\n/// whose\n// So many.\n/// Somebody.\n//! How.");
        let openings = openings(&source);
        let riddles: Vec<&str> =
            openings.iter().filter(|line| is_riddle(line)).map(|line| line.text.as_str()).collect();
        assert_eq!(openings.len(), 5);
        assert_eq!(riddles, ["Whoever keeps.", "So many.", "How."]);
    }

    #[test]
    fn reused_names_are_found_within_a_crate() {
        let files = [
            ("src/a.rs", "pub struct Told;\npub(crate) struct Hidden;"),
            ("src/b.rs", "pub enum Told {}\npub struct Hidden;\n#[cfg(test)]\npub struct Hidden;"),
            ("crates/core/src/c.rs", "pub trait Told {}"),
        ];
        let sources: Vec<Source> = files.iter().map(|(path, text)| Source::new(path, text)).collect();
        let files = vec!["src/a.rs".to_owned(), "src/b.rs".to_owned()];
        assert_eq!(reused(&sources), [("faultline".to_owned(), "Told".to_owned(), files)]);
    }
}
