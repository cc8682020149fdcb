//! Nothing is built: the file makes cargo unify the features of what build scripts and macros use.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
}
