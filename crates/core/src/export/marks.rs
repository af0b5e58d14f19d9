//! Marks of participants: the same colour and shape in terminals, pictures and reports.

use crate::events::ids::PersonaId;
use crate::projections::summary::Summary;

/// Mark of a participant. Colour and shape each repeat, but together they differ for 24 participants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SpeakerMark {
    /// Shape as one character.
    pub glyph: &'static str,
    /// The same shape as an SVG path around the origin, about 14 units wide.
    pub path: &'static str,
    /// True if only the outline of the shape is drawn.
    pub is_hollow: bool,
    /// Colour of the mark.
    pub colour: SpeakerColour,
}

/// Colour of a participant, in the variants that different media need.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SpeakerColour {
    /// Name of the colour's class in style sheets.
    pub class: &'static str,
    /// Colour on a light background, as `#rrggbb`.
    pub on_light: &'static str,
    /// Colour on a dark background, as `#rrggbb`.
    pub on_dark: &'static str,
    /// Code among the 256 colours of terminals; of medium lightness, legible on light and dark backgrounds.
    pub terminal: u8,
}

/// Colours of participants. The first two can be distinguished with any colour vision.
pub const SPEAKER_COLOURS: [SpeakerColour; 8] = [
    colour("s0", "#2f5fa7", "#8cb4ef", 67),
    colour("s1", "#9c5a0b", "#e3a762", 136),
    colour("s2", "#7a3f8f", "#cd9fdd", 97),
    colour("s3", "#2d7350", "#84c9a4", 65),
    colour("s4", "#a5394f", "#ee9aaa", 131),
    colour("s5", "#0f7180", "#74c7d4", 30),
    colour("s6", "#6b5b14", "#cdbb6b", 101),
    colour("s7", "#5a51a8", "#b3abf0", 61),
];

/// Mark of a speaker who is no participant.
pub const UNKNOWN: SpeakerMark = SpeakerMark {
    glyph: "?",
    path: "M-3.4,-2.6C-3.4,-7.4 3.4,-7.4 3.4,-2.8C3.4,0.2 0,0 0,2.6M0,6L0,6.4",
    is_hollow: true,
    colour: colour("nobody", "#57606a", "#a5a198", 245),
};

const TRIANGLE: &str = "M0,-6.6L6.4,5.2L-6.4,5.2z";
const CIRCLE: &str = "M6,0A6,6 0 1 1 -6,0A6,6 0 1 1 6,0z";
const SQUARE: &str = "M-5.4,-5.4L5.4,-5.4L5.4,5.4L-5.4,5.4z";
const DIAMOND: &str = "M0,-7.2L7.2,0L0,7.2L-7.2,0z";
const POINT_DOWN: &str = "M0,6.6L6.4,-5.2L-6.4,-5.2z";
const STAR: &str = "M0,-7.4L1.8,-2.4L7,-2.3L2.9,0.9L4.4,6L0,3L-4.4,6L-2.9,0.9L-7,-2.3L-1.8,-2.4z";

/// Shapes of participants: character, path, and whether only the outline is drawn.
const SHAPES: [(&str, &str, bool); 12] = [
    ("▲", TRIANGLE, false),
    ("●", CIRCLE, false),
    ("■", SQUARE, false),
    ("◆", DIAMOND, false),
    ("▼", POINT_DOWN, false),
    ("★", STAR, false),
    ("△", TRIANGLE, true),
    ("○", CIRCLE, true),
    ("□", SQUARE, true),
    ("▽", POINT_DOWN, true),
    ("☆", STAR, true),
    ("◇", DIAMOND, true),
];

const fn colour(class: &'static str, on_light: &'static str, on_dark: &'static str, terminal: u8) -> SpeakerColour {
    SpeakerColour { class, on_light, on_dark, terminal }
}

/// Returns the mark of the participant at this index in speaking order.
pub fn mark(place: usize) -> SpeakerMark {
    let (glyph, path, is_hollow) = SHAPES[place % SHAPES.len()];
    SpeakerMark { glyph, path, is_hollow, colour: SPEAKER_COLOURS[place % SPEAKER_COLOURS.len()] }
}

/// Returns the mark of a speaker, or [`UNKNOWN`] if the debate has no such participant.
pub fn mark_of(summary: &Summary, persona: &PersonaId) -> SpeakerMark {
    let place = summary.participants.iter().position(|participant| participant.persona == *persona);
    place.map_or(UNKNOWN, mark)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn two_dozen_participants_have_different_marks() {
        let marks = || (0..24).map(mark);
        let pairs: BTreeSet<(&str, &str)> = marks().map(|mark| (mark.glyph, mark.colour.on_light)).collect();
        assert_eq!(pairs.len(), 24);
        let drawn: BTreeSet<(&str, bool)> = marks().map(|mark| (mark.path, mark.is_hollow)).collect();
        let glyphs: BTreeSet<&str> = marks().map(|mark| mark.glyph).collect();
        assert_eq!((drawn.len(), glyphs.len()), (12, 12), "each character has a drawing of its own");
        assert_eq!(mark_of(&Summary::default(), &"nobody".parse().expect("an id")), UNKNOWN);
    }
}
