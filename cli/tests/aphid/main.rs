//! The binary as its users meet it: command lines in, text and exit codes out.

mod analyse;
mod commands;
mod common;
mod faults;
mod health;
#[cfg(target_os = "linux")]
mod idle;
mod processes;
mod strangers;
mod uci;
mod uci_cluster;
