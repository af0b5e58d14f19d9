//! How far turns keep to the voices that the debate pinned: forbidden phrases that were used all the same.
//!
//! Nothing is refused for it. A reply that slips is a turn like any other; that it slipped is counted here.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::events::event::{Event, Recorded};
use crate::events::ids::{PersonaId, TurnId};
use crate::events::persona::Persona;
use crate::projections::projection::Projection;
use crate::voices::phrase::{plain, uses_plain};

/// The most slips of one participant that are kept one by one; all are counted.
pub const SLIPS: usize = 200;

/// How far turns keep to the voices that the debate pinned.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct VoiceKept {
    /// By participant, those who took a turn or are pinned.
    pub by_persona: BTreeMap<PersonaId, Kept>,
}

/// How far one participant keeps to its voice.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Kept {
    /// Turns taken.
    pub turns: u32,
    /// Words said.
    pub words: u32,
    /// How often a forbidden phrase was used.
    pub hits: u32,
    /// Where, in the order of turns, the first [`SLIPS`].
    pub slips: Vec<Slip>,
    /// What the participant would never say, as pinned.
    forbidden: Vec<String>,
}

/// A forbidden phrase in a turn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Slip {
    /// The turn.
    pub turn: TurnId,
    /// The phrase, as the persona's file has it.
    pub phrase: String,
    /// How often the turn uses it.
    pub times: u32,
}

impl Kept {
    /// Uses of forbidden phrases in a hundred words; `None` before anything was said.
    pub fn hits_per_hundred_words(&self) -> Option<f64> {
        (self.words > 0).then(|| f64::from(self.hits) * 100.0 / f64::from(self.words))
    }

    fn said(&mut self, turn: TurnId, text: &str) {
        let count = |it: usize| u32::try_from(it).unwrap_or(u32::MAX);
        self.turns += 1;
        self.words = self.words.saturating_add(count(text.split_whitespace().count()));
        let text = plain(text);
        for phrase in &self.forbidden {
            let times = count(uses_plain(&text, &plain(phrase)));
            self.hits = self.hits.saturating_add(times);
            if times > 0 && self.slips.len() < SLIPS {
                self.slips.push(Slip { turn, phrase: phrase.clone(), times });
            }
        }
    }
}

impl Projection for VoiceKept {
    const NAME: &'static str = "voice";
    const REVISION: i32 = 1;

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

impl VoiceKept {
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
                forbidden_phrases: forbidden.iter().map(|it| (*it).to_owned()).collect(),
                ..crate::events::persona::Voice::default()
            },
        }
    }

    #[test]
    fn a_slip_is_counted_where_it_happens() {
        let mut voice = VoiceKept::default();
        voice.pin(&[ada(&["mind you", "win-win"])]);
        let id: PersonaId = "ada".parse().expect("a name");
        let mut say = |turn: u32, text: &str| voice.by_persona.get_mut(&id).expect("ada").said(TurnId(turn), text);
        say(1, "Mind your step.");
        say(2, "Mind  you, it is a win-win. Mind you!");
        let kept = &voice.by_persona[&id];
        assert_eq!((kept.turns, kept.words, kept.hits), (2, 11, 3));
        let slips: Vec<_> = kept.slips.iter().map(|it| (it.turn.0, it.phrase.as_str(), it.times)).collect();
        assert_eq!(slips, [(2, "mind you", 2), (2, "win-win", 1)]);
        assert_eq!(kept.hits_per_hundred_words(), Some(300.0 / 11.0));
        assert_eq!(Kept::default().hits_per_hundred_words(), None);
    }

    #[test]
    fn a_fork_brings_its_own_voice() {
        let mut voice = VoiceKept::default();
        voice.pin(&[ada(&["mind you"])]);
        voice.pin(&[ada(&["win-win"])]);
        let kept = voice.by_persona.values_mut().next().expect("ada");
        kept.said(TurnId(1), "Mind you.");
        assert_eq!(kept.hits, 0);
    }
}
