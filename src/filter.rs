//! THE filter: which files and chunks may answer. Everything that leaves something out on the caller's wish is
//! decided here, and what the index pushes down is derived from it.

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

use crate::grammar::{Grammars, UnknownLanguage};
use crate::id::LanguageId;
use crate::model::{KindSet, SymbolKind};
use crate::path::{PathError, RelPath};

/// What the caller asked for, unresolved. An empty list means no restriction.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FilterSpec {
    /// A directory or file below the root; only what is in it answers.
    pub path: Option<String>,
    /// Globs over the root-relative path, such as `src/**/*.rs`; any of them may match. A glob without `/` is
    /// matched against the file name. `*` stays within a directory.
    pub path_glob: Vec<String>,
    /// Patterns that exclude, each a case-insensitive substring of the path; `|` separates several.
    pub exclude: Vec<String>,
    /// Names of languages, as `spyhop languages` lists them.
    pub lang: Vec<String>,
    /// Kinds of symbol or chunk.
    pub kind: Vec<SymbolKind>,
}

/// A filter, resolved and ready to decide.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    path: Option<RelPath>,
    names: Option<GlobSet>,
    paths: Option<GlobSet>,
    exclude: Vec<String>,
    languages: Vec<LanguageId>,
    kinds: Option<KindSet>,
}

/// Why a filter was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FilterError {
    /// The path leaves the root or is none.
    #[error(transparent)]
    Path(#[from] PathError),
    /// A glob cannot be read.
    #[error("glob '{glob}': {reason}")]
    Glob {
        /// Which one.
        glob: String,
        /// What is wrong with it.
        reason: String,
    },
    /// There is no such language.
    #[error(transparent)]
    Language(#[from] UnknownLanguage),
}

impl Filter {
    /// Resolves what was asked for.
    pub fn new(spec: &FilterSpec, grammars: &Grammars) -> Result<Filter, FilterError> {
        let path =
            spec.path.as_deref().map(RelPath::new).transpose()?.filter(|path| !path.as_str().is_empty());
        let (paths, names): (Vec<&String>, Vec<&String>) =
            spec.path_glob.iter().partition(|glob| glob.contains('/'));
        let exclude = spec
            .exclude
            .iter()
            .flat_map(|patterns| patterns.split('|'))
            .map(|pattern| pattern.trim().to_lowercase())
            .filter(|pattern| !pattern.is_empty())
            .collect();
        let languages = spec.lang.iter().map(|name| grammars.by_name(name)).collect::<Result<_, _>>()?;
        let kinds = (!spec.kind.is_empty()).then(|| spec.kind.iter().copied().collect());
        Ok(Filter { path, names: globs(&names)?, paths: globs(&paths)?, exclude, languages, kinds })
    }

    /// Whether it lets every file through, so that no file need be asked.
    pub fn takes_all_files(&self) -> bool {
        self.path.is_none()
            && self.names.is_none()
            && self.paths.is_none()
            && self.exclude.is_empty()
            && self.languages.is_empty()
    }

    /// Whether the language of a file plays a part.
    pub fn asks_for_languages(&self) -> bool {
        !self.languages.is_empty()
    }

    /// Whether a file with this path may answer, if its language does.
    pub fn takes_path(&self, path: &str) -> bool {
        self.refusal_of_path(path).is_none()
    }

    /// Whether a file may answer.
    pub fn takes_file(&self, path: &str, language: LanguageId) -> bool {
        self.refusal(path, language).is_none()
    }

    /// The part of the filter that leaves a file out, in words; `None` when it may answer.
    pub fn refusal(&self, path: &str, language: LanguageId) -> Option<String> {
        self.refusal_of_path(path).or_else(|| {
            let is_other = !self.languages.is_empty() && !self.languages.contains(&language);
            is_other.then(|| "lang: it is in another language".to_string())
        })
    }

    fn refusal_of_path(&self, path: &str) -> Option<String> {
        if let Some(folder) = &self.path {
            let inside = path
                .strip_prefix(folder.as_str())
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
            if !inside {
                return Some(format!("path: it is not below '{folder}'"));
            }
        }
        if self.names.is_some() || self.paths.is_some() {
            let name = path.rsplit('/').next().unwrap_or(path);
            let by_name = self.names.as_ref().is_some_and(|globs| globs.is_match(name));
            let by_path = self.paths.as_ref().is_some_and(|globs| globs.is_match(path));
            if !by_name && !by_path {
                return Some("path_glob: no glob matches it".to_string());
            }
        }
        if !self.exclude.is_empty() {
            let lower = path.to_lowercase();
            if let Some(pattern) = self.exclude.iter().find(|pattern| lower.contains(pattern.as_str())) {
                return Some(format!("exclude: its path contains '{pattern}'"));
            }
        }
        None
    }

    /// Whether a chunk with these kinds may answer.
    pub fn takes_kinds(&self, kinds: KindSet) -> bool {
        self.kinds.is_none_or(|wanted| wanted.meets(kinds))
    }

    /// The kinds asked for; `None` for any.
    pub fn kinds(&self) -> Option<KindSet> {
        self.kinds
    }
}

fn globs(globs: &[&String]) -> Result<Option<GlobSet>, FilterError> {
    if globs.is_empty() {
        return Ok(None);
    }
    let error = |glob: &str, error: globset::Error| FilterError::Glob {
        glob: glob.to_string(),
        reason: error.kind().to_string(),
    };
    let mut set = GlobSetBuilder::new();
    for glob in globs {
        // A leading `/` or `./` names the root, which is where paths begin anyway.
        let text = glob.trim_start_matches("./").trim_start_matches('/');
        set.add(GlobBuilder::new(text).literal_separator(true).build().map_err(|e| error(glob, e))?);
    }
    Ok(Some(set.build().map_err(|e| error(globs[0], e))?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(spec: FilterSpec, taken: &[&str], refused: &[(&str, &str)]) {
        let grammars = Grammars::built_in();
        let filter = Filter::new(&spec, &grammars).unwrap();
        let refusal = |path: &str| filter.refusal(path, grammars.detect(&RelPath::new(path).unwrap(), ""));
        for path in taken {
            assert_eq!(refusal(path), None, "{path}");
        }
        for (path, why) in refused {
            assert_eq!(refusal(path).as_deref(), Some(*why), "{path}");
        }
    }

    #[test]
    fn each_part_refuses_in_words() {
        check(FilterSpec::default(), &["a.rs", "b/c.md"], &[]);
        let path = FilterSpec { path: Some("src/io/".into()), ..Default::default() };
        check(path, &["src/io/a.rs", "src/io"], &[("src/iou/a.rs", "path: it is not below 'src/io'")]);
        let glob = FilterSpec { path_glob: vec!["*.rs".into(), "docs/**/*.md".into()], ..Default::default() };
        check(
            glob,
            &["a/b.rs", "docs/a/b.md", "docs/b.md"],
            &[("a.md", "path_glob: no glob matches it"), ("x/docs/b.md", "path_glob: no glob matches it")],
        );
        let exclude = FilterSpec { exclude: vec!["Test|mock".into()], ..Default::default() };
        check(
            exclude,
            &["src/a.rs"],
            &[
                ("src/a_test.rs", "exclude: its path contains 'test'"),
                ("MOCKS/a.rs", "exclude: its path contains 'mock'"),
            ],
        );
        let lang = FilterSpec { lang: vec!["rust".into()], ..Default::default() };
        check(lang, &["a.rs"], &[("a.ts", "lang: it is in another language")]);
    }

    #[test]
    fn bad_parts_are_named() {
        let error = |spec: FilterSpec| Filter::new(&spec, &Grammars::built_in()).unwrap_err().to_string();
        let glob = FilterSpec { path_glob: vec!["a[".into()], ..Default::default() };
        assert!(error(glob).starts_with("glob 'a[': "));
        let path = FilterSpec { path: Some("../x".into()), ..Default::default() };
        assert_eq!(error(path), "path '../x' leaves its root");
        let lang = FilterSpec { lang: vec!["cobold".into()], ..Default::default() };
        assert!(error(lang).contains("cobold"));
    }
}
