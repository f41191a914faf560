//! The games we bring, one folder each. No game word stands outside this folder.

pub mod chess;
pub mod othello;
