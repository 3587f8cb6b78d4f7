//! Context packs of a change: what the change touches, what uses it, and the tests of both.

use spyhop::{GraphChanges, PackReply, PackRequest};

use super::open;
use crate::support::Tree;

const HOOKS: &str = r"
=== src/hooks/call.ts
import { post } from './post';

const TIMEOUT_MS = 10_000;

export const callHook = async (url: string) => {
  return await post(url, { timeout: TIMEOUT_MS });
};

export const unrelated = () => 1;
=== src/hooks/post.ts
export const post = async (url: string, options: object) => fetch(url, options);
=== src/jobs/deliver.ts
import { callHook } from '../hooks/call';

export const deliver = async (job: { url: string }) => {
  return await callHook(job.url);
};
=== src/jobs/deliver.test.ts
import { deliver } from './deliver';

test('delivers', () => {
  expect(deliver({ url: 'a' })).toBeDefined();
});
=== src/reviews/change-review.ts
/** Reviews the change that a reviewer asks for. */
export const reviewChange = (change: string) => change;
=== src/reviews/changes.ts
export const changesToReview = () => ['review the change'];
";

fn repository(text: &str) -> Tree {
    let tree = Tree::new(text);
    tree.git(&["init", "-q", "-b", "main"]);
    tree.commit();
    tree
}

fn changed(tree: &Tree, path: &str, from: &str, to: &str) {
    let text = std::fs::read_to_string(tree.root().join(path)).unwrap();
    assert!(text.contains(from), "{text}");
    tree.write(path, text.replacen(from, to, 1));
}

fn pack(tree: &Tree, task: &str, budget: usize) -> PackReply {
    let changes = Some(GraphChanges::of("HEAD".to_string()));
    open(tree).ask(&PackRequest { changes, budget, ..PackRequest::new(task) }).unwrap()
}

fn units(reply: &PackReply) -> Vec<String> {
    let name = |unit: &spyhop::PackUnit| unit.symbol.clone().unwrap_or(format!("line {}", unit.lines.first));
    let units = reply.files.iter().flat_map(|file| file.units.iter().map(move |unit| (file, unit)));
    units.map(|(file, unit)| format!("{} {}", file.path, name(unit))).collect()
}

#[test]
fn the_review_of_a_change_has_what_uses_the_touched_symbols() {
    let tree = repository(HOOKS);
    changed(&tree, "src/hooks/call.ts", "10_000", "20_000");
    let reply = pack(&tree, "review the change", 1_000);
    let found = units(&reply);
    let expected =
        ["src/hooks/call.ts TIMEOUT_MS", "src/hooks/call.ts callHook", "src/jobs/deliver.ts deliver"];
    assert_eq!(found[..3], expected, "{found:?}");
    assert_eq!(reply.files[0].units[0].reason, "the change touches it");
    assert_eq!(reply.files[0].units[1].reason, "it uses TIMEOUT_MS, which the change touches");
    assert!(!found.iter().any(|unit| unit.contains("src/reviews")), "{found:?}");
}

#[test]
fn callers_and_tests_of_what_a_change_touches_come_before_what_a_search_finds() {
    let tree = repository(HOOKS);
    changed(&tree, "src/jobs/deliver.ts", "callHook(job.url)", "callHook(`${job.url}/v1`)");
    let found = units(&pack(&tree, "reviewers and their changes", 400));
    assert!(found[0].ends_with("deliver.ts deliver") && found[1].contains("deliver.test.ts"), "{found:?}");
    let more = units(&pack(&tree, "reviewers and their changes", 4_000));
    assert!(more.iter().any(|unit| unit.contains("src/reviews")), "{more:?}");
}

#[test]
fn a_long_unit_is_shown_with_the_lines_that_a_change_touches() {
    let body: String = (0..300).map(|line| format!("    total += step_{line}(value)\n")).collect();
    let tree = repository(&format!("\n=== a.py\nLIMIT = 1\n\nprint(LIMIT)\n\n\ndef collect(value):\n{body}"));
    changed(&tree, "a.py", "step_200(value)", "step_200(value, 1)");
    changed(&tree, "a.py", "print(LIMIT)", "print(LIMIT + 1)");
    let reply = pack(&tree, "review", 1_000);
    let lines: Vec<&str> =
        reply.files[0].units.iter().flat_map(|unit| &unit.text).map(String::as_str).collect();
    assert!(lines.contains(&"    total += step_200(value, 1)"), "{lines:?}");
    // A line outside of symbols is a place by itself.
    assert!(lines.contains(&"print(LIMIT + 1)"), "{lines:?}");
}

#[test]
fn a_change_without_text_is_said_to_be_empty() {
    let tree = repository(HOOKS);
    let reply = pack(&tree, "review the change", 1_000);
    assert!(reply.files.is_empty(), "{:?}", units(&reply));
    let warning = "no indexed text of a tracked file differs between HEAD and the worktree";
    assert_eq!(reply.warnings, [warning]);
    let reply = pack(&tree, "deliver a hook", 1_000);
    assert!(!reply.files.is_empty() && reply.warnings == [warning], "{:?}", reply.warnings);
}
