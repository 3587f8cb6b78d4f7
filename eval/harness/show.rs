//! `spyhop-eval show`: one query opened up: its list, what answers, each reason with its share, and why a target is
//! missing.

use std::fmt::Write;
use std::path::PathBuf;

use spyhop::{Engine, FilesRequest, Hit, Mode, SearchRequest, WhyNot};

use crate::corpus::Places;
use crate::failure::Failure;
use crate::run::request;
use crate::select;
use crate::sets::{self, Query, Set, Target, Tree};

/// Open up one query: its list, the answer starred, the reasons, and why a target is missing
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The query set
    #[arg(value_name = "SET")]
    set: PathBuf,
    /// A folder that holds trees, each in a folder of its name; may be given several times
    #[arg(long, required = true, value_name = "DIR")]
    trees: Vec<PathBuf>,
    #[command(flatten)]
    which: Which,
    /// How many hits are shown; a target beyond them is missing
    #[arg(short, value_name = "N", default_value = "10", value_parser = clap::value_parser!(u16).range(1..=50))]
    k: u16,
    /// Rank by this profile instead of the built-in one
    #[arg(long, value_name = "FILE")]
    profile: Option<PathBuf>,
    /// Keep the index here
    #[arg(long, value_name = "DIR")]
    index_dir: Option<PathBuf>,
}

/// Which query.
#[derive(Debug, clap::Args)]
#[group(required = true, multiple = false)]
struct Which {
    /// The query with this id; `run --out` writes them, and `show` names them when it is unsure
    #[arg(long, value_name = "ID")]
    id: Option<String>,
    /// The query that reads so, or the only one that contains this
    #[arg(long, value_name = "TEXT")]
    query: Option<String>,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<(), Failure> {
    let set = sets::read(&args.set)?;
    let (tree, query) = args.which.find(&set)?;
    let places = Places::new(&args.trees, args.index_dir.as_deref(), None)?;
    let Some(opened) = places.open(&set.name, tree)? else {
        let places: Vec<String> = args.trees.iter().map(|trees| trees.display().to_string()).collect();
        return Err(Failure::Asked(format!("{} is not below {}", tree.folder, places.join(" or "))));
    };
    let profile = select::profile(args.profile.as_deref())?;
    let request = SearchRequest { mode: Mode::Debug, ..request(&query.text, usize::from(args.k), &profile) };
    let reply = opened.engine.search(&request)?;
    let mut out = format!("{} · {} · {}\n{}\n", query.id, query.kind, tree.folder, query.text);
    for (rank, hit) in (1..).zip(&reply.results) {
        shown(&mut out, rank, hit, &query.targets);
    }
    for target in &query.targets {
        if !reply.results.iter().any(|hit| target.answered_by(hit.path.as_str(), hit.lines)) {
            let path = real_path(&opened.engine, tree, target)?;
            missing(&mut out, target, &opened.engine.why_not(&path, &request)?);
        }
    }
    print!("{out}");
    Ok(())
}

impl Which {
    fn find<'s>(&self, set: &'s Set) -> Result<(&'s Tree, &'s Query), Failure> {
        let all: Vec<(&Tree, &Query)> =
            set.trees.iter().flat_map(|tree| tree.queries.iter().map(move |query| (tree, query))).collect();
        if let Some(id) = &self.id {
            let found = all.iter().find(|(_, query)| query.id == *id).copied();
            return found.ok_or_else(|| {
                let ids: Vec<&str> = all.iter().take(5).map(|(_, query)| query.id.as_str()).collect();
                Failure::Asked(format!("no query has the id '{id}'; there are {}, ...", ids.join(", ")))
            });
        }
        let text = self.query.as_deref().unwrap_or_default().to_lowercase();
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let reads = |query: &Query| query.text.to_lowercase();
        let exact: Vec<_> = all.iter().filter(|(_, query)| reads(query) == text).collect();
        let holding: Vec<_> = all.iter().filter(|(_, query)| reads(query).contains(&text)).collect();
        match (&exact[..], &holding[..]) {
            ([only], _) | ([], [only]) => Ok(**only),
            ([], []) => Err(Failure::Asked(format!("no query reads '{text}'"))),
            ([], several) | (several, _) => {
                let several: Vec<String> = several
                    .iter()
                    .take(10)
                    .map(|(_, query)| format!("{}: {}", query.id, query.text))
                    .collect();
                let text =
                    format!("several queries read so; choose one with --id:\n  {}", several.join("\n  "));
                Err(Failure::Asked(text))
            }
        }
    }
}

fn shown(out: &mut String, rank: usize, hit: &Hit, targets: &[Target]) {
    let path = hit.path.as_str();
    let star = if targets.iter().any(|target| target.answered_by(path, hit.lines)) { '*' } else { ' ' };
    let symbol = hit.symbol.as_deref().unwrap_or("-");
    let (first, last) = (hit.lines.first, hit.lines.last);
    let (kind, band) = (hit.kind.name(), hit.band.name());
    let _ = writeln!(out, "\n{star}{rank:>3}. {path}:{first}-{last} {kind} {symbol} {:.3} {band}", hit.score);
    for reason in &hit.reasons {
        let _ = writeln!(out, "      {:+.3} {}", reason.contribution, reason.text);
    }
}

fn missing(out: &mut String, target: &Target, why: &WhyNot) {
    let lines = target.lines.map_or(String::new(), |lines| format!(":{}-{}", lines.first, lines.last));
    let _ = writeln!(out, "\nmissing {}{lines}: {}", target.path, why.text);
    for reason in why.hit.iter().flat_map(|hit| &hit.reasons) {
        let _ = writeln!(out, "      {:+.3} {}", reason.contribution, reason.text);
    }
    for gap in &why.missing {
        let name = gap.signal.name();
        let _ = writeln!(out, "      {name}: {:+.3}, and the tenth file {:+.3}", gap.own, gap.tenth);
    }
}

/// The path of a target below the root that is indexed: without the folders above, or with those that it lacks.
fn real_path(engine: &Engine, tree: &Tree, target: &Target) -> Result<String, Failure> {
    let below = target.path.strip_prefix(&format!("{}/", tree.root)).unwrap_or(&target.path);
    if engine.root().join(below).exists() {
        return Ok(below.to_string());
    }
    let name = below.rsplit('/').next().unwrap_or(below);
    let mut request = FilesRequest::new(String::new());
    request.max_results = spyhop::engine::api::MAX_ROWS;
    request.filter.path_globs = vec![globset::escape(name)];
    let rows = engine.files(&request)?.files;
    let found = rows.into_iter().find(|row| target.names(row.path.as_str()));
    Ok(found.map_or_else(|| below.to_string(), |row| row.path.as_str().to_string()))
}
