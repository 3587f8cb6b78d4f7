//! A program that embeds Spyhop and also does other things: it uses tree-sitter, allocators, rayon, tokio and
//! handlers of signals. Spyhop indexes a tree with input that explodes in its parser, in process, and with input that
//! crashes its parser, in child processes. Afterwards the program must be as it was.
//!
//! Without the variable [`IS_HOST`], this program runs itself with the variable, and checks what that process printed and
//! how it ended.

#[cfg(target_os = "linux")]
mod counting;
#[cfg(target_os = "linux")]
mod host;
#[cfg(target_os = "linux")]
mod process;

#[cfg(target_os = "linux")]
#[global_allocator]
static ALLOCATOR: counting::Counting = counting::Counting;

/// Set in the process that embeds the library.
#[cfg(target_os = "linux")]
const IS_HOST: &str = "SPYHOP_TEST_IS_HOST";

/// The only line that the host prints.
#[cfg(target_os = "linux")]
const LAST_LINE: &str = "the host is as it was\n";

#[cfg(target_os = "linux")]
fn main() {
    spyhop::run_worker_if_asked();
    if std::env::var_os(IS_HOST).is_some() {
        host::run();
        print!("{LAST_LINE}");
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let program = std::env::current_exe().expect("the path of this program");
    let ran = std::process::Command::new(program)
        .env(IS_HOST, folder.path())
        // No index may reach the user's folders.
        .env("XDG_CACHE_HOME", folder.path().join("cache"))
        .env("XDG_STATE_HOME", folder.path().join("state"))
        .output()
        .expect("this program runs");
    let [out, err] = [&ran.stdout, &ran.stderr].map(|bytes| String::from_utf8_lossy(bytes));
    assert!(ran.status.success(), "{}\n{out}{err}", ran.status);
    assert_eq!((&*out, &*err), (LAST_LINE, ""), "the library printed something");
    println!("test host ... ok");
}

#[cfg(not(target_os = "linux"))]
fn main() {
    println!("test host ... not run: /proc tells the state of a process, and only Linux has it");
}
