//! The query parser: whatever is asked, it answers with a query or an error, and a query prints.

#![no_main]

use libfuzzer_sys::fuzz_target;
use spyhop_search::query::Query;

fuzz_target!(|text: &str| {
    if let Ok(query) = Query::parse(text) {
        query.printed();
        assert_eq!(Query::parse(text).unwrap().printed(), query.printed());
    }
});
