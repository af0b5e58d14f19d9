//! Arguments of the commands that serve the API.

use std::net::SocketAddr;

use clap::Args;

/// Arguments of `demo`.
#[derive(Args)]
pub struct DemoArgs {
    /// Exit after the verdict instead of serving.
    #[arg(long)]
    pub once: bool,
    /// Print the debate at once instead of at a reading pace. Output that is no terminal is printed at once anyway.
    #[arg(long)]
    pub fast: bool,
    /// Address on which to serve the API.
    #[arg(long, default_value = "127.0.0.1:7777", value_name = "ADDRESS")]
    pub listen: SocketAddr,
    /// Seed of the debate.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
}

/// Arguments of `serve`.
#[derive(Args)]
pub struct ServeArgs {
    /// Address on which to serve the API.
    #[arg(long, default_value = "127.0.0.1:7777", value_name = "ADDRESS")]
    pub listen: SocketAddr,
    /// Serve on an address reachable by others although no token file is configured, so clients are not authenticated.
    #[arg(long)]
    pub insecure: bool,
    /// For development: allow web pages of this machine on any port, such as those of a development server. Requires an
    /// address that only this machine can reach.
    #[arg(long)]
    pub dev: bool,
    /// Serve clients only: drive no debates, keep no views up to date, ingest nothing. Other processes on the same
    /// `DATABASE_URL` do. With `FAULTLINE_NATS_URL`, events arrive over NATS.
    #[arg(long)]
    pub edge: bool,
    /// Print the addresses as one JSON value.
    #[arg(long)]
    pub json: bool,
}
