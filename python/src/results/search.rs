//! Ranked searches: the reply with its hits and reasons, and why a file is not among them.

use pyo3::prelude::*;
use serde::{Deserialize, Serialize};

use super::{Snapshot, char_spans, frame, result_methods};
use crate::failure::kebab;
use crate::rows::Rows;

/// The answer to a ranked search. `len(reply)`, `reply[0]` and iteration are those of `reply.results`.
#[pyclass(frozen, eq, get_all, module = "spyhop")]
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub struct SearchReply {
    query: String,
    results: Rows<Hit>,
    total: usize,
    offset: usize,
    next: Option<String>,
    evidence_used: String,
    literal_lines: usize,
    literal_complete: bool,
    warnings: Vec<String>,
    snapshot: Snapshot,
}

impl From<spyhop::SearchReply> for SearchReply {
    fn from(reply: spyhop::SearchReply) -> SearchReply {
        SearchReply {
            query: reply.query,
            results: reply.results.into_iter().map(Hit::from).collect(),
            total: reply.total,
            offset: reply.offset,
            next: reply.next,
            evidence_used: reply.evidence_used,
            literal_lines: reply.literal_lines,
            literal_complete: reply.literal_complete,
            warnings: reply.warnings,
            snapshot: Snapshot::from(reply.snapshot),
        }
    }
}

result_methods!(SearchReply {
    fn __len__(&self) -> usize {
        self.results.len()
    }

    fn __getitem__<'py>(&self, py: Python<'py>, at: Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.results.objects(py)?.as_any().get_item(at)
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(self.results.objects(py)?.as_any().try_iter()?.into_any())
    }

    fn __repr__(&self) -> String {
        format!("<SearchReply {:?}: {} of {} hits>", self.query, self.results.len(), self.total)
    }

    fn to_pandas<'py>(this: Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        frame(this.py(), "of_hits", this.into_any())
    }
});

/// The answers to many queries, in their order. `len(replies)`, `replies[0]` and iteration are those of `replies.results`.
#[pyclass(frozen, eq, get_all, module = "spyhop")]
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub struct SearchReplies {
    results: Rows<SearchReply>,
}

impl FromIterator<SearchReply> for SearchReplies {
    fn from_iter<I: IntoIterator<Item = SearchReply>>(replies: I) -> SearchReplies {
        SearchReplies { results: replies.into_iter().collect() }
    }
}

result_methods!(SearchReplies {
    fn __len__(&self) -> usize {
        self.results.len()
    }

    fn __getitem__<'py>(&self, py: Python<'py>, at: Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.results.objects(py)?.as_any().get_item(at)
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(self.results.objects(py)?.as_any().try_iter()?.into_any())
    }

    fn __repr__(&self) -> String {
        format!("<SearchReplies of {} queries>", self.results.len())
    }

    fn to_pandas<'py>(this: Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        frame(this.py(), "of_replies", this.into_any())
    }
});

/// A place in a file.
#[pyclass(frozen, eq, get_all, module = "spyhop")]
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub struct Hit {
    path: String,
    lines: (u32, u32),
    kind: String,
    symbol: Option<String>,
    language: String,
    score: f32,
    band: String,
    reasons: Rows<Reason>,
    snippet: Option<String>,
    snippet_lines: Option<(u32, u32)>,
    highlights: Vec<(usize, usize)>,
    representative_line: Option<(u32, String)>,
    content_hash: Option<String>,
    stale: bool,
}

impl From<spyhop::Hit> for Hit {
    fn from(hit: spyhop::Hit) -> Hit {
        let (snippet, snippet_lines, highlights) = match hit.snippet {
            Some(snippet) => {
                let spans = snippet.highlights.iter().map(|span| (span.start, span.end));
                let highlights = char_spans(&snippet.text, spans);
                (Some(snippet.text), Some((snippet.lines.first, snippet.lines.last)), highlights)
            }
            None => (None, None, Vec::new()),
        };
        Hit {
            path: hit.path.to_string(),
            lines: (hit.lines.first, hit.lines.last),
            kind: hit.kind.name().to_string(),
            symbol: hit.symbol,
            language: hit.language.to_string(),
            score: hit.score,
            band: hit.band.name().to_string(),
            reasons: hit.reasons.into_iter().map(Reason::from).collect(),
            snippet,
            snippet_lines,
            highlights,
            representative_line: hit.representative_line.map(|line| (line.line, line.text)),
            content_hash: hit.content.map(|hash| hash.to_string()),
            stale: hit.stale,
        }
    }
}

result_methods!(Hit {
    fn __repr__(&self) -> String {
        let (first, last) = self.lines;
        let symbol = self.symbol.as_deref().map(|symbol| format!(" {symbol}")).unwrap_or_default();
        format!("<Hit {}:{first}-{last}{symbol} {:.3}>", self.path, self.score)
    }
});

/// What a signal adds to a score.
#[pyclass(frozen, eq, get_all, module = "spyhop")]
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub struct Reason {
    signal: String,
    contribution: f32,
    text: String,
}

impl From<spyhop::Reason> for Reason {
    fn from(reason: spyhop::Reason) -> Reason {
        Reason {
            signal: reason.signal.name().to_string(),
            contribution: reason.contribution,
            text: reason.text,
        }
    }
}

result_methods!(Reason {
    fn __repr__(&self) -> String {
        format!("<Reason {:+.3} {}>", self.contribution, self.text)
    }
});

/// Why a file has its rank for a query, or has none.
#[pyclass(frozen, eq, get_all, module = "spyhop")]
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub struct WhyNot {
    path: String,
    verdict: String,
    text: String,
    rank: Option<usize>,
    hit: Option<Hit>,
    missing: Rows<Gap>,
    nearest: Vec<String>,
}

impl From<spyhop::WhyNot> for WhyNot {
    fn from(answer: spyhop::WhyNot) -> WhyNot {
        // The name of the variant, without its fields.
        let verdict = format!("{:?}", answer.verdict);
        let verdict = verdict.split(|letter: char| !letter.is_alphanumeric()).next().unwrap_or_default();
        WhyNot {
            path: answer.path.to_string(),
            verdict: kebab(verdict),
            text: answer.text,
            rank: answer.rank,
            hit: answer.hit.map(Hit::from),
            missing: answer.missing.into_iter().map(Gap::from).collect(),
            nearest: answer.nearest,
        }
    }
}

result_methods!(WhyNot {
    fn __repr__(&self) -> String {
        format!("<WhyNot {}: {}>", self.path, self.verdict)
    }
});

/// A signal on which a file falls behind the tenth hit.
#[pyclass(frozen, eq, get_all, module = "spyhop")]
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub struct Gap {
    signal: String,
    own: f32,
    tenth: f32,
}

impl From<spyhop::Gap> for Gap {
    fn from(gap: spyhop::Gap) -> Gap {
        Gap { signal: gap.signal.name().to_string(), own: gap.own, tenth: gap.tenth }
    }
}

result_methods!(Gap {
    fn __repr__(&self) -> String {
        format!("<Gap {}: {:+.3}, tenth hit {:+.3}>", self.signal, self.own, self.tenth)
    }
});
