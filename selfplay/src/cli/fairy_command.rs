//! `selfplay fairy`: what a variant is made of, node counts, and how much faster tables are than the interpreter.

use std::process::ExitCode;
use std::time::Instant;

use anyhow::anyhow;
use clap::{Args, Subcommand};
use selfplay::games::fairy::modifier::line_text;
use selfplay::games::fairy::position::Position;
use selfplay::games::fairy::rules::How;
use selfplay::games::fairy::variant::Variant;
use selfplay::games::fairy::{Fairy, betza, fen, shipped};

const EXAMPLES: &str = "\
Examples:
  selfplay fairy list
  selfplay fairy pieces capablanca
  selfplay fairy betza 't[FR]'
  selfplay fairy perft orthodox --depth 5
  selfplay fairy bench orthodox";

/// Look into fairy variants: pieces, Betza notation, node counts, speed.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct FairyArgs {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// The variants that are shipped.
    List,
    /// The pieces of a variant, line by line.
    Pieces {
        /// A shipped variant or a file
        variant: String,
    },
    /// What a piece in Betza notation means.
    Betza {
        /// As in mfWcfF
        piece: String,
    },
    /// Count nodes.
    Perft {
        /// A shipped variant or a file
        variant: String,
        /// Plies
        #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=12))]
        depth: u32,
        /// Another position than the start
        #[arg(long, value_name = "FEN")]
        fen: Option<String>,
        /// By the interpreter instead of the tables
        #[arg(long)]
        interpreted: bool,
    },
    /// Compare the speed of tables and interpreter.
    Bench {
        /// A shipped variant or a file
        variant: String,
        /// Plies
        #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=6))]
        depth: u32,
    },
}

/// Runs the command.
pub fn run(args: &FairyArgs) -> anyhow::Result<ExitCode> {
    match &args.task {
        Task::List => {
            for (name, _) in shipped::SHIPPED {
                println!("{name:14} {}", open(name)?.variant.about);
            }
        }
        Task::Pieces { variant } => pieces(&open(variant)?.variant),
        Task::Betza { piece } => {
            let lines = betza::parse(piece).map_err(|error| anyhow!(error.shown(piece)))?;
            lines.iter().for_each(|line| println!("{}", line_text(line, &[])));
        }
        Task::Perft { variant, depth, fen, interpreted } => {
            let variant = open(variant)?.variant;
            let how = if *interpreted { How::Interpreted } else { How::Compiled };
            let mut position = position_of(&variant, fen.as_deref())?;
            let (nodes, seconds) = timed(&variant, &mut position, *depth, how);
            println!("{nodes} nodes in {seconds:.3} s, {:.0} a second", nodes as f64 / seconds);
        }
        Task::Bench { variant, depth } => bench(&open(variant)?.variant, *depth),
    }
    Ok(ExitCode::SUCCESS)
}

fn open(name: &str) -> anyhow::Result<Fairy> {
    shipped::open(name).map_err(|reason| anyhow!(reason))
}

fn position_of(variant: &Variant, text: Option<&str>) -> anyhow::Result<Position> {
    match text {
        None => Ok(variant.start.clone()),
        Some(text) => fen::parse(variant, text).map_err(|reason| anyhow!("--fen: {reason}")),
    }
}

fn timed(variant: &Variant, position: &mut Position, depth: u32, how: How) -> (u64, f64) {
    let begun = Instant::now();
    let nodes = variant.perft(position, depth, how);
    (nodes, begun.elapsed().as_secs_f64().max(1e-9))
}

fn bench(variant: &Variant, depth: u32) {
    let mut rates = Vec::new();
    for (how, words) in [(How::Compiled, "tables"), (How::Interpreted, "interpreter")] {
        let (nodes, seconds) = timed(variant, &mut variant.start.clone(), depth, how);
        rates.push(nodes as f64 / seconds);
        println!("{words:12} {nodes} nodes in {seconds:.3} s, {:.0} a second", nodes as f64 / seconds);
    }
    println!("ratio        {:.1}", rates[0] / rates[1]);
}

fn pieces(variant: &Variant) {
    let letters = variant.letters();
    for piece in &variant.pieces {
        let notation = betza::write(&piece.lines).map_or(String::new(), |text| format!(" ({text})"));
        println!("{} {}{notation}", piece.letter, piece.name);
        for line in &piece.lines {
            println!("    {}", line_text(line, &letters));
        }
    }
}
