//! A tree of everything that goes wrong: each odd file with what must become of it.
//!
//! It owns the tree and the expectations. What this system or this user cannot make (device files, unreadable files for
//! the superuser) is not there and not expected.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What must become of a file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Expect {
    /// Its content is indexed and answers to this query.
    Found(&'static str),
    /// It is indexed; what its content says is not asked.
    Indexed,
    /// It is listed with this reason, and with a detail that begins so.
    Listed(&'static str, &'static str),
    /// It is listed with this reason, and found by its path.
    PathOnly(&'static str, &'static str),
}

use Expect::{Found, Indexed, Listed, PathOnly};

/// Bytes of the large ones.
const BIG: usize = 3 << 20;

/// How deep what nests is, and how many files and folders there are of those that are many.
const DEPTH: usize = 600;
const MANY: usize = 1_000;
const FOLDERS: usize = 500;

/// The tree, being built.
pub struct Hostile {
    root: PathBuf,
    /// Paths as they are listed, with what is expected.
    pub expected: Vec<(String, Expect)>,
}

impl Hostile {
    pub fn build(root: &Path) -> Hostile {
        let mut tree = Hostile { root: root.to_path_buf(), expected: Vec::new() };
        tree.encodings();
        tree.sizes();
        tree.nesting();
        tree.special();
        tree.names();
        tree.folders();
        tree.rules();
        tree.permissions();
        tree
    }

    fn expect(&mut self, path: impl Into<String>, expect: Expect) {
        self.expected.push((path.into(), expect));
    }

    fn at(&self, path: &str) -> PathBuf {
        let path = self.root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        path
    }

    fn add(&mut self, path: &str, content: impl AsRef<[u8]>, expect: Expect) {
        fs::write(self.at(path), content).unwrap();
        self.expect(path, expect);
    }

    fn encodings(&mut self) {
        let utf16 =
            |text: &str, bytes: fn(u16) -> [u8; 2]| text.encode_utf16().flat_map(bytes).collect::<Vec<u8>>();
        let utf32 = |text: &str, bytes: fn(u32) -> [u8; 4]| {
            text.chars().flat_map(|c| bytes(c as u32)).collect::<Vec<u8>>()
        };
        let text = |word: &str| format!("fn {word}() {{}} // größe\n");
        self.add("enc/empty.rs", "", Indexed);
        self.add("enc/bom8.rs", format!("\u{feff}{}", text("amber_lamp")), Found("amber_lamp"));
        self.add(
            "enc/le.rs",
            utf16(&format!("\u{feff}{}", text("birch_root")), u16::to_le_bytes),
            Found("birch_root"),
        );
        self.add(
            "enc/be.rs",
            utf16(&format!("\u{feff}{}", text("cedar_cone")), u16::to_be_bytes),
            Found("cedar_cone"),
        );
        self.add("enc/le-bare.rs", utf16(&text("daisy_leaf"), u16::to_le_bytes), Found("daisy_leaf"));
        self.add("enc/be-bare.rs", utf16(&text("elder_wood"), u16::to_be_bytes), Found("elder_wood"));
        self.add(
            "enc/32le.rs",
            utf32(&format!("\u{feff}{}", text("ferny_dell")), u32::to_le_bytes),
            Found("ferny_dell"),
        );
        self.add(
            "enc/32be.rs",
            utf32(&format!("\u{feff}{}", text("grass_seed")), u32::to_be_bytes),
            Found("grass_seed"),
        );
        self.add("enc/latin.rs", b"fn hazel_bush() {} // Gr\xf6\xdfe und L\xe4nge\n", Found("hazel_bush"));
        self.add(
            "enc/sjis.c",
            b"int ivory_tusk; // \x90\xdd\x92\xe8\x83t\x83@\x83C\x83\x8b\x82\xf0\x93\xc7\x82\xde\n",
            Found("ivory_tusk"),
        );
        let noise: Vec<u8> = (0..4000u32).map(|at| (at * at * 7 + at * 13) as u8 | 0x80).collect();
        self.add("enc/noise.rs", noise, Listed("encoding", "byte 0x80 at 0"));
        self.add("enc/broken16.rs", b"\xff\xfea\0\x00\xd8", Listed("encoding", "broken UTF-16LE"));
        self.add("enc/broken32.rs", b"\xff\xfe\0\0\0\0\x11\0", Listed("encoding", "broken UTF-32"));
        self.add("enc/binary.rs", b"fn f() {}\n\0\x01\x02", Listed("binary", "NUL at byte 10"));
        self.add("enc/controls.rs", [b'\x01', b'a'].repeat(500), Listed("binary", "500 control characters"));
    }

    fn sizes(&mut self) {
        let too_large = PathOnly("too-large", "");
        self.add("size/big.rs", b"// words of a big file\n".repeat(BIG / 23), too_large);
        self.add("size/line.txt", b"word ".repeat(BIG / 5), too_large);
        self.add("size/braces.c", b"{".repeat(BIG), too_large);
        let sparse = fs::File::create(self.at("size/sparse.bin")).unwrap();
        sparse.set_len(1 << 30).unwrap();
        self.expect("size/sparse.bin", PathOnly("too-large", "1073741824 bytes, above 1048576"));
    }

    /// What nests without end, by brackets and without them, closed and not.
    fn nesting(&mut self) {
        for extension in EXTENSIONS {
            for (at, part) in NESTING.iter().enumerate() {
                // Lines of ordinary length, so that nothing is left out as minified.
                let line = format!("{}\n", part.repeat(60usize.div_ceil(part.len())));
                let text = line.repeat(DEPTH * part.len() / line.len() + 1);
                self.add(&format!("deep/{at}.{extension}"), text, Indexed);
            }
        }
        let indented: String = (0..DEPTH).map(|at| format!("{}if a:\n", " ".repeat(at))).collect();
        self.add("deep/indented.py", &indented, Indexed);
        self.add("deep/indented.md", indented.replace("if a:", "- a"), Indexed);
    }

    fn special(&mut self) {
        self.add("links/real.rs", "fn juniper_berry() {}\n", Found("juniper_berry"));
        for (path, target) in [
            ("links/file.rs", "real.rs"),
            ("links/loop", ".."),
            ("links/self", "self"),
            ("links/out", "/etc"),
            ("links/passwd", "/etc/passwd"),
            ("links/nowhere", "nothing/here"),
            ("links/zero.rs", "/dev/zero"),
        ] {
            symlink(target, self.at(path)).unwrap();
            self.expect(path, Listed("symlink", "to "));
        }
        let made = |command: &mut Command| command.stderr(Stdio::null()).status().unwrap().success();
        assert!(made(Command::new("mkfifo").arg(self.at("dev/pipe.rs"))));
        self.expect("dev/pipe.rs", Listed("special", "FIFO"));
        std::os::unix::net::UnixListener::bind(self.at("dev/socket.rs")).unwrap();
        self.expect("dev/socket.rs", Listed("special", "socket"));
        if made(Command::new("mknod").arg(self.at("dev/zero.rs")).args(["c", "1", "5"])) {
            self.expect("dev/zero.rs", Listed("special", "character device"));
        }
        if made(Command::new("mknod").arg(self.at("dev/block.rs")).args(["b", "7", "0"])) {
            self.expect("dev/block.rs", Listed("special", "block device"));
        }
    }

    fn names(&mut self) {
        let folder = self.at("names/x").parent().unwrap().to_path_buf();
        for name in [&b"bad\xff.rs"[..], b"bad\xfe.rs", b"\xc3"] {
            fs::write(folder.join(OsStr::from_bytes(name)), "fn f() {}\n").unwrap();
            let lossy = String::from_utf8_lossy(name);
            self.expect(format!("names/{lossy}"), Listed("name-not-utf8", "its name is \""));
        }
        fs::create_dir(folder.join(OsStr::from_bytes(b"dir\xff"))).unwrap();
        fs::write(folder.join(OsStr::from_bytes(b"dir\xff/a.rs")), "").unwrap();
        self.expect("names/dir\u{fffd}", Listed("name-not-utf8", ""));
        let long = format!("{}.rs", "n".repeat(252));
        for (name, word) in [
            ("two\nlines.rs", "kelp_forest"),
            ("\u{1b}[31mred\u{7}.rs", "lemon_peel"),
            ("tab\tand\rreturn.rs", "maple_leaf"),
            ("\u{202e}sr.txt", "nutty_bread"),
            ("\"quoted\\n\".rs", "olive_pit"),
            (" blanks ", "poppy_seed"),
            ("-rf", "quince_jam"),
            ("a:1:b.rs", "rowan_tree"),
            ("*[?]{x}.rs", "sloe_gin"),
            ("back\\slash.rs", "thyme_sprig"),
            ("\u{fffd}.rs", "umbra_tone"),
            (&long, "vetch_field"),
        ] {
            self.add(&format!("names/{name}"), format!("fn {word}() {{}}\n"), Found(word));
        }
    }

    fn folders(&mut self) {
        let folder = self.at("many/x").parent().unwrap().to_path_buf();
        for number in 0..MANY {
            fs::write(folder.join(format!("f{number}.rs")), format!("fn number_{number}() {{}}\n")).unwrap();
        }
        self.expect("many/f7.rs", Found("number_7"));
        let way = "d/".repeat(FOLDERS);
        self.add(&format!("{way}bottom.rs"), "fn walnut_shell() {}\n", Found("walnut_shell"));
    }

    fn rules(&mut self) {
        self.add(
            "rules/.gitignore",
            "# none\n*.log\n/out/\n",
            Listed("hidden", "'.gitignore' begins with a dot"),
        );
        self.add("rules/a.log", "x", Listed("ignored", "rules/.gitignore:2: *.log"));
        self.add("rules/out/a.rs", "x", Listed("ignored", "rules/.gitignore:3: /out/"));
        self.add("rules/.secret/a.rs", "x", Listed("hidden", "'.secret' begins with a dot"));
        self.add("rules/Cargo.toml", "[package]\n", Indexed);
        self.add(
            "rules/Cargo.lock",
            "x",
            Listed("built-in", "built-in rule 'Cargo.lock': Cargo.toml beside it"),
        );
        self.add(
            "rules/target/a.rs",
            "x",
            Listed("built-in", "built-in rule 'target': Cargo.toml beside it"),
        );
        self.add("web/package.json", "{}\n", Indexed);
        for folder in ["node_modules", "dist", "build"] {
            let detail = match folder {
                "node_modules" => "built-in rule 'node_modules': package.json beside it",
                "dist" => "built-in rule 'dist': package.json beside it",
                _ => "built-in rule 'build': package.json beside it",
            };
            self.add(&format!("web/{folder}/a.js"), "x", Listed("built-in", detail));
        }
        self.add("web/a.min.js", "x", Listed("built-in", "built-in rule '*.min.js': its name says so"));
        self.add(
            "web/small.js",
            "a();".repeat(3_000),
            PathOnly("minified", "lines of 12000 bytes on average"),
        );
        self.add("App.xcodeproj/project.pbxproj", "x", Indexed);
        self.add("DerivedData/a.swift", "x", Listed("built-in", "built-in rule 'DerivedData'"));
        self.add("Info.plist", "x", Listed("built-in", "built-in rule '*.plist'"));
        self.add("vendor/lib.go", "package xylem_cell\n", Found("xylem_cell"));
        let marker = "// Code generated by x. DO NOT EDIT.";
        self.add("gen/a.go", format!("{marker}\npackage gen\n"), PathOnly("generated", marker));
        self.add("gen/a.js", "/** @generated */\nlet a;\n", PathOnly("generated", "/** @generated */"));
    }

    fn permissions(&mut self) {
        self.add("shut/file.rs", "fn f() {}\n", Indexed);
        self.add("shut/folder/a.rs", "fn f() {}\n", Indexed);
        self.add("shut/nolook/a.rs", "fn f() {}\n", Indexed);
        let deny = |path: &str, mode| {
            fs::set_permissions(self.root.join(path), fs::Permissions::from_mode(mode)).unwrap()
        };
        deny("shut/file.rs", 0o000);
        deny("shut/folder", 0o000);
        deny("shut/nolook", 0o600);
        self.expected.truncate(self.expected.len() - 3);
        for path in ["shut/file.rs", "shut/folder", "shut/nolook/a.rs"] {
            self.expect(path, Listed("unreadable", "Permission denied"));
        }
    }
}

impl Drop for Hostile {
    /// What is shut cannot be removed.
    fn drop(&mut self) {
        for path in ["shut/folder", "shut/nolook"] {
            let _ = fs::set_permissions(self.root.join(path), fs::Permissions::from_mode(0o700));
        }
    }
}

/// Some are not parsed today; what is not is cut by lines.
const EXTENSIONS: [&str; 24] = [
    "rs", "c", "h", "cpp", "cs", "go", "java", "js", "ts", "tsx", "py", "rb", "php", "kt", "swift", "scala",
    "hs", "sh", "lua", "ex", "zig", "yaml", "md", "txt",
];

/// What nests by brackets is in the tests of `analyze`.
const NESTING: [&str; 10] = ["!", "-", "a=>", "|a|", "if(a)", "1+", "<a>", "\"", "/*", "a?b:"];
