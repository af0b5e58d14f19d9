//! Voice attribution: for each turn of a debate, the participant whose writings it is nearest to in style.
//!
//! Attribution measures style over short texts and makes mistakes; `tests/pure/corpora/voice.rs` records how often, over the
//! shipped corpora. Compare a share with chance before drawing conclusions.

use std::collections::BTreeMap;

use crate::events::ids::{PersonaId, TurnId};
use crate::projections::transcript::Transcript;
use crate::voices::accuracy::Accuracy;
use crate::voices::delta::{Distance, VoiceProfiles};

/// Attribution of one participant's turns.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Attribution {
    /// Number of turns long enough to be judged, and of those nearest to the speaker's own writings.
    pub turns: Accuracy,
    /// Distances of all the participant's turns as one text, nearest first; empty if the text is too short.
    pub whole: Vec<Distance>,
    /// Attribution of each turn that was judged.
    pub heard: Vec<TurnAttribution>,
}

/// Attribution of a turn.
#[derive(Clone, Debug, PartialEq)]
pub struct TurnAttribution {
    /// Id of the turn.
    pub turn: TurnId,
    /// Participant whose writings are nearest.
    pub nearest: PersonaId,
    /// Distance to them: 0 for the same direction, 1 for nothing in common.
    pub distance: f64,
}

/// Attributes the turns of all participants whose voices were learned; others are not judged. Linear in the length of
/// the transcript.
pub fn sounds(transcript: &Transcript, voices: &VoiceProfiles) -> BTreeMap<PersonaId, Attribution> {
    let mut sounds: BTreeMap<PersonaId, Attribution> =
        voices.writers().map(|writer| (writer.clone(), Attribution::default())).collect();
    let mut said: BTreeMap<&PersonaId, String> = BTreeMap::new();
    // Interjections by a person have no moves, and do not show how the persona is played.
    for turn in transcript.turns.iter().filter(|turn| !turn.moves.is_empty()) {
        let Some(speaker) = &turn.speaker else { continue };
        let Some(sound) = sounds.get_mut(speaker) else { continue };
        let all = said.entry(speaker).or_default();
        all.push_str(&turn.text);
        all.push('\n');
        if let Some(nearest) = voices.distances(&turn.text).into_iter().next() {
            sound.turns.add(nearest.persona == *speaker);
            sound.heard.push(TurnAttribution { turn: turn.turn, nearest: nearest.persona, distance: nearest.distance });
        }
    }
    for (speaker, text) in said {
        if let Some(sound) = sounds.get_mut(speaker) {
            sound.whole = voices.distances(&text);
        }
    }
    sounds
}
