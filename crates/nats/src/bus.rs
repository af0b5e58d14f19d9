//! Connection to NATS that publishes appended events and receives those of other processes.
//!
//! Subjects are `<beginning>.<store>.<lane>`. Everything has a bound, and what exceeds it is dropped and counted: the
//! messages waiting to be published, those waiting to be received, and the time that a message may wait.

use std::fmt::Display;
use std::future::{Ready, ready};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use async_nats::connection::State;
use async_nats::{Client, ConnectOptions, Event, Subscriber};
use futures_util::{FutureExt, StreamExt};
use metrics::{counter, gauge};
use tokio::sync::{mpsc, watch};

use crate::settings::{Login, NatsSettings};
use faultline_store::error::StoreError;
use faultline_store::log::log::Log;
use faultline_store::log::received_events::BusKeys;
use faultline_store::wake::bus::MessageBus;

/// Number of messages that may wait to be published, and to be received.
const QUEUE: usize = 1_024;
/// Number of commands that the client keeps while it has no connection. Small: late messages are of no use.
const CLIENT_QUEUE: usize = 128;
/// Time after which a message that waits is no longer published: its readers have read the log meanwhile.
const STALE: Duration = Duration::from_secs(1);
/// Maximum number of messages that are taken in together.
const MAX_BATCH: usize = 256;
/// Interval of pings, by which a server that no longer answers is noticed.
const PING: Duration = Duration::from_secs(2);
/// Time limit for connecting to one server.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(2);
/// Time limit for a check of the servers.
const CHECK_TIMEOUT: Duration = Duration::from_secs(5);
/// Delays between attempts to connect: doubled from the first to the last.
const RECONNECT: (Duration, Duration) = (Duration::from_millis(50), Duration::from_secs(1));

/// Reason why the bus cannot be used. A server that cannot be reached is none: the connection is retried until it succeeds.
#[derive(Debug, thiserror::Error)]
pub enum NatsError {
    /// The key of the messages cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The client refuses the settings.
    #[error("cannot use NATS at {places}: {reason}")]
    Client {
        /// Hosts and ports of the servers.
        places: String,
        /// Reason.
        reason: String,
    },
}

/// Connection to NATS. Appends of the log are published from [`NatsBus::connect`] on, as long as [`NatsBus::run`] runs.
#[derive(Debug)]
pub struct NatsBus {
    log: Log,
    client: Client,
    subscriber: Subscriber,
    subjects: String,
    outgoing: mpsc::Receiver<Outgoing>,
}

/// Sender of messages, which the log holds.
#[derive(Debug)]
struct Publisher(mpsc::Sender<Outgoing>);

#[derive(Debug)]
struct Outgoing {
    lane: i16,
    message: Vec<u8>,
    since: Instant,
}

impl MessageBus for Publisher {
    fn publish(&self, lane: i16, message: Vec<u8>) {
        if self.0.try_send(Outgoing { lane, message, since: Instant::now() }).is_err() {
            count("dropped");
        }
    }
}

impl NatsBus {
    /// Connects a log with NATS. Returns before a server is reached; connections are retried until they succeed.
    ///
    /// # Errors
    /// [`NatsError`] if the database cannot be reached, or the client refuses the settings, for example because no root
    /// certificates can be read.
    pub async fn connect(log: &Log, settings: &NatsSettings) -> Result<NatsBus, NatsError> {
        let refused = |reason: String| NatsError::Client { places: settings.places(), reason };
        let identity = log.bus_identity().await?;
        let subjects = format!("{}.{}", settings.subject, identity.name());
        gauge!("faultline_bus_connected").set(0);
        let client = options(settings).connect(settings.servers.as_slice()).await;
        let client = client.map_err(|error| refused(error.to_string()))?;
        let subscriber = client.subscribe(format!("{subjects}.*")).await;
        let subscriber = subscriber.map_err(|error| refused(error.to_string()))?;
        let (publisher, outgoing) = mpsc::channel(QUEUE);
        log.publish_on(identity, Arc::new(Publisher(publisher)));
        Ok(NatsBus { log: log.clone(), client, subscriber, subjects, outgoing })
    }

    /// Publishes and receives until the signal to stop.
    pub async fn run(self, mut stop: watch::Receiver<bool>) {
        let NatsBus { log, client, subscriber, subjects, outgoing } = self;
        tokio::select! {
            () = publish(&client, &subjects, outgoing) => {}
            () = receive(&log, subscriber) => {}
            _stopped = stop.wait_for(|stops| *stops) => {}
        }
    }
}

/// Connects to the first server that answers, and returns its version and address.
///
/// # Errors
/// [`NatsError::Client`] if none answers in time, or all refuse the connection.
pub async fn check(settings: &NatsSettings) -> Result<String, NatsError> {
    let refused = |reason: String| NatsError::Client { places: settings.places(), reason };
    let options =
        with_login(ConnectOptions::new().name("faultline check").connection_timeout(CONNECT_TIMEOUT), settings);
    let connecting = options.connect(settings.servers.as_slice());
    let client = match tokio::time::timeout(CHECK_TIMEOUT, connecting).await {
        Ok(connected) => connected.map_err(|error| refused(error.to_string()))?,
        Err(_) => return Err(refused(format!("no server answered within {} s", CHECK_TIMEOUT.as_secs()))),
    };
    let info = client.server_info();
    Ok(format!("NATS {} at {}:{}", info.version, info.host, info.port))
}

/// Publishes what the log appends.
async fn publish(client: &Client, subjects: &str, mut outgoing: mpsc::Receiver<Outgoing>) {
    while let Some(Outgoing { lane, message, since }) = outgoing.recv().await {
        // Without a connection the client would keep the message, and send it late.
        let is_late = client.connection_state() != State::Connected || since.elapsed() > STALE;
        if is_late || client.publish(format!("{subjects}.{lane}"), message.into()).await.is_err() {
            count("dropped");
        } else {
            count("published");
        }
    }
}

/// Takes in what other processes publish, several messages at once if they wait.
async fn receive(log: &Log, mut subscriber: Subscriber) {
    let mut keys = BusKeys::default();
    while let Some(first) = subscriber.next().await {
        let mut messages = vec![first.payload];
        while messages.len() < MAX_BATCH
            && let Some(Some(next)) = subscriber.next().now_or_never()
        {
            messages.push(next.payload);
        }
        log.receive(&messages, &mut keys).await;
    }
}

fn options(settings: &NatsSettings) -> ConnectOptions {
    let options = ConnectOptions::new()
        .name("faultline")
        // A process has its own events already.
        .no_echo()
        .retry_on_initial_connect()
        .connection_timeout(CONNECT_TIMEOUT)
        .ping_interval(PING)
        .client_capacity(CLIENT_QUEUE)
        .subscription_capacity(QUEUE)
        .reconnect_delay_callback(reconnect_delay)
        .event_callback(reporter(settings.places()));
    with_login(options, settings)
}

fn with_login(options: ConnectOptions, settings: &NatsSettings) -> ConnectOptions {
    match settings.login.clone() {
        Some(Login::Token(token)) => options.token(token),
        Some(Login::User { name, password }) => options.user_and_password(name, password),
        None => options,
    }
}

fn reconnect_delay(attempts: usize) -> Duration {
    let (first, last) = RECONNECT;
    // Beyond a few doublings the longest delay holds anyway.
    let doublings = u32::try_from(attempts.saturating_sub(1).min(16)).unwrap_or_default();
    first.saturating_mul(1 << doublings).min(last)
}

/// Returns a callback that records changes of the connection. Of the failures until the next connection, only the first
/// one is a warning.
fn reporter(places: String) -> impl Fn(Event) -> Ready<()> + Send + Sync {
    let has_warned = AtomicBool::new(false);
    move |event| {
        report(&event, &places, &has_warned);
        ready(())
    }
}

fn report(event: &Event, places: &str, has_warned: &AtomicBool) {
    let failed = |reason: &dyn Display| {
        if has_warned.swap(true, Ordering::Relaxed) {
            tracing::debug!(%places, %reason, "cannot connect to NATS");
        } else {
            tracing::warn!(%places, %reason, "cannot use NATS, retrying; events are read from the database");
        }
    };
    match event {
        Event::Connected => {
            gauge!("faultline_bus_connected").set(1);
            tracing::info!(%places, "connected to NATS");
            has_warned.store(false, Ordering::Relaxed);
        }
        Event::Disconnected | Event::Closed => {
            gauge!("faultline_bus_connected").set(0);
            failed(&"the connection is lost");
        }
        Event::SlowConsumer(_) => count("missed"),
        Event::LameDuckMode | Event::Draining => {}
        Event::ServerError(error) => failed(error),
        Event::ClientError(error) => failed(error),
    }
}

fn count(outcome: &'static str) {
    counter!("faultline_bus_messages_total", "outcome" => outcome).increment(1);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attempts_to_connect_slow_down_to_one_per_second() {
        let delays: Vec<u128> = [0, 1, 2, 3, 5, 6, 100].map(|attempt| reconnect_delay(attempt).as_millis()).to_vec();
        assert_eq!(delays, [50, 50, 100, 200, 800, 1_000, 1_000]);
    }

    #[tokio::test]
    async fn a_full_queue_drops_messages_and_never_waits() {
        let (sender, mut queue) = mpsc::channel(1);
        let publisher = Publisher(sender);
        publisher.publish(3, vec![1]);
        publisher.publish(4, vec![2]);
        let first = queue.recv().await.expect("a message");
        assert_eq!((first.lane, first.message, queue.try_recv().is_err()), (3, vec![1], true));
    }
}
