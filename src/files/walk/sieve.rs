//! A filter for paths that no pattern of an ignore file can match. The filter compares a few bytes at both ends of a pattern
//! or, if the pattern leaves the ends open, a text in the middle.
//!
//! The sieve may let through too much, never too little: `ignore` matches what passes. Most ignore files of a tree are
//! about names that never occur; then their patterns need not even be compiled.

/// The most bytes of each end of a pattern that are compared. Arbitrary: fewer bytes distinguish most names.
const MAX_ATOMS: usize = 8;

/// The ends of every pattern of a file.
pub(super) struct Sieve {
    patterns: Vec<SievePattern>,
    /// The patterns that require a path to end with this byte.
    by_last: Box<[Vec<u32>; 256]>,
    /// The patterns that do not restrict the last byte.
    open: Vec<u32>,
}

#[derive(Debug)]
struct SievePattern {
    /// The prefix of the path or, if the pattern is about names in any directory, of the name.
    head: Vec<Atom>,
    is_about_names: bool,
    /// The suffix of both, the last byte first.
    tail: Vec<Atom>,
    /// A text that both contain, if nothing is known of their ends.
    inside: Vec<u8>,
    is_only_dir: bool,
}

/// A condition on one byte.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Atom {
    Byte(u8),
    /// One of these ASCII characters, as a bitset.
    Class(u128),
}

impl Atom {
    fn fits(&self, byte: u8) -> bool {
        match self {
            Atom::Byte(literal) => *literal == byte,
            Atom::Class(set) => byte < 128 && set >> byte & 1 == 1,
        }
    }
}

impl Sieve {
    /// The sieve of an ignore file's text.
    pub(super) fn of(text: &str) -> Sieve {
        let patterns: Vec<SievePattern> = text.lines().filter_map(SievePattern::of).collect();
        let (mut by_last, mut open) = (Box::new([const { Vec::new() }; 256]), Vec::new());
        for (at, pattern) in (0..).zip(&patterns) {
            match pattern.tail.first() {
                None => open.push(at),
                Some(Atom::Byte(byte)) => by_last[usize::from(*byte)].push(at),
                Some(Atom::Class(set)) => {
                    (0..128).filter(|byte| set >> byte & 1 == 1).for_each(|byte| by_last[byte].push(at));
                }
            }
        }
        Sieve { patterns, by_last, open }
    }

    /// Whether there are no patterns.
    pub(super) fn is_empty(&self) -> bool {
        self.patterns.is_empty()
    }

    /// Whether a pattern may match `path`.
    pub(super) fn passes(&self, path: &str, is_dir: bool) -> bool {
        let Some(last) = path.as_bytes().last() else { return true };
        let name = spyhop_base::path::split(path).1;
        let likely = self.by_last[usize::from(*last)].iter().chain(&self.open);
        likely.map(|&at| &self.patterns[at as usize]).any(|pattern| pattern.may_match(path, name, is_dir))
    }
}

impl SievePattern {
    /// The pattern on a line, parsed as `ignore` does; `None` if there is none.
    fn of(line: &str) -> Option<SievePattern> {
        if line.starts_with('#') {
            return None;
        }
        let line = if line.ends_with("\\ ") { line } else { line.trim_end() };
        if line.is_empty() {
            return None;
        }
        let rest = line.strip_prefix('!').unwrap_or(line);
        let (mut rest, is_from_here) = rest.strip_prefix('/').map_or((rest, false), |rest| (rest, true));
        let is_only_dir = rest.ends_with('/');
        if let Some(before) = rest.strip_suffix('/') {
            // The slash can be escaped.
            rest = before.strip_suffix('\\').unwrap_or(before);
        }
        let begins_anywhere = rest.starts_with("**/");
        while let Some(below) = rest.strip_prefix("**/") {
            rest = below;
        }
        let is_about_names = !rest.contains('/') && (begins_anywhere || !is_from_here);
        let atoms = atoms(rest);
        let mut head: Vec<Atom> = atoms.iter().map_while(Clone::clone).take(MAX_ATOMS).collect();
        let tail = atoms.iter().rev().map_while(Clone::clone).take(MAX_ATOMS).collect();
        // A class can match `/`; then the name begins elsewhere.
        let begins_elsewhere = if is_about_names { rest.contains('[') } else { begins_anywhere };
        if begins_elsewhere {
            head.clear();
        }
        let is_open = head.is_empty() && atoms.last().is_none_or(Option::is_none);
        // Of alternatives in braces one suffices, so no text inside is required.
        let inside = if is_open && !rest.contains('{') { longest_text(&atoms) } else { Vec::new() };
        Some(SievePattern { head, is_about_names, tail, inside, is_only_dir })
    }

    fn may_match(&self, path: &str, name: &str, is_dir: bool) -> bool {
        let begun = if self.is_about_names { name } else { path };
        let fits = |(byte, atom): (&u8, &Atom)| atom.fits(*byte);
        (is_dir || !self.is_only_dir)
            && path.len() >= self.tail.len()
            && path.as_bytes().iter().rev().zip(&self.tail).all(fits)
            && begun.len() >= self.head.len()
            && begun.as_bytes().iter().zip(&self.head).all(fits)
            && (self.inside.is_empty() || memchr::memmem::find(path.as_bytes(), &self.inside).is_some())
    }
}

/// The longest contiguous text that all matches contain.
fn longest_text(atoms: &[Option<Atom>]) -> Vec<u8> {
    let byte = |atom: &Option<Atom>| match atom {
        Some(Atom::Byte(byte)) => Some(*byte),
        _ => None,
    };
    let texts = atoms.split(|atom| byte(atom).is_none());
    let longest = texts.max_by_key(|text| text.len()).unwrap_or_default();
    longest.iter().filter_map(byte).collect()
}

/// The condition on each byte that a pattern matches; `None` stands for any number of unknown bytes.
fn atoms(pattern: &str) -> Vec<Option<Atom>> {
    let (mut atoms, mut rest) = (Vec::new(), pattern.as_bytes());
    while let [first, after @ ..] = rest {
        let (atom, below) = match (first, after) {
            (b'\\', [escaped, below @ ..]) => (Some(Atom::Byte(*escaped)), below),
            (b'*' | b'?' | b'{' | b'}' | b'\\', _) => (None, after),
            (b'[', _) => class(after),
            _ => (Some(Atom::Byte(*first)), after),
        };
        atoms.push(atom);
        rest = below;
    }
    atoms
}

/// A class, whose `[` is already read, and the rest of the pattern. Unless the class is of the simplest kind,
/// everything up to the last `]` may be part of it.
fn class(rest: &[u8]) -> (Option<Atom>, &[u8]) {
    let Some(end) = memchr::memchr(b']', rest) else { return (None, rest) };
    match set(&rest[..end]) {
        Some(set) => (Some(Atom::Class(set)), &rest[end + 1..]),
        None => (None, &rest[memchr::memrchr(b']', rest).unwrap_or(end) + 1..]),
    }
}

/// The characters of a class, if it holds only characters and ranges without a special meaning.
fn set(mut inside: &[u8]) -> Option<u128> {
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"._~#".contains(byte);
    let mut set = 0;
    if inside.is_empty() {
        return None;
    }
    while let [first, after @ ..] = inside {
        let (last, below) = match after {
            [b'-', last, below @ ..] => (last, below),
            _ => (first, after),
        };
        if !is_plain(first) || !is_plain(last) {
            return None;
        }
        (*first..=*last).for_each(|byte| set |= 1 << byte);
        inside = below;
    }
    Some(set)
}

#[cfg(test)]
mod tests {
    use ignore::gitignore::GitignoreBuilder;
    use proptest::prelude::*;

    use super::*;

    fn check(text: &str, path: &str, is_dir: bool) -> (bool, bool) {
        let mut builder = GitignoreBuilder::new("");
        for line in text.lines() {
            let _ = builder.add_line(None, line);
        }
        let is_matched = !builder.build().unwrap().matched(path, is_dir).is_none();
        (is_matched, Sieve::of(text).passes(path, is_dir))
    }

    #[test]
    fn most_paths_that_match_nothing_are_held_back() {
        let text = "*.o\n._*\n*.[568vq]\n*.c.[012]*.*\n[._]*.s[a-w][a-z]\n_testmain.go\n/output*/\n**/.hg*\n\\#*\\#\n!a/b.rs\n# rs\n";
        for (path, is_dir, expected) in [
            ("main.go", false, (false, false)),
            ("a/foo", false, (false, false)),
            ("a/x.o", false, (true, true)),
            ("a/._x.rs", false, (true, true)),
            ("x.6", false, (true, true)),
            ("a/x.c.0.y", false, (true, true)),
            // The text in the middle may be at another position than in the pattern.
            ("a/x.c.y", false, (false, true)),
            ("a/x.c", false, (false, false)),
            ("a/.main.swp", false, (true, true)),
            // Classes at the end of a pattern let some paths through.
            ("main.swp", false, (false, true)),
            ("output-1", true, (true, true)),
            ("output-1", false, (false, false)),
            ("a/output-1", true, (false, false)),
            ("a/b/.hgignore", false, (true, true)),
            ("#x#", false, (true, true)),
            ("a/b.rs", false, (true, true)),
            ("b.rs", false, (false, false)),
        ] {
            assert_eq!(check(text, path, is_dir), expected, "{path}");
        }
        assert!(Sieve::of("# nothing\n\n  \n").is_empty());
    }

    /// Pieces of patterns, each with a text that it may match.
    const PIECES: [(&str, &str); 22] = [
        ("a", "a"),
        (".b", ".b"),
        ("/", "/"),
        ("*", ""),
        ("*", "ab"),
        ("?", "b"),
        ("**", "a"),
        ("**/", ""),
        ("**/", "c/d/"),
        ("/**", "/c/d"),
        ("/**/", "/"),
        ("[ab]", "b"),
        ("[!a]", "/"),
        ("[^b-]", "c"),
        ("[a-c.-9]", "/"),
        ("[]a]", "]"),
        ("[", "["),
        ("{a,b*}", "b"),
        ("\\*", "*"),
        ("\\!", "!"),
        ("#", "#"),
        ("-]", "-]"),
    ];

    proptest! {
        #![proptest_config(ProptestConfig { cases: 8192, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn matching_paths_are_let_through(
            lead in proptest::sample::select(vec!["", "!", "/", "!/", "**/"]),
            pieces in proptest::collection::vec(proptest::sample::select(&PIECES[..]), 1..5),
            end in proptest::sample::select(vec!["", "/", "\\/", " "]),
            above in proptest::sample::select(vec!["", "z/"]),
            is_dir: bool,
        ) {
            let pattern: String = pieces.iter().map(|(glob, _)| *glob).collect();
            let pattern = format!("{lead}{pattern}{end}");
            let path: String = pieces.iter().map(|(_, text)| *text).collect();
            let path = format!("{above}{path}");
            let (is_matched, passes) = check(&pattern, &path, is_dir);
            let is_a_path = path.split('/').all(|part| !part.is_empty());
            prop_assert!(passes || !is_matched || !is_a_path, "{pattern:?} {path:?}");
        }
    }
}
