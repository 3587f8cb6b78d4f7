//! Grammars: the known languages, how a file's language is recognized, and what the node kinds of each language mean.
//!
//! This module owns the folders under `grammars/`, the table of linked parsers, the compiled roles and the line rules of
//! languages without a parser; parsing, walking and scanning belong to [`crate::analyze`]. Manifests are embedded in the binary and compiled at the first file of their
//! language, so a process that reads only Rust never looks at the node kinds of C. A user's grammar folder replaces a
//! manifest by its name through the same loader, so the built-in manifests have no special treatment.

mod bodies;
mod error;
mod highlights;
mod lexis;
mod line_rules;
mod manifest;
mod parsers;
mod regions;
mod rules;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, LazyLock, Mutex, OnceLock, PoisonError, Weak};

use serde::{Deserialize, Serialize};

pub use bodies::BodyRules;
pub use error::{GrammarError, UnknownLanguage};
pub use lexis::{DelimiterPair, Lexis};
pub use line_rules::{LineRule, LineRules};
pub use manifest::{EndsEntry, Nesting, TypePlace};
pub(crate) use regions::RegionRule;
pub use rules::{Item, ItemCase, NodeMeaning, Rules, Shape, Step, flag, follow};
pub(crate) use rules::{follow_to_name, in_capitals};

use manifest::{Manifest, ManifestHead};
use parsers::{BuiltInHead, HEADS, LINKED, Linked};
use spyhop_base::id::LanguageId;
use spyhop_base::model::SymbolKind;
use spyhop_base::path::RelPath;
use spyhop_base::text::Span;

/// Every language that this binary knows. `Grammars` is `Send + Sync`; share it in an `Arc`.
pub struct Grammars {
    languages: Vec<Language>,
    by_extension: HashMap<String, LanguageId>,
    by_file: HashMap<String, LanguageId>,
    /// File names before their first dot, where what follows does not matter.
    by_stem: HashMap<String, LanguageId>,
    by_interpreter: HashMap<String, LanguageId>,
    by_name: HashMap<String, LanguageId>,
    /// The languages that claim files with an extension of another language, with the line prefixes that decide.
    contested: HashMap<String, Vec<(LanguageId, Vec<String>)>>,
    /// See [`Grammars::fingerprint`].
    fingerprint: OnceLock<[u8; 16]>,
}

/// The most languages that a tree can add, and the most bytes of a manifest of one.
const MAX_OWN: usize = 64;
const MAX_OWN_BYTES: u64 = 64 << 10;

/// The comments, strings and keywords of a built-in language, read at their first use; `None` if its manifest names none.
pub(crate) fn lexis_of(language: &str) -> Option<&'static Lexis> {
    static KNOWN: LazyLock<Vec<OnceLock<Lexis>>> =
        LazyLock::new(|| HEADS.iter().map(|_| OnceLock::new()).collect());
    let place = HEADS.binary_search_by(|head| head.name.cmp(language)).ok()?;
    let section = Some(HEADS[place].lexis).filter(|section| !section.is_empty())?;
    Some(KNOWN[place].get_or_init(|| {
        let section = toml::from_str(section).expect("the built-in manifests are tested");
        Lexis::compile(&section).expect("the built-in manifests are tested")
    }))
}

/// A row of the list of languages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GrammarRow {
    pub id: LanguageId,
    /// The name in filters and replies.
    pub name: String,
    /// The name for people.
    pub title: String,
    /// Other names that filters accept.
    pub aliases: Vec<String>,
    /// The extensions that the language claims, without the dot.
    pub extensions: Vec<String>,
    /// Whether a user's manifest replaces the built-in one.
    pub overridden: bool,
}

/// The text of a manifest that replaces a built-in one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ManifestText {
    /// The language of the replaced manifest.
    pub language: String,
    pub text: String,
    /// The name of the manifest in errors: its path.
    pub source_name: String,
}

struct Language {
    name: &'static str,
    /// `None` for a language that is read by line rules.
    linked: Option<&'static Linked>,
    head: ManifestHead,
    /// The manifest, parsed at its first use.
    manifest: OnceLock<Manifest>,
    text: Cow<'static, str>,
    source_name: String,
    overridden: bool,
    rules: OnceLock<Rules>,
    line_rules: OnceLock<Option<LineRules>>,
    regions: OnceLock<Vec<RegionRule>>,
    named_by_file: OnceLock<Option<SymbolKind>>,
    /// See [`Grammars::highlights`].
    highlights: OnceLock<Vec<tree_sitter::Query>>,
}

impl Grammars {
    pub fn built_in() -> Grammars {
        Grammars::new(Language::all_built_in()).expect("the built-in manifests are tested")
    }

    /// The built-in languages, shared with everybody who holds them.
    pub fn shared() -> Arc<Grammars> {
        static SHARED: Mutex<Weak<Grammars>> = Mutex::new(Weak::new());
        let mut shared = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
        shared.upgrade().unwrap_or_else(|| {
            let built_in = Arc::new(Grammars::built_in());
            *shared = Arc::downgrade(&built_in);
            built_in
        })
    }

    /// The built-in languages, with `dir/<language>/grammar.toml` in place of the manifest of that name. A name that is
    /// not built in is that of another language with line rules. Each manifest is compiled at once, so that a mistake in
    /// it is an error here and not an empty result later.
    pub fn with_overrides(dir: &Path) -> Result<Grammars, GrammarError> {
        let read_error = |path: &Path| {
            let path = path.to_path_buf();
            move |source| GrammarError::Read { path, source }
        };
        let mut folders = Vec::new();
        for entry in std::fs::read_dir(dir).map_err(read_error(dir))? {
            let path = entry.map_err(read_error(dir))?.path();
            if path.is_dir() {
                folders.push(path);
            }
        }
        folders.sort();
        let mut manifests = Vec::new();
        for folder in folders {
            let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let path = folder.join("grammar.toml");
            let text = spyhop_base::input::named_text(&path).map_err(read_error(&path))?;
            manifests.push(ManifestText { language: name, text, source_name: path.display().to_string() });
        }
        Grammars::with_manifests(manifests)
    }

    /// The built-in languages with those in `.spyhop/grammars` below the root of a tree, and the faults of manifests there,
    /// which are left out. `None` if the tree has none. Links are not followed, so that no path leaves the tree.
    pub fn of_tree(root: &Path) -> (Option<Grammars>, Vec<GrammarError>) {
        let is = |path: &Path, fits: fn(&std::fs::Metadata) -> bool| {
            path.symlink_metadata().is_ok_and(|metadata| fits(&metadata))
        };
        let dir = root.join(".spyhop").join("grammars");
        let is_folder = |path: &Path| is(path, std::fs::Metadata::is_dir);
        if !is_folder(&root.join(".spyhop")) || !is_folder(&dir) {
            return (None, Vec::new());
        }
        let entries = std::fs::read_dir(&dir).into_iter().flatten().filter_map(Result::ok);
        let mut folders: Vec<_> = entries.map(|entry| entry.path()).filter(|path| is_folder(path)).collect();
        folders.sort();
        let (mut manifests, mut grammars, mut faults) = (Vec::new(), None, Vec::new());
        for folder in folders.into_iter().take(MAX_OWN) {
            let path = folder.join("grammar.toml");
            if !is(&path, |metadata| metadata.is_file() && metadata.len() <= MAX_OWN_BYTES) {
                continue;
            }
            let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let read = std::fs::read_to_string(&path);
            let read =
                read.map_err(|source| GrammarError::Read { path: path.clone(), source }).and_then(|text| {
                    manifests.push(ManifestText {
                        language: name,
                        text,
                        source_name: path.display().to_string(),
                    });
                    Grammars::with_manifests(manifests.clone()).inspect_err(|_| {
                        manifests.pop();
                    })
                });
            match read {
                Ok(read) => grammars = Some(read),
                Err(fault) => faults.push(fault),
            }
        }
        (grammars, faults)
    }

    /// The built-in languages, with `manifests` in place of the built-in manifests of the same names, or beside them. Each
    /// manifest is compiled at once.
    pub(crate) fn with_manifests(manifests: Vec<ManifestText>) -> Result<Grammars, GrammarError> {
        let mut languages = Language::all_built_in();
        for ManifestText { language: name, text, source_name } in manifests {
            match languages.binary_search_by(|language| language.name.cmp(&name)) {
                Ok(place) => {
                    let Language { name, linked, .. } = languages[place];
                    languages[place] = Language::read(name, linked, text, source_name)?;
                }
                Err(place) => {
                    let language = Language::read(interned(&name), None, text, source_name)?;
                    if !language.manifest().has_line_rules() {
                        let unknown = unknown(&name, languages.iter().map(|language| language.name));
                        return Err(GrammarError::Folder { path: name.into(), unknown });
                    }
                    languages.insert(place, language);
                }
            }
        }
        let grammars = Grammars::new(languages)?;
        for (place, language) in grammars.languages.iter().enumerate() {
            let base = language.head.extends.as_deref();
            if language.overridden
                || grammars.languages.iter().any(|l| l.overridden && base == Some(&l.head.name))
            {
                let language = &grammars.languages[place];
                if language.linked.is_some() {
                    let _ = language.rules.set(grammars.compile(place)?);
                }
                let _ = language.line_rules.set(grammars.compile_line_rules(place)?);
                let _ = language.regions.set(grammars.compile_regions(place)?);
                let _ = language.named_by_file.set(grammars.compile_kind_of_file(place)?);
            }
        }
        Ok(grammars)
    }

    /// The manifests that replace built-in ones. With them, [`Grammars::with_manifests`] makes the same grammars in
    /// another process.
    pub(crate) fn overriding_manifests(&self) -> Vec<ManifestText> {
        let overridden = self.languages.iter().filter(|language| language.overridden);
        let manifest = |language: &Language| ManifestText {
            language: language.name.to_string(),
            text: language.text.to_string(),
            source_name: language.source_name.clone(),
        };
        overridden.map(manifest).collect()
    }

    /// Whether files in language `id` are parsed.
    pub fn has_parser(&self, id: LanguageId) -> bool {
        self.language(id).is_some_and(|language| language.linked.is_some())
    }

    /// Whether files in language `id` are parsed, or parts of them.
    pub(crate) fn needs_parser(&self, id: LanguageId) -> bool {
        self.has_parser(id) || !self.regions(id).is_empty()
    }

    /// Whether language `id` is prose.
    pub fn is_prose(&self, id: LanguageId) -> bool {
        self.language(id).is_some_and(|language| language.head.prose)
    }

    /// The language of a file: by its name, else its extension, else a `#!` in the first line of `text`.
    /// [`LanguageId::TEXT`] when none of these decides, and for XML with the extension of a language. Where languages
    /// share an extension, as C and C++ do, the lines of `text` decide.
    pub fn detect(&self, path: &RelPath, text: &str) -> LanguageId {
        if let Some(&id) = self.by_file.get(path.file_name()) {
            return id;
        }
        let Some((owner, extension)) = self.owner_of(path) else {
            if let Some(id) = self.by_stem(path) {
                return id;
            }
            let by_interpreter = interpreter(text).and_then(|name| self.by_interpreter.get(name));
            return by_interpreter.copied().unwrap_or(LanguageId::TEXT);
        };
        if is_xml(extension, text) {
            return self.by_name("xml").unwrap_or(LanguageId::TEXT);
        }
        let claims = self.contested.get(extension).map_or(&[][..], Vec::as_slice);
        let claimed = claims.iter().find(|(_, lines)| begins_with_any(text, lines));
        claimed.map_or(owner, |(id, _)| *id)
    }

    /// Whether [`Grammars::detect`] looks at the text of a file with this path.
    pub fn depends_on_text(&self, path: &RelPath) -> bool {
        if self.by_file.contains_key(path.file_name()) {
            return false;
        }
        match self.owner_of(path) {
            Some((_, extension)) => {
                self.contested.contains_key(extension) || XML_EXTENSIONS.contains(&extension)
            }
            None => self.by_stem(path).is_none(),
        }
    }

    fn by_stem(&self, path: &RelPath) -> Option<LanguageId> {
        let (stem, _) = path.file_name().split_once('.')?;
        self.by_stem.get(stem).copied()
    }

    /// The language that owns the extension of a path, and the extension. An extension of two parts, as in `page.blade.php`, counts first.
    fn owner_of(&self, path: &RelPath) -> Option<(LanguageId, &str)> {
        let last = path.extension()?;
        let name = path.file_name();
        let stem = &name[..name.len().saturating_sub(last.len() + 1)];
        let both = stem.rfind('.').map(|dot| &name[dot + 1..]);
        both.and_then(|both| self.owner(both)).or_else(|| self.owner(last))
    }

    /// The language that owns an extension, and the extension as spelled in the manifest.
    fn owner(&self, extension: &str) -> Option<(LanguageId, &str)> {
        let find = |extension: &str| self.by_extension.get_key_value(extension);
        let (extension, id) = find(extension).or_else(|| find(&extension.to_ascii_lowercase()))?;
        Some((*id, extension))
    }

    /// The language with the name or alias `name`, in any case.
    pub fn by_name(&self, name: &str) -> Result<LanguageId, UnknownLanguage> {
        self.by_name
            .get(name.to_lowercase().as_str())
            .copied()
            .ok_or_else(|| unknown(name, self.languages.iter().map(|language| language.name).chain(["text"])))
    }

    /// The name of a language; `text` for the language without a grammar, and for an unknown number.
    pub fn name(&self, id: LanguageId) -> &'static str {
        self.language(id).map_or("text", |language| language.name)
    }

    /// Whether there is a language with that number.
    pub fn knows(&self, id: LanguageId) -> bool {
        id == LanguageId::TEXT || self.language(id).is_some()
    }

    /// Every language, sorted by name.
    pub fn list(&self) -> Vec<GrammarRow> {
        let row = |(place, language): (usize, &Language)| GrammarRow {
            id: id_of(place),
            name: language.head.name.clone(),
            title: language.head.title.clone(),
            aliases: language.head.aliases.clone(),
            extensions: language.head.extensions.clone(),
            overridden: language.overridden,
        };
        self.languages.iter().enumerate().map(row).collect()
    }

    /// The parser of a language; `None` for a language without a grammar.
    pub fn parser(&self, id: LanguageId) -> Option<tree_sitter::Language> {
        self.language(id)?.parser()
    }

    /// The queries that say which colour a node of a language has, compiled at their first use; a later one wins.
    pub fn highlights(&self, id: LanguageId) -> &[tree_sitter::Query] {
        let Some(language) = self.language(id) else { return &[] };
        let Some(linked) = language.linked else { return &[] };
        let compiled = || highlights::compiled(&(linked.parser)(), linked.highlights);
        language.highlights.get_or_init(compiled)
    }

    /// A hash over the manifests and the parsers: when it changes, files have to be analysed again. Parser crates do
    /// not report their version at run time, so the sizes of their tables stand in for it.
    pub fn fingerprint(&self) -> [u8; 16] {
        *self.fingerprint.get_or_init(|| self.hash_of_manifests_and_parsers())
    }

    fn hash_of_manifests_and_parsers(&self) -> [u8; 16] {
        let mut hasher = blake3::Hasher::new();
        for language in &self.languages {
            hasher.update(format!("{}\0", language.name).as_bytes());
            if let Some(parser) = language.parser() {
                let version =
                    parser.metadata().map(|it| (it.major_version, it.minor_version, it.patch_version));
                let shape = format!(
                    "{}\0{:?}\0{}\0{}\0{}\0",
                    parser.abi_version(),
                    version,
                    parser.node_kind_count(),
                    parser.field_count(),
                    parser.parse_state_count(),
                );
                hasher.update(shape.as_bytes());
            }
            hasher.update(&(language.text.len() as u64).to_le_bytes());
            hasher.update(language.text.as_bytes());
        }
        let mut head = [0; 16];
        head.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
        head
    }

    /// The compiled roles of a language; `None` for a language without a parser.
    pub fn rules(&self, id: LanguageId) -> Option<&Rules> {
        let language = self.language(id)?;
        language.linked?;
        Some(language.rules.get_or_init(|| {
            self.compile(id.0 as usize - 1)
                .expect("built-in manifests are tested, others compiled when loaded")
        }))
    }

    /// The compiled line rules of a language, if it has any.
    pub fn line_rules(&self, id: LanguageId) -> Option<&LineRules> {
        let language = self.language(id)?;
        let compiled = || {
            self.compile_line_rules(id.0 as usize - 1)
                .expect("built-in manifests are tested, others compiled when loaded")
        };
        language.line_rules.get_or_init(compiled).as_ref()
    }

    /// The text around the parts that are code in `inner`, in a language without a parser of its own, such as a page of ERB. Empty for
    /// other languages.
    pub fn page_text(&self, id: LanguageId, text: &str, inner: Option<&str>) -> Vec<Span> {
        let regions = if self.has_parser(id) { &[] } else { self.regions(id) };
        let Some(inner) =
            inner.filter(|inner| regions.iter().any(|own| own.language.as_deref() == Some(inner)))
        else {
            return Vec::new();
        };
        let (mut found, mut at) = (Vec::new(), 0);
        for part in crate::analyze::parts_in(text, regions, inner) {
            found.extend((part.start > at).then_some(Span { start: at, end: part.start }));
            at = at.max(part.end);
        }
        found.extend(((at as usize) < text.len()).then(|| Span::new(at as usize, text.len())));
        found
    }

    /// The code of a text in language `id`, if it is in strings, as in a notebook; every byte of it has its place.
    pub fn code_in_strings(&self, id: LanguageId, text: &str) -> Option<String> {
        crate::analyze::code_in_strings(text, if self.has_parser(id) { &[] } else { self.regions(id) })
    }

    /// The parts of files in language `id` that are in another language.
    pub(crate) fn regions(&self, id: LanguageId) -> &[RegionRule] {
        let Some(language) = self.language(id) else { return &[] };
        let compiled = || {
            self.compile_regions(id.0 as usize - 1)
                .expect("built-in manifests are tested, others compiled when loaded")
        };
        language.regions.get_or_init(compiled)
    }

    /// The kind of the symbol that each file in language `id` is, if the files are components.
    pub fn kind_of_file(&self, id: LanguageId) -> Option<SymbolKind> {
        let language = self.language(id).filter(|language| language.linked.is_none())?;
        *language.named_by_file.get_or_init(|| {
            self.compile_kind_of_file(id.0 as usize - 1)
                .expect("built-in manifests are tested, others compiled when loaded")
        })
    }

    fn language(&self, id: LanguageId) -> Option<&Language> {
        self.languages.get((id.0 as usize).checked_sub(1)?)
    }

    fn compile(&self, place: usize) -> Result<Rules, GrammarError> {
        let language = &self.languages[place];
        let parser = language.parser().expect("the caller looked");
        Rules::compile(&*self.whole_manifest(language)?, parser, &language.source_name)
    }

    fn compile_line_rules(&self, place: usize) -> Result<Option<LineRules>, GrammarError> {
        let language = &self.languages[place];
        LineRules::compile(&*self.whole_manifest(language)?, &language.source_name)
    }

    fn compile_regions(&self, place: usize) -> Result<Vec<RegionRule>, GrammarError> {
        let language = &self.languages[place];
        RegionRule::compile(&*self.whole_manifest(language)?, &language.source_name)
    }

    fn compile_kind_of_file(&self, place: usize) -> Result<Option<SymbolKind>, GrammarError> {
        let language = &self.languages[place];
        let manifest = self.whole_manifest(language)?;
        let kind = manifest.named_by_file.as_deref().map(str::parse).transpose();
        kind.map_err(|unknown| GrammarError::SymbolKind {
            source_name: language.source_name.clone(),
            unknown,
        })
    }

    /// The manifest of a language, behind that of the language that it extends.
    fn whole_manifest<'l>(&'l self, language: &'l Language) -> Result<Cow<'l, Manifest>, GrammarError> {
        let Some(base) = &language.head.extends else { return Ok(Cow::Borrowed(language.manifest())) };
        let found = self.languages.iter().find(|other| other.head.name == *base);
        let found = found.filter(|other| other.head.extends.is_none()).ok_or_else(|| {
            let names = self.languages.iter().map(|language| language.name);
            GrammarError::Manifest {
                source_name: language.source_name.clone(),
                message: format!("extends '{base}'; choose one of {}", choices(names)),
            }
        })?;
        Ok(Cow::Owned(language.manifest().clone().after(found.manifest())))
    }

    fn new(languages: Vec<Language>) -> Result<Grammars, GrammarError> {
        let mut grammars = Grammars {
            languages: Vec::new(),
            by_extension: HashMap::new(),
            by_file: HashMap::new(),
            by_stem: HashMap::new(),
            by_interpreter: HashMap::new(),
            contested: HashMap::new(),
            fingerprint: OnceLock::new(),
            by_name: HashMap::from([("text".into(), LanguageId::TEXT), ("txt".into(), LanguageId::TEXT)]),
        };
        for (place, language) in languages.iter().enumerate() {
            let head = &language.head;
            let claim = |map: &mut HashMap<String, LanguageId>, value: &String| match map
                .insert(value.clone(), id_of(place))
            {
                Some(owner) if owner != id_of(place) => Err(GrammarError::Claimed {
                    source_name: language.source_name.clone(),
                    value: value.clone(),
                    owner: match owner {
                        LanguageId::TEXT => "text".into(),
                        owner => languages[owner.0 as usize - 1].head.name.clone(),
                    },
                }),
                _ => Ok(()),
            };
            head.extensions.iter().try_for_each(|it| claim(&mut grammars.by_extension, it))?;
            for file in &head.files {
                match file.strip_suffix(".*") {
                    Some(stem) => claim(&mut grammars.by_stem, &stem.to_string())?,
                    None => claim(&mut grammars.by_file, file)?,
                }
            }
            head.interpreters.iter().try_for_each(|it| claim(&mut grammars.by_interpreter, it))?;
            head.aliases.iter().try_for_each(|it| claim(&mut grammars.by_name, it))?;
            claim(&mut grammars.by_name, &head.name)?;
            for it in &head.claims {
                let claims = grammars.contested.entry(it.extension.clone()).or_default();
                let at = if it.first { 0 } else { claims.len() };
                claims.insert(at, (id_of(place), it.lines.clone()));
            }
        }
        grammars.languages = languages;
        Ok(grammars)
    }
}

impl Language {
    /// The built-in languages, sorted by name.
    fn all_built_in() -> Vec<Language> {
        let language = |head: &'static BuiltInHead| {
            let linked = LINKED.iter().find(|linked| linked.name == head.name);
            let text = linked.map(|linked| linked.manifest).or(head.manifest)?;
            Some(Language {
                name: head.name,
                linked,
                head: ManifestHead::from(head),
                manifest: OnceLock::new(),
                text: Cow::Borrowed(text),
                source_name: format!("grammars/{}/grammar.toml", head.name),
                overridden: false,
                rules: OnceLock::new(),
                line_rules: OnceLock::new(),
                regions: OnceLock::new(),
                named_by_file: OnceLock::new(),
                highlights: OnceLock::new(),
            })
        };
        HEADS.iter().filter_map(language).collect()
    }

    fn parser(&self) -> Option<tree_sitter::Language> {
        self.linked.map(|linked| (linked.parser)())
    }

    /// A language with a user's manifest, which is parsed completely, so that a mistake is reported.
    fn read(
        name: &'static str,
        linked: Option<&'static Linked>,
        text: String,
        source_name: String,
    ) -> Result<Language, GrammarError> {
        let fault = |error: toml::de::Error| GrammarError::Manifest {
            source_name: source_name.clone(),
            message: error.to_string().trim_end().to_string(),
        };
        // Parsed before the whole, because only the head has fields that are required.
        let head: ManifestHead = toml::from_str(&text).map_err(fault)?;
        let manifest: Manifest = toml::from_str(&text).map_err(fault)?;
        if manifest.name != name {
            let (value, expected) = (manifest.name, name.to_string());
            return Err(GrammarError::Name { source_name, value, expected });
        }
        Ok(Language {
            name,
            linked,
            head,
            manifest: OnceLock::from(manifest),
            text: Cow::Owned(text),
            source_name,
            overridden: true,
            rules: OnceLock::new(),
            line_rules: OnceLock::new(),
            regions: OnceLock::new(),
            named_by_file: OnceLock::new(),
            highlights: OnceLock::new(),
        })
    }

    fn manifest(&self) -> &Manifest {
        let read = || toml::from_str(&self.text);
        self.manifest.get_or_init(|| read().expect("built-in manifests are tested, others read when loaded"))
    }
}

fn id_of(place: usize) -> LanguageId {
    LanguageId(place as u16 + 1)
}

/// A name that lives as long as the process. The names of a user's languages are few.
fn interned(name: &str) -> &'static str {
    static NAMES: Mutex<Vec<&'static str>> = Mutex::new(Vec::new());
    let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
    names.iter().copied().find(|known| *known == name).unwrap_or_else(|| {
        names.push(Box::leak(name.into()));
        names[names.len() - 1]
    })
}

/// Extensions of a language that XML files have as well: `.ts` is used by TypeScript and by Qt's translations.
const XML_EXTENSIONS: &[&str] = &["ts"];

fn is_xml(extension: &str, text: &str) -> bool {
    XML_EXTENSIONS.contains(&extension)
        && ["<?xml", "<!DOCTYPE"].iter().any(|start| text.trim_start_matches('\u{feff}').starts_with(start))
}

/// Whether a line of `text` begins with one of `starts`, after white space.
fn begins_with_any(text: &str, starts: &[String]) -> bool {
    text.lines().map(str::trim).any(|line| starts.iter().any(|start| begins_with(line, start)))
}

/// Whether a line begins with `start`, in which `*` stands for a name. A name at the end of `start` ends the line.
fn begins_with(line: &str, start: &str) -> bool {
    let Some((before, after)) = start.split_once('*') else { return line.starts_with(start) };
    let is_name = |c: char| c == '_' || c == ':' || c.is_alphanumeric();
    let Some(rest) = line.strip_prefix(before) else { return false };
    let behind = rest.trim_start_matches(is_name);
    behind.len() < rest.len() && if after.is_empty() { behind.is_empty() } else { behind.starts_with(after) }
}

fn unknown<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> UnknownLanguage {
    UnknownLanguage { value: name.to_string(), choices: choices(known) }
}

fn choices<'a>(names: impl Iterator<Item = &'a str>) -> String {
    names.collect::<Vec<_>>().join(", ")
}

/// The interpreter in a `#!` first line, without its directory and version: `python` for `#!/usr/bin/env -S python3.12
/// -u`.
fn interpreter(head: &str) -> Option<&str> {
    let line = head.strip_prefix("#!")?.lines().next()?;
    let mut words = line.split_whitespace();
    let mut name = words.next()?.rsplit('/').next()?;
    if name == "env" {
        name = words.find(|word| !word.starts_with('-') && !word.contains('='))?.rsplit('/').next()?;
    }
    Some(name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '-'))
}
