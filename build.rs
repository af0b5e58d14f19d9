//! Tells cargo that the migrations are part of the program: they are compiled into it.

fn main() {
    println!("cargo:rerun-if-changed=migrations");
}
