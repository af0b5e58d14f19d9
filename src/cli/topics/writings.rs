//! Personas for which questions are suggested, with their annotated writings and their corpora.

use std::path::Path;

use crate::cli::output::exit::CliError;
use crate::config::Config;
use faultline_core::events::ids::PersonaId;
use faultline_core::positions::model::AllPositions;
use faultline_core::positions::suggestions::{SuggestedTopic, suggested_topics};
use faultline_core::suggestions::pairs::SuggestionAuthor;
use faultline_ingest::corpus_reader::CorpusTexts;
use faultline_ingest::personas::{PersonaFile, read_personas};
use faultline_ingest::positions::read_positions;

/// Reads the files of the named personas; of all if none is named.
///
/// # Errors
/// [`CliError::Refused`] if a persona is unknown, or a file is not a valid persona.
pub fn persona_files(config: &Config, named: &[PersonaId]) -> Result<Vec<PersonaFile>, CliError> {
    let mut files = read_personas(&config.personas, None).map_err(|error| CliError::Refused(error.to_string()))?;
    let is_known = |id: &&PersonaId| files.iter().any(|file| file.persona.id == **id);
    if let Some(unknown) = named.iter().find(|id| !is_known(id)) {
        return Err(CliError::Refused(format!(
            "there is no persona {unknown}; `faultline persona list` lists those there are"
        )));
    }
    files.retain(|file| named.is_empty() || named.contains(&file.persona.id));
    Ok(files)
}

/// Lists the questions on which the annotated writings of personas differ.
///
/// # Errors
/// [`CliError::Refused`] if a positions file cannot be parsed.
pub fn annotated_topics(config: &Config, files: &[PersonaFile]) -> Result<Vec<SuggestedTopic>, CliError> {
    let mut all = AllPositions::new();
    for file in files {
        let read = read_positions(&config.corpus, &file.persona.id)?;
        all.extend(read.map(|positions| (file.persona.id.clone(), positions)));
    }
    Ok(suggested_topics(&all))
}

/// Authors whose corpora a model reads.
pub struct CorpusAuthors {
    /// Personas with a corpus.
    pub authors: Vec<SuggestionAuthor>,
    /// Files that were skipped, with the reasons.
    pub skipped: Vec<String>,
}

impl CorpusAuthors {
    /// Reads the corpora of personas. Those without a corpus are left out, unless they are named. Blocks.
    ///
    /// # Errors
    /// [`CliError::Refused`] if a folder cannot be read, the corpus of a named persona contains no text, or fewer than two
    /// personas have a corpus.
    pub fn read(config: &Config, files: &[PersonaFile], named: &[PersonaId]) -> Result<CorpusAuthors, CliError> {
        let (mut authors, mut skipped) = (Vec::new(), Vec::new());
        for file in files {
            let persona = &file.persona;
            let folder = config.corpus.join(persona.id.as_str());
            let corpus = CorpusTexts::of_folder(&folder).map_err(|error| CliError::Refused(error.to_string()))?;
            skipped.extend(corpus.skipped.iter().map(|skipped| format!("skipped {skipped}")));
            if !corpus.passages.is_empty() {
                let author = SuggestionAuthor::new(persona.id.clone(), persona.name.clone(), &corpus.passages);
                authors.push(author);
            } else if named.contains(&persona.id) {
                return Err(CliError::Refused(without_text(&persona.id, &folder)));
            }
        }
        if authors.len() < 2 {
            return Err(CliError::Refused(format!(
                "questions are suggested for two personas or more, and {} of those selected has writings in {}; name \
                 others with --personas",
                if authors.is_empty() { "none" } else { "one" },
                config.corpus.display()
            )));
        }
        Ok(CorpusAuthors { authors, skipped })
    }
}

fn without_text(persona: &PersonaId, folder: &Path) -> String {
    format!("{} contains no text by {persona}; add writings, or leave the persona out of --personas", folder.display())
}
