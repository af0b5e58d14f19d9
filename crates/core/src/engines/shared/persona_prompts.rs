//! Descriptions of personas for prompts: character, and manner of speaking in a kind of turn. Apart from the `.md`
//! files, only this module and [`brief`](crate::engines::shared::view_prompts) contain sentences addressed to models.
//!
//! | kind of turn | used by | registers | sample lines |
//! |--------------|----------|-----------|------------------|
//! | opening | graph, dialogue, disputes | opening | opening |
//! | draft | dialectic | opening, argument | opening |
//! | attack | graph | attack | challenge, crux |
//! | criticism | dialectic | attack, concession | challenge, concession |
//! | synthesis | dialectic | argument, concession | concession, crux |
//! | exchange | dialogue, disputes | argument, concession | challenge, concession, crux |
//! | answer (to a challenge) | dialogue, disputes | attack, concession | challenge, concession, crux |
//! | crux seeking | dialogue, disputes | crux, argument, concession | crux, concession |
//! | closing | dialogue, disputes | closing | closing, concession |
//!
//! A prompt has limited room: the debate's seed selects a few sample lines of each situation, and the whole description
//! stays under [`MAX_PERSONA_BYTES`]. Entries that do not fit are omitted, the least important first; `faultline persona
//! check` reports them.

use sha2::{Digest, Sha256};

use crate::events::persona::Persona;

/// Maximum number of bytes of a persona's description in a prompt.
pub const MAX_PERSONA_BYTES: usize = 6_000;
/// Maximum number of sample lines shown of a situation.
pub const MAX_LINES: usize = 2;

/// Kind of turn, as far as it determines the manner of speaking.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TurnKind {
    /// Opening statement.
    Opening,
    /// First draft of a proposal.
    Draft,
    /// Attack on arguments of others.
    Attack,
    /// Criticism of a proposal.
    Criticism,
    /// Synthesis of a proposal and its criticism.
    Synthesis,
    /// Turn in a talk.
    Exchange,
    /// Turn in a talk after a challenge.
    Answer,
    /// Turn that looks for the crux.
    CruxSeeking,
    /// Closing statement.
    Closing,
}

/// All kinds of turn.
pub const MANNERS: &[TurnKind] = &[
    TurnKind::Opening,
    TurnKind::Draft,
    TurnKind::Attack,
    TurnKind::Criticism,
    TurnKind::Synthesis,
    TurnKind::Exchange,
    TurnKind::Answer,
    TurnKind::CruxSeeking,
    TurnKind::Closing,
];

impl TurnKind {
    /// Returns the applicable registers: the key in a persona file, and the phrase that says when it applies.
    pub fn registers(self) -> &'static [(&'static str, &'static str)] {
        const HERE: &str = "In this kind of turn";
        const GRANTING: (&str, &str) = ("concession", "Where you grant something");
        match self {
            TurnKind::Opening => &[("opening", HERE)],
            TurnKind::Draft => &[("opening", HERE), ("argument", "Where you give reasons")],
            TurnKind::Attack => &[("attack", HERE)],
            TurnKind::Criticism | TurnKind::Answer => &[("attack", HERE), GRANTING],
            TurnKind::Synthesis | TurnKind::Exchange => &[("argument", HERE), GRANTING],
            TurnKind::CruxSeeking => {
                &[("crux", "Where you name what it turns on"), ("argument", "Where you give reasons"), GRANTING]
            }
            TurnKind::Closing => &[("closing", HERE)],
        }
    }

    /// Returns the situations that may occur, by their keys in a persona file, the most likely first.
    pub fn situations(self) -> &'static [&'static str] {
        match self {
            TurnKind::Opening | TurnKind::Draft => &["opening"],
            TurnKind::Attack => &["challenge", "crux"],
            TurnKind::Criticism => &["challenge", "concession"],
            TurnKind::Synthesis => &["concession", "crux"],
            TurnKind::Exchange | TurnKind::Answer => &["challenge", "concession", "crux"],
            TurnKind::CruxSeeking => &["crux", "concession"],
            TurnKind::Closing => &["closing", "concession"],
        }
    }
}

/// Description of a persona for a prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PersonaDescription {
    /// Text of at most [`MAX_PERSONA_BYTES`] bytes.
    pub text: String,
    /// Number of entries that were omitted for lack of room.
    pub left_out: usize,
}

/// Describes a persona for a kind of turn. Deterministic for a given seed.
pub fn persona(persona: &Persona, manner: TurnKind, seed: u64) -> String {
    describe(persona, manner, seed).text
}

/// Describes a persona like [`persona`], and counts omitted entries. Linear in the size of the persona.
pub fn describe(persona: &Persona, manner: TurnKind, seed: u64) -> PersonaDescription {
    let mut page = Page { parts: parts(persona, manner, seed), kept: 0, left_out: 0 };
    page.fit();
    PersonaDescription { left_out: page.left_out, text: page.written() }
}

/// Section of the description: a title, and entries that are kept or omitted as a whole.
struct Part {
    /// Priority for room: 0 is the highest.
    rank: u8,
    title: String,
    entries: Vec<String>,
    shape: Shape,
    keeps: Vec<bool>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// Entries follow the title on its line.
    Line,
    /// One entry per line.
    List,
}

struct Page {
    parts: Vec<Part>,
    kept: usize,
    left_out: usize,
}

fn parts(persona: &Persona, manner: TurnKind, seed: u64) -> Vec<Part> {
    let (contract, voice) = (&persona.contract, &persona.voice);
    let part = |rank: u8, shape: Shape, title: &str, entries: &[String]| Part {
        rank,
        title: title.to_owned(),
        entries: entries.iter().filter(|entry| !entry.trim().is_empty()).cloned().collect(),
        shape,
        keeps: Vec::new(),
    };
    let line = |rank: u8, title: &str, text: &String| part(rank, Shape::Line, title, std::slice::from_ref(text));
    let mut parts = vec![
        line(0, "You are", &format!("{}. {}", persona.name, persona.about)),
        line(3, "Personality:", &contract.personality),
        line(3, "Bias:", &contract.bias),
        line(3, "What is at stake for you:", &contract.stakes),
        line(3, "What counts as knowing:", &contract.epistemology),
        line(4, "Time horizon:", &contract.time_horizon),
        line(3, "What you accept as evidence:", &contract.evidence_policy),
        part(4, Shape::List, "You would change your mind if:", &contract.flip_conditions),
        part(5, Shape::List, "You have written (stand by it; do not repeat these lines):", &contract.anchors),
        part(2, Shape::List, "How you speak:", &voice.speech_patterns),
        part(6, Shape::Line, "Words you reach for:", &voice.vocabulary),
        part(1, Shape::Line, "Never say:", &voice.forbidden_phrases),
    ];
    for (register, when) in manner.registers() {
        if let Some(how) = voice.registers.get(*register) {
            parts.push(line(1, &format!("{when}:"), how));
        }
    }
    for situation in manner.situations() {
        let lines =
            voice.examples.get(*situation).map(|lines| picked(persona, situation, lines, seed)).unwrap_or_default();
        parts.push(part(5, Shape::List, sounding(situation), &lines));
    }
    parts
}

fn sounding(situation: &str) -> &'static str {
    match situation {
        "opening" => "How you sound when you begin (for the sound only; do not repeat these lines):",
        "challenge" => "How you sound when you dispute something (do not repeat these lines):",
        "concession" => "How you sound when you grant something (do not repeat these lines):",
        "crux" => "How you sound when you name what it turns on (do not repeat these lines):",
        _ => "How you sound when you end (do not repeat these lines):",
    }
}

/// Selects sample lines by the debate's seed and returns them in file order.
fn picked(persona: &Persona, situation: &str, lines: &[String], seed: u64) -> Vec<String> {
    let mut drawn: Vec<_> = lines
        .iter()
        .enumerate()
        .map(|(at, line)| (Sha256::digest(format!("{seed}/{}/{situation}/{line}", persona.id)).to_vec(), at))
        .collect();
    drawn.sort();
    drawn.truncate(MAX_LINES);
    drawn.sort_by_key(|(_, at)| *at);
    drawn.into_iter().map(|(_, at)| lines[at].clone()).collect()
}

impl Page {
    /// Allots room by rank and, within a rank, in the order of the text.
    fn fit(&mut self) {
        let mut order: Vec<usize> = (0..self.parts.len()).collect();
        order.sort_by_key(|at| self.parts[*at].rank);
        for at in order {
            let part = &mut self.parts[at];
            let (mut used, frame) = (self.kept, part.title.len() + 1);
            for entry in &part.entries {
                // The first entry also pays for the title; list marks and line breaks take at most three bytes.
                let cost = entry.len() + 3 + if part.keeps.contains(&true) { 0 } else { frame };
                let keeps = used + cost <= MAX_PERSONA_BYTES;
                used += if keeps { cost } else { 0 };
                self.left_out += usize::from(!keeps);
                part.keeps.push(keeps);
            }
            self.kept = used;
        }
    }

    fn written(&self) -> String {
        let mut lines = Vec::new();
        for part in &self.parts {
            let kept: Vec<&str> = part
                .entries
                .iter()
                .zip(&part.keeps)
                .filter(|(_, keeps)| **keeps)
                .map(|(entry, _)| entry.as_str())
                .collect();
            match part.shape {
                _ if kept.is_empty() => {}
                Shape::Line => lines.push(format!("{} {}", part.title, kept.join("; "))),
                Shape::List => {
                    lines.push(part.title.clone());
                    lines.extend(kept.iter().map(|entry| format!("- {entry}")));
                }
            }
        }
        lines.join("\n").trim_end().to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::events::persona::{Contract, Voice};

    fn ada(n_lines: usize) -> Persona {
        let lines = |situation: &str| (0..n_lines).map(|number| format!("{situation} {number}")).collect::<Vec<_>>();
        let all = ["opening", "challenge", "concession", "crux", "closing"];
        Persona {
            id: "ada".parse().expect("a name"),
            name: "Ada Quill".into(),
            about: "Clerk of works".into(),
            version: 1,
            contract: Contract { bias: "old walls".into(), ..Contract::default() },
            voice: Voice {
                speech_patterns: vec!["short".into()],
                vocabulary: vec!["lime".into(), "mortar".into()],
                forbidden_phrases: vec!["going forward".into()],
                examples: all.iter().map(|situation| ((*situation).to_owned(), lines(situation))).collect(),
                registers: ["opening", "argument", "attack", "concession", "closing"]
                    .iter()
                    .map(|situation| ((*situation).to_owned(), format!("register of {situation}")))
                    .collect(),
            },
        }
    }

    #[test]
    fn every_kind_of_turn_has_its_register_and_its_lines() {
        let persona_of = ada(1);
        for manner in MANNERS {
            let told = describe(&persona_of, *manner, 1);
            assert_eq!(told.left_out, 0);
            for always in
                ["You are Ada Quill", "Bias: old walls", "- short", "lime; mortar", "Never say: going forward"]
            {
                assert!(told.text.contains(always), "{manner:?} lacks {always:?}:\n{}", told.text);
            }
            for (register, when) in manner.registers().iter().filter(|(register, _)| *register != "crux") {
                assert!(told.text.contains(&format!("{when}: register of {register}")), "{manner:?}:\n{}", told.text);
            }
            for situation in manner.situations() {
                assert!(told.text.contains(&format!("- {situation} 0")), "{manner:?}:\n{}", told.text);
            }
        }
    }

    #[test]
    fn the_seed_selects_sample_lines() {
        let all = ada(6);
        let texts: Vec<String> = (1..9).map(|seed| persona(&all, TurnKind::Opening, seed)).collect();
        assert!(texts.iter().all(|text| text.matches("- opening ").count() == MAX_LINES));
        assert!(texts.iter().any(|text| *text != texts[0]), "eight seeds selected the same lines");
        assert_eq!(texts[0], persona(&all, TurnKind::Opening, 1));
    }

    #[test]
    fn omitted_entries_are_counted_and_the_voice_is_kept() {
        let mut long = ada(2);
        long.contract.flip_conditions = (0..40).map(|number| format!("{number} {}", "x".repeat(990))).collect();
        let told = describe(&long, TurnKind::Attack, 1);
        assert!(told.text.len() <= MAX_PERSONA_BYTES, "{}", told.text.len());
        assert!(told.left_out >= 34, "{}", told.left_out);
        for kept in ["Never say: going forward", "register of attack", "- short"] {
            assert!(told.text.contains(kept), "{kept}");
        }
    }

    #[test]
    fn an_empty_persona_is_described_in_one_line() {
        let bare = Persona { contract: Contract::default(), voice: Voice::default(), ..ada(0) };
        assert_eq!(persona(&bare, TurnKind::Closing, 1), "You are Ada Quill. Clerk of works");
    }
}
