//! `spyhop-eval plot`: runs as pictures, in SVG: quality against speed, quality by kind, and whether a score means what
//! it says.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use crate::bins::{BINS, Bins};
use crate::failure::Failure;
use crate::record::{QueryRow, Run};
use crate::report::Averages;

const SIZE: (u32, u32) = (900, 540);

/// Draw runs as SVG: NDCG against latency, bars by kind, and how reliable the shown score is
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Run files; a picture holds them all, in this order
    #[arg(required = true, value_name = "RUN.jsonl")]
    runs: Vec<PathBuf>,
    /// The folder to write to: latency.svg, kinds.svg, and reliability-NAME.svg for each run
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
}

/// A run with what it is called.
struct Named {
    name: String,
    run: Run,
}

type Drawing<'d> = DrawingArea<SVGBackend<'d>, plotters::coord::Shift>;
type Drawn = Result<(), Box<dyn std::error::Error>>;
type Chart<'a, 'd> = ChartContext<'a, SVGBackend<'d>, Cartesian2d<RangedCoordf64, RangedCoordf64>>;

/// Runs the command.
pub fn run(args: &Args) -> Result<(), Failure> {
    let mut runs: Vec<Named> = Vec::new();
    for path in &args.runs {
        let mut name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        while runs.iter().any(|known| known.name == name) {
            name.push('\'');
        }
        runs.push(Named { name, run: Run::read(path)? });
    }
    fs::create_dir_all(&args.out).map_err(Failure::write(&args.out))?;
    picture(&args.out.join("latency.svg"), |area| latency(area, &runs))?;
    picture(&args.out.join("kinds.svg"), |area| kinds(area, &runs))?;
    for named in &runs {
        let path = args.out.join(format!("reliability-{}.svg", named.name));
        picture(&path, |area| reliability(area, named))?;
    }
    Ok(())
}

fn picture(path: &Path, draw: impl FnOnce(&Drawing<'_>) -> Drawn) -> Result<(), Failure> {
    let mut text = String::new();
    let drawn = {
        let area = SVGBackend::with_string(&mut text, SIZE).into_drawing_area();
        area.fill(&WHITE).map_err(Into::into).and_then(|()| draw(&area)).and_then(|()| Ok(area.present()?))
    };
    drawn.map_err(|error| Failure::Write { path: path.to_path_buf(), problem: error.to_string() })?;
    fs::write(path, text).map_err(Failure::write(path))
}

fn font(size: u32) -> TextStyle<'static> {
    ("sans-serif", size).into_font().color(&BLACK)
}

fn colour(at: usize) -> PaletteColor<Palette99> {
    Palette99::pick(at)
}

fn averages(run: &Run, wanted: impl Fn(&QueryRow) -> bool) -> Averages {
    let rows: Vec<&QueryRow> = run.queries.iter().filter(|row| wanted(row)).collect();
    Averages::of(&rows, run.header.k)
}

/// A point a run: the median latency and the NDCG.
fn latency(area: &Drawing<'_>, runs: &[Named]) -> Drawn {
    let points: Vec<Averages> = runs.iter().map(|named| averages(&named.run, |_| true)).collect();
    let slowest = points.iter().map(|of| of.ms[0]).fold(0.1, f64::max) * 1.25;
    let lowest = points.iter().map(|of| of.measures.ndcg).fold(1.0, f64::min);
    let floor = ((lowest - 0.05).max(0.0) * 20.0).floor() / 20.0;
    let mut chart = ChartBuilder::on(area)
        .caption("NDCG against latency", font(20))
        .margin(16)
        .x_label_area_size(44)
        .y_label_area_size(56)
        .build_cartesian_2d(0.0..slowest, floor..1.0)?;
    chart
        .configure_mesh()
        .max_light_lines(0)
        .x_desc("median latency of a query, ms")
        .y_desc(format!("NDCG@{}", runs[0].run.header.k))
        .y_label_formatter(&|value| format!("{value:.2}"))
        .draw()?;
    for (at, (named, of)) in runs.iter().zip(&points).enumerate() {
        let place = (of.ms[0], of.measures.ndcg);
        let label = format!("{} {:.3}", named.name, of.measures.ndcg);
        chart.draw_series([EmptyElement::at(place)
            + Circle::new((0, 0), 5, colour(at).filled())
            + Text::new(label, (9, -6), font(14))])?;
    }
    Ok(())
}

/// A group of bars a kind, a bar a run.
fn kinds(area: &Drawing<'_>, runs: &[Named]) -> Drawn {
    let rows = runs.iter().flat_map(|named| &named.run.queries);
    let kinds: BTreeSet<&str> = rows.map(|row| row.kind.as_str()).collect();
    let kinds: Vec<&str> = kinds.into_iter().collect();
    let mut chart = ChartBuilder::on(area)
        .caption(format!("NDCG@{} by kind of query", runs[0].run.header.k), font(20))
        .margin(16)
        .x_label_area_size(44)
        .y_label_area_size(48)
        .build_cartesian_2d(0.0..kinds.len() as f64, 0.0..1.1)?;
    unlabelled(&mut chart)?;
    let width = 0.8 / runs.len() as f64;
    for (group, kind) in kinds.iter().enumerate() {
        let mut queries = 0;
        for (at, named) in runs.iter().enumerate() {
            let of = averages(&named.run, |row| row.kind == *kind);
            queries = queries.max(of.queries);
            let left = group as f64 + 0.1 + width * at as f64;
            bar(
                &mut chart,
                [left, left + width * 0.95],
                of.measures.ndcg,
                at,
                format!("{:.3}", of.measures.ndcg),
            )?;
        }
        under(area, &chart, group as f64 + 0.5, format!("{kind} ({queries})"))?;
    }
    for (at, named) in runs.iter().enumerate() {
        let place = chart.backend_coord(&(0.0, 1.1));
        let (x, y) = (place.0 + 8 + 160 * at as i32, place.1 + 6);
        area.draw(&Rectangle::new([(x, y), (x + 10, y + 10)], colour(at).filled()))?;
        area.draw(&Text::new(named.name.clone(), (x + 15, y - 2), font(14)))?;
    }
    Ok(())
}

/// For hits of the first page, in ten bins of their score, the share that answers; on the diagonal a score is a
/// probability.
fn reliability(area: &Drawing<'_>, named: &Named) -> Drawn {
    let run = &named.run;
    let hits = run.queries.iter().flat_map(|row| row.hits.iter().take(run.header.k));
    let bins = Bins::of(hits.map(|hit| (hit.score, !hit.targets.is_empty())));
    let caption =
        format!("{}: shown score and share of hits that answer, off by {:.3}", named.name, bins.error());
    let mut chart = ChartBuilder::on(area)
        .caption(caption, font(20))
        .margin(16)
        .x_label_area_size(44)
        .y_label_area_size(48)
        .build_cartesian_2d(0.0..1.0, 0.0..1.1)?;
    chart
        .configure_mesh()
        .max_light_lines(0)
        .disable_x_mesh()
        .x_labels(11)
        .y_labels(11)
        .x_desc("shown score")
        .y_desc("share that answers")
        .x_label_formatter(&|value| format!("{value:.1}"))
        .y_label_formatter(&|value| format!("{value:.1}"))
        .draw()?;
    for (at, bin) in bins.0.iter().enumerate().filter(|(_, bin)| bin.hits > 0) {
        let left = at as f64 / BINS as f64;
        let width = 1.0 / BINS as f64;
        bar(
            &mut chart,
            [left + 0.05 * width, left + 0.95 * width],
            bin.share(),
            0,
            format!("{} of {}", bin.right, bin.hits),
        )?;
    }
    chart.draw_series([PathElement::new(vec![(0.0, 0.0), (1.0, 1.0)], BLACK.stroke_width(1))])?;
    Ok(())
}

fn unlabelled(chart: &mut Chart<'_, '_>) -> Drawn {
    let mut mesh = chart.configure_mesh();
    Ok(mesh
        .max_light_lines(0)
        .disable_x_mesh()
        .disable_x_axis()
        .y_label_formatter(&|value| format!("{value:.1}"))
        .draw()?)
}

fn bar(chart: &mut Chart<'_, '_>, [left, right]: [f64; 2], height: f64, at: usize, label: String) -> Drawn {
    chart.draw_series([Rectangle::new([(left, 0.0), (right, height)], colour(at).filled())])?;
    let above = font(12).pos(Pos::new(HPos::Center, VPos::Bottom));
    chart.draw_series([Text::new(label, ((left + right) / 2.0, height + 0.01), above)])?;
    Ok(())
}

/// A label under the axis.
fn under(area: &Drawing<'_>, chart: &Chart<'_, '_>, x: f64, label: String) -> Drawn {
    let (x, y) = chart.backend_coord(&(x, 0.0));
    let style = font(14).pos(Pos::new(HPos::Center, VPos::Top));
    Ok(area.draw(&Text::new(label, (x, y + 10), style))?)
}
