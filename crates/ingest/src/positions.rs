//! Positions files: `corpus/<id>/positions.toml`, read and checked against the persona's writings.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::check::{Grade, PersonaFinding};
use crate::corpus_reader::CorpusTexts;
use crate::file_error::FileError;
use crate::readers::form::POSITIONS;
use crate::sources::text_of;
use faultline_core::events::ids::PersonaId;
use faultline_core::positions::check::check;
use faultline_core::positions::collector::OtherPositions;
use faultline_core::positions::finding::PositionsFinding;
use faultline_core::positions::model::{AllPositions, Positions};
use faultline_core::positions::parse::{MAX_POSITIONS_BYTES, parse};
use faultline_core::positions::render;
use faultline_core::positions::writings::Writings;
use faultline_shipped::files::exists;

/// Returns the path of a persona's positions file in a folder of corpora.
pub fn positions_file(corpora: &Path, persona: &PersonaId) -> PathBuf {
    corpora.join(persona.as_str()).join(POSITIONS)
}

/// Reads the positions of a persona; `None` if it has no positions file. Blocks on the file system.
///
/// # Errors
/// Every [`FileError`]: a file that is not regular, not UTF-8 or larger than [`MAX_POSITIONS_BYTES`]; and the findings of
/// the parser.
pub fn read_positions(corpora: &Path, persona: &PersonaId) -> Result<Option<Positions>, Vec<FileError>> {
    let file = positions_file(corpora, persona);
    if !exists(&file) {
        return Ok(None);
    }
    let text = text_of(&file, MAX_POSITIONS_BYTES as u64).map_err(|why| vec![FileError::of(&file, why)])?;
    let faults = |findings: Vec<PositionsFinding>| findings.iter().map(|finding| located(&file, finding)).collect();
    parse(&text).map(Some).map_err(faults)
}

/// Positions of several personas.
#[derive(Debug, Default)]
pub struct PositionsRead {
    /// Positions by persona; personas without a usable file are left out.
    pub positions: AllPositions,
    /// Faults of files that cannot be used.
    pub faults: Vec<FileError>,
}

/// Reads the positions of these personas. A draft counts as a file that cannot be used. Blocks on the file system.
pub fn read_all_positions<'a>(corpora: &Path, personas: impl IntoIterator<Item = &'a PersonaId>) -> PositionsRead {
    let mut read = PositionsRead::default();
    for persona in personas {
        match read_positions(corpora, persona) {
            Ok(Some(_)) if is_draft(corpora, persona) => {
                read.faults.push(draft_fault(&positions_file(corpora, persona)));
            }
            Ok(Some(positions)) => drop(read.positions.insert(persona.clone(), positions)),
            Ok(None) => {}
            Err(faults) => read.faults.extend(faults),
        }
    }
    read
}

/// Checks the positions of a persona against its corpus and the positions of the personas that it answers. Returns no
/// findings if it has no positions file. A file of another persona that cannot be read counts as absent; its own check
/// reports why. Blocks on the file system.
pub fn check_positions(corpora: &Path, persona: &PersonaId, corpus: &CorpusTexts) -> Vec<PersonaFinding> {
    let positions = match read_positions(corpora, persona) {
        Ok(Some(positions)) => positions,
        Ok(None) => return Vec::new(),
        Err(faults) => return faults.into_iter().map(|fault| PersonaFinding { grade: Grade::Error, fault }).collect(),
    };
    let mut others = OtherPositions::new();
    for id in named(&positions) {
        if let Ok(Some(theirs)) = read_positions(corpora, &id) {
            others.insert(id, theirs);
        }
    }
    let file = positions_file(corpora, persona);
    let findings = check(persona, &positions, &writings(corpus), &others);
    let draft = is_draft(corpora, persona).then(|| PersonaFinding { grade: Grade::Error, fault: draft_fault(&file) });
    let graded = |finding: PositionsFinding| {
        let grade = if finding.kind.is_error() { Grade::Error } else { Grade::Remark };
        PersonaFinding { grade, fault: located(&file, &finding) }
    };
    draft.into_iter().chain(findings.into_iter().map(graded)).collect()
}

/// Returns true if the positions of a persona are marked as a draft.
fn is_draft(corpora: &Path, persona: &PersonaId) -> bool {
    let text = text_of(&positions_file(corpora, persona), MAX_POSITIONS_BYTES as u64);
    text.is_ok_and(|text| render::is_draft(&text))
}

fn draft_fault(file: &Path) -> FileError {
    let what = "the file is a draft; read and correct it, then remove its first line".to_owned();
    FileError { file: file.to_owned(), line: Some(1), what }
}

/// Returns the passages of a corpus for looking up quotations.
pub fn writings(corpus: &CorpusTexts) -> Writings {
    let mut writings = Writings::default();
    corpus.passages.iter().for_each(|passage| writings.add(&passage.document, passage.text()));
    writings
}

fn located(file: &Path, finding: &PositionsFinding) -> FileError {
    FileError { file: file.to_owned(), line: finding.line, what: finding.to_string() }
}

/// Returns the personas that positions name.
fn named(positions: &Positions) -> BTreeSet<PersonaId> {
    let topics = || positions.topics.iter();
    let replies = topics().flat_map(|topic| &topic.replies);
    let answered = replies.flat_map(|reply| reply.needs.iter().chain([&reply.to])).map(|claim| &claim.persona);
    let compatible = topics().flat_map(|topic| &topic.compatible).map(|entry| &entry.with.persona);
    let signed =
        topics().filter_map(|topic| topic.crux.as_ref()).flat_map(|crux| &crux.signs).map(|sign| &sign.persona);
    let checked = topics().flat_map(|topic| &topic.facts).map(|fact| &fact.of);
    answered.chain(compatible).chain(signed).chain(checked).cloned().collect()
}
