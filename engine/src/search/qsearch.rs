//! Quiescence: captures, promotions, evasions and, at its first ply, checks until the static evaluation can be trusted.

use super::history::taken_kind;
use super::params::Numbers;
use super::pick::Picker;
use super::thread::Thread;
use crate::board::{Board, EXCHANGE_VALUES};
use crate::tt::{Bound, Entry};
use crate::types::{Move, MoveList, Value, value};

/// The quiet checks of a position, generated when the captures are through.
struct QuietChecks {
    wanted: bool,
    list: Option<MoveList>,
    tried: usize,
}

impl QuietChecks {
    fn next(&mut self, board: &Board) -> Option<Move> {
        if !self.wanted {
            return None;
        }
        let list = self.list.get_or_insert_with(|| {
            let mut list = MoveList::new();
            board.quiet_checks(&mut list);
            list
        });
        let m = list.get(self.tried).copied();
        self.tried += 1;
        m
    }
}

impl<P: Numbers> Thread<'_, P> {
    /// The value of the node within the window once the captures are played out. `checks`: quiet checks are tried
    /// as well, as at the first ply.
    pub(super) fn quiesce<const PV: bool>(
        &mut self,
        mut alpha: Value,
        beta: Value,
        ply: usize,
        checks: bool,
    ) -> Value {
        // What saw no checks is worth less to the table.
        let depth = if checks || self.params.qs_checks() == 0 { 0 } else { -1 };
        if PV {
            self.frame(ply).pv.clear();
            self.seldepth = self.seldepth.max(ply + 1);
        }
        if self.must_stop() {
            return value::DRAW;
        }
        let in_check = self.board.in_check();
        // The book ends where captures begin.
        self.frame(ply).in_book = false;

        // Step 1. Draws by rule or by force, and lines too long to follow.
        if let Some(v) = self.settled(&mut alpha, beta, ply, in_check) {
            return v;
        }

        // Step 2. What the table knows.
        let key = self.board.key();
        let stored = self.shared.table.probe(key, ply);
        let table_value = stored.filter(|entry| entry.bound != Bound::None).map(|entry| entry.value);
        if !PV
            && let (Some(entry), Some(v)) = (&stored, table_value)
            && entry.depth >= depth
            && (if v >= beta { entry.bound.is_lower() } else { entry.bound.is_upper() })
        {
            return v;
        }
        let was_pv = PV || stored.is_some_and(|entry| entry.was_pv);

        // Step 3. Standing pat: nobody is forced to capture.
        let mut best = -value::INFINITE;
        let mut raw_eval = value::NONE;
        let mut futility = -value::INFINITE;
        if !in_check {
            raw_eval = match stored {
                Some(entry) if entry.eval != value::NONE => entry.eval,
                _ => self.evaluate(),
            };
            best = self.correct(raw_eval, self.correction(ply));
            if self.frame_before(ply, 1).leads_into_book()
                && let Some((opinion, _)) = self.consult_experience(None)
            {
                best = opinion.blend(best);
            }
            futility = best + self.params.qs_futility();
            if let (Some(entry), Some(v)) = (&stored, table_value)
                && !value::is_decided(v)
                && (if v > best { entry.bound.is_lower() } else { entry.bound.is_upper() })
            {
                best = v;
            }
            if best >= beta {
                if stored.is_none() {
                    let bound = Bound::Lower;
                    // Checks could only raise it.
                    let entry = Entry { best: None, value: best, eval: raw_eval, depth: 0, bound, was_pv };
                    self.shared.table.store(key, ply, entry);
                }
                return best;
            }
            alpha = alpha.max(best);
        }

        // Step 4. Captures and promotions; in check every move.
        let table_move = stored
            .and_then(|entry| entry.best)
            .filter(|&m| (in_check || m.is_tactical()) && self.board.is_legal(m));
        let mut picker = if in_check {
            Picker::new(self.shared.table, table_move, [None; 2], None)
        } else {
            Picker::tacticals(self.shared.table, table_move, -self.params.qs_see())
        };
        let hints = self.quiet_hints(ply);
        let mut best_move = None;
        let mut bound = Bound::Upper;
        let mut any = false;
        let mut quiets = 0;
        let mut check_info = None;
        let mut quiet_checks = QuietChecks { wanted: checks && !in_check, list: None, tried: 0 };
        loop {
            let m = picker.next(&self.board, &self.memory.histories, &hints);
            let Some(m) = m.or_else(|| quiet_checks.next(&self.board)) else { break };
            any = true;
            if best > -value::TB_WIN_IN_MAX {
                if in_check {
                    // One evasion that holds is enough to know that this is no mate, and a few more tell
                    // what it costs; all quiet ones explode.
                    if m.is_quiet() {
                        if quiets >= self.params.qs_evasions() {
                            picker.skip_quiets();
                            continue;
                        }
                        quiets += 1;
                    }
                } else if futility <= alpha
                    && !m.is_promotion()
                    && !self.board.gives_check(check_info.get_or_insert_with(|| self.board.check_info()), m)
                {
                    // Step 5. Delta: even winning the piece for nothing would not reach alpha.
                    let reach = futility + EXCHANGE_VALUES[taken_kind(&self.board, m).index()];
                    if reach <= alpha {
                        best = best.max(reach);
                        continue;
                    }
                    // The exchange must win something when the evaluation alone does not.
                    if !self.board.see_ge(m, 1) {
                        best = best.max(futility);
                        continue;
                    }
                }
                // Step 6. Losing captures and checks lead nowhere.
                if !self.board.see_ge(m, -self.params.qs_see()) {
                    continue;
                }
            }
            self.make(m, ply);
            let v = -self.quiesce::<PV>(-beta, -alpha, ply + 1, false);
            self.unmake();
            if self.must_stop() {
                return value::DRAW;
            }
            if v > best {
                best = v;
                if v > alpha {
                    best_move = Some(m);
                    if PV {
                        self.update_pv(ply, m);
                    }
                    if v >= beta {
                        bound = Bound::Lower;
                        break;
                    }
                    alpha = v;
                }
            }
        }

        // Step 7. In check without a move: mate.
        if in_check && !any {
            return value::mated_in(ply);
        }
        if best >= beta && !value::is_decided(best) {
            best = (best + beta) / 2;
        }
        let entry = Entry { best: best_move, value: best, eval: raw_eval, depth, bound, was_pv };
        self.shared.table.store(key, ply, entry);
        best
    }
}
