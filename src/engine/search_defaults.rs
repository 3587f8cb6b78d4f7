//! The defaults of the searches of a tree, from a file in the tree.

use serde::Deserialize;

use super::api::SearchRequest;
use super::core::Engine;
use spyhop_base::path::RelPath;
use spyhop_files::confined::RootFolder;
use spyhop_files::read::{Limits, ReadOutcome, TreeSource};

/// The file with the defaults, below the root of the tree.
const FILE: &str = ".spyhop/search.toml";

const MAX_BYTES: u64 = 64 << 10;

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct SearchDefaults {
    min_score: Option<f32>,
}

/// The threshold of the scores of a search of one tree.
pub(super) struct Threshold {
    pub score: f32,
    /// The file that set the threshold; `None` if the caller has set it, or nobody.
    pub file: Option<&'static str>,
    /// What is wrong with the file, which then counts as absent.
    pub fault: Option<String>,
}

impl Threshold {
    /// The threshold of `request`, which may be about several trees.
    pub fn given(request: &SearchRequest) -> Threshold {
        Threshold { score: request.min_score.unwrap_or(0.0), file: None, fault: None }
    }

    /// The threshold of `request`, or else of the tree.
    pub fn of(engine: &Engine, request: &SearchRequest) -> Threshold {
        let given = Threshold::given(request);
        if request.min_score.is_some() {
            return given;
        }
        match of_tree(engine) {
            Some(Ok(SearchDefaults { min_score: Some(score) })) => {
                Threshold { score, file: Some(FILE), ..given }
            }
            Some(Err(why)) => Threshold { fault: Some(format!("{FILE} is ignored: {why}")), ..given },
            Some(Ok(_)) | None => given,
        }
    }
}

/// The defaults of the tree, or the fault of the file; `None` if the folder of the tree has no such file. A host, whose tree may be
/// slow to read, chooses the values of its requests.
fn of_tree(engine: &Engine) -> Option<Result<SearchDefaults, String>> {
    if engine.tree().hosted().is_some() {
        return None;
    }
    let source = TreeSource::Folder(RootFolder::new(engine.root()));
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
