//! File system of a few megabytes that can be filled.

use std::fs::{self, File};
use std::io::Write;
use std::path::PathBuf;
use std::process::Command;

/// Small tmpfs of one test, unmounted on drop.
pub struct SmallDisk(PathBuf);

impl SmallDisk {
    /// Mounts the disk; `None` if this user may not mount.
    pub fn mount(path: &str, mebibytes: u32) -> Option<SmallDisk> {
        fs::create_dir(path).expect("a folder");
        let options = format!("size={mebibytes}m,mode=755");
        let mounted = Command::new("mount").args(["-t", "tmpfs", "-o", &options, "tmpfs", path]).output();
        mounted.is_ok_and(|output| output.status.success()).then(|| SmallDisk(path.into()))
    }

    /// Fills the disk to the last byte.
    pub fn fill(&self) {
        let mut ballast = File::create(self.0.join("ballast")).expect("a file");
        for size in [1 << 20, 4_096, 1] {
            while ballast.write_all(&vec![0; size]).is_ok() {}
        }
    }

    /// Frees the space that [`Self::fill`] has taken.
    /// Frees the space that [`Self::fill`] has taken.
    pub fn clear(&self) {
        fs::remove_file(self.0.join("ballast")).expect("remove");
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let unmounted = Command::new("umount").arg("-l").arg(&self.0).status();
        assert!(
            unmounted.is_ok_and(|status| status.success()) || std::thread::panicking(),
            "{} cannot be unmounted",
            self.0.display()
        );
    }
}
