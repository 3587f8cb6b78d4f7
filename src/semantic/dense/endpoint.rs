//! An HTTP endpoint with the interface of OpenAI: one call a batch.
//!
//! Servers on this machine have the same interface, such as Ollama, llama.cpp, vLLM, LM Studio and
//! text-embeddings-inference.

use serde::Deserialize;

use super::http::{FailedCall, HttpClient, KeyPlace, with_tries};
use super::provider::{Limits, Patience, Provider};
use crate::error::SemanticError;
use crate::settings::EndpointSettings;

/// The texts and tokens of a call. OpenAI accepts 2048 texts and 300,000 tokens; small batches lose less when a call
/// fails, and local servers take as long in all.
const BATCH_TEXTS: usize = 64;
const BATCH_TOKENS: u64 = 16_000;

pub struct HttpEndpoint {
    settings: EndpointSettings,
    search: HttpClient,
    build: HttpClient,
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

impl HttpEndpoint {
    pub fn new(settings: EndpointSettings) -> HttpEndpoint {
        let place = KeyPlace { variable: settings.key_variable.clone(), file: settings.key_file.clone() };
        let client = |ms: u64| HttpClient::new(&settings.base_url, place.clone(), ms);
        let (search, build) = (client(settings.question_ms), client(settings.build_ms));
        HttpEndpoint { settings, search, build }
    }

    fn body(&self, texts: &[&str]) -> serde_json::Value {
        let mut body = serde_json::json!({ "model": self.settings.model, "input": texts });
        if self.settings.asks_dimensions() {
            body["dimensions"] = self.settings.dimensions.into();
        }
        body
    }

    /// The vectors of an answer, in the order of the texts.
    fn vectors(&self, answer: VectorsAnswer, n: usize) -> Result<Vec<Vec<f32>>, FailedCall> {
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
        let body = self.body(texts);
        let call = |client: &HttpClient| {
            let answer = client.post::<VectorsAnswer>("embeddings", &body)?;
            Ok(answer.and_then(|answer| self.vectors(answer, texts.len())))
        };
        let answer = match patience {
            Patience::Search => call(&self.search),
            Patience::Build => with_tries(|| call(&self.build)),
        };
        answer?.map_err(|failure| self.error(failure))
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
