//! A collection of a Qdrant server as a second store of vectors, by its REST API: a build takes from it the vectors that
//! another build made, and adds those that it makes.
//!
//! A point is a vector under the hash of its text, so that equal texts of all trees and machines have one. The files beside the
//! index stay what searches read: a search asks no server, and one that is gone costs no answer.

use std::sync::atomic::{AtomicUsize, Ordering};

use rustc_hash::FxHashMap;
use serde::Deserialize;
use serde_json::{Value, json};

use super::http::{FailedCall, HttpClient, KeyPlace, Method, with_tries};
use super::provider::{Limits, Patience, Provider};
use super::store::key_of;
use crate::error::SemanticError;
use crate::settings::QdrantSettings;

/// How long a build waits for an answer, in milliseconds.
const TIMEOUT_MS: u64 = 60_000;

/// A provider whose vectors a server keeps, too.
pub fn shared(
    provider: Box<dyn Provider>,
    settings: &QdrantSettings,
) -> Result<Box<dyn Provider>, SemanticError> {
    let QdrantSettings { url, collection, key_variable, key_file } = settings;
    let key = KeyPlace { variable: key_variable.clone(), file: key_file.clone() };
    let of_model = || format!("spyhop-{}", &blake3::hash(provider.identity().as_bytes()).to_hex()[..16]);
    let collection = collection.clone().unwrap_or_else(of_model);
    let client = HttpClient::new(url, key, TIMEOUT_MS);
    Ok(Box::new(SharedVectors {
        provider,
        client,
        collection,
        target: url.clone(),
        taken: AtomicUsize::new(0),
    }))
}

struct SharedVectors {
    provider: Box<dyn Provider>,
    client: HttpClient,
    collection: String,
    target: String,
    taken: AtomicUsize,
}

/// An answer of the server.
#[derive(Deserialize)]
struct QdrantAnswer<T> {
    result: T,
}

#[derive(Deserialize)]
struct Point {
    id: String,
    vector: Vec<f32>,
}

/// The name of a text's point: its hash, in the form of a UUID.
fn id_of(text: &str) -> String {
    let hex: String = key_of(text).iter().map(|byte| format!("{byte:02x}")).collect();
    [&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]].join("-")
}

impl SharedVectors {
    fn ask<T: serde::de::DeserializeOwned>(
        &self,
        method: Method,
        path: &str,
        body: &Value,
    ) -> Result<Result<T, FailedCall>, SemanticError> {
        let path = format!("collections/{}{path}", self.collection);
        let answer = with_tries(|| self.client.ask::<QdrantAnswer<T>>(method.clone(), &path, body))?;
        Ok(answer.map(|answer| answer.result))
    }

    fn failed(&self, failure: FailedCall) -> SemanticError {
        let model = format!("collection {} of Qdrant at {}", self.collection, self.target);
        SemanticError::Provider { model, why: failure.why }
    }

    /// The vectors that the collection has of these points. A collection that is missing is made.
    fn known(&self, ids: &[String]) -> Result<FxHashMap<String, Vec<f32>>, SemanticError> {
        let body = json!({ "ids": ids, "with_vector": true, "with_payload": false });
        let points = match self.ask::<Vec<Point>>(Method::POST, "/points", &body)? {
            Ok(points) => points,
            Err(FailedCall { status: Some(404), .. }) => {
                self.create()?;
                Vec::new()
            }
            Err(failure) => return Err(self.failed(failure)),
        };
        let expected = self.provider.dimensions();
        if let Some(point) = points.iter().find(|point| point.vector.len() != expected) {
            let found = point.vector.len();
            return Err(self.failed(FailedCall::lasting(format!(
                "its vectors have {found} numbers, and those of the model {expected}"
            ))));
        }
        Ok(points.into_iter().map(|point| (point.id, point.vector)).collect())
    }

    fn create(&self) -> Result<(), SemanticError> {
        let vectors = json!({ "size": self.provider.dimensions(), "distance": "Cosine" });
        match self.ask::<Value>(Method::PUT, "", &json!({ "vectors": vectors }))? {
            // Another thread or builder has made it meanwhile.
            Ok(_) | Err(FailedCall { status: Some(409), .. }) => Ok(()),
            Err(failure) => Err(self.failed(failure)),
        }
    }

    fn add(&self, ids: &[&String], vectors: &[Vec<f32>]) -> Result<(), SemanticError> {
        let point = |(id, vector)| json!({ "id": id, "vector": vector });
        let points: Vec<Value> = ids.iter().zip(vectors).map(point).collect();
        let added = self.ask::<Value>(Method::PUT, "/points?wait=true", &json!({ "points": points }))?;
        added.map(drop).map_err(|failure| self.failed(failure))
    }
}

impl Provider for SharedVectors {
    fn embed(&self, texts: &[&str], patience: Patience) -> Result<Vec<Vec<f32>>, SemanticError> {
        let ids: Vec<String> = texts.iter().map(|text| id_of(text)).collect();
        let mut known = self.known(&ids)?;
        self.taken.fetch_add(known.len(), Ordering::Relaxed);
        let is_lacking = |id: &&String| !known.contains_key(*id);
        let lacking: Vec<&String> = ids.iter().filter(is_lacking).collect();
        let texts: Vec<&str> =
            texts.iter().zip(&ids).filter(|(_, id)| is_lacking(id)).map(|(text, _)| *text).collect();
        if !texts.is_empty() {
            let made = self.provider.embed(&texts, patience)?;
            self.add(&lacking, &made)?;
            known.extend(lacking.into_iter().cloned().zip(made));
        }
        Ok(ids.iter().filter_map(|id| known.get(id).cloned()).collect())
    }

    fn dimensions(&self) -> usize {
        self.provider.dimensions()
    }

    fn limits(&self) -> Limits {
        self.provider.limits()
    }

    fn identity(&self) -> String {
        self.provider.identity()
    }

    fn n_taken(&self) -> usize {
        self.taken.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_point_has_the_hash_of_its_text() {
        let id = id_of("fn f() {}");
        assert_eq!((id.len(), id.split('-').map(str::len).collect()), (36, vec![8, 4, 4, 4, 12]));
        assert_eq!(id.replace('-', ""), key_of("fn f() {}").map(|byte| format!("{byte:02x}")).concat());
    }
}
