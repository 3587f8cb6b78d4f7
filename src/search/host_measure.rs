//! The measures of the signals that a host adds.

use std::sync::Arc;

use super::context::Context;
use super::host_signal::{HostMeasure, HostSignal, SignalInput, SignalValue};
use crate::query::Query;

pub(crate) fn file_input<'a>(query: &'a Query, context: &Context<'a>, file: u32) -> SignalInput<'a> {
    let version = context.snapshot.version(file);
    SignalInput {
        query: &query.text,
        kind: query.kind,
        path: version.path(),
        language: context.grammars.name(version.language()),
        lines: version.lines(),
        content: version.content().ranked(),
    }
}

/// The measures of the signals of the host that the profile weighs for this query, in the order of the signals.
pub fn measured(query: &Query, context: &Context<'_>, file: u32) -> Vec<HostMeasure> {
    let input = file_input(query, context, file);
    let is_weighed = |signal: &&Arc<dyn HostSignal>| {
        context.profile.own_weights(query.kind, signal.name()).iter().any(|weight| *weight != 0.0)
    };
    let measure = |signal: &Arc<dyn HostSignal>| {
        let value = signal.measure(&input).filter(|value| value.value.is_finite());
        HostMeasure {
            name: signal.name().to_string(),
            value: value.unwrap_or_else(|| SignalValue::new(0.0, "")),
        }
    };
    context.signals.iter().filter(is_weighed).map(measure).collect()
}
