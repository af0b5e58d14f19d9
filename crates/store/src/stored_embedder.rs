//! An embedder that is registered in the library.

/// Registered embedder, by which vectors are stored and compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredEmbedder {
    pub(crate) id: i16,
    /// Name of the embedder, which identifies its weights.
    pub name: String,
    /// Number of components of its vectors.
    pub width: usize,
    /// True if it knows spellings only; searches then rely more on words.
    pub stand_in: bool,
}
