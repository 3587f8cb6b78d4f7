//! Ranking knows no benchmark: no text of the development sets occurs in this repository, no repository's name in the
//! code and data that rank.
//!
//! The texts themselves may not be here either, so `fingerprints.txt` holds their hashes, made by
//! `eval/fingerprints.py`. Each kind is searched for in another way:
//!
//! - a query, as words in a row, whatever stands between them: marks of comments and quotes do not hide it;
//! - a path, as the end of anything that looks like a path;
//! - a name, in ranking code alone, as words or parts of identifiers, together or apart.
//!
//! There are no exceptions. Where a text of this repository is found, write it in other words.

use rustc_hash::FxHashSet;

use super::folder;
use crate::support::repository;

/// What is ranking code: files, folders and how the paths of such files begin.
const RANKING: &[&str] = &["src/search", "src/index/tokenize"];

/// The parts of an identifier, or words in a row, that a name may be spread over.
const NAME_PARTS: usize = 3;

/// Hashes of one kind of text, each with its number of words or components.
#[derive(Default)]
struct Hashes {
    known: FxHashSet<u64>,
    /// A bit for each number of words or components. Tests are not optimized, and most texts are looked up in vain.
    lengths: u64,
}

impl Hashes {
    fn hold(&self, length: usize, hash: u64) -> bool {
        length < 64 && self.lengths >> length & 1 == 1 && self.known.contains(&hash)
    }

    fn longest(&self) -> usize {
        self.lengths.checked_ilog2().unwrap_or(0) as usize
    }
}

#[derive(Default)]
struct Fingerprints {
    queries: Hashes,
    paths: Hashes,
    names: Hashes,
}

impl Fingerprints {
    fn parse(text: &str) -> Fingerprints {
        let mut all = Fingerprints::default();
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            let fields: Vec<&str> = line.split(' ').collect();
            let &[kind, length, hash] = fields.as_slice() else { panic!("{line}") };
            let of_kind = match kind {
                "query" => &mut all.queries,
                "path" => &mut all.paths,
                "name" => &mut all.names,
                _ => panic!("{line}"),
            };
            of_kind.known.insert(u64::from_str_radix(hash, 16).unwrap());
            let length: u32 = length.parse().unwrap();
            of_kind.lengths |= 1u64.checked_shl(length).expect("fewer than 64 words");
        }
        all
    }

    /// What of them occurs in a text of this repository.
    fn found_in(&self, path: &str, text: &str) -> Vec<String> {
        let mut found = self.queries_in(text);
        found.extend(self.paths_in(text));
        if RANKING.iter().any(|prefix| path.starts_with(prefix)) {
            found.extend(self.names_in(text));
        }
        found.into_iter().map(|(line, what)| format!("{path}:{line}: {what}")).collect()
    }

    fn queries_in(&self, text: &str) -> Vec<(usize, String)> {
        let words = words(text, |byte| byte.is_ascii_alphanumeric() || byte == b'_');
        let longest = self.queries.longest();
        let mut found = Vec::new();
        for begin in 0..words.len() {
            let mut hash = FNV_BASIS;
            for (length, (_, word)) in words[begin..].iter().take(longest).enumerate() {
                hash = if length == 0 { hash } else { fnv(hash, b" ") };
                hash = fnv(hash, word.as_bytes());
                if self.queries.hold(length + 1, hash) {
                    let run: Vec<&str> =
                        words[begin..=begin + length].iter().map(|(_, word)| *word).collect();
                    found.push((words[begin].0, format!("the query '{}'", run.join(" "))));
                }
            }
        }
        found
    }

    fn paths_in(&self, text: &str) -> Vec<(usize, String)> {
        let is_path = |byte: u8| byte.is_ascii_alphanumeric() || b"_.-+@/".contains(&byte);
        let mut found = Vec::new();
        for (line, token) in words(text, is_path) {
            // A sentence ends with a dot, a name begins with one at most.
            let parts: Vec<&str> =
                token.trim_end_matches('.').split('/').filter(|part| !part.is_empty()).collect();
            for begin in parts.len().saturating_sub(self.paths.longest())..parts.len() {
                let end = parts[begin..].join("/");
                if self.paths.hold(parts.len() - begin, fnv(FNV_BASIS, end.as_bytes())) {
                    found.push((line, format!("the path '{end}'")));
                }
            }
        }
        found
    }

    fn names_in(&self, text: &str) -> Vec<(usize, String)> {
        let parts: Vec<(usize, &str)> = words(text, |byte| byte.is_ascii_alphanumeric())
            .into_iter()
            .flat_map(|(line, word)| parts(word).into_iter().map(move |part| (line, part)))
            .collect();
        let mut found = Vec::new();
        for begin in 0..parts.len() {
            for length in 1..=NAME_PARTS.min(parts.len() - begin) {
                let run: Vec<&str> = parts[begin..begin + length].iter().map(|(_, part)| *part).collect();
                let (apart, together) = (run.join(" "), run.concat());
                if self.names.hold(length, fnv(FNV_BASIS, apart.as_bytes()))
                    || self.names.hold(1, fnv(FNV_BASIS, together.as_bytes()))
                {
                    found.push((parts[begin].0, format!("the name '{apart}'")));
                }
            }
        }
        found
    }
}

const FNV_BASIS: u64 = 0xcbf2_9ce4_8422_2325;

/// FNV-1a of lower case, going on from `hash`.
fn fnv(mut hash: u64, text: &[u8]) -> u64 {
    // A loop, because tests are not optimized and the repository has 16 MB of text.
    for byte in text {
        hash = (hash ^ u64::from(byte.to_ascii_lowercase())).wrapping_mul(0x0100_0000_01b3);
    }
    hash
}

/// The runs of bytes that `is_word` lets in, each with its line.
fn words(text: &str, is_word: impl Fn(u8) -> bool) -> Vec<(usize, &str)> {
    let mut words = Vec::new();
    for (at, line) in text.lines().enumerate() {
        let mut begin = None;
        for (place, byte) in line.bytes().chain([b'\n']).enumerate() {
            match begin {
                None if is_word(byte) => begin = Some(place),
                Some(from) if !is_word(byte) => {
                    words.push((at + 1, &line[from..place]));
                    begin = None;
                }
                _ => {}
            }
        }
    }
    words
}

/// The parts of an identifier without underscores: `FastPath` and `HTTPCode` have two.
fn parts(word: &str) -> Vec<&str> {
    let bytes = word.as_bytes();
    let mut parts = Vec::new();
    let mut begin = 0;
    for at in 1..bytes.len() {
        let rises = bytes[at].is_ascii_uppercase() && !bytes[at - 1].is_ascii_uppercase();
        let ends_capitals = bytes[at].is_ascii_uppercase()
            && bytes.get(at + 1).is_some_and(u8::is_ascii_lowercase)
            && bytes[at - 1].is_ascii_uppercase();
        if rises || ends_capitals {
            parts.push(&word[begin..at]);
            begin = at;
        }
    }
    parts.push(&word[begin..]);
    parts
}

fn committed() -> Fingerprints {
    Fingerprints::parse(&std::fs::read_to_string(folder().join("fingerprints.txt")).unwrap())
}

/// Every text file of the repository that git does not ignore, with its path.
fn files() -> Vec<(String, String)> {
    let root = repository("");
    let walk = ignore::WalkBuilder::new(&root)
        .hidden(false)
        .require_git(false)
        .git_global(false)
        .parents(false)
        .filter_entry(|entry| ![".git", "target"].iter().any(|name| entry.file_name() == *name))
        .build();
    let mut files = Vec::new();
    for entry in walk.map(Result::unwrap).filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file()))
    {
        let path = entry.path().strip_prefix(&root).unwrap().to_string_lossy().replace('\\', "/");
        let bytes = std::fs::read(entry.path()).unwrap();
        files.push((path, String::from_utf8_lossy(&bytes).into_owned()));
    }
    files
}

#[test]
fn no_text_of_a_development_set_is_in_this_repository() {
    let fingerprints = committed();
    let sizes =
        [&fingerprints.queries, &fingerprints.paths, &fingerprints.names].map(|kind| kind.known.len());
    assert!(sizes[0] > 500 && sizes[1] > 500 && sizes[2] > 30, "{sizes:?}");
    let files = files();
    for prefix in RANKING {
        assert!(files.iter().any(|(path, _)| path.starts_with(prefix)), "nothing in {prefix}");
    }
    assert!(files.len() > 300, "{} files", files.len());
    let found: Vec<String> =
        files.iter().flat_map(|(path, text)| fingerprints.found_in(path, text)).collect();
    assert!(found.is_empty(), "texts of a development set; say it in other words\n{}", found.join("\n"));
}

/// A made-up set, in the form of the committed file.
fn made_up() -> Fingerprints {
    let row = |kind: &str, length: usize, text: &str| {
        format!("{kind} {length} {:016x}\n", fnv(FNV_BASIS, text.as_bytes()))
    };
    Fingerprints::parse(
        &[
            "# a head\n".to_string(),
            row("query", 4, "where do whales sleep"),
            row("query", 3, "sonar_ping of dolphins"),
            row("path", 3, "ocean/deep/whale_song.rs"),
            row("path", 2, "deep/whale_song.rs"),
            row("name", 1, "fastfish"),
            row("name", 2, "sea lion"),
        ]
        .concat(),
    )
}

#[test]
fn a_planted_text_is_found() {
    let fingerprints = made_up();
    let check = |path: &str, text: &str, expected: &[&str]| {
        assert_eq!(fingerprints.found_in(path, text), expected, "{text}");
    };
    let query = "the query 'Where do whales sleep'";
    check("README.md", "Ask:\n\"Where do whales sleep?\"", &[&format!("README.md:2: {query}")]);
    check("src/a.rs", "/// Where do\n/// whales sleep\n", &["src/a.rs:1: the query 'Where do whales sleep'"]);
    check("a", "{\"text\":\"sonar_ping of dolphins\"}", &["a:1: the query 'sonar_ping of dolphins'"]);
    check("a", "where do most whales sleep, sonar ping of dolphins", &[]);
    check(
        "a",
        "see Ocean/deep/whale_song.rs.",
        &["a:1: the path 'Ocean/deep/whale_song.rs'", "a:1: the path 'deep/whale_song.rs'"],
    );
    check("a", "(x/y/deep/whale_song.rs:12)", &["a:1: the path 'deep/whale_song.rs'"]);
    check("a", "shallow/whale_song.rs, deep/whale_song.rs.bak, whale_song.rs", &[]);
    for text in
        ["fastfish", "FastFish", "fast_fish_weight", "x.fast-fish", "a SeaLion", "sea_lion", "SEA LION"]
    {
        assert_eq!(fingerprints.found_in("src/search/score.rs", text).len(), 1, "{text}");
        check("src/walk/mod.rs", text, &[]);
    }
    check("src/search/query.rs", "breakfast fish, steadfastfishes, a sea of lions", &[]);
}

#[test]
fn hashes_are_those_of_the_script() {
    // From the page of the hash; the script has them too, or the first test would find nothing to compare.
    assert_eq!(fnv(FNV_BASIS, b""), 0xcbf2_9ce4_8422_2325);
    assert_eq!(fnv(FNV_BASIS, b"a"), 0xaf63_dc4c_8601_ec8c);
    assert_eq!(fnv(FNV_BASIS, b"foobar"), 0x8594_4171_f739_67e8);
    assert_eq!(fnv(fnv(FNV_BASIS, b"foo"), b"BAR"), 0x8594_4171_f739_67e8);
}
