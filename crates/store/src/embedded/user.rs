//! System user that the server runs as. Postgres refuses to run as root; if this program does, the server runs as the
//! owner of the cluster, or for a new cluster as a dedicated user if the system has one, otherwise as `nobody`.

use std::env;
use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt, chown, lchown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use rustix::process::geteuid;

use crate::embedded::error::EmbeddedError;
use crate::embedded::layout::ClusterLayout;

/// User id of `nobody`, as a number: its name differs between systems and may be missing.
const NOBODY: u32 = 65534;
/// System users that root assigns a new cluster to, in order of preference. `nobody` is the last resort, because other
/// daemons run as `nobody` too and could read the server's files and connect to its socket.
const DEDICATED: [&str; 2] = ["faultline", "postgres"];

/// User that the server runs as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct User {
    /// User id.
    pub uid: u32,
    /// Group id to change to together with the user id; `None` if the server runs as the current user.
    change: Option<u32>,
}

impl User {
    /// Determines the user for a cluster from the current user and the owner of the cluster.
    ///
    /// # Errors
    /// `Foreign` if the current user is not root and the cluster belongs to another user.
    pub fn of(place: &ClusterLayout) -> Result<Self, EmbeddedError> {
        let me = geteuid();
        let pgdata = place.pgdata();
        let there = fs::metadata(&pgdata).or_else(|_| fs::metadata(&place.state)).ok();
        if !me.is_root() {
            let uid = me.as_raw();
            return match there.map(|metadata| metadata.uid()).filter(|owner| *owner != uid) {
                Some(owner) if pgdata.is_dir() => Err(EmbeddedError::Foreign { pgdata, owner, uid }),
                _ => Ok(Self { uid, change: None }),
            };
        }
        let owner = there.map(|metadata| (metadata.uid(), metadata.gid())).filter(|(uid, _)| *uid != 0);
        let (uid, gid) = owner.or_else(dedicated).unwrap_or((NOBODY, NOBODY));
        Ok(Self { uid, change: Some(gid) })
    }

    /// Returns a command that runs as this user, in a directory that every user may enter, and without the environment
    /// variables that Postgres programs would read.
    pub fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command.current_dir("/").stdin(Stdio::null());
        for (name, _) in env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("PG")) {
            command.env_remove(name);
        }
        if let Some(gid) = self.change {
            // With these set, the standard library also drops root's supplementary groups.
            command.uid(self.uid).gid(gid);
        }
        command
    }

    /// Creates a directory that only this user may enter, or changes an existing one accordingly, including its
    /// contents.
    ///
    /// # Errors
    /// `Io` if the file system refuses.
    pub fn own_directory(&self, path: &Path) -> Result<(), EmbeddedError> {
        match fs::DirBuilder::new().mode(0o700).create(path) {
            Err(why) if why.kind() == io::ErrorKind::AlreadyExists => (),
            made => made.map_err(EmbeddedError::io("create", path))?,
        }
        self.own(path).map_err(EmbeddedError::io("change the owner of", path))
    }

    fn own(&self, directory: &Path) -> io::Result<()> {
        let now = fs::metadata(directory)?;
        if let Some(gid) = self.change.filter(|_| now.uid() != self.uid) {
            give(directory, self.uid, gid)?;
        }
        // A carelessly made copy is readable by all users, and Postgres refuses it.
        if now.mode() & 0o077 != 0 {
            fs::set_permissions(directory, Permissions::from_mode(0o700))?;
        }
        Ok(())
    }

    /// Checks that this user can reach a directory, by entering it as this user.
    ///
    /// # Errors
    /// `Unreachable` with the directory that blocks the user; `NoUser` if the system does not allow changing to this
    /// user.
    pub fn check_reach(&self, directory: &Path) -> Result<(), EmbeddedError> {
        if self.change.is_none() {
            return Ok(());
        }
        let shell = Path::new("/bin/sh");
        let going =
            self.command(shell).args(["-c", "cd -- \"$1\"", "sh"]).arg(directory).stderr(Stdio::null()).status();
        if going.map_err(|why| EmbeddedError::NoUser { uid: self.uid, why })?.success() {
            return Ok(());
        }
        let blocked = self.blocking_directory(directory).unwrap_or_else(|| directory.to_owned());
        Err(EmbeddedError::Unreachable { what: directory.to_owned(), blocked, uid: self.uid })
    }

    /// Returns the topmost directory on the way to a path that this user may not enter according to its permission
    /// bits.
    pub fn blocking_directory(&self, path: &Path) -> Option<PathBuf> {
        let gid = self.change?;
        let whole = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let mut way: Vec<&Path> = whole.ancestors().filter(|ancestor| ancestor.is_dir()).collect();
        way.reverse();
        let shut =
            way.into_iter().find(|directory| fs::metadata(directory).is_ok_and(|there| !self.may_enter(&there, gid)));
        shut.map(Path::to_owned)
    }

    fn may_enter(&self, there: &fs::Metadata, gid: u32) -> bool {
        let bit = match (there.uid() == self.uid, there.gid() == gid) {
            (true, _) => 0o100,
            (false, true) => 0o010,
            (false, false) => 0o001,
        };
        there.mode() & bit != 0
    }
}

/// Returns user and group of the first of [`DEDICATED`] that exists on this system.
fn dedicated() -> Option<(u32, u32)> {
    let accounts = fs::read_to_string("/etc/passwd").ok()?;
    DEDICATED.iter().find_map(|name| ids_of(name, &accounts))
}

/// Returns user and group of an account in the format of `/etc/passwd`; `None` if it is not listed, or is root's.
fn ids_of(name: &str, accounts: &str) -> Option<(u32, u32)> {
    accounts.lines().find_map(|line| {
        let mut fields = line.split(':');
        (fields.next()? == name).then_some(())?;
        let (uid, gid) = (fields.nth(1)?.parse().ok()?, fields.next()?.parse().ok()?);
        (uid != 0).then_some((uid, gid))
    })
}

/// Changes the owner recursively. Links are not followed, because their targets may belong to others.
fn give(path: &Path, uid: u32, gid: u32) -> io::Result<()> {
    if !fs::symlink_metadata(path)?.is_dir() {
        return lchown(path, Some(uid), Some(gid));
    }
    chown(path, Some(uid), Some(gid))?;
    for entry in fs::read_dir(path)? {
        give(&entry?.path(), uid, gid)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn me_is_root() -> bool {
        let root = geteuid().is_root();
        if !root {
            eprintln!("skipped: requires root");
        }
        root
    }

    #[test]
    fn an_account_is_found_by_its_whole_name_and_is_never_root() {
        let accounts =
            "root:x:0:0::/root:/bin/sh\npostgresql:x:7:7::/:\nbad:x:seven\npostgres:x:114:119::/var:/bin/sh\n";
        assert_eq!(ids_of("postgres", accounts), Some((114, 119)));
        assert_eq!(ids_of("root", accounts), None);
        assert_eq!(ids_of("bad", accounts), None);
        assert_eq!(ids_of("faultline", accounts), None);
    }

    #[test]
    fn root_uses_the_owner_of_the_cluster_or_a_dedicated_user() {
        if !me_is_root() {
            return;
        }
        let home = tempfile::tempdir().unwrap();
        let place = ClusterLayout::under(home.path());
        let (uid, gid) = dedicated().unwrap_or((NOBODY, NOBODY));
        assert_eq!(User::of(&place).unwrap(), User { uid, change: Some(gid) });
        fs::create_dir_all(place.pgdata()).unwrap();
        fs::write(place.pgdata().join("PG_VERSION"), "18").unwrap();
        assert_eq!(User::of(&place).unwrap().uid, uid, "root's own files are given away");
        chown(place.pgdata(), Some(1234), Some(99)).unwrap();
        let owner = User::of(&place).unwrap();
        assert_eq!(owner, User { uid: 1234, change: Some(99) });
        owner.own_directory(&place.pgdata()).unwrap();
        let there = fs::metadata(place.pgdata()).unwrap();
        assert_eq!((there.uid(), there.mode() & 0o777), (1234, 0o700));
    }

    #[test]
    fn an_error_names_the_closed_parent_directory() {
        if !me_is_root() {
            return;
        }
        let home = tempfile::tempdir().unwrap();
        let user = User { uid: NOBODY, change: Some(NOBODY) };
        let deep = home.path().join("a/b");
        fs::create_dir_all(&deep).unwrap();
        fs::set_permissions(home.path(), Permissions::from_mode(0o700)).unwrap();
        let refused = user.check_reach(&deep).unwrap_err().to_string();
        assert!(refused.contains(&format!("cannot enter {}, on the way to", home.path().display())), "{refused}");
        assert!(refused.contains("FAULTLINE_HOME") && refused.contains("chmod o+x"), "{refused}");
        fs::set_permissions(home.path(), Permissions::from_mode(0o711)).unwrap();
        user.check_reach(&deep).unwrap();
        assert_eq!(user.blocking_directory(&deep), None);
    }
}
