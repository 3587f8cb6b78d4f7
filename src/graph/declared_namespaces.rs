//! The namespaces that source texts of C# declare.

use std::cell::{OnceCell, RefCell};
use std::rc::Rc;
use std::sync::LazyLock;

use regex::Regex;
use rustc_hash::{FxHashMap, FxHashSet};

use super::blocks::BlockNesting;
use spyhop_base::text::Span;

/// The namespaces that files declare and use.
#[derive(Default)]
pub(super) struct Namespaces {
    pub by_file: RefCell<FxHashMap<u32, Rc<FileNamespaces>>>,
    /// The namespaces that every file uses.
    pub global: OnceCell<Vec<Box<str>>>,
    /// The files that declare a namespace.
    pub files: RefCell<FxHashMap<Box<str>, Rc<Vec<u32>>>>,
    /// The names of types and extension methods that files define.
    pub names: RefCell<FxHashMap<u32, Rc<FxHashSet<Box<str>>>>>,
}

/// The namespaces of a file.
#[derive(Default)]
pub(super) struct FileNamespaces {
    /// The declared ones with their extent, outer ones first.
    pub declared: Vec<(Span, Box<str>)>,
    /// Those that `using` directives name.
    pub used: Vec<Box<str>>,
}

/// A namespace and those around it, innermost first, down to the one without a name.
pub(super) fn outward(namespace: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(namespace), |own| outer_of(own))
}

fn outer_of(namespace: &str) -> Option<&str> {
    match namespace.rsplit_once('.') {
        Some((outer, _)) => Some(outer),
        None => (!namespace.is_empty()).then_some(""),
    }
}

/// The namespaces that a text declares.
pub(super) fn declared_in(text: &str) -> Vec<(Span, Box<str>)> {
    static NAMESPACE: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?m)^[ \t\u{feff}]*namespace[ \t]+([\w.]+)[ \t]*(;?)").expect("a constant pattern")
    });
    let (mut found, mut blocks) = (Vec::<(Span, Box<str>)>::new(), None);
    for declared in NAMESPACE.captures_iter(text) {
        let whole = declared.get(0).expect("group 0 is the match");
        let mut end = text.len();
        if declared[2].is_empty()
            && let Some(open) = text[whole.end()..].find('{')
        {
            let blocks = blocks.get_or_insert_with(|| BlockNesting::of(text));
            end = blocks.around(whole.end() + open + 1).end;
        }
        let outer = found.iter().rev().find(|(span, _)| whole.start() < span.end as usize);
        let name = match outer {
            Some((_, outer)) => format!("{outer}.{}", &declared[1]),
            None => declared[1].to_string(),
        };
        found.push((Span::new(whole.start(), end), name.into()));
    }
    // Braces in literals mislead: the last brace of a namespace begins a line, and few files have more behind it.
    if let [(span, _)] = &mut found[..]
        && !text[..span.end as usize].ends_with("\n}")
    {
        span.end = text.len() as u32;
    }
    found
}

/// The full names of the namespaces that a text declares; the empty one without any.
pub(super) fn namespaces_in(text: &str) -> Vec<Box<str>> {
    let mut found: Vec<Box<str>> = declared_in(text).into_iter().map(|(_, name)| name).collect();
    if found.is_empty() {
        found.push("".into());
    }
    found
}

impl FileNamespaces {
    /// The namespace around a byte, by its full name.
    pub fn at(&self, at: u32) -> &str {
        let around = self.declared.iter().rev().find(|(span, _)| span.start <= at && at < span.end);
        around.map_or("", |(_, name)| name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn namespaces_are_lines_or_blocks_and_may_be_nested() {
        let check = |text: &str, expected: &[&str]| {
            let own = FileNamespaces { declared: declared_in(text), used: Vec::new() };
            let at = text.match_indices("class").map(|(at, _)| own.at(at as u32)).collect::<Vec<_>>();
            assert_eq!(at, expected, "{text}");
        };
        check("using X;\nnamespace A.B;\nclass C {}\n", &["A.B"]);
        check("namespace A.B\n{\n    class C {}\n}\n", &["A.B"]);
        check(
            "namespace A\n{\n  class C {}\n  namespace B.D {\n  class E {}\n  }\n}\nclass F {}\n",
            &["A", "A.B.D", ""],
        );
        check("class C {}\n", &[""]);
        assert_eq!(outward("A.B").collect::<Vec<_>>(), ["A.B", "A", ""]);
    }
}
