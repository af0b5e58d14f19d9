//! `POST /debates`: opens a debate, and answers with the stream of its events, as `GET /debates/{id}/events` would.
//!
//! The header `location` names that address: a client that was cut off continues there with `Last-Event-ID`. The debate
//! does not depend on the client. The two addresses of the predecessor systems, `/api/debate` and `/api/debate-v2`, do
//! the same with the event names of those systems.

use std::sync::Arc;

use axum::body::Body;
use axum::http::header::LOCATION;
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::Response;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::api::streams::connection_slots::Slot;
use crate::api::transport::debate_sse;
use crate::api::transport::http::whole;
use crate::api::transport::http_response::text_response;
use crate::api::transport::sse::{accepts_events, is_json};
use crate::limits::ApiLimits;
use faultline_core::engines::registry::ENGINES;
use faultline_core::events::ids::DebateId;
use faultline_core::events::lifecycle::DebateLimits;
use faultline_core::kernel::engine::RefusalKind;
use faultline_service::drafts::draft_feed::DebateFeeds;
use faultline_service::error::ServiceError;
use faultline_service::service::{DebateService, OpenDebate};

/// Option of the talk engines with the maximum number of turns.
const TURN_BUDGET: &str = "turn_budget";
/// Smallest number of turns of the talk engines. The predecessor accepted fewer.
const FEWEST_TURNS: u32 = 4;

/// Address at which a debate is started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StartRoute {
    /// `/debates`: events have their own names, or those of the predecessors with `?format=legacy`.
    Debates,
    /// `/api/debate` of the first predecessor.
    EarlierGraph,
    /// `/api/debate-v2` of the second predecessor.
    EarlierDialogue,
}

impl StartRoute {
    /// Engine of a request that names none.
    fn engine(self) -> &'static str {
        match self {
            StartRoute::Debates | StartRoute::EarlierGraph => "graph",
            StartRoute::EarlierDialogue => "dialogue",
        }
    }
}

/// Request to start a debate, with its body unread.
pub struct Start<'a> {
    /// Address of the request.
    pub route: StartRoute,
    /// Query string.
    pub query: Option<&'a str>,
    /// Headers.
    pub headers: &'a HeaderMap,
    /// Body: a [`StartBody`] as JSON.
    pub body: Body,
}

/// Body of a request to start a debate.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct StartBody {
    /// Topic of the debate.
    topic: String,
    /// Ids or names of the personas, in speaking order.
    persona_ids: Vec<String>,
    /// Name of the engine; `v2` and `dcg` are the earlier names of `dialogue` and `disputes`.
    #[serde(default)]
    mode: Option<String>,
    /// Maximum number of turns.
    #[serde(default)]
    max_turns: Option<u32>,
    /// Options of the engine that differ from its defaults.
    #[serde(default)]
    options: Value,
    /// Seed of the debate's random choices.
    #[serde(default)]
    seed: Option<u64>,
    /// Name of the provider.
    #[serde(default)]
    provider: Option<String>,
    /// Id of the debate, chosen by the client so that a repeated request opens it only once.
    #[serde(default)]
    id: Option<DebateId>,
}

/// Opens a debate and streams its events. The connection slot is released when the stream ends.
pub async fn serve(
    service: &DebateService,
    feeds: &DebateFeeds,
    limits: &Arc<ApiLimits>,
    start: Start<'_>,
    slot: Slot,
) -> Response {
    let (legacy, request) = match read(limits, start).await {
        Ok(read) => read,
        Err((status, reason)) => return text_response(status, &reason),
    };
    let id = request.id;
    match service.open(request).await {
        Ok(read_model) => match read_model.summary.debate {
            Some(debate) => {
                let response = debate_sse::serve_from_beginning(feeds, debate, legacy, slot).await;
                located(response, debate, legacy)
            }
            None => text_response(StatusCode::INTERNAL_SERVER_ERROR, "the debate has no id"),
        },
        Err(error) => {
            let response = not_opened(&error);
            match id.filter(|_| response.status() == StatusCode::CONFLICT) {
                Some(debate) => located(response, debate, legacy),
                None => response,
            }
        }
    }
}

/// Reads a request: whether events have the legacy names, and the debate to open.
///
/// # Errors
/// Status and reason.
async fn read(limits: &Arc<ApiLimits>, start: Start<'_>) -> Result<(bool, OpenDebate), (StatusCode, String)> {
    let Start { route, query, headers, body } = start;
    let legacy = is_legacy(route, query).map_err(|reason| (StatusCode::BAD_REQUEST, reason.to_owned()))?;
    // Browsers send only forms and plain text cross-origin without a preflight request; neither is accepted here.
    if !is_json(headers) {
        let reason = "unsupported content type; send application/json".to_owned();
        return Err((StatusCode::UNSUPPORTED_MEDIA_TYPE, reason));
    }
    if !accepts_events(headers) {
        return Err((StatusCode::NOT_ACCEPTABLE, "accept text/event-stream".to_owned()));
    }
    let body = whole(headers, body, limits).await?;
    let body: StartBody = serde_json::from_slice(&body).map_err(|error| {
        let reason = format!(
            "the body is not a request to start a debate: {error}; send {{\"topic\": ..., \"personaIds\": [...]}}"
        );
        (StatusCode::BAD_REQUEST, reason)
    })?;
    let request = body.into_open_debate(route).map_err(|reason| (StatusCode::BAD_REQUEST, reason))?;
    Ok((legacy, request))
}

/// True if events have the names of the predecessor systems.
fn is_legacy(route: StartRoute, query: Option<&str>) -> Result<bool, &'static str> {
    match (route, query.unwrap_or_default()) {
        (_, "format=legacy") => Ok(true),
        (route, "") => Ok(route != StartRoute::Debates),
        _ => Err("unknown parameter; use ?format=legacy, and send everything else in the body"),
    }
}

impl StartBody {
    /// Converts the body to the service's command. `maxTurns` is the turn budget of an engine that has one, and a limit
    /// of the debate otherwise.
    fn into_open_debate(self, route: StartRoute) -> Result<OpenDebate, String> {
        let engine = match self.mode.as_deref() {
            None => route.engine(),
            Some("v2") => "dialogue",
            Some("dcg") => "disputes",
            Some(mode) => mode,
        };
        let mut options = match self.options {
            Value::Null => json!({}),
            options @ Value::Object(_) => options,
            _ => return Err("`options` must be an object of the engine's options".to_owned()),
        };
        let registration = ENGINES.iter().find(|registration| registration.name == engine);
        let has_budget =
            registration.is_some_and(|registration| registration.options.iter().any(|doc| doc.name == TURN_BUDGET));
        let mut limits = DebateLimits::default();
        match self.max_turns {
            Some(0) => return Err("`maxTurns` must be 1 or more".to_owned()),
            Some(turns) if has_budget && options.get(TURN_BUDGET).is_none() => {
                options[TURN_BUDGET] = json!(turns.max(FEWEST_TURNS));
            }
            Some(turns) => limits.turns = turns,
            None => {}
        }
        Ok(OpenDebate {
            topic: self.topic,
            engine: engine.to_owned(),
            personas: self.persona_ids,
            options,
            limits,
            seed: self.seed,
            provider: self.provider,
            models: Vec::new(),
            id: self.id,
        })
    }
}

/// Adds the address of the stream to a response.
fn located(mut response: Response, debate: DebateId, legacy: bool) -> Response {
    let format = if legacy { "?format=legacy" } else { "" };
    if let Ok(address) = HeaderValue::from_str(&format!("/debates/{debate}/events{format}")) {
        response.headers_mut().insert(LOCATION, address);
    }
    response
}

/// Builds the response for a debate that was not opened. Unknown names are faults of the request, not of its address.
fn not_opened(error: &ServiceError) -> Response {
    let status = match error {
        ServiceError::Refused(refusal) => match refusal.kind {
            RefusalKind::NotFound | RefusalKind::Invalid | RefusalKind::Limit => StatusCode::BAD_REQUEST,
            RefusalKind::Conflict => StatusCode::CONFLICT,
            RefusalKind::Erased => StatusCode::GONE,
        },
        ServiceError::Moved { .. } => StatusCode::CONFLICT,
        ServiceError::Fault(fault) => {
            tracing::warn!(%fault, "cannot open a debate");
            let reason = "the debate cannot be recorded at the moment; try again with the same `id`";
            return text_response(StatusCode::SERVICE_UNAVAILABLE, reason);
        }
    };
    text_response(status, &error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(body: &str, route: StartRoute) -> Result<OpenDebate, String> {
        let body: StartBody = serde_json::from_str(body).map_err(|error| error.to_string())?;
        body.into_open_debate(route)
    }

    #[test]
    fn a_body_becomes_the_command_to_open_a_debate() {
        let check = |rest: &str, route: StartRoute, engine: &str, options: Value, turns: u32| {
            let body = format!(r#"{{"topic": "x", "personaIds": ["Ada Lane", "ben"]{rest}}}"#);
            let request = parsed(&body, route).expect("a request");
            assert_eq!((request.topic.as_str(), request.personas.len()), ("x", 2), "{body}");
            assert_eq!((request.engine.as_str(), request.options), (engine, options), "{body}");
            assert_eq!(request.limits.turns, turns, "{body}");
        };
        let default = DebateLimits::default().turns;
        check("", StartRoute::Debates, "graph", json!({}), default);
        check("", StartRoute::EarlierDialogue, "dialogue", json!({}), default);
        check(r#", "mode": "dcg""#, StartRoute::EarlierGraph, "disputes", json!({}), default);
        check(
            r#", "mode": "v2", "maxTurns": 12"#,
            StartRoute::Debates,
            "dialogue",
            json!({"turn_budget": 12}),
            default,
        );
        check(r#", "maxTurns": 3"#, StartRoute::EarlierDialogue, "dialogue", json!({"turn_budget": 4}), default);
        check(r#", "maxTurns": 3"#, StartRoute::EarlierGraph, "graph", json!({}), 3);
        check(r#", "mode": "blitz", "maxTurns": 3"#, StartRoute::EarlierGraph, "blitz", json!({}), 3);
        let options = r#", "mode": "v2", "maxTurns": 9, "options": {"turn_budget": 20}"#;
        check(options, StartRoute::Debates, "dialogue", json!({"turn_budget": 20}), 9);
    }

    #[test]
    fn a_malformed_body_is_refused_with_the_reason() {
        let check = |body: &str, reason: &str| {
            let found = parsed(body, StartRoute::Debates).expect_err("refused");
            assert!(found.contains(reason), "{body}: {found}");
        };
        check("{", "EOF while parsing");
        check(r#"["x"]"#, "invalid");
        check(r#"{"personaIds": []}"#, "missing field `topic`");
        check(r#"{"topic": "x"}"#, "missing field `personaIds`");
        check(r#"{"topic": 1, "personaIds": []}"#, "expected a string");
        check(r#"{"topic": "x", "personaIds": [], "maxturns": 1}"#, "unknown field `maxturns`, expected one of");
        check(r#"{"topic": "x", "personaIds": [], "maxTurns": 0}"#, "`maxTurns` must be 1 or more");
        check(r#"{"topic": "x", "personaIds": [], "maxTurns": -1}"#, "invalid value");
        check(r#"{"topic": "x", "personaIds": [], "options": 1}"#, "`options` must be an object");
        check(r#"{"topic": "x", "personaIds": [], "id": "7"}"#, "UUID");
    }

    #[test]
    fn the_format_follows_from_the_address() {
        let check = |route: StartRoute, query: Option<&str>, expected: Option<bool>| {
            assert_eq!(is_legacy(route, query).ok(), expected, "{route:?} {query:?}");
        };
        check(StartRoute::Debates, None, Some(false));
        check(StartRoute::Debates, Some("format=legacy"), Some(true));
        check(StartRoute::EarlierGraph, None, Some(true));
        check(StartRoute::EarlierDialogue, Some("format=legacy"), Some(true));
        check(StartRoute::Debates, Some("format=new"), None);
        check(StartRoute::Debates, Some("after=3"), None);
    }
}
