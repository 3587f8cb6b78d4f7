//! The names of served trees: those of their folders.

use std::path::Path;

/// The names of trees, in their order. A folder whose name another folder has gets a number behind its name.
pub fn names<'p>(roots: impl IntoIterator<Item = &'p Path>) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for root in roots {
        let name = root.file_name().map_or("root".into(), |name| name.to_string_lossy());
        let free =
            (1..).map(|number| if number == 1 { name.to_string() } else { format!("{name}-{number}") });
        names.extend(free.into_iter().find(|name| !names.contains(name)));
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_given_once() {
        let roots = ["/a/tree", "/b/tree", "/tree", "/"].map(Path::new);
        assert_eq!(names(roots), ["tree", "tree-2", "tree-3", "root"]);
    }
}
