//! From files to labelled positions in memory, each traced by the engine's own evaluation.

use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

use engine::Board;
use engine::cpu::{Work, widely};
use engine::eval::{EvalParams, Heard, Score, Sight, Tracer, Weights};
use engine::types::{Color, PieceType};
use rayon::prelude::*;

use crate::codebook::{Codebook, LONGEST_PART};
use crate::columns::{Bank, Columns, Entry, GROUPS, PARTS, RowParts, TABLE};
use crate::input::{Block, Content, HASH_OF_NOTHING, Input};
use crate::label::{Label, Side};
use crate::packed::PackedPosition;
use crate::random::splitmix;
use crate::sigmoid::{DEFAULT_K, Group, Sigmoid};
use crate::store::{Store, write_head};
use crate::viewpoint::{Suspicion, Viewpoint};

/// Blocks for each thread that are worked on before the results are put in order: enough to keep every core
/// busy, and few enough to keep memory small.
const BLOCKS_A_THREAD: usize = 2;

/// Rows that the codebook learns from: more do not make it better.
const LEARNED_FROM: usize = 2_000;

/// Bad lines that are shown; all of them are counted.
const SHOWN_BAD_LINES: usize = 10;

/// By how much evaluation and coefficients · weights may differ, in centipawns.
const AGREEMENT: i32 = 1;

/// Of so many positions in a block one is read back from what was written, as the fit will read it.
const READ_BACK: usize = 64;

/// What to make of the files.
#[derive(Clone, Debug)]
pub struct LoadOptions {
    /// The share of the result in a label; the rest is the score's.
    pub lambda: f64,
    /// The K of the files' scores; fitted to the results, file by file, if not given.
    pub score_k: Option<f64>,
    /// The share of positions that only judge.
    pub holdout: f64,
    /// The share that neither fits nor judges, but is reported on at the end.
    pub report: f64,
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
            report: 0.0,
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
    /// What neither fit nor choice has seen.
    pub report: Store,
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

impl Dataset {
    /// All positions, whatever they are for.
    pub fn positions(&self) -> u64 {
        (self.train.len() + self.holdout.len() + self.report.len()) as u64
    }

    /// What they take in memory.
    pub fn bytes(&self) -> usize {
        self.train.bytes() + self.holdout.bytes() + self.report.bytes()
    }
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
        let mut file = FileLabels::new();
        let mut lines = 0;
        loop {
            let mut blocks = Vec::new();
            while blocks.len() < BLOCKS_A_THREAD * rayon::current_num_threads() {
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
                    .map_init(
                        || Worker::new(workshop),
                        |worker, block| widely(Parse { worker, block: &block }),
                    )
                    .collect()
            };
            for mut block in parsed {
                if let Some(error) = block.trace_error {
                    return Err(error);
                }
                for (line, reason) in std::mem::take(&mut block.bad) {
                    file.bad += 1;
                    if bad_lines.len() < SHOWN_BAD_LINES {
                        bad_lines.push(BadLine { file: input.name().to_owned(), line: lines + line, reason });
                    }
                }
                lines += block.lines;
                file.viewpoint.merge(&block.viewpoint);
                loading.take(&block, &mut file);
            }
            (options.progress)(loading.train.len() + loading.holdout.len() + loading.report.len());
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
            loading.label(file, &summary, options.lambda);
        }
        files.push(summary);
    }
    match loading {
        Some(loading) if !loading.train.is_empty() => Ok(Dataset {
            train: loading.train,
            holdout: loading.holdout,
            report: loading.report,
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

/// Where a label has no score, or no result.
const NO_SCORE: i16 = i16::MIN;
const NO_RESULT: u16 = u16::MAX;

/// What a result of 1 is while it waits: even, so that a draw is a whole number too.
const WON: f32 = (u16::MAX - 1) as f32;

/// A label whose parts are not mixed yet, in the place where it is going to be.
fn unmixed(label: Label) -> f32 {
    let result = label.result.map_or(NO_RESULT, |result| (result * WON).round() as u16);
    f32::from_bits(u32::from(result) << 16 | u32::from(label.score.unwrap_or(NO_SCORE) as u16))
}

/// Its result and its score.
fn parts_of(unmixed: f32) -> (Option<f32>, i16) {
    let (result, score) = ((unmixed.to_bits() >> 16) as u16, unmixed.to_bits() as u16 as i16);
    ((result != NO_RESULT).then(|| f32::from(result) / WON), score)
}

/// What is known of one file's labels before they are mixed. They wait in the stores.
struct FileLabels {
    /// `// [train, hold-out, report]` how many positions there are
    positions: [usize; 3],
    /// `// [score - i16::MIN]` the results that go with each score
    results: Vec<Group>,
    scored: u64,
    bad: u64,
    viewpoint: Viewpoint,
}

/// The place of a score in a table of all of them.
fn place_of(score: i16) -> usize {
    (i32::from(score) - i32::from(i16::MIN)) as usize
}

impl FileLabels {
    fn new() -> FileLabels {
        FileLabels {
            positions: [0; 3],
            results: vec![Group::default(); 1 << 16],
            scored: 0,
            bad: 0,
            viewpoint: Viewpoint::default(),
        }
    }

    /// Takes note of a label; answers with what the store is to keep for now.
    fn take(&mut self, label: Label, part: Part) -> f32 {
        self.positions[part as usize] += 1;
        if let Some(score) = label.score {
            self.scored += 1;
            if let Some(result) = label.result.map(f64::from) {
                let group = &mut self.results[place_of(score)];
                group.number += 1.0;
                group.labels += result;
                group.squares += result * result;
            }
        }
        unmixed(label)
    }

    fn summary(&mut self, name: String, options: &LoadOptions) -> FileSummary {
        let mut groups = std::mem::take(&mut self.results);
        for (group, score) in groups.iter_mut().zip(i16::MIN..=i16::MAX) {
            group.value = f64::from(score);
        }
        groups.retain(|group| group.number > 0.0);
        let with_both: f64 = groups.iter().map(|group| group.number).sum();
        let needed = self.scored > 0 && (options.lambda < 1.0 || with_both < self.scored as f64);
        let score_k = needed.then(|| {
            // A negative K is caught as a wrong point of view; here it would only turn labels round.
            let fitted = || Sigmoid::fit_groups(&groups).map(|fitted| fitted.k).filter(|&k| k > 0.0);
            options.score_k.or_else(fitted).unwrap_or(DEFAULT_K)
        });
        let positions = self.positions.iter().map(|&number| number as u64).sum();
        FileSummary { name, positions, bad: self.bad, scored: self.scored, score_k }
    }
}

/// The stores being filled.
struct Loading {
    workshop: Workshop,
    train: Store,
    holdout: Store,
    report: Store,
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
            spread: columns.spread_scores(&weights.side(Color::White).to_vec()),
            book: Arc::new(Codebook::learn(std::iter::empty())),
            options: options.clone(),
        };
        let rows = Worker::new(&workshop).first_rows(first);
        workshop.book = Arc::new(Codebook::learn(rows.iter().map(Vec::as_slice)));
        let store = || Store::new(columns.clone(), workshop.book.clone());
        let (train, holdout, report) = (store(), store(), store());
        Loading { workshop, train, holdout, report, label_range: (1.0, 0.0), games_known: false }
    }

    fn take(&mut self, block: &ParsedBlock, file: &mut FileLabels) {
        let mut bytes = block.bytes.as_slice();
        for position in &block.positions {
            let (own, rest) = bytes.split_at(usize::from(position.length));
            bytes = rest;
            let label = file.take(position.label, position.part);
            let store = match position.part {
                Part::Train => &mut self.train,
                Part::Holdout => &mut self.holdout,
                Part::Report => &mut self.report,
            };
            store.push(own, label);
            self.games_known |= position.game_known;
        }
    }

    /// Gives the positions of a file that was read to its end their labels: the score's expectation and the
    /// result, mixed where both are known.
    fn label(&mut self, file: FileLabels, summary: &FileSummary, lambda: f64) {
        let sigmoid = Sigmoid { k: summary.score_k.unwrap_or(DEFAULT_K) };
        let expected: Vec<f32> =
            (i16::MIN..=i16::MAX).map(|score| sigmoid.expected(f64::from(score)) as f32).collect();
        let stores = [&mut self.train, &mut self.holdout, &mut self.report];
        for (store, positions) in stores.into_iter().zip(file.positions) {
            store.relabel(store.len() - positions, |unmixed| {
                let (result, score) = parts_of(unmixed);
                let expected = expected[place_of(score)];
                let label = match (result, score == NO_SCORE) {
                    (Some(result), false) => lambda as f32 * result + (1.0 - lambda as f32) * expected,
                    (Some(result), true) => result,
                    (None, false) => expected,
                    (None, true) => 0.5,
                };
                self.label_range = (self.label_range.0.min(label), self.label_range.1.max(label));
                label
            });
        }
    }
}

/// What all workers share.
struct Workshop {
    columns: Arc<Columns>,
    weights: Arc<Weights>,
    /// `// [column]` those weights
    spread: Box<[Score; TABLE]>,
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

impl ParsedBlock {
    /// An empty one with room for what is likely to come, so that nothing moves while it grows.
    fn for_block(block: &Block) -> ParsedBlock {
        let size = block.bytes.len();
        ParsedBlock {
            bytes: Vec::with_capacity(size + size / 2),
            positions: Vec::with_capacity(size / 48),
            ..ParsedBlock::default()
        }
    }
}

struct ParsedPosition {
    length: u16,
    part: Part,
    game_known: bool,
    label: Label,
}

/// One thread's tools, used again for every position.
struct Worker<'a> {
    workshop: &'a Workshop,
    tracer: Tracer,
    row: RowParts,
    /// The bytes of a row.
    written: Box<[u8; LONGEST_WRITTEN]>,
}

/// More than the bytes that any row may have.
const LONGEST_WRITTEN: usize = (PARTS + 1) * LONGEST_PART;

impl Worker<'_> {
    fn new(workshop: &Workshop) -> Worker<'_> {
        Worker {
            workshop,
            tracer: Tracer::new(),
            row: RowParts::new(),
            written: Box::new([0; LONGEST_WRITTEN]),
        }
    }

    /// The first rows of a block, bad lines left out.
    fn first_rows(&mut self, block: &Block) -> Vec<Vec<Entry>> {
        let mut rows = Vec::new();
        let mut records = Records::new(block);
        while let Some((_, record)) = records.next_record() {
            if rows.len() == LEARNED_FROM {
                break;
            }
            if let Ok(found) = record {
                let Workshop { columns, weights, .. } = self.workshop;
                self.row.clear();
                let (tracer, row) = (&mut self.tracer, &mut self.row);
                tracer.listen(found.board, weights, Sight::Differences, |sheet, counted| {
                    row.take(columns, sheet, counted)
                });
                row.finish();
                rows.push(row.row());
            }
        }
        rows
    }

    #[inline(always)]
    fn take<const WIDE: bool>(&mut self, found: &Found, parsed: &mut ParsedBlock) -> Result<(), String> {
        let workshop = self.workshop;
        let options = &workshop.options;
        let board = found.board;
        let white_to_move = board.side_to_move() == Color::White;
        let label = match found.game {
            // Packed labels are White's already.
            Some(_) => found.label,
            None => found.label.for_white(white_to_move, options.results, options.scores),
        };
        let traced = self.trace::<WIDE>(board);
        let Traced { heard, bank, lengths, .. } = &traced;
        let length: usize = lengths.iter().sum();
        if lengths.iter().any(|&length| length > LONGEST_PART) {
            return Err(format!("a row of {length} bytes is longer than the tuner keeps"));
        }
        let read_back = parsed.positions.len().is_multiple_of(READ_BACK);
        if let Err(error) = self.check(board, &traced, read_back) {
            parsed.trace_error.get_or_insert(error);
        }
        let begin = parsed.bytes.len();
        write_head(*lengths, heard.phase, *bank, heard.ending, &mut parsed.bytes);
        parsed.bytes.extend_from_slice(&self.written[..length]);
        parsed.viewpoint.look(white_to_move, material_white(board), label);
        let which = found.game.map_or(board.key(), |game| splitmix(u64::from(game)));
        parsed.positions.push(ParsedPosition {
            length: (parsed.bytes.len() - begin) as u16,
            part: Part::of(which, options.seed, options.holdout, options.report),
            game_known: found.game.is_some(),
            label,
        });
        Ok(())
    }

    /// Evaluates a board, and writes what was counted.
    #[inline(always)]
    fn trace<const WIDE: bool>(&mut self, board: &Board) -> Traced {
        let Workshop { columns, weights, book, spread, .. } = self.workshop;
        let (tracer, row, written) = (&mut self.tracer, &mut self.row, &mut *self.written);
        let mut groups = [Score::ZERO; GROUPS];
        let (mut at, mut before, mut linear) = (0, 0, Score::ZERO);
        row.clear();
        // Linear columns come in order and are the first part: they are written at once.
        let heard = tracer.listen(board, weights, Sight::Differences, |sheet, counted| {
            let place = columns.place(counted.index);
            if place.apart != 0 {
                return row.take_other(place, counted);
            }
            if let Some(partner) = place.partner {
                row.take_partner(columns, sheet, counted, partner);
            }
            let net = counted.white - counted.black;
            at = book.write(place.column - before, net, written, at);
            before = place.column;
            linear += spread[(row.bank().first() + usize::from(place.column)) % TABLE] * i32::from(net);
        });
        row.finish();
        groups[0] = linear;
        let mut lengths = [0; PARTS];
        lengths[0] = at;
        for (part, length) in lengths.iter_mut().enumerate().skip(1) {
            let begin = at;
            for &(column, count) in row.part(part) {
                at = book.write(column - before, count, written, at);
                before = column;
                groups[columns.group(column)] += spread[usize::from(column) % TABLE] * i32::from(count);
            }
            *length = at - begin;
        }
        Traced { heard, bank: row.bank(), lengths, groups }
    }

    /// Whether what was counted, times the weights, gives the evaluation; and, where asked, whether what was
    /// written says the same.
    #[inline(always)]
    fn check(&self, board: &Board, traced: &Traced, read_back: bool) -> Result<(), LoadError> {
        let heard = &traced.heard;
        let value = |groups| Columns::counted_sums(groups).assemble(heard.phase, heard.ending).value_white;
        let mut reconstructed = value(&traced.groups);
        if read_back {
            let groups = self.sums_written(traced.bank, traced.lengths.iter().sum());
            if groups != traced.groups {
                reconstructed = value(&groups);
            }
        }
        let evaluated = heard.value_white;
        if (evaluated - reconstructed).abs() > AGREEMENT {
            return Err(LoadError::TraceDisagrees { fen: board.fen(), evaluated, reconstructed });
        }
        Ok(())
    }

    /// What the written bytes add up to.
    fn sums_written(&self, bank: Bank, length: usize) -> [Score; GROUPS] {
        let Workshop { columns, book, spread, .. } = self.workshop;
        let mut groups = [Score::ZERO; GROUPS];
        let mut column = bank.first();
        for &byte in &self.written[..length] {
            column += book.gap(byte);
            groups[columns.group(column as u16)] += spread[column % TABLE] * (book.count(byte) as i32);
        }
        groups
    }
}

/// A block to be parsed.
struct Parse<'a, 'w> {
    worker: &'a mut Worker<'w>,
    block: &'a Block,
}

impl Work for Parse<'_, '_> {
    type Output = ParsedBlock;

    #[inline(always)]
    fn run<const WIDE: bool>(self) -> ParsedBlock {
        let mut parsed = ParsedBlock::for_block(self.block);
        let mut records = Records::new(self.block);
        while let Some((line, record)) = records.next_record() {
            let taken = match record {
                Ok(found) => self.worker.take::<WIDE>(&found, &mut parsed),
                Err(reason) => Err(reason),
            };
            if let Err(reason) = taken {
                parsed.bad.push((line, reason));
            }
        }
        parsed.lines = records.number;
        parsed
    }
}

/// An evaluation that was listened to and written down.
struct Traced {
    heard: Heard,
    /// The bank of the row's columns.
    bank: Bank,
    /// `// [part]` of the row as it was written
    lengths: [usize; PARTS],
    /// `// [group]` counts times weights
    groups: [Score; GROUPS],
}

/// White's pieces less Black's, in pawns of the old textbooks.
fn material_white(board: &Board) -> i32 {
    let count = |color, kind| board.pieces(color, kind).count() as i32;
    let pieces = PieceType::ALL.into_iter().zip([1, 3, 3, 5, 9]);
    pieces.map(|(kind, worth)| worth * (count(Color::White, kind) - count(Color::Black, kind))).sum()
}

/// A position with what is said about it.
struct Found<'a> {
    board: &'a Board,
    label: Label,
    game: Option<u32>,
}

/// The lines or packed positions of a block, one after the other. Empty lines and lines that begin with # are none.
struct Records<'a> {
    content: Content,
    bytes: &'a [u8],
    /// The same as text, if all of it is text: most often it is, and that is quickly seen.
    text: Option<&'a str>,
    /// Where the next one begins.
    begin: usize,
    /// How many there were.
    number: u64,
    board: Board,
}

impl<'a> Records<'a> {
    fn new(block: &'a Block) -> Records<'a> {
        let text = match block.content {
            Content::Lines => std::str::from_utf8(&block.bytes).ok(),
            Content::Packed => None,
        };
        let (content, bytes, board) = (block.content, block.bytes.as_slice(), Board::start());
        Records { content, bytes, text, begin: 0, number: 0, board }
    }

    /// The next one with its number, from 1. (No iterator: there is one board for all of them.)
    #[inline(always)]
    fn next_record(&mut self) -> Option<(u64, Result<Found<'_>, String>)> {
        if self.content == Content::Packed {
            return self.next_packed();
        }
        while self.begin < self.bytes.len() {
            let rest = &self.bytes[self.begin..];
            let end = self.begin + memchr::memchr(b'\n', rest).unwrap_or(rest.len());
            self.number += 1;
            let line = match self.text {
                Some(text) => Ok(&text[self.begin..end]),
                None => std::str::from_utf8(&self.bytes[self.begin..end])
                    .map_err(|_| "not text (UTF-8)".to_owned()),
            };
            self.begin = end + 1;
            match line.map(str::trim_ascii) {
                Ok(line) if line.is_empty() || line.starts_with('#') => {}
                Ok(line) => return Some((self.number, read_line(line, &mut self.board))),
                Err(reason) => return Some((self.number, Err(reason))),
            }
        }
        None
    }

    #[inline(never)]
    fn next_packed(&mut self) -> Option<(u64, Result<Found<'_>, String>)> {
        let packed = self.bytes[self.begin..].first_chunk::<{ PackedPosition::SIZE }>()?;
        self.begin += PackedPosition::SIZE;
        self.number += 1;
        let unpacked = PackedPosition::unpack(packed).map_err(|error| error.to_string());
        let found = unpacked.map(|(board, label, game, _)| {
            self.board = board;
            Found { board: &self.board, label, game: Some(game) }
        });
        Some((self.number, found))
    }
}

#[inline(always)]
fn read_line<'a>(line: &str, board: &'a mut Board) -> Result<Found<'a>, String> {
    let operations = board.set_to_front_of(line).map_err(|error| error.to_string())?;
    let label = Label::parse(operations).map_err(|error| error.to_string())?;
    Ok(Found { board, label, game: None })
}

/// The same for equal positions (or positions of one game), so that none is on both sides.
/// What positions are for; those of one game for the same.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Part {
    Train,
    Holdout,
    Report,
}

impl Part {
    fn of(which: u64, seed: u64, holdout: f64, report: f64) -> Part {
        let lot = splitmix(which ^ splitmix(seed)) as f64;
        match u64::MAX as f64 {
            all if lot < holdout * all => Part::Holdout,
            all if lot < (holdout + report) * all => Part::Report,
            _ => Part::Train,
        }
    }
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
        const KINGS: &str = "4k3/8/8/8/8/8/8/4K3 w - -";
        for (rest, clocks) in
            [(" c9 \"1-0\";", ""), (" [0.0]", " 0 3"), (";w", ""), (";d", " 0 1"), (" 1-0", " 7 1")]
        {
            let line = format!("{KINGS}{clocks}{rest}");
            let mut board = Board::start();
            assert_eq!(board.set_to_front_of(&line), Ok(rest), "{line}");
            assert_eq!(board, Board::from_fen(&format!("{KINGS}{clocks}")).expect("a position"), "{line}");
        }
        for line in ["8/8/8", "", "4k3/8/8/8/8/8/8/4K3 w -;w"] {
            assert!(read_line(line, &mut Board::start()).is_err(), "{line}");
        }
    }

    #[test]
    fn a_tenth_is_held_out_whatever_the_seed() {
        for seed in 0..4 {
            let parts = |wanted: Part| {
                (0..100_000u64).filter(|&which| Part::of(splitmix(which), seed, 0.1, 0.05) == wanted).count()
            };
            let (held, reported) = (parts(Part::Holdout), parts(Part::Report));
            assert!(
                (9_500..10_500).contains(&held) && (4_700..5_300).contains(&reported),
                "{held} {reported}"
            );
        }
        assert!((0..1_000).all(|which| Part::of(which, 1, 0.0, 0.0) == Part::Train));
    }

    #[test]
    fn kings_on_opposite_wings_are_evaluated_from_one_entry_a_square() {
        let lines = "r4rk1/pppn1qbp/3p2p1/3Pnp2/2P1p3/2N1B2P/PP1QBPP1/2KR3R w - - [1.0]\n\
                     2kr3r/1pqnbppp/p2ppn2/6B1/3NPP2/2N2Q2/PPP3PP/R4RK1 b - - [0.0]\n\
                     r4rk1/pppn1qbp/3p2p1/3Pnp2/2P1p3/2N1B2P/PP1QBPP1/R4RK1 w - - [0.5]\n";
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("apart.epd");
        std::fs::write(&path, lines).expect("a file");
        let mut params = EvalParams::default();
        for (place, weight) in params.psqt_apart.as_flattened_mut().iter_mut().enumerate() {
            *weight = Score::new(place as i32 % 37 - 20, place as i32 % 23 - 11);
        }
        let options = LoadOptions { holdout: 0.0, ..LoadOptions::default() };
        // Loading compares what was written with the evaluation.
        let data = load(std::slice::from_ref(&path), &params, &options).expect("positions");
        let values = crate::objective::Objective::values(&data.train, &crate::starts::pairs(&params));
        for (line, value) in lines.lines().zip(values) {
            let board = Board::from_epd(line.split(" [").next().unwrap_or("")).expect("a position").board;
            let evaluated = engine::eval::evaluate_white(&board, &Weights::new(&params)) as f32;
            assert!((evaluated - value).abs() < 3.0, "{line}: {evaluated} {value}");
        }
        let lengths: Vec<usize> = lines
            .lines()
            .map(|line| {
                let mut board = Board::start();
                board.set_to_front_of(line).expect("a position");
                let (columns, weights) = (Columns::new(), Weights::new(&params));
                let mut row = RowParts::new();
                Tracer::new().listen(&board, &weights, Sight::Differences, |sheet, counted| {
                    row.take(&columns, sheet, counted)
                });
                row.finish();
                assert_eq!(row.bank() == Bank::Paired, !line.ends_with("[0.5]"), "{line}");
                row.row().len()
            })
            .collect();
        assert!(lengths.iter().all(|&length| length < 100), "{lengths:?}");
    }
}
