//! What the name at a position means: the definition by the rules of the graph, a local variable, or one of several candidates.

use spyhop::{Engine, GraphQuestion, GraphRequest};
use spyhop_engine::api::PlaceMeaning;

use super::{Tree, open};

/// The answer about the position of `^` in a file of a tree.
struct Asked {
    engine: Engine,
    _tree: Tree,
    target: String,
}

impl Asked {
    /// `text` describes a tree, with a `^` before the name that is asked about.
    fn new(text: &str) -> Asked {
        let at = text.find('^').unwrap();
        let before = &text[..at];
        let header = before.rfind("=== ").unwrap();
        let path = before[header + 4..].lines().next().unwrap();
        let body = &before[header + 4 + path.len() + 1..];
        let line = body.matches('\n').count() + 1;
        let column = body.len() - body.rfind('\n').map_or(0, |newline| newline + 1) + 1;
        let tree = Tree::new(&text.replacen('^', "", 1));
        Asked { engine: open(&tree), _tree: tree, target: format!("{path}:{line}:{column}") }
    }

    /// The meaning, and the places of the definitions or candidates.
    fn told(&self) -> String {
        let reply = match self.engine.ask(&GraphRequest::new(GraphQuestion::Definitions, &self.target)) {
            Ok(reply) => reply,
            Err(error) => return error.to_string(),
        };
        let meaning = reply.place.as_ref().map_or(PlaceMeaning::Definition, |place| place.meaning);
        let candidates = reply.place.iter().flat_map(|place| &place.candidates);
        let rows = reply.definitions.iter().chain(candidates);
        let places: Vec<String> = rows.map(|row| format!("{}:{}", row.path, row.lines.first)).collect();
        format!("{meaning:?} {}", places.join(" ")).trim_end().to_string()
    }

    /// The lines of the uses.
    fn uses(&self) -> Vec<u32> {
        let reply = self.engine.ask(&GraphRequest::new(GraphQuestion::References, &self.target)).unwrap();
        reply.rows.iter().map(|row| row.line).collect()
    }
}

fn check(text: &str, expected: &str) {
    assert_eq!(Asked::new(text).told(), expected, "{text}");
}

const PYTHON: &str = "
=== a.py
class One:
    def get_type(self):
        return 1

class Two:
    def get_type(self):
        return 2
=== b.py
from a import One, Two

def run(one: One, other, count):
    total = count
    one.get_type()
    other.get_type()
    for each in total:
        each.run(total, nothing)
    return One
";

/// [`PYTHON`] with a cursor before the first `name` in the part that begins with `from`.
fn at(text: &str, from: &str, name: &str) -> String {
    let start = text.find(from).unwrap();
    let at = start + text[start..].find(name).unwrap();
    format!("{}^{}", &text[..at], &text[at..])
}

#[test]
fn a_name_means_what_the_rules_of_the_graph_say() {
    check(&at(PYTHON, "    one.get", "get_type"), "Definition a.py:2");
    check(&at(PYTHON, "    other.get", "get_type"), "Unknown a.py:2 a.py:6");
    check(&at(PYTHON, "    one.get", "one"), "Local b.py:3");
    check(&at(PYTHON, "    total = count", "count"), "Local b.py:3");
    check(&at(PYTHON, "each.run(total", "total"), "Local b.py:4");
    check(&at(PYTHON, "each.run", "each"), "Local b.py:7");
    check(&at(PYTHON, "total, nothing", "nothing"), "Unknown");
    check(&at(PYTHON, "return One", "One"), "Definition a.py:1");
    check(&at(PYTHON, "class Two", "Two"), "Definition a.py:5");
    check(&at(PYTHON, "    return One", "  return"), "no name stands at 'b.py:9:3'");
    assert_eq!(Asked::new(&at(PYTHON, "    total = count", "total")).uses(), [7, 8]);
}

#[test]
fn a_name_in_a_file_that_uses_it_means_what_it_means_there() {
    let tree = Tree::new(
        "\n=== app/pool.py\nclass Pool:\n    def take(self):\n        return 1\n=== app/other.py\nclass Pool:\n    pass\n\
         === app/user.py\n# A Pool is shared.\nfrom app.pool import Pool\n\n\ndef run():\n    pool = Pool()\n    return pool.take()\n",
    );
    let engine = open(&tree);
    let told = |target: &str| match engine.ask(&GraphRequest::new(GraphQuestion::Definitions, target)) {
        Ok(reply) => {
            let places = reply.definitions.iter().map(|own| format!("{}:{}", own.path, own.lines.first));
            places.collect::<Vec<_>>().join(" ")
        }
        Err(error) => error.to_string(),
    };
    assert_eq!(told("app/user.py#Pool"), "app/pool.py:1");
    assert_eq!(told("app/user.py#take"), "app/pool.py:2");
    assert_eq!(told("app/user.py#Pool.take"), "app/pool.py:2");
    assert!(told("app/user.py#shared").starts_with("'app/user.py' defines no 'shared'"));
    assert!(told("app/user.py#pool").starts_with("'app/user.py' defines no 'pool'"));
}

#[test]
fn local_names_go_to_their_declarations_in_every_language() {
    check("\n=== a.go\npackage a\n\nfunc run(pool *Pool) {\n\tn := 1\n\ttake(^pool, n)\n}\n", "Local a.go:3");
    check("\n=== a.go\npackage a\n\nfunc run(pool *Pool) {\n\tn := 1\n\ttake(pool, ^n)\n}\n", "Local a.go:4");
    let java = "\n=== A.java\nclass A {\n  void run(Pool pool) {\n    Pool other = pool;\n    all.map(it -> it.take(other));\n  }\n}\n";
    check(&at(java, "= pool", "pool"), "Local A.java:2");
    check(&at(java, "take(other", "other"), "Local A.java:3");
    check(&at(java, "it.take", "it"), "Local A.java:4");
    let rust = "\n=== a.rs\nfn run(pool: &Pool) {\n    let n = 1;\n    take(pool, n);\n    all.map(|it| it.take(n));\n}\n";
    check(&at(rust, "(pool, n", "pool"), "Local a.rs:1");
    check(&at(rust, "pool, n)", "n)"), "Local a.rs:2");
    check(&at(rust, "it.take", "it"), "Local a.rs:4");
    let web = "\n=== a.ts\nexport function run(pool: Pool) {\n  const n = 1;\n  take(pool, n);\n  all.map((it) => it.take(n));\n}\n";
    check(&at(web, "(pool, n", "pool"), "Local a.ts:1");
    check(&at(web, "take(n", "n"), "Local a.ts:2");
    check(&at(web, "it.take", "it"), "Local a.ts:4");
    check("\n=== a.kt\nfun run(pool: Pool) {\n  val n = 1\n  take(^pool, n)\n}\n", "Local a.kt:1");
    check(
        "\n=== a.cs\nclass A {\n  void Run(Pool pool) {\n    var n = 1;\n    Take(pool, ^n);\n  }\n}\n",
        "Local a.cs:3",
    );
    check("\n=== a.php\n<?php\nfunction run($pool) {\n  $n = 1;\n  take($^pool, $n);\n}\n", "Local a.php:2");
    check("\n=== a.rb\ndef run(pool)\n  n = 1\n  take(pool, ^n)\nend\n", "Local a.rb:2");
    check("\n=== a.swift\nfunc run(pool: Pool) {\n  let n = 1\n  take(pool, ^n)\n}\n", "Local a.swift:2");
    check(
        "\n=== a.c\nint run(struct pool *pool) {\n  int n = 1;\n  return take(^pool, n);\n}\n",
        "Local a.c:1",
    );
}

#[test]
fn a_name_without_a_symbol_is_not_the_type_around_it() {
    let java =
        "\n=== A.java\nclass A {\n  void run(Object o) {\n    o.^hashCode();\n    Missing.thing();\n  }\n}\n";
    check(java, "Outside");
    let asked = Asked::new(java);
    let error = asked.engine.ask(&GraphRequest::new(GraphQuestion::Callers, &asked.target)).unwrap_err();
    assert_eq!(error.to_string(), "'hashCode' at A.java:3:7 is not defined in the tree");
    let ruby = "\n=== a.rb\nclass Pool\n  def empty?\n    true\n  end\n  def run\n    ^empty?\n  end\nend\n";
    check(ruby, "Definition a.rb:2");
}
