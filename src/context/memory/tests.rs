//! Tests of the log, of the exchange and of relevance, without faults.

mod crashes;

use std::fs;
use std::time::Duration;

use super::limits::{MAX_ITEMS, MAX_TEXT_BYTES};
use super::*;
use spyhop_base::id::ContentHash;
use spyhop_base::path::RelPath;
use spyhop_base::store::Lock;
use spyhop_index::tokenize::Tokenizer;
use spyhop_index::workspace::MEMORY_FOLDER;
use spyhop_search::query::Query;

const NOW: Duration = Duration::ZERO;

fn note(text: &str) -> RevisionNote {
    let json = serde_json::json!({ "id": "", "kind": "failure", "text": text, "time": "t" });
    let note: RevisionNote = serde_json::from_value(json).unwrap();
    RevisionNote { id: note.id_of(), ..note }
}

#[test]
fn a_log_of_version_1_is_read_and_a_newer_one_is_left_alone() {
    let dir = tempfile::tempdir().unwrap();
    let place = NotePlace::new(dir.path(), "tree");
    fs::create_dir(dir.path().join(MEMORY_FOLDER)).unwrap();
    // As version 1 wrote it; this text must never change.
    let old = concat!(
        "spyhop-memory 1\n",
        r#"70cd95a5730003b1092e90fa4479ad50 {"id":"0a1b2c3d4e5f","kind":"failure","text":"The pool leaks.","verification":{"state":"unverified"},"time":"2026-01-01T00:00:00Z","changes":0}"#,
        "\n"
    );
    fs::write(place.log(), old).unwrap();
    let notebook = place.read().unwrap();
    assert_eq!((notebook.notes.len(), notebook.damaged), (1, 0));
    let only = &notebook.notes[0];
    assert_eq!((only.text.as_str(), only.changes), ("The pool leaks.", 0));
    assert_eq!(only.verification, Verification::Unverified);
    place.record(vec![note("new")], NOW).unwrap();
    assert!(fs::read_to_string(place.log()).unwrap().starts_with(old), "the old record stays as it is");

    let newer = "spyhop-memory 2\nsomething else\n";
    fs::write(place.log(), newer).unwrap();
    let error = place.read().unwrap_err().to_string();
    assert!(error.contains("format 2 of a newer version"), "{error}");
    assert!(matches!(place.record(vec![note("new")], NOW), Err(MemoryError::NewerLog { found: 2, .. })));
    assert_eq!(fs::read_to_string(place.log()).unwrap(), newer);

    fs::write(place.log(), "anything").unwrap();
    assert!(matches!(place.record(vec![note("new")], NOW), Err(MemoryError::NotALog { .. })));
    assert_eq!(fs::read_to_string(place.log()).unwrap(), "anything");
}

#[test]
fn an_altered_record_is_counted_and_no_other_note_is_lost() {
    let dir = tempfile::tempdir().unwrap();
    let place = NotePlace::new(dir.path(), "tree");
    let all = ["one", "two", "three"].map(note);
    place.record(all.to_vec(), NOW).unwrap();
    let altered = fs::read_to_string(place.log()).unwrap().replace("\"two\"", "\"twó\"");
    fs::write(place.log(), altered).unwrap();
    let notebook = place.read().unwrap();
    let texts: Vec<&str> = notebook.notes.iter().map(|note| note.text.as_str()).collect();
    assert_eq!((texts, notebook.damaged), (vec!["one", "three"], 1));
}

#[test]
fn a_damaged_line_break_loses_no_note() {
    let dir = tempfile::tempdir().unwrap();
    let place = NotePlace::new(dir.path(), "tree");
    place.record(["one", "two", "three"].map(note).to_vec(), NOW).unwrap();
    let log = fs::read(place.log()).unwrap();
    let texts = || {
        let notebook = place.read().unwrap();
        (notebook.notes.iter().map(|note| note.text.clone()).collect::<Vec<_>>().join(" "), notebook.damaged)
    };
    let breaks: Vec<usize> = (0..log.len()).filter(|at| log[*at] == b'\n').skip(1).collect();
    assert_eq!(breaks.len(), 3);
    for at in breaks {
        for byte in *b"\x0b\0X7}" {
            let mut damaged = log.clone();
            damaged[at] = byte;
            fs::write(place.log(), &damaged).unwrap();
            assert_eq!(texts(), ("one two three".to_string(), 0), "{byte} at {at}");
            place.record(vec![note("four")], NOW).unwrap();
            assert_eq!(texts(), ("one two three four".to_string(), 0), "{byte} at {at}");
        }
    }
    // A line break that is missing, and a last record that is whole but altered, with and without its line break.
    fs::write(place.log(), &log[..log.len() - 1]).unwrap();
    assert_eq!(texts(), ("one two three".to_string(), 0));
    let altered = String::from_utf8(log.clone()).unwrap().replace("\"three\"", "\"threé\"").into_bytes();
    for end in [b"X".as_slice(), b"", b"\n"] {
        fs::write(place.log(), [&altered[..altered.len() - 1], end].concat()).unwrap();
        assert_eq!(texts(), ("one two".to_string(), 1), "{end:?}");
        place.record(vec![note("four")], NOW).unwrap();
        assert_eq!(texts(), ("one two four".to_string(), 1), "{end:?}");
    }
    // The beginning of a record was never acknowledged.
    let last = &log[..log.len() - 1].iter().rposition(|byte| *byte == b'\n').unwrap() + 1;
    for cut in [2, 20, 40, 80] {
        fs::write(place.log(), [&log[..], &log[last..log.len() - cut]].concat()).unwrap();
        assert_eq!(texts(), ("one two three".to_string(), 0), "{cut}");
    }
}

#[test]
fn a_second_writer_is_told_who_writes() {
    let dir = tempfile::tempdir().unwrap();
    let place = NotePlace::new(dir.path(), "tree");
    place.record(vec![note("one")], NOW).unwrap();
    let mut files = fs::read_dir(dir.path().join(MEMORY_FOLDER)).unwrap().map(|entry| entry.unwrap().path());
    let lock = files.find(|path| path.file_name().unwrap().to_str().unwrap().starts_with("lock"));
    let held = Lock::acquire(&lock.unwrap(), NOW, &mut |_| ()).unwrap();
    let error = place.record(vec![note("two")], NOW).unwrap_err();
    assert!(error.to_string().contains(&format!("process {}", std::process::id())), "{error}");
    assert_eq!(place.read().unwrap().notes.len(), 1, "a reader needs no lock");
    drop(held);
    place.record(vec![note("two")], NOW).unwrap();
}

#[test]
fn limits_are_named_and_secrets_never_reach_the_disk() {
    let dir = tempfile::tempdir().unwrap();
    let place = NotePlace::new(dir.path(), "tree");
    let refused = |note: RevisionNote| place.record(vec![note], NOW).unwrap_err().to_string();
    assert!(refused(note(" ")).contains("is empty"));
    assert_eq!(refused(note(&"x".repeat(MAX_TEXT_BYTES + 1))), "text has 8001 bytes; the limit is 8000");
    let signals = vec!["x".to_string(); MAX_ITEMS + 1];
    assert_eq!(refused(RevisionNote { signals, ..note("a") }), "signals has 17 entries; the limit is 16");
    assert!(!place.log().exists(), "a refused note leaves nothing");

    let token = format!("ghp_{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
    let telling = RevisionNote {
        signals: vec![format!("Authorization: Bearer {token}")],
        diff: Some(format!("+token = \"{token}\"\n")),
        ..note(&format!("It failed with {token}."))
    };
    place.record(vec![telling], NOW).unwrap();
    let stored = fs::read_to_string(place.log()).unwrap();
    assert!(!stored.contains(&token[8..]) && stored.contains("masked"), "{stored}");
}

#[test]
fn an_export_comes_back_and_bad_lines_are_named() {
    let dir = tempfile::tempdir().unwrap();
    let place = NotePlace::new(dir.path(), "tree");
    place.record(vec![note("one"), note("two")], NOW).unwrap();
    let lines = to_lines(&place.read().unwrap().notes);
    let other = NotePlace::new(dir.path(), "other tree");
    let import = |text: &str| {
        let (notes, bad) = from_lines(text);
        (other.record(notes, NOW).unwrap(), bad)
    };
    assert_eq!(import(&lines).0, [RecordOutcome::Added; 2]);
    assert_eq!(import(&lines).0, [RecordOutcome::Unchanged; 2]);
    assert_eq!(to_lines(&other.read().unwrap().notes), lines);

    let written = "{\"kind\":\"explanation\",\"text\":\"by hand\"}\n\nnot json\n[1]\n{\"kind\":\"rumour\",\"text\":\"a\"}\n\
                   {\"kind\":\"failure\",\"text\":\"a\",\"id\":\"zz\"}\n{\"kind\":\"failure\"}\n";
    let (outcomes, bad) = import(written);
    assert_eq!(outcomes, [RecordOutcome::Added]);
    assert_eq!(import(written).0, [RecordOutcome::Unchanged]);
    assert_eq!(bad.iter().map(|bad| bad.line).collect::<Vec<_>>(), [3, 4, 5, 6, 7], "{bad:?}");
    assert!(bad[0].reason.starts_with("the line is not JSON") && bad[2].reason.contains("rumour"), "{bad:?}");

    // A newer state wins on both sides, in any order.
    let id = note("one").id;
    place.revise(&id, NOW, |note| note.author = Some("later".into())).unwrap();
    let newer = to_lines(&place.read().unwrap().notes);
    assert_eq!(import(&newer).0, [RecordOutcome::Changed, RecordOutcome::Unchanged]);
    assert_eq!(import(&lines).0, [RecordOutcome::Unchanged; 2]);
    assert_eq!(by_id(&other.read().unwrap().notes, &id[..6]).unwrap().author.as_deref(), Some("later"));
}

#[test]
fn every_text_of_an_imported_line_is_masked_or_refused() {
    let dir = tempfile::tempdir().unwrap();
    let place = NotePlace::new(dir.path(), "tree");
    let token = format!("ghp_{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
    let hash = "0123456789abcdef0123456789abcdef01234567";
    let line = |commit: &str, at: &str| {
        serde_json::json!({
            "kind": "failure", "text": format!("text {token}"), "commit": commit,
            "links": [{
                "path": "src/a.rs", "symbol": format!("take_{token}"), "content": "0".repeat(32), "at": at,
            }],
            "retired": { "reason": format!("reason {token}"), "time": format!("time {token}") },
            "verification": { "state": "contradicted", "reference": format!("reference {token}") },
        })
        .to_string()
    };
    let (notes, bad) = from_lines(&line(hash, hash));
    assert!(bad.is_empty(), "{bad:?}");
    assert_eq!((notes[0].commit.as_deref(), notes[0].links[0].at.as_deref()), (Some(hash), Some(hash)));
    place.record(notes, NOW).unwrap();
    let stored = fs::read_to_string(place.log()).unwrap();
    assert!(!stored.contains(&token[8..]) && stored.matches("masked").count() == 5, "{stored}");
    for (commit, at) in [(token.as_str(), hash), (hash, token.as_str()), ("main", hash), (hash, &hash[..12])]
    {
        let (notes, bad) = from_lines(&line(commit, at));
        assert_eq!((notes.len(), bad.len()), (0, 1), "{commit} {at}");
        assert!(bad[0].reason.contains("40 or 64 hexadecimal digits"), "{bad:?}");
        assert!(!bad[0].reason.contains(&token[8..]), "{bad:?}");
    }
}

#[test]
fn an_id_may_be_short_and_must_mean_one_note() {
    let notes: Vec<RevisionNote> = ["aaaa00000000", "aaaa11111111", "bbbb00000000"]
        .map(|id| RevisionNote { id: id.into(), ..note(id) })
        .into();
    assert_eq!(by_id(&notes, "bbbb").unwrap().id, "bbbb00000000");
    assert_eq!(by_id(&notes, "aaaa1").unwrap().id, "aaaa11111111");
    let several = by_id(&notes, "aaaa").unwrap_err().to_string();
    assert!(several.contains("aaaa00000000, aaaa11111111"), "{several}");
    let unknown = |notes: &[RevisionNote]| by_id(notes, "bbb").unwrap_err().to_string();
    assert!(
        unknown(&notes)
            .ends_with("'bbb' is too short for the id of a note; give at least its first 4 digits")
    );
    assert!(unknown(&notes[..1]).ends_with("shows the id of the only note"), "{}", unknown(&notes[..1]));
    let other = |notes: &[RevisionNote]| by_id(notes, "zzzz").unwrap_err().to_string();
    assert!(other(&notes).ends_with("no note 'zzzz'; 'spyhop memory list' shows the ids of all 3 notes"));
    let mut retired = notes.clone();
    retired[0].retired = Some(Retirement::new(String::new(), "2026-01-01T00:00:00Z".to_string()));
    assert!(other(&retired).ends_with("'spyhop memory list --retired' shows the ids of all 3 notes"));
    assert!(unknown(&[]).ends_with("the tree has no notes"));
}

/// The score of a note for a question, with words that are rarer the longer they are.
fn score(note: &RevisionNote, question: &str, files: &[&str], found: &[&str]) -> f32 {
    let query = Query::parse(question).unwrap();
    let paths = |paths: &[&str]| paths.iter().map(|path| RelPath::new(path).unwrap()).collect::<Vec<_>>();
    let (files, found) = (paths(files), paths(found));
    let asked = NoteQuestion {
        query: &query,
        words: &words(question),
        files: &files,
        symbols: &[],
        found: &found,
        found_symbols: &[],
    };
    let terms = NoteTerms::new(note, &mut Tokenizer::new());
    let rarity = |term: &str| (term.len() as f32 / 8.0).min(1.0);
    let found = relevance(note, &terms, &asked, &rarity);
    let sum: f32 = found.reasons.iter().map(|reason| reason.contribution).sum();
    assert_eq!(found.reasons.is_empty(), sum == 0.0);
    found.score
}

#[test]
fn a_note_needs_evidence_to_be_shown() {
    let link = NoteLink {
        path: RelPath::new("src/upload.rs").unwrap(),
        symbol: Some("Uploader.retry".into()),
        content: ContentHash::of(b""),
        at: None,
    };
    let recorded = RevisionNote {
        signals: vec!["upload gave up after 3 attempts".into()],
        links: vec![link],
        ..note("Uploads must not be retried after a partial write\nThe server counts the bytes twice.")
    };
    let shown =
        |question: &str, files: &[&str], found: &[&str]| score(&recorded, question, files, found) >= CUT_OFF;
    assert!(shown("why are uploads retried after a partial write", &[], &[]));
    assert!(shown("error: upload gave up after 3 attempts (host a.example)", &[], &[]));
    assert!(shown("make Uploader.retry wait between partial uploads", &[], &["src/upload.rs"]));
    assert!(!shown("where is the colour of the title set", &[], &[]));
    assert!(!shown("where is the colour of the title set", &[], &["src/upload.rs"]));
    assert!(!shown("write the server settings to a file", &[], &[]));
    assert!(!shown("write", &[], &[]));
}

#[test]
fn a_signal_is_recognized_by_its_rare_words() {
    let shown = |signal: &str, question: &str| {
        let recorded = RevisionNote { signals: vec![signal.into()], ..note("Sockets die after deploy") };
        score(&recorded, question, &[], &[]) >= CUT_OFF
    };
    assert!(shown("ECONNRESET", "read ECONNRESET at TCP.onStreamRead"));
    assert!(!shown("read", "read ECONNRESET at TCP.onStreamRead"));
    assert!(shown("TooManyRedirects: Exceeded maximum allowed redirects", "TooManyRedirects"));
    let timeout = "timeout of 3000 ms exceeded while reading /var/run/a.sock";
    assert!(shown(timeout, "timeout of 500 ms exceeded while reading /tmp/b.sock"));
    assert!(shown(timeout, "timeout exceeded reading"));
    assert!(!shown(timeout, "reading settings from /var/run/a.sock"));
}

#[test]
fn a_question_about_a_member_is_not_about_its_type() {
    let link = NoteLink {
        path: RelPath::new("src/upload.rs").unwrap(),
        symbol: Some("Uploader".into()),
        content: ContentHash::of(b""),
        at: None,
    };
    let recorded = RevisionNote { links: vec![link], ..note("Sockets are closed twice") };
    let shown = |question: &str| score(&recorded, question, &[], &[]) >= CUT_OFF;
    assert!(shown("change Uploader"), "{}", score(&recorded, "change Uploader", &[], &[]));
    assert!(!shown("change Uploader.retry"));
}
