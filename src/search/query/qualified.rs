//! Qualified names, `Container.name`, in the notations of the common languages.

use serde::{Deserialize, Serialize};

use spyhop_index::tokenize::for_each_word;

/// A name and its container.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Qualified {
    /// The part before the last, such as a type, a module or a package.
    pub container: String,
    /// The last part.
    pub name: String,
}

/// Extensions of files whose names are often in capitals.
const DOCUMENTS: &[&str] = &["md", "rst", "txt"];

/// The letters of most extensions; longer ones are listed.
const MAX_EXTENSION: usize = 5;

/// Longer extensions of files.
const LONG_EXTENSIONS: &[&str] = &[
    "config",
    "feature",
    "gradle",
    "graphql",
    "groovy",
    "ignore",
    "markdown",
    "properties",
    "service",
    "svelte",
    "template",
    "webmanifest",
];

impl Qualified {
    /// Whether the qualified name cannot be a file name, as `query.py`, `src/main.rs` and `README.MD` are.
    pub fn is_code(&self, text: &str) -> bool {
        let is_document = DOCUMENTS.iter().any(|extension| self.name.eq_ignore_ascii_case(extension));
        let is_type = self.container.contains(|c: char| c.is_uppercase() || c == '_') && !is_document;
        let has_extension = || text.ends_with(&format!(".{}", self.name)) && !self.has_name_style();
        !text.contains('/') && (is_type || !has_extension())
    }

    /// Whether the last part is in mixed case, has an underscore or is long, as names in code and unlike extensions.
    fn has_name_style(&self) -> bool {
        let name = &self.name;
        let is_long = name.len() > MAX_EXTENSION && !LONG_EXTENSIONS.contains(&name.as_str());
        let is_mixed = name.contains(char::is_uppercase) && name.contains(char::is_lowercase);
        is_long || is_mixed || name.contains('_')
    }
}

/// The separators of a qualified name. A space or a line break does not separate parts.
const SEPARATORS: &[&str] = &[".", "::", "->", "#", "\\", "/", ":", ")."];

/// The most qualified names of a text.
const MAX_QUALIFIED: usize = 32;

/// Splits a qualified name before its last part into container and name. Without a separator the container is empty.
pub fn split_container(qualified: &str) -> (&str, &str) {
    let ends = SEPARATORS.iter().filter_map(|sign| {
        let at = qualified.rfind(sign)?;
        Some((at + sign.len(), at))
    });
    match ends
        .filter(|(end, _)| *end < qualified.len())
        .max_by_key(|(end, at)| (*end, std::cmp::Reverse(*at)))
    {
        Some((end, at)) => (&qualified[..at], &qualified[end..]),
        None => ("", qualified),
    }
}

/// The qualified names in `text`: each adjacent pair of parts once, so `a.B.c` gives `a.B` and `B.c`. Go's receivers
/// `(*T).m` are recognized.
pub(crate) fn qualified_of(text: &str) -> Vec<Qualified> {
    let mut words: Vec<(usize, &str)> = Vec::new();
    for_each_word(text, |word| words.push((word.as_ptr() as usize - text.as_ptr() as usize, word)));
    let mut found: Vec<Qualified> = Vec::new();
    for pair in words.windows(2) {
        let [(start, container), (next, name)] = *pair else { continue };
        let between = &text[start + container.len()..next];
        let is_number = |word: &str| word.starts_with(|c: char| c.is_ascii_digit());
        // A prime belongs to the container, and the sign of a destructor to the name.
        let n_primes = between.len() - between.trim_start_matches('\'').len();
        let separator = &between[n_primes..];
        let is_destructor = separator == "::~";
        let is_separator = is_destructor || SEPARATORS.contains(&separator);
        if !is_separator || is_number(container) || is_number(name) {
            continue;
        }
        let container = &text[start..start + container.len() + n_primes];
        let start = next - is_destructor as usize;
        let name = &text[start..next + name.len() + sign_after(text, next + name.len())];
        let qualified = Qualified { container: container.to_string(), name: name.to_string() };
        if !found.contains(&qualified) {
            found.push(qualified);
        }
        if found.len() == MAX_QUALIFIED {
            break;
        }
    }
    found
}

/// The bytes of the sign at `at` that belongs to the name before it: at the end of a text without blanks, the sign of a
/// predicate `?`, of a method that changes its receiver `!`, a prime, or the operator after `operator`.
fn sign_after(text: &str, at: usize) -> usize {
    let sign = &text[at..];
    let is_operator = text[..at].ends_with("operator") && !sign.is_empty();
    let is_sign = matches!(sign, "?" | "!" | "'") || (is_operator && sign.chars().all(is_of_operator));
    if is_sign && !text.contains(char::is_whitespace) { sign.len() } else { 0 }
}

fn is_of_operator(c: char) -> bool {
    "+-*/%^&|~!=<>,[]()".contains(c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn qualified_names_are_read_in_each_notation() {
        let check = |text: &str, expected: &[&str]| {
            let found = qualified_of(text);
            let found: Vec<_> =
                found.iter().map(|named| format!("{}|{}", named.container, named.name)).collect();
            assert_eq!(found, expected, "{text}");
        };
        check("QuerySet._fetch_all", &["QuerySet|_fetch_all"]);
        check("why does harbor::quay::Crane::lifted wait", &["harbor|quay", "quay|Crane", "Crane|lifted"]);
        check("Crane#liftBox()", &["Crane|liftBox"]);
        check("(*Kubelet).syncPod", &["Kubelet|syncPod"]);
        check(
            "Illuminate\\Queue\\Worker::pop, $this->pop",
            &["Illuminate|Queue", "Queue|Worker", "Worker|pop", "this|pop"],
        );
        check("1.5 seconds. Then a, b: c", &[]);
        check("Crane::~Crane", &["Crane|~Crane"]);
        check("Crane::operator==", &["Crane|operator=="]);
        check("Crane#idle?", &["Crane|idle?"]);
        check("why is Harbor.Crane.lift! slow", &["Harbor|Crane", "Crane|lift"]);
        check("Harbor.Crane.lift!", &["Harbor|Crane", "Crane|lift!"]);
        check("Crane'.lift'", &["Crane'|lift'"]);
    }

    #[test]
    fn a_container_is_split_from_its_name() {
        for (text, expected) in [
            ("Pool::take", ("Pool", "take")),
            ("a.b.Pool#take", ("a.b.Pool", "take")),
            ("pool->take", ("pool", "take")),
            ("(*Pool).take", ("(*Pool", "take")),
            ("Pool::~Pool", ("Pool", "~Pool")),
            ("take", ("", "take")),
            ("Pool::", ("", "Pool::")),
            ("", ("", "")),
        ] {
            assert_eq!(split_container(text), expected, "{text}");
        }
    }

    #[test]
    fn files_are_told_from_code() {
        let is_code = |text: &str| qualified_of(text).last().is_some_and(|last| last.is_code(text));
        for text in [
            "Arr.last",
            "route::new",
            "linked_map.clear",
            "web.schemas.Schema",
            "pool.take_permit",
            "crane.liftbox",
        ] {
            assert!(is_code(text), "{text}");
        }
        for text in ["query.py", "src/main.rs", "README.md", "README.MD", "a.b.rs", "build.gradle"] {
            assert!(!is_code(text), "{text}");
        }
    }
}
