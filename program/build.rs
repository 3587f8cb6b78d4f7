//! Options of the linker that make the release program smaller (by 2.8 MB of 73.7 MB on Linux): functions with the same machine code are
//! linked once, and relative relocations are packed as a bit map instead of 24 bytes each.

use std::env;
use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if is_release_for_gnu_linux() && links_with_lld() {
        println!("cargo::rustc-link-arg-bins=-Wl,--icf=all");
        if is_glibc_at_least(2, 36) {
            println!("cargo::rustc-link-arg-bins=-Wl,-z,pack-relative-relocs");
        }
    }
}

fn variable(name: &str) -> String {
    env::var(name).unwrap_or_default()
}

fn is_release_for_gnu_linux() -> bool {
    let is_native = variable("HOST") == variable("TARGET");
    is_native && variable("PROFILE") == "release" && variable("TARGET") == "x86_64-unknown-linux-gnu"
}

/// Whether the linker is the one that comes with the compiler: the default since Rust 1.90, but not of every distribution.
fn links_with_lld() -> bool {
    let is_default = variable("RUSTC_LINKER").is_empty() && variable("CARGO_ENCODED_RUSTFLAGS").is_empty();
    let sysroot = output(&variable("RUSTC"), &["--print", "sysroot"]);
    let linker = Path::new(sysroot.trim()).join("lib/rustlib/x86_64-unknown-linux-gnu/bin/gcc-ld/ld.lld");
    is_default && linker.exists()
}

/// Whether the C library is this version or a later one. 2.36 is the first that loads packed relocations; a program that has them
/// needs it.
fn is_glibc_at_least(major: u32, minor: u32) -> bool {
    let text = output("getconf", &["GNU_LIBC_VERSION"]);
    let version = text.trim().strip_prefix("glibc ").and_then(|version| version.split_once('.'));
    let version = version.and_then(|(major, minor)| Some((major.parse().ok()?, minor.parse().ok()?)));
    version.is_some_and(|version: (u32, u32)| version >= (major, minor))
}

/// The standard output of a program; empty if the program cannot be run.
fn output(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).output();
    output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default()
}
