//! Betza notation, in and out: `mfWcfF`, `gQ`, `qN`, `t[FR]`, `mRcpR`.
//!
//! | text | meaning |
//! | --- | --- |
//! | `W F D N A H L Z G` | leaps 0,1 1,1 0,2 1,2 2,2 0,3 1,3 2,3 3,3 (`C` is `L`) |
//! | `K B R Q` | `WF`, `FF`, `WW`, `WWFF` |
//! | the atom doubled; a number | a ride; a ride of at most so many steps |
//! | `f b l r v s`, pairs of them | only these directions |
//! | `m` `c` | only moves, only captures |
//! | `n` | lame: steps that something can stand in the way of |
//! | `p` `g` | over exactly one piece; and to the square right behind it |
//! | `o` `q` `z` | cylindrical, circular, crooked |
//! | `t[..]` | one leg after the other, outwards; every leg's end is a place to stop |

use super::modifier::{ANY, Dirs, Line, Modifier, Order, PathModifier, TextError};

const LEAPS: [(char, (u8, u8)); 9] = [
    ('W', (0, 1)),
    ('F', (1, 1)),
    ('D', (0, 2)),
    ('N', (1, 2)),
    ('A', (2, 2)),
    ('H', (0, 3)),
    ('L', (1, 3)),
    ('Z', (2, 3)),
    ('G', (3, 3)),
];

/// Legs of one piece at most.
const MOST_LEGS: usize = 4;
/// Characters of a text at most.
const LONGEST: usize = 200;

/// What is written before an atom.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Prefix {
    dirs: Dirs,
    moves: bool,
    captures: bool,
    lame: bool,
    hop: bool,
    grasshopper: bool,
    cylinder: bool,
    circular: bool,
    crooked: bool,
}

/// One leg: an offset, how often, and how.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Leg {
    prefix: Prefix,
    offset: (u8, u8),
    /// Steps at most; `None`: any number.
    most: Option<u8>,
}

struct Parser<'a> {
    text: &'a [char],
    at: usize,
}

/// Reads a piece.
pub fn parse(text: &str) -> Result<Vec<Line>, TextError> {
    let letters: Vec<char> = text.chars().collect();
    let mut parser = Parser { text: &letters, at: 0 };
    if letters.len() > LONGEST {
        return parser.wrong(LONGEST, format!("no piece needs more than {LONGEST} characters"));
    }
    let mut lines: Vec<Line> = Vec::new();
    while parser.at < letters.len() {
        lines.extend(parser.term()?);
    }
    if lines.is_empty() {
        return parser.wrong(0, "a piece needs an atom such as W, N or Q");
    }
    Ok(lines)
}

impl Parser<'_> {
    fn wrong<T>(&self, at: usize, reason: impl Into<String>) -> Result<T, TextError> {
        Err(TextError { at: at.min(self.text.len()), reason: reason.into() })
    }

    fn peek(&self) -> Option<char> {
        self.text.get(self.at).copied()
    }

    /// One atom with all that belongs to it, as lines.
    fn term(&mut self) -> Result<Vec<Line>, TextError> {
        if self.peek() == Some('t') {
            return self.chain();
        }
        let legs = self.legs()?;
        Ok(legs.iter().flat_map(|leg| lines_of(&[*leg])).collect())
    }

    /// `t[..]`: each way through the legs, stopping at each leg's end.
    fn chain(&mut self) -> Result<Vec<Line>, TextError> {
        let begin = self.at;
        self.at += 1;
        if self.peek() != Some('[') {
            return self.wrong(self.at, "t is followed by legs in brackets, as in t[FR]");
        }
        self.at += 1;
        let mut ways: Vec<Vec<Leg>> = vec![Vec::new()];
        let mut lines = Vec::new();
        let mut count = 0;
        loop {
            match self.peek() {
                Some(']') => break,
                None => return self.wrong(self.at, "the bracket is not closed: write ]"),
                Some('t') => return self.wrong(self.at, "legs are not nested: write t[FRN] instead"),
                Some(_) => {}
            }
            let at = self.at;
            let legs = self.legs()?;
            count += 1;
            if count > MOST_LEGS {
                return self.wrong(at, format!("no piece has more than {MOST_LEGS} legs"));
            }
            if legs.iter().any(|leg| leg.prefix.hop || leg.prefix.grasshopper || leg.prefix.lame) {
                return self.wrong(at, "legs are neither lame nor do they hop: leave n, p and g out");
            }
            ways = ways
                .iter()
                .flat_map(|way| legs.iter().map(|leg| [way.clone(), vec![*leg]].concat()))
                .collect();
            lines.extend(ways.iter().flat_map(|way| lines_of(way)));
        }
        if count < 2 {
            return self.wrong(begin, "t[..] needs two legs at least, as in t[FR]");
        }
        self.at += 1;
        Ok(lines)
    }

    /// A prefix, an atom, its range; compound atoms are several.
    fn legs(&mut self) -> Result<Vec<Leg>, TextError> {
        let begin = self.at;
        let (prefix, codes) = self.prefix()?;
        let at = self.at;
        let Some(atom) = self.peek() else {
            return self.wrong(at, "an atom is missing: one of W F D N A H L Z G K B R Q");
        };
        let atom = if atom == 'C' { 'L' } else { atom };
        let parts: Vec<((u8, u8), bool)> = match atom {
            'K' => vec![((0, 1), false), ((1, 1), false)],
            'B' => vec![((1, 1), true)],
            'R' => vec![((0, 1), true)],
            'Q' => vec![((0, 1), true), ((1, 1), true)],
            _ => match LEAPS.iter().find(|leap| leap.0 == atom) {
                Some(leap) => vec![(leap.1, false)],
                None => return self.wrong(at, self.unknown(atom)),
            },
        };
        self.at += 1;
        let range = self.range(self.text[at])?;
        let mut legs = Vec::new();
        for (offset, rides) in parts {
            let rides = rides || prefix.circular || prefix.crooked || prefix.grasshopper || prefix.hop;
            let most = range.unwrap_or(if rides { None } else { Some(1) });
            let dirs = self.dirs(&codes, offset, begin)?;
            let leg = Leg { prefix: Prefix { dirs, ..prefix }, offset, most };
            self.check(&leg, begin)?;
            legs.push(leg);
        }
        Ok(legs)
    }

    fn unknown(&self, atom: char) -> String {
        match atom {
            'a'..='z' => format!("'{atom}' is no prefix: one of f b l r v s m c n p g o q z, or t[..]"),
            _ => format!("'{atom}' is no atom: one of W F D N A H L Z G K B R Q"),
        }
    }

    /// Letters before the atom; directions are kept with their places, as their meaning depends on the atom.
    fn prefix(&mut self) -> Result<(Prefix, Vec<(usize, char)>), TextError> {
        let (mut prefix, mut codes) = (Prefix::default(), Vec::new());
        while let Some(letter) = self.peek().filter(char::is_ascii_lowercase) {
            let flag = match letter {
                'f' | 'b' | 'l' | 'r' | 'v' | 's' => {
                    codes.push((self.at, letter));
                    self.at += 1;
                    continue;
                }
                'm' => &mut prefix.moves,
                'c' => &mut prefix.captures,
                'n' => &mut prefix.lame,
                'p' => &mut prefix.hop,
                'g' => &mut prefix.grasshopper,
                'o' => &mut prefix.cylinder,
                'q' => &mut prefix.circular,
                'z' => &mut prefix.crooked,
                _ => return self.wrong(self.at, self.unknown(letter)),
            };
            if *flag {
                return self.wrong(self.at, format!("'{letter}' is written twice"));
            }
            *flag = true;
            self.at += 1;
        }
        Ok((prefix, codes))
    }

    /// What directions mean for an offset: pairs where they make one direction, else letter by letter.
    fn dirs(&self, codes: &[(usize, char)], offset: (u8, u8), begin: usize) -> Result<Dirs, TextError> {
        let is_straight = offset.0 == 0 || offset.1 == 0;
        let is_diagonal = offset.0 == offset.1;
        let mut dirs = Dirs::ALL;
        let mut number = 0;
        while number < codes.len() {
            let (first, second) = (codes[number].1, codes.get(number + 1).map(|code| code.1));
            let pair: String = [Some(first), second].into_iter().flatten().collect();
            let is_pair = match pair.as_str() {
                "fl" | "fr" | "bl" | "br" => !is_straight,
                "ff" | "bb" | "ll" | "rr" | "fs" | "bs" => !is_straight && !is_diagonal,
                _ => false,
            };
            let code = if is_pair { pair } else { first.to_string() };
            number += code.len();
            match Dirs::of_code(&code) {
                Some(dir) => dirs = dirs.with(dir),
                None => return self.wrong(begin, format!("'{code}' is no direction")),
            }
        }
        Ok(dirs)
    }

    /// After the atom: itself again, or a number.
    fn range(&mut self, atom: char) -> Result<Option<Option<u8>>, TextError> {
        if self.peek() == Some(atom) && !"KBRQ".contains(atom) {
            self.at += 1;
            return Ok(Some(None));
        }
        let begin = self.at;
        while self.peek().is_some_and(|letter| letter.is_ascii_digit()) {
            self.at += 1;
        }
        if begin == self.at {
            return Ok(None);
        }
        let digits: String = self.text[begin..self.at].iter().collect();
        match digits.parse::<u8>() {
            Ok(0) => Ok(Some(None)),
            Ok(most) if most <= 32 => Ok(Some(Some(most))),
            _ => self.wrong(begin, format!("{digits} is no number of steps: 0 (any) to 32")),
        }
    }

    fn check(&self, leg: &Leg, begin: usize) -> Result<(), TextError> {
        let Prefix { moves, captures, lame, hop, grasshopper, cylinder, circular, crooked, .. } = leg.prefix;
        let wrong = |reason: &str| self.wrong(begin, reason);
        if moves && captures {
            return wrong("m and c exclude each other; leave both out for a piece that does both");
        }
        if hop && grasshopper {
            return wrong("p and g exclude each other");
        }
        if circular && crooked {
            return wrong("q and z exclude each other");
        }
        if lame && (leg.most != Some(1) || hop || grasshopper || cylinder || circular || crooked) {
            return wrong("a lame piece (n) is a leaper of one step without p, g, o, q and z");
        }
        Ok(())
    }
}

/// How far apart the end of a step is, in king steps: a lame leap to a neighbour is a plain one.
fn is_far(offset: (u8, u8)) -> bool {
    offset.0.max(offset.1) > 1
}

/// The lines of legs one after the other.
fn lines_of(legs: &[Leg]) -> Vec<Line> {
    let Some(last) = legs.last() else { return Vec::new() };
    let mut line = Vec::new();
    for (number, leg) in legs.iter().enumerate() {
        let Prefix { dirs, lame, cylinder, circular, crooked, .. } = leg.prefix;
        if lame && is_far(leg.offset) {
            line.push(Modifier::Walk(leg.offset.0, leg.offset.1, Order::Straight, dirs));
            continue;
        }
        let mut path = vec![if cylinder { PathModifier::Cylinder } else { PathModifier::NoWrap }];
        path.extend(circular.then_some(PathModifier::Circular));
        path.extend(crooked.then_some(PathModifier::Crooked));
        path.extend((number > 0).then_some(PathModifier::Outward));
        line.push(Modifier::Leap(vec![leg.offset], dirs));
        line.push(Modifier::Extend(leg.most.map(|most| most - 1), path));
    }
    let Prefix { moves, captures, lame, hop, grasshopper, .. } = last.prefix;
    match (hop, grasshopper) {
        (true, _) => line.push(Modifier::Hop(1, 1)),
        (_, true) => line.extend([Modifier::Hop(1, 1), Modifier::Behind]),
        _ if (lame && is_far(last.offset)) || legs.len() > 1 || last.most != Some(1) => {
            line.push(Modifier::NoHop);
        }
        _ => {}
    }
    if moves {
        line.push(Modifier::MoveOnly);
    } else {
        line.extend([Modifier::Replace(ANY), Modifier::NoFriendly]);
        line.extend(captures.then_some(Modifier::CaptureOnly));
    }
    vec![line]
}

/// Writes lines as Betza notation; `None` if that has no words for one of them.
pub fn write(lines: &[Line]) -> Option<String> {
    let (mut text, mut at) = (String::new(), 0);
    while at < lines.len() {
        let (term, used) = write_term(&lines[at..])?;
        text += &term;
        at += used;
    }
    // What was written must mean the same.
    (parse(&text).ok()? == lines).then_some(text)
}

/// The text of the first line, or of the first several if they are legs, and how many lines it stands for.
fn write_term(lines: &[Line]) -> Option<(String, usize)> {
    let first = write_legs(&lines[0])?;
    // A chain begins with its first leg alone; the longest chain that means these lines is the right one.
    for count in (2..=lines.len().min(MOST_LEGS)).rev() {
        let Some(legs) = write_legs(&lines[count - 1]).filter(|legs| legs.len() == count) else { continue };
        let text = format!("t[{}]", legs.concat());
        if parse(&text).is_ok_and(|meant| meant == lines[..count]) {
            return Some((text, count));
        }
    }
    match first.as_slice() {
        [leg] => Some((leg.clone(), 1)),
        _ => None,
    }
}

/// The legs of a line, each as text.
fn write_legs(line: &Line) -> Option<Vec<String>> {
    let has = |wanted: &Modifier| line.contains(wanted);
    let mut how = String::new();
    match (has(&Modifier::MoveOnly), has(&Modifier::CaptureOnly)) {
        (true, false) => how.push('m'),
        (false, true) => how.push('c'),
        (false, false) => {}
        (true, true) => return None,
    }
    if has(&Modifier::Hop(1, 1)) {
        how.push(if has(&Modifier::Behind) { 'g' } else { 'p' });
    }
    let mut legs: Vec<String> = Vec::new();
    let mut parts = line.iter();
    while let Some(part) = parts.next() {
        match part {
            Modifier::Walk(a, b, Order::Straight, dirs) => {
                legs.push(leg_text(&dirs.codes().collect::<String>(), "n", (*a, *b), Some(1), false)?);
            }
            Modifier::Leap(offsets, dirs) => {
                let ([offset], Some(Modifier::Extend(most, path))) = (offsets.as_slice(), parts.next())
                else {
                    return None;
                };
                let marks: String = path.iter().filter_map(mark).collect();
                let most = most.map(|most| most + 1);
                let rides = how.contains(['p', 'g']) || marks.contains(['q', 'z']);
                legs.push(leg_text(&dirs.codes().collect::<String>(), &marks, *offset, most, rides)?);
            }
            _ => break,
        }
    }
    if let Some(last) = legs.last_mut() {
        *last = how + last;
    }
    Some(legs)
}

fn mark(modifier: &PathModifier) -> Option<char> {
    match modifier {
        PathModifier::Cylinder => Some('o'),
        PathModifier::Circular => Some('q'),
        PathModifier::Crooked => Some('z'),
        PathModifier::NoWrap | PathModifier::Outward => None,
    }
}

fn leg_text(dirs: &str, marks: &str, offset: (u8, u8), most: Option<u8>, rides: bool) -> Option<String> {
    let (atom, _) = LEAPS.iter().find(|leap| leap.1 == offset)?;
    let range = match most {
        None if rides => String::new(),
        None => atom.to_string(),
        Some(1) if !rides => String::new(),
        Some(most) => most.to_string(),
    };
    // Directions come last before the atom: two that would make a pair cannot be written next to each other otherwise.
    Some(format!("{marks}{dirs}{atom}{range}"))
}
