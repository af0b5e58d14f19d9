//! Creation of a new cluster, which becomes visible only when it is complete.

use std::fs;
use std::path::{Path, PathBuf};

use crate::embedded::error::EmbeddedError;
use crate::embedded::find::Binaries;
use crate::embedded::layout::ClusterLayout;
use crate::embedded::user::User;
use crate::provision::disk::flush;
use crate::provision::error::OutputTail;

/// Role that owns everything in the cluster.
pub const SUPERUSER: &str = "faultline";

/// First major version with a builtin locale provider, which needs neither the C library nor ICU.
const BUILTIN_LOCALES: u32 = 17;

const FLAGS: &[&str] = &[
    // Safe only because the directory of the socket is closed to other users.
    "--auth=trust",
    "--encoding=UTF8",
    "--locale=C.UTF-8",
    "--no-instructions",
];

/// Prefix of the directory names of unfinished clusters.
const UNFINISHED: &str = "data.new.";

/// Creates the cluster. Only its owner may call this, and only if there is no cluster.
///
/// # Errors
/// `Create` if `initdb` fails, `Io` if the file system does.
pub fn create(place: &ClusterLayout, binaries: &Binaries, user: &User) -> Result<(), EmbeddedError> {
    remove_unfinished(&place.state);
    let pgdata = place.pgdata();
    let fresh = Unfinished(place.state.join(format!("{UNFINISHED}{}", std::process::id())));
    user.own_directory(&fresh.0)?;
    let program = binaries.bin.join("initdb");
    let mut command = user.command(&program);
    command.args(FLAGS).args(["--username", SUPERUSER]);
    if binaries.major >= BUILTIN_LOCALES {
        // Sorts the same on every machine and after every system upgrade, so indexes remain valid.
        command.arg("--locale-provider=builtin");
    }
    if cfg!(target_os = "linux") {
        // The flush below is faster.
        command.arg("--no-sync");
    }
    let ran = command.arg("--pgdata").arg(&fresh.0).output().map_err(EmbeddedError::io("run", &program))?;
    if !ran.status.success() {
        return Err(EmbeddedError::Create {
            pgdata,
            how: format!("ended with {}", ran.status),
            said: OutputTail::last_of(&String::from_utf8_lossy(&ran.stderr)),
        });
    }
    // The rename happens only after all contents are on disk. It also replaces an empty directory.
    flush(&fresh.0).map_err(EmbeddedError::io("write", &fresh.0))?;
    fs::rename(&fresh.0, &pgdata).map_err(EmbeddedError::io("rename to", &pgdata))?;
    flush(&place.state).map_err(EmbeddedError::io("write", &place.state))
}

/// Unfinished cluster, removed when dropped. After the rename there is nothing left to remove.
struct Unfinished(PathBuf);

impl Drop for Unfinished {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Removes unfinished clusters of killed processes. An `initdb` that still runs in one of them fails, as intended.
fn remove_unfinished(state: &Path) {
    for entry in fs::read_dir(state).into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().starts_with(UNFINISHED) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}
