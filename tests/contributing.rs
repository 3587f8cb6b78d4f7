//! The table of `CONTRIBUTING.md` that says which files a change touches: every path in it exists.
//!
//! A path is a text in backticks with a `/` or with an extension, in a row of the table. The table is read from the
//! file that people read, so that a moved file breaks the test and not the newcomer.

use std::path::Path;

/// The heading above the table.
const HEADING: &str = "## Where to make a change";

/// The kinds of change that must have a row, by the beginning of the row's first cell.
const CHANGES: &[&str] = &[
    "a language",
    "a signal",
    "a weight",
    "a flag",
    "a tool",
    "a field",
    "a scored field",
    "an operation",
    "a built-in skip rule",
    "a set of places",
];

/// The first cell of each row of the table, with the paths in all its cells.
fn rows(text: &str) -> Vec<(&str, Vec<&str>)> {
    let section = text.split_once(HEADING).map_or("", |(_, section)| section);
    let section = section.split("\n## ").next().unwrap_or_default();
    let table = section.lines().filter(|line| line.starts_with("| ")).skip(1);
    table.map(|line| (line.split('|').nth(1).unwrap_or_default().trim(), paths(line))).collect()
}

/// The paths among the texts in backticks.
fn paths(line: &str) -> Vec<&str> {
    let quoted = line.split('`').skip(1).step_by(2);
    let has_extension =
        |text: &str| [".rs", ".toml", ".md", ".txt", ".py"].iter().any(|end| text.ends_with(end));
    quoted.filter(|text| !text.contains(' ') && (text.contains('/') || has_extension(text))).collect()
}

/// The paths of the table that do not exist below `package`. A file name alone belongs to a path of its row.
fn missing<'t>(table: &[(&'t str, Vec<&'t str>)], package: &Path) -> Vec<String> {
    let mut missing = Vec::new();
    for (change, paths) in table {
        for path in paths {
            let is_named_before =
                || paths.iter().any(|whole| whole.len() > path.len() && whole.ends_with(&format!("/{path}")));
            if !package.join(path).exists() && !is_named_before() {
                missing.push(format!("{change}: {path}"));
            }
        }
    }
    missing
}

#[test]
fn every_path_in_the_table_exists() {
    let package = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let text = std::fs::read_to_string(package.join("CONTRIBUTING.md")).unwrap();
    let table = rows(&text);
    for change in CHANGES {
        let found = table.iter().find(|(first, _)| first.starts_with(change));
        let (_, paths) = found.unwrap_or_else(|| panic!("no row for {change}"));
        assert!(!paths.is_empty(), "no path for {change}");
    }
    assert_eq!(missing(&table, package), Vec::<String>::new());
}

#[test]
fn a_path_that_is_missing_is_named() {
    let text = "# X\n\n| a | `not/read.rs` |\n\n## Where to make a change\n\n| to add | touch | remarks |\n|---|---|---|\n\
                | a dog | `src/base/lib.rs` (a row), `src/dog.rs` | `lib.rs` and `cat.rs`, `Dog::bark` |\n\n\
                ## Next\n\n| b | `nor/this.rs` |\n";
    let package = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let table = rows(text);
    assert_eq!(table, [("a dog", vec!["src/base/lib.rs", "src/dog.rs", "lib.rs", "cat.rs"])]);
    assert_eq!(missing(&table, package), ["a dog: src/dog.rs", "a dog: cat.rs"]);
}
