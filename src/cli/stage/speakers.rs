//! Speakers, each with a colour, a mark and a gutter.

use crate::cli::stage::span::{Line, Span, glued, head, in_line, own};
use crate::cli::stage::style::Tone;
use crate::events::ids::PersonaId;
use crate::projections::summary::Summary;

/// Marks that distinguish speakers without colours.
const MARKS: &[&str] = &["▲", "●", "■", "◆", "▼", "★", "△", "○", "□", "▽", "☆", "◇"];
/// Gutters that distinguish speakers without colours; neighbours differ.
const GUTTERS: &[&str] = &["│", "┃", "║", "┆"];
/// Subject of effects that concern no participant.
pub const CLERK: &str = "clerk";
/// Maximum width of a name, in columns.
const NAME: usize = 24;

/// Presentation of a speaker on the terminal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Speaker {
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
    known: Vec<(PersonaId, Speaker)>,
}

impl Speakers {
    /// Collects the participants, in speaking order.
    pub fn of(summary: &Summary) -> Speakers {
        let speakers = summary.participants.iter().enumerate().map(|(place, it)| {
            let speaker = Speaker {
                mark: MARKS[place % MARKS.len()],
                name: short_name(&it.name, it.persona.as_str()),
                tone: Tone::Of(place),
                name_tone: Tone::Name(place),
                gutter: GUTTERS[place % GUTTERS.len()],
            };
            (it.persona.clone(), speaker)
        });
        Speakers { known: speakers.collect() }
    }

    /// Returns a speaker; an id that is no participant is shown as its name, without a colour.
    pub fn get(&self, id: &PersonaId) -> Speaker {
        let known = self.known.iter().find(|(known, _)| known == id);
        known.map_or_else(|| stranger("?", &short_name("", id.as_str()), "╎"), |(_, it)| it.clone())
    }

    /// Returns the speaker of an item, or the moderator if it has none.
    pub fn maybe(&self, id: Option<&PersonaId>) -> Speaker {
        id.map_or_else(moderator, |it| self.get(it))
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
        self.known.iter().map(|(_, it)| it.name.chars().count()).max().unwrap_or(0)
    }
}

/// Moderator, who speaks for no participant.
pub fn moderator() -> Speaker {
    stranger("»", "Moderator", "╎")
}

/// Judge of attacks.
pub fn judge() -> Speaker {
    stranger("§", "The judge", " ")
}

/// Clerk, who extracts claims, reasons and stances from turns.
pub fn clerk() -> Speaker {
    stranger("§", "The clerk", " ")
}

fn stranger(mark: &'static str, name: &str, gutter: &'static str) -> Speaker {
    Speaker { mark, name: name.to_owned(), tone: Tone::Quiet, name_tone: Tone::Strong, gutter }
}

fn short_name(name: &str, id: &str) -> String {
    let name = in_line(name);
    let name = if name.is_empty() { id.to_owned() } else { name };
    let kept = head(&name, NAME);
    if kept.len() < name.len() { format!("{}…", head(&name, NAME - 1).trim_end()) } else { name }
}

impl Speaker {
    /// Returns mark and name, kept on one line.
    pub fn badge(&self) -> Line {
        vec![own(self.tone, format!("{}\u{a0}", self.mark)), glued(self.name_tone, &self.name)]
    }

    /// Returns the prefix of each line of this speaker.
    pub fn gutter(&self) -> Line {
        vec![own(self.tone, self.gutter), own(Tone::Plain, " ")]
    }

    /// Returns a name in the speaker's tone, such as `a3`.
    pub fn owns(&self, name: impl ToString) -> Span {
        own(self.tone, name.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::projections::summary::Participant;

    #[test]
    fn a_dozen_speakers_differ_without_colours() {
        let participants = (0..12).map(|it| Participant {
            persona: format!("p{it}").parse().expect("an id"),
            name: format!("P\u{1b}[31m {it}"),
            about: String::new(),
            version: 1,
            edition: crate::events::edition::Edition::default(),
            left: false,
        });
        let summary = Summary { participants: participants.collect(), ..Summary::default() };
        let speakers = Speakers::of(&summary);
        let marks: std::collections::BTreeSet<&str> = speakers.known.iter().map(|(_, it)| it.mark).collect();
        let folded: std::collections::BTreeSet<String> =
            marks.iter().map(|it| crate::cli::stage::ascii::ascii(it)).collect();
        assert_eq!((marks.len(), folded.len()), (12, 12));
        assert_eq!(speakers.subject("p3"), "P 3");
        assert_eq!(speakers.get(&"nobody".parse().expect("an id")).name, "nobody");
    }

    #[test]
    fn long_names_are_cut() {
        assert_eq!(short_name("", "an-id"), "an-id");
        assert!(short_name(&"日本".repeat(20), "x").chars().count() <= NAME / 2);
    }
}
