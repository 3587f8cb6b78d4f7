//! The calibration of scores, as a part of a profile.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::error::ProfileError;
use super::signal::{QueryKind, ScoreInput};

/// The calibration from sums of contributions to the scores that are shown, see [`Calibration`].
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScoreCalibration {
    /// A reply warns that no hit seems to answer the query if the score of every hit is below this limit, from 0 to 1.
    pub doubt: f32,
    /// The coefficients for queries of names only, [`QueryKind::Names`].
    pub names: Calibration,
    /// The coefficients for words with at least one name, [`QueryKind::Mixed`].
    pub mixed: Calibration,
    /// The coefficients for words without a name, [`QueryKind::Words`].
    pub words: Calibration,
    /// The coefficients for reports, which are queries of many words on several lines, of any kind.
    pub report: Calibration,
}

/// The coefficients of a calibration. The log-odds of a score are the intercept and the weighed sum of the inputs, see
/// [`ScoreInput`].
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(try_from = "BTreeMap<String, f32>")]
pub struct Calibration {
    /// The constant term, in log-odds.
    pub intercept: f32,
    /// The weight of each input.
    pub weights: [f32; ScoreInput::COUNT],
}

impl Calibration {
    /// The coefficients that make the score the logistic function of the sum.
    pub const IDENTITY: Calibration = {
        let mut weights = [0.0; ScoreInput::COUNT];
        weights[ScoreInput::Sum as usize] = 1.0;
        Calibration { intercept: 0.0, weights }
    };
}

impl TryFrom<BTreeMap<String, f32>> for Calibration {
    type Error = String;

    fn try_from(written: BTreeMap<String, f32>) -> Result<Calibration, String> {
        let mut calibration = Calibration { intercept: 0.0, weights: [0.0; ScoreInput::COUNT] };
        for (name, weight) in written {
            if !weight.is_finite() {
                return Err(format!("{name} is {weight}; choose a finite number"));
            }
            match ScoreInput::by_name(&name) {
                Some(input) => calibration.weights[input as usize] = weight,
                None if name == "intercept" => calibration.intercept = weight,
                None => {
                    let known: Vec<&str> = ScoreInput::ALL.iter().map(|input| input.name()).collect();
                    return Err(format!(
                        "scores have no input '{name}'; choose of intercept, {}",
                        known.join(", ")
                    ));
                }
            }
        }
        Ok(calibration)
    }
}

/// The calibration as an inline table of TOML, without the weights of 0.
impl std::fmt::Display for Calibration {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{{ intercept = {:.4}", self.intercept)?;
        for (input, weight) in ScoreInput::ALL.iter().zip(self.weights).filter(|(_, weight)| *weight != 0.0) {
            write!(f, ", {input} = {weight:.4}")?;
        }
        f.write_str(" }")
    }
}

impl ScoreCalibration {
    /// No calibration: scores are the logistic function of the sum, and no reply warns.
    pub const UNCALIBRATED: ScoreCalibration = ScoreCalibration {
        doubt: 0.0,
        names: Calibration::IDENTITY,
        mixed: Calibration::IDENTITY,
        words: Calibration::IDENTITY,
        report: Calibration::IDENTITY,
    };

    /// The coefficients for a query.
    pub fn calibration(&self, kind: QueryKind, is_report: bool) -> Calibration {
        match kind {
            _ if is_report => self.report,
            QueryKind::Names => self.names,
            QueryKind::Mixed => self.mixed,
            QueryKind::Words => self.words,
        }
    }

    /// The calibrations with their names in profiles.
    pub(super) fn by_name(&self) -> [(&'static str, Calibration); 4] {
        let ScoreCalibration { doubt: _, names, mixed, words, report } = *self;
        [("names", names), ("mixed", mixed), ("words", words), ("report", report)]
    }

    pub(super) fn check(&self) -> Result<(), ProfileError> {
        match (0.0..=1.0).contains(&self.doubt) {
            true => Ok(()),
            false => Err(ProfileError::Syntax(format!("scores.doubt is {}; choose 0 to 1", self.doubt))),
        }
    }
}
