//! The supported clients: where each keeps its servers, in which format, and in which folder it starts them.
//!
//! This module owns the facts that come from other programs' documentation; `docs/clients.md` names the source of each
//! line. Each client is one row of `clients.toml`, so adding a client means adding a row.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use serde::Deserialize;
use spyhop_attributes::{All, Name};

/// The owner of a configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Name, All, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ConfigScope {
    /// The user, for every project.
    User,
    /// The project in the current folder; other people may share the file.
    Project,
}

/// The format of a configuration file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// JSON, possibly with comments and trailing commas.
    Json,
    Toml,
}

/// A client and its configuration.
#[derive(Debug, Deserialize)]
pub struct Client {
    pub name: &'static str,
    /// The client's name for people.
    pub title: &'static str,
    pub format: Format,
    /// The name of the table that holds the servers.
    pub key: &'static str,
    /// Whether an entry has a field that says that the server uses pipes.
    pub typed: bool,
    /// The variable by which a project's own configuration names the project's folder, if the client starts its servers in any
    /// folder: the user's configuration then has to name trees. Else the current folder says what to serve.
    pub project: Option<&'static str>,
    /// The configuration files, each with its folder and its path there; the first scope is the default.
    files: Vec<(ConfigScope, &'static str, &'static str)>,
}

/// Every client; the order is that of help.
pub static CLIENTS: LazyLock<Vec<Client>> = LazyLock::new(|| {
    let table: BTreeMap<String, Vec<Client>> =
        toml::from_str(include_str!("clients.toml")).expect("the table is sound");
    table.into_values().flatten().collect()
});

impl Client {
    pub fn by_name(name: &str) -> Option<&'static Client> {
        CLIENTS.iter().find(|client| client.name == name)
    }

    /// The default scope; `None` where the client has no file of its own.
    pub fn default_scope(&self) -> Option<ConfigScope> {
        self.files.first().map(|(scope, ..)| *scope)
    }

    /// The path of the configuration.
    pub fn file(&self, scope: ConfigScope, folders: &ClientFolders) -> Option<PathBuf> {
        let (_, folder, file) = self.files.iter().find(|(known, ..)| *known == scope)?;
        Some(folders.named.get(folder)?.join(file))
    }
}

/// The folders that clients use, read from the environment.
#[derive(Clone, Debug)]
pub struct ClientFolders {
    /// The folders in the table of clients; `applications` is where desktop applications keep their settings.
    named: BTreeMap<&'static str, PathBuf>,
    pub project: PathBuf,
    /// The folder that records what was changed.
    pub state: PathBuf,
}

impl ClientFolders {
    /// The folders of this process; `None` where there is no home folder.
    pub fn of_environment(project: PathBuf) -> Option<ClientFolders> {
        use etcetera::BaseStrategy;
        let strategy = etcetera::choose_base_strategy().ok()?;
        let state = ClientFolders::state_of_environment()?;
        Some(ClientFolders::new(strategy.home_dir(), project, state, &|name| std::env::var_os(name)))
    }

    /// The folder that records what was changed; `None` where there is no home folder.
    pub fn state_of_environment() -> Option<PathBuf> {
        use etcetera::BaseStrategy;
        let strategy = etcetera::choose_base_strategy().ok()?;
        Some(strategy.state_dir().unwrap_or_else(|| strategy.data_dir()).join("spyhop"))
    }

    fn new(
        home: &Path,
        project: PathBuf,
        state: PathBuf,
        variable: &dyn Fn(&str) -> Option<OsString>,
    ) -> ClientFolders {
        let named = |name: &str| variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let config = home.join(".config");
        let xdg = named("XDG_CONFIG_HOME").unwrap_or_else(|| config.clone());
        let roaming = named("APPDATA").unwrap_or_else(|| home.join("AppData/Roaming"));
        let (applications, zed) = if cfg!(windows) {
            (roaming.clone(), roaming.join("Zed"))
        } else if cfg!(target_os = "macos") {
            (home.join("Library/Application Support"), config.join("zed"))
        } else {
            (xdg.clone(), xdg.join("zed"))
        };
        let folders = [
            ("home", home.to_path_buf()),
            ("applications", applications),
            ("claude", named("CLAUDE_CONFIG_DIR").unwrap_or_else(|| home.to_path_buf())),
            ("codex", named("CODEX_HOME").unwrap_or_else(|| home.join(".codex"))),
            ("zed", zed),
            ("project", project.clone()),
        ];
        ClientFolders { named: folders.into(), project, state }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(target_os = "linux")]
    #[test]
    fn files_are_where_the_clients_look() {
        let check = |variables: &[(&str, &str)], expected: &[&str]| {
            let variable = |name: &str| {
                let found = variables.iter().find(|(known, _)| *known == name);
                found.map(|(_, value)| OsString::from(value))
            };
            let folders =
                ClientFolders::new(Path::new("/home/a"), "/project".into(), "/state".into(), &variable);
            let files = CLIENTS.iter().flat_map(|client| {
                ConfigScope::ALL.iter().filter_map(|scope| client.file(*scope, &folders)).collect::<Vec<_>>()
            });
            let files: Vec<String> = files.map(|path| path.display().to_string()).collect();
            assert_eq!(files, expected);
        };
        check(
            &[],
            &[
                "/home/a/.claude.json",
                "/project/.mcp.json",
                "/home/a/.cursor/mcp.json",
                "/project/.cursor/mcp.json",
                "/home/a/.config/Code/User/mcp.json",
                "/project/.vscode/mcp.json",
                "/home/a/.codex/config.toml",
                "/project/.codex/config.toml",
                "/home/a/.config/zed/settings.json",
                "/project/.zed/settings.json",
                "/home/a/.gemini/settings.json",
                "/project/.gemini/settings.json",
            ],
        );
        let moved = [
            ("XDG_CONFIG_HOME", "/config"),
            ("CODEX_HOME", "/codex"),
            ("CLAUDE_CONFIG_DIR", "/claude"),
            ("APPDATA", "not absolute"),
        ];
        check(
            &moved,
            &[
                "/claude/.claude.json",
                "/project/.mcp.json",
                "/home/a/.cursor/mcp.json",
                "/project/.cursor/mcp.json",
                "/config/Code/User/mcp.json",
                "/project/.vscode/mcp.json",
                "/codex/config.toml",
                "/project/.codex/config.toml",
                "/config/zed/settings.json",
                "/project/.zed/settings.json",
                "/home/a/.gemini/settings.json",
                "/project/.gemini/settings.json",
            ],
        );
    }
}
