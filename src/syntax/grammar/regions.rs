//! The parts of a text that are in another language, as a manifest tells them.
//!
//! This module owns the compiled form of the tables `[[region]]`; [`crate::analyze`] finds and parses the parts.

use regex::bytes::Regex;

use super::error::GrammarError;
use super::lexis::pattern;
use super::manifest::Manifest;

/// The compiled form of [`super::manifest::RegionEntry`].
pub struct RegionRule {
    pub open: Regex,
    pub close: Option<Regex>,
    pub except: Option<Regex>,
    pub language: Option<Box<str>>,
    pub begin: Option<Box<str>>,
    pub ends: Option<u8>,
    pub escaped: bool,
    pub unless: Option<Regex>,
}

impl RegionRule {
    pub(super) fn compile(manifest: &Manifest, source: &str) -> Result<Vec<RegionRule>, GrammarError> {
        let fault = |message: String| GrammarError::Manifest { source_name: source.into(), message };
        let compiled = |text: &String| pattern(text, true).map_err(fault);
        let rule = |entry: &super::manifest::RegionEntry| {
            let open = compiled(&entry.open)?;
            if entry.close.is_none() && open.capture_names().flatten().all(|name| name != "text") {
                return Err(fault(format!(
                    "the region '{}' has neither a group 'text' nor an end",
                    entry.open
                )));
            }
            let is_ascii = entry.ends.is_none_or(|sign| sign.is_ascii());
            if !is_ascii {
                return Err(fault(format!("'ends' of the region '{}' is not ASCII", entry.open)));
            }
            Ok(RegionRule {
                open,
                close: entry.close.as_ref().map(compiled).transpose()?,
                except: entry.except.as_ref().map(compiled).transpose()?,
                language: entry.language.as_deref().map(Into::into),
                begin: entry.begin.as_deref().map(Into::into),
                ends: entry.ends.map(|sign| sign as u8),
                escaped: entry.escaped,
                unless: entry.unless.as_ref().map(compiled).transpose()?,
            })
        };
        manifest.region.iter().map(rule).collect()
    }
}
