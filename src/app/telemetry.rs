//! Traces: lines on stderr, and spans to an OpenTelemetry collector where one is named.
//!
//! What is traced is said where it happens, through the facade `tracing`; here it is only sent. Spans go out in batches,
//! as protobuf over HTTP, through the program's own client. A collector that is away costs nothing but its spans: the
//! queue is bounded, and what does not fit is dropped.

use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use opentelemetry::KeyValue;
use opentelemetry::global;
use opentelemetry::trace::TracerProvider;
use opentelemetry_http::{Bytes, HttpClient, HttpError, Request, Response};
use opentelemetry_otlp::{SpanExporter, WithExportConfig, WithHttpConfig};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::propagation::TraceContextPropagator;
use opentelemetry_sdk::trace::SdkTracerProvider;
use tokio::runtime::Handle;
use tracing::Level;
use tracing_subscriber::filter::{FilterExt, filter_fn};
use tracing_subscriber::layer::{Filter, SubscriberExt};
use tracing_subscriber::util::{SubscriberInitExt, TryInitError};
use tracing_subscriber::{EnvFilter, Layer, Registry, fmt};

use crate::config::Config;

/// How long one batch may take on its way.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long the last batch may take when the program ends.
const LAST_PATIENCE: Duration = Duration::from_secs(3);
/// Bytes of a collector's answer that are read at most: it says no more than what it could not take.
const ANSWER_BYTES: usize = 64 << 10;

/// Whoever sends spans out; nobody, where no collector is named.
#[derive(Debug)]
pub struct Telemetry {
    exporting: Option<SdkTracerProvider>,
}

/// Why nothing is traced.
#[derive(Debug, thiserror::Error)]
pub enum TelemetryError {
    /// A filter that cannot be meant.
    #[error("{name} is {value:?}: {reason}; see docs/observability.md")]
    Filter {
        /// The variable.
        name: &'static str,
        /// What it says.
        value: String,
        /// What is wrong with that.
        reason: String,
    },
    /// The collector's address is none, or the client cannot be made.
    #[error("spans cannot be sent to {endpoint:?}: {reason}")]
    Exporter {
        /// Where to.
        endpoint: String,
        /// Why not.
        reason: String,
    },
    /// Something of this process traces already.
    #[error("traces are set up already: {0}")]
    Twice(#[from] TryInitError),
}

impl Telemetry {
    /// Sets traces up for this process, once. Must be called within the runtime that is to send spans.
    ///
    /// # Errors
    /// See [`TelemetryError`].
    pub fn start(config: &Config) -> Result<Telemetry, TelemetryError> {
        let lines = fmt::layer().with_writer(std::io::stderr);
        // Traces go to stderr: stdout is for what was asked for.
        let lines: Box<dyn Layer<Registry> + Send + Sync> = if config.log_format == "json" {
            lines.json().with_filter(discreet(filter("FAULTLINE_LOG", &config.log)?)).boxed()
        } else {
            lines.compact().with_filter(discreet(filter("FAULTLINE_LOG", &config.log)?)).boxed()
        };
        let exporting = config.otlp.as_deref().map(|it| exporting(it, &config.service_name)).transpose()?;
        let spans = exporting.as_ref().map(|it| tracing_opentelemetry::layer().with_tracer(it.tracer("faultline")));
        let spans = spans
            .map(|it| Ok::<_, TelemetryError>(it.with_filter(discreet(filter("FAULTLINE_SPANS", &config.spans)?))));
        tracing_subscriber::registry().with(lines).with(spans.transpose()?).try_init()?;
        if exporting.is_some() {
            global::set_text_map_propagator(TraceContextPropagator::new());
        }
        Ok(Telemetry { exporting })
    }

    /// Sends what is still to be sent. Blocks for a moment; the runtime must still be there.
    pub fn close(self) {
        if let Some(provider) = self.exporting
            && let Err(error) = provider.shutdown_with_timeout(LAST_PATIENCE)
        {
            tracing::warn!(%error, "the last spans were not taken");
        }
    }
}

fn filter(name: &'static str, value: &str) -> Result<EnvFilter, TelemetryError> {
    let told = |reason: String| TelemetryError::Filter { name, value: value.to_owned(), reason };
    EnvFilter::try_new(value).map_err(|it| told(it.to_string()))
}

/// The same, without what the library of sockets traces at the lowest level: it quotes clients' messages, tokens and all.
fn discreet<S: 'static>(filter: EnvFilter) -> impl Filter<S> + Send + Sync + 'static {
    let quoting = filter_fn(|it| *it.level() != Level::TRACE || !it.target().starts_with("tungstenite"));
    // Without a hint everything at every level would be looked at, by both, wherever anybody traces anything.
    filter.and(quoting.with_max_level_hint(Level::TRACE))
}

/// Whoever gathers spans and sends them to a collector.
fn exporting(endpoint: &str, service: &str) -> Result<SdkTracerProvider, TelemetryError> {
    let refused = |reason: String| TelemetryError::Exporter { endpoint: endpoint.to_owned(), reason };
    let client = reqwest::Client::builder().timeout(PATIENCE).build().map_err(|it| refused(it.to_string()))?;
    let exporter = SpanExporter::builder()
        .with_http()
        .with_http_client(Courier { client, runtime: Handle::current() })
        .with_endpoint(format!("{}/v1/traces", endpoint.trim_end_matches('/')))
        .with_timeout(PATIENCE)
        .build()
        .map_err(|it| refused(it.to_string()))?;
    let resource = Resource::builder()
        .with_service_name(service.to_owned())
        .with_attribute(KeyValue::new("service.version", env!("CARGO_PKG_VERSION")))
        .build();
    Ok(SdkTracerProvider::builder().with_batch_exporter(exporter).with_resource(resource).build())
}

/// Carries batches to the collector. The gatherer has a thread of its own without a runtime: what is sent is sent on ours.
#[derive(Debug)]
struct Courier {
    client: reqwest::Client,
    runtime: Handle,
}

type Carried<'it> = Pin<Box<dyn Future<Output = Result<Response<Bytes>, HttpError>> + Send + 'it>>;

impl HttpClient for Courier {
    fn send_bytes<'own, 'it>(&'own self, request: Request<Bytes>) -> Carried<'it>
    where
        'own: 'it,
        Self: 'it,
    {
        let client = self.client.clone();
        let sent = self.runtime.spawn(async move {
            let mut answer = client.execute(request.try_into()?).await?;
            let mut body = Vec::new();
            while let Some(chunk) = answer.chunk().await? {
                body.extend_from_slice(&chunk[..chunk.len().min(ANSWER_BYTES - body.len())]);
                if body.len() == ANSWER_BYTES {
                    break;
                }
            }
            let mut told = Response::builder().status(answer.status());
            if let Some(headers) = told.headers_mut() {
                headers.clone_from(answer.headers());
            }
            Ok(told.body(Bytes::from(body))?)
        });
        Box::pin(async move { sent.await? })
    }
}
