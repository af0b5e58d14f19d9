//! The library's handle, the embedder whose vectors it holds, and what can go wrong.

use pgvector::HalfVector;
use sqlx::PgPool;

use crate::events::ids::PersonaId;
use crate::store::fault::Fault;

/// The length of every vector in the library.
pub const WIDTH: usize = 384;

/// The library. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Library {
    pub(super) pool: PgPool,
}

/// An embedder as the library knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredEmbedder {
    pub(super) id: i16,
    /// Its name, which names its weights too.
    pub name: String,
    /// Whether it knows spellings only; search then leans on words.
    pub stand_in: bool,
}

/// Why the library did not do what it was asked.
#[derive(Clone, Debug, thiserror::Error)]
pub enum LibraryError {
    /// The vectors in the library are another embedder's.
    #[error(
        "the library's vectors are by {stored} and those given are by {given}; the two cannot be compared. Embed \
         everything anew with `faultline corpus ingest --reembed`, or go back to {stored}"
    )]
    OtherEmbedder {
        /// The one in use.
        stored: String,
        /// The other.
        given: String,
    },
    /// Vectors of this length cannot be kept.
    #[error(
        "{name} gives vectors of length {given}, and the library keeps those of length {WIDTH}; use another embedder"
    )]
    Width {
        /// The embedder.
        name: String,
        /// The length of its vectors.
        given: usize,
    },
    /// An embedder cannot be put to use before its vectors are complete.
    #[error("{n_chunks} passages have no vector by {name} yet; run `faultline corpus ingest --reembed` once more")]
    Incomplete {
        /// The embedder.
        name: String,
        /// How many passages it lacks.
        n_chunks: i64,
    },
    /// A document of somebody who is not in the library.
    #[error("there is no persona {persona} in the library; run `faultline corpus ingest` first")]
    NoPersona {
        /// The persona.
        persona: PersonaId,
    },
    /// Two wrote one document at once.
    #[error("another ingest changed the document {document} of {persona} meanwhile; run it once more")]
    Disturbed {
        /// Whose document.
        persona: PersonaId,
        /// Which.
        document: String,
    },
    /// More was asked for than is given.
    #[error("{what} may be {most} at most, and here it is {given}")]
    Limit {
        /// What there is too much of, with its unit.
        what: &'static str,
        /// The most.
        most: usize,
        /// How much there is.
        given: usize,
    },
    /// The database failed.
    #[error(transparent)]
    Fault(#[from] Fault),
}

impl Library {
    /// The library in a database that has been migrated.
    pub fn new(pool: PgPool) -> Self {
        Library { pool }
    }

    /// The embedder of this name, which is the one in use. The first to come is put to use, and so is any while the
    /// library holds no passage.
    ///
    /// # Errors
    /// [`LibraryError::OtherEmbedder`], [`LibraryError::Width`], or the database's fault.
    pub async fn embedder(&self, name: &str, width: usize, stand_in: bool) -> Result<StoredEmbedder, LibraryError> {
        check_width(name, width)?;
        match self.embedder_in_use().await? {
            Some(it) if it.name == name => Ok(it),
            Some(it) if self.holds_passages().await? => {
                Err(LibraryError::OtherEmbedder { stored: it.name, given: name.to_owned() })
            }
            _ => self.put_to_use(name, stand_in).await,
        }
    }

    /// The embedder in use; `None` before the first.
    ///
    /// # Errors
    /// The database's fault.
    pub async fn embedder_in_use(&self) -> Result<Option<StoredEmbedder>, LibraryError> {
        let sql = "
            select id, name, stand_in
            from embedders
            where in_use";
        let row: Option<(i16, String, bool)> =
            sqlx::query_as(sql).fetch_optional(&self.pool).await.map_err(Fault::database("look up the embedder"))?;
        Ok(row.map(|(id, name, stand_in)| StoredEmbedder { id, name, stand_in }))
    }

    /// The embedder of this name, to be filled beside the one in use.
    ///
    /// # Errors
    /// [`LibraryError::Width`], or the database's fault.
    pub async fn newcomer(&self, name: &str, width: usize, stand_in: bool) -> Result<StoredEmbedder, LibraryError> {
        check_width(name, width)?;
        let sql = "
            insert into embedders (name, width, stand_in, in_use)
            values ($1, $2, $3, false)
            on conflict (name) do update
            set stand_in = excluded.stand_in
            returning id";
        let id = sqlx::query_scalar(sql).bind(name).bind(WIDTH as i32).bind(stand_in).fetch_one(&self.pool).await;
        let id = id.map_err(Fault::database("enter an embedder"))?;
        Ok(StoredEmbedder { id, name: name.to_owned(), stand_in })
    }

    /// # Errors
    /// [`LibraryError::OtherEmbedder`] where another is in use, or the database's fault.
    pub(super) async fn check_in_use(&self, by: &StoredEmbedder) -> Result<(), LibraryError> {
        match self.embedder_in_use().await? {
            Some(it) if it.id != by.id => Err(LibraryError::OtherEmbedder { stored: it.name, given: by.name.clone() }),
            _ => Ok(()),
        }
    }

    async fn holds_passages(&self) -> Result<bool, LibraryError> {
        let sql = "select exists (select from chunks)";
        let holds = sqlx::query_scalar(sql).fetch_one(&self.pool).await;
        Ok(holds.map_err(Fault::database("look into the library"))?)
    }

    async fn put_to_use(&self, name: &str, stand_in: bool) -> Result<StoredEmbedder, LibraryError> {
        let embedder = self.newcomer(name, WIDTH, stand_in).await?;
        self.switch(&embedder).await?;
        Ok(embedder)
    }
}

fn check_width(name: &str, given: usize) -> Result<(), LibraryError> {
    if given == WIDTH { Ok(()) } else { Err(LibraryError::Width { name: name.to_owned(), given }) }
}

/// A vector as the database takes it.
pub(super) fn halved(by: &StoredEmbedder, vector: &[f32]) -> Result<HalfVector, LibraryError> {
    check_width(&by.name, vector.len())?;
    Ok(HalfVector::from_f32_slice(vector))
}

/// A vector as the database gives it.
pub(super) fn whole(vector: &HalfVector) -> Vec<f32> {
    vector.as_slice().iter().map(|it| it.to_f32()).collect()
}
