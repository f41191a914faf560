//! The shared hash table.
