//! The files that the frames of a query name. The path of a frame may come from another machine, so only its end has to
//! match.

use rustc_hash::FxHashMap;

use super::context::Context;
use crate::query::{Frame, Query};

/// A frame that matches more files equally well is ignored.
const MAX_FILES: usize = 5;

/// The files that frames of the query name, in increasing order, with the lines.
pub fn framed(query: &Query, context: &Context<'_>) -> Vec<(u32, Vec<u32>)> {
    let mut by_name: FxHashMap<&str, Vec<&Frame>> = FxHashMap::default();
    for frame in &query.frames {
        by_name.entry(spyhop_base::path::split(&frame.path).1).or_default().push(frame);
    }
    if by_name.is_empty() {
        return Vec::new();
    }
    // By frame: the greatest number of shared path components, and the files that share that number.
    let mut best: FxHashMap<*const Frame, (usize, Vec<u32>)> = FxHashMap::default();
    for file in 0..context.snapshot.n_files() as u32 {
        let path = context.snapshot.path(file);
        let Some(frames) = by_name.get(spyhop_base::path::split(path).1) else { continue };
        if !context.admits(file) {
            continue;
        }
        for frame in frames {
            let (most, files) = best.entry(std::ptr::from_ref(*frame)).or_default();
            match frame.shared_parts(path) {
                shared if shared > *most => (*most, *files) = (shared, vec![file]),
                shared if shared == *most => files.push(file),
                _ => {}
            }
        }
    }
    let mut found: Vec<(u32, Vec<u32>)> = Vec::new();
    for frame in &query.frames {
        let Some((_, files)) = best.get(&std::ptr::from_ref(frame)) else { continue };
        for file in files.iter().filter(|_| files.len() <= MAX_FILES) {
            match found.iter_mut().find(|(known, _)| known == file) {
                Some((_, lines)) => lines.push(frame.line),
                None => found.push((*file, vec![frame.line])),
            }
        }
    }
    found.sort_unstable();
    found
}
