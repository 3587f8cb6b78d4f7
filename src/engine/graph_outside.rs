//! Names of packages outside of a tree, as rows of the code graph: how questions to several trees follow imports from
//! one tree to another.

use rustc_hash::FxHashSet;

use super::api::*;
use super::call::Call;
use super::core::Engine;
use super::corpus::Corpus;
use super::current;
use super::graph::{Answered, GraphAnswer, GraphSources, on_large_stack};
use super::operation::Operation;
use crate::error::Error;
use spyhop_base::path::RelPath;
use spyhop_graph::{EdgeRule, Graph, GraphLimits, OutsideName, OutsideUse};
use spyhop_search::filter::Filter;

/// The most work of one tree, in files of usual size that are read.
const MAX_WORK: usize = 500;

/// The uses in a tree of definitions of a package.
pub(super) struct PackageUses {
    pub rows: Vec<GraphRow>,
    /// The number of uses before the limit of rows.
    pub total: usize,
    /// The number of files that were not resolved because there were enough uses.
    pub further_files: usize,
    /// Why uses may be missing.
    pub incomplete: Option<Incomplete>,
}

/// What the name at `path:line:column` means outside of this tree; `None` if the target is no such place.
pub(super) fn outside_name(engine: &Engine, target: &str) -> Result<Option<OutsideName>, Error> {
    let Some((before, column)) = target.rsplit_once(':') else { return Ok(None) };
    let Some((path, line)) = before.rsplit_once(':') else { return Ok(None) };
    let (Ok(line), Ok(column)) = (line.parse(), column.parse()) else { return Ok(None) };
    with_graph(engine, |asked| {
        let file = asked.snapshot.file_at(path);
        Ok(file.and_then(|file| asked.graph.outside_at(file, line, column)))
    })
}

/// The uses in this tree of definitions of another tree, which is a package: those that the request asks for.
pub(super) fn uses_of_package(
    engine: &Engine,
    package: &SourcePackage,
    definitions: &[SymbolRow],
    request: &GraphRequest,
) -> Result<PackageUses, Error> {
    let filter = Filter::new(&request.filter, engine.grammars())?;
    let takes = |used: &OutsideUse| match request.question {
        GraphQuestion::References => request.relation.is_none_or(|relation| used.relation == relation),
        _ => used.relation == Relation::Calls,
    };
    with_graph(engine, |asked| {
        let mut rows = Vec::new();
        for own in definitions {
            let mut uses = asked.graph.outside_uses(&own.name)?;
            uses.retain(|used| {
                takes(used)
                    && used.meant.is_of_package(&package.ecosystem, &package.name)
                    && is_in(own, &used.meant)
            });
            for used in uses {
                rows.push(asked.outside_row(&used, own)?);
            }
        }
        let mut answered = Answered { rows, ..Answered::default() };
        let total = answered.limit(request, &filter, engine.grammars());
        let rows = engine.policy().masked(answered.rows);
        let further_files = asked.graph.further();
        Ok(PackageUses { rows, total, further_files, incomplete: asked.incomplete() })
    })
}

/// A part of a question to the code graph: the mentions in one tree of the names of definitions of other trees.
#[derive(Clone, Debug)]
pub(crate) struct ElsewhereRequest {
    /// The question.
    pub request: GraphRequest,
    /// The definitions, each with the package that its tree is.
    pub definitions: Vec<(Option<SourcePackage>, SymbolRow)>,
    /// The uses in the tree that is asked.
    pub shown: Vec<GraphRow>,
}

impl Operation for ElsewhereRequest {
    const NAME: &'static str = "mentions_elsewhere";

    type Reply = Mentions;

    fn run(&self, corpus: &Corpus, _call: &Call<'_>) -> Result<Mentions, Error> {
        let engine = corpus.only("a count of mentions", "names are resolved within a tree")?;
        let ElsewhereRequest { request, definitions, shown } = self;
        let filter = Filter::new(&request.filter, engine.grammars())?;
        let all: Vec<SymbolRow> = definitions.iter().map(|(_, own)| own.clone()).collect();
        with_graph(engine, |asked: &GraphAnswer<'_, '_>| {
            let mut proven = FxHashSet::default();
            for (package, own) in definitions {
                let Some(package) = package else { continue };
                let mut uses = asked.graph.outside_uses(&own.name)?;
                uses.retain(|used| {
                    used.meant.is_of_package(&package.ecosystem, &package.name) && is_in(own, &used.meant)
                });
                proven.extend(uses.iter().map(|used| (used.file, used.span)));
            }
            asked.mentions_elsewhere(&all, proven, (request, &filter), shown)
        })
    }
}

fn with_graph<T: Send>(
    engine: &Engine,
    ask: impl Fn(&GraphAnswer<'_, '_>) -> Result<T, Error> + Sync,
) -> Result<T, Error> {
    let (snapshot, _) = current::ready(engine, &|_| ())?;
    on_large_stack(|| {
        let quarantine = engine.quarantine();
        let sources = GraphSources::new(engine, &snapshot, &quarantine)?;
        let graph = Graph::new(&snapshot, engine.grammars(), &sources, GraphLimits::of_work(MAX_WORK));
        let asked = GraphAnswer::new(engine, &snapshot, graph, &sources);
        let answer = ask(&asked)?;
        asked.checked(answer)
    })
}

/// Whether a name may mean a definition, by what contains them.
fn is_in(own: &SymbolRow, meant: &OutsideName) -> bool {
    match (&own.container, &meant.container) {
        (Some(own), Some(meant)) => own == meant,
        // An inner module contains the name.
        (None, _) => true,
        (Some(_), None) => false,
    }
}

impl GraphAnswer<'_, '_> {
    /// The row of a use of a definition of another tree.
    fn outside_row(&self, used: &OutsideUse, to: &SymbolRow) -> Result<GraphRow, Error> {
        let (line, column) = self.place_of(used.file, used.span);
        Ok(GraphRow {
            source: None,
            relation: used.relation,
            is_outgoing: false,
            depth: 1,
            path: RelPath::new(self.snapshot.path(used.file))?,
            line,
            column,
            text: self.text_of(used.file, line),
            from: used.from.as_ref().map(|from| self.symbol_row(from)).transpose()?,
            to: GraphEnd::Symbol(to.clone()),
            confidence: EdgeRule::Import.confidence(),
            rule: EdgeRule::Import,
            is_test: self.graph.is_test(used.file, used.from.as_ref()),
            is_value: false,
            is_possible: false,
        })
    }
}
