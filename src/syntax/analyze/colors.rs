//! The colours of a text, from its syntax tree and the highlight queries of its parser.
//!
//! This module owns the classes of colours, the limits of a query, and how nested nodes become spans that do not overlap. As
//! parsing does, this happens in a parser worker, because the text comes from files that nobody has to trust. Other languages
//! inside a text are not coloured.

use std::ops::ControlFlow;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tree_sitter::{Query, QueryCursor, QueryCursorOptions, QueryCursorState, StreamingIterator, Tree};

use super::budget::cpu_time;
use crate::analyze::analyzer::Analyzer;
use crate::grammar::Grammars;
use spyhop_base::id::LanguageId;
use spyhop_base::text::Span;

/// The most matches that a query may have open at once. Further ones are dropped, and their nodes have no colour.
const OPEN_MATCHES: u32 = 256;

/// The processor time for the queries of a text.
const PATIENCE: Duration = Duration::from_millis(1_000);

/// The most captures of a text.
const MAX_CAPTURES: usize = 500_000;

/// The class of a coloured node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ColorClass {
    Keyword,
    Text,
    Comment,
    Number,
    Constant,
    Type,
    Function,
    Tag,
    Attribute,
    Heading,
}

/// The effect of a capture of a highlight query on its node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CaptureEffect {
    /// The node has this colour.
    Color(ColorClass),
    /// The node has no colour, even inside of a node that has one.
    Plain,
    Nothing,
}

impl CaptureEffect {
    fn of_capture(name: &str) -> CaptureEffect {
        let class = match name.split('.').next().unwrap_or_default() {
            "keyword" | "include" | "conditional" | "repeat" | "exception" | "storageclass" | "preproc" => {
                ColorClass::Keyword
            }
            "string" | "character" | "escape" => ColorClass::Text,
            "text" if name == "text.title" => ColorClass::Heading,
            "text" if name == "text.literal" => ColorClass::Text,
            "comment" => ColorClass::Comment,
            "number" | "float" => ColorClass::Number,
            "constant" | "boolean" | "label" => ColorClass::Constant,
            "type" if name == "type.qualifier" => ColorClass::Keyword,
            "type" | "constructor" | "module" | "namespace" => ColorClass::Type,
            "function" | "method" | "macro" => ColorClass::Function,
            "tag" => ColorClass::Tag,
            "attribute" | "annotation" => ColorClass::Attribute,
            "variable" | "property" | "parameter" | "field" | "embedded" | "none" => {
                return CaptureEffect::Plain;
            }
            _ => return CaptureEffect::Nothing,
        };
        CaptureEffect::Color(class)
    }
}

/// A node that a highlight query captures.
struct CapturedNode {
    span: Span,
    /// The number of the query, and of the pattern in the query. Of the captures of a node, the last one counts.
    order: (usize, usize),
    /// `None` for a node without a colour.
    class: Option<ColorClass>,
}

/// A coloured part of a text.
pub type ColoredSpan = (Span, ColorClass);

impl Analyzer {
    /// The coloured parts of `source`, a text in `language`, in order and not overlapping. `None` if the language has no
    /// highlight query, or if the text nests too deep or takes too long.
    pub fn colors(
        &mut self,
        grammars: &Grammars,
        language: LanguageId,
        source: &str,
    ) -> Option<Vec<ColoredSpan>> {
        let (rules, queries) = (grammars.rules(language)?, grammars.highlights(language));
        if queries.is_empty() {
            return None;
        }
        let tree = self.parse(rules, source, &[]).ok()?;
        let end = cpu_time() + PATIENCE;
        let mut captures = Vec::new();
        for (number, query) in queries.iter().enumerate() {
            capture((number, query), &tree, source, end, &mut captures)?;
        }
        Some(flat(captures))
    }
}

/// Adds the captures of a query; `None` if there are too many, or if the time is up.
fn capture(
    (number, query): (usize, &Query),
    tree: &Tree,
    source: &str,
    end: Duration,
    captures: &mut Vec<CapturedNode>,
) -> Option<()> {
    let effects: Vec<CaptureEffect> =
        query.capture_names().iter().map(|name| CaptureEffect::of_capture(name)).collect();
    let mut is_late = false;
    let mut progress = |_: &QueryCursorState| {
        is_late = cpu_time() > end;
        if is_late { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let mut cursor = QueryCursor::new();
    cursor.set_match_limit(OPEN_MATCHES);
    {
        let options = QueryCursorOptions::new().progress_callback(&mut progress);
        let mut found = cursor.captures_with_options(query, tree.root_node(), source.as_bytes(), options);
        while let Some((matched, at)) = found.next() {
            let captured = matched.captures()[*at];
            let class = match effects[captured.index as usize] {
                CaptureEffect::Color(class) => Some(class),
                CaptureEffect::Plain => None,
                CaptureEffect::Nothing => continue,
            };
            let range = captured.node.byte_range();
            let is_whole = source.is_char_boundary(range.start) && source.is_char_boundary(range.end);
            if range.is_empty() || !is_whole {
                continue;
            }
            if captures.len() == MAX_CAPTURES {
                return None;
            }
            let span = Span::new(range.start, range.end);
            captures.push(CapturedNode { span, order: (number, matched.pattern_index), class });
        }
    }
    (!is_late).then_some(())
}

/// Nested nodes as spans side by side: the innermost one has the colour, and of equal ones the last.
fn flat(mut captures: Vec<CapturedNode>) -> Vec<ColoredSpan> {
    captures.sort_by_key(|node| (node.span.start, std::cmp::Reverse(node.span.end), node.order));
    let mut flat = FlatSpans { spans: Vec::with_capacity(captures.len()), at: 0 };
    let mut open: Vec<(Span, Option<ColorClass>)> = Vec::new();
    for CapturedNode { span, class, .. } in captures {
        while let Some((around, class)) = open.pop_if(|(around, _)| around.end <= span.start) {
            flat.up_to(around.end, class);
        }
        let around = open.last().copied();
        if let Some((_, class)) = around {
            flat.up_to(span.start, class);
        }
        flat.at = flat.at.max(span.start);
        let end = around.map_or(span.end, |(around, _)| span.end.min(around.end));
        open.push((Span { start: span.start, end }, class));
    }
    while let Some((span, class)) = open.pop() {
        flat.up_to(span.end, class);
    }
    flat.spans
}

struct FlatSpans {
    spans: Vec<ColoredSpan>,
    /// The end of what is done.
    at: u32,
}

impl FlatSpans {
    fn up_to(&mut self, end: u32, class: Option<ColorClass>) {
        if self.at < end {
            self.spans.extend(class.map(|class| (Span { start: self.at, end }, class)));
            self.at = end;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn colors(language: &str, text: &str) -> Vec<(String, ColorClass)> {
        let grammars = Grammars::built_in();
        let id = grammars.by_name(language).unwrap();
        let spans = Analyzer::new().colors(&grammars, id, text).unwrap();
        assert!(spans.windows(2).all(|pair| pair[0].0.end <= pair[1].0.start), "{spans:?}");
        spans.into_iter().map(|(span, class)| (text[span.range()].to_string(), class)).collect()
    }

    fn check(language: &str, text: &str, expected: &[(&str, Option<ColorClass>)]) {
        if Grammars::built_in().by_name(language).is_err() {
            return;
        }
        let found = colors(language, text);
        for (part, class) in expected {
            let classes: Vec<_> =
                found.iter().filter(|(text, _)| text == part).map(|(_, class)| *class).collect();
            assert_eq!(classes.first().copied(), *class, "{language}, {part}: {found:?}");
        }
    }

    #[test]
    fn colours_follow_the_syntax_tree() {
        let [keyword, function, kind] =
            [ColorClass::Keyword, ColorClass::Function, ColorClass::Type].map(Some);
        let [text, number, constant] = [ColorClass::Text, ColorClass::Number, ColorClass::Constant].map(Some);
        let comment = Some(ColorClass::Comment);
        check(
            "rust",
            "const MAX: u8 = 7;\nfn clock(a: Minutes) -> u32 { wind(\"x\", a) } // é",
            &[("fn", keyword), ("MAX", constant), ("7", number), ("clock", function), ("Minutes", kind)],
        );
        check(
            "rust",
            "fn clock() { wind(\"x\") } // é",
            &[("wind", function), ("\"x\"", text), ("// é", comment)],
        );
        // A word that is a keyword elsewhere is a name here, which the lexer cannot tell, and code in a text is code.
        check("python", "match = f\"a{b}\"\n", &[("match", None), ("f\"a", text), ("b", None)]);
        // The parts of a file that the analysis does not parse have colours too.
        check(
            "go",
            "package a\nfunc wind() int {\n\treturn wind(7, b)\n}\n",
            &[("return", keyword), ("wind", function), ("7", number), ("b", None)],
        );
        check("c", "int wind(void) { return sizeof(int); }\n", &[("return", keyword), ("sizeof", keyword)]);
        check(
            "tsx",
            "const a = <b c={d(1)} />; // x\n",
            &[
                ("b", Some(ColorClass::Tag)),
                ("c", Some(ColorClass::Attribute)),
                ("d", function),
                ("// x", comment),
            ],
        );
        check("json", "{\"a\": \"b\"}", &[("\"a\"", None), ("\"b\"", text)]);
        check(
            "haskell",
            "wind :: Int\nwind = clock 1\n",
            &[("wind", function), ("Int", kind), ("clock", function), ("1", number)],
        );
        // The condition that tells local variables from calls is not checked, so that such a name has no colour.
        check("ruby", "def wind(a)\n  a\nend\n", &[("wind", function), ("a", None)]);
        check("markdown", "# Wind\n\ntext\n", &[("Wind", Some(ColorClass::Heading)), ("text", None)]);
    }

    #[test]
    fn a_text_without_a_query_or_nested_too_deep_has_no_colours() {
        let grammars = Grammars::built_in();
        let colors = |language: &str, text: &str| {
            Analyzer::new().colors(&grammars, grammars.by_name(language).unwrap(), text)
        };
        assert_eq!(colors("kotlin", "val a = 1"), None);
        assert_eq!(colors("json", &"[".repeat(200_000)), None);
        assert!(colors("json", "[1]").is_some());
    }

    #[test]
    fn the_time_and_the_number_of_captures_are_bounded() {
        let grammars = Grammars::built_in();
        let id = grammars.by_name("json").unwrap();
        let text = "[1,2]".to_string() + &"\n[3]".repeat(20_000);
        let tree = Analyzer::new().parse(grammars.rules(id).unwrap(), &text, &[]).unwrap();
        let query = &grammars.highlights(id)[0];
        let capture = |end: Duration, captures: &mut Vec<CapturedNode>| {
            super::capture((0, query), &tree, &text, end, captures)
        };
        assert_eq!(capture(Duration::ZERO, &mut Vec::new()), None);
        let mut captures = Vec::new();
        assert_eq!(capture(Duration::MAX, &mut captures), Some(()));
        assert_eq!(captures.len(), 20_002);
        let one = || CapturedNode { span: Span { start: 0, end: 1 }, order: (0, 0), class: None };
        let mut full = std::iter::repeat_with(one).take(MAX_CAPTURES - 20_001).collect();
        assert_eq!(capture(Duration::MAX, &mut full), None);
    }

    #[test]
    fn nested_spans_lie_side_by_side() {
        let node = |start, end, class, pattern| CapturedNode {
            span: Span { start, end },
            order: (0, pattern),
            class,
        };
        let [text, word, number] = [ColorClass::Text, ColorClass::Keyword, ColorClass::Number].map(Some);
        let spans = |nodes| -> Vec<(u32, u32, ColorClass)> {
            flat(nodes).into_iter().map(|(span, class)| (span.start, span.end, class)).collect()
        };
        let nested = vec![
            node(3, 5, number, 2),
            node(0, 10, text, 3),
            node(3, 5, word, 1),
            node(6, 8, None, 0),
            node(7, 8, word, 0),
            node(12, 13, word, 0),
        ];
        let expected = [
            (0, 3, ColorClass::Text),
            (3, 5, ColorClass::Number),
            (5, 6, ColorClass::Text),
            (7, 8, ColorClass::Keyword),
            (8, 10, ColorClass::Text),
            (12, 13, ColorClass::Keyword),
        ];
        assert_eq!(spans(nested), expected);
        let crossing = vec![node(0, 4, text, 0), node(2, 6, word, 0)];
        assert_eq!(spans(crossing), [(0, 2, ColorClass::Text), (2, 4, ColorClass::Keyword)]);
    }
}
