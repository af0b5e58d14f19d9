//! Owners of corpora: personas, and shared corpora.

use std::path::Path;

use crate::file_error::FileError;
use crate::personas::{PersonaFaults, PersonaFile, read_personas};
use crate::report::IngestError;
use crate::shared_corpora::read_shared_corpora;
use faultline_core::events::ids::PersonaId;
use faultline_shipped::files::exists;
use faultline_store::library::shared_corpora::SharedCorpus;

/// Owners of the corpora of some folders.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CorpusOwners {
    /// Personas, in the order of their ids.
    pub personas: Vec<PersonaFile>,
    /// Shared corpora, in the order of their ids.
    pub shared: Vec<SharedCorpus>,
}

impl CorpusOwners {
    /// Reads the owners in the folders of persona files and of corpora, or the named ones only. Blocks on the file system.
    ///
    /// # Errors
    /// [`IngestError::SharedCorpora`] or [`IngestError::Personas`] if files are invalid, or a named owner does not exist.
    pub fn of(personas: &Path, corpus: &Path, only: Option<&[PersonaId]>) -> Result<CorpusOwners, IngestError> {
        let shared = read_shared_corpora(corpus, personas, only)?;
        let Some(only) = only else {
            return Ok(CorpusOwners { personas: read_personas(personas, None)?, shared });
        };
        let is_shared = |id: &PersonaId| shared.iter().any(|corpus| corpus.id == *id);
        let of_personas: Vec<PersonaId> = only.iter().filter(|id| !is_shared(id)).cloned().collect();
        let file = |id: &PersonaId| personas.join(format!("{id}.toml"));
        if let Some(unknown) = of_personas.iter().find(|id| !exists(&file(id))) {
            let what = "there is no such persona, and no shared corpus with this id either; `faultline persona list` \
                        shows the personas, and a folder with a file shared.toml is a shared corpus";
            return Err(PersonaFaults(vec![FileError::of(file(unknown), what)]).into());
        }
        Ok(CorpusOwners { personas: read_personas(personas, Some(&of_personas))?, shared })
    }

    /// Returns the ids of all owners, personas first.
    pub fn ids(&self) -> impl Iterator<Item = &PersonaId> {
        self.personas.iter().map(|file| &file.persona.id).chain(self.shared.iter().map(|corpus| &corpus.id))
    }

    /// Returns true if a persona with this id is among them.
    pub fn has_persona(&self, id: &PersonaId) -> bool {
        self.personas.iter().any(|file| file.persona.id == *id)
    }

    /// Returns true if a shared corpus with this id is among them.
    pub fn has_shared(&self, id: &PersonaId) -> bool {
        self.shared.iter().any(|corpus| corpus.id == *id)
    }
}
