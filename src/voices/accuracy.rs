//! How often the nearest voice is the right one: each document is judged by what was learned from all others.

use crate::events::ids::PersonaId;
use crate::voices::delta::{Voices, Works};

/// How many texts were judged, and for how many the nearest writer was the one who wrote them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Accuracy {
    /// Texts judged.
    pub judged: usize,
    /// Of these, those whose writer was the nearest.
    pub right: usize,
}

impl Accuracy {
    /// Takes note of a text.
    pub fn add(&mut self, right: bool) {
        self.judged += 1;
        self.right += usize::from(right);
    }

    /// The share that was right, from 0 to 1; `None` where nothing was judged.
    pub fn share(&self) -> Option<f64> {
        (self.judged > 0).then(|| self.right as f64 / self.judged as f64)
    }
}

/// Judges every document, whole and in pieces of so many words and marks (a turn has about sixty), by what was learned from
/// all other documents. Pieces and documents too short to be judged do not count. Costs one learning a document.
pub fn leave_one_out(works: &[Works], piece: usize) -> (Accuracy, Accuracy) {
    let (mut whole, mut pieces) = (Accuracy::default(), Accuracy::default());
    for (writer, place) in
        works.iter().enumerate().flat_map(|(writer, it)| (0..it.documents.len()).map(move |place| (writer, place)))
    {
        let mut rest = works.to_vec();
        let document = rest[writer].documents.remove(place);
        let Some(voices) = Voices::learn(&rest) else { continue };
        let persona = &works[writer].persona;
        judge(&voices, persona, &document, &mut whole);
        document.chunks(piece.max(1)).filter(|it| it.len() >= piece / 2).for_each(|it| {
            judge(&voices, persona, it, &mut pieces);
        });
    }
    (whole, pieces)
}

fn judge(voices: &Voices, persona: &PersonaId, tokens: &[String], into: &mut Accuracy) {
    if let Some(nearest) = voices.distances_of(tokens).first() {
        into.add(nearest.persona == *persona);
    }
}
