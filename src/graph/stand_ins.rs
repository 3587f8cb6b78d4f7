//! Modules of libraries of Python that stand for modules of the tree, as `django.conf.settings` stands for the module that
//! `DJANGO_SETTINGS_MODULE` names. They are data, in `frameworks/modules.toml`.

use std::rc::Rc;
use std::sync::LazyLock;

use regex::Regex;
use serde::Deserialize;

use super::files::{BYTES_PER_STEP, Graph};
use spyhop_index::inverted::IndexField;
use spyhop_search::files_with;

/// The most files that are read for the names of modules.
const MAX_FILES: usize = 32;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ModuleFile {
    module: Vec<StandIn>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StandIn {
    name: String,
    setting: String,
    otherwise: String,
    #[cfg_attr(not(test), allow(dead_code, reason = "it is for those who read the file"))]
    source: String,
}

static STAND_INS: LazyLock<Vec<StandIn>> = LazyLock::new(|| {
    let file: ModuleFile = toml::from_str(include_str!("frameworks/modules.toml")).expect("a test reads it");
    file.module
});

/// A module that a text names behind a setting: `setdefault("SETTING", "a.b")`, `SETTING=a.b`.
static NAMED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"^["'\])\s]*[,=:]\s*["']?([A-Za-z_][\w.]*)"#).expect("a pattern of the source")
});

impl Graph<'_> {
    /// The files of the tree for which the module `name` of a library stands, seen from a file.
    pub(super) fn stood_for(&self, from: u32, name: &str) -> Vec<u32> {
        let Some(own) = STAND_INS.iter().find(|own| own.name == name) else { return Vec::new() };
        let known = self.stand_ins.borrow().get(name).cloned();
        let modules = known.unwrap_or_else(|| {
            let modules = self.modules_named_by(&own.setting);
            self.stand_ins.borrow_mut().insert(name.into(), modules.clone());
            modules
        });
        let found: Vec<u32> = modules.iter().flat_map(|module| self.python_module(from, module)).collect();
        if found.is_empty() { self.python_module(from, &own.otherwise) } else { found }
    }

    /// The modules that files of the tree name behind a setting.
    fn modules_named_by(&self, setting: &str) -> Rc<Vec<String>> {
        let mut modules = Vec::new();
        let files = files_with(self.snapshot, IndexField::Word, setting).unwrap_or_default();
        for file in files.into_iter().take(MAX_FILES) {
            let Some(text) = self.text(file).filter(|text| self.steps.take(text.len() / BYTES_PER_STEP))
            else {
                continue;
            };
            let places = memchr::memmem::find_iter(text.as_bytes(), setting);
            let named = places.filter_map(|at| NAMED.captures(&text[at + setting.len()..]));
            modules.extend(named.map(|named| named[1].to_string()));
        }
        modules.sort_unstable();
        modules.dedup();
        Rc::new(modules)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stand_ins_say_where_they_are_described() {
        assert!(STAND_INS.iter().all(|own| own.source.starts_with("https://")));
    }

    #[test]
    fn a_module_is_named_behind_its_setting() {
        let check = |after: &str, expected: Option<&str>| {
            let found = NAMED.captures(after);
            assert_eq!(found.as_ref().map(|own| &own[1]), expected, "{after}");
        };
        check("\", \"shop.settings\")", Some("shop.settings"));
        check("=shop.settings.test python", Some("shop.settings.test"));
        check(": shop.settings", Some("shop.settings"));
        check("'] = 'shop.settings'", Some("shop.settings"));
        check(" is read", None);
    }
}
