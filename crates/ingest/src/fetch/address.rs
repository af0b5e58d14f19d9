//! Address policy of the fetcher: protection against server-side request forgery (SSRF).

use std::net::{IpAddr, SocketAddr};

use reqwest::dns::{Addrs, Name, Resolve, Resolving};

use faultline_providers::public_address::is_public;

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

#[cfg(test)]
mod tests {
    use super::*;

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
