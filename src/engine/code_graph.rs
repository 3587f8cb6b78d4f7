//! Questions to the code graph: of one tree, or of several trees, tree by tree.

use std::cmp::Ordering;

use super::api::*;
use super::call::Call;
use super::corpus::{Corpus, CorpusMember, incomplete_of, of_source, silent};
use super::graph::{self, MAX_DEFINITIONS, order_of_edges};
use super::graph_outside::{self, ElsewhereRequest, PackageUses};
use super::lookup::check_rows;
use super::open_index::Viewed;
use super::operation::Operation;
use super::origin::sums;
use super::remote::MemberAnswers;
use super::{current, lookup, memory};
use crate::error::{Error, ErrorKind};

/// Callers, callees, uses, imports or implementations. A target that means nothing in the tree, or in any of several trees, is
/// an error with the nearest names.
impl Operation for GraphRequest {
    const NAME: &'static str = "graph";

    type Reply = GraphReply;

    fn run(&self, corpus: &Corpus, call: &Call<'_>) -> Result<GraphReply, Error> {
        match corpus.alone() {
            Some(engine) => graph::graph_of_tree(engine, self, call.progress()),
            None => graph_of_sources(corpus, self),
        }
    }
}

/// Answers a question tree by tree. A target that begins with the name of a source and `:`, as in
/// `client:src/lib.rs:12`, is of that source.
fn graph_of_sources(corpus: &Corpus, request: &GraphRequest) -> Result<GraphReply, Error> {
    check_rows("max_results", request.max_results, MAX_ROWS)?;
    if request.changes.is_some() {
        return Err(Error::bad("a diff is about one tree; ask that tree alone"));
    }
    let (only, target) = corpus.addressed(&request.target);
    let (only, target) = match imported(corpus, only, target)? {
        Some((source, target)) => (Some(source.name()), target),
        None => (only, target.to_string()),
    };
    let request = GraphRequest { target, ..request.clone() };
    let mut unknown: Option<Error> = None;
    let (answers, warnings) = corpus.each(|source, answers| {
        if only.is_some_and(|only| *only != *source.name()) {
            return Ok(None);
        }
        match answers.ask(&request) {
            // The target is no name of this tree.
            Err(error) if error.kind() == ErrorKind::BadRequest => {
                unknown.get_or_insert(error);
                Ok(None)
            }
            answer => answer.map(Some),
        }
    })?;
    let (mut found, mut others) = (Vec::new(), Vec::new());
    for (source, answer) in answers {
        match answer {
            Some(answer) => found.push((source, answer)),
            None => others.push(source),
        }
    }
    match unknown {
        Some(error) if found.is_empty() => {
            corpus.check_source_of(&request.target)?;
            Err(in_sources(corpus, error))
        }
        _ => {
            let (mut whole, mut reasons) = joined_graph(corpus, &request, found, warnings);
            // The target means nothing in these.
            whole.sources.extend(others.iter().filter_map(|source| present(corpus, source)));
            whole.snapshot = sums(&whole.sources);
            add_importing_uses(corpus, &request, &mut whole, &mut reasons);
            others.iter().for_each(|source| add_mentions(corpus, source, &request, &mut whole));
            // The mentions of all sources are counted together.
            reasons.extend(whole.mentions.as_ref().and_then(Mentions::incomplete));
            whole.incomplete = Incomplete::of_all(reasons);
            whole.rows.sort_by(|a, b| order_in_set(request.question, a, b));
            whole.rows.truncate(request.max_results);
            if let Some(mentions) = whole.mentions.as_mut().filter(|_| !request.all_mentions) {
                mentions.rows.truncate(request.max_results.saturating_sub(whole.rows.len()));
            }
            whole.settle_sources();
            Ok(whole)
        }
    }
}

/// An error about a name, whose remedy is for all sources.
fn in_sources(corpus: &Corpus, error: Error) -> Error {
    match error.remedy().cloned() {
        Some(Remedy::SearchLines { name, .. }) => {
            let sources = corpus.members.iter().map(|member| member.name().to_string()).collect();
            error.with(Remedy::SearchLines { name, sources })
        }
        _ => error,
    }
}

/// The definition in another source that the name at a place means: its source, and the target in that source.
fn imported<'c>(
    corpus: &'c Corpus,
    only: Option<&SourceName>,
    target: &str,
) -> Result<Option<(&'c CorpusMember, String)>, Error> {
    for source in corpus.members.iter().filter(|source| only.is_none_or(|only| *only == *source.name())) {
        let Ok(engine) = &source.engine else { continue };
        // A source that cannot answer is named later.
        let Ok(Some(meant)) = graph_outside::outside_name(engine, target) else { continue };
        let is_package = |own: &&CorpusMember| {
            let package = own.package.as_ref();
            package.is_some_and(|package| meant.is_of_package(&package.ecosystem, &package.name))
        };
        let Some(package) = corpus.members.iter().find(is_package) else { continue };
        let Ok(other) = &package.engine else { continue };
        let names =
            [meant.container.map(|container| format!("{container}.{}", meant.name)), Some(meant.name)];
        for name in names.into_iter().flatten() {
            let found = other.ask(&GraphRequest::new(GraphQuestion::Definitions, name));
            let first = found.ok().and_then(|reply| reply.definitions.into_iter().next());
            if let Some(own) = first {
                return Ok(Some((package, format!("{}#{}", own.path, own.qualified()))));
            }
        }
    }
    Ok(None)
}

/// Adds the uses of the definitions of a package in the sources that import the package.
fn add_importing_uses(
    corpus: &Corpus,
    request: &GraphRequest,
    whole: &mut GraphReply,
    reasons: &mut Vec<Incomplete>,
) {
    let asks =
        matches!(request.question, GraphQuestion::References | GraphQuestion::Callers | GraphQuestion::Trace);
    if !asks || request.to.is_some() {
        return;
    }
    if whole.definitions.len() > MAX_DEFINITIONS {
        whole.warnings.push(format!(
            "'{}' has {} definitions in all sources; the sources that import them are asked if the target names one, \
             such as 'SOURCE:{}'",
            request.target,
            whole.definitions.len(),
            request.target,
        ));
        return;
    }
    for home in &corpus.members {
        let own: Vec<SymbolRow> = whole
            .definitions
            .iter()
            .filter(|own| own.source.as_ref() == Some(home.name()))
            .cloned()
            .collect();
        let Some(package) = home.package.as_ref().filter(|_| !own.is_empty()) else { continue };
        for user in corpus.members.iter().filter(|user| user.name != home.name) {
            let Ok(engine) = &user.engine else { continue };
            match graph_outside::uses_of_package(engine, package, &own, request) {
                Ok(uses) => add_uses(whole, user.name(), uses, reasons),
                Err(error) => add_silent(whole, user.name(), &error, reasons),
            }
        }
    }
}

/// Adds the mentions in a source that defines nothing of the target.
fn add_mentions(corpus: &Corpus, source: &CorpusMember, request: &GraphRequest, whole: &mut GraphReply) {
    let (Ok(answers), Some(mentions)) = (corpus.answers_of(source), &mut whole.mentions) else { return };
    let shown = whole.rows.iter().filter(|row| row.source.as_ref() == Some(source.name()));
    let package_of = |own: &SymbolRow| {
        let home = corpus.members.iter().find(|member| own.source.as_ref() == Some(member.name()))?;
        home.package.clone()
    };
    let elsewhere = ElsewhereRequest {
        request: request.clone(),
        definitions: whole.definitions.iter().map(|own| (package_of(own), own.clone())).collect(),
        shown: shown.cloned().collect(),
    };
    // A source that cannot answer is named already.
    if let Ok(mut own) = answers.ask(&elsewhere) {
        name_mentions(&mut own, source.name());
        mentions.add(own);
    }
}

/// One reply of the replies of trees, and why it is not complete, apart from mentions. `silent` names the sources that do not
/// answer.
fn joined_graph(
    corpus: &Corpus,
    request: &GraphRequest,
    answers: Vec<(&CorpusMember, GraphReply)>,
    silent: Vec<String>,
) -> (GraphReply, Vec<Incomplete>) {
    let missing = (!silent.is_empty()).then(|| corpus.missing(silent.len()));
    let mut reasons: Vec<Incomplete> = missing.into_iter().collect();
    let mut whole = GraphReply {
        question: request.question,
        target: request.target.clone(),
        definitions: Vec::new(),
        place: None,
        code: Vec::new(),
        rows: Vec::new(),
        total: 0,
        further_files: 0,
        paths: Vec::new(),
        tests: Vec::new(),
        entries: Vec::new(),
        mentions: None,
        notes: Vec::new(),
        incomplete: None,
        snapshot: Snapshot::default(),
        sources: Vec::new(),
        warnings: silent,
    };
    for (source, mut reply) in answers {
        let name = source.name();
        name_source(&mut reply, name);
        whole.place = whole.place.take().or(reply.place);
        let before = whole.definitions.len();
        whole.code.extend(
            reply
                .code
                .into_iter()
                .map(|code| DefinitionCode { definition: before + code.definition, ..code }),
        );
        whole.definitions.append(&mut reply.definitions);
        whole.rows.append(&mut reply.rows);
        whole.paths.append(&mut reply.paths);
        whole.tests.append(&mut reply.tests);
        whole.entries.append(&mut reply.entries);
        whole.notes.extend(reply.notes.into_iter().map(|row| NoteRow { source: Some(name.clone()), ..row }));
        whole.total += reply.total;
        whole.further_files += reply.further_files;
        let open = reply.mentions.as_ref().and_then(Mentions::incomplete);
        let others = reply.incomplete.filter(|why| Some(why) != open.as_ref());
        reasons.extend(others.map(|why| incomplete_of(name, why)));
        if let Some(mentions) = reply.mentions {
            whole.mentions.get_or_insert_default().add(mentions);
        }
        whole.warnings.extend(reply.warnings.iter().map(|text| of_source(name, text)));
        whole.sources.push(source.snapshot(reply.snapshot));
    }
    whole.tests.sort_by(|a, b| b.confidence.total_cmp(&a.confidence));
    whole.tests.truncate(request.max_results);
    whole.entries.truncate(request.max_results);
    whole.paths.truncate(request.max_results);
    memory::keep_newest(&mut whole.notes);
    (whole, reasons)
}

/// Adds the uses in a source of definitions of a package.
fn add_uses(whole: &mut GraphReply, user: &SourceName, mut uses: PackageUses, reasons: &mut Vec<Incomplete>) {
    for row in &mut uses.rows {
        row.source = Some(user.clone());
        row.from.iter_mut().for_each(|from| from.source = Some(user.clone()));
    }
    whole.total += uses.total;
    whole.further_files += uses.further_files;
    whole.rows.append(&mut uses.rows);
    reasons.extend(uses.incomplete.map(|why| incomplete_of(user, why)));
}

/// Names a source that does not answer, unless the source is named already.
fn add_silent(whole: &mut GraphReply, name: &SourceName, error: &Error, reasons: &mut Vec<Incomplete>) {
    let text = silent(name, error);
    if !whole.warnings.contains(&text) {
        reasons.push(IncompleteCause::Silent.with(text.clone()));
        whole.warnings.push(text);
    }
}

/// The present state of a source; `None` if the source cannot answer.
pub(super) fn present(corpus: &Corpus, source: &CorpusMember) -> Option<SourceSnapshot> {
    let engine = match corpus.answers_of(source).ok()? {
        MemberAnswers::Engine(engine) => engine,
        MemberAnswers::Remote(members, name) => return Some(source.snapshot(members.snapshot_of(name)?)),
    };
    let (snapshot, freshness) = current::ready(engine, &|_| ()).ok()?;
    Some(source.snapshot(lookup::snapshot(engine.tree(), Some(Viewed::from_snapshot(&snapshot)), &freshness)))
}

/// The order of rows of several trees: that of one tree, but equal rows by source before path.
fn order_in_set(question: GraphQuestion, a: &GraphRow, b: &GraphRow) -> Ordering {
    let place = |row: &GraphRow| (row.source.clone(), row.path.clone(), row.line, row.column);
    order_of_edges(question, a, b).then_with(|| place(a).cmp(&place(b)))
}

/// Writes the name of the source into mentions.
fn name_mentions(mentions: &mut Mentions, name: &SourceName) {
    mentions.rows.iter_mut().for_each(|row| row.source = Some(name.clone()));
    mentions.unread.iter_mut().for_each(|unread| unread.source = Some(name.clone()));
}

/// Writes the name of the source into each row of a reply.
fn name_source(reply: &mut GraphReply, name: &SourceName) {
    let own = || Some(name.clone());
    let candidates = reply.place.iter_mut().flat_map(|place| &mut place.candidates);
    reply.definitions.iter_mut().chain(candidates).for_each(|row| row.source = own());
    reply.tests.iter_mut().for_each(|test| test.source = own());
    for entry in &mut reply.entries {
        entry.source = own();
        entry.definition.iter_mut().for_each(|definition| definition.source = own());
    }
    reply.mentions.iter_mut().for_each(|mentions| name_mentions(mentions, name));
    for row in reply.rows.iter_mut().chain(reply.paths.iter_mut().flatten()) {
        row.source = own();
        row.ends_mut().for_each(|end| end.source = own());
    }
}
