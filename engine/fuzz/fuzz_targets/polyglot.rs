//! The reader of Polyglot books never panics, and what it accepts answers with legal moves and survives
//! being written and read again.
#![no_main]

#[allow(dead_code)] // each target uses its own property
#[path = "../../tests/common/file_properties.rs"]
mod file_properties;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Err(what) = file_properties::polyglot(bytes) {
        panic!("{what}");
    }
});
