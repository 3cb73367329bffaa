//! FEN in and out: board, side, castling, en passant, checks, clock, number, and what only some variants need.

use super::geometry::{cell_of, piece_of};
use super::position::Position;
use super::variant::Variant;

/// Reads a position; an error says which field is wrong.
pub fn parse(variant: &Variant, text: &str) -> Result<Position, String> {
    let fields: Vec<&str> = text.split_whitespace().collect();
    let Some((board, rest)) = fields.split_first() else {
        return Err("the FEN is empty: write board, side, castling, en passant".to_string());
    };
    let mut position = Position::empty();
    place(variant, &mut position, board)?;
    position.tail.left = variant.moves_a_turn;
    position.tail.side = match rest.first() {
        Some(&"w") | None => 0,
        Some(&"b") => 1,
        Some(other) => return Err(format!("'{other}' is no side: write w or b")),
    };
    castling(variant, &mut position, rest.get(1).unwrap_or(&"-"))?;
    en_passant(variant, &mut position, rest.get(2).unwrap_or(&"-"))?;
    let mut numbers = Vec::new();
    for field in rest.iter().skip(3) {
        more(variant, &mut position, field, &mut numbers)?;
    }
    position.tail.clock = numbers.first().copied().unwrap_or(0);
    let turn = numbers.get(1).copied().unwrap_or(1).max(1);
    position.tail.number = (turn - 1).saturating_mul(2).saturating_add(u16::from(position.tail.side));
    if numbers.len() > 2 {
        return Err("there are too many numbers: the clock and the number of the move".to_string());
    }
    Ok(position)
}

/// Ranks from the top, `|` between the boards of Alice chess.
fn place(variant: &Variant, position: &mut Position, text: &str) -> Result<(), String> {
    let geometry = variant.geometry;
    let boards: Vec<&str> = text.split('|').collect();
    if boards.len() != usize::from(geometry.boards) {
        return Err(format!("'{text}' has {} boards, not {}", boards.len(), geometry.boards));
    }
    for (board, text) in (0..).zip(boards) {
        // A pocket that is empty says nothing.
        let text = text.trim_end_matches("[]");
        let ranks: Vec<&str> = text.split('/').collect();
        if ranks.len() != usize::from(geometry.height) {
            return Err(format!("'{text}' has {} ranks, not {}", ranks.len(), geometry.height));
        }
        for (from_top, rank) in (0i16..).zip(ranks) {
            let y = i16::from(geometry.height) - 1 - from_top;
            place_rank(variant, position, rank, y, board)?;
        }
    }
    Ok(())
}

fn place_rank(
    variant: &Variant,
    position: &mut Position,
    rank: &str,
    y: i16,
    board: u8,
) -> Result<(), String> {
    let geometry = variant.geometry;
    let wrong = |reason: String| Err(format!("rank {} of the FEN, '{rank}': {reason}", y + 1));
    let (mut x, mut empty) = (0i16, 0i16);
    for letter in rank.chars() {
        if let Some(digit) = letter.to_digit(10) {
            empty = (empty * 10 + digit as i16).min(1000);
            continue;
        }
        (x, empty) = (x + empty, 0);
        let Some((piece, side)) = variant.piece_of_letter(letter) else {
            return wrong(format!("there is no piece '{letter}'"));
        };
        let Some(square) = geometry.square(x, y, board) else {
            return wrong(format!("it has more than {} files", geometry.width));
        };
        position.put(variant, square, cell_of(piece, side));
        x += 1;
    }
    match x + empty == i16::from(geometry.width) {
        true => Ok(()),
        false => wrong(format!("it has {} files, not {}", x + empty, geometry.width)),
    }
}

fn castling(variant: &Variant, position: &mut Position, text: &str) -> Result<(), String> {
    for letter in text.chars().filter(|letter| *letter != '-') {
        let found = variant.castlings.iter().position(|castling| castling.letter == letter);
        let Some(number) = found else {
            return Err(format!("'{letter}' in '{text}' is no castling of this variant"));
        };
        position.tail.rights |= 1 << number;
    }
    Ok(())
}

/// `e3`, or several squares: empty ones can be entered, an occupied one is the piece that is taken.
fn en_passant(variant: &Variant, position: &mut Position, text: &str) -> Result<(), String> {
    let (mut passed, mut victim, mut rest) = (Vec::new(), 255, text);
    while !rest.is_empty() && rest != "-" {
        let marks = rest.bytes().skip(1).take_while(|byte| byte.is_ascii_digit() || *byte == b'\'').count();
        let square = rest.get(..1 + marks).and_then(|name| variant.geometry.parse(name));
        let Some(square) = square else {
            return Err(format!("'{text}' is no square to capture on in passing"));
        };
        rest = &rest[1 + marks..];
        if position.cells[usize::from(square)] == 0 { passed.push(square) } else { victim = square }
    }
    if passed.is_empty() {
        return Ok(());
    }
    let toward = if position.tail.side == 0 { -1 } else { 1 };
    if victim == 255 {
        let behind = passed.iter().filter_map(|square| variant.geometry.step(*square, (0, toward)));
        let stands = |square: &u8| position.occupied[usize::from(1 - position.tail.side)].has(*square);
        victim = behind.into_iter().find(stands).unwrap_or(255);
    }
    if victim != 255 && passed.len() <= 2 {
        position.tail.victim = victim;
        position.tail.passed.iter_mut().zip(passed).for_each(|(place, square)| *place = square);
    }
    Ok(())
}

/// Fields after the first four: numbers, `3+3` (checks still to give), `+0+2` (checks given), `left=1`, `last=Nq`.
fn more(
    variant: &Variant,
    position: &mut Position,
    field: &str,
    numbers: &mut Vec<u16>,
) -> Result<(), String> {
    let wrong = || Err(format!("'{field}' cannot be read"));
    if let Some(left) = field.strip_prefix("left=") {
        match left.parse() {
            Ok(left) if (1..=variant.moves_a_turn).contains(&left) => position.tail.left = left,
            _ => return wrong(),
        }
    } else if let Some(letters) = field.strip_prefix("last=") {
        for (letter, place) in letters.chars().zip(&mut position.tail.last) {
            *place = match variant.piece_of_letter(letter) {
                Some((piece, _)) => piece,
                None if letter == '-' => 255,
                None => return wrong(),
            };
        }
    } else if let Some(given) = field.strip_prefix('+') {
        let Some((white, black)) = given.split_once('+') else { return wrong() };
        let (Ok(white), Ok(black)) = (white.parse(), black.parse()) else { return wrong() };
        position.tail.checks = [white, black];
    } else if let Some((white, black)) = field.split_once('+') {
        let given =
            |left: &str| left.parse::<u8>().ok().and_then(|left| variant.goals.checks.checked_sub(left));
        let (Some(white), Some(black)) = (given(white), given(black)) else { return wrong() };
        position.tail.checks = [white, black];
    } else {
        match field {
            "-" => numbers.push(0),
            _ => match field.parse() {
                Ok(number) => numbers.push(number),
                Err(_) => return wrong(),
            },
        }
    }
    Ok(())
}

/// The board alone.
pub fn board_text(variant: &Variant, position: &Position) -> String {
    let geometry = variant.geometry;
    let board = |board: u8| {
        let rank = |y: i16| {
            let (mut text, mut empty) = (String::new(), 0);
            for x in 0..i16::from(geometry.width) {
                let cell =
                    geometry.square(x, y, board).map_or(0, |square| position.cells[usize::from(square)]);
                if cell == 0 {
                    empty += 1;
                    continue;
                }
                if empty > 0 {
                    text += &empty.to_string();
                }
                empty = 0;
                let (piece, side) = piece_of(cell);
                text.push(variant.letter(piece, side));
            }
            if empty > 0 { text + &empty.to_string() } else { text }
        };
        (0..i16::from(geometry.height)).rev().map(rank).collect::<Vec<_>>().join("/")
    };
    (0..geometry.boards).map(board).collect::<Vec<_>>().join("|")
}

/// The whole position; [`parse`] reads it again.
pub fn write(variant: &Variant, position: &Position) -> String {
    let tail = &position.tail;
    let rights: String = (0..variant.castlings.len())
        .filter(|number| tail.rights >> number & 1 == 1)
        .map(|number| variant.castlings[number].letter)
        .collect();
    let dash = |text: String| if text.is_empty() { "-".to_string() } else { text };
    let mut passed = String::new();
    if tail.victim != 255 {
        let squares = tail.passed.iter().filter(|square| **square != 255);
        passed = squares.map(|square| variant.geometry.name(*square)).collect();
        let toward = if tail.side == 0 { -1 } else { 1 };
        let is_plain = variant.geometry.step(tail.passed[0], (0, toward)) == Some(tail.victim);
        if !is_plain || tail.passed[1] != 255 {
            passed += &variant.geometry.name(tail.victim);
        }
    }
    let mut text = format!(
        "{} {} {} {}",
        board_text(variant, position),
        if tail.side == 0 { 'w' } else { 'b' },
        dash(rights),
        dash(passed)
    );
    if variant.goals.checks > 0 {
        let left = tail.checks.map(|given| variant.goals.checks.saturating_sub(given));
        text += &format!(" {}+{}", left[0], left[1]);
    }
    text += &format!(" {} {}", tail.clock, tail.number / 2 + 1);
    if variant.moves_a_turn > 1 {
        text += &format!(" left={}", tail.left);
    }
    if variant.has_jokers {
        let letter = |side: u8| match tail.last[usize::from(side)] {
            255 => '-',
            piece => variant.letter(piece, side),
        };
        text += &format!(" last={}{}", letter(0), letter(1));
    }
    text
}
