//! Outages, simulated by a proxy between client and server: lost answers, and a server that is unreachable for a while.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use faultline_store::database::pool;
use faultline_store::database::pool::ConnectionSettings;
use faultline_store::follow::follower::Follower;
use faultline_store::follow::log_tail::Tail;
use faultline_store::lanes::Cursor;
use faultline_store::log::append::Append;
use faultline_store::log::log::Log;
use sqlx::postgres::PgConnectOptions;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream, UnixStream};

use crate::support::database::migrated_database;
use crate::support::phase_events::{new_debate_id, phase_append};
use crate::support::waiting::within_limit;

/// Marker in a request: the proxy forwards the request, drops the answer and closes the connection.
const MARK: &[u8] = b"this answer never arrives";

#[derive(Debug, Default)]
struct ProxyControl {
    /// True while the proxy refuses connections and closes the existing ones.
    away: AtomicBool,
    /// Number of answers dropped so far.
    n_swallowed: AtomicU32,
    /// Number of connections being carried.
    n_carried: AtomicU32,
}

impl ProxyControl {
    /// Makes the server unreachable; returns when the last connection has ended.
    async fn disconnect_all(&self) {
        self.away.store(true, Ordering::SeqCst);
        while self.n_carried.load(Ordering::SeqCst) > 0 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
}

/// Starts a proxy. Returns options for connecting through it, and its controls.
async fn through_proxy(options: &PgConnectOptions) -> (PgConnectOptions, Arc<ProxyControl>) {
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

async fn log_through_proxy(options: &PgConnectOptions) -> (Log, Arc<ProxyControl>) {
    let (options, weather) = through_proxy(options).await;
    let settings = ConnectionSettings { application: "faultline far".to_owned(), ..ConnectionSettings::default() };
    let pool = pool::connect(options, &settings).await.expect("connect through the proxy");
    (Log::start(pool).await.expect("start"), weather)
}

#[tokio::test]
async fn a_commit_with_a_lost_answer_is_recorded_once_and_returned() {
    let database = migrated_database().await;
    let (log, weather) = log_through_proxy(&database.options).await;
    let debate = new_debate_id();
    log.append(phase_append(debate, 0, &["a"])).await.unwrap();
    // The actor crosses the wire in plain text; event bodies are encrypted.
    let actor = Some(std::str::from_utf8(MARK).unwrap().to_owned());
    let marked = Append { actor, ..phase_append(debate, 1, &["b", "c"]) };
    let recorded = within_limit(log.append(marked)).await.unwrap();
    assert_eq!(recorded.iter().map(|event| (event.version, event.position)).collect::<Vec<_>>(), [(2, 2), (3, 3)]);
    assert_eq!(weather.n_swallowed.load(Ordering::SeqCst), 1, "the proxy did not drop the answer");
    assert_eq!(log.read(debate, 1, 10).await.unwrap(), recorded);
    assert_eq!(log.verify(debate).await.unwrap().breaks, []);
}

#[tokio::test]
async fn appends_and_followers_resume_after_an_outage() {
    let database = migrated_database().await;
    let (log, weather) = log_through_proxy(&database.options).await;
    let tail = Tail::start(&log);
    let near = database.log().await;
    let debate = new_debate_id();
    let mut one = Follower::of_debate(&log, &tail, debate, 0);
    let mut all = Follower::of_log(&log, &tail, Cursor::default());
    log.append(phase_append(debate, 0, &["before"])).await.unwrap();
    assert_eq!(within_limit(one.next()).await.unwrap().len(), 1);
    assert_eq!(within_limit(all.next()).await.unwrap().len(), 1);

    within_limit(weather.disconnect_all()).await;
    near.append(phase_append(debate, 1, &["unheard of"])).await.unwrap();
    let call = tokio::spawn({
        let log = log.clone();
        async move { log.append(phase_append(debate, 2, &["meanwhile"])).await }
    });
    let followed = tokio::spawn(async move {
        let (mut of_one, mut of_all) = (Vec::new(), Vec::new());
        while of_one.len() < 2 || of_all.len() < 2 {
            tokio::select! {
                page = one.next(), if of_one.len() < 2 => of_one.extend(page.unwrap()),
                page = all.next(), if of_all.len() < 2 => of_all.extend(page.unwrap()),
            }
        }
        (of_one, of_all)
    });
    tokio::time::sleep(Duration::from_millis(1_500)).await;
    assert!(!call.is_finished() && !followed.is_finished(), "the server is unreachable");
    weather.away.store(false, Ordering::SeqCst);

    assert_eq!(within_limit(call).await.unwrap().unwrap()[0].version, 3);
    let (of_one, of_all) = within_limit(followed).await.unwrap();
    assert_eq!(of_one.iter().map(|event| event.version).collect::<Vec<_>>(), [2, 3]);
    assert_eq!(of_all, of_one);
}
