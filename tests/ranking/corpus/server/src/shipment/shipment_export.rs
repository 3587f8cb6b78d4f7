//! Shipments as CSV, for spreadsheets and bookkeepers.

use std::io::Write;

use super::Shipment;

/// Writes a shipment a line: shipment id, shipment state, tracking number, weight of the shipment.
pub fn export_shipments(shipments: &[Shipment], out: &mut impl Write) -> std::io::Result<()> {
    writeln!(out, "shipment_id,shipment_state,tracking_number,grams")?;
    for shipment in shipments {
        let tracking = shipment.label.as_ref().map_or("", |label| label.tracking_number.as_str());
        writeln!(out, "{},{:?},{},{}", shipment.id, shipment.state, quoted(tracking), shipment.chargeable_grams())?;
    }
    Ok(())
}

/// A field in quotes; one that begins like a formula gets an apostrophe, so that no spreadsheet runs it.
fn quoted(field: &str) -> String {
    let guard = if field.starts_with(['=', '+', '-', '@']) { "'" } else { "" };
    format!("\"{guard}{}\"", field.replace('"', "\"\""))
}
