//! Every mention of a name is accounted for: the parts of an answer of the code graph add up to what an exact search for the
//! word finds, in any language, and nothing is said to be complete or absent while a mention may be a use.

use spyhop::{Engine, GraphQuestion, GraphReply, GraphRequest};
use spyhop_engine::api::{Bounds, GrepRequest, MentionPart, Mentions, OutputFormat, PrintOptions};

use spyhop_interface::render::{Style, agent, text};

use super::graph_alike::{MODULES, module};
use super::{Random, Tree, open};
use crate::support::{cases, repository};

const QUESTIONS: [GraphQuestion; 3] =
    [GraphQuestion::References, GraphQuestion::Callers, GraphQuestion::Impact];

/// The number of occurrences that `spyhop grep -w --count-matches` finds, which is that of ripgrep (`like_ripgrep.rs`).
fn counted(engine: &Engine, name: &str) -> usize {
    let request = GrepRequest { fixed: true, bounds: Bounds::Word, ..GrepRequest::new(name) };
    let looks = PrintOptions { form: OutputFormat::CountMatches, ..PrintOptions::default() };
    let mut out = Vec::new();
    let sink = |bytes: &[u8]| {
        out.extend_from_slice(bytes);
        true
    };
    engine.print_grep(&request, &looks, sink).unwrap();
    let text = String::from_utf8(out).unwrap();
    text.lines().map(|line| line.rsplit_once(':').unwrap().1.parse::<usize>().unwrap()).sum()
}

fn sum(mentions: &Mentions) -> usize {
    let Mentions { definitions, resolved, possible, other, comments_and_strings, not_read, .. } = mentions;
    definitions + resolved + possible + other + comments_and_strings + not_read
}

/// What holds for every answer.
fn check(reply: &GraphReply, asked: &str) {
    let open = reply.mentions.as_ref().map_or(0, |own| own.possible + own.not_read + own.uncounted_files);
    if reply.incomplete.is_none() {
        assert_eq!(open, 0, "{asked} is complete: {:?}", reply.mentions);
        assert!(reply.mentions.is_some() || reply.definitions.is_empty(), "{asked} is complete");
    }
    let footer = text::graph_footer(reply, &Style::default());
    let told = agent::graph(reply).text;
    if open > 0 {
        assert!(!footer.contains(" found of "), "{asked}: {footer}");
        assert!(!told.contains(" found of "), "{asked}: {told}");
        assert!(told.contains("not complete: "), "{asked}: {told}");
    }
}

/// The answers to every question about a name, checked against the exact search.
fn account(engine: &Engine, name: &str) -> Vec<GraphReply> {
    let expected = counted(engine, name);
    let answer = |question| {
        let request =
            GraphRequest { all_mentions: true, max_results: 1_000, ..GraphRequest::new(question, name) };
        let asked = format!("{question:?} {name}");
        let reply = engine.ask(&request).unwrap_or_else(|error| panic!("{asked}: {error}"));
        check(&reply, &asked);
        if let Some(mentions) = &reply.mentions {
            assert_eq!((mentions.total, mentions.uncounted_files), (expected, 0), "{asked}: {mentions:#?}");
            assert_eq!(sum(mentions), mentions.total, "{asked}: {mentions:#?}");
            assert_eq!(
                mentions.rows.len() + mentions.not_read,
                expected.min(1_000),
                "{asked}: {mentions:#?}"
            );
        }
        reply
    };
    QUESTIONS.map(answer).into()
}

#[test]
fn a_use_that_only_the_text_of_a_template_has_is_listed() {
    let tree = Tree::new(
        "\n=== menu.vue\n<script setup>\nfunction toggleMenu() {}\n</script>\n<template>\n<a :action=\"toggleMenu\">x</a>\n</template>\n",
    );
    let engine = open(&tree);
    let reply = engine.ask(&GraphRequest::new(GraphQuestion::References, "toggleMenu")).unwrap();
    let mentions = reply.mentions.as_ref().unwrap();
    let listed: Vec<(u32, MentionPart)> = mentions.rows.iter().map(|row| (row.line, row.part)).collect();
    assert_eq!((mentions.resolved, listed), (1, vec![(5, MentionPart::Resolved)]), "{mentions:#?}");
    for text in [text::graph_footer(&reply, &Style::default()), agent::graph(&reply).text] {
        assert!(!text.contains("no uses"), "{text}");
    }
}

/// The names that a tree defines, by seed.
fn drawn(engine: &Engine, most: usize) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    engine
        .graph_of_files(&mut |file| names.extend(file.symbols.iter().map(|own| own.name.to_string())))
        .unwrap();
    names.sort_unstable();
    names.dedup();
    names.retain(|name| engine.ask(&GraphRequest::new(GraphQuestion::Definitions, name)).is_ok());
    let mut random = Random(7);
    while names.len() > most {
        names.remove(random.below(names.len()));
    }
    names
}

#[test]
fn the_parts_are_what_an_exact_search_finds_in_every_language() {
    let grammars = repository("src/syntax/grammars");
    let mut n_names = 0;
    for entry in std::fs::read_dir(&grammars).unwrap() {
        let folder = entry.unwrap().path();
        let Ok(fixtures) = std::fs::read_dir(folder.join("fixtures")) else { continue };
        let tree = Tree::new("");
        for fixture in fixtures {
            let path = fixture.unwrap().path();
            let Ok(text) = std::fs::read_to_string(&path) else { continue };
            let name = path.file_name().unwrap().to_str().unwrap().to_string();
            // Notes, data and another language mention the names too.
            tree.write(&format!("notes/{name}.md"), &text);
            tree.write(&format!("data/{name}.unknown"), text.replace('\n', " ; "));
            tree.write(&name, text);
        }
        let engine = open(&tree);
        for name in drawn(&engine, cases(3, 25)) {
            n_names += account(&engine, &name).len() / QUESTIONS.len();
        }
    }
    assert!(n_names > cases(90, 300), "{n_names}");
}

#[test]
fn the_parts_are_what_an_exact_search_finds_in_trees_that_use_their_names() {
    let folder = repository("tests/engine/graph");
    let (mut parts, mut n_names) = ([0; 6], 0);
    for entry in std::fs::read_dir(&folder).unwrap() {
        let text = std::fs::read_to_string(entry.unwrap().path()).unwrap();
        let tree = Tree::new(text.split_once("\n? ").unwrap().0);
        let engine = open(&tree);
        for name in drawn(&engine, cases(8, 60)) {
            n_names += 1;
            for own in account(&engine, &name).into_iter().filter_map(|reply| reply.mentions) {
                let of_own = [
                    own.definitions,
                    own.resolved,
                    own.possible,
                    own.other,
                    own.comments_and_strings,
                    own.not_read,
                ];
                parts.iter_mut().zip(of_own).for_each(|(sum, own)| *sum += own);
            }
        }
    }
    assert!(n_names > cases(60, 150) && parts[..5].iter().all(|part| *part > 20), "{n_names} {parts:?}");
}

#[test]
fn nothing_is_hidden_in_generated_trees() {
    let (mut n_complete, mut n_open) = (0, 0);
    for seed in 0..8 {
        let (tree, mut random) = (Tree::new(""), Random(seed));
        for name in MODULES {
            tree.write(&format!("{name}.py"), module(&mut random));
        }
        let engine = open(&tree);
        for name in drawn(&engine, 20) {
            for reply in account(&engine, &name) {
                *(if reply.incomplete.is_none() { &mut n_complete } else { &mut n_open }) += 1;
            }
        }
    }
    assert!(n_complete > 20 && n_open > 20, "{n_complete} {n_open}");
}

#[test]
fn files_that_are_not_read_as_code_are_named_with_their_reason() {
    let tree = Tree::new("\n=== a.py\ndef take_lock():\n    pass\n\ntake_lock()\n");
    tree.write("big.py", format!("{}\nfrom a import take_lock\n", "x = 1\n".repeat(200_000)));
    let engine = open(&tree);
    let reply = engine.ask(&GraphRequest::new(GraphQuestion::Callers, "take_lock")).unwrap();
    let mentions = reply.mentions.unwrap();
    assert_eq!((mentions.total, mentions.definitions, mentions.resolved, mentions.not_read), (3, 1, 1, 1));
    let unread: Vec<(&str, usize, usize)> =
        mentions.unread.iter().map(|own| (own.paths[0].as_str(), own.files, own.mentions)).collect();
    assert_eq!(unread, [("big.py", 1, 1)]);
    assert!(reply.incomplete.is_some());
}

#[test]
fn nothing_is_absent_while_a_mention_may_be_a_use() {
    let tree = Tree::new(
        "\n=== a.rb\ndef send_report(x)\n  x\nend\n=== b.haml\n= send_report 1\n=== c.py\ndef unused_here():\n    pass\n",
    );
    let engine = open(&tree);
    let reply = engine.ask(&GraphRequest::new(GraphQuestion::Callers, "send_report")).unwrap();
    assert_eq!((reply.rows.len(), reply.mentions.as_ref().unwrap().possible), (0, 1));
    let footer = text::graph_footer(&reply, &Style::default());
    assert!(
        footer.starts_with("no callers of send_report proven; 1 mention may be one: = send_report 1\n"),
        "{footer}"
    );
    let none = engine.ask(&GraphRequest::new(GraphQuestion::Callers, "unused_here")).unwrap();
    assert_eq!(none.incomplete, None);
    let footer = text::graph_footer(&none, &Style::default());
    assert!(footer.starts_with("no callers found of unused_here\n1 mention of unused_here"), "{footer}");
}

#[test]
fn a_very_common_name_costs_a_bounded_number_of_files() {
    let tree = Tree::new("\n=== a.py\ndef take():\n    pass\n");
    for number in 0..1_000 {
        tree.write(&format!("m{number}.py"), "from a import take\n\ntake()\n");
    }
    let engine = open(&tree);
    let request = GraphRequest { max_results: 5, ..GraphRequest::new(GraphQuestion::Callers, "take") };
    let reply = engine.ask(&request).unwrap();
    let mentions = reply.mentions.as_ref().unwrap();
    assert!(mentions.uncounted_files > 300 && mentions.not_read > 390, "{mentions:#?}");
    let known = mentions.unread.iter().map(|own| own.files).sum::<usize>();
    assert!(known > 500 && mentions.definitions == 1 && reply.incomplete.is_some(), "{mentions:#?}");
    let listed = mentions.rows.iter().filter(|row| row.part != MentionPart::Possible).count();
    assert_eq!(listed, 0);
}

#[test]
fn counts_of_mentions_do_not_depend_on_the_number_of_rows() {
    let tree = Tree::new("\n=== a.py\ndef take():\n    pass\n");
    for number in 0..200 {
        tree.write(&format!("m{number}.py"), "from a import take\n\ndef run(x):\n    take()\n    x.take()\n");
    }
    let engine = open(&tree);
    let mentions = |max_results: usize| {
        let request = GraphRequest { max_results, ..GraphRequest::new(GraphQuestion::References, "take") };
        Mentions { rows: Vec::new(), ..engine.ask(&request).unwrap().mentions.unwrap() }
    };
    // Rows and listed mentions share the limit.
    let listed = |max_results: usize| {
        let request = GraphRequest { max_results, ..GraphRequest::new(GraphQuestion::References, "take") };
        let reply = engine.ask(&request).unwrap();
        let text = agent::graph(&reply).text;
        let line = text.lines().find(|line| line.contains(" rows")).unwrap_or_default().to_string();
        (reply.rows.len(), reply.mentions.unwrap().rows.len(), line)
    };
    let more = "; more with max_results, max_tokens or a narrower path";
    let (rows, by_name, line) = listed(2);
    assert_eq!((rows, by_name), (2, 0));
    assert!(line.starts_with("2 of at least ") && line.ends_with(more), "{line}");
    assert_eq!(listed(1_000), (400, 200, "400 of 400 rows, 200 more by name".to_string()));
    let few = mentions(1);
    assert_eq!((few.total, few.resolved, few.possible, few.not_read), (601, 400, 200, 0), "{few:?}");
    assert_eq!(few, mentions(1_000));
}

#[test]
fn words_of_texts_and_commands_are_no_possible_uses() {
    let tree = Tree::new(
        "
=== Server.java
class Server { void start() {} void go() { start(); } }
=== deploy.yml
description: when the start happens
run: sc start traffic
hook: Server.start
name: quick-start
=== page.html
<p>the start of it</p>
=== run.sh
./server start now
",
    );
    let reply = open(&tree).ask(&GraphRequest::new(GraphQuestion::References, "Server.start")).unwrap();
    let mentions = reply.mentions.unwrap();
    assert_eq!((mentions.definitions, mentions.resolved), (1, 1), "{mentions:?}");
    assert_eq!((mentions.possible, mentions.comments_and_strings), (1, 5), "{mentions:?}");
}

#[test]
fn mentions_of_a_name_with_many_definitions_are_counted() {
    let tree = Tree::new("\n=== use.py\nfrom m3 import take\n\ndef run(x):\n    take()\n    x.take()\n");
    for number in 0..20 {
        tree.write(&format!("m{number}.py"), "def take():\n    pass\n");
    }
    let engine = open(&tree);
    for reply in account(&engine, "take") {
        let mentions = reply.mentions.unwrap();
        assert_eq!((mentions.definitions, mentions.resolved, mentions.possible), (20, 2, 1), "{mentions:?}");
    }
    let mut text = String::new();
    for name in 0..20 {
        text += &format!("def take{name}():\n    pass\n\n");
    }
    tree.write("many.py", text);
    let reply = open(&tree).ask(&GraphRequest::new(GraphQuestion::Impact, "many.py")).unwrap();
    let why = reply.incomplete.unwrap().text;
    assert_eq!(why, "the mentions of 8 further names were not counted");
    assert_eq!(reply.mentions.unwrap().names.len(), 12);
}

#[test]
fn an_answer_of_several_steps_is_open_where_a_step_is() {
    let tree = Tree::new(
        "\n=== a.py\ndef leaf():\n    pass\n\ndef sure():\n    leaf()\n\ndef last():\n    sure()\n",
    );
    let ask = |tree: &Tree| open(tree).ask(&GraphRequest::new(GraphQuestion::Impact, "leaf")).unwrap();
    let reply = ask(&tree);
    assert_eq!((reply.rows.len(), reply.incomplete), (2, None));
    tree.write("b.py", "from a import sure\n\nclass One:\n    def mid(self):\n        sure()\n");
    tree.write("c.py", "class Two:\n    def mid(self):\n        pass\n\ndef run(x):\n    x.mid()\n");
    let reply = ask(&tree);
    let why = reply.incomplete.map(|why| why.text);
    assert_eq!(
        why.as_deref(),
        Some("1 call with names on the way may be further steps, and no rule decides")
    );
}

#[test]
fn names_of_python_that_no_rule_follows_are_possible_uses() {
    let tree = Tree::new(
        "
=== conftest.py
import pytest

@pytest.fixture
def client_of_shop():
    return 1
=== test_shop.py
def test_sells(client_of_shop):
    assert client_of_shop
=== color.py
try:
    from pygments import highlight_text
except ImportError:
    def highlight_text(text):
        return text

def shown(text):
    return highlight_text(text)
=== names.py
__all__ = [
    'exported_name',
]

def exported_name():
    return 1

class Kettle:
    def boil_over(self):
        return 2

    def sing_loud(self):
        return 3
=== test_names.py
from unittest.mock import patch
def test_them(kettle):
    getattr(kettle, 'boil_over')
    with patch('names.Kettle.sing_loud'):
        pass
    print('boil_over is only told')
",
    );
    let engine = open(&tree);
    for (name, possible) in [
        ("client_of_shop", 2),
        ("highlight_text", 2),
        ("exported_name", 1),
        ("boil_over", 1),
        ("sing_loud", 1),
    ] {
        let reply = engine.ask(&GraphRequest::new(GraphQuestion::References, name)).unwrap();
        let mentions = reply.mentions.unwrap();
        assert_eq!((mentions.possible, reply.incomplete.is_some()), (possible, true), "{name}: {mentions:?}");
    }
}

#[test]
fn very_many_definitions_of_a_name_cost_a_bounded_number_of_files() {
    let tree = Tree::new("\n=== use.py\nfrom m1 import C1\n\ndef run(x):\n    C1().take()\n    x.take()\n");
    for file in 0..600 {
        let text = |class: usize| {
            format!("class C{file}{}:\n    def take(self):\n        pass\n\n", "x".repeat(class))
        };
        tree.write(&format!("m{file}.py"), (0..8).map(text).collect::<String>());
    }
    let engine = open(&tree);
    let reply = engine.ask(&GraphRequest::new(GraphQuestion::References, "take")).unwrap();
    let mentions = reply.mentions.as_ref().unwrap();
    let judged = mentions.definitions + mentions.resolved + mentions.possible + mentions.other;
    assert!(judged > 2_000 && judged < 2_600 && mentions.not_read > 1_000, "{mentions:?}");
    assert!(reply.incomplete.is_some() && mentions.uncounted_files > 50, "{:?}", reply.incomplete);
    let reply = engine.ask(&GraphRequest::new(GraphQuestion::Callers, "C1.take")).unwrap();
    assert_eq!(reply.rows.len(), 1, "{:?}", reply.rows);
}
