//! Where requests may lead, and what answers are believed.

use std::fmt;
use std::time::Duration;

use async_trait::async_trait;
use http_body_util::{BodyExt, Limited};
use object_store::client::{
    HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest, HttpResponse, HttpService,
};
use object_store::{ClientOptions, HeaderMap, HeaderValue};
use reqwest::header::{CONTENT_RANGE, RANGE, RETRY_AFTER};
use reqwest::redirect::{Attempt, Policy};
use reqwest::{StatusCode, Url};

use crate::limits;
use crate::runtime::Network;

/// Says to which other hosts redirects may lead, separated by commas.
pub(crate) const REDIRECTS_VARIABLE: &str = "FRAZIL_REMOTE_REDIRECTS";
/// No chain of redirects is longer.
const MOST_REDIRECTS: usize = 5;
/// A server that asks for more patience is not asked again.
const LONGEST_ASKED_PAUSE: u64 = 60;
/// What a server says of an error is longer in vain.
const MOST_SAID_BYTES: usize = 64 << 10;

/// Why an answer is not taken, or no request made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// The server sends requests to another host.
    Redirect(String),
    /// There are too many redirects.
    Circle,
    /// The server gives the whole file where a range was asked for.
    NoRanges,
    /// The server says that it gives another range than it was asked for.
    OtherRange(String),
    /// The server refuses the request: status, the beginning of what it says, and the pause that it asks for.
    Status(u16, String, Option<Duration>),
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self:?}")
    }
}

impl std::error::Error for Refusal {}

/// Makes the clients of all services.
#[derive(Debug)]
pub(crate) struct Connector {
    /// Headers of every request, of web servers.
    pub(crate) headers: HeaderMap,
}

impl HttpConnector for Connector {
    fn connect(&self, _: &ClientOptions) -> object_store::Result<HttpClient> {
        let failed =
            |source: Box<dyn std::error::Error + Send + Sync>| object_store::Error::Generic {
                store: "HTTP",
                source,
            };
        let client = match self.headers.is_empty() {
            true => {
                let network = Network::current().map_err(|error| failed(Box::new(error)))?;
                network.client(|| client(HeaderMap::new()))
            }
            false => client(self.headers.clone()),
        };
        let client = client.map_err(|error| failed(Box::new(error)))?;
        Ok(HttpClient::new(Careful(HttpClient::new(client))))
    }
}

fn client(headers: HeaderMap) -> reqwest::Result<reqwest::Client> {
    // Another part of the process may have chosen one, and that is as good.
    let _ = rustls::crypto::ring::default_provider().install_default();
    reqwest::Client::builder()
        .user_agent(concat!("frazil/", env!("CARGO_PKG_VERSION")))
        .connect_timeout(limits::silence())
        .read_timeout(limits::silence())
        .default_headers(headers)
        .redirect(Policy::custom(follow))
        .build()
}

/// Follows redirects on the same host, and to hosts that the user allows. All others, those to addresses inside of
/// the user's own network among them, are refused.
fn follow(attempt: Attempt<'_>) -> reqwest::redirect::Action {
    let previous = attempt.previous();
    let is_long = previous.len() > MOST_REDIRECTS;
    let may_follow = previous.first().is_some_and(|first| {
        let allowed = std::env::var(REDIRECTS_VARIABLE).unwrap_or_default();
        may_lead(first, attempt.url(), &allowed)
    });
    match (is_long, may_follow) {
        (true, _) => attempt.error(Refusal::Circle),
        (false, true) => attempt.follow(),
        (false, false) => {
            let host = attempt.url().host_str().unwrap_or_default().to_owned();
            attempt.error(Refusal::Redirect(host))
        }
    }
}

/// Whether a request to `from` may be sent on to `to`; `allowed` are other hosts, separated by commas.
fn may_lead(from: &Url, to: &Url, allowed: &str) -> bool {
    let Some(host) = to.host_str() else {
        return false;
    };
    let is_as_safe = to.scheme() == "https" || from.scheme() == "http";
    let is_same = from.host_str() == Some(host)
        && (from.port_or_known_default() == to.port_or_known_default()
            || (from.scheme(), to.scheme()) == ("http", "https"));
    let mut named = allowed.split(',').map(str::trim);
    is_as_safe && (is_same || named.any(|name| name.eq_ignore_ascii_case(host)))
}

/// A client that looks at answers before anybody believes them.
#[derive(Debug)]
struct Careful(HttpClient);

#[async_trait]
impl HttpService for Careful {
    async fn call(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        let wanted = request.headers().get(RANGE).cloned();
        let answer = self.0.execute(request).await?;
        let refuse = |refusal| Err(HttpError::new(HttpErrorKind::Unknown, refusal));
        let status = answer.status();
        // What object_store repeats or knows is left to it, where no range is wanted.
        let is_final = status.is_redirection() || matches!(status.as_u16(), 400 | 401 | 403);
        if !status.is_success() && (wanted.is_some() || is_final) {
            let pause = asked_pause(answer.headers());
            let said = Limited::new(answer.into_body(), MOST_SAID_BYTES)
                .collect()
                .await;
            let said = said.map(|said| said.to_bytes()).unwrap_or_default();
            let said = String::from_utf8_lossy(&said).into_owned();
            return refuse(Refusal::Status(status.as_u16(), said, pause));
        }
        let Some(wanted) = wanted else {
            return Ok(answer);
        };
        if status == StatusCode::OK {
            return refuse(Refusal::NoRanges);
        }
        if status == StatusCode::PARTIAL_CONTENT {
            let text = |value: Option<&HeaderValue>| {
                let text = value.and_then(|value| value.to_str().ok());
                text.unwrap_or_default().to_owned()
            };
            let given = text(answer.headers().get(CONTENT_RANGE));
            if beginning(&given) != beginning(&text(Some(&wanted))) {
                return refuse(Refusal::OtherRange(given));
            }
        }
        Ok(answer)
    }
}

/// Where `bytes=5-9` and `bytes 5-9/100` begin.
fn beginning(range: &str) -> Option<u64> {
    let behind = range.trim().strip_prefix("bytes")?;
    let (from, _) = behind.trim_start_matches(['=', ' ']).split_once('-')?;
    from.parse().ok()
}

/// How long a busy server asks to be left alone.
fn asked_pause(headers: &HeaderMap) -> Option<Duration> {
    let value = headers.get(RETRY_AFTER)?.to_str().ok()?;
    let seconds = value.trim().parse::<u64>().ok()?;
    (seconds <= LONGEST_ASKED_PAUSE).then(|| Duration::from_secs(seconds))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_stay_where_the_url_says() {
        let may = |from: &str, to: &str, allowed: &str| {
            may_lead(
                &Url::parse(from).unwrap(),
                &Url::parse(to).unwrap(),
                allowed,
            )
        };
        assert!(may("http://a/x", "http://a/y", ""));
        assert!(may("http://a/x", "https://a/y", ""));
        assert!(!may("https://a/x", "http://a/y", "a"), "not in clear text");
        assert!(!may("https://a/x", "https://b/y", ""));
        assert!(may("https://a/x", "https://b/y", "c, B"));
        assert!(!may("http://a/x", "http://169.254.169.254/latest", "b"));
        assert!(!may("http://127.0.0.1:80/x", "http://127.0.0.1:9000/y", ""));
    }
}
