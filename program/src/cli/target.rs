//! The target of a command: one tree, or several sources of a library.

use std::mem::ManuallyDrop;
use std::sync::Arc;

use clap::ArgMatches;
use spyhop_engine::api::{Options, Snapshot};
use spyhop_engine::{Call, Corpus, Engine, Error, Operation};
use spyhop_interface::catalog::{OperationRow, Row, fill};

use super::failure::Failure;
use super::first::FirstIndex;
use super::output::Output;
use super::place::TreePlace;
use super::progress::Bar;
use super::values::CommandValues;
use super::{huge, options, sources};

/// The target that the arguments of a command choose.
pub enum CommandTarget {
    /// One tree.
    Tree(TreePlace),
    /// Sources of a library.
    Sources,
}

impl CommandTarget {
    /// The target that the arguments choose. From then on, `output` shows the paths of this target.
    pub fn new(matches: &ArgMatches, output: &mut Output) -> Result<CommandTarget, Failure> {
        CommandTarget::with_place(matches, output, options::place)
    }

    /// Like [`CommandTarget::new`], for a command that finds the place in the tree in a way of its own.
    pub fn with_place(
        matches: &ArgMatches,
        output: &mut Output,
        place: impl FnOnce(&ArgMatches) -> Result<TreePlace, Failure>,
    ) -> Result<CommandTarget, Failure> {
        if sources::are_asked(matches)? {
            output.show_paths_of_sources();
            return Ok(CommandTarget::Sources);
        }
        let place = place(matches)?;
        output.show_paths_of(&place);
        Ok(CommandTarget::Tree(place))
    }

    /// The place in the tree, if one tree is asked.
    pub fn place(&self) -> Option<&TreePlace> {
        match self {
            CommandTarget::Tree(place) => Some(place),
            CommandTarget::Sources => None,
        }
    }

    /// The arguments as raw values.
    pub fn values<'m>(&'m self, matches: &'m ArgMatches) -> Result<CommandValues<'m>, Failure> {
        match self {
            CommandTarget::Tree(place) => Ok(CommandValues::new(matches, place)),
            CommandTarget::Sources => CommandValues::of_sources(matches),
        }
    }

    /// Writes the given arguments into a request.
    pub fn fill<R>(&self, rows: &[Row<R>], request: &mut R, matches: &ArgMatches) -> Result<(), Failure> {
        fill(rows, request, &self.values(matches)?).map_err(|error| Failure::Usage(error.to_string()))
    }

    /// Opens what is asked. If the operation builds a missing index, a person is asked before a huge tree is indexed.
    pub fn open(
        &self,
        row: &OperationRow,
        options: Options,
        matches: &ArgMatches,
    ) -> Result<OpenTrees, Failure> {
        self.open_first(row, options, None, matches)
    }

    /// Like [`CommandTarget::open`], for an operation that the text of a large tree may answer first.
    pub fn open_first(
        &self,
        row: &OperationRow,
        options: Options,
        first: Option<FirstIndex>,
        matches: &ArgMatches,
    ) -> Result<OpenTrees, Failure> {
        let CommandTarget::Tree(place) = self else {
            return Ok(OpenTrees { corpus: sources::open(matches, &options)?, tree: None });
        };
        let options = match &first {
            Some(first) => first.engine_options(options),
            None => options,
        };
        let engine = match row.builds_index {
            true => huge::open(place, options, matches)?,
            false => place.open(options)?,
        };
        Ok(OpenTrees { corpus: Arc::new(Corpus::from(&*engine)), tree: Some((engine, first)) })
    }
}

/// The opened trees that a command asks.
pub struct OpenTrees {
    corpus: Arc<Corpus>,
    tree: Option<(ManuallyDrop<Engine>, Option<FirstIndex>)>,
}

impl OpenTrees {
    /// Answers a request, and shows the progress of an update of the index.
    pub fn call<O: Operation>(&self, request: &O, output: &Output) -> Result<O::Reply, Error> {
        self.run(output, |corpus, call| corpus.call(request, call))
    }

    /// Runs `ask` with a call that shows the progress of an update of the index.
    pub fn run<T>(&self, output: &Output, ask: impl FnOnce(&Corpus, &Call<'_>) -> T) -> T {
        let bar = self.tree.as_ref().map(|(engine, _)| Bar::announcing(output, engine));
        let show = |progress| bar.iter().for_each(|bar| bar.update(progress));
        ask(&self.corpus, &Call::default().with_progress(&show))
    }

    /// Starts the process that completes the index from whose unfinished state an answer came. Returns the warning about
    /// that.
    pub fn complete(&self, snapshot: &Snapshot) -> Option<String> {
        let (engine, first) = self.tree.as_ref()?;
        first.as_ref()?.complete(engine, snapshot)
    }
}
