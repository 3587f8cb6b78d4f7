//! Routes and commands: the edges by which a request or a command line enters the code.
//!
//! Each framework is a file under `frameworks/`. Its words and file names choose the candidates through the index, its
//! patterns are applied to the code of these files, and the handlers that they name are resolved as uses are.

mod code;
mod collect;
mod framework;
mod handlers;
mod reaching;
mod routers;
mod scan;
mod tables;
mod template;

pub use collect::{EntryPoint, EntryPoints};
pub use framework::EntryKind;
pub use handlers::Handler;
pub use reaching::ReachedEntry;
