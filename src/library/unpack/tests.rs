//! Hostile archives: each is refused with the name of the entry, and nothing of it can be seen afterwards.

use std::fs;
use std::io::{Seek, Write};
use std::path::Path;

use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder};
use tar::EntryType;

use crate::api::{AddRequest, LibraryOptions};
use crate::format::TarCompression;
use crate::open::Library;
use crate::unpack::error::UnpackError;
use crate::unpack::guarded::unpack_guarded;
use crate::unpack::limits::UnpackLimits;
use crate::unpack::nested::unpack_nested;
use crate::unpack::tarball::unpack_tar;
use crate::unpack::writer::TreeWriter;
use crate::unpack::zip_file::unpack_zip;
use spyhop_engine::ErrorKind;
use spyhop_engine::api::Options;

/// An entry of a zip archive, of which every header field can be wrong.
#[derive(Clone)]
struct ZipItem {
    name: Vec<u8>,
    name_in_header: Option<Vec<u8>>,
    method: u16,
    flags: u16,
    mode: u32,
    packed: Vec<u8>,
    crc: u32,
    bytes: u32,
    /// The extra field in the directory.
    extra: Vec<u8>,
    /// Names the header of the first entry instead of a separate one.
    shares: bool,
}

fn item(name: impl AsRef<[u8]>) -> ZipItem {
    stored(name, b"fn a() {}\n")
}

fn stored(name: impl AsRef<[u8]>, content: &[u8]) -> ZipItem {
    ZipItem {
        name: name.as_ref().to_vec(),
        name_in_header: None,
        method: 0,
        flags: 0,
        mode: 0o100_644,
        packed: content.to_vec(),
        crc: crc32fast::hash(content),
        bytes: content.len() as u32,
        extra: Vec::new(),
        shares: false,
    }
}

fn deflated(name: &str, content: &[u8]) -> ZipItem {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(content).unwrap();
    ZipItem { method: 8, packed: encoder.finish().unwrap(), ..stored(name, content) }
}

fn header_fields(item: &ZipItem, name: &[u8]) -> Vec<u8> {
    let mut bytes = vec![20, 0];
    bytes.extend(item.flags.to_le_bytes());
    bytes.extend(item.method.to_le_bytes());
    bytes.extend([0, 0, 0x21, 0]);
    bytes.extend(item.crc.to_le_bytes());
    bytes.extend((item.packed.len() as u32).to_le_bytes());
    bytes.extend(item.bytes.to_le_bytes());
    bytes.extend((name.len() as u16).to_le_bytes());
    bytes.extend([0, 0]);
    bytes
}

fn zip_of(items: &[ZipItem]) -> Vec<u8> {
    let (mut bytes, mut directory) = (Vec::new(), Vec::new());
    for item in items {
        let at = if item.shares { 0 } else { bytes.len() as u32 };
        if !item.shares {
            let name = item.name_in_header.as_ref().unwrap_or(&item.name);
            bytes.extend(b"PK\x03\x04");
            bytes.extend(header_fields(item, name));
            bytes.extend(name);
            bytes.extend(&item.packed);
        }
        directory.extend(b"PK\x01\x02\x14\x03");
        directory.extend(header_fields(item, &item.name));
        let length = directory.len() - 2;
        directory[length..].copy_from_slice(&(item.extra.len() as u16).to_le_bytes());
        directory.extend([0; 6]);
        directory.extend((item.mode << 16).to_le_bytes());
        directory.extend(at.to_le_bytes());
        directory.extend(&item.name);
        directory.extend(&item.extra);
    }
    let at = bytes.len() as u32;
    bytes.extend(&directory);
    bytes.extend(b"PK\x05\x06\0\0\0\0");
    bytes.extend((items.len() as u16).to_le_bytes());
    bytes.extend((items.len() as u16).to_le_bytes());
    bytes.extend((directory.len() as u32).to_le_bytes());
    bytes.extend(at.to_le_bytes());
    bytes.extend([0, 0]);
    bytes
}

/// A block and content of a tar archive; the name is written as it is.
fn tar_entry(name: &[u8], kind: EntryType, content: &[u8]) -> Vec<u8> {
    let mut header = tar::Header::new_ustar();
    header.as_old_mut().name[..name.len()].copy_from_slice(name);
    header.set_entry_type(kind);
    header.set_size(content.len() as u64);
    header.set_mode(0o4777);
    if matches!(kind, EntryType::Symlink | EntryType::Link) {
        header.set_link_name("/etc/passwd").unwrap();
    }
    header.set_cksum();
    let mut bytes = header.as_bytes().to_vec();
    bytes.extend(content);
    bytes.resize(bytes.len().next_multiple_of(512), 0);
    bytes
}

fn file(name: impl AsRef<[u8]>) -> Vec<u8> {
    tar_entry(name.as_ref(), EntryType::Regular, b"fn a() {}\n")
}

fn tar_of(entries: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = entries.concat();
    bytes.extend([0; 1024]);
    bytes
}

fn gzipped(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// Adds an archive, checks that it is refused and that nothing of it is left, and returns the message.
fn refused(what: &str, archive: &[u8]) -> String {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("archive.bin");
    fs::write(&path, archive).unwrap();
    let root = place.path().join("library");
    let library =
        Library::open(LibraryOptions { root: Some(root.clone()), ..LibraryOptions::default() }).unwrap();
    let request = AddRequest::new(path.to_str().unwrap());
    let Err(error) = library.add(&request, &Options::default(), &|_| ()) else {
        panic!("{what} is accepted")
    };
    assert_eq!(error.kind(), ErrorKind::BadSource, "{what}: {error}");
    let mut names: Vec<_> =
        fs::read_dir(place.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert!(names.iter().all(|name| name == "archive.bin" || name == "library"), "{what}: {names:?}");
    for folder in ["raw", "staging", "jobs", "manifests", "derived"] {
        let left = fs::read_dir(root.join(folder)).map_or(0, Iterator::count);
        assert_eq!(left, 0, "{what} leaves something in {folder}");
    }
    assert_eq!(fs::read(&path).unwrap(), archive, "{what}");
    error.to_string()
}

fn check(cases: Vec<(&str, Vec<u8>, &str)>) {
    for (what, archive, expected) in cases {
        let message = refused(what, &archive);
        assert!(message.contains(expected), "{what}: {message}");
        assert!(!message.contains('\0') && !message.contains('\x1b'), "{what}: {message:?}");
    }
}

#[test]
fn hostile_zip_archives_are_refused() {
    let one = |item: ZipItem| zip_of(&[item]);
    let after = |second: ZipItem| zip_of(&[item("a.rs"), second]);
    let whole = zip_of(&[item("a.rs"), item("b.rs")]);
    let split_content: Vec<u8> = [b"PK\x07\x08".as_slice(), &whole].concat();
    check(vec![
        ("a parent folder", one(item("../a.rs")), "'../a.rs'"),
        ("a parent folder inside", one(item("a/../../b.rs")), "'a/../../b.rs'"),
        ("a parent folder at the end", one(item("a/..")), "'a/..'"),
        ("an absolute name", one(item("/tmp/a.rs")), "absolute"),
        ("a drive", one(item("C:\\a.rs")), "absolute"),
        ("a relative drive", one(item("c:a.rs")), "absolute"),
        ("a share", one(item("\\\\host\\a.rs")), "absolute"),
        ("a backslash", one(item("a\\..\\..\\b.rs")), "backslash"),
        ("a NUL", one(item("a\0.rs")), "'a"),
        ("a line end", one(item("a\nb.rs")), "'a"),
        ("an escape sequence", one(item("a\x1b[2J.rs")), "'a"),
        ("a long part", one(item("a".repeat(300))), "255 bytes"),
        ("a long name", one(item("a/".repeat(3000) + "b")), "above the limit of 4096"),
        ("many folders", one(item("a/".repeat(200) + "b")), "above the limit of 64"),
        ("a symbolic link", one(ZipItem { mode: 0o120_777, ..item("a.rs") }), "is a link"),
        ("a device", one(ZipItem { mode: 0o060_666, ..item("a.rs") }), "is a device"),
        ("a pipe", one(ZipItem { mode: 0o010_666, ..item("a.rs") }), "is a device"),
        ("a duplicate", after(item("a.rs")), "occurs twice"),
        ("a duplicate by another form", after(item("./a.rs")), "occurs twice"),
        ("a case collision", after(item("A.RS")), "differs from 'a.rs'"),
        ("a collision of letters", zip_of(&[item("é"), item("e\u{301}")]), "differs from"),
        ("a file as a folder", after(item("a.rs/b.rs")), "both a file and a folder"),
        ("an encrypted entry", one(ZipItem { flags: 1, ..item("a.rs") }), "is encrypted"),
        ("strong encryption", one(ZipItem { flags: 0x41, ..item("a.rs") }), "is encrypted"),
        ("an unknown method", one(ZipItem { method: 14, ..item("a.rs") }), "the method"),
        (
            "another name in the header",
            one(ZipItem { name_in_header: Some(b"b.rs".to_vec()), ..item("a.rs") }),
            "'b.rs'",
        ),
        ("shared bytes", after(ZipItem { shares: true, ..item("a.rs") }), "shares its bytes"),
        ("a wrong checksum", one(ZipItem { crc: 1, ..item("a.rs") }), "'a.rs'"),
        ("a wrong size", one(ZipItem { bytes: 5, ..deflated("a.rs", b"fn a() {}\n") }), "'a.rs'"),
        ("a broken stream", one(ZipItem { method: 8, ..item("a.rs") }), "'a.rs'"),
        ("a folder with bytes", one(item("a/")), "'a/'"),
        ("no entries", zip_of(&[]), "no files"),
        ("folders only", one(stored("a/", b"")), "no files"),
        ("an archive that is cut", whole[..whole.len() / 2].to_vec(), "damaged"),
        ("an archive without its end", whole[..whole.len() - 22].to_vec(), "damaged"),
        ("an archive in parts", split_content, "several parts"),
    ]);
}

#[test]
fn hostile_tar_archives_are_refused() {
    let one = |entry: Vec<u8>| tar_of(&[entry]);
    let kind = |kind: EntryType| one(tar_entry(b"a.rs", kind, b""));
    let long =
        |name: &[u8]| tar_of(&[tar_entry(b"././@LongLink", EntryType::GNULongName, name), file("a.rs")]);
    let pax = |records: &[u8]| tar_of(&[tar_entry(b"pax", EntryType::XHeader, records), file("a.rs")]);
    let whole = tar_of(&[file("a.rs"), file("b.rs")]);
    let packed = gzipped(&whole);
    let mut bad_sum = whole.clone();
    bad_sum[1024 + 150] ^= 1;
    check(vec![
        ("a parent folder", one(file("../a.rs")), "'../a.rs'"),
        ("a parent folder inside", one(file("a/../../b.rs")), "'a/../../b.rs'"),
        ("an absolute name", one(file("/tmp/a.rs")), "absolute"),
        ("a drive", one(file("C:/a.rs")), "absolute"),
        ("a share", one(file("\\\\host\\a.rs")), "absolute"),
        ("a line end", one(file("a\nb.rs")), "'a"),
        ("an escape sequence", one(file("a\x1b[2J")), "'a"),
        ("a symbolic link", kind(EntryType::Symlink), "is a link"),
        ("a hard link", kind(EntryType::Link), "is a link"),
        ("a character device", kind(EntryType::Char), "is a device"),
        ("a block device", kind(EntryType::Block), "is a device"),
        ("a pipe", kind(EntryType::Fifo), "is a device"),
        ("a sparse file", one(tar_entry(b"a.rs", EntryType::GNUSparse, b"")), "'a.rs'"),
        ("a sparse file by PAX", pax(b"22 GNU.sparse.major=1\n"), "sparse"),
        ("an unknown kind", kind(EntryType::new(b'Q')), "'Q'"),
        ("a long parent folder", long(b"x/../../a.rs\0"), "'x/../../a.rs'"),
        ("a long name with NUL", long(b"x\0y.rs\0"), "'x"),
        ("a very long name", long(&[b'a'; 70 << 10]), "above the limit of 4096"),
        ("a parent folder by PAX", pax(b"15 path=../a.b\n"), "'../a.b'"),
        ("an absolute name by PAX", pax(b"14 path=/a.rs\n"), "absolute"),
        ("a wrong size by PAX", pax(b"12 size=999\n"), "999"),
        ("a broken PAX header", pax(b"999 path=a\n"), "extended header"),
        ("many folders", long("a/".repeat(100).as_bytes()), "above the limit of 64"),
        ("a duplicate", tar_of(&[file("a.rs"), file("a.rs")]), "occurs twice"),
        ("a case collision", tar_of(&[file("a.rs"), file("A.rs")]), "differs from 'a.rs'"),
        ("a file as a folder", tar_of(&[file("a"), file("a/b")]), "both a file and a folder"),
        ("an archive that is cut", file("a.rs")[..515].to_vec(), "a.rs"),
        ("a damaged header", bad_sum, "damaged"),
        ("a compressed archive that is cut", packed[..packed.len() - 10].to_vec(), "refused"),
        ("compressed text", gzipped(b"just a text\n"), "refused"),
        ("a broken zstd frame", b"\x28\xb5\x2f\xfd\xff\xff\xff\xff".to_vec(), "refused"),
        ("not an archive", b"\x7fELF\0\0\0\0".to_vec(), "neither text nor an archive"),
        ("another format", b"7z\xbc\xaf\x27\x1c\0\0".to_vec(), "7z"),
    ]);
}

fn archive_file(bytes: &[u8]) -> fs::File {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(bytes).unwrap();
    file.rewind().unwrap();
    file
}

/// Unpacks `bytes` within `limits`, and returns the error.
fn limited(bytes: &[u8], limits: UnpackLimits) -> UnpackError {
    let folder = tempfile::tempdir().unwrap();
    let tree = folder.path().to_path_buf();
    let mut writer = TreeWriter::new(Path::new("a"), &tree, Some(bytes.len() as u64), limits, &|_| ());
    let file = archive_file(bytes);
    let unpacked = match bytes.starts_with(b"PK") {
        true => unpack_zip(file, &mut writer),
        false if bytes.starts_with(b"\x1f\x8b") => unpack_tar(file, TarCompression::Gzip, &mut writer),
        false => unpack_tar(file, TarCompression::Plain, &mut writer),
    };
    unpacked.and_then(|()| writer.finish()).unwrap_err()
}

#[test]
fn sizes_beyond_all_numbers_are_refused() {
    // In a zip64 field, each entry states the largest size.
    let mut field = vec![1, 0, 8, 0];
    field.extend(u64::MAX.to_le_bytes());
    let huge = |name: &str| ZipItem { bytes: u32::MAX, extra: field.clone(), ..item(name) };
    let error = limited(&zip_of(&[huge("a"), huge("b")]), UnpackLimits::default()).to_string();
    assert!(error.contains("'a' is larger than 1073741824 bytes"), "{error}");
}

#[test]
fn a_reader_that_panics_has_found_damage() {
    let folder = tempfile::tempdir().unwrap();
    let tree = folder.path().to_path_buf();
    let mut writer = TreeWriter::new(Path::new("a"), &tree, None, UnpackLimits::default(), &|_| ());
    let error = unpack_guarded(&mut writer, |_| panic!("offset 9 of 8")).unwrap_err();
    assert!(error.to_string().ends_with("is damaged: offset 9 of 8"), "{error}");
    assert!(writer.finish().is_err());
}

/// A reader that gives some bytes and then panics.
struct Panics(usize);

impl std::io::Read for Panics {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        self.0 = self.0.checked_sub(1).expect("bytes that make a reader panic");
        buffer.fill(b'a');
        Ok(buffer.len())
    }
}

#[test]
fn files_after_readers_that_fail_have_separate_hashes() {
    let folder = tempfile::tempdir().unwrap();
    let tree = folder.path().to_path_buf();
    let mut writer = TreeWriter::new(Path::new("a"), &tree, None, UnpackLimits::default(), &|_| ());
    // More readers than there are buffers.
    for number in 0..20 {
        let bad = format!("bad{number}");
        unpack_guarded(&mut writer, |writer| writer.file(bad.as_bytes(), None, &mut Panics(number % 3)))
            .unwrap_err();
        writer.file(format!("cut{number}").as_bytes(), Some(9), &mut &b"short"[..]).unwrap_err();
        let content = format!("content {number}").repeat(30_000);
        writer.file(format!("good{number}").as_bytes(), None, &mut content.as_bytes()).unwrap();
    }
    let unpacked = writer.finish().unwrap();
    assert_eq!(unpacked.files.len(), 20);
    for file in &unpacked.files {
        let content = fs::read(tree.join(&file.path)).unwrap();
        assert_eq!(file.hash, blake3::hash(&content).to_hex().to_string(), "{}", file.path);
        assert_eq!(file.bytes, content.len() as u64);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_file_without_room_fails_and_the_next_one_is_written() {
    use super::sink::FileSink;
    let mut sink = FileSink::new().unwrap();
    sink.begin(fs::OpenOptions::new().write(true).open("/dev/full").unwrap()).unwrap();
    let buffer = sink.buffer().unwrap();
    sink.write(buffer, 100).unwrap();
    sink.end().unwrap();
    let error = sink.hash(true).unwrap().unwrap_err();
    assert_eq!(error.raw_os_error(), Some(28));
    // The next file is written.
    let next = tempfile::tempfile().unwrap();
    sink.begin(next).unwrap();
    sink.end().unwrap();
    assert_eq!(sink.hash(true).unwrap().unwrap(), blake3::hash(b"").to_hex().to_string());
}

#[test]
fn an_error_about_a_whole_archive_is_a_sentence() {
    let error = limited(b"PK\x03\x04 and no more", UnpackLimits::default()).to_string();
    assert!(error.starts_with("a is refused: it is damaged: "), "{error}");
    let error = limited(&tar_of(&[]), UnpackLimits::default()).to_string();
    assert_eq!(error, "a is refused: it has no files");
}

#[test]
fn archives_above_a_limit_are_refused() {
    let zeros = vec![0; 1 << 20];
    let bomb = tar_entry(b"zeros", EntryType::Regular, &zeros);
    let bombs = [zip_of(&[deflated("zeros", &zeros)]), gzipped(&tar_of(&[bomb]))];
    let many = [zip_of(&[item("a"), item("b"), item("c")]), tar_of(&[file("a"), file("b"), file("c")])];
    let default = UnpackLimits::default();
    for bomb in &bombs {
        let error = limited(bomb, UnpackLimits { free_bytes: 1 << 16, ..default }).to_string();
        assert!(error.contains("'zeros' makes the files more than 100 times"), "{error}");
        let error = limited(bomb, UnpackLimits { file_bytes: 1 << 16, ..default }).to_string();
        assert!(error.contains("'zeros' is larger than 65536 bytes"), "{error}");
        let error = limited(bomb, UnpackLimits { total_bytes: 1 << 16, ..default }).to_string();
        assert!(error.contains("larger than 65536 bytes in all"), "{error}");
    }
    let hidden = gzipped(&tar_of(&[tar_entry(b".git/zeros", EntryType::Regular, &zeros), file("a")]));
    let error = limited(&hidden, UnpackLimits { entries: 2, total_bytes: 1 << 10, ..default }).to_string();
    assert!(error.contains("damaged"), "{error}");
    for many in &many {
        let error = limited(many, UnpackLimits { entries: 2, ..default }).to_string();
        assert!(error.contains("2"), "{error}");
        let error = limited(many, UnpackLimits { total_bytes: 25, ..default }).to_string();
        assert!(error.contains("'c' makes the files larger than 25 bytes"), "{error}");
    }
}

/// An archive with archives of each kind, and what must not be unpacked.
fn with_archives() -> Vec<u8> {
    let jar = zip_of(&[item("src/x.rs"), stored("inner.tar", &tar_of(&[file("deep.rs")]))]);
    zip_of(&[
        item("main.rs"),
        stored("lib/a.jar", &jar),
        stored("b.tgz", &gzipped(&tar_of(&[file("b/y.rs")]))),
        stored("page.1.gz", &gzipped(b"a manual page\n")),
        stored("evil.zip", &zip_of(&[item("good.rs"), item("../evil.rs")])),
        stored("cut.zip", &zip_of(&[item("a.rs")])[..30]),
        stored("taken.zip", &zip_of(&[item("a.rs")])),
        item("taken.zip!/own.rs"),
    ])
}

#[test]
fn archives_inside_an_archive_are_unpacked_on_request() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("outer.zip");
    fs::write(&path, with_archives()).unwrap();
    let root = Some(place.path().join("library"));
    let library = Library::open(LibraryOptions { root, ..LibraryOptions::default() }).unwrap();
    let add = |name: &str, nested: bool| {
        let name = Some(name.to_string());
        let request = AddRequest { name, nested, ..AddRequest::new(path.to_str().unwrap()) };
        let source = library.add(&request, &Options::default(), &|_| ()).unwrap().source;
        let raw = library.path(source.name.as_str()).unwrap();
        let walk = ignore::WalkBuilder::new(&raw).standard_filters(false).build();
        let files = walk.map(Result::unwrap).filter(|entry| entry.path().is_file());
        let relative = |path: &Path| path.strip_prefix(&raw).unwrap().to_str().unwrap().replace('\\', "/");
        let mut files: Vec<String> = files.map(|entry| relative(entry.path())).collect();
        files.sort();
        (source, files)
    };
    let plain = [
        "b.tgz",
        "cut.zip",
        "evil.zip",
        "lib/a.jar",
        "main.rs",
        "page.1.gz",
        "taken.zip",
        "taken.zip!/own.rs",
    ];
    assert_eq!(add("plain", false).1, plain);
    let (source, files) = add("nested", true);
    let mut expected: Vec<&str> = plain.to_vec();
    expected.extend(["b.tgz!/b/y.rs", "lib/a.jar!/inner.tar", "lib/a.jar!/src/x.rs"]);
    expected.sort_unstable();
    assert_eq!(files, expected);
    assert_eq!(source.files, expected.len());
    let left_out: Vec<String> =
        source.left_out.iter().map(|entry| format!("{}: {}", entry.path, entry.reason)).collect();
    assert_eq!(left_out.len(), 3, "{left_out:?}");
    let evil = "evil.zip!: its entry 'evil.zip!/../evil.rs' has a name with a part that";
    assert!(left_out[0].starts_with(evil), "{left_out:?}");
    assert!(left_out[1].starts_with("cut.zip!: its entry 'cut.zip' is damaged"), "{left_out:?}");
    assert_eq!(left_out[2], "taken.zip!: an entry has the name of its folder");
    assert!(library.verify("nested").unwrap().is_clean());
}

#[test]
fn only_an_archive_has_archives_inside() {
    let place = tempfile::tempdir().unwrap();
    let root = Some(place.path().join("library"));
    let library = Library::open(LibraryOptions { root, ..LibraryOptions::default() }).unwrap();
    let tree = place.path().join("tree");
    fs::create_dir(&tree).unwrap();
    let request = AddRequest { nested: true, ..AddRequest::new(tree.to_str().unwrap()) };
    let error = library.add(&request, &Options::default(), &|_| ()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::BadRequest);
    assert!(error.to_string().contains("is not one; leave nested out"), "{error}");
}

#[test]
fn limits_hold_for_all_archives_inside_together() {
    let zeros = vec![0; 1 << 20];
    // Each is refused for its last entry, so that none of its bytes stay.
    let bomb = zip_of(&[deflated("zeros", &zeros), item("../evil.rs")]);
    let names: Vec<String> = (0..9).map(|number| format!("{number}.zip")).collect();
    let outer = zip_of(&names.iter().map(|name| stored(name, &bomb)).collect::<Vec<_>>());
    let folder = tempfile::tempdir().unwrap();
    let tree = folder.path().to_path_buf();
    let unpacked = |limits: UnpackLimits| {
        fs::remove_dir_all(&tree).unwrap();
        fs::create_dir(&tree).unwrap();
        let mut writer = TreeWriter::new(Path::new("a"), &tree, Some(outer.len() as u64), limits, &|_| ());
        unpack_zip(archive_file(&outer), &mut writer).unwrap();
        unpack_nested(&mut writer).and_then(|()| writer.finish())
    };
    let default = UnpackLimits::default();
    assert_eq!(unpacked(default).unwrap().left_out_count, 9);
    let error = unpacked(UnpackLimits { total_bytes: 4 << 20, ..default }).unwrap_err().to_string();
    assert!(error.contains("'3.zip!/zeros' makes the files larger than 4194304 bytes in all"), "{error}");
    let error = unpacked(UnpackLimits { entries: 20, ..default }).unwrap_err().to_string();
    assert!(error.contains("is one of more than 20 entries"), "{error}");
    let shallow = unpacked(UnpackLimits { depth: 0, ..default }).unwrap();
    let reason = &shallow.left_out[0].reason;
    assert!(reason.contains("'0.zip!/zeros' lies in 1 folders, above the limit of 0"), "{reason}");
}

#[test]
fn tar_archives_inside_have_one_limit_of_decompressed_bytes() {
    // Entries that are left out, as large as the limit allows once.
    let zeros = vec![0; 1 << 20];
    let tar = gzipped(&tar_of(&[tar_entry(b".git/zeros", EntryType::Regular, &zeros), file("a.rs")]));
    let outer = zip_of(&[stored("0.tgz", &tar), stored("1.tgz", &tar)]);
    let folder = tempfile::tempdir().unwrap();
    let tree = folder.path().to_path_buf();
    let limits = UnpackLimits { entries: 100, total_bytes: 1 << 20, ..UnpackLimits::default() };
    let mut writer = TreeWriter::new(Path::new("a"), &tree, Some(outer.len() as u64), limits, &|_| ());
    unpack_zip(archive_file(&outer), &mut writer).unwrap();
    unpack_nested(&mut writer).unwrap();
    let unpacked = writer.finish().unwrap();
    let paths: Vec<&str> = unpacked.files.iter().map(|file| file.path.as_str()).collect();
    assert_eq!(paths, ["0.tgz", "1.tgz", "0.tgz!/a.rs"]);
    assert!(unpacked.left_out.iter().any(|entry| entry.path == "1.tgz!"), "{:?}", unpacked.left_out);
}
