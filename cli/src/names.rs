//! Host names in a static binary.

/// Looks host names up in /etc/hosts and by DNS only, whatever /etc/nsswitch.conf says.
///
/// That file may name further sources (mDNS, systemd). Each is a shared library, made for the C
/// library of the machine; one that is linked statically loads it together with a second C library
/// and crashes when their versions differ. The two sources named here are part of the C library
/// itself. Call it first thing in `main`.
#[cfg(all(target_env = "gnu", target_feature = "crt-static"))]
#[allow(unsafe_code, reason = "no safe library offers this function of the C library")]
pub fn settle() {
    use std::ffi::{c_char, c_int};

    unsafe extern "C" {
        /// <nss.h>: replaces the line of `database` in nsswitch.conf for this process. Returns 0,
        /// or -1 for a line that makes no sense or a lack of memory.
        fn __nss_configure_lookup(database: *const c_char, line: *const c_char) -> c_int;
    }
    // SAFETY: both arguments are strings that end in a zero and live for ever, and the function
    // copies what it keeps. There is one thread yet, so nobody is looking a name up meanwhile.
    let failed = unsafe { __nss_configure_lookup(c"hosts".as_ptr(), c"files dns".as_ptr()) } != 0;
    if failed {
        crate::output::remark("warning: host names are looked up as /etc/nsswitch.conf says");
    }
}

/// A dynamic binary uses the machine's own C library, which fits what that loads.
#[cfg(not(all(target_env = "gnu", target_feature = "crt-static")))]
pub fn settle() {}
