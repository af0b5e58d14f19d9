//! Tracing: log lines on stderr, and spans to an OpenTelemetry collector if one is configured.
//!
//! Events are emitted where they happen, through the facade `tracing`; this module only forwards them. Spans are sent
//! in batches, as protobuf over HTTP, by the program's own client. An unreachable collector loses spans and nothing
//! else: the queue is bounded, and spans that do not fit are dropped.

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

/// Timeout for sending one batch.
const TIMEOUT: Duration = Duration::from_secs(10);
/// Timeout for sending the last batch when the program ends.
const LAST_TIMEOUT: Duration = Duration::from_secs(3);
/// Maximum number of bytes read of a collector's answer, which only reports rejected spans.
const MAX_ANSWER_BYTES: usize = 64 << 10;

/// Exporter of spans; exports nothing if no collector is configured.
#[derive(Debug)]
pub struct Telemetry {
    exporting: Option<SdkTracerProvider>,
}

/// Error of setting up tracing.
#[derive(Debug, thiserror::Error)]
pub enum TelemetryError {
    /// A filter cannot be parsed.
    #[error("{name} is {value:?}: {reason}; see docs/observability.md")]
    Filter {
        /// Name of the variable.
        name: &'static str,
        /// Value of the variable.
        value: String,
        /// Error of the parser.
        reason: String,
    },
    /// The collector's address is invalid, or the client cannot be created.
    #[error("cannot send spans to {endpoint:?}: {reason}")]
    Exporter {
        /// The collector's address.
        endpoint: String,
        /// Reason of the failure.
        reason: String,
    },
    /// A subscriber is already installed in this process.
    #[error("tracing is already set up: {0}")]
    Twice(#[from] TryInitError),
}

impl Telemetry {
    /// Sets up tracing for this process, once. Must be called within the runtime that is to send spans.
    ///
    /// # Errors
    /// [`TelemetryError::Filter`] if a filter cannot be parsed, [`TelemetryError::Exporter`] if the collector's address is
    /// invalid, and [`TelemetryError::Twice`] if tracing is already set up in this process.
    pub fn start(config: &Config) -> Result<Telemetry, TelemetryError> {
        let lines = fmt::layer().with_writer(std::io::stderr);
        // Log lines go to stderr, because stdout is for the output of commands.
        let lines: Box<dyn Layer<Registry> + Send + Sync> = if config.log_format == "json" {
            lines.json().with_filter(discreet(filter("FAULTLINE_LOG", &config.log)?)).boxed()
        } else {
            lines.compact().with_filter(discreet(filter("FAULTLINE_LOG", &config.log)?)).boxed()
        };
        let exporting = config.otlp.as_deref().map(|endpoint| exporting(endpoint, &config.service_name)).transpose()?;
        let spans =
            exporting.as_ref().map(|provider| tracing_opentelemetry::layer().with_tracer(provider.tracer("faultline")));
        let spans = spans.map(|layer| {
            Ok::<_, TelemetryError>(layer.with_filter(discreet(filter("FAULTLINE_SPANS", &config.spans)?)))
        });
        tracing_subscriber::registry().with(lines).with(spans.transpose()?).try_init()?;
        if exporting.is_some() {
            global::set_text_map_propagator(TraceContextPropagator::new());
        }
        Ok(Telemetry { exporting })
    }

    /// Sends the remaining spans. Blocks for up to 3 s; the runtime must still exist.
    pub fn close(self) {
        if let Some(provider) = self.exporting
            && let Err(error) = provider.shutdown_with_timeout(LAST_TIMEOUT)
        {
            tracing::warn!(%error, "cannot send the last spans");
        }
    }
}

fn filter(name: &'static str, value: &str) -> Result<EnvFilter, TelemetryError> {
    let invalid = |reason: String| TelemetryError::Filter { name, value: value.to_owned(), reason };
    EnvFilter::try_new(value).map_err(|error| invalid(error.to_string()))
}

/// Excludes the trace level of the WebSocket library, which logs clients' messages including tokens.
fn discreet<S: 'static>(filter: EnvFilter) -> impl Filter<S> + Send + Sync + 'static {
    let quoting =
        filter_fn(|metadata| *metadata.level() != Level::TRACE || !metadata.target().starts_with("tungstenite"));
    // Without a level hint, both filters would be evaluated for every event at every level.
    filter.and(quoting.with_max_level_hint(Level::TRACE))
}

/// Creates the exporter that batches spans and sends them to a collector.
fn exporting(endpoint: &str, service: &str) -> Result<SdkTracerProvider, TelemetryError> {
    let refused = |reason: String| TelemetryError::Exporter { endpoint: endpoint.to_owned(), reason };
    let client = reqwest::Client::builder().timeout(TIMEOUT).build().map_err(|error| refused(error.to_string()))?;
    let exporter = SpanExporter::builder()
        .with_http()
        .with_http_client(Courier { client, runtime: Handle::current() })
        .with_endpoint(format!("{}/v1/traces", endpoint.trim_end_matches('/')))
        .with_timeout(TIMEOUT)
        .build()
        .map_err(|error| refused(error.to_string()))?;
    let resource = Resource::builder()
        .with_service_name(service.to_owned())
        .with_attribute(KeyValue::new("service.version", env!("CARGO_PKG_VERSION")))
        .build();
    Ok(SdkTracerProvider::builder().with_batch_exporter(exporter).with_resource(resource).build())
}

/// HTTP client that sends batches on the program's runtime; the batch processor runs on a thread without one.
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
                body.extend_from_slice(&chunk[..chunk.len().min(MAX_ANSWER_BYTES - body.len())]);
                if body.len() == MAX_ANSWER_BYTES {
                    break;
                }
            }
            let mut response = Response::builder().status(answer.status());
            if let Some(headers) = response.headers_mut() {
                headers.clone_from(answer.headers());
            }
            Ok(response.body(Bytes::from(body))?)
        });
        Box::pin(async move { sent.await? })
    }
}
