//! Moves as text: `e2e4`, `e7e8=Q`; where one destination has several results, what is taken comes after it: `a1a5xb3,c4`.

use super::geometry::piece_of;
use super::ply::Ply;
use super::position::Position;
use super::variant::Variant;

/// From, to, and what it becomes.
fn short(variant: &Variant, position: &Position, ply: &Ply) -> String {
    let name = |square| variant.geometry.name(square);
    let arrived = ply.changes().iter().find(|change| change.0 == ply.dest).map_or(0, |change| change.1);
    let was = position.cells[usize::from(ply.src)];
    let promoted = match (arrived, was) {
        (0, _) | (_, 0) => String::new(),
        _ if arrived == was || piece_of(arrived).1 != piece_of(was).1 => String::new(),
        _ => format!("={}", variant.letter(piece_of(arrived).0, 0)),
    };
    format!("{}{}{promoted}", name(ply.src), name(ply.dest))
}

/// What vanishes elsewhere than on the two squares.
fn taken(variant: &Variant, position: &Position, ply: &Ply) -> String {
    let gone = ply.changes().iter().filter(|(square, cell)| {
        *cell == 0 && *square != ply.src && position.cells[usize::from(*square)] != 0
    });
    gone.map(|(square, _)| variant.geometry.name(*square)).collect::<Vec<_>>().join(",")
}

/// A move among all legal ones: as short as it can be told from the others.
pub fn write(variant: &Variant, position: &Position, legal: &[Ply], ply: &Ply) -> String {
    let text = short(variant, position, ply);
    let alike: Vec<&Ply> = legal
        .iter()
        .filter(|other| {
            (other.src, other.dest) == (ply.src, ply.dest) && short(variant, position, other) == text
        })
        .collect();
    if alike.len() < 2 {
        return text;
    }
    let longer = format!("{text}x{}", taken(variant, position, ply));
    let same: Vec<&&Ply> = alike
        .iter()
        .filter(|other| taken(variant, position, other) == taken(variant, position, ply))
        .collect();
    if same.len() < 2 {
        return longer;
    }
    let number = same.iter().position(|other| **other == ply).unwrap_or(0);
    format!("{longer}#{}", number + 1)
}

/// The move that a text means.
pub fn parse(variant: &Variant, position: &Position, legal: &[Ply], text: &str) -> Result<usize, String> {
    let text = text.trim();
    let texts: Vec<String> = legal.iter().map(|ply| write(variant, position, legal, ply)).collect();
    if let Some(found) = texts.iter().position(|other| other == text) {
        return Ok(found);
    }
    let begins: Vec<&str> = texts
        .iter()
        .filter(|other| other.starts_with(text) && other[text.len()..].starts_with(['x', '=', '#']))
        .map(String::as_str)
        .collect();
    match begins.as_slice() {
        [] => Err(format!("'{text}' cannot be played here; moves lists what can")),
        several => Err(format!("'{text}' has several results: write {}", several.join(" or "))),
    }
}
