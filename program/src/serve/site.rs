//! What is served: the trees with their engines, the library, and what the page may do.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use spyhop_base::path::RelPath;
use spyhop_engine::api::SourceName;
use spyhop_engine::{Corpus, Engine, Error, Operation};
use spyhop_interface::operations::LIBRARY;
use spyhop_library::SourceChoice;
use tokio::sync::{Semaphore, watch};

use super::latency::Latencies;
use super::params::Params;
use super::reply::ApiError;
use super::tabs::Tabs;
use crate::mcp::roots::Roots;
use crate::mcp::{self, Engines, ServedLibrary, UpdateState};

/// The value of the parameter `root` that stands for all served trees.
pub const ALL_ROOTS: &str = "*";

/// What is served; see the module.
pub struct PageSite {
    pub trees: Vec<SiteTree>,
    pub roots: Roots,
    pub library: Arc<ServedLibrary>,
    pub can_open: bool,
    /// The folder with runs of `spyhop-eval`.
    pub eval: Option<PathBuf>,
    pub latencies: Latencies,
    pub tabs: Tabs,
    /// The limit on searches that run at once.
    pub searches: Arc<Semaphore>,
    /// The limit on other questions that run at once.
    pub questions: Arc<Semaphore>,
}

/// A served tree.
pub struct SiteTree {
    /// The name in addresses: that of the folder, with a number if another tree has it too.
    pub name: String,
    pub engines: Arc<Engines>,
    pub update: watch::Receiver<UpdateState>,
}

/// What a question is about: one tree in one view, or several trees, each with its name.
pub enum AskedTrees {
    Tree { number: usize, engine: Engine, view: Option<String> },
    Sources(Arc<Corpus>),
}

impl AskedTrees {
    pub fn ask<O: Operation>(&self, request: &O) -> Result<O::Reply, Error> {
        match self {
            AskedTrees::Tree { engine, .. } => engine.ask(request),
            AskedTrees::Sources(corpus) => corpus.ask(request),
        }
    }
}

impl PageSite {
    pub fn new(server: &mcp::Server, can_open: bool, eval: Option<PathBuf>) -> PageSite {
        let names = mcp::names(server.trees().iter().map(mcp::ServedTree::root));
        let tree = |(name, tree): (String, &mcp::ServedTree)| SiteTree {
            name,
            engines: tree.engines(),
            update: tree.updates(),
        };
        let trees: Vec<SiteTree> = names.into_iter().zip(server.trees()).map(tree).collect();
        let at_once = std::thread::available_parallelism().map_or(2, |cores| cores.get().max(2));
        let [searches, questions] = [at_once + 1, at_once].map(|permits| Arc::new(Semaphore::new(permits)));
        PageSite {
            roots: Roots::new(server.trees().iter().map(|tree| tree.root().to_path_buf()).collect()),
            trees,
            library: Arc::clone(server.library()),
            can_open,
            eval,
            latencies: Latencies::new(),
            tabs: Tabs::default(),
            searches,
            questions,
        }
    }

    /// The number of the tree with this name; without a name, the first.
    pub fn tree(&self, name: Option<&str>) -> Result<usize, ApiError> {
        let Some(name) = name else { return Ok(0) };
        self.trees.iter().position(|tree| tree.name == name).ok_or_else(|| {
            let names: Vec<&str> = self.trees.iter().map(|tree| tree.name.as_str()).collect();
            ApiError::not_found(format!("no tree '{name}' is served; choose {}", names.join(", ")))
        })
    }

    /// A path below the root of a tree.
    pub fn place(&self, number: usize, name: &str, text: &str) -> Result<RelPath, ApiError> {
        self.roots.place(name, text, Some(number)).map(|place| place.path).map_err(ApiError::bad)
    }

    /// The engine of a tree and a view. It answers from the last commit: the server keeps the index current meanwhile.
    pub fn engine(&self, number: usize, view: Option<&str>) -> Result<Engine, ApiError> {
        let engines = &self.trees[number].engines;
        let engine = engines.of(view, None)?;
        engines.mark_used();
        // The view of a revision is built when it is asked for the first time.
        let policy = engine.policy();
        let policy = if view.is_some() { policy } else { policy.last_commit() };
        Ok(engine.with_policy(policy))
    }

    /// What the parameters `root`, `view` and `in` choose.
    pub fn asked(&self, params: &Params) -> Result<AskedTrees, ApiError> {
        self.chosen(params.one("root")?, params.one("view")?, &params.sources())
    }

    /// A tree by its name or as the only one of `names`; or the served trees or the sources of the library with these
    /// names. A `root` that is not served is a source of the library, and `*` is all served trees.
    pub fn chosen(
        &self,
        root: Option<&str>,
        view: Option<&str>,
        names: &[String],
    ) -> Result<AskedTrees, ApiError> {
        let mut names: Vec<&str> = names.iter().map(String::as_str).filter(|name| !name.is_empty()).collect();
        match root {
            Some(ALL_ROOTS) if names.is_empty() => {
                names.extend(self.trees.iter().map(|tree| tree.name.as_str()));
            }
            Some(root) if names.is_empty() && self.is_source(root) => names.push(root),
            _ => {}
        }
        let root = match names[..] {
            [] => self.tree(root)?,
            [name] if self.tree(Some(name)).is_ok() => self.tree(Some(name))?,
            _ if view.is_some() => {
                let text = "'view' is of one tree, and several are asked; name one tree in 'root', or leave 'view' out";
                return Err(ApiError::bad(text));
            }
            _ => return self.sources(&names).map(AskedTrees::Sources),
        };
        let view = view.map(str::to_string);
        Ok(AskedTrees::Tree { number: root, engine: self.engine(root, view.as_deref())?, view })
    }

    /// The served trees, or the sources of the library, with these names, answering from their last commits.
    fn sources(&self, names: &[&str]) -> Result<Arc<Corpus>, ApiError> {
        let mut trees: Vec<usize> = names.iter().filter_map(|name| self.tree(Some(name)).ok()).collect();
        trees.sort_unstable();
        trees.dedup();
        if trees.len() == names.len() {
            let member = |number: &usize| {
                Ok((SourceName::new(&self.trees[*number].name), self.engine(*number, None)?))
            };
            let members = trees.iter().map(member).collect::<Result<Vec<_>, ApiError>>()?;
            return Ok(Arc::new(Corpus::new(members)?));
        }
        if let Some(tree) = trees.first() {
            let text = format!(
                "'{}' is a served tree, and others are sources of the library; ask them apart",
                self.trees[*tree].name
            );
            return Err(ApiError::bad(text));
        }
        let choice = match names {
            ["*" | "all"] => SourceChoice::All,
            names => SourceChoice::of_names(names.iter().map(|name| name.to_string()).collect()),
        };
        Ok(Arc::new(self.library.set(&choice)?.of_last_commits()))
    }

    /// The folder with runs of `spyhop-eval`.
    pub fn eval(&self) -> Result<&Path, ApiError> {
        self.eval
            .as_deref()
            .ok_or_else(|| ApiError::forbidden("runs are shown only with spyhop serve --eval DIR"))
    }

    /// Whether no tree has this name, and a source of the library has it.
    fn is_source(&self, name: &str) -> bool {
        self.tree(Some(name)).is_err() && self.source_names().iter().any(|own| own == name)
    }

    /// The names of the sources of the library.
    pub fn source_names(&self) -> Vec<String> {
        let listed = self.library.open().and_then(|library| library.list());
        match listed {
            Ok(reply) => reply.sources.iter().map(|source| source.name.clone()).collect(),
            Err(error) => {
                tracing::debug!(%error, "the {LIBRARY} is not listed");
                Vec::new()
            }
        }
    }
}
