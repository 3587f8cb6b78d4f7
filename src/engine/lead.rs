//! How far a place leads: the measure that the weights of packs were fitted on.
//!
//! A pack divides a budget among places, so their shares of the ranking count, and not whether each of them is relevant,
//! which is the score of a hit.

use spyhop_search::QueryCalibration;
use spyhop_search::query::Query;

/// By kind of query, and for reports: the constant, the weight of the sum, and that of the log-odds of the share.
const WEIGHTS: [[f32; 3]; 4] =
    [[0.7174, 0.1952, 0.8214], [0.6823, 0.2066, 0.8240], [0.9345, 0.2695, 0.8032], [-0.5641, 0.0, 0.6218]];

/// The lead of a place with this sum before calibration, 0 to 1.
pub fn lead(query: &Query, calibration: &QueryCalibration, sum: f32) -> f32 {
    let [constant, of_sum, of_share] = WEIGHTS[if query.is_report { 3 } else { query.kind as usize }];
    let odds = constant + of_sum * sum + of_share * calibration.share_log_odds(sum);
    1.0 / (1.0 + (-odds).exp())
}
