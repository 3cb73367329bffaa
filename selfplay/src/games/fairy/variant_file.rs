//! Variant files: TOML in, a [`Variant`] out. Errors name the line and say what to write.

use toml::Spanned;
use toml::de::{DeTable, DeValue};
use xxhash_rust::xxh64::xxh64;

use super::compile::Tables;
use super::geometry::{Geometry, MOST_CELLS};
use super::modifier::{ANY, Line, Modifier, Types, parse_line};
use super::position::Position;
use super::variant::{Castling, Goals, MOST_PIECES, PieceType, Promotion, Stalemate, Variant};
use super::{betza, fen};

/// What is wrong with a file, and in which line.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("line {line}: {reason}")]
pub struct FileError {
    /// From 1.
    pub line: usize,
    /// What is wrong, and what to write.
    pub reason: String,
}

type Entry<'a> = Spanned<DeValue<'a>>;

/// A table of the file that knows where it stands and which entries were asked for.
struct Section<'a, 'b> {
    text: &'b str,
    title: String,
    at: usize,
    table: Option<&'b DeTable<'a>>,
}

fn error_at(text: &str, byte: usize, reason: impl Into<String>) -> FileError {
    let line = text.as_bytes()[..byte.min(text.len())].iter().filter(|byte| **byte == b'\n').count() + 1;
    FileError { line, reason: reason.into() }
}

impl<'a, 'b> Section<'a, 'b> {
    fn wrong<T>(&self, entry: Option<&Entry>, reason: impl Into<String>) -> Result<T, FileError> {
        let byte = entry.map_or(self.at, |entry| entry.span().start);
        Err(error_at(self.text, byte, reason))
    }

    fn entry(&self, name: &str) -> Option<&'b Entry<'a>> {
        self.table.and_then(|table| table.get(name))
    }

    /// Refuses entries that mean nothing.
    fn only(&self, names: &[&str]) -> Result<(), FileError> {
        let Some(table) = self.table else { return Ok(()) };
        match table.keys().find(|key| !names.contains(&key.get_ref().as_ref())) {
            None => Ok(()),
            Some(key) => {
                let reason = format!(
                    "{} has no entry '{}'; it may have {}",
                    self.title,
                    key.get_ref(),
                    names.join(", ")
                );
                Err(error_at(self.text, key.span().start, reason))
            }
        }
    }

    fn section(&self, name: &str) -> Result<Section<'a, 'b>, FileError> {
        let title = format!("[{name}]");
        match self.entry(name) {
            None => Ok(Section { text: self.text, title, at: self.at, table: None }),
            Some(entry) => match entry.get_ref() {
                DeValue::Table(table) => {
                    Ok(Section { text: self.text, title, at: entry.span().start, table: Some(table) })
                }
                _ => self.wrong(Some(entry), format!("{name} is no table: write {title}")),
            },
        }
    }

    fn text_of(&self, name: &str) -> Result<Option<(&'b str, &'b Entry<'a>)>, FileError> {
        match self.entry(name) {
            None => Ok(None),
            Some(entry) => match entry.get_ref() {
                DeValue::String(text) => Ok(Some((text.as_ref(), entry))),
                _ => self.wrong(Some(entry), format!("{name} is no text: write {name} = \"…\"")),
            },
        }
    }

    fn number(&self, name: &str, least: u16, most: u16, usual: u16) -> Result<u16, FileError> {
        let Some(entry) = self.entry(name) else { return Ok(usual) };
        let number = match entry.get_ref() {
            DeValue::Integer(number) => number.as_str().parse::<u16>().ok(),
            _ => None,
        };
        match number.filter(|number| (least..=most).contains(number)) {
            Some(number) => Ok(number),
            None => self.wrong(Some(entry), format!("{name} is a number from {least} to {most}")),
        }
    }

    fn flag(&self, name: &str) -> Result<bool, FileError> {
        match self.entry(name).map(|entry| (entry.get_ref(), entry)) {
            None => Ok(false),
            Some((DeValue::Boolean(value), _)) => Ok(*value),
            Some((_, entry)) => self.wrong(Some(entry), format!("{name} is true or false")),
        }
    }

    fn texts_of(&self, name: &str) -> Result<Vec<(&'b str, &'b Entry<'a>)>, FileError> {
        let Some(entry) = self.entry(name) else { return Ok(Vec::new()) };
        let wrong = || self.wrong(Some(entry), format!("{name} is a list of texts: {name} = [\"…\", \"…\"]"));
        let DeValue::Array(items) = entry.get_ref() else { return wrong() };
        let mut texts = Vec::new();
        for item in items.iter() {
            let DeValue::String(text) = item.get_ref() else { return wrong() };
            texts.push((text.as_ref(), item));
        }
        Ok(texts)
    }
}

/// Reads a variant.
pub fn parse(text: &str) -> Result<Variant, FileError> {
    let table = DeTable::parse(text).map_err(|error| {
        error_at(text, error.span().map_or(0, |span| span.start), error.message().to_string())
    })?;
    let file = Section { text, title: "the file".to_string(), at: 0, table: Some(table.get_ref()) };
    file.only(&["name", "about", "board", "pieces", "castling", "rules", "goals", "start"])?;
    let Some((name, entry)) = file.text_of("name")? else {
        return file.wrong(None, "it has no name: write name = \"…\"");
    };
    if name.is_empty()
        || !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
        || name.len() > 40
    {
        return file.wrong(Some(entry), "a name has letters, digits and '-', 40 at most");
    }
    let geometry = geometry_of(&file.section("board")?)?;
    let pieces = pieces_of(&file.section("pieces")?, geometry)?;
    let rules = file.section("rules")?;
    rules.only(&["moves_a_turn", "first_turn"])?;
    let moves_a_turn = rules.number("moves_a_turn", 1, 3, 1)? as u8;
    let first_turn = rules.number("first_turn", 1, u16::from(moves_a_turn), 1)? as u8;
    let letters: Vec<char> = pieces.iter().map(|piece| piece.letter).collect();
    let mut variant = Variant {
        name: name.to_string(),
        about: file.text_of("about")?.map_or(String::new(), |about| about.0.to_string()),
        geometry,
        castlings: castlings_of(&file.section("castling")?, geometry)?,
        goals: goals_of(&file.section("goals")?, geometry, &letters)?,
        moves_a_turn,
        start: Position::empty(),
        hash: xxh64(meaning_of(text).as_bytes(), 0),
        royals: 0,
        has_burners: false,
        has_iron: false,
        has_freezers: false,
        has_jokers: false,
        rights_lost: Vec::new(),
        salt: 0,
        keys: Vec::new(),
        tables: Tables::default(),
        pieces,
    };
    variant.complete();
    let Some((start, entry)) = file.text_of("start")? else {
        return file.wrong(None, "there is no start: write start = \"FEN\" before the first [table]");
    };
    match fen::parse(&variant, start) {
        Ok(position) => variant.start = position,
        Err(reason) => return file.wrong(Some(entry), format!("start: {reason}")),
    }
    variant.start.tail.left = first_turn;
    check_start(&variant, &file, entry)?;
    Ok(variant)
}

/// A game must be possible.
fn check_start(variant: &Variant, file: &Section, entry: &Entry) -> Result<(), FileError> {
    let start = &variant.start;
    if variant.geometry.boards == 2
        && (0..variant.geometry.area())
            .any(|square| start.cells[square] != 0 && start.cells[square + variant.geometry.area()] != 0)
    {
        return file.wrong(Some(entry), "start: a square is occupied on both boards");
    }
    if variant.goal_reached(start).is_some() || variant.legal(start, super::rules::How::Compiled).is_empty() {
        return file.wrong(Some(entry), "start: the game is over before its first move");
    }
    if variant.in_check(start, 1 - start.side(), super::rules::How::Compiled) {
        return file.wrong(Some(entry), "start: the side that does not move is in check");
    }
    Ok(())
}

/// The text without comments and blanks, so that these do not make another game.
fn meaning_of(text: &str) -> String {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.filter(|line| !line.starts_with("about")).collect::<Vec<_>>().join("\n")
}

fn geometry_of(board: &Section) -> Result<Geometry, FileError> {
    board.only(&["files", "ranks", "boards"])?;
    let files = board.number("files", 2, 16, 8)? as u8;
    let ranks = board.number("ranks", 2, 16, 8)? as u8;
    let boards = board.number("boards", 1, 2, 1)? as u8;
    let geometry = Geometry { width: files, height: ranks, boards };
    match geometry.cells() <= MOST_CELLS {
        true => Ok(geometry),
        false => board.wrong(None, format!("there are more than {MOST_CELLS} squares")),
    }
}

fn pieces_of(section: &Section, geometry: Geometry) -> Result<Vec<PieceType>, FileError> {
    let Some(table) = section.table.filter(|table| !table.is_empty()) else {
        return section.wrong(None, "there are no pieces: write [pieces.K] and so on");
    };
    let mut letters = Vec::new();
    for key in table.keys() {
        let mut found = key.get_ref().chars();
        match (found.next(), found.next()) {
            (Some(letter), None) if letter.is_ascii_uppercase() => letters.push(letter),
            _ => {
                let reason = format!("'{}' is no letter: pieces are called A to Z", key.get_ref());
                return Err(error_at(section.text, key.span().start, reason));
            }
        }
    }
    if letters.len() > MOST_PIECES {
        return section.wrong(None, format!("there are more than {MOST_PIECES} pieces"));
    }
    letters
        .iter()
        .map(|letter| piece_of(&section.section(&letter.to_string())?, *letter, &letters, geometry))
        .collect()
}

fn piece_of(
    section: &Section,
    letter: char,
    letters: &[char],
    geometry: Geometry,
) -> Result<PieceType, FileError> {
    section.only(&[
        "name",
        "betza",
        "moves",
        "royal",
        "joker",
        "iron",
        "burns",
        "freezes",
        "zone",
        "promotes_to",
        "promotes_on",
        "must_promote_on",
    ])?;
    let mut lines: Vec<Line> = Vec::new();
    if let Some((text, entry)) = section.text_of("betza")? {
        match betza::parse(text) {
            Ok(read) => lines.extend(read),
            Err(error) => return section.wrong(Some(entry), format!("betza, {}", error.shown(text))),
        }
    }
    for (text, entry) in section.texts_of("moves")? {
        match parse_line(text, letters, geometry) {
            Ok(line) => lines.push(line),
            Err(error) => return section.wrong(Some(entry), format!("moves, {}", error.shown(text))),
        }
    }
    let joker = section.flag("joker")?;
    if lines.is_empty() && !joker {
        return section
            .wrong(None, format!("piece {letter} cannot move: write betza = \"…\" or moves = [\"…\"]"));
    }
    if let Some((text, entry)) = section.text_of("zone")? {
        match geometry.parse_set(text) {
            Ok(set) => {
                lines.iter_mut().for_each(|line| insert_zone(line, Modifier::Zone(text.to_string(), set)))
            }
            Err(reason) => return section.wrong(Some(entry), format!("zone: {reason}")),
        }
    }
    Ok(PieceType {
        letter,
        name: section.text_of("name")?.map_or(letter.to_string(), |name| name.0.to_string()),
        lines,
        royal: section.flag("royal")?,
        joker,
        iron: section.flag("iron")?,
        burns: section.flag("burns")?,
        freezes: types_of(section, "freezes", letters)?,
        promotion: promotion_of(section, letters, geometry)?,
    })
}

/// Squares are looked at before what stands on them, so that the line can still be compiled.
fn insert_zone(line: &mut Line, zone: Modifier) {
    let place = line.iter().position(|modifier| !modifier.is_geometric()).unwrap_or(line.len());
    line.insert(place, zone);
}

/// Letters of pieces, or `*`.
fn types_of(section: &Section, name: &str, letters: &[char]) -> Result<Types, FileError> {
    let Some((text, entry)) = section.text_of(name)? else { return Ok(0) };
    if text == "*" {
        return Ok(ANY);
    }
    let mut types = 0;
    for letter in text.chars() {
        match letters.iter().position(|known| *known == letter) {
            Some(number) => types |= 1 << number,
            None => return section.wrong(Some(entry), format!("{name}: there is no piece '{letter}'")),
        }
    }
    Ok(types)
}

fn promotion_of(
    section: &Section,
    letters: &[char],
    geometry: Geometry,
) -> Result<Option<Promotion>, FileError> {
    let types = types_of(section, "promotes_to", letters)?;
    let last = u16::from(geometry.height);
    let from = section.number("promotes_on", 1, last, last)? as u8;
    let must = section.number("must_promote_on", u16::from(from), last + 1, u16::from(from))? as u8;
    let to: Vec<u8> = (0..letters.len() as u8).filter(|number| types >> number & 1 == 1).collect();
    Ok((types != 0).then_some(Promotion { to, from, must }))
}

/// `[castling.K] king = "e1-g1" rook = "h1-f1"`: White's; Black's is its mirror image.
fn castlings_of(section: &Section, geometry: Geometry) -> Result<Vec<Castling>, FileError> {
    let Some(table) = section.table else { return Ok(Vec::new()) };
    let mut castlings = Vec::new();
    for key in table.keys() {
        let mut found = key.get_ref().chars();
        let (Some(letter), None) = (found.next().filter(char::is_ascii_uppercase), found.next()) else {
            return Err(error_at(section.text, key.span().start, "a castling is called by a capital letter"));
        };
        let one = section.section(key.get_ref())?;
        one.only(&["king", "rook"])?;
        let (king, rook) = (way_of(&one, "king", geometry)?, way_of(&one, "rook", geometry)?);
        let turned = |way: (u8, u8)| (geometry.mirrored(way.0), geometry.mirrored(way.1));
        castlings.push(Castling { letter, side: 0, king, rook });
        let letter = letter.to_ascii_lowercase();
        castlings.push(Castling { letter, side: 1, king: turned(king), rook: turned(rook) });
    }
    if castlings.len() > 12 {
        return section.wrong(None, "there are more than six castlings");
    }
    // White's first, as FEN has them.
    castlings.sort_by_key(|castling| castling.side);
    Ok(castlings)
}

fn way_of(section: &Section, name: &str, geometry: Geometry) -> Result<(u8, u8), FileError> {
    let Some((text, entry)) = section.text_of(name)? else {
        return section.wrong(None, format!("a castling needs {name} = \"e1-g1\", from and to"));
    };
    let squares = text.split_once('-').and_then(|(from, to)| {
        let (from, to) = (geometry.parse(from)?, geometry.parse(to)?);
        (geometry.place(from).1 == geometry.place(to).1).then_some((from, to))
    });
    match squares {
        Some(way) => Ok(way),
        None => section
            .wrong(Some(entry), format!("{name} = \"{text}\": write two squares of a rank, as in e1-g1")),
    }
}

fn goals_of(section: &Section, geometry: Geometry, letters: &[char]) -> Result<Goals, FileError> {
    section.only(&[
        "stalemate",
        "bare_king",
        "capture_all",
        "reach_with",
        "reach",
        "checks",
        "repetition",
        "quiet_moves",
    ])?;
    let stalemate = match section.text_of("stalemate")? {
        None | Some(("draw", _)) => Stalemate::Draw,
        Some(("loss", _)) => Stalemate::Loss,
        Some(("win", _)) => Stalemate::Win,
        Some((_, entry)) => {
            return section
                .wrong(Some(entry), "stalemate is draw, loss or win (for the side that cannot move)");
        }
    };
    let reach = match section.text_of("reach")? {
        None => None,
        Some((text, entry)) => match geometry.parse_set(text) {
            Ok(set) => Some((set, entry)),
            Err(reason) => return section.wrong(Some(entry), format!("reach: {reason}")),
        },
    };
    let types = types_of(section, "reach_with", letters)?;
    let types = if types == 0 { ANY } else { types };
    Ok(Goals {
        stalemate,
        bare_king: section.flag("bare_king")?,
        capture_all: section.flag("capture_all")?,
        reach: reach.map(|(set, _)| (types, set)),
        checks: section.number("checks", 0, 20, 0)? as u8,
        repetition: section.number("repetition", 0, 10, 3)? as u8,
        quiet_moves: section.number("quiet_moves", 0, 500, 50)?,
    })
}
