//! Iterative deepening: each depth orders the moves of the next, and there is always a move to play.

use super::params::Numbers;
use super::thread::Thread;
use super::time::Progress;
use super::{Bound, SearchReport};
use crate::types::{MAX_PLY, Value, value};

/// A search of so many nodes takes seconds: from here on users see every step of it.
const REPORT_AT_ONCE: u64 = 3_000_000;

impl<P: Numbers> Thread<'_, P> {
    /// Searches deeper and deeper until a limit.
    pub(super) fn deepen(&mut self) {
        if self.root_moves.is_empty() {
            return;
        }
        let limits = self.shared.limits;
        let max_depth = limits.depth.unwrap_or(u32::MAX).clamp(1, MAX_PLY as u32 - 4);
        let lines = self.shared.options.multipv.clamp(1, self.root_moves.len());
        let mut stable_iterations = 0;
        let mut last_best = None;
        let mut average_score: Option<Value> = None;

        for depth in 1..=max_depth {
            // Helpers spread out over depths, so that they fill the table ahead of the main thread.
            if self.index > 0 && depth > 1 && (depth as usize + self.index).is_multiple_of(3 + self.index % 3)
            {
                continue;
            }
            self.root_depth = depth as i32;
            for root in &mut self.root_moves {
                root.previous_score = root.score;
            }
            for line in 0..lines {
                self.begin_line(line);
                self.seldepth = 0;
                self.search_with_window(depth);
                if self.must_stop() {
                    break;
                }
                // A later line may turn out better than an earlier one.
                self.root_moves[..=line].sort_by_key(|root| std::cmp::Reverse((root.table_rank, root.score)));
                if line + 1 == lines || self.nodes > REPORT_AT_ONCE {
                    (0..=line).for_each(|line| self.report(line));
                }
            }
            self.publish_nodes();
            if self.must_stop() {
                break;
            }
            self.finished_depth = depth;
            if self.index > 0 {
                continue;
            }

            let best = &self.root_moves[0];
            stable_iterations = if last_best == Some(best.m) { stable_iterations + 1 } else { 0 };
            last_best = Some(best.m);
            let score = best.score;
            let progress = Progress {
                stable_iterations,
                score_drop: average_score.map_or(0, |average| average - score),
                best_move_share: best.nodes as f64 / self.nodes.max(1) as f64,
            };
            average_score = Some(average_score.map_or(score, |average| (average + score) / 2));

            if limits.mate.is_some_and(|moves| value::MATE - score <= 2 * moves as Value) {
                break;
            }
            if limits.soft_nodes.is_some_and(|soft| self.shared.nodes() >= soft) {
                break;
            }
            if !self.shared.untimed() && self.shared.limits.clock.is_some() {
                // With one legal move, or one that keeps the result, there is nothing to find out.
                if self.shared.time.enough(self.params, &progress) || (lines == 1 && self.line_end == 1) {
                    break;
                }
            }
        }
        self.line_index = 0;
        self.publish_nodes();
    }

    /// Searches one depth in a narrow window around the last score, and widens it until the score
    /// falls inside: most of the time the first guess is right, and a narrow window cuts more.
    fn search_with_window(&mut self, depth: u32) {
        let guess = self.root_moves[self.line_index].previous_score;
        let mut delta = self.params.aspiration_window();
        let (mut alpha, mut beta) = if depth as i32 >= self.params.aspiration_depth()
            && guess != -value::INFINITE
            && !value::is_decided(guess)
        {
            ((guess - delta).max(-value::INFINITE), (guess + delta).min(value::INFINITE))
        } else {
            (-value::INFINITE, value::INFINITE)
        };
        let mut depth = depth as i32;
        loop {
            let score = self.search_root(alpha, beta, depth.max(1));
            let competing = self.line_index..self.line_end;
            self.root_moves[competing].sort_by_key(|root| std::cmp::Reverse(root.score));
            if self.must_stop() {
                return;
            }
            if score <= alpha {
                // Everything is worse than hoped: look below, at full depth.
                beta = (alpha + beta) / 2;
                alpha = (score - delta).max(-value::INFINITE);
                depth = self.root_depth;
            } else if score >= beta {
                // Better than hoped: look above, a little shallower since the move is good anyway.
                beta = (score + delta).min(value::INFINITE);
                depth = (depth - 1).max(self.root_depth - 3);
            } else {
                return;
            }
            if self.nodes > REPORT_AT_ONCE {
                self.report(self.line_index);
            }
            delta += delta * self.params.aspiration_growth() / 100 + 4;
            if delta > self.params.aspiration_open() {
                (alpha, beta) = (-value::INFINITE, value::INFINITE);
            }
        }
    }

    fn report(&mut self, line: usize) {
        if self.handler.is_none() {
            return;
        }
        self.publish_nodes();
        let root = &self.root_moves[line];
        let (score, bound) = if root.score == -value::INFINITE {
            (root.previous_score, Bound::Exact)
        } else {
            (root.score, root.bound)
        };
        let report = SearchReport {
            depth: self.root_depth as u32,
            seldepth: root.seldepth,
            multipv: line as u32 + 1,
            score: root.told(score),
            bound,
            nodes: self.shared.nodes(),
            hashfull: self.shared.table.permille_full(),
            tbhits: self.shared.tables.hits(),
            time: self.shared.time.elapsed(),
            pv: root.pv.clone(),
        };
        if let Some(handler) = &mut self.handler {
            handler.report(&report);
        }
    }
}
