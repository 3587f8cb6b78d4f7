//! Context packs for agents.

use super::super::paint::Style;
use super::super::places::RowPlaces;
use super::super::text;
use super::answer::{Answer, clean_value, link, rows, with_footer};
use spyhop_engine::api::PackReply;

/// A context pack. The budget of the request limits the text.
pub fn pack(reply: &PackReply) -> Answer {
    let mut data = clean_value(reply);
    let places = RowPlaces::new(&reply.snapshot, &reply.sources);
    for (wire, file) in rows(&mut data, "results").zip(&reply.files) {
        let lines = file.units.first().map(|unit| unit.lines);
        wire.insert("link".into(), link(places.root(file.source.as_ref()), &file.path, lines).into());
    }
    let mut text = text::pack_without_notes(reply, &Style::default());
    super::memory::note_lines(&mut text, &reply.notes);
    Answer { text: with_footer(text, None, &reply.warnings, None), data }
}
