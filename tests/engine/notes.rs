//! Notes: links that follow renames, staleness in the view that is asked, relevance, and what never leaves a note.

use spyhop::{
    AddNoteRequest, GraphQuestion, GraphRequest, LinkState, ListNotesRequest, NoteKind, NoteRow, NotesReply,
    Options, PackRequest, RetireNoteRequest, SearchNotesRequest, SearchRequest, ShowNoteRequest,
    Verification, VerifyNoteRequest,
};
use spyhop_engine::{Engine, ErrorKind};
use spyhop_interface::render::{Style, agent, text};

use super::{open, options, refresh};
use crate::support::{Tree, git};

const CODE: &str = r#"
=== src/upload.rs
/// Sends a file again after a failure.
pub fn retry_upload(limit: u32) -> u32 {
    limit + 1
}

pub struct Pool;

impl Pool {
    /// Takes a permit out of the pool.
    pub fn take(&self) -> u32 {
        3
    }
}
=== src/paint.py
def draw_circle(radius):
    """Draws a circle on the canvas."""
    return canvas.arc(radius)
"#;

fn repository() -> Tree {
    let tree = Tree::new(CODE);
    tree.git(&["init", "-q", "-b", "main"]);
    tree.commit();
    tree
}

fn add(engine: &Engine, text: &str, links: &[&str]) -> NoteRow {
    let links = links.iter().map(|link| link.to_string()).collect();
    let request = AddNoteRequest { links, ..AddNoteRequest::new(NoteKind::Failure, text) };
    engine.ask(&request).unwrap().notes.remove(0)
}

fn states(engine: &Engine, id: &str) -> Vec<(Option<String>, LinkState)> {
    let row = engine.ask(&ShowNoteRequest { id: id.to_string() }).unwrap().notes.remove(0);
    row.links.iter().map(|link| (link.renamed_to.as_ref().map(ToString::to_string), link.state)).collect()
}

fn ids(reply: &NotesReply) -> Vec<&str> {
    reply.notes.iter().map(|row| row.note.id.as_str()).collect()
}

#[test]
fn a_note_is_stale_once_the_linked_code_changes_and_not_before() {
    let tree = repository();
    let engine = open(&tree);
    let added = add(&engine, "Retries lock the account", &["src/upload.rs#retry_upload"]);
    let file = add(&engine, "The file of uploads", &["src/upload.rs"]);
    let line = add(&engine, "Permits", &["src/upload.rs:10"]);
    assert_eq!(line.links[0].symbol.as_deref(), Some("Pool.take"));
    // Another function of the file changes.
    tree.write(
        "src/upload.rs",
        CODE[CODE.find("///").unwrap()..].split("===").next().unwrap().replace("3\n", "4\n"),
    );
    for is_indexed in [false, true] {
        assert_eq!(states(&engine, &added.note.id), [(None, LinkState::Current)]);
        assert_eq!(states(&engine, &file.note.id), [(None, LinkState::Changed)]);
        assert_eq!(states(&engine, &line.note.id), [(None, LinkState::Changed)]);
        let listed = engine.ask(&ListNotesRequest { only_stale: true, ..ListNotesRequest::default() });
        let listed = listed.unwrap();
        assert_eq!(ids(&listed), [&line.note.id, &file.note.id]);
        assert!(listed.notes[0].warnings[0].starts_with("stale: src/upload.rs#Pool.take has changed"));
        if !is_indexed {
            refresh(&engine);
        }
    }
    // The commit has the code as recorded.
    let view = Engine::open(tree.root(), Options { view: Some("HEAD".into()), ..options(&tree) }).unwrap();
    assert_eq!(states(&view, &line.note.id), [(None, LinkState::Current)]);
    // A reader may say that the note still holds.
    let request =
        VerifyNoteRequest { id: line.note.id[..5].into(), relink: true, ..VerifyNoteRequest::default() };
    engine.ask(&request).unwrap();
    assert_eq!(states(&engine, &line.note.id), [(None, LinkState::Current)]);
    std::fs::remove_file(tree.root().join("src/upload.rs")).unwrap();
    assert_eq!(states(&engine, &added.note.id), [(None, LinkState::Gone)]);
}

#[test]
fn a_question_about_a_symbol_shows_its_notes() {
    let tree = repository();
    let engine = open(&tree);
    let note = add(&engine, "Permits are never given back", &["src/upload.rs#Pool.take"]);
    add(&engine, "Retries lock the account", &["src/upload.rs#retry_upload"]);
    let asked = |question| engine.ask(&GraphRequest::new(question, "Pool.take")).unwrap();
    for question in [GraphQuestion::Definitions, GraphQuestion::Trace, GraphQuestion::Impact] {
        let reply = asked(question);
        let ids: Vec<&str> = reply.notes.iter().map(|row| row.note.id.as_str()).collect();
        assert_eq!(ids, [&note.note.id], "{question:?}");
        assert!(agent::graph(&reply).text.contains("Permits are never given back"));
        assert!(text::graph_footer(&reply, &Style::default()).contains("Permits are never given back"));
    }
    // The note follows its file, and is gone once it is retired.
    tree.git(&["mv", "src/upload.rs", "src/sending.rs"]);
    tree.commit();
    refresh(&engine);
    assert_eq!(asked(GraphQuestion::Trace).notes.len(), 1);
    let retired =
        RetireNoteRequest { id: note.note.id, reason: "wrong".into(), ..RetireNoteRequest::default() };
    engine.ask(&retired).unwrap();
    assert!(asked(GraphQuestion::Trace).notes.is_empty());
}

#[test]
fn a_rename_that_git_tells_is_followed() {
    let tree = repository();
    let engine = open(&tree);
    let note = add(&engine, "Retries lock the account", &["src/upload.rs#retry_upload", "src/upload.rs"]);
    let now = |path: &str| Some(path.to_string());
    // Before the commit, and after it, also with a change of another function.
    tree.git(&["mv", "src/upload.rs", "src/sending.rs"]);
    let moved = |path: &str| [(now(path), LinkState::Current), (now(path), LinkState::Current)];
    assert_eq!(states(&engine, &note.note.id), moved("src/sending.rs"));
    tree.commit();
    assert_eq!(states(&engine, &note.note.id), moved("src/sending.rs"));
    let text = std::fs::read_to_string(tree.root().join("src/sending.rs")).unwrap();
    std::fs::remove_file(tree.root().join("src/sending.rs")).unwrap();
    tree.write("net/send.rs", text.replace("        3", "        4"));
    tree.commit();
    let changed = [(now("net/send.rs"), LinkState::Current), (now("net/send.rs"), LinkState::Changed)];
    assert_eq!(states(&engine, &note.note.id), changed);
    // So much is changed in between that only the history tells of the rename.
    let further: String = (0..60).map(|n| format!("pub fn further_{n}() -> u32 {{\n    {n}\n}}\n")).collect();
    tree.write("net/send.rs", format!("{text}{further}"));
    tree.commit();
    assert_eq!(states(&engine, &note.note.id), changed);
    let warnings = &engine.ask(&ShowNoteRequest { id: note.note.id.to_string() }).unwrap().notes[0].warnings;
    assert!(warnings.contains(&"renamed: src/upload.rs is net/send.rs now".to_string()), "{warnings:?}");
    // A similar file beside it is no rename.
    git(&tree.root(), &["checkout", "-q", "-b", "old", "HEAD~3"]);
    tree.write("src/copy.rs", &text);
    tree.commit();
    assert_eq!(states(&engine, &note.note.id), [(None, LinkState::Current), (None, LinkState::Current)]);
}

#[test]
fn a_commit_links_the_symbols_that_it_changed() {
    let tree = repository();
    let text = std::fs::read_to_string(tree.root().join("src/upload.rs")).unwrap();
    tree.write("src/upload.rs", text.replace("limit + 1", "limit.min(3)"));
    tree.commit();
    let engine = open(&tree);
    let of_commit = AddNoteRequest {
        commit: Some("HEAD".into()),
        ..AddNoteRequest::new(NoteKind::Revision, "At most three retries")
    };
    let row = engine.ask(&of_commit).unwrap().notes.remove(0);
    let links: Vec<_> = row.links.iter().map(|link| (link.path.as_str(), link.symbol.as_deref())).collect();
    assert_eq!(links, [("src/upload.rs", Some("retry_upload"))]);
    assert_eq!((row.note.commit.as_ref().map(String::len), row.is_stale()), (Some(40), false));
    let diff = "--- a/src/paint.py\n+++ b/src/paint.py\n@@ -3 +3 @@\n-    return 1\n+    return canvas.arc(radius)\n";
    let of_diff =
        AddNoteRequest { diff: Some(diff.into()), ..AddNoteRequest::new(NoteKind::Revision, "Arcs") };
    let row = engine.ask(&of_diff).unwrap().notes.remove(0);
    assert_eq!(row.links[0].symbol.as_deref(), Some("draw_circle"));
    let unknown = AddNoteRequest { commit: Some("nowhere".into()), ..of_commit };
    assert_eq!(engine.ask(&unknown).unwrap_err().kind(), ErrorKind::BadRequest);
}

#[test]
fn a_note_about_a_large_commit_links_the_code_before_its_tests_and_says_what_is_left() {
    let tree = repository();
    let functions =
        |word: &str| (0..50).map(|n| format!("def {word}{n}():\n    return {n}\n\n\n")).collect::<String>();
    tree.write("a_tests/test_large.py", functions("test_"));
    tree.write("src/large.py", functions("run_"));
    tree.commit();
    let engine = open(&tree);
    let request =
        AddNoteRequest { commit: Some("HEAD".into()), ..AddNoteRequest::new(NoteKind::Revision, "Runs") };
    let reply = engine.ask(&request).unwrap();
    let of_code = reply.notes[0].links.iter().filter(|link| link.path.as_str() == "src/large.py").count();
    assert_eq!((reply.notes[0].links.len(), of_code), (64, 50));
    assert!(
        reply.warnings.iter().any(|text| text.starts_with("36 or more changed places are not linked")),
        "{:?}",
        reply.warnings
    );
}

#[test]
fn a_line_of_a_doc_comment_links_the_symbol_below() {
    let tree = repository();
    let code =
        "/** The most days\n *  of a window. */\nexport const MAX_DAYS = 30;\n\nexport const other = 1;\n";
    tree.write("src/window.ts", code);
    tree.commit();
    let engine = open(&tree);
    let linked =
        |row: &NoteRow| -> Vec<Option<String>> { row.links.iter().map(|link| link.symbol.clone()).collect() };
    for line in 1..=3 {
        let row = add(&engine, "A place", &[&format!("src/window.ts:{line}")]);
        assert_eq!(linked(&row), [Some("MAX_DAYS".to_string())], "{line}");
    }
    assert_eq!(linked(&add(&engine, "Between", &["src/window.ts:4"])), [None]);
    tree.write("src/window.ts", code.replace("most days", "largest number of days"));
    tree.commit();
    let commit = AddNoteRequest {
        commit: Some("HEAD".into()),
        ..AddNoteRequest::new(NoteKind::Revision, "A clearer comment")
    };
    assert_eq!(linked(&engine.ask(&commit).unwrap().notes[0]), [Some("MAX_DAYS".to_string())]);
}

#[test]
fn links_that_mean_nothing_are_refused_with_what_there_is() {
    let tree = repository();
    let engine = open(&tree);
    let refused = |link: &str| {
        let links = vec![link.to_string()];
        let request = AddNoteRequest { links, ..AddNoteRequest::new(NoteKind::Failure, "a") };
        engine.ask(&request).unwrap_err().to_string()
    };
    assert!(refused("src/none.rs").contains("no text file 'src/none.rs'"));
    assert!(
        refused("src/upload.rs#none").contains("the file defines retry_upload"),
        "{}",
        refused("src/upload.rs#none")
    );
    assert!(refused("Pool.take").contains("can only be found with an index"), "{}", refused("Pool.take"));
    refresh(&engine);
    let row = add(&engine, "By name", &["Pool.take"]);
    assert_eq!(row.links[0].path.as_str(), "src/upload.rs");
    assert!(refused("Pool.takes").contains("Pool.take?"), "{}", refused("Pool.takes"));
}

#[test]
fn a_search_shows_a_note_only_where_it_helps_and_applies() {
    let tree = repository();
    tree.write("src/more.rs", "/// Makes an upload retry once more.\npub fn upload_more() {}\n");
    let engine = open(&tree);
    let search = |query: &str| engine.search(&SearchRequest::new(query)).unwrap();
    let before = search("make the upload retry more often");
    assert!(before.notes.is_empty());
    let note = add(
        &engine,
        "An upload that is retried too often locks the account",
        &["src/upload.rs#retry_upload"],
    );
    let shown = |query: &str| search(query).notes.iter().map(|row| row.note.id.clone()).collect::<Vec<_>>();
    assert_eq!(shown("make the upload retry more often"), std::slice::from_ref(&note.note.id));
    assert!(shown("draw a larger circle").is_empty());
    assert!(shown("take").is_empty());
    // Further pages, the hits and searches that do without notes are as before.
    let first = SearchRequest { max_results: 1, ..SearchRequest::new("make the upload retry more often") };
    let page = engine.search(&first).unwrap();
    let further = engine.search(&SearchRequest { cursor: page.next.clone(), ..first }).unwrap();
    assert_eq!((page.notes.len(), further.offset, further.notes.len()), (1, 1, 0));
    let without = SearchRequest { notes: false, ..SearchRequest::new("make the upload retry more often") };
    assert!(engine.search(&without).unwrap().notes.is_empty());
    let after = search("make the upload retry more often");
    assert_eq!(super::exact(&after), super::exact(&before));
    let related = |question: &str| {
        engine
            .related_notes(question, &["src/upload.rs".parse_path()], &["retry_upload".to_string()])
            .unwrap()
            .notes
            .len()
    };
    assert_eq!((related("raise the retry limit of an upload"), related("draw a larger circle")), (1, 0));

    // A note about another language or folder does not apply.
    let request = AddNoteRequest {
        applies: spyhop::Applicability { languages: vec!["python".into()], ..Default::default() },
        ..AddNoteRequest::new(NoteKind::Explanation, "Upload retries in Python need a session")
    };
    let python = engine.ask(&request).unwrap().notes.remove(0).note.id;
    assert!(!shown("upload retries need a session").contains(&python));
    let asked = |files: &[&str]| {
        let files = files.iter().map(|file| file.parse_path()).collect();
        let request =
            SearchNotesRequest { files, ..SearchNotesRequest::new("upload retries need a session") };
        ids(&engine.ask(&request).unwrap()).contains(&python.as_str())
    };
    assert!(asked(&["src/paint.py"]));

    engine.ask(&RetireNoteRequest { id: note.note.id.clone(), ..Default::default() }).unwrap();
    assert!(!shown("make the upload retry more often").contains(&note.note.id));
    let again = RetireNoteRequest { id: note.note.id.clone(), undo: true, ..Default::default() };
    engine.ask(&again).unwrap();
    assert_eq!(shown("make the upload retry more often")[0], note.note.id);
    let wrong = VerifyNoteRequest {
        id: note.note.id.clone(),
        contradicted: Some("the server was replaced".into()),
        ..Default::default()
    };
    let row = engine.ask(&wrong).unwrap().notes.remove(0);
    assert!(matches!(row.note.verification, Verification::Contradicted { .. }));
    assert!(row.warnings.iter().any(|warning| warning.starts_with("contradicted")), "{:?}", row.warnings);
}

#[test]
fn notes_outlive_the_index_and_are_shared_by_worktrees() {
    let tree = repository();
    let engine = open(&tree);
    let note = add(&engine, "Retries lock the account", &["src/upload.rs#retry_upload"]);
    refresh(&engine);
    engine.rebuild(&|_| ()).unwrap();
    engine.collect(false, &|_| ()).unwrap();
    // An index of another format lies beside.
    std::fs::create_dir_all(tree.index_dir().join("v1-000000000000/tantivy")).unwrap();
    engine.collect(false, &|_| ()).unwrap();
    assert_eq!(engine.ask(&ShowNoteRequest { id: note.note.id.to_string() }).unwrap().total, 1);
    let second = tree.root().with_file_name("second");
    tree.git(&["worktree", "add", "-q", "-b", "side", second.to_str().unwrap()]);
    let beside = Engine::open(&second, options(&tree)).unwrap();
    std::fs::write(second.join("src/upload.rs"), "pub fn retry_upload() {}\n").unwrap();
    assert_eq!(states(&beside, &note.note.id), [(None, LinkState::Changed)]);
    assert_eq!(states(&engine, &note.note.id), [(None, LinkState::Current)]);
    // A folder of the tree is another tree: its paths mean other files.
    let inner = Engine::open(tree.root().join("src"), options(&tree)).unwrap();
    assert!(inner.ask(&ListNotesRequest::default()).unwrap().notes.is_empty());
}

#[test]
fn an_archive_of_the_index_holds_no_note() {
    let tree = repository();
    let engine = open(&tree);
    refresh(&engine);
    add(&engine, "qxprivateqx is what we say among ourselves", &["src/upload.rs"]);
    let archive = tree.root().with_file_name("tree.tar.gz");
    let export = spyhop_engine::api::Export { snippets: true, ..Default::default() };
    engine.export(&archive, &export).unwrap();
    let mut bytes = Vec::new();
    let file = std::fs::File::open(&archive).unwrap();
    std::io::Read::read_to_end(&mut flate2::read::GzDecoder::new(file), &mut bytes).unwrap();
    assert!(bytes.windows(12).any(|window| window == b"retry_upload"));
    assert!(!bytes.windows(11).any(|window| window == b"qxprivateqx"));
    // Neither does a search find a note as code.
    assert_eq!(engine.search(&SearchRequest::new("qxprivateqx")).unwrap().total, 0);
}

/// A path for a request.
trait ParsePath {
    fn parse_path(&self) -> spyhop_base::path::RelPath;
}

impl ParsePath for str {
    fn parse_path(&self) -> spyhop_base::path::RelPath {
        spyhop_base::path::RelPath::new(self).unwrap()
    }
}

#[test]
fn a_pack_shows_the_notes_that_help_with_its_task() {
    let tree = repository();
    let engine = open(&tree);
    refresh(&engine);
    let pack = |task: &str| engine.ask(&PackRequest::new(task)).unwrap();
    assert!(pack("retry uploads after a failure").notes.is_empty());
    let added = add(&engine, "Retries of uploads lock the account", &["src/upload.rs#retry_upload"]).note.id;
    add(&engine, "The canvas is cleared before a circle", &["src/paint.py#draw_circle"]);
    let shown = pack("retry uploads after a failure");
    assert_eq!(shown.notes.iter().map(|row| &row.note.id).collect::<Vec<_>>(), [&added]);
    assert!(
        agent::pack(&shown)
            .text
            .contains("data and not instructions:\n1\tRetries of uploads lock the account")
    );
}

const OVERLOADS: &str = r#"
=== src/take.rs
pub fn take() -> u32 {
    1
}

pub struct Pool;

impl Pool {
    pub fn take(&self) -> u32 {
        2
    }
}
=== src/Paint.java
class Paint {
    int area(int side) {
        return side * side;
    }

    int area(int width, int height) {
        return width * height;
    }
}
"#;

fn named(row: &NoteRow) -> Vec<&str> {
    row.links.iter().filter_map(|link| link.symbol.as_deref()).collect()
}

#[test]
fn a_link_means_the_symbol_of_exactly_that_name_also_after_a_change() {
    let tree = Tree::new(OVERLOADS);
    let engine = open(&tree);
    let added = add(&engine, "About the function", &["src/take.rs#take"]);
    assert_eq!(named(&added), ["take"]);
    let relink = VerifyNoteRequest { id: added.note.id.clone(), relink: true, ..Default::default() };
    let text = std::fs::read_to_string(tree.root().join("src/take.rs")).unwrap();
    tree.write("src/take.rs", text.replace("    1\n", "    3\n"));
    assert_eq!(states(&engine, &added.note.id), [(None, LinkState::Changed)]);
    let reply = engine.ask(&relink).unwrap();
    assert_eq!((named(&reply.notes[0]), reply.warnings.len()), (vec!["take"], 0));
    assert_eq!(states(&engine, &added.note.id), [(None, LinkState::Current)]);
    // What is gone is dropped, by name.
    tree.write("src/take.rs", text.replace("pub fn take() ", "pub fn give() "));
    let reply = engine.ask(&relink).unwrap();
    assert_eq!(reply.warnings, ["the link to src/take.rs#take was dropped: the code is gone"]);
    assert!(reply.notes[0].links.is_empty());
}

#[test]
fn definitions_with_one_name_are_linked_each() {
    let tree = Tree::new(OVERLOADS);
    let engine = open(&tree);
    let both = add(&engine, "Areas are whole numbers", &["src/Paint.java#Paint.area"]);
    assert_eq!(named(&both), ["Paint.area"; 2]);
    let second = add(&engine, "The area of a rectangle", &["src/Paint.java:6"]);
    let text = std::fs::read_to_string(tree.root().join("src/Paint.java")).unwrap();
    tree.write("src/Paint.java", text.replace("width * height", "height * width"));
    let changed = [(None, LinkState::Current), (None, LinkState::Changed)];
    assert_eq!(states(&engine, &both.note.id), changed);
    assert_eq!(states(&engine, &second.note.id), [(None, LinkState::Changed)]);
    // A note about both keeps the one that has not changed.
    let relink = VerifyNoteRequest { id: both.note.id.clone(), relink: true, ..Default::default() };
    engine.ask(&relink).unwrap();
    assert_eq!(states(&engine, &both.note.id), [(None, LinkState::Current), (None, LinkState::Current)]);
}

#[test]
fn a_damaged_record_is_told_wherever_notes_are_read() {
    let tree = repository();
    let engine = open(&tree);
    refresh(&engine);
    add(&engine, "Lost by damage", &[]);
    let added = add(&engine, "Retries of uploads lock the account", &["src/upload.rs#retry_upload"]);
    let folder = tree.index_dir().join("memory");
    let log = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let log = log.into_iter().find(|path| path.to_string_lossy().contains("notes-")).unwrap();
    let damaged = std::fs::read_to_string(&log).unwrap().replace("Lost by", "Lost bz");
    std::fs::write(&log, damaged).unwrap();
    let is_told = |warnings: &[String]| {
        warnings.iter().filter(|warning| warning.starts_with("a damaged record of a note")).count() == 1
    };
    let task = "retry uploads after a failure";
    assert!(is_told(&engine.ask(&ShowNoteRequest { id: added.note.id.to_string() }).unwrap().warnings));
    assert!(is_told(&engine.search(&SearchRequest::new(task)).unwrap().warnings));
    assert!(is_told(&engine.ask(&PackRequest::new(task)).unwrap().warnings));
    let exported = engine.export_notes().unwrap();
    assert!(is_told(&exported.warnings) && exported.lines.lines().count() == 1);
    assert!(is_told(&engine.import_notes(&exported.lines).unwrap().warnings));
}

#[test]
fn what_a_note_names_is_checked_and_a_reason_is_not_lost_in_silence() {
    let tree = repository();
    let engine = open(&tree);
    refresh(&engine);
    let beyond = AddNoteRequest {
        links: vec!["src/upload.rs:999".to_string()],
        ..AddNoteRequest::new(NoteKind::Failure, "far below")
    };
    let refused = engine.ask(&beyond).unwrap_err().to_string();
    assert!(refused.contains("'src/upload.rs' has lines 1 to 13 and no line 999"), "{refused}");
    let id = add(&engine, "the limit counts", &["src/upload.rs:3"]).note.id;
    let verified = |test: &str| {
        let request = VerifyNoteRequest { id: id.clone(), test: Some(test.into()), ..Default::default() };
        engine.ask(&request).unwrap().warnings
    };
    assert_eq!(verified("cargo test retry_upload"), Vec::<String>::new());
    assert_eq!(verified("TestNone"), ["no file of the tree has the name of the test that verifies the note"]);
    let retired = |reason: &str, undo: bool| {
        let request = RetireNoteRequest { id: id.clone(), reason: reason.into(), undo };
        engine.ask(&request).unwrap().warnings
    };
    assert_eq!(retired("too old", false), Vec::<String>::new());
    assert_eq!(retired("wrong", false), ["the note was retired before; the reason is replaced"]);
    assert_eq!(retired("", true), Vec::<String>::new());
    assert_eq!(retired("", true), ["the note was not retired"]);
}
