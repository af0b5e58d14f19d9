//! What the operating system says of this process, under the names that Prometheus' own clients use.

use std::fs;

use metrics::gauge;

/// What is told of the process: name, meaning.
pub const PROCESS: &[(&str, &str)] = &[
    ("process_resident_memory_bytes", "Memory of this process that is in RAM, in bytes."),
    ("process_open_fds", "Files, sockets and pipes that this process has open."),
    ("process_start_time_seconds", "When this process started, in seconds since 1970."),
    ("process_cpu_seconds", "Time of processors that this process used, in seconds."),
];

/// Ticks of the kernel's clock in a second, as Linux tells them to programs on every platform.
const TICKS: f64 = 100.0;

/// Sets the gauges of the process; where the system has no `/proc`, they are not there.
pub fn tell() {
    if let Ok(status) = fs::read_to_string("/proc/self/status")
        && let Some(kilobytes) = resident(&status)
    {
        gauge!("process_resident_memory_bytes").set(kilobytes * 1_024.0);
    }
    if let Ok(open) = fs::read_dir("/proc/self/fd") {
        gauge!("process_open_fds").set(open.count() as f64);
    }
    let booted = fs::read_to_string("/proc/stat").ok().and_then(|it| boot(&it));
    if let Some((cpu, started)) = fs::read_to_string("/proc/self/stat").ok().and_then(|it| times(&it)) {
        gauge!("process_cpu_seconds").set(cpu);
        if let Some(booted) = booted {
            gauge!("process_start_time_seconds").set(booted + started);
        }
    }
}

fn resident(status: &str) -> Option<f64> {
    status.lines().find_map(|it| it.strip_prefix("VmRSS:"))?.split_whitespace().next()?.parse().ok()
}

fn boot(stat: &str) -> Option<f64> {
    stat.lines().find_map(|it| it.strip_prefix("btime "))?.trim().parse().ok()
}

/// Seconds of processors that were used, and seconds from the system's start to the process's. The program's name, the
/// second field, may hold anything: fields are counted from behind it.
fn times(stat: &str) -> Option<(f64, f64)> {
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks = |at: usize| fields.get(at)?.parse::<f64>().ok();
    Some(((ticks(11)? + ticks(12)?) / TICKS, ticks(19)? / TICKS))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_system_says_is_read() {
        assert_eq!(resident("VmPeak:\t  9 kB\nVmRSS:\t    1234 kB\n"), Some(1_234.0));
        assert_eq!(boot("cpu 1 2\nbtime 1700000000\n"), Some(1_700_000_000.0));
        let stat = "7 (a ) b) S 1 7 7 0 -1 4194560 9 0 0 0 250 50 0 0 20 0 8 0 4200 1 2";
        assert_eq!(times(stat), Some((3.0, 42.0)));
        assert_eq!(times("7 (x) S 1"), None);
    }
}
