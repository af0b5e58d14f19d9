//! How many operations a second may be asked for: a bucket each for a token and for an address.
//!
//! A bucket holds twice what flows into it in a second; an operation takes one of it. Whoever finds it empty is told when
//! to come back. HTTP, sockets and streams take from the same buckets, through [`Guarded`](crate::api::guard::Guarded).
//! An IPv6 address counts by its first 64 bits: whoever has one of them has all.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::limits::Limits;

/// The most buckets that are kept; beyond them strangers share one.
const MAX_BUCKETS: usize = 20_000;
/// For how many seconds a bucket holds what flows into it.
const BURST: f64 = 2.0;

/// Whose bucket it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Payer {
    /// The holder of this token: its number.
    Token(u32),
    /// Whoever is at this address.
    Address(IpAddr),
    /// Those for whom there is no bucket left.
    Strangers,
}

impl Payer {
    /// Whoever is at this address.
    pub fn at(address: IpAddr) -> Payer {
        let address = match address.to_canonical() {
            IpAddr::V6(it) => {
                let [a, b, c, d, ..] = it.segments();
                Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0).into()
            }
            v4 @ IpAddr::V4(_) => v4,
        };
        Payer::Address(address)
    }
}

/// All buckets of a service.
#[derive(Debug)]
pub struct Rates {
    token: usize,
    address: usize,
    buckets: Mutex<HashMap<Payer, Bucket>>,
}

#[derive(Clone, Copy, Debug)]
struct Bucket {
    /// How many operations are left in it.
    left: f64,
    /// When that was so.
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

impl Rates {
    /// Buckets as these limits want them.
    pub fn new(limits: &Limits) -> Rates {
        Rates { token: limits.rate_token, address: limits.rate_address, buckets: Mutex::default() }
    }

    /// Buckets of addresses alone.
    pub fn of_addresses(rate: usize) -> Rates {
        Rates { token: 0, address: rate, buckets: Mutex::default() }
    }

    /// Takes one operation from each of these payers' buckets, or from none.
    ///
    /// # Errors
    /// How long to wait until there is one in each.
    pub fn take(&self, payers: &[Payer], now: Instant) -> Result<(), Duration> {
        let limited = payers.iter().filter_map(|it| Some((*it, self.rate(*it)?)));
        let mut limited = limited.peekable();
        if limited.peek().is_none() {
            return Ok(());
        }
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        let (mut due, mut wait) = (Vec::with_capacity(payers.len()), 0.0_f64);
        for (payer, rate) in limited {
            let payer = self.room(&mut buckets, payer, rate, now);
            if let Some(bucket) = buckets.get_mut(&payer) {
                bucket.fill(rate, now);
                wait = wait.max((1.0 - bucket.left) / rate);
                due.push(payer);
            }
        }
        if wait > 0.0 {
            return Err(Duration::from_secs_f64(wait));
        }
        due.iter().filter_map(|it| buckets.get_mut(it).map(|it| it.left -= 1.0)).count();
        Ok(())
    }

    /// How many operations a second this payer may ask for; `None` where any number.
    fn rate(&self, payer: Payer) -> Option<f64> {
        let rate = if matches!(payer, Payer::Token(_)) { self.token } else { self.address };
        (rate > 0).then_some(rate as f64)
    }

    /// The payer, with a bucket that is there now.
    fn room(&self, buckets: &mut HashMap<Payer, Bucket>, payer: Payer, rate: f64, now: Instant) -> Payer {
        if buckets.len() >= MAX_BUCKETS && !buckets.contains_key(&payer) {
            buckets.retain(|it, bucket| {
                let rate = self.rate(*it).unwrap_or(rate);
                bucket.fill(rate, now);
                bucket.left < rate * BURST
            });
        }
        let is_full = buckets.len() >= MAX_BUCKETS;
        let own = |payer| if is_full { Payer::Strangers } else { payer };
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

    fn rates(token: usize, address: usize) -> Rates {
        Rates::new(&Limits { rate_token: token, rate_address: address, ..Limits::default() })
    }

    #[test]
    fn a_bucket_is_emptied_told_of_and_filled_again() {
        let (rates, now, payer) = (rates(5, 0), Instant::now(), [Payer::Token(1)]);
        for _ in 0..10 {
            assert_eq!(rates.take(&payer, now), Ok(()), "twice a second's worth at once");
        }
        let wait = rates.take(&payer, now).expect_err("it is empty");
        assert_eq!(wait, Duration::from_millis(200));
        assert_eq!(rates.take(&[Payer::Token(2)], now), Ok(()), "another's is full");
        assert!(rates.take(&payer, now + Duration::from_millis(199)).is_err());
        assert_eq!(rates.take(&payer, now + Duration::from_millis(201)), Ok(()));
        let later = now + Duration::from_secs(3_600);
        let taken = (0..100).take_while(|_| rates.take(&payer, later).is_ok()).count();
        assert_eq!(taken, 10, "it never holds more");
    }

    #[test]
    fn who_is_refused_by_one_bucket_pays_from_none() {
        let (rates, now) = (rates(1, 3), Instant::now());
        let address = Payer::at("10.0.0.1".parse().expect("an address"));
        let both = [Payer::Token(1), address];
        let taken = (0..50).filter(|_| rates.take(&both, now).is_ok()).count();
        assert_eq!(taken, 2, "the token's is the smaller");
        let rest = (0..50).filter(|_| rates.take(&[address], now).is_ok()).count();
        assert_eq!(rest, 4, "of six two were taken");
    }

    #[test]
    fn without_a_limit_nothing_is_kept() {
        let rates = rates(0, 0);
        let payers = [Payer::Token(1), Payer::at(IpAddr::V6(Ipv6Addr::LOCALHOST))];
        assert!((0..1_000).all(|_| rates.take(&payers, Instant::now()).is_ok()));
        assert!(rates.buckets.lock().expect("buckets").is_empty());
    }

    #[test]
    fn addresses_beyond_number_share_a_bucket() {
        let (rates, now) = (rates(0, 1), Instant::now());
        let payer = |n: u32| Payer::at(IpAddr::from(n.to_be_bytes()));
        for n in 0..MAX_BUCKETS as u32 {
            assert_eq!(rates.take(&[payer(n)], now), Ok(()));
        }
        let many = 0xC000_0000..0xC000_1000_u32;
        assert_eq!(many.clone().filter(|it| rates.take(&[payer(*it)], now).is_ok()).count(), 2);
        assert!(rates.buckets.lock().expect("buckets").len() <= MAX_BUCKETS + 1);
        let later = now + Duration::from_secs(60);
        let mut many = many;
        assert!(many.all(|it| rates.take(&[payer(it)], later).is_ok()), "those who are quiet are forgotten");
    }

    #[test]
    fn an_ipv6_address_counts_by_its_network() {
        let at = |text: &str| Payer::at(text.parse().expect("an address"));
        assert_eq!(at("2001:db8::1"), at("2001:db8::ffff:1"));
        assert_ne!(at("2001:db8::1"), at("2001:db8:0:1::1"));
        assert_eq!(at("::ffff:10.0.0.1"), at("10.0.0.1"));
    }
}
