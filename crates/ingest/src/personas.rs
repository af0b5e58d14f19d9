//! Persona files: `personas/<id>.toml`, one per persona.
//!
//! ```toml
//! name = "Agnes Wetherlow"
//! about = "Retired geologist; asks who is bound, and for how long"
//! version = 1
//! topics = ["Should the islands build a small nuclear plant instead of more wind?"]
//!
//! [contract]            # identity and positions: every key of events::persona::Contract
//! [voice]               # language: speech_patterns, vocabulary, forbidden_phrases
//! [voice.examples]      # example lines by situation: opening, challenge, concession, crux, closing
//! [anchors]             # quotations from the corpus that support statements: see ingest::anchors
//! [voice.registers]     # style by kind of turn: opening, argument, attack, concession, crux, closing
//! ```
//!
//! A file is checked as a whole, so that all errors are reported at once: structure, lengths, and whether the persona
//! contradicts itself by using a phrase that it forbids.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::anchors::{anchors, shown};
use crate::file_error::{FileError, line_of};
use crate::phrases::{Phrase, TextPositions};
use crate::sources::{MAX_PERSONA_BYTES, listed, text_of};
use faultline_core::events::ids::PersonaId;
use faultline_core::events::persona::{Contract, Persona, Voice};
use faultline_core::voices::phrase::{plain, uses_plain};
use faultline_shipped::files::exists;

/// Maximum number of characters of a name.
pub const MAX_NAME_CHARS: usize = 80;

/// Maximum number of characters of the description line.
pub const MAX_ABOUT_CHARS: usize = 160;

/// Maximum number of characters of a topic.
pub const MAX_TOPIC_CHARS: usize = 200;

/// Maximum number of characters of any other text.
pub const MAX_TEXT_CHARS: usize = 1000;

/// Maximum number of entries of a list.
pub const MAX_ENTRIES: usize = 40;

/// Maximum number of personas in a folder.
pub const MAX_PERSONAS: usize = 1000;

/// Situations for which a persona may have example lines.
pub const SITUATIONS: &[&str] = &["opening", "challenge", "concession", "crux", "closing"];

/// Kinds of turn for which a persona may have a register.
pub const REGISTERS: &[&str] = &["opening", "argument", "attack", "concession", "crux", "closing"];

/// Parsed persona file.
#[derive(Clone, Debug, PartialEq)]
pub struct PersonaFile {
    /// Parsed persona; its id is the stem of the file name.
    pub persona: Persona,
    /// Topics that suit the persona.
    pub topics: Vec<String>,
    /// Path of the file.
    pub file: PathBuf,
}

/// All errors in the files of a persona folder.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", told(.0))]
pub struct PersonaFaults(pub Vec<FileError>);

fn told(faults: &[FileError]) -> String {
    faults.iter().map(FileError::to_string).collect::<Vec<_>>().join("\n")
}

/// Reads the personas of a folder, or the named ones only, in the order of their ids. Blocks on the file system.
///
/// # Errors
/// Every [`FileError`] of the files that were read: a folder that cannot be read or contains no persona; a named persona
/// without a file; a file that is not regular, larger than [`MAX_PERSONA_BYTES`] or not UTF-8.
pub fn read_personas(folder: &Path, only: Option<&[PersonaId]>) -> Result<Vec<PersonaFile>, PersonaFaults> {
    let files = files(folder, only).map_err(|fault| PersonaFaults(vec![fault]))?;
    let (mut personas, mut faults) = (Vec::new(), Vec::new());
    for file in files {
        let read = text_of(&file, MAX_PERSONA_BYTES).map_err(|why| vec![FileError::of(&file, why)]);
        match read.and_then(|text| read_persona(&file, &text)) {
            Ok(persona) => personas.push(persona),
            Err(found) => faults.extend(found),
        }
    }
    if faults.is_empty() { Ok(personas) } else { Err(PersonaFaults(faults)) }
}

fn files(folder: &Path, only: Option<&[PersonaId]>) -> Result<Vec<PathBuf>, FileError> {
    if let Some(only) = only {
        let mut files: Vec<_> = only.iter().map(|id| folder.join(format!("{id}.toml"))).collect();
        files.sort();
        files.dedup();
        let absent = files.iter().find(|file| !exists(file));
        return match absent {
            Some(file) => {
                Err(FileError::of(file, "there is no such persona; `faultline persona list` shows the existing ones"))
            }
            None => Ok(files),
        };
    }
    let mut files = listed(folder).map_err(|why| FileError::of(folder, why))?;
    files.retain(|file| file.extension().is_some_and(|extension| extension == "toml"));
    match files.len() {
        0 => Err(FileError::of(folder, "contains no persona; a persona is a file <id>.toml")),
        n if n > MAX_PERSONAS => Err(FileError::of(folder, format!("{n} personas are more than {MAX_PERSONAS}"))),
        _ => Ok(files),
    }
}

/// Persona file as TOML.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    name: String,
    about: String,
    version: i32,
    #[serde(default)]
    topics: Vec<String>,
    contract: Contract,
    voice: Voice,
    /// Anchors of statements: read and checked by `ingest::anchors`.
    #[serde(default, rename = "anchors")]
    _anchors: toml::Table,
}

/// Finds all fields that a file lacks, where its parser reports the first one only.
fn missing_fields(file: &Path, text: &str) -> Vec<FileError> {
    let Ok(table) = text.parse::<toml::Table>() else { return Vec::new() };
    let root = ["name", "about", "version", "contract", "voice"].map(str::to_owned).to_vec();
    let sections = [("", root), ("contract", required::<Contract>()), ("voice", required::<Voice>())];
    let missing = sections.into_iter().filter_map(|(section, required)| {
        let within = if section.is_empty() { Some(&table) } else { table.get(section).and_then(toml::Value::as_table) };
        let within = within?;
        let absent = required.iter().filter(|field| !within.contains_key(*field));
        let absent: Vec<String> = absent.map(|field| format!("`{field}`")).collect();
        let header = format!("[{section}]");
        let line = text.lines().position(|line| line.trim() == header).map_or(1, |place| place + 1);
        let reason = match absent.len() {
            0 => return None,
            1 => format!("missing field {}", absent[0]),
            _ => format!("missing fields {}", absent.join(", ")),
        };
        Some(FileError::at(file, line, reason))
    });
    missing.collect()
}

/// Names of the fields that a part of a persona must have.
fn required<T: JsonSchema>() -> Vec<String> {
    let schema = schemars::schema_for!(T);
    let required = schema.get("required").and_then(serde_json::Value::as_array);
    required.into_iter().flatten().filter_map(|name| Some(name.as_str()?.to_owned())).collect()
}

/// Parses a persona file, given as text. Cost: linear in the text, plus forbidden phrases times texts.
///
/// # Errors
/// All errors, each with its line and the expected content.
pub fn read_persona(file: &Path, text: &str) -> Result<PersonaFile, Vec<FileError>> {
    let stem = file.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
    let id = PersonaId::from_str(stem).map_err(|error| vec![FileError::of(file, format!("the file name: {error}"))])?;
    let in_toml = |error: toml::de::Error| {
        let line = error.span().map_or(1, |span| line_of(text, span.start));
        vec![FileError::at(file, line, error.message().trim())]
    };
    let written: Written = toml::from_str(text).map_err(|error| {
        let is_missing = error.message().starts_with("missing field");
        let missing = if is_missing { missing_fields(file, text) } else { Vec::new() };
        if missing.is_empty() { in_toml(error) } else { missing }
    })?;
    let places = TextPositions::of(text).map_err(in_toml)?;
    let mut faults = lengths(file, &places.phrases);
    let line = |key: &str| places.keys.get(key).copied().unwrap_or(1);
    faults.extend(
        counts(&written).into_iter().map(|(key, what)| FileError::at(file, line(&key), format!("{key}: {what}"))),
    );
    faults.extend(contradictions(file, &places.phrases));
    if !faults.is_empty() {
        faults.sort_by_key(|fault| fault.line);
        return Err(faults);
    }
    let Written { name, about, version, topics, contract, voice, .. } = written;
    let mut persona = Persona { id, name, about, version, contract, voice };
    // Invalid anchors are for `persona check`, which reports them.
    persona.contract.anchors = shown(&anchors(file, text, &persona).unwrap_or_default());
    Ok(PersonaFile { persona, topics, file: file.to_owned() })
}

/// Checks for texts that are empty, too long, repeated in one list, or of several lines outside the contract.
fn lengths(file: &Path, phrases: &[Phrase]) -> Vec<FileError> {
    let mut faults = Vec::new();
    for (at, phrase) in phrases.iter().enumerate() {
        let most = match phrase.key.as_str() {
            "name" => MAX_NAME_CHARS,
            "about" => MAX_ABOUT_CHARS,
            "topics" => MAX_TOPIC_CHARS,
            _ => MAX_TEXT_CHARS,
        };
        let length = phrase.text.chars().count();
        let mut fault = |what: String| faults.push(FileError::at(file, phrase.line, format!("{}: {what}", phrase.key)));
        if phrase.text.trim().is_empty() {
            fault("expected a text, but it is empty".to_owned());
        } else if length > most {
            fault(format!("expected at most {most} characters, but there are {length}"));
        } else if phrase
            .text
            .contains(|letter: char| letter.is_control() && !(letter == '\n' && phrase.key.starts_with("contract.")))
        {
            fault("expected one line of plain text; remove line breaks, tabs and control characters".to_owned());
        }
        let repeats = |other: &&Phrase| {
            other.key == phrase.key && other.text == phrase.text && !other.key.starts_with("anchors.")
        };
        if let Some(first) = phrases[..at].iter().find(repeats) {
            fault(format!("{:?} is in line {} already; remove one", phrase.text, first.line));
        }
    }
    faults
}

/// Checks numbers of entries, the version, and the names of situations and registers. Returns keys and messages.
fn counts(written: &Written) -> Vec<(String, String)> {
    let mut faults = Vec::new();
    let (contract, voice) = (&written.contract, &written.voice);
    if !contract.anchors.is_empty() {
        let what = "quotations stand in the table [anchors], each with the statement that rests on it";
        faults.push(("contract.anchors".to_owned(), what.to_owned()));
    }
    if written.version < 1 {
        faults.push(("version".to_owned(), format!("expected 1 or more, but it is {}", written.version)));
    }
    let lists = [
        ("topics", &written.topics, 0),
        ("contract.flip_conditions", &contract.flip_conditions, 1),
        ("voice.speech_patterns", &voice.speech_patterns, 1),
        ("voice.vocabulary", &voice.vocabulary, 1),
        ("voice.forbidden_phrases", &voice.forbidden_phrases, 0),
    ];
    let lists = lists.map(|(key, list, least)| (key.to_owned(), list, least));
    let examples = voice.examples.iter().map(|(situation, lines)| (format!("voice.examples.{situation}"), lines, 1));
    for (key, list, least) in lists.into_iter().chain(examples) {
        if !(least..=MAX_ENTRIES).contains(&list.len()) {
            faults.push((key, format!("expected {least} to {MAX_ENTRIES} entries, but there are {}", list.len())));
        }
    }
    let situations = voice.examples.keys().map(|situation| ("voice.examples", situation, SITUATIONS));
    let registers = voice.registers.keys().map(|register| ("voice.registers", register, REGISTERS));
    for (table, key, known) in situations.chain(registers).filter(|(_, key, known)| !known.contains(&key.as_str())) {
        faults.push((format!("{table}.{key}"), format!("expected one of {}", known.join(", "))));
    }
    faults
}

/// Finds forbidden phrases that the persona uses in its example lines or its vocabulary, word by word; case, spacing and
/// the kind of apostrophe make no difference.
fn contradictions(file: &Path, phrases: &[Phrase]) -> Vec<FileError> {
    let plain_where = |is_wanted: fn(&str) -> bool| -> Vec<(&Phrase, String)> {
        phrases.iter().filter(|phrase| is_wanted(&phrase.key)).map(|phrase| (phrase, plain(&phrase.text))).collect()
    };
    let forbidden = plain_where(|key| key == "voice.forbidden_phrases");
    let own = plain_where(|key| key.starts_with("voice.examples.") || key == "voice.vocabulary");
    let mut faults = Vec::new();
    for (phrase, wanted) in &forbidden {
        for (own, _) in own.iter().filter(|(_, text)| uses_plain(text, wanted) > 0) {
            let what = format!(
                "{}: {:?} uses {:?}, which line {} forbids; change one of them",
                own.key, own.text, phrase.text, phrase.line
            );
            faults.push(FileError::at(file, own.line, what));
        }
    }
    faults
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = r#"name = "Ada Quill"
about = "Clerk of works"
version = 2
topics = ["Should it be built?"]
[contract]
personality = "dry"
bias = "old walls"
stakes = "her roof"
epistemology = "what was measured"
time_horizon = "a lease"
flip_conditions = ["If it stood a year."]
evidence_policy = "ledgers"
[voice]
speech_patterns = ["short"]
vocabulary = ["lime"]
forbidden_phrases = ["going forward", "Mind you"]
[voice.examples]
opening = ["The wall first.", "Mind your step."]
[voice.registers]
closing = "ends with a price"
"#;

    fn read(text: &str) -> Result<PersonaFile, Vec<FileError>> {
        read_persona(Path::new("p/ada-quill.toml"), text)
    }

    /// Checks the errors of the valid file after a replacement.
    #[track_caller]
    fn check(from: &str, to: &str, expected: &[&str]) {
        let text = GOOD.replace(from, to);
        assert_ne!(text, GOOD, "{from:?} is not in the file");
        let faults: Vec<String> = read(&text).unwrap_err().iter().map(FileError::to_string).collect();
        assert_eq!(faults.len(), expected.len(), "{faults:#?}");
        for (fault, expected) in faults.iter().zip(expected) {
            assert!(fault.contains(expected), "{fault:?} does not say {expected:?}");
        }
    }

    #[test]
    fn a_valid_file_is_parsed_completely() {
        let read = read(GOOD).unwrap();
        assert_eq!((read.persona.id.as_str(), read.persona.version), ("ada-quill", 2));
        assert_eq!(read.topics, ["Should it be built?"]);
        assert_eq!(read.persona.contract.flip_conditions, ["If it stood a year."]);
        assert_eq!(read.persona.voice.examples["opening"].len(), 2);
    }

    #[test]
    fn structural_errors_name_the_line_and_the_expected_content() {
        check("version = 2", "version = \"two\"", &["p/ada-quill.toml:3: invalid type: string \"two\", expected i32"]);
        check("bias =", "biass =", &["p/ada-quill.toml:7: unknown field `biass`, expected one of"]);
        check("stakes = \"her roof\"\n", "", &["p/ada-quill.toml:5: missing field `stakes`"]);
        check("[contract]", "[contract", &["p/ada-quill.toml:5: "]);
        let without = "[voice]\nspeech_patterns = [\"short\"]\nvocabulary = [\"lime\"]\n";
        check("version = 2\n", "", &["p/ada-quill.toml:1: missing field `version`"]);
        check(without, "[voice]\n", &["ada-quill.toml:13: missing fields `speech_patterns`, `vocabulary`"]);
        check("version = 2", "version = 2\nversion = 3", &["p/ada-quill.toml:4: duplicate key"]);
    }

    #[test]
    fn errors_of_length_and_number_are_reported() {
        check("version = 2", "version = 0", &["ada-quill.toml:3: version: expected 1 or more, but it is 0"]);
        check("\"dry\"", "\"  \"", &["ada-quill.toml:6: contract.personality: expected a text"]);
        check("\"dry\"", "\"a\\u0000b\"", &["ada-quill.toml:6: contract.personality: expected one line"]);
        check(
            "\"Ada Quill\"",
            &format!("{:?}", "é".repeat(81)),
            &[":1: name: expected at most 80 characters, but there are 81"],
        );
        check(
            "[\"If it stood a year.\"]",
            "[]",
            &[":11: contract.flip_conditions: expected 1 to 40 entries, but there are 0"],
        );
        check("[\"lime\"]", "[\n\"lime\",\n\"lime\"]", &[":17: voice.vocabulary: \"lime\" is in line 16 already"]);
        check("closing =", "shouting =", &[":20: voice.registers.shouting: expected one of opening, argument"]);
        check("opening =", "greeting =", &[":18: voice.examples.greeting: expected one of opening, challenge"]);
    }

    #[test]
    fn a_used_forbidden_phrase_is_reported_with_both_lines() {
        let wanted = ":18: voice.examples.opening: \"The wall, Going  Forward.\" uses \"going forward\", which line 16";
        check("The wall first.", "The wall, Going  Forward.", &[wanted]);
        check("\"lime\"", "\"mind you\"", &[":15: voice.vocabulary: \"mind you\" uses \"Mind you\", which line 16"]);
    }

    #[test]
    fn the_file_name_is_the_id() {
        let fault = &read_persona(Path::new("p/Ada.toml"), GOOD).unwrap_err()[0];
        assert!(fault.to_string().starts_with("p/Ada.toml: the file name: \"Ada\" is not a persona id"), "{fault}");
    }
}
