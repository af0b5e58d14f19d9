//! Checks of a persona file beyond those of parsing.
//!
//! Errors have to be fixed; remarks deserve a second look. Each names the line.
//!
//! | error | remark |
//! |-------|--------|
//! | structure, lengths, unknown situations and registers | a flip condition that nobody could observe |
//! | a forbidden phrase in lines, vocabulary, habits or registers | vocabulary that the corpus does not use |
//! | one line in two situations; a repeated flip condition | statements without an anchor |
//! | a placeholder that `persona build` left | |
//! | an anchor that does not occur in the corpus | more text than fits into a prompt |
//! | contract or voice changed without a new version number | a version number below an earlier one |

use std::collections::BTreeMap;
use std::path::Path;

use crate::anchors::{Anchored, anchors, statements};
use crate::corpus_reader::CorpusTexts;
use crate::file_error::FileError;
use crate::personas::{PersonaFile, read_persona};
use crate::phrases::{Phrase, TextPositions};
use faultline_core::drafting::draft::PLACEHOLDER;
use faultline_core::drafting::quotes::{MIN_CHARS, plain};
use faultline_core::engines::shared::persona_prompts::{MANNERS, MAX_PERSONA_BYTES, describe};
use faultline_core::events::edition::Edition;
use faultline_core::events::persona::Persona;
use faultline_core::voices::phrase::{plain as small, uses_plain};

/// Severity of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Grade {
    /// Problem that has to be fixed.
    Error,
    /// Remark that deserves a second look.
    Remark,
}

impl Grade {
    /// Name of the severity: `error`, `remark`.
    pub fn name(self) -> &'static str {
        match self {
            Grade::Error => "error",
            Grade::Remark => "remark",
        }
    }
}

/// Finding in a persona file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PersonaFinding {
    /// Severity of the finding.
    pub grade: Grade,
    /// Location and description.
    pub fault: FileError,
}

/// Checks a persona file, given as text, against the persona's corpus and its recorded versions. Returns the persona,
/// if it can be parsed, and the findings in the order of their lines. Cost: number of statements times size of the
/// corpus.
pub fn check(
    file: &Path,
    text: &str,
    texts: &CorpusTexts,
    met: &[Edition],
) -> (Option<PersonaFile>, Vec<PersonaFinding>) {
    let read = match read_persona(file, text) {
        Ok(read) => read,
        Err(faults) => {
            return (None, faults.into_iter().map(|fault| PersonaFinding { grade: Grade::Error, fault }).collect());
        }
    };
    let places = TextPositions::of(text).unwrap_or_default();
    let mut checker = Checker { file, places, texts, findings: Vec::new() };
    checker.placeholders();
    checker.contradictions();
    checker.repetitions();
    checker.flip_conditions();
    checker.corpus();
    checker.vocabulary();
    match anchors(file, text, &read.persona) {
        Ok(anchors) => checker.anchors(&read.persona, &anchors),
        Err(faults) => {
            checker.findings.extend(faults.into_iter().map(|fault| PersonaFinding { grade: Grade::Error, fault }))
        }
    }
    checker.room(&read.persona);
    checker.versions(&Edition::of(&read.persona), met);
    checker.findings.sort_by_key(|finding| (finding.fault.line, finding.grade));
    (Some(read), checker.findings)
}

struct Checker<'a> {
    file: &'a Path,
    places: TextPositions,
    texts: &'a CorpusTexts,
    findings: Vec<PersonaFinding>,
}

/// Words of which a flip condition needs at least one.
const CONDITIONS: &[&str] = &[
    "if", "when", "once", "unless", "until", "were", "had", "should", "after", "the day", "where", "were to",
    "provided",
];
/// Phrases that describe a state of mind, which others cannot observe, instead of a condition.
#[rustfmt::skip]
const UNSEEN: &[&str] = &[
    "i were convinced", "i was convinced", "somebody convinced me", "someone convinced me", "i were persuaded",
    "i was persuaded", "somebody persuaded me", "someone persuaded me", "a better argument", "a good argument",
    "a good enough argument", "good arguments", "better arguments", "i felt", "it felt right", "i came to believe",
];

impl Checker<'_> {
    fn find(&mut self, grade: Grade, line: usize, what: String) {
        self.findings.push(PersonaFinding { grade, fault: FileError::at(self.file, line, what) });
    }

    fn line(&self, key: &str) -> usize {
        self.places.keys.get(key).copied().unwrap_or(1)
    }

    fn phrases(&self, belongs: impl Fn(&str) -> bool) -> Vec<Phrase> {
        self.places.phrases.iter().filter(|phrase| belongs(&phrase.key)).cloned().collect()
    }

    fn placeholders(&mut self) {
        let placeholder = small(PLACEHOLDER);
        for phrase in self.phrases(|key| !key.starts_with("anchors.")) {
            if small(&phrase.text).contains(&placeholder) {
                let what =
                    format!("{}: still has the placeholder of `faultline persona build`; replace it", phrase.key);
                self.find(Grade::Error, phrase.line, what);
            }
        }
    }

    /// Checks the rest of the voice; parsing has checked example lines and vocabulary already.
    fn contradictions(&mut self) {
        let own = self.phrases(|key| key == "voice.speech_patterns" || key.starts_with("voice.registers."));
        for forbidden in self.phrases(|key| key == "voice.forbidden_phrases") {
            for phrase in own.iter().filter(|phrase| phrase.holds(&forbidden)) {
                let what = format!(
                    "{}: {:?} uses {:?}, which line {} forbids; change one of them",
                    phrase.key, phrase.text, forbidden.text, forbidden.line
                );
                self.find(Grade::Error, phrase.line, what);
            }
        }
    }

    /// Finds lines that are repeated in two situations and therefore characterize neither.
    fn repetitions(&mut self) {
        let mut first: BTreeMap<String, Phrase> = BTreeMap::new();
        for line in self.phrases(|key| key.starts_with("voice.examples.")) {
            let before = first.entry(small(&plain(&line.text))).or_insert_with(|| line.clone()).clone();
            if before.line != line.line || before.key != line.key {
                let what = format!(
                    "{}: {:?} is under {} in line {} already; remove one",
                    line.key, line.text, before.key, before.line
                );
                self.find(Grade::Error, line.line, what);
            }
        }
    }

    fn flip_conditions(&mut self) {
        let all = self.phrases(|key| key == "contract.flip_conditions");
        for (at, one) in all.iter().enumerate() {
            let text = small(&plain(&one.text));
            let bare = |text: &str| text.chars().filter(|letter| letter.is_alphanumeric()).collect::<String>();
            if let Some(before) = all[..at]
                .iter()
                .find(|condition| bare(&small(&condition.text)) == bare(&text) && condition.text != one.text)
            {
                let what = format!("contract.flip_conditions: says the same as line {}; remove one", before.line);
                self.find(Grade::Error, one.line, what);
            }
            let conditional = CONDITIONS.iter().any(|word| uses_plain(&text, word) > 0);
            let unseen = UNSEEN.iter().find(|word| uses_plain(&text, word) > 0);
            let why = match (text.ends_with('?'), unseen, conditional) {
                (true, ..) => "is a question, not a condition".to_owned(),
                (_, Some(words), _) => format!("says {words:?}, which others cannot observe"),
                (_, None, false) => "states no condition (if, when, unless, until)".to_owned(),
                _ => continue,
            };
            let what = format!("contract.flip_conditions: {:?} {why}; say what would have to happen", one.text);
            self.find(Grade::Remark, one.line, what);
        }
    }

    fn corpus(&mut self) {
        if self.texts.pages.is_empty() {
            let what = "this persona has no corpus, so vocabulary and anchors were not checked";
            self.find(Grade::Remark, 1, what.to_owned());
        }
        for skipped in self.texts.skipped.clone() {
            self.findings.push(PersonaFinding { grade: Grade::Remark, fault: skipped });
        }
    }

    fn vocabulary(&mut self) {
        if self.texts.pages.is_empty() {
            return;
        }
        let corpus = small(&self.texts.text());
        for word in self.phrases(|key| key == "voice.vocabulary") {
            // Substring match, so that a plural or another form of the word counts.
            if !corpus.contains(&small(&word.text)) {
                self.find(Grade::Remark, word.line, format!("voice.vocabulary: the corpus never uses {:?}", word.text));
            }
        }
    }

    fn anchors(&mut self, persona: &Persona, anchors: &[Anchored]) {
        for anchor in anchors {
            let what = match self.texts.pages.get(&anchor.document) {
                _ if anchor.quote.chars().count() < MIN_CHARS => {
                    format!("{:?} is too short as evidence; quote at least {MIN_CHARS} characters", anchor.quote)
                }
                Some(page) if page.contains(&anchor.quote) => continue,
                Some(_) => match self.texts.pages.iter().find(|(_, page)| page.contains(&anchor.quote)) {
                    Some((other, _)) => format!("{:?} is in {other}, not in {}", anchor.quote, anchor.document),
                    None => format!("{:?} is not in {}", anchor.quote, anchor.document),
                },
                None => format!("there is no document {:?} in the corpus", anchor.document),
            };
            self.find(Grade::Error, anchor.line, format!("anchors.{}: {what}", anchor.of));
        }
        let is_anchored = |statement: &&String| {
            !anchors.iter().any(|anchor| anchor.of == **statement || statement.starts_with(&format!("{}.", anchor.of)))
        };
        // Only the contract needs anchors: names, vocabulary and registers reflect the whole corpus, and example lines
        // may be invented.
        let wants = |statement: &&String| statement.starts_with("contract.");
        let all = statements(persona);
        let wanted: Vec<&String> = all.iter().filter(wants).collect();
        let bare: Vec<&String> = wanted.iter().copied().filter(is_anchored).collect();
        if bare.len() == wanted.len() {
            let what = format!("anchors: none of the {} statements of the contract has an anchor", wanted.len());
            self.find(Grade::Remark, self.line("contract"), what);
            return;
        }
        for statement in bare {
            let field = statement.trim_end_matches(|letter: char| letter.is_ascii_digit() || letter == '.');
            self.find(Grade::Remark, self.line(field), format!("anchors: {statement} has no anchor"));
        }
    }

    fn room(&mut self, persona: &Persona) {
        let left_out = MANNERS.iter().map(|manner| describe(persona, *manner, 0).left_out).max().unwrap_or(0);
        if left_out > 0 {
            let what = format!(
                "a prompt has {MAX_PERSONA_BYTES} bytes for a persona and omits {left_out} entries of this one; shorten it"
            );
            self.find(Grade::Remark, 1, what);
        }
    }

    fn versions(&mut self, now: &Edition, met: &[Edition]) {
        let line = self.line("version");
        let highest = met.iter().map(|edition| edition.number).max().unwrap_or(0);
        let taken = met.iter().find(|edition| edition.number == now.number && !edition.has_same_texts(now));
        if met.contains(now) {
            return;
        }
        if let Some(taken) = taken {
            let changed = match (taken.contract == now.contract, taken.voice == now.voice) {
                (false, true) => "contract",
                (true, false) => "voice",
                _ => "contract and voice",
            };
            let what = format!(
                "version: {changed} changed since version {} was recorded; increase it to {}",
                now.number,
                highest.saturating_add(1)
            );
            self.find(Grade::Error, line, what);
        } else if now.number < highest {
            let what = format!("version: {} is lower than the recorded version {highest}", now.number);
            self.find(Grade::Remark, line, what);
        }
    }
}
