//! What the search found, as the protocol's `info` lines.

use std::fmt::Write;
use std::time::{Duration, Instant};

use super::output::Output;
use crate::board::Board;
use crate::search::{Bound, Handler, SearchReport, SearchResult};
use crate::tools::nodes_per_second;
use crate::types::{Move, Value, value};

/// Before this, a search that fails high or low does not say so: at short time controls such lines
/// are most of the traffic and are out of date before anyone has read them.
const BOUNDS_AFTER: Duration = Duration::from_millis(1000);

/// Before this, nobody wants to know which root move is being looked at.
const CURRENT_MOVE_AFTER: Duration = Duration::from_secs(3);

/// Turns reports into lines.
pub struct Reporter {
    /// The root; moves along a line are made on it and taken back.
    board: Board,
    chess960: bool,
    show_wdl: bool,
    output: Output,
    started: Instant,
    said_anything: bool,
}

impl Reporter {
    /// A reporter for one search from this root.
    pub fn new(board: Board, chess960: bool, show_wdl: bool, output: Output) -> Reporter {
        Reporter { board, chess960, show_wdl, output, started: Instant::now(), said_anything: false }
    }

    /// The `info` line of a report.
    pub fn info_line(&mut self, report: &SearchReport) -> String {
        let mut line = format!(
            "info depth {} seldepth {} multipv {} score {}",
            report.depth,
            report.seldepth.max(report.depth),
            report.multipv,
            score_text(report.score)
        );
        line += match report.bound {
            Bound::Exact | Bound::None => "",
            Bound::Lower => " lowerbound",
            Bound::Upper => " upperbound",
        };
        if self.show_wdl {
            let Wdl { win, draw, loss } = Wdl::of(report.score);
            // Writing to a String cannot fail.
            let _ = write!(line, " wdl {win} {draw} {loss}");
        }
        let _ = write!(
            line,
            " nodes {} nps {} hashfull {} tbhits {} time {}",
            report.nodes,
            nodes_per_second(report.nodes, report.time),
            report.hashfull.min(1000),
            report.tbhits,
            report.time.as_millis()
        );
        if !report.pv.is_empty() {
            line += " pv";
            self.write_moves(&mut line, &report.pv);
        }
        line
    }

    /// The closing line of a search. A position without a legal move gets `(none)`, and before it a
    /// score, if the search has not given one.
    pub fn closing_line(&self, result: &SearchResult) -> String {
        let Some(best) = result.best else {
            if !self.said_anything {
                self.output.line(format_args!("info depth 0 score {}", score_text(result.score)));
            }
            return "bestmove (none)".to_string();
        };
        let mut line = format!("bestmove {}", self.board.uci(best, self.chess960));
        if let Some(ponder) = result.ponder {
            let mut after = self.board.clone();
            after.make(best);
            // A ponder move taken from a table may belong to another position with the same slot.
            if after.is_legal(ponder) {
                line += " ponder ";
                line += &after.uci(ponder, self.chess960);
            }
        }
        line
    }

    /// Writes the moves of a line, as far as they are legal: its tail may come from a hash table.
    fn write_moves(&mut self, line: &mut String, moves: &[Move]) {
        let mut made = 0;
        for &m in moves {
            if !self.board.is_legal(m) {
                break;
            }
            line.push(' ');
            line.push_str(&self.board.uci(m, self.chess960));
            self.board.make(m);
            made += 1;
        }
        for _ in 0..made {
            self.board.unmake();
        }
    }
}

impl Handler for Reporter {
    fn report(&mut self, report: &SearchReport) {
        if matches!(report.bound, Bound::Lower | Bound::Upper) && report.time < BOUNDS_AFTER {
            return;
        }
        let line = self.info_line(report);
        self.output.line(line);
        self.said_anything = true;
    }

    fn current_move(&mut self, depth: u32, m: Move, number: u32) {
        if self.started.elapsed() >= CURRENT_MOVE_AFTER {
            let name = self.board.uci(m, self.chess960);
            self.output.line(format_args!("info depth {depth} currmove {name} currmovenumber {number}"));
        }
    }

    fn fewer_threads(&mut self, asked: usize, got: usize) {
        self.output.info(format_args!(
            "Threads: the system gave {got} of {asked} threads; set Threads to {got} to be rid of this message"
        ));
    }
}

/// A score as the protocol writes it: centipawns, or whole moves to mate (negative when the side to
/// move is the one that is mated).
pub fn score_text(score_stm: Value) -> String {
    if !value::is_mate(score_stm) {
        return format!("cp {score_stm}");
    }
    let moves =
        if score_stm > 0 { (value::MATE - score_stm + 1) / 2 } else { -((value::MATE + score_stm) / 2) };
    format!("mate {moves}")
}

/// How a game goes from here, in thousandths, for the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wdl {
    /// Won.
    pub win: u32,
    /// Drawn.
    pub draw: u32,
    /// Lost.
    pub loss: u32,
}

/// The model behind `UCI_ShowWDL`, and all its constants.
///
/// With `s` the score in centipawns for one side, that side wins with probability
/// `1 / (1 + exp((HALF - s) / SPREAD))`; it loses with the probability that the other side, whose score
/// is `-s`, wins; the rest is drawn. `HALF` is thus the score that wins every second game, and
/// `SPREAD` says how fast the chances change around it.
///
/// The two numbers are **estimates, not fitted**: at 0.00 they give 60% draws, at +1.00 42% wins. They
/// are to be fitted by maximum likelihood from (score, result) pairs of self-play games once there are
/// some; nothing but the printed `wdl` depends on them.
impl Wdl {
    /// Centipawns at which every second game is won.
    const HALF: f64 = 130.0;
    /// Centipawns over which the odds change by a factor e.
    const SPREAD: f64 = 94.0;

    /// The model's answer for a score.
    pub fn of(score_stm: Value) -> Wdl {
        if value::is_decided(score_stm) {
            let won = score_stm > 0;
            return Wdl { win: 1000 * u32::from(won), draw: 0, loss: 1000 * u32::from(!won) };
        }
        let chance = |score: f64| 1.0 / (1.0 + ((Wdl::HALF - score) / Wdl::SPREAD).exp());
        let score = f64::from(score_stm);
        let win = (1000.0 * chance(score)).round() as u32;
        let loss = (1000.0 * chance(-score)).round() as u32;
        Wdl { win, draw: 1000u32.saturating_sub(win + loss), loss }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reporter(fen: &str, chess960: bool, show_wdl: bool) -> Reporter {
        let board = Board::from_fen(fen).expect("a test position");
        Reporter::new(board, chess960, show_wdl, Output::new(std::io::sink()))
    }

    fn report(score: Value, bound: Bound, pv: Vec<Move>) -> SearchReport {
        SearchReport {
            depth: 12,
            seldepth: 20,
            multipv: 1,
            score,
            bound,
            nodes: 3_000_000,
            hashfull: 7,
            tbhits: 2,
            time: Duration::from_millis(1500),
            pv,
        }
    }

    const CASTLING: &str = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";

    #[test]
    fn a_whole_line() {
        let mut reporter = reporter(CASTLING, false, true);
        let castle = reporter.board.parse_uci("e1g1").expect("legal");
        let line = reporter.info_line(&report(0, Bound::Lower, vec![castle]));
        let Wdl { win, draw, loss } = Wdl::of(0);
        let expected = format!(
            "info depth 12 seldepth 20 multipv 1 score cp 0 lowerbound wdl {win} {draw} {loss} \
             nodes 3000000 nps 2000000 hashfull 7 tbhits 2 time 1500 pv e1g1"
        );
        assert_eq!(line, expected);
    }

    #[test]
    fn castling_is_written_as_the_option_says() {
        let mut reporter = reporter(CASTLING, true, false);
        let castle = reporter.board.parse_uci("e1g1").expect("legal");
        let line = reporter.info_line(&report(15, Bound::Exact, vec![castle]));
        assert!(line.ends_with(" pv e1h1"), "{line}");
    }

    #[test]
    fn a_line_stops_before_an_illegal_move_and_the_board_comes_back() {
        let mut reporter = reporter(CASTLING, false, false);
        let before = reporter.board.clone();
        let castle = reporter.board.parse_uci("e1g1").expect("legal");
        let line = reporter.info_line(&report(15, Bound::Exact, vec![castle, castle]));
        assert!(line.ends_with(" pv e1g1"), "{line}");
        assert!(reporter.board == before);
    }

    #[test]
    fn mates_are_counted_in_moves() {
        assert_eq!(score_text(value::mate_in(1)), "mate 1");
        assert_eq!(score_text(value::mate_in(2)), "mate 1");
        assert_eq!(score_text(value::mate_in(3)), "mate 2");
        assert_eq!(score_text(value::mated_in(0)), "mate 0");
        assert_eq!(score_text(value::mated_in(2)), "mate -1");
        assert_eq!(score_text(value::mated_in(4)), "mate -2");
        assert_eq!(score_text(-35), "cp -35");
        assert_eq!(score_text(value::TB_WIN - 3), "cp 29997");
    }

    #[test]
    fn chances_add_up_grow_and_mirror() {
        let mut last = 0;
        for score in (-3000..=3000).step_by(25) {
            let (here, mirrored) = (Wdl::of(score), Wdl::of(-score));
            assert_eq!(here.win + here.draw + here.loss, 1000, "at {score}");
            assert_eq!((here.win, here.loss), (mirrored.loss, mirrored.win), "at {score}");
            assert!(here.win >= last, "at {score}");
            last = here.win;
        }
        assert_eq!(Wdl::of(value::mate_in(5)), Wdl { win: 1000, draw: 0, loss: 0 });
        assert_eq!(Wdl::of(value::mated_in(4)), Wdl { win: 0, draw: 0, loss: 1000 });
    }
}
