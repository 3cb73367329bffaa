//! The positions named on the command line, and what was found in them.

use std::io::IsTerminal;
use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Context, ensure};
use clap::Args;
use engine::eval::EvalParams;
use tuner::cpu::cpu_seconds;
use tuner::label::Side;
use tuner::load::{Dataset, LoadOptions, load};

use super::share;

#[derive(Args)]
pub struct PositionArgs {
    /// Labelled positions: EPD (plain, gzip or zstd; - is standard input) or files of `tune extract`
    #[arg(long, value_name = "FILE", num_args = 1.., required = true)]
    pub texel: Vec<PathBuf>,

    /// The share of the game's result in what is predicted; the rest is the search's score, where there is one
    #[arg(long, value_name = "SHARE", default_value = "0.5", value_parser = share)]
    lambda: f64,

    /// K of the scores in the files [default: fitted to the results, for each file]
    #[arg(long, value_name = "K")]
    score_k: Option<f64>,

    /// From whose point of view results are written
    #[arg(long, value_name = "SIDE", default_value = "white")]
    result_side: Side,

    /// From whose point of view scores are written
    #[arg(long, value_name = "SIDE", default_value = "stm")]
    score_side: Side,

    /// The share of positions that only judge, whole games where games are known
    #[arg(long, value_name = "SHARE", default_value = "10%", value_parser = share)]
    holdout: f64,

    /// The share of positions that neither fit nor judge, whole games too: what is said of them at the end was not chosen by
    #[arg(long, value_name = "SHARE", default_value = "0%", value_parser = share)]
    report_share: f64,

    /// Decides which positions are held out
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    /// The share of bad lines in a file from which on it is refused
    #[arg(long, value_name = "SHARE", default_value = "5%", value_parser = share)]
    max_bad: f64,
}

/// What loading cost.
pub struct LoadCost {
    pub cpu: f64,
    pub wall: f64,
}

/// A line on the terminal that is written over by the next.
fn show_read(positions: usize) {
    eprint!("\r{positions} positions read and traced");
}

impl PositionArgs {
    /// The share of the result in labels.
    pub fn lambda(&self) -> f64 {
        self.lambda
    }

    /// Reads everything and says what was found.
    pub fn load(&self, start: &EvalParams) -> anyhow::Result<(Dataset, LoadCost)> {
        ensure!(
            self.holdout + self.report_share < 1.0,
            "--holdout {} and --report-share {}: something must be left to fit to",
            self.holdout,
            self.report_share
        );
        let options = LoadOptions {
            lambda: self.lambda,
            score_k: self.score_k,
            holdout: self.holdout,
            report: self.report_share,
            seed: self.seed,
            results: self.result_side,
            scores: self.score_side,
            most_bad: self.max_bad,
            progress: if std::io::stderr().is_terminal() { show_read } else { |_| {} },
        };
        let (cpu, wall) = (cpu_seconds(), Instant::now());
        let data = load(&self.texel, start, &options);
        if std::io::stderr().is_terminal() {
            eprint!("\r\x1b[K");
        }
        let data = data.context("cannot use the positions")?;
        let cost = LoadCost { cpu: cpu_seconds() - cpu, wall: wall.elapsed().as_secs_f64() };
        for file in &data.files {
            let k =
                file.score_k.map_or(String::new(), |k| format!(", {} with scores (K {k:.4})", file.scored));
            let bad = if file.bad > 0 { format!(", {} bad lines", file.bad) } else { String::new() };
            eprintln!("{}: {} positions{k}{bad}", file.name, file.positions);
        }
        for bad in &data.bad_lines {
            eprintln!("  {} line {}: {}", bad.file, bad.line, bad.reason);
        }
        let bad: u64 = data.files.iter().map(|file| file.bad).sum();
        if bad > data.bad_lines.len() as u64 {
            eprintln!("  … and {} more", bad - data.bad_lines.len() as u64);
        }
        ensure!(
            data.label_range.0 < data.label_range.1,
            "every label is {}: there is nothing to learn from them",
            data.label_range.0
        );
        Ok((data, cost))
    }
}
