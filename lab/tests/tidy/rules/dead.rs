//! A Rust file that no crate compiles is a file that rots.

use crate::house::{Finding, House};

pub fn files(house: &House) -> Vec<Finding> {
    house
        .rust()
        .iter()
        .filter(|file| !file.reached)
        .map(|file| {
            let message = "no `mod` declaration leads here: declare it or delete it";
            Finding::new(&file.path, 1, message)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_undeclared_file_is_found() {
        let house = House::of(&[
            ("a/Cargo.toml", ""),
            ("a/src/lib.rs", "mod b;\n"),
            ("a/src/b.rs", ""),
            ("a/src/c.rs", ""),
        ]);
        let found = files(&house);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].path, "a/src/c.rs");
    }
}
