//! An import into a store that is frozen at each of its steps: the remaining index answers as before the import or as
//! after it.

use std::time::Duration;

use crate::archive::error::ArchiveError;
use crate::archive::export::Export;
use crate::archive::import::Import;
use crate::update::UpdateError;
use crate::update::crashes::{change, check_images, prepared, refresh};
use crate::update::tests::TestTree;

/// The path of the archive for [`import`].
const ARCHIVE: &str = ".archive";

fn import(tree: &TestTree) -> Result<(), UpdateError> {
    let (from, import) = (tree.root.join(ARCHIVE), Import { force: true, ..Import::default() });
    match tree.with_updater(|updater| updater.import(&from, &import, Duration::ZERO, &|_| ())) {
        Err(ArchiveError::Update(error)) => Err(error),
        other => {
            let _: () = drop(other.unwrap());
            Ok(())
        }
    }
}

#[test]
fn an_import_that_is_cut_short_leaves_the_index_that_was() {
    let [tree, elsewhere] = [prepared(), prepared()];
    change(&elsewhere);
    refresh(&elsewhere).unwrap();
    let archive = tree.root.join(ARCHIVE);
    elsewhere.with_updater(|updater| updater.export(&archive, &Export::default()).map(drop)).unwrap();
    change(&tree);
    check_images(tree, import);
}
