//! The files that the frames of a query name. The path of a frame may come from another machine, so only its end has to
//! match.

use rustc_hash::FxHashMap;

use super::context::Context;
use super::definition::is_in_container;
use crate::query::{Frame, Query, split_container};

/// A frame that matches more files equally well is ignored.
const MAX_FILES: usize = 5;

/// The files that frames of the query name.
#[derive(Clone, Debug, Default)]
pub struct Framed {
    /// The files, in increasing order, with the lines, the innermost frame first. The line of a function that has moved is
    /// that of the function.
    pub files: Vec<(u32, Vec<u32>)>,
    /// The files of the innermost frame that names a file of the view.
    pub innermost: Vec<u32>,
    /// The functions that have moved, by file: the line in the frame, and that of the function.
    pub moved: Vec<(u32, [u32; 2])>,
}

/// The files that frames of the query name, with the lines.
pub fn framed(query: &Query, context: &Context<'_>) -> Framed {
    let mut by_name: FxHashMap<&str, Vec<&Frame>> = FxHashMap::default();
    for frame in &query.frames {
        by_name.entry(spyhop_base::path::split(&frame.path).1).or_default().push(frame);
    }
    if by_name.is_empty() {
        return Framed::default();
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
    let Framed { files: mut found, mut innermost, mut moved } = Framed::default();
    for frame in &query.frames {
        let Some((_, files)) = best.get(&std::ptr::from_ref(frame)) else { continue };
        if files.len() > MAX_FILES {
            continue;
        }
        if innermost.is_empty() {
            innermost.clone_from(files);
        }
        for file in files {
            let now = moved_to(frame, context, *file);
            moved.extend(now.map(|now| (*file, [frame.line, now])));
            let line = now.unwrap_or(frame.line);
            match found.iter_mut().find(|(known, _)| known == file) {
                Some((_, lines)) => lines.push(line),
                None => found.push((*file, vec![line])),
            }
        }
    }
    found.sort_unstable_by_key(|(file, _)| *file);
    Framed { files: found, innermost, moved }
}

/// The line of the function that a frame names, if the function does not contain the line of the frame: the file has
/// changed since. Of several functions, those in the named container count first, then the nearest one.
fn moved_to(frame: &Frame, context: &Context<'_>, file: u32) -> Option<u32> {
    let (container, function) = split_container(frame.function.as_deref()?);
    let container = split_container(container).1;
    let mut names = Vec::new();
    let outline = context.snapshot.version(file).outline(&mut names).ok()?;
    let named = || outline.symbols.iter().filter(|symbol| symbol.name == function);
    if named().any(|symbol| symbol.lines.first <= frame.line && frame.line <= symbol.lines.last) {
        return None;
    }
    let nearest = named()
        .min_by_key(|symbol| (!is_in_container(symbol, container), symbol.lines.first.abs_diff(frame.line)));
    nearest.map(|symbol| symbol.lines.first)
}
