//! Context packs: whole units within the budget, one search for each goal, and what is left out.

use spyhop::engine::ErrorKind;
use spyhop::{LeftOutReason, PackReply, PackRequest};

use super::open;
use crate::support::Tree;

const TASK: &str = "add a retry limit to uploads and show it in the status page";

const TREE: &str = r#"
=== src/upload.py
import time


class Uploader:
    """Sends files to the server."""

    def send_with_retry(self, path):
        """Retries an upload until the retry limit."""
        for attempt in range(3):
            if self.try_upload(path):
                return attempt
        raise RuntimeError("gave up")

    def close(self):
        self.socket.close()
=== src/status.py
def render_status_page(state):
    """Shows the status page."""
    return "<h1>" + state.title + "</h1>"


def unrelated_colours():
    return ["red", "blue"]
=== src/auth.py
def check_token(token):
    """Checks the token of a caller."""
    return bool(token)
"#;

fn pack(tree: &Tree, request: PackRequest) -> PackReply {
    open(tree).pack(&request).unwrap()
}

fn units(reply: &PackReply) -> Vec<String> {
    let of_file = |file: &spyhop::PackFile| {
        let path = file.path.clone();
        let row = move |unit: &spyhop::PackUnit| format!("{path}:{}-{}", unit.lines.first, unit.lines.last);
        file.units.iter().map(row).collect::<Vec<_>>()
    };
    reply.files.iter().flat_map(of_file).collect()
}

#[test]
fn each_goal_leads_to_a_whole_unit_with_its_enclosing_line() {
    let reply = pack(&Tree::new(TREE), PackRequest::new(TASK));
    let goals: Vec<&str> = reply.goals.iter().map(|goal| goal.text.as_str()).collect();
    assert_eq!(goals, ["add a retry limit to uploads", "show a retry limit in the status page"]);
    let found = units(&reply);
    assert!(found.contains(&"src/upload.py:7-12".to_string()), "{found:?}");
    assert!(found.contains(&"src/status.py:1-3".to_string()), "{found:?}");
    let all = reply.files.iter().flat_map(|file| &file.units);
    let send = all.clone().find(|unit| unit.symbol.as_deref() == Some("Uploader.send_with_retry")).unwrap();
    assert_eq!(send.enclosing.as_ref().map(|line| (line.line, &*line.text)), Some((4, "class Uploader:")));
    assert_eq!(send.text.len(), 6);
    assert!(send.goals.contains(&0) && !send.reason.is_empty() && !send.is_cut);
}

#[test]
fn tokens_are_those_of_the_units_that_are_shown() {
    let reply = pack(&Tree::new(TREE), PackRequest::new(TASK));
    let bytes = |unit: &spyhop::PackUnit| {
        let text: usize = unit.text.iter().map(|line| line.len() + 1).sum();
        text + unit.enclosing.as_ref().map_or(0, |line| line.text.len() + 1)
    };
    let of_units = reply.files.iter().flat_map(|file| &file.units).map(|unit| bytes(unit).div_ceil(4) + 12);
    assert_eq!(reply.tokens, of_units.sum::<usize>() + 12 * reply.files.len());
}

#[test]
fn equal_requests_have_equal_packs() {
    let tree = Tree::new(TREE);
    let first = pack(&tree, PackRequest::new(TASK));
    for _ in 0..3 {
        let next = pack(&tree, PackRequest::new(TASK));
        assert_eq!((units(&first), first.tokens), (units(&next), next.tokens));
    }
}

#[test]
fn a_small_budget_leaves_out_whole_units() {
    let body = (0..40).map(|line| format!("    total += step_{line}(value)\n")).collect::<String>();
    let function = |name: &str| format!("def retry_{name}(value):\n{body}\n\n");
    let text = format!("\n=== a.py\n{}{}{}", function("one"), function("two"), function("three"));
    let tree = Tree::new(&text);
    let request = PackRequest { budget: 450, ..PackRequest::new("where are retries done") };
    let reply = pack(&tree, request);
    assert!(reply.tokens <= 450, "{}", reply.tokens);
    let shown: Vec<_> = reply.files.iter().flat_map(|file| &file.units).collect();
    assert!(shown.iter().all(|unit| !unit.is_cut && unit.text.len() == 41), "{:?}", units(&reply));
    assert!(reply.left_out.iter().any(|place| place.reason == LeftOutReason::Budget), "{:?}", reply.left_out);
}

#[test]
fn a_unit_beyond_the_whole_budget_is_cut_and_says_so() {
    let body = (0..200).map(|line| format!("    total += step_{line}(value)\n")).collect::<String>();
    let tree = Tree::new(&format!("\n=== a.py\ndef retry_all(value):\n{body}"));
    let reply = pack(&tree, PackRequest { budget: 300, ..PackRequest::new("retry_all") });
    let unit = &reply.files[0].units[0];
    assert!(unit.is_cut && unit.text.len() < 60 && reply.tokens <= 300, "{}", unit.text.len());
}

#[test]
fn values_out_of_range_are_named() {
    let engine = open(&Tree::new(TREE));
    let check = |request: PackRequest, text: &str| {
        let error = engine.pack(&request).unwrap_err();
        assert_eq!(
            (error.kind(), error.to_string().contains(text)),
            (ErrorKind::BadRequest, true),
            "{error}"
        );
    };
    check(
        PackRequest { budget: 100, ..PackRequest::new(TASK) },
        "budget is 100; choose 200 to 200000 tokens",
    );
    check(PackRequest { max_files: 0, ..PackRequest::new(TASK) }, "max_files is 0");
    check(PackRequest::new(" "), "query is empty");
}
