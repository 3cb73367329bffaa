//! What the linear evaluation and the priors of Dominions count.

use engine::types::Color;

use super::board::Board;
use super::cells::{COORDINATES, CellSet, NEIGHBOURS, OUTSIDE};
use super::parts_of;

/// Of a position, White's less Black's. `_late`: times the share of all tiles that is on the board.
pub const FEATURES: [&str; 13] = [
    "tempo",
    "held",
    "held_late",
    "hand",
    "hand_late",
    "liberties",
    "liberties_late",
    "groups",
    "sections",
    "one_liberty_to_move",
    "one_liberty_waiting",
    "two_liberties_to_move",
    "two_liberties_waiting",
];

/// Counts [`FEATURES`]; tiles in tens.
pub fn position(board: &Board, counts: &mut [f32]) {
    let late = board.placed() as f32 / 126.0;
    for (color, sign) in [(Color::White, 1.0), (Color::Black, -1.0)] {
        let moves = color == board.mover();
        let held = board.held(color).len() as f32 / 10.0;
        let hand = board.hand(color).count_ones() as f32 / 10.0;
        if moves {
            counts[0] += sign;
        }
        counts[1] += sign * held;
        counts[2] += sign * held * late;
        counts[3] += sign * hand;
        counts[4] += sign * hand * late;
        for group in board.groups(color) {
            let (size, liberties) = (group.members.len() as f32 / 10.0, group.liberties.len());
            counts[5] += sign * liberties as f32 / 10.0;
            counts[6] += sign * liberties as f32 / 10.0 * late;
            counts[7] += sign / 10.0;
            counts[8] += sign / 10.0 * f32::from(u8::from(group.foes.is_empty()));
            match (liberties, moves) {
                (1, true) => counts[9] += sign * size,
                (1, false) => counts[10] += sign * size,
                (2, true) => counts[11] += sign * size,
                (2, false) => counts[12] += sign * size,
                _ => {}
            }
        }
    }
}

/// Of an action.
pub const ACTION_FEATURES: [&str; 15] = [
    "pass",
    "pass_that_wins",
    "captures",
    "tiles_captured",
    "gives_up",
    "tiles_given_up",
    "liberties_after",
    "tiles_with_one_liberty_after",
    "tiles_saved",
    "tiles_threatened",
    "links_to_own",
    "links_to_enemy",
    "open_sides",
    "walls_to_enemy",
    "distance_from_middle",
];

/// Counts [`ACTION_FEATURES`] without doing the action.
pub fn action(board: &Board, action: u16, counts: &mut [f32]) {
    let own = board.mover();
    let Some((cell, sides)) = parts_of(action) else {
        counts[0] = 1.0;
        let wins = board.passes() == 1 && board.score(own) > board.score(!own);
        counts[1] = f32::from(u8::from(wins));
        return;
    };
    let (enemy_cells, own_cells) = (board.held(!own), board.held(own));
    let mut liberties = CellSet::EMPTY;
    let mut members = CellSet::EMPTY;
    let (mut captured, mut threatened, mut saved) = (0, 0, 0);
    let mut seen: [u8; 6] = [0; 6];
    for (side, &next) in NEIGHBOURS[usize::from(cell)].iter().enumerate() {
        if next == OUTSIDE {
            continue;
        }
        let (is_own, is_enemy) = (own_cells.contains(next), enemy_cells.contains(next));
        if sides >> side & 1 == 0 {
            counts[13] += f32::from(u8::from(is_enemy));
            continue;
        }
        counts[10] += f32::from(u8::from(is_own));
        counts[11] += f32::from(u8::from(is_enemy));
        if !is_own && !is_enemy {
            counts[12] += 1.0;
            liberties.insert(next);
            continue;
        }
        let number = board.group_number(next);
        if seen.contains(&number) {
            continue;
        }
        seen[side] = number;
        let group = board.group(next);
        let (size, left) = (group.members.len(), group.liberties.len());
        if is_own {
            liberties = liberties.union(group.liberties);
            members = members.union(group.members);
            saved += if left == 1 { size } else { 0 };
        } else {
            captured += if left == 1 { size } else { 0 };
            threatened += if left == 2 { size } else { 0 };
        }
    }
    liberties.remove(cell);
    let (left, size) = (liberties.len(), members.len() + 1);
    let tens = |tiles: u32| tiles as f32 / 10.0;
    counts[2] = f32::from(u8::from(captured > 0));
    counts[3] = tens(captured);
    counts[4] = f32::from(u8::from(left == 0 && captured == 0));
    counts[5] = if left == 0 && captured == 0 { tens(size) } else { 0.0 };
    counts[6] = left.min(8) as f32 / 4.0;
    counts[7] = if left == 1 && captured == 0 { tens(size) } else { 0.0 };
    counts[8] = if left >= 2 || captured > 0 { tens(saved) } else { 0.0 };
    counts[9] = tens(threatened);
    let (q, r) = COORDINATES[usize::from(cell)];
    counts[14] = q.abs().max(r.abs()).max((q + r).abs()) as f32 / 8.0;
}
