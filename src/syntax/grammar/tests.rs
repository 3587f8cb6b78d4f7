//! Tests of the manifests, of how a language is recognized, and of a user's manifests.

use std::fs;

use super::*;

#[test]
fn every_manifest_compiles() {
    let grammars = Grammars::built_in();
    for (place, language) in grammars.languages.iter().enumerate() {
        if language.linked.is_some() {
            grammars.compile(place).map(drop).unwrap();
        }
        let rules = grammars.compile_line_rules(place).unwrap();
        assert!(rules.is_some() || language.linked.is_some(), "{}", language.name);
    }
}

#[test]
fn folders_and_linked_parsers_agree() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("grammars");
    let mut folders: Vec<String> = fs::read_dir(&root)
        .unwrap()
        .map(|entry| entry.unwrap())
        .filter(|entry| entry.path().is_dir())
        .map(|entry| entry.file_name().into_string().unwrap())
        .collect();
    folders.sort();
    let linked: Vec<&str> = LINKED.iter().map(|linked| linked.name).collect();
    assert!(linked.is_sorted(), "{linked:?}");
    for name in &linked {
        assert!(folders.iter().any(|folder| folder == name), "{name} has no folder");
        for fixture in ["basic", "edge", "broken"] {
            let fixtures = fs::read_dir(root.join(name).join("fixtures")).unwrap();
            let files: Vec<String> =
                fixtures.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
            let of = |file: &&String| file.starts_with(&format!("{fixture}."));
            assert_eq!(files.iter().filter(of).count(), 2, "{name}/{fixture} and its outline");
        }
    }
    let is_ruled = |head: &&BuiltInHead| head.manifest.is_some();
    for BuiltInHead { name, .. } in HEADS.iter().filter(is_ruled) {
        let fixtures = fs::read_dir(root.join(name).join("fixtures")).unwrap();
        assert!(fixtures.count() >= 2, "{name} has a fixture and its outline");
    }
    // Fewer parsers are linked than there are folders only if a feature is off.
    assert!(HEADS.iter().map(|head| head.name).eq(folders.iter().map(String::as_str)), "{folders:?}");
}

#[test]
fn heads_are_those_of_the_manifests() {
    assert!(HEADS.is_sorted_by_key(|head| head.name));
    for language in Language::all_built_in() {
        let whole: ManifestHead = toml::from_str(&language.text).unwrap();
        assert_eq!(language.head, whole);
        assert_eq!(whole.name, language.name);
    }
}

#[test]
fn no_two_languages_claim_one_name() {
    // `built_in` would panic on a conflict; this test only counts the claims.
    let grammars = Grammars::built_in();
    let claimed: usize = grammars.languages.iter().map(|it| it.head.extensions.len()).sum();
    assert_eq!(claimed, grammars.by_extension.len());
    assert!(grammars.list().iter().all(|row| !row.extensions.is_empty()));
}

#[test]
fn a_file_tells_its_language() {
    let grammars = Grammars::built_in();
    let check = |path: &str, head: &str, expected: &str| {
        let id = grammars.detect(&RelPath::new(path).unwrap(), head);
        // With its feature off, a language's files are text.
        let is_known = grammars.by_name(expected).is_ok();
        assert_eq!(grammars.name(id), if is_known { expected } else { "text" }, "{path} {head}");
    };
    check("src/lib.rs", "", "rust");
    check("include/list.h", "", "c");
    check("A.PY", "", "python");
    check("types.d.ts", "", "typescript");
    check("app_de.ts", "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<!DOCTYPE TS>\n", "xml");
    check("page.tsx", "", "tsx");
    check("SConstruct", "", "python");
    check("rs", "", "text");
    check(".rs", "", "text");
    check("Makefile", "all:", "makefile");
    check("build/Dockerfile.arm64", "", "dockerfile");
    check("Dockerfile.md", "", "markdown");
    check("LICENSE.MIT", "", "text");
    check("bin/run", "#!/usr/bin/env -S python3.12 -u\nx", "python");
    check("bin/run", "#!/usr/bin/python3", "python");
    check("bin/run", "#! /usr/local/bin/node --harmony", "javascript");
    check("bin/run", "#!/usr/bin/env LANG=C node", "javascript");
    check("bin/run", "#!/bin/sh", "bash");
    check("bin/run", "#!", "text");
    check("bin/run", "x #!/usr/bin/python", "text");
    // The file name takes precedence over the first line.
    check("x.rs", "#!/usr/bin/env python", "rust");
    // C and C++ share an extension, and the lines decide.
    check("list.h", "#pragma once\nstruct list { struct list *next; };\n", "c");
    check("list.h", "#pragma once\n  template <typename T>\nclass List {};\n", "cpp");
    check("list.h", "class List;\ntypedef Pair<List, int> Match;\n", "cpp");
    check("list.h", "namespace Lists\n{\n    int size(int a);\n}\n", "cpp");
    check("list.h", "/* class list; namespace of names\n   namespace of names */\nint size(int a);\n", "c");
    check("list.h", "class Own;\n@interface List : NSObject\n@end\n", "objc");
}

#[test]
fn a_language_is_found_by_its_names() {
    let grammars = Grammars::built_in();
    for (alias, name) in [("rs", "rust"), ("RUST", "rust"), ("ts", "typescript"), ("text", "text")] {
        assert_eq!(grammars.name(grammars.by_name(alias).unwrap()), name);
    }
    let error = grammars.by_name("klingon").unwrap_err().to_string();
    assert!(error.starts_with("unknown language 'klingon'; choose one of "), "{error}");
    assert!(error.contains(" rust, ") && error.ends_with(", text"), "{error}");
}

fn overridden(text: &str) -> Result<Grammars, GrammarError> {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join("rust")).unwrap();
    fs::write(dir.path().join("rust/grammar.toml"), text).unwrap();
    Grammars::with_overrides(dir.path())
}

#[test]
fn a_folder_overrides_a_manifest() {
    let built_in = Grammars::built_in();
    let grammars = overridden("name = \"rust\"\ntitle = \"Mine\"\nextensions = [\"rust\"]").unwrap();
    let rust = grammars.by_name("rust").unwrap();
    assert_eq!(grammars.detect(&RelPath::new("a.rust").unwrap(), ""), rust);
    assert_eq!(grammars.detect(&RelPath::new("a.rs").unwrap(), ""), LanguageId::TEXT);
    let rows: Vec<String> =
        grammars.list().into_iter().filter(|row| row.overridden).map(|row| row.title).collect();
    assert_eq!(rows, ["Mine"]);
    assert_ne!(grammars.fingerprint(), built_in.fingerprint());
    assert_eq!(Grammars::built_in().fingerprint(), built_in.fingerprint());
}

#[test]
fn a_mistake_in_a_manifest_is_named_with_the_choices() {
    let check = |body: &str, expected: &str| {
        let error = overridden(&format!("name = \"rust\"\ntitle = \"R\"\n{body}")).err().unwrap().to_string();
        let error = error.split_once("grammar.toml: ").map_or(error.as_str(), |(_, error)| error);
        assert!(error.contains(expected), "{error}");
    };
    check("comments = [\"line_coment\"]", "unknown node kind 'line_coment'; the nearest are line_comment, ");
    check("[names]\nuse_list = \"nmae\"", "unknown field 'nmae'; the nearest are ");
    check("colour = 1", "unknown field `colour`, expected one of `name`, `title`");
    check(
        "[[item]]\nnode = \"struct_item\"\nkind = \"klass\"",
        "unknown kind 'klass'; choose one of fn, method, struct",
    );
    check("extends = \"klingon\"", "extends 'klingon'; choose one of ");
    check("aliases = [\"ts\"]", "'ts' belongs to ");
    let error = overridden("name = \"golang\"\ntitle = \"R\"").err().unwrap().to_string();
    assert!(error.ends_with("name 'golang' is not that of its folder, 'rust'"), "{error}");

    let dir = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join("klingon")).unwrap();
    let manifest = dir.path().join("klingon/grammar.toml");
    fs::write(&manifest, "name = \"klingon\"\ntitle = \"K\"\n").unwrap();
    let error = Grammars::with_overrides(dir.path()).err().unwrap().to_string();
    assert!(
        error.contains("is not named after a language: unknown language 'klingon'; choose one of "),
        "{error}"
    );
    fs::write(&manifest, "name = \"klingon\"\ntitle = \"K\"\nextensions = [\"kl\"]\n[lexis]\n").unwrap();
    let grammars = Grammars::with_overrides(dir.path()).unwrap();
    assert_eq!(grammars.name(grammars.detect(&RelPath::new("a.kl").unwrap(), "")), "klingon");
}

#[test]
fn a_tree_adds_languages_and_a_bad_manifest_is_left_out() {
    let dir = tempfile::tempdir().unwrap();
    assert!(matches!(Grammars::of_tree(dir.path()), (None, faults) if faults.is_empty()));
    let add = |name: &str, text: &str| {
        let folder = dir.path().join(".spyhop/grammars").join(name);
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("grammar.toml"), text).unwrap();
    };
    add("bad", "name = \"bad\"\ntitle = \"B\"\n[[rule]]\nline = '('\nkind = \"fn\"\n");
    add(
        "lights",
        "name = \"lights\"\ntitle = \"L\"\nextensions = [\"lights\"]\n[[rule]]\nkind = \"fn\"\nline = 'on (?<name>\\w+)'\n",
    );
    add("taken", "name = \"taken\"\ntitle = \"T\"\nextensions = [\"rs\"]\n[lexis]\n");
    let (grammars, faults) = Grammars::of_tree(dir.path());
    let grammars = grammars.unwrap();
    assert_eq!(grammars.name(grammars.detect(&RelPath::new("a.lights").unwrap(), "")), "lights");
    assert!(grammars.by_name("bad").is_err() && grammars.by_name("taken").is_err());
    assert_eq!(faults.len(), if grammars.by_name("rust").is_ok() { 2 } else { 1 }, "{faults:?}");
    assert!(faults[0].to_string().contains("regex parse error"), "{}", faults[0]);
    assert_ne!(grammars.fingerprint(), Grammars::built_in().fingerprint());
}
