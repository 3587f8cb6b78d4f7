//! Tests of the analysis as a whole: the fixtures of every language against their expected outlines, and the invariants
//! that hold for any text.
//!
//! The outlines show the result for each language's idioms; no test asserts these separately. `SPYHOP_BLESS=1` rewrites
//! the outlines, for a person to review before they are committed.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use proptest::prelude::*;

use super::outline::outline;
use crate::analyze::analyzer::Analyzer;
use crate::grammar::Grammars;
use spyhop_base::id::LanguageId;
use spyhop_base::model::{Analysis, Note, SymbolKind};
use spyhop_base::path::RelPath;
use spyhop_base::text::Lines;
use spyhop_files::confined::RootFolder;
use spyhop_files::read::{Limits, ReadOutcome, TreeSource};
use spyhop_files::walk::{self, WalkOptions};

#[path = "../../../tests/support/nightly.rs"]
mod nightly;

/// Compiling the rules and queries of all languages takes longer than most tests.
static BUILT_IN: LazyLock<Grammars> = LazyLock::new(Grammars::built_in);

/// Applies `work` to each of `items`, on as many threads as the machine has processors.
fn on_threads<T: Sync>(items: &[T], work: impl Fn(&mut Analyzer, &T) + Sync) {
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                let mut analyzer = Analyzer::new();
                while let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) {
                    work(&mut analyzer, item);
                }
            });
        }
    });
}

fn fixtures() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("grammars");
    let mut files = Vec::new();
    for row in BUILT_IN.list() {
        let folder = root.join(&row.name).join("fixtures");
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_none_or(|extension| extension != "outline") {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

#[test]
fn fixtures_have_the_outlines_that_stand_beside_them() {
    let grammars = &*BUILT_IN;
    let mut analyzer = Analyzer::new();
    let bless = std::env::var_os("SPYHOP_BLESS").is_some();
    for file in fixtures() {
        let language = file.ancestors().nth(2).unwrap().file_name().unwrap().to_str().unwrap();
        let source = fs::read_to_string(&file).unwrap();
        let analysis = analyzer.analyze(grammars, grammars.by_name(language).unwrap(), &source);
        let got = outline(&analysis, &source);
        let expected = PathBuf::from(format!("{}.outline", file.display()));
        if bless {
            fs::write(&expected, got).unwrap();
        } else {
            assert_eq!(got, fs::read_to_string(&expected).unwrap_or_default(), "{}", file.display());
        }
    }
}

/// The file types that people have, by the folders of their languages; what is behind a slash is one file of the folder.
const FILE_TYPES: &str = "vue svelte astro notebook sql protobuf graphql terraform dockerfile makefile cmake nix solidity dart r julia perl \
    objc clojure ocaml fsharp verilog vhdl asm glsl wgsl cobol fortran erlang groovy groovy/Jenkinsfile powershell batch jinja ejs scss \
    less elm gdscript xml properties ini nim crystal d pascal vb commonlisp emacslisp scheme tcl awk vim fish starlark thrift latex rst \
    asciidoc org mdx apex abap prisma bicep just cython yaml bash c cpp csharp css go html java javascript json kotlin \
    markdown php python ruby rust swift scala lua";

/// Each of 87 file types is known by the name of its file, and has definitions; the outlines say whether they are right.
#[test]
fn file_types_of_people_have_definitions() {
    let types: Vec<&str> = FILE_TYPES.split_whitespace().collect();
    assert_eq!(types.len(), 87);
    for name in types {
        let (language, wanted) = name.split_once('/').unwrap_or((name, ""));
        if BUILT_IN.by_name(language).is_err() {
            continue;
        }
        let is_wanted = |file: &&PathBuf| {
            let folder = file.ancestors().nth(2).and_then(|folder| folder.file_name()).unwrap();
            folder == language && (wanted.is_empty() || file.ends_with(wanted))
        };
        let files = fixtures();
        let file = files.iter().find(is_wanted).unwrap_or_else(|| panic!("{name}"));
        let source = fs::read_to_string(file).unwrap();
        let path = RelPath::new(file.file_name().unwrap().to_str().unwrap()).unwrap();
        let id = BUILT_IN.detect(&path, &source);
        assert_eq!(BUILT_IN.name(id), language, "{name}");
        let analysis = Analyzer::new().analyze(&BUILT_IN, id, &source);
        assert!(analysis.symbols.len() >= 2, "{name}: {}", analysis.symbols.len());
    }
}

/// Checks every invariant of [`spyhop_base::model::Analysis`] about positions, for one text.
fn check_places(analysis: &Analysis, source: &str, what: &str) {
    let (mut at, mut symbol) = (0, 0);
    assert!(!analysis.chunks.is_empty(), "{what}");
    for chunk in &analysis.chunks {
        assert_eq!(chunk.span.start, at, "no gap and no overlap: {what}");
        assert!(!chunk.span.is_empty() || source.is_empty(), "{what}");
        assert!(chunk.span.len() <= 5 * 1024 && chunk.lines.count() <= 110, "{chunk:?}: {what}");
        let before = &source[..chunk.span.start as usize];
        let inside_a_long_line = || {
            let line = before.rfind('\n').map_or(0, |at| at + 1);
            source[line..].find('\n').unwrap_or(source.len() - line) > 4000
        };
        assert!(before.is_empty() || before.ends_with('\n') || inside_a_long_line(), "{chunk:?}: {what}");
        assert!(chunk.kinds.contains(chunk.kind), "{what}");
        assert_eq!(chunk.symbols.start, symbol, "{what}");
        for &open in &chunk.context {
            let span = analysis.symbols[open as usize].span;
            assert!(span.start < chunk.span.start && chunk.span.start < span.end, "{what}");
        }
        (at, symbol) = (chunk.span.end, chunk.symbols.end);
    }
    assert_eq!(at as usize, source.len(), "{what}");
    assert_eq!(symbol as usize, analysis.symbols.len(), "{what}");
    for (place, symbol) in analysis.symbols.iter().enumerate() {
        assert!(source.get(symbol.span.range()).is_some(), "{what}");
        assert!(symbol.span.contains(symbol.signature), "{symbol:?}: {what}");
        if let Some(parent) = symbol.parent {
            assert!((parent as usize) < place, "{symbol:?}: {what}");
            assert!(analysis.symbols[parent as usize].span.contains(symbol.span), "{symbol:?}: {what}");
        }
    }
    assert!(analysis.symbols.is_sorted_by_key(|symbol| symbol.span.start), "{what}");
    assert!(analysis.comments.is_sorted_by(|a, b| a.end <= b.start), "{what}");
    assert!(analysis.references.is_sorted_by_key(|reference| reference.span.start), "{what}");
    for reference in &analysis.references {
        assert!(!source[reference.span.range()].is_empty(), "{what}");
    }
}

/// Analyses `source` in every language, and as text.
fn check_all(source: &str) {
    check_with(&mut Analyzer::new(), source);
}

fn check_with(analyzer: &mut Analyzer, source: &str) {
    let grammars = &*BUILT_IN;
    for language in 0..=grammars.list().len() as u16 {
        let language = LanguageId(language);
        let analysis = analyzer.analyze(grammars, language, source);
        check_places(&analysis, source, grammars.name(language));
        // By day, every fourth text is analysed twice.
        if source.len().is_multiple_of(nightly::cases(4, 1)) {
            assert_eq!(analysis, analyzer.analyze(grammars, language, source), "{}", grammars.name(language));
        }
    }
}

#[test]
fn fixtures_are_covered_in_every_language() {
    check_all("");
    check_all("\n");
    check_all("\r\n\r\n\u{feff}");
    on_threads(&fixtures(), |analyzer, file| check_with(analyzer, &fs::read_to_string(file).unwrap()));
}

/// Real trees: this repository, and those in `SPYHOP_TREES`, separated by colons.
///
/// ```text
/// SPYHOP_TREES=/path/a:/path/b cargo test --release --lib real_trees -- --nocapture
/// ```
#[test]
fn every_file_of_real_trees_is_covered() {
    let named = std::env::var_os("SPYHOP_TREES").unwrap_or_default();
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let grammars = &*BUILT_IN;
    for tree in std::env::split_paths(&named).filter(|path| !path.as_os_str().is_empty()).chain([repository])
    {
        let files = walk::walk(&tree, &WalkOptions::default()).unwrap().candidates;
        let (n_files, n_chunks, n_symbols) = <(AtomicUsize, AtomicUsize, AtomicUsize)>::default();
        let count = |of: &AtomicUsize, more: usize| of.fetch_add(more, Ordering::Relaxed);
        let source = TreeSource::Folder(RootFolder::new(&tree));
        on_threads(&files, |analyzer, file| {
            let ReadOutcome::Source(source) = source.read(&file.path, &Limits::default()) else { return };
            let language = grammars.detect(&file.path, &source.text);
            let analysis = analyzer.analyze(grammars, language, &source.text);
            check_places(&analysis, &source.text, file.path.as_str());
            count(&n_files, 1);
            count(&n_chunks, analysis.chunks.len());
            count(&n_symbols, analysis.symbols.len());
        });
        println!("{}: {n_files:?} files, {n_chunks:?} chunks, {n_symbols:?} symbols", tree.display());
        assert!(n_files.into_inner() > 0, "{}", tree.display());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_covered(text in "(\\PC|[ \n\t(){}<>\"'`#*;:=.-]){0,400}") {
        check_all(&text);
    }

    #[test]
    fn a_mutated_fixture_is_covered(
        which in 0usize..1000,
        edits in proptest::collection::vec((0usize..100_000, 0usize..30, 0usize..8), 1..12),
        times in 1usize..12,
    ) {
        let files = fixtures();
        let file = &files[which % files.len()];
        let mut text = fs::read_to_string(file).unwrap().repeat(times);
        for (at, len, insert) in edits {
            let at = text.floor_char_boundary(at % (text.len() + 1));
            let end = text.floor_char_boundary((at + len).min(text.len())).max(at);
            text.replace_range(at..end, ["", "{", "}", "(", "\n\n", "\"", "é /*", "fn x"][insert]);
        }
        let grammars = &*BUILT_IN;
        let language = file.ancestors().nth(2).unwrap().file_name().unwrap().to_str().unwrap();
        let analysis = Analyzer::new().analyze(grammars, grammars.by_name(language).unwrap(), &text);
        check_places(&analysis, &text, language);
    }
}

#[test]
fn no_scanner_looks_beyond_its_tables() {
    // Some C libraries classify digits, blanks and letters by tables of 256 entries, too small for most characters.
    let wide = ["\u{100}", "\u{4E2D}", "\u{31860}", "\u{E01EF}", "\u{10FFFF}"];
    for opening in
        ["{", "{1", "{1..", "{1..2", "${", "$", "#", "'", "\"", "<", "<<", "@", "\\", "-", " ", "%", "&", ":"]
    {
        for character in wide {
            check_all(&format!("a{opening}{character}\n{opening}{character}"));
        }
    }
}

#[test]
fn deeply_nested_text_is_cut_into_windows() {
    let check = |language: &str, text: String, notes: &[Note]| {
        let grammars = &*BUILT_IN;
        let Ok(id) = grammars.by_name(language) else { return };
        let analysis = Analyzer::new().analyze(grammars, id, &text);
        check_places(&analysis, &text, language);
        assert_eq!(analysis.notes, notes, "{language}");
    };
    for language in ["rust", "typescript", "tsx", "javascript", "python", "go", "c"] {
        check(language, "(".repeat(100_000), &[Note::TooDeep]);
        check(language, "[{(\n".repeat(100_000), &[Note::TooDeep]);
        let grammars = &*BUILT_IN;
        let Ok(id) = grammars.by_name(language) else { continue };
        let text = format!("{}1{}\n", "(".repeat(400), ")".repeat(400)).repeat(3);
        let analysis = Analyzer::new().analyze(grammars, id, &text);
        check_places(&analysis, &text, language);
        assert!(!analysis.notes.contains(&Note::TooDeep), "{language}");
    }
    check("markdown", "> ".repeat(100_000), &[Note::TooDeep]);
    check("markdown", "- ".repeat(100_000), &[Note::TooDeep]);
    check("markdown", format!("{}\n", "-".repeat(1000)), &[]);
}

/// A case that the fuzz target `chunk` found: in a file as broken as this one, an unparsed body came after boundaries
/// with higher positions, and the body's lines were in two chunks.
#[test]
fn a_body_out_of_its_place_is_covered_once() {
    let text = [
        "package broken".to_string(),
        "\u{fffd}".repeat(27),
        "\x17functionce Ha,f {\n  field: string\n\nclass Whole {\n  se\x06packagealf ruct {\n\tfield int\n\nfunc second() { fd() { h.field = 1 }\n}\nfunc fourth() {}\n".to_string(),
        "\0".repeat(9),
        "nc second() { firs".to_string(),
        "\u{fffd}".repeat(24),
        "\n\nfit 4\n\n  def whole(x) do".to_string(),
        "\n".repeat(38),
        "h3".to_string(),
        "\n".repeat(66),
        "\u{fffd}".repeat(47),
        "c (h *Half) third() { h.field = 1 }\n}\nfun\x01".to_string(),
        "\0".repeat(6),
        "\x05c fourth() {}\n".to_string(),
    ];
    check_all(&text.concat());
}

#[test]
fn one_long_line_is_cut_by_bytes() {
    let grammars = &*BUILT_IN;
    for (place, language) in grammars.list().into_iter().enumerate() {
        // The first text has the full length, a megabyte; the others test the same with less.
        let text = "let a = 'é';".repeat(if place == 0 { 80_000 } else { 8_000 });
        let analysis = Analyzer::new().analyze(grammars, language.id, &text);
        check_places(&analysis, &text, &language.name);
        assert!(analysis.chunks.iter().all(|chunk| chunk.lines == Lines { first: 1, last: 1 }));
    }
}

#[test]
fn an_item_too_large_is_split_at_its_members() {
    let grammars = &*BUILT_IN;
    let method = |at: usize| {
        let body: String = (0..28).map(|line| format!("        step({line});\n")).collect();
        format!("    /// Does {at}.\n    fn m{at}(&self) {{\n{body}    }}\n")
    };
    let methods: Vec<String> = (0..4).map(method).collect();
    let text = format!("/// Doc.\nimpl Big {{\n{}}}\n\nfn small() {{}}\n", methods.join("\n"));
    let analysis = Analyzer::new().analyze(grammars, grammars.by_name("rust").unwrap(), &text);
    check_places(&analysis, &text, "rust");
    let shown: Vec<String> = analysis
        .chunks
        .iter()
        .map(|chunk| {
            let names = |places: &[u32]| {
                places.iter().map(|&at| &*analysis.symbols[at as usize].name).collect::<Vec<_>>().join(" ")
            };
            let defined: Vec<u32> = chunk.symbols.clone().collect();
            format!(
                "{}-{} {} {} in {}",
                chunk.lines.first,
                chunk.lines.last,
                chunk.kind,
                names(&defined),
                names(&chunk.context)
            )
        })
        .collect();
    assert_eq!(
        shown,
        [
            "1-34 impl Big m0 in ",
            "35-66 method m1 in Big",
            "67-98 method m2 in Big",
            "99-131 method m3 in Big",
            "132-132 fn small in "
        ]
    );
}

#[test]
fn a_language_without_a_parser_is_text() {
    let grammars = &*BUILT_IN;
    let text = "line\n".repeat(130);
    let analysis = Analyzer::new().analyze(grammars, LanguageId::TEXT, &text);
    let lines: Vec<(u32, u32)> =
        analysis.chunks.iter().map(|chunk| (chunk.lines.first, chunk.lines.last)).collect();
    assert_eq!(lines, [(1, 40), (41, 80), (81, 120), (121, 130)]);
    assert!(analysis.chunks.iter().all(|chunk| chunk.kind == SymbolKind::Text));
    assert_eq!(analysis, Analyzer::new().analyze(grammars, LanguageId(u16::MAX), &text));
}

/// The time of the line rules is linear in the text, whatever the text. By day, the texts have an eighth of their length.
#[test]
fn line_rules_end_on_hostile_text() {
    let grammars = &*BUILT_IN;
    let times = |night: usize| nightly::cases(night / 8, night);
    let texts: Vec<(&str, String)> = vec![
        ("a long line", "create table x ( y\"'`${[(/* ".repeat(times(9_000))),
        ("unclosed braces", "function f() {\nmessage M {\nclass C {\n".repeat(times(8_000))),
        ("unclosed words", "function f\nmodule m\nbegin\nif x\nproc p {\n".repeat(times(5_000))),
        ("no statement ends", "CREATE TABLE x (\nCREATE FUNCTION f() BEGIN\n".repeat(times(12_000))),
        ("unclosed quotes", "\"\"\" '''\n<<A1\n/* (* {- #| \"\n".repeat(times(8_000))),
        ("sections", "[a]\n== b\n* c\n\\section{d}\nlabel:\nx\n===\n".repeat(times(4_000))),
        ("parentheses", "(defun f (x) (\n(define (g)\n".repeat(times(12_000))),
        ("blank lines", "\n \n\t\n".repeat(times(40_000))),
    ];
    let rows: Vec<_> = grammars.list().into_iter().filter(|row| !grammars.has_parser(row.id)).collect();
    on_threads(&rows, |analyzer, row| {
        grammars.line_rules(row.id);
        for (what, text) in &texts {
            let begun = super::budget::cpu_time();
            let analysis = analyzer.analyze(grammars, row.id, text);
            let taken = super::budget::cpu_time() - begun;
            check_places(&analysis, text, &row.name);
            // A debug build on a busy machine takes a second for the whole text; a quadratic step would take hours.
            let limit = std::time::Duration::from_millis(nightly::cases(7_500, 60_000) as u64);
            assert!(taken < limit, "{what} in {}: {taken:?}", row.name);
        }
    });
}

/// A construct that the parser does not know, or does not read, loses no definition.
#[test]
fn unread_parts_have_their_definitions() {
    let grammars = &*BUILT_IN;
    let check = |language: &str, text: &str, expected: &str| {
        let Ok(id) = grammars.by_name(language) else { return };
        let analysis = Analyzer::new().analyze(grammars, id, text);
        check_places(&analysis, text, language);
        let shown = |symbol: &spyhop_base::model::Symbol| {
            let name = spyhop_base::model::qualified_name(symbol.container.as_deref(), &symbol.name);
            format!("{} {name} {}", symbol.kind, symbol.lines.first)
        };
        let found: Vec<String> = analysis.symbols.iter().map(shown).collect();
        assert_eq!(found.join(", "), expected, "{language}");
    };
    check(
        "rust",
        "cfg_net! {\n    pub struct TcpLink { fd: i32 }\n    impl TcpLink {\n        pub fn open() {}\n    }\n}\n\
         fn f() {\n    quote! {\n        struct Made;\n    }\n}\n",
        "struct TcpLink 2, impl TcpLink 3, method TcpLink.open 4, fn f 7",
    );
    check(
        "kotlin",
        "interface Repo { fun find(id: Long): User? }\nclass Fake : Repo { override fun find(id: Long): User? = null }\n\
         fun after() {}\n",
        "interface Repo 1, method Repo.find 1, class Fake 2, method Fake.find 2, fn after 3",
    );
    check(
        "kotlin",
        "val f = suspend { 1 }\nclass Next { val x: Int }\nval s = $$\"$a\"\nfun after() {}\n",
        "const f 1, class Next 2, field Next.x 2, const s 3, fn after 4",
    );
    check(
        "cpp",
        "struct Sink {\n  Sink(const char* absl_nonnull file, int line) COLD_PATH;\n  friend void f(Out* absl_nonnull out, int v) {\n    out(v);\n  }\n\
         };\n",
        "struct Sink 1, method Sink.Sink 2, method Sink.f 3",
    );
    check(
        "c",
        "SYSCALL_DEFINE3(acme_ioctl, int, fd)\n{\n return 0;\n}\nnoinline void __cold fault(void) {}\n",
        "fn acme_ioctl 1, fn fault 5",
    );
    check(
        "cpp",
        "ABSL_FLAG(int, port, 8080, \"Port\");\nnamespace harbour {\nclass Gauge {\n public:\n  int depth() { return 1; }\n};\n\
         int twice(int x) { return 2 * x; }\n}\n",
        "const port 1, module harbour 2, class harbour.Gauge 3, method Gauge.depth 5, fn harbour.twice 7",
    );
}

/// Several names in one line, and the members of an item on its line, are found by rules as well.
#[test]
fn a_rule_finds_further_names_in_its_match() {
    let check = |language: &str, text: &str, expected: &str| {
        let analysis = Analyzer::new().analyze(&BUILT_IN, BUILT_IN.by_name(language).unwrap(), text);
        check_places(&analysis, text, language);
        let name = |symbol: &spyhop_base::model::Symbol| {
            let name = spyhop_base::model::qualified_name(symbol.container.as_deref(), &symbol.name);
            format!("{} {name} {}", symbol.kind, symbol.lines.first)
        };
        assert_eq!(analysis.symbols.iter().map(name).collect::<Vec<_>>().join(", "), expected, "{language}");
    };
    check(
        "elm",
        "type Msg = Tick Int | Stop\ntype Wind\n    = Calm\n    | Gale\n",
        "type Msg 1, variant Msg.Tick 1, variant Msg.Stop 1, type Wind 2, variant Wind.Calm 3, variant Wind.Gale 4",
    );
    check(
        "fortran",
        "module m\n  type t\n    real :: a(2, n), b = 1, c\n  end type\nend module\n",
        "module m 1, struct m.t 2, field t.a 3, field t.b 3, field t.c 3",
    );
    check(
        "gdscript",
        "enum State { IDLE, RUN }\nfunc f():\n\tpass\n",
        "enum State 1, variant State.IDLE 1, variant State.RUN 1, fn f 2",
    );
}

/// A part in another language has the places of the file, and what a template puts into a script does not lose the rest.
#[test]
fn a_script_in_a_page_is_read_by_its_parser() {
    let text = "<script>\nconst LIMIT = <?= limit() ?>;\nfunction draw() { paint(LIMIT) }\n</script>\n<?php\nclass After {}\n";
    let Ok(php) = BUILT_IN.by_name("php") else { return };
    let analysis = Analyzer::new().analyze(&BUILT_IN, php, text);
    check_places(&analysis, text, "php");
    let found: Vec<_> = analysis.symbols.iter().map(|it| (&*it.name, it.lines.first)).collect();
    assert_eq!(found, [("LIMIT", 2), ("draw", 3), ("After", 6)]);
    assert!(analysis.by_rule.is_empty());
    assert!(analysis.references.iter().any(|it| &text[it.span.range()] == "paint"));
}
