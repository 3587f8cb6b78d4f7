//! The running search of each tab of the page. A person who types asks again before the answer has come; the newer
//! request ends the older one.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use spyhop_engine::Cancel;

/// How many tabs are remembered; a name more forgets all of them.
const MOST: usize = 256;

/// The longest name of a tab.
const LONGEST: usize = 100;

#[derive(Default)]
pub struct Tabs(Mutex<HashMap<String, Cancel>>);

impl Tabs {
    /// Ends the running request of a tab and puts one that `cancel` ends in its place.
    pub fn begin(&self, tab: &str, cancel: &Cancel) {
        let mut tabs = self.lock();
        let tab: String = tab.chars().take(LONGEST).collect();
        if tabs.len() >= MOST && !tabs.contains_key(&tab) {
            tabs.clear();
        }
        if let Some(older) = tabs.insert(tab, cancel.clone()) {
            older.cancel();
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Cancel>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_newer_request_ends_the_older_one_of_its_tab() {
        let tabs = Tabs::default();
        let [one, other, newer] = [(); 3].map(|()| Cancel::default());
        tabs.begin("a", &one);
        tabs.begin("b", &other);
        tabs.begin("a", &newer);
        assert!(one.is_cancelled() && !other.is_cancelled() && !newer.is_cancelled());
    }
}
