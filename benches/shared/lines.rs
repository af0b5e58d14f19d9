//! The whole log as lines over HTTP: the speed of the download, and the memory of the service meanwhile.

use std::time::Instant;

use crate::memory::resident_kib;

/// Downloads all lines from the service at an address, and prints the time taken.
pub async fn whole_log(root: &str, pid: u32) {
    let before = resident_kib(pid) / 1_024;
    let (began, mut most, mut n_lines, mut n_bytes, mut last) = (Instant::now(), before, 0_usize, 0_usize, Vec::new());
    let mut response = reqwest::get(format!("{root}/log.jsonl")).await.expect("an answer");
    while let Some(chunk) = response.chunk().await.expect("a chunk") {
        n_lines += chunk.iter().filter(|byte| **byte == b'\n').count();
        n_bytes += chunk.len();
        most = most.max(resident_kib(pid) / 1_024);
        last = chunk.to_vec();
    }
    let lasted = began.elapsed().as_secs_f64();
    let end = String::from_utf8_lossy(&last);
    assert!(end.contains("{\"end\":\"v1."), "it was cut off: {end}");
    println!(
        "the whole log as lines: {:.0} events/s, {:.0} MB/s; {n_lines} lines; memory of the server {before} MiB before, {most} at most \
         (goal: 150,000 events/s, 16 MiB more)",
        (n_lines - 1) as f64 / lasted,
        n_bytes as f64 / lasted / 1e6,
    );
}
