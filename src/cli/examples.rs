//! Examples of each command, for the long help and the manual; and the words for a command line without words.
//!
//! This module owns the texts. A test parses every example, so that none of them goes out of date.

/// What `spyhop` alone says.
pub const WELCOME: &str = "\
Spyhop finds code by what it does, and says why each hit is there.

  spyhop QUERY...           ranked places        spyhop where is the retry delay computed
  spyhop grep PATTERN       every matching line  spyhop grep 'fn \\w+_key' src
  spyhop files [PATTERN]    files by name        spyhop files authstore
  spyhop symbols [PATTERN]  definitions by name  spyhop symbols Pool.take --kind method
  spyhop map [PATH]         an outline           spyhop map src

The first search indexes the tree around you; later ones index what changed.
Commands: spyhop -h. All options: spyhop --help. One: spyhop help COMMAND.
";

/// What `spyhop -h` adds to [`WELCOME`]; the parser's own list would take two screens.
pub const SHORT_HELP: &str = "
Further commands:
  index, watch, status      build the index, keep it current, see its state
  read                      lines of a file, or a definition, with line numbers
  def, refs, trace, impact  a symbol in the code graph; also callers, callees, impls,
                            tests-of, imports, importers; graph of files
  skipped, why-not          why a file is left out, or not among the answers
  views, gc, doctor         branches in the index, what to drop, what is damaged
  export, import            the index as a file for another machine
  touch, languages          files that you work on, languages that are parsed
  mcp, mcp install CLIENT   a server for coding agents, and how agents find it
  ui, lsp                   a picker in the terminal, a server for editors
  completions, man          for a shell, and the manual

Options of a search:
  -n, --max-results NUMBER  hits a page [default: 10]
      --path PATH, --here   only a folder or file, only the current folder
      --glob GLOB           only such paths; with ! before it, all others
      --lang, --kind TEXT   only a language, only a kind such as fn or struct
      --mode CHOICE         compact, default or debug
      --all, --json         the whole page; one line of JSON
";

/// An example: the command line without `spyhop`, and what the line does.
pub type Example = (&'static str, &'static str);

/// The examples of a command; none for an unknown name.
pub fn of(command: &str) -> &'static [Example] {
    match command {
        "spyhop" | "search" => &[
            ("where is the retry delay computed", "a question in your own words"),
            ("resolve_api_key --lang rust --kind fn", "a name, in functions of one language"),
            ("search --vimgrep auth token --glob '!*_test.go'", "places for an editor, without tests"),
        ],
        "grep" => &[
            ("grep 'fn \\w+_key' src", "lines that match, as ripgrep prints them"),
            ("grep -l -F 'TODO(' -t rust", "names of the Rust files that have a text"),
            ("grep deadline --kind fn --rank", "lines inside functions, best files first"),
        ],
        "files" => &[
            ("files authstore", "files whose path has these letters in order"),
            ("files '*.proto' --path api", "files by a glob, in one folder"),
            ("files -0", "every file, for xargs -0"),
        ],
        "symbols" => &[
            ("symbols Pool.take --kind method", "a method by its name and type"),
            ("symbols --vimgrep parse --lang go", "definitions for an editor"),
        ],
        "read" => &[
            ("read src/auth.rs --lines 10-40", "lines of a file, numbered"),
            ("read --symbol Pool.take", "a definition by its name"),
        ],
        "def" => &[
            ("def Engine::search", "where a symbol is defined"),
            ("def src/main.rs:40:12", "what the name at a place means"),
        ],
        "refs" => &[
            ("refs Pool --lang rust", "calls, types, imports and mentions"),
            ("refs Pool.take --min-confidence 0.8", "only uses that are nearly certain"),
        ],
        "callers" => &[
            ("callers Engine::search", "the calls of a function"),
            ("callers take --depth 3", "the callers of the callers too"),
        ],
        "callees" => &[
            ("callees Engine::search", "the functions that a function calls"),
            ("callees src/pool.rs:10", "the calls of the function around a line"),
        ],
        "impls" => &[
            ("impls Source", "the types that extend or implement a type"),
            ("impls Source.next", "the methods that implement a method"),
        ],
        "tests-of" => &[
            ("tests-of Pool.take", "the tests that reach a function"),
            ("tests-of Pool.take --depth 1", "the tests that call a function directly"),
        ],
        "imports" => &[
            ("imports src/user.rs", "the modules that a file imports"),
            ("imports src/user.rs --json", "the modules as JSON"),
        ],
        "importers" => &[
            ("importers src/pool.rs", "the files that import a file"),
            ("importers src/pool.rs --exclude test", "the files without tests"),
        ],
        "trace" => &[
            ("trace Engine::search", "callers and callees at once"),
            ("trace main --to Pool.take", "the shortest paths of calls"),
            ("trace take --depth 2 --json", "two levels of callers as JSON"),
        ],
        "impact" => &[
            ("impact src/pool.rs", "what depends on the symbols of a file"),
            ("impact --diff", "what depends on what is not committed, and the tests to run"),
            ("impact Pool.take --depth 2", "what depends on a function"),
        ],
        "graph" => &[
            ("graph --cycles", "the files that import each other in circles"),
            ("graph --hubs --path src", "the files of a folder that most files import"),
            ("graph export --format dot", "every import, for Graphviz"),
        ],
        "ui" => &[
            ("ui", "a picker that searches while you type"),
            ("ui retry delay --print", "prints the places that are picked"),
        ],
        "lsp" => &[
            ("lsp", "a language server for the folders that an editor opens"),
            ("lsp -v", "with a log on standard error"),
        ],
        "map" => &[
            ("map", "the folders of the tree, with their main symbols"),
            ("map src --depth 3 -n 100", "one folder, deeper and shorter"),
        ],
        "index" => &[
            ("index", "builds the index, or indexes what changed"),
            ("index --rebuild --max-memory 500M", "everything again, within a bound"),
        ],
        "watch" => &[
            ("watch", "keeps the index of this tree current"),
            ("watch ../other", "the index of another tree"),
        ],
        "status" => {
            &[("status", "whether there is an index, and what it contains"), ("status --json", "as JSON")]
        }
        "views" => &[("views", "branches and worktrees in the index"), ("views --json", "as JSON")],
        "gc" => &[
            ("gc --dry-run", "what would be dropped"),
            ("gc --max-bytes 2G", "keeps all indexes together below a size"),
        ],
        "doctor" => &[("doctor", "checks every byte of the index"), ("doctor --json", "as JSON")],
        "export" => &[
            ("export ./tree.spyhop", "writes the index into a file"),
            ("export ./tree.spyhop --with-snippets", "with sources, for a machine without the tree"),
        ],
        "import" => &[
            ("import ./tree.spyhop", "makes a file the index of this tree"),
            ("import ./tree.spyhop --without-sources", "answers from the file alone"),
        ],
        "skipped" => &[
            ("skipped --reason too-large", "files that are too large"),
            ("skipped --explain-skips target/debug", "which rule leaves a path out"),
        ],
        "why-not" => &[
            ("why-not src/auth.rs token refresh", "why a file is not among the answers"),
            ("why-not src/auth.rs token refresh --json", "as JSON"),
        ],
        "touch" => &[
            ("touch src/auth.rs src/token.rs", "files that you work on rank higher"),
            ("touch src/auth.rs -q", "from an editor's hook"),
        ],
        "languages" => {
            &[("languages", "the languages and their extensions"), ("languages --json", "as JSON")]
        }
        "mcp" => &[
            ("mcp ~/src/tree", "a server for one agent, over standard input and output"),
            ("mcp --http 127.0.0.1:7411 ~/src/tree", "a server for several agents"),
            ("mcp install claude-code", "adds the server to an agent's configuration"),
        ],
        "completions" => &[
            ("completions zsh", "a script for the shell's folder of completions"),
            ("completions bash", "a script for bash"),
        ],
        "man" => &[("man", "the manual page of spyhop"), ("man grep", "the page of one command")],
        _ => &[],
    }
}

/// The section of a command's long help.
pub fn section(command: &str) -> String {
    let rows = of(command);
    let width = rows.iter().map(|(line, _)| line.chars().count()).max().unwrap_or_default();
    let rows = rows.iter().map(|(line, does)| format!("\n  spyhop {line:<width$}  {does}"));
    format!("Examples:{}", rows.collect::<String>())
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use super::super::{command, words};
    use super::*;

    #[test]
    fn every_command_has_examples_that_parse() {
        let top = command();
        for own in top.get_subcommands().map(clap::Command::get_name) {
            assert!((2..=3).contains(&of(own).len()), "{own}");
            for (line, _) in of(own) {
                let words = line.split(' ').map(|word| word.trim_matches('\''));
                let argv: Vec<OsString> =
                    std::iter::once("spyhop").chain(words).map(OsString::from).collect();
                let argv = words::with_command(argv, &top);
                let parsed =
                    command().try_get_matches_from(argv).unwrap_or_else(|error| panic!("{line}: {error}"));
                assert_eq!(parsed.subcommand_name(), Some(own), "{line}");
            }
        }
    }

    #[test]
    fn short_help_fits_forty_lines() {
        let whole = format!("{WELCOME}{SHORT_HELP}");
        assert!(whole.lines().count() <= 40, "{} lines", whole.lines().count());
        for own in command().get_subcommands().map(clap::Command::get_name) {
            assert!(whole.contains(own), "{own}");
        }
        for name in command().get_subcommands().map(clap::Command::get_name) {
            let argv = ["spyhop", name, "-h"];
            let help = command().term_width(80).try_get_matches_from(argv).unwrap_err().to_string();
            assert!(help.lines().count() <= 40, "{name}: {} lines\n{help}", help.lines().count());
        }
    }
}
