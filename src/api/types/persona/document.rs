//! GraphQL types of documents in the library and of their passages, as Relay connections.

use async_graphql::connection::PageInfo;
use async_graphql::{ID, SimpleObject};
use chrono::NaiveDate;
use uuid::Uuid;

use faultline_core::events::ids::PersonaId;
use faultline_store::library::documents::{DocumentName, LibraryDocument};
use faultline_store::library::recall::StoredPassage;

/// Type in the ids of documents, in front of the owner and the name.
pub const DOCUMENT_ID: &str = "document";

/// A document that a persona wrote or that a shared corpus contains.
#[derive(SimpleObject, Clone)]
#[graphql(complex)]
pub struct Document {
    /// Unique id, also accepted by `node`.
    pub(crate) id: ID,
    /// Id of the persona who wrote it, or of the shared corpus that contains it.
    persona_id: ID,
    /// Name, unique among the documents of the persona or the shared corpus.
    name: String,
    /// Title.
    title: String,
    /// Publication in which it appeared.
    source: String,
    /// Date.
    date: NaiveDate,
    /// Kind, such as an essay or a letter.
    kind: String,
    /// Number of passages.
    passage_count: i64,
    #[graphql(skip)]
    pub(crate) document: DocumentName,
    /// Id of the shared corpus that contains it.
    #[graphql(skip)]
    pub(crate) shared: Option<PersonaId>,
}

/// Returns the unique id of a document.
pub fn document_id(name: &DocumentName) -> ID {
    ID(format!("{DOCUMENT_ID}:{}/{}", name.owner, name.name))
}

/// Parses the id of a document without its type: the owner and the name.
pub fn parse_document_name(text: &str) -> Option<DocumentName> {
    let (owner, name) = text.split_once('/')?;
    Some(DocumentName { owner: owner.parse().ok()?, name: name.to_owned() })
}

impl From<LibraryDocument> for Document {
    fn from(stored: LibraryDocument) -> Self {
        let LibraryDocument { name, is_shared, title, source, date, kind, n_passages } = stored;
        Document {
            id: document_id(&name),
            persona_id: ID(name.owner.to_string()),
            name: name.name.clone(),
            title,
            source,
            date,
            kind,
            passage_count: n_passages,
            shared: is_shared.then(|| name.owner.clone()),
            document: name,
        }
    }
}

impl Document {
    /// Returns the number of passages.
    pub(crate) fn n_passages(&self) -> i64 {
        self.passage_count
    }
}

/// A passage as stored in the library.
#[derive(SimpleObject, Clone)]
#[graphql(complex)]
pub struct Passage {
    /// Unique id of the stored passage, also accepted by `node`. Receipts of model replies contain it too.
    pub(crate) id: ID,
    /// Id of the persona who wrote it, or of the shared corpus that contains it.
    pub(crate) persona_id: ID,
    /// Index of the passage in the document, from 0.
    pub(crate) ordinal: i32,
    /// Text of the passage.
    text: String,
    /// Title of the document.
    title: String,
    /// Publication in which the document appeared.
    source: String,
    /// Date of the document.
    date: NaiveDate,
    /// Kind of document, such as an essay or a letter.
    kind: String,
    #[graphql(skip)]
    pub(crate) chunk: Uuid,
    #[graphql(skip)]
    pub(crate) document: DocumentName,
    /// Id of the shared corpus that contains it.
    #[graphql(skip)]
    pub(crate) shared: Option<PersonaId>,
}

impl From<StoredPassage> for Passage {
    fn from(passage: StoredPassage) -> Self {
        Passage {
            id: ID(passage.chunk.to_string()),
            persona_id: ID(passage.persona.to_string()),
            ordinal: passage.ordinal,
            text: passage.text,
            title: passage.title,
            source: passage.source,
            date: passage.date,
            kind: passage.kind,
            chunk: passage.chunk,
            shared: passage.is_shared.then(|| passage.persona.clone()),
            document: DocumentName { owner: passage.persona, name: passage.document },
        }
    }
}

/// A page of a list of documents.
#[derive(SimpleObject)]
pub struct DocumentConnection {
    /// Documents with their cursors.
    edges: Vec<DocumentEdge>,
    /// Documents without their cursors.
    nodes: Vec<Document>,
    /// Page information.
    page_info: PageInfo,
    /// Total number of documents. Counted only if selected.
    total_count: Option<i64>,
}

/// A document in the list.
#[derive(SimpleObject)]
pub struct DocumentEdge {
    /// Cursor for `after` and `before`. It stays valid when documents are added or removed.
    cursor: String,
    /// The document.
    node: Document,
}

impl DocumentConnection {
    /// Builds a page of documents with their cursors.
    pub fn new(documents: Vec<(String, Document)>, page_info: PageInfo, total_count: Option<i64>) -> Self {
        DocumentConnection {
            nodes: documents.iter().map(|entry| entry.1.clone()).collect(),
            edges: documents.into_iter().map(|(cursor, node)| DocumentEdge { cursor, node }).collect(),
            page_info,
            total_count,
        }
    }
}

/// A page of the passages of a document.
#[derive(SimpleObject)]
pub struct PassageConnection {
    /// Passages with their cursors.
    edges: Vec<PassageEdge>,
    /// Passages without their cursors.
    nodes: Vec<Passage>,
    /// Page information.
    page_info: PageInfo,
    /// Total number of passages.
    total_count: Option<i64>,
}

/// A passage in the list.
#[derive(SimpleObject)]
pub struct PassageEdge {
    /// Cursor for `after` and `before`. It stays valid until the document changes.
    cursor: String,
    /// The passage.
    node: Passage,
}

impl PassageConnection {
    /// Builds a page of passages with their cursors.
    pub fn new(passages: Vec<(String, Passage)>, page_info: PageInfo, total_count: i64) -> Self {
        PassageConnection {
            nodes: passages.iter().map(|entry| entry.1.clone()).collect(),
            edges: passages.into_iter().map(|(cursor, node)| PassageEdge { cursor, node }).collect(),
            page_info,
            total_count: Some(total_count),
        }
    }
}
