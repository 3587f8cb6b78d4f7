//! Tests of the analysis as a whole: the fixtures of every language against their expected outlines, and the
//! promises that hold for any text.
//!
//! What a language's idioms become is read in the outlines, not asserted here. `SPYHOP_BLESS=1` rewrites them, for
//! a person to read before they are committed.

use std::fs;
use std::path::{Path, PathBuf};

use super::Analyzer;
use super::outline::outline;
use crate::grammar::Grammars;

fn fixtures() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("grammars");
    let grammars = Grammars::built_in();
    let mut files = Vec::new();
    for row in grammars.list() {
        let folder = root.join(&row.name).join("fixtures");
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|extension| extension != "outline") {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

#[test]
fn fixtures_have_the_outlines_that_stand_beside_them() {
    let grammars = Grammars::built_in();
    let mut analyzer = Analyzer::new();
    let bless = std::env::var_os("SPYHOP_BLESS").is_some();
    for file in fixtures() {
        let language = file.ancestors().nth(2).unwrap().file_name().unwrap().to_str().unwrap();
        let source = fs::read_to_string(&file).unwrap();
        let analysis = analyzer.analyze(&grammars, grammars.by_name(language).unwrap(), &source);
        let got = outline(&analysis, &source);
        let expected = PathBuf::from(format!("{}.outline", file.display()));
        if bless {
            fs::write(&expected, got).unwrap();
        } else {
            assert_eq!(got, fs::read_to_string(&expected).unwrap_or_default(), "{}", file.display());
        }
    }
}
