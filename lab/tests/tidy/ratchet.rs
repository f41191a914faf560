//! The exceptions of today. The lists may only shrink: an entry that is no longer needed, or
//! whose ceiling has come to stand far above the file, fails the test until it is taken out or
//! lowered.

/// Files between 400 and 600 lines: path and ceiling in lines.
pub const FILES: &[(&str, usize)] = &[];

/// Functions over 70 lines: `path::name` and ceiling in lines.
pub const FUNCTIONS: &[(&str, usize)] = &[];

/// Panics that no input can reach: path, a piece of the line, and why it cannot happen.
pub const PANICS: &[(&str, &str, &str)] = &[];

/// Threads and clocks in engine-core outside `drive/`: path, a piece of the line, and why.
pub const EFFECTS: &[(&str, &str, &str)] = &[
    ("engine-core/src/table/mod.rs", "thread::scope(", "ends before the table is used again"),
    ("engine-core/src/table/mod.rs", "thread::Builder::new().spawn_scoped", "in that scope"),
];
