//! Readings: what a clerk puts in words of its own, because a speaker takes it for granted without saying it.

use crate::engines::shared::view_prompts;
use crate::engines::talk::state::Talk;
use crate::events::ids::TurnId;
use crate::kernel::quotations::turn_quotes;

/// Phrases that tell of somebody's opinion instead of stating what is assumed.
const OPINIONS: &[&str] = &["believes that", "thinks that", "the speaker"];

/// Checks that a reading of a turn states something that can be true or false by itself: it is a text and no name of a
/// sentence, names no participant, and tells of no opinion. Words of the turn are no reading.
///
/// # Errors
/// A message that describes the problem.
pub fn check_reading(talk: &Talk, turn: TurnId, reading: &str) -> Result<(), String> {
    if talk.transcript.get(turn).is_some_and(|turn| turn_quotes::is_quoted(&turn.text, reading)) {
        return Ok(());
    }
    if is_name_of_words(reading) {
        return Err(format!("gives {} for a reading, which only names words", view_prompts::excerpt(reading)));
    }
    let words: Vec<&str> = words(reading).collect();
    let named = talk.participants.iter().find(|participant| names(&words, &participant.name));
    if let Some(participant) = named {
        let name = &participant.name;
        return Err(format!("writes the name of {name} into {}, a reading", view_prompts::excerpt(reading)));
    }
    let lower = words.join(" ").to_lowercase();
    let is_told = |phrase: &&&str| format!(" {lower} ").contains(&format!(" {phrase} "));
    match OPINIONS.iter().find(is_told) {
        Some(phrase) => Err(format!("writes “{phrase}” into {}, a reading", view_prompts::excerpt(reading))),
        None => Ok(()),
    }
}

/// Returns true for the name of a turn or a sentence, such as t3 or t3.2, instead of a text.
fn is_name_of_words(reading: &str) -> bool {
    let name = reading.trim().trim_matches(['[', ']', '.']);
    let (turn, sentence) = name.split_once('.').unwrap_or((name, "1"));
    turn.parse::<TurnId>().is_ok() && sentence.parse::<u32>().is_ok()
}

/// Returns true if words contain a name, whole or its first or last word, written as a name is.
fn names(said: &[&str], name: &str) -> bool {
    let name: Vec<&str> = words(name).collect();
    let parts = [name.first(), name.last()];
    let is_name = |part: &&str| part.chars().count() > 1 && part.starts_with(char::is_uppercase);
    let mut parts = parts.into_iter().flatten().filter(|part| is_name(part));
    let is_whole = !name.is_empty()
        && said.windows(name.len()).any(|window| window.join(" ").to_lowercase() == name.join(" ").to_lowercase());
    is_whole || parts.any(|part| said.contains(part))
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engines::talk::sample::talk;

    #[test]
    fn a_reading_names_nobody_and_tells_of_no_opinion() {
        let mut talk = talk(&["ada", "ben"], &["ben: If Ada hires a crew, I sail."]);
        talk.participants[0].name = "Ada Quill".to_owned();
        for (reading, is_usable) in [
            ("A crew can be had.", true),
            ("t1.1", false),
            ("[t1.2]", false),
            ("t1", false),
            ("T1 is the first berth of the port.", true),
            ("A quill is cheap, and adamant captains are rare.", true),
            ("Ada Quill can hire a crew.", false),
            ("A crew can be had by Ada.", false),
            ("If Ada hires a crew, I sail.", true),
            ("Ms Quill's crews are rested.", false),
            ("ben can be had.", false),
            ("The speaker knows a crew.", false),
            ("Everybody believes that a crew can be had.", false),
        ] {
            assert_eq!(check_reading(&talk, TurnId(1), reading).is_ok(), is_usable, "{reading}");
        }
    }
}
