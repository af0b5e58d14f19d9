//! Trusted proxies in front of the service, and the client addresses that they report.
//!
//! A proxy appends the address of its client to `x-forwarded-for` or `forwarded`. Earlier entries were sent by the
//! client and may be forged. The hops are therefore read from the end, past trusted ones, to the first that is not
//! trusted. If both headers are present and disagree, one of them was forged, and both are ignored.

use std::net::{IpAddr, SocketAddr};

/// Trusted proxies; none by default.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TrustedProxies(Vec<Network>);

/// Network: all addresses with the same prefix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Network {
    address: IpAddr,
    /// Length of the prefix.
    bits: u32,
}

impl TrustedProxies {
    /// Parses addresses and networks separated by commas: `127.0.0.1, 10.0.0.0/8, fd00::/8`.
    ///
    /// # Errors
    /// A description of the valid form, with the first invalid part.
    pub fn parse(text: &str) -> Result<TrustedProxies, String> {
        let parts = text.split(',').map(str::trim).filter(|it| !it.is_empty());
        let network =
            |it| Network::parse(it).ok_or_else(|| format!("addresses or networks such as 10.0.0.0/8, not {it:?}"));
        parts.map(network).collect::<Result<_, _>>().map(TrustedProxies)
    }

    /// Address of the client of a request that arrives from `peer` with these values of `x-forwarded-for` and of
    /// `forwarded`.
    pub fn client_address(&self, peer: IpAddr, forwarded_for: &[&str], forwarded: &[&str]) -> IpAddr {
        let peer = peer.to_canonical();
        if !self.trusts(peer) {
            return peer;
        }
        let by_list = (!forwarded_for.is_empty()).then(|| self.first_untrusted(peer, forwarded_for, address));
        let by_pairs = (!forwarded.is_empty()).then(|| self.first_untrusted(peer, forwarded, pair_address));
        match (by_list, by_pairs) {
            (Some(one), Some(other)) if one != other => peer,
            (one, other) => one.or(other).unwrap_or(peer),
        }
    }

    fn trusts(&self, address: IpAddr) -> bool {
        self.0.iter().any(|it| it.contains(address))
    }

    /// First hop, from the end, that is not trusted. Stops at a hop that cannot be parsed.
    fn first_untrusted(&self, peer: IpAddr, lines: &[&str], read: fn(&str) -> Option<IpAddr>) -> IpAddr {
        let mut at = peer;
        let hops = lines.iter().rev().flat_map(|it| it.rsplit(',')).map(str::trim).filter(|it| !it.is_empty());
        for hop in hops.map_while(read) {
            at = hop;
            if !self.trusts(hop) {
                break;
            }
        }
        at
    }
}

impl Network {
    fn parse(text: &str) -> Option<Network> {
        let (address, bits) = text.split_once('/').map_or((text, None), |(address, bits)| (address, Some(bits)));
        let address = address.parse::<IpAddr>().ok()?.to_canonical();
        let all = if address.is_ipv4() { 32 } else { 128 };
        let bits = bits.map_or(Some(all), |it| it.parse().ok().filter(|it| *it <= all))?;
        Some(Network { address, bits })
    }

    fn contains(&self, address: IpAddr) -> bool {
        match (self.address, address) {
            (IpAddr::V4(own), IpAddr::V4(it)) => {
                (own.to_bits() ^ it.to_bits()).checked_shr(32 - self.bits).unwrap_or(0) == 0
            }
            (IpAddr::V6(own), IpAddr::V6(it)) => {
                (own.to_bits() ^ it.to_bits()).checked_shr(128 - self.bits).unwrap_or(0) == 0
            }
            _ => false,
        }
    }
}

/// Parses an address with or without a port and brackets.
fn address(text: &str) -> Option<IpAddr> {
    let text = text.trim().trim_matches('"');
    let bare = || text.strip_prefix('[')?.strip_suffix(']')?.parse().ok();
    let read = text.parse().ok().or_else(|| text.parse().ok().map(|it: SocketAddr| it.ip())).or_else(bare);
    read.map(|it: IpAddr| it.to_canonical())
}

/// Address of `for=` in one hop of `forwarded`.
fn pair_address(hop: &str) -> Option<IpAddr> {
    let pairs = hop.split(';').filter_map(|it| it.split_once('='));
    pairs.into_iter().find(|(name, _)| name.trim().eq_ignore_ascii_case("for")).and_then(|(_, it)| address(it))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_invalid_network_is_refused() {
        assert_eq!(TrustedProxies::parse(" , "), Ok(TrustedProxies::default()));
        assert!(TrustedProxies::parse("127.0.0.1, 10.0.0.0/8 ,fd00::/8,::1,0.0.0.0/0").is_ok());
        for wrong in ["nginx", "10.0.0.0/33", "fd00::/129", "10.0.0.0/-1", "10.0.0.0/", "/8", "10.0.0/8", "[::1]"] {
            let message = TrustedProxies::parse(&format!("127.0.0.1,{wrong}")).expect_err(wrong);
            assert_eq!(message, format!("addresses or networks such as 10.0.0.0/8, not {wrong:?}"));
        }
    }

    #[test]
    fn the_last_untrusted_hop_is_the_client() {
        let proxies = TrustedProxies::parse("10.0.0.0/8, fd00::/8").expect("networks");
        let check = |peer: &str, list: &[&str], pairs: &[&str], expected: &str| {
            let got = proxies.client_address(peer.parse().expect("an address"), list, pairs);
            assert_eq!(got.to_string(), expected, "{peer} {list:?} {pairs:?}");
        };
        // Headers of an untrusted peer are ignored.
        check("192.0.2.1", &["198.51.100.7"], &["for=198.51.100.7"], "192.0.2.1");
        check("10.0.0.1", &[], &[], "10.0.0.1");
        check("::ffff:10.0.0.1", &["198.51.100.7"], &[], "198.51.100.7");
        check("10.0.0.1", &["1.1.1.1, 198.51.100.7"], &[], "198.51.100.7");
        check("10.0.0.1", &["198.51.100.7, 10.0.0.2,10.9.9.9"], &[], "198.51.100.7");
        check("10.0.0.1", &["1.1.1.1", "198.51.100.7", "10.0.0.2"], &[], "198.51.100.7");
        check("10.0.0.1", &["10.0.0.3, 10.0.0.2"], &[], "10.0.0.3");
        check("10.0.0.1", &["198.51.100.7:4711"], &[], "198.51.100.7");
        check("fd00::1", &["[2001:db8::7]:443"], &[], "2001:db8::7");
        check("fd00::1", &["2001:db8::7"], &[], "2001:db8::7");
        // A hop that cannot be parsed ends the search.
        check("10.0.0.1", &["198.51.100.7, unknown"], &[], "10.0.0.1");
        check("10.0.0.1", &["198.51.100.7, ?, 10.0.0.2"], &[], "10.0.0.2");
        check("10.0.0.1", &[""], &[], "10.0.0.1");
        check("10.0.0.1", &[], &["for=198.51.100.7;proto=https;by=10.0.0.1"], "198.51.100.7");
        check("10.0.0.1", &[], &["proto=https; For=\"[2001:db8::7]:80\", for=10.0.0.2"], "2001:db8::7");
        check("10.0.0.1", &[], &["for=_hidden"], "10.0.0.1");
        check("10.0.0.1", &["198.51.100.7"], &["for=198.51.100.7"], "198.51.100.7");
        check("10.0.0.1", &["198.51.100.7"], &["for=1.1.1.1"], "10.0.0.1");
    }

    #[test]
    fn a_network_contains_addresses_with_its_prefix() {
        let contains =
            |network: &str, it: &str| Network::parse(network).expect(network).contains(it.parse().expect(it));
        assert!(contains("10.0.0.0/8", "10.255.0.1") && !contains("10.0.0.0/8", "11.0.0.1"));
        assert!(contains("10.1.2.3", "10.1.2.3") && !contains("10.1.2.3", "10.1.2.2"));
        assert!(contains("0.0.0.0/0", "255.1.1.1") && !contains("0.0.0.0/0", "::1"));
        assert!(contains("::/0", "2001:db8::1") && contains("fd00::/8", "fdff::1") && !contains("fd00::/8", "fe00::1"));
        assert!(contains("::ffff:10.0.0.1", "10.0.0.1"));
    }
}
