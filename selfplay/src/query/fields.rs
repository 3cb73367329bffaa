//! The fields: how each is found at a position.

use std::borrow::Cow;

use engine::eval::evaluate_white;
use engine::types::{Bitboard, Color, PieceType, value};

use super::chess;
use super::game::fullest_name;
use super::scene::Scene;
use crate::Outcome;

/// Fields that are numbers. What is missing is NaN: no comparison holds for it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum NumberField {
    Game,
    Length,
    Points,
    PointsWhite,
    Ply,
    Left,
    Score,
    ScoreWhite,
    Depth,
    MoveNumber,
    Clock,
    Legal,
    Repetitions,
    Men,
    Balance,
    Eval,
    EvalWhite,
    Value,
    ValueWhite,
    LineRank,
    Nodes,
    Reached,
    Leaves,
}

impl NumberField {
    /// The number at a position.
    pub fn of(self, scene: &Scene) -> f64 {
        let board = scene.board;
        match self {
            NumberField::Game => scene.game.number as f64,
            NumberField::Length => scene.game.length as f64,
            NumberField::Points => points(scene.game.outcome, scene.side()),
            NumberField::PointsWhite => points(scene.game.outcome, Color::White),
            NumberField::Ply => scene.ply as f64,
            NumberField::Left => scene.game.length as f64 - scene.ply as f64,
            NumberField::Score => scene.thought().map_or(f64::NAN, |thought| f64::from(thought.score_stm)),
            NumberField::ScoreWhite => {
                scene.thought().map_or(f64::NAN, |thought| for_white(scene, thought.score_stm))
            }
            NumberField::Depth => scene.thought().map_or(f64::NAN, |thought| f64::from(thought.depth)),
            NumberField::MoveNumber => f64::from(board.fullmove_number()),
            NumberField::Clock => f64::from(board.halfmove_clock()),
            NumberField::Legal => board.count_legal_moves() as f64,
            NumberField::Repetitions => board.repetitions() as f64,
            NumberField::Men => f64::from(board.occupied().count()),
            NumberField::Balance => chess::points(board, Color::White) - chess::points(board, Color::Black),
            NumberField::Eval => for_white(scene, evaluate_white(board, scene.weights())),
            NumberField::EvalWhite => f64::from(evaluate_white(board, scene.weights())),
            NumberField::Value => scene.found.map_or(f64::NAN, |found| f64::from(found.value_stm)),
            NumberField::ValueWhite => scene.found.map_or(f64::NAN, |found| match found.side {
                Color::White => f64::from(found.value_stm),
                Color::Black => -f64::from(found.value_stm),
            }),
            NumberField::LineRank => scene.found.map_or(f64::NAN, |found| f64::from(found.rank)),
            NumberField::Nodes => scene.found.map_or(f64::NAN, |found| found.nodes as f64),
            NumberField::Reached => scene.found.map_or(f64::NAN, |found| f64::from(found.depth)),
            NumberField::Leaves => scene.leaves.map_or(f64::NAN, |leaves| leaves as f64),
        }
    }
}

/// Turns a number of the side to move into White's, or the other way round.
fn for_white(scene: &Scene, number: i32) -> f64 {
    match scene.side() {
        Color::White => f64::from(number),
        Color::Black => -f64::from(number),
    }
}

fn points(outcome: Option<Outcome>, side: Color) -> f64 {
    outcome.map_or(f64::NAN, |outcome| f64::from(outcome.half_points(side)) / 2.0)
}

/// Fields that are true or false.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum TruthField {
    Drawn,
    WhiteWon,
    BlackWon,
    Won,
    Lost,
    Last,
    Searched,
    Explored,
    Decided,
    Check,
    Checkmate,
    Stalemate,
    Insufficient,
    Capture,
    Promotion,
    Castling,
    EnPassant,
    GivesCheck,
    Sacrifice,
}

impl TruthField {
    /// Whether it holds at a position.
    pub fn of(self, scene: &Scene) -> bool {
        let (board, outcome) = (scene.board, scene.game.outcome);
        let played = || scene.played();
        match self {
            TruthField::Drawn => outcome == Some(Outcome::Draw),
            TruthField::WhiteWon => outcome == Some(Outcome::WhiteWins),
            TruthField::BlackWon => outcome == Some(Outcome::BlackWins),
            TruthField::Won => outcome == Some(Outcome::win_for(scene.side())),
            TruthField::Lost => outcome == Some(Outcome::win_for(!scene.side())),
            TruthField::Last => scene.ply == scene.game.length,
            TruthField::Searched => scene.thought().is_some(),
            TruthField::Explored => scene.thought().is_some_and(|thought| thought.explored),
            TruthField::Decided => {
                scene.thought().is_some_and(|thought| value::is_decided(thought.score_stm))
            }
            TruthField::Check => board.in_check(),
            TruthField::Checkmate => board.in_check() && board.count_legal_moves() == 0,
            TruthField::Stalemate => !board.in_check() && board.count_legal_moves() == 0,
            TruthField::Insufficient => board.insufficient_material(),
            TruthField::Capture => played().is_some_and(|m| m.is_capture()),
            TruthField::Promotion => played().is_some_and(|m| m.is_promotion()),
            TruthField::Castling => played().is_some_and(|m| m.is_castle()),
            TruthField::EnPassant => played().is_some_and(|m| m.is_en_passant()),
            TruthField::GivesCheck => played().is_some_and(|m| board.gives_check(&board.check_info(), m)),
            TruthField::Sacrifice => played().is_some_and(|m| board.offers_material(m)),
        }
    }
}

/// Fields that are sets of squares.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum SetField {
    Occupied,
    Empty,
    Checkers,
    Origin,
    Target,
    Light,
    Dark,
    Centre,
}

impl SetField {
    /// The squares at a position.
    pub fn of(self, scene: &Scene) -> Bitboard {
        match self {
            SetField::Occupied => scene.board.occupied(),
            SetField::Empty => !scene.board.occupied(),
            SetField::Checkers => scene.board.checkers(),
            SetField::Origin => scene.played().map_or(Bitboard::EMPTY, |m| Bitboard::of(m.from())),
            SetField::Target => scene.played().map_or(Bitboard::EMPTY, |m| Bitboard::of(m.to())),
            SetField::Light => Bitboard::LIGHT,
            SetField::Dark => Bitboard::DARK,
            SetField::Centre => Bitboard(0x0000_0018_1800_0000),
        }
    }
}

/// Fields that are texts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum TextField {
    File,
    Result,
    Ending,
    WhiteName,
    BlackName,
    Move,
    San,
    Moved,
    Taken,
    SideToMove,
    Phase,
    Fen,
    Key,
    Signature,
    Best,
    Line,
}

impl TextField {
    /// The text at a position; `None` if there is none.
    pub fn of<'a>(self, scene: &Scene<'a>) -> Option<Cow<'a, str>> {
        let board = scene.board;
        Some(match self {
            TextField::File => scene.game.file.as_ref().into(),
            TextField::Result => scene.game.outcome.map_or("*", Outcome::pgn).into(),
            TextField::Ending => scene.game.ending?.words().into(),
            TextField::WhiteName => fullest_name(scene.game, "White")?.into(),
            TextField::BlackName => fullest_name(scene.game, "Black")?.into(),
            TextField::Move => board.uci(scene.played()?, false).into(),
            TextField::San => board.san(scene.played()?).into(),
            TextField::Moved => board.kind_at(scene.played()?.from())?.name().into(),
            TextField::Taken => {
                let played = scene.played().filter(|m| m.is_capture())?;
                let taken =
                    if played.is_en_passant() { PieceType::Pawn } else { board.kind_at(played.to())? };
                taken.name().into()
            }
            TextField::SideToMove => match scene.side() {
                Color::White => "white".into(),
                Color::Black => "black".into(),
            },
            TextField::Phase => chess::phase(board).into(),
            TextField::Fen => board.fen().into(),
            TextField::Key => format!("{:016x}", board.key()).into(),
            TextField::Signature => chess::signature(board).into(),
            TextField::Best => scene.found?.best_san.clone().into(),
            TextField::Line => scene.line()?.into(),
        })
    }
}
