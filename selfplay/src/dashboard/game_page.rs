//! One game, ply by ply: positions, moves, what the search said, what the Experience Book knows, where it went wrong.

use std::path::{Path, PathBuf};

use engine::Board;
use engine::book::experience::ExperienceBook;
use engine::types::{Color, Move, Value, value};
use engine::uci::report::Wdl;
use serde_json::{Value as Json, json};

use super::games::{FILE_STEP, Set, find, read_pgn};
use super::place::{Folder, Place};
use super::problem::Problem;
use crate::arena::EngineScore;
use crate::pgn::{Line, PgnGame, read_tags, split_games};
use crate::record::{GameRecord, Reader, export};

/// Expected points that a move may lose before it is called inaccurate, a mistake, a blunder.
const GLYPHS: [(f64, &str); 3] = [(0.30, "??"), (0.20, "?"), (0.10, "?!")];
/// A search that saw less may not call a move a mistake.
const LEAST_DEPTH: u8 = 4;
/// Rows of the book for each position.
const MOST_BOOK_ROWS: usize = 5;
/// Longer games are cut for the page.
const MOST_PLIES: usize = 2000;
/// Scores beyond this many centipawns are all the same on a graph.
const TOP: i32 = 30_000;

/// A move with what is known of it.
struct Step {
    played: Move,
    /// For the side that moved.
    score_mover: Option<Value>,
    depth: u8,
    /// `random`, `explored` or nothing.
    kind: &'static str,
}

/// A game as the page needs it, wherever it comes from.
struct Told {
    tags: Vec<(String, String)>,
    start: Board,
    steps: Vec<Step>,
    result: String,
    ending: String,
    pgn: String,
    variations: Vec<Json>,
}

/// The page of a game of a night.
pub fn page(place: &Place, night: &str, set: &str, id: u64) -> Result<Json, Problem> {
    let night = place.night(night)?;
    let told = match find(&night, set)? {
        Set::Records(files) => from_record(&files, id)?,
        Set::Pgn(files) => from_pgn(&files, id)?,
    };
    let generation = set.split('-').nth(1).unwrap_or("1");
    let book = book_of(&night, generation);
    Ok(json!({"night": night.name(), "set": set, "id": id, "game": tell(told, book.as_ref())}))
}

fn missing(id: u64) -> Problem {
    Problem::Unknown(format!("there is no game {id} in this set"))
}

fn from_record(files: &[PathBuf], id: u64) -> Result<Told, Problem> {
    for path in files {
        let failed = |error| Problem::of_file(path, error);
        let reader = Reader::open(path).map_err(failed)?;
        let holds = |first: u64, games: u32| (first..first + u64::from(games)).contains(&id);
        let Some(block) = reader.blocks().position(|head| holds(head.first, head.games)) else { continue };
        let games = reader.decode(block).map_err(failed)?;
        let game = games.into_iter().find(|game| game.id == id).ok_or_else(|| missing(id))?;
        return Ok(recorded(&game, export::pgn(reader.header(), &game)));
    }
    Err(missing(id))
}

fn recorded(game: &GameRecord, pgn: String) -> Told {
    let random =
        game.opening.iter().map(|&played| Step { played, score_mover: None, depth: 0, kind: "random" });
    let searched = game.plies.iter().map(|ply| Step {
        played: ply.played,
        score_mover: Some(ply.value_stm()),
        depth: ply.depth,
        kind: if ply.explored { "explored" } else { "" },
    });
    Told {
        tags: read_tags(&pgn).0,
        start: game.start.board(),
        steps: random.chain(searched).collect(),
        result: game.outcome.pgn().to_string(),
        ending: game.ending.words().to_string(),
        pgn,
        variations: Vec::new(),
    }
}

fn from_pgn(files: &[PathBuf], id: u64) -> Result<Told, Problem> {
    let (file, place) = ((id / FILE_STEP) as usize, (id % FILE_STEP) as usize);
    let path: &Path = files.get(file).ok_or_else(|| missing(id))?;
    let text = read_pgn(path)?;
    let (_, game) = split_games(&text).nth(place).ok_or_else(|| missing(id))?;
    from_pgn_text(game).map_err(|reason| Problem::of_file(path, format!("game {}: {reason}", place + 1)))
}

/// A game from PGN, its variations beside it.
fn from_pgn_text(text: &str) -> Result<Told, String> {
    let (tags, rest) = read_tags(text);
    let (lines, _) = PgnGame::parse_lines(tags, rest).map_err(|error| error.to_string())?;
    let mut lines = lines.into_iter();
    let (_, main) = lines.next().ok_or("there are no moves")?;
    let start = start_of(&main);
    let steps = main.moves.iter().zip(&main.thoughts).map(|(&played, thought)| Step {
        played,
        score_mover: thought.map(|thought| thought.value_mover),
        depth: thought.map_or(0, |thought| thought.depth),
        kind: "",
    });
    let tag = |name: &str| main.tags.iter().find(|(key, _)| key == name).map(|(_, value)| value.clone());
    Ok(Told {
        start: start.clone(),
        steps: steps.collect(),
        result: main.outcome.map_or("*", |outcome| outcome.pgn()).to_string(),
        ending: tag("Termination").unwrap_or_default(),
        pgn: text.to_string(),
        variations: lines.map(|line| variation(&line)).collect(),
        tags: main.tags,
    })
}

fn start_of(game: &PgnGame) -> Board {
    game.first_fen.as_deref().and_then(|fen| Board::from_fen(fen).ok()).unwrap_or_else(Board::start)
}

/// Where it leaves the main line, its moves, and the position at its end.
fn variation((first, game): &Line) -> Json {
    let mut board = start_of(game);
    let mut words = Vec::new();
    for (ply, &m) in game.moves.iter().enumerate() {
        if ply + 1 >= *first {
            words.push(board.san(m));
        }
        board.make(m);
    }
    json!({"at": first.saturating_sub(1), "moves": words, "fen": board.fen()})
}

/// The book that the players of a generation could ask; nothing where there is none.
fn book_of(night: &Folder, generation: &str) -> Option<ExperienceBook> {
    let place = format!("generation-{generation}");
    let ways: [&[&str]; 3] =
        [&[&place, "learn", "experience.exp"], &["player", "experience.exp"], &["start", "experience.exp"]];
    ways.iter().find_map(|way| ExperienceBook::open(&night.file(way).ok()?).ok())
}

fn tell(told: Told, book: Option<&ExperienceBook>) -> Json {
    let mut board = told.start.clone();
    let mut plies = vec![json!({"fen": board.fen(), "book": book_rows(book, &board)})];
    let mut expected = Vec::new();
    for step in told.steps.iter().take(MOST_PLIES) {
        let mover = board.side_to_move();
        let mut ply = json!({
            "san": board.san(step.played), "uci": board.uci(step.played, false), "kind": step.kind,
            "side": mover.index(), "number": board.fullmove_number(),
        });
        let judged = step.score_mover.filter(|_| step.depth >= LEAST_DEPTH);
        expected.push(judged.map(|score| expectation(clamped(score), mover)));
        if let Some(score) = step.score_mover {
            let white = if mover == Color::White { score } else { -score };
            let Wdl { win, draw, loss } = Wdl::of(clamped(white));
            ply["cp"] = json!(clamped(white));
            ply["says"] = json!(EngineScore::from_value(white).to_string());
            ply["depth"] = json!(step.depth);
            ply["wdl"] = json!([win, draw, loss]);
        }
        board.make(step.played);
        ply["fen"] = json!(board.fen());
        ply["book"] = book_rows(book, &board);
        plies.push(ply);
    }
    mark_errors(&mut plies, &expected);
    json!({
        "tags": told.tags, "result": told.result, "ending": told.ending, "pgn": told.pgn,
        "plies": plies, "variations": told.variations,
    })
}

fn clamped(score: Value) -> Value {
    score.clamp(-value::MATE, value::MATE).clamp(-TOP, TOP)
}

/// White's expected points.
fn expectation(score_mover: Value, mover: Color) -> f64 {
    let Wdl { win, draw, .. } = Wdl::of(score_mover);
    let points = f64::from(win) / 1000.0 + f64::from(draw) / 2000.0;
    if mover == Color::White { points } else { 1.0 - points }
}

/// A move after which the other side's search expects much more than this side's did before it.
fn mark_errors(plies: &mut [Json], expected: &[Option<f64>]) {
    for (number, pair) in expected.windows(2).enumerate() {
        let [Some(before), Some(after)] = pair else { continue };
        let is_white = plies[number + 1]["side"] == 0;
        let lost = if is_white { before - after } else { after - before };
        if let Some((_, glyph)) = GLYPHS.iter().find(|(least, _)| lost >= *least) {
            plies[number + 1]["nag"] = json!(glyph);
        }
    }
}

/// What the book knows of the moves here: move, games, the mover's wins, draws, losses, score.
pub fn book_rows(book: Option<&ExperienceBook>, board: &Board) -> Json {
    let Some(book) = book else { return Json::Null };
    let mut rows: Vec<_> = book.lookup(board.key()).filter(|row| board.is_legal(row.m)).collect();
    rows.sort_by_key(|row| std::cmp::Reverse((row.games, row.score())));
    let cells = rows.iter().take(MOST_BOOK_ROWS).map(|row| {
        json!([
            board.san(row.m),
            row.games,
            row.wins,
            row.draws,
            row.losses(),
            row.score(),
            board.uci(row.m, false)
        ])
    });
    let cells: Vec<Json> = cells.collect();
    if cells.is_empty() { Json::Null } else { json!(cells) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_game_with_hostile_tags_a_blunder_and_a_variation() {
        let text = "[White \"<script>alert(1)</script>\"]\n[Black \"b\"]\n[Result \"1-0\"]\n\n\
                    1. f3 {+0.00/8 0.1s} e5 {+0.10/8 0.1s} (1... d5 2. e4) 2. g4 {-0.30/8 0.1s} Qh4# {+M1/9 0.1s} 1-0\n";
        let told = tell(from_pgn_text(text).unwrap(), None);
        assert_eq!(told["plies"].as_array().unwrap().len(), 5);
        assert_eq!(told["plies"][3]["nag"], "??", "2. g4 allows mate");
        assert_eq!(told["variations"][0]["moves"], json!(["d5", "e4"]));
        assert_eq!(told["tags"][0][1], "<script>alert(1)</script>", "the page escapes it, not the data");
    }
}
