//! Documents to be stored in the library, with the vectors of their passages.

use chrono::NaiveDate;
use uuid::Uuid;

use faultline_core::events::ids::PersonaId;

/// A document to be stored.
#[derive(Clone, Debug, PartialEq)]
pub struct NewDocument {
    /// Persona that wrote it, or the shared corpus that it belongs to.
    pub persona: PersonaId,
    /// Name of the document, unique for the persona.
    pub name: String,
    /// Title of the document.
    pub title: String,
    /// Publication in which it appeared.
    pub source: String,
    /// Date of publication.
    pub date: NaiveDate,
    /// Kind of document: an essay, a letter.
    pub kind: String,
    /// Hash of the document's source. While it is unchanged, the source need not be read again.
    pub hash: [u8; 32],
    /// Passages of the document, in order.
    pub chunks: Vec<NewChunk>,
}

/// A passage to be stored.
#[derive(Clone, Debug, PartialEq)]
pub struct NewChunk {
    /// Id of the passage, by [`chunk_id`](crate::library::document_writes::chunk_id).
    pub id: Uuid,
    /// Text of the passage.
    pub text: String,
    /// Vectors; `None` if [`Library::chunks_of`](crate::library::open::Library::chunks_of) returned the passage as
    /// stored with the same sentences.
    pub embedded: Option<Embedded>,
}

/// Vectors of a passage and of its sentences.
#[derive(Clone, Debug, PartialEq)]
pub struct Embedded {
    /// Vector of the passage.
    pub vector: Vec<f32>,
    /// Sentences exactly as in the passage, each with its vector, in order.
    pub sentences: Vec<(String, Vec<f32>)>,
}
