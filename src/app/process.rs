//! Process metrics from the operating system, under the names that Prometheus' own clients use.
//!
//! The crate `metrics-process` would replace this file, but it has no `process_cpu_seconds`: it exports that time as
//! `process_cpu_seconds_total`, and the names here are documented for dashboards and alerts.

use std::fs;

use metrics::gauge;

/// Process metrics: name and description.
pub const PROCESS: &[(&str, &str)] = &[
    ("process_resident_memory_bytes", "Resident memory of this process, in bytes."),
    ("process_open_fds", "Number of open files, sockets and pipes of this process."),
    ("process_start_time_seconds", "Start time of this process, in seconds since 1970."),
    ("process_cpu_seconds", "Processor time used by this process, in seconds."),
];

/// Kernel clock ticks per second, as Linux reports them to programs on every platform.
const TICKS: f64 = 100.0;

/// Sets the gauges of the process; does nothing on systems without `/proc`.
pub fn record() {
    if let Ok(status) = fs::read_to_string("/proc/self/status")
        && let Some(kilobytes) = resident(&status)
    {
        gauge!("process_resident_memory_bytes").set(kilobytes * 1_024.0);
    }
    if let Ok(open) = fs::read_dir("/proc/self/fd") {
        gauge!("process_open_fds").set(open.count() as f64);
    }
    let booted = fs::read_to_string("/proc/stat").ok().and_then(|stat| boot(&stat));
    if let Some((cpu, started)) = fs::read_to_string("/proc/self/stat").ok().and_then(|stat| times(&stat)) {
        gauge!("process_cpu_seconds").set(cpu);
        if let Some(booted) = booted {
            gauge!("process_start_time_seconds").set(booted + started);
        }
    }
}

fn resident(status: &str) -> Option<f64> {
    status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?.split_whitespace().next()?.parse().ok()
}

fn boot(stat: &str) -> Option<f64> {
    stat.lines().find_map(|line| line.strip_prefix("btime "))?.trim().parse().ok()
}

/// Returns the processor seconds used, and the seconds between the starts of the system and of the process. The
/// program's name, the second field, may contain anything, so fields are counted from behind it.
fn times(stat: &str) -> Option<(f64, f64)> {
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks = |at: usize| fields.get(at)?.parse::<f64>().ok();
    Some(((ticks(11)? + ticks(12)?) / TICKS, ticks(19)? / TICKS))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_files_of_proc_are_parsed() {
        assert_eq!(resident("VmPeak:\t  9 kB\nVmRSS:\t    1234 kB\n"), Some(1_234.0));
        assert_eq!(boot("cpu 1 2\nbtime 1700000000\n"), Some(1_700_000_000.0));
        let stat = "7 (a ) b) S 1 7 7 0 -1 4194560 9 0 0 0 250 50 0 0 20 0 8 0 4200 1 2";
        assert_eq!(times(stat), Some((3.0, 42.0)));
        assert_eq!(times("7 (x) S 1"), None);
    }
}
