//! Whom the turns of a debate sound like: of those who take part, whose writings each turn is nearest to.
//!
//! What is measured is manner, over short texts, and it errs: `tests/pure/voice.rs` holds how often over the corpora that are
//! shipped. Read a share as a share, and compare it with chance.

use std::collections::BTreeMap;

use crate::events::ids::{PersonaId, TurnId};
use crate::projections::transcript::Transcript;
use crate::voices::accuracy::Accuracy;
use crate::voices::delta::{Distance, Voices};

/// Whom one participant sounds like.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sound {
    /// Turns long enough to be judged, and those nearest to the speaker's own writings.
    pub turns: Accuracy,
    /// All that it said, as one text: how far it is from each, the nearest first; empty where that is too short.
    pub whole: Vec<Distance>,
    /// Turn by turn, those that were judged.
    pub heard: Vec<Heard>,
}

/// Whom a turn sounds like.
#[derive(Clone, Debug, PartialEq)]
pub struct Heard {
    /// The turn.
    pub turn: TurnId,
    /// Whom it is nearest to.
    pub nearest: PersonaId,
    /// How far it is from them: 0 for the same direction, 1 for nothing in common.
    pub distance: f64,
}

/// Whom each participant sounds like, of those whose voices were learned. Who was not learned is not judged. Linear in what
/// was said.
pub fn sounds(transcript: &Transcript, voices: &Voices) -> BTreeMap<PersonaId, Sound> {
    let mut sounds: BTreeMap<PersonaId, Sound> = voices.writers().map(|it| (it.clone(), Sound::default())).collect();
    let mut said: BTreeMap<&PersonaId, String> = BTreeMap::new();
    // What a person says in somebody's name does no move, and tells nothing of how that persona is played.
    for turn in transcript.turns.iter().filter(|it| !it.moves.is_empty()) {
        let Some(speaker) = &turn.speaker else { continue };
        let Some(sound) = sounds.get_mut(speaker) else { continue };
        let all = said.entry(speaker).or_default();
        all.push_str(&turn.text);
        all.push('\n');
        if let Some(nearest) = voices.distances(&turn.text).into_iter().next() {
            sound.turns.add(nearest.persona == *speaker);
            sound.heard.push(Heard { turn: turn.turn, nearest: nearest.persona, distance: nearest.distance });
        }
    }
    for (speaker, text) in said {
        if let Some(sound) = sounds.get_mut(speaker) {
            sound.whole = voices.distances(&text);
        }
    }
    sounds
}
