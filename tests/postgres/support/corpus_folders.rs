//! Temporary folders of personas and their documents, as an ingest reads them.

use std::fs;
use std::path::PathBuf;

use faultline_ingest::corpus::Folders;
use tempfile::TempDir;

/// Temporary folders with one persona, deleted on drop.
pub struct CorpusFolders {
    root: TempDir,
    persona: &'static str,
}

impl CorpusFolders {
    /// Creates the folders with the file of this persona and an empty corpus.
    pub fn new(persona: &'static str, file: impl AsRef<[u8]>) -> CorpusFolders {
        let folders = CorpusFolders { root: tempfile::tempdir().expect("a folder"), persona };
        folders.write(&format!("personas/{persona}.toml"), file);
        fs::create_dir(folders.at("corpus")).expect("a folder");
        folders
    }

    /// Returns the path of a file in the folders.
    pub fn at(&self, path: &str) -> PathBuf {
        self.root.path().join(path)
    }

    /// Writes a file, and creates its folder if needed.
    pub fn write(&self, path: &str, bytes: impl AsRef<[u8]>) {
        fs::create_dir_all(self.at(path).parent().expect("a folder")).expect("a folder");
        fs::write(self.at(path), bytes).expect("a file");
    }

    /// Deletes a file.
    pub fn remove(&self, path: &str) {
        fs::remove_file(self.at(path)).expect("the file exists");
    }

    /// Writes a file into the corpus folder of the persona.
    pub fn write_source(&self, name: &str, bytes: impl AsRef<[u8]>) {
        self.write(&format!("corpus/{}/{name}", self.persona), bytes);
    }

    /// Deletes a file in the corpus folder of the persona.
    pub fn remove_source(&self, name: &str) {
        self.remove(&format!("corpus/{}/{name}", self.persona));
    }

    /// Writes a Markdown document with front matter into the corpus folder of the persona.
    pub fn write_document(&self, name: &str, passages: &[&str]) {
        let front = format!("---\ntitle: {name}\nsource: a drawer\ndate: 2025-02-20\nkind: letter\n---\n\n");
        self.write_source(&format!("{name}.md"), front + &passages.join("\n\n"));
    }

    /// Returns the folders as an ingest takes them.
    pub fn folders(&self) -> Folders {
        Folders { personas: self.at("personas"), corpus: self.at("corpus"), only: None }
    }
}

/// Content of a persona's file.
pub const PERSONA: &str = r#"
name = "Ada Quill"
about = "clerk of works"
version = 1
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
forbidden_phrases = []
"#;
