//! A query that is nothing but a name is answered by a definition of the name: the reason that names the definition and the
//! lines that are shown agree, wherever a module or type is opened again. A reply does not claim and doubt an answer at once.

use spyhop::Signal;
use spyhop_engine::api::{Band, Hit, SearchReply};

use super::{ask, indexed};
use crate::support::{Random, Tree};

/// A language with modules or types that may be opened at several places: the path of a file, the lines before a block, and a
/// block with the name and a body of methods.
struct Reopening {
    path: fn(usize) -> String,
    block: fn(&str, &str) -> String,
    method: fn(&str, usize) -> String,
    separator: &'static str,
}

const LANGUAGES: &[Reopening] = &[
    Reopening {
        path: |n| format!("lib/part{n}.rb"),
        block: |name, body| format!("module Outer\n  module {name}\n{body}  end\nend\n"),
        method: |name, n| format!("    def {name}_{n}(value)\n      helpers.call(value, {n})\n    end\n"),
        separator: "::",
    },
    Reopening {
        path: |n| format!("source/part{n}.cpp"),
        block: |name, body| format!("namespace Outer {{\nnamespace {name} {{\n{body}}}\n}}\n"),
        method: |name, n| format!("int {name}_{n}(int value) {{\n  return value + {n};\n}}\n"),
        separator: "::",
    },
    Reopening {
        path: |n| format!("src/part{n}.rs"),
        block: |name, body| {
            format!(
                "pub mod outer_{name} {{\npub struct {name} {{\n    n: u32,\n}}\nimpl {name} {{\n{body}}}\n}}\n"
            )
        },
        method: |name, n| {
            format!("    pub fn {}_{n}(&self) -> u32 {{\n        self.n + {n}\n    }}\n", name.to_lowercase())
        },
        separator: "::",
    },
    Reopening {
        path: |n| format!("Parts/Part{n}.cs"),
        block: |name, body| format!("namespace Outer {{\npublic partial class {name} {{\n{body}}}\n}}\n"),
        method: |name, n| format!("  public int {name}{n}(int value) {{\n    return value + {n};\n  }}\n"),
        separator: ".",
    },
    Reopening {
        path: |n| format!("parts/part{n}.py"),
        block: |name, body| format!("class {name}:\n{body}\n"),
        method: |name, n| format!("    def {name}_{n}(self, value):\n        return value + {n}\n"),
        separator: ".",
    },
];

/// The line that the reason of a definition names; `None` if the reason says that the definition is shown.
fn line_of_definition(hit: &Hit) -> Option<u32> {
    let reason = hit.reasons.iter().find(|reason| reason.signal == Signal::Definition)?;
    let (_, line) = reason.text.split_once(" on line ")?;
    line.split(' ').next()?.parse().ok()
}

#[test]
fn the_place_that_is_shown_is_the_one_that_the_reason_names() {
    for seed in 0..12 {
        let mut random = Random(seed);
        let language = &LANGUAGES[seed as usize % LANGUAGES.len()];
        let names = ["Helpers", "Base", "Settings"];
        let tree = Tree::new("");
        for file in 0..1 + random.below(14) {
            let mut text = String::new();
            for _ in 0..1 + random.below(4) {
                let name = names[random.below(names.len())];
                // Methods may have the name of the module, and say it more often than its head does.
                let other = names[random.below(names.len())];
                let body: String = (0..random.below(6)).map(|n| (language.method)(other, n)).collect();
                text += &(language.block)(name, &body);
            }
            tree.write(&(language.path)(file), text);
        }
        let engine = indexed(&tree, "named", None);
        for name in names {
            for query in [name.to_string(), format!("Outer{}{name}", language.separator)] {
                let reply = ask(&engine, &query, 20);
                let mut files = Vec::new();
                for hit in &reply.results {
                    // Further places of a file are behind the place that answers.
                    if files.contains(&hit.path) {
                        continue;
                    }
                    files.push(hit.path.clone());
                    if let Some(line) = line_of_definition(hit) {
                        let is_shown = hit.lines.first <= line && line <= hit.lines.last;
                        assert!(is_shown, "{query}, seed {seed}: {} {:?}, not {line}", hit.path, hit.lines);
                    }
                }
            }
        }
    }
}

fn is_doubted(reply: &SearchReply) -> bool {
    reply.warnings.iter().any(|warning| warning.starts_with("nothing here seems to answer"))
}

#[test]
fn no_reply_claims_an_answer_and_doubts_it() {
    let texts = [
        "def f(x):\n    return y\n",
        "def load(path):\n    \"\"\"Returns the rows of a file.\"\"\"\n    return rows(path)\n",
        "fn main() {\n    println!(\"f(x) returns y\");\n}\n",
        "# Notes\n\nThe value of x is y where f returns.\n",
    ];
    let queries = [
        "f(x) returns y",
        "g(x) returns z of y",
        "where are the rows of a file loaded",
        "quantum foam returns of penguins",
        "x = y if f else x",
        "Error: f returned y at line 3",
        "load path rows",
    ];
    for n_files in [1, 2, 4] {
        let tree = Tree::new("");
        for (n, text) in texts.iter().cycle().skip(n_files).take(n_files).enumerate() {
            let ending = if text.starts_with("fn") {
                "rs"
            } else if text.starts_with('#') {
                "md"
            } else {
                "py"
            };
            tree.write(&format!("part{n}.{ending}"), text);
        }
        let engine = indexed(&tree, "doubt", None);
        for query in queries {
            let reply = ask(&engine, query, 10);
            let claims = reply.results.iter().any(|hit| matches!(hit.band, Band::High | Band::Good));
            assert!(
                !(claims && is_doubted(&reply)),
                "{query}, {n_files} files: {:?}",
                reply.results[0].score
            );
        }
    }
}
