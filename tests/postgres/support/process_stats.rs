//! Memory and processor time of processes on this machine.

use std::collections::HashMap;
use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::task::JoinHandle;
use tokio::time::sleep;

/// A process and all its descendants.
pub fn process_tree(pid: u32) -> Vec<u32> {
    let mut children: HashMap<u32, Vec<u32>> = HashMap::new();
    for entry in fs::read_dir("/proc").expect("the process table").flatten() {
        let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse::<u32>().ok()) else { continue };
        if let Some(parent) = stat_fields(pid).and_then(|fields| fields.get(1)?.parse::<u32>().ok()) {
            children.entry(parent).or_default().push(pid);
        }
    }
    let mut family = vec![pid];
    let mut at = 0;
    while let Some(pid) = family.get(at).copied() {
        family.extend(children.remove(&pid).unwrap_or_default());
        at += 1;
    }
    family
}

/// Fields of a process's `stat` after its name: state, parent, and so on; `None` if it has ended.
fn stat_fields(pid: u32) -> Option<Vec<String>> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    Some(stat.rsplit_once(')')?.1.split_whitespace().map(str::to_owned).collect())
}

/// Resident memory of a process and its children, in KiB.
pub fn tree_resident_kib(pid: u32) -> u64 {
    process_tree(pid).into_iter().filter_map(resident).sum()
}

/// CPU time of a process, in hundredths of a second.
pub fn cpu_ticks(pid: u32) -> u64 {
    let fields = stat_fields(pid).expect("the service runs");
    fields[11].parse::<u64>().expect("ticks") + fields[12].parse::<u64>().expect("ticks")
}

/// Measurement of the peak memory of a process and its children.
pub struct PeakMemory {
    peak: Arc<AtomicU64>,
    watching: JoinHandle<()>,
}

impl PeakMemory {
    pub fn of(pid: u32) -> PeakMemory {
        let peak = Arc::new(AtomicU64::new(0));
        let watched = Arc::clone(&peak);
        let watching = tokio::spawn(async move {
            loop {
                watched.fetch_max(tree_resident_kib(pid), Ordering::Relaxed);
                sleep(Duration::from_millis(50)).await;
            }
        });
        PeakMemory { peak, watching }
    }

    pub fn kib(self) -> u64 {
        self.watching.abort();
        self.peak.load(Ordering::Relaxed)
    }
}

/// Returns the resident memory of a process, in KiB; `None` if it has ended.
fn resident(pid: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    status.lines().find_map(|line| line.strip_prefix("VmRSS:")?.trim().trim_end_matches("kB").trim().parse().ok())
}

/// Returns the resident memory of a process, in KiB; panics if it has ended.
pub fn resident_kib(pid: u32) -> u64 {
    resident(pid).expect("the process runs")
}
