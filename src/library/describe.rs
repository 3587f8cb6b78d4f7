//! The description of a tree by its files: its licence and its package.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use super::manifest::PackageName;
use super::records;

/// The most bytes that are read of a file.
const MAX_BYTES: u64 = 256 << 10;

/// The description of a tree by its files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct TreeDescription {
    /// The licence, as an SPDX expression.
    pub licence: Option<String>,
    /// The files with the text of the licence.
    pub licence_files: Vec<String>,
    /// The package.
    pub package: Option<PackageName>,
}

/// Reads the manifests and licences at the top of a tree.
pub(super) fn describe(root: &Path) -> TreeDescription {
    let names = records::names(root).unwrap_or_default();
    let licence_files: Vec<String> = names.iter().filter(|name| is_licence(name)).cloned().collect();
    let (package, stated) = packages(root, &names);
    let licence = stated.or_else(|| {
        let found = licence_files.iter().find_map(|name| licence_of_text(&text(&root.join(name))?));
        found.map(str::to_string)
    });
    TreeDescription { licence, licence_files, package }
}

fn is_licence(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    ["license", "licence", "copying", "unlicense"].iter().any(|known| name.starts_with(known))
}

fn text(path: &Path) -> Option<String> {
    if !path.symlink_metadata().ok()?.is_file() {
        return None;
    }
    let mut bytes = Vec::new();
    File::open(path).ok()?.take(MAX_BYTES).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// The package and the licence by the first manifest that names a package.
fn packages(root: &Path, names: &[String]) -> (Option<PackageName>, Option<String>) {
    let has = |wanted: &str| names.iter().any(|name| name == wanted);
    let read = |name: &str| has(name).then(|| text(&root.join(name))).flatten();
    let dist_info = names.iter().find(|name| name.ends_with(".dist-info"));
    let wheel = dist_info.and_then(|name| text(&root.join(name).join("METADATA")));
    let found = [
        read("Cargo.toml").and_then(|text| of_cargo(&text)),
        read("package.json").and_then(|text| of_npm(&text)),
        read("PKG-INFO").and_then(|text| of_python(&text)),
        wheel.and_then(|text| of_python(&text)),
        read("pyproject.toml").and_then(|text| of_pyproject(&text)),
        read("go.mod").and_then(|text| of_go(&text)),
    ];
    found.into_iter().flatten().next().map_or((None, None), |(package, licence)| (Some(package), licence))
}

fn package(ecosystem: &str, name: &str, version: Option<&str>) -> PackageName {
    PackageName {
        ecosystem: ecosystem.to_string(),
        name: name.to_string(),
        version: version.map(str::to_string),
    }
}

fn of_cargo(text: &str) -> Option<(PackageName, Option<String>)> {
    let table: toml::Table = text.parse().ok()?;
    let found = table.get("package")?;
    let value = |key: &str| found.get(key).and_then(toml::Value::as_str);
    Some((package("cargo", value("name")?, value("version")), value("license").map(str::to_string)))
}

fn of_go(text: &str) -> Option<(PackageName, Option<String>)> {
    let name = text.lines().find_map(|line| line.trim().strip_prefix("module"))?;
    let name = name.split("//").next()?.trim().trim_matches('"');
    (!name.is_empty()).then(|| (package("go", name, None), None))
}

fn of_npm(text: &str) -> Option<(PackageName, Option<String>)> {
    let found: serde_json::Value = serde_json::from_str(text).ok()?;
    let value = |key: &str| found.get(key).and_then(serde_json::Value::as_str);
    Some((package("npm", value("name")?, value("version")), value("license").map(str::to_string)))
}

fn of_pyproject(text: &str) -> Option<(PackageName, Option<String>)> {
    let table: toml::Table = text.parse().ok()?;
    let found = table.get("project")?;
    let value = |key: &str| found.get(key).and_then(toml::Value::as_str);
    Some((package("python", value("name")?, value("version")), value("license").map(str::to_string)))
}

/// The headers of a Python distribution.
fn of_python(text: &str) -> Option<(PackageName, Option<String>)> {
    let head = text.split("\n\n").next()?;
    let value = |key: &str| {
        let line = head.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(": "));
        line.map(str::trim).filter(|value| !value.is_empty() && *value != "UNKNOWN")
    };
    let licence = value("License-Expression").or_else(|| value("License").filter(|text| text.len() < 64));
    Some((package("python", value("Name")?, value("Version")), licence.map(str::to_string)))
}

/// Sentences of well-known licences, the more special licence first: each text contains all of its sentences.
const LICENCES: &[(&str, &[&str])] = &[
    ("Apache-2.0", &["apache license", "version 2.0"]),
    ("AGPL-3.0", &["gnu affero general public license", "version 3"]),
    ("LGPL-3.0", &["gnu lesser general public license", "version 3"]),
    ("LGPL-2.1", &["gnu lesser general public license", "version 2.1"]),
    ("GPL-3.0", &["gnu general public license", "version 3"]),
    ("GPL-2.0", &["gnu general public license", "version 2"]),
    ("MPL-2.0", &["mozilla public license", "2.0"]),
    ("BSL-1.0", &["boost software license"]),
    ("Unlicense", &["this is free and unencumbered software"]),
    ("CC0-1.0", &["cc0 1.0 universal"]),
    ("ISC", &["permission to use, copy, modify, and/or distribute this software"]),
    ("MIT", &["permission is hereby granted, free of charge", "without restriction"]),
    ("BSD-3-Clause", &["redistributions of source code", "neither the name"]),
    ("BSD-2-Clause", &["redistributions of source code"]),
];

/// The licence whose sentences a text contains.
fn licence_of_text(text: &str) -> Option<&'static str> {
    let words: Vec<String> = text.to_lowercase().split_whitespace().map(str::to_string).collect();
    let text = words.join(" ");
    LICENCES.iter().find(|(_, parts)| parts.iter().all(|part| text.contains(part))).map(|(name, _)| *name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_and_licences_are_found() {
        let check = |files: &[(&str, &str)], expected: (Option<(&str, &str)>, Option<&str>)| {
            let folder = tempfile::tempdir().unwrap();
            for (name, text) in files {
                let path = folder.path().join(name);
                std::fs::create_dir_all(path.parent().unwrap()).unwrap();
                std::fs::write(path, text).unwrap();
            }
            let found = describe(folder.path());
            let name = found.package.as_ref().map(|found| (found.ecosystem.as_str(), found.name.as_str()));
            assert_eq!((name, found.licence.as_deref()), expected, "{files:?}");
        };
        let mit = "Permission is hereby granted, free\nof charge, to any person ... without restriction, ...";
        check(&[("LICENSE-MIT", mit)], (None, Some("MIT")));
        let cargo = "[package]\nname = \"a\"\nversion = \"1.0.0\"\nlicense = \"MIT OR Apache-2.0\"\n";
        check(&[("Cargo.toml", cargo), ("LICENSE", mit)], (Some(("cargo", "a")), Some("MIT OR Apache-2.0")));
        check(
            &[("package.json", r#"{"name":"@a/b"}"#), ("LICENCE.md", mit)],
            (Some(("npm", "@a/b")), Some("MIT")),
        );
        let python = "Metadata-Version: 2.1\nName: x\nVersion: 2\nLicense: BSD-3-Clause\n\nText\n";
        check(&[("x-2.dist-info/METADATA", python)], (Some(("python", "x")), Some("BSD-3-Clause")));
        check(&[("go.mod", "// c\nmodule example.org/a // x\n")], (Some(("go", "example.org/a")), None));
        check(&[("Cargo.toml", "not toml ["), ("src/a.rs", "")], (None, None));
    }
}
