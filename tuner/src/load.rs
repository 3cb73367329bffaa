//! From files to labelled positions in memory, each traced by the engine's own evaluation.

use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

use engine::Board;
use engine::eval::{Coefficients, EvalParams, Score, Tracer, Weights};
use engine::types::Color;
use rayon::prelude::*;

use crate::codebook::{Codebook, LONGEST_ROW};
use crate::columns::{Columns, Entry};
use crate::input::{Block, Content, HASH_OF_NOTHING, Input};
use crate::label::{Label, Side};
use crate::packed::PackedPosition;
use crate::random::splitmix;
use crate::sigmoid::{DEFAULT_K, Sigmoid};
use crate::store::{Store, write_head};
use crate::viewpoint::{Suspicion, Viewpoint};

/// Blocks that are worked on before the results are put in order: enough for every core, and few enough to
/// keep memory small.
const BLOCKS_AT_ONCE: usize = 16;

/// Rows that the codebook learns from: more do not make it better.
const LEARNED_FROM: usize = 2_000;

/// Bad lines that are shown; all of them are counted.
const SHOWN_BAD_LINES: usize = 10;

/// By how much evaluation and coefficients · weights may differ, in centipawns.
const AGREEMENT: i32 = 1;

/// What to make of the files.
#[derive(Clone, Debug)]
pub struct LoadOptions {
    /// The share of the result in a label; the rest is the score's.
    pub lambda: f64,
    /// The K of the files' scores; fitted to the results, file by file, if not given.
    pub score_k: Option<f64>,
    /// The share of positions that only judge.
    pub holdout: f64,
    /// Decides which positions those are.
    pub seed: u64,
    /// From whose point of view results are written.
    pub results: Side,
    /// From whose point of view scores are written.
    pub scores: Side,
    /// The share of bad lines in a file from which on it is an error.
    pub most_bad: f64,
    /// Told now and then how many positions were read.
    pub progress: fn(usize),
}

impl Default for LoadOptions {
    fn default() -> LoadOptions {
        LoadOptions {
            lambda: 0.5,
            score_k: None,
            holdout: 0.1,
            seed: 1,
            results: Side::White,
            scores: Side::Stm,
            most_bad: 0.05,
            progress: |_| {},
        }
    }
}

/// A line that could not be used.
#[derive(Clone, Debug)]
pub struct BadLine {
    /// The file's name.
    pub file: String,
    /// Counted from 1.
    pub line: u64,
    /// What is wrong with it.
    pub reason: String,
}

/// What was found in one file.
#[derive(Clone, Debug)]
pub struct FileSummary {
    /// Its name.
    pub name: String,
    /// Positions that can be used.
    pub positions: u64,
    /// Lines that cannot.
    pub bad: u64,
    /// Positions with a score.
    pub scored: u64,
    /// The K of its scores, if it has any.
    pub score_k: Option<f64>,
}

/// Labelled positions.
pub struct Dataset {
    /// What the fit sees.
    pub train: Store,
    /// What judges it.
    pub holdout: Store,
    /// Each file.
    pub files: Vec<FileSummary>,
    /// The first bad lines.
    pub bad_lines: Vec<BadLine>,
    /// FNV-1a over the files' bytes.
    pub hash: u64,
    /// The least and the greatest label.
    pub label_range: (f32, f32),
    /// Whether positions were kept together by game.
    pub games_known: bool,
}

/// Why nothing can be fitted to the files.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// A file that cannot be read.
    #[error("{file}: {error}")]
    Io {
        /// The file's name.
        file: String,
        /// Why.
        error: std::io::Error,
    },
    /// Nothing usable in any of them.
    #[error(
        "no positions in {files}; expected a position and a label a line, like\n  8/5p1p/6pB/4P1P1/6k1/1p6/1Kb5/8 w - - c9 \"0-1\";{first_bad}"
    )]
    Empty {
        /// The files' names.
        files: String,
        /// The first bad line, if any.
        first_bad: String,
    },
    /// Too many bad lines.
    #[error(
        "{file}: {bad} of {lines} lines cannot be used, more than the {percent}% that --max-bad allows; the first:\n{examples}"
    )]
    TooManyBad {
        /// The file's name.
        file: String,
        /// How many.
        bad: u64,
        /// Of how many.
        lines: u64,
        /// What is allowed.
        percent: f64,
        /// Some of them.
        examples: String,
    },
    /// The trace is wrong: nothing that is fitted to it can be right.
    #[error(
        "the evaluation of {fen} is {evaluated}, but coefficients · weights give {reconstructed} (White's view): the trace is wrong, please report this position"
    )]
    TraceDisagrees {
        /// The position.
        fen: String,
        /// By the evaluator.
        evaluated: i32,
        /// From the trace.
        reconstructed: i32,
    },
    /// The labels say that having more material loses.
    #[error("{file}: {suspicion}")]
    WrongSide {
        /// The file's name.
        file: String,
        /// What looks wrong.
        suspicion: Suspicion,
    },
}

/// Reads the files in order. Which positions are held out depends on the seed and on the positions (or their
/// games) alone.
pub fn load(paths: &[PathBuf], start: &EvalParams, options: &LoadOptions) -> Result<Dataset, LoadError> {
    let columns = Arc::new(Columns::new());
    let weights = Arc::new(Weights::new(start));
    let hash = Rc::new(Cell::new(HASH_OF_NOTHING));
    let mut loading: Option<Loading> = None;
    let mut files = Vec::new();
    let mut bad_lines = Vec::new();
    for path in paths {
        let fail = |error| LoadError::Io { file: path.display().to_string(), error };
        let mut input = Input::open(path, hash.clone()).map_err(fail)?;
        let mut file = FileLabels::default();
        let mut lines = 0;
        loop {
            let mut blocks = Vec::new();
            while blocks.len() < BLOCKS_AT_ONCE {
                match input.next_block().map_err(fail)? {
                    Some(block) => blocks.push(block),
                    None => break,
                }
            }
            if blocks.is_empty() {
                break;
            }
            let loading =
                loading.get_or_insert_with(|| Loading::begin(&columns, &weights, options, &blocks[0]));
            let parsed: Vec<ParsedBlock> = {
                let workshop = &loading.workshop;
                blocks
                    .into_par_iter()
                    .map_init(|| Worker::new(workshop), |worker, block| worker.parse(&block))
                    .collect()
            };
            for block in parsed {
                if let Some(error) = block.trace_error {
                    return Err(error);
                }
                for (line, reason) in block.bad {
                    file.bad += 1;
                    if bad_lines.len() < SHOWN_BAD_LINES {
                        bad_lines.push(BadLine { file: input.name().to_owned(), line: lines + line, reason });
                    }
                }
                lines += block.lines;
                file.viewpoint.merge(&block.viewpoint);
                loading.take(&block.positions, &block.bytes, &mut file);
            }
            (options.progress)(loading.train.len() + loading.holdout.len());
        }
        let summary = file.summary(input.name().to_owned(), options);
        let usable = summary.positions + summary.bad;
        if summary.bad as f64 > options.most_bad * usable as f64 {
            let examples: Vec<String> = bad_lines
                .iter()
                .filter(|bad| bad.file == summary.name)
                .map(|bad| format!("  line {}: {}", bad.line, bad.reason))
                .collect();
            return Err(LoadError::TooManyBad {
                file: summary.name,
                bad: summary.bad,
                lines: usable,
                percent: options.most_bad * 100.0,
                examples: examples.join("\n"),
            });
        }
        if let Some(suspicion) = file.viewpoint.suspicion(options.results, options.scores) {
            return Err(LoadError::WrongSide { file: summary.name, suspicion });
        }
        if let Some(loading) = &mut loading {
            loading.label(&file, &summary, options.lambda);
        }
        files.push(summary);
    }
    match loading {
        Some(loading) if !loading.train.is_empty() => Ok(Dataset {
            train: loading.train,
            holdout: loading.holdout,
            files,
            bad_lines,
            hash: hash.get(),
            label_range: loading.label_range,
            games_known: loading.games_known,
        }),
        _ => Err(LoadError::Empty {
            files: paths.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", "),
            first_bad: bad_lines.first().map_or(String::new(), |bad| {
                format!(
                    "\nthe first line that could not be used: {} of {}: {}",
                    bad.line, bad.file, bad.reason
                )
            }),
        }),
    }
}

/// Labels of one file before they are mixed, `// [train, hold-out]`.
#[derive(Default)]
struct FileLabels {
    labels: [Vec<Label>; 2],
    bad: u64,
    viewpoint: Viewpoint,
}

impl FileLabels {
    fn summary(&self, name: String, options: &LoadOptions) -> FileSummary {
        let both = || self.labels.iter().flatten();
        let (mut scores, mut results) = (Vec::new(), Vec::new());
        for label in both() {
            if let (Some(result), Some(score)) = (label.result, label.score) {
                scores.push(f32::from(score));
                results.push(result);
            }
        }
        let scored = both().filter(|label| label.score.is_some()).count() as u64;
        let needed = scored > 0 && (options.lambda < 1.0 || scores.len() < scored as usize);
        let score_k = needed.then(|| {
            // A negative K is caught as a wrong point of view; here it would only turn labels round.
            let fitted = || Sigmoid::fit(&scores, &results).map(|fitted| fitted.k).filter(|&k| k > 0.0);
            options.score_k.or_else(fitted).unwrap_or(DEFAULT_K)
        });
        FileSummary { name, positions: both().count() as u64, bad: self.bad, scored, score_k }
    }
}

/// What the label says: the score's expectation and the result, mixed where both are known.
fn mixed(label: Label, score_k: Option<f64>, lambda: f64) -> f32 {
    let expected = label
        .score
        .map(|score| Sigmoid { k: score_k.unwrap_or(DEFAULT_K) }.expected(f64::from(score)) as f32);
    match (label.result, expected) {
        (Some(result), Some(expected)) => lambda as f32 * result + (1.0 - lambda as f32) * expected,
        (Some(only), None) | (None, Some(only)) => only,
        (None, None) => 0.5,
    }
}

/// The stores being filled.
struct Loading {
    workshop: Workshop,
    train: Store,
    holdout: Store,
    label_range: (f32, f32),
    games_known: bool,
}

impl Loading {
    /// Learns the codebook from the first block, which is then read once more like all others.
    fn begin(
        columns: &Arc<Columns>,
        weights: &Arc<Weights>,
        options: &LoadOptions,
        first: &Block,
    ) -> Loading {
        let mut workshop = Workshop {
            columns: columns.clone(),
            weights: weights.clone(),
            scores: weights.side(Color::White).to_vec(),
            book: Arc::new(Codebook::learn(std::iter::empty())),
            options: options.clone(),
        };
        let mut rows = Vec::new();
        Worker::new(&workshop).rows(first, |row| rows.push(row.to_vec()));
        rows.truncate(LEARNED_FROM);
        workshop.book = Arc::new(Codebook::learn(rows.iter().map(Vec::as_slice)));
        let store = || Store::new(columns.clone(), workshop.book.clone());
        let (train, holdout) = (store(), store());
        Loading { workshop, train, holdout, label_range: (1.0, 0.0), games_known: false }
    }

    fn take(&mut self, positions: &[ParsedPosition], mut bytes: &[u8], file: &mut FileLabels) {
        for position in positions {
            let (own, rest) = bytes.split_at(usize::from(position.length));
            bytes = rest;
            let store = if position.held_out { &mut self.holdout } else { &mut self.train };
            store.push(own, 0.0);
            file.labels[usize::from(position.held_out)].push(position.label);
            self.games_known |= position.game_known;
        }
    }

    /// Gives the positions of a file that was read to its end their labels.
    fn label(&mut self, file: &FileLabels, summary: &FileSummary, lambda: f64) {
        for (store, labels) in [&mut self.train, &mut self.holdout].into_iter().zip(&file.labels) {
            let labels: Vec<f32> =
                labels.iter().map(|&label| mixed(label, summary.score_k, lambda)).collect();
            for &label in &labels {
                self.label_range = (self.label_range.0.min(label), self.label_range.1.max(label));
            }
            store.relabel(store.len() - labels.len(), &labels);
        }
    }
}

/// What all workers share.
struct Workshop {
    columns: Arc<Columns>,
    weights: Arc<Weights>,
    scores: Vec<Score>,
    book: Arc<Codebook>,
    options: LoadOptions,
}

/// A block's positions, written one after the other into `bytes`.
#[derive(Default)]
struct ParsedBlock {
    bytes: Vec<u8>,
    positions: Vec<ParsedPosition>,
    /// Lines within the block, from 1, with reasons.
    bad: Vec<(u64, String)>,
    lines: u64,
    viewpoint: Viewpoint,
    trace_error: Option<LoadError>,
}

struct ParsedPosition {
    length: u16,
    held_out: bool,
    game_known: bool,
    label: Label,
}

/// One thread's tools, used again for every position.
struct Worker<'a> {
    workshop: &'a Workshop,
    tracer: Tracer,
    coefficients: Coefficients,
    row: Vec<Entry>,
}

impl Worker<'_> {
    fn new(workshop: &Workshop) -> Worker<'_> {
        Worker { workshop, tracer: Tracer::new(), coefficients: Coefficients::default(), row: Vec::new() }
    }

    /// The rows of a block, bad lines left out.
    fn rows(&mut self, block: &Block, mut see: impl FnMut(&[Entry])) {
        let columns = self.workshop.columns.clone();
        for_each_record(block, |_, record| {
            if let Ok(found) = record {
                self.tracer.trace(&found.board, &self.workshop.weights, &mut self.coefficients);
                columns.row(&self.coefficients, &mut self.row);
                see(&self.row);
            }
        });
    }

    fn parse(&mut self, block: &Block) -> ParsedBlock {
        let mut parsed = ParsedBlock::default();
        parsed.lines = for_each_record(block, |line, record| match record {
            Ok(found) => {
                if let Err(reason) = self.take(&found, &mut parsed) {
                    parsed.bad.push((line, reason));
                }
            }
            Err(reason) => parsed.bad.push((line, reason)),
        });
        parsed
    }

    fn take(&mut self, found: &Found, parsed: &mut ParsedBlock) -> Result<(), String> {
        let options = &self.workshop.options;
        let board = &found.board;
        let white_to_move = board.side_to_move() == Color::White;
        let label = match found.game {
            // Packed labels are White's already.
            Some(_) => found.label,
            None => found.label.for_white(white_to_move, options.results, options.scores),
        };
        let evaluated = self.tracer.trace(board, &self.workshop.weights, &mut self.coefficients);
        self.workshop.columns.row(&self.coefficients, &mut self.row);
        if self.row.len() > LONGEST_ROW {
            return Err(format!("{} terms are more than the tuner keeps ({LONGEST_ROW})", self.row.len()));
        }
        let begin = parsed.bytes.len();
        let linear = self.workshop.columns.linear_entries(&self.row);
        let lengths = [linear, self.row.len() - linear];
        write_head(lengths, self.coefficients.phase, self.coefficients.ending, &mut parsed.bytes);
        let row_begin = parsed.bytes.len();
        self.workshop.book.write(&self.row, &mut parsed.bytes);
        if let Err(error) = self.check(board, evaluated, &parsed.bytes[row_begin..]) {
            parsed.trace_error.get_or_insert(error);
        }
        parsed.viewpoint.look(white_to_move, self.material_white(), label);
        let which = found.game.map_or(board.key(), |game| splitmix(u64::from(game)));
        parsed.positions.push(ParsedPosition {
            length: (parsed.bytes.len() - begin) as u16,
            held_out: is_held_out(which, options.seed, options.holdout),
            game_known: found.game.is_some(),
            label,
        });
        Ok(())
    }

    /// Whether what was just written reads back as what was counted, and gives the evaluation.
    fn check(&self, board: &Board, evaluated: i32, written: &[u8]) -> Result<(), LoadError> {
        let (mut left, mut column, mut same) = (written, 0, true);
        for entry in &self.row {
            let (gap, count) = self.workshop.book.read(&mut left);
            column += gap;
            same &= *entry == (column, count as i16);
        }
        let reconstructed = self.coefficients.assemble(&self.workshop.scores).value_white;
        if !same || (evaluated - reconstructed).abs() > AGREEMENT {
            return Err(LoadError::TraceDisagrees { fen: board.fen(), evaluated, reconstructed });
        }
        Ok(())
    }

    /// White's pieces less Black's, in pawns of the old textbooks. The list of weights begins with the values of
    /// the pieces, and so does the row.
    fn material_white(&self) -> i32 {
        let pieces = self.row.iter().take_while(|(column, _)| *column < 5);
        pieces.map(|&(column, count)| [1, 3, 3, 5, 9][usize::from(column)] * i32::from(count)).sum()
    }
}

/// A position with what is said about it.
struct Found {
    board: Board,
    label: Label,
    game: Option<u32>,
}

/// Shows every line or packed position of a block, with its number from 1; answers how many there were.
/// Empty lines and lines that begin with # are none.
fn for_each_record(block: &Block, mut see: impl FnMut(u64, Result<Found, String>)) -> u64 {
    let mut number = 0;
    match block.content {
        Content::Lines => {
            let mut rest = block.bytes.as_slice();
            while !rest.is_empty() {
                let end = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
                let line = rest[..end].trim_ascii();
                rest = &rest[(end + 1).min(rest.len())..];
                number += 1;
                if !line.is_empty() && line[0] != b'#' {
                    see(number, read_line(line));
                }
            }
        }
        Content::Packed => {
            let (positions, _) = block.bytes.as_chunks::<{ PackedPosition::SIZE }>();
            for bytes in positions {
                number += 1;
                let found = PackedPosition::unpack(bytes);
                see(
                    number,
                    found
                        .map(|(board, label, game, _)| Found { board, label, game: Some(game) })
                        .map_err(|error| error.to_string()),
                );
            }
        }
    }
    number
}

fn read_line(line: &[u8]) -> Result<Found, String> {
    let line = std::str::from_utf8(line).map_err(|_| "not text (UTF-8)".to_owned())?;
    let (position, operations) = split_epd(line);
    let board = Board::from_fen(position).map_err(|error| error.to_string())?;
    let label = Label::parse(operations).map_err(|error| error.to_string())?;
    Ok(Found { board, label, game: None })
}

/// The four fields of a position (and its clocks, if they are there), and what follows.
fn split_epd(line: &str) -> (&str, &str) {
    let bytes = line.as_bytes();
    let mut end = 0;
    for field in 0..6 {
        let mut at = end;
        while at < bytes.len() && bytes[at].is_ascii_whitespace() {
            at += 1;
        }
        let begin = at;
        while at < bytes.len() && !bytes[at].is_ascii_whitespace() && bytes[at] != b';' {
            at += 1;
        }
        let is_number = at > begin && bytes[begin..at].iter().all(u8::is_ascii_digit);
        if field >= 4 && !is_number {
            break;
        }
        end = at;
    }
    line.split_at(end)
}

/// The same for equal positions (or positions of one game), so that none is on both sides.
fn is_held_out(which: u64, seed: u64, share: f64) -> bool {
    (splitmix(which ^ splitmix(seed)) as f64) < share * u64::MAX as f64
}

/// The name of a path for messages.
pub fn display(path: &Path) -> String {
    if path == Path::new("-") { "standard input".to_owned() } else { path.display().to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_a_position_and_the_rest() {
        for (line, position) in [
            ("8/8/8/8/8/8/8/8 w - - c9 \"1-0\";", "8/8/8/8/8/8/8/8 w - -"),
            ("8/8/8/8/8/8/8/8 w - - 0 3 [0.0]", "8/8/8/8/8/8/8/8 w - - 0 3"),
            ("8/8/8/8/8/8/8/8 w - -;w", "8/8/8/8/8/8/8/8 w - -"),
            ("8/8/8/8/8/8/8/8 w - - 0 1;d", "8/8/8/8/8/8/8/8 w - - 0 1"),
            ("8/8/8/8/8/8/8/8 w - - 0 1 1-0", "8/8/8/8/8/8/8/8 w - - 0 1"),
            ("8/8/8", "8/8/8"),
            ("", ""),
        ] {
            let (found, rest) = split_epd(line);
            assert_eq!(found, position);
            assert_eq!(format!("{found}{rest}"), line);
        }
    }

    #[test]
    fn a_tenth_is_held_out_whatever_the_seed() {
        for seed in 0..4 {
            let held = (0..100_000u64).filter(|&which| is_held_out(splitmix(which), seed, 0.1)).count();
            assert!((9_500..10_500).contains(&held), "{held}");
        }
        assert!((0..1_000).all(|which| !is_held_out(which, 1, 0.0)));
    }
}
