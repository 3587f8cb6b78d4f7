//! The supported clients: where each keeps its servers, in which format, and in which folder it starts them.
//!
//! This module owns the facts that come from other programs' documentation; `docs/clients.md` names the source of each
//! line. Each client is one row, so adding a client means adding a row.

use spyhop_attributes::{All, Name};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The owner of a configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Name, All)]
pub enum ConfigScope {
    /// The user, for every project.
    User,
    /// The project in the current folder; other people may share the file.
    Project,
}

/// The format of a configuration file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// JSON, possibly with comments and trailing commas.
    Json,
    Toml,
}

/// The folder in which a client starts its servers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StartFolder {
    /// The project that the client works on, so the current folder says what to serve.
    InProject,
    /// Any folder. A project's own configuration can name the project's folder by this variable; the user's
    /// configuration has to name trees.
    Anywhere { project: &'static str },
}

/// A client and its configuration.
#[derive(Debug)]
pub struct Client {
    pub name: &'static str,
    /// The client's name for people.
    pub title: &'static str,
    pub format: Format,
    /// The name of the table that holds the servers.
    pub key: &'static str,
    /// Whether an entry has a field that says that the server uses pipes.
    pub typed: bool,
    pub starts: StartFolder,
    /// The configuration files; the first scope is the default.
    files: &'static [(ConfigScope, ConfigPath)],
}

/// Computes the path of a configuration file from the folders.
type ConfigPath = fn(&ClientFolders) -> PathBuf;

/// Every client, sorted by name.
pub const CLIENTS: &[Client] = &[
    Client {
        name: "claude-code",
        title: "Claude Code",
        format: Format::Json,
        key: "mcpServers",
        typed: true,
        starts: StartFolder::InProject,
        files: &[
            (ConfigScope::User, |folders| folders.claude.join(".claude.json")),
            (ConfigScope::Project, |folders| folders.project.join(".mcp.json")),
        ],
    },
    Client {
        name: "cursor",
        title: "Cursor",
        format: Format::Json,
        key: "mcpServers",
        typed: true,
        starts: StartFolder::Anywhere { project: "${workspaceFolder}" },
        files: &[
            (ConfigScope::Project, |folders| folders.project.join(".cursor/mcp.json")),
            (ConfigScope::User, |folders| folders.home.join(".cursor/mcp.json")),
        ],
    },
    Client {
        name: "vscode",
        title: "VS Code",
        format: Format::Json,
        key: "servers",
        typed: true,
        starts: StartFolder::Anywhere { project: "${workspaceFolder}" },
        files: &[
            (ConfigScope::Project, |folders| folders.project.join(".vscode/mcp.json")),
            (ConfigScope::User, |folders| folders.applications.join("Code/User/mcp.json")),
        ],
    },
    Client {
        name: "codex",
        title: "Codex",
        format: Format::Toml,
        key: "mcp_servers",
        typed: false,
        starts: StartFolder::InProject,
        files: &[
            (ConfigScope::User, |folders| folders.codex.join("config.toml")),
            (ConfigScope::Project, |folders| folders.project.join(".codex/config.toml")),
        ],
    },
    Client {
        name: "zed",
        title: "Zed",
        format: Format::Json,
        key: "context_servers",
        typed: false,
        starts: StartFolder::InProject,
        files: &[
            (ConfigScope::User, |folders| folders.zed.join("settings.json")),
            (ConfigScope::Project, |folders| folders.project.join(".zed/settings.json")),
        ],
    },
    Client {
        name: "gemini-cli",
        title: "Gemini CLI",
        format: Format::Json,
        key: "mcpServers",
        typed: false,
        starts: StartFolder::InProject,
        files: &[
            (ConfigScope::User, |folders| folders.home.join(".gemini/settings.json")),
            (ConfigScope::Project, |folders| folders.project.join(".gemini/settings.json")),
        ],
    },
    Client {
        name: "generic",
        title: "the client",
        format: Format::Json,
        key: "mcpServers",
        typed: false,
        starts: StartFolder::InProject,
        files: &[],
    },
];

impl Client {
    pub fn by_name(name: &str) -> Option<&'static Client> {
        CLIENTS.iter().find(|client| client.name == name)
    }

    /// The default scope; `None` where the client has no file of its own.
    pub fn default_scope(&self) -> Option<ConfigScope> {
        self.files.first().map(|(scope, _)| *scope)
    }

    /// The path of the configuration.
    pub fn file(&self, scope: ConfigScope, folders: &ClientFolders) -> Option<PathBuf> {
        self.files.iter().find(|(known, _)| *known == scope).map(|(_, file)| file(folders))
    }
}

/// The folders that clients use, read from the environment.
#[derive(Clone, Debug)]
pub struct ClientFolders {
    home: PathBuf,
    /// The folder where desktop applications keep their settings.
    applications: PathBuf,
    claude: PathBuf,
    codex: PathBuf,
    zed: PathBuf,
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
        ClientFolders {
            home: home.to_path_buf(),
            applications,
            claude: named("CLAUDE_CONFIG_DIR").unwrap_or_else(|| home.to_path_buf()),
            codex: named("CODEX_HOME").unwrap_or_else(|| home.join(".codex")),
            zed,
            project,
            state,
        }
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
