//! The paths of a view, for looking up modules, and arithmetic on paths.

use super::family::Family;
use spyhop_base::path;
use spyhop_search::SearchSnapshot;

/// The paths of a view, for looking up modules.
#[derive(Clone, Copy)]
pub(super) struct Paths<'a>(pub &'a SearchSnapshot);

impl<'a> Paths<'a> {
    /// The file with exactly this path.
    pub fn file(self, path: &str) -> Option<u32> {
        self.0.file_at(path)
    }

    /// The files with this name, in any folder.
    pub fn named(self, name: &str) -> Vec<u32> {
        self.0.files_named(name)
    }

    pub fn folder(self, folder: &str) -> Vec<u32> {
        self.0.files_in(folder)
    }

    /// The folders that end in `suffix`, a path of whole parts.
    pub(crate) fn folders_ending_in(self, suffix: &str) -> Vec<&'a str> {
        let folders = self.0.folders_named(path::split(suffix).1).into_iter();
        folders.filter(|folder| ends_in(folder, suffix)).collect()
    }
}

/// Whether `path` is `suffix` or ends in it after a `/`.
pub(super) fn ends_in(path: &str, suffix: &str) -> bool {
    path.strip_suffix(suffix).is_some_and(|before| before.is_empty() || before.ends_with('/'))
}

/// The number of leading folders that two paths share.
pub(super) fn shared_folders(a: &str, b: &str) -> usize {
    let folders = |path| path::split(path).0.split('/').filter(|part: &&str| !part.is_empty());
    folders(a).zip(folders(b)).take_while(|(a, b)| a == b).count()
}

/// The folders of a module of Swift, of a package of Go, or of Java and its relatives, whose packages have folders in several roots: `org/shop` of
/// `src/main/java/org/shop/Pool.java` and of `src/test/java/org/shop/PoolTest.java`.
pub(super) fn package(family: Family, of: &str) -> &str {
    const ROOTS: [&str; 4] = ["/java/", "/kotlin/", "/scala/", "/groovy/"];
    let folder = path::split(of).0;
    if family == Family::Other("swift") {
        return swift_module(folder);
    }
    let begins = ROOTS.iter().filter_map(|root| of.rfind(root).map(|at| at + root.len()));
    match begins.max().filter(|_| family == Family::Jvm) {
        Some(begin) => folder.get(begin..).unwrap_or_default(),
        None => folder,
    }
}

/// The folder of a module of Swift: the one below `Sources` or `Tests`. What is outside of such folders is the module of an app.
fn swift_module(folder: &str) -> &str {
    let mut end = 0;
    let mut parts = folder.split('/');
    while let Some(part) = parts.next() {
        end += part.len() + 1;
        if matches!(part, "Sources" | "Tests") {
            return parts.next().map_or(folder, |module| &folder[..end + module.len()]);
        }
    }
    ""
}

/// The path `name` below a folder, which is empty for the root.
pub(super) fn below(folder: &str, name: &str) -> String {
    match (folder, name) {
        ("", name) => name.to_string(),
        (folder, "") => folder.to_string(),
        (folder, name) => format!("{folder}/{name}"),
    }
}

/// A path without `.` and `..`; `None` if the path leaves the root.
pub(super) fn normalize(path: &str) -> Option<String> {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => _ = parts.pop()?,
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_are_the_folders_below_their_roots() {
        let check = |family: Family, path: &str, expected: &str| {
            assert_eq!(package(family, path), expected, "{path}");
        };
        check(Family::Jvm, "src/main/java/org/shop/Pool.java", "org/shop");
        check(Family::Jvm, "src/test/kotlin/org/shop/PoolTest.kt", "org/shop");
        check(Family::Jvm, "src/main/java/Pool.java", "");
        check(Family::Jvm, "shop/Pool.java", "shop");
        check(Family::Go, "src/java/shop/pool.go", "src/java/shop");
        check(Family::Other("swift"), "Shop/Sources/Pool/Deep/Slot.swift", "Shop/Sources/Pool");
        check(Family::Other("swift"), "Sources/Pool/Slot.swift", "Sources/Pool");
        check(Family::Other("swift"), "Shop/Pool/Slot.swift", "");
    }
}
