//! The least value of a smooth convex function whose variables have bounds.
//!
//! Accelerated projected gradient (FISTA, Beck and Teboulle 2009) that begins its momentum anew whenever it points uphill
//! (O'Donoghue and Candès 2015), with a step that is searched. Everything is added up in a fixed order on one thread,
//! so the same function gives the same bytes. Crates for this are either without bounds or wrap Fortran.

/// Lowest and highest value of a variable.
pub type Bounds = [f64; 2];

/// A function to minimise: its value at a point and, where there is room for it, its gradient.
pub trait Smooth {
    /// The value; the gradient is written over what `gradient` held.
    fn at(&self, point: &[f64], gradient: Option<&mut [f64]>) -> f64;
}

/// At the least value no step along the gradient is larger than this.
const TOLERANCE: f64 = 1e-7;

const MAX_STEPS: usize = 20_000;

/// The point within `bounds` where `function` is least, from the point nearest to 0.
pub fn least(function: &impl Smooth, bounds: &[Bounds]) -> Vec<f64> {
    let n = bounds.len();
    let mut point: Vec<f64> = bounds.iter().map(|bounds| within(0.0, *bounds)).collect();
    let mut ahead = point.clone();
    let mut next = vec![0.0; n];
    let mut gradient = vec![0.0; n];
    let (mut momentum, mut steepness) = (1.0f64, 1.0f64);
    for _ in 0..MAX_STEPS {
        let value = function.at(&ahead, Some(&mut gradient));
        loop {
            for at in 0..n {
                next[at] = within(ahead[at] - gradient[at] / steepness, bounds[at]);
            }
            if function.at(&next, None) <= ceiling(value, &gradient, &ahead, &next, steepness) {
                break;
            }
            steepness *= 2.0;
        }
        let largest = next.iter().zip(&ahead).map(|(next, ahead)| (next - ahead).abs()).fold(0.0, f64::max);
        if largest * steepness < TOLERANCE {
            return next;
        }
        let uphill: f64 = (0..n).map(|at| (ahead[at] - next[at]) * (next[at] - point[at])).sum();
        let grown = 0.5 * (1.0 + (1.0 + 4.0 * momentum * momentum).sqrt());
        let share = if uphill > 0.0 { 0.0 } else { (momentum - 1.0) / grown };
        momentum = if uphill > 0.0 { 1.0 } else { grown };
        for at in 0..n {
            ahead[at] = next[at] + share * (next[at] - point[at]);
        }
        point.copy_from_slice(&next);
        // Where the function is flatter than it was, steps may be longer.
        steepness *= 0.95;
    }
    point
}

fn within(value: f64, [low, high]: Bounds) -> f64 {
    value.clamp(low, high)
}

/// The greatest value at `next` for which a step of this length is short enough. Values have some fifteen digits.
fn ceiling(value: f64, gradient: &[f64], ahead: &[f64], next: &[f64], steepness: f64) -> f64 {
    let bound: f64 = (0..gradient.len())
        .map(|at| {
            let step = next[at] - ahead[at];
            gradient[at] * step + 0.5 * steepness * step * step
        })
        .sum();
    value + bound + 1e-14 * value.abs()
}

#[cfg(test)]
mod tests {
    use super::*;

    const FREE: Bounds = [f64::NEG_INFINITY, f64::INFINITY];

    /// (x - 1)^2 + (x - 1)(y + 2) + (y + 2)^2
    struct Bowl;

    impl Smooth for Bowl {
        fn at(&self, point: &[f64], gradient: Option<&mut [f64]>) -> f64 {
            let (x, y) = (point[0] - 1.0, point[1] + 2.0);
            if let Some(gradient) = gradient {
                gradient.copy_from_slice(&[2.0 * x + y, x + 2.0 * y]);
            }
            x * x + x * y + y * y
        }
    }

    fn check(bounds: [Bounds; 2], expected: [f64; 2]) {
        let found = least(&Bowl, &bounds);
        for (found, expected) in found.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-6, "{bounds:?}: {found} is not {expected}");
        }
    }

    #[test]
    fn the_least_value_is_found_within_bounds() {
        check([FREE, FREE], [1.0, -2.0]);
        // With y held at 0, 2 (x - 1) + 2 = 0.
        check([FREE, [0.0, f64::INFINITY]], [0.0, 0.0]);
        check([FREE, [-1.0, f64::INFINITY]], [0.5, -1.0]);
        check([[2.0, 3.0], FREE], [2.0, -2.5]);
        check([[2.0, 3.0], [5.0, 9.0]], [2.0, 5.0]);
    }

    /// A valley a thousand times as steep as it is long.
    struct Valley;

    impl Smooth for Valley {
        fn at(&self, point: &[f64], gradient: Option<&mut [f64]>) -> f64 {
            let (x, y) = (point[0] + point[1] - 3.0, point[0] - point[1] + 1.0);
            if let Some(gradient) = gradient {
                gradient.copy_from_slice(&[1000.0 * x + y, 1000.0 * x - y]);
            }
            0.5 * (1000.0 * x * x + y * y)
        }
    }

    #[test]
    fn a_narrow_valley_is_followed_to_its_end() {
        let found = least(&Valley, &[FREE, FREE]);
        assert!((found[0] - 1.0).abs() < 1e-5 && (found[1] - 2.0).abs() < 1e-5, "{found:?}");
        assert_eq!(found, least(&Valley, &[FREE, FREE]));
    }
}
