//! Directories of a private cluster, and its durability.

use std::fs;
use std::io;
use std::path::{Path, PathBuf, absolute};

use crate::embedded::error::EmbeddedError;
use crate::provision::tree::check_private;

/// Directories of one private cluster, and its durability. If the program runs as root, the unprivileged user that the server
/// then runs as must be able to reach all of the directories.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClusterLayout {
    /// Cache of fetched binaries. Several clusters may share it.
    pub cache: PathBuf,
    /// Directory of the cluster's own files: data, socket, log and lock.
    pub state: PathBuf,
    /// Directory of binaries to use instead of searching (`FAULTLINE_PG_BIN`).
    pub bin: Option<PathBuf>,
    /// Whether acknowledged writes survive a crash of the machine. False spares the waits for the disk, for clusters whose
    /// data can be made again; a crash of the server alone loses nothing either way.
    pub is_durable: bool,
}

impl ClusterLayout {
    /// Returns the default layout below a home directory (`FAULTLINE_HOME`), durable and without requested binaries.
    pub fn under(home: &Path) -> Self {
        Self { cache: home.join("cache"), state: home.join("postgres"), bin: None, is_durable: true }
    }

    /// Refuses a home that another user owns or may write to, because that user could have programs run from it or
    /// settings read. The cluster's own directory may belong to the server's user.
    ///
    /// # Errors
    /// `Untrusted`.
    pub fn check_private(&self) -> Result<(), EmbeddedError> {
        let homes = [self.state.parent(), self.cache.parent(), Some(self.cache.as_path())];
        let checked = homes.into_iter().flatten().try_for_each(check_private);
        checked.map_err(|why| EmbeddedError::Untrusted(Box::new(why)))
    }

    /// Returns the layout with absolute paths, because the server runs in another working directory.
    ///
    /// # Errors
    /// `Io` if a path is empty, or the current directory no longer exists.
    pub fn absolute(&self) -> Result<Self, EmbeddedError> {
        let whole = |path: &Path| absolute(path).map_err(EmbeddedError::io("find", path));
        Ok(Self {
            cache: whole(&self.cache)?,
            state: whole(&self.state)?,
            bin: self.bin.as_deref().map(whole).transpose()?,
            is_durable: self.is_durable,
        })
    }

    /// Returns the data directory of the cluster (PGDATA).
    pub fn pgdata(&self) -> PathBuf {
        self.state.join("data")
    }

    /// Returns the path of the server's log.
    pub fn log(&self) -> PathBuf {
        self.state.join("server.log")
    }

    /// Returns the path of the file that the owner locks.
    pub fn lock(&self) -> PathBuf {
        self.state.join("owner.lock")
    }

    /// Returns the major version of Postgres that created the cluster; `None` if there is none yet.
    ///
    /// # Errors
    /// `NotACluster` if the data directory contains something else; `Io` if it cannot be read.
    pub fn major(&self) -> Result<Option<u32>, EmbeddedError> {
        let pgdata = self.pgdata();
        let marker = pgdata.join("PG_VERSION");
        match fs::read_to_string(&marker) {
            Ok(text) => match text.trim().parse() {
                Ok(major) => Ok(Some(major)),
                Err(_) => Err(EmbeddedError::NotACluster { pgdata }),
            },
            Err(why) if why.kind() == io::ErrorKind::NotFound => {
                let is_empty = fs::read_dir(&pgdata).map_or(true, |mut entries| entries.next().is_none());
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
    fn the_major_version_is_read_and_other_directories_are_refused() {
        let home = tempfile::tempdir().unwrap();
        let place = ClusterLayout::under(home.path());
        assert_eq!(place.major().unwrap(), None);
        fs::create_dir_all(place.pgdata()).unwrap();
        assert_eq!(place.major().unwrap(), None, "an empty directory counts as no cluster");
        fs::write(place.pgdata().join("notes.txt"), "").unwrap();
        assert!(matches!(place.major(), Err(EmbeddedError::NotACluster { .. })));
        fs::write(place.pgdata().join("PG_VERSION"), "18\n").unwrap();
        assert_eq!(place.major().unwrap(), Some(18));
    }
}
