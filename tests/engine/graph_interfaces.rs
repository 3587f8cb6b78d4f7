//! What depends on a change of an interface, of a method that an override replaces, and of a file that moved.

use spyhop::{Engine, GraphChanges, GraphEnd, GraphQuestion, GraphReply, GraphRequest};

use super::open;
use crate::support::Tree;

const SHOP: &str = "
=== Store.cs
namespace Shop
{
    public interface IStore
    {
        void Give();
        void Take();
    }
}
=== Disk.cs
namespace Shop
{
    public class Disk : IStore
    {
        public void Give() { }
        public void Take() { }
    }
}
=== Web/User.cs
using Shop;
namespace Web
{
    public class User
    {
        private readonly IStore _store;
        public void Run() { _store.Give(); }
    }
}
=== shape/Shape.java
package shape;
public abstract class Shape {
    abstract boolean isInside(int at);
    boolean contains(int at) { return isInside(at); }
}
=== shape/Circle.java
package shape;
class Circle extends Shape {
    boolean isInside(int at) { return at < 1; }
}
=== shape/ShapeTest.java
package shape;
class ShapeTest { void testContains(Shape shape) { shape.contains(1); } }
";

fn repository() -> (Tree, Engine) {
    let tree = Tree::new(SHOP);
    tree.git(&["init", "-q", "-b", "main"]);
    tree.commit();
    let engine = open(&tree);
    (tree, engine)
}

fn ask(engine: &Engine) -> GraphReply {
    let request = GraphRequest::new(GraphQuestion::Impact, "");
    let changes = Some(GraphChanges::of(String::new()));
    engine.ask(&GraphRequest { changes, ..request }).unwrap()
}

/// The uses of what was removed, and the other dependents.
fn rows(reply: &GraphReply) -> (Vec<String>, Vec<String>) {
    let (mut gone, mut others) = (Vec::new(), Vec::new());
    for row in &reply.rows {
        let place = format!("{}:{}", row.path, row.line);
        match &row.to {
            GraphEnd::Removed(symbol) => gone.push(format!("{place} {}", symbol.qualified())),
            GraphEnd::Symbol(_) => others.push(place),
            other => panic!("{other:?}"),
        }
    }
    (gone, others)
}

#[test]
fn the_uses_of_a_removed_interface_and_of_its_members_are_listed() {
    let (tree, engine) = repository();
    std::fs::remove_file(tree.root().join("Store.cs")).unwrap();
    let reply = ask(&engine);
    let (gone, _) = rows(&reply);
    assert_eq!(gone, ["Web/User.cs:7 IStore.Give", "Disk.cs:3 IStore", "Web/User.cs:6 IStore"]);
    let mentions = reply.mentions.unwrap();
    assert_eq!((&mentions.names[0], mentions.possible), (&"IStore".to_string(), 0), "{mentions:?}");
}

#[test]
fn the_methods_that_implement_a_renamed_method_are_listed() {
    let (tree, engine) = repository();
    let text = std::fs::read_to_string(tree.root().join("Store.cs")).unwrap();
    tree.write("Store.cs", text.replace("Give", "Hand"));
    let reply = ask(&engine);
    let (gone, others) = rows(&reply);
    assert_eq!(gone, ["Disk.cs:5 IStore.Give", "Web/User.cs:7 IStore.Give"]);
    assert_eq!(others, Vec::<String>::new());
    // No place is a dependent and perhaps another one.
    assert!(reply.mentions.unwrap().rows.is_empty());
}

#[test]
fn a_moved_file_has_its_definitions_and_uses_counted() {
    let (tree, engine) = repository();
    tree.git(&["mv", "Store.cs", "Kept.cs"]);
    let reply = ask(&engine);
    let (gone, others) = rows(&reply);
    assert_eq!((gone, others.len()), (Vec::new(), 5), "{others:?}");
    let mentions = reply.mentions.unwrap();
    assert_eq!((mentions.definitions, mentions.resolved, mentions.possible), (3, 3, 0));
}

#[test]
fn who_calls_an_overridden_method_may_depend_on_the_override() {
    let (tree, engine) = repository();
    let text = std::fs::read_to_string(tree.root().join("shape/Circle.java")).unwrap();
    tree.write("shape/Circle.java", text.replace("at < 1", "at <= 1"));
    let reply = ask(&engine);
    let (_, others) = rows(&reply);
    assert_eq!(others, ["shape/Shape.java:4", "shape/ShapeTest.java:2"]);
    assert!(reply.rows.iter().all(|row| row.confidence < 0.5), "{:?}", reply.rows);
    assert_eq!(
        reply.tests.iter().map(|test| test.path.as_str()).collect::<Vec<_>>(),
        ["shape/ShapeTest.java"]
    );
}

#[test]
fn an_answer_about_imports_that_are_not_read_says_so() {
    let tree = Tree::new("\n=== a.ex\ndefmodule A do\n  import B\n  def run, do: 1\nend\n");
    let engine = open(&tree);
    for question in [GraphQuestion::Imports, GraphQuestion::Importers] {
        let reply = engine.ask(&GraphRequest::new(question, "a.ex")).unwrap();
        let text = reply.incomplete.map(|why| why.text);
        assert_eq!(text.as_deref(), Some("the imports of files in elixir are not read"));
    }
}
