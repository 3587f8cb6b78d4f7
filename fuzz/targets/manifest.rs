//! The loader of a user's grammars. The input is a byte that chooses the language, and a manifest.

#![no_main]

use std::path::PathBuf;
use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use spyhop_syntax::analyze::Analyzer;
use spyhop_syntax::grammar::Grammars;

static FOLDER: LazyLock<PathBuf> = LazyLock::new(|| tempfile::tempdir().unwrap().keep());

const LANGUAGES: &[&str] = &["rust", "python", "toml", "cpp", "markdown", "typescript", "tsx", "yaml"];

fuzz_target!(|data: &[u8]| {
    let Some((first, manifest)) = data.split_first() else { return };
    let language = LANGUAGES[usize::from(*first) % LANGUAGES.len()];
    let folder = FOLDER.join(language);
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("grammar.toml"), manifest).unwrap();
    let loaded = Grammars::with_overrides(&FOLDER);
    std::fs::remove_dir_all(&folder).unwrap();
    let Ok(grammars) = loaded else { return };
    let id = grammars.by_name(language).unwrap();
    Analyzer::new().analyze(&grammars, id, "/// Says a.\nfn a(b: u8) -> u8 { b }\n\n# c\nclass D:\n    e = 1\n");
});
