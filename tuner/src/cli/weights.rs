//! Weights named on the command line.

use std::path::Path;

use anyhow::Context;
use engine::eval::{EvalParams, WeightsFile};
use tuner::starts;

/// `default` (what the engine ships), `hand` (the first day's), `material`, or a file.
pub fn named(name: &str) -> anyhow::Result<EvalParams> {
    match name {
        "default" => Ok(EvalParams::embedded()),
        "hand" => Ok(EvalParams::default()),
        "material" => Ok(starts::material_only()),
        path => read(Path::new(path)),
    }
}

fn read(path: &Path) -> anyhow::Result<EvalParams> {
    let name = || format!("weights {}", path.display());
    let text = std::fs::read_to_string(path).with_context(name)?;
    Ok(WeightsFile::parse(&text).with_context(name)?.params)
}
