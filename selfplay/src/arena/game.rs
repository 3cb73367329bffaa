//! One game under a referee that trusts neither side.

use std::time::Duration;

use engine::Board;
use engine::types::{Color, Move};

use super::adjudication::{Adjudication, Adjudicator};
use super::engine_score::EngineScore;
use super::fault::{Fault, NoMove};
use super::limit::{Clock, MoveLimit};
use super::opening::Opening;
use super::player::{Player, Turn};
use crate::Outcome;

/// Why a game ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ending {
    /// Mate on the board.
    Checkmate,
    /// No move, no check.
    Stalemate,
    /// The same position for the third time.
    Threefold,
    /// Fifty moves of each side without a capture or a pawn move.
    FiftyMoves,
    /// Neither side can mate.
    InsufficientMaterial,
    /// By the rules of [`Adjudication`].
    Adjudicated,
    /// The flag fell: so much too late.
    TimeForfeit(Duration),
    /// An engine's fault.
    Fault(Fault),
}

impl Ending {
    /// The word for PGN's `Termination`.
    pub fn termination(&self) -> &'static str {
        match self {
            Ending::Adjudicated => "adjudication",
            Ending::TimeForfeit(_) => "time forfeit",
            Ending::Fault(Fault::IllegalMove(_)) => "illegal move",
            Ending::Fault(Fault::Hang(_)) => "stalled connection",
            Ending::Fault(_) => "abandoned",
            _ => "normal",
        }
    }

    /// A sentence for people. `outcome` says who won.
    pub fn describe(&self, outcome: Outcome) -> String {
        let (winner, loser) = match outcome {
            Outcome::WhiteWins => ("White", "Black"),
            Outcome::BlackWins => ("Black", "White"),
            Outcome::Draw => ("", ""),
        };
        match self {
            Ending::Checkmate => format!("{winner} mates"),
            Ending::Stalemate => "Draw by stalemate".to_string(),
            Ending::Threefold => "Draw by threefold repetition".to_string(),
            Ending::FiftyMoves => "Draw by the fifty-move rule".to_string(),
            Ending::InsufficientMaterial => "Draw by insufficient material".to_string(),
            Ending::Adjudicated if outcome == Outcome::Draw => "Draw by adjudication".to_string(),
            Ending::Adjudicated => format!("{winner} wins by adjudication"),
            Ending::TimeForfeit(late) => {
                format!("{loser} loses on time ({} ms too late)", late.as_millis())
            }
            Ending::Fault(fault) => format!("{loser} {fault}"),
        }
    }
}

/// A move with what the engine said about it.
#[derive(Clone, Copy, Debug)]
pub struct PlayedMove {
    /// The move.
    pub played: Move,
    /// How long it took.
    pub elapsed: Duration,
    /// What the mover thought of its position.
    pub score: Option<EngineScore>,
    /// How deep it looked.
    pub depth: Option<u32>,
    /// How much it looked at.
    pub nodes: Option<u64>,
}

/// A game that counts.
#[derive(Clone, Debug)]
pub struct FinishedGame {
    /// Where it began.
    pub opening: Opening,
    /// What the engines played after the opening.
    pub moves: Vec<PlayedMove>,
    /// Who won.
    pub outcome: Outcome,
    /// And why.
    pub ending: Ending,
}

impl FinishedGame {
    /// Half-moves, the opening's among them.
    pub fn plies(&self) -> usize {
        self.opening.moves().len() + self.moves.len()
    }
}

/// How a game is played.
#[derive(Clone, Debug)]
pub struct GameRules {
    /// `// [color]`
    pub limits: [MoveLimit; 2],
    /// How much too late is not too late.
    pub margin: Duration,
    /// When to end decided games.
    pub adjudication: Adjudication,
}

/// Plays a game. `players` are `[white, black]`. An error means that the match is being stopped and the
/// game does not count.
pub fn play(
    players: [&mut dyn Player; 2],
    opening: Opening,
    rules: &GameRules,
) -> Result<FinishedGame, NoMove> {
    let mut referee = Referee::new(opening, rules);
    let [white, black] = players;
    for (color, player) in [(Color::White, &mut *white), (Color::Black, &mut *black)] {
        match player.new_game(&referee.opening, color) {
            Ok(()) => {}
            Err(NoMove::Fault(fault)) => {
                return Ok(referee.finish(Outcome::win_for(!color), Ending::Fault(fault)));
            }
            Err(NoMove::Stopped) => return Err(NoMove::Stopped),
        }
    }
    if let Some((outcome, ending)) = end_by_rules(&referee.board) {
        return Ok(referee.finish(outcome, ending));
    }
    loop {
        let player = match referee.board.side_to_move() {
            Color::White => &mut *white,
            Color::Black => &mut *black,
        };
        if let Some((outcome, ending)) = referee.ask(player)? {
            return Ok(referee.finish(outcome, ending));
        }
    }
}

/// The state of a game in progress.
struct Referee {
    opening: Opening,
    board: Board,
    /// From the first position on: the opening's, then the engines'.
    moves: Vec<Move>,
    played: Vec<PlayedMove>,
    rules: GameRules,
    /// `// [color]`
    clocks: [Option<Clock>; 2],
    adjudicator: Adjudicator,
}

impl Referee {
    fn new(opening: Opening, rules: &GameRules) -> Referee {
        let mut board = opening.first_board();
        for &m in opening.moves() {
            board.make(m);
        }
        let clocks = rules.limits.map(|limit| match limit {
            MoveLimit::Clock(control) => Some(Clock::new(control)),
            _ => None,
        });
        Referee {
            moves: opening.moves().to_vec(),
            opening,
            board,
            played: Vec::with_capacity(200),
            rules: rules.clone(),
            clocks,
            adjudicator: Adjudicator::new(rules.adjudication.clone()),
        }
    }

    fn finish(self, outcome: Outcome, ending: Ending) -> FinishedGame {
        FinishedGame { opening: self.opening, moves: self.played, outcome, ending }
    }

    /// Asks the player to move for its move, judges and makes it. `Some`: the game is over.
    fn ask(&mut self, player: &mut dyn Player) -> Result<Option<(Outcome, Ending)>, NoMove> {
        let mover = self.board.side_to_move();
        let limit = self.rules.limits[mover.index()];
        let allowed = match (limit, &self.clocks[mover.index()]) {
            (MoveLimit::MoveTime(time), _) => Some(time),
            (_, Some(clock)) => Some(clock.remaining),
            _ => None,
        };
        let forfeit_after = allowed.map(|time| time + self.rules.margin);
        let turn = Turn { board: &self.board, moves: &self.moves, limit, clocks: self.clocks, forfeit_after };
        let lost = Outcome::win_for(!mover);
        let choice = match player.choose(&turn) {
            Ok(choice) => choice,
            Err(NoMove::Fault(fault)) => return Ok(Some((lost, Ending::Fault(fault)))),
            Err(NoMove::Stopped) => return Err(NoMove::Stopped),
        };
        let in_time = match &mut self.clocks[mover.index()] {
            Some(clock) => clock.spend(choice.elapsed, self.rules.margin),
            None => forfeit_after.is_none_or(|limit| choice.elapsed <= limit),
        };
        if !in_time {
            let late = choice.elapsed.saturating_sub(allowed.unwrap_or_default());
            return Ok(Some((lost, Ending::TimeForfeit(late))));
        }
        if !self.board.is_legal(choice.chosen) {
            let fault = Fault::IllegalMove(format!("{:?}", choice.chosen));
            return Ok(Some((lost, Ending::Fault(fault))));
        }
        let move_number = u32::from(self.board.fullmove_number());
        self.board.make(choice.chosen);
        self.moves.push(choice.chosen);
        self.played.push(PlayedMove {
            played: choice.chosen,
            elapsed: choice.elapsed,
            score: choice.score,
            depth: choice.depth,
            nodes: choice.nodes,
        });
        // What the rules of chess say of the new position outranks an adjudication.
        if let Some(end) = end_by_rules(&self.board) {
            return Ok(Some(end));
        }
        let by_scores = self.adjudicator.decide(mover, move_number, choice.score);
        // What is known goes before what is thought.
        let verdict = self.adjudicator.decide_by_tables(&self.board).or(by_scores);
        Ok(verdict.map(|outcome| (outcome, Ending::Adjudicated)))
    }
}

/// The end of the game by the rules of chess, if it has come.
pub fn end_by_rules(board: &Board) -> Option<(Outcome, Ending)> {
    if board.count_legal_moves() == 0 {
        return Some(match board.in_check() {
            true => (Outcome::win_for(!board.side_to_move()), Ending::Checkmate),
            false => (Outcome::Draw, Ending::Stalemate),
        });
    }
    let drawn = |ending| Some((Outcome::Draw, ending));
    if board.insufficient_material() {
        drawn(Ending::InsufficientMaterial)
    } else if board.fifty_moves_passed() {
        drawn(Ending::FiftyMoves)
    } else if board.repetitions() >= 3 {
        drawn(Ending::Threefold)
    } else {
        None
    }
}
