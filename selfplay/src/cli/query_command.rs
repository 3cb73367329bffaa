//! `selfplay query`.

use std::fs::File;
use std::io::{self, IsTerminal, Read, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context, bail};
use clap::Args;
use selfplay::query::{self, Format, Found, Halt, Limits, Plan};

use super::INTERRUPTED;
use super::progress::Progress;
use super::query_prompt;

/// Ask questions of games and positions.
///
/// A query is a source, stages, and what is wanted: `games "a.tgr" where drawn and score_white > 300 count`.
/// Several queries stand in one text with `;` between them; those with the same source read it once. Without a
/// query a prompt asks for one. `--words` lists all names; docs/10-query.md explains them.
#[derive(Args)]
#[command(after_help = "\
Examples:
  selfplay query 'games \"night.tgr\" where drawn count'
  selfplay query 'games \"a.pgn\" where check group by phase select count, mean(legal)'
  selfplay query 'positions \"wac.epd\" search depth 8 select tag(\"id\"), best, value as csv'
  selfplay query 'random 20 plies times 100 perft 3 select fen, leaves'
  selfplay query --explain 'games \"night.tgr\" where game < 500 and drawn count'
  selfplay query --file study.q --format json --output study.json")]
pub struct QueryArgs {
    /// The query; the words are joined with spaces
    #[arg(value_name = "QUERY")]
    words_of_query: Vec<String>,

    /// Read the query from a file
    #[arg(long, short, value_name = "FILE", conflicts_with = "words_of_query")]
    file: Option<PathBuf>,

    /// Write what was found to this file instead of standard output
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,

    /// How to write it where the query does not say: table, json, csv, svg
    #[arg(long, value_name = "FORMAT", default_value = "table", value_parser = read_format)]
    format: Format,

    /// The same as --format json
    #[arg(long, conflicts_with = "format")]
    json: bool,

    /// Print how the query would run, and do not run it
    #[arg(long)]
    explain: bool,

    /// Print all names of the language
    #[arg(long)]
    words: bool,

    /// Threads [default: all cores]
    #[arg(long, value_name = "N")]
    threads: Option<usize>,

    /// Keep at most so many rows or groups in memory
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    rows: usize,

    /// Let walks, searches and perft visit at most so many positions
    #[arg(long, value_name = "N", default_value_t = 10_000_000_000)]
    budget: u64,
}

fn read_format(text: &str) -> Result<Format, String> {
    let named = Format::NAMED
        .iter()
        .find(|(name, format)| *name == text && !matches!(format, Format::Epd | Format::Pgn));
    named.map(|(_, format)| *format).ok_or_else(|| {
        "expected table, json, csv or svg (EPD and PGN are asked for in the query: `as epd`)".to_string()
    })
}

/// Runs the command.
pub fn run(args: &QueryArgs) -> anyhow::Result<ExitCode> {
    if args.words {
        print!("{}", words());
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(threads) = args.threads {
        rayon::ThreadPoolBuilder::new().num_threads(threads.max(1)).build_global().context("--threads")?;
    }
    let limits = Arc::new(Limits::new(args.rows, args.budget));
    let listener = limits.clone();
    ctrlc::set_handler(move || listener.stop()).context("cannot listen for Ctrl-C")?;
    let format = if args.json { Format::Json } else { args.format };
    let text = match (&args.file, args.words_of_query.is_empty()) {
        (Some(path), _) => {
            std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?
        }
        (None, false) => args.words_of_query.join(" "),
        (None, true) if io::stdin().is_terminal() => return query_prompt::run(&limits, format),
        (None, true) => {
            let mut text = String::new();
            io::stdin().read_to_string(&mut text).context("cannot read the query from standard input")?;
            text
        }
    };
    let plans = compile(&text)?;
    if args.explain {
        let parts: Vec<String> = plans.iter().map(Plan::explain).collect();
        print!("{}", parts.join("\n"));
        return Ok(ExitCode::SUCCESS);
    }
    let mut output: Box<dyn Write> = match &args.output {
        Some(path) => {
            Box::new(File::create(path).with_context(|| format!("cannot create {}", path.display()))?)
        }
        None => Box::new(io::stdout()),
    };
    answer(&plans, &limits, format, &mut output)
}

/// Reads queries; what is wrong with them is shown where it is.
pub fn compile(text: &str) -> anyhow::Result<Vec<Plan>> {
    let plans = query::compile(text).map_err(|problem| anyhow::anyhow!("{}", problem.render(text)))?;
    if plans.is_empty() {
        bail!("the query is empty; try: selfplay query --help");
    }
    Ok(plans)
}

/// Runs queries and writes what they find, also when they were stopped.
pub fn answer(
    plans: &[Plan],
    limits: &Limits,
    format: Format,
    output: &mut dyn Write,
) -> anyhow::Result<ExitCode> {
    if let Some(problem) = plans.iter().find_map(|plan| query::missing_file(&plan.source)) {
        bail!("{}{}", problem.message, problem.help.map(|help| format!(" ({help})")).unwrap_or_default());
    }
    // On a terminal only: a pipe wants the answer.
    let progress = io::stderr().is_terminal().then(|| Progress::new(None, "positions"));
    let answers = query::execute(plans, limits, |positions| {
        if let Some(progress) = &progress {
            progress.show(positions, "");
        }
    });
    if let Some(progress) = &progress {
        progress.finish();
    }
    let answers = answers?;
    let mut code = ExitCode::SUCCESS;
    for (number, (plan, found)) in plans.iter().zip(&answers).enumerate() {
        if number > 0 {
            writeln!(output)?;
        }
        output.write_all(query::render(plan, found, format).as_bytes()).context("cannot write the answer")?;
        if let Some(halt) = report(found) {
            code = if *halt == Halt::Interrupted { ExitCode::from(INTERRUPTED) } else { ExitCode::FAILURE };
        }
    }
    output.flush().context("cannot write the answer")?;
    Ok(code)
}

/// Says what was passed over, and why the answer is not whole.
fn report(found: &Found) -> Option<&Halt> {
    for complaint in &found.complaints {
        eprintln!("selfplay: {}, line {}: passed over: {}", complaint.file, complaint.line, complaint.reason);
    }
    if found.refused > found.complaints.len() {
        eprintln!("selfplay: {} more were passed over", found.refused - found.complaints.len());
    }
    let halt = found.halt.as_ref()?;
    eprintln!("selfplay: not finished: {halt}; this is what there was after {} positions", found.positions);
    Some(halt)
}

/// All names with what they mean.
pub fn words() -> String {
    let mut text = String::from("Fields\n");
    for word in query::FIELDS {
        text.push_str(&format!("  {:<16} {}\n", word.name, word.doc));
    }
    for (title, functions) in [("Functions", query::FUNCTIONS), ("Aggregates", query::AGGREGATES)] {
        text.push_str(&format!("\n{title}\n"));
        for function in functions {
            let written = match function.arguments {
                "" => function.name.to_string(),
                arguments => format!("{}({arguments})", function.name),
            };
            text.push_str(&format!("  {written:<28} {}\n", function.doc));
        }
    }
    text
}
