//! Compliance of turns with the pinned voices: uses of forbidden phrases, those of the voice and stock phrases.
//!
//! A speaker is asked once to say it otherwise ([`crate::kernel::phrase_check`]); a use that stands is counted here.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::events::event::{Event, Recorded};
use crate::events::ids::{PersonaId, TurnId};
use crate::events::persona::Persona;
use crate::projections::projection::Projection;
use crate::voices::phrase::{plain, uses_plain};
use crate::voices::stock_phrases::STOCK_PHRASES;

/// Maximum number of slips of one participant that are stored; all are counted.
pub const MAX_SLIPS: usize = 200;

/// Compliance of a debate's turns with the pinned voices.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct VoiceCompliance {
    /// Compliance of each participant who took a turn or is pinned.
    pub by_persona: BTreeMap<PersonaId, SpeakerCompliance>,
}

/// Compliance of one participant.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SpeakerCompliance {
    /// Number of turns.
    pub turns: u32,
    /// Number of words.
    pub words: u32,
    /// Number of uses of forbidden phrases.
    pub hits: u32,
    /// First [`MAX_SLIPS`] uses, in the order of turns.
    pub slips: Vec<Slip>,
    /// Forbidden phrases of the pinned voice.
    forbidden: Vec<String>,
}

/// Use of a forbidden phrase in a turn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Slip {
    /// Turn with the phrase.
    pub turn: TurnId,
    /// Phrase as written in the persona file, or a stock phrase.
    pub phrase: String,
    /// Number of uses in the turn.
    pub times: u32,
}

impl SpeakerCompliance {
    /// Uses of forbidden phrases per hundred words; `None` before the first word.
    pub fn hits_per_hundred_words(&self) -> Option<f64> {
        (self.words > 0).then(|| f64::from(self.hits) * 100.0 / f64::from(self.words))
    }

    fn said(&mut self, turn: TurnId, text: &str) {
        let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        self.turns += 1;
        self.words = self.words.saturating_add(count(text.split_whitespace().count()));
        let text = plain(text);
        let forbidden = self.forbidden.iter().map(|phrase| (phrase.as_str(), plain(phrase)));
        for (phrase, sought) in forbidden.chain(STOCK_PHRASES.iter().map(|phrase| (*phrase, (*phrase).to_owned()))) {
            let times = count(uses_plain(&text, &sought));
            self.hits = self.hits.saturating_add(times);
            if times > 0 && self.slips.len() < MAX_SLIPS {
                self.slips.push(Slip { turn, phrase: phrase.to_owned(), times });
            }
        }
    }
}

impl Projection for VoiceCompliance {
    fn apply(&mut self, recorded: &Recorded) {
        match &recorded.event {
            Event::DebateOpened(opened) => self.pin(&opened.participants),
            Event::DebateForked(forked) => self.pin(&forked.opened.participants),
            Event::TurnTaken(taken) => {
                self.by_persona.entry(taken.speaker.clone()).or_default().said(taken.turn, &taken.text);
            }
            _ => {}
        }
    }
}

impl VoiceCompliance {
    fn pin(&mut self, participants: &[Persona]) {
        for persona in participants {
            let kept = self.by_persona.entry(persona.id.clone()).or_default();
            kept.forbidden.clone_from(&persona.voice.forbidden_phrases);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ada(forbidden: &[&str]) -> Persona {
        Persona {
            id: "ada".parse().expect("a name"),
            name: "Ada".into(),
            about: String::new(),
            version: 1,
            contract: crate::events::persona::Contract::default(),
            voice: crate::events::persona::Voice {
                forbidden_phrases: forbidden.iter().map(|phrase| (*phrase).to_owned()).collect(),
                ..crate::events::persona::Voice::default()
            },
        }
    }

    #[test]
    fn uses_of_forbidden_phrases_are_counted_by_turn() {
        let mut voice = VoiceCompliance::default();
        voice.pin(&[ada(&["mind you", "win-win"])]);
        let id: PersonaId = "ada".parse().expect("a name");
        let mut say = |turn: u32, text: &str| voice.by_persona.get_mut(&id).expect("ada").said(TurnId(turn), text);
        say(1, "Mind your step.");
        say(2, "Mind  you, it is a win-win. Mind you!");
        let kept = &voice.by_persona[&id];
        assert_eq!((kept.turns, kept.words, kept.hits), (2, 11, 3));
        let slips: Vec<_> = kept.slips.iter().map(|slip| (slip.turn.0, slip.phrase.as_str(), slip.times)).collect();
        assert_eq!(slips, [(2, "mind you", 2), (2, "win-win", 1)]);
        assert_eq!(kept.hits_per_hundred_words(), Some(300.0 / 11.0));
        assert_eq!(SpeakerCompliance::default().hits_per_hundred_words(), None);
    }

    #[test]
    fn a_fork_replaces_the_pinned_voice() {
        let mut voice = VoiceCompliance::default();
        voice.pin(&[ada(&["mind you"])]);
        voice.pin(&[ada(&["win-win"])]);
        let kept = voice.by_persona.values_mut().next().expect("ada");
        kept.said(TurnId(1), "Mind you.");
        assert_eq!(kept.hits, 0);
    }
}
