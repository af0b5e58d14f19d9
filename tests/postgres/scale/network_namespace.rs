//! Network of its own for a process, joined to the machine by one cable, which can be pulled.

use std::net::Ipv4Addr;
use std::process::{Command, Output};

use sqlx::postgres::PgConnectOptions;
use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream, UnixStream};

use crate::scale::database_cluster::is_installed;
use crate::support::environment::report_skipped;
use crate::support::test_home::database_url;

/// Network namespace with a cable to the machine, deleted on drop.
pub struct NetworkNamespace {
    name: String,
    /// Address of the machine at its end of the cable.
    address: Ipv4Addr,
}

impl NetworkNamespace {
    /// Creates a network; reports that it is left out, and returns `None`, if this process may not.
    pub fn create() -> Option<NetworkNamespace> {
        let run = std::process::id();
        let name = format!("fl{run}");
        let is_created = is_installed("ip") && ip(&["netns", "add", &name]).status.success();
        if !is_created {
            report_skipped("a host whose cable is pulled: it takes root, and the program ip");
            return None;
        }
        // A network for two hosts, which another run of this test on the same machine does not use.
        let [high, low] = u16::try_from(run % 16_000 * 4).unwrap_or_default().to_be_bytes();
        let (own, theirs) = (Ipv4Addr::new(10, 213, high, low + 1), Ipv4Addr::new(10, 213, high, low + 2));
        let namespace = NetworkNamespace { name, address: own };
        let (near, far) = (namespace.near_end(), format!("{}b", namespace.name));
        for line in [
            format!("link add {near} type veth peer name {far} netns {}", namespace.name),
            format!("address add {own}/30 dev {near}"),
            format!("link set {near} up"),
            format!("-n {} address add {theirs}/30 dev {far}", namespace.name),
            format!("-n {} link set {far} up", namespace.name),
            format!("-n {} link set lo up", namespace.name),
        ] {
            succeed(&line);
        }
        Some(namespace)
    }

    /// Program that runs another one in the network.
    pub fn program(&self) -> [&str; 4] {
        ["ip", "netns", "exec", &self.name]
    }

    /// Makes a database available at the machine's end of the cable. Returns its URL.
    pub async fn bring_database(&self, options: &PgConnectOptions) -> String {
        let listener = TcpListener::bind((self.address, 0)).await.expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let socket = options.get_socket().map(|folder| folder.join(format!(".s.PGSQL.{}", options.get_port())));
        let server = (options.get_host().to_owned(), options.get_port());
        tokio::spawn(async move {
            while let Ok((mut near, _)) = listener.accept().await {
                let (socket, server) = (socket.clone(), server.clone());
                tokio::spawn(async move {
                    let _broken = match socket {
                        Some(path) => {
                            let mut far = UnixStream::connect(path).await.expect("the database");
                            copy_bidirectional(&mut near, &mut far).await
                        }
                        None => {
                            let mut far = TcpStream::connect(server).await.expect("the database");
                            copy_bidirectional(&mut near, &mut far).await
                        }
                    };
                });
            }
        });
        let url = database_url(options);
        let (scheme, rest) = url.split_once("://").expect("a URL");
        let user = rest.split_once('@').map_or("", |(user, _)| user);
        let name = options.get_database().expect("the database has a name");
        format!("{scheme}://{user}@{}:{port}/{name}?sslmode=disable", self.address)
    }

    /// Pulls the cable, or plugs it in again.
    pub fn set_plugged(&self, is_plugged: bool) {
        succeed(&format!("link set {} {}", self.near_end(), if is_plugged { "up" } else { "down" }));
    }

    fn near_end(&self) -> String {
        format!("{}a", self.name)
    }
}

impl Drop for NetworkNamespace {
    fn drop(&mut self) {
        // The cable is deleted with the network.
        ip(&["netns", "delete", &self.name]);
    }
}

fn succeed(line: &str) {
    let Output { status, stderr, .. } = ip(&line.split(' ').collect::<Vec<_>>());
    assert!(status.success(), "ip {line}: {}", String::from_utf8_lossy(&stderr));
}

fn ip(arguments: &[&str]) -> Output {
    Command::new("ip").args(arguments).output().expect("run ip")
}
