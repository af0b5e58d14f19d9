//! Cost of encryption: the same loads on a log that encrypts and on one that does not, alternating.

use std::time::{Duration, Instant};

use faultline_store::log::log::Log;

use crate::appends::log_appends;
use crate::measure::{Measured, own_cpu};
use crate::stream::AppendSource;

/// Numbers of callers, and of events per append.
const LOADS: &[(usize, usize)] = &[(1, 1), (8, 10), (64, 1), (64, 10)];
/// Debates that are read, events in each, and number of rounds.
const READ_DEBATES: usize = 100;
const READ_EVENTS: usize = 200;
const READ_TURNS: usize = 5;

/// Measures appends to and reads of a log that encrypts, beside one that does not.
pub async fn encryption_cost(log: &Log, plain: &Log, lasting: Duration) {
    println!(
        "\nsealed beside plain              callers  events each  plain/s   sealed/s   ratio   CPU here an event, us: plain  sealed"
    );
    for (callers, size) in LOADS {
        let mut measured = [(Measured::default(), Duration::ZERO), (Measured::default(), Duration::ZERO)];
        for _ in 0..2 {
            for (log, (sum, cpu)) in [plain, log].into_iter().zip(&mut measured) {
                let own = own_cpu();
                sum.add(log_appends(log, *callers, *size, lasting / 2).await);
                *cpu += own_cpu().saturating_sub(own);
            }
        }
        let micros = |(sum, cpu): &(Measured, Duration)| cpu.as_secs_f64() * 1e6 / sum.events as f64;
        let [one, other] = [&measured[0], &measured[1]];
        println!(
            "{:>27} {:>12} {:>12} {:>8.0} {:>10.0} {:>7.2} {:>33.1} {:>7.1}",
            "appends",
            callers,
            size,
            one.0.rate(),
            other.0.rate(),
            other.0.rate() / one.0.rate(),
            micros(one),
            micros(other)
        );
    }
    let mut debates = [Vec::new(), Vec::new()];
    for (log, debates) in [plain, log].into_iter().zip(&mut debates) {
        for _ in 0..READ_DEBATES {
            let mut stream = AppendSource::default();
            log.append(stream.append(READ_EVENTS)).await.expect("append");
            debates.push(stream.debate);
        }
    }
    let mut took = [Duration::ZERO; 2];
    for _ in 0..READ_TURNS {
        for ((log, debates), took) in [plain, log].into_iter().zip(&debates).zip(&mut took) {
            let begun = Instant::now();
            for debate in debates {
                let events = log.read(*debate, 0, READ_EVENTS as i64).await.expect("read");
                assert_eq!(events.len(), READ_EVENTS, "all of them");
            }
            *took += begun.elapsed();
        }
    }
    let rate = |took: Duration| (READ_DEBATES * READ_EVENTS * READ_TURNS) as f64 / took.as_secs_f64();
    println!(
        "{:>27} {:>12} {:>12} {:>8.0} {:>10.0} {:>7.2}",
        "a debate read",
        1,
        READ_EVENTS,
        rate(took[0]),
        rate(took[1]),
        rate(took[1]) / rate(took[0])
    );
}
