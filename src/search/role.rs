//! The role of a file by its path: test, compatibility code, generated, platform, past version.
//!
//! Only the path is read, so the role is cheap, and a reason can quote the part of the path.

use spyhop_base::id::LanguageId;
use spyhop_syntax::grammar::Grammars;

/// Folders of tests, benches, examples and fixtures.
const TEST_PARTS: &[&str] = &[
    "test",
    "tests",
    "testing",
    "testdata",
    "__tests__",
    "spec",
    "specs",
    "bench",
    "benches",
    "benchmark",
    "benchmarks",
    "example",
    "examples",
    "fixture",
    "fixtures",
    "mock",
    "mocks",
    "fake",
    "fakes",
    "stubs",
    "testutil",
    "testutils",
    "e2e",
    "baselines",
];

/// Words of a file name that mark tests, between separators.
const TEST_WORDS: &[&str] = &["test", "tests", "spec", "bench", "mock", "fixture", "example"];

const COMPAT_PARTS: &[&str] = &[
    "compat",
    "legacy",
    "deprecated",
    "deprecations",
    "obsolete",
    "vendor",
    "vendored",
    "third_party",
    "thirdparty",
    "third-party",
    "external",
    "_vendor",
    "deps",
];

/// Words of a path that mark generated code.
const GENERATED_WORDS: &[&str] = &["generated", "pb", "pb2", "deepcopy"];

/// Folders of builds and bundles. A folder `build` often holds the sources of a build system.
const BUILT_PARTS: &[&str] = &["dist", "bundles"];

/// Parts of the names of bundles and minified scripts.
const BUILT_NAMES: &[&str] = &[".min.", ".bundle.", "-bundle."];

/// Files that tools write: build systems, package managers, generators of lexers and parsers.
const GENERATED_FILES: &[&str] = &[
    "aclocal.m4",
    "bun.lock",
    "cargo.lock",
    "compile_commands.json",
    "composer.lock",
    "config.guess",
    "config.sub",
    "configure",
    "depcomp",
    "flake.lock",
    "gemfile.lock",
    "go.sum",
    "install-sh",
    "lex.yy.c",
    "libtool.m4",
    "ltmain.sh",
    "mkinstalldirs",
    "mix.lock",
    "npm-shrinkwrap.json",
    "package-lock.json",
    "pipfile.lock",
    "pnpm-lock.yaml",
    "podfile.lock",
    "poetry.lock",
    "pubspec.lock",
    "uv.lock",
    "y.tab.c",
    "y.tab.h",
    "yarn.lock",
];

/// The part of the path that marks a test, if any.
pub fn test_part(path: &str) -> Option<&str> {
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    folders.split('/').find(|part| matches(part, TEST_PARTS)).or_else(|| {
        let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
        stem.split(['_', '-', '.']).find(|word| matches(word, TEST_WORDS))
    })
}

/// The part of the path that marks compatibility or vendored code, if any.
pub fn compat_part(path: &str) -> Option<&str> {
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    folders.split('/').find(|part| matches(part, COMPAT_PARTS)).or_else(|| {
        let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
        stem.split(['_', '-', '.']).find(|word| matches(word, COMPAT_PARTS))
    })
}

/// The part of the path that marks generated code, if any.
pub fn generated_part(path: &str) -> Option<&str> {
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    if matches(name, GENERATED_FILES) {
        return Some(name);
    }
    if let Some(part) = BUILT_NAMES.iter().find(|part| name.contains(**part)) {
        return Some(part);
    }
    let is_made = |part: &&str| matches(part, GENERATED_WORDS) || matches(part, BUILT_PARTS);
    folders.split('/').find(is_made).or_else(|| {
        let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
        stem.split(['_', '-', '.']).find(|word| matches(word, GENERATED_WORDS))
    })
}

/// Whether a file is a test, generated, vendored or compatibility code.
pub fn is_aside(path: &str) -> bool {
    test_part(path).is_some() || compat_part(path).is_some() || generated_part(path).is_some()
}

/// Whether a file is prose: in a language of prose such as Markdown, or text without a grammar that is not a template.
pub fn is_prose(path: &str, language: LanguageId, grammars: &Grammars) -> bool {
    grammars.is_prose(language) || (language == LanguageId::TEXT && !is_template(path))
}

/// Extensions of templates and components: markup with embedded code.
const TEMPLATE_EXTENSIONS: &[&str] = &[
    "astro",
    "cshtml",
    "eex",
    "ejs",
    "erb",
    "ftl",
    "gohtml",
    "haml",
    "handlebars",
    "hbs",
    "heex",
    "j2",
    "jinja",
    "jinja2",
    "jsp",
    "latte",
    "leaf",
    "leex",
    "liquid",
    "mako",
    "mustache",
    "njk",
    "pug",
    "razor",
    "slim",
    "svelte",
    "tmpl",
    "tpl",
    "twig",
    "vm",
    "vue",
];

/// Folders of templates. Markup below them belongs to the code.
const TEMPLATE_PARTS: &[&str] = &["layouts", "partials", "templates", "views"];

/// Whether a file is a template: markup with embedded code, by its extension or its folder.
pub(crate) fn is_template(path: &str) -> bool {
    let folders = path.rsplit_once('/').map_or("", |(folders, _)| folders);
    has_extension(path, TEMPLATE_EXTENSIONS)
        || path.ends_with(".component.html")
        || (has_extension(path, &["htm", "html", "xhtml", "xml"])
            && folders.split('/').any(|part| matches(part, TEMPLATE_PARTS)))
}

/// Folders and words for one operating system or platform.
const PLATFORM_PARTS: &[&str] = &[
    "win", "win32", "windows", "darwin", "macos", "osx", "ios", "android", "aix", "sunos", "solaris",
    "os390", "haiku", "qnx", "cygwin", "mingw", "freebsd", "openbsd", "netbsd", "wasm", "wasi",
];

/// The part of the path that names one platform, if any.
pub(crate) fn platform_part(path: &str) -> Option<&str> {
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    folders.split('/').find(|part| matches(part, PLATFORM_PARTS)).or_else(|| {
        let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
        stem.split(['_', '-', '.']).find(|word| matches(word, PLATFORM_PARTS))
    })
}

/// Whether a file is a header of C, C++ or Objective-C.
pub fn is_header(path: &str) -> bool {
    has_extension(path, &["h", "hh", "hpp", "hxx"])
}

/// Whether a file is a source of C, C++ or Objective-C, and not a header.
pub(crate) fn is_source_of_header(path: &str) -> bool {
    has_extension(path, &["c", "cc", "cpp", "cxx", "m", "mm"])
}

fn has_extension(path: &str, extensions: &[&str]) -> bool {
    path.rsplit_once('.').is_some_and(|(_, extension)| matches(extension, extensions))
}

/// Whether the name of a folder denotes a version or old code.
pub fn is_past(part: &str) -> bool {
    let is_version = part
        .strip_prefix(['v', 'V'])
        .is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_digit()));
    is_version || matches(part, COMPAT_PARTS)
}

/// Folders of texts by language.
const TRANSLATION_PARTS: &[&str] =
    &["i18n", "l10n", "lang", "langs", "locale", "locales", "translation", "translations"];

/// Extensions of files that hold nothing but texts by language.
const TRANSLATION_EXTENSIONS: &[&str] = &["arb", "po", "pot", "strings", "xlf", "xliff"];

/// The language whose texts the others translate.
const BASE_LANGUAGE: &[&str] = &["base", "default", "en", "en-us", "en_us"];

/// How far translations stand back as data: the code that shows a text stands before them. Another language stands back further
/// if the base language has the text, because files of translations repeat the texts that are not translated yet.
pub(crate) const OF_BASE_LANGUAGE: f32 = 3.0;
pub(crate) const OF_ONLY_LANGUAGE: f32 = 4.0;
pub(crate) const OF_OTHER_LANGUAGE: f32 = 8.0;

/// How far a file is data, settings or markup: 1, or more for translations. A template is markup and code.
pub(crate) fn data_share(path: &str, language_name: &str) -> f32 {
    let is_data = matches!(
        language_name,
        "json" | "toml" | "yaml" | "css" | "html" | "scss" | "less" | "xml" | "ini" | "properties"
    );
    match translation_part(path).filter(|_| is_data || has_extension(path, TRANSLATION_EXTENSIONS)) {
        _ if is_template(path) => 0.5,
        Some(_) if is_of_base_language(path) => OF_BASE_LANGUAGE,
        Some(_) => OF_OTHER_LANGUAGE,
        None => is_data as u8 as f32,
    }
}

/// Whether a file of translations has the texts of the base language.
pub(crate) fn is_of_base_language(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    // Tools write the texts that the code shows into such a file.
    let is_extracted = has_extension(path, &["pot", "xlf", "xliff"]) && name.matches('.').count() == 1;
    let is_default = resource_part(path) == Some(RESOURCES);
    is_extracted || is_default || path.split(['/', '.']).any(|part| matches(part, BASE_LANGUAGE))
}

/// The part of the path that marks a file of translations, if any.
pub(crate) fn translation_part(path: &str) -> Option<&str> {
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    let is_part = |part: &&str| matches(part, TRANSLATION_PARTS) || part.ends_with(".lproj");
    folders.split('/').find(is_part).or_else(|| resource_part(path)).or_else(|| {
        let (stem, extension) = name.rsplit_once('.')?;
        // `messages_pt_BR.properties`, `Texts.de.resx`.
        let language = match extension {
            "properties" => last_language(stem),
            "resx" => stem.rsplit_once('.').map(|(_, language)| language),
            _ => None,
        };
        let is_translation = matches(extension, TRANSLATION_EXTENSIONS);
        let is_known = |own: &&str| {
            let code = own.split(['_', '-']).next();
            is_language(own) && LANGUAGES.split(' ').any(|known| code == Some(known))
        };
        language.filter(is_known).or(Some(extension).filter(|_| is_translation))
    })
}

/// The codes of languages of two letters: ISO 639-1.
const LANGUAGES: &str = "aa ab ae af ak am an ar as av ay az ba be bg bh bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de dv dz ee el \
    en eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id ie ig ii ik in io is it \
    iu iw ja ji jv ka kg ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mr ms \
    mt my na nb nd ne ng nl nn no nr nv ny oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg si sk sl \
    sm sn so sq sr ss st su sv sw ta te tg th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za \
    zh zu";

/// The language at the end of the name of a bundle, with its region: `pt_BR` of `user_messages_pt_BR`.
fn last_language(stem: &str) -> Option<&str> {
    let (before, last) = stem.rsplit_once('_')?;
    let is_region = last.len() == 2 && last.bytes().all(|byte| byte.is_ascii_uppercase());
    match before.rsplit_once('_').filter(|_| is_region) {
        Some((above, _)) => Some(&stem[above.len() + 1..]),
        None => Some(last),
    }
}

/// The folder of the resources of Android in the default language.
const RESOURCES: &str = "values";

/// The beginnings of the names of files of texts in this folder.
const RESOURCE_NAMES: &[&str] = &["arrays", "plurals", "strings", "texts"];

/// The folder of a file of the resources of Android or Compose if it is of the default language or of another one: `values`,
/// `values-pt-rBR`, and not `values-night`.
fn resource_part(path: &str) -> Option<&str> {
    let mut parts = path.rsplit('/');
    let (name, folder, above) = (parts.next()?, parts.next()?, parts.next()?);
    let qualifier =
        folder.strip_prefix(RESOURCES).filter(|_| above == "res" || above.ends_with("Resources"))?;
    let language = qualifier.strip_prefix("-b+").or_else(|| qualifier.strip_prefix('-'));
    // Other files of the default folder have colours and sizes.
    let is_one = match language {
        None => qualifier.is_empty() && RESOURCE_NAMES.iter().any(|begin| name.starts_with(begin)),
        Some(language) => language != "car" && is_language(language),
    };
    is_one.then_some(folder)
}

/// Whether a text is the code of a language, with or without a region: `de`, `pt_BR`, `en-rGB`, `sr+Latn`.
fn is_language(text: &str) -> bool {
    let (language, region) = text.split_once(['_', '-', '+']).unwrap_or((text, ""));
    let is_code = matches!(language.len(), 2 | 3) && language.bytes().all(|byte| byte.is_ascii_lowercase());
    is_code
        && (region.is_empty()
            || region.starts_with(|c: char| c == 'r' || c.is_ascii_uppercase() || c.is_ascii_digit()))
}

fn matches(part: &str, wanted: &[&str]) -> bool {
    wanted.iter().any(|word| part.eq_ignore_ascii_case(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn templates_are_code_and_not_prose() {
        let grammars = Grammars::shared();
        let templates = [
            "app/views/show.html.erb",
            "web/Basket.vue",
            "x/templates/mail/new.html",
            "lib/page.heex",
            "app/list.component.html",
        ];
        for path in templates {
            assert!(is_template(path) && !is_prose(path, LanguageId::TEXT, &grammars), "{path}");
            assert_eq!(data_share(path, "html"), 0.5, "{path}");
        }
        for path in ["site/index.html", "templates/notes.txt", "docs/templates.md", "erb"] {
            assert!(!is_template(path), "{path}");
        }
        assert!(is_prose("templates/notes.txt", LanguageId::TEXT, &grammars));
        if let (Ok(rst), Ok(sql)) = (grammars.by_name("rst"), grammars.by_name("sql")) {
            assert!(is_prose("docs/index.rst", rst, &grammars) && !is_prose("a.sql", sql, &grammars));
        }
        assert_eq!((data_share("index.html", "html"), data_share("main.rs", "rust")), (1.0, 0.0));
    }

    #[test]
    fn translations_stand_behind_other_data() {
        let share = |path: &str| data_share(path, if path.ends_with("json") { "json" } else { "xml" });
        assert_eq!(share("config/app.json"), 1.0);
        assert_eq!(share("web/locales/en.json"), OF_BASE_LANGUAGE);
        assert_eq!(share("web/locales/th_TH/translation.json"), OF_OTHER_LANGUAGE);
        assert_eq!(share("src/messages.hi_IN.xlf"), OF_OTHER_LANGUAGE);
        assert_eq!(share("src/messages.xlf"), OF_BASE_LANGUAGE);
        assert_eq!(data_share("app/de.lproj/Main.strings", "text"), OF_OTHER_LANGUAGE);
        assert_eq!(share("app/src/main/res/values/strings.xml"), OF_BASE_LANGUAGE);
        for folder in ["values-mnw", "values-pt-rBR", "values-en-rGB", "values-b+sr+Latn"] {
            assert_eq!(
                share(&format!("app/src/main/res/{folder}/strings.xml")),
                OF_OTHER_LANGUAGE,
                "{folder}"
            );
        }
        for folder in ["values-night", "values-v21", "values-sw600dp", "values-car"] {
            assert_eq!(share(&format!("app/src/main/res/{folder}/colors.xml")), 1.0, "{folder}");
        }
        assert_eq!(data_share("src/messages_pt_BR.properties", "properties"), OF_OTHER_LANGUAGE);
        assert_eq!(data_share("src/user_messages_de.properties", "properties"), OF_OTHER_LANGUAGE);
        for path in [
            "src/log_levels.properties",
            "application_dev.properties",
            "log_aws.properties",
            "app_ui.properties",
        ] {
            assert_eq!(data_share(path, "properties"), 1.0, "{path}");
        }
        assert_eq!((share("app/src/main/res/values/colors.xml"), share("Form.ui.resx")), (1.0, 1.0));
        assert_eq!(share("Texts.de.resx"), OF_OTHER_LANGUAGE);
        // Code that translates texts is code.
        assert_eq!(data_share("src/i18n/plural.ts", "typescript"), 0.0);
    }

    #[test]
    fn paths_tell_their_role() {
        assert_eq!(test_part("src/tests/io.rs"), Some("tests"));
        assert_eq!(test_part("src/io_test.go"), Some("test"));
        assert_eq!(test_part("src/app.spec.ts"), Some("spec"));
        assert_eq!(test_part("src/contest.rs"), None);
        assert_eq!(test_part("attestation/latest.rs"), None);
        assert_eq!(generated_part("pkg/apis/zz_generated.deepcopy.go"), Some("generated"));
        assert_eq!(generated_part("web/package-lock.json"), Some("package-lock.json"));
        assert_eq!(generated_part("src/configure.rs"), None);
        assert_eq!(generated_part("dist/node/parser.js"), Some("dist"));
        assert_eq!(generated_part("lib/parser.min.js"), Some(".min."));
        assert_eq!(generated_part("src/min_heap.rs"), None);
        assert_eq!(compat_part("vendor/x/y.go"), Some("vendor"));
        assert_eq!(compat_part("src/vendors.go"), None);
    }
}
