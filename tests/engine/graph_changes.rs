//! What depends on a change, which tests to run, and paths of calls, in real repositories.

use spyhop::{Engine, GraphChanges, GraphQuestion, GraphReply, GraphRequest, Options};
use spyhop_engine::ErrorKind;

use super::{open, options};
use crate::support::Tree;

const APP: &str = "
=== app/pool.py
class Pool:
    def take(self):
        return check(1)

    def give(self):
        return 2


def check(n):
    return n


def alone():
    return 0
=== app/user.py
from app.pool import Pool


def run():
    pool = Pool()
    return pool.take()


def serve():
    return run()


def main():
    return serve()


def tests_of_pool():
    return run()
=== app/other.py
def nothing():
    return 1
=== tests/test_user.py
from app.user import run


def test_run():
    assert run() == 1
=== tests/test_pool.py
def test_nothing():
    assert True
=== tests/test_other.py
from app.other import nothing


def test_nothing():
    assert nothing() == 1
";

fn repository() -> Tree {
    let tree = Tree::new(APP);
    tree.git(&["init", "-q", "-b", "main"]);
    tree.commit();
    tree
}

fn pool(tree: &Tree) -> String {
    std::fs::read_to_string(tree.root().join("app/pool.py")).unwrap()
}

fn ask(engine: &Engine, changes: &str) -> GraphReply {
    let changes = Some(GraphChanges::of(changes.to_string()));
    engine.ask(&GraphRequest { changes, ..GraphRequest::new(GraphQuestion::Impact, "") }).unwrap()
}

fn changed(reply: &GraphReply) -> Vec<String> {
    reply.definitions.iter().map(spyhop::SymbolRow::qualified).collect()
}

/// Dependents as `steps path name`.
fn dependents(reply: &GraphReply) -> Vec<String> {
    let name = |row: &spyhop::GraphRow| row.from.as_ref().map_or("-".to_string(), |from| from.qualified());
    let rows = reply.rows.iter().map(|row| format!("{} {} {}", row.depth, row.path, name(row)));
    let mut rows: Vec<String> = rows.collect();
    rows.sort();
    rows
}

fn tests(reply: &GraphReply) -> Vec<&str> {
    reply.tests.iter().map(|test| test.path.as_str()).collect()
}

#[test]
fn a_change_concerns_what_depends_on_the_touched_symbols() {
    let tree = repository();
    let engine = open(&tree);
    // An empty answer says why.
    let none = ask(&engine, "");
    assert_eq!(none.warnings, ["no indexed text of a tracked file differs between HEAD and the worktree"]);
    assert!(changed(&none).is_empty());
    assert_eq!(
        ask(&engine, "HEAD..main").warnings,
        ["no indexed text of a tracked file differs between HEAD and main"]
    );
    tree.write("app/pool.py", pool(&tree).replace("return n\n", "return n + 1\n"));
    let expected = [
        "1 app/pool.py Pool.take",
        "2 app/user.py run",
        "3 app/user.py serve",
        "3 app/user.py tests_of_pool",
        "3 tests/test_user.py test_run",
    ];
    for between in ["", "HEAD", "main"] {
        let reply = ask(&engine, between);
        assert_eq!(changed(&reply), ["check"], "{between}");
        assert_eq!(dependents(&reply), expected, "{between}");
        let tests = tests(&reply);
        assert!(tests.contains(&"tests/test_user.py") && tests.contains(&"tests/test_pool.py"), "{tests:?}");
        assert!(!tests.contains(&"tests/test_other.py") && !tests.contains(&"app/user.py"), "{tests:?}");
    }
    tree.commit();
    assert!(changed(&ask(&engine, "")).is_empty());
    assert_eq!(dependents(&ask(&engine, "HEAD~1..HEAD")), expected);
    assert_eq!(dependents(&ask(&engine, "HEAD~1...HEAD")), expected);
    // The lines of an older commit lead to the symbols of these names.
    tree.write("app/pool.py", format!("import os\n\n\n{}", pool(&tree)));
    tree.commit();
    assert_eq!(changed(&ask(&engine, "HEAD~2..HEAD~1")), ["check"]);
}

#[test]
fn files_with_other_stat_data_and_the_same_content_are_no_change() {
    let tree = repository();
    (0..1_005).for_each(|n| tree.write(&format!("a/{n:04}.txt"), "a text\n"));
    tree.commit();
    // As after a copy of the tree: git's index has another time for every file.
    let later = std::time::SystemTime::now() - std::time::Duration::from_secs(5_000);
    for n in 0..1_005 {
        let file =
            std::fs::File::options().write(true).open(tree.root().join(format!("a/{n:04}.txt"))).unwrap();
        file.set_modified(later).unwrap();
    }
    tree.write("app/pool.py", pool(&tree).replace("return n\n", "return n + 1\n"));
    let engine = open(&tree);
    let reply = ask(&engine, "");
    assert_eq!(
        (changed(&reply), reply.warnings.len()),
        (vec!["check".to_string()], 0),
        "{:?}",
        reply.warnings
    );
    // A change of more files than are compared is not looked at as a whole.
    (0..1_005).for_each(|n| tree.write(&format!("a/{n:04}.txt"), "another text\n"));
    let reply = ask(&engine, "");
    let why = reply.incomplete.as_ref().map(ToString::to_string).unwrap_or_default();
    assert!(why.contains("not every changed file was looked at"), "{why} {:?}", reply.warnings);
}

#[test]
fn a_diff_may_be_given_as_text() {
    let tree = repository();
    let engine = open(&tree);
    let diff = "--- a/app/pool.py\n+++ b/app/pool.py\n@@ -5,2 +5,2 @@ class Pool:\n     def give(self):\n\
                -        return 2\n+        return 3\n";
    let reply = ask(&engine, diff);
    assert_eq!((changed(&reply), reply.rows.len()), (vec!["Pool.give".to_string()], 0));
    let unknown = ask(&engine, &diff.replace("pool.py", "gone.py"));
    assert_eq!(unknown.warnings, ["changed files are not in the index: app/gone.py"]);
}

#[test]
fn uses_of_what_was_removed_are_listed() {
    let tree = repository();
    let engine = open(&tree);
    // Both methods go, and a function that another method calls; another class has a method of that name.
    let other =
        "class Other:\n    def take(self):\n        return 3\n\n\ndef use():\n    return Other().take()\n";
    tree.write("app/third.py", other);
    let gone = pool(&tree).replace("    def take(self):\n        return check(1)\n\n", "");
    tree.write("app/pool.py", gone);
    let broken = |reply: &GraphReply| {
        let place = |row: &spyhop::GraphRow| match &row.to {
            spyhop::GraphEnd::Removed(symbol) => {
                Some(format!("{}:{} {}", row.path, row.line, symbol.qualified()))
            }
            _ => None,
        };
        reply.rows.iter().filter_map(place).collect::<Vec<_>>()
    };
    let reply = ask(&engine, "");
    let untracked = "files that git does not track are not compared: app/third.py";
    assert_eq!(reply.warnings, ["names were removed: Pool.take", untracked]);
    assert_eq!(broken(&reply), ["app/user.py:6 Pool.take"]);
    // What calls the broken function follows.
    assert!(dependents(&reply).contains(&"2 app/user.py serve".to_string()), "{:?}", dependents(&reply));
    assert_eq!(tests(&reply)[..2], ["tests/test_user.py", "tests/test_pool.py"]);
    // The text of the diff tells the same.
    let diff = std::process::Command::new("git").current_dir(tree.root()).arg("diff").output().unwrap();
    let diff = String::from_utf8(diff.stdout).unwrap();
    assert_eq!(broken(&ask(&engine, &diff)), broken(&reply));
    // A removed file: its import, and what it defined.
    tree.git(&["checkout", "-q", "app/pool.py"]);
    std::fs::remove_file(tree.root().join("app/pool.py")).unwrap();
    let reply = ask(&engine, "");
    assert_eq!(reply.warnings, ["names were removed: file app/pool.py", untracked]);
    assert_eq!(broken(&reply), ["app/user.py:1 Pool", "app/user.py:5 Pool"]);
}

#[test]
fn a_removed_name_that_another_file_defines_is_removed() {
    let tree = Tree::new(
        "
=== app/views.py
LIMIT = 1


def login():
    return LIMIT


class Command:
    def pause(self):
        return 1

    def run(self):
        return self.pause()
=== app/emails.py
LIMIT = 2


def login():
    return 2


class Command:
    def pause(self):
        return 2
=== app/urls.py
from app import views
from app.emails import login as mail

PATHS = [views.login, mail, views.LIMIT]
=== src/order.rs
pub enum Order {
    Rising,
    Falling,
}

pub fn default() -> Order {
    Order::Falling
}
",
    );
    tree.git(&["init", "-q", "-b", "main"]);
    tree.commit();
    let engine = open(&tree);
    let changed = |path: &str, renames: &[(&str, &str)]| {
        let text = std::fs::read_to_string(tree.root().join(path)).unwrap();
        let text = renames.iter().fold(text, |text, (old, new)| text.replace(old, new));
        tree.write(path, text);
        let reply = ask(&engine, "");
        let removed = |row: &spyhop::GraphRow| matches!(row.to, spyhop::GraphEnd::Removed(_));
        let rows = reply.rows.iter().filter(|row| removed(row));
        let rows: Vec<String> = rows.map(|row| format!("{}:{}", row.path, row.line)).collect();
        tree.git(&["checkout", "-q", path]);
        (reply.warnings.join("\n"), rows)
    };
    let (warning, uses) = changed("app/views.py", &[("def login", "def sign_in"), ("def pause", "def rest")]);
    assert_eq!(warning, "names were removed: login, Command.pause");
    assert_eq!(uses, ["app/urls.py:4", "app/views.py:13"]);
    let (warning, uses) = changed("app/views.py", &[("LIMIT =", "BOUND =")]);
    assert_eq!(warning, "names were removed: LIMIT");
    assert_eq!(uses, ["app/urls.py:4", "app/views.py:5"]);
    let (warning, uses) = changed("src/order.rs", &[("    Falling", "    Sinking")]);
    assert_eq!(warning, "names were removed: Order.Falling");
    assert_eq!(uses, ["src/order.rs:7"]);
    // A file under another name: what imports it breaks.
    tree.git(&["mv", "app/emails.py", "app/mails.py"]);
    let reply = ask(&engine, "");
    assert_eq!(reply.warnings, ["names were removed: file app/emails.py"]);
    assert!(reply.rows.iter().any(|row| row.path.as_str() == "app/urls.py" && row.line == 2), "{reply:#?}");
}

#[test]
fn every_use_of_the_old_name_of_a_renamed_function_is_listed() {
    let tree = Tree::new(
        "
=== app/pool.py
class Pool:
    def take_old(self):
        return 1


def free_old():
    return 2
=== app/user.py
from app.pool import Pool, free_old


def run(x):
    Pool().take_old()
    x.take_old()
    getattr(x, 'take_old')
    return free_old()
=== notes.md
take_old and free_old are told here.
",
    );
    tree.git(&["init", "-q", "-b", "main"]);
    tree.commit();
    let engine = open(&tree);
    tree.write("app/pool.py", pool(&tree).replace("_old", "_new"));
    let listed = |reply: &GraphReply| {
        let rows = reply.rows.iter().filter(|row| matches!(row.to, spyhop::GraphEnd::Removed(_)));
        let rows = rows.map(|row| (row.path.to_string(), row.line));
        let mentions = reply.mentions.iter().flat_map(|mentions| &mentions.rows);
        let mut all: Vec<(String, u32)> =
            rows.chain(mentions.map(|row| (row.path.to_string(), row.line))).collect();
        all.sort();
        all
    };
    let reply = ask(&engine, "");
    let lines = [1, 5, 6, 7, 8].map(|line| ("app/user.py".to_string(), line));
    assert_eq!(listed(&reply), lines, "{reply:#?}");
    let mentions = reply.mentions.unwrap();
    let of_old = ["free_old", "take_old", "free_new", "take_new"];
    assert_eq!(mentions.names, of_old);
    assert_eq!((mentions.resolved, mentions.possible, mentions.comments_and_strings), (3, 2, 2));
    // The names of a removed file.
    std::fs::remove_file(tree.root().join("app/pool.py")).unwrap();
    let reply = ask(&engine, "");
    let lines = [1, 1, 5, 5, 6, 7, 8].map(|line| ("app/user.py".to_string(), line));
    assert_eq!(listed(&reply), lines, "{reply:#?}");
}

#[test]
fn a_change_of_many_symbols_is_not_one_name_with_many_definitions() {
    let functions = |value: &str| -> String {
        (0..70).map(|n| format!("def f{n}():\n    return {value}\n\n\n")).collect()
    };
    let tree = Tree::new("");
    tree.write("a.py", functions("1"));
    tree.git(&["init", "-q", "-b", "main"]);
    tree.commit();
    let engine = open(&tree);
    tree.write("a.py", functions("2"));
    let reply = ask(&engine, "");
    assert_eq!(changed(&reply).len(), 70);
    let text = format!("{:?}", reply.incomplete);
    assert!(!text.contains("definitions"), "{text}");
}

#[test]
fn symbols_of_a_file_are_no_dependents_of_the_file() {
    let tree = repository();
    let engine = open(&tree);
    let reply = engine.ask(&GraphRequest::new(GraphQuestion::Impact, "app/pool.py")).unwrap();
    assert_eq!(dependents(&reply)[0], "1 app/user.py run");
    assert!(reply.rows.iter().all(|row| row.path.as_str() != "app/pool.py"), "{:?}", dependents(&reply));
}

#[test]
fn a_file_whose_users_are_not_read_has_no_complete_answer() {
    let tree = Tree::new(
        "\n=== app/views.py\ndef show(request):\n    return render(request, \"basket.html\")\n=== templates/basket.html\n<p>Basket</p>\n=== notes.md\n# Notes\n",
    );
    let engine = open(&tree);
    let causes = ["templates/basket.html", "notes.md"].map(|path| {
        let reply = engine.ask(&GraphRequest::new(GraphQuestion::Impact, path)).unwrap();
        reply.incomplete.map(|own| own.text)
    });
    assert_eq!(causes, [Some("the imports of files in html are not read".to_string()), None]);
}

#[test]
fn the_constants_of_a_file_are_its_symbols_wherever_they_are_declared() {
    let tree = Tree::new(
        "
=== ids.h
namespace Ids {
extern const int ONE;
}
struct Set { static const int Title; };
=== ids.cpp
#include \"ids.h\"
const int Ids::ONE = 1;
const int Set::Title = 2;
=== use.cpp
#include \"ids.h\"
int one() { return Ids::ONE; }
int title() { return Set::Title; }
",
    );
    let reply = open(&tree).ask(&GraphRequest::new(GraphQuestion::Impact, "ids.cpp")).unwrap();
    assert_eq!(dependents(&reply), ["1 use.cpp one", "1 use.cpp title"]);
}

#[test]
fn a_changed_variant_is_the_innermost_symbol_of_its_line() {
    let tree = Tree::new(
        "
=== color.swift
enum Color {
    case red
    case blue
}
enum Light {
    case blue
    func shown(_ other: Color) -> Int {
        switch self {
        case .blue: return 1
        }
    }
}
func mix() -> Color { return Color.blue }
func keep(_ color: Color) -> Color { return color }
",
    );
    tree.git(&["init", "-q", "-b", "main"]);
    tree.commit();
    let engine = open(&tree);
    let def = engine.ask(&GraphRequest::new(GraphQuestion::Definitions, "color.swift:3")).unwrap();
    assert_eq!(changed(&def), ["Color.blue"]);
    let text = std::fs::read_to_string(tree.root().join("color.swift")).unwrap();
    tree.write("color.swift", text.replacen("case blue", "case navy", 1));
    let reply = ask(&engine, "");
    assert_eq!(changed(&reply), ["Color.navy"]);
    // The variant of the other type is still there.
    let sure = reply.rows.iter().filter(|row| row.confidence >= 0.5);
    let sure: Vec<(u32, f32)> = sure.map(|row| (row.line, row.confidence)).collect();
    assert_eq!(sure.iter().map(|(line, _)| *line).collect::<Vec<_>>(), [13], "{sure:?}");
}

#[test]
fn a_change_that_is_not_there_is_an_error() {
    let tree = repository();
    let engine = open(&tree);
    let error = |target: &str, changes: &str| {
        let changes = Some(GraphChanges::of(changes.to_string()));
        let request = GraphRequest { changes, ..GraphRequest::new(GraphQuestion::Impact, target) };
        let error = engine.ask(&request).unwrap_err();
        (error.kind(), error.to_string())
    };
    let (kind, text) = error("", "nope..HEAD");
    assert_eq!(kind, ErrorKind::BadRequest);
    assert!(text.starts_with("there is no revision 'nope'"), "{text}");
    assert!(error("", "a\nb\n").1.starts_with("the diff names no file"));
    assert!(error("run", "HEAD").1.starts_with("give a target or a diff"));
    let plain = Tree::new(APP);
    let request = GraphRequest {
        changes: Some(GraphChanges::Between("HEAD".into())),
        ..GraphRequest::new(GraphQuestion::Impact, "")
    };
    let text = open(&plain).ask(&request).unwrap_err().to_string();
    assert!(text.contains("there is no git repository"), "{text}");
}

#[test]
fn paths_of_calls_are_the_shortest() {
    let tree = repository();
    let engine = open(&tree);
    let paths = |from: &str, to: &str, depth: Option<u32>| {
        let to = Some(to.to_string());
        let request = GraphRequest { to, depth, ..GraphRequest::new(GraphQuestion::Trace, from) };
        let reply = engine.ask(&request).unwrap();
        let call = |row: &spyhop::GraphRow| format!("{}:{}", row.path, row.line);
        reply.paths.iter().map(|path| path.iter().map(call).collect::<Vec<_>>()).collect::<Vec<_>>()
    };
    let path = ["app/user.py:14", "app/user.py:10", "app/user.py:6", "app/pool.py:3"];
    assert_eq!(paths("main", "check", None), [path]);
    assert!(paths("main", "check", Some(3)).is_empty());
    assert!(paths("check", "main", None).is_empty());
    let fork = Tree::new(
        "
=== a.py
def start():
    left()
    right()
    left()

def left():
    end()

def right():
    end()
    start()

def end():
    pass
",
    );
    let request = GraphRequest { to: Some("end".into()), ..GraphRequest::new(GraphQuestion::Trace, "start") };
    let reply = open(&fork).ask(&request).unwrap();
    let lines: Vec<Vec<u32>> =
        reply.paths.iter().map(|path| path.iter().map(|row| row.line).collect()).collect();
    assert_eq!(lines, [[2, 7], [3, 10]]);
}

#[test]
fn the_graph_of_another_branch_does_not_leak() {
    let tree = repository();
    tree.git(&["checkout", "-q", "-b", "topic"]);
    tree.write("app/topic.py", "from app.pool import check\n\n\ndef only_here():\n    return check(2)\n");
    tree.write("app/user.py", "def run():\n    return 1\n");
    tree.commit();
    tree.git(&["checkout", "-q", "main"]);
    let main = open(&tree);
    let options = Options { view: Some("topic".into()), ..options(&tree) };
    let topic = Engine::open(tree.root(), options).unwrap();
    let callers = |engine: &Engine, target: &str| {
        let reply = engine.ask(&GraphRequest::new(GraphQuestion::Callers, target)).unwrap();
        dependents(&reply)
    };
    assert_eq!(callers(&main, "check"), ["1 app/pool.py Pool.take"]);
    assert_eq!(callers(&topic, "check"), ["1 app/pool.py Pool.take", "1 app/topic.py only_here"]);
    assert_eq!(callers(&main, "Pool.take"), ["1 app/user.py run"]);
    assert!(callers(&topic, "Pool.take").is_empty());
    let error = main.ask(&GraphRequest::new(GraphQuestion::Callers, "only_here")).unwrap_err();
    assert!(error.to_string().starts_with("the tree defines no 'only_here'"), "{error}");
    // The other branch is what changes are compared with, too.
    assert_eq!(changed(&ask(&topic, "main")), ["only_here", "run"]);
}

#[test]
fn routes_and_commands_that_lead_to_a_change_are_listed() {
    let tree = Tree::new(
        "
=== shop/pool.py
def take():
    return 1


def alone():
    return 2
=== shop/views.py
from flask import Flask

from shop.pool import take

app = Flask(__name__)


def helper():
    return take()


@app.route(\"/items\", methods=[\"POST\"])
def items():
    return helper()


@app.route(\"/other\")
def other():
    return 3
",
    );
    let entries = |target: &str| -> Vec<String> {
        let reply = open(&tree).ask(&GraphRequest::new(GraphQuestion::Impact, target)).unwrap();
        let row = |row: &spyhop::EntryRow| format!("{} {} {}", row.method, row.name, row.depth.unwrap_or(9));
        reply.entries.iter().map(row).collect()
    };
    assert_eq!(entries("take"), ["POST /items 2"]);
    assert_eq!(entries("alone"), [""; 0]);
}

#[test]
fn a_trace_shows_the_code_of_the_definition_and_the_lines_of_calls() {
    let tree = repository();
    let reply = open(&tree).ask(&GraphRequest::new(GraphQuestion::Trace, "Pool.take")).unwrap();
    let code: Vec<(usize, u32, &str)> =
        reply.code.iter().map(|code| (code.definition, code.lines.first, code.text.trim_end())).collect();
    assert_eq!(code, [(0, 2, "    def take(self):\n        return check(1)")]);
    let told = spyhop_interface::render::agent::graph(&reply).text;
    for line in
        ["2\t    def take(self):", "3\t        return check(1)", "\treturn pool.take()", "\treturn check(1)"]
    {
        assert!(told.contains(line), "{told}");
    }
    let shown = spyhop_interface::render::text::graph(
        &reply,
        spyhop_engine::api::Mode::Default,
        &spyhop_interface::render::Style::default(),
    );
    assert!(shown.contains("     3          return check(1)\n"), "{shown}");
}

#[test]
fn callers_are_followed_through_schedulers() {
    let tree = Tree::new(
        "
=== tasks.py
def send_mail(id):
    return id

def kept(id):
    return id
=== views.py
from tasks import kept, send_mail

def save(id):
    send_mail.delay(id)

def show(id):
    return [kept]

def create():
    save(1)
    show(1)
=== poll.ts
function poll() {}
export function start() { setTimeout(poll, 5); }
export function main() { start(); }
",
    );
    let engine = open(&tree);
    let callers = |target: &str| {
        let request = GraphRequest { depth: Some(2), ..GraphRequest::new(GraphQuestion::Callers, target) };
        dependents(&engine.ask(&request).unwrap())
    };
    assert_eq!(callers("send_mail"), ["1 views.py save", "2 views.py create"]);
    assert_eq!(callers("poll"), ["1 poll.ts start", "2 poll.ts main"]);
    // What may happen to a value elsewhere is not known.
    assert_eq!(callers("kept"), ["1 views.py show"]);
}
