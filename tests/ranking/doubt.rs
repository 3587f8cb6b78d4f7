//! A query that nothing answers is told so, and a query that something answers is not.

use super::{ask, corpus, indexed, questions};

const WARNING: &str = "nothing here seems to answer this; the best places hold little of it";

#[test]
fn queries_about_other_products_are_doubted_and_questions_about_this_one_are_not() {
    let tree = corpus();
    let engine = indexed(&tree, "doubt", None);
    let is_doubted = |query: &str| ask(&engine, query, 10).warnings.iter().any(|warning| warning == WARNING);
    let foreign = [
        "how are neural network gradients clipped during training",
        "render the shadow map of a spot light",
        "parse the midi header of a song",
        "solve a sparse linear system by conjugate gradients",
        "tessellate a bezier patch into triangles",
        "which chess openings does the engine know",
    ];
    let undoubted: Vec<&&str> = foreign.iter().filter(|query| !is_doubted(query)).collect();
    // A query that shares words with the tree by chance may look answered.
    assert!(undoubted.len() <= 2, "{undoubted:#?}");
    let doubted: Vec<String> =
        questions().into_iter().map(|question| question.text).filter(|text| is_doubted(text)).collect();
    assert!(doubted.len() <= 5, "{doubted:#?}");
    // Of fewer than three terms nothing can be told, however many words they stand among.
    for query in ["midi", "where is the midi", "how do we do the midi song"] {
        assert!(!is_doubted(query), "{query}");
    }
}
