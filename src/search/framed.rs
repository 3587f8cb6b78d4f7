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
    /// The files, in increasing order, with the lines, the innermost frame first; without a line if only the file is named. The line
    /// of a function that has moved is that of the function.
    pub files: Vec<(u32, Vec<u32>)>,
    /// The files of the innermost frame that names a file of the view.
    pub innermost: Vec<u32>,
    /// The functions that have moved, by file: the line in the frame, and that of the function.
    pub moved: Vec<(u32, [u32; 2])>,
}

/// By frame of the query: the most path components that an admitted file shares with it, and the files that share as many.
pub(crate) fn files_of_frames(query: &Query, context: &Context<'_>) -> Vec<(usize, Vec<u32>)> {
    let mut by_name: FxHashMap<&str, Vec<(usize, &Frame)>> = FxHashMap::default();
    for (place, frame) in query.frames.iter().enumerate() {
        by_name.entry(spyhop_base::path::split(&frame.path).1).or_default().push((place, frame));
    }
    let mut best = vec![(0, Vec::new()); query.frames.len()];
    if by_name.is_empty() {
        return best;
    }
    for file in 0..context.snapshot.n_files() as u32 {
        let path = context.snapshot.path(file);
        let Some(frames) = by_name.get(spyhop_base::path::split(path).1) else { continue };
        if !context.admits(file) {
            continue;
        }
        for (place, frame) in frames {
            let (most, files) = &mut best[*place];
            match frame.shared_parts(path) {
                shared if shared > *most => (*most, *files) = (shared, vec![file]),
                shared if shared == *most => files.push(file),
                _ => {}
            }
        }
    }
    best
}

/// The files that frames of the query name, with the lines.
pub fn framed(query: &Query, context: &Context<'_>) -> Framed {
    let Framed { files: mut found, mut innermost, mut moved } = Framed::default();
    let mut has_innermost = false;
    for (place, (most, mut files)) in files_of_frames(query, context).into_iter().enumerate() {
        let frame = &query.frames[place];
        let mut n_files = files.len();
        if let Some(statistics) = context.statistics {
            let (of_all, n_of_all) = statistics.frames[place];
            n_files = n_of_all as usize;
            files.retain(|_| most == of_all as usize);
        }
        if n_files == 0 || n_files > MAX_FILES {
            continue;
        }
        if !has_innermost {
            has_innermost = true;
            innermost.clone_from(&files);
        }
        for file in &files {
            let now = moved_to(frame, context, *file);
            moved.extend(now.zip(frame.line).map(|(now, line)| (*file, [line, now])));
            let line = now.or(frame.line);
            match found.iter_mut().find(|(known, _)| known == file) {
                Some((_, lines)) => lines.extend(line),
                None => found.push((*file, line.into_iter().collect())),
            }
        }
    }
    found.sort_unstable_by_key(|(file, _)| *file);
    Framed { files: found, innermost, moved }
}

/// The line of the function that a frame names, if the function does not contain the line of the frame: the file has
/// changed since. Of several functions, those in the named container count first, then the nearest one.
fn moved_to(frame: &Frame, context: &Context<'_>, file: u32) -> Option<u32> {
    let line = frame.line?;
    let (container, function) = split_container(frame.function.as_deref()?);
    let container = split_container(container).1;
    let mut names = Vec::new();
    let outline = context.snapshot.version(file).outline(&mut names).ok()?;
    let named = || outline.symbols.iter().filter(|symbol| symbol.name == function);
    if named().any(|symbol| symbol.lines.first <= line && line <= symbol.lines.last) {
        return None;
    }
    let nearest =
        named().min_by_key(|symbol| (!is_in_container(symbol, container), symbol.lines.first.abs_diff(line)));
    nearest.map(|symbol| symbol.lines.first)
}
