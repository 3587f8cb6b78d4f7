//! Tables of rows that are put together from groups of rows when the program is compiled.

/// A table with the items of several groups, in order:
/// `table![Row<FilledRequest<MapRequest>>: [row, row], shared::filters(), [row]]`. The first group has an item.
macro_rules! table {
    ($item:ty: $($group:expr),+ $(,)?) => {{
        const GROUPS: &[&[$item]] = &[$(&$group),+];
        const ITEMS: [$item; $crate::catalog::table::total(GROUPS)] = $crate::catalog::table::joined(GROUPS);
        &ITEMS
    }};
}

pub(super) use table;

/// The number of items in all groups.
pub(super) const fn total<T>(groups: &[&[T]]) -> usize {
    let mut total = 0;
    let mut group = 0;
    while group < groups.len() {
        total += groups[group].len();
        group += 1;
    }
    total
}

/// The items of all groups.
pub(super) const fn joined<T: Copy, const N: usize>(groups: &[&[T]]) -> [T; N] {
    let mut items = [groups[0][0]; N];
    let (mut len, mut group) = (0, 0);
    while group < groups.len() {
        let mut at = 0;
        while at < groups[group].len() {
            items[len] = groups[group][at];
            len += 1;
            at += 1;
        }
        group += 1;
    }
    items
}
