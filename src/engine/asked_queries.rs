//! The queries of one request. A panic is an error of its query: the other queries of the request are answered, and a
//! warning names the query that is lost.

use super::core::Engine;
use super::fault;
use crate::error::{Error, ErrorKind};
use spyhop_base::clean;
use spyhop_search::query::Query;

/// The queries of a request that could be parsed.
pub(crate) struct AskedQueries {
    /// The queries, in the order of the request.
    pub parsed: Vec<Query>,
    /// The position of each query in the request.
    pub(super) places: Vec<usize>,
    /// A warning for each other query.
    pub(super) lost: Vec<String>,
}

impl AskedQueries {
    /// Parses the queries of a request.
    pub fn new(engine: &Engine, texts: &[String]) -> Result<AskedQueries, Error> {
        let mut asked = AskedQueries { parsed: Vec::new(), places: Vec::new(), lost: Vec::new() };
        for (place, text) in texts.iter().enumerate() {
            match fault::guarded("parsing the query", || Ok(engine.parsers().query(text)?)) {
                Ok(query) => {
                    asked.parsed.push(query);
                    asked.places.push(place);
                }
                Err(error) if error.kind() == ErrorKind::Internal && texts.len() > 1 => {
                    asked.lost.push(lost_query(text, &error));
                }
                Err(error) => return Err(error),
            }
        }
        match asked.parsed.is_empty() {
            true => Err(Error::new(ErrorKind::Internal, asked.lost.join("; "))),
            false => Ok(asked),
        }
    }

    /// Whether the request has one query.
    pub(crate) fn is_one(&self) -> bool {
        self.parsed.len() == 1 && self.lost.is_empty()
    }
}

/// The warning about a query that is not answered.
pub(crate) fn lost_query(text: &str, fault: &Error) -> String {
    format!("the query '{}' is not answered: {fault}", clean::line(text))
}
