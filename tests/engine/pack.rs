//! Context packs: whole units within the budget, one search for each goal, and what is left out.

use std::collections::BTreeSet;

use spyhop::{
    ActivitySource, AddNoteRequest, Call, Engine, FileActivity, GraphChanges, LeftOutReason, Mode, NoteKind,
    PackFile, PackMode, PackReply, PackRequest, PackStages, PackUnit, Reason, SearchRequest, Session, Signal,
};
use spyhop_base::path::RelPath;
use spyhop_engine::api::Relation;
use spyhop_interface::operations::PACK;
use spyhop_interface::render::json;
use spyhop_interface::render::{Style, agent};

use super::open;
use crate::support::{Tree, cases};

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

/// Uploads with a caller, a test and an import, and files that have nothing to do with uploads.
const LARGE: &str = r#"
=== app/uploads/sender.py
import socket
from app.uploads.limits import RETRY_LIMIT


def send_upload(path):
    """Sends an upload and retries it."""
    for attempt in range(RETRY_LIMIT):
        if try_upload(path):
            return attempt
    raise RuntimeError("gave up")


def try_upload(path):
    return socket.create_connection(path)
=== app/uploads/limits.py
"""Limits of uploads."""
RETRY_LIMIT = 3


def retry_delay(attempt):
    """How long an upload waits before its next retry."""
    return 2 ** attempt
=== app/main.py
from app.uploads.sender import send_upload


def run(paths):
    """Uploads every path."""
    return [send_upload(path) for path in paths]
=== app/web/status.py
def render_status_page(state):
    """Shows the status page."""
    return "<h1>" + state.title + "</h1>"
=== tests/test_sender.py
from app.uploads.sender import send_upload


def test_send_upload_retries():
    assert send_upload("a") == 0
=== docs/uploads.md
# Uploads
An upload is retried. Uploads and retries are described here.
"#;

fn pack(tree: &Tree, request: PackRequest) -> PackReply {
    open(tree).ask(&request).unwrap()
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
    assert!(send.goals.contains(&0) && !send.reason.is_empty() && send.part_of.is_none());
}

/// A tree of `n_files` files about uploads, with calls, imports and long paths.
fn generated(n_files: usize) -> Tree {
    let file = |number: usize| {
        let before = number.saturating_sub(1);
        let body: String = (0..number % 23)
            .map(|line| format!("        total += self.retry_{line}(\"ä{line}\")\n"))
            .collect();
        format!(
            "\n=== app/uploads/part_{:02}/upload_retry_{number}.py\nfrom app.uploads.part_{:02}.upload_retry_{before} \
             import retry_upload_{before}\n\n\nclass Upload{number}:\n    \"\"\"Sends uploads again until the retry \
             limit.\"\"\"\n\n    def send_upload(self, path):\n{body}        return retry_upload_{before}(path)\n\n\n\
             def retry_upload_{number}(path):\n    return Upload{number}().send_upload(path)\n",
            number % 7,
            before % 7,
        )
    };
    let long = (0..300).map(|line| format!("    total += limit_{line}(retry, upload)\n")).collect::<String>();
    let all: String = (1..=n_files).map(file).collect();
    Tree::new(&format!("{all}\n=== app/status.py\ndef show_retry_limit(page):\n{long}"))
}

#[track_caller]
fn check_budgets(engine: &Engine, tasks: &[&str]) {
    let (small, large) = (cases(219, 73), cases(7_500, 2_500));
    let budgets = (200..1_000).step_by(small).chain((1_000..=16_000).step_by(large));
    for budget in budgets {
        for task in tasks {
            let mut request = PackRequest { budget, ..PackRequest::new(*task) };
            for page in 0..2 {
                let reply = engine.ask(&request).unwrap();
                let n_notes = reply.notes.len();
                let texts = [agent::pack(&reply).text, (PACK.text)(&reply, &Style::default())];
                for (shown, text) in texts.iter().map(|text| (agent::tokens(text), text)) {
                    let context =
                        format!("{shown} of {budget}, {n_notes} notes, page {page}, {task}:\n{text}");
                    assert!(shown <= budget && reply.tokens <= budget, "{context}");
                    // The lines below the files are counted with room for their largest numbers.
                    let named: usize =
                        text.lines().filter(|line| line.starts_with("  no room")).map(str::len).sum();
                    assert!(
                        shown + 60 + reply.tokens / 8 >= reply.tokens + named / 4,
                        "{} {context}",
                        reply.tokens
                    );
                }
                assert!(!reply.files.is_empty() || page > 0, "{budget} {task}");
                let Some(next) = reply.next else { break };
                request.cursor = Some(next);
            }
        }
    }
}

const TASKS: &[&str] = &[
    "where are retries and uploads done",
    TASK,
    "raise the retry limit of uploads. Show the retry limit in the status page. Mask the secrets of callers in the log. \
     Import the limits of every upload from one module; document the limit",
];

#[test]
fn the_text_of_a_pack_stays_within_the_budget() {
    check_budgets(&open(&generated(60)), TASKS);
}

#[test]
fn the_text_of_a_pack_with_notes_stays_within_the_budget() {
    let tree = generated(12);
    let engine = open(&tree);
    for number in 0..4 {
        let text = format!("Upload retry limit {number} {}", "of uploads in the status page ".repeat(12));
        let mut request = AddNoteRequest::new(NoteKind::Failure, text);
        request.links = vec!["app/status.py#show_retry_limit".to_string()];
        engine.ask(&request).unwrap();
    }
    check_budgets(&engine, TASKS);
    let first = engine.ask(&PackRequest { budget: 2_000, ..PackRequest::new(TASK) }).unwrap();
    assert!(!first.notes.is_empty());
    let cursor = first.next.clone();
    let second = engine.ask(&PackRequest { budget: 2_000, cursor, ..PackRequest::new(TASK) }).unwrap();
    assert!(first.next.is_some() && second.notes.is_empty(), "{:?}", second.notes);
}

#[test]
fn the_reason_of_a_unit_is_never_a_figure_that_every_file_has() {
    let tree = generated(60);
    let engine = open(&tree);
    let figures = [
        Signal::Base,
        Signal::BestPlace,
        Signal::Chunks,
        Signal::Depth,
        Signal::File,
        Signal::PathRelated,
        Signal::Size,
        Signal::Symbols,
    ];
    // A path that is named by its part says something of the place.
    let is_figure =
        |reason: &&Reason| figures.contains(&reason.signal) && !reason.text.contains("' in the path");
    let mut comes_first = false;
    for task in TASKS.iter().chain(&["total", "again until", "self"]) {
        let stages = PackStages { prune: false, ..PackStages::default() };
        let request = PackRequest { mode: Mode::Debug, budget: 20_000, stages, ..PackRequest::new(*task) };
        let reply = engine.ask(&request).unwrap();
        for unit in reply.files.iter().flat_map(|file| &file.units) {
            let chosen = unit.reasons.iter().find(|reason| reason.text == unit.reason);
            assert!(!chosen.as_ref().is_some_and(is_figure), "{} {:?}", unit.reason, unit.reasons);
            comes_first |= unit.reasons.first().as_ref().is_some_and(is_figure);
        }
    }
    assert!(comes_first, "no figure comes first");
}

#[test]
fn a_small_budget_leaves_out_whole_units() {
    let body = (0..40).map(|line| format!("    total += step_{line}(value)\n")).collect::<String>();
    let function = |name: &str| format!("def retry_{name}(value):\n{body}\n\n");
    let text = format!("\n=== a.py\n{}{}{}", function("one"), function("two"), function("three"));
    let tree = Tree::new(&text);
    let request = PackRequest { budget: 450, ..PackRequest::new("retry_one retry_two retry_three") };
    let reply = pack(&tree, request);
    assert!(reply.tokens <= 450, "{}", reply.tokens);
    let shown: Vec<_> = reply.files.iter().flat_map(|file| &file.units).collect();
    assert!(shown.iter().all(|unit| unit.part_of.is_none() && unit.text.len() == 41), "{:?}", units(&reply));
    assert!(reply.left_out.iter().any(|place| place.reason == LeftOutReason::Budget), "{:?}", reply.left_out);
}

#[test]
fn a_unit_beyond_the_whole_budget_is_cut_and_says_so() {
    let body = (0..200).map(|line| format!("    total += step_{line}(value)\n")).collect::<String>();
    let tree = Tree::new(&format!("\n=== a.py\ndef retry_all(value):\n{body}"));
    let reply = pack(&tree, PackRequest { budget: 300, ..PackRequest::new("retry_all") });
    let unit = &reply.files[0].units[0];
    let whole = unit.part_of.map(|whole| (whole.first, whole.last));
    assert_eq!(whole, Some((1, 201)));
    assert!(unit.text.len() < 60 && reply.tokens <= 300, "{}", unit.text.len());
}

fn file<'r>(reply: &'r PackReply, path: &str) -> &'r PackFile {
    let found = reply.files.iter().find(|file| file.path.as_str() == path);
    found.unwrap_or_else(|| panic!("{path} is not among {:?}", units(reply)))
}

#[test]
fn core_units_have_callers_callees_tests_and_imports() {
    let reply = pack(&Tree::new(LARGE), PackRequest::new("send_upload"));
    let sender = file(&reply, "app/uploads/sender.py");
    let send = sender.units.iter().find(|unit| unit.symbol.as_deref() == Some("send_upload")).unwrap();
    let traces: Vec<(Relation, bool, &str, &str)> = send
        .traces
        .iter()
        .map(|trace| {
            (trace.relation, trace.is_outgoing, trace.symbol.as_deref().unwrap_or(""), trace.path.as_str())
        })
        .collect();
    assert!(traces.contains(&(Relation::Calls, true, "try_upload", "app/uploads/sender.py")), "{traces:?}");
    assert!(traces.contains(&(Relation::Calls, false, "run", "app/main.py")), "{traces:?}");
    let test = (Relation::Tests, false, "test_send_upload_retries", "tests/test_sender.py");
    assert!(traces.contains(&test), "{traces:?}");
    let imports: Vec<&str> = sender.imports.iter().map(|line| line.text.as_str()).collect();
    assert!(imports.contains(&"from app.uploads.limits import RETRY_LIMIT"), "{imports:?}");
}

#[test]
fn a_file_that_only_an_edge_leads_to_says_which() {
    let request = PackRequest { budget: 20_000, ..PackRequest::new("RuntimeError gave up attempt") };
    let stages = PackStages { prune: false, ..PackStages::default() };
    let tree = Tree::new(LARGE);
    let reply = pack(&tree, PackRequest { stages, ..request.clone() });
    let limits = file(&reply, "app/uploads/limits.py");
    let found_by_edge = limits.reason.contains("imports it") || limits.reason.contains("lies beside");
    assert!(found_by_edge || limits.reason.contains("search"), "{}", limits.reason);
    let without = PackStages { graph: false, ..stages };
    let reply = pack(&tree, PackRequest { stages: without, ..request });
    assert_eq!(reply.record.edges, 0);
}

#[test]
fn a_task_of_one_goal_keeps_the_order_of_the_search() {
    let tree = Tree::new(LARGE);
    let engine = open(&tree);
    for task in ["how is an upload retried", "send an upload", "the delay before the next retry of an upload"]
    {
        let reply = engine.ask(&PackRequest::new(task)).unwrap();
        assert_eq!(reply.goals.len(), 1, "{task}");
        let mut searched: Vec<String> = Vec::new();
        for hit in
            engine.search(&SearchRequest { max_results: 50, ..SearchRequest::new(task) }).unwrap().results
        {
            if !searched.contains(&hit.path.to_string()) {
                searched.push(hit.path.to_string());
            }
        }
        let files = reply.files.iter().filter(|file| !file.is_backup);
        let places: Vec<usize> = files
            .map(|file| searched.iter().position(|path| *path == file.path.as_str()).unwrap_or(usize::MAX))
            .collect();
        assert!(places.len() > 1 && places.is_sorted(), "{task}: {places:?}");
    }
}

#[test]
fn start_points_come_first_and_unknown_ones_are_errors() {
    let tree = Tree::new(LARGE);
    let seeded =
        PackRequest { seed_files: vec!["app/web/status.py".into()], ..PackRequest::new("retry of uploads") };
    let reply = pack(&tree, seeded);
    assert_eq!(file(&reply, "app/web/status.py").reason, "given as a start point");
    let seeded = PackRequest {
        seed_symbols: vec!["render_status_page".into()],
        ..PackRequest::new("retry of uploads")
    };
    let reply = pack(&tree, seeded);
    let unit = &file(&reply, "app/web/status.py").units[0];
    assert_eq!(
        (unit.symbol.as_deref(), &*unit.reason),
        (Some("render_status_page"), "given as a start point")
    );
    let diff =
        "--- a/app/web/status.py\n+++ b/app/web/status.py\n@@ -3 +3 @@\n-    return 1\n+    return 2\n";
    let changed =
        PackRequest { changes: Some(GraphChanges::of(diff.into())), ..PackRequest::new("retry of uploads") };
    let reply = pack(&tree, changed);
    assert_eq!(file(&reply, "app/web/status.py").units[0].reason, "the change touches it");
    let engine = open(&tree);
    let missing = PackRequest { seed_files: vec!["no/such.py".into()], ..PackRequest::new("x") };
    assert!(
        engine.ask(&missing).unwrap_err().to_string().contains("seed_file 'no/such.py' is not in the index")
    );
}

#[test]
fn a_stack_trace_and_a_file_name_in_the_task_are_looked_up() {
    let tree = Tree::new(LARGE);
    let task = "Upload fails\n\n  File \"app/uploads/sender.py\", line 9, in send_upload\nRuntimeError";
    let reply = pack(&tree, PackRequest::new(task));
    assert_eq!(reply.files[0].path.as_str(), "app/uploads/sender.py");
    let reply = pack(&tree, PackRequest::new("colours of the page, see status.py"));
    assert_eq!(file(&reply, "app/web/status.py").reason, "the task names the file");
}

#[test]
fn goals_of_different_regions_are_all_collected_unless_the_mode_commits_to_one() {
    let tree = Tree::new(LARGE);
    let task = "raise the retry limit of uploads and show the title in the status page";
    let broad = pack(&tree, PackRequest { budget: 20_000, ..PackRequest::new(task) });
    assert_eq!(
        (broad.record.pack_mode, broad.record.regions.len()),
        (PackMode::Broad, 2),
        "{:?}",
        broad.record
    );
    file(&broad, "app/web/status.py");
    file(&broad, "app/uploads/sender.py");
    let focused = PackRequest { pack_mode: PackMode::Focused, budget: 20_000, ..PackRequest::new(task) };
    let reply = pack(&tree, focused.clone());
    let backups: Vec<&PackFile> = reply.files.iter().filter(|file| file.is_backup).collect();
    assert_eq!(backups.len(), 1, "{:?}", units(&reply));
    assert_eq!(reply.record.backup.as_ref().map(|backup| &backup.path), Some(&backups[0].path));
    let stages = PackStages { backup: false, ..PackStages::default() };
    let reply = pack(&tree, PackRequest { stages, ..focused });
    assert!(reply.files.iter().all(|file| !file.is_backup));
    assert!(
        reply.left_out.iter().any(|place| place.reason == LeftOutReason::OtherRegion),
        "{:?}",
        reply.left_out
    );
}

#[test]
fn nine_runs_give_equal_bytes_in_each_mode() {
    let tree = Tree::new(LARGE);
    for mode in [Mode::Compact, Mode::Default, Mode::Debug] {
        let request = PackRequest {
            mode,
            ..PackRequest::new("raise the retry limit of uploads and show the title in the status page")
        };
        let bytes: Vec<String> = (0..9)
            .map(|_| {
                let mut reply = pack(&tree, request.clone());
                reply.snapshot.checked_at = None;
                json::line(&reply)
            })
            .collect();
        assert!(bytes.iter().all(|other| *other == bytes[0]), "{}", bytes[0]);
        assert_eq!(bytes[0].contains("\"record\""), mode == Mode::Debug);
        assert_eq!(bytes[0].contains("RuntimeError"), mode != Mode::Compact);
    }
}

#[test]
fn a_cursor_extends_a_pack_without_repeating_a_unit() {
    let tree = Tree::new(LARGE);
    let engine = open(&tree);
    let mut request = PackRequest { budget: 200, ..PackRequest::new("retry of uploads") };
    let mut seen = Vec::new();
    for _ in 0..12 {
        let reply = engine.ask(&request).unwrap();
        let new = units(&reply);
        assert!(new.iter().all(|unit| !seen.contains(unit)), "{new:?} after {seen:?}");
        seen.extend(new);
        match reply.next {
            Some(next) => request.cursor = Some(next),
            None => break,
        }
    }
    assert!(seen.len() >= 3, "{seen:?}");
    assert!(engine.ask(&PackRequest { cursor: Some("x".into()), ..request }).is_err());
}

#[test]
fn every_page_has_new_lines_and_none_is_repeated() {
    let nested = format!(
        "{LARGE}=== app/retries.py\nclass RetryOfUploads:\n    \"\"\"The retry limit of uploads.\"\"\"\n\n    limit = 3\n\n    \
         class UploadRetry:\n        \"\"\"Retries an upload.\"\"\"\n\n        retries = 1\n\n        def retry_upload(self):\n            \
         \"\"\"Retries the upload until the retry limit.\"\"\"\n            return self.retries\n\n        uploads = 2\n"
    );
    for tree in [Tree::new(&nested), generated(12)] {
        let engine = open(&tree);
        for task in TASKS.iter().chain(&["retry limit of uploads"]) {
            let mut request = PackRequest { budget: 700, ..PackRequest::new(*task) };
            let mut seen = BTreeSet::new();
            loop {
                let reply = engine.ask(&request).unwrap();
                assert!(!reply.files.is_empty(), "{task} {:?}: {:?}", request.cursor, reply.left_out);
                for line in lines_of(&reply) {
                    assert!(seen.insert(line.clone()), "{task} {:?}: {line:?}", request.cursor);
                }
                let Some(next) = reply.next else { break };
                request.cursor = Some(next);
            }
        }
    }
}

#[test]
fn all_places_that_are_left_out_are_counted() {
    let tree = generated(60);
    let reply = pack(&tree, PackRequest { budget: 1_000, ..PackRequest::new(TASK) });
    let all: usize = reply.left_out_counts.iter().map(|(_, count)| count).sum();
    assert!(reply.left_out.len() == 30 && all > 30, "{:?}", reply.left_out_counts);
    let text = agent::pack(&reply).text;
    assert!(text.contains(&format!("left out {all}: ")), "{text}");
}

#[test]
fn a_session_is_not_sent_a_unit_twice() {
    let tree = Tree::new(LARGE);
    let engine = open(&tree);
    let session = Session::new();
    let call = Call::default().with_session(ActivitySource::Session(session.clone()));
    let request = PackRequest { dedupe: true, ..PackRequest::new("send_upload") };
    let first = engine.call(&request, &call).unwrap();
    session.record_pack(&request, &first);
    let again = engine.call(&request, &call).unwrap();
    let sent = units(&first);
    assert!(units(&again).iter().all(|unit| !sent.contains(unit)), "{:?}", units(&again));
    let known = again.left_out.iter().find(|place| place.reason == LeftOutReason::Sent).unwrap();
    assert_eq!(known.sent_before.as_ref().unwrap().call, 1);
    let all = engine.call(&PackRequest { dedupe: false, ..request }, &call).unwrap();
    assert_eq!(units(&all), sent);
}

#[test]
fn a_further_page_of_a_session_repeats_nothing_though_the_session_changes_the_ranking() {
    let tree = Tree::new(LARGE);
    let engine = open(&tree);
    let session = Session::new();
    let call = Call::default().with_session(ActivitySource::Session(session.clone()));
    let mut request = PackRequest { budget: 200, ..PackRequest::new("retry of uploads") };
    let first = engine.call(&request, &call).unwrap();
    session.record_pack(&request, &first);
    engine.record_activity(&session, &[RelPath::new("app/main.py").unwrap()], FileActivity::Touched).unwrap();
    request.cursor.clone_from(&first.next);
    let more = engine.call(&request, &call).unwrap();
    let sent = units(&first);
    assert!(
        !more.files.is_empty() && units(&more).iter().all(|unit| !sent.contains(unit)),
        "{:?}",
        units(&more)
    );
}

#[test]
fn a_part_of_a_function_is_shown_as_the_whole_function() {
    let body = (0..300).map(|line| format!("    total += step_{line}(value)\n")).collect::<String>();
    let tree = Tree::new(&format!("\n=== a.py\ndef collect(value):\n{body}\n\ndef other():\n    return 1\n"));
    let reply = pack(&tree, PackRequest { budget: 6_000, ..PackRequest::new("step_280") });
    let unit: &PackUnit = &reply.files[0].units[0];
    assert_eq!((unit.lines.first, unit.lines.last, unit.part_of), (1, 301, None));
}

/// The lines of code of a pack.
fn lines_of(reply: &PackReply) -> BTreeSet<(String, u32)> {
    let of_unit = |unit: &PackUnit| unit.lines.first..=unit.lines.last;
    let of_file = |file: &PackFile| {
        let path = file.path.to_string();
        file.units.iter().flat_map(of_unit).map(move |line| (path.clone(), line)).collect::<Vec<_>>()
    };
    reply.files.iter().flat_map(of_file).collect()
}

#[test]
fn a_larger_budget_has_every_line_that_a_smaller_one_has() {
    for tree in [Tree::new(LARGE), generated(60)] {
        let engine = open(&tree);
        for task in TASKS {
            let mut smaller = BTreeSet::new();
            for budget in (200..9_000).step_by(cases(880, 160)) {
                let reply = engine.ask(&PackRequest { budget, ..PackRequest::new(*task) }).unwrap();
                let lines = lines_of(&reply);
                let lost: Vec<_> = smaller.difference(&lines).collect();
                assert!(lost.is_empty(), "{budget} {task}: {lost:?}");
                smaller = lines;
            }
        }
    }
}

#[test]
fn a_budget_is_used_while_there_is_something_worth_its_tokens() {
    let tree = generated(60);
    let engine = open(&tree);
    for task in TASKS {
        for budget in [600, 1_000, 1_500] {
            let reply = engine.ask(&PackRequest { budget, ..PackRequest::new(*task) }).unwrap();
            assert!(reply.tokens * 20 >= budget * 17, "{} of {budget}: {task}", reply.tokens);
        }
    }
}

#[test]
fn a_long_function_does_not_take_the_room_of_a_file_that_the_task_names() {
    let filler = |name: &str| (0..400).map(|line| format!("    {name}_{line}(value)\n")).collect::<String>();
    let tree = Tree::new(&format!(
        "\n=== net/http_adapter.py\ndef dispatch(value):\n{}    limit_download_rate(value)\n{}\n\n=== net/fetch.py\ndef \
         fetch(value):\n    \"\"\"Fetches with progress.\"\"\"\n    return adapter(value)\n",
        filler("send"),
        filler("receive"),
    ));
    let task = "limit the download rate in the fetch adapter";
    let reply = pack(&tree, PackRequest { budget: 1_500, ..PackRequest::new(task) });
    assert_eq!(file(&reply, "net/fetch.py").units[0].part_of, None);
    let long = &file(&reply, "net/http_adapter.py").units;
    let shown: Vec<&str> = long.iter().flat_map(|unit| &unit.text).map(String::as_str).collect();
    assert!(long.iter().all(|unit| unit.part_of.is_some()), "{:?}", units(&reply));
    assert!(
        shown.contains(&"def dispatch(value):") && shown.contains(&"    limit_download_rate(value)"),
        "{shown:?}"
    );
}

#[test]
fn what_uses_the_best_unit_of_a_file_is_in_the_pack_without_an_import() {
    let filler = |number: usize| {
        format!(
            "\n=== src/store/Part{number}.java\npackage store;\nclass Part{number} {{\n    int size() {{ return {number}; }}\n}}\n"
        )
    };
    let others: String = (0..60).map(filler).collect();
    let tree = Tree::new(&format!(
        "{others}\n=== src/store/Widening.java\npackage store;\nclass Widening {{\n    /** Adds the snooze column to the messages \
         table. */\n    static void apply(Db db) {{\n        db.run(\"messages\");\n    }}\n}}\n=== \
         src/store/Opening.java\npackage store;\nclass Opening {{\n    void open(Db db) {{\n        \
         Widening.apply(db);\n    }}\n}}\n"
    ));
    let reply = pack(&tree, PackRequest::new("add a snooze column to the messages table"));
    let user = file(&reply, "src/store/Opening.java");
    assert_eq!(user.reason, "it uses Widening.apply", "{:?}", units(&reply));
    assert_eq!(user.units[0].symbol.as_deref(), Some("Opening.open"));
}

/// A tree whose code lies in `legacy/`, with tests, stylesheets and prose about the same words.
fn old_tree() -> Tree {
    let file = |number: usize| {
        format!("\n=== legacy/core/part{number}.py\ndef part{number}():\n    return {number}\n")
    };
    let others: String = (0..20).map(file).collect();
    Tree::new(&format!(
        "{others}\n=== legacy/core/alerts.py\ndef send_alerts(check):\n    \"\"\"Sends the alerts of a check that is \
         down.\"\"\"\n    return notify(check)\n=== legacy/core/notify.py\ndef notify(check):\n    \"\"\"Sends one alert to \
         each channel.\"\"\"\n    return check\n=== web/alerts.less\n.alerts {{ color: red; }}\n.alerts .check \
         {{ down: 1; }}\n=== core/commonTest/AlertsSent.py\ndef alerts_sent_when_a_check_is_down():\n    assert \
         send_alerts(1)\n=== docs/alerts.md\n# Send alerts\nAlerts are sent when a check is down.\n=== docs/assets/alerts.js\n/** Shows \
         the alerts of a check that is down. */\nfunction sendAlerts(check) {{\n  return check.down;\n}}\n"
    ))
}

#[test]
fn tests_and_stylesheets_stand_behind_the_code_of_a_tree_in_an_old_folder() {
    let tree = old_tree();
    let engine = open(&tree);
    let reply = engine.ask(&PackRequest::new("send the alerts of a check that is down")).unwrap();
    let score =
        |path: &str| reply.files.iter().find(|file| file.path.as_str() == path).map_or(0.0, |own| own.score);
    let code = score("legacy/core/alerts.py");
    for aside in ["web/alerts.less", "core/commonTest/AlertsSent.py"] {
        assert!(score(aside) < code, "{aside} {} of {code}", score(aside));
    }
    let of_docs = |task: &str| {
        let reply = engine.ask(&PackRequest::new(task)).unwrap();
        file(&reply, "docs/assets/alerts.js").score
    };
    let (of_code, of_prose) = (
        of_docs("send the alerts of a check that is down"),
        of_docs("send the alerts of a check that is down in the docs"),
    );
    assert!(of_code + 0.1 < of_prose, "{of_code} {of_prose}");
    let styled = engine.ask(&PackRequest::new("change the colour of alerts")).unwrap();
    let of_style = styled.files.iter().find(|file| file.path.as_str() == "web/alerts.less").unwrap();
    assert!(of_style.score > 0.3, "{:?}", units(&styled));
}

#[test]
fn prose_does_not_lead_a_goal_about_code() {
    let tree = old_tree();
    let engine = open(&tree);
    let task = "mask the part number in the log and send alerts when a check is down";
    let reply = engine.ask(&PackRequest { budget: 700, ..PackRequest::new(task) }).unwrap();
    assert_eq!(reply.goals.len(), 2);
    let places = |path: &str| reply.files.iter().position(|file| file.path.as_str() == path);
    let code = places("legacy/core/alerts.py").unwrap();
    assert!(places("docs/alerts.md").is_none_or(|prose| prose > code), "{:?}", units(&reply));
}

#[test]
fn a_copy_of_a_file_in_the_pack_is_left_out() {
    let upload = TREE.split("=== ").find(|part| part.starts_with("src/upload.py")).unwrap();
    let copy = upload.replacen("src/upload.py", "vendor/acme/upload.py", 1);
    let reply = pack(&Tree::new(&format!("{TREE}=== {copy}")), PackRequest::new(TASK));
    let paths: Vec<&str> = reply.files.iter().map(|file| file.path.as_str()).collect();
    assert!(paths.contains(&"src/upload.py") && !paths.contains(&"vendor/acme/upload.py"), "{paths:?}");
    let copies = reply.left_out.iter().filter(|place| place.path.as_str() == "vendor/acme/upload.py");
    assert_eq!(copies.map(|place| place.reason).collect::<Vec<_>>(), [LeftOutReason::Duplicate]);
}

#[test]
fn secrets_are_masked_in_units() {
    let token = format!("ghp_{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
    let tree =
        Tree::new(&format!("\n=== a.py\ndef retry_upload():\n    token = \"{token}\"\n    return token\n"));
    let text = json::line(&pack(&tree, PackRequest::new("retry_upload")));
    assert!(text.contains("masked") && !text.contains(&token), "{text}");
}
