//! Memory of a private server: how much it keeps of its tables and indexes.

use std::fs;
use std::path::Path;

/// Share of the memory that the server uses for its pages (`shared_buffers`). Postgres recommends a quarter for a machine of its
/// own; this one belongs to the user of the program, and to the page cache of the system, which holds what the server does not.
const SHARE: u64 = 16;

/// Least and most megabytes of pages. The least is Postgres' own default. With the most, all vectors of 100,000 passages fit,
/// and a search of them takes half of the time that it takes with the least (`docs/corpora.md`).
const LEAST_MB: u64 = 128;
const MOST_MB: u64 = 1_024;

/// Root of the control groups of Linux.
const CONTROL_GROUPS: &str = "/sys/fs/cgroup";

/// Returns the megabytes that a private server on this machine keeps of its pages. Memory is taken as pages are read, not at the
/// start.
pub fn shared_buffers() -> u64 {
    let limits = [total_memory(), group_limit(Path::new(CONTROL_GROUPS))];
    share_of(limits.into_iter().flatten().min())
}

fn share_of(bytes: Option<u64>) -> u64 {
    bytes.map_or(LEAST_MB, |bytes| ((bytes / SHARE) >> 20).clamp(LEAST_MB, MOST_MB))
}

/// Returns the memory of the machine in bytes; `None` without `/proc` (macOS).
fn total_memory() -> Option<u64> {
    parse_total(&fs::read_to_string("/proc/meminfo").ok()?)
}

fn parse_total(meminfo: &str) -> Option<u64> {
    let total = meminfo.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kilobytes: u64 = total.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes << 10)
}

/// Returns the least limit in bytes of the control groups that contain this process, as of a container; `None` if there is none.
fn group_limit(root: &Path) -> Option<u64> {
    let own = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let path = own.lines().find_map(|line| line.strip_prefix("0::/")).unwrap_or_default();
    let of_version_2 = Path::new(path).ancestors().map(|group| root.join(group).join("memory.max"));
    let of_version_1 = root.join("memory/memory.limit_in_bytes");
    of_version_2.chain([of_version_1]).filter_map(|file| fs::read_to_string(file).ok()?.trim().parse().ok()).min()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sixteenth_of_the_memory_is_used_within_limits() {
        let gigabytes = |n: u64| share_of(Some(n << 30));
        assert_eq!([1, 2, 4, 8, 16, 64].map(gigabytes), [128, 128, 256, 512, 1_024, 1_024]);
        assert_eq!(share_of(None), LEAST_MB);
    }

    #[test]
    fn the_total_is_read_in_kilobytes() {
        assert_eq!(parse_total("MemTotal:       24683620 kB\nMemFree:  1 kB\n"), Some(24_683_620 << 10));
        assert_eq!(parse_total("MemTotal: much\n"), None);
    }

    #[test]
    fn the_least_limit_of_the_groups_counts() {
        let root = tempfile::tempdir().expect("a directory");
        assert_eq!(group_limit(root.path()), None);
        fs::write(root.path().join("memory.max"), "max\n").expect("a file");
        assert_eq!(group_limit(root.path()), None, "no limit");
        fs::write(root.path().join("memory.max"), "1073741824\n").expect("a file");
        assert_eq!(group_limit(root.path()), Some(1 << 30));
    }
}
