//! Questions to the engine, and their answers as rows of the list.
//!
//! Every text comes from a reply of the engine, which has masked the secrets in it. The preview is no exception: its
//! lines are those of an exact search that every line matches.

use std::ops::Range;

use spyhop_base::path::{PathBase, RelPath};
use spyhop_engine::api::{
    Band, Case, FileMatch, FileRow, FilesRequest, GrepLine, GrepRequest, Hit, MAX_RESULTS, SearchRequest,
    Snapshot, SymbolRow, SymbolsRequest,
};
use spyhop_engine::{Engine, Error, ErrorKind};
use spyhop_interface::render::error_text;
use spyhop_search::filter::FilterSpec;

use super::pick::{
    Focus, FocusLine, PickAnswer, PickMode, PickPlace, PickQuery, PickRow, Piece, PreviewText, Tone, pieces,
};
use crate::languages::language_of;
use crate::query_line::{self, ParsedLine};

/// The most rows of an answer that is not ranked. More are reached by a longer query.
const MAX_ROWS: usize = 500;

/// The lines of a page of the preview.
const PAGE: usize = 1_000;

/// The most lines of the preview behind the selected place.
const BEHIND: usize = 1_000;

/// The most bytes of a file with a preview.
const MAX_PREVIEW_BYTES: u64 = 16 << 20;

/// The conversion of a typed path to a root-relative one.
pub type ResolvePath = dyn Fn(&str) -> Result<String, String> + Send + Sync;

/// Asks one engine.
pub struct Asker<'e> {
    pub engine: &'e Engine,
    /// How paths are shown.
    pub base: &'e PathBase,
    pub resolve: &'e ResolvePath,
    /// The folder or file that every query is limited to.
    pub within: Option<&'e str>,
}

/// Why there is no answer.
#[derive(Debug, PartialEq, Eq)]
pub enum NoAnswer {
    /// A newer question took the place of this one.
    Superseded,
    /// The text is for the person at the terminal.
    Failed(String),
}

impl Asker<'_> {
    /// Answers a query.
    pub fn answer(&self, query: &PickQuery) -> Result<PickAnswer, NoAnswer> {
        let parsed = query_line::parse(&query.line).map_err(|fault| NoAnswer::Failed(fault.text))?;
        if !parsed.sources.is_empty() || parsed.view.is_some() {
            let text = "in: and view: are of the page (spyhop serve); start the picker with --view instead";
            return Err(NoAnswer::Failed(text.to_string()));
        }
        let ParsedLine { text, mut filter, paths, excluded_paths, .. } = parsed;
        let resolved = |paths: Vec<String>| {
            let resolved: Result<Vec<String>, String> =
                paths.iter().map(|path| (self.resolve)(path)).collect();
            resolved.map_err(NoAnswer::Failed)
        };
        let mut paths = resolved(paths)?;
        let excluded = resolved(excluded_paths)?;
        filter.path_globs.extend(excluded.iter().map(|path| query_line::excluding_glob(path)));
        if paths.is_empty() {
            filter.path = self.within.map(str::to_string);
        } else {
            filter.path = Some(paths.remove(0));
            filter.or_paths = paths;
        }
        let answer = match query.mode {
            PickMode::Ranked => self.ranked(text, filter),
            PickMode::Exact => self.exact(text, filter),
            PickMode::Files => self.files(text, filter),
            PickMode::Symbols => self.symbols(text, filter),
        };
        match answer {
            Err(error) if error.kind() == ErrorKind::NoIndex => Ok(PickAnswer {
                is_partial: true,
                note: Some("there is no index yet".to_string()),
                ..PickAnswer::default()
            }),
            Err(error) if error.kind() == ErrorKind::Cancelled => Err(NoAnswer::Superseded),
            Err(error) => Err(NoAnswer::Failed(error_text(&error))),
            Ok(answer) => Ok(answer),
        }
    }

    fn ranked(&self, text: String, filter: FilterSpec) -> Result<PickAnswer, Error> {
        let request =
            SearchRequest { filter, max_results: MAX_RESULTS, notes: false, ..SearchRequest::new(text) };
        let reply = self.engine.search(&request)?;
        let rows = reply.results.iter().map(|hit| self.hit_row(hit)).collect();
        Ok(answer(rows, reply.total, true, &reply.snapshot, &reply.warnings))
    }

    /// Lines that match a regular expression or, if the text is not one, that contain the text.
    fn exact(&self, text: String, filter: FilterSpec) -> Result<PickAnswer, Error> {
        let request =
            GrepRequest { filter, case: Case::Smart, max_results: MAX_ROWS, ..GrepRequest::new(text) };
        let (reply, note) = match self.engine.ask(&request) {
            Err(error) if error.kind() == ErrorKind::BadRequest => {
                // A wrong filter fails again, and its error is the first one's.
                let as_text = GrepRequest { fixed: true, ..request };
                match self.engine.ask(&as_text) {
                    Ok(reply) => (reply, Some("searched as a text, because it is not a regular expression")),
                    Err(_) => return Err(error),
                }
            }
            reply => (reply?, None),
        };
        let rows = reply.lines.iter().map(|line| self.line_row(line)).collect();
        let mut answer =
            answer(rows, reply.total_lines, reply.incomplete.is_none(), &reply.snapshot, &reply.warnings);
        answer.note = note.map(str::to_string).or(answer.note);
        Ok(answer)
    }

    fn files(&self, text: String, filter: FilterSpec) -> Result<PickAnswer, Error> {
        let request = FilesRequest { filter, max_results: MAX_ROWS, ..FilesRequest::new(text.trim()) };
        let reply = self.engine.ask(&request)?;
        let row = |file: &FileRow| {
            let ranges: Vec<Range<usize>> = file.highlights.iter().map(|span| span.range()).collect();
            let tone = if file.matched == FileMatch::Any { Tone::Plain } else { Tone::Path };
            PickRow {
                place: PickPlace { path: file.path.clone(), line: 1, column: 1 },
                last: 1,
                pieces: self.path(&file.path, &ranges, tone),
                focus: Focus::Nothing,
            }
        };
        let rows = reply.files.iter().map(row).collect();
        Ok(answer(rows, reply.total, true, &reply.snapshot, &reply.warnings))
    }

    fn symbols(&self, text: String, filter: FilterSpec) -> Result<PickAnswer, Error> {
        let request = SymbolsRequest { filter, max_results: MAX_ROWS, ..SymbolsRequest::new(text.trim()) };
        let reply = self.engine.ask(&request)?;
        let rows = reply.symbols.iter().map(|symbol| self.symbol_row(symbol)).collect();
        Ok(answer(rows, reply.total, true, &reply.snapshot, &reply.warnings))
    }

    fn hit_row(&self, hit: &Hit) -> PickRow {
        let tone = match hit.band {
            Band::High | Band::Good => Tone::Good,
            Band::Possible => Tone::Plain,
            Band::Weak => Tone::Dim,
        };
        let mut row = vec![Piece::new(&format!("{:.2} ", hit.score), tone)];
        row.extend(self.path(&hit.path, &[], Tone::Path));
        row.push(Piece::new(&format!(":{} ", hit.lines.first), Tone::Number));
        row.extend(hit.symbol.iter().map(|symbol| Piece::new(&format!("{symbol} "), Tone::Name)));
        row.push(Piece::new(hit.kind.name(), Tone::Dim));
        let stale = hit.stale.then(|| Piece::new(" changed since it was indexed", Tone::Alarm));
        row.extend(stale);
        PickRow {
            place: at(&hit.path, hit.lines.first),
            last: hit.lines.last,
            pieces: row,
            focus: focus(hit),
        }
    }

    fn line_row(&self, line: &GrepLine) -> PickRow {
        let ranges: Vec<Range<usize>> = line.highlights.iter().map(|span| span.range()).collect();
        let indent = line.text.len() - line.text.trim_start().len();
        let shifted: Vec<Range<usize>> = ranges
            .iter()
            .filter(|range| range.end > indent)
            .map(|range| range.start.saturating_sub(indent)..range.end - indent)
            .collect();
        let mut row = self.path(&line.path, &[], Tone::Path);
        row.push(Piece::new(&format!(":{}: ", line.line), Tone::Number));
        row.extend(pieces(line.text.trim_start(), &shifted, Tone::Plain));
        let found = FocusLine { line: line.line, text: line.text.clone(), matches: ranges };
        PickRow {
            place: PickPlace { column: line.column, ..at(&line.path, line.line) },
            last: line.line,
            pieces: row,
            focus: Focus::Lines(vec![found]),
        }
    }

    fn symbol_row(&self, symbol: &SymbolRow) -> PickRow {
        let ranges: Vec<Range<usize>> = symbol.highlights.iter().map(|span| span.range()).collect();
        let container = symbol.container.iter().map(|name| Piece::new(&format!("{name}."), Tone::Dim));
        let mut row: Vec<Piece> = container.collect();
        row.extend(pieces(&symbol.name, &ranges, Tone::Name));
        row.push(Piece::new(&format!(" {} ", symbol.kind.name()), Tone::Dim));
        row.extend(self.path(&symbol.path, &[], Tone::Path));
        row.push(Piece::new(&format!(":{}", symbol.lines.first), Tone::Number));
        PickRow {
            place: at(&symbol.path, symbol.lines.first),
            last: symbol.lines.last,
            pieces: row,
            focus: Focus::Name(symbol.name.clone()),
        }
    }

    /// A path as shown, with the ranges of the root-relative path that matched.
    fn path(&self, path: &RelPath, matches: &[Range<usize>], tone: Tone) -> Vec<Piece> {
        let (prefix, stripped) = self.base.split(path.as_str());
        let shown = format!("{prefix}{}", &path.as_str()[stripped..]);
        let moved = |at: usize| at.max(stripped) - stripped + prefix.len();
        let matches: Vec<Range<usize>> = matches
            .iter()
            .filter(|range| range.end > stripped)
            .map(|range| moved(range.start)..moved(range.end))
            .collect();
        pieces(&shown, &matches, tone)
    }

    /// The text of the file around a place.
    pub fn preview(&self, place: &PickPlace) -> Result<PreviewText, String> {
        let filter = FilterSpec {
            path: Some(place.path.as_str().to_string()),
            max_file_bytes: Some(MAX_PREVIEW_BYTES),
            ..FilterSpec::default()
        };
        let wanted = place.line as usize + BEHIND;
        let mut request = GrepRequest { filter, max_results: PAGE, ..GrepRequest::new("^") };
        let mut lines = Vec::new();
        loop {
            let reply = self.engine.ask(&request).map_err(|error| error_text(&error))?;
            lines.extend(reply.lines.into_iter().map(|line| line.text));
            let has_more = reply.next.is_some();
            if !has_more || lines.len() >= wanted {
                let extension = place.path.as_str().rsplit_once('.').map_or("", |(_, extension)| extension);
                let language = language_of(extension).unwrap_or_default();
                return match lines.is_empty() {
                    true => Err("there is no text to show".to_string()),
                    false => Ok(PreviewText::new(place.path.clone(), lines, has_more, language)),
                };
            }
            request.cursor = reply.next;
        }
    }
}

fn at(path: &RelPath, line: u32) -> PickPlace {
    PickPlace { path: path.clone(), line, column: 1 }
}

fn answer(
    rows: Vec<PickRow>,
    total: usize,
    is_whole: bool,
    snapshot: &Snapshot,
    warnings: &[String],
) -> PickAnswer {
    let building =
        snapshot.building.map(|it| format!("{} of {} files are indexed so far", it.files, it.total_files));
    PickAnswer {
        rows,
        total,
        is_whole,
        is_partial: snapshot.building.is_some(),
        note: building.or_else(|| warnings.first().cloned()),
    }
}

/// The matches of a hit, line by line.
fn focus(hit: &Hit) -> Focus {
    let Some(snippet) = &hit.snippet else { return Focus::Nothing };
    let mut lines = Vec::new();
    let mut start = 0;
    for (offset, text) in snippet.text.split('\n').enumerate() {
        let end = start + text.len();
        let inside = snippet.highlights.iter().map(|span| span.range());
        let matches: Vec<Range<usize>> = inside
            .filter(|range| range.start >= start && range.end <= end)
            .map(|range| range.start - start..range.end - start)
            .collect();
        if !matches.is_empty() {
            let line = snippet.lines.first + offset as u32;
            lines.push(FocusLine { line, text: text.trim_end_matches('\r').to_string(), matches });
        }
        start = end + 1;
    }
    Focus::Lines(lines)
}

#[cfg(test)]
mod tests {
    use spyhop_engine::api::{OnMissing, Options, StalePolicy};

    use super::*;

    fn text(row: &PickRow) -> String {
        row.pieces.iter().map(|piece| piece.text.as_str()).collect()
    }

    fn matched(row: &PickRow) -> Vec<&str> {
        let found = row.pieces.iter().filter(|piece| piece.tone == Tone::Match);
        found.map(|piece| piece.text.as_str()).collect()
    }

    /// Runs `check` with an asker of a small tree.
    fn with_tree(check: impl FnOnce(&Asker<'_>)) {
        let folder = tempfile::tempdir().unwrap();
        let tree = folder.path().join("tree");
        std::fs::create_dir_all(tree.join("src")).unwrap();
        let auth = "/// Resolves the key.\npub fn resolve_api_key() {\n    find(\"key\");\n}\n";
        std::fs::write(tree.join("src/auth.rs"), auth).unwrap();
        let long: String = (1..=2_500).map(|number| format!("line {number}\n")).collect();
        std::fs::write(tree.join("src/long.txt"), long).unwrap();
        let secret = format!("token = \"ghp_{}\"\n", "R4nD0mZq8LxVw2TbY6uKe9HsJc3PfGaMd7Qi");
        std::fs::write(tree.join("src/conf.py"), secret).unwrap();
        let options = Options {
            index_dir: Some(folder.path().join("index")),
            on_missing: OnMissing::Fail,
            stale_policy: StalePolicy::Ignore,
            ..Options::default()
        };
        let engine = Engine::open(&tree, options).unwrap();
        let base = PathBase::Folder(RelPath::new("src").unwrap());
        let resolve = |path: &str| match path {
            "nowhere" => Err("path 'nowhere' does not exist".to_string()),
            path => Ok(format!("src/{path}")),
        };
        check(&Asker { engine: &engine, base: &base, resolve: &resolve, within: None });
    }

    fn ask(asker: &Asker<'_>, mode: PickMode, line: &str) -> PickAnswer {
        asker.answer(&PickQuery { mode, line: line.to_string() }).unwrap()
    }

    #[test]
    fn each_mode_answers_with_rows() {
        with_tree(|asker| {
            let early = ask(asker, PickMode::Files, "auth");
            assert!(early.is_partial && early.rows.is_empty(), "{early:?}");
            asker.engine.refresh(&|_| ()).unwrap();

            let ranked = ask(asker, PickMode::Ranked, "resolve the api key");
            assert!(text(&ranked.rows[0]).contains(" auth.rs:2 resolve_api_key fn"), "{ranked:?}");
            let Focus::Lines(lines) = &ranked.rows[0].focus else { panic!("{ranked:?}") };
            assert_eq!((lines[0].line, &lines[0].text[lines[0].matches[0].clone()]), (2, "resolve"));

            let exact = ask(asker, PickMode::Exact, r"KEY|\bkey\b");
            assert_eq!(exact.total, 2, "{exact:?}");
            let exact = ask(asker, PickMode::Exact, "find\\(");
            assert_eq!(text(&exact.rows[0]), "auth.rs:3: find(\"key\");");
            assert_eq!((matched(&exact.rows[0]), exact.rows[0].place.column), (vec!["find("], 5));
            let as_text = ask(asker, PickMode::Exact, "find(");
            assert_eq!((as_text.rows.len(), as_text.note.is_some()), (1, true));

            let files = ask(asker, PickMode::Files, "auth");
            assert_eq!((text(&files.rows[0]).as_str(), matched(&files.rows[0])), ("auth.rs", vec!["auth"]));
            assert_eq!(ask(asker, PickMode::Files, "").total, 3);

            let symbols = ask(asker, PickMode::Symbols, "reskey");
            assert_eq!(text(&symbols.rows[0]), "resolve_api_key fn auth.rs:2");
            assert_eq!(symbols.rows[0].focus, Focus::Name("resolve_api_key".into()));
        });
    }

    #[test]
    fn filters_limit_and_are_refused() {
        with_tree(|asker| {
            asker.engine.refresh(&|_| ()).unwrap();
            assert_eq!(ask(asker, PickMode::Exact, "path:auth.rs path:conf.py ^").total, 5);
            assert_eq!(ask(asker, PickMode::Files, "lang:python").rows.len(), 1);
            let refused = |mode: PickMode, line: &str| {
                let answer = asker.answer(&PickQuery { mode, line: line.to_string() });
                let Err(NoAnswer::Failed(text)) = answer else { panic!("{answer:?}") };
                text
            };
            assert_eq!(refused(PickMode::Exact, "path:nowhere ab"), "path 'nowhere' does not exist");
            assert!(refused(PickMode::Exact, "lang:cobold ab").contains("cobold"));
            assert!(refused(PickMode::Files, "kind:fn a").contains("a file has no kind"));
        });
    }

    #[test]
    fn the_preview_has_the_lines_around_a_place_and_masks_secrets() {
        with_tree(|asker| {
            asker.engine.refresh(&|_| ()).unwrap();
            let preview = |path: &str, line: u32| {
                asker.preview(&PickPlace { path: RelPath::new(path).unwrap(), line, column: 1 })
            };
            let first = preview("src/long.txt", 1).unwrap();
            assert_eq!((first.lines.len(), first.has_more), (2_000, true));
            let last = preview("src/long.txt", 2_400).unwrap();
            assert_eq!(
                (last.lines.len(), last.has_more, last.lines[2_499].as_str()),
                (2_500, false, "line 2500")
            );
            let masked = preview("src/conf.py", 1).unwrap();
            assert!(
                masked.lines[0].starts_with("token = ") && masked.lines[0].contains("[masked: "),
                "{masked:?}"
            );
            assert_eq!(preview("src/none.rs", 1), Err("there is no text to show".to_string()));
        });
    }
}
