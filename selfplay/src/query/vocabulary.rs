//! The names of the language: what each is, how far one must look to know it, what it means.

use super::fields::{NumberField, SetField, TextField, TruthField};

/// How much of a game must be read to answer.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum Reach {
    /// Nothing.
    #[default]
    Nothing,
    /// What stands before a game: its number, its tags.
    Label,
    /// What is known of a game without its moves: result, ending, length.
    Game,
    /// The number of the ply besides.
    Ply,
    /// The moves, scores and depths, without a board.
    Moves,
    /// The board.
    Board,
}

impl Reach {
    /// For people.
    pub const fn words(self) -> &'static str {
        match self {
            Reach::Nothing => "nothing",
            Reach::Label => "numbers and tags, once a game",
            Reach::Game => "results, once a game",
            Reach::Ply => "results and ply numbers",
            Reach::Moves => "moves, scores and depths",
            Reach::Board => "boards",
        }
    }
}

/// What a name stands for.
#[derive(Clone, Copy, Debug)]
pub enum Meaning {
    /// A number, perhaps missing.
    Number(NumberField),
    /// True or false.
    Truth(TruthField),
    /// Squares.
    Set(SetField),
    /// A text, perhaps missing; one of some words, where they are named.
    Text(TextField, &'static [&'static str]),
}

/// A field of a position, its game, or what a search found there.
pub struct Word {
    /// As it is written.
    pub name: &'static str,
    /// What it stands for.
    pub meaning: Meaning,
    /// How much must be read.
    pub reach: Reach,
    /// In words.
    pub doc: &'static str,
}

/// A function: its name, its arguments in words, what it gives.
pub struct Function {
    /// As it is written.
    pub name: &'static str,
    /// Its arguments.
    pub arguments: &'static str,
    /// What it gives.
    pub doc: &'static str,
}

const fn number(name: &'static str, field: NumberField, reach: Reach, doc: &'static str) -> Word {
    Word { name, meaning: Meaning::Number(field), reach, doc }
}
const fn truth(name: &'static str, field: TruthField, reach: Reach, doc: &'static str) -> Word {
    Word { name, meaning: Meaning::Truth(field), reach, doc }
}
const fn set(name: &'static str, field: SetField, doc: &'static str) -> Word {
    Word { name, meaning: Meaning::Set(field), reach: Reach::Board, doc }
}
const fn text(name: &'static str, field: TextField, reach: Reach, doc: &'static str) -> Word {
    Word { name, meaning: Meaning::Text(field, &[]), reach, doc }
}
const fn one_of(
    name: &'static str,
    field: TextField,
    words: &'static [&'static str],
    reach: Reach,
    doc: &'static str,
) -> Word {
    Word { name, meaning: Meaning::Text(field, words), reach, doc }
}

const RESULTS: &[&str] = &["1-0", "0-1", "1/2-1/2", "*"];
const ENDINGS: &[&str] = &[
    "checkmate",
    "stalemate",
    "threefold repetition",
    "fifty moves",
    "insufficient material",
    "adjudicated win",
    "adjudicated draw",
    "tablebase",
    "ply limit",
];
const SIDES: &[&str] = &["white", "black"];
const PHASES: &[&str] = &["opening", "middlegame", "endgame"];
const KINDS: &[&str] = &["pawn", "knight", "bishop", "rook", "queen", "king"];

/// Every field.
pub const FIELDS: &[Word] = &[
    number(
        "game",
        NumberField::Game,
        Reach::Label,
        "the game's number: its id in a record, counted from 1 elsewhere",
    ),
    number("length", NumberField::Length, Reach::Game, "plies of the game"),
    number("points", NumberField::Points, Reach::Moves, "what the side to move made: 1, 0.5, 0"),
    number("points_white", NumberField::PointsWhite, Reach::Game, "what White made: 1, 0.5, 0"),
    number("ply", NumberField::Ply, Reach::Ply, "half-moves made before the position, from 0"),
    number("left", NumberField::Left, Reach::Ply, "half-moves still to come in the game"),
    number(
        "score",
        NumberField::Score,
        Reach::Moves,
        "what the search said, centipawns for the side to move",
    ),
    number("score_white", NumberField::ScoreWhite, Reach::Moves, "the same for White"),
    number("depth", NumberField::Depth, Reach::Moves, "the depth of that search"),
    number("move_number", NumberField::MoveNumber, Reach::Board, "the number of the move to come"),
    number("clock", NumberField::Clock, Reach::Board, "half-moves since the last capture or pawn move"),
    number("legal", NumberField::Legal, Reach::Board, "how many legal moves there are"),
    number(
        "repetitions",
        NumberField::Repetitions,
        Reach::Board,
        "how often the position has stood on the board, this time included",
    ),
    number("men", NumberField::Men, Reach::Board, "pieces and pawns of both sides, kings included"),
    number(
        "balance",
        NumberField::Balance,
        Reach::Board,
        "White's material less Black's: pawn 1, knight and bishop 3, rook 5, queen 9",
    ),
    number("eval", NumberField::Eval, Reach::Board, "the static evaluation, centipawns for the side to move"),
    number("eval_white", NumberField::EvalWhite, Reach::Board, "the same for White"),
    number(
        "value",
        NumberField::Value,
        Reach::Board,
        "after `search`: its score for the side that was to move",
    ),
    number("value_white", NumberField::ValueWhite, Reach::Board, "after `search`: its score for White"),
    number(
        "rank_of_line",
        NumberField::LineRank,
        Reach::Board,
        "after `search`: 1 for the best line, 2 for the next",
    ),
    number("nodes", NumberField::Nodes, Reach::Board, "after `search`: nodes it took"),
    number("reached", NumberField::Reached, Reach::Board, "after `search`: the depth it finished"),
    number("leaves", NumberField::Leaves, Reach::Board, "after `perft`: its count"),
    truth("drawn", TruthField::Drawn, Reach::Game, "the game was drawn"),
    truth("white_won", TruthField::WhiteWon, Reach::Game, "White won"),
    truth("black_won", TruthField::BlackWon, Reach::Game, "Black won"),
    truth("won", TruthField::Won, Reach::Moves, "the side to move won the game"),
    truth("lost", TruthField::Lost, Reach::Moves, "the side to move lost the game"),
    truth("last", TruthField::Last, Reach::Ply, "the last position of the game"),
    truth("searched", TruthField::Searched, Reach::Moves, "a score is known here"),
    truth("explored", TruthField::Explored, Reach::Moves, "the move was drawn to see something new"),
    truth("decided", TruthField::Decided, Reach::Moves, "the score announces a mate or a tablebase result"),
    truth("check", TruthField::Check, Reach::Board, "the side to move is in check"),
    truth("checkmate", TruthField::Checkmate, Reach::Board, "it is mated"),
    truth("stalemate", TruthField::Stalemate, Reach::Board, "it has no move and is not in check"),
    truth("insufficient", TruthField::Insufficient, Reach::Board, "nobody can mate any more"),
    truth("capture", TruthField::Capture, Reach::Moves, "the move played takes something"),
    truth("promotion", TruthField::Promotion, Reach::Moves, "the move played promotes"),
    truth("castling", TruthField::Castling, Reach::Moves, "the move played castles"),
    truth("en_passant", TruthField::EnPassant, Reach::Moves, "the move played takes in passing"),
    truth("gives_check", TruthField::GivesCheck, Reach::Board, "the move played gives check"),
    truth(
        "sacrifice",
        TruthField::Sacrifice,
        Reach::Board,
        "the move played leaves the other side an exchange that wins a pawn more than it took",
    ),
    set("occupied", SetField::Occupied, "squares with a piece"),
    set("empty", SetField::Empty, "squares without one"),
    set("checkers", SetField::Checkers, "pieces that give check"),
    Word {
        name: "origin",
        meaning: Meaning::Set(SetField::Origin),
        reach: Reach::Moves,
        doc: "where the move played comes from",
    },
    Word {
        name: "target",
        meaning: Meaning::Set(SetField::Target),
        reach: Reach::Moves,
        doc: "where it goes (castling: the king's rook's square)",
    },
    Word {
        name: "light",
        meaning: Meaning::Set(SetField::Light),
        reach: Reach::Nothing,
        doc: "the light squares",
    },
    Word {
        name: "dark",
        meaning: Meaning::Set(SetField::Dark),
        reach: Reach::Nothing,
        doc: "the dark squares",
    },
    Word {
        name: "centre",
        meaning: Meaning::Set(SetField::Centre),
        reach: Reach::Nothing,
        doc: "d4, e4, d5, e5",
    },
    text("file_name", TextField::File, Reach::Label, "the file the game is from"),
    one_of("result", TextField::Result, RESULTS, Reach::Game, "as PGN writes it"),
    one_of("ending", TextField::Ending, ENDINGS, Reach::Game, "why a game of a record ended"),
    text("white", TextField::WhiteName, Reach::Label, "the name of the player with White (PGN)"),
    text("black", TextField::BlackName, Reach::Label, "the name of the player with Black (PGN)"),
    text("move", TextField::Move, Reach::Board, "the move played, as UCI writes it"),
    text("san", TextField::San, Reach::Board, "the move played, in algebraic notation"),
    one_of("moved", TextField::Moved, KINDS, Reach::Board, "the kind of piece that moves"),
    one_of("taken", TextField::Taken, KINDS, Reach::Board, "the kind of piece that is taken"),
    one_of("stm", TextField::SideToMove, SIDES, Reach::Moves, "the side to move"),
    one_of(
        "phase",
        TextField::Phase,
        PHASES,
        Reach::Board,
        "endgame: 8 or less of 24 (minor piece 1, rook 2, queen 4); opening: 20 or more before move 11; else middlegame",
    ),
    text("fen", TextField::Fen, Reach::Board, "the position"),
    text("key", TextField::Key, Reach::Board, "its hash: equal positions have equal ones"),
    text("pieces_left", TextField::Signature, Reach::Board, "the material of both sides, like KRPvKR"),
    text("best", TextField::Best, Reach::Board, "after `search`: the best move, in algebraic notation"),
    text("line", TextField::Line, Reach::Board, "after `search` its line, after `walk` the moves made"),
];

const fn function(name: &'static str, arguments: &'static str, doc: &'static str) -> Function {
    Function { name, arguments, doc }
}

/// Every function.
pub const FUNCTIONS: &[Function] = &[
    function("count", "SET", "how many squares"),
    function("any", "SET", "whether there is a square in it"),
    function("none", "SET", "whether there is none"),
    function("pieces", "SIDE, KIND", "squares of pieces; either argument alone will do"),
    function("king", "SIDE", "the king's square"),
    function("attacks", "SET", "squares that the pieces standing on SET attack"),
    function("attackers", "SIDE, SET", "pieces of SIDE that attack a square of SET"),
    function("attacked", "SIDE", "squares that SIDE attacks"),
    function("file", "LETTER or SET", "a file, or all files of SET"),
    function("rank", "NUMBER or SET", "a rank, or all ranks of SET"),
    function("between", "SET, SET", "squares strictly between two squares of a line"),
    function("around", "SET", "the squares next to SET, without SET"),
    function("ahead", "SIDE, SET", "the squares in front of SET as SIDE sees it"),
    function("files", "SET", "how many files SET touches"),
    function("ranks", "SET", "how many ranks SET touches"),
    function("distance", "SET, SET", "king steps between the nearest two squares"),
    function("visited", "SET", "squares where the pieces on SET have stood in this game"),
    function("pinned", "SIDE", "pieces of SIDE that are pinned to their king"),
    function(
        "forks",
        "SIDE",
        "pieces of SIDE that attack two men each worth more than they are, or unguarded pieces",
    ),
    function(
        "skewers",
        "SIDE",
        "line pieces of SIDE that attack a man with a lesser one, not a pawn, right behind it",
    ),
    function("hanging", "SIDE", "men of SIDE but the king that are attacked and not guarded"),
    function("passed", "SIDE", "pawns of SIDE that no enemy pawn can stop"),
    function("isolated", "SIDE", "pawns of SIDE without a neighbour on the files beside"),
    function("doubled", "SIDE", "pawns of SIDE with an own pawn ahead on their file"),
    function("may_castle", "SIDE", "whether SIDE still has a right to castle"),
    function(
        "material",
        "SIDE or PATTERN",
        "points of SIDE; or whether the material is PATTERN, like \"KRP+vKR\"",
    ),
    function("either", "PATTERN", "the same with the colours as they are or exchanged"),
    function(
        "term",
        "NAME, SIDE",
        "a term or section of the evaluation, centipawns; without SIDE: White less Black",
    ),
    function("tag", "NAME", "a tag of PGN, an operation of EPD"),
    function("number", "TEXT", "the number that a text is"),
    function("contains", "TEXT, TEXT", "whether the first has the second in it"),
    function("starts", "TEXT, TEXT", "whether the first begins with the second"),
    function("has", "VALUE", "whether a number or text is known"),
    function("if", "CONDITION, A, B", "A where it holds, else B"),
    function("abs", "NUMBER", "without its sign"),
    function("round", "NUMBER", "the nearest whole number"),
    function("floor", "NUMBER", "the next whole number below"),
    function("bucket", "NUMBER, WIDTH", "the start of its range"),
    function("clamp", "NUMBER, LOW, HIGH", "not beyond these"),
    function("least", "NUMBER, NUMBER", "the smaller"),
    function("most", "NUMBER, NUMBER", "the larger"),
    function("next", "VALUE", "the value a ply later in the game"),
    function("previous", "VALUE", "the value a ply earlier"),
    function("ever", "CONDITION", "whether it holds anywhere in the game"),
    function("always", "CONDITION", "whether it holds everywhere in the game"),
    function("times", "CONDITION", "at how many positions of the game it holds"),
    function("first_ply", "CONDITION", "the first ply of the game at which it holds"),
];

/// Functions over many rows.
pub const AGGREGATES: &[Function] = &[
    function("count", "", "how many rows"),
    function("mean", "NUMBER", "the mean of those known"),
    function("sum", "NUMBER", "the sum"),
    function("min", "NUMBER", "the smallest"),
    function("max", "NUMBER", "the largest"),
    function("deviation", "NUMBER", "the standard deviation"),
    function("share", "CONDITION", "the share of rows where it holds, 0 to 1"),
    function("distinct", "VALUE", "how many different values"),
    function("first", "VALUE", "the first row's value"),
];

/// The field with a name.
pub fn field(name: &str) -> Option<&'static Word> {
    FIELDS.iter().find(|word| word.name == name)
}

/// Whether a name is an aggregate's. `count(SET)` is none.
pub fn is_aggregate(name: &str, arguments: usize) -> bool {
    match name {
        "count" => arguments == 0,
        _ => arguments == 1 && AGGREGATES.iter().any(|aggregate| aggregate.name == name),
    }
}
