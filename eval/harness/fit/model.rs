//! The model: a weight for each feature and shape of query, learned from which files answer and which do not.
//!
//! The loss is that of RankNet (Burges et al. 2005) over a linear score: for each pair of a file that answers and one that
//! does not, log(1 + exp(-difference)); the pairs of a query weigh 1 together. Shapes share what they learn: each has
//! weights that are drawn towards common ones, and those towards 0. A feature is scaled by how much it
//! differs within pairs, so that one strength suits all.
//!
//! Pairs are not made: a score is computed once a file, and what all its pairs ask for is added to its row once.

use spyhop::{Feature, QueryKind};

use super::descent::{Bounds, Smooth, least};
use super::feature;

/// Shapes of queries.
pub const SHAPES: usize = QueryKind::ALL.len();

/// The files of a query that are learned from.
pub struct Lesson {
    /// The shape of the query.
    pub shape: QueryKind,
    /// How many rows are of files that answer; they come first.
    pub better: usize,
    /// The measures of the features: a row for each file.
    pub rows: Vec<f32>,
}

/// How strictly weights are held back.
#[derive(Clone, Copy, Debug)]
pub struct Restraint {
    /// How far common weights may be from 0: the variance that is expected of them, a query being one observation.
    pub strength: f64,
    /// How far the weights of a shape may be from the common ones, as a share of that deviation.
    pub kinds: f64,
}

/// The learned weights.
#[derive(Clone, Debug, PartialEq)]
pub struct Weights {
    /// For each shape the weight of each feature.
    pub of: [Vec<f64>; SHAPES],
    /// How much each feature differs within a pair.
    pub scale: Vec<f64>,
}

impl Weights {
    /// The score of a row.
    pub fn sum(&self, shape: QueryKind, row: &[f32]) -> f64 {
        dot(row, &self.of[shape as usize])
    }
}

/// Learns weights.
pub fn learned(lessons: &[&Lesson], features: &[Feature], restraint: Restraint) -> Weights {
    let n = features.len();
    let scale = scale(lessons, n);
    let bounds: Vec<Bounds> = features.iter().map(|feature| feature::bounds(feature.signal)).collect();
    let bounds: Vec<Bounds> = (0..SHAPES).flat_map(|_| bounds.iter().copied()).collect();
    let lambda = 1.0 / (restraint.strength * lessons.len().max(1) as f64);
    let found = least(&Loss { lessons, scale: &scale, lambda, kinds: restraint.kinds }, &bounds);
    let of = std::array::from_fn(|shape| {
        found[shape * n..][..n].iter().zip(&scale).map(|(weight, scale)| weight / scale).collect()
    });
    Weights { of, scale }
}

/// The root of the mean, over queries, of each feature's mean squared difference; 1 for one that never differs.
fn scale(lessons: &[&Lesson], n: usize) -> Vec<f64> {
    let mut sums = vec![0.0; n];
    for lesson in lessons {
        let (better, worse) = lesson.rows.split_at(lesson.better * n);
        let pairs = (better.len() / n * (worse.len() / n)) as f64;
        let mut squares = vec![0.0; n];
        for better in better.chunks_exact(n) {
            for worse in worse.chunks_exact(n) {
                for at in 0..n {
                    let difference = f64::from(better[at]) - f64::from(worse[at]);
                    squares[at] += difference * difference;
                }
            }
        }
        sums.iter_mut().zip(squares).for_each(|(sum, squares)| *sum += squares / pairs);
    }
    let root = |sum: f64| if sum > 0.0 { (sum / lessons.len() as f64).sqrt() } else { 1.0 };
    sums.into_iter().map(root).collect()
}

struct Loss<'l> {
    lessons: &'l [&'l Lesson],
    scale: &'l [f64],
    lambda: f64,
    kinds: f64,
}

impl Smooth for Loss<'_> {
    fn at(&self, point: &[f64], mut gradient: Option<&mut [f64]>) -> f64 {
        let n = self.scale.len();
        let raw: Vec<f64> =
            point.iter().enumerate().map(|(at, weight)| weight / self.scale[at % n]).collect();
        let mut pulls = vec![0.0; if gradient.is_some() { point.len() } else { 0 }];
        let mut loss = 0.0;
        let (mut sums, mut asked) = (Vec::new(), Vec::new());
        for lesson in self.lessons {
            let from = lesson.shape as usize * n;
            sums.clear();
            sums.extend(lesson.rows.chunks_exact(n).map(|row| dot(row, &raw[from..from + n])));
            loss += lesson.loss(&sums, &mut asked);
            if gradient.is_some() {
                for (row, asked) in lesson.rows.chunks_exact(n).zip(&asked) {
                    for (pull, value) in pulls[from..from + n].iter_mut().zip(row) {
                        *pull += asked * f64::from(*value);
                    }
                }
            }
        }
        let queries = self.lessons.len().max(1) as f64;
        if let Some(gradient) = gradient.as_deref_mut() {
            for (at, gradient) in gradient.iter_mut().enumerate() {
                *gradient = pulls[at] / self.scale[at % n] / queries;
            }
        }
        loss / queries + self.held_back(point, gradient)
    }
}

impl Loss<'_> {
    /// The penalty for the distance of the weights from the common ones, and of those from 0. The gradient is added.
    ///
    /// The common weights follow from the others. Where `sum` is that of a feature's weights over the shapes, the best
    /// common one is sum / (shapes + kinds^2), and the rest is algebra.
    fn held_back(&self, point: &[f64], gradient: Option<&mut [f64]>) -> f64 {
        let n = self.scale.len();
        let force = self.lambda / (self.kinds * self.kinds);
        let whole = SHAPES as f64 + self.kinds * self.kinds;
        let sums: Vec<f64> = (0..n).map(|at| (0..SHAPES).map(|shape| point[shape * n + at]).sum()).collect();
        if let Some(gradient) = gradient {
            for (at, gradient) in gradient.iter_mut().enumerate() {
                *gradient += force * (point[at] - sums[at % n] / whole);
            }
        }
        let squares: f64 = point.iter().map(|weight| weight * weight).sum();
        let common: f64 = sums.iter().map(|sum| sum * sum).sum();
        0.5 * force * (squares - common / whole)
    }
}

impl Lesson {
    /// The mean loss of the pairs, and for each row how the loss changes with its score.
    fn loss(&self, sums: &[f64], asked: &mut Vec<f64>) -> f64 {
        asked.clear();
        asked.resize(sums.len(), 0.0);
        let each = 1.0 / (self.better * (sums.len() - self.better)) as f64;
        let mut loss = 0.0;
        for better in 0..self.better {
            for worse in self.better..sums.len() {
                let difference = sums[better] - sums[worse];
                // exp of what is not positive cannot overflow.
                let small = (-difference.abs()).exp();
                loss += small.ln_1p() + (-difference).max(0.0);
                let wrong = if difference > 0.0 { small / (1.0 + small) } else { 1.0 / (1.0 + small) };
                asked[better] -= wrong * each;
                asked[worse] += wrong * each;
            }
        }
        loss * each
    }
}

/// The sum of products, in eight lanes so that it is fast and in an order that never changes.
fn dot(row: &[f32], weights: &[f64]) -> f64 {
    const LANES: usize = 8;
    let mut lanes = [0.0; LANES];
    let (rows, weighed) = (row.chunks_exact(LANES), weights.chunks_exact(LANES));
    let rest: f64 = rows
        .remainder()
        .iter()
        .zip(weighed.remainder())
        .map(|(value, weight)| f64::from(*value) * weight)
        .sum();
    for (values, weights) in rows.zip(weighed) {
        for lane in 0..LANES {
            lanes[lane] += f64::from(values[lane]) * weights[lane];
        }
    }
    lanes.iter().sum::<f64>() + rest
}

#[cfg(test)]
mod tests {
    use fastrand::Rng;

    use super::*;

    const RESTRAINT: Restraint = Restraint { strength: 0.1, kinds: 0.5 };

    fn features(names: &[&str]) -> Vec<Feature> {
        names.iter().map(|name| name.parse().unwrap()).collect()
    }

    /// Queries of all shapes whose answers stand out by `means` in each feature, with noise.
    fn drawn(means: &[f64], n_queries: usize) -> Vec<Lesson> {
        let mut rng = Rng::with_seed(5);
        let mut lesson = |at: usize| {
            let better = 1 + at % 2;
            let row = |row: usize| if row < better { 1.0 } else { 0.0 };
            let rows = (0..better + 9)
                .flat_map(|at| means.iter().map(move |mean| mean * row(at)))
                .map(|mean| (mean + rng.f64() * 4.0 - 2.0) as f32)
                .collect();
            Lesson { shape: QueryKind::ALL[at % SHAPES], better, rows }
        };
        (0..n_queries).map(&mut lesson).collect()
    }

    #[test]
    fn one_pair_gives_the_weight_that_algebra_gives() {
        let lesson = Lesson { shape: QueryKind::Names, better: 1, rows: vec![1.0, 0.0] };
        let weights =
            learned(&[&lesson], &features(&["lexical.relative"]), Restraint { strength: 2.0, kinds: 0.5 });
        // The best common weight is w / (1 + kinds^2), which leaves lambda / 2 * w^2 / (1 + kinds^2) to pay.
        let [name, sentence, question] = [0, 1, 2].map(|shape| weights.of[shape][0]);
        assert!((1.0 / (1.0 + name.exp()) - 0.5 * name / 1.25).abs() < 1e-6, "{name}");
        assert!((sentence - name / 1.25).abs() < 1e-6 && (question - sentence).abs() < 1e-6, "{weights:?}");
        assert_eq!(weights.scale, [1.0]);
    }

    #[test]
    fn the_gradient_is_that_of_the_value() {
        let lessons = drawn(&[1.0, -0.5, 0.2], 12);
        let lessons: Vec<&Lesson> = lessons.iter().collect();
        let scale = scale(&lessons, 3);
        let loss = Loss { lessons: &lessons, scale: &scale, lambda: 0.3, kinds: 0.7 };
        let point: Vec<f64> = (0..9).map(|at| f64::from(at) * 0.3 - 1.0).collect();
        let mut gradient = vec![0.0; 9];
        loss.at(&point, Some(&mut gradient));
        for at in 0..9 {
            let value = |by: f64| {
                let mut point = point.clone();
                point[at] += by;
                loss.at(&point, None)
            };
            let slope = (value(1e-5) - value(-1e-5)) / 2e-5;
            assert!((slope - gradient[at]).abs() < 1e-7, "{at}: {slope} {}", gradient[at]);
        }
    }

    #[test]
    fn signs_hold_against_the_data() {
        // The data say the opposite of what the first two signals may mean.
        let names =
            features(&["lexical.relative", "test.value", "depth.value", "name-kin.relative", "docs.value"]);
        let lessons = drawn(&[-1.0, 1.0, -1.0, 1.0, -1.0], 60);
        let lessons: Vec<&Lesson> = lessons.iter().collect();
        let weights = learned(&lessons, &names, RESTRAINT);
        for shape in &weights.of {
            assert_eq!(shape[..2], [0.0, 0.0]);
            assert!(shape[2] < -0.1 && shape[3] > 0.1 && shape[4] < -0.1, "{shape:?}");
        }
    }

    #[test]
    fn the_same_lessons_give_the_same_weights() {
        let names = features(&["lexical.relative", "path.relative", "depth.value"]);
        let lessons = drawn(&[1.0, 0.5, -0.2], 40);
        let lessons: Vec<&Lesson> = lessons.iter().collect();
        assert_eq!(learned(&lessons, &names, RESTRAINT), learned(&lessons, &names, RESTRAINT));
    }
}
