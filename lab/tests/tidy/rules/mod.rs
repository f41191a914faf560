//! The rules. Each is a function from the house to its findings.

pub mod dead;
pub mod length;
pub mod manifest;
pub mod text;
pub mod words;
