//! The binary as its users meet it: command lines in, text and exit codes out.

mod analyse;
mod commands;
mod common;
mod faults;
mod health;
#[cfg(target_os = "linux")]
mod idle;
mod launching;
mod pausing;
mod processes;
#[cfg(target_os = "linux")]
mod service;
#[cfg(target_os = "linux")]
mod shared_table;
mod strangers;
mod threads;
mod uci;
mod uci_cluster;
