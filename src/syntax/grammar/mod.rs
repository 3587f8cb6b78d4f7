//! Grammars: the known languages, how a file's language is recognized, and what the node kinds of each language mean.
//!
//! This module owns the folders under `grammars/`, the table of linked parsers and the compiled roles; parsing and
//! walking belong to [`crate::analyze`]. Manifests are embedded in the binary and compiled at the first file of their
//! language, so a process that reads only Rust never looks at the node kinds of C. A user's grammar folder replaces a
//! manifest by its name through the same loader, so the built-in manifests have no special treatment.

mod bodies;
mod error;
mod highlights;
mod manifest;
mod parsers;
mod rules;

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

use serde::{Deserialize, Serialize};

pub use bodies::BodyRules;
pub use error::{GrammarError, UnknownLanguage};
pub use manifest::{Nesting, TypePlace};
pub use rules::{Item, ItemCase, NodeMeaning, Rules, Shape, flag, follow};
pub(crate) use rules::{follow_to_name, in_capitals};

use manifest::{Manifest, ManifestHead};
use parsers::{LINKED, Linked};
use spyhop_base::id::LanguageId;
use spyhop_base::path::RelPath;

/// Every language that this binary knows. `Grammars` is `Send + Sync`; share it in an `Arc`.
pub struct Grammars {
    languages: Vec<Language>,
    by_extension: HashMap<String, LanguageId>,
    by_file: HashMap<String, LanguageId>,
    by_interpreter: HashMap<String, LanguageId>,
    by_name: HashMap<String, LanguageId>,
    /// The languages that claim files with an extension of another language, with the line prefixes that decide.
    contested: HashMap<String, Vec<(LanguageId, Vec<String>)>>,
    /// See [`Grammars::fingerprint`].
    fingerprint: OnceLock<[u8; 16]>,
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

/// The index of a language in the table of linked parsers.
fn linked(name: &str) -> Result<usize, UnknownLanguage> {
    let place = LINKED.iter().position(|linked| linked.name == name);
    place.ok_or_else(|| UnknownLanguage {
        value: name.to_string(),
        choices: choices(LINKED.iter().map(|linked| linked.name)),
    })
}

struct Language {
    linked: &'static Linked,
    head: ManifestHead,
    /// The manifest, parsed at its first use.
    manifest: OnceLock<Manifest>,
    text: Cow<'static, str>,
    source_name: String,
    overridden: bool,
    rules: OnceLock<Rules>,
    /// See [`Grammars::highlights`].
    highlights: OnceLock<Vec<tree_sitter::Query>>,
}

impl Grammars {
    pub fn built_in() -> Grammars {
        let languages = LINKED.iter().map(Language::built_in).collect();
        Grammars::new(languages).expect("the built-in manifests are tested")
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

    /// The built-in languages, with `dir/<language>/grammar.toml` in place of the manifest of that name. Such a
    /// manifest is compiled at once, so that a mistake in it is an error here and not an empty result later.
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
            if let Err(unknown) = linked(&name) {
                return Err(GrammarError::Folder { path: folder, unknown });
            }
            let path = folder.join("grammar.toml");
            let text = spyhop_base::input::named_text(&path).map_err(read_error(&path))?;
            manifests.push(ManifestText { language: name, text, source_name: path.display().to_string() });
        }
        Grammars::with_manifests(manifests)
    }

    /// The built-in languages, with `manifests` in place of the built-in manifests of the same names. Each manifest is
    /// compiled at once.
    pub(crate) fn with_manifests(manifests: Vec<ManifestText>) -> Result<Grammars, GrammarError> {
        let mut languages: Vec<Language> = LINKED.iter().map(Language::built_in).collect();
        for ManifestText { language: name, text, source_name } in manifests {
            let place =
                linked(&name).map_err(|unknown| GrammarError::Folder { path: name.into(), unknown })?;
            languages[place] = Language::overriding(&LINKED[place], text, source_name)?;
        }
        let grammars = Grammars::new(languages)?;
        for (place, language) in grammars.languages.iter().enumerate() {
            let base = language.head.extends.as_deref();
            if language.overridden
                || grammars.languages.iter().any(|l| l.overridden && base == Some(&l.head.name))
            {
                let rules = grammars.compile(place)?;
                let _ = grammars.languages[place].rules.set(rules);
            }
        }
        Ok(grammars)
    }

    /// The manifests that replace built-in ones. With them, [`Grammars::with_manifests`] makes the same grammars in
    /// another process.
    pub(crate) fn overriding_manifests(&self) -> Vec<ManifestText> {
        let overridden = self.languages.iter().filter(|language| language.overridden);
        let manifest = |language: &Language| ManifestText {
            language: language.linked.name.to_string(),
            text: language.text.to_string(),
            source_name: language.source_name.clone(),
        };
        overridden.map(manifest).collect()
    }

    /// Whether files in language `id` are parsed.
    pub fn has_parser(&self, id: LanguageId) -> bool {
        self.language(id).is_some()
    }

    /// The language of a file: by its name, else its extension, else a `#!` in the first line of `text`.
    /// [`LanguageId::TEXT`] when none of these decides, and for XML with the extension of a language. Where languages
    /// share an extension, as C and C++ do, the lines of `text` decide.
    pub fn detect(&self, path: &RelPath, text: &str) -> LanguageId {
        if let Some(&id) = self.by_file.get(path.file_name()) {
            return id;
        }
        let Some((owner, extension)) = path.extension().and_then(|extension| self.owner(extension)) else {
            let by_interpreter = interpreter(text).and_then(|name| self.by_interpreter.get(name));
            return by_interpreter.copied().unwrap_or(LanguageId::TEXT);
        };
        if is_xml(extension, text) {
            return LanguageId::TEXT;
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
        let owner = path.extension().and_then(|extension| self.owner(extension));
        owner.is_none_or(|(_, extension)| {
            self.contested.contains_key(extension) || XML_EXTENSIONS.contains(&extension)
        })
    }

    /// The language that owns an extension, and the extension as spelled in the manifest.
    fn owner(&self, extension: &str) -> Option<(LanguageId, &str)> {
        let find = |extension: &str| self.by_extension.get_key_value(extension);
        let (extension, id) = find(extension).or_else(|| find(&extension.to_ascii_lowercase()))?;
        Some((*id, extension))
    }

    /// The language with the name or alias `name`, in any case.
    pub fn by_name(&self, name: &str) -> Result<LanguageId, UnknownLanguage> {
        self.by_name.get(name.to_lowercase().as_str()).copied().ok_or_else(|| UnknownLanguage {
            value: name.to_string(),
            choices: choices(self.languages.iter().map(|language| language.linked.name).chain(["text"])),
        })
    }

    /// The name of a language; `text` for the language without a grammar, and for an unknown number.
    pub fn name(&self, id: LanguageId) -> &'static str {
        self.language(id).map_or("text", |language| language.linked.name)
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
        self.language(id).map(|language| (language.linked.parser)())
    }

    /// The queries that say which colour a node of a language has, compiled at their first use; a later one wins.
    pub fn highlights(&self, id: LanguageId) -> &[tree_sitter::Query] {
        let Some(language) = self.language(id) else { return &[] };
        let compiled = || highlights::compiled(&(language.linked.parser)(), language.linked.highlights);
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
            let parser = (language.linked.parser)();
            let version = parser.metadata().map(|it| (it.major_version, it.minor_version, it.patch_version));
            let shape = format!(
                "{}\0{}\0{:?}\0{}\0{}\0{}\0",
                language.linked.name,
                parser.abi_version(),
                version,
                parser.node_kind_count(),
                parser.field_count(),
                parser.parse_state_count(),
            );
            hasher.update(shape.as_bytes());
            hasher.update(&(language.text.len() as u64).to_le_bytes());
            hasher.update(language.text.as_bytes());
        }
        let mut head = [0; 16];
        head.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
        head
    }

    /// The compiled roles of a language; `None` for a language without a grammar.
    pub fn rules(&self, id: LanguageId) -> Option<&Rules> {
        let language = self.language(id)?;
        Some(language.rules.get_or_init(|| {
            self.compile(id.0 as usize - 1)
                .expect("built-in manifests are tested, others compiled when loaded")
        }))
    }

    fn language(&self, id: LanguageId) -> Option<&Language> {
        self.languages.get((id.0 as usize).checked_sub(1)?)
    }

    fn compile(&self, place: usize) -> Result<Rules, GrammarError> {
        let language = &self.languages[place];
        let parser = (language.linked.parser)();
        match &language.head.extends {
            None => Rules::compile(language.manifest(), parser, &language.source_name),
            Some(base) => {
                let found = self.languages.iter().find(|other| other.head.name == *base);
                let found = found.filter(|other| other.head.extends.is_none()).ok_or_else(|| {
                    GrammarError::Manifest {
                        source_name: language.source_name.clone(),
                        message: format!(
                            "extends '{base}'; choose one of {}",
                            choices(self.languages.iter().map(|language| language.linked.name))
                        ),
                    }
                })?;
                let whole = language.manifest().clone().after(found.manifest());
                Rules::compile(&whole, parser, &language.source_name)
            }
        }
    }

    fn new(languages: Vec<Language>) -> Result<Grammars, GrammarError> {
        let mut grammars = Grammars {
            languages: Vec::new(),
            by_extension: HashMap::new(),
            by_file: HashMap::new(),
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
            head.files.iter().try_for_each(|it| claim(&mut grammars.by_file, it))?;
            head.interpreters.iter().try_for_each(|it| claim(&mut grammars.by_interpreter, it))?;
            head.aliases.iter().try_for_each(|it| claim(&mut grammars.by_name, it))?;
            claim(&mut grammars.by_name, &head.name)?;
            for it in &head.claims {
                let claims = grammars.contested.entry(it.extension.clone()).or_default();
                claims.push((id_of(place), it.lines.clone()));
            }
        }
        grammars.languages = languages;
        Ok(grammars)
    }
}

impl Language {
    fn built_in(linked: &'static Linked) -> Language {
        Language {
            linked,
            head: ManifestHead::of_built_in(linked.manifest).expect("the built-in manifests are tested"),
            manifest: OnceLock::new(),
            text: Cow::Borrowed(linked.manifest),
            source_name: format!("grammars/{}/grammar.toml", linked.name),
            overridden: false,
            rules: OnceLock::new(),
            highlights: OnceLock::new(),
        }
    }

    /// A language with a user's manifest, which is parsed completely, so that a mistake is reported.
    fn overriding(
        linked: &'static Linked,
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
        if manifest.name != linked.name {
            let (value, expected) = (manifest.name, linked.name.to_string());
            return Err(GrammarError::Name { source_name, value, expected });
        }
        let (manifest, rules) = (OnceLock::from(manifest), OnceLock::new());
        Ok(Language {
            linked,
            head,
            manifest,
            text: Cow::Owned(text),
            source_name,
            overridden: true,
            rules,
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

/// Extensions of a language that XML files have as well: `.ts` is used by TypeScript and by Qt's translations.
const XML_EXTENSIONS: &[&str] = &["ts"];

fn is_xml(extension: &str, text: &str) -> bool {
    XML_EXTENSIONS.contains(&extension)
        && ["<?xml", "<!DOCTYPE"].iter().any(|start| text.trim_start_matches('\u{feff}').starts_with(start))
}

/// Whether a line of `text` begins with one of `starts`, after white space.
fn begins_with_any(text: &str, starts: &[String]) -> bool {
    text.lines().map(str::trim_start).any(|line| starts.iter().any(|start| line.starts_with(start.as_str())))
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

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn every_manifest_compiles() {
        let grammars = Grammars::built_in();
        for place in 0..grammars.languages.len() {
            grammars.compile(place).map(drop).unwrap();
        }
    }

    #[test]
    fn folders_and_linked_parsers_agree() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("grammars");
        let mut folders: Vec<String> = fs::read_dir(&root)
            .unwrap()
            .map(|entry| entry.unwrap())
            .filter(|entry| entry.path().is_dir())
            .map(|entry| entry.file_name().into_string().unwrap())
            .collect();
        folders.sort();
        let linked: Vec<&str> = LINKED.iter().map(|linked| linked.name).collect();
        assert!(linked.is_sorted(), "{linked:?}");
        for name in &linked {
            assert!(folders.iter().any(|folder| folder == name), "{name} has no folder");
            for fixture in ["basic", "edge", "broken"] {
                let fixtures = fs::read_dir(root.join(name).join("fixtures")).unwrap();
                let files: Vec<String> =
                    fixtures.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
                let of = |file: &&String| file.starts_with(&format!("{fixture}."));
                assert_eq!(files.iter().filter(of).count(), 2, "{name}/{fixture} and its outline");
            }
        }
        // Fewer parsers are linked than there are folders only if a feature is off.
        let source = fs::read_to_string(root.with_file_name("grammar").join("parsers.rs")).unwrap();
        for folder in &folders {
            assert!(source.contains(&format!("row!(\"{folder}\"")), "{folder} has no row");
        }
    }

    #[test]
    fn the_head_of_a_manifest_comes_first() {
        for linked in LINKED {
            let whole: ManifestHead = toml::from_str(linked.manifest).unwrap();
            assert_eq!(ManifestHead::of_built_in(linked.manifest).unwrap(), whole);
            assert_eq!(whole.name, linked.name);
        }
    }

    #[test]
    fn no_two_languages_claim_one_name() {
        // `built_in` would panic on a conflict; this test only counts the claims.
        let grammars = Grammars::built_in();
        let claimed: usize = grammars.languages.iter().map(|it| it.head.extensions.len()).sum();
        assert_eq!(claimed, grammars.by_extension.len());
        assert!(grammars.list().iter().all(|row| !row.extensions.is_empty()));
    }

    #[test]
    fn a_file_tells_its_language() {
        let grammars = Grammars::built_in();
        let check = |path: &str, head: &str, expected: &str| {
            let id = grammars.detect(&RelPath::new(path).unwrap(), head);
            // With its feature off, a language's files are text.
            let linked = LINKED.iter().any(|linked| linked.name == expected);
            assert_eq!(grammars.name(id), if linked { expected } else { "text" }, "{path} {head}");
        };
        check("src/lib.rs", "", "rust");
        check("include/list.h", "", "c");
        check("A.PY", "", "python");
        check("types.d.ts", "", "typescript");
        check("app_de.ts", "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<!DOCTYPE TS>\n", "text");
        check("page.tsx", "", "tsx");
        check("SConstruct", "", "python");
        check("rs", "", "text");
        check(".rs", "", "text");
        check("Makefile", "all:", "text");
        check("bin/run", "#!/usr/bin/env -S python3.12 -u\nx", "python");
        check("bin/run", "#!/usr/bin/python3", "python");
        check("bin/run", "#! /usr/local/bin/node --harmony", "javascript");
        check("bin/run", "#!/usr/bin/env LANG=C node", "javascript");
        check("bin/run", "#!/bin/sh", "bash");
        check("bin/run", "#!", "text");
        check("bin/run", "x #!/usr/bin/python", "text");
        // The file name takes precedence over the first line.
        check("x.rs", "#!/usr/bin/env python", "rust");
        // C and C++ share an extension, and the lines decide.
        check("list.h", "#pragma once\nstruct list { struct list *next; };\n", "c");
        check("list.h", "#pragma once\n  template <typename T>\nclass List {};\n", "cpp");
    }

    #[test]
    fn a_language_is_found_by_its_names() {
        let grammars = Grammars::built_in();
        for (alias, name) in [("rs", "rust"), ("RUST", "rust"), ("ts", "typescript"), ("text", "text")] {
            assert_eq!(grammars.name(grammars.by_name(alias).unwrap()), name);
        }
        let error = grammars.by_name("cobol").unwrap_err().to_string();
        assert!(error.starts_with("unknown language 'cobol'; choose one of "), "{error}");
        assert!(error.contains(" rust, ") && error.ends_with(", text"), "{error}");
    }

    fn overridden(text: &str) -> Result<Grammars, GrammarError> {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("rust")).unwrap();
        fs::write(dir.path().join("rust/grammar.toml"), text).unwrap();
        Grammars::with_overrides(dir.path())
    }

    #[test]
    fn a_folder_overrides_a_manifest() {
        let built_in = Grammars::built_in();
        let grammars = overridden("name = \"rust\"\ntitle = \"Mine\"\nextensions = [\"rust\"]").unwrap();
        let rust = grammars.by_name("rust").unwrap();
        assert_eq!(grammars.detect(&RelPath::new("a.rust").unwrap(), ""), rust);
        assert_eq!(grammars.detect(&RelPath::new("a.rs").unwrap(), ""), LanguageId::TEXT);
        let rows: Vec<String> =
            grammars.list().into_iter().filter(|row| row.overridden).map(|row| row.title).collect();
        assert_eq!(rows, ["Mine"]);
        assert_ne!(grammars.fingerprint(), built_in.fingerprint());
        assert_eq!(Grammars::built_in().fingerprint(), built_in.fingerprint());
    }

    #[test]
    fn a_mistake_in_a_manifest_is_named_with_the_choices() {
        let check = |body: &str, expected: &str| {
            let error =
                overridden(&format!("name = \"rust\"\ntitle = \"R\"\n{body}")).err().unwrap().to_string();
            let error = error.split_once("grammar.toml: ").map_or(error.as_str(), |(_, error)| error);
            assert!(error.contains(expected), "{error}");
        };
        check(
            "comments = [\"line_coment\"]",
            "unknown node kind 'line_coment'; the nearest are line_comment, ",
        );
        check("[names]\nuse_list = \"nmae\"", "unknown field 'nmae'; the nearest are ");
        check("colour = 1", "unknown field `colour`, expected one of `name`, `title`");
        check(
            "[[item]]\nnode = \"struct_item\"\nkind = \"klass\"",
            "unknown kind 'klass'; choose one of fn, method, struct",
        );
        check("extends = \"cobol\"", "extends 'cobol'; choose one of ");
        check("aliases = [\"ts\"]", "'ts' belongs to ");
        let error = overridden("name = \"golang\"\ntitle = \"R\"").err().unwrap().to_string();
        assert!(error.ends_with("name 'golang' is not that of its folder, 'rust'"), "{error}");

        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("cobol")).unwrap();
        let error = Grammars::with_overrides(dir.path()).err().unwrap().to_string();
        assert!(
            error.contains("is not named after a language: unknown language 'cobol'; choose one of "),
            "{error}"
        );
    }
}
