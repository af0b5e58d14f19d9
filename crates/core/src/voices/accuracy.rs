//! Accuracy of authorship attribution, by leave-one-out validation over documents.

use crate::events::ids::PersonaId;
use crate::voices::delta::{VoiceProfiles, WriterTexts};

/// Number of texts judged, and of those attributed to the correct writer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Accuracy {
    /// Number of texts judged.
    pub judged: usize,
    /// Number of these whose nearest writer was the correct one.
    pub right: usize,
}

impl Accuracy {
    /// Records the result of one text.
    pub fn add(&mut self, right: bool) {
        self.judged += 1;
        self.right += usize::from(right);
    }

    /// Returns the share of correct results, from 0 to 1; `None` if nothing was judged.
    pub fn share(&self) -> Option<f64> {
        (self.judged > 0).then(|| self.right as f64 / self.judged as f64)
    }
}

/// Judges every document, whole and in pieces of `piece` words and punctuation marks (a turn has about sixty), by
/// profiles learned from all other documents. Returns the accuracy for whole documents and for pieces. Pieces and
/// documents that are too short to be judged do not count. Costs one run of learning per document.
pub fn leave_one_out(works: &[WriterTexts], piece: usize) -> (Accuracy, Accuracy) {
    let (mut whole, mut pieces) = (Accuracy::default(), Accuracy::default());
    for (writer, place) in
        works.iter().enumerate().flat_map(|(writer, work)| (0..work.documents.len()).map(move |place| (writer, place)))
    {
        let mut rest = works.to_vec();
        let document = rest[writer].documents.remove(place);
        let Some(voices) = VoiceProfiles::learn(&rest) else { continue };
        let persona = &works[writer].persona;
        judge(&voices, persona, &document, &mut whole);
        document.chunks(piece.max(1)).filter(|chunk| chunk.len() >= piece / 2).for_each(|chunk| {
            judge(&voices, persona, chunk, &mut pieces);
        });
    }
    (whole, pieces)
}

fn judge(voices: &VoiceProfiles, persona: &PersonaId, tokens: &[String], into: &mut Accuracy) {
    if let Some(nearest) = voices.distances_of(tokens).first() {
        into.add(nearest.persona == *persona);
    }
}
