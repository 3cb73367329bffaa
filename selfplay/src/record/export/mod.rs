//! Games for other people's tools.

mod epd;
mod json;
mod pgn;
mod viriformat;

pub use epd::{EpdFilter, epd_lines};
pub use json::json_line;
pub use pgn::{move_number, pgn, wrapped};
pub use viriformat::viriformat;
