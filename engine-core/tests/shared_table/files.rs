//! Files that are no table, or none of ours: refused, by name, and left as they are.

use std::fs::{self, OpenOptions};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt, symlink};

use engine_core::table::{Fault, Origin, SharedError, Table};

use super::{Place, SCHEME, entry_of};

/// Where the file says how it is laid out, whether it is ready, and how many buckets it has.
const LAYOUT: usize = 8;
const READY: usize = 12;
const BUCKETS: usize = 24;

fn refusal(place: &Place) -> SharedError {
    let before = fs::metadata(&place.0).unwrap().len();
    let error = Table::shared(&place.0, 2, SCHEME).expect_err("no table");
    assert_eq!(fs::metadata(&place.0).unwrap().len(), before, "{error}");
    assert_eq!(error.path, place.0);
    assert!(error.to_string().contains(place.0.to_str().unwrap()), "{error}");
    error
}

/// The same, if the way out is to remove the file.
fn refused_with_remedy(place: &Place) -> Fault {
    let error = refusal(place);
    let remedy = format!("rm {}", place.0.display());
    assert!(error.to_string().ends_with(&remedy), "{error}");
    error.fault
}

/// A file of these bytes, as private as a table.
fn write(place: &Place, bytes: &[u8]) {
    let _ = fs::remove_file(&place.0);
    let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&place.0);
    std::io::Write::write_all(&mut file.unwrap(), bytes).unwrap();
}

/// The file of a table, with `bytes` put at `at`.
fn altered(place: &Place, at: usize, bytes: &[u8]) {
    let _ = fs::remove_file(&place.0);
    drop(place.table());
    let mut all = fs::read(&place.0).unwrap();
    all[at..at + bytes.len()].copy_from_slice(bytes);
    write(place, &all);
}

#[test]
fn other_files_are_refused() {
    let place = Place::new("foreign");
    for text in ["x", "a letter to a friend\n", &"0".repeat(100), &"\0".repeat(5 << 20)] {
        write(&place, text.as_bytes());
        assert!(matches!(refused_with_remedy(&place), Fault::Foreign));
    }
}

#[test]
fn other_versions_and_builds_are_refused() {
    let place = Place::new("version");
    altered(&place, LAYOUT, &[2]);
    assert!(matches!(refused_with_remedy(&place), Fault::Layout(2)));
    altered(&place, LAYOUT, &[0; 4]);
    assert!(matches!(refused_with_remedy(&place), Fault::Layout(0)));
    altered(&place, LAYOUT, &[]);
    place.table().store(7, entry_of(7));
    let error = Table::shared(&place.0, 1, SCHEME + 1).expect_err("another build");
    assert!(matches!(error.fault, Fault::Scheme), "{error}");
    assert_eq!(place.table().probe(7), Some(entry_of(7)));
}

#[test]
fn a_file_of_another_length_is_refused() {
    let place = Place::new("length");
    let whole = {
        drop(place.table());
        fs::metadata(&place.0).unwrap().len()
    };
    for length in [64, 4096, whole - 1, whole + 1] {
        altered(&place, 0, &[]);
        OpenOptions::new().write(true).open(&place.0).unwrap().set_len(length).unwrap();
        let fault = refused_with_remedy(&place);
        assert!(
            matches!(fault, Fault::Length { found, expected } if (found, expected) == (length, whole)),
            "{fault}"
        );
    }
    // Numbers of buckets that no table has.
    for buckets in [0, 1, 16_385, 1 << 58, u64::MAX, u64::MAX << 14] {
        altered(&place, BUCKETS, &buckets.to_le_bytes());
        assert!(matches!(refused_with_remedy(&place), Fault::Length { .. }), "{buckets}");
    }
}

#[test]
fn what_others_could_open_or_lead_us_to_is_refused() {
    let place = Place::new("owner");
    drop(place.table());
    for mode in [0o644, 0o660, 0o606] {
        fs::set_permissions(&place.0, fs::Permissions::from_mode(mode)).unwrap();
        assert!(matches!(refused_with_remedy(&place), Fault::Owner), "{mode:o}");
    }
    fs::set_permissions(&place.0, fs::Permissions::from_mode(0o600)).unwrap();
    let link = Place::new("owner-link");
    symlink(&place.0, &link.0).unwrap();
    assert!(matches!(refusal(&link).fault, Fault::System(_)));
    let folder = Place::new("owner-folder");
    fs::create_dir(&folder.0).unwrap();
    assert!(matches!(refusal(&folder).fault, Fault::System(_)));
    fs::remove_dir(&folder.0).unwrap();
    let nowhere = place.0.join("below");
    assert!(matches!(Table::shared(&nowhere, 1, 0).unwrap_err().fault, Fault::System(_)));
}

#[test]
fn what_a_dead_maker_left_is_made_anew() {
    let place = Place::new("unfinished");
    // As it died: with the first bytes, with the whole length, or with neither.
    for length in [0, 64, 3 << 20] {
        altered(&place, READY, &[0]);
        OpenOptions::new().write(true).open(&place.0).unwrap().set_len(length).unwrap();
        let (table, origin) = place.open(2);
        assert_eq!((table.size_mb(), origin), (2, Origin::Created), "{length}");
        table.store(7, entry_of(7));
        assert_eq!(place.table().probe(7), Some(entry_of(7)));
    }
}
