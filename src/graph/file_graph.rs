//! The graph of files by their imports: the groups of files that import each other in a circle.

use std::collections::VecDeque;

use rustc_hash::{FxHashMap, FxHashSet};

/// An import of one file by another, as indexes into a list of files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct FileEdge {
    /// The importing file.
    pub from: usize,
    /// The imported file.
    pub to: usize,
    /// The line of the import, from 1.
    pub line: u32,
}

impl FileEdge {
    /// The import of the file `to` by the file `from`, at a line, from 1.
    #[doc(hidden)]
    pub fn new(from: usize, to: usize, line: u32) -> FileEdge {
        FileEdge { from, to, line }
    }
}

/// The groups of files that import each other in circles, largest group first. A group begins with a shortest circle
/// through its first file; the other files of the group follow.
pub fn cycles(files: usize, edges: &[FileEdge]) -> Vec<Vec<usize>> {
    let (mut next, mut before) = (vec![Vec::new(); files], vec![Vec::new(); files]);
    for edge in edges.iter().filter(|edge| edge.from != edge.to) {
        next[edge.from].push(edge.to);
        before[edge.to].push(edge.from);
    }
    let mut group_of = vec![None; files];
    let mut groups: Vec<Vec<usize>> = Vec::new();
    // Kosaraju's algorithm: what reaches a file backwards, in the reverse order in which searches end, is its group.
    let mut is_seen = vec![false; files];
    let mut order = Vec::with_capacity(files);
    (0..files).for_each(|file| depth_first(file, &next, &mut is_seen, &mut order));
    for file in order.into_iter().rev() {
        if group_of[file].is_some() {
            continue;
        }
        let (number, mut group, mut open) = (groups.len(), Vec::new(), vec![file]);
        while let Some(file) = open.pop() {
            if group_of[file].is_none() {
                group_of[file] = Some(number);
                group.push(file);
                open.extend(&before[file]);
            }
        }
        group.sort_unstable();
        groups.push(group);
    }
    groups.retain(|group| group.len() > 1);
    groups.iter_mut().for_each(|group| *group = circle_first(group, &next));
    groups.sort_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
    groups
}

/// Adds the files that `from` reaches to `order`, each after the files that it reaches.
fn depth_first(from: usize, next: &[Vec<usize>], is_seen: &mut [bool], order: &mut Vec<usize>) {
    if std::mem::replace(&mut is_seen[from], true) {
        return;
    }
    let mut path = vec![(from, 0)];
    while let Some((file, done)) = path.last_mut() {
        match next[*file].get(*done) {
            Some(&to) => {
                *done += 1;
                if !std::mem::replace(&mut is_seen[to], true) {
                    path.push((to, 0));
                }
            }
            None => {
                order.push(*file);
                path.pop();
            }
        }
    }
}

/// A group that begins with a shortest circle through its first file.
fn circle_first(group: &[usize], next: &[Vec<usize>]) -> Vec<usize> {
    let inside: FxHashSet<usize> = group.iter().copied().collect();
    let first = group[0];
    let mut reached_from: FxHashMap<usize, usize> = FxHashMap::default();
    let mut open = VecDeque::from([first]);
    while let Some(file) = open.pop_front() {
        for &to in next[file].iter().filter(|to| inside.contains(to)) {
            if let std::collections::hash_map::Entry::Vacant(new) = reached_from.entry(to) {
                new.insert(file);
                open.push_back(to);
            }
        }
        if reached_from.contains_key(&first) {
            break;
        }
    }
    let mut circle = Vec::new();
    let mut at = first;
    while let Some(before) = reached_from.get(&at).copied().filter(|before| !circle.contains(before)) {
        circle.push(before);
        at = before;
    }
    circle.reverse();
    let known: FxHashSet<usize> = circle.iter().copied().collect();
    circle.extend(group.iter().copied().filter(|file| !known.contains(file)));
    circle
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn circles_are_found() {
        let edge = |(from, to)| FileEdge { from, to, line: 1 };
        let of = |files, edges: &[(usize, usize)]| {
            cycles(files, &edges.iter().copied().map(edge).collect::<Vec<_>>())
        };
        assert!(of(4, &[(0, 1), (1, 2), (0, 2), (3, 3)]).is_empty());
        assert_eq!(of(3, &[(0, 1), (1, 0), (1, 2)]), [[0, 1]]);
        // The shortest circle comes first, the rest of the group after it.
        assert_eq!(of(5, &[(0, 1), (1, 2), (2, 3), (3, 0), (2, 0), (4, 0)]), [[0, 1, 2, 3]]);
        let two = of(6, &[(0, 1), (1, 0), (2, 3), (3, 4), (4, 2), (1, 2), (4, 5)]);
        assert_eq!(two, [vec![2, 3, 4], vec![0, 1]]);
    }
}
