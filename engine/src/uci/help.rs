//! What `help` says: a table, so that nothing is told twice.

use super::NAME;
use super::options::{Kind, OPTIONS};

/// A command's form and what it does.
const COMMANDS: &[(&str, &str)] = &[
    ("uci", "name, author, options"),
    ("isready", "answers readyok when all before it is done; at once during a search"),
    ("ucinewgame", "forget the last game"),
    ("setoption name <name> [value <value>]", "change an option (below); in force from the next go"),
    ("position startpos|fen <FEN> [moves …]", "set up a position"),
    ("go [limits]", "search: depth nodes movetime mate wtime btime winc binc movestogo infinite"),
    ("", "ponder searchmoves <moves> perft <depth>; no limit at all means until stop"),
    ("stop", "end the search and say the best move"),
    ("ponderhit", "the move pondered on was played"),
    ("debug on|off", "say more, or less"),
    ("quit", "end the program"),
    ("d", "draw the board"),
    ("eval [<FEN>]", "the static evaluation"),
    ("perft <depth> [--fen <FEN>] [--divide]", "count the legal lines of a length;"),
    ("    [--threads <n>] [--hash <MB>]", "--divide by first move"),
    ("bench [depth] [threads] [hash]", "search fixed positions: node count and speed"),
    ("bench --list", "those positions, as EPD"),
    ("experience result 1-0|0-1|1/2-1/2", "how the game ended, if games are kept (ExperienceLog)"),
    ("help, version", "this; the name and version"),
];

const EXAMPLES: &[(&str, &str)] = &[
    ("tabula", "speak UCI on standard input and output"),
    ("tabula bench", "nodes and speed on the fixed positions"),
    ("tabula go depth 20", "search the initial position"),
    ("tabula \"position startpos moves e2e4\" \"go movetime 1000\"", "several lines: quote each"),
    ("tabula perft 6", "119060324"),
    ("tabula perft 5 --fen \"<FEN>\" --divide --threads 2 --hash 64", ""),
    ("tabula eval \"<FEN>\"", ""),
];

/// The lines of the help.
pub fn lines() -> impl Iterator<Item = String> {
    let row = |(form, about): &(&str, &str)| format!("  {form:<40} {about}").trim_end().to_string();
    let example = |(form, about): &(&str, &str)| format!("  {form:<62} {about}").trim_end().to_string();
    let heading = |text: &str| [String::new(), text.to_string()];
    std::iter::once(format!("{NAME}, a chess engine that speaks UCI"))
        .chain(heading("Commands, as lines or as arguments:"))
        .chain(COMMANDS.iter().map(row))
        .chain(heading("Options:"))
        .chain(OPTIONS.iter().map(|option| {
            let values = match &option.kind {
                Kind::Spin { default, min, max, .. } => format!("{min}-{max} ({default})"),
                Kind::Check { default, .. } => format!("true, false ({default})"),
                Kind::Combo { default, vars, .. } => format!("{} ({default})", vars.join(", ")),
                Kind::Text { .. } => "path".to_string(),
                Kind::Button { .. } => "button".to_string(),
            };
            format!("  {:<17} {values:<32} {}", option.name, option.about)
        }))
        .chain(heading("Examples:"))
        .chain(EXAMPLES.iter().map(example))
}
