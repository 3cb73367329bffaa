//! Modifiers: a piece is a union of lines, a line an ordered list of modifiers, each from a move to a list of moves.
//!
//! As text, in a variant file: `leap 1,0 | extend * nowrap | nohop | replace | nofriendly`.

use std::fmt::{Display, Formatter, Result as FmtResult};

use super::geometry::Vector;

/// Codes of directions, in the order of the bits of [`Dirs`].
const CODES: [&str; 16] =
    ["f", "b", "l", "r", "v", "s", "ff", "bb", "ll", "rr", "fl", "fr", "bl", "br", "fs", "bs"];

/// Which of the symmetric offsets are meant: the union of some codes; all without any.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Dirs(pub u16);

impl Dirs {
    /// Every direction.
    pub const ALL: Dirs = Dirs(0);

    /// The direction of a code.
    pub fn of_code(code: &str) -> Option<Dirs> {
        CODES.iter().position(|known| *known == code).map(|bit| Dirs(1 << bit))
    }

    /// These and others.
    pub fn with(self, other: Dirs) -> Dirs {
        Dirs(self.0 | other.0)
    }

    /// The codes.
    pub fn codes(self) -> impl Iterator<Item = &'static str> {
        (0..CODES.len()).filter(move |bit| self.0 >> bit & 1 == 1).map(|bit| CODES[bit])
    }

    /// Whether an offset, seen by the side that moves, is meant.
    pub fn has(self, offset: Vector) -> bool {
        let (x, y) = offset;
        let (tall, wide) = (y.abs() > x.abs(), x.abs() > y.abs());
        let meant = |code: &str| match code {
            "f" => y > 0,
            "b" => y < 0,
            "l" => x < 0,
            "r" => x > 0,
            "v" => tall || (y != 0 && !wide),
            "s" => wide || (x != 0 && !tall),
            "ff" => y > 0 && tall,
            "bb" => y < 0 && tall,
            "ll" => x < 0 && wide,
            "rr" => x > 0 && wide,
            "fl" => y > 0 && x < 0,
            "fr" => y > 0 && x > 0,
            "bl" => y < 0 && x < 0,
            "br" => y < 0 && x > 0,
            "fs" => y > 0 && wide,
            "bs" => y < 0 && wide,
            _ => false,
        };
        self.0 == 0 || self.codes().any(meant)
    }
}

/// The offsets that are alike but for turns and mirrors, anticlockwise from the right; none twice.
pub fn symmetric(a: u8, b: u8) -> Vec<Vector> {
    let (a, b) = (a as i8, b as i8);
    let mut offsets: Vec<Vector> =
        [(a, b), (b, a)].into_iter().flat_map(|(x, y)| [(x, y), (-x, y), (x, -y), (-x, -y)]).collect();
    let angle = |&(x, y): &Vector| f64::from(y).atan2(f64::from(x)).rem_euclid(std::f64::consts::TAU);
    offsets.sort_by(|one, other| angle(one).total_cmp(&angle(other)));
    offsets.dedup();
    offsets
}

/// What happens to direction and place after each step of an extension.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum PathModifier {
    /// The board ends at its edges.
    NoWrap,
    /// Left and right edges are joined.
    Cylinder,
    /// The next of the symmetric offsets, always to the same hand.
    Circular,
    /// The first step branches to both sides, later ones are mirrored.
    Crooked,
    /// Only away from where the move began.
    Outward,
}

impl PathModifier {
    const ALL: [PathModifier; 5] = [
        PathModifier::NoWrap,
        PathModifier::Cylinder,
        PathModifier::Circular,
        PathModifier::Crooked,
        PathModifier::Outward,
    ];

    /// As a variant file writes it.
    pub const fn name(self) -> &'static str {
        match self {
            PathModifier::NoWrap => "nowrap",
            PathModifier::Cylinder => "cylinder",
            PathModifier::Circular => "circular",
            PathModifier::Crooked => "crooked",
            PathModifier::Outward => "outward",
        }
    }
}

/// Types of pieces, a bit each.
pub type Types = u64;
/// Any type.
pub const ANY: Types = Types::MAX;

/// In which order a walk takes its straight and its diagonal steps.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Order {
    /// Straight ones first: the horse.
    Straight,
    /// Diagonal ones first.
    Diagonal,
    /// Any: the falcon.
    Any,
}

/// One modifier.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Modifier {
    /// Branches into the offsets; nothing moves before `extend`.
    Leap(Vec<(u8, u8)>, Dirs),
    /// King steps to an offset, one after the other, without leaving the board.
    Walk(u8, u8, Order, Dirs),
    /// One step in the direction chosen, and up to so many more.
    Extend(Option<u8>, Vec<PathModifier>),
    /// At least so many steps.
    AtLeast(u8),
    /// The first square is leapt over.
    Ski,
    /// Stops on the second, fourth … square, and leaps over the others.
    Skip,
    /// Stops on the first, third … square, and leaps over the others.
    Slip,
    /// From these ranks only, as the side that moves counts them.
    Rank(u8, u8),
    /// To these squares only; the other side's are mirrored. The text is kept to be written again.
    Zone(String, super::geometry::Bits),
    /// Nothing stands on the way.
    NoHop,
    /// So many pieces stand on the way.
    Hop(u8, u8),
    /// The square before the last is occupied.
    Behind,
    /// Takes what stands on the destination.
    Replace(Types),
    /// Own pieces are not taken: a necessary capture of one ends the move, another one is undone.
    NoFriendly,
    /// Only if nothing is taken, and the destination is empty.
    MoveOnly,
    /// Only if something is taken.
    CaptureOnly,
    /// Takes the only piece on the way; the destination is empty.
    Locust(Types),
    /// Takes everything on the way.
    Raze,
    /// Stays where it was, what it took is gone.
    Shoot,
    /// Takes what it moves away from.
    Withdraw(Types),
    /// Takes what then stands between it and another own piece, along ranks and files.
    Pincer(Types),
    /// Takes what stands at the corners of the rectangle of own king and destination.
    Coordinate(Types),
    /// Takes all enemies it leaps over, with a gap behind each.
    LeapOver(Types),
    /// Takes by jumping like a man of checkers, as often as it likes.
    Jumps(Vec<(u8, u8)>, Dirs),
    /// The squares on the way can be entered by a pawn that takes it in passing.
    Passable,
    /// Takes in passing.
    EnPassant,
}

/// Modifiers in their order.
pub type Line = Vec<Modifier>;

fn types_text(types: Types, letters: &[char]) -> String {
    if types == ANY {
        return String::new();
    }
    let named = letters.iter().enumerate().filter(|(number, _)| types >> number & 1 == 1);
    format!(" of {}", named.map(|(_, letter)| letter).collect::<String>())
}

fn offsets_text(offsets: &[(u8, u8)], dirs: Dirs) -> String {
    let offsets = offsets.iter().map(|(a, b)| format!(" {a},{b}"));
    offsets.chain(dirs.codes().map(|code| format!(" {code}"))).collect()
}

impl Modifier {
    /// As a variant file writes it; `letters` are those of the variant's pieces.
    pub fn text(&self, letters: &[char]) -> String {
        match self {
            Modifier::Leap(offsets, dirs) => format!("leap{}", offsets_text(offsets, *dirs)),
            Modifier::Walk(a, b, order, dirs) => {
                let order = match order {
                    Order::Straight => "straight",
                    Order::Diagonal => "diagonal",
                    Order::Any => "any",
                };
                format!("walk {a},{b} {order}{}", offsets_text(&[], *dirs))
            }
            Modifier::Extend(most, path) => {
                let most = most.map_or("*".to_string(), |most| most.to_string());
                let path: String = path.iter().map(|modifier| format!(" {}", modifier.name())).collect();
                format!("extend {most}{path}")
            }
            Modifier::AtLeast(steps) => format!("atleast {steps}"),
            Modifier::Rank(first, last) if first == last => format!("rank {first}"),
            Modifier::Rank(first, last) => format!("rank {first}-{last}"),
            Modifier::Zone(text, _) => format!("zone {text}"),
            Modifier::Hop(least, most) if least == most => format!("hop {least}"),
            Modifier::Hop(least, most) => format!("hop {least}-{most}"),
            Modifier::Replace(types)
            | Modifier::Locust(types)
            | Modifier::Withdraw(types)
            | Modifier::Pincer(types)
            | Modifier::Coordinate(types)
            | Modifier::LeapOver(types) => format!("{}{}", self.word(), types_text(*types, letters)),
            Modifier::Jumps(offsets, dirs) => format!("jumps{}", offsets_text(offsets, *dirs)),
            _ => self.word().to_string(),
        }
    }

    /// Its first word.
    pub const fn word(&self) -> &'static str {
        match self {
            Modifier::Leap(..) => "leap",
            Modifier::Walk(..) => "walk",
            Modifier::Extend(..) => "extend",
            Modifier::AtLeast(..) => "atleast",
            Modifier::Ski => "ski",
            Modifier::Skip => "skip",
            Modifier::Slip => "slip",
            Modifier::Rank(..) => "rank",
            Modifier::Zone(..) => "zone",
            Modifier::NoHop => "nohop",
            Modifier::Hop(..) => "hop",
            Modifier::Behind => "behind",
            Modifier::Replace(..) => "replace",
            Modifier::NoFriendly => "nofriendly",
            Modifier::MoveOnly => "move-only",
            Modifier::CaptureOnly => "capture-only",
            Modifier::Locust(..) => "locust",
            Modifier::Raze => "raze",
            Modifier::Shoot => "shoot",
            Modifier::Withdraw(..) => "withdraw",
            Modifier::Pincer(..) => "pincer",
            Modifier::Coordinate(..) => "coordinate",
            Modifier::LeapOver(..) => "leapover",
            Modifier::Jumps(..) => "jumps",
            Modifier::Passable => "passable",
            Modifier::EnPassant => "en-passant",
        }
    }

    /// Whether it looks at nothing but squares: such ones can be worked out before any game.
    pub const fn is_geometric(&self) -> bool {
        matches!(
            self,
            Modifier::Leap(..)
                | Modifier::Walk(..)
                | Modifier::Extend(..)
                | Modifier::AtLeast(..)
                | Modifier::Ski
                | Modifier::Skip
                | Modifier::Slip
                | Modifier::Rank(..)
                | Modifier::Zone(..)
        )
    }
}

/// What is wrong with a text, and where in it (in characters, from 0).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TextError {
    /// The character.
    pub at: usize,
    /// What is wrong, and what to write.
    pub reason: String,
}

impl Display for TextError {
    fn fmt(&self, f: &mut Formatter<'_>) -> FmtResult {
        write!(f, "character {}: {}", self.at + 1, self.reason)
    }
}

impl TextError {
    /// The text with a mark under the character.
    pub fn shown(&self, text: &str) -> String {
        format!("{self}\n  {text}\n  {}^", " ".repeat(self.at))
    }
}

/// Reads a line of modifiers. `letters` are those of the variant's pieces, `board` its squares.
pub fn parse_line(text: &str, letters: &[char], board: super::geometry::Geometry) -> Result<Line, TextError> {
    let mut line = Vec::new();
    let mut at = 0;
    for part in text.split('|') {
        let words: Vec<(usize, &str)> = words_of(part, at);
        at += part.chars().count() + 1;
        let Some((&first, rest)) = words.split_first() else {
            return Err(TextError { at: at - 1, reason: "a modifier is missing here".to_string() });
        };
        line.push(ModifierText { first, rest, letters, board }.read()?);
    }
    let first = line.first().is_some_and(|first| {
        matches!(first, Modifier::Leap(..) | Modifier::Walk(..) | Modifier::Jumps(..) | Modifier::Rank(..))
    });
    if first {
        Ok(line)
    } else {
        Err(TextError { at: 0, reason: "a line begins with leap, walk, jumps or rank".to_string() })
    }
}

/// Words with the number of their first character.
fn words_of(part: &str, from: usize) -> Vec<(usize, &str)> {
    let (mut words, mut start) = (Vec::new(), None);
    for (number, (byte, letter)) in part.char_indices().enumerate() {
        match (letter.is_whitespace(), start) {
            (false, None) => start = Some((number, byte)),
            (true, Some((first, begin))) => {
                words.push((from + first, &part[begin..byte]));
                start = None;
            }
            _ => {}
        }
    }
    if let Some((first, begin)) = start {
        words.push((from + first, &part[begin..]));
    }
    words
}

struct ModifierText<'a> {
    first: (usize, &'a str),
    rest: &'a [(usize, &'a str)],
    letters: &'a [char],
    board: super::geometry::Geometry,
}

impl ModifierText<'_> {
    fn wrong<T>(&self, number: usize, reason: impl Into<String>) -> Result<T, TextError> {
        let at = self.rest.get(number).map_or(self.first.0, |word| word.0);
        Err(TextError { at, reason: reason.into() })
    }

    fn read(&self) -> Result<Modifier, TextError> {
        let modifier = match self.first.1 {
            "leap" => self.offsets().map(|(offsets, dirs)| Modifier::Leap(offsets, dirs))?,
            "jumps" => self.offsets().map(|(offsets, dirs)| Modifier::Jumps(offsets, dirs))?,
            "walk" => self.walk()?,
            "extend" => self.extend()?,
            "atleast" => Modifier::AtLeast(self.range("atleast 2")?.0),
            "rank" => self.range("rank 2 or rank 6-10").map(|(first, last)| Modifier::Rank(first, last))?,
            "hop" => self.range("hop 1 or hop 1-3").map(|(first, last)| Modifier::Hop(first, last))?,
            "zone" => self.zone()?,
            "replace" => Modifier::Replace(self.types()?),
            "locust" => Modifier::Locust(self.types()?),
            "withdraw" => Modifier::Withdraw(self.types()?),
            "pincer" => Modifier::Pincer(self.types()?),
            "coordinate" => Modifier::Coordinate(self.types()?),
            "leapover" => Modifier::LeapOver(self.types()?),
            word => self.plain(word)?,
        };
        Ok(modifier)
    }

    fn plain(&self, word: &str) -> Result<Modifier, TextError> {
        let all = [
            Modifier::Ski,
            Modifier::Skip,
            Modifier::Slip,
            Modifier::NoHop,
            Modifier::Behind,
            Modifier::NoFriendly,
            Modifier::MoveOnly,
            Modifier::CaptureOnly,
            Modifier::Raze,
            Modifier::Shoot,
            Modifier::Passable,
            Modifier::EnPassant,
        ];
        let Some(found) = all.into_iter().find(|modifier| modifier.word() == word) else {
            let reason = format!("there is no modifier '{word}'; docs/14-fairy.md lists them");
            return Err(TextError { at: self.first.0, reason });
        };
        match self.rest.is_empty() {
            true => Ok(found),
            false => self.wrong(0, format!("nothing comes after {word} but '|'")),
        }
    }

    fn offset(&self, number: usize) -> Option<(u8, u8)> {
        let (a, b) = self.rest.get(number)?.1.split_once(',')?;
        let read = |text: &str| text.parse::<u8>().ok().filter(|number| *number < 12);
        Some((read(a)?, read(b)?)).filter(|offset| *offset != (0, 0))
    }

    fn dirs(&self, from: usize) -> Result<Dirs, TextError> {
        let mut dirs = Dirs::ALL;
        for (number, (_, word)) in self.rest.iter().enumerate().skip(from) {
            let Some(dir) = Dirs::of_code(word) else {
                return self.wrong(number, format!("'{word}' is no direction: one of {}", CODES.join(" ")));
            };
            dirs = dirs.with(dir);
        }
        Ok(dirs)
    }

    fn offsets(&self) -> Result<(Vec<(u8, u8)>, Dirs), TextError> {
        let offsets: Vec<(u8, u8)> = (0..self.rest.len()).map_while(|number| self.offset(number)).collect();
        if offsets.is_empty() {
            let word = self.first.1;
            return self
                .wrong(0, format!("{word} needs an offset such as 1,2: numbers from 0 to 11, not 0,0"));
        }
        let dirs = self.dirs(offsets.len())?;
        Ok((offsets, dirs))
    }

    fn walk(&self) -> Result<Modifier, TextError> {
        let (Some((a, b)), Some(order)) = (self.offset(0), self.rest.get(1)) else {
            return self.wrong(0, "write walk 1,2 straight (or diagonal, or any)");
        };
        let order = match order.1 {
            "straight" => Order::Straight,
            "diagonal" => Order::Diagonal,
            "any" => Order::Any,
            other => return self.wrong(1, format!("'{other}' is no order: straight, diagonal or any")),
        };
        if a.max(b) > 6 {
            return self.wrong(0, "no walk is longer than 6 steps");
        }
        Ok(Modifier::Walk(a, b, order, self.dirs(2)?))
    }

    fn extend(&self) -> Result<Modifier, TextError> {
        let most = match self.rest.first().map(|word| word.1) {
            Some("*") => None,
            Some(word) => match word.parse::<u8>() {
                Ok(most) if most < 32 => Some(most),
                _ => {
                    return self
                        .wrong(0, "write extend 0 (a leap), extend 3 (up to 4 steps) or extend * (a ride)");
                }
            },
            None => {
                return self
                    .wrong(0, "write extend 0 (a leap), extend 3 (up to 4 steps) or extend * (a ride)");
            }
        };
        let mut path = Vec::new();
        for (number, (_, word)) in self.rest.iter().enumerate().skip(1) {
            let Some(found) = PathModifier::ALL.into_iter().find(|modifier| modifier.name() == *word) else {
                let names: Vec<_> = PathModifier::ALL.iter().map(|modifier| modifier.name()).collect();
                return self.wrong(number, format!("'{word}' is none of {}", names.join(", ")));
            };
            path.push(found);
        }
        let has = |wanted: PathModifier| path.contains(&wanted);
        match has(PathModifier::NoWrap) != has(PathModifier::Cylinder) {
            true => Ok(Modifier::Extend(most, path)),
            false => self.wrong(0, "an extension needs nowrap or cylinder, one of them"),
        }
    }

    /// `2`, `6-10`.
    fn range(&self, example: &str) -> Result<(u8, u8), TextError> {
        let read = || {
            let [(_, word)] = self.rest else { return None };
            let (first, last) = word.split_once('-').unwrap_or((word, word));
            Some((first.parse::<u8>().ok()?, last.parse::<u8>().ok()?))
        };
        match read() {
            Some((first, last)) if first <= last => Ok((first, last)),
            _ => self.wrong(0, format!("write {example}")),
        }
    }

    fn zone(&self) -> Result<Modifier, TextError> {
        let text: Vec<&str> = self.rest.iter().map(|word| word.1).collect();
        let text = text.join(" ");
        match self.board.parse_set(&text) {
            Ok(set) => Ok(Modifier::Zone(text, set)),
            Err(reason) => self.wrong(0, reason),
        }
    }

    fn types(&self) -> Result<Types, TextError> {
        match self.rest {
            [] => Ok(ANY),
            [(_, "of"), (at, letters)] => {
                let mut types = 0;
                for (number, letter) in letters.chars().enumerate() {
                    let found = self.letters.iter().position(|known| *known == letter);
                    let reason = || format!("no piece of this variant has the letter '{letter}'");
                    types |= 1 << found.ok_or_else(|| TextError { at: at + number, reason: reason() })?;
                }
                Ok(types)
            }
            _ => self.wrong(0, format!("write {0}, or {0} of PN with the letters of pieces", self.first.1)),
        }
    }
}

/// A line as text.
pub fn line_text(line: &Line, letters: &[char]) -> String {
    line.iter().map(|modifier| modifier.text(letters)).collect::<Vec<_>>().join(" | ")
}
