//! Search profiles on the wire.

use engine_core::search::Profile;

use crate::error::WireError;
use crate::v1;

/// Reads a profile; nothing when it is unspecified.
///
/// # Errors
/// A number that stands for no profile known here.
pub fn decode(number: i32) -> Result<Option<Profile>, WireError> {
    match v1::Profile::try_from(number) {
        Ok(v1::Profile::Unspecified) => Ok(None),
        Ok(v1::Profile::Exact) => Ok(Some(Profile::Exact)),
        Ok(v1::Profile::Classic) => Ok(Some(Profile::Classic)),
        Err(_) => {
            let value = number.into();
            Err(WireError::OutOfRange { field: "profile", value, min: 0, max: 2 })
        }
    }
}

/// Writes a profile.
pub fn encode(profile: Profile) -> v1::Profile {
    match profile {
        Profile::Exact => v1::Profile::Exact,
        Profile::Classic => v1::Profile::Classic,
    }
}
