//! Rows of the code graph as text: one line each, forms for editors, and what a pipe is told on standard error.

use crate::support::Tree;

const POOL: &str = "
=== app/pool.py
class Pool:
    def take(self):
        return check(1)


def check(n):
    return n


def both(value):
    return value.check()
";

#[test]
fn a_row_is_one_line_with_place_owner_and_code() {
    let tree = Tree::new(POOL);
    let shown = |args: &[&str]| tree.run(&[&["callers", "check", "-q"][..], args].concat()).out;
    let head = "app/pool.py:6  fn check\n\ncalled by\napp/pool.py:3  Pool.take  ";
    let plain = shown(&["--min-confidence", "0.9"]);
    assert_eq!(plain, format!("{head}return check(1)\n"));
    let debug = shown(&["--min-confidence", "0.9", "--mode", "debug"]);
    assert_eq!(debug, format!("{head}0.96 · defined in the same file  return check(1)\n"));
    for form in [&["--vimgrep"][..], &["--mode", "compact"]] {
        let lines = shown(&[&["--min-confidence", "0.9"][..], form].concat());
        assert_eq!(lines, "app/pool.py:3:16: return check(1)\n");
    }
}

#[test]
fn a_pipe_is_told_what_is_left_out() {
    let calls: String = (0..70).map(|n| format!("def call_{n}():\n    return take()\n\n")).collect();
    let tree = Tree::new(&format!("\n=== app.py\ndef take():\n    return 1\n\n{calls}"));
    let all = tree.run(&["callers", "take"]);
    assert_eq!(all.out.matches("return take()").count(), 70, "{}", all.err);
    assert!(!all.err.contains("more with"), "{}", all.err);
    let some = tree.run(&["callers", "take", "-n", "60"]);
    assert_eq!(some.out.matches("return take()").count(), 60);
    assert!(some.err.contains("60 of 70 rows; more with --max-results"), "{}", some.err);
    let none = tree.run(&["callers", "call_1"]);
    assert_eq!((none.code, none.out.as_str()), (1, "app.py:7  fn call_1\n"), "{}", none.err);
    assert!(none.err.contains("no callers found of call_1"), "{}", none.err);
}

#[test]
fn a_diff_comes_from_git_or_standard_input() {
    let tree = Tree::new(POOL);
    tree.git(&["init", "-q", "-b", "main"]);
    tree.commit();
    let source = std::fs::read_to_string(tree.root().join("app/pool.py")).unwrap();
    tree.write("app/pool.py", source.replace("return n\n", "return n + 1\n"));
    let expected =
        "app/pool.py:6  fn check\n\ndepends on it directly\napp/pool.py:3  Pool.take  return check(1)\n";
    for diff in [&["--diff"][..], &["--diff", "HEAD"], &["--diff=main"]] {
        let ran = tree.run(&[&["impact", "--min-confidence", "0.9"][..], diff].concat());
        assert_eq!(ran.out, expected, "{diff:?} {}", ran.err);
    }
    let diff =
        "--- a/app/pool.py\n+++ b/app/pool.py\n@@ -7 +7 @@ def check(n):\n-    return n\n+    return n + 1\n";
    let ran = tree.feed(&["impact", "--min-confidence", "0.9", "--diff", "-"], diff);
    assert_eq!(ran.out, expected, "{}", ran.err);
    let neither = tree.run(&["impact"]);
    assert_eq!(neither.code, 2);
    assert!(neither.err.contains("TARGET"), "{}", neither.err);
}
