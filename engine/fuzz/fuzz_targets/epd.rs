//! The reader of EPD never panics, and what it accepts survives being written and read again.
#![no_main]

#[allow(dead_code)] // each target uses its own property
#[path = "../../tests/common/text_properties.rs"]
mod text_properties;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    if let Err(what) = text_properties::epd(text) {
        panic!("{what}");
    }
});
