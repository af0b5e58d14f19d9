//! Processor time of processes on this machine.

use std::time::Duration;

/// Returns the processor time that a process has used; zero if it does not run on this machine. One tick is 10 ms.
pub fn cpu_time(pid: u32) -> Duration {
    let ticks = || -> Option<u64> {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
        Some(fields.get(11)?.parse::<u64>().ok()? + fields.get(12)?.parse::<u64>().ok()?)
    };
    Duration::from_millis(ticks().unwrap_or(0) * 10)
}
