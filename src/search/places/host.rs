//! The measures of the signals of a host on places.

use std::sync::Arc;

use super::units::Unit;
use crate::context::Context;
use crate::host_measure::file_input;
use crate::host_signal::{HostSignal, PlaceInput, SignalInput};
use crate::query::Query;
use spyhop_index::meta::Outline;

/// The contribution of one signal of the host to the sum of a place.
#[derive(Clone, Debug)]
pub struct HostPlacePart {
    pub name: String,
    pub sentence: String,
    /// The measure times its weight, in log-odds.
    pub weighed: f32,
}

/// Measures the places of a file by the signals of the host that the profile weighs.
pub(crate) struct HostPlaceMeasure<'m> {
    signals: Vec<(&'m Arc<dyn HostSignal>, f32)>,
    file: SignalInput<'m>,
    outline: &'m Outline<'m>,
    text: &'m str,
}

impl<'m> HostPlaceMeasure<'m> {
    pub fn new(
        query: &'m Query,
        context: &'m Context<'m>,
        file: u32,
        outline: &'m Outline<'m>,
        text: &'m str,
    ) -> HostPlaceMeasure<'m> {
        let weight =
            |signal: &Arc<dyn HostSignal>| context.profile.own_place_weight(query.kind, signal.name());
        let weighed = context.signals.iter().map(|signal| (signal, weight(signal)));
        let signals = weighed.filter(|(_, weight)| *weight != 0.0).collect();
        HostPlaceMeasure { signals, file: file_input(query, context, file), outline, text }
    }

    /// The parts of a unit, without those that are 0.
    pub fn parts(&self, unit: &Unit) -> Vec<HostPlacePart> {
        if self.signals.is_empty() {
            return Vec::new();
        }
        let symbol = unit.symbol.filter(|_| unit.is_named).map(|at| &self.outline.symbols[at as usize]);
        let input = PlaceInput {
            file: self.file,
            lines: unit.lines,
            kind: unit.kind,
            name: symbol.map(|symbol| symbol.name),
            container: symbol.and_then(|symbol| symbol.container),
            text: self.text.get(unit.span.start as usize..unit.span.end as usize).unwrap_or_default(),
        };
        let part = |(signal, weight): &(&Arc<dyn HostSignal>, f32)| {
            let value = signal.measure_place(&input)?;
            let weighed = value.value * weight;
            let (name, sentence) = (signal.name().to_string(), value.sentence);
            (weighed.is_finite() && weighed != 0.0).then_some(HostPlacePart { name, sentence, weighed })
        };
        self.signals.iter().filter_map(part).collect()
    }
}
