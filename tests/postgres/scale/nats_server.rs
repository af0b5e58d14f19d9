//! NATS server of a test, and connections to it that the test can cut.

use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

use crate::scale::database_cluster::is_installed;
use crate::support::environment::report_skipped;
use crate::support::waiting::poll_until;

/// Running server, killed on drop.
pub struct NatsServer {
    port: u16,
    child: Child,
}

impl NatsServer {
    /// Starts a server; reports that it is left out, and returns `None`, if it is not installed.
    pub async fn start() -> Option<NatsServer> {
        if !is_installed("nats-server") {
            report_skipped("edges over NATS: nats-server not installed");
            return None;
        }
        let free = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let port = free.local_addr().expect("an address").port();
        drop(free);
        let server = NatsServer { port, child: spawn(port) };
        server.wait().await;
        Some(server)
    }

    /// Connects to the server.
    pub async fn connect(&self) -> TcpStream {
        TcpStream::connect(("127.0.0.1", self.port)).await.expect("a connection to NATS")
    }

    /// Address of the server.
    pub fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }

    /// Kills the server.
    pub fn kill(&mut self) {
        self.child.kill().expect("kill");
        self.child.wait().expect("its end");
    }

    /// Starts a killed server again, at the same address.
    pub async fn revive(&mut self) {
        self.child = spawn(self.port);
        self.wait().await;
    }

    /// Sends the server a signal.
    pub fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).expect("a signal");
    }

    async fn wait(&self) {
        poll_until("NATS answers", async || TcpStream::connect(("127.0.0.1", self.port)).await.ok()).await;
    }
}

impl Drop for NatsServer {
    fn drop(&mut self) {
        let _ended_before = self.child.kill();
        let _status = self.child.wait();
    }
}

fn spawn(port: u16) -> Child {
    let mut command = Command::new("nats-server");
    command.args(["--addr", "127.0.0.1", "--port", &port.to_string()]);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().expect("start nats-server")
}

/// Relay to a server that can be cut: then it passes nothing on, and no side is told.
pub struct Relay {
    port: u16,
    is_open: Arc<watch::Sender<bool>>,
}

impl Relay {
    /// Starts a relay to the server.
    pub async fn start(server: &NatsServer) -> Relay {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let (port, target) = (listener.local_addr().expect("an address").port(), server.port);
        let is_open = Arc::new(watch::Sender::new(true));
        let opens = Arc::clone(&is_open);
        tokio::spawn(async move {
            while let Ok((near, _)) = listener.accept().await {
                let Ok(far) = TcpStream::connect(("127.0.0.1", target)).await else { continue };
                let ((near_read, near_write), (far_read, far_write)) = (near.into_split(), far.into_split());
                tokio::spawn(pass_on(near_read, far_write, opens.subscribe()));
                tokio::spawn(pass_on(far_read, near_write, opens.subscribe()));
            }
        });
        Relay { port, is_open }
    }

    /// Address of the relay.
    pub fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }

    /// Cuts the connections, or restores them.
    pub fn set_open(&self, is_open: bool) {
        self.is_open.send_replace(is_open);
    }
}

/// Passes bytes on while the relay is open.
async fn pass_on(
    mut from: impl AsyncReadExt + Unpin,
    mut to: impl AsyncWriteExt + Unpin,
    mut is_open: watch::Receiver<bool>,
) {
    let mut bytes = vec![0; 16 << 10];
    while let Ok(n @ 1..) = from.read(&mut bytes).await {
        if is_open.wait_for(|is_open| *is_open).await.is_err() || to.write_all(&bytes[..n]).await.is_err() {
            return;
        }
    }
}

/// Everything that passes a server, as another user of it sees it.
pub struct Eavesdropper {
    stream: TcpStream,
    heard: Vec<u8>,
}

impl Eavesdropper {
    /// Subscribes to all subjects.
    pub async fn connect(server: &NatsServer) -> Eavesdropper {
        let mut stream = server.connect().await;
        stream.write_all(b"CONNECT {\"verbose\":false}\r\nSUB > 1\r\nPING\r\n").await.expect("subscribe");
        let mut all = Eavesdropper { stream, heard: Vec::new() };
        poll_until("the subscription", async || {
            all.listen().await;
            all.text().contains("PONG").then_some(())
        })
        .await;
        all
    }

    /// Takes in what has arrived.
    pub async fn listen(&mut self) {
        let mut bytes = vec![0; 64 << 10];
        while let Ok(Ok(n @ 1..)) = tokio::time::timeout(Duration::from_millis(20), self.stream.read(&mut bytes)).await
        {
            self.heard.extend(&bytes[..n]);
        }
    }

    /// What was heard, with characters in place of bytes that are no text.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.heard).into_owned()
    }

    /// Subject of the last message.
    pub fn subject(&self) -> String {
        let text = self.text();
        let message = text.rsplit("MSG ").next().and_then(|rest| rest.split(' ').next());
        message.expect("a message").to_owned()
    }

    /// Publishes a message.
    pub async fn publish(&mut self, subject: &str, message: &str) {
        let publish = format!("PUB {subject} {}\r\n{message}\r\n", message.len());
        self.stream.write_all(publish.as_bytes()).await.expect("publish");
    }
}
