//! Address policy of the fetcher: protection against server-side request forgery (SSRF).

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use reqwest::dns::{Addrs, Name, Resolve, Resolving};

/// Policy of allowed addresses. Public addresses are always allowed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AddressPolicy {
    /// Allow all addresses, including this machine and its network.
    pub private: bool,
    /// Additional allowed addresses.
    pub also: Vec<IpAddr>,
}

impl AddressPolicy {
    /// Returns true if an address may be dialled.
    pub fn allows(&self, address: IpAddr) -> bool {
        self.private || self.also.contains(&address) || is_public(address)
    }

    /// Resolves a host; fails if any of its addresses is not allowed.
    ///
    /// # Errors
    /// A message if the host has no address, or one that is not allowed.
    pub async fn resolve(&self, host: &str) -> Result<Vec<SocketAddr>, String> {
        let found =
            tokio::net::lookup_host((host, 0)).await.map_err(|error| format!("{host} has no address: {error}"))?;
        let found: Vec<SocketAddr> = found.collect();
        if found.is_empty() {
            return Err(format!("{host} has no address"));
        }
        match found.iter().find(|address| !self.allows(address.ip())) {
            Some(private) => Err(refused(host, private.ip())),
            None => Ok(found),
        }
    }

    /// Checks a host that is written as an IP address. Host names are checked when they are resolved.
    ///
    /// # Errors
    /// A message if the address is not allowed.
    pub fn judge(&self, host: &str) -> Result<(), String> {
        let bare = host.trim_start_matches('[').trim_end_matches(']');
        match bare.parse::<IpAddr>() {
            Ok(address) if !self.allows(address) => Err(refused(host, address)),
            _ => Ok(()),
        }
    }
}

fn refused(host: &str, address: IpAddr) -> String {
    let named = if host.contains(&address.to_string()) { host.to_owned() } else { format!("{host} ({address})") };
    format!("{named} is not a public address; FAULTLINE_FETCH_PRIVATE=1 allows private ones")
}

/// DNS resolver of the HTTP client, so that the checked addresses are the ones that are dialled.
impl Resolve for AddressPolicy {
    fn resolve(&self, name: Name) -> Resolving {
        let reach = self.clone();
        Box::pin(async move {
            let found = AddressPolicy::resolve(&reach, name.as_str()).await;
            found.map(|addresses| Box::new(addresses.into_iter()) as Addrs).map_err(Into::into)
        })
    }
}

/// Returns true if an address belongs to the public internet (RFC 6890 and later registrations).
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(it) => is_public_v4(it),
        IpAddr::V6(it) => is_public_v6(it),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    let is_reserved = matches!(
        (a, b, c),
        (0 | 10 | 127 | 224..=255, ..)
            | (100, 64..=127, _)
            | (169, 254, _)
            | (172, 16..=31, _)
            | (192, 168, _)
            | (198, 18 | 19, _)
            | (192, 0, 0 | 2)
            | (192, 88, 99)
            | (198, 51, 100)
            | (203, 0, 113)
    );
    !is_reserved
}

/// Allows only global unicast addresses, except for documentation and benchmarking; addresses that embed IPv4 are
/// checked as IPv4.
fn is_public_v6(address: Ipv6Addr) -> bool {
    let parts = address.segments();
    let v4 = |high: u16, low: u16| Ipv4Addr::from((u32::from(high) << 16) | u32::from(low));
    match parts {
        [0, 0, 0, 0, 0, 0xffff, high, low] => is_public_v4(v4(high, low)),
        [0x64, 0xff9b, 0, 0, 0, 0, high, low] => is_public_v4(v4(high, low)),
        [0x2002, high, low, ..] => is_public_v4(v4(high, low)),
        [0x2001, 0..=0x1ff, ..] | [0x2001, 0xdb8, ..] | [0x3fff, 0..=0xfff, ..] => false,
        [first, ..] => (0x2000..=0x3fff).contains(&first),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reserved_addresses_are_not_public() {
        for private in [
            "0.0.0.0",
            "10.1.2.3",
            "127.0.0.1",
            "127.255.0.1",
            "169.254.169.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.168.1.1",
            "100.64.0.1",
            "192.0.2.1",
            "198.18.0.1",
            "224.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1",
            "::127.0.0.1",
            "64:ff9b::a00:1",
            "2002:a00:1::",
            "2001::1",
            "2001:db8::1",
            "fc00::1",
            "fd12::1",
            "fe80::1",
            "fec0::1",
            "ff02::1",
        ] {
            assert!(!is_public(private.parse().unwrap()), "{private}");
        }
        for public in ["1.1.1.1", "172.32.0.1", "100.128.0.1", "2606:4700::1111", "::ffff:8.8.8.8", "64:ff9b::808:808"]
        {
            assert!(is_public(public.parse().unwrap()), "{public}");
        }
    }

    #[tokio::test]
    async fn host_names_are_checked_by_their_addresses() {
        let public = AddressPolicy::default();
        assert!(AddressPolicy::resolve(&public, "localhost").await.unwrap_err().contains("is not a public address"));
        assert!(public.judge("[::ffff:7f00:1]").unwrap_err().contains("FAULTLINE_FETCH_PRIVATE"));
        assert_eq!(public.judge("wall.example"), Ok(()));
        let also = AddressPolicy { also: vec!["127.0.0.1".parse().unwrap()], private: false };
        assert!(also.judge("127.0.0.1").is_ok() && also.judge("127.0.0.2").is_err());
        let all = AddressPolicy { private: true, also: Vec::new() };
        assert!(!AddressPolicy::resolve(&all, "localhost").await.unwrap().is_empty());
    }
}
