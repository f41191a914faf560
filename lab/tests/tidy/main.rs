//! The house rules as tests.
//!
//! Every rule reads the working tree and answers with findings of the form
//! `path:line: what is wrong and what to do`; a rule that finds nothing passes.
//! Each is also run on small strings it must refuse, so a rule that went blind would fail here.
//!
//! - [`house`]: the tree in memory, so that rules run on real files and on strings alike
//! - [`source`]: a Rust file with comments and string contents masked, and its test code marked
//! - [`scan`]: functions and `mod` declarations of a masked file
//! - [`modules`]: which files the compiler reaches, and which of those only tests reach
//! - [`rules`]: the rules, one file each
//! - [`ratchet`]: the exceptions of today; the lists may only shrink

mod house;
mod modules;
mod ratchet;
mod rules;
mod scan;
mod source;

use std::sync::LazyLock;

use house::{Finding, House};

static HOUSE: LazyLock<House> = LazyLock::new(House::load);

/// Fails with one line a finding.
fn assert_none(findings: &[Finding]) {
    let lines: Vec<String> = findings.iter().map(ToString::to_string).collect();
    assert!(lines.is_empty(), "{} finding(s):\n{}", lines.len(), lines.join("\n"));
}

#[test]
fn the_walk_sees_the_house() {
    for path in ["Cargo.toml", "README.md", "engine-core/src/lib.rs", "lab/tests/tidy/main.rs"] {
        assert!(HOUSE.text(path).is_some(), "{path} was not found by the walk");
    }
    assert!(HOUSE.paths().all(|path| !path.starts_with("target/")), "the walk entered target/");
}

#[test]
fn files_are_short() {
    assert_none(&rules::length::files(&HOUSE, ratchet::FILES));
}

#[test]
fn functions_are_short() {
    assert_none(&rules::length::functions(&HOUSE, ratchet::FUNCTIONS));
}

#[test]
fn text_is_clean() {
    assert_none(&rules::text::whitespace(&HOUSE));
    assert_none(&rules::text::places(&HOUSE));
}

#[test]
fn nothing_is_left_unfinished() {
    assert_none(&rules::words::unfinished(&HOUSE));
}

#[test]
fn only_the_outermost_layer_prints() {
    assert_none(&rules::words::prints(&HOUSE));
}

#[test]
fn input_cannot_panic_a_process() {
    assert_none(&rules::words::panics(&HOUSE, ratchet::PANICS));
}

#[test]
fn what_thinks_is_deterministic() {
    assert_none(&rules::words::determinism(&HOUSE, ratchet::EFFECTS));
}

#[test]
fn manifests_keep_the_walls() {
    assert_none(&rules::manifest::walls(&HOUSE));
    assert_none(&rules::manifest::members(&HOUSE));
}

#[test]
fn links_between_documents_resolve() {
    assert_none(&rules::text::links(&HOUSE));
}

#[test]
fn every_rust_file_is_compiled() {
    assert_none(&rules::dead::files(&HOUSE));
}
