//! Calls of a server, with a key if the settings name one.
//!
//! Redirects are not followed, because they would carry texts elsewhere.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::path::PathBuf;
use std::time::Duration;

use serde::de::DeserializeOwned;
use spyhop_base::clean;
use tracing::subscriber::NoSubscriber;
pub use ureq::http::Method;
use ureq::http::Request;

use crate::error::SemanticError;

/// The most bytes of an answer: 64 vectors of 8192 numbers as text.
const MAX_ANSWER_BYTES: u64 = 32 << 20;

/// The most characters of a server's message that are shown.
const MESSAGE_CHARS: usize = 200;

/// Where the key of a server is.
#[derive(Clone)]
pub struct KeyPlace {
    pub variable: Option<String>,
    pub file: Option<PathBuf>,
}

impl KeyPlace {
    /// The key, if one is named. It is read for each call, so that a new key needs no restart.
    fn key(&self) -> Result<Option<String>, SemanticError> {
        let KeyPlace { variable, file } = self;
        let of_variable = variable.as_ref().and_then(|name| std::env::var(name).ok());
        let of_file = || std::fs::read_to_string(file.as_ref()?).ok();
        let key = of_variable.or_else(of_file).map(|key| key.trim().to_string());
        if let Some(key) = key.filter(|key| !key.is_empty()) {
            return Ok(Some(key));
        }
        let shown = |path: &PathBuf| format!(", and {} has no key", path.display());
        match (variable, file) {
            (None, None) => Ok(None),
            (Some(variable), path) => Err(SemanticError::NoKey {
                variable: variable.clone(),
                file: path.as_ref().map_or(", and no key file is named".to_string(), shown),
            }),
            (None, Some(path)) => {
                let text = format!("the key file {} has no key or cannot be read", path.display());
                Err(SemanticError::BadSetting(text))
            }
        }
    }
}

/// A call that failed.
pub struct FailedCall {
    pub why: String,
    /// The status of a refusal.
    #[cfg_attr(
        not(any(feature = "rerank", feature = "qdrant")),
        expect(dead_code, reason = "a refused embedding has no other form")
    )]
    pub status: Option<u16>,
    /// Whether another try may succeed, and the pause that the server asks for.
    pub again: Option<Option<Duration>>,
}

impl FailedCall {
    pub fn lasting(why: impl Into<String>) -> FailedCall {
        FailedCall { why: why.into(), status: None, again: None }
    }

    pub fn passing(why: impl Into<String>) -> FailedCall {
        FailedCall { again: Some(None), ..FailedCall::lasting(why) }
    }
}

pub struct HttpClient {
    base_url: String,
    key: KeyPlace,
    agent: ureq::Agent,
}

impl HttpClient {
    /// A client whose calls end after `ms` milliseconds.
    pub fn new(base_url: &str, key: KeyPlace, ms: u64) -> HttpClient {
        let config = ureq::Agent::config_builder()
            .timeout_global(Some(Duration::from_millis(ms)))
            .http_status_as_error(false)
            .max_redirects(0)
            .user_agent("spyhop");
        HttpClient { base_url: base_url.to_string(), key, agent: config.build().new_agent() }
    }

    /// One call by POST.
    pub fn post<T: DeserializeOwned>(
        &self,
        path: &str,
        body: &serde_json::Value,
    ) -> Result<Result<T, FailedCall>, SemanticError> {
        self.ask(Method::POST, path, body)
    }

    /// One call, whose answer is JSON. The outer error is about the key.
    pub fn ask<T: DeserializeOwned>(
        &self,
        method: Method,
        path: &str,
        body: &serde_json::Value,
    ) -> Result<Result<T, FailedCall>, SemanticError> {
        let key = self.key.key()?;
        let body = serde_json::to_vec(body).expect("texts are plain data");
        // The client traces the bytes of a call, with its key and texts.
        let call = || self.call(method, path, key.as_deref(), &body);
        Ok(tracing::subscriber::with_default(NoSubscriber::default(), call))
    }

    fn call<T: DeserializeOwned>(
        &self,
        method: Method,
        path: &str,
        key: Option<&str>,
        body: &[u8],
    ) -> Result<T, FailedCall> {
        let url = format!("{}/{path}", self.base_url);
        let mut request =
            Request::builder().method(method).uri(url).header("content-type", "application/json");
        if let Some(key) = key {
            request = request.header("authorization", format!("Bearer {key}"));
        }
        let request = request.body(body).map_err(|error| FailedCall::lasting(error.to_string()))?;
        let mut response = self.agent.run(request).map_err(|error| FailedCall::passing(error.to_string()))?;
        let status = response.status().as_u16();
        let pause =
            response.headers().get("retry-after").and_then(|value| value.to_str().ok()?.trim().parse().ok());
        let read = response.body_mut().with_config().limit(MAX_ANSWER_BYTES).read_to_vec();
        let bytes = read.map_err(|error| FailedCall::passing(format!("the answer ended early: {error}")))?;
        let refused = || FailedCall { status: Some(status), ..FailedCall::lasting(refusal(status, &bytes)) };
        match status {
            200 => serde_json::from_slice(&bytes)
                .map_err(|error| FailedCall::passing(format!("the answer is not as expected: {error}"))),
            408 | 425 | 429 | 500.. => {
                Err(FailedCall { again: Some(pause.map(Duration::from_secs)), ..refused() })
            }
            _ => Err(refused()),
        }
    }
}

/// The tries of a call of a build, and the first pause between them, which doubles.
const TRIES: u32 = 6;
const FIRST_PAUSE: Duration = Duration::from_millis(250);

/// The longest pause, also if the server asks for a longer one.
const LONGEST_PAUSE: Duration = Duration::from_secs(60);

/// A call of a build, which is tried again while that may help.
pub fn with_tries<T>(
    mut call: impl FnMut() -> Result<Result<T, FailedCall>, SemanticError>,
) -> Result<Result<T, FailedCall>, SemanticError> {
    let mut pause = FIRST_PAUSE;
    for left in (1..TRIES).rev() {
        match call()? {
            Err(FailedCall { why, again: Some(asked), .. }) => {
                tracing::debug!(%why, left, "a call is tried again");
                std::thread::sleep(asked.unwrap_or_else(|| with_jitter(pause)).min(LONGEST_PAUSE));
                pause *= 2;
            }
            answer => return Ok(answer),
        }
    }
    call()
}

/// Half of a pause and a random part of the other half, so that several builders do not call at the same time.
fn with_jitter(pause: Duration) -> Duration {
    let random = RandomState::new().build_hasher().finish() % 1024;
    pause / 2 + pause / 2 * (random as u32) / 1024
}

/// The status of a refusal, with the begin of its message.
fn refusal(status: u16, bytes: &[u8]) -> String {
    let message = serde_json::from_slice::<serde_json::Value>(bytes).ok();
    let message = message.as_ref().and_then(|answer| {
        let error = answer.get("error").unwrap_or(answer);
        error.get("message").unwrap_or(error).as_str()
    });
    let message: String = message.unwrap_or_default().chars().take(MESSAGE_CHARS).collect();
    let mut text = format!("the server answered {status}");
    if !message.is_empty() {
        text += &format!(": {}", clean::line(&message));
    }
    text
}
