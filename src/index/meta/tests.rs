//! Records are written, folded and read back; damage is detected.

use super::identity::PackedIdentity;
use super::table::{PartAt, RecordTable, TableChange, ViewChange};
use super::view::{SkippedEntry, ViewEntry};
use super::*;
use spyhop_base::id::{ContentHash, LanguageId, VersionContent, VersionId};
use spyhop_base::model::{Analysis, Note, SkipReason, Skipped, SymbolKind};
use spyhop_base::path::RelPath;
use spyhop_base::store::Envelope;
use spyhop_base::text::{Lines, Span};

fn outline(name: &str) -> Outline<'_> {
    let symbol = OutlineSymbol {
        name,
        kind: SymbolKind::Fn,
        span: Span { start: 1, end: 9 },
        lines: Lines { first: 2, last: 3 },
        container: None,
        parent: None,
    };
    Outline { symbols: vec![symbol] }
}

/// Uses that tell the number of a version.
fn uses(id: u32) -> EncodedUses {
    let comments = vec![Span { start: id, end: id + 5 }];
    StoredUses::encode("", &Analysis { comments, ..Analysis::default() })
}

fn add(builder: &mut RecordBuilder, id: u32, path: &str) {
    builder.add_version(&VersionRow {
        id: VersionId(id),
        path,
        content: VersionContent::Ranked(ContentHash::of(path.as_bytes())),
        language: LanguageId(id as u16),
        notes: &[Note::SyntaxErrors],
        bytes: 10 * id as u64,
        lines: id,
        chunks: 2,
        lengths: [id, 1, 2, 3, 4],
        outline: &outline(path).encode(),
        uses: &uses(id),
        details: &EncodedDetails::default(),
    });
}

fn key(head: &str) -> ViewKey {
    ViewKey { root: "/tree".into(), head: head.to_string().into(), ..ViewKey::default() }
}

fn view(live: &[u32], skipped: &[&str]) -> View {
    let entry = |id: &u32| ViewEntry { version: VersionId(*id), identity: (*id as u64, 1, 2, 3).into() };
    let skip = |path: &&str| {
        let path = RelPath::new(path).unwrap();
        let skipped = Skipped::new(path, SkipReason::Binary, "NUL".into(), false);
        SkippedEntry { skipped, identity: None }
    };
    View::new(live.iter().map(entry).collect(), skipped.iter().map(skip).collect())
}

fn set(builder: &mut RecordBuilder, head: &str, view: View, from: Option<&str>) {
    builder.set_view(key(head), ViewInfo::default(), view, from.map(key));
}

/// Everything that a reader can see of a view.
fn shown(meta: &Meta) -> Vec<String> {
    let view = meta.view(&key("main")).unwrap().unwrap();
    view.entries()
        .map(|entry| {
            let version = meta.version(entry.version).unwrap();
            let names: Vec<String> =
                version.outline(&mut Vec::new()).unwrap().symbols.iter().map(|s| s.qualified()).collect();
            format!(
                "{} {} {:?} {} {:?} {} {:?}",
                version.id().0,
                version.path(),
                PackedIdentity::from(entry.identity),
                names.join(","),
                version.lengths(),
                version.bytes(),
                version.uses().unwrap().unwrap().comments.iter().map(|span| span.start).collect::<Vec<_>>(),
            )
        })
        .collect()
}

fn two_generations(dir: &Path, fold: bool) -> Meta {
    let empty = Meta::empty("f");
    let mut first = RecordBuilder::new();
    add(&mut first, 0, "a.rs");
    add(&mut first, 1, "b.rs");
    set(&mut first, "main", view(&[0, 1], &["x.bin", "y.bin"]), None);
    let meta = Meta::open(dir, first.write(dir, &empty, "f", 2, false).unwrap()).unwrap();
    let mut second = RecordBuilder::new();
    add(&mut second, 2, "b.rs");
    second.collect(VersionId(1));
    set(&mut second, "main", view(&[0, 2], &["x.bin"]), Some("main"));
    Meta::open(dir, second.write(dir, &meta, "f", 3, fold).unwrap()).unwrap()
}

#[test]
fn a_delta_and_a_folded_base_read_alike() {
    let (one, two) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (delta, folded) = (two_generations(one.path(), false), two_generations(two.path(), true));
    assert_eq!(delta.commit().records.len(), 2);
    assert_eq!(folded.commit().records.len(), 1);
    assert_eq!(
        shown(&delta),
        ["0 a.rs (0, 1, 2, 3) a.rs [0, 1, 2, 3, 4] 0 [0]", "2 b.rs (2, 1, 2, 3) b.rs [2, 1, 2, 3, 4] 20 [2]"]
    );
    assert_eq!(shown(&delta), shown(&folded));
    for meta in [&delta, &folded] {
        assert_eq!(meta.version_ids().collect::<Vec<_>>(), [VersionId(0), VersionId(2)]);
        assert!(meta.version(VersionId(1)).is_none());
        let view = meta.view(&key("main")).unwrap().unwrap();
        assert_eq!(view.skipped().len(), 1);
        assert_eq!(view.skipped()[0].skipped.path.as_str(), "x.bin");
        let mut totals = Totals::default();
        meta.versions_with(view.versions().iter().copied()).for_each(|version| totals.add(version));
        assert_eq!(totals, Totals { files: 2, chunks: 4, lengths: [2, 2, 4, 6, 8] });
        assert!(meta.view(&key("other")).unwrap().is_none());
    }
}

#[test]
fn garbage_is_what_no_commit_names() {
    let dir = tempfile::tempdir().unwrap();
    let meta = two_generations(dir.path(), true);
    std::fs::write(dir.path().join(".tmp-left"), b"x").unwrap();
    remove_garbage(dir.path(), &[meta.commit()]).unwrap();
    let names: Vec<_> =
        std::fs::read_dir(dir.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, ["g000000002.base"]);
}

#[test]
fn damage_is_found_and_named() {
    let dir = tempfile::tempdir().unwrap();
    let commit = two_generations(dir.path(), false).commit().clone();
    let path = dir.path().join("g000000001.base");
    let whole = std::fs::read(&path).unwrap();
    let open = || Meta::open(dir.path(), commit.clone()).map(|meta| shown(&meta));
    for at in [0, 20, 40, 60] {
        let mut bytes = whole.clone();
        bytes[at] ^= 1;
        std::fs::write(&path, &bytes).unwrap();
        assert!(matches!(open(), Err(MetaError::Damaged { .. })), "byte {at}");
    }
    let mut bytes = whole.clone();
    let last = bytes.windows(4).rposition(|name| name == b"b.rs").unwrap();
    bytes[last] ^= 1;
    std::fs::write(&path, &bytes).unwrap();
    assert!(matches!(open(), Err(MetaError::Damaged { .. })), "a path among the columns");
    let mut bytes = whole.clone();
    let first = bytes.windows(4).position(|name| name == b"b.rs").unwrap();
    bytes[first] ^= 1;
    std::fs::write(&path, &bytes).unwrap();
    let meta = Meta::open(dir.path(), commit.clone()).unwrap();
    let outlines: Vec<bool> =
        meta.version_ids().map(|id| meta.version(id).unwrap().outline(&mut Vec::new()).is_ok()).collect();
    assert_eq!(outlines, [true, true], "the damaged outline belongs to a collected version");
    std::fs::remove_file(&path).unwrap();
    assert!(matches!(open(), Err(MetaError::Gone(_))));
}

#[test]
fn other_formats_are_told_apart() {
    let payload = |format: u32| format!(r#"{{"format":{format},"anything":1}}"#);
    let at = Path::new("meta.json");
    assert!(matches!(Commit::parse(&payload(999), at), Err(MetaError::NewerFormat { found: 999 })));
    assert!(matches!(Commit::parse(&payload(0), at), Err(MetaError::OlderFormat { found: 0 })));
    assert!(matches!(Commit::parse("{}", at), Err(MetaError::Damaged { .. })));
}

#[test]
fn a_view_begins_as_the_one_that_it_comes_from() {
    let dir = tempfile::tempdir().unwrap();
    let meta = two_generations(dir.path(), false);
    let mut third = RecordBuilder::new();
    add(&mut third, 3, "c.rs");
    set(&mut third, "topic", view(&[0, 2, 3], &["x.bin", "z.bin"]), Some("main"));
    set(&mut third, "other", view(&[2], &[]), None);
    let meta = Meta::open(dir.path(), third.write(dir.path(), &meta, "f", 4, false).unwrap()).unwrap();
    // The view that a new view is based on may be dropped in the same commit.
    for fold in [false, true] {
        let mut fourth = RecordBuilder::new();
        set(&mut fourth, "late", view(&[0, 3], &["x.bin", "z.bin"]), Some("topic"));
        fourth.drop_view(key("topic"));
        fourth.drop_view(key("main"));
        let commit = fourth.write(dir.path(), &meta, "f", 4, fold).unwrap();
        let meta = Meta::open(dir.path(), commit).unwrap();
        let heads: Vec<String> = meta.views().map(|(key, _)| key.head.to_string()).collect();
        assert_eq!(heads, ["late", "other"]);
        assert_eq!(meta.view(&key("late")).unwrap(), Some(&view(&[0, 3], &["x.bin", "z.bin"])));
        assert_eq!(meta.view_versions(&key("late")).unwrap(), [VersionId(0), VersionId(3)]);
        assert_eq!(meta.view(&key("other")).unwrap(), Some(&view(&[2], &[])));
    }
}

#[test]
fn a_damaged_part_of_a_view_is_found_when_it_is_asked_for() {
    let dir = tempfile::tempdir().unwrap();
    let commit = two_generations(dir.path(), false).commit().clone();
    let path = dir.path().join("g000000002.delta");
    let mut bytes = std::fs::read(&path).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    std::fs::write(&path, bytes).unwrap();
    let meta = Meta::open(dir.path(), commit).unwrap();
    assert!(matches!(meta.view(&key("main")), Err(MetaError::Damaged { .. })));
    assert_eq!(meta.view_versions(&key("main")).unwrap(), [VersionId(0), VersionId(2)]);
}

/// A forged record: its checksums are right, its content is not.
fn made_up(dir: &Path, table: &RecordTable, heap: &[u8]) -> Result<Meta, MetaError> {
    let table = postcard::to_stdvec(table).unwrap();
    let header = Envelope::header(1, &table, heap.len() as u64);
    let name = "g000000001.base".to_string();
    let record = [&header, &table[..], heap].concat();
    std::fs::write(dir.join(&name), &record).unwrap();
    let (len, checksum) = (record.len() as u64, Envelope::checksum_of(&record));
    let records = vec![RecordRef { name, len, checksum }];
    Meta::open(dir, Commit { records, ..Meta::empty("f").commit })
}

#[test]
fn a_part_that_would_lie_outside_of_its_record_is_damage() {
    let dir = tempfile::tempdir().unwrap();
    for at in [0, 8, u64::MAX - 2, u64::MAX] {
        let part = PartAt { at, lens: [1, 1, 1] };
        let set = TableChange::Set { info: ViewInfo::default(), from: None, part };
        let views = vec![ViewChange { key: key("main"), change: set }];
        let meta = made_up(dir.path(), &RecordTable { views, ..RecordTable::default() }, b"heap").unwrap();
        assert!(matches!(meta.view(&key("main")), Err(MetaError::Damaged { .. })), "{at}");
        assert_eq!(meta.verify().len(), 1);
    }
}

#[test]
fn versions_are_found_in_whatever_order_their_records_came() {
    let dir = tempfile::tempdir().unwrap();
    let mut meta = Meta::empty("f");
    for ids in [[4, 6], [1, 5], [0, 9]] {
        let mut record = RecordBuilder::new();
        ids.iter().for_each(|id| add(&mut record, *id, &format!("{id}.rs")));
        if ids[0] == 0 {
            record.collect(VersionId(6));
        }
        meta = Meta::open(dir.path(), record.write(dir.path(), &meta, "f", 10, false).unwrap()).unwrap();
    }
    let ids = |meta: &Meta| meta.version_ids().map(|id| id.0).collect::<Vec<_>>();
    assert_eq!(ids(&meta), [0, 1, 4, 5, 9]);
    assert_eq!(meta.version(VersionId(5)).unwrap().path(), "5.rs");
    assert!(meta.version(VersionId(6)).is_none() && meta.version(VersionId(2)).is_none());
    let mut record = RecordBuilder::new();
    [3, 7, 11].iter().for_each(|id| add(&mut record, *id, &format!("{id}.rs")));
    record.collect(VersionId(1));
    let folded = record.write(dir.path(), &meta, "f", 12, true).unwrap();
    let folded = Meta::open(dir.path(), folded).unwrap();
    assert_eq!(ids(&folded), [0, 3, 4, 5, 7, 9, 11]);
    for version in folded.version_ids().map(|id| folded.version(id).unwrap()) {
        let id = version.id().0;
        assert_eq!(version.path(), format!("{id}.rs"));
        assert_eq!(version.outline(&mut Vec::new()).unwrap().symbols[0].name, version.path());
        assert_eq!((version.lines(), version.lengths()[0], version.language().0), (id, id, id as u16));
        assert_eq!(version.notes().collect::<Vec<_>>(), [Note::SyntaxErrors]);
    }
}

#[test]
fn damaged_uses_are_found_and_the_rest_is_read() {
    let dir = tempfile::tempdir().unwrap();
    let commit = two_generations(dir.path(), true).commit().clone();
    let path = dir.path().join("g000000002.base");
    let mut bytes = std::fs::read(&path).unwrap();
    let damaged = uses(2).bytes;
    let at = bytes.windows(damaged.len()).position(|window| window == damaged).unwrap();
    bytes[at + damaged.len() - 1] ^= 1;
    std::fs::write(&path, bytes).unwrap();
    let meta = Meta::open(dir.path(), commit).unwrap();
    let read: Vec<bool> = meta.versions().map(|version| version.uses().is_ok()).collect();
    assert_eq!(read, [true, false]);
    assert!(meta.versions().all(|version| version.outline(&mut Vec::new()).is_ok()));
    let found: Vec<String> = meta.verify().iter().map(ToString::to_string).collect();
    assert!(found.len() == 1 && found[0].contains("the uses of b.rs"), "{found:?}");
}
