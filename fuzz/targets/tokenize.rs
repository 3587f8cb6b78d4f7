//! The tokenizer: words are found where they stand, and one that has met other words gives the same terms as a new one.

#![no_main]

use std::cell::RefCell;

use libfuzzer_sys::fuzz_target;
use spyhop_index::tokenize::{TermList, Tokenizer, for_each_word, is_word_char, parts, stem};

thread_local! {
    static OLD: RefCell<Tokenizer> = RefCell::new(Tokenizer::new());
}

fuzz_target!(|text: &str| {
    let mut at = 0;
    for_each_word(text, |word| {
        let place = word.as_ptr() as usize - text.as_ptr() as usize;
        assert!(place >= at && !word.is_empty() && word.chars().all(is_word_char));
        at = place + word.len();
        parts(word).into_iter().for_each(|part| _ = stem(part));
    });
    let [mut old, mut new, mut both, mut words] = [(); 4].map(|()| TermList::default());
    let mut tokenizer = Tokenizer::new();
    tokenizer.terms(text, &mut new);
    tokenizer.begin_words();
    tokenizer.terms_and_words(text, &mut both, &mut words);
    assert!(new.iter().eq(both.iter()), "{text:?}");
    OLD.with_borrow_mut(|tokenizer| tokenizer.terms(text, &mut old));
    assert!(new.iter().eq(old.iter()), "{text:?}");
});
