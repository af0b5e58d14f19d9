//! Rate limits: token buckets per API token and per client address.
//!
//! A bucket holds two seconds' worth of operations and refills continuously; each operation takes one. A caller with an
//! empty bucket learns when to retry. HTTP, sockets and event streams share the buckets, through
//! [`AdmissionExecutor`](crate::api::execution::admission::AdmissionExecutor). IPv6 clients are limited per /64.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::limits::ApiLimits;

/// Maximum number of buckets. Beyond it, new callers share one bucket.
const MAX_BUCKETS: usize = 20_000;
/// Capacity of a bucket, in seconds of its rate.
const BURST: f64 = 2.0;

/// Key of a bucket.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RateLimitKey {
    /// Holder of the API token with this number.
    Token(u32),
    /// Clients at this address.
    Address(IpAddr),
    /// Callers for which there is no bucket of their own left.
    Overflow,
}

impl RateLimitKey {
    /// Returns the key of an address; an IPv6 address is reduced to its /64 network.
    pub fn of_address(address: IpAddr) -> RateLimitKey {
        let address = match address.to_canonical() {
            IpAddr::V6(it) => {
                let [a, b, c, d, ..] = it.segments();
                Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0).into()
            }
            v4 @ IpAddr::V4(_) => v4,
        };
        RateLimitKey::Address(address)
    }
}

/// All buckets of a service.
#[derive(Debug)]
pub struct RateLimiter {
    token: usize,
    address: usize,
    buckets: Mutex<HashMap<RateLimitKey, Bucket>>,
}

/// The rate limit that a caller exceeds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RateExceeded {
    /// Name of the limit.
    pub limit: &'static str,
    /// Operations per second that the caller may execute.
    pub rate: usize,
    /// Time until the next operation is possible.
    pub wait: Duration,
}

#[derive(Clone, Copy, Debug)]
struct Bucket {
    /// Number of operations left.
    left: f64,
    /// Time at which `left` was computed.
    at: Instant,
}

impl Bucket {
    fn full(rate: f64, now: Instant) -> Bucket {
        Bucket { left: rate * BURST, at: now }
    }

    fn fill(&mut self, rate: f64, now: Instant) {
        let flown = now.saturating_duration_since(self.at).as_secs_f64() * rate;
        *self = Bucket { left: (self.left + flown).min(rate * BURST), at: now };
    }
}

impl RateLimiter {
    /// Creates the buckets with the rates of these limits.
    pub fn new(limits: &ApiLimits) -> RateLimiter {
        RateLimiter { token: limits.rate_token, address: limits.rate_address, buckets: Mutex::default() }
    }

    /// Creates buckets for addresses only.
    pub fn of_addresses(rate: usize) -> RateLimiter {
        RateLimiter { token: 0, address: rate, buckets: Mutex::default() }
    }

    /// Takes one operation from the bucket of each payer, or from none.
    ///
    /// # Errors
    /// The limit with the longest time until its bucket has one operation.
    pub fn take(&self, payers: &[RateLimitKey], now: Instant) -> Result<(), RateExceeded> {
        let limited = payers.iter().filter_map(|payer| Some((*payer, self.rate(*payer)?)));
        let mut limited = limited.peekable();
        if limited.peek().is_none() {
            return Ok(());
        }
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        let (mut due, mut wait) = (Vec::with_capacity(payers.len()), (0.0_f64, "", 0.0));
        for (payer, rate) in limited {
            let name = if matches!(payer, RateLimitKey::Token(_)) { "rate_token" } else { "rate_address" };
            let payer = self.room(&mut buckets, payer, rate, now);
            if let Some(bucket) = buckets.get_mut(&payer) {
                bucket.fill(rate, now);
                let until = (1.0 - bucket.left) / rate;
                if until > wait.0 {
                    wait = (until, name, rate);
                }
                due.push(payer);
            }
        }
        let (seconds, limit, rate) = wait;
        if seconds > 0.0 {
            return Err(RateExceeded { limit, rate: rate as usize, wait: Duration::from_secs_f64(seconds) });
        }
        due.iter().filter_map(|payer| buckets.get_mut(payer).map(|bucket| bucket.left -= 1.0)).count();
        Ok(())
    }

    /// Returns the operations per second that this payer may execute; `None` if unlimited.
    fn rate(&self, payer: RateLimitKey) -> Option<f64> {
        let rate = if matches!(payer, RateLimitKey::Token(_)) { self.token } else { self.address };
        (rate > 0).then_some(rate as f64)
    }

    /// Returns the key under which the payer has a bucket, and creates the bucket if necessary.
    fn room(
        &self,
        buckets: &mut HashMap<RateLimitKey, Bucket>,
        payer: RateLimitKey,
        rate: f64,
        now: Instant,
    ) -> RateLimitKey {
        if buckets.len() >= MAX_BUCKETS && !buckets.contains_key(&payer) {
            buckets.retain(|key, bucket| {
                let rate = self.rate(*key).unwrap_or(rate);
                bucket.fill(rate, now);
                bucket.left < rate * BURST
            });
        }
        let is_full = buckets.len() >= MAX_BUCKETS;
        let own = |payer| if is_full { RateLimitKey::Overflow } else { payer };
        let payer = if buckets.contains_key(&payer) { payer } else { own(payer) };
        if let Entry::Vacant(place) = buckets.entry(payer) {
            place.insert(Bucket::full(rate, now));
        }
        payer
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rates(token: usize, address: usize) -> RateLimiter {
        RateLimiter::new(&ApiLimits { rate_token: token, rate_address: address, ..ApiLimits::default() })
    }

    #[test]
    fn an_empty_bucket_refuses_and_refills() {
        let (rates, now, payer) = (rates(5, 0), Instant::now(), [RateLimitKey::Token(1)]);
        for _ in 0..10 {
            assert_eq!(rates.take(&payer, now), Ok(()), "two seconds' worth at once");
        }
        let actual = rates.take(&payer, now).expect_err("the bucket is empty");
        let expected = RateExceeded { limit: "rate_token", rate: 5, wait: Duration::from_millis(200) };
        assert_eq!(actual, expected);
        assert_eq!(rates.take(&[RateLimitKey::Token(2)], now), Ok(()), "the other bucket is full");
        assert!(rates.take(&payer, now + Duration::from_millis(199)).is_err());
        assert_eq!(rates.take(&payer, now + Duration::from_millis(201)), Ok(()));
        let later = now + Duration::from_secs(3_600);
        let taken = (0..100).take_while(|_| rates.take(&payer, later).is_ok()).count();
        assert_eq!(taken, 10, "a bucket never holds more");
    }

    #[test]
    fn a_refused_operation_is_taken_from_no_bucket() {
        let (rates, now) = (rates(1, 3), Instant::now());
        let address = RateLimitKey::of_address("10.0.0.1".parse().expect("an address"));
        let both = [RateLimitKey::Token(1), address];
        let taken = (0..50).filter(|_| rates.take(&both, now).is_ok()).count();
        assert_eq!(taken, 2, "the token's bucket is the smaller one");
        let rest = (0..50).filter(|_| rates.take(&[address], now).is_ok()).count();
        assert_eq!(rest, 4, "two of six were taken");
    }

    #[test]
    fn without_limits_there_are_no_buckets() {
        let rates = rates(0, 0);
        let payers = [RateLimitKey::Token(1), RateLimitKey::of_address(IpAddr::V6(Ipv6Addr::LOCALHOST))];
        assert!((0..1_000).all(|_| rates.take(&payers, Instant::now()).is_ok()));
        assert!(rates.buckets.lock().expect("buckets").is_empty());
    }

    #[test]
    fn addresses_beyond_the_maximum_share_a_bucket() {
        let (rates, now) = (rates(0, 1), Instant::now());
        let payer = |n: u32| RateLimitKey::of_address(IpAddr::from(n.to_be_bytes()));
        for n in 0..MAX_BUCKETS as u32 {
            assert_eq!(rates.take(&[payer(n)], now), Ok(()));
        }
        let many = 0xC000_0000..0xC000_1000_u32;
        assert_eq!(many.clone().filter(|address| rates.take(&[payer(*address)], now).is_ok()).count(), 2);
        assert!(rates.buckets.lock().expect("buckets").len() <= MAX_BUCKETS + 1);
        let later = now + Duration::from_secs(60);
        let mut many = many;
        assert!(many.all(|address| rates.take(&[payer(address)], later).is_ok()), "full buckets are dropped");
    }

    #[test]
    fn ipv6_addresses_are_limited_per_network() {
        let at = |text: &str| RateLimitKey::of_address(text.parse().expect("an address"));
        assert_eq!(at("2001:db8::1"), at("2001:db8::ffff:1"));
        assert_ne!(at("2001:db8::1"), at("2001:db8:0:1::1"));
        assert_eq!(at("::ffff:10.0.0.1"), at("10.0.0.1"));
    }
}
