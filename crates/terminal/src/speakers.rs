//! Speakers, each with a colour, a mark and a gutter.

use crate::text::span::{Span, SpanLine, glued, head, in_line, trusted};
use crate::text::style::Tone;
use faultline_core::events::ids::PersonaId;
use faultline_core::export::marks::{UNKNOWN, mark};
use faultline_core::projections::summary::Summary;

/// Gutters that distinguish speakers without colours; neighbours differ.
const GUTTERS: &[&str] = &["│", "┃", "║", "┆"];
/// Subject of effects that concern no participant.
pub const CLERK: &str = "clerk";
/// Maximum width of a name, in columns.
const MAX_NAME: usize = 24;

/// Presentation of a speaker on the terminal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpeakerStyle {
    /// Mark of the speaker.
    pub mark: &'static str,
    /// Name, cut to 24 columns.
    pub name: String,
    /// Tone of the speaker's items.
    pub tone: Tone,
    /// Tone of the speaker's name.
    pub name_tone: Tone,
    gutter: &'static str,
}

/// Speakers of a debate.
#[derive(Clone, Debug, Default)]
pub struct Speakers {
    known: Vec<(PersonaId, SpeakerStyle)>,
}

impl Speakers {
    /// Collects the participants, in speaking order.
    pub fn of(summary: &Summary) -> Speakers {
        let speakers = summary.participants.iter().enumerate().map(|(place, participant)| {
            let speaker = SpeakerStyle {
                mark: mark(place).glyph,
                name: short_name(&participant.name, participant.persona.as_str()),
                tone: Tone::Of(place),
                name_tone: Tone::Name(place),
                gutter: GUTTERS[place % GUTTERS.len()],
            };
            (participant.persona.clone(), speaker)
        });
        Speakers { known: speakers.collect() }
    }

    /// Returns a speaker; an id that is no participant is shown as its name, without a colour.
    pub fn get(&self, id: &PersonaId) -> SpeakerStyle {
        let known = self.known.iter().find(|(known, _)| known == id);
        known.map_or_else(|| stranger(UNKNOWN.glyph, &short_name("", id.as_str()), "╎"), |(_, speaker)| speaker.clone())
    }

    /// Returns the speaker of an item, or the moderator if it has none.
    pub fn maybe(&self, id: Option<&PersonaId>) -> SpeakerStyle {
        id.map_or_else(moderator, |id| self.get(id))
    }

    /// Returns the name of an effect's subject: a persona, or the clerk acting as judge.
    pub fn subject(&self, subject: &str) -> String {
        let known = self.known.iter().find(|(id, _)| id.as_str() == subject);
        match known {
            Some((_, speaker)) => speaker.name.clone(),
            None if subject == CLERK => "the judge".to_owned(),
            None => short_name(subject, subject),
        }
    }

    /// Returns the position in the speaking order; non-participants come last.
    pub fn place(&self, id: &PersonaId) -> usize {
        self.known.iter().position(|(known, _)| known == id).unwrap_or(self.known.len())
    }

    /// Returns the length of the longest name, in characters.
    pub fn longest(&self) -> usize {
        self.known.iter().map(|(_, speaker)| speaker.name.chars().count()).max().unwrap_or(0)
    }
}

/// Moderator, who speaks for no participant.
pub fn moderator() -> SpeakerStyle {
    stranger("»", "Moderator", "╎")
}

/// Judge of attacks.
pub fn judge() -> SpeakerStyle {
    stranger("§", "The judge", " ")
}

/// Clerk, who extracts claims, reasons and stances from turns.
pub fn clerk() -> SpeakerStyle {
    stranger("§", "The clerk", " ")
}

fn stranger(mark: &'static str, name: &str, gutter: &'static str) -> SpeakerStyle {
    SpeakerStyle { mark, name: name.to_owned(), tone: Tone::Quiet, name_tone: Tone::Strong, gutter }
}

fn short_name(name: &str, id: &str) -> String {
    let name = in_line(name);
    let name = if name.is_empty() { id.to_owned() } else { name };
    let kept = head(&name, MAX_NAME);
    if kept.len() < name.len() { format!("{}…", head(&name, MAX_NAME - 1).trim_end()) } else { name }
}

impl SpeakerStyle {
    /// Returns mark and name, kept on one line.
    pub fn badge(&self) -> SpanLine {
        vec![trusted(self.tone, format!("{}\u{a0}", self.mark)), glued(self.name_tone, &self.name)]
    }

    /// Returns the prefix of each line of this speaker.
    pub fn gutter(&self) -> SpanLine {
        vec![trusted(self.tone, self.gutter), trusted(Tone::Plain, " ")]
    }

    /// Returns a name in the speaker's tone, such as `a3`.
    pub fn owns(&self, name: impl ToString) -> Span {
        trusted(self.tone, name.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use faultline_core::projections::summary::Participant;

    #[test]
    fn a_dozen_speakers_differ_without_colours() {
        let participants = (0..12).map(|number| Participant {
            persona: format!("p{number}").parse().expect("an id"),
            name: format!("P\u{1b}[31m {number}"),
            about: String::new(),
            version: 1,
            edition: faultline_core::events::edition::Edition::default(),
            model: None,
            left: false,
        });
        let summary = Summary { participants: participants.collect(), ..Summary::default() };
        let speakers = Speakers::of(&summary);
        let marks: std::collections::BTreeSet<&str> = speakers.known.iter().map(|(_, speaker)| speaker.mark).collect();
        let folded: std::collections::BTreeSet<String> =
            marks.iter().map(|mark| crate::text::ascii::ascii(mark)).collect();
        assert_eq!((marks.len(), folded.len()), (12, 12));
        assert_eq!(speakers.subject("p3"), "P 3");
        assert_eq!(speakers.get(&"nobody".parse().expect("an id")).name, "nobody");
    }

    #[test]
    fn long_names_are_cut() {
        assert_eq!(short_name("", "an-id"), "an-id");
        assert!(short_name(&"日本".repeat(20), "x").chars().count() <= MAX_NAME / 2);
    }
}
