//! Who speaks, each with a colour, a mark and a gutter of their own.

use crate::cli::stage::span::{Line, Span, glued, head, in_line, own};
use crate::cli::stage::style::Tone;
use crate::events::ids::PersonaId;
use crate::projections::summary::Summary;

/// Marks, so that speakers can be told apart without colours.
const MARKS: &[&str] = &["▲", "●", "■", "◆", "▼", "★", "△", "○", "□", "▽", "☆", "◇"];
/// Gutters, for the same reason; neighbours differ.
const GUTTERS: &[&str] = &["│", "┃", "║", "┆"];
/// The subject of what is asked of nobody who takes part.
pub const CLERK: &str = "clerk";
/// The most columns that a name takes.
const NAME: usize = 24;

/// A speaker as the terminal shows them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Speaker {
    /// Their mark.
    pub mark: &'static str,
    /// Their name, cut to 24 columns.
    pub name: String,
    /// The tone of what is theirs.
    pub tone: Tone,
    /// The tone of their name.
    pub name_tone: Tone,
    gutter: &'static str,
}

/// The speakers of a debate.
#[derive(Clone, Debug, Default)]
pub struct Speakers {
    known: Vec<(PersonaId, Speaker)>,
}

impl Speakers {
    /// Those who take part, in speaking order.
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

    /// A speaker; whoever does not take part goes by their id and has no colour.
    pub fn get(&self, id: &PersonaId) -> Speaker {
        let known = self.known.iter().find(|(known, _)| known == id);
        known.map_or_else(|| stranger("?", &short_name("", id.as_str()), "╎"), |(_, it)| it.clone())
    }

    /// The speaker of something that may be nobody's.
    pub fn maybe(&self, id: Option<&PersonaId>) -> Speaker {
        id.map_or_else(moderator, |it| self.get(it))
    }

    /// Whoever a question goes to, by its subject: a persona, or the clerk who judges.
    pub fn subject(&self, subject: &str) -> String {
        let known = self.known.iter().find(|(id, _)| id.as_str() == subject);
        match known {
            Some((_, speaker)) => speaker.name.clone(),
            None if subject == CLERK => "the judge".to_owned(),
            None => short_name(subject, subject),
        }
    }

    /// The place in the speaking order; whoever does not take part comes last.
    pub fn place(&self, id: &PersonaId) -> usize {
        self.known.iter().position(|(known, _)| known == id).unwrap_or(self.known.len())
    }

    /// The columns of the longest name.
    pub fn longest(&self) -> usize {
        self.known.iter().map(|(_, it)| it.name.chars().count()).max().unwrap_or(0)
    }
}

/// Whoever speaks for nobody who takes part.
pub fn moderator() -> Speaker {
    stranger("»", "Moderator", "╎")
}

/// Whoever judges attacks.
pub fn judge() -> Speaker {
    stranger("§", "The judge", " ")
}

/// Whoever draws claims, reasons and stances from the talk.
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
    /// Mark and name, on one line.
    pub fn badge(&self) -> Line {
        vec![own(self.tone, format!("{}\u{a0}", self.mark)), glued(self.name_tone, &self.name)]
    }

    /// What stands before every line of theirs.
    pub fn gutter(&self) -> Line {
        vec![own(self.tone, self.gutter), own(Tone::Plain, " ")]
    }

    /// A name for something of theirs, such as `a3`.
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
