//! What the search makes of the Experience Book: which moves to look at first, and how much of what was
//! learned goes into a value.
//!
//! A node is looked up only where its parent is in the book, so a search that has left the book never asks.
//! The book cuts nothing off and settles nothing: it orders moves, moves the static evaluation of the
//! positions it knows, and, at the root, the values that the search found for the moves it knows.

use super::params::Numbers;
use super::thread::Thread;
use crate::board::Board;
use crate::book::experience::{ExperienceBook, ExperienceEntry, Row};
use crate::eval::endgame::KNOWN_WIN;
use crate::types::{Move, Value, value};

/// So many games weigh as much as the search (or the evaluation) itself.
const KAPPA: Value = 1;
/// Of a position's static evaluation, the book has this many hundredths of its say in a root move's value: the
/// other leaves of a search know nothing of the book, and values must stay comparable.
const INNER_WEIGHT: Value = 10;
/// The book moves a value by no more than this.
const MOST_SHIFT: Value = 300;
/// Scores beyond this say no more than that a side is winning.
const MOST_SCORE: Value = 600;
/// A book knows nothing of the fifty-move count: from here on it is not asked.
const ASKED_BELOW_CLOCK: u16 = 40;
/// What a won game is worth where games are counted ...
const WIN: Value = 400;
/// ... which so many of them are as telling as what the searches thought: how one game ended says next to nothing
/// about its first moves.
const TELLING_GAMES: Value = 100;
/// A move played once is held to be worse than its games say by half of this, one played n times by 1/(n+1).
const CAUTION: Value = 60;
/// A move that was never played is held to be this much worse than the best one that was ...
const NOVELTY: Value = 20;
/// ... with this many hundredths of the certainty that its games would have ...
const NOVELTY_WEIGHT: Value = 75;
/// ... but no more than this is taken off what the search finds: where all that was tried is bad, something new is
/// tried.
const MOST_HELD: Value = 50;
/// Lines are followed as far as one game in so many went that way: a large book must not take
/// more time than a small one ...
const FOLLOWED_SHARE: i64 = 128;
/// ... and at least so many: what came of one lucky game must not speak for all that led to it ...
const FOLLOWED_GAMES: i64 = 4;
/// ... and no further than this.
const FOLLOWED_PLIES: u32 = 60;
/// So many of a node's known moves are tried right after the table move.
const FIRST_MOVES: usize = 4;

/// A search that is deeper than those the book learned from knows more than they did: for each ply beyond so many
/// more, the book's say is halved.
const DEEPER_PLIES: i32 = 1;

/// What the search was told to make of a book by default, in hundredths of its full weight.
pub const DEFAULT_WEIGHT: u32 = 100;

/// The book of one search.
#[derive(Clone, Copy)]
pub(super) struct ExperienceUse<'a> {
    book: Option<&'a ExperienceBook>,
    /// Hundredths.
    weight: Value,
}

/// What was learned about a position or a move: a score and how much it counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Opinion {
    /// For the side to move, or the side that plays the move.
    score: Value,
    /// Its share of a value, in 1024ths.
    share: Value,
    /// A value is raised by no more than this ...
    most_raised: Value,
    /// ... and lowered by no more than this.
    most_lowered: Value,
    /// Of the searches behind it; 0 where none is known, as in other people's games.
    depth: i32,
    /// By how much a value is raised in any case, as a matter of style.
    taste: Value,
}

/// What a move or a position is worth by the games of the book.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Worth {
    /// For the side whose worth it is.
    value: Value,
    /// By so many games.
    games: u32,
    /// Searched to this depth.
    depth: u32,
}

impl Worth {
    /// To the side that plays the move: what the searches thought, and how the games ended.
    fn of(row: &Row) -> Worth {
        let games = row.games.clamp(1, 1 << 16) as Value;
        let thought = row.score().clamp(-MOST_SCORE, MOST_SCORE);
        let balance = i64::from(row.wins) - i64::from(row.losses());
        let ended = (i64::from(WIN) * balance / i64::from(row.games.max(1))) as Value;
        let value = thought + (ended - thought) * games / (games + TELLING_GAMES);
        Worth { value, games: row.games, depth: row.avg_depth() }
    }

    const fn flipped(self) -> Worth {
        Worth { value: -self.value, ..self }
    }

    /// What is certain of it: a move played once or twice has to earn its value.
    fn promise(self) -> Value {
        self.value - CAUTION / (1 + self.games.min(1 << 16) as Value)
    }
}

impl Opinion {
    fn new(Worth { value: score, games, depth }: Worth, weight: Value) -> Opinion {
        let games = games.min(1 << 16) as Value;
        let share = 1024 * games / (games + KAPPA) * weight / 100;
        Opinion {
            score: score.clamp(-MOST_SCORE, MOST_SCORE),
            share,
            most_raised: MOST_SHIFT,
            most_lowered: MOST_SHIFT,
            depth: depth as i32,
            taste: 0,
        }
    }

    /// What is known of a move and a style's taste for it. `None` where there is neither.
    pub(super) fn with_taste(known: Option<Opinion>, taste: Value) -> Option<Opinion> {
        let none = Opinion { score: 0, share: 0, most_raised: 0, most_lowered: 0, depth: 0, taste: 0 };
        (known.is_some() || taste != 0).then_some(Opinion { taste, ..known.unwrap_or(none) })
    }

    /// What is left of it in a search of this depth.
    pub(super) fn in_search_of(self, depth: i32) -> Opinion {
        let beyond = if self.depth == 0 { 0 } else { (depth - self.depth - DEEPER_PLIES).max(0) };
        Opinion { share: self.share >> beyond.min(10), ..self }
    }

    /// A value with this opinion in it. It rises with the value, never leaves it by more than allowed, and lets
    /// alone what is decided or as good as decided.
    pub(super) fn blend(self, v: Value) -> Value {
        if v.abs() >= KNOWN_WIN || v.abs() >= value::INFINITE {
            return v;
        }
        let blended = v + ((self.score - v) * self.share).div_euclid(1024);
        let allowed = blended.clamp(v - self.most_lowered, v + self.most_raised);
        (allowed + self.taste).clamp(-KNOWN_WIN + 1, KNOWN_WIN - 1)
    }

    /// The window of a value whose blend is to be told from `alpha` and `beta`: what lies on its bounds or
    /// outside blends to what lies on theirs or outside.
    pub(super) fn window(self, alpha: Value, beta: Value) -> (Value, Value) {
        // The largest value that blends to no more than alpha, the smallest that blends to no less than beta.
        // Blends rise with the value, so halving finds them.
        let first = |reaches: &dyn Fn(Value) -> bool| {
            let (mut below, mut at) = (-value::INFINITE - 1, value::INFINITE);
            while at - below > 1 {
                let middle = below + (at - below) / 2;
                if reaches(middle) { at = middle } else { below = middle }
            }
            at
        };
        let above_alpha = first(&|v| self.blend(v) > alpha);
        let from_beta = first(&|v| self.blend(v) >= beta);
        ((above_alpha - 1).max(-value::INFINITE), from_beta.max(above_alpha))
    }
}

/// A node's moves that the book knows and the position allows, most promising first.
#[derive(Clone, Copy)]
pub(super) struct KnownMoves {
    moves: [Option<Move>; FIRST_MOVES],
    next: usize,
}

impl KnownMoves {
    pub(super) const NONE: KnownMoves = KnownMoves { moves: [None; FIRST_MOVES], next: 0 };

    /// The next one.
    #[inline(always)]
    pub(super) fn take(&mut self) -> Option<Move> {
        let m = *self.moves.get(self.next)?;
        self.next += usize::from(m.is_some());
        m
    }

    /// Whether it is one of those handed out here.
    #[inline(always)]
    pub(super) fn contains(&self, m: Move) -> bool {
        self.moves.contains(&Some(m))
    }
}

impl<'a> ExperienceUse<'a> {
    pub(super) fn new(book: Option<&'a ExperienceBook>, weight: u32) -> ExperienceUse<'a> {
        ExperienceUse { book: book.filter(|book| !book.is_empty()), weight: weight.min(100) as Value }
    }

    /// What the book knows about a position, its moves checked. Nothing, where what counts is not on the
    /// board: near the fifty-move limit, and in a position that has been there before.
    fn rows(&self, board: &Board) -> Vec<Row> {
        let Some(book) = self.book else { return Vec::new() };
        if board.halfmove_clock() >= ASKED_BELOW_CLOCK || board.repetitions() > 1 {
            return Vec::new();
        }
        book.lookup(board.key()).filter(|row| board.is_legal(row.m)).collect()
    }

    /// The same, the most promising move first.
    pub(super) fn promising_rows(&self, board: &Board) -> Vec<Row> {
        let mut rows = self.rows(board);
        rows.sort_by_key(|row| std::cmp::Reverse(Worth::of(row).promise()));
        rows
    }

    /// What it thinks of the root moves, those that it knows first. One that nobody chose in all its games
    /// is held to be a little worse than the best of the others; what those achieved is no praise for it.
    pub(super) fn root_opinions(&self, board: &Board, moves: &[Move]) -> Vec<(Move, Opinion)> {
        let rows = self.rows(board);
        let games = games_of(&rows);
        let path = Path::from(games);
        let mut board = board.clone();
        let worth = |row: &Row| (row.m, self.worth(&mut board, row, path.along(row, games)));
        let mut known: Vec<(Move, Worth)> = rows.iter().map(worth).collect();
        known.sort_by_key(|(_, worth)| std::cmp::Reverse(worth.promise()));
        let promised = |worth: &Worth| Worth { value: worth.promise(), ..*worth };
        let opinion = |(m, worth): &(Move, Worth)| (*m, Opinion::new(promised(worth), self.weight));
        let mut opinions: Vec<(Move, Opinion)> = known.iter().map(opinion).collect();
        if let Some((_, best)) = known.first() {
            let (games, weight) = (games.min(1 << 16) as u32, self.weight * NOVELTY_WEIGHT / 100);
            let held = Opinion::new(Worth { value: best.promise() - NOVELTY, games, ..*best }, weight);
            let held = Opinion { most_raised: 0, most_lowered: MOST_HELD, ..held };
            let is_known = |m: &Move| rows.iter().any(|row| row.m == *m);
            opinions.extend(moves.iter().filter(|m| !is_known(m)).map(|&m| (m, held)));
        }
        opinions
    }

    /// What a move is worth to its side if that side goes on as it would now: wherever it is its turn again, its
    /// most promising move counts and no other; of the other side's moves, each as often as it was played.
    /// A mean over all games would count the worst replies of ours that were ever tried.
    fn worth(&self, board: &mut Board, row: &Row, path: Path) -> Worth {
        if path.is_faint() {
            return Worth::of(row);
        }
        board.make(row.m);
        let replies = self.rows(board);
        let all = games_of(&replies);
        let (mut sum, mut games) = (0, 0u32);
        for reply in &replies {
            let worth = self.worth_after(board, reply, path.along(reply, all));
            sum += i64::from(worth.value) * i64::from(reply.games);
            games = games.saturating_add(worth.games);
        }
        board.unmake();
        let own = Worth::of(row);
        if replies.is_empty() { own } else { Worth { value: (sum / all) as Value, games, ..own } }
    }

    /// What a move of the other side leaves us.
    fn worth_after(&self, board: &mut Board, reply: &Row, path: Path) -> Worth {
        if path.is_faint() {
            return Worth::of(reply).flipped();
        }
        board.make(reply.m);
        let choices = self.rows(board);
        let all = games_of(&choices);
        let worth = |choice: &Row| self.worth(board, choice, path.along(choice, all));
        let best = choices.iter().map(worth).max_by_key(|worth| worth.promise());
        board.unmake();
        best.unwrap_or(Worth::of(reply).flipped())
    }
}

/// Of all moves of a position.
fn games_of(rows: &[Row]) -> i64 {
    rows.iter().map(|row| i64::from(row.games)).sum()
}

/// How far a line of the book is from where it began.
#[derive(Clone, Copy)]
struct Path {
    /// Games that came this way, as far as that can be told: several ways may lead to a position.
    games: i64,
    /// With fewer it ends. What goes different ways adds up, so there are not many ways at a time.
    least: i64,
    plies: u32,
}

impl Path {
    /// From a position with so many games.
    fn from(games: i64) -> Path {
        Path { games, least: (games / FOLLOWED_SHARE).max(FOLLOWED_GAMES), plies: 0 }
    }

    /// One move on from a position with `all` games.
    fn along(self, row: &Row, all: i64) -> Path {
        Path { games: self.games * i64::from(row.games) / all.max(1), plies: self.plies + 1, ..self }
    }

    fn is_faint(self) -> bool {
        self.games < self.least || self.plies > FOLLOWED_PLIES
    }
}

impl<P: Numbers> Thread<'_, P> {
    /// Looks a node up whose parent is in the book: what to make of its evaluation, and its moves but for
    /// the table move, which is first anyway. `None` if it is not in the book. Kept out of line: it is rare.
    #[cold]
    #[inline(never)]
    pub(super) fn consult_experience(&self, table_move: Option<Move>) -> Option<(Opinion, KnownMoves)> {
        let experience = &self.shared.experience;
        let rows = experience.promising_rows(&self.board);
        let entry = ExperienceEntry::of(&rows)?;
        let others = rows.iter().filter(|row| Some(row.m) != table_move);
        let mut known = KnownMoves::NONE;
        for (to, row) in known.moves.iter_mut().zip(others) {
            *to = Some(row.m);
        }
        let worth = Worth { value: entry.score, games: entry.games_played, depth: entry.avg_depth };
        Some((Opinion::new(worth, experience.weight * INNER_WEIGHT / 100), known))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn opinion(score: Value, share: Value, most_raised: Value) -> Opinion {
        Opinion { score, share, most_raised, most_lowered: MOST_SHIFT, depth: 0, taste: 0 }
    }

    const OPINIONS: [Opinion; 6] = [
        opinion(0, 0, MOST_SHIFT),
        opinion(35, 512, 0),
        opinion(-MOST_SCORE, 1023, MOST_SHIFT),
        opinion(90, 1024, MOST_SHIFT),
        opinion(MOST_SCORE, 77, MOST_SHIFT),
        Opinion { taste: 30, ..opinion(20, 300, 0) },
    ];

    #[test]
    fn blends_rise_with_the_value_and_stay_near_it() {
        for opinion in OPINIONS {
            let mut last = -value::INFINITE;
            for v in -value::INFINITE..=value::INFINITE {
                let blended = opinion.blend(v);
                assert!(
                    blended >= last && (blended - v).abs() <= MOST_SHIFT + opinion.taste,
                    "{opinion:?} {v}"
                );
                assert!(v.abs() < KNOWN_WIN || blended == v, "{opinion:?} {v}");
                last = blended;
            }
        }
    }

    #[test]
    fn windows_tell_blends_from_their_bounds() {
        let bounds =
            [-value::INFINITE, -KNOWN_WIN, -300, -1, 0, 17, 18, 400, value::MATE - 5, value::INFINITE];
        for opinion in OPINIONS {
            for (n, &alpha) in bounds.iter().enumerate() {
                for &beta in &bounds[n + 1..] {
                    let (low, high) = opinion.window(alpha, beta);
                    assert!(low < high, "{opinion:?} {alpha} {beta}");
                    for v in [low - 1, low, low + 1, high - 1, high, high + 1, 0, 50, -50] {
                        let blended = opinion.blend(v);
                        assert!((v <= low) == (blended <= alpha) || v.abs() > value::MATE, "{opinion:?} {v}");
                        assert!((v >= high) == (blended >= beta) || v.abs() > value::MATE, "{opinion:?} {v}");
                    }
                }
            }
        }
    }

    #[test]
    fn no_weight_is_no_opinion() {
        let worth = Worth { value: 300, games: 1000, depth: 9 };
        let opinion = Opinion::new(worth, 0);
        assert!([-500, 0, 20, 900].into_iter().all(|v| opinion.blend(v) == v));
        assert_eq!(Opinion::new(Worth { games: KAPPA as u32, ..worth }, 100).share, 512);
    }

    #[test]
    fn a_deeper_search_believes_less() {
        let share = |book: u32, search: i32| {
            Opinion::new(Worth { value: 50, games: KAPPA as u32, depth: book }, 100)
                .in_search_of(search)
                .share
        };
        assert_eq!([6, 9, 10].map(|search| share(9, search)), [512; 3]);
        assert_eq!([11, 12, 13, 14].map(|search| share(9, search)), [256, 128, 64, 32]);
        assert_eq!(share(9, 120), 0);
        // Games that nobody searched speak as before.
        assert_eq!(share(0, 40), 512);
    }
}
