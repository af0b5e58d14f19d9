//! Location of the server's socket: beside the data, or, if that path is too long for a socket, in a short private
//! directory.

use std::env;
use std::fmt::Write;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::embedded::error::EmbeddedError;
use crate::embedded::layout::ClusterLayout;
use crate::embedded::user::User;

/// Port number, used only in the name of the socket: nothing listens on it.
pub const PORT: u16 = 5432;

/// Maximum length of a socket's path: `sun_path` without its final zero.
pub const MAX_PATH: usize = if cfg!(target_os = "linux") { 107 } else { 103 };

/// Creates the directory for the socket, which only the server's user (and root) may enter.
///
/// # Errors
/// `Socket` if no directory is suitable; `Io` if the file system refuses.
pub fn prepare(place: &ClusterLayout, user: &User) -> Result<PathBuf, EmbeddedError> {
    let beside = place.state.join("socket");
    if fits(&beside) {
        user.own_directory(&beside)?;
        return Ok(beside);
    }
    let mut tried = vec![format!("{} is too long for a socket", beside.display())];
    for parent in [env::temp_dir(), PathBuf::from("/tmp")] {
        let short = parent.join(short_name(&place.state));
        match private(&short, user) {
            Ok(()) => return Ok(short),
            Err(why) => tried.push(why),
        }
    }
    tried.dedup();
    Err(EmbeddedError::Socket { tried: tried.join("; ") })
}

fn fits(directory: &Path) -> bool {
    directory.join(format!(".s.PGSQL.{PORT}")).as_os_str().len() <= MAX_PATH
}

/// Returns a directory name that is the same in every process and differs between clusters.
fn short_name(state: &Path) -> String {
    let whole = state.canonicalize().unwrap_or_else(|_| state.to_owned());
    let mut name = "faultline-".to_owned();
    for byte in &Sha256::digest(whole.as_os_str().as_bytes())[..8] {
        write!(name, "{byte:02x}").expect("writing to a string cannot fail");
    }
    name
}

/// Creates a directory in a place where every user may create files. Refuses anything that another user has put there.
fn private(directory: &Path, user: &User) -> Result<(), String> {
    let named = |why: &dyn std::fmt::Display| format!("{}: {why}", directory.display());
    if !fits(directory) {
        return Err(named(&"too long for a socket"));
    }
    if let Ok(there) = fs::symlink_metadata(directory) {
        let ours = there.is_dir() && (there.uid() == user.uid || there.uid() == rustix::process::geteuid().as_raw());
        if !ours {
            return Err(named(&"it belongs to another user"));
        }
    }
    user.own_directory(directory).map_err(|why| why.to_string())?;
    user.check_reach(directory).map_err(|why| why.to_string())
}

#[cfg(test)]
mod tests {
    use std::fs::Permissions;
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    #[test]
    fn a_long_path_moves_the_socket_and_a_short_one_does_not() {
        let home = tempfile::tempdir().unwrap();
        fs::set_permissions(home.path(), Permissions::from_mode(0o755)).unwrap();
        let user = User::of(&ClusterLayout::under(home.path())).unwrap();
        let prepared = |name: &str| {
            let place = ClusterLayout::under(&home.path().join(name));
            fs::create_dir_all(&place.state).unwrap();
            (prepare(&place, &user).unwrap(), place.state.join("socket"))
        };
        let (short, beside) = prepared("home");
        assert_eq!(short, beside);
        let (moved, beside) = prepared(&"long".repeat(30));
        assert!(moved != beside && fits(&moved), "{}", moved.display());
        assert_eq!(fs::metadata(&moved).unwrap().permissions().mode() & 0o777, 0o700);
        assert_eq!(prepared(&"long".repeat(30)).0, moved, "the next run finds it again");
        fs::remove_dir(moved).unwrap();
    }

    #[test]
    fn a_planted_link_is_refused() {
        let place = tempfile::tempdir().unwrap();
        let user = User::of(&ClusterLayout::under(place.path())).unwrap();
        let trap = place.path().join("trap");
        symlink("/", &trap).unwrap();
        let refused = private(&trap, &user).unwrap_err();
        assert!(refused.ends_with("it belongs to another user"), "{refused}");
    }
}
