//! The library's handle, the embedder whose vectors it holds, and what can go wrong.

use pgvector::HalfVector;
use sqlx::PgPool;

use crate::events::ids::PersonaId;
use crate::store::fault::Fault;

/// The most components of a vector: more could be stored in half precision, and not indexed.
pub const MAX_WIDTH: usize = 4_000;

/// The library. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Library {
    pub(super) pool: PgPool,
}

/// An embedder as the library knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredEmbedder {
    pub(crate) id: i16,
    /// Its name, which names its weights too.
    pub name: String,
    /// The length of its vectors.
    pub width: usize,
    /// Whether it knows spellings only; search then leans on words.
    pub stand_in: bool,
}

/// Why the library did not do what it was asked.
#[derive(Clone, Debug, thiserror::Error)]
pub enum LibraryError {
    /// The vectors in the library are another embedder's.
    #[error(
        "the library's vectors are by {stored} and those given are by {given}; the two cannot be compared. Embed \
         everything anew with `faultline corpus reembed`, or go back to {stored}"
    )]
    OtherEmbedder {
        /// The one in use.
        stored: String,
        /// The other.
        given: String,
    },
    /// Vectors of this length cannot be kept.
    #[error("{name} gives vectors of length {given}, and they may have 1 to {MAX_WIDTH}; use another embedder")]
    TooWide {
        /// The embedder.
        name: String,
        /// The length of its vectors.
        given: usize,
    },
    /// A vector is not as long as the others under the name of its embedder.
    #[error("the vectors by {name} have the length {stored}, and one of length {given} was given")]
    Width {
        /// The embedder.
        name: String,
        /// The length that it was entered with.
        stored: usize,
        /// The other.
        given: usize,
    },
    /// Another embedder was put to use while this one was being filled.
    #[error(
        "another embedder than {name} was put to use meanwhile, and {name} was given up; run `faultline corpus reembed` \
         once more if {name} is the one that is wanted"
    )]
    Retired {
        /// The embedder that was being filled.
        name: String,
    },
    /// An embedder cannot be put to use before its vectors are complete.
    #[error("{n_chunks} passages have no vector by {name} yet; run `faultline corpus reembed` once more")]
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
    /// [`LibraryError::OtherEmbedder`], [`LibraryError::TooWide`], [`LibraryError::Width`], or the database's fault.
    pub async fn embedder(&self, name: &str, width: usize, stand_in: bool) -> Result<StoredEmbedder, LibraryError> {
        match self.agreed(name, width).await? {
            Some(it) => Ok(it),
            None => {
                let embedder = self.newcomer(name, width, stand_in).await?;
                self.switch(&embedder).await?;
                Ok(embedder)
            }
        }
    }

    /// The embedder in use, if it goes by this name; `None` where any may be put to use. Changes nothing.
    ///
    /// # Errors
    /// As [`Library::embedder`].
    pub async fn agreed(&self, name: &str, width: usize) -> Result<Option<StoredEmbedder>, LibraryError> {
        check_width(name, width)?;
        match self.embedder_in_use().await? {
            Some(it) if it.name == name => it.checked(width).map(Some),
            Some(it) if self.holds_passages().await? => {
                Err(LibraryError::OtherEmbedder { stored: it.name, given: name.to_owned() })
            }
            _ => Ok(None),
        }
    }

    /// The embedder in use; `None` before the first.
    ///
    /// # Errors
    /// The database's fault.
    pub async fn embedder_in_use(&self) -> Result<Option<StoredEmbedder>, LibraryError> {
        let sql = "
            select id, name, width, stand_in
            from embedders
            where in_use";
        let row: Option<(i16, String, i32, bool)> =
            sqlx::query_as(sql).fetch_optional(&self.pool).await.map_err(Fault::database("look up the embedder"))?;
        let read = |(id, name, width, stand_in): (i16, String, i32, bool)| {
            let width = width.unsigned_abs() as usize;
            StoredEmbedder { id, name, width, stand_in }
        };
        Ok(row.map(read))
    }

    /// The embedder of this name, to be filled beside the one in use. One that was given up before goes on with what is
    /// left of its vectors.
    ///
    /// # Errors
    /// [`LibraryError::TooWide`], [`LibraryError::Width`], or the database's fault.
    pub async fn newcomer(&self, name: &str, width: usize, stand_in: bool) -> Result<StoredEmbedder, LibraryError> {
        let stored = check_width(name, width)?;
        let sql = "
            insert into embedders (name, width, stand_in, in_use)
            values ($1, $2, $3, false)
            on conflict (name) do update
            set stand_in = excluded.stand_in, retired = false
            returning id, width";
        let query = sqlx::query_as(sql).bind(name).bind(stored).bind(stand_in);
        let entered: (i16, i32) = query.fetch_one(&self.pool).await.map_err(Fault::database("enter an embedder"))?;
        let (id, stored) = (entered.0, entered.1.unsigned_abs() as usize);
        StoredEmbedder { id, name: name.to_owned(), width: stored, stand_in }.checked(width)
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
}

impl StoredEmbedder {
    /// The embedder, if this is the length of its vectors.
    fn checked(self, width: usize) -> Result<Self, LibraryError> {
        if width == self.width {
            return Ok(self);
        }
        Err(LibraryError::Width { name: self.name, stored: self.width, given: width })
    }
}

/// The length of vectors as the database takes it.
fn check_width(name: &str, given: usize) -> Result<i32, LibraryError> {
    let can_be_kept = (1..=MAX_WIDTH).contains(&given);
    let stored = i32::try_from(given).ok().filter(|_| can_be_kept);
    stored.ok_or_else(|| LibraryError::TooWide { name: name.to_owned(), given })
}

/// A vector as the database takes it.
pub(super) fn halved(by: &StoredEmbedder, vector: &[f32]) -> Result<HalfVector, LibraryError> {
    if vector.len() != by.width {
        return Err(LibraryError::Width { name: by.name.clone(), stored: by.width, given: vector.len() });
    }
    Ok(HalfVector::from_f32_slice(vector))
}

/// A vector as the database gives it.
pub(super) fn whole(vector: &HalfVector) -> Vec<f32> {
    vector.as_slice().iter().map(|it| it.to_f32()).collect()
}
