//! Where one private cluster lives.

use std::fs;
use std::io;
use std::path::{Path, PathBuf, absolute};

use crate::provision::tree::check_private;
use crate::store::embedded::error::EmbeddedError;

/// The directories of one private cluster. Run as root, all of them must be reachable by the unprivileged user that
/// the server then runs as.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// Where fetched binaries are kept. Several clusters may share it.
    pub cache: PathBuf,
    /// What is this cluster's own: its files, socket, log and lock.
    pub state: PathBuf,
    /// A `bin` directory to use in any case (`FAULTLINE_PG_BIN`).
    pub bin: Option<PathBuf>,
}

impl Place {
    /// The usual layout below one directory (`FAULTLINE_HOME`), without a `bin` directory.
    pub fn under(home: &Path) -> Self {
        Self { cache: home.join("cache"), state: home.join("postgres"), bin: None }
    }

    /// Refuses a home that another user owns or may write to: they could have programs of theirs run from it, or settings
    /// read. The cluster's own directory may be the server's user's.
    ///
    /// # Errors
    /// `Untrusted`.
    pub fn check_private(&self) -> Result<(), EmbeddedError> {
        let homes = [self.state.parent(), self.cache.parent(), Some(self.cache.as_path())];
        let checked = homes.into_iter().flatten().try_for_each(check_private);
        checked.map_err(|why| EmbeddedError::Untrusted(Box::new(why)))
    }

    /// The same place, whatever the current directory will be: the server runs in another.
    ///
    /// # Errors
    /// `Io` if a path is empty, or the current directory is gone.
    pub fn absolute(&self) -> Result<Self, EmbeddedError> {
        let whole = |path: &Path| absolute(path).map_err(EmbeddedError::io("find", path));
        Ok(Self {
            cache: whole(&self.cache)?,
            state: whole(&self.state)?,
            bin: self.bin.as_deref().map(whole).transpose()?,
        })
    }

    /// The cluster's files: what Postgres calls PGDATA.
    pub fn pgdata(&self) -> PathBuf {
        self.state.join("data")
    }

    /// The server's log.
    pub fn log(&self) -> PathBuf {
        self.state.join("server.log")
    }

    /// The file whose lock the owner holds.
    pub fn lock(&self) -> PathBuf {
        self.state.join("owner.lock")
    }

    /// The major version of Postgres that made the cluster; `None` if there is none yet.
    ///
    /// # Errors
    /// `NotACluster` if something else is in its place, `Io` if it cannot be read.
    pub fn major(&self) -> Result<Option<u32>, EmbeddedError> {
        let pgdata = self.pgdata();
        let marker = pgdata.join("PG_VERSION");
        match fs::read_to_string(&marker) {
            Ok(text) => match text.trim().parse() {
                Ok(major) => Ok(Some(major)),
                Err(_) => Err(EmbeddedError::NotACluster { pgdata }),
            },
            Err(why) if why.kind() == io::ErrorKind::NotFound => {
                let is_empty = fs::read_dir(&pgdata).map_or(true, |mut it| it.next().is_none());
                if is_empty { Ok(None) } else { Err(EmbeddedError::NotACluster { pgdata }) }
            }
            Err(why) => Err(EmbeddedError::io("read", &marker)(why)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_major_version_is_read_and_what_is_no_cluster_is_refused() {
        let home = tempfile::tempdir().unwrap();
        let place = Place::under(home.path());
        assert_eq!(place.major().unwrap(), None);
        fs::create_dir_all(place.pgdata()).unwrap();
        assert_eq!(place.major().unwrap(), None, "an empty directory is as good as none");
        fs::write(place.pgdata().join("notes.txt"), "").unwrap();
        assert!(matches!(place.major(), Err(EmbeddedError::NotACluster { .. })));
        fs::write(place.pgdata().join("PG_VERSION"), "18\n").unwrap();
        assert_eq!(place.major().unwrap(), Some(18));
    }
}
