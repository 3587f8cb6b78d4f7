//! The imports of PHP, read from the text: names with `use`, and the files and views that a file includes.

use std::sync::LazyLock;

use regex::{Captures, Regex};

/// An import as written: its first byte, the full name or the path, and the name of the item with its name in the file.
pub(super) type PhpImport = (u32, String, Option<(String, String)>);

/// The namespace that a file declares.
pub(super) static NAMESPACE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?m)^[ \t]*(?:<\?(?:php)?[ \t]+)?namespace[ \t]+([A-Za-z_][\w\\]*)")
        .expect("a constant pattern")
});

/// The imports of a text, and the files and views that it includes.
pub(super) fn imports(text: &str) -> Vec<PhpImport> {
    let mut found = Vec::new();
    static USE: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(
            r"(?m)^([ \t]*)use[ \t]+(?:function[ \t]+|const[ \t]+)?([\w\\, \t\r\n]+?)[ \t]*(?:\{([^}]*)\}\s*)?;",
        ).expect("a constant pattern")
    });
    static TYPE: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?m)^[ \t]*(?:(?:abstract|final|readonly)[ \t]+)*(?:class|interface|trait|enum)[ \t]+\w")
            .expect("a constant pattern")
    });
    static FILE: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(
            r#"\b(?:require|include)(?:_once)?\b[ \t(]*(?:(?:__DIR__|dirname\(__FILE__\))[ \t]*\.[ \t]*)?['"]([^'"$\n]+\.(?:php\d?|inc|phtml))['"]"#,
        ).expect("a constant pattern")
    });
    static VIEW: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(
            r#"@(?:include\w*|extends|component|each)[ \t]*\((?:[^'"()\n]|\([^()]*\))*['"]([\w.:-]+)['"]"#,
        )
        .expect("a constant pattern")
    });
    let types = TYPE.find(text).map_or(text.len(), |first| first.start());
    for import in USE.captures_iter(text) {
        let start = start_of(&import);
        // What is indented in a type takes the members of a trait.
        if !part_of(&import, 1).is_empty() && start as usize > types {
            continue;
        }
        let (prefix, names) = match import.get(3) {
            Some(group) => (part_of(&import, 2).trim(), group.as_str()),
            None => ("", part_of(&import, 2)),
        };
        for part in names.split(',').map(str::trim).filter(|part| !part.is_empty()) {
            let part = part.trim_start_matches("function ").trim_start_matches("const ");
            let mut words = part.split_whitespace();
            let path = format!("{prefix}{}", words.next().unwrap_or_default());
            let module = path.trim_start_matches('\\');
            let name = module.rsplit('\\').next().unwrap_or(module);
            let local = words.nth(1).unwrap_or(name);
            found.push((start, module.to_string(), Some((name.to_string(), local.to_string()))));
        }
    }
    for file in FILE.captures_iter(text).chain(VIEW.captures_iter(text)) {
        found.push((start_of(&file), file[1].to_string(), None));
    }
    found
}

fn part_of<'t>(found: &Captures<'t>, group: usize) -> &'t str {
    found.get(group).map_or("", |group| group.as_str())
}

/// The byte of the first word of what was found.
fn start_of(found: &Captures<'_>) -> u32 {
    let whole = found.get(0).expect("group 0 is the match");
    let blanks = whole.as_str().len() - whole.as_str().trim_start().len();
    (whole.start() + blanks) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn imports_of_php_bind_names() {
        let check = |text: &str, expected: &[(&str, &str)]| {
            let all = imports(text);
            let local = |own: &PhpImport| own.2.as_ref().map_or(String::new(), |(_, local)| local.clone());
            let found: Vec<(String, String)> = all.iter().map(|own| (own.1.clone(), local(own))).collect();
            let found: Vec<(&str, &str)> =
                found.iter().map(|(module, local)| (&**module, &**local)).collect();
            assert_eq!(found, expected, "{text}");
        };
        check(
            "use App\\Models\\Item;\nuse \\App\\Pool as Other;",
            &[("App\\Models\\Item", "Item"), ("App\\Pool", "Other")],
        );
        check("use A\\{B, C\\D as E};", &[("A\\B", "B"), ("A\\C\\D", "E")]);
        check("use function A\\take;\nuse A, B\\C;", &[("A\\take", "take"), ("A", "A"), ("B\\C", "C")]);
        check("class A {\n    use HasOwner;\n}\nuse B;", &[("B", "B")]);
        check("$a = function () use ($b) { };", &[]);
        check("require_once __DIR__ . '/lib/a.php'; include('b.inc');", &[("/lib/a.php", ""), ("b.inc", "")]);
        check("@include('books.list', ['a' => 1])\n@includeIf($x, 'y')", &[("books.list", ""), ("y", "")]);
    }
}
