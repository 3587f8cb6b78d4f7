//! Reranking: a cross-encoder at an endpoint or in a local folder.
//!
//! An endpoint has the path `/rerank`, as Cohere, Jina, vLLM and llama.cpp have it; text-embeddings-inference names the
//! texts differently, and is asked again in its own form.

use std::time::{Duration, Instant};

use serde::Deserialize;
use serde_json::json;
use spyhop_files::walk;
use spyhop_grep::secrets::{self, SecretMask};
use spyhop_search::{RerankText, Reranker};

use super::http::{FailedCall, HttpClient, KeyPlace};
use super::local;
use super::provider::CrossEncoder;
use super::silence::Silence;
use crate::error::SemanticError;
use crate::settings::{RerankEndpoint, RerankFolder, RerankSettings};

/// The most bytes of a candidate that are sent.
const MAX_BYTES: usize = 1_600;

/// The reranker of the settings. An endpoint is not asked yet.
pub fn open(settings: &RerankSettings) -> Result<Box<dyn Reranker>, SemanticError> {
    let (judge, budget) = match settings {
        RerankSettings::Endpoint(endpoint) => {
            let RerankEndpoint { base_url, key_variable, key_file, budget_ms, .. } = endpoint;
            let place = KeyPlace { variable: key_variable.clone(), file: key_file.clone() };
            (Judge::Endpoint(HttpClient::new(base_url, place, *budget_ms)), *budget_ms)
        }
        RerankSettings::Local(RerankFolder { folder, budget_ms }) => {
            (Judge::Local(local::cross_encoder(folder)?), *budget_ms)
        }
    };
    Ok(Box::new(ModelReranker {
        judge,
        model: settings.model(),
        target: settings.target(),
        budget: Duration::from_millis(budget),
        silence: Silence::default(),
    }))
}

enum Judge {
    Endpoint(HttpClient),
    Local(Box<dyn CrossEncoder>),
}

struct ModelReranker {
    judge: Judge,
    model: String,
    target: String,
    budget: Duration,
    silence: Silence,
}

/// An answer of a server; that of text-embeddings-inference is only the list.
#[derive(Deserialize)]
#[serde(untagged)]
enum ScoresAnswer {
    Named { results: Vec<ScoreRow> },
    Listed(Vec<ScoreRow>),
}

#[derive(Deserialize)]
struct ScoreRow {
    index: usize,
    #[serde(alias = "score")]
    relevance_score: f32,
}

impl Reranker for ModelReranker {
    fn model(&self) -> &str {
        &self.model
    }

    fn scores(&self, question: &str, candidates: &[RerankText<'_>]) -> Result<Vec<f32>, String> {
        let mut question = question.to_string();
        secrets::mask_text(&mut question);
        // A file that may hold secrets is judged by its path alone.
        let texts: Vec<String> = candidates.iter().map(text_of).collect();
        self.silence.ask("reranking", || match &self.judge {
            Judge::Endpoint(client) => self.ask(client, &question, &texts),
            Judge::Local(encoder) => self.compute(&**encoder, &question, &texts),
        })
    }
}

/// The path and the part of a candidate, with masked secrets.
fn text_of(candidate: &RerankText<'_>) -> String {
    let RerankText { path, text, span } = candidate;
    if walk::holds_secrets(path) {
        return (*path).to_string();
    }
    let mut end = (span.end as usize).min(span.start as usize + MAX_BYTES);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let mask = SecretMask::new(path, false, secrets::blocks(text.as_bytes()));
    format!("{path}\n{}", secrets::mask_lines(text, span.start as usize..end, &mask))
}

impl ModelReranker {
    fn ask(&self, client: &HttpClient, question: &str, texts: &[String]) -> Result<Vec<f32>, SemanticError> {
        let n = texts.len();
        let body = json!({ "model": self.model, "query": question, "documents": texts, "top_n": n });
        let mut answer = client.post::<ScoresAnswer>("rerank", &body)?;
        if matches!(&answer, Err(FailedCall { status: Some(422), .. })) {
            let body = json!({ "query": question, "texts": texts });
            answer = client.post::<ScoresAnswer>("rerank", &body)?;
        }
        answer.and_then(|answer| scores_of(answer, n)).map_err(|failure| self.failed(failure.why))
    }

    /// Computes the scores, on two threads. Some scores in time would order files by the speed of the machine, so all or none
    /// count.
    fn compute(
        &self,
        encoder: &dyn CrossEncoder,
        question: &str,
        texts: &[String],
    ) -> Result<Vec<f32>, SemanticError> {
        let start = Instant::now();
        let of_half = |half: &[String]| -> Result<Vec<f32>, SemanticError> {
            let one = |text: &String| match start.elapsed() > self.budget {
                true => Err(self.failed(format!("it took longer than {} ms", self.budget.as_millis()))),
                false => encoder.score(question, text),
            };
            half.iter().map(one).collect()
        };
        let (first, second) = texts.split_at(texts.len() / 2);
        let (first, second) = rayon::join(|| of_half(first), || of_half(second));
        Ok([first?, second?].concat())
    }

    fn failed(&self, why: String) -> SemanticError {
        SemanticError::Provider { model: format!("{} at {}", self.model, self.target), why }
    }
}

/// The scores of an answer, in the order of the texts.
fn scores_of(answer: ScoresAnswer, n: usize) -> Result<Vec<f32>, FailedCall> {
    let rows = match answer {
        ScoresAnswer::Named { results } | ScoresAnswer::Listed(results) => results,
    };
    let mut scores = vec![None; n];
    for ScoreRow { index, relevance_score } in rows {
        match scores.get_mut(index) {
            Some(score) if relevance_score.is_finite() => *score = Some(relevance_score),
            Some(_) => return Err(FailedCall::lasting("a score is not a number")),
            None => return Err(FailedCall::lasting("the answer has scores of texts that were not sent")),
        }
    }
    let lacking = scores.iter().filter(|score| score.is_none()).count();
    scores
        .into_iter()
        .collect::<Option<_>>()
        .ok_or_else(|| FailedCall::lasting(format!("the answer lacks {lacking} of {n} scores")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_come_in_the_order_of_the_texts() {
        let check = |answer: &str, n: usize, expected: Result<&[f32], &str>| {
            let found = scores_of(serde_json::from_str(answer).unwrap(), n);
            match expected {
                Ok(scores) => assert_eq!(found.ok().unwrap(), scores, "{answer}"),
                Err(text) => assert!(found.err().unwrap().why.contains(text), "{answer}"),
            }
        };
        let rows = r#"[{"index":1,"relevance_score":0.9},{"index":0,"relevance_score":0.1}]"#;
        check(&format!(r#"{{"id":"x","results":{rows}}}"#), 2, Ok(&[0.1, 0.9]));
        check(r#"[{"index":0,"score":-3.5,"text":null}]"#, 1, Ok(&[-3.5]));
        check(rows, 3, Err("lacks 1 of 3"));
        check(rows, 1, Err("were not sent"));
    }

    /// Scores a text by its length, after a pause.
    struct ByLength(Duration);

    impl CrossEncoder for ByLength {
        fn score(&self, _question: &str, text: &str) -> Result<f32, SemanticError> {
            std::thread::sleep(self.0);
            Ok(text.len() as f32)
        }
    }

    #[test]
    fn all_texts_are_scored_within_the_budget_or_none() {
        let scores = |pause: u64, budget: u64| {
            let reranker = ModelReranker {
                judge: Judge::Local(Box::new(ByLength(Duration::from_millis(pause)))),
                model: "judge".to_string(),
                target: "folder".to_string(),
                budget: Duration::from_millis(budget),
                silence: Silence::default(),
            };
            let span = spyhop_base::text::Span { start: 0, end: 1 };
            let texts = ["a", "abc", "ab"].map(|path| RerankText { path, text: "x", span });
            reranker.scores("question", &texts)
        };
        // The path, a line end and the text.
        assert_eq!(scores(0, 60_000).unwrap(), [3.0, 5.0, 4.0]);
        let error = scores(30, 20).unwrap_err();
        assert!(error.contains("judge at folder gave no answer: it took longer than 20 ms"), "{error}");
    }

    #[test]
    fn candidates_are_masked_and_secret_files_stay() {
        let token = format!("ghp_{}", "Zk4Tq9LmX2vRw7BnY5sJd8HcF3gAe6Uo1iPz");
        let text = format!("let token = \"{token}\";\nfn f() {{}}\n");
        let span = spyhop_base::text::Span { start: 0, end: text.len() as u32 };
        let of = |path: &str| text_of(&RerankText { path, text: &text, span });
        let sent = of("src/a.rs");
        assert!(
            sent.starts_with("src/a.rs\n") && sent.contains("fn f()") && !sent.contains(&token),
            "{sent}"
        );
        assert_eq!(of(".env"), ".env");
    }
}
