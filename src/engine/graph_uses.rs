//! Every definition, use and import of a tree as the code graph has them: what comparisons with other tools read.

use super::core::Engine;
use super::current;
use super::graph::{GraphSources, on_large_stack};
use crate::error::Error;
use spyhop_base::text::LineIndex;
use spyhop_graph::{Definition, Graph, GraphEdge, GraphLimits, ImportEdge};

/// What the code graph has in one file.
pub struct GraphOfFile<'g> {
    /// The path of the file.
    pub path: &'g str,
    /// The symbols.
    pub symbols: Vec<Definition>,
    /// The uses, each with the line and column of the name, from 1.
    pub uses: Vec<(u32, u32, GraphEdge)>,
    /// The imports, each with the line of the statement.
    pub imports: Vec<(u32, ImportEdge)>,
    /// The path of each file that an edge names.
    pub path_of: &'g dyn Fn(u32) -> &'g str,
}

impl Engine {
    /// Passes the definitions, uses and imports of each file to `visit`, in the order of paths. Files without text, such
    /// as files that have changed, are left out.
    ///
    /// # Errors
    /// As [`Engine::search`].
    pub fn graph_of_files(&self, visit: &mut (dyn FnMut(GraphOfFile<'_>) + Send)) -> Result<(), Error> {
        let (snapshot, _) = current::ready(self, &|_| ())?;
        on_large_stack(|| {
            let quarantine = self.quarantine();
            let sources = GraphSources::new(self, &snapshot, &quarantine)?;
            let graph = Graph::new(&snapshot, self.grammars(), &sources, GraphLimits::of_work(usize::MAX));
            let mut files: Vec<u32> = (0..snapshot.n_files() as u32).collect();
            files.sort_by_key(|file| snapshot.path(*file));
            for file in files {
                let Some(text) = graph.text_of(file) else { continue };
                let lines = LineIndex::new(&text);
                let place = |byte: u32| {
                    let line = lines.line_of(byte);
                    (line, byte - lines.start_of(line) + 1)
                };
                let uses = graph.uses_in(file)?.into_iter();
                let uses = uses.map(|edge| {
                    let (line, column) = place(edge.span.start);
                    (line, column, edge)
                });
                let imports = graph.imports_of(file);
                let imports = imports.iter().map(|edge| (place(edge.start).0, edge.clone()));
                visit(GraphOfFile {
                    path: snapshot.path(file),
                    symbols: graph.symbols(file)?,
                    uses: uses.collect(),
                    imports: imports.collect(),
                    path_of: &|file| snapshot.path(file),
                });
            }
            Ok(())
        })
    }
}
