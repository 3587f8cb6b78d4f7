//! Tokens with a colour: of pieces of text that the page shows.

use serde_json::json;

use super::super::ask::Ask;
use super::super::colors::{CLASSES, tokens};
use super::super::reply::ApiError;
use super::super::site::PageSite;

/// The most items, and the most bytes of text together.
const MAX_ITEMS: usize = 500;
const MAX_BYTES: usize = 256 << 10;

pub fn answer(_: &PageSite, ask: &Ask) -> Result<String, ApiError> {
    #[derive(serde::Deserialize)]
    struct Item {
        language: String,
        text: String,
    }
    #[derive(serde::Deserialize)]
    struct Items {
        items: Vec<Item>,
    }
    let asked: Items = serde_json::from_value(ask.body()?.clone()).map_err(|error| {
        ApiError::bad(format!("the body is not {{\"items\": [{{language, text}}]}}: {error}"))
    })?;
    let bytes: usize = asked.items.iter().map(|item| item.text.len()).sum();
    if asked.items.len() > MAX_ITEMS || bytes > MAX_BYTES {
        let text =
            format!("at most {MAX_ITEMS} items of together {MAX_BYTES} bytes are coloured; ask in parts");
        return Err(ApiError::bad(text));
    }
    let of_item = |item: &Item| -> Vec<(u32, u32, &str)> {
        tokens(&item.language, &item.text).map(|(start, end, class)| (start, end, CLASSES[class])).collect()
    };
    let items: Vec<_> = asked.items.iter().map(of_item).collect();
    Ok(json!({ "classes": CLASSES, "items": items }).to_string())
}
