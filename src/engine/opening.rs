//! How an engine is opened: the options are checked, the tree and the place of its index are found. Nothing is indexed.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use tempfile::TempDir;

use super::api::{Options, Remedy};
use super::core::{Engine, EngineParts};
use super::hosted::{self, HostedFiles, HostedFolders};
use super::open_index::OpenIndex;
use super::parsers::Parsers;
use super::revision_notes::RevisionNotes;
use super::touches::Touches;
use super::tree::SearchedTree;
use super::{advice, fault, memory};
use crate::error::{self, Error, ErrorKind};
use spyhop_base::store::IoCause;
use spyhop_files::git::{self, Repo};
use spyhop_files::read::Limits;
use spyhop_files::source::SourceTree;
use spyhop_files::walk::WalkError;
use spyhop_index::update;
use spyhop_index::workspace::{self, Workspace, WorkspaceError};
use spyhop_semantic::{SEMANTIC_FOLDER, SemanticFolder};

impl Engine {
    /// Opens the tree at `root`, without indexing anything. [`Engine::find_root`] finds the usual root for a folder.
    ///
    /// # Errors
    /// `NoRoot` if the root is missing, is not a folder or cannot be read; `BadRequest` for an invalid grammar folder, an
    /// unknown revision, or an option out of range; `ForeignIndex` if the index folder belongs to another tree or user;
    /// `NewerFormat` if a newer version of this program made the index.
    pub fn open(root: impl AsRef<Path>, options: Options) -> Result<Engine, Error> {
        check_sizes(&options)?;
        let given = root.as_ref();
        let root = given.canonicalize().map_err(|source| error::no_root(given.to_path_buf(), source))?;
        if !root.is_dir() {
            return Err(WalkError::NotADirectory { root: given.to_path_buf() }.into());
        }
        let discover =
            || Ok(git::discover_within(&root, &options.git_reach).map_err(|error| error.to_string()));
        let repo = fault::guarded("reading the git repository", discover)
            .unwrap_or_else(|fault| Err(fault.to_string()));
        let owner =
            repo.as_ref().ok().and_then(Option::as_ref).map_or_else(|| root.clone(), Repo::common_dir);
        let private = if options.index_in_memory { Some(hosted::private_folder()?) } else { None };
        let home = if private.is_some() { None } else { index_home(&options)? };
        let dir = match (&private, &home, &options.index_dir) {
            (Some(private), ..) => private.path().join("index"),
            (None, Some(home), _) => home.join(Workspace::key(&owner)),
            (None, None, dir) => root.join(dir.as_deref().unwrap_or(Path::new(""))),
        };
        let tree = SearchedTree::of_folder(root, repo, &options);
        assembled(tree, IndexPlace { owner, dir, home, private }, options)
    }

    /// The usual root for a folder: the top folder of the git repository around it. Outside git, the nearest folder
    /// around it that has an index in the usual place, or the folder itself.
    pub fn find_root(folder: &Path) -> PathBuf {
        if let Some(repo) = git::discover(folder) {
            return repo.top().to_path_buf();
        }
        let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_path_buf());
        let home = index_home(&Options::default()).ok().flatten();
        let is_indexed = |root: &&Path| home.as_ref().is_some_and(|home| Workspace::is_in(home, root));
        folder.ancestors().find(is_indexed).unwrap_or(&folder).to_path_buf()
    }
}

/// Opens the tree that a host provides.
pub(super) fn hosted(source: Arc<dyn SourceTree>, options: Options) -> Result<Engine, Error> {
    check_sizes(&options)?;
    let HostedFolders { root, index, private } = HostedFolders::new(options.index_dir.as_deref())?;
    let place = IndexPlace { owner: root.clone(), dir: index, home: None, private };
    let tree = SearchedTree::of_host(root, HostedFiles::new(source), &options);
    assembled(tree, place, options)
}

/// The engine of a tree, with the revision that the options name.
fn assembled(
    mut tree: SearchedTree,
    IndexPlace { owner, dir, home, private }: IndexPlace,
    options: Options,
) -> Result<Engine, Error> {
    let parsers = Parsers::new(&options, tree.root())?;
    advice::check_index_dir(&dir)?;
    let fingerprint = workspace::fingerprint(parsers.grammars(), &options.extra_terms);
    let workspace = Workspace::new(tree.root().to_path_buf(), owner, dir, fingerprint);
    match workspace.check_owner() {
        // Operations that need the index fail with this error later, or repair the index. An exact search does not need
        // the index.
        Err(error @ WorkspaceError::LostClaim { .. }) => {
            tracing::warn!(%error, "the index cannot be read")
        }
        Err(WorkspaceError::File(error)) if error.io_cause() == IoCause::Permission => {
            tracing::warn!(%error, "the index cannot be read");
        }
        checked => checked?,
    }
    if let Some(spec) = &options.view {
        tree.search_revision(spec)?;
    }
    Ok(Engine::of_parts(EngineParts {
        touches: Touches::load(workspace.session_path()),
        semantic: SemanticFolder::new(workspace.dir().join(SEMANTIC_FOLDER)),
        notes: RevisionNotes::new(memory::note_place(&workspace, tree.repo())),
        index: OpenIndex::new(workspace, home, private),
        clock: Box::new(SystemTime::now),
        tree,
        parsers,
        options,
    }))
}

/// The place of an index.
struct IndexPlace {
    owner: PathBuf,
    dir: PathBuf,
    home: Option<PathBuf>,
    private: Option<TempDir>,
}

/// Refuses sizes that are out of range.
fn check_sizes(options: &Options) -> Result<(), Error> {
    let most = Limits::MAX_FILE_BYTES;
    if !(1..=most).contains(&options.max_file_bytes) {
        let text = format!("max_file_bytes is {}; choose 1 to {most}", options.max_file_bytes);
        return Err(Error::bad(text));
    }
    if let Some(asked) = options.max_memory.filter(|asked| *asked < update::MIN_MEMORY) {
        let least = update::MIN_MEMORY;
        return Err(Error::bad(format!("max_memory is {asked}; choose {least} (64M) or more")));
    }
    if let Some(fault) = options.signals.fault() {
        return Err(Error::bad(fault));
    }
    if let (true, Some(dir)) = (options.index_in_memory, &options.index_dir) {
        let dir = dir.display();
        return Err(Error::bad(format!(
            "index_in_memory is set and index_dir is '{dir}'; choose one of them"
        )));
    }
    Ok(())
}

/// The folder with the indexes of many trees; `None` if the options name a folder for this index only.
///
/// # Errors
/// `Io` if there is no cache folder.
pub fn index_home(options: &Options) -> Result<Option<PathBuf>, Error> {
    if options.index_dir.is_some() {
        return Ok(None);
    }
    let base = match std::env::var_os("SPYHOP_INDEX_DIR").filter(|dir| !dir.is_empty()) {
        Some(dir) => {
            std::path::absolute(dir).map_err(|error| Error::new(ErrorKind::Io, error.to_string()))?
        }
        None => {
            use etcetera::BaseStrategy;
            let strategy = etcetera::choose_base_strategy().map_err(|error| {
                Error::new(ErrorKind::Io, format!("no cache folder: {error}; set SPYHOP_INDEX_DIR"))
                    .with(Remedy::ChooseIndexFolder)
            })?;
            strategy.cache_dir().join("spyhop").join("index")
        }
    };
    Ok(Some(base))
}
