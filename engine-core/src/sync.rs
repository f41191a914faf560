//! Locks and flags of the tree splitters: the system's, or a model's that tries every order.

#[cfg(not(shuttle))]
pub(crate) use std::sync::{
    Mutex,
    atomic::{AtomicBool, AtomicU64},
};

#[cfg(shuttle)]
pub(crate) use shuttle::sync::{
    Mutex,
    atomic::{AtomicBool, AtomicU64},
};
