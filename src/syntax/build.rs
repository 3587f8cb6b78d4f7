//! Lists the languages: the head of each manifest below `grammars/`, and the manifest itself where no row of the table of linked
//! parsers has it. A process then reads no manifest until it meets a file of its language.

use std::fmt::Write;
use std::path::Path;
use std::{env, fs};

use toml::{Table, Value};

fn main() {
    let root = env::var("CARGO_MANIFEST_DIR").expect("cargo sets the folder of the package");
    let root = Path::new(&root);
    let linked = fs::read_to_string(root.join("grammar/parsers.rs")).expect("the table of parsers");
    let folders = fs::read_dir(root.join("grammars")).expect("the folder of grammars");
    let manifests = folders.filter_map(Result::ok).map(|entry| entry.path().join("grammar.toml"));
    let mut manifests: Vec<_> = manifests.filter(|manifest| manifest.exists()).collect();
    manifests.sort();
    let read = |path: &Path| -> Table {
        let text = fs::read_to_string(path).expect("a manifest");
        text.parse().unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    };
    let mut rows = String::from("&[\n");
    for path in manifests {
        let head = read(&path);
        let name = text_of(&head, "name");
        let manifest = match linked.contains(&format!("row!(\"{name}\"")) {
            true => "None".to_string(),
            false => format!("Some(include_str!({:?}))", path.display().to_string()),
        };
        let extends = head.get("extends").and_then(Value::as_str);
        let prose = head.get("prose").and_then(Value::as_bool).unwrap_or(false);
        let claims = head.get("claim").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let claims = claims.iter().filter_map(Value::as_table);
        let claims: String = claims
            .map(|claim| {
                let first = claim.get("first").and_then(Value::as_bool).unwrap_or(false);
                format!("({:?}, &{:?}, {first}), ", text_of(claim, "extension"), list(claim, "lines"))
            })
            .collect();
        let base = extends.map(|base| read(&root.join("grammars").join(base).join("grammar.toml")));
        let lexis = head.get("lexis").or_else(|| base.as_ref()?.get("lexis"));
        let lexis = lexis.map_or_else(String::new, |lexis| toml::to_string(lexis).expect("a table"));
        writeln!(
            rows,
            "BuiltInHead {{ name: {name:?}, title: {:?}, aliases: &{:?}, extensions: &{:?}, files: &{:?}, \
             interpreters: &{:?}, claims: &[{claims}], extends: {extends:?}, prose: {prose}, manifest: {manifest}, \
             lexis: {lexis:?} }},",
            text_of(&head, "title"),
            list(&head, "aliases"),
            list(&head, "extensions"),
            list(&head, "files"),
            list(&head, "interpreters"),
        )
        .expect("written to a text");
    }
    rows.push(']');
    let out = env::var("OUT_DIR").expect("cargo sets the output folder");
    fs::write(Path::new(&out).join("heads.rs"), rows).expect("the list of languages");
    println!("cargo::rerun-if-changed=grammars");
    println!("cargo::rerun-if-changed=grammar/parsers.rs");
}

fn text_of<'t>(table: &'t Table, key: &str) -> &'t str {
    table.get(key).and_then(Value::as_str).unwrap_or_else(|| panic!("a manifest without '{key}'"))
}

fn list<'t>(table: &'t Table, key: &str) -> Vec<&'t str> {
    let values = table.get(key).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    values.iter().filter_map(Value::as_str).collect()
}
