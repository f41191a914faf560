//! What became of table entries that workers share, in words and for programs.

use indicatif::{HumanBytes, HumanCount};
use proto::v1;
use serde_json::{Value, json};

/// In a few words, such as `1,204 entries told, 2,310 heard, 977 used, 38.1 KiB sent`.
pub fn describe(sharing: &v1::Sharing) -> String {
    format!(
        "{} entries told, {} heard, {} used, {} sent",
        HumanCount(sharing.sent),
        HumanCount(sharing.received),
        HumanCount(sharing.used),
        HumanBytes(sharing.sent_bytes),
    )
}

/// Every number.
pub fn as_json(sharing: &v1::Sharing) -> Value {
    json!({
        "sent": sharing.sent,
        "sent_bytes": sharing.sent_bytes,
        "received": sharing.received,
        "admitted": sharing.admitted,
        "used": sharing.used,
        "dropped": sharing.dropped,
        "rejected": sharing.rejected,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_for_people_and_for_programs() {
        let (sent, sent_bytes, received, used) = (1_204, 39_014, 2_310, 977);
        let sharing = v1::Sharing { sent, sent_bytes, received, used, ..Default::default() };
        let words = describe(&sharing);
        assert_eq!(words, "1,204 entries told, 2,310 heard, 977 used, 38.10 KiB sent");
        assert_eq!(as_json(&sharing)["sent_bytes"], 39_014);
    }
}
