//! An HTTP endpoint with the interface of OpenAI: one call a batch.
//!
//! Servers on this machine have the same interface, such as Ollama, llama.cpp, vLLM, LM Studio and
//! text-embeddings-inference. Redirects are not followed, because they would carry texts elsewhere.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::time::Duration;

use serde::Deserialize;
use spyhop_base::clean;
use tracing::subscriber::NoSubscriber;

use super::provider::{Limits, Patience, Provider};
use crate::error::SemanticError;
use crate::settings::EndpointSettings;

/// The texts and tokens of a call. OpenAI accepts 2048 texts and 300,000 tokens; small batches lose less when a call
/// fails, and local servers take as long in all.
const BATCH_TEXTS: usize = 64;
const BATCH_TOKENS: u64 = 16_000;

/// The tries of a call of a build, and the first pause between them, which doubles.
const TRIES: u32 = 6;
const FIRST_PAUSE: Duration = Duration::from_millis(250);

/// The longest pause, also if the server asks for a longer one.
const LONGEST_PAUSE: Duration = Duration::from_secs(60);

/// The most bytes of an answer: 64 vectors of 8192 numbers as text.
const MAX_ANSWER_BYTES: u64 = 32 << 20;

/// The most characters of a server's message that are shown.
const MESSAGE_CHARS: usize = 200;

pub struct HttpEndpoint {
    settings: EndpointSettings,
    search: ureq::Agent,
    build: ureq::Agent,
}

/// An answer of the server.
#[derive(Deserialize)]
struct VectorsAnswer {
    data: Vec<VectorRow>,
}

#[derive(Deserialize)]
struct VectorRow {
    index: Option<usize>,
    embedding: Vec<f32>,
}

/// A call that failed.
struct FailedCall {
    why: String,
    /// Whether another try may succeed, and the pause that the server asks for.
    again: Option<Option<Duration>>,
}

impl FailedCall {
    fn lasting(why: impl Into<String>) -> FailedCall {
        FailedCall { why: why.into(), again: None }
    }

    fn passing(why: impl Into<String>) -> FailedCall {
        FailedCall { why: why.into(), again: Some(None) }
    }
}

impl HttpEndpoint {
    pub fn new(settings: EndpointSettings) -> HttpEndpoint {
        let agent = |ms: u64| {
            let config = ureq::Agent::config_builder()
                .timeout_global(Some(Duration::from_millis(ms)))
                .http_status_as_error(false)
                .max_redirects(0)
                .user_agent("spyhop");
            config.build().new_agent()
        };
        let (search, build) = (agent(settings.question_ms), agent(settings.build_ms));
        HttpEndpoint { settings, search, build }
    }

    /// The key, if the settings name one. It is read for each call, so that a new key needs no restart.
    fn key(&self) -> Result<Option<String>, SemanticError> {
        let EndpointSettings { key_variable, key_file, .. } = &self.settings;
        let of_variable = key_variable.as_ref().and_then(|name| std::env::var(name).ok());
        let of_file = || std::fs::read_to_string(key_file.as_ref()?).ok();
        let key = of_variable.or_else(of_file).map(|key| key.trim().to_string());
        if let Some(key) = key.filter(|key| !key.is_empty()) {
            return Ok(Some(key));
        }
        let file = |path: &std::path::PathBuf| format!(", and {} has no key", path.display());
        match (key_variable, key_file) {
            (None, None) => Ok(None),
            (Some(variable), path) => Err(SemanticError::NoKey {
                variable: variable.clone(),
                file: path.as_ref().map_or(", and no key file is named".to_string(), file),
            }),
            (None, Some(path)) => {
                let text = format!("the key file {} has no key or cannot be read", path.display());
                Err(SemanticError::BadSetting(text))
            }
        }
    }

    fn body(&self, texts: &[&str]) -> Vec<u8> {
        let mut body = serde_json::json!({ "model": self.settings.model, "input": texts });
        if self.settings.asks_dimensions() {
            body["dimensions"] = self.settings.dimensions.into();
        }
        serde_json::to_vec(&body).expect("texts are plain data")
    }

    /// One try.
    fn call(
        &self,
        agent: &ureq::Agent,
        key: Option<&str>,
        body: &[u8],
        n: usize,
    ) -> Result<Vec<Vec<f32>>, FailedCall> {
        let mut request = agent
            .post(format!("{}/embeddings", self.settings.base_url))
            .header("content-type", "application/json");
        if let Some(key) = key {
            request = request.header("authorization", format!("Bearer {key}"));
        }
        let mut response = request.send(body).map_err(|error| FailedCall::passing(error.to_string()))?;
        let status = response.status().as_u16();
        let pause =
            response.headers().get("retry-after").and_then(|value| value.to_str().ok()?.trim().parse().ok());
        let pause = pause.map(Duration::from_secs);
        let read = response.body_mut().with_config().limit(MAX_ANSWER_BYTES).read_to_vec();
        let bytes = read.map_err(|error| FailedCall::passing(format!("the answer ended early: {error}")))?;
        match status {
            200 => self.vectors(&bytes, n),
            408 | 425 | 429 | 500.. => {
                Err(FailedCall { again: Some(pause), ..FailedCall::lasting(refusal(status, &bytes)) })
            }
            _ => Err(FailedCall::lasting(refusal(status, &bytes))),
        }
    }

    /// The vectors of an answer, in the order of the texts.
    fn vectors(&self, bytes: &[u8], n: usize) -> Result<Vec<Vec<f32>>, FailedCall> {
        let answer: VectorsAnswer = serde_json::from_slice(bytes)
            .map_err(|error| FailedCall::passing(format!("the answer is not as expected: {error}")))?;
        let mut vectors = vec![Vec::new(); n];
        for (place, row) in answer.data.into_iter().enumerate() {
            let expected = self.settings.dimensions;
            if row.embedding.len() != expected {
                let found = row.embedding.len();
                return Err(FailedCall::lasting(format!(
                    "its vectors have {found} numbers, and the settings say {expected}"
                )));
            }
            if !row.embedding.iter().all(|number| number.is_finite()) {
                return Err(FailedCall::lasting("a vector has something that is not a number"));
            }
            match vectors.get_mut(row.index.unwrap_or(place)) {
                Some(vector) => *vector = row.embedding,
                None => {
                    return Err(FailedCall::lasting("the answer has vectors of texts that were not sent"));
                }
            }
        }
        match vectors.iter().filter(|vector| vector.is_empty()).count() {
            0 => Ok(vectors),
            lacking => Err(FailedCall::passing(format!("the answer lacks {lacking} of {n} vectors"))),
        }
    }

    fn error(&self, failure: FailedCall) -> SemanticError {
        let EndpointSettings { model, base_url, .. } = &self.settings;
        SemanticError::Provider { model: format!("{model} at {base_url}"), why: failure.why }
    }
}

impl Provider for HttpEndpoint {
    fn embed(&self, texts: &[&str], patience: Patience) -> Result<Vec<Vec<f32>>, SemanticError> {
        let (key, body) = (self.key()?, self.body(texts));
        let (agent, tries) = match patience {
            Patience::Search => (&self.search, 1),
            Patience::Build => (&self.build, TRIES),
        };
        let mut pause = FIRST_PAUSE;
        for left in (0..tries).rev() {
            let call = || self.call(agent, key.as_deref(), &body, texts.len());
            // The client traces the bytes of a call, with its key and texts.
            match tracing::subscriber::with_default(NoSubscriber::default(), call) {
                Ok(vectors) => return Ok(vectors),
                Err(FailedCall { why, again: Some(asked) }) if left > 0 => {
                    tracing::debug!(%why, left, "a call for vectors is tried again");
                    std::thread::sleep(asked.unwrap_or_else(|| with_jitter(pause)).min(LONGEST_PAUSE));
                    pause *= 2;
                }
                Err(failure) => return Err(self.error(failure)),
            }
        }
        unreachable!("the last try returns")
    }

    fn dimensions(&self) -> usize {
        self.settings.dimensions
    }

    fn limits(&self) -> Limits {
        Limits { texts: BATCH_TEXTS, tokens: BATCH_TOKENS, concurrency: self.settings.concurrency }
    }

    fn identity(&self) -> String {
        let EndpointSettings { base_url, model, dimensions, .. } = &self.settings;
        format!("openai {base_url} {model} {dimensions}")
    }
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
