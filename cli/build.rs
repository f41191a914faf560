//! Records what `aphid --version` says about the build: the commit, the target and the processor
//! features the compiler was allowed to use.
//!
//! The commit is `APHID_COMMIT` if that is set, as it is where there is no repository (a container
//! image, a distribution's package), else what git says about the folder above this one, else
//! "unknown". Nothing here can fail a build.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=APHID_COMMIT");
    let given = env::var("APHID_COMMIT").ok().filter(|commit| is_plain(commit));
    let commit = given.or_else(from_git).unwrap_or_else(|| "unknown".to_owned());
    println!("cargo::rustc-env=APHID_BUILD_COMMIT={commit}");
    for (ours, cargos) in
        [("APHID_BUILD_TARGET", "TARGET"), ("APHID_BUILD_FEATURES", "CARGO_CFG_TARGET_FEATURE")]
    {
        println!("cargo::rustc-env={ours}={}", env::var(cargos).unwrap_or_default());
    }
}

/// One word, so that it cannot break the line it is printed on.
fn is_plain(commit: &str) -> bool {
    !commit.is_empty() && commit.bytes().all(|byte| byte.is_ascii_graphic())
}

/// The commit checked out, and an order to cargo to come back when that changes.
fn from_git() -> Option<String> {
    // Unpacked inside somebody else's repository, we are not its commit.
    if git(&["rev-parse", "--show-prefix"])? != "cli/" {
        return None;
    }
    let commit = git(&["rev-parse", "--short=12", "HEAD"]).filter(|commit| is_plain(commit))?;
    let place = |name| Some(PathBuf::from(git(&["rev-parse", "--git-path", name])?));
    let watch = |path: &Path| println!("cargo::rerun-if-changed={}", path.display());
    // Cargo takes a file that is not there for one that has changed.
    for path in [place("HEAD")?, place("packed-refs")?].iter().filter(|path| path.exists()) {
        watch(path);
    }
    // A branch moves by a file of its own. While it is packed it has none; then the folder changes
    // when it gets one.
    if let Some(branch) = git(&["symbolic-ref", "--quiet", "HEAD"]) {
        let path = place(&branch)?;
        if let Some(path) = path.ancestors().take(2).find(|path| path.exists()) {
            watch(path);
        }
    }
    Some(commit)
}

/// What git prints, if there is a git and it has an answer.
fn git(args: &[&str]) -> Option<String> {
    let output = Command::new("git").args(args).output().ok()?;
    let text = String::from_utf8(output.stdout).ok().filter(|_| output.status.success())?;
    Some(text.trim_end().to_owned())
}
