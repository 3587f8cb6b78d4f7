//! Tests of the intake, with real files of every class.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::*;
use crate::api::LibraryOptions;
use crate::open::Library;
#[cfg(feature = "documents")]
use crate::records;
#[cfg(feature = "documents")]
use spyhop_base::model::SymbolKind;
use spyhop_engine::api::{Hit, Options, SearchRequest};
#[cfg(feature = "documents")]
use spyhop_search::filter::FilterSpec;

struct TestIntake {
    folder: tempfile::TempDir,
    library: Library,
}

impl TestIntake {
    fn new() -> TestIntake {
        let folder = tempfile::tempdir().unwrap();
        let root = Some(folder.path().join("library"));
        let library = Library::open(LibraryOptions { root, ..LibraryOptions::default() }).unwrap();
        library.take_in(&Options::default(), true, &|_| ()).unwrap();
        TestIntake { folder, library }
    }

    fn drop_file(&self, name: &str, bytes: &[u8]) {
        fs::write(self.library.paths().inbox().join(name), bytes).unwrap();
    }

    fn take_in(&self) -> IntakeReply {
        self.library.take_in(&Options::default(), true, &|_| ()).unwrap()
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join("library").join(name)
    }

    /// The path of the best hit in a source.
    fn first(&self, source: &str, request: &SearchRequest) -> Hit {
        let engine = self.library.engine(source, Options::default()).unwrap();
        engine.search(request).unwrap().results.remove(0)
    }

    fn found(&self, source: &str, query: &str) -> String {
        self.first(source, &SearchRequest::new(query)).path.to_string()
    }
}

impl Drop for TestIntake {
    fn drop(&mut self) {
        let _ = Command::new("chmod").args(["-R", "u+w"]).arg(self.folder.path()).status();
    }
}

/// Writes a PDF file with these pages, each a list of sizes and lines.
#[cfg(feature = "documents")]
fn pdf(pages: &[&[(i64, &str)]], title: Option<&str>) -> Vec<u8> {
    use pdf_extract::content::{Content, Operation};
    use pdf_extract::{Document, Object, Stream, dictionary};

    let mut file = Document::with_version("1.5");
    let tree = file.new_object_id();
    let font = file.add_object(dictionary! {
        "Type" => "Font", "Subtype" => "Type1", "BaseFont" => "Helvetica", "Encoding" => "WinAnsiEncoding",
    });
    let resources = file.add_object(dictionary! { "Font" => dictionary! { "F1" => font } });
    let mut kids: Vec<Object> = Vec::new();
    for lines in pages {
        let mut operations = vec![Operation::new("BT", vec![])];
        let mut y = 720;
        for (size, line) in *lines {
            operations.push(Operation::new("Tf", vec!["F1".into(), (*size).into()]));
            let place = [1.into(), 0.into(), 0.into(), 1.into(), 72.into(), y.into()];
            operations.push(Operation::new("Tm", place.to_vec()));
            operations.push(Operation::new("Tj", vec![Object::string_literal(*line)]));
            y -= size + 4;
        }
        operations.push(Operation::new("ET", vec![]));
        let content = Content { operations }.encode().unwrap();
        let content = file.add_object(Stream::new(dictionary! {}, content));
        let page = file.add_object(dictionary! {
            "Type" => "Page", "Parent" => tree, "Contents" => content, "Resources" => resources,
            "MediaBox" => vec![0.into(), 0.into(), 595.into(), 842.into()],
        });
        kids.push(page.into());
    }
    let count = kids.len() as i64;
    file.objects.insert(
        tree,
        Object::Dictionary(dictionary! { "Type" => "Pages", "Kids" => kids, "Count" => count }),
    );
    let catalog = file.add_object(dictionary! { "Type" => "Catalog", "Pages" => tree });
    file.trailer.set("Root", catalog);
    if let Some(title) = title {
        let info = file.add_object(dictionary! { "Title" => Object::string_literal(title) });
        file.trailer.set("Info", info);
    }
    let mut bytes = Vec::new();
    file.save_to(&mut bytes).unwrap();
    bytes
}

#[cfg(feature = "documents")]
const PAPER: &[&[(i64, &str)]] = &[
    &[
        (20, "Bounded Retries for"),
        (20, "Unreliable Uploads"),
        (10, "A. One and B. Two"),
        (10, "arXiv:2103.01234v2"),
        (10, "Abstract"),
        (10, "Uploads fail when a disk is full or a network is slow, and a client that tries"),
        (10, "again at once makes both of these worse than they were before the first attempt."),
        (14, "1 Introduction"),
        (10, "A client that tries again needs a limit."),
    ],
    &[
        (14, "2 Exponential delays"),
        (10, "The delay is doubled after each failed attempt, with a random off-"),
        (10, "set, so that clients do not try again at the same time."),
    ],
];

#[cfg(feature = "documents")]
#[test]
fn a_paper_is_described_and_searched() {
    let intake = TestIntake::new();
    intake.drop_file("2103.pdf", &pdf(PAPER, Some("paper-final-v2.dvi")));
    let reply = intake.take_in();
    let [entry] = &reply.taken[..] else { panic!("{reply:?}") };
    assert_eq!((entry.class, entry.source.as_str()), (IntakeClass::Paper, "papers"));
    assert_eq!(entry.title.as_deref(), Some("Bounded Retries for Unreliable Uploads"));
    let record = intake.path("intake/manifests/paper-2103.pdf.json");
    let record: DocumentRecord = records::read(&record).unwrap().unwrap();
    assert_eq!(
        (record.page_count, record.year, record.arxiv.as_deref()),
        (Some(2), Some(2021), Some("2103.01234"))
    );
    let outline: Vec<_> =
        record.outline.iter().map(|heading| (heading.title.as_str(), heading.page)).collect();
    assert_eq!(outline.last(), Some(&("2 Exponential delays", Some(2))));
    assert!(record.abstract_text.unwrap().starts_with("Uploads fail when"));
    let filter = FilterSpec { kind: vec![SymbolKind::Doc], ..FilterSpec::default() };
    for (query, page) in [("random offset of the delay", 2), ("uploads fail when", 1)] {
        let request = SearchRequest { filter: filter.clone(), ..SearchRequest::new(query) };
        let hit = intake.first("papers", &request);
        assert_eq!((hit.path.as_str(), hit.page), ("2103.pdf.md", Some(page)), "{query}");
    }
    let text = fs::read_to_string(intake.path("texts/papers/2103.pdf.md")).unwrap();
    assert_eq!(text.matches('\u{c}').count(), 1);
    assert!(text.contains("random offset"), "{text}");
    // The file itself is protected.
    assert!(fs::metadata(&entry.path).unwrap().permissions().readonly());
    assert_eq!(intake.take_in().taken, []);
}

#[test]
fn entries_are_sorted_by_content() {
    let intake = TestIntake::new();
    let inbox = intake.library.paths().inbox();
    fs::create_dir_all(inbox.join("upload/src")).unwrap();
    fs::write(inbox.join("upload/src/retry.rs"), "pub fn retry_upload() {}\n").unwrap();
    fs::create_dir(inbox.join("pictures")).unwrap();
    fs::write(inbox.join("pictures/a.png"), b"\x89PNG\0").unwrap();
    intake.drop_file("status.py", b"def show_status():\n    pass\n");
    intake.drop_file("notes.md", b"# Retry policy\n\nThree attempts.\n");
    intake.drop_file("blob", b"\0\x01\x02");
    intake.drop_file("packed.7z", b"7z\xbc\xaf\x27\x1c\0\0");
    let made = Command::new("python3")
        .args(["-m", "zipfile", "-c", "archive.zip", "upload/"])
        .current_dir(&inbox)
        .status()
        .unwrap();
    assert!(made.success());
    let reply = intake.take_in();
    let taken: Vec<_> =
        reply.taken.iter().map(|entry| (entry.name.as_str(), entry.class, entry.source.as_str())).collect();
    assert_eq!(
        taken,
        [
            ("archive.zip", IntakeClass::Archive, "archive"),
            ("notes.md", IntakeClass::Document, "documents"),
            ("status.py", IntakeClass::File, "single-files"),
            ("upload", IntakeClass::Project, "upload"),
        ]
    );
    let failed: Vec<_> =
        reply.failed.iter().map(|entry| (entry.name.as_str(), entry.reason.as_str())).collect();
    assert_eq!(failed[0], ("blob", "it is neither text, nor an archive, nor a document"));
    assert!(failed[1].0 == "packed.7z" && failed[1].1.contains("7z"), "{failed:?}");
    assert!(failed[2].0 == "pictures" && failed[2].1.contains("no source files"), "{failed:?}");
    assert!(
        fs::read_to_string(intake.path("intake/failed/blob.reason.txt"))
            .unwrap()
            .starts_with("it is neither")
    );
    assert_eq!(fs::read_dir(&inbox).unwrap().count(), 0);
    assert_eq!(intake.found("upload", "retry upload"), "src/retry.rs");
    assert_eq!(intake.found("single-files", "show status"), "status.py");
    assert_eq!(intake.found("documents", "retry policy"), "notes.md.md");
    assert_eq!(intake.found("archive", "retry upload"), "src/retry.rs");
    // A removed source is not added again, and the user gets the project back.
    let kept_at = intake.library.remove("upload").unwrap().kept_at.unwrap();
    assert_eq!(intake.take_in().taken, []);
    fs::write(kept_at.join("src/retry.rs"), "pub fn changed() {}\n").unwrap();
    assert!(!intake.path("intake/source-workspaces/projects/upload").exists());
}

#[test]
fn a_second_entry_of_a_name_gets_another_name() {
    let intake = TestIntake::new();
    for text in ["def first():\n    pass\n", "def second():\n    pass\n"] {
        intake.drop_file("a.py", text.as_bytes());
        assert_eq!(intake.take_in().taken.len(), 1);
    }
    assert_eq!(intake.found("single-files", "second"), "a-2.py");
}

#[cfg(feature = "documents")]
#[test]
fn a_document_that_cannot_be_read_is_found_by_its_name() {
    let intake = TestIntake::new();
    intake.drop_file("upload-protocol.pdf", b"%PDF-1.5\nnothing else");
    let reply = intake.take_in();
    assert!(reply.taken[0].problem.as_ref().unwrap().contains("damaged"), "{reply:?}");
    assert_eq!(intake.found("documents", "upload protocol"), "upload-protocol.pdf.md");
}

/// A file with another name outside the inbox, alone and in a project, and folders whose links lead in a circle.
#[cfg(unix)]
#[test]
fn other_names_of_a_file_keep_their_access_and_circles_fail() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
    let intake = TestIntake::new();
    let outside = tempfile::tempdir().unwrap();
    let inbox = intake.library.paths().inbox();
    fs::create_dir_all(inbox.join("tool")).unwrap();
    let files = [("status.py", "status.py"), ("plan.md", "plan.md"), ("main.rs", "tool/main.rs")];
    for (name, entry) in files {
        let file = outside.path().join(name);
        fs::write(&file, "def show_status():\n    pass\n").unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
        fs::hard_link(&file, inbox.join(entry)).unwrap();
    }
    for (folder, link, target) in
        [("endless", "a", "a"), ("parent", "src/up", ".."), ("mutual", "one", "two")]
    {
        fs::create_dir_all(inbox.join(folder).join("src")).unwrap();
        fs::write(inbox.join(folder).join("src/a.rs"), "fn a() {}\n").unwrap();
        symlink(target, inbox.join(folder).join(link)).unwrap();
    }
    symlink("one", inbox.join("mutual/two")).unwrap();
    symlink("src", inbox.join("tool/sources")).unwrap();
    symlink(outside.path(), inbox.join("outside")).unwrap();
    let reply = intake.take_in();
    assert_eq!(reply.taken.len(), 3, "{reply:?}");
    for (name, _) in files {
        let metadata = fs::metadata(outside.path().join(name)).unwrap();
        assert_eq!((metadata.permissions().mode() & 0o777, metadata.nlink()), (0o644, 1), "{name}");
    }
    let kept = fs::metadata(intake.path("intake/source-workspaces/single-files/status.py")).unwrap();
    assert_eq!((kept.permissions().mode() & 0o777, kept.nlink()), (0o400, 1));
    let failed: Vec<_> = reply.failed.iter().map(|entry| (entry.name.as_str(), &*entry.reason)).collect();
    let names: Vec<_> = failed.iter().map(|(name, _)| *name).collect();
    assert_eq!(names, ["endless", "mutual", "outside", "parent"], "{failed:?}");
    assert!(failed[3].1.contains("'src/up' leads in a circle"), "{failed:?}");
    assert!(intake.path("intake/failed/parent.reason.txt").exists());
    assert_eq!(fs::read_dir(&inbox).unwrap().count(), 0);
}

#[test]
fn a_killed_intake_is_continued() {
    let intake = TestIntake::new();
    let put = |folder: &str, name: &str, text: &str| {
        let path = intake.path(folder).join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    // As left by a process that was killed after it had moved the entries.
    put("intake", "begun", "");
    put("intake/documents", "plan.md", "# Upload plan\n");
    put("intake/source-workspaces/projects/tool", "main.go", "package main\n\nfunc sendUpload() {}\n");
    put("intake/source-workspaces/single-files", "status.py", "def show_status():\n    pass\n");
    let reply = intake.take_in();
    let names: Vec<_> = reply.taken.iter().map(|entry| entry.name.as_str()).collect();
    assert_eq!(names, ["plan.md", "tool"]);
    let path = intake.path("intake/source-workspaces/single-files/status.py");
    assert!(fs::metadata(path).unwrap().permissions().readonly());
    assert_eq!(intake.found("single-files", "show status"), "status.py");
    assert_eq!(intake.found("documents", "upload plan"), "plan.md.md");
    assert_eq!(intake.found("tool", "send upload"), "main.go");
    assert_eq!(
        intake.take_in(),
        IntakeReply { inbox: intake.library.paths().inbox(), ..IntakeReply::default() }
    );
}

#[test]
fn an_entry_that_is_being_written_waits() {
    let intake = TestIntake::new();
    intake.drop_file("a.py", b"def a():\n    pass\n");
    let reply = intake.library.take_in(&Options::default(), false, &|_| ()).unwrap();
    assert_eq!((reply.taken.len(), &reply.waiting[..]), (0, &["a.py".to_string()][..]));
    assert!(Path::new(&reply.inbox).join("a.py").exists());
}

#[test]
fn an_entry_that_fails_does_not_stop_the_others() {
    let intake = TestIntake::new();
    let inbox = intake.library.paths().inbox();
    let long = format!("{}.md", "x".repeat(245));
    intake.drop_file(&long, b"# Long\n");
    intake.drop_file("a.py", b"def first():\n    pass\n");
    fs::create_dir(inbox.join("locked")).unwrap();
    fs::write(inbox.join("locked/a.rs"), "fn a() {}\n").unwrap();
    Command::new("chmod").args(["-R", "a-w"]).arg(inbox.join("locked")).status().unwrap();
    // An archive that cannot be unpacked, between the others.
    intake.drop_file("b.zip", b"PK\x03\x04 nothing else");
    let reply = intake.take_in();
    let mut names: Vec<_> = reply.taken.iter().map(|entry| entry.name.as_str()).collect();
    names.sort_unstable();
    assert_eq!(names, ["a.py", "locked", long.as_str()], "{reply:?}");
    assert_eq!(reply.failed.iter().map(|entry| entry.name.as_str()).collect::<Vec<_>>(), ["b.zip"]);
    assert!(intake.found("documents", "long").ends_with("x.md.md"));
}

#[test]
fn a_source_of_the_user_keeps_its_name() {
    let intake = TestIntake::new();
    let dropped = intake.folder.path().join("own");
    fs::create_dir(&dropped).unwrap();
    fs::write(dropped.join("a.rs"), "fn a() {}\n").unwrap();
    let request = crate::AddRequest {
        name: Some("documents".into()),
        ..crate::AddRequest::new(dropped.to_str().unwrap())
    };
    intake.library.add(&request, &Options::default(), &|_| ()).unwrap();
    intake.drop_file("plan.md", b"# Upload plan\n");
    let reply = intake.take_in();
    assert_eq!(reply.taken[0].source, "documents-2");
    assert_eq!(intake.found("documents-2", "upload plan"), "plan.md.md");
}

#[test]
fn a_folder_is_taken_in_when_its_depths_are_quiet() {
    let intake = TestIntake::new();
    let inbox = intake.library.paths().inbox();
    fs::create_dir_all(inbox.join("tool/a/b/c")).unwrap();
    fs::write(inbox.join("tool/a/b/c/main.rs"), "fn main() {}\n").unwrap();
    let times = fs::FileTimes::new().set_modified(std::time::SystemTime::UNIX_EPOCH);
    fs::File::open(inbox.join("tool")).unwrap().set_times(times).unwrap();
    let wait = || intake.library.take_in(&Options::default(), false, &|_| ()).unwrap();
    assert_eq!(wait().waiting, ["tool"]);
    std::thread::sleep(std::time::Duration::from_millis(2_100));
    assert_eq!(wait().taken.len(), 1);
}

#[test]
fn sources_that_an_intake_protects_can_be_made_writable() {
    let intake = TestIntake::new();
    intake.drop_file("a.py", b"def a():\n    pass\n");
    let path = intake.take_in().taken[0].path.clone();
    assert!(fs::metadata(&path).unwrap().permissions().readonly());
    intake.library.unprotect("single-files").unwrap();
    assert!(!fs::metadata(&path).unwrap().permissions().readonly());
}

#[test]
fn a_collection_after_a_killed_removal_gives_the_project_back() {
    let intake = TestIntake::new();
    fs::create_dir(intake.library.paths().inbox().join("tool")).unwrap();
    intake.drop_file("tool/main.rs", b"fn main() {}\n");
    intake.take_in();
    let manifests = intake.path("manifests");
    let manifest = fs::read_dir(&manifests).unwrap().next().unwrap().unwrap().path();
    fs::rename(&manifest, manifest.with_extension("removed")).unwrap();
    intake.library.collect(false).unwrap();
    assert_eq!(intake.take_in().taken, []);
    assert!(intake.path("intake/removed/tool/main.rs").exists());
}
