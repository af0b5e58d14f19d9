//! Proxy between a client and a Postgres server: it drops answers, and makes the server unreachable for a while.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use sqlx::postgres::PgConnectOptions;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream, UnixStream};

/// Marker in a request: the proxy forwards the request, drops the answer and closes the connection.
pub const MARK: &[u8] = b"this answer never arrives";

/// Controls of a proxy.
#[derive(Debug, Default)]
pub struct ProxyControl {
    /// True while the proxy refuses connections and closes the existing ones.
    pub away: AtomicBool,
    /// Number of answers dropped so far.
    pub n_swallowed: AtomicU32,
    /// Number of connections being carried.
    n_carried: AtomicU32,
}

impl ProxyControl {
    /// Makes the server unreachable; returns when the last connection has ended.
    pub async fn disconnect_all(&self) {
        self.away.store(true, Ordering::SeqCst);
        while self.n_carried.load(Ordering::SeqCst) > 0 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
}

/// Starts a proxy. Returns options for connecting through it, and its controls.
pub async fn through_proxy(options: &PgConnectOptions) -> (PgConnectOptions, Arc<ProxyControl>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let port = listener.local_addr().expect("its address").port();
    let weather = Arc::new(ProxyControl::default());
    tokio::spawn(accept(listener, options.clone(), Arc::clone(&weather)));
    let mut url = format!(
        "postgres://{}@127.0.0.1:{port}/{}",
        options.get_username(),
        options.get_database().expect("a database")
    );
    url.push_str("?sslmode=disable");
    (url.parse().expect("a URL"), weather)
}

async fn accept(listener: TcpListener, server: PgConnectOptions, weather: Arc<ProxyControl>) {
    loop {
        let (client, _) = listener.accept().await.expect("accept");
        weather.n_carried.fetch_add(1, Ordering::SeqCst);
        if weather.away.load(Ordering::SeqCst) {
            weather.n_carried.fetch_sub(1, Ordering::SeqCst);
            continue;
        }
        let weather = Arc::clone(&weather);
        match server
            .get_socket()
            .cloned()
            .or_else(|| server.get_host().starts_with('/').then(|| server.get_host().into()))
        {
            Some(directory) => {
                let socket = directory.join(format!(".s.PGSQL.{}", server.get_port()));
                tokio::spawn(carry(client, UnixStream::connect(socket).await.expect("the server"), weather));
            }
            None => {
                let server = TcpStream::connect((server.get_host(), server.get_port())).await.expect("the server");
                tokio::spawn(carry(client, server, weather));
            }
        }
    }
}

async fn carry(client: TcpStream, server: impl AsyncRead + AsyncWrite, weather: Arc<ProxyControl>) {
    carry_on(client, server, &weather).await;
    weather.n_carried.fetch_sub(1, Ordering::SeqCst);
}

async fn carry_on(client: TcpStream, server: impl AsyncRead + AsyncWrite, weather: &ProxyControl) {
    let (mut from_client, mut to_client) = client.into_split();
    let (mut from_server, mut to_server) = tokio::io::split(server);
    let (mut asked, mut answered) = ([0; 16_384], [0; 16_384]);
    let mut swallow = false;
    loop {
        tokio::select! {
            read = from_client.read(&mut asked) => {
                let Ok(n @ 1..) = read else { return };
                // Only once: when the request is repeated, the answer arrives.
                let marked = asked[..n].windows(MARK.len()).any(|window| window == MARK);
                swallow |= marked && weather.n_swallowed.load(Ordering::SeqCst) == 0;
                if to_server.write_all(&asked[..n]).await.is_err() {
                    return;
                }
            }
            read = from_server.read(&mut answered) => {
                let Ok(n @ 1..) = read else { return };
                if swallow {
                    weather.n_swallowed.fetch_add(1, Ordering::SeqCst);
                    return;
                }
                if to_client.write_all(&answered[..n]).await.is_err() {
                    return;
                }
            }
            () = tokio::time::sleep(Duration::from_millis(20)) => {
                if weather.away.load(Ordering::SeqCst) {
                    return;
                }
            }
        }
    }
}
