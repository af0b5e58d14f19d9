//! Handle of the library, its embedders, and its errors.

use pgvector::HalfVector;
use sqlx::PgPool;

use crate::error::StoreError;
use crate::library::embedder_copy::copy_embedders;
use crate::shards::shards::Shards;
use crate::stored_embedder::StoredEmbedder;
use faultline_core::events::ids::PersonaId;

/// Maximum number of components of a vector: longer ones could be stored in half precision, but not indexed.
pub const MAX_WIDTH: usize = 4_000;

/// Handle of the library. Cheap to clone.
///
/// Personas, shared corpora and embedders are at home; the documents of each are on the server that the placement names.
#[derive(Clone, Debug)]
pub struct Library {
    pub(super) servers: Shards,
}

/// Error of a library operation.
#[derive(Clone, Debug, thiserror::Error)]
pub enum LibraryError {
    /// The vectors in the library were made by another embedder.
    #[error(
        "the library's vectors were made by {stored} and the given ones by {given}; the two cannot be compared. Embed \
         everything again with `faultline corpus reembed`, or go back to {stored}"
    )]
    OtherEmbedder {
        /// The embedder in use.
        stored: String,
        /// The other embedder.
        given: String,
    },
    /// Vectors of this length cannot be stored.
    #[error("{name} returns vectors of length {given}; allowed are 1 to {MAX_WIDTH}. Use another embedder")]
    TooWide {
        /// The embedder.
        name: String,
        /// The length of its vectors.
        given: usize,
    },
    /// A vector has another length than the embedder was registered with.
    #[error("the vectors of {name} have length {stored}; a vector of length {given} was given")]
    Width {
        /// The embedder.
        name: String,
        /// Length with which the embedder was registered.
        stored: usize,
        /// Length of the given vector.
        given: usize,
    },
    /// Another embedder was put into use while this one was being filled.
    #[error(
        "another embedder was put into use in the meantime, and {name} was retired; run `faultline corpus reembed` \
         again if you want {name}"
    )]
    Retired {
        /// The embedder that was being filled.
        name: String,
    },
    /// An embedder cannot be put into use before its vectors are complete.
    #[error("{n_chunks} passages have no vector by {name} yet; run `faultline corpus reembed` again")]
    Incomplete {
        /// The embedder.
        name: String,
        /// Number of passages without a vector by it.
        n_chunks: i64,
    },
    /// A document belongs to a persona or a shared corpus that is not in the library.
    #[error("there is no persona or shared corpus {persona} in the library; run `faultline corpus ingest` first")]
    NoPersona {
        /// The persona or the shared corpus.
        persona: PersonaId,
    },
    /// Two ingests wrote one document at the same time.
    #[error("another ingest changed the document {document} of {persona} at the same time; run the ingest again")]
    ConcurrentChange {
        /// Persona of the document.
        persona: PersonaId,
        /// Name of the document.
        document: String,
    },
    /// The documents of a persona or a shared corpus are being moved to another server.
    #[error("the corpus of {owner} is being moved to another server; try again when that has ended")]
    BeingMoved {
        /// The persona or the shared corpus.
        owner: PersonaId,
    },
    /// A request exceeds a limit.
    #[error("{what} is {given}; the maximum is {most}")]
    Limit {
        /// The limited quantity, with its unit.
        what: &'static str,
        /// The maximum.
        most: usize,
        /// The requested amount.
        given: usize,
    },
    /// The database failed.
    #[error(transparent)]
    Fault(#[from] StoreError),
}

impl Library {
    /// Returns the library of a migrated database.
    pub fn new(pool: PgPool) -> Self {
        Library::on(Shards::single(pool))
    }

    /// Returns a library whose corpora may be on several servers.
    pub fn on(servers: Shards) -> Self {
        Library { servers }
    }

    /// Returns the database of the personas, the shared corpora and the embedders.
    pub(super) fn home(&self) -> &PgPool {
        self.servers.home()
    }

    /// Returns the embedder of this name, which has to be the one in use. While the library has no passages, any
    /// embedder is put into use.
    ///
    /// # Errors
    /// [`LibraryError::OtherEmbedder`] if another embedder is in use; [`LibraryError::TooWide`] or
    /// [`LibraryError::Width`] if the length of its vectors is out of range or has changed; [`LibraryError::Fault`] if
    /// the database cannot be reached or refuses a statement.
    pub async fn embedder(&self, name: &str, width: usize, stand_in: bool) -> Result<StoredEmbedder, LibraryError> {
        match self.matching_embedder(name, width).await? {
            Some(it) => Ok(it),
            None => {
                let embedder = self.register_embedder(name, width, stand_in).await?;
                self.activate(&embedder).await?;
                Ok(embedder)
            }
        }
    }

    /// Returns the embedder in use if it has this name; `None` if any embedder may be put into use. Changes nothing.
    ///
    /// # Errors
    /// As [`Library::embedder`].
    pub async fn matching_embedder(&self, name: &str, width: usize) -> Result<Option<StoredEmbedder>, LibraryError> {
        check_width(name, width)?;
        match self.embedder_in_use().await? {
            Some(it) if it.name == name => checked(it, width).map(Some),
            Some(it) if self.holds_passages().await? => {
                Err(LibraryError::OtherEmbedder { stored: it.name, given: name.to_owned() })
            }
            _ => Ok(None),
        }
    }

    /// Returns the embedder in use; `None` if there has never been one.
    ///
    /// # Errors
    /// [`LibraryError::Fault`] if the database cannot be reached or refuses the statement.
    pub async fn embedder_in_use(&self) -> Result<Option<StoredEmbedder>, LibraryError> {
        let sql = "
            select id, name, width, stand_in
            from embedders
            where in_use";
        let row: Option<(i16, String, i32, bool)> = sqlx::query_as(sql)
            .fetch_optional(self.home())
            .await
            .map_err(StoreError::database("look up the embedder"))?;
        let read = |(id, name, width, stand_in): (i16, String, i32, bool)| {
            let width = width.unsigned_abs() as usize;
            StoredEmbedder { id, name, width, stand_in }
        };
        Ok(row.map(read))
    }

    /// Registers an embedder of this name, to be filled beside the one in use. One that was retired continues with its
    /// remaining vectors.
    ///
    /// # Errors
    /// [`LibraryError::TooWide`] or [`LibraryError::Width`] if the length of its vectors is out of range or has
    /// changed; [`LibraryError::Fault`] if the database cannot be reached or refuses the statement.
    pub async fn register_embedder(
        &self,
        name: &str,
        width: usize,
        stand_in: bool,
    ) -> Result<StoredEmbedder, LibraryError> {
        let stored = check_width(name, width)?;
        let sql = "
            insert into embedders (name, width, stand_in, in_use)
            values ($1, $2, $3, false)
            on conflict (name) do update
            set stand_in = excluded.stand_in, retired = false
            returning id, width";
        let query = sqlx::query_as(sql).bind(name).bind(stored).bind(stand_in);
        let entered: (i16, i32) =
            query.fetch_one(self.home()).await.map_err(StoreError::database("register an embedder"))?;
        let (id, stored) = (entered.0, entered.1.unsigned_abs() as usize);
        for (_, server) in self.servers.corpora().all() {
            copy_embedders(self.home(), server).await?;
        }
        checked(StoredEmbedder { id, name: name.to_owned(), width: stored, stand_in }, width)
    }

    /// Checks that no other embedder is in use.
    ///
    /// # Errors
    /// [`LibraryError::OtherEmbedder`] if another is in use; [`LibraryError::Fault`] if the database cannot be reached
    /// or refuses the statement.
    pub(super) async fn check_in_use(&self, by: &StoredEmbedder) -> Result<(), LibraryError> {
        match self.embedder_in_use().await? {
            Some(it) if it.id != by.id => Err(LibraryError::OtherEmbedder { stored: it.name, given: by.name.clone() }),
            _ => Ok(()),
        }
    }

    async fn holds_passages(&self) -> Result<bool, LibraryError> {
        for (_, server) in self.servers.corpora().all() {
            let holds = sqlx::query_scalar("select exists (select from chunks)").fetch_one(server).await;
            if holds.map_err(StoreError::database("check whether the library has passages"))? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// Returns the embedder if its vectors have this length.
fn checked(embedder: StoredEmbedder, width: usize) -> Result<StoredEmbedder, LibraryError> {
    if width == embedder.width {
        return Ok(embedder);
    }
    Err(LibraryError::Width { name: embedder.name, stored: embedder.width, given: width })
}

/// Checks the length of vectors, and converts it to the database's type.
fn check_width(name: &str, given: usize) -> Result<i32, LibraryError> {
    let can_be_kept = (1..=MAX_WIDTH).contains(&given);
    let stored = i32::try_from(given).ok().filter(|_| can_be_kept);
    stored.ok_or_else(|| LibraryError::TooWide { name: name.to_owned(), given })
}

/// Converts a vector to half precision for the database.
pub(super) fn halved(by: &StoredEmbedder, vector: &[f32]) -> Result<HalfVector, LibraryError> {
    if vector.len() != by.width {
        return Err(LibraryError::Width { name: by.name.clone(), stored: by.width, given: vector.len() });
    }
    Ok(HalfVector::from_f32_slice(vector))
}

/// Converts a vector from the database to single precision.
pub(super) fn whole(vector: &HalfVector) -> Vec<f32> {
    vector.as_slice().iter().map(|component| component.to_f32()).collect()
}
