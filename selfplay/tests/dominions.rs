//! Dominions against a second, simple model: a map of tiles and flood fills, written from the rules alone.

use std::collections::{BTreeMap, BTreeSet};

use engine::types::Color;
use selfplay::Outcome;
use selfplay::games::Game;
use selfplay::games::dominions::board::{Board, HELD_BY_BLACK, IllegalPlacement, SIDES};
use selfplay::games::dominions::cells::{CELLS, COORDINATES, cell_at};
use selfplay::games::dominions::{Dominions, PASS, action_of, notation, parts_of};
use selfplay::play::Dice;

type Place = (i32, i32);

/// Clockwise from the top right side.
const STEPS: [Place; 6] = [(1, -1), (1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1)];

fn on_board((q, r): Place) -> bool {
    q.abs() <= 8 && r.abs() <= 8 && (q + r).abs() <= 8
}

fn neighbour((q, r): Place, side: usize) -> Place {
    (q + STEPS[side].0, r + STEPS[side].1)
}

#[derive(Clone, Default)]
struct Model {
    /// Sides and controller.
    tiles: BTreeMap<Place, (u8, usize)>,
    /// `// [color]`
    used: [BTreeSet<u8>; 2],
    mover: usize,
}

impl Model {
    fn connected(&self, place: Place) -> impl Iterator<Item = Place> + '_ {
        let sides = self.tiles[&place].0;
        (0..6).filter(move |side| sides >> side & 1 == 1).map(move |side| neighbour(place, side))
    }

    /// Everything joined to a tile, of one controller or of any.
    fn flood(&self, from: Place, of: Option<usize>) -> BTreeSet<Place> {
        let mut found = BTreeSet::from([from]);
        let mut waiting = vec![from];
        while let Some(place) = waiting.pop() {
            for next in self.connected(place) {
                let joins = self.tiles.get(&next).is_some_and(|tile| of.is_none_or(|of| of == tile.1));
                if joins && found.insert(next) {
                    waiting.push(next);
                }
            }
        }
        found
    }

    fn group(&self, of: Place) -> BTreeSet<Place> {
        self.flood(of, Some(self.tiles[&of].1))
    }

    fn liberties(&self, tiles: &BTreeSet<Place>) -> BTreeSet<Place> {
        let faced = tiles.iter().flat_map(|&tile| self.connected(tile));
        faced.filter(|&place| on_board(place) && !self.tiles.contains_key(&place)).collect()
    }

    fn is_legal(&self, place: Place, sides: u8) -> bool {
        if self.tiles.contains_key(&place) || self.used[self.mover].contains(&sides) {
            return false;
        }
        let matches = (0..6).all(|side| {
            let next = neighbour(place, side);
            let connects = sides >> side & 1 == 1;
            match self.tiles.get(&next) {
                Some((other, _)) => connects == (other >> ((side + 3) % 6) & 1 == 1),
                None => on_board(next) || !connects,
            }
        });
        if !matches || !(self.tiles.is_empty() || self.is_near(place)) {
            return false;
        }
        let mut after = self.clone();
        after.tiles.insert(place, (sides, self.mover));
        !after.liberties(&after.flood(place, None)).is_empty()
    }

    /// Next to an enemy, or a liberty of an own group that is a whole section.
    fn is_near(&self, place: Place) -> bool {
        let next_to_enemy = (0..6)
            .any(|side| self.tiles.get(&neighbour(place, side)).is_some_and(|tile| tile.1 != self.mover));
        next_to_enemy
            || self.tiles.iter().filter(|(_, tile)| tile.1 == self.mover).any(|(&own, _)| {
                let group = self.group(own);
                self.liberties(&group).contains(&place) && self.flood(own, None) == group
            })
    }

    /// Captured tiles and tiles given up.
    fn play(&mut self, place: Place, sides: u8) -> (usize, usize) {
        self.tiles.insert(place, (sides, self.mover));
        self.used[self.mover].insert(sides);
        let mut captured = 0;
        let around: Vec<Place> = self.connected(place).collect();
        for next in around {
            if self.tiles.get(&next).is_some_and(|tile| tile.1 != self.mover) {
                let group = self.group(next);
                if self.liberties(&group).is_empty() {
                    captured += group.len();
                    self.give(&group, self.mover);
                }
            }
        }
        let own = self.group(place);
        let dead = self.liberties(&own).is_empty();
        if dead {
            self.give(&own, 1 - self.mover);
        }
        self.mover = 1 - self.mover;
        (captured, if dead { own.len() } else { 0 })
    }

    fn give(&mut self, group: &BTreeSet<Place>, to: usize) {
        for place in group {
            self.tiles.get_mut(place).unwrap().1 = to;
        }
    }
}

fn place_of(cell: u8) -> Place {
    COORDINATES[usize::from(cell)]
}

fn places(cells: selfplay::games::dominions::cells::CellSet) -> BTreeSet<Place> {
    cells.iter().map(place_of).collect()
}

fn compare(board: &Board, model: &Model, context: &str) {
    for cell in 0..CELLS as u8 {
        let (tile, wanted) = (board.tile(cell), model.tiles.get(&place_of(cell)));
        let found = (tile != 0).then(|| (tile & SIDES, usize::from(tile & HELD_BY_BLACK != 0)));
        assert_eq!(found.as_ref(), wanted, "{context}: cell {cell}");
        if tile != 0 {
            let (group, wanted) = (board.group(cell), model.group(place_of(cell)));
            assert_eq!(places(group.members), wanted, "{context}: cell {cell}");
            let liberties = model.liberties(&wanted);
            assert!(!liberties.is_empty(), "{context}: a group without liberties");
            assert_eq!(places(group.liberties), liberties, "{context}: cell {cell}");
            assert_eq!(
                group.foes.is_empty(),
                model.flood(place_of(cell), None) == wanted,
                "{context}: cell {cell}"
            );
        }
    }
}

fn legal_of(model: &Model) -> BTreeSet<u16> {
    let all = (0..CELLS as u8).flat_map(|cell| (1..64).map(move |sides| (cell, sides)));
    let legal = all.filter(|&(cell, sides)| model.is_legal(place_of(cell), sides));
    legal.map(|(cell, sides)| action_of(cell, sides)).chain([PASS]).collect()
}

/// `TABULA_DOMINIONS_GAMES` sets how many.
#[test]
fn groups_kept_up_to_date_equal_flood_fills_on_random_games() {
    let games: u64 = std::env::var("TABULA_DOMINIONS_GAMES").map_or(60, |text| text.parse().unwrap());
    let (mut plies, mut captures, mut suicides, mut both) = (0, 0, 0, 0);
    for number in 0..games {
        let mut dice = Dice::for_game(17, number);
        let (mut board, mut model) = (Board::start(), Model::default());
        loop {
            let action = Dominions.random_action(&board, &mut dice);
            if plies % 97 == 0 {
                let mut listed = Vec::new();
                Dominions.actions(&board, &mut listed);
                assert!(listed.is_sorted(), "game {number}");
                assert_eq!(listed.into_iter().collect::<BTreeSet<u16>>(), legal_of(&model), "game {number}");
            }
            let Some((cell, sides)) = parts_of(action) else { break };
            let resolution = board.place(cell, sides);
            let (captured, given_up) = model.play(place_of(cell), sides);
            assert_eq!((resolution.captured, resolution.given_up), (captured as u32, given_up as u32));
            plies += 1;
            captures += u32::from(captured > 0);
            suicides += u32::from(given_up > 0);
            both += u32::from(captured > 0 && given_up > 0);
            if games <= 100 || plies % 10 == 0 {
                compare(&board, &model, &format!("game {number}, ply {plies}"));
            }
        }
        compare(&board, &model, &format!("game {number}, its end"));
    }
    println!(
        "{games} games, {plies} plies: {captures} captures, {suicides} suicides, {both} moves with both"
    );
    assert!(captures > 0 && suicides > 0);
}

#[test]
fn there_are_11319_first_moves_and_a_pass() {
    let mut actions = Vec::new();
    Dominions.actions(&Board::start(), &mut actions);
    assert_eq!(actions.len(), 11_319 + 1);
    assert_eq!(actions.iter().copied().collect::<BTreeSet<u16>>(), legal_of(&Model::default()));
}

/// A published game, with what is known of it.
#[test]
fn the_sample_game_comes_out_as_it_should() {
    let shared = std::env::var("TABULA_SHARED").unwrap_or_else(|_| "../../shared/data".to_string());
    let path = std::path::Path::new(&shared).join("games/sample_game_mindsports.txt");
    let Ok(text) = std::fs::read_to_string(&path) else {
        println!("skipped: there is no {}", path.display());
        return;
    };
    let moves = notation::parse_game(&text).unwrap();
    assert_eq!(moves.len(), 62);
    let mut board = Board::start();
    let (mut captures, mut suicides) = (Vec::new(), Vec::new());
    for (number, &(mover, action)) in (1..).zip(&moves) {
        assert_eq!(mover, board.mover());
        let (cell, sides) = parts_of(action).unwrap();
        assert_eq!(board.check(cell, sides), Ok(()), "move {number}");
        let resolution = board.place(cell, sides);
        if resolution.captured > 0 {
            captures.push((number, resolution.captured));
        }
        if resolution.given_up > 0 {
            suicides.push(number);
        }
    }
    assert_eq!(suicides, [19, 25, 33, 39, 51, 53, 59]);
    assert_eq!(captures.iter().map(|capture| capture.0).collect::<Vec<_>>(), [45, 48, 50, 58]);
    assert_eq!(captures[2], (50, 4));
    let figures = |color| (board.held(color).len(), board.hand(color).count_ones(), board.score(color));
    assert_eq!(figures(Color::White), (18, 32, -14));
    assert_eq!(figures(Color::Black), (44, 32, 12));
    let again: Vec<String> =
        moves.iter().map(|&(mover, action)| notation::move_text(mover, action)).collect();
    assert_eq!(again.join(";"), text.trim());
    board.pass();
    board.pass();
    assert_eq!(Dominions.outcome(&board), Some(Outcome::BlackWins));
}

fn cell(q: i32, r: i32) -> u8 {
    cell_at(q, r).unwrap()
}

const TR: u8 = 1;
const R: u8 = 2;
const BR: u8 = 4;
const BL: u8 = 8;
const L: u8 = 16;
const TL: u8 = 32;

/// A section of several groups is left without a liberty, though no single group was.
#[test]
fn oscillation_is_found_in_sections_of_several_groups() {
    let mut board = Board::start();
    board.place(cell(0, 0), R | BR);
    board.place(cell(1, 0), L | BL);
    assert_eq!(board.check(cell(0, 1), TL | TR), Err(IllegalPlacement::Oscillation));
    let mut actions = Vec::new();
    Dominions.actions(&board, &mut actions);
    assert!(!actions.contains(&action_of(cell(0, 1), TL | TR)));
    assert!(
        actions.contains(&action_of(cell(0, 1), TL | TR | BR)),
        "with a liberty of its own it may go there"
    );
}

#[test]
fn what_may_not_be_placed_is_refused_with_a_reason() {
    let mut board = Board::start();
    let refused = |board: &Board, text: &str| Dominions.parse_action(board, text).unwrap_err();
    assert!(refused(&board, "B[P63i9]").contains("other side's turn"));
    assert!(refused(&board, "P1q9").contains("over the edge"));
    board.place(cell(0, 0), SIDES);
    assert!(refused(&board, "P63i9").contains("occupied"));
    assert!(refused(&board, "P63a1").contains("neither next to"));
    assert!(refused(&board, "P1i10").contains("do not match"));
    board.place(cell(1, 0), L);
    board.pass();
    assert!(refused(&board, "P4h9").contains("played already"));
    assert_eq!(Dominions.parse_action(&board, "B[pass]"), Ok(PASS));
}

/// One pass does not end a game, two in a row do, and a placement between them starts the count anew.
#[test]
fn two_passes_in_a_row_end_a_game() {
    let mut board = Board::start();
    board.pass();
    assert_eq!(Dominions.outcome(&board), None);
    board.place(cell(0, 0), SIDES);
    board.pass();
    assert_eq!(Dominions.outcome(&board), None);
    board.pass();
    // A tile each way: 1 - 63 for White... and Black, who placed, has 1 - 62.
    assert_eq!(Dominions.outcome(&board), Some(Outcome::BlackWins));
    let mut empty = Board::start();
    empty.pass();
    empty.pass();
    assert_eq!(Dominions.outcome(&empty), Some(Outcome::Draw));
}

/// Equal positions have equal keys, however they came about; a pass or another controller makes another key.
#[test]
fn keys_tell_positions_apart() {
    let play = |moves: &[(i32, i32, u8)]| {
        let mut board = Board::start();
        moves.iter().for_each(|&(q, r, sides)| _ = board.place(cell(q, r), sides));
        board
    };
    // White's two tiles in either order; Black's stand between.
    let one = play(&[(0, 0, SIDES), (1, 0, L | R), (0, 1, TL | BL), (2, 0, L | TR)]);
    let other = play(&[(0, 0, SIDES), (1, 0, L | R), (0, 1, TL | BL), (2, 0, L | TR)]);
    assert_eq!(one.key(), other.key());
    let mut passed = one.clone();
    passed.pass();
    assert_ne!(passed.key(), one.key());
    let mut keys = BTreeSet::new();
    for number in 0..50 {
        let mut dice = Dice::for_game(19, number);
        let mut board = Board::start();
        for _ in 0..60 {
            let action = Dominions.random_action(&board, &mut dice);
            Dominions.apply(&mut board, action);
            assert!(keys.insert(board.key()), "two positions with one key");
        }
    }
}

#[test]
fn every_view_draws_every_tile() {
    let mut board = Board::start();
    board.place(cell(0, 0), SIDES);
    board.place(cell(1, 0), L | TR);
    let tiles = Dominions.view(&board, "tiles");
    assert!(tiles.contains("W077") && tiles.contains("B124"), "{tiles}");
    assert_eq!(tiles.lines().count(), 19);
    assert!(Dominions.view(&board, "groups").contains("W1"));
    assert!(Dominions.view(&board, "control").contains('+'));
    assert!(Dominions.view(&board, "hands").starts_with("White: 1 2 3"));
}
