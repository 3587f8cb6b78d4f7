//! Replies as text for people: complete strings that end with a line end.
//!
//! This module decides the layout. `paint` handles colours and links, `spyhop_base::clean` replaces control characters, and the
//! engine computes the numbers. The heading of a hit begins with `path:line`, because editors and terminals open this form.
//! Every heading repeats the path, because people often read output from the end.

mod counts;
mod entries;
mod file_graph;
mod graph;
mod index;
mod library;
mod lookup;
mod memory;
mod pack;
mod page;
mod parts;
mod read;
mod semantic;
mod sources;

use std::fmt::Write;

pub use self::counts::bytes;
pub(super) use self::counts::{count, grouped, scattered, tally};
pub use self::entries::entries;
pub(super) use self::file_graph::circle_and_rest;
pub use self::file_graph::{
    file_graph, file_graph_dot, file_graph_footer, file_graph_graphml, file_graph_jsonl,
};
pub use self::graph::{graph, graph_footer, graph_lines};
pub(super) use self::graph::{
    heading_of_edge, heading_of_mention, kind_of, mentions_line, names_uses, none_of, told_of_place,
    why_of_mention,
};
pub use self::index::{checkup, collected, exported, imported, indexed, refresh, status, views, watched};
pub(crate) use self::library::{
    add_plan, added_source, changed_source, collected_sources, removed_source, source_path, update_plans,
    updated_sources, verified_sources,
};
pub use self::library::{intake, library_status, source, sources};
pub use self::lookup::{files, files_footer, grep, map, paths, symbol_lines, symbols, symbols_footer};
use self::memory::note_lines;
pub(crate) use self::memory::whole_notes;
pub use self::memory::{imported_notes, notes};
pub use self::pack::pack;
pub(super) use self::pack::pack_without_notes;
pub use self::page::evidence;
pub(super) use self::page::{in_words, parts as about_page};
pub(crate) use self::parts::also_in;
use self::parts::{annotations, code, footer, kind_and_symbol, language_and_lines, location, score_and_band};
pub use self::read::read;
pub(crate) use self::semantic::semantic;
pub use self::sources::source_statuses;
use super::paint::{Ink, Style};
use super::places::RowPlaces;
use spyhop_base::clean::{self, line as clean};
use spyhop_base::model::SkipReason;
use spyhop_base::path::PathBase;
use spyhop_base::time::rfc3339;
use spyhop_engine::LanguageRow;
use spyhop_engine::api::{
    Cause, Exception, Explanation, Hit, Mode, OverridingRule, PathOutcome, Reason, SearchReply, SkippedReply,
    Snapshot, Verdict, WhyNot,
};
use spyhop_search::profile::Signal;

/// The reply to a search: a line `path:line:column: text` per hit in compact mode; otherwise a block per hit, and a line
/// about the snapshot.
pub fn search(reply: &SearchReply, mode: Mode, style: &Style) -> String {
    with_notes(render_hits(reply, &[], mode, style), reply, mode, style)
}

/// A page of a search with the lines about notes. In compact mode, the page is for programs and has hits only.
fn with_notes(page: String, reply: &SearchReply, mode: Mode, style: &Style) -> String {
    if mode == Mode::Compact { page } else { page + &note_lines(&reply.notes, style) }
}

/// The line about a page of a search that stands beside hits in compact mode, which are lines for programs; about an
/// answer without hits, what a reader can do.
pub fn summary(reply: &SearchReply, style: &Style) -> String {
    if reply.results.is_empty() {
        return with_notes(render_hits(reply, &[], Mode::Default, style), reply, Mode::Default, style);
    }
    let more = reply.next.iter().map(|next| format!("more: --cursor {}", clean(next)));
    let parts: Vec<String> = page::parts(reply, reply.results.len()).into_iter().chain(more).collect();
    format!("{}\n{}", style.paint(Ink::Dim, &parts.join(" · ")), note_lines(&reply.notes, style))
}

/// The reply to several queries. Each hit names the query that found the hit.
pub fn batch(reply: &SearchReply, queries: &[String], mode: Mode, style: &Style) -> String {
    with_notes(render_hits(reply, queries, mode, style), reply, mode, style)
}

/// The skipped files, a line each, then the counts.
pub fn skipped(reply: &SkippedReply, style: &Style) -> String {
    let mut out = String::new();
    for entry in &reply.entries {
        let shown = match entry.source {
            Some(_) => entry.place(),
            None => style.paths.shown(entry.path.as_str()).into_owned(),
        };
        let path = format!("{}{}", clean::path(&shown), if entry.is_dir { "/" } else { "" });
        let _ = write!(out, "{}  {}", style.paint(Ink::Path, &path), entry.reason.name());
        if !entry.detail.is_empty() {
            let _ = write!(out, "  {}", style.paint(Ink::Dim, &clean(&entry.detail)));
        }
        out.push('\n');
    }
    if !reply.counts.is_empty() {
        out.push('\n');
    }
    for &(reason, files) in &reply.counts {
        let head = format!("{files:>7} {:<14}", reason.name());
        let _ = writeln!(out, "{head} {}", style.paint(Ink::Dim, reason.sentence()));
    }
    if out.is_empty() { "Nothing was left out.\n".to_string() } else { out }
}

/// How the rules apply to one path: a sentence, then a line for each further rule or hint.
pub fn explanation(explanation: &Explanation, style: &Style) -> String {
    let mut out = format!("{}\n", clean(&explanation.text));
    let mut line = |text: &str| {
        let _ = writeln!(out, "  {}", style.clip(2, &clean(text)));
    };
    if let Some(row) = explanation.outcome.row() {
        line(row.reason.sentence());
    }
    if let PathOutcome::LeftOut(_, Cause::BuiltIn(fire)) = &explanation.outcome {
        line(&format!("It is taken for {}.", fire.sentence));
    }
    for exception in &explanation.exceptions {
        let Exception { path, over, by, reason, .. } = exception;
        line(&format!(
            "{}: {} ({over}), but {}",
            clean::path(path.as_str()),
            reason.name(),
            keeper_words(by)
        ));
    }
    match explanation.outcome.row() {
        Some(row) if explanation.tracked && row.reason == SkipReason::Ignored => {
            line(
                "Git tracks it all the same; only git's own ignore files have no effect on what git tracks.",
            );
        }
        _ => {}
    }
    if let Some(remedy) = &explanation.include_line {
        line(&format!("To bring it back, write '{remedy}' into .spyhopignore at the root."));
    }
    out
}

fn keeper_words(keeper: &OverridingRule) -> String {
    match keeper {
        OverridingRule::Rule(rule) => format!("{rule} wants it"),
        OverridingRule::Git => "git tracks it".to_string(),
        OverridingRule::Option(name) => format!("--{} is given", name.replace('_', "-")),
        OverridingRule::NoRepository => "no repository says whether somebody keeps it".to_string(),
    }
}

/// Why a file has its rank.
pub fn why_not(answer: &WhyNot, style: &Style) -> String {
    let snapshot = Snapshot { root: answer.root.clone(), ..Snapshot::default() };
    let places = RowPlaces::new(&snapshot, &[]);
    let shown = places.shown(style, answer.source.as_ref(), &answer.path);
    let text = answer.text.replacen(&*clean::answer_path(answer.path.as_str()), &clean::path(&shown), 1);
    let text = with_shown_paths(&text, &answer.nearest, &style.paths);
    let mut out = format!("{}\n", clean(&text));
    if let Verdict::Skipped(entry) | Verdict::PartlyIndexed(entry) = &answer.verdict {
        let _ = writeln!(out, "  {}", style.clip(2, entry.reason.sentence()));
    }
    if let Some(hit) = &answer.hit {
        out.push('\n');
        out.push_str(&hit_block(hit, None, places, Mode::Debug, style));
    }
    if !answer.missing.is_empty() {
        out.push_str("\nagainst the tenth hit, in log-odds:\n");
    }
    for gap in &answer.missing {
        let _ = writeln!(
            out,
            "  {:<17} {:+.2}, the tenth has {:+.2}",
            gap.signal.name(),
            gap.own + 0.0,
            gap.tenth + 0.0
        );
    }
    let _ = writeln!(out, "\nstructure of the files of the tree: {}", tally(answer.structure.named()));
    out
}

/// A text in which the quoted root-relative `paths` are replaced by the paths as they are shown.
pub fn with_shown_paths(text: &str, paths: &[String], base: &PathBase) -> String {
    let quoted = |path: &str| format!("'{path}'");
    let mut out = String::new();
    let mut rest = text;
    // A path that is shown may contain another path of the list, so what is replaced is not searched again.
    let first = |rest: &str| {
        let at = |path: &'_ String| rest.find(&quoted(path)).map(|at| (at, path.clone()));
        paths.iter().filter_map(at).min()
    };
    while let Some((at, path)) = first(rest) {
        out.push_str(&rest[..at]);
        out.push_str(&quoted(&base.shown(&path)));
        rest = &rest[at + path.len() + 2..];
    }
    out.push_str(rest);
    out
}

/// The languages, a line each.
pub fn languages(rows: &[LanguageRow], style: &Style) -> String {
    let mut out = String::new();
    let width = rows.iter().map(|row| row.title.chars().count()).max().unwrap_or_default();
    for row in rows {
        let files = row.files.map_or(String::new(), |files| files.to_string());
        let name = style.paint(Ink::Symbol, &format!("{:<12}", row.name));
        let line = format!("{name} {:<width$} {files:>8}  {}", row.title, row.extensions.join(" "));
        let _ = writeln!(out, "{}{}", line.trim_end(), if row.overridden { "  (overridden)" } else { "" });
    }
    out
}

fn render_hits(reply: &SearchReply, queries: &[String], mode: Mode, style: &Style) -> String {
    if reply.results.is_empty() && reply.total > 0 {
        return format!("No further results for: {} ({} in all)\n", clean(&reply.query), reply.total);
    }
    if reply.results.is_empty() {
        let is_for_people = mode == Mode::Default && !style.agent;
        let advice = if is_for_people {
            page::nothing(&reply.query, &reply.snapshot, &reply.sources)
        } else {
            String::new()
        };
        return format!("No results found for: {}\n{advice}", clean(&reply.query));
    }
    if mode == Mode::Default && !style.all && !style.agent {
        return page::page(reply, queries, style);
    }
    let places = RowPlaces::new(&reply.snapshot, &reply.sources);
    let mut out = String::new();
    let mut before = None;
    for hit in &reply.results {
        let query = hit.query_index.and_then(|at| queries.get(at)).map(String::as_str);
        if mode == Mode::Compact {
            out.push_str(&page::hit_line(hit, places, style));
            continue;
        }
        // A blank line separates hits of different files.
        if before.is_some_and(|before| before != (&hit.source, &hit.path)) {
            out.push('\n');
        }
        before = Some((&hit.source, &hit.path));
        out.push_str(&hit_block(hit, query, places, mode, style));
    }
    if mode == Mode::Compact {
        return out;
    }
    let _ = writeln!(out, "\n{}", style.paint(Ink::Dim, &style.clip(0, &footer(reply, reply.results.len()))));
    if let (Mode::Debug, Some(time)) = (mode, reply.snapshot.checked_at) {
        let _ = writeln!(out, "{}", style.paint(Ink::Dim, &format!("checked at {}", rfc3339(time))));
    }
    if let Some(next) = &reply.next {
        let _ = writeln!(out, "{}", style.paint(Ink::Dim, &format!("more: --cursor {}", clean(next))));
    }
    out
}

/// The number of decimals that shows the greatest share with two digits: three, and more for the shares of a small score.
fn digits_of_contributions(reasons: &[Reason]) -> usize {
    let greatest = reasons.iter().map(|reason| reason.contribution.abs()).fold(0.0, f32::max);
    (3..9).find(|digits| greatest >= 10f32.powi(1 - *digits)).unwrap_or(3) as usize
}

/// The reasons of a hit, a line each: what each adds to the score. Evidence that cannot change a score of almost 0 is shown as
/// percentages of all evidence.
fn contributions(hit: &Hit, style: &Style) -> String {
    let of_evidence = || hit.reasons.iter().filter(|reason| reason.signal != Signal::Base);
    let total: f32 = of_evidence().map(|reason| reason.contribution.abs()).sum();
    let is_too_small = total > 0.0 && of_evidence().all(|reason| reason.contribution.abs() < 0.000_5);
    let digits = digits_of_contributions(&hit.reasons);
    let mut out = String::new();
    for reason in &hit.reasons {
        let share = match is_too_small && reason.signal != Signal::Base {
            true => format!("{:+5.0} %", 100.0 * reason.contribution / total),
            false => format!("{:+.digits$}", reason.contribution + 0.0),
        };
        let name = reason.signal.name();
        let said = reason.text.strip_prefix(name).and_then(|text| text.strip_prefix(": "));
        let line = format!("{share} {name:<17} {}", clean(said.unwrap_or(&reason.text)));
        let _ = writeln!(out, "  {}", style.paint(Ink::Dim, &style.clip(2, &line)));
    }
    out
}

/// A hit as a block: the heading, the reasons and the code.
fn hit_block(hit: &Hit, query: Option<&str>, places: RowPlaces<'_>, mode: Mode, style: &Style) -> String {
    let mut out = format!(
        "{}  {}  {}",
        location(hit, places, style),
        kind_and_symbol(hit, style),
        score_and_band(hit, style)
    );
    out.push_str(&annotations(hit, query, style));
    out.push('\n');
    if mode == Mode::Debug {
        let _ = writeln!(out, "  {}", style.paint(Ink::Dim, &language_and_lines(hit)));
        out.push_str(&contributions(hit, style));
    } else {
        out.push_str(&page::evidence_line(hit, style));
    }
    if let Some(snippet) = &hit.snippet {
        out.push_str(&code(snippet, hit.language, style));
    }
    out
}
