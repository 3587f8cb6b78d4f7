//! The raw values of a call, as a front end has read them.

use std::path::PathBuf;

use super::faces::Faces;
use super::param::Param;
use spyhop_base::path::RelPath;

/// A value that a parameter does not accept. The text names the parameter, the value and the choices.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ValueError(String);

impl ValueError {
    /// An error with this text.
    pub fn new(text: impl Into<String>) -> ValueError {
        ValueError(text.into())
    }
}

impl From<String> for ValueError {
    fn from(text: String) -> ValueError {
        ValueError(text)
    }
}

/// The values that a caller gave. A front end turns argv or JSON into these and knows nothing of requests.
///
/// Each method returns `None` or an empty list for a parameter that the caller left out, and an error for a value of
/// another type. Ranges are the engine's.
pub trait RawValues {
    /// Where the values come from: [`Faces::CommandLine`] or [`Faces::Tools`].
    fn face(&self) -> Faces;

    /// A text.
    fn text(&self, param: &Param) -> Result<Option<String>, ValueError>;

    /// Texts, in the order in which they were given.
    fn texts(&self, param: &Param) -> Result<Vec<String>, ValueError>;

    /// The text of a parameter for which a command line may say `-`, which stands for its standard input.
    fn text_or_input(&self, param: &Param, text: String) -> Result<String, ValueError> {
        let _ = param;
        Ok(text)
    }

    /// Words, each given text split at commas.
    fn words(&self, param: &Param) -> Result<Vec<String>, ValueError> {
        let texts = self.texts(param)?;
        Ok(texts.iter().flat_map(|text| text.split(',')).map(|word| word.trim().to_string()).collect())
    }

    /// Whether a flag is on.
    fn flag(&self, param: &Param) -> Result<Option<bool>, ValueError>;

    /// How often a flag is given.
    fn count(&self, param: &Param) -> Result<u8, ValueError> {
        Ok(self.flag(param)?.unwrap_or(false).into())
    }

    /// A whole number, or a number of bytes.
    fn number(&self, param: &Param) -> Result<Option<u64>, ValueError>;

    /// A number with a fraction.
    fn fraction(&self, param: &Param) -> Result<Option<f32>, ValueError>;

    /// The root-relative folder or file that limits a request; `None` for the whole tree.
    fn scope(&self, param: &Param) -> Result<Option<String>, ValueError>;

    /// Root-relative paths, which need not exist.
    fn paths(&self, param: &Param) -> Result<Vec<RelPath>, ValueError>;

    /// The caller's current folder, relative to the root; `None` where that is the root or lies outside the tree.
    fn current_folder(&self) -> Option<String> {
        None
    }

    /// A file or folder that need not lie in the tree, absolute.
    fn file(&self, param: &Param) -> Result<Option<PathBuf>, ValueError>;

    /// A file or folder as the caller spelled the path.
    fn text_of_path(&self, param: &Param) -> Result<Option<PathBuf>, ValueError>;

    /// The error for two parameters that exclude each other, each with its value.
    fn excluded(&self, one: (&Param, &str), other: (&Param, &str)) -> ValueError {
        let shown = |(param, value): (&Param, &str)| match self.face() {
            Faces::CommandLine => {
                format!("--{} {value}", param.name.replace('_', "-")).trim_end().to_string()
            }
            _ => format!("{} {value}", param.name).trim_end().to_string(),
        };
        ValueError::new(format!("{} and {} exclude each other; choose one", shown(one), shown(other)))
    }

    /// A pattern for paths below the root, which a front end may refuse.
    fn pattern(&self, param: &Param, pattern: String) -> Result<String, ValueError> {
        let _ = param;
        Ok(pattern)
    }
}
