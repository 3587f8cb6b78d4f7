//! The imports of a file, read from its text: which local name stands for which name of which module.
//!
//! Imports are read by regular expressions and not from the syntax tree, because the analysis keeps the names of imports
//! but not their aliases, and because an import statement is regular in each of these languages.

use std::ops::Deref;
use std::sync::{LazyLock, OnceLock};

use regex::{Captures, Regex};
use rustc_hash::FxHashMap;

use super::family::{CSHARP, Family};
use super::php_imports::{self, PhpImport};
use super::words::skipped;

/// The name under which a module exports what it assigns to `module.exports`.
pub(super) const WHOLE: &str = "module.exports";

/// One imported name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Binding {
    /// The name in the module; `None` if the local name stands for the module itself.
    pub name: Option<Box<str>>,
    /// The name in this file.
    pub local: Box<str>,
}

impl Binding {
    /// The name that a module of JavaScript exports. A module that is used as a whole stands for what it assigns to `module.exports`,
    /// as in `const calc = require('./calc')`.
    pub fn exported(&self) -> &str {
        self.name.as_deref().unwrap_or(WHOLE)
    }
}

/// An import of a module or of names of a module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ImportStatement {
    /// The byte at which the statement begins.
    pub start: u32,
    /// The module as written, in Rust with `::` between its parts.
    pub module: Box<str>,
    pub bindings: Vec<Binding>,
    /// Whether all names of the module are imported.
    pub is_wildcard: bool,
}

/// An import, with the files that the module means.
#[derive(Clone, Debug)]
pub struct ImportEdge {
    /// The importing file.
    pub file: u32,
    /// The byte at which the statement begins.
    pub start: u32,
    /// The module as written.
    pub module: String,
    /// The files of the tree that the module means; empty for a module outside of the tree.
    pub files: Vec<u32>,
}

/// The places of bindings by their local names.
type BindingPlaces = FxHashMap<Box<str>, Vec<(u32, u32)>>;

/// The imports of a file, in order, found by the names that they bind.
pub(super) struct Imports {
    statements: Vec<ImportStatement>,
    /// The places of bindings by their local names: of the statement, and in the statement.
    by_local: OnceLock<BindingPlaces>,
    /// The places of the statements that import all names.
    wildcards: OnceLock<Vec<u32>>,
}

impl Imports {
    pub fn of(family: Family, text: &str) -> Imports {
        let statements = scan_imports(family, text);
        Imports { statements, by_local: OnceLock::new(), wildcards: OnceLock::new() }
    }

    /// The bindings of a local name with their statements, in order.
    pub fn bound(&self, local: &str) -> impl Iterator<Item = (&ImportStatement, &Binding)> {
        self.places(local).iter().map(|(statement, place)| {
            let import = &self.statements[*statement as usize];
            (import, &import.bindings[*place as usize])
        })
    }

    /// The imports of all names of a module, in order.
    pub fn wildcards(&self) -> impl ExactSizeIterator<Item = &ImportStatement> {
        self.wildcard_places().iter().map(|place| &self.statements[*place as usize])
    }

    /// The imports that may pass on `name`, in order, each with the name in its module; `None` for the module itself. Of the
    /// bindings of one import, the first counts.
    pub(crate) fn passing<'i>(&'i self, name: &'i str) -> Vec<(&'i ImportStatement, Option<&'i str>)> {
        let mut bound = self.places(name).to_vec();
        bound.dedup_by_key(|(statement, _)| *statement);
        let binds = |statement: &u32| bound.binary_search_by_key(statement, |(binding, _)| *binding).is_ok();
        let others = self.wildcard_places().iter().filter(|statement| !binds(statement));
        let mut found: Vec<(u32, Option<&str>)> = others.map(|statement| (*statement, Some(name))).collect();
        found.extend(bound.iter().map(|(statement, place)| {
            (*statement, self.statements[*statement as usize].bindings[*place as usize].name.as_deref())
        }));
        found.sort_unstable_by_key(|(statement, _)| *statement);
        found.into_iter().map(|(statement, name)| (&self.statements[statement as usize], name)).collect()
    }

    fn places(&self, local: &str) -> &[(u32, u32)] {
        let places = self.by_local.get_or_init(|| {
            let mut by_local: FxHashMap<Box<str>, Vec<(u32, u32)>> = FxHashMap::default();
            for (statement, import) in (0..).zip(&self.statements) {
                for (place, binding) in (0..).zip(&import.bindings) {
                    by_local.entry(binding.local.clone()).or_default().push((statement, place));
                }
            }
            by_local
        });
        places.get(local).map_or(&[], Vec::as_slice)
    }

    fn wildcard_places(&self) -> &[u32] {
        self.wildcards.get_or_init(|| {
            let all = (0..).zip(&self.statements);
            all.filter(|(_, import)| import.is_wildcard).map(|(place, _)| place).collect()
        })
    }
}

impl Deref for Imports {
    type Target = [ImportStatement];

    fn deref(&self) -> &[ImportStatement] {
        &self.statements
    }
}

/// The imports in `text`, in order.
fn scan_imports(family: Family, text: &str) -> Vec<ImportStatement> {
    let mut found = Vec::new();
    match family {
        Family::Python => python(text, &mut found),
        Family::Web => web(text, &mut found),
        Family::Rust => rust(text, &mut found),
        Family::Go => go(text, &mut found),
        Family::Jvm => jvm(text, &mut found),
        Family::C => c(text, &mut found),
        Family::Other("swift") => swift(text, &mut found),
        CSHARP => csharp(text, &mut found),
        Family::Other("php") => found.extend(php_imports::imports(text).into_iter().map(of_php)),
        Family::Other("ruby") => ruby(text, &mut found),
        Family::Other(_) => {}
    }
    found.sort_by_key(|import| import.start);
    if family == Family::Python {
        // Documentation in literals shows imports as examples.
        let skipped = skipped(family.common_language(), text, &[]);
        found.retain(|import| {
            let next = skipped.partition_point(|span| span.end <= import.start);
            skipped.get(next).is_none_or(|span| span.start > import.start)
        });
    }
    found
}

fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).expect("a constant pattern")
}

fn start_of(found: &Captures<'_>) -> u32 {
    let whole = found.get(0).expect("group 0 is the match");
    let blanks = whole.as_str().len() - whole.as_str().trim_start().len();
    (whole.start() + blanks) as u32
}

/// The statement that was found, with its bindings.
fn statement(
    found: &Captures<'_>,
    module: &str,
    bindings: Vec<Binding>,
    is_wildcard: bool,
) -> ImportStatement {
    ImportStatement { start: start_of(found), module: module.trim().into(), bindings, is_wildcard }
}

fn text_of<'t>(found: &Captures<'t>, group: usize) -> &'t str {
    found.get(group).map_or("", |group| group.as_str())
}

/// The bindings of a list such as `a, b as c`; `alias` separates a name from its local name.
fn bindings(list: &str, alias: &str) -> Vec<Binding> {
    let clean = |name: &str| name.trim().trim_start_matches("type ").trim().to_string();
    let parts = list.split(',').map(str::trim).filter(|part| !part.is_empty() && *part != "*");
    parts
        .map(|part| match part.split_once(alias) {
            Some((name, local)) => Binding { name: Some(clean(name).into()), local: clean(local).into() },
            None => Binding { name: Some(clean(part).into()), local: clean(part).into() },
        })
        .collect()
}

fn of_module(local: &str) -> Vec<Binding> {
    vec![Binding { name: None, local: local.into() }]
}

fn python(text: &str, found: &mut Vec<ImportStatement>) {
    static FROM: LazyLock<Regex> = LazyLock::new(|| {
        regex(r"(?m)^[ \t]*from[ \t]+(\.*[\w.]*)[ \t]+import[ \t]+(?:\(([^)]*)\)|((?:[^\n\\#]|\\\r?\n)*))")
    });
    static PLAIN: LazyLock<Regex> = LazyLock::new(|| regex(r"(?m)^[ \t]*import[ \t]+([\w., \t]+)"));
    static COMMENT: LazyLock<Regex> = LazyLock::new(|| regex(r"#[^\n]*"));
    for import in FROM.captures_iter(text) {
        let list = [text_of(&import, 2), text_of(&import, 3)].concat();
        let list = COMMENT.replace_all(&list, "").replace(['\\', '\n', '\r'], " ");
        found.push(statement(&import, text_of(&import, 1), bindings(&list, " as "), list.trim() == "*"));
    }
    for import in PLAIN.captures_iter(text) {
        for part in text_of(&import, 1).split(',').map(str::trim).filter(|part| !part.is_empty()) {
            let (module, local) = part.split_once(" as ").unwrap_or((part, part));
            found.push(statement(&import, module, of_module(local.trim()), false));
        }
    }
}

fn of_php((start, module, names): PhpImport) -> ImportStatement {
    let binding = names.map(|(name, local)| Binding { name: Some(name.into()), local: local.into() });
    let bindings = binding.into_iter().collect();
    ImportStatement { start, module: module.into(), bindings, is_wildcard: false }
}

/// Files that Ruby loads by a name in quotes. The name is relative to the file only behind `require_relative`.
fn ruby(text: &str, found: &mut Vec<ImportStatement>) {
    static REQUIRE: LazyLock<Regex> = LazyLock::new(|| {
        regex(
            r#"(?m)^[ \t]*(?:require(_relative)?|load|autoload[ \t(]+:\w+[ \t]*,)[ \t(]*['"]([^'#"\n]+)['"]"#,
        )
    });
    for import in REQUIRE.captures_iter(text) {
        let name = text_of(&import, 2);
        let is_here = import.get(1).is_some() && !name.starts_with('.');
        let module = if is_here { format!("./{name}") } else { name.to_string() };
        found.push(statement(&import, &module, Vec::new(), false));
    }
}

/// The names that statements such as `export { a as b }` export, with the names in the file.
pub(super) fn exported_names(text: &str) -> Vec<Binding> {
    static EXPORT: LazyLock<Regex> =
        LazyLock::new(|| regex(r"(?m)^[ \t]*export[ \t]+(?:type[ \t]+)?\{([^}]*)\}(\s*from\b)?"));
    static COMMENT: LazyLock<Regex> = LazyLock::new(|| regex(r"//[^\n]*"));
    let exports = EXPORT.captures_iter(text).filter(|statement| statement.get(2).is_none());
    exports.flat_map(|statement| bindings(&COMMENT.replace_all(text_of(&statement, 1), ""), " as ")).collect()
}

fn web(text: &str, found: &mut Vec<ImportStatement>) {
    static FROM: LazyLock<Regex> = LazyLock::new(|| {
        regex(
            r#"(?m)^[ \t]*(?:import|export)[ \t]+(?:type[ \t]+)?([^;'"()=]*?)\s*\bfrom\s*['"]([^'"\n]+)['"]"#,
        )
    });
    static BARE: LazyLock<Regex> = LazyLock::new(|| regex(r#"(?m)^[ \t]*import[ \t]*['"]([^'"\n]+)['"]"#));
    static REQUIRE: LazyLock<Regex> = LazyLock::new(|| {
        regex(
            r#"(?:(?:const|let|var)\s+(\{[^}]*\}|[\w$]+)\s*=\s*(?:await\s+)?)?\b(?:require|import)\(\s*['"]([^'"\n]+)['"]\s*\)"#,
        )
    });
    for import in FROM.captures_iter(text) {
        let (mut names, is_wildcard) = web_bindings(text_of(&import, 1));
        names.retain(|binding| !binding.local.is_empty());
        found.push(statement(&import, text_of(&import, 2), names, is_wildcard));
    }
    for import in BARE.captures_iter(text) {
        found.push(statement(&import, text_of(&import, 1), Vec::new(), false));
    }
    for import in REQUIRE.captures_iter(text) {
        let bound = text_of(&import, 1);
        let names = match bound.strip_prefix('{') {
            Some(list) => bindings(list.trim_end_matches('}'), ":"),
            None if bound.is_empty() => Vec::new(),
            None => of_module(bound),
        };
        found.push(statement(&import, text_of(&import, 2), names, false));
    }
}

/// The bindings of a clause such as `a, { b as c }` or `* as d`, and whether all names are passed on (`export *`).
fn web_bindings(clause: &str) -> (Vec<Binding>, bool) {
    let mut names = Vec::new();
    let (outside, inside) = match (clause.find('{'), clause.rfind('}')) {
        (Some(open), Some(close)) if open < close => {
            (format!("{}{}", &clause[..open], &clause[close + 1..]), &clause[open + 1..close])
        }
        _ => (clause.to_string(), ""),
    };
    names.extend(bindings(inside, " as "));
    let mut is_wildcard = false;
    for part in outside.split(',').map(str::trim).filter(|part| !part.is_empty()) {
        match part.strip_prefix('*') {
            Some("") => is_wildcard = true,
            Some(rest) => names.extend(of_module(rest.trim().trim_start_matches("as ").trim())),
            None => names.push(Binding { name: Some("default".into()), local: part.into() }),
        }
    }
    (names, is_wildcard)
}

fn rust(text: &str, found: &mut Vec<ImportStatement>) {
    static USE: LazyLock<Regex> =
        LazyLock::new(|| regex(r"(?m)^[ \t]*(?:pub(?:\([^)]*\))?[ \t]+)?use[ \t]+([^;]+);"));
    for statement in USE.captures_iter(text) {
        let tree: String = text_of(&statement, 1).split_whitespace().collect::<Vec<_>>().join(" ");
        use_tree(start_of(&statement), "", tree.trim_start_matches("::"), MAX_NESTING, found);
    }
}

/// The most levels of a use tree that are read.
const MAX_NESTING: usize = 32;

/// Adds the imports of a use tree below the path `above`, without what is nested more than `levels` deep.
fn use_tree(start: u32, above: &str, tree: &str, levels: usize, found: &mut Vec<ImportStatement>) {
    let tree = tree.trim();
    if let Some(open) = tree.find('{') {
        let Some(levels) = levels.checked_sub(1) else { return };
        let prefix = join_path(above, tree[..open].trim_end().trim_end_matches("::"));
        let inside = tree[open + 1..].trim_end().trim_end_matches('}');
        for part in top_level_parts(inside) {
            use_tree(start, &prefix, part, levels, found);
        }
        return;
    }
    let (path, local) =
        tree.split_once(" as ").map_or((tree, None), |(path, local)| (path, Some(local.trim())));
    let whole = join_path(above, path.trim());
    let (module, name) = whole.rsplit_once("::").unwrap_or(("", &whole));
    let import = |module: &str, bindings, is_wildcard| ImportStatement {
        start,
        module: module.into(),
        bindings,
        is_wildcard,
    };
    found.push(match name {
        "*" => import(module, Vec::new(), true),
        "self" => {
            let last = module.rsplit("::").next().unwrap_or(module);
            import(module, of_module(local.unwrap_or(last)), false)
        }
        name => {
            let binding = Binding { name: Some(name.into()), local: local.unwrap_or(name).into() };
            import(module, vec![binding], false)
        }
    });
}

fn join_path(above: &str, below: &str) -> String {
    if above.is_empty() || below.is_empty() { [above, below].concat() } else { format!("{above}::{below}") }
}

/// The parts of a list that are separated by commas outside of braces.
fn top_level_parts(list: &str) -> Vec<&str> {
    let (mut depth, mut from, mut parts) = (0, 0, Vec::new());
    for (at, sign) in list.bytes().enumerate() {
        match sign {
            b'{' => depth += 1,
            b'}' => depth -= 1,
            b',' if depth == 0 => {
                parts.push(&list[from..at]);
                from = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&list[from..]);
    parts.retain(|part| !part.trim().is_empty());
    parts
}

fn go(text: &str, found: &mut Vec<ImportStatement>) {
    static BLOCK: LazyLock<Regex> = LazyLock::new(|| regex(r"(?m)^import[ \t]*(?:\(([^)]*)\)|([^\n(]+))"));
    static ONE: LazyLock<Regex> = LazyLock::new(|| regex(r#"(?m)(?:([\w.]+)[ \t]+)?"([^"\n]+)""#));
    for block in BLOCK.captures_iter(text) {
        let Some(list) = block.get(1).or(block.get(2)) else { continue };
        for line in ONE.captures_iter(list.as_str()) {
            let (alias, module) = (text_of(&line, 1), text_of(&line, 2));
            let bindings = match alias {
                "" | "import" => go_package_names(module).into_iter().flat_map(of_module).collect(),
                "_" | "." => Vec::new(),
                alias => of_module(alias),
            };
            let start = list.start() as u32 + start_of(&line);
            found.push(ImportStatement { start, module: module.into(), bindings, is_wildcard: alias == "." });
        }
    }
}

/// The names that a package of Go with this import path may have. Only the package says its name: the path may end in a version
/// (`pool/v2`, `yaml.v3`) or say the language (`go-pool`, `pool-go`).
fn go_package_names<'p>(path: &'p str) -> Vec<&'p str> {
    let is_version = |part: &str| {
        part.strip_prefix('v')
            .is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let (before, last) = path.rsplit_once('/').unwrap_or(("", path));
    let mut names = vec![last];
    if is_version(last) && !before.is_empty() {
        names.push(before.rsplit('/').next().unwrap_or(before));
    }
    let name = |part: &'p str| {
        let part = part.split('.').next().unwrap_or(part);
        let part = part.strip_suffix("-go").unwrap_or(part);
        part.rsplit('-').next().unwrap_or(part)
    };
    names.into_iter().map(name).collect()
}

fn jvm(text: &str, found: &mut Vec<ImportStatement>) {
    static IMPORT: LazyLock<Regex> = LazyLock::new(|| {
        regex(
            r"(?m)^[ \t]*import[ \t]+(?:static[ \t]+)?([\w.]+?)(\.[*_])?(?:[ \t]+as[ \t]+(\w+))?[ \t]*;?[ \t]*\r?$",
        )
    });
    for import in IMPORT.captures_iter(text) {
        let (path, is_wildcard) = (text_of(&import, 1), import.get(2).is_some());
        let (module, name) = match path.rsplit_once('.') {
            Some((module, name)) if !is_wildcard => (module, Some(name)),
            _ => (path, None),
        };
        let local = |name: &str| match text_of(&import, 3) {
            "" => name.into(),
            local => local.into(),
        };
        let bindings = name.map(|name| Binding { name: Some(name.into()), local: local(name) });
        found.push(statement(&import, module, bindings.into_iter().collect(), is_wildcard));
    }
}

fn swift(text: &str, found: &mut Vec<ImportStatement>) {
    static IMPORT: LazyLock<Regex> = LazyLock::new(|| {
        regex(
            r"(?m)^[ \t]*(?:@\w+[ \t]+|public[ \t]+|internal[ \t]+)*import[ \t]+(?:(?:actor|class|enum|func|let|protocol|struct|typealias|var)[ \t]+)?([\w.]+)",
        )
    });
    let imports = IMPORT.captures_iter(text);
    found.extend(imports.map(|import| statement(&import, text_of(&import, 1), Vec::new(), true)));
}

fn c(text: &str, found: &mut Vec<ImportStatement>) {
    static INCLUDE: LazyLock<Regex> =
        LazyLock::new(|| regex(r#"(?m)^[ \t]*#[ \t]*(?:include|import)[ \t]*[<"]([^>"\n]+)[>"]"#));
    let includes = INCLUDE.captures_iter(text);
    found.extend(includes.map(|include| statement(&include, text_of(&include, 1), Vec::new(), true)));
}

/// The namespaces, types with static members, and aliases that a file of C# uses.
fn csharp(text: &str, found: &mut Vec<ImportStatement>) {
    static USING: LazyLock<Regex> = LazyLock::new(|| {
        regex(
            r"(?m)^[ \t\u{feff}]*(?:global[ \t]+)?using[ \t]+(?:static[ \t]+|(\w+)[ \t]*=[ \t]*)?(?:global::)?([\w.]+)(?:<[^;\n]*>)?[ \t]*;",
        )
    });
    for using in USING.captures_iter(text) {
        let (alias, path) = (text_of(&using, 1), text_of(&using, 2));
        found.push(match (alias, path.rsplit_once('.')) {
            ("", _) => statement(&using, path, Vec::new(), true),
            (alias, parts) => {
                let (module, name) = parts.unwrap_or(("", path));
                let binding = Binding { name: Some(name.into()), local: alias.into() };
                statement(&using, module, vec![binding], false)
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Imports as `module: name=local, ...`, `*` for all names, `.` for the module itself.
    fn check(family: Family, text: &str, expected: &[&str]) {
        let shown = |import: &ImportStatement| {
            let name = |binding: &Binding| match &binding.name {
                Some(name) if *name == binding.local => name.to_string(),
                Some(name) => format!("{name}={}", binding.local),
                None => format!(".={}", binding.local),
            };
            let mut names: Vec<String> = import.bindings.iter().map(name).collect();
            names.extend(import.is_wildcard.then(|| "*".to_string()));
            format!("{}: {}", import.module, names.join(", "))
        };
        let found: Vec<String> = scan_imports(family, text).iter().map(shown).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn python_imports_have_aliases_dots_and_parentheses() {
        let text = "import os, sys as system\nfrom .pool import (\n    Pool,  # the pool\n    take as grab,\n)\n\
                    def f():\n    from ..a.b import *\nfrom x import a, \\\n    b\n";
        let expected = ["os: .=os", "sys: .=system", ".pool: Pool, take=grab", "..a.b: *", "x: a, b"];
        check(Family::Python, text, &expected);
        let text = "# isn't a literal\nimport a\ndef f():\n    \"\"\"\n    from b import c\n    \"\"\"\n";
        check(Family::Python, text, &["a: .=a"]);
    }

    #[test]
    fn web_imports_have_defaults_namespaces_and_re_exports() {
        let text = "import React, { useState as state, type A } from 'react';\nimport * as pool from \"./pool\";\n\
                    export { take } from './take';\nexport * from './all';\nimport './style.css';\n\
                    const { a: b, c } = require('./d');\nconst e = require(\"./e\");\nimport type { T } from './t'\n";
        let expected = [
            "react: useState=state, A, default=React",
            "./pool: .=pool",
            "./take: take",
            "./all: *",
            "./style.css: ",
            "./d: a=b, c",
            "./e: .=e",
            "./t: T",
        ];
        check(Family::Web, text, &expected);
    }

    #[test]
    fn rust_use_trees_are_taken_apart() {
        let text = "use a::b::{self, c as d, e::{f, g::*}};\npub(crate) use super::Pool;\nuse std::fmt;\n";
        let expected = ["a::b: .=b", "a::b: c=d", "a::b::e: f", "a::b::e::g: *", "super: Pool", "std: fmt"];
        check(Family::Rust, text, &expected);
    }

    #[test]
    fn go_jvm_and_c_imports_name_their_modules() {
        let text = "import \"fmt\"\nimport (\n\t\"a.b/c/pool\"\n\talias \"a.b/d\"\n\t_ \"a.b/e\"\n)\n";
        check(Family::Go, text, &["fmt: .=fmt", "a.b/c/pool: .=pool", "a.b/d: .=alias", "a.b/e: "]);
        let text = "import \"a.b/pool/v2\"\nimport \"a.b/pool.v3\"\nimport \"a.b/go-pool\"\nimport \"a.b/pool-go/api/v1\"\n";
        let expected = [
            "a.b/pool/v2: .=v2, .=pool",
            "a.b/pool.v3: .=pool",
            "a.b/go-pool: .=pool",
            "a.b/pool-go/api/v1: .=v1, .=api",
        ];
        check(Family::Go, text, &expected);
        let text = "import a.b.Pool;\nimport static a.b.Pool.take;\nimport a.c.*;\nimport a.d.E as F\n";
        check(Family::Jvm, text, &["a.b: Pool", "a.b.Pool: take", "a.c: *", "a.d: E=F"]);
        check(
            Family::C,
            "#include <linux/list.h>\n# include \"pool.h\"\n#import \"slot.h\"\n",
            &["linux/list.h: *", "pool.h: *", "slot.h: *"],
        );
        check(
            Family::Other("swift"),
            "import Pool\n@testable import Shop.Slot\nimport class Pool.Own\nimported = 1\n",
            &["Pool: *", "Shop.Slot: *", "Pool.Own: *"],
        );
    }

    #[test]
    fn using_directives_of_csharp_name_namespaces_types_and_aliases() {
        let text = "global using A.B;\nusing static A.Pool;\nusing Own = A.C.Pool<int>;\nnamespace N {\n    using D;\n}\n\
                    void F() { using var a = Open(); }\nusing (a) { }\n";
        check(CSHARP, text, &["A.B: *", "A.Pool: *", "A.C: Pool=Own", "D: *"]);
    }
}
