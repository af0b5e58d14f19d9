//! `faultline serve`: serves the API and runs every open debate; as an edge, serves the API alone.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use serde_json::json;
use tokio::signal::unix::{SignalKind, signal};

use crate::api::admission::origin::LOCALHOST;
use crate::app::access::access;
use crate::app::equipped_app::EquippedApp;
use crate::app::open_app::OpenApp;
use crate::app::server::listen;
use crate::cli::args::service::ServeArgs;
use crate::cli::output::exit::CliError;
use crate::cli::output::output::{json_line, print};
use crate::cli::output::terminal;
use crate::config::Config;

/// Serves until the process receives SIGTERM or Ctrl-C.
///
/// # Errors
/// [`CliError`] if the address is public and no tokens are configured, if another service runs in the same home, or if
/// the configuration, the address or the database cannot be used; [`CliError::Interrupted`] after Ctrl-C.
pub async fn run(config: &Config, args: ServeArgs) -> Result<(), CliError> {
    let access = access(config)?;
    if !args.listen.ip().is_loopback() && access.is_open() && !args.insecure {
        return Err(CliError::Refused(format!(
            "{} is reachable by others and no tokens are configured: listen on 127.0.0.1, set FAULTLINE_TOKENS, or \
             pass --insecure",
            args.listen
        )));
    }
    if args.dev && !args.listen.ip().is_loopback() {
        return Err(CliError::Refused(format!(
            "{} is reachable by others, but --dev is for pages of this machine: listen on 127.0.0.1, or list the pages in \
             FAULTLINE_ORIGINS",
            args.listen
        )));
    }
    let config = &for_serving(config, &args);
    let listener = listen(args.listen).await?;
    let many_sockets = getrlimit(Resource::Nofile).maximum;
    // If the higher limit is refused, connections beyond the current one wait to be accepted.
    let _granted = setrlimit(Resource::Nofile, Rlimit { current: many_sockets, maximum: many_sockets });
    let mut app = EquippedApp::open(config, &terminal::progress_reporter()).await?;
    let served = async {
        require_own_cluster(app.opened())?;
        if let Some(warning) = app.embedder_warning() {
            eprintln!("faultline: {warning}");
        }
        let address = listener.local_addr()?;
        // Before the address is known: whoever waits for it may stop the service at once.
        let stop = StopSignals::default();
        let stopped = stop.clone().received();
        print_addresses(address, args.json)?;
        app.start_workers(config);
        if !args.edge {
            app.ingest_in_background();
        }
        app.serve(listener, config, access, stopped).await?;
        stop.outcome()
    };
    let served = served.await;
    app.close().await;
    served
}

/// Returns the configuration as the arguments change it: in development all pages of this machine are allowed.
fn for_serving(config: &Config, args: &ServeArgs) -> Config {
    let mut config = config.clone();
    config.origins.extend(args.dev.then(|| LOCALHOST.to_owned()));
    config.is_edge = args.edge;
    config
}

/// Refuses to start a second service in one home: a private cluster ends with the process that started it.
pub fn require_own_cluster(app: &OpenApp) -> Result<(), CliError> {
    if app.owns_cluster() {
        return Ok(());
    }
    Err(CliError::Refused(
        "another faultline already serves from this home; use it, set FAULTLINE_HOME to another folder, or set \
         DATABASE_URL so that several can share a database"
            .to_owned(),
    ))
}

/// Prints the addresses of the service, for people or as one JSON value.
fn print_addresses(address: SocketAddr, json: bool) -> Result<(), CliError> {
    if !json {
        return print(&format!("{}\n", service_addresses(address)));
    }
    json_line(&json!({
        "studio": format!("http://{address}/"),
        "graphiql": format!("http://{address}/graphiql"),
        "graphql": format!("http://{address}/graphql"),
        "webSocket": format!("ws://{address}/graphql/ws"),
        "eventStream": format!("http://{address}/graphql/stream"),
        "health": format!("http://{address}/healthz"),
        "readiness": format!("http://{address}/readyz"),
    }))
}

/// Lists the addresses of the service.
pub fn service_addresses(address: SocketAddr) -> String {
    format!(
        "serving on http://{address}\n  \
         studio         http://{address}/\n  \
         GraphiQL       http://{address}/graphiql\n  \
         GraphQL        http://{address}/graphql    (WebSocket: ws://{address}/graphql/ws, events: /graphql/stream)\n  \
         health         http://{address}/healthz, http://{address}/readyz"
    )
}

/// Signals that end a service: SIGTERM, after which the command has succeeded, and Ctrl-C, which interrupts it.
#[derive(Clone, Default)]
pub struct StopSignals {
    is_interrupted: Arc<AtomicBool>,
}

impl StopSignals {
    /// Begins to listen for SIGTERM and Ctrl-C, and returns a future that completes when the process receives one. From now
    /// on they do not end the process by themselves.
    pub fn received(self) -> impl Future<Output = ()> + Send + 'static {
        let signals = [SignalKind::terminate(), SignalKind::interrupt()].map(|kind| signal(kind).ok());
        async move {
            let [terminated, interrupted] = signals.map(|signal| async {
                match signal {
                    Some(mut signal) => drop(signal.recv().await),
                    None => std::future::pending().await,
                }
            });
            tokio::select! {
                () = terminated => {}
                () = interrupted => self.is_interrupted.store(true, Ordering::Relaxed),
            }
        }
    }

    /// Returns the outcome of the command.
    ///
    /// # Errors
    /// [`CliError::Interrupted`] if Ctrl-C ended it.
    pub fn outcome(&self) -> Result<(), CliError> {
        match self.is_interrupted.load(Ordering::Relaxed) {
            true => Err(CliError::Interrupted(String::new())),
            false => Ok(()),
        }
    }
}
