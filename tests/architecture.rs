//! The walls and floors, proved on the sources themselves.
//!
//! The sources are read as tokens, without comments and strings, so that prose may name what code may not. Each
//! check is a function from sources to complaints; the tests below run them on the crate, and on small made-up
//! sources that must be complained about, because a check that cannot fail proves nothing.

use std::collections::BTreeSet;
use std::path::Path;

/// Which module stands on which floor. A module imports from floors below its own and from nowhere else.
///
/// `query` stands above `tokenize`: it takes queries apart with the tokens that the index holds.
const FLOORS: &[(u8, &[&str])] = &[
    (0, &["cancel", "cores", "id", "input", "judged", "limit", "path", "similar", "text", "time"]),
    (1, &["clean", "confined", "gitdir", "model", "parallel", "tree"]),
    (2, &["git", "grammar", "profile", "read", "secrets", "store", "tokenize", "walk"]),
    (3, &["analyze", "document", "filter", "fuzzy", "query", "snippet", "source", "watch"]),
    (4, &["goals", "index", "memory", "meta", "pack", "session", "worker"]),
    (5, &["grep", "workspace"]),
    (6, &["retention", "search"]),
    (7, &["graph", "update"]),
    (8, &["archive"]),
    (9, &["engine"]),
    (10, &["library"]),
    (11, &["catalog"]),
    (12, &["render"]),
    (13, &["operations"]),
];

/// What is not a module of the library: the binary's front ends.
const FRONT_ENDS: &[&str] = &[
    "cli",
    "editor",
    "http",
    "install",
    "keep",
    "limits",
    "lsp",
    "main",
    "mcp",
    "query_line",
    "serve",
    "ui",
];

/// What front ends may name: the facade, the plain data that its requests and replies hold, the renderers, and what guards
/// the opening of files that callers name (`gitdir`, `input`).
const FRONT_END_API: &[&str] = &[
    "catalog",
    "engine",
    "filter",
    "gitdir",
    "input",
    "judged",
    "library",
    "model",
    "operations",
    "path",
    "profile",
    "render",
    "worker",
];

/// Crates that are one decision of one place: who may name them.
const ENGINES: &[(&str, &[&str])] = &[
    ("tantivy", &["index"]),
    ("tree_sitter", &["grammar", "analyze"]),
    ("gix", &["git"]),
    ("rawzip", &["document", "library", "source"]),
    ("ruzstd", &["library"]),
    ("grep_regex", &["grep"]),
    ("grep_searcher", &["grep"]),
    ("grep_matcher", &["grep"]),
    ("notify", &["watch"]),
    ("rmcp", &["mcp"]),
    ("tokio", &["engine", "http", "mcp", "serve"]),
    ("hyper", &["http", "mcp", "serve"]),
    ("jsonc_parser", &["graph", "install"]),
    ("lsp_server", &["lsp"]),
    ("lsp_types", &["lsp"]),
    ("ratatui", &["ui"]),
    ("toml_edit", &["install"]),
];

/// A file of more lines does more than one thing.
const MAX_LINES: usize = 700;

/// Files that may be longer, with the reason.
const LONG_FILES: &[(&str, &str)] = &[];

/// A file of `src` or of `program/src`, by its path there.
struct Source {
    path: String,
    text: String,
}

impl Source {
    /// The top-level module that it belongs to.
    fn module(&self) -> &str {
        let first = self.path.split('/').next().unwrap_or_default();
        first.strip_suffix(".rs").unwrap_or(first)
    }

    /// How many modules lie between the crate's root and the file's own top level.
    fn depth(&self) -> usize {
        let parts = self.path.strip_suffix(".rs").unwrap_or(&self.path).split('/');
        parts.filter(|part| !["mod", "lib", "main"].contains(part)).count()
    }

    fn is_front_end(&self) -> bool {
        FRONT_ENDS.contains(&self.module())
    }

    fn tokens(&self) -> Vec<&str> {
        tokens(&self.text)
    }
}

/// Identifiers, `::` and single signs; no comments, strings, characters or lifetimes.
fn tokens(text: &str) -> Vec<&str> {
    let bytes = text.as_bytes();
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80;
    let mut tokens = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let rest = &text[at..];
        if rest.starts_with("//") {
            at += rest.find('\n').unwrap_or(rest.len());
        } else if rest.starts_with("/*") {
            at += block_comment(rest);
        } else if let Some(len) = string(rest) {
            at += len;
        } else if is_word(bytes[at]) {
            let len = rest.bytes().position(|byte| !is_word(byte)).unwrap_or(rest.len());
            tokens.push(&rest[..len]);
            at += len;
        } else if rest.starts_with("::") {
            tokens.push("::");
            at += 2;
        } else {
            if !bytes[at].is_ascii_whitespace() {
                tokens.push(&rest[..1]);
            }
            at += 1;
        }
    }
    tokens
}

/// The length of the comment that `rest` begins with; they nest.
fn block_comment(rest: &str) -> usize {
    let (mut depth, mut at) = (0, 0);
    while at < rest.len() {
        match rest.as_bytes().get(at..at + 2) {
            Some(b"/*") => (depth, at) = (depth + 1, at + 2),
            Some(b"*/") if depth == 1 => return at + 2,
            Some(b"*/") => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
    }
    rest.len()
}

/// The length of the string, character or lifetime that `rest` begins with.
fn string(rest: &str) -> Option<usize> {
    let body = rest.strip_prefix(['b', 'c']).unwrap_or(rest);
    let prefix = rest.len() - body.len();
    if let Some(raw) = body.strip_prefix('r') {
        let hashes = raw.len() - raw.trim_start_matches('#').len();
        if raw[hashes..].starts_with('"') {
            let end = format!("\"{}", "#".repeat(hashes));
            let from = prefix + 1 + hashes + 1;
            return Some(rest[from..].find(&end).map_or(rest.len(), |at| from + at + end.len()));
        }
        return None;
    }
    let quote = body.chars().next().filter(|quote| ['"', '\''].contains(quote))?;
    let mut inside = body.char_indices().skip(1);
    if quote == '\'' {
        // 'a' and '\n' are characters, 'a without a second quote is a lifetime.
        let (_, first) = inside.next()?;
        let (second_at, second) = inside.next()?;
        if first != '\\' && second != '\'' {
            return Some(prefix + 1);
        }
        if first != '\\' {
            return Some(prefix + second_at + 1);
        }
        inside = body.char_indices().skip(3);
    }
    while let Some((at, sign)) = inside.next() {
        if sign == quote {
            return Some(prefix + at + 1);
        }
        if sign == '\\' {
            inside.next();
        }
    }
    Some(rest.len())
}

/// The top-level modules that a file names, by `crate::` or by `super::` up to the root. A glob import counts as `*`.
fn imports(source: &Source) -> BTreeSet<&str> {
    let tokens = source.tokens();
    let mut found = BTreeSet::new();
    // For each open brace, whether it is that of an inline module.
    let mut braces = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        match tokens[at] {
            "{" => braces.push(at >= 2 && tokens[at - 2] == "mod"),
            "}" => _ = braces.pop(),
            "crate" | "super" if at == 0 || tokens[at - 1] != "::" => {
                let depth = source.depth() + braces.iter().filter(|is_module| **is_module).count();
                let mut ups = 0;
                while tokens.get(at) == Some(&"super") && tokens.get(at + 1) == Some(&"::") {
                    (ups, at) = (ups + 1, at + 2);
                }
                if tokens.get(at) == Some(&"crate") && tokens.get(at + 1) == Some(&"::") {
                    (ups, at) = (depth, at + 2);
                }
                if ups > 0 && ups == depth {
                    found.extend(heads(&tokens[at..]));
                }
                if ups > 0 {
                    continue;
                }
            }
            _ => {}
        }
        at += 1;
    }
    found
}

/// The first names of what a path goes on with: one, or those of a group.
fn heads<'t>(tokens: &[&'t str]) -> Vec<&'t str> {
    if tokens.first() != Some(&"{") {
        return tokens.first().copied().into_iter().collect();
    }
    let mut heads = Vec::new();
    let mut depth = 0;
    for pair in tokens.windows(2) {
        match pair[0] {
            "{" => depth += 1,
            "}" => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            break;
        }
        if depth == 1 && ["{", ","].contains(&pair[0]) && pair[1] != "}" {
            heads.push(pair[1]);
        }
    }
    heads
}

fn floor(module: &str) -> Option<u8> {
    FLOORS.iter().find(|(_, modules)| modules.contains(&module)).map(|(floor, _)| *floor)
}

/// Imports that do not go down.
fn upward_imports(sources: &[Source]) -> Vec<String> {
    let mut complaints = Vec::new();
    for source in sources.iter().filter(|source| !source.is_front_end() && source.module() != "lib") {
        let own = source.module();
        for import in imports(source).into_iter().filter(|import| *import != own) {
            match (floor(import), floor(own)) {
                (Some(below), Some(above)) if below < above => {}
                (Some(_), Some(_)) => complaints.push(format!(
                    "{}: `{own}` stands no higher than `{import}`, which it uses",
                    source.path
                )),
                _ => complaints.push(format!("{}: `{own}` uses `{import}`, which has no floor", source.path)),
            }
        }
    }
    complaints
}

/// Modules that are not in all of: `src`, `lib.rs`, the table.
fn unlisted_modules(sources: &[Source]) -> Vec<String> {
    let listed: BTreeSet<&str> = FLOORS.iter().flat_map(|(_, modules)| modules.iter().copied()).collect();
    let there: BTreeSet<&str> = sources
        .iter()
        .filter(|source| !source.is_front_end() && source.module() != "lib")
        .map(Source::module)
        .collect();
    let declared: BTreeSet<&str> = sources
        .iter()
        .filter(|source| source.path == "lib.rs")
        .flat_map(|source| declared_modules(&source.tokens()))
        .collect();
    let mut complaints = Vec::new();
    for module in listed.iter().chain(&there).chain(&declared).collect::<BTreeSet<_>>() {
        let places = [("the table", &listed), ("src", &there), ("lib.rs", &declared)];
        for (place, _) in places.iter().filter(|(_, modules)| !modules.contains(module)) {
            complaints.push(format!("`{module}` is not in {place}"));
        }
    }
    complaints
}

/// The names of `mod x;`.
fn declared_modules<'t>(tokens: &[&'t str]) -> Vec<&'t str> {
    tokens.windows(3).filter(|three| three[0] == "mod" && three[2] == ";").map(|three| three[1]).collect()
}

/// Front ends that reach around the public API.
fn front_ends_behind_the_api(sources: &[Source]) -> Vec<String> {
    let mut complaints = Vec::new();
    for source in sources.iter().filter(|source| source.is_front_end()) {
        let tokens = source.tokens();
        for (at, pair) in tokens.windows(2).enumerate() {
            if pair == ["spyhop", "::"] {
                for head in heads(&tokens[at + 2..]) {
                    if !FRONT_END_API.contains(&head) {
                        complaints.push(format!("{}: names `spyhop::{head}`", source.path));
                    }
                }
            }
            if pair == ["[", "path"] && tokens.get(at + 2) == Some(&"=") {
                complaints.push(format!("{}: takes a file in by `#[path]`", source.path));
            }
        }
        if source.path == "main.rs" {
            for module in declared_modules(&tokens).into_iter().filter(|name| !FRONT_ENDS.contains(name)) {
                complaints.push(format!("{}: `{module}` is no front end", source.path));
            }
        }
    }
    complaints
}

/// Crates named outside their place.
fn engines_out_of_place(sources: &[Source]) -> Vec<String> {
    let mut complaints = Vec::new();
    for source in sources {
        let tokens = source.tokens();
        for (engine, places) in ENGINES.iter().filter(|(_, places)| !places.contains(&source.module())) {
            let of_engine = |token: &str| {
                token.strip_prefix(engine).is_some_and(|rest| rest.is_empty() || rest.starts_with('_'))
            };
            // After a dot stands a method, such as a condition variable's.
            let is_named = |at: &usize| of_engine(tokens[*at]) && (*at == 0 || tokens[at - 1] != ".");
            if let Some(token) = (0..tokens.len()).find(is_named).map(|at| tokens[at]) {
                complaints.push(format!("{}: names `{token}`, which only {places:?} may", source.path));
            }
        }
    }
    complaints
}

/// Printing in the library; its tests may.
fn printing(sources: &[Source]) -> Vec<String> {
    let mut complaints = Vec::new();
    let is_tests = |source: &&Source| source.path.ends_with("/tests.rs");
    for source in sources.iter().filter(|source| !source.is_front_end() && !is_tests(source)) {
        for three in source.tokens().windows(3) {
            let &[before, name, after] = three else { continue };
            let prints = ["println", "eprintln", "print", "eprint", "dbg"].contains(&name) && after == "!";
            // A field of that name holds what another program printed.
            if prints || (["stdout", "stderr"].contains(&name) && before != ".") {
                complaints.push(format!("{}: `{name}`", source.path));
            }
        }
    }
    complaints
}

/// Files that are too long, and exceptions that are none.
fn long_files(sources: &[Source], exceptions: &[(&str, &str)]) -> Vec<String> {
    let mut complaints = Vec::new();
    for source in sources {
        let lines = source.text.lines().count();
        let excepted = exceptions.iter().any(|(path, _)| *path == source.path);
        if (lines > MAX_LINES) != excepted {
            complaints.push(format!("{}: {lines} lines, excepted: {excepted}", source.path));
        }
    }
    complaints
}

/// Files that do not say what they are for.
fn without_head(sources: &[Source]) -> Vec<String> {
    let bare = sources.iter().filter(|source| !source.text.starts_with("//! "));
    bare.map(|source| format!("{}: does not open with `//!`", source.path)).collect()
}

/// The files below `folder`, by their paths from it.
fn sources_below(folder: &Path) -> Vec<Source> {
    let mut sources = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let parts: Vec<_> =
                    path.strip_prefix(folder).unwrap().iter().map(|part| part.to_str().unwrap()).collect();
                sources.push(Source { path: parts.join("/"), text: std::fs::read_to_string(&path).unwrap() });
            }
        }
    }
    sources.sort_by(|a, b| a.path.cmp(&b.path));
    sources
}

fn crate_sources() -> Vec<Source> {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut sources = sources_below(&package.join("src"));
    sources.append(&mut sources_below(&package.join("program/src")));
    assert!(sources.len() > 40, "{} files", sources.len());
    sources
}

fn none(complaints: Vec<String>) {
    assert!(complaints.is_empty(), "\n{}", complaints.join("\n"));
}

#[test]
fn imports_go_down() {
    none(upward_imports(&crate_sources()));
}

#[test]
fn every_module_has_a_floor() {
    none(unlisted_modules(&crate_sources()));
}

#[test]
fn front_ends_see_the_public_api_only() {
    none(front_ends_behind_the_api(&crate_sources()));
}

#[test]
fn engines_stay_in_their_places() {
    none(engines_out_of_place(&crate_sources()));
}

#[test]
fn the_library_prints_nothing() {
    none(printing(&crate_sources()));
}

#[test]
fn no_file_is_too_long() {
    none(long_files(&crate_sources(), LONG_FILES));
}

#[test]
fn every_file_says_what_it_is_for() {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folders = ["src", "program/src", "tests", "examples", "benches"].map(|folder| package.join(folder));
    for folder in folders.iter().filter(|folder| folder.exists()) {
        let mut sources = sources_below(folder);
        // The made-up product that ranking is tested on is nobody's code.
        sources.retain(|source| !source.path.starts_with("ranking/corpus/"));
        none(without_head(&sources));
    }
}

/// Made-up sources: the path, then the text.
fn fake(files: &[(&str, &str)]) -> Vec<Source> {
    files.iter().map(|(path, text)| Source { path: path.to_string(), text: text.to_string() }).collect()
}

#[test]
fn tokens_leave_prose_out() {
    let text = r##"
        //! use crate::a;
        /* crate::b /* crate::c */ crate::d */
        let s = "crate::e \" crate::f"; let r = r#"crate::g " crate::h"#; let b = b"crate::i";
        let c = '"'; let d = '\''; fn x<'a>(y: &'a str) -> crate::z::Z { 'q' }
    "##;
    assert_eq!(imports(&fake(&[("engine/x.rs", text)])[0]).into_iter().collect::<Vec<_>>(), ["z"]);
}

#[test]
fn imports_are_found_however_they_are_written() {
    let check = |path: &str, text: &str, expected: &[&str]| {
        let sources = fake(&[(path, text)]);
        assert_eq!(imports(&sources[0]).into_iter().collect::<Vec<_>>(), expected, "{path}: {text}");
    };
    check("a.rs", "use crate::b::C;", &["b"]);
    check("a.rs", "use crate::{b::{C, d::E}, f, g as h};", &["b", "f", "g"]);
    check("a.rs", "fn f() -> crate::b::C { crate::d::e() }", &["b", "d"]);
    check("a.rs", "use crate::*;", &["*"]);
    check("a.rs", "use super::b;", &["b"]);
    check("a/mod.rs", "use super::b;", &["b"]);
    check("a/c.rs", "use super::b; use super::super::d; pub(crate) fn e() {} pub(super) fn f() {}", &["d"]);
    check("a.rs", "mod tests { use super::*; fn f() { super::super::b(); } } use self::c;", &["b"]);
    check("a.rs", "use crate::{b::C}; mod tests { use super::x; }", &["b"]);
}

#[test]
fn each_check_can_fail() {
    let check = |found: fn(&[Source]) -> Vec<String>, files: &[(&str, &str)], expected: &[&str]| {
        assert_eq!(found(&fake(files)), expected);
    };
    check(upward_imports, &[("search/mod.rs", "use crate::index::X;")], &[]);
    check(
        upward_imports,
        &[("index/a.rs", "use crate::search::X;")],
        &["index/a.rs: `index` stands no higher than `search`, which it uses"],
    );
    check(
        upward_imports,
        &[("meta.rs", "use crate::{id, index::X};")],
        &["meta.rs: `meta` stands no higher than `index`, which it uses"],
    );
    check(
        upward_imports,
        &[("util.rs", "use crate::id::X;")],
        &["util.rs: `util` uses `id`, which has no floor"],
    );
    check(front_ends_behind_the_api, &[("cli/a.rs", "use spyhop::engine::Engine;")], &[]);
    check(
        front_ends_behind_the_api,
        &[
            ("cli/a.rs", "use spyhop::{index::Reader, engine};"),
            ("main.rs", "#[path = \"meta/mod.rs\"] mod meta;"),
        ],
        &[
            "cli/a.rs: names `spyhop::index`",
            "main.rs: takes a file in by `#[path]`",
            "main.rs: `meta` is no front end",
        ],
    );
    check(
        engines_out_of_place,
        &[
            ("index/a.rs", "use tantivy::Index;"),
            ("git/mod.rs", "use gix::open;"),
            ("search/a.rs", "use tantivy::Index;"),
            ("cli/a.rs", "tree_sitter_rust::LANGUAGE"),
            ("walk/mod.rs", "gix_path::x()"),
        ],
        &[
            "search/a.rs: names `tantivy`, which only [\"index\"] may",
            "cli/a.rs: names `tree_sitter_rust`, which only [\"grammar\", \"analyze\"] may",
            "walk/mod.rs: names `gix_path`, which only [\"git\"] may",
        ],
    );
    check(
        printing,
        &[
            ("cli/a.rs", "println!()"),
            ("read.rs", "fn f() { dbg!(x); /* println!() */ }"),
            ("text.rs", "fn print() {} let out = std::io::stdout(); output.stderr"),
        ],
        &["read.rs: `dbg`", "text.rs: `stdout`"],
    );
    check(
        without_head,
        &[("a.rs", "//! Good.\n"), ("b.rs", "// Bad.\n")],
        &["b.rs: does not open with `//!`"],
    );
}

#[test]
fn a_module_missing_anywhere_is_named() {
    let text: String =
        FLOORS.iter().flat_map(|(_, modules)| *modules).map(|m| format!("pub mod {m};")).collect();
    let mut files: Vec<(String, String)> = FLOORS
        .iter()
        .flat_map(|(_, modules)| *modules)
        .map(|module| (format!("{module}.rs"), String::new()))
        .collect();
    files.push(("lib.rs".into(), text.replace("pub mod walk;", "pub mod nowhere;")));
    files.retain(|(path, _)| path != "git.rs");
    files.push(("util.rs".into(), String::new()));
    let sources: Vec<Source> = files.into_iter().map(|(path, text)| Source { path, text }).collect();
    let expected = [
        "`git` is not in src",
        "`nowhere` is not in the table",
        "`nowhere` is not in src",
        "`util` is not in the table",
        "`util` is not in lib.rs",
        "`walk` is not in lib.rs",
    ];
    assert_eq!(unlisted_modules(&sources), expected);
}

#[test]
fn length_is_counted_and_an_exception_must_be_needed() {
    let sources = fake(&[("a.rs", &"x\n".repeat(MAX_LINES + 1)), ("b.rs", &"x\n".repeat(MAX_LINES))]);
    assert_eq!(long_files(&sources, &[]), ["a.rs: 701 lines, excepted: false"]);
    assert_eq!(long_files(&sources, &[("a.rs", "because")]), Vec::<String>::new());
    assert_eq!(
        long_files(&sources, &[("a.rs", "because"), ("b.rs", "because")]),
        ["b.rs: 700 lines, excepted: true"]
    );
}
