//! Dominions: a connection game on a hexagonal board. Each side has 63 hexagonal tiles, one for every set of sides that
//! connect; what is put down must match its neighbours, and a group without liberties changes hands.
//!
//! `docs/11-games.md` has the rules. [`cells`] is the board, [`board`] the position with its groups, [`notation`] text,
//! [`view`] the terminal, [`features`] what is learned.

pub mod board;
pub mod cells;
pub mod features;
pub mod notation;
pub mod view;

use board::Board;
use engine::types::Color;
use view::View;

use super::Game;
use crate::Outcome;
use crate::play::Dice;

/// Not to place anything.
pub const PASS: u16 = u16::MAX;

/// The action of putting a tile, told by its sides, on a cell.
pub const fn action_of(cell: u8, sides: u8) -> u16 {
    cell as u16 * 64 + sides as u16
}

/// The cell and the sides of an action; `None` for a pass.
pub const fn parts_of(action: u16) -> Option<(u8, u8)> {
    if action == PASS { None } else { Some(((action / 64) as u8, (action % 64) as u8)) }
}

/// The game. There is nothing to choose about its rules.
#[derive(Clone, Debug)]
pub struct Dominions;

impl Game for Dominions {
    type State = Board;
    const NAME: &'static str = "dominions";

    fn with_rules(rules: &str) -> Result<Dominions, String> {
        if rules.is_empty() { Ok(Dominions) } else { Err(format!("there are no rules '{rules}' to choose")) }
    }

    fn rules(&self) -> String {
        String::new()
    }

    fn start(&self) -> Board {
        Board::start()
    }

    fn mover(&self, state: &Board) -> Color {
        state.mover()
    }

    /// Two passes end a game; whoever controls more tiles, less those left in hand, wins.
    fn outcome(&self, state: &Board) -> Option<Outcome> {
        let [white, black] = [Color::White, Color::Black].map(|color| state.score(color));
        (state.passes() >= 2).then(|| match white.cmp(&black) {
            std::cmp::Ordering::Greater => Outcome::WhiteWins,
            std::cmp::Ordering::Equal => Outcome::Draw,
            std::cmp::Ordering::Less => Outcome::BlackWins,
        })
    }

    /// Cell by cell, tile by tile; the pass comes last.
    fn actions(&self, state: &Board, actions: &mut Vec<u16>) {
        for cell in state.candidates().iter() {
            let mut tiles = state.allowed(cell);
            while tiles != 0 {
                actions.push(action_of(cell, tiles.trailing_zeros() as u8));
                tiles &= tiles - 1;
            }
        }
        actions.push(PASS);
    }

    fn apply(&self, state: &mut Board, action: u16) {
        match parts_of(action) {
            Some((cell, sides)) => _ = state.place(cell, sides),
            None => state.pass(),
        }
    }

    fn key(&self, state: &Board) -> u64 {
        state.key()
    }

    fn action_text(&self, state: &Board, action: u16) -> String {
        notation::move_text(state.mover(), action)
    }

    fn parse_action(&self, state: &Board, text: &str) -> Result<u16, String> {
        let text = text.trim();
        let action = match text.contains('[') {
            true => match notation::parse_move(text)? {
                (mover, action) if mover == state.mover() => action,
                _ => return Err(format!("'{text}': it is the other side's turn")),
            },
            false => notation::parse_action(text)?,
        };
        if let Some((cell, sides)) = parts_of(action) {
            state.check(cell, sides).map_err(|reason| format!("'{text}': {reason}"))?;
        }
        Ok(action)
    }

    fn diagram(&self, state: &Board) -> String {
        view::draw(state, View::Tiles)
    }

    const VIEWS: &'static [&'static str] = &view::VIEWS;

    fn view(&self, state: &Board, name: &str) -> String {
        match name {
            "groups" => view::draw(state, View::Groups),
            "control" => view::draw(state, View::Control),
            "hands" => view::hands(state),
            _ => view::draw(state, View::Tiles),
        }
    }

    /// Any placement; a pass only where there is none.
    fn random_action(&self, state: &Board, dice: &mut Dice) -> u16 {
        let mut places: Vec<(u8, u64)> = state
            .candidates()
            .iter()
            .map(|cell| (cell, state.fitting(cell)))
            .filter(|(_, tiles)| *tiles != 0)
            .collect();
        let mut count: u64 = places.iter().map(|(_, tiles)| u64::from(tiles.count_ones())).sum();
        while count > 0 {
            let mut left = dice.below(count);
            let Some((cell, tiles)) = places.iter_mut().find(|(_, tiles)| {
                let here = u64::from(tiles.count_ones());
                let found = left < here;
                left -= if found { 0 } else { here };
                found
            }) else {
                break;
            };
            let sides = nth_bit(*tiles, left as u32);
            // Rare enough to be looked at only when it is drawn.
            if sides == state.demands(*cell).1 && state.oscillates(*cell, sides) {
                *tiles &= !(1 << sides);
                count -= 1;
                continue;
            }
            return action_of(*cell, sides);
        }
        PASS
    }

    const FEATURES: &'static [&'static str] = &features::FEATURES;

    fn features(&self, state: &Board, counts: &mut [f32]) {
        features::position(state, counts);
    }

    const ACTION_FEATURES: &'static [&'static str] = &features::ACTION_FEATURES;

    fn action_features(&self, state: &Board, action: u16, counts: &mut [f32]) {
        features::action(state, action, counts);
    }
}

fn nth_bit(mut bits: u64, n: u32) -> u8 {
    for _ in 0..n {
        bits &= bits - 1;
    }
    bits.trailing_zeros() as u8
}
