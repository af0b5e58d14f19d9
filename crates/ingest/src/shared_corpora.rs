//! Shared corpora: folders `corpus/<id>/` that belong to no persona and contain a file `shared.toml`.
//!
//! ```toml
//! name = "Harbour survey"
//! about = "Counts of passengers and sailings, 2019 to 2025"
//! ```
//!
//! The other files of the folder are documents, and `sources.toml` lists web sources, as in the folder of a persona.

use std::fmt;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::file_error::{FileError, line_of};
use crate::personas::{MAX_ABOUT_CHARS, MAX_NAME_CHARS};
use crate::phrases::TextPositions;
use crate::readers::form::SHARED;
use crate::sources::{listed, text_of};
use faultline_core::events::ids::PersonaId;
use faultline_service::plain_sides::plain_side;
use faultline_shipped::files::{EntryKind, exists, kind};
use faultline_store::library::shared_corpora::SharedCorpus;

/// Maximum size of a file `shared.toml`, in bytes.
pub const MAX_SHARED_BYTES: u64 = 16 * 1024;

/// Maximum number of shared corpora in a folder.
pub const MAX_SHARED_CORPORA: usize = 1000;

/// All errors in the files of shared corpora.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct SharedCorpusFaults(pub Vec<FileError>);

impl fmt::Display for SharedCorpusFaults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let faults: Vec<String> = self.0.iter().map(FileError::to_string).collect();
        f.write_str(&faults.join("\n"))
    }
}

/// Returns the path of the file that makes a folder a shared corpus.
pub fn shared_file(corpus: &Path, id: &PersonaId) -> PathBuf {
    corpus.join(id.as_str()).join(SHARED)
}

/// Reads the shared corpora of a folder, or those of the named ones that are shared, in the order of their ids. `personas`
/// is the folder of persona files, whose ids no shared corpus may have. An absent folder contains no shared corpora. Blocks
/// on the file system.
///
/// # Errors
/// Every [`FileError`] of the files that were read: a folder whose name is no id, or that of a persona or a plain side; a
/// file that is not regular, larger than [`MAX_SHARED_BYTES`], not UTF-8 or not a description of a corpus.
pub fn read_shared_corpora(
    corpus: &Path,
    personas: &Path,
    only: Option<&[PersonaId]>,
) -> Result<Vec<SharedCorpus>, SharedCorpusFaults> {
    let mut files = match only {
        Some(only) => only.iter().map(|id| shared_file(corpus, id)).collect(),
        None => listed(corpus).unwrap_or_default().into_iter().map(|folder| folder.join(SHARED)).collect::<Vec<_>>(),
    };
    files.sort();
    files.dedup();
    // Links to folders are not followed; an ingest reports them as strays.
    let is_shared = |file: &PathBuf| {
        file.parent().is_some_and(|folder| matches!(kind(folder), Ok(EntryKind::Folder))) && exists(file)
    };
    files.retain(is_shared);
    if files.len() > MAX_SHARED_CORPORA {
        let what = format!("{} shared corpora are more than {MAX_SHARED_CORPORA}", files.len());
        return Err(SharedCorpusFaults(vec![FileError::of(corpus, what)]));
    }
    let (mut corpora, mut faults) = (Vec::new(), Vec::new());
    for file in files {
        let read = text_of(&file, MAX_SHARED_BYTES).map_err(|why| vec![FileError::of(&file, why)]);
        match read.and_then(|text| read_shared_corpus(&file, personas, &text)) {
            Ok(corpus) => corpora.push(corpus),
            Err(found) => faults.extend(found),
        }
    }
    if faults.is_empty() { Ok(corpora) } else { Err(SharedCorpusFaults(faults)) }
}

/// File `shared.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    name: String,
    about: String,
}

/// Parses a file `shared.toml`, given as text.
fn read_shared_corpus(file: &Path, personas: &Path, text: &str) -> Result<SharedCorpus, Vec<FileError>> {
    let id = id_of(file, personas).map_err(|fault| vec![fault])?;
    let in_toml = |error: toml::de::Error| {
        let line = error.span().map_or(1, |span| line_of(text, span.start));
        vec![FileError::at(file, line, error.message().trim())]
    };
    let written: Written = toml::from_str(text).map_err(in_toml)?;
    let positions = TextPositions::of(text).map_err(in_toml)?;
    let checked = positions.phrases.iter().filter_map(|phrase| {
        let most = if phrase.key == "name" { MAX_NAME_CHARS } else { MAX_ABOUT_CHARS };
        let what = fault_in(&phrase.text, most)?;
        Some(FileError::at(file, phrase.line, format!("{}: {what}", phrase.key)))
    });
    let faults: Vec<FileError> = checked.collect();
    if faults.is_empty() { Ok(SharedCorpus { id, name: written.name, about: written.about }) } else { Err(faults) }
}

/// Returns the id of a shared corpus: the name of the folder of its file.
fn id_of(file: &Path, personas: &Path) -> Result<PersonaId, FileError> {
    let folder = file.parent().unwrap_or(file);
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    let fault = |what: String| Err(FileError::of(folder, what));
    let Ok(id) = name.parse::<PersonaId>() else {
        return fault(format!(
            "the folder's name {name:?} cannot be the id of a shared corpus: expected lower-case letters, digits and \
             dashes, such as harbour-survey"
        ));
    };
    if plain_side(id.as_str()).is_some() {
        return fault(format!(
            "{id} is the id of a plain side, so it cannot be the id of a shared corpus; rename the folder"
        ));
    }
    let persona = personas.join(format!("{id}.toml"));
    if exists(&persona) {
        return fault(format!(
            "{id} is the id of a persona ({}), so it cannot be the id of a shared corpus; rename the folder, or remove \
             its {SHARED} if the documents belong to the persona",
            persona.display()
        ));
    }
    Ok(id)
}

/// Returns what is wrong with a text of one line of at most `most` characters; `None` if nothing is.
fn fault_in(text: &str, most: usize) -> Option<String> {
    let length = text.chars().count();
    if text.trim().is_empty() {
        Some("expected a text, but it is empty".to_owned())
    } else if length > most {
        Some(format!("expected at most {most} characters, but there are {length}"))
    } else if text.contains(char::is_control) {
        Some("expected one line of plain text; remove line breaks, tabs and control characters".to_owned())
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use tempfile::TempDir;

    use super::*;

    const GOOD: &str = "name = \"Harbour survey\"\nabout = \"Counts of sailings\"\n";

    /// Folder with `corpus/<id>/shared.toml` and the persona `ada-quill`.
    fn folder(id: &str, text: &str) -> TempDir {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir_all(root.path().join("corpus").join(id)).unwrap();
        fs::create_dir(root.path().join("personas")).unwrap();
        fs::write(root.path().join("personas/ada-quill.toml"), "").unwrap();
        fs::write(root.path().join("corpus").join(id).join(SHARED), text).unwrap();
        root
    }

    fn read(root: &TempDir, only: Option<&[PersonaId]>) -> Result<Vec<SharedCorpus>, SharedCorpusFaults> {
        read_shared_corpora(&root.path().join("corpus"), &root.path().join("personas"), only)
    }

    #[test]
    fn a_folder_with_the_file_is_a_shared_corpus() {
        let root = folder("harbour-survey", GOOD);
        fs::create_dir(root.path().join("corpus/ada-quill")).unwrap();
        fs::write(root.path().join("corpus/shared.toml"), GOOD).unwrap();
        std::os::unix::fs::symlink("harbour-survey", root.path().join("corpus/linked")).unwrap();
        let id: PersonaId = "harbour-survey".parse().unwrap();
        let (name, about) = ("Harbour survey".to_owned(), "Counts of sailings".to_owned());
        let expected = vec![SharedCorpus { id: id.clone(), name, about }];
        assert_eq!(read(&root, None).unwrap(), expected);
        assert_eq!(read(&root, Some(&["ada-quill".parse().unwrap(), id])).unwrap(), expected);
        assert_eq!(read(&root, Some(&["ada-quill".parse().unwrap()])).unwrap(), []);
        assert_eq!(read_shared_corpora(&root.path().join("none"), root.path(), None).unwrap(), []);
    }

    /// Checks the error of a folder with this file.
    #[track_caller]
    fn check(id: &str, text: &str, expected: &str) {
        let why = read(&folder(id, text), None).unwrap_err().to_string();
        assert!(why.contains(expected), "{why:?} does not say {expected:?}");
    }

    #[test]
    fn ids_of_personas_and_plain_sides_are_refused() {
        check("ada-quill", GOOD, "corpus/ada-quill: ada-quill is the id of a persona (");
        check("pro", GOOD, "corpus/pro: pro is the id of a plain side");
        check("con-2", GOOD, "corpus/con-2: con-2 is the id of a plain side");
        check("Harbour", GOOD, "corpus/Harbour: the folder's name \"Harbour\" cannot be the id of a shared corpus");
    }

    #[test]
    fn errors_in_the_file_name_the_line() {
        check(
            "survey",
            &GOOD.replace("about", "abuot"),
            "survey/shared.toml:2: unknown field `abuot`, expected `name`",
        );
        check("survey", "name = \"Survey\"\n", "shared.toml:1: missing field `about`");
        check("survey", "name = 7\nabout = \"x\"\n", "shared.toml:1: invalid type: integer `7`, expected a string");
        check("survey", &GOOD.replace("Harbour survey", " "), "shared.toml:1: name: expected a text, but it is empty");
        check(
            "survey",
            &GOOD.replace("Counts", "Two\\nlines"),
            "shared.toml:2: about: expected one line of plain text",
        );
        let long = GOOD.replace("Harbour survey", &"é".repeat(81));
        check("survey", &long, "shared.toml:1: name: expected at most 80 characters, but there are 81");
        check("survey", &" ".repeat(20_000), "shared.toml: is larger than 16 KiB");
    }
}
