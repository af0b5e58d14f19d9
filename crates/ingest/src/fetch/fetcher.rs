//! HTTP fetcher for web sources.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use chrono::Utc;
use reqwest::header::{
    ACCEPT, ACCEPT_ENCODING, CONTENT_TYPE, HeaderMap, HeaderValue, IF_MODIFIED_SINCE, IF_NONE_MATCH, LOCATION,
};
use reqwest::redirect::Policy;
use reqwest::{Client, Response, StatusCode, Url};

use crate::fetch::address::AddressPolicy;
use crate::fetch::body::{body, told};
use crate::fetch::validators::{Validators, retry_after, text};

/// Maximum length of a URL, in bytes.
pub const MAX_URL_BYTES: usize = 2_000;

/// Limits of a fetch.
#[derive(Clone, Debug)]
pub struct FetchLimits {
    /// Timeout for establishing a connection.
    pub connect: Duration,
    /// Maximum time between two received chunks.
    pub silence: Duration,
    /// Timeout of the whole fetch, including redirects and a wait.
    pub whole: Duration,
    /// Maximum number of bytes of a body, as received and as decompressed.
    pub most_bytes: u64,
    /// Maximum number of redirects.
    pub redirects: usize,
    /// Longest wait that a server may request; granted once.
    pub wait: Duration,
    /// Allowed addresses.
    pub reach: AddressPolicy,
}

impl Default for FetchLimits {
    fn default() -> Self {
        FetchLimits {
            connect: Duration::from_secs(10),
            silence: Duration::from_secs(15),
            whole: Duration::from_secs(90),
            most_bytes: 32 << 20,
            redirects: 5,
            wait: Duration::from_secs(20),
            reach: AddressPolicy::default(),
        }
    }
}

/// Result of a fetch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fetched {
    /// The source has not changed.
    Unchanged,
    /// Current contents of the source.
    Body(FetchedBody),
}

/// Contents of a source, with its response headers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FetchedBody {
    /// Decompressed bytes.
    pub bytes: Vec<u8>,
    /// Complete value of `Content-Type`.
    pub content_type: Option<String>,
    /// Validators for the next conditional request.
    pub validators: Validators,
    /// Final URL after redirects.
    pub url: String,
}

impl FetchedBody {
    /// Returns the charset in the content type.
    pub fn charset(&self) -> Option<String> {
        let content_type = self.content_type.as_deref()?.to_lowercase();
        let (_, charset) = content_type.split_once("charset=")?;
        let charset = charset.split(';').next()?.trim().trim_matches(['"', '\'']);
        (!charset.is_empty()).then(|| charset.to_owned())
    }
}

/// Guard that permits one request to a host.
type Turn = tokio::sync::OwnedMutexGuard<()>;

/// Fetcher of web sources, with one concurrent request per host.
pub struct Fetcher {
    client: Client,
    terms: FetchLimits,
    hosts: Mutex<HashMap<String, Arc<tokio::sync::Mutex<()>>>>,
}

impl Fetcher {
    /// Creates a fetcher with these limits.
    ///
    /// # Errors
    /// A message if the HTTP client cannot be created.
    pub fn new(terms: FetchLimits) -> Result<Fetcher, String> {
        let version = env!("CARGO_PKG_VERSION");
        let client = Client::builder()
            .user_agent(format!("faultline/{version} (fetches sources of a persona for its operator)"))
            .redirect(Policy::none())
            .no_proxy()
            .connect_timeout(terms.connect)
            .pool_max_idle_per_host(1)
            .dns_resolver(Arc::new(terms.reach.clone()))
            .build()
            .map_err(|error| format!("cannot create the HTTP client: {}", told(&error)))?;
        Ok(Fetcher { client, terms, hosts: Mutex::default() })
    }

    /// Fetches a source, unless it has not changed since these validators were issued.
    ///
    /// # Errors
    /// A message with the reason of the refusal or failure, and the URL if it is not the requested one.
    pub async fn fetch(&self, address: &str, known: &Validators) -> Result<Fetched, String> {
        let first = url(address)?;
        // The wait for other requests to the same host does not count against the timeout.
        let turn = self.turn(&first).await;
        let whole = tokio::time::timeout(self.terms.whole, self.follow(first, turn, known)).await;
        whole.unwrap_or_else(|_| Err(format!("took longer than {} seconds", self.terms.whole.as_secs_f32())))
    }

    async fn follow(&self, first: Url, first_turn: Turn, known: &Validators) -> Result<Fetched, String> {
        let (mut url, mut turn) = (first, first_turn);
        let mut visited = vec![url.clone()];
        loop {
            let elsewhere =
                |why: String| if visited.len() > 1 { format!("redirects to {url}, which {why}") } else { why };
            let response = self.ask(&url, known).await.map_err(elsewhere)?;
            if response.status() == StatusCode::NOT_MODIFIED && *known != Validators::default() {
                return Ok(Fetched::Unchanged);
            }
            if !response.status().is_redirection() {
                return self.taken(response).await.map(Fetched::Body).map_err(elsewhere);
            }
            drop(turn);
            let to = text(response.headers(), &LOCATION).ok_or("redirects without a location")?;
            let next = url.join(to).map_err(|error| format!("redirects to an invalid URL: {error}"))?;
            url = checked(next).map_err(|reason| format!("redirects to a URL that {reason}"))?;
            if visited.contains(&url) {
                return Err(format!("redirects in a loop through {url}"));
            }
            visited.push(url.clone());
            if visited.len() > self.terms.redirects + 1 {
                return Err(format!("redirects more than {} times", self.terms.redirects));
            }
            turn = self.turn(&url).await;
        }
    }

    /// Waits until no other request to this host is running.
    async fn turn(&self, url: &Url) -> Turn {
        let host = url.host_str().unwrap_or_default().to_owned();
        let turns = self.hosts.lock().unwrap_or_else(PoisonError::into_inner).entry(host).or_default().clone();
        turns.lock_owned().await
    }

    /// Sends a request, and sends it once more after a wait that the server requests.
    async fn ask(&self, url: &Url, known: &Validators) -> Result<Response, String> {
        let response = self.sent(url, known).await?;
        let busy = matches!(response.status(), StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE);
        match retry_after(response.headers(), Utc::now()) {
            Some(wait) if busy && wait <= self.terms.wait => {
                drop(response);
                tokio::time::sleep(wait).await;
                self.sent(url, known).await
            }
            Some(wait) if busy => {
                let (status, wait) = (response.status().as_u16(), wait.as_secs());
                Err(format!("answers {status} and requests a wait of {wait} seconds; try again later"))
            }
            _ => Ok(response),
        }
    }

    async fn sent(&self, url: &Url, known: &Validators) -> Result<Response, String> {
        self.terms.reach.judge(url.host_str().unwrap_or_default())?;
        let mut headers = HeaderMap::new();
        let accepted = "application/atom+xml, application/rss+xml, text/html, application/pdf, text/plain, */*;q=0.5";
        headers.insert(ACCEPT, HeaderValue::from_static(accepted));
        headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("gzip"));
        for (name, value) in [(IF_NONE_MATCH, &known.etag), (IF_MODIFIED_SINCE, &known.modified)] {
            if let Some(value) = value.as_deref().and_then(|text| HeaderValue::from_str(text).ok()) {
                headers.insert(name, value);
            }
        }
        let sent = self.client.get(url.clone()).headers(headers).send();
        let limit = self.terms.connect + self.terms.silence;
        let sent = tokio::time::timeout(limit, sent).await;
        let sent = sent.map_err(|_| format!("did not answer within {} seconds", limit.as_secs_f32()))?;
        sent.map_err(|error| format!("cannot be reached: {}", told(&error)))
    }

    async fn taken(&self, response: Response) -> Result<FetchedBody, String> {
        let status = response.status();
        if !status.is_success() {
            return Err(format!("answers {}", status.as_u16()));
        }
        let content_type = text(response.headers(), &CONTENT_TYPE).map(str::to_owned);
        let validators = Validators::of(response.headers());
        let url = response.url().to_string();
        let bytes = body(response, self.terms.most_bytes, self.terms.silence).await?;
        Ok(FetchedBody { bytes, content_type, validators, url })
    }
}

/// Parses and validates a URL, as far as possible without resolving it.
///
/// # Errors
/// A message if the URL is invalid or too long, has another scheme, no host, or a password.
pub fn url(address: &str) -> Result<Url, String> {
    if address.len() > MAX_URL_BYTES {
        return Err(format!("is longer than {MAX_URL_BYTES} bytes"));
    }
    checked(Url::parse(address.trim()).map_err(|error| format!("is not a URL: {error}"))?)
}

fn checked(mut url: Url) -> Result<Url, String> {
    if !matches!(url.scheme(), "http" | "https") {
        return Err(format!("begins with `{}:`; use `http:` or `https:`", url.scheme()));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err("contains a user name or a password, which is not allowed".to_owned());
    }
    url.set_fragment(None);
    Ok(url)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_web_urls_are_fetched() {
        for (address, wanted) in [
            ("file:///etc/passwd", "begins with `file:`"),
            ("ftp://wall.example/", "begins with `ftp:`"),
            ("javascript:alert(1)", "begins with `javascript:`"),
            ("http://ada:secret@wall.example/", "contains a user name"),
            ("wall.example/feed", "is not a URL"),
            ("http://", "is not a URL"),
        ] {
            let why = url(address).unwrap_err();
            assert!(why.starts_with(wanted), "{address}: {why}");
        }
        assert!(url(&format!("http://a.example/{}", "x".repeat(MAX_URL_BYTES))).is_err());
        assert_eq!(url(" https://wall.example/a#b ").unwrap().as_str(), "https://wall.example/a");
        // Any notation of an address of this machine is recognized.
        for odd in ["http://127.1/", "http://0x7f.1/", "http://2130706433/", "http://[::ffff:127.0.0.1]/"] {
            let host = url(odd).unwrap().host_str().unwrap().to_owned();
            assert!(AddressPolicy::default().judge(&host).is_err(), "{odd}: {host}");
        }
    }

    #[test]
    fn the_charset_is_parsed_from_the_content_type() {
        let charset = |content_type: &str| {
            let content_type = Some(content_type.to_owned());
            FetchedBody { bytes: Vec::new(), content_type, validators: Validators::default(), url: String::new() }
                .charset()
        };
        assert_eq!(charset("text/html; Charset=\"ISO-8859-1\"; x=y").as_deref(), Some("iso-8859-1"));
        assert_eq!(charset("text/html; charset="), None);
        assert_eq!(charset("text/html"), None);
    }
}
