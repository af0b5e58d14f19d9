//! Resident memory of processes on this machine.

/// Returns the resident memory of a process in KiB; zero if it does not run on this machine.
pub fn resident_kib(pid: u32) -> usize {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")?.split_whitespace().next()?.parse().ok());
    line.unwrap_or_default()
}
