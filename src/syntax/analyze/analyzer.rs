//! The analyzer: parses one text after another and puts the parts of its analysis together.

use super::{bodies, budget, chunk, guard, lines, macros, mend, regions, walk};
use crate::grammar::{Grammars, Rules};
use spyhop_base::id::LanguageId;
use spyhop_base::model::{Analysis, Note, Symbol, SymbolKind};
use spyhop_base::text::LineIndex;
use tree_sitter::{Parser, Range, Tree};

/// The most definitions of a text that is too large to be parsed. Headers of registers have a hundred thousand.
const MAX_LARGE_SYMBOLS: usize = 16_384;

/// Analyses one file after another.
#[derive(Default)]
pub struct Analyzer;

impl Analyzer {
    pub fn new() -> Analyzer {
        Analyzer
    }

    /// Creates an analyzer for a process that parses and does nothing else. From then on, a parser that allocates too much
    /// aborts the process.
    pub(crate) fn for_worker() -> Analyzer {
        budget::count_allocations();
        Analyzer::new()
    }

    /// Analyses a text in a language without a parser: by the line rules of the language, or else windows of lines.
    pub(crate) fn without_parser(grammars: &Grammars, language: LanguageId, source: &str) -> Analysis {
        let index = LineIndex::new(source);
        let Some(rules) = grammars.line_rules(language) else {
            let outline = walk::WalkedOutline::default();
            return assemble(source, &index, outline, SymbolKind::Text, Vec::new());
        };
        let outline = lines::outline(rules, source, &index);
        assemble(source, &index, outline, otherwise(grammars, language), vec![Note::ByRule])
    }

    /// Finds the definitions of a text that is too large to be parsed, by the line rules of its language; `None` if the language
    /// has no rules, or if the text defines so much that it is a table.
    pub(crate) fn definitions_by_rule(
        grammars: &Grammars,
        language: LanguageId,
        source: &str,
    ) -> Option<Vec<Symbol>> {
        let rules = grammars.line_rules(language)?;
        let symbols = lines::outline(rules, source, &LineIndex::new(source)).symbols;
        (symbols.len() <= MAX_LARGE_SYMBOLS).then_some(symbols)
    }

    /// Analyses a text that must not be parsed: windows of lines, with a note that gives the reason.
    pub fn by_lines(grammars: &Grammars, language: LanguageId, source: &str, why: Note) -> Analysis {
        let (lines, outline) = (LineIndex::new(source), walk::WalkedOutline::default());
        assemble(source, &lines, outline, otherwise(grammars, language), vec![why])
    }

    /// Analyses `source`, a text in `language`.
    pub fn analyze(&mut self, grammars: &Grammars, language: LanguageId, source: &str) -> Analysis {
        let Some(rules) = grammars.rules(language) else {
            return match grammars.regions(language).is_empty() {
                true => Analyzer::without_parser(grammars, language, source),
                false => self.by_regions(grammars, language, source),
            };
        };
        let index = LineIndex::new(source);
        let bodies = rules.bodies.as_ref().map(|rules| bodies::find(source, rules)).unwrap_or_default();
        let parts = bodies::ranges(source, &index, &bodies.holes);
        match self.parse(rules, source, &parts) {
            Ok(tree) => {
                let tree = self.mended(rules, source, &parts, tree);
                let notes = if tree.root_node().has_error() { vec![Note::SyntaxErrors] } else { Vec::new() };
                let mut outline = walk::outline(rules, &tree, source, &index, bodies);
                if let Some(line_rules) = grammars.line_rules(language) {
                    outline = lines::fill((rules, line_rules), &tree, source, &index, outline);
                }
                let regions = regions::find(source, grammars.regions(language));
                outline = self.joined(&regions, (grammars, language), source, &index, outline);
                assemble(source, &index, outline, otherwise(grammars, language), notes)
            }
            Err(note) => Analyzer::by_lines(grammars, language, source, note),
        }
    }

    /// Analyses a text without a parser of its own: its parts in other languages by their parsers, the rest by line rules.
    fn by_regions(&mut self, grammars: &Grammars, language: LanguageId, source: &str) -> Analysis {
        let index = LineIndex::new(source);
        let regions = regions::find(source, grammars.regions(language));
        let rest = regions.blanked(source);
        let rest = rest.as_deref().unwrap_or(source);
        let rules = grammars.line_rules(language);
        let mut outline = rules.map(|rules| lines::outline(rules, rest, &index)).unwrap_or_default();
        outline.by_rule = (0..outline.symbols.len() as u32).collect();
        let mut outline = self.joined(&regions, (grammars, language), source, &index, outline);
        outline.boundaries = lines::boundaries(source, &index, &outline.symbols);
        assemble(source, &index, outline, otherwise(grammars, language), Vec::new())
    }

    /// `outline`, and what other parsers find in `regions`.
    fn joined(
        &mut self,
        regions: &regions::EmbeddedParts<'_>,
        (grammars, language): (&Grammars, LanguageId),
        source: &str,
        index: &LineIndex,
        outline: walk::WalkedOutline,
    ) -> walk::WalkedOutline {
        let parse = |inner: &Rules, text: &str, ranges: &[Range]| self.parse(inner, text, ranges).ok();
        regions.joined(parse, (grammars, language), source, index, outline)
    }

    /// The tree of `source` without what its parser cannot read, if that tree has less of errors than `tree`.
    fn mended(&mut self, rules: &Rules, source: &str, parts: &[Range], tree: Tree) -> Tree {
        if rules.mends.is_empty() || !tree.root_node().has_error() {
            return tree;
        }
        let Some(text) = mend::mended(source, &rules.mends) else { return tree };
        let again = self.parse(rules, &text, parts).ok();
        let is_better =
            |again: &Tree| !again.root_node().has_error() || mend::errors(again) < mend::errors(&tree);
        again.filter(is_better).unwrap_or(tree)
    }

    /// Parses the ranges that `parts` lists in `source`, or all of `source` if the list is empty.
    pub(super) fn parse(&mut self, rules: &Rules, source: &str, parts: &[Range]) -> Result<Tree, Note> {
        if guard::too_deep(source, rules.nesting) {
            return Err(Note::TooDeep);
        }
        // A parser keeps memory from one text for the next. A new parser allocates the same amount for a text, whatever was
        // parsed before.
        let mut parser = Parser::new();
        // The tests of the parser table ensure that the runtime accepts every linked parser.
        parser.set_language(&rules.language).map_err(|_| Note::ParseBudget)?;
        parser.set_included_ranges(parts).expect("in order, none over another");
        let without = if rules.macros { macros::hidden(source) } else { None };
        let text = without.as_deref().unwrap_or(source);
        let narrowed = if rules.narrow_braces { guard::narrowed(text) } else { None };
        let text = narrowed.as_deref().unwrap_or(text);
        let closed = if rules.hide_open_annotations { guard::without_open_annotation(text) } else { None };
        budget::parse(&mut parser, closed.as_deref().unwrap_or(text))
    }
}

/// The kind of a part of a text in `language` outside all items.
fn otherwise(grammars: &Grammars, language: LanguageId) -> SymbolKind {
    if grammars.is_prose(language) { SymbolKind::Doc } else { SymbolKind::Block }
}

fn assemble(
    text: &str,
    lines: &LineIndex,
    outline: walk::WalkedOutline,
    otherwise: SymbolKind,
    notes: Vec<Note>,
) -> Analysis {
    let spans = chunk::cut(text, lines, &outline.boundaries);
    let walk::WalkedOutline { symbols, mut minor, by_rule, references, comments, .. } = outline;
    let parts = chunk::ChunkInput { text, lines, symbols: &symbols, comments: &comments, otherwise };
    let mut chunks = chunk::chunks(&spans, &parts);
    settle(&mut minor, &symbols);
    for own in &minor {
        let place = chunks.partition_point(|chunk| chunk.span.end <= own.span.start);
        if let Some(chunk) = chunks.get_mut(place) {
            chunk.kinds.insert(own.kind);
        }
    }
    Analysis { chunks, symbols, minor, by_rule, references, comments, notes }
}

/// Sets the parents of minor symbols: the innermost symbols around them. Both lists are sorted by start.
fn settle(minor: &mut [Symbol], symbols: &[Symbol]) {
    let mut open: Vec<u32> = Vec::new();
    let mut next = 0;
    for own in minor {
        while symbols.get(next).is_some_and(|symbol| symbol.span.start <= own.span.start) {
            open.push(next as u32);
            next += 1;
        }
        open.retain(|at| symbols[*at as usize].span.end > own.span.start);
        own.parent = open.last().copied();
    }
}
