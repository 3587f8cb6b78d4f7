//! The facade at its edges.

mod graph_steps;

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use super::api::*;
use super::*;
use spyhop_index::update;

/// A tree of `files`, with an engine whose index lies beside it.
fn engine(files: &[(&str, &str)], change: impl FnOnce(&mut Options)) -> (tempfile::TempDir, Engine) {
    let folder = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = folder.path().join("tree").join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    let mut options = Options { index_dir: Some(folder.path().join("index")), ..Options::default() };
    change(&mut options);
    let engine = Engine::open(folder.path().join("tree"), options).unwrap();
    (folder, engine)
}

#[test]
fn trees_that_share_an_index_remember_their_own_touches() {
    let folder = tempfile::tempdir().unwrap();
    let dir = Some(folder.path().join("index"));
    let top = folder.path().join("top");
    let git = |arguments: &[&str]| std::process::Command::new("git").args(arguments).output().unwrap();
    git(&["init", "-q", top.to_str().unwrap()]);
    for path in ["a.rs", "sub/a.rs"] {
        std::fs::create_dir_all(top.join("sub")).unwrap();
        std::fs::write(top.join(path), "fn provider() {}\n").unwrap();
    }
    let open =
        |root: &Path| Engine::open(root, Options { index_dir: dir.clone(), ..Options::default() }).unwrap();
    let above = open(&top);
    above.refresh(&|_| ()).unwrap();
    above.record_touch("a.rs").unwrap();
    let signals = |engine: &Engine| {
        let reply = engine.search(&SearchRequest::new("provider")).unwrap();
        let hit = reply.results.into_iter().find(|hit| hit.path.as_str() == "a.rs").unwrap();
        hit.reasons.iter().any(|reason| reason.signal == spyhop_search::profile::Signal::Session)
    };
    assert!(signals(&open(&top)));
    assert!(!signals(&open(&top.join("sub"))));
}

#[test]
fn a_policy_for_some_calls_shares_the_commit_and_changes_nothing() {
    let (folder, engine) = engine(&[("a.rs", "pub fn hoist_sail() {}\n")], |_| ());
    let last = engine.with_policy(engine.policy().last_commit());
    let request = SearchRequest::new("hoist sail");
    assert_eq!(last.search(&request).unwrap_err().kind(), ErrorKind::NoIndex);
    assert!(!engine.has_index());
    assert_eq!(engine.search(&request).unwrap().results.len(), 1);
    std::fs::write(folder.path().join("tree/b.rs"), "pub fn hoist_sail() {}\n").unwrap();
    let reply = last.search(&request).unwrap();
    assert_eq!((reply.results.len(), reply.snapshot.checked_at), (1, None));
    let open = engine.index().open_snapshot().unwrap();
    assert!(Arc::ptr_eq(&open, &last.index().open_snapshot().unwrap()));
    assert_eq!(engine.search(&request).unwrap().results.len(), 2);
    assert_eq!(last.search(&request).unwrap().results.len(), 2);
}

#[test]
fn a_call_chooses_its_masks_and_its_timeout() {
    let text = "/// Lets the hoister in.\npub const HOIST_PASSWORD: &str = \"s3cr3t-h0ist-8842\";\n";
    let (_folder, engine) = engine(&[("a.rs", text)], |_| ());
    let request = GrepRequest::new("HOIST_PASSWORD");
    let line = |engine: &Engine| engine.ask(&request).unwrap().lines[0].text.clone();
    assert!(!line(&engine).contains("s3cr3t"), "{}", line(&engine));
    let open = engine.with_policy(CallPolicy { show_secrets: true, ..engine.policy() });
    assert!(line(&open).contains("s3cr3t-h0ist-8842"));
    assert!(!line(&engine).contains("s3cr3t"));
    // A call that waits gets its turn when the other process ends; a call that does not wait fails at once.
    engine.refresh(&|_| ()).unwrap();
    let lock_path = engine.index().workspace().lock_path();
    let held = spyhop_base::store::Lock::acquire(&lock_path, Duration::ZERO, &mut |_| ()).unwrap();
    assert_eq!(engine.rebuild(&|_| ()).unwrap_err().kind(), ErrorKind::Locked);
    let patient = engine.with_policy(CallPolicy { wait: Duration::from_secs(60), ..engine.policy() });
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| patient.rebuild(&|_| ()));
        std::thread::sleep(Duration::from_millis(200));
        drop(held);
        waiting.join().unwrap().unwrap();
    });
}

#[test]
fn what_was_touched_ages_by_the_clock() {
    let text = "pub fn hoist_sail() {}\n";
    let (_folder, mut engine) = engine(&[("a/one.rs", text), ("b/two.rs", text)], |_| ());
    engine.refresh(&|_| ()).unwrap();
    let begin = SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000);
    let days_later = |engine: &mut Engine, days: u64| {
        engine.set_clock(move || begin + Duration::from_secs(days * 24 * 3600));
    };
    days_later(&mut engine, 0);
    engine.record_touch("b/two.rs").unwrap();
    let asked = |engine: &Engine| {
        let reply = engine.search(&SearchRequest::new("hoist sail")).unwrap();
        let is_session = |reason: &&Reason| reason.signal == spyhop_search::profile::Signal::Session;
        let two = reply.results.iter().find(|hit| hit.path.as_str() == "b/two.rs").unwrap();
        let reason =
            two.reasons.iter().find(is_session).map(|reason| (reason.contribution, reason.text.clone()));
        (reply.results[0].path.as_str().to_string(), reason, reply.evidence_used.contains("session"))
    };
    let (first, fresh, is_used) = asked(&engine);
    assert_eq!((first.as_str(), is_used), ("b/two.rs", true));
    days_later(&mut engine, 4);
    let (_, aged, _) = asked(&engine);
    let (fresh, aged) = (fresh.unwrap(), aged.unwrap());
    assert!(aged.0 < fresh.0 / 2.0, "{fresh:?} {aged:?}");
    assert!(fresh.1.ends_with("file read just now") && aged.1.ends_with("file read 4 days ago"), "{aged:?}");
    days_later(&mut engine, 14);
    assert_eq!(asked(&engine), ("a/one.rs".to_string(), None, false));
}

#[test]
fn an_index_that_cannot_be_written_still_answers_and_says_so() {
    let (folder, engine) = engine(&[("a.rs", "fn provider() {}\n")], |_| ());
    engine.refresh(&|_| ()).unwrap();
    std::fs::remove_file(folder.path().join("index/lock")).unwrap();
    std::fs::create_dir(folder.path().join("index/lock")).unwrap();
    std::fs::write(folder.path().join("tree/b.rs"), "fn provider() {}\n").unwrap();
    let reply = engine.search(&SearchRequest::new("provider")).unwrap();
    assert_eq!((reply.results.len(), reply.snapshot.checked_at), (1, None));
    assert!(reply.warnings[0].contains("this answer is from the last commit"), "{:?}", reply.warnings);
}

#[test]
fn a_size_that_spans_cannot_hold_is_refused_and_so_is_none_at_all() {
    for max_file_bytes in [0, 5 << 30] {
        let options = Options { max_file_bytes, ..Options::default() };
        let error = Engine::open("/", options).err().unwrap();
        assert_eq!(error.kind(), ErrorKind::BadRequest);
        let expected = format!("max_file_bytes is {max_file_bytes}; choose 1 to 1073741824");
        assert_eq!(error.to_string(), expected);
    }
}

#[test]
fn less_memory_than_an_update_needs_is_refused() {
    let options = Options { max_memory: Some(63 << 20), ..Options::default() };
    let error = Engine::open("/", options).err().unwrap();
    assert_eq!(error.kind(), ErrorKind::BadRequest);
    assert_eq!(error.to_string(), "max_memory is 66060288; choose 67108864 (64M) or more");
}

#[test]
fn the_budget_of_the_literal_pass_is_for_files_that_may_answer() {
    let names: Vec<String> = (0..250).map(|number| format!("a/{number}.txt")).collect();
    let mut files: Vec<(&str, &str)> =
        names.iter().map(|name| (name.as_str(), "one needle here\n")).collect();
    files.push(("z/last.txt", "one needle here\n"));
    let (_folder, engine) = engine(&files, |_| ());
    let mut request = SearchRequest::new("one needle here");
    request.filter.path = Some("z".to_string());
    let reply = engine.search(&request).unwrap();
    assert_eq!((reply.literal_lines, reply.literal_complete), (1, true));
}

#[test]
fn words_of_deleted_files_do_not_crowd_out_live_ones() {
    let dead: String = (0..300).map(|number| format!("zq{number}\n")).collect();
    let (folder, engine) =
        engine(&[("a.txt", &dead), ("b.txt", "a longer wordzq that is live\n")], |options| {
            options.threads = Some(1);
        });
    engine.refresh(&|_| ()).unwrap();
    std::fs::remove_file(folder.path().join("tree/a.txt")).unwrap();
    let reply = engine.search(&SearchRequest::new("zq")).unwrap();
    assert_eq!((reply.literal_lines, reply.literal_complete), (1, true));
}

#[test]
fn a_hit_stands_at_the_definition_that_its_reason_names() {
    let calls = "    make_widget(make_widget(make_widget()));\n".repeat(30);
    let text = format!(
        "fn caller() {{\n{calls}}}\n\nfn make_widget() -> u32 {{\n{}    7\n}}\n",
        "    step();\n".repeat(30)
    );
    let (_folder, engine) = engine(&[("a.rs", &text)], |_| ());
    let reply = engine.search(&SearchRequest::new("make_widget")).unwrap();
    let best = &reply.results[0];
    assert_eq!((best.symbol.as_deref(), best.lines.first), (Some("make_widget"), 34));
    assert!(best.reasons.iter().any(|reason| reason.text == "definition: fn 'make_widget' is defined here"));
}

#[test]
fn lines_as_written_are_shown() {
    let text = "impl Drop for Guard {\n    fn drop(&mut self) {\n        self.end();\n    }\n}\n";
    let (_folder, engine) = engine(&[("a.rs", text)], |_| ());
    let reply = engine.search(&SearchRequest::new("impl Drop for")).unwrap();
    let snippet = reply.results[0].snippet.as_ref().unwrap();
    assert!(snippet.text.contains("impl Drop for"), "{}", snippet.text);
}

#[test]
fn an_answer_about_a_branch_that_moved_waits_for_who_is_indexing() {
    let (folder, engine) = engine(&[("a.rs", "fn first() {}\n")], |_| ());
    let root = folder.path().join("tree");
    let git = |line: &str| {
        let mut command = std::process::Command::new("git");
        command.current_dir(&root).args(["-c", "user.name=a", "-c", "user.email=a@example.com"]);
        assert!(command.args(line.split(' ')).output().unwrap().status.success(), "{line}");
    };
    git("init -q -b main");
    git("add -A");
    git("commit -q -m one");
    let view =
        Engine::open(&root, Options { view: Some("main".into()), ..engine.options().clone() }).unwrap();
    let found = || view.search(&SearchRequest::new("second")).unwrap();
    assert!(found().results.is_empty());
    std::fs::write(root.join("b.rs"), "fn second() {}\n").unwrap();
    git("add -A");
    git("commit -q -m two");
    let busy =
        spyhop_base::store::Lock::acquire(&view.index().workspace().lock_path(), Duration::ZERO, &mut |_| ())
            .unwrap();
    let reply = std::thread::scope(|scope| {
        let asked = scope.spawn(found);
        std::thread::sleep(Duration::from_millis(200));
        assert!(!asked.is_finished());
        drop(busy);
        asked.join().unwrap()
    });
    assert_eq!((reply.results.len(), reply.warnings), (1, Vec::new()));
}

#[test]
fn who_asks_for_structure_at_once_gets_no_text_first() {
    let least = |text_first: bool| {
        let (_folder, engine) = engine(&[("a.rs", "")], |options| options.text_first = text_first);
        updating::updater(&engine, None).unwrap().text_first
    };
    assert_eq!((least(true), least(false)), (update::TEXT_FIRST, u64::MAX));
}

#[test]
fn the_status_counts_each_file_by_how_its_structure_is_known() {
    let big = "/* padding */\n".repeat(90_000);
    let files = [
        ("a.rs", "pub fn hoist_sail() {}\n"),
        ("b.nix", "{ sail = 1; }\n"),
        ("c.zz9", "sail\n"),
        ("d.md", "# Sail\n"),
        ("big.txt", &big),
        (".spyhop/grammars/lights/grammar.toml", "name = \"lights\"\n[[rule]]\nline = '('\n"),
    ];
    let (_folder, engine) = engine(&files, |_| ());
    engine.refresh(&|_| ()).unwrap();
    let status = engine.status().unwrap();
    let StructureCounts { parsed, by_rule, text_only, path_only } = status.structure;
    assert_eq!((parsed, by_rule, text_only, path_only), (2, 1, 1, 1));
    assert_eq!(parsed + by_rule + text_only + path_only, status.files);
    assert_eq!(status.grammar_faults.len(), 1, "{:?}", status.grammar_faults);
    let request = WhyNotRequest::new("c.zz9", SearchRequest::new("hoist"));
    assert_eq!(engine.ask(&request).unwrap().structure, status.structure);
}
