//! Benches of the shared table.

fn main() {
    divan::main();
}
