//! The libraries of Rust in a tree, the names that manifests give them, and modules.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use serde::Deserialize;

/// A library of the tree.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct RustCrate {
    /// The name as in code.
    pub name: String,
    pub package: String,
    /// The folder of the root module.
    pub folder: String,
    /// The file of the root module.
    pub root: u32,
}

/// A module: the folder of its submodules, and its file.
#[derive(Clone)]
pub(super) struct RustModule {
    pub folder: String,
    pub file: Option<u32>,
}

/// The modules that files have by imports, by the file, the name, and the number of re-exports that may follow.
pub(super) type PassedOn = FxHashMap<(u32, Box<str>, usize), Option<RustModule>>;

/// The names in a manifest.
pub(super) struct ManifestNames {
    /// The package, and the name of its library as in code.
    pub library: Option<(String, String)>,
    /// The file of the root module, below the folder of the manifest.
    pub root: String,
    /// The names as in code that dependencies have here, with their packages.
    pub renamed: Vec<(String, String)>,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct CargoManifest {
    package: Option<Package>,
    lib: Option<LibTable>,
    workspace: Option<WorkspaceTable>,
    #[serde(default)]
    dependencies: Dependencies,
    #[serde(default)]
    dev_dependencies: Dependencies,
}

#[derive(Deserialize)]
struct Package {
    name: String,
}

#[derive(Default, Deserialize)]
struct LibTable {
    name: Option<String>,
    path: Option<String>,
}

#[derive(Deserialize)]
struct WorkspaceTable {
    #[serde(default)]
    dependencies: Dependencies,
}

type Dependencies = BTreeMap<String, toml::Value>;

impl ManifestNames {
    /// The names in the text of a manifest; `None` if the text is not a manifest.
    pub fn read(text: &str) -> Option<ManifestNames> {
        let CargoManifest { package, lib, workspace, dependencies, dev_dependencies } =
            toml::from_str(text).ok()?;
        let of_workspace = workspace.map(|workspace| workspace.dependencies).unwrap_or_default();
        let all = of_workspace.iter().chain(&dependencies).chain(&dev_dependencies);
        let renamed = all
            .filter_map(|(alias, value)| Some((in_code(alias), value.get("package")?.as_str()?.to_string())))
            .collect();
        let LibTable { name, path } = lib.unwrap_or_default();
        let library = package.map(|package| {
            let name = in_code(name.as_ref().unwrap_or(&package.name));
            (package.name, name)
        });
        Some(ManifestNames { library, root: path.unwrap_or_else(|| "src/lib.rs".to_string()), renamed })
    }
}

fn in_code(name: &str) -> String {
    name.replace('-', "_")
}
