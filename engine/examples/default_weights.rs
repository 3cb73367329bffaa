//! Writes the weights of the first day: `cargo run -p engine --example default_weights`.

use engine::eval::{EvalParams, Header};

fn main() {
    let header = Header {
        made_by: "hand".into(),
        date: "2026-11-16".into(),
        data: "none: round numbers, before any game was played".into(),
        ..Header::default()
    };
    print!("{}", EvalParams::default().to_toml(&header));
}
