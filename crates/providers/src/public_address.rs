//! Addresses and host names of the public internet.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Ends of host names that name hosts of a private network, or this machine.
const PRIVATE_DOMAINS: &[&str] =
    &["localhost", "localdomain", "local", "internal", "intranet", "private", "corp", "home", "lan", "home.arpa"];

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

/// Returns true if a host may belong to the public internet, judged by its name alone: an IP address as [`is_public`]
/// says; a name if it has several parts and no ending of a private network. Names are not resolved.
pub fn is_public_host(host: &str) -> bool {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    if let Ok(address) = bare.parse::<IpAddr>() {
        return is_public(address);
    }
    let name = host.trim_end_matches('.').to_ascii_lowercase();
    let ends_with =
        |domain: &&str| name.strip_suffix(domain).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'));
    name.contains('.') && !PRIVATE_DOMAINS.iter().any(ends_with)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
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

    #[test]
    fn hosts_are_judged_by_their_names() {
        for private in [
            "",
            "localhost",
            "LocalHost.",
            "a.localhost",
            "nas",
            "printer.local",
            "metadata.google.internal",
            "router.home.arpa",
            "127.0.0.1",
            "[::1]",
            "[fe80::1]",
            "169.254.169.254",
        ] {
            assert!(!is_public_host(private), "{private}");
        }
        for public in [
            "example.org",
            "local.example.org",
            "notlocal.org",
            "xn--bcher-kva.example",
            "1.1.1.1",
            "[2606:4700::1111]",
        ] {
            assert!(is_public_host(public), "{public}");
        }
    }
}
