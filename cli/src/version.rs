//! What `aphid --version` says; `-V` says only the first line.

use std::thread;

/// The commit this was built from, 12 digits, or "unknown". The files may have been changed since.
const COMMIT: &str = env!("APHID_BUILD_COMMIT");
/// The target triple.
const TARGET: &str = env!("APHID_BUILD_TARGET");
/// Processor features every machine must have that runs this, separated by commas.
const FEATURES: &str = env!("APHID_BUILD_FEATURES");

/// Version, commit, protocol, build and machine, a line each.
pub fn long() -> String {
    let linked = if cfg!(target_feature = "crt-static") { "static" } else { "dynamic" };
    // The linkage is among the features of a target, but none of its processor.
    let features: Vec<&str> =
        FEATURES.split(',').filter(|feature| *feature != "crt-static").collect();
    let threads = thread::available_parallelism().map_or(1, std::num::NonZero::get);
    format!(
        "{}\n\
         commit:   {COMMIT}\n\
         protocol: {}\n\
         build:    {TARGET}, {linked}, using {}\n\
         machine:  {}, {threads} threads for us",
        proto::PROGRAM_VERSION,
        proto::PROTOCOL_VERSION,
        features.join(" "),
        level(),
    )
}

/// What the processor offers, in the levels of the x86-64 psABI; a build for a higher one than this
/// would not run here.
#[cfg(target_arch = "x86_64")]
fn level() -> &'static str {
    use std::arch::is_x86_feature_detected as has;

    let v2 = has!("cmpxchg16b")
        && has!("popcnt")
        && has!("sse3")
        && has!("sse4.1")
        && has!("sse4.2")
        && has!("ssse3");
    let v3 = v2
        && has!("avx2")
        && has!("bmi1")
        && has!("bmi2")
        && has!("f16c")
        && has!("fma")
        && has!("lzcnt")
        && has!("movbe");
    let v4 = v3
        && has!("avx512f")
        && has!("avx512bw")
        && has!("avx512cd")
        && has!("avx512dq")
        && has!("avx512vl");
    match (v2, v3, v4) {
        (false, _, _) => "x86-64",
        (true, false, _) => "x86-64-v2",
        (true, true, false) => "x86-64-v3",
        (true, true, true) => "x86-64-v4",
    }
}

/// What the processor is.
#[cfg(not(target_arch = "x86_64"))]
fn level() -> &'static str {
    std::env::consts::ARCH
}
