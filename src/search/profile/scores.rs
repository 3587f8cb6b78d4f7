//! The calibration of scores, as a part of a profile.

use serde::Deserialize;

use super::error::ProfileError;
use super::signal::QueryKind;

/// The calibration from sums of contributions to the scores that are shown, see [`Calibration`].
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScoreCalibration {
    /// A reply warns that no hit seems to answer the query if the uncalibrated score of every hit is below this limit,
    /// from 0 to 1. An uncalibrated score is the logistic function of the sum of contributions.
    pub doubt: f32,
    /// The coefficients for queries of names only, [`QueryKind::Names`].
    #[serde(alias = "name")]
    pub names: Calibration,
    /// The coefficients for words with at least one name, [`QueryKind::Mixed`].
    #[serde(alias = "sentence")]
    pub mixed: Calibration,
    /// The coefficients for words without a name, [`QueryKind::Words`].
    #[serde(alias = "question")]
    pub words: Calibration,
    /// The coefficients for reports, which are queries of many words on several lines, of any kind.
    pub report: Calibration,
}

/// The coefficients of a calibration. The log-odds of a score are `intercept + sum * s + softmax * ln(p / (1 - p))`,
/// where s is the sum of the file's contributions, and p is the softmax of s over the rescored files.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Calibration {
    /// The constant term, in log-odds.
    #[serde(alias = "base")]
    pub intercept: f32,
    /// The weight of the sum s, at least 0.
    #[serde(alias = "scale")]
    pub sum: f32,
    /// The weight of the log-odds of the softmax p, at least 0.
    #[serde(alias = "standing")]
    pub softmax: f32,
}

impl Calibration {
    /// The coefficients that make the score the logistic function of the sum.
    pub const IDENTITY: Calibration = Calibration { intercept: 0.0, sum: 1.0, softmax: 0.0 };
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
        let refuse = |text: String| Err(ProfileError::Syntax(text));
        if !(0.0..=1.0).contains(&self.doubt) {
            return refuse(format!("scores.doubt is {}; choose 0 to 1", self.doubt));
        }
        for (name, Calibration { intercept, sum, softmax }) in self.by_name() {
            let may_be = |weight: f32| weight.is_finite() && weight >= 0.0;
            if !(intercept.is_finite() && may_be(sum) && may_be(softmax) && sum + softmax > 0.0) {
                return refuse(format!(
                    "scores.{name} has intercept {intercept}, sum {sum} and softmax {softmax}; choose a finite intercept, \
                     and weights of 0 or more for sum and softmax that are not both 0"
                ));
            }
        }
        Ok(())
    }
}
