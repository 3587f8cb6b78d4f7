//! Matrices of floats, and the functions of a network that work on their rows.
//!
//! Products are those of the crate `gemm`, which selects the instructions of the processor. The other loops are compiled for
//! these instructions, too, by `pulp`. One text is one thread's work: a build has a thread for each core, and threads within
//! a text would only wait for each other.

use gemm::Parallelism;
use pulp::Arch;

/// A matrix in a slice: the element of row i and column j is at `i * row_step + j * column_step`.
#[derive(Clone, Copy)]
pub struct Matrix<'m> {
    numbers: &'m [f32],
    rows: usize,
    columns: usize,
    row_step: usize,
    column_step: usize,
}

impl<'m> Matrix<'m> {
    /// The matrix of some columns of a matrix of rows of `row_step` numbers.
    pub fn new(numbers: &'m [f32], (rows, columns): (usize, usize), row_step: usize) -> Matrix<'m> {
        let len = rows.saturating_sub(1) * row_step + columns;
        assert!(columns <= row_step && len <= numbers.len(), "a matrix lies in its slice");
        Matrix { numbers, rows, columns, row_step, column_step: 1 }
    }

    /// Rows become columns.
    pub fn transposed(self) -> Matrix<'m> {
        let Matrix { numbers, rows, columns, row_step, column_step } = self;
        Matrix { numbers, rows: columns, columns: rows, row_step: column_step, column_step: row_step }
    }
}

/// How a product is written.
#[derive(Clone, Copy, PartialEq)]
pub enum Writing {
    /// Over what was there.
    Over,
    /// Added to what was there.
    Added,
}

/// Writes the product of two matrices, times `scale`, into rows of `out_step` numbers.
pub fn multiply(
    (left, right): (Matrix<'_>, Matrix<'_>),
    (out, out_step): (&mut [f32], usize),
    scale: f32,
    writing: Writing,
) {
    let (rows, inner, columns) = (left.rows, left.columns, right.columns);
    assert_eq!(
        inner, right.rows,
        "a row of the left matrix has as many numbers as a column of the right one"
    );
    assert!(columns <= out_step && rows.saturating_sub(1) * out_step + columns <= out.len());
    let step = |step: usize| step as isize;
    // SAFETY: the constructors of `Matrix` and the lines above checked that every element lies in its slice; `out` is
    // borrowed exclusively, so it overlaps neither matrix.
    unsafe {
        gemm::gemm(
            rows,
            columns,
            inner,
            out.as_mut_ptr(),
            1,
            step(out_step),
            writing == Writing::Added,
            left.numbers.as_ptr(),
            step(left.column_step),
            step(left.row_step),
            right.numbers.as_ptr(),
            step(right.column_step),
            step(right.row_step),
            1.0f32,
            scale,
            false,
            false,
            false,
            Parallelism::None,
        );
    }
}

/// Adds to each number the one at the same position.
pub fn add(to: &mut [f32], more: &[f32]) {
    to.iter_mut().zip(more).for_each(|(to, more)| *to += more);
}

/// Makes mean 0 and variance 1 of each row, then scales and shifts its numbers.
pub fn normalize(rows: &mut [f32], (scale, shift): (&[f32], &[f32]), epsilon: f32) {
    Arch::new().dispatch(|| {
        for row in rows.chunks_exact_mut(scale.len()) {
            let n = row.len() as f32;
            let mean = row.iter().sum::<f32>() / n;
            let variance = row.iter().map(|number| (number - mean).powi(2)).sum::<f32>() / n;
            let factor = 1.0 / (variance + epsilon).sqrt();
            for ((number, scale), shift) in row.iter_mut().zip(scale).zip(shift) {
                *number = (*number - mean) * factor * scale + shift;
            }
        }
    });
}

/// Makes a distribution of each row of `len` numbers: exponentials that add up to 1.
pub fn softmax(rows: &mut [f32], len: usize) {
    Arch::new().dispatch(|| {
        for row in rows.chunks_exact_mut(len) {
            let most = row.iter().copied().fold(f32::MIN, f32::max);
            for number in row.iter_mut() {
                *number = exponential(*number - most);
            }
            let factor = 1.0 / row.iter().sum::<f32>();
            for number in row {
                *number *= factor;
            }
        }
    });
}

/// Replaces each x by x Φ(x), the distribution function of the normal distribution.
pub fn gelu(numbers: &mut [f32]) {
    Arch::new().dispatch(|| {
        for number in numbers {
            *number = gelu_of(*number);
        }
    });
}

/// By approximation 7.1.26 of the error function in Abramowitz and Stegun, which errs by at most 1.5e-7.
#[inline(always)]
fn gelu_of(x: f32) -> f32 {
    const FACTORS: [f32; 5] = [1.061_405_4, -1.453_152, 1.421_413_8, -0.284_496_74, 0.254_829_6];
    let z = x.abs() * std::f32::consts::FRAC_1_SQRT_2;
    let t = 1.0 / (1.0 + 0.327_591_1 * z);
    let sum = FACTORS.iter().fold(0.0, |sum, factor| sum * t + factor);
    let error = 1.0 - sum * t * exponential(-z * z);
    0.5 * x * (1.0 + error.copysign(x))
}

/// e to the power of a number that is at most 0, without a call, so that loops of it use vector instructions.
#[inline(always)]
fn exponential(x: f32) -> f32 {
    /// Adding it to a small number rounds the number to an integer, which then is in the low bits.
    const ROUNDING: f32 = 12_582_912.0;
    /// 2 to the power of a fraction, by its series.
    const FACTORS: [f32; 6] =
        [1.540_353e-4, 1.333_355_8e-3, 9.618_129e-3, 5.550_411e-2, 2.402_265e-1, std::f32::consts::LN_2];
    let power = x.max(-87.0) * std::f32::consts::LOG2_E;
    let rounded = power + ROUNDING;
    let fraction = power - (rounded - ROUNDING);
    let of_fraction = FACTORS.iter().fold(0.0, |sum, factor| sum * fraction + factor) * fraction + 1.0;
    let exponent = rounded.to_bits().wrapping_sub(ROUNDING.to_bits()).wrapping_add(127);
    f32::from_bits(exponent << 23) * of_fraction
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_of_steps_are_right() {
        // Of rows of 3 numbers, the last two.
        let left: Vec<f32> = (0..6).map(|number| number as f32).collect();
        let right = [1.0, 2.0, 3.0, 4.0];
        let left = Matrix::new(&left[1..], (2, 2), 3);
        let right = Matrix::new(&right, (2, 2), 2);
        let mut out = [10.0; 6];
        multiply((left, right.transposed()), (&mut out, 3), 2.0, Writing::Added);
        // [1 2] and [4 5] times [1 2] and [3 4].
        assert_eq!(out, [20.0, 32.0, 10.0, 38.0, 74.0, 10.0]);
    }

    #[test]
    #[should_panic(expected = "lies in its slice")]
    fn a_matrix_outside_of_its_slice_is_refused() {
        Matrix::new(&[0.0; 5], (2, 3), 3);
    }

    #[test]
    fn functions_are_near_their_exact_values() {
        // Numbers far below 0 round in their products with log2(e), and are nothing beside those near 0.
        for step in -4000..=0 {
            let x = step as f32 / 100.0;
            let (found, exact) = (exponential(x), x.exp());
            assert!((found - exact).abs() <= 1e-6 * exact.max(1e-3), "{x}: {found} {exact}");
        }
        // Values of x Φ(x) to seven digits.
        for (x, exact) in [(-3.0, -0.004_049_694), (-0.5, -0.154_268_77), (0.0, 0.0), (1.0, 0.841_344_7)] {
            assert!((gelu_of(x) - exact).abs() < 1e-6, "{x}: {}", gelu_of(x));
        }
        let mut row = [1.0, 2.0, 3.0];
        softmax(&mut row, 3);
        assert!(
            (row[0] - 0.090_030_57).abs() < 1e-6 && (row.iter().sum::<f32>() - 1.0).abs() < 1e-6,
            "{row:?}"
        );
        let mut rows = [1.0, 3.0, 5.0, 5.0];
        normalize(&mut rows, (&[1.0, 2.0], &[0.0, 1.0]), 0.0);
        assert!((rows[0] + 1.0).abs() < 1e-6 && (rows[1] - 3.0).abs() < 1e-6, "{rows:?}");
    }
}
