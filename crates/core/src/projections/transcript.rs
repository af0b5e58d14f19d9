//! Transcript of a debate: its turns in order.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::events::citation::Citation;
use crate::events::event::{Event, Recorded};
use crate::events::ids::{PersonaId, RoomId, TurnId};
use crate::events::lifecycle::PhaseEntered;
use crate::events::turn::Preparation;
use crate::events::turn::{HintGiven, Move, MoveQuote, TurnTaken};
use crate::projections::projection::Projection;

/// Name of the phase in which participants open, in every engine that has one.
const OPENING: &str = "opening";

/// Transcript of a debate.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Transcript {
    /// Turns, in order.
    pub turns: Vec<Turn>,
    /// Phases, each with the first turn after its start.
    #[serde(default)]
    pub phases: Vec<PhaseStart>,
    /// Hint given to the next speaker.
    #[serde(default)]
    hint: Option<HintGiven>,
    names: BTreeMap<PersonaId, String>,
    phase: Option<String>,
}

/// Phase of the debate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PhaseStart {
    /// Name of the phase, as used by the engine.
    pub phase: String,
    /// Round, if the phase has rounds.
    pub round: Option<u32>,
    /// Reason for the start of the phase, if it varies.
    pub reason: Option<String>,
    /// First turn of the phase.
    pub from: TurnId,
    /// Version of the event that recorded it.
    #[serde(default)]
    pub version: i64,
}

/// Turn of a participant or the moderator.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Turn {
    /// Id of the turn.
    pub turn: TurnId,
    /// Speaker; `None` for the moderator.
    pub speaker: Option<PersonaId>,
    /// Display name of the speaker.
    pub name: String,
    /// Phase of the turn, as named by the engine.
    pub phase: Option<String>,
    /// Round of the turn.
    pub round: Option<u32>,
    /// Room of the turn; `None` for the main channel.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub room: Option<RoomId>,
    /// Moves made in the turn.
    pub moves: Vec<Move>,
    /// Words of the turn that make its moves.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub move_quotes: Vec<MoveQuote>,
    /// Turn that it answers.
    #[serde(default)]
    pub answers: Option<TurnId>,
    /// Speaker of the answered turn, if it is another participant.
    #[serde(default)]
    pub addressed: Option<PersonaId>,
    /// Hint that the speaker was given before the turn.
    #[serde(default)]
    pub hint: Option<HintGiven>,
    /// Text of the turn.
    pub text: String,
    /// Citations in the turn.
    pub citations: Vec<Citation>,
    /// Parts of the reply that were refused, with reasons.
    pub refused: Vec<String>,
    /// Preparation of the turn, if the engine asks for one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preparation: Option<Preparation>,
    /// Version of the event that recorded it.
    pub version: i64,
    /// Time at which it was recorded.
    pub at: DateTime<Utc>,
}

#[cfg(test)]
impl Turn {
    /// Creates a turn of the main channel; without a speaker it is the moderator's.
    pub(crate) fn said(number: u32, speaker: Option<&str>, text: &str) -> Turn {
        Turn {
            turn: TurnId(number),
            speaker: speaker.map(|id| id.parse().expect("an id")),
            name: speaker.unwrap_or_default().to_owned(),
            phase: None,
            round: None,
            room: None,
            moves: Vec::new(),
            move_quotes: Vec::new(),
            answers: None,
            addressed: None,
            hint: None,
            text: text.to_owned(),
            citations: Vec::new(),
            refused: Vec::new(),
            preparation: None,
            version: i64::from(number),
            at: DateTime::UNIX_EPOCH,
        }
    }
}

impl Transcript {
    /// Finds a turn by its id.
    pub fn turn(&self, turn: TurnId) -> Option<&Turn> {
        self.turns.iter().find(|entry| entry.turn == turn)
    }

    /// Finds words in a turn and returns them as the turn contains them; `None` if it does not. White space, case and a
    /// final stop may differ; a part of a word is not found. This is the only rule that tells words that were said from
    /// those that a clerk or a written argument adds.
    pub fn quote(&self, turn: TurnId, words: &str) -> Option<&str> {
        find_words(&self.turn(turn)?.text, words)
    }

    /// Turns of a participant that contain these words, in order.
    pub fn said_by<'a>(&'a self, persona: &'a PersonaId, words: &'a str) -> impl Iterator<Item = TurnId> + 'a {
        let (own, wanted) =
            (self.turns.iter().filter(move |turn| turn.speaker.as_ref() == Some(persona)), WantedWords::new(words));
        own.filter(move |turn| wanted.find(&turn.text).is_some()).map(|turn| turn.turn)
    }

    /// True if a participant spoke after the opening: in a phase other than `opening`, or for a second time.
    pub fn spoke_after_opening(&self, persona: &PersonaId) -> bool {
        let mut own = self.turns.iter().filter(|turn| turn.speaker.as_ref() == Some(persona));
        let is_later = |turn: &Turn| turn.phase.as_deref().is_some_and(|phase| phase != OPENING);
        own.next().is_some_and(is_later) || own.next().is_some()
    }

    /// True if the speaker of a turn had heard an earlier one. Participants open at the same time, so no opening turn
    /// answers another.
    pub fn had_heard(&self, turn: TurnId, earlier: TurnId) -> bool {
        let opens = |turn: TurnId| self.turn(turn).is_some_and(|turn| turn.phase.as_deref() == Some(OPENING));
        earlier < turn && !(opens(turn) && opens(earlier))
    }

    /// Hint given for the next turn.
    pub fn pending_hint(&self) -> Option<&HintGiven> {
        self.hint.as_ref()
    }

    /// Next unused turn id.
    pub fn next_turn(&self) -> TurnId {
        TurnId(self.turns.last().map_or(1, |entry| entry.turn.0 + 1))
    }

    /// Finds a turn by its id.
    pub fn get(&self, turn: TurnId) -> Option<&Turn> {
        self.turns.iter().find(|entry| entry.turn == turn)
    }

    /// True if one model wrote the turns of all participants, in this debate or in the one whose talk it distils anew.
    pub fn is_written_by_one(&self) -> bool {
        let mut reasons = self.phases.iter().filter_map(|phase| phase.reason.as_deref());
        reasons.any(|reason| reason.ends_with(PhaseEntered::WRITTEN_BY_ONE))
    }

    /// Speaker of a turn; `None` for unknown turns and for the moderator.
    pub fn speaker(&self, turn: TurnId) -> Option<&PersonaId> {
        self.get(turn)?.speaker.as_ref()
    }
}

impl Projection for Transcript {
    fn apply(&mut self, recorded: &Recorded) {
        match &recorded.event {
            Event::DebateOpened(opened) => {
                self.names = opened
                    .participants
                    .iter()
                    .map(|participant| (participant.id.clone(), participant.name.clone()))
                    .collect();
            }
            Event::DebateForked(forked) => {
                self.names.extend(
                    forked
                        .opened
                        .participants
                        .iter()
                        .map(|participant| (participant.id.clone(), participant.name.clone())),
                );
            }
            Event::PhaseEntered(entered) => {
                self.phase = Some(entered.phase.clone());
                self.phases.push(PhaseStart {
                    phase: entered.phase.clone(),
                    round: entered.round,
                    reason: entered.reason.clone(),
                    from: self.next_turn(),
                    version: recorded.version,
                });
            }
            Event::HintGiven(given) => self.hint = Some(given.clone()),
            Event::TurnTaken(taken) => self.turns.push(Turn {
                preparation: taken.preparation.clone(),
                turn: taken.turn,
                speaker: Some(taken.speaker.clone()),
                name: self.name_of(&taken.speaker),
                phase: self.phase.clone(),
                round: taken.round,
                room: taken.room,
                moves: taken.moves.clone(),
                move_quotes: taken.move_quotes.clone(),
                answers: taken.answers,
                addressed: self.addressed(taken),
                hint: self.hint.take().filter(|hint| hint.speaker == taken.speaker),
                text: taken.text.clone(),
                citations: taken.citations.clone(),
                refused: taken.refused.clone(),
                version: recorded.version,
                at: recorded.at,
            }),
            Event::Interjected(said) => self.turns.push(Turn {
                preparation: None,
                turn: said.turn,
                speaker: said.speaker.clone(),
                name: said.speaker.as_ref().map_or_else(|| "Moderator".to_owned(), |speaker| self.name_of(speaker)),
                phase: self.phase.clone(),
                round: None,
                room: said.room,
                moves: Vec::new(),
                move_quotes: Vec::new(),
                answers: None,
                addressed: None,
                hint: None,
                text: said.text.clone(),
                citations: Vec::new(),
                refused: Vec::new(),
                version: recorded.version,
                at: recorded.at,
            }),
            _ => {}
        }
    }
}

/// Finds words in a text like [`WantedWords::find`].
fn find_words<'t>(text: &'t str, words: &str) -> Option<&'t str> {
    WantedWords::new(words).find(text)
}

/// Words to find in several texts.
struct WantedWords {
    /// Letters in lower case, without a final full stop.
    letters: Vec<char>,
    /// First two letters in lower case and as capitals, if they are ASCII and a text can have them in no other form.
    first: Option<[[u8; 2]; 2]>,
    ends_with_stop: bool,
}

impl WantedWords {
    fn new(words: &str) -> WantedWords {
        let letters: Vec<char> = folded(words.trim().trim_end_matches('.')).collect();
        let pair = |letter: &char| {
            let small = u8::try_from(*letter).ok().filter(|byte| byte.is_ascii() && *byte != b' ')?;
            Some([small, small.to_ascii_uppercase()])
        };
        let first = match letters.as_slice() {
            [one, other, ..] => pair(one).zip(pair(other)).map(|(one, other)| [one, other]),
            _ => None,
        };
        WantedWords { letters, first, ends_with_stop: words.trim_end().ends_with('.') }
    }

    /// Finds the words in a text and returns them as the text has them. Linear in the text, times the occurrences of the
    /// first letters.
    fn find<'t>(&self, text: &'t str) -> Option<&'t str> {
        let wanted = self.letters.as_slice();
        if !wanted.iter().any(|letter| letter.is_alphanumeric()) {
            return None;
        }
        // Scripts from U+2E80 on are written without spaces between words.
        let is_letter = |letter: Option<char>| letter.is_some_and(|it| it.is_alphanumeric() && it < '\u{2e80}');
        let is_cut = |end: usize| is_letter(text[..end].chars().next_back()) && is_letter(text[end..].chars().next());
        let whole = |first: usize| {
            let place = first..first + folded_prefix(&text[first..], wanted)?;
            (!is_cut(place.start) && !is_cut(place.end)).then_some(place)
        };
        let found = match (self.first, text.is_ascii()) {
            (Some([one, other]), true) => {
                let mut starts = text.as_bytes().windows(2).enumerate();
                starts.find_map(|(at, pair)| {
                    (one.contains(&pair[0]) && other.contains(&pair[1])).then(|| whole(at)).flatten()
                })
            }
            _ => {
                let mut starts = text.char_indices().filter(|(_, letter)| lower(*letter) == wanted[0]);
                starts.find_map(|(first, _)| whole(first))
            }
        }?;
        let has_stop = self.ends_with_stop && text[found.end..].starts_with('.');
        text.get(found.start..found.end + usize::from(has_stop))
    }
}

/// Returns the length in bytes of the beginning of a text that has the wanted letters when folded; `None` if it has others.
fn folded_prefix(text: &str, wanted: &[char]) -> Option<usize> {
    let (mut was_blank, mut n_equal) = (false, 0);
    for (at, letter) in text.char_indices() {
        if n_equal == wanted.len() {
            return Some(at);
        }
        let is_repeated = was_blank && letter.is_whitespace();
        was_blank = letter.is_whitespace();
        if !is_repeated {
            if lower(letter) != wanted[n_equal] {
                return None;
            }
            n_equal += 1;
        }
    }
    (n_equal == wanted.len()).then_some(text.len())
}

/// Letters of a text in lower case; stretches of white space are one blank.
fn folded(text: &str) -> impl Iterator<Item = char> + '_ {
    let mut was_blank = false;
    let kept = text.chars().filter(move |letter| {
        let is_repeated = was_blank && letter.is_whitespace();
        was_blank = letter.is_whitespace();
        !is_repeated
    });
    kept.map(lower)
}

/// A letter in lower case, and any white space as a blank. Of a letter whose lower case has two, the first.
fn lower(letter: char) -> char {
    match letter {
        _ if letter.is_whitespace() => ' ',
        _ if letter.is_ascii() => letter.to_ascii_lowercase(),
        _ => letter.to_lowercase().next().unwrap_or(letter),
    }
}

impl Transcript {
    fn addressed(&self, taken: &TurnTaken) -> Option<PersonaId> {
        let speaker = self.get(taken.answers?)?.speaker.clone();
        speaker.filter(|persona| *persona != taken.speaker)
    }

    fn name_of(&self, persona: &PersonaId) -> String {
        self.names.get(persona).cloned().unwrap_or_else(|| persona.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::find_words;

    #[test]
    fn words_are_found_as_the_text_has_them() {
        let text = "There is one crew,\nand by ten they   have been up since four. No Ärger. 夜の船";
        for (words, expected) in [
            ("there is one crew", Some("There is one crew")),
            ("And by ten they have been up since four.", Some("and by ten they   have been up since four.")),
            ("no ärger", Some("No Ärger")),
            ("been up since four.", Some("been up since four.")),
            ("夜の", Some("夜の")),
            ("here is one crew", None),
            ("There is one cre", None),
            ("A crew can be had.", None),
            (" . ", None),
            ("", None),
        ] {
            assert_eq!(find_words(text, words), expected, "{words}");
        }
        assert_eq!(find_words("the cat, not the ca", "the ca"), Some("the ca"), "the first match cuts a word");
        assert_eq!(find_words("", "x"), None);
    }
}
