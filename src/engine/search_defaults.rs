//! The defaults of the searches of a tree, from a file in the tree.

use std::borrow::Cow;

use serde::Deserialize;

use super::api::SearchRequest;
use super::core::Engine;
use super::open_index::Viewed;
use super::origin::ReplyOrigin;
use spyhop_base::path::RelPath;
use spyhop_files::read::{Limits, ReadOutcome};
use spyhop_search::SearchSnapshot;

/// The file with the defaults, below the root of the tree.
const FILE: &str = ".spyhop/search.toml";

const MAX_BYTES: u64 = 64 << 10;

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct SearchDefaults {
    min_score: Option<f32>,
}

/// `request` with the defaults of the tree in place of what it does not choose. A file with a mistake changes nothing, and the reply
/// says what is wrong.
pub(super) fn filled<'r>(
    engine: &Engine,
    request: &'r SearchRequest,
    snapshot: &SearchSnapshot,
    origin: &mut ReplyOrigin,
) -> Cow<'r, SearchRequest> {
    if request.min_score.is_some() {
        return Cow::Borrowed(request);
    }
    match of_tree(engine, snapshot) {
        Some(Ok(SearchDefaults { min_score: Some(score) })) => {
            origin.default_min_score = Some(FILE);
            Cow::Owned(SearchRequest { min_score: Some(score), ..request.clone() })
        }
        Some(Err(fault)) => {
            origin.warnings.push(format!("{FILE} is ignored: {fault}"));
            Cow::Borrowed(request)
        }
        Some(Ok(_)) | None => Cow::Borrowed(request),
    }
}

/// The defaults of the tree, or the fault of the file; `None` if the tree has no such file.
fn of_tree(engine: &Engine, snapshot: &SearchSnapshot) -> Option<Result<SearchDefaults, String>> {
    let source = engine.tree().source_of(Viewed::from_snapshot(snapshot)).ok()?;
    let limits = Limits { max_file_bytes: MAX_BYTES, skip_generated: false, skip_minified: false };
    let ReadOutcome::Source(file) = source.read(&RelPath::new(FILE).ok()?, &limits) else { return None };
    let read: Result<SearchDefaults, _> = toml::from_str(&file.text);
    Some(match read {
        Ok(SearchDefaults { min_score: Some(score) }) if !(0.0..=1.0).contains(&score) => {
            Err(format!("min_score is {score}; choose 0 to 1"))
        }
        Ok(defaults) => Ok(defaults),
        Err(error) => Err(error.message().to_string()),
    })
}
