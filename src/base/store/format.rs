//! The number of the on-disk format, and its history.

/// The number of the on-disk format: folders, envelope, records, index schema. Indexes of different formats lie side by
/// side, each in its data folder, and a program reads only the folder of its format. The folder of an older
/// format is removed when no program has updated it for a week; that of a newer format is never touched. A commit in
/// this program's folder that claims an older format is damaged, so it is put aside and the index rebuilt; one that
/// claims a newer format is refused.
///
/// Version log: 1, the first; 2, a view for each branch, and its parts in the heap; 3, columns of file versions that
/// are read from the mapped file; 4, outlines that encode each symbol relative to the one before; 5, views that record
/// how many of their files are text only; 6, outlines by front coding, and files of secrets among the skipped;
/// 7, the uses of names beside the outlines; 8, fields and variants, and marks of what line rules found, beside them.
pub const FORMAT_VERSION: u32 = 8;
