//! Costs per item, and the sizes and times that follow from them.

use std::fmt;
use std::time::Duration;

use crate::debates::EVENTS;

/// Processor time for an event on its way to one follower, as `cargo bench --bench subscribers` measured it.
const DELIVERY: Duration = Duration::from_micros(12);
/// Tokens of a debate, as one of the engine `dialectic` of two rounds took them in a trial with a small model.
const TOKENS: i64 = 8_350;

/// Sizes and times of a store with so many events.
#[derive(Clone, Copy, Debug)]
pub struct Size {
    /// False if it was computed.
    pub is_measured: bool,
    pub n_events: i64,
    /// Size of the log, with the keys and leases of its debates.
    pub log_bytes: i64,
    /// Size of the stored views.
    pub view_bytes: i64,
    /// Time of a rebuild by one worker.
    pub rebuild: Duration,
    /// Time for one reader to read the whole log.
    pub scan: Duration,
    /// Time of the newest page of the list, without and with the number of all debates.
    pub list: Duration,
    pub counted: Duration,
    /// Time of a search for words that are in every crux.
    pub search: Duration,
    /// Time to read one debate.
    pub read: Duration,
}

/// Costs per item.
#[derive(Clone, Copy, Debug)]
pub struct Costs {
    log_bytes: f64,
    view_bytes: f64,
    rebuild: f64,
    scan: f64,
    /// Per debate.
    counted: f64,
    search: f64,
    /// Independent of the size, as measured at the largest one.
    list: Duration,
    read: Duration,
}

impl Costs {
    /// Returns the costs at the largest measured size: per event, or per debate where a query visits debates.
    pub fn of(measured: &[Size]) -> Costs {
        let last = measured.last().expect("at least one size is measured");
        let (n_events, n_debates) = (last.n_events as f64, last.n_events as f64 / EVENTS as f64);
        Costs {
            log_bytes: last.log_bytes as f64 / n_events,
            view_bytes: last.view_bytes as f64 / n_debates,
            rebuild: last.rebuild.as_secs_f64() / n_events,
            scan: last.scan.as_secs_f64() / n_events,
            counted: last.counted.as_secs_f64() / n_debates,
            search: last.search.as_secs_f64() / n_debates,
            list: last.list,
            read: last.read,
        }
    }
}

/// Computes a size from costs per item.
pub fn simulate(costs: &Costs, n_events: i64) -> Size {
    let (events, debates) = (n_events as f64, n_events as f64 / EVENTS as f64);
    Size {
        is_measured: false,
        n_events,
        log_bytes: (costs.log_bytes * events) as i64,
        view_bytes: (costs.view_bytes * debates) as i64,
        rebuild: Duration::from_secs_f64(costs.rebuild * events),
        scan: Duration::from_secs_f64(costs.scan * events),
        list: costs.list,
        counted: Duration::from_secs_f64(costs.counted * debates),
        search: Duration::from_secs_f64(costs.search * debates),
        read: costs.read,
    }
}

impl fmt::Display for Costs {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            out,
            "an event: {:.0} B of log, {:.1} us to rebuild by one worker, {:.1} us to read; a debate of {EVENTS} events: {:.1} KB of \
             views, {:.2} us to count, {:.2} us to search",
            self.log_bytes,
            self.rebuild * 1e6,
            self.scan * 1e6,
            self.view_bytes / 1e3,
            self.counted * 1e6,
            self.search * 1e6
        )
    }
}

impl Size {
    /// Heading of the lines of sizes.
    pub const HEADING: &str = "      events     debates        log      views   rebuild by 1   by 16   read all   list   counted    \
                               search   a debate   CPU for 10 followers of each   tokens";
}

impl fmt::Display for Size {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let n_debates = self.n_events / EVENTS as i64;
        // A rebuild cannot be faster than its reads, of which one server does as many as its readers at one time.
        let by_16 = (self.rebuild / 16).max(self.scan);
        write!(
            out,
            "{}{:>11} {n_debates:>11} {:>10} {:>10} {:>14} {:>7} {:>10} {:>6} {:>9} {:>9} {:>10} {:>30} {:>8}",
            if self.is_measured { ' ' } else { '~' },
            self.n_events,
            size(self.log_bytes),
            size(self.view_bytes),
            time(self.rebuild),
            time(by_16),
            time(self.scan),
            time(self.list),
            time(self.counted),
            time(self.search),
            time(self.read),
            time(DELIVERY.mul_f64(self.n_events as f64 * 10.0)),
            count(n_debates * TOKENS),
        )
    }
}

/// Formats a number of bytes with three digits.
fn size(bytes: i64) -> String {
    scaled(bytes as f64, &[(1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "KB")])
}

fn count(number: i64) -> String {
    scaled(number as f64, &[(1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")])
}

fn time(duration: Duration) -> String {
    scaled(
        duration.as_secs_f64(),
        &[(86_400.0, "d"), (3_600.0, "h"), (60.0, "min"), (1.0, "s"), (1e-3, "ms"), (1e-6, "us")],
    )
}

fn scaled(value: f64, units: &[(f64, &str)]) -> String {
    let (scale, unit) = units.iter().find(|(scale, _)| value >= *scale).or(units.last()).copied().unwrap_or((1.0, ""));
    let value = value / scale;
    if value < 9.95 { format!("{value:.1} {unit}") } else { format!("{value:.0} {unit}") }
}
