//! From sums to probabilities: what is shown should be how often such a hit answers.
//!
//! Platt's scaling (1999): p = 1 / (1 + exp(-(a * sum + b))), fitted to the first files of each list as they stand under
//! weights learned without their repository, so that no hit speaks for itself. A hit is right when it answers a target,
//! whether or not an earlier one did.

use spyhop::QueryKind;

use super::descent::{Smooth, least};
use super::model::SHAPES;

/// A shape with fewer queries takes the line of all.
const MIN_QUERIES: usize = 20;

/// A file of a first page.
#[derive(Clone, Copy, Debug)]
pub struct Point {
    /// The shape of its query.
    pub shape: QueryKind,
    /// Which query, for counting them.
    pub query: usize,
    /// Its sum.
    pub sum: f64,
    /// Whether it answers.
    pub right: bool,
}

/// The two parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Line {
    /// The factor of the sums, above 0.
    pub a: f64,
    /// The addend.
    pub b: f64,
}

/// The line of each shape.
pub fn lines(points: &[Point]) -> [Line; SHAPES] {
    let all = line(points.iter());
    QueryKind::ALL.map(|shape| {
        let of_shape = || points.iter().filter(|point| point.shape == shape);
        let mut queries: Vec<usize> = of_shape().map(|point| point.query).collect();
        queries.dedup();
        if queries.len() < MIN_QUERIES { all } else { line(of_shape()) }
    })
}

fn line<'p>(points: impl Iterator<Item = &'p Point>) -> Line {
    let points: Vec<(f64, bool)> = points.map(|point| (point.sum, point.right)).collect();
    let count = points.len().max(1) as f64;
    let mean = points.iter().map(|(sum, _)| sum).sum::<f64>() / count;
    let right = points.iter().filter(|(_, right)| *right).count() as f64;
    // As if one more of each had been seen, so that odds stay finite where all are alike.
    let wanted = [1.0 / (count - right + 2.0), (right + 1.0) / (right + 2.0)];
    let found = least(
        &Odds { points: &points, mean, wanted },
        &[[MIN_FACTOR, f64::INFINITY], [-MAX_LOG_ODDS, MAX_LOG_ODDS]],
    );
    Line { a: found[0], b: found[1] - found[0] * mean }
}

/// Sums keep their order, even where few hits say that they should.
const MIN_FACTOR: f64 = 0.05;

/// Log-odds of this size mean never or always.
const MAX_LOG_ODDS: f64 = 20.0;

/// Logistic regression on centred sums. Pairs were learned as log-odds, so `a` is drawn a little towards 1.
struct Odds<'p> {
    points: &'p [(f64, bool)],
    mean: f64,
    wanted: [f64; 2],
}

impl Smooth for Odds<'_> {
    fn at(&self, point: &[f64], gradient: Option<&mut [f64]>) -> f64 {
        let [a, b] = [point[0], point[1]];
        let (mut loss, mut slopes) = (0.5 * (a - 1.0) * (a - 1.0), [a - 1.0, 0.0]);
        for (sum, right) in self.points {
            let sum = sum - self.mean;
            let (odds, wanted) = (a * sum + b, self.wanted[usize::from(*right)]);
            let small = (-odds.abs()).exp();
            loss += small.ln_1p() + odds.max(0.0) - wanted * odds;
            let off = if odds > 0.0 { 1.0 / (1.0 + small) } else { small / (1.0 + small) } - wanted;
            slopes[0] += off * sum;
            slopes[1] += off;
        }
        let count = self.points.len().max(1) as f64;
        if let Some(gradient) = gradient {
            gradient.copy_from_slice(&slopes.map(|slope| slope / count));
        }
        loss / count
    }
}

#[cfg(test)]
mod tests {
    use fastrand::Rng;

    use super::*;

    /// The log-odds of a sum.
    fn of(line: Line, sum: f64) -> f64 {
        line.a * sum + line.b
    }

    /// Points whose log-odds are those of the lines, `n` queries of ten a shape.
    fn drawn(lines: [Line; SHAPES], n: [usize; SHAPES]) -> Vec<Point> {
        let mut rng = Rng::with_seed(3);
        let mut points = Vec::new();
        for shape in QueryKind::ALL {
            for query in 0..n[shape as usize] {
                for _ in 0..10 {
                    let sum = 2.0 + rng.f64() * 6.0;
                    let share = 1.0 / (1.0 + (-of(lines[shape as usize], sum)).exp());
                    points.push(Point { shape, query, sum, right: rng.f64() < share });
                }
            }
        }
        points
    }

    #[test]
    fn the_lines_that_points_were_drawn_from_are_found() {
        let drawn_from = [Line { a: 0.8, b: -4.0 }, Line { a: 1.5, b: -6.0 }, Line { a: 1.0, b: -5.0 }];
        let points = drawn(drawn_from, [4000; SHAPES]);
        for (found, from) in lines(&points).iter().zip(drawn_from) {
            assert!((found.a - from.a).abs() < 0.05 && (found.b - from.b).abs() < 0.25, "{found:?} {from:?}");
        }
    }

    #[test]
    fn a_shape_of_few_queries_takes_the_line_of_all() {
        let same = Line { a: 1.0, b: -5.0 };
        let other = Line { a: 1.0, b: -1.0 };
        let lines = lines(&drawn([same, same, other], [300, 300, MIN_QUERIES - 1]));
        assert_ne!(lines[0], lines[1]);
        assert!((lines[2].b + 4.8).abs() < 0.4, "{lines:?}");
    }

    #[test]
    fn order_is_kept_whatever_the_points_say() {
        let backwards = drawn([Line { a: -1.0, b: 5.0 }; SHAPES], [100; SHAPES]);
        assert!(lines(&backwards).iter().all(|line| line.a == MIN_FACTOR));
        let mut right = drawn([Line { a: 1.0, b: 0.0 }; SHAPES], [3; SHAPES]);
        right.iter_mut().for_each(|point| point.right = true);
        assert!(
            lines(&right).iter().all(|line| line.a >= MIN_FACTOR && of(*line, 5.0) > 2.0),
            "{:?}",
            lines(&right)
        );
        assert!(lines(&[]).iter().all(|line| line.a.is_finite() && line.b.is_finite()));
    }
}
