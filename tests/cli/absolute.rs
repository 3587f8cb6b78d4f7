//! `--absolute`: absolute paths beside the root-relative ones in JSON, and in place of others in text.

use std::path::Path;

use serde_json::Value;

use super::{SMALL, Tree};

/// The number of paths in a reply, each of which must have its absolute form beside it.
fn paths(value: &Value, root: &Path) -> usize {
    match value {
        Value::Object(fields) => {
            let path = fields.get("path").and_then(Value::as_str).map(|path| {
                let whole = if path.is_empty() { root.to_path_buf() } else { root.join(path) };
                assert_eq!(fields.get("absolute").and_then(Value::as_str), whole.to_str(), "{value}");
                assert!(whole.exists(), "{}", whole.display());
            });
            usize::from(path.is_some()) + fields.values().map(|value| paths(value, root)).sum::<usize>()
        }
        Value::Array(values) => values.iter().map(|value| paths(value, root)).sum(),
        _ => 0,
    }
}

#[test]
fn json_gains_an_absolute_path_beside_each_path() {
    let tree = Tree::new(SMALL);
    std::fs::write(tree.root().join(".gitignore"), "*.log\n").unwrap();
    std::fs::write(tree.root().join("a.log"), "x\n").unwrap();
    for (args, least) in [
        (&["circle"][..], 1),
        (&["grep", "circle"], 1),
        (&["files"], 3),
        (&["symbols", "circle"], 1),
        (&["def", "draw_circle"], 1),
        (&["callers", "draw_circle"], 1),
        (&["map"], 2),
        (&["read", "src/auth.rs"], 1),
        (&["skipped"], 1),
        (&["skipped", "--explain-skips", "a.log"], 1),
        (&["why-not", "src/auth.rs", "resolve_api_key"], 2),
    ] {
        let reply = |extra: &[&str]| -> Value {
            let ran = tree.run(&[args, &["--json"], extra].concat());
            serde_json::from_str(&ran.out).unwrap_or_else(|error| panic!("{args:?}: {error}: {}", ran.err))
        };
        let found = paths(&reply(&["--absolute"]), &tree.root());
        assert!(found >= least, "{args:?}: {found} paths");
        assert!(!reply(&[]).to_string().contains("\"absolute\""), "{args:?}");
    }
}
