//! Fallback for a home directory that the server's user cannot enter.
//!
//! Root in a container usually works below a directory that only root may enter, and Postgres refuses to run as root.
//! The home then moves to a directory that the server's user can reach, so that a first command works there too.

use std::path::{Path, PathBuf, absolute};

use rustix::process::geteuid;
use sha2::{Digest, Sha256};

use crate::embedded::layout::ClusterLayout;
use crate::embedded::user::User;

/// Parent of the fallback homes.
const REFUGE: &str = "/var/lib/faultline";

/// Returns the requested home; or, for root if the server's user may not enter it, a directory below
/// `/var/lib/faultline` that is used for this home alone.
pub fn home(wanted: &Path) -> PathBuf {
    let Ok(whole) = absolute(wanted) else { return wanted.to_owned() };
    let there = whole.ancestors().find(|ancestor| ancestor.is_dir()).unwrap_or(&whole);
    let user = User::of(&ClusterLayout::under(&whole));
    if !geteuid().is_root() || user.is_ok_and(|user| user.blocking_directory(there).is_none()) {
        return wanted.to_owned();
    }
    let digest = Sha256::digest(whole.as_os_str().as_encoded_bytes());
    let name: String = digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    Path::new(REFUGE).join(name)
}

#[cfg(test)]
mod tests {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn a_home_moves_only_for_root_in_a_closed_directory() {
        let open = tempfile::tempdir_in("/tmp").unwrap();
        fs::set_permissions(open.path(), Permissions::from_mode(0o755)).unwrap();
        let wanted = open.path().join("not/there/yet");
        assert_eq!(home(&wanted), wanted);

        fs::set_permissions(open.path(), Permissions::from_mode(0o700)).unwrap();
        let moved = home(&wanted);
        assert_eq!(moved.starts_with(REFUGE), geteuid().is_root());
        assert_eq!(home(&wanted), moved, "the fallback of a home is stable");
    }
}
