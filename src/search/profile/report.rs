//! The parameters of reports in a profile.

use serde::Deserialize;

/// The parameters for reports, which are queries of many words on several lines. The other weights are those of the kind
/// of the query.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReportParameters {
    /// The weight of the signal `best-place`, at least 0.
    pub best_place: f32,
    /// The exponent of the probability of a further place relative to the best place of its file, at least 0. Less than
    /// 1 brings more places of one file.
    pub spread: f32,
}

impl ReportParameters {
    /// The parameters of a profile without the table.
    pub const PLAIN: ReportParameters = ReportParameters { best_place: 0.0, spread: 1.0 };

    /// Checks the values. The error says what to choose.
    pub(super) fn check(&self) -> Result<(), String> {
        let ReportParameters { best_place, spread } = *self;
        let may_be = |value: f32| value.is_finite() && value >= 0.0;
        if may_be(best_place) && may_be(spread) {
            return Ok(());
        }
        Err(format!("reports has best_place {best_place} and spread {spread}; choose numbers of 0 or more"))
    }
}
