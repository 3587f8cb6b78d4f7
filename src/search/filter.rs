//! The filter of a request: the files and chunks that can be results. No other module excludes results at the caller's
//! request. The restrictions that the index applies to documents are derived from this filter.

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use ignore::overrides::{Override, OverrideBuilder};
use ignore::types::{Types, TypesBuilder};
use memchr::memmem::Finder;

use spyhop_base::id::LanguageId;
use spyhop_base::limit::{self, AboveLimit};
use spyhop_base::model::{KindSet, SymbolKind};
use spyhop_base::path::{PathError, RelPath};
use spyhop_syntax::grammar::{Grammars, UnknownLanguage};

/// The filter of a request. All restrictions apply together; an empty list restricts nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct FilterSpec {
    /// A folder or file below the root. Only files in the folder, or only this file, can be results.
    pub path: Option<String>,
    /// Further folders and files; a file in any of them can be a result. Without `path` the list has no effect.
    pub or_paths: Vec<String>,
    /// Globs with the meaning of ripgrep's `-g`. If there are globs without `!`, a path must match one of them. A glob
    /// that begins with `!` excludes. The last glob that matches a path or a folder above the path decides. An exact
    /// search also reads ignored and hidden files that match a glob.
    pub ripgrep_globs: Vec<String>,
    /// Like `ripgrep_globs`, but case-insensitive.
    pub ripgrep_iglobs: Vec<String>,
    /// File types of ripgrep, such as `rust` or `all`; a file must have one of them, or match `ripgrep_globs` or
    /// `ripgrep_iglobs`.
    pub types: Vec<String>,
    /// File types of ripgrep whose files are excluded.
    pub types_not: Vec<String>,
    /// Definitions of further file types, or further globs of a type, such as `name:*.ext`.
    pub type_add: Vec<String>,
    /// The depth of folders that are searched below `path` and each of `or_paths`; 1 means only files directly in the
    /// folder.
    pub max_depth: Option<usize>,
    /// The size in bytes above which an exact search of the worktree excludes a file; `None` for no limit. Ranking
    /// disregards this size. `Options::max_file_bytes` is the limit of indexing: a
    /// file above that limit is indexed by its path only, but an exact search reads such a file as well.
    pub max_file_bytes: Option<u64>,
    /// Globs over the root-relative path, such as `src/**/*.rs`. If there are globs without `!`, a path must match one
    /// of them. A match of any glob that begins with `!` excludes; the order has no effect, unlike in `ripgrep_globs`. A
    /// glob without `/` is matched against the file name. `*` does not match `/`.
    pub path_globs: Vec<String>,
    /// Case-insensitive substrings; a path that contains one is excluded. `|` separates several in one entry.
    pub exclude: Vec<String>,
    /// Names of languages; a file must be in one of them, see `LanguageRow::name`.
    pub lang: Vec<String>,
    /// Kinds of symbols or chunks: a result is of one of them.
    pub kind: Vec<SymbolKind>,
}

impl FilterSpec {
    /// Checks the lengths of the lists before anything is compiled.
    fn check_limits(&self) -> Result<(), AboveLimit> {
        limit::entries("path", self.or_paths.len(), limit::MAX_PATHS)?;
        self.path.iter().try_for_each(|path| limit::bytes("path", path, limit::MAX_NAME_BYTES))?;
        let alternatives = self.exclude.iter().map(|patterns| patterns.split('|').count());
        limit::entries("exclude", alternatives.sum(), limit::MAX_ENTRIES)?;
        limit::entries("kind", self.kind.len(), limit::MAX_ENTRIES)?;
        let lists = [
            ("path_glob", &self.path_globs),
            ("glob", &self.ripgrep_globs),
            ("iglob", &self.ripgrep_iglobs),
            ("type", &self.types),
            ("type_not", &self.types_not),
            ("type_add", &self.type_add),
            ("exclude", &self.exclude),
            ("lang", &self.lang),
        ];
        lists.into_iter().try_for_each(|(name, list)| limit::patterns(name, list))
    }
}

/// A filter with compiled patterns.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    named: Vec<RelPath>,
    paths_below: Vec<RelPath>,
    overrides: Option<Overrides>,
    types: Option<Types>,
    max_depth: Option<usize>,
    max_file_bytes: Option<u64>,
    names: Option<Globs>,
    paths: Option<Globs>,
    /// The globs that exclude.
    names_out: Option<Globs>,
    paths_out: Option<Globs>,
    exclude: Vec<String>,
    languages: Vec<LanguageId>,
    kinds: Option<KindSet>,
}

/// Why a filter was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FilterError {
    /// The path is invalid or leaves the root.
    #[error(transparent)]
    Path(#[from] PathError),
    #[error("glob '{glob}': {reason}")]
    Glob {
        glob: String,
        /// Why the glob is invalid.
        reason: String,
    },
    /// A file type is unknown, or the definition of a type is invalid.
    #[error("type '{name}': {reason}")]
    Type {
        /// The type.
        name: String,
        /// Why the type is refused.
        reason: String,
    },
    #[error(transparent)]
    Language(#[from] UnknownLanguage),
    /// A list is too long.
    #[error(transparent)]
    Limit(#[from] AboveLimit),
}

impl Filter {
    /// Compiles the filter of a request.
    pub fn new(spec: &FilterSpec, grammars: &Grammars) -> Result<Filter, FilterError> {
        spec.check_limits()?;
        let (mut named, mut paths_below) = (Vec::new(), Vec::new());
        if let Some(path) = &spec.path {
            let all = std::iter::once(path).chain(&spec.or_paths);
            paths_below = all.map(|path| RelPath::new(path)).collect::<Result<Vec<_>, _>>()?;
            named.clone_from(&paths_below);
            if paths_below.iter().any(|path| path.as_str().is_empty()) {
                paths_below.clear();
            }
        }
        let has_slash = |glob: &&String| glob.contains('/');
        let (excluding, including): (Vec<&String>, Vec<&String>) =
            spec.path_globs.iter().partition(|glob| glob.starts_with('!'));
        let (paths, names): (Vec<&String>, Vec<&String>) = including.into_iter().partition(has_slash);
        let excluding: Vec<String> = excluding.iter().map(|glob| glob[1..].to_string()).collect();
        let (paths_out, names_out): (Vec<&String>, Vec<&String>) = excluding.iter().partition(has_slash);
        let (names_out, paths_out) = (globs(&names_out)?, globs(&paths_out)?);
        let exclude = spec
            .exclude
            .iter()
            .flat_map(|patterns| patterns.split('|'))
            .map(|pattern| pattern.trim().to_lowercase())
            .filter(|pattern| !pattern.is_empty())
            .collect();
        let languages = spec.lang.iter().map(|name| grammars.by_name(name)).collect::<Result<_, _>>()?;
        let kinds = (!spec.kind.is_empty()).then(|| spec.kind.iter().copied().collect());
        let overrides = overrides(&spec.ripgrep_globs, &spec.ripgrep_iglobs)?;
        let types = file_types(spec)?;
        let (names, paths) = (globs(&names)?, globs(&paths)?);
        let max_depth = spec.max_depth;
        Ok(Filter {
            named,
            paths_below,
            overrides,
            types,
            max_depth,
            max_file_bytes: spec.max_file_bytes,
            names,
            paths,
            names_out,
            paths_out,
            exclude,
            languages,
            kinds,
        })
    }

    /// Whether every file passes, so that no file has to be tested.
    pub fn takes_all_files(&self) -> bool {
        self.paths_below.is_empty()
            && self.overrides.is_none()
            && self.types.is_none()
            && self.max_depth.is_none()
            && self.names.is_none()
            && self.paths.is_none()
            && self.names_out.is_none()
            && self.paths_out.is_none()
            && self.exclude.is_empty()
            && self.languages.is_empty()
    }

    /// The globs with ripgrep's meaning; `None` if there are none.
    pub fn ripgrep_globs(&self) -> Option<&Override> {
        self.overrides.as_ref().map(|overrides| &overrides.0)
    }

    /// ripgrep's file types; `None` where none is selected.
    pub fn ripgrep_types(&self) -> Option<&Types> {
        self.types.as_ref()
    }

    /// Whether the filter depends on the languages of files.
    pub fn asks_for_languages(&self) -> bool {
        !self.languages.is_empty()
    }

    /// Whether a file with this path passes, apart from its language.
    pub fn takes_path(&self, path: &str) -> bool {
        self.refusal_of_path(path).is_none()
    }

    /// Whether an unreadable file or folder could have contributed a result: its path is within the filter, or the filter
    /// selects paths below the folder.
    pub fn may_take_below(&self, path: &RelPath, is_dir: bool) -> bool {
        let concerns =
            |folder: &RelPath| is_in(path.as_str(), folder) || (is_dir && is_in(folder.as_str(), path));
        self.paths_below.is_empty() || self.paths_below.iter().any(concerns)
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
        if let [folder, ..] = &self.paths_below[..]
            && !self.paths_below.iter().any(|folder| is_in(path, folder))
        {
            return Some(format!("path: it is not below '{folder}'"));
        }
        if let Some(overrides) = &self.overrides
            && self.leaves_out(overrides, path)
        {
            return Some("glob: it is left out".to_string());
        }
        let is_asked_for =
            || self.overrides.as_ref().is_some_and(|globs| globs.0.matched(path, false).is_whitelist());
        if let Some(types) = &self.types
            && types.matched(path, false).is_ignore()
            && !is_asked_for()
        {
            return Some("type: it is of another type".to_string());
        }
        if let Some(depth) = self.max_depth
            && self.depth(path) > depth
        {
            return Some(format!("max_depth: it is more than {depth} folders deep"));
        }
        let name = path.rsplit('/').next().unwrap_or(path);
        let matches =
            |globs: &Option<Globs>, text: &str| globs.as_ref().is_some_and(|globs| globs.is_match(text));
        if matches(&self.names_out, name) || matches(&self.paths_out, path) {
            return Some("path_glob: a glob with ! leaves it out".to_string());
        }
        if self.names.is_some() || self.paths.is_some() {
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

    /// Whether globs leave out a file below every path of the request that holds the file.
    fn leaves_out(&self, globs: &Overrides, path: &str) -> bool {
        match &self.named[..] {
            [] => globs.leaves_out(path, &RelPath::root()),
            named => {
                named.iter().filter(|named| is_in(path, named)).all(|named| globs.leaves_out(path, named))
            }
        }
    }

    /// The folders and files that the request names. The root may be one of them.
    pub fn named(&self) -> &[RelPath] {
        &self.named
    }

    /// The most bytes of a file that is searched.
    pub fn max_file_bytes(&self) -> Option<u64> {
        self.max_file_bytes
    }

    /// Which of the folders and files that the request names lets a file answer: the first one; 0 where none is named.
    pub fn place_of(&self, path: &str) -> usize {
        let takes = |named: &RelPath| {
            is_in(path, named) && !self.overrides.as_ref().is_some_and(|globs| globs.leaves_out(path, named))
        };
        self.named.iter().position(takes).unwrap_or(0)
    }

    /// How deep a file lies below the folder that lets the file answer: 1 in the folder itself, 0 for the file itself.
    fn depth(&self, path: &str) -> usize {
        let below = |folder: &RelPath| {
            let rest = path.strip_prefix(folder.as_str()).unwrap_or(path);
            rest.split('/').filter(|part| !part.is_empty()).count()
        };
        let folders = self.paths_below.iter().filter(|folder| is_in(path, folder));
        folders.map(below).min().unwrap_or_else(|| below(&RelPath::root()))
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

/// ripgrep's globs.
#[derive(Clone, Debug)]
struct Overrides(Override);

impl Overrides {
    /// Whether they leave out a file, or a folder above it and below `named`. What is named is taken whatever globs say, as in
    /// ripgrep.
    fn leaves_out(&self, path: &str, named: &RelPath) -> bool {
        let folders = path.match_indices('/').map(|(at, _)| &path[..at]);
        let mut below = folders.filter(|folder| folder.len() > named.as_str().len());
        below.any(|folder| self.0.matched(folder, true).is_ignore())
            || (path != named.as_str() && self.0.matched(path, false).is_ignore())
    }
}

fn overrides(globs: &[String], iglobs: &[String]) -> Result<Option<Overrides>, FilterError> {
    if globs.is_empty() && iglobs.is_empty() {
        return Ok(None);
    }
    // Paths are given relative to the root already.
    let mut builder = OverrideBuilder::new("");
    let bad = |glob: &str, error: ignore::Error| FilterError::Glob {
        glob: glob.to_string(),
        reason: error.to_string(),
    };
    for glob in globs {
        builder.add(glob).map_err(|error| bad(glob, error))?;
    }
    builder.case_insensitive(true).map_err(|error| bad(&iglobs.join(" "), error))?;
    for glob in iglobs {
        builder.add(glob).map_err(|error| bad(glob, error))?;
    }
    let all = builder.build();
    let reason =
        |error: ignore::Error| FilterError::Glob { glob: globs.join(" "), reason: error.to_string() };
    all.map(|all| Some(Overrides(all))).map_err(reason)
}

/// The file types of a filter, by ripgrep's definitions and those of the caller.
fn file_types(spec: &FilterSpec) -> Result<Option<Types>, FilterError> {
    if spec.types.is_empty() && spec.types_not.is_empty() {
        return Ok(None);
    }
    let mut builder = TypesBuilder::new();
    builder.add_defaults();
    for definition in &spec.type_add {
        builder
            .add_def(definition)
            .map_err(|error| FilterError::Type { name: definition.clone(), reason: error.to_string() })?;
    }
    spec.types.iter().for_each(|name| _ = builder.select(name));
    spec.types_not.iter().for_each(|name| _ = builder.negate(name));
    let built = builder.build().map_err(|error| FilterError::Type {
        name: spec.types.iter().chain(&spec.types_not).cloned().collect::<Vec<_>>().join(", "),
        reason: error.to_string(),
    });
    built.map(Some)
}

/// ripgrep's file types, each with its globs, and those of `type_add`.
///
/// # Errors
/// [`FilterError::Type`] for a definition that is not `name:glob`.
pub fn type_definitions(type_add: &[String]) -> Result<Vec<(String, Vec<String>)>, FilterError> {
    let mut builder = TypesBuilder::new();
    builder.add_defaults();
    for definition in type_add {
        builder
            .add_def(definition)
            .map_err(|error| FilterError::Type { name: definition.clone(), reason: error.to_string() })?;
    }
    let definitions = builder.definitions().into_iter();
    Ok(definitions.map(|row| (row.name().to_string(), row.globs().to_vec())).collect())
}

/// Whether `path` is `folder` or lies in it.
fn is_in(path: &str, folder: &RelPath) -> bool {
    let rest = path.strip_prefix(folder.as_str());
    rest.is_some_and(|rest| folder.as_str().is_empty() || rest.is_empty() || rest.starts_with('/'))
}

/// Globs of which any may match.
#[derive(Clone, Debug)]
struct Globs {
    set: GlobSet,
    /// A text that all paths contain which a single glob matches: searching for the text takes far less than matching.
    must: Option<Finder<'static>>,
}

impl Globs {
    fn is_match(&self, path: &str) -> bool {
        self.must.as_ref().is_none_or(|must| must.find(path.as_bytes()).is_some()) && self.set.is_match(path)
    }
}

/// The longest text that stands in all that a glob matches, where that is plain to see.
fn literal(glob: &str) -> Option<&str> {
    if glob.contains(['{', '[', '\\']) {
        return None;
    }
    // `**/a` matches `a` as well.
    let pieces = glob.split(['*', '?']).map(|piece| piece.trim_matches('/'));
    pieces.max_by_key(|piece| piece.len()).filter(|piece| !piece.is_empty())
}

fn globs(globs: &[&String]) -> Result<Option<Globs>, FilterError> {
    if globs.is_empty() {
        return Ok(None);
    }
    let error = |glob: &str, error: globset::Error| FilterError::Glob {
        glob: glob.to_string(),
        reason: error.kind().to_string(),
    };
    // A leading `/` or `./` names the root, which is where paths begin anyway.
    let below = |glob: &str| glob.trim_start_matches("./").trim_start_matches('/').to_string();
    let mut set = GlobSetBuilder::new();
    for glob in globs {
        let text = below(glob);
        set.add(GlobBuilder::new(&text).literal_separator(true).build().map_err(|e| error(glob, e))?);
    }
    let set = set.build().map_err(|e| error(globs[0], e))?;
    let must = match globs {
        [glob] => literal(&below(glob)).map(|text| Finder::new(text).into_owned()),
        _ => None,
    };
    Ok(Some(Globs { set, must }))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

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
        let glob =
            FilterSpec { path_globs: vec!["*.rs".into(), "docs/**/*.md".into()], ..Default::default() };
        check(
            glob,
            &["a/b.rs", "docs/a/b.md", "docs/b.md"],
            &[("a.md", "path_glob: no glob matches it"), ("x/docs/b.md", "path_glob: no glob matches it")],
        );
        let not = FilterSpec { path_globs: vec!["!*.json".into(), "!docs/**".into()], ..Default::default() };
        let why = "path_glob: a glob with ! leaves it out";
        check(not, &["a/b.rs", "json"], &[("a/b.json", why), ("docs/a/b.md", why)]);
        let both = FilterSpec { path_globs: vec!["src/**".into(), "!*.json".into()], ..Default::default() };
        check(both, &["src/a.rs"], &[("src/a.json", why), ("a.rs", "path_glob: no glob matches it")]);
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

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]

        #[test]
        fn a_text_that_must_occur_loses_nothing(
            glob in "(\\*\\*/|\\*|\\?|[ab./]|\\[ab\\]|\\{a,b\\}){0,7}(/\\*\\*)?",
            paths in prop::collection::vec("([ab.]{1,3}/){0,3}[ab.]{1,4}", 8),
        ) {
            let Ok(Some(globs)) = globs(&[&glob]) else { return Ok(()) };
            for path in &paths {
                prop_assert_eq!(globs.is_match(path), globs.set.is_match(path), "{} {}", glob, path);
            }
        }
    }

    #[test]
    fn a_text_that_must_occur_is_found_where_it_is_plain() {
        let check = |glob: &str, text: Option<&str>| assert_eq!(literal(glob), text, "{glob}");
        check("**/test/**", Some("test"));
        check("src/**/*_test.go", Some("_test.go"));
        check("*", None);
        check("**/*", None);
        check("a{b,c}", None);
        check("a[bc]d", None);
    }

    #[test]
    fn bad_parts_are_named() {
        let error = |spec: FilterSpec| Filter::new(&spec, &Grammars::built_in()).unwrap_err().to_string();
        let glob = FilterSpec { path_globs: vec!["a[".into()], ..Default::default() };
        assert!(error(glob).starts_with("glob 'a[': "));
        let path = FilterSpec { path: Some("../x".into()), ..Default::default() };
        assert_eq!(error(path), "path '../x' leaves its root");
        let many = FilterSpec { path_globs: vec!["*.rs".into(); 1_001], ..Default::default() };
        assert_eq!(error(many), "path_glob has 1001 entries; the limit is 1000");
        let long = FilterSpec { exclude: vec!["a|".repeat(1_000)], ..Default::default() };
        assert_eq!(error(long), "exclude has 1001 entries; the limit is 1000");
        let lang = FilterSpec { lang: vec!["cobold".into()], ..Default::default() };
        assert!(error(lang).contains("cobold"));
    }
}
