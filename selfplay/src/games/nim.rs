//! Nim: heaps of counters; a move takes any number from one heap. Whoever takes the last counter wins, or, in misère
//! play, loses. Its theory is known, so whatever learns can be tested on it: every position, without exception.

use engine::types::Color;

use super::Game;
use crate::Outcome;

/// Heaps are held in four bits each.
const MOST_IN_A_HEAP: u8 = 15;
const MOST_HEAPS: usize = 8;

/// Nim with given heaps: `nim:3-4-5`, `nim:1-3-5-7-misere`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Nim {
    heaps: Vec<u8>,
    misere: bool,
}

/// What is left, and whose turn it is.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct NimState {
    /// Counters in each heap.
    pub heaps: Vec<u8>,
    /// Who moves.
    pub mover: Color,
}

impl Nim {
    /// Whether the side to move wins with best play: the exclusive or of the heaps is not zero; in misère play the same
    /// until all heaps are ones, and then the other way round.
    pub fn is_won(&self, heaps: &[u8]) -> bool {
        let sum = heaps.iter().fold(0, |sum, heap| sum ^ heap) != 0;
        let all_small = heaps.iter().all(|&heap| heap <= 1);
        if self.misere && all_small { !sum } else { sum }
    }
}

impl Game for Nim {
    type State = NimState;
    const NAME: &'static str = "nim";

    fn with_rules(rules: &str) -> Result<Nim, String> {
        let (heaps, misere) = match rules.strip_suffix("-misere") {
            Some(heaps) => (heaps, true),
            None => (rules, false),
        };
        let wrong = || {
            format!(
                "'{rules}' are no heaps: write 1 to {MOST_HEAPS} numbers from 1 to {MOST_IN_A_HEAP}, as in nim:3-4-5 or \
                 nim:1-3-5-7-misere"
            )
        };
        let text = if rules.is_empty() { "3-4-5" } else { heaps };
        // The same heaps are always the same text, which books and records are known by.
        let number = |text: &str| text.parse::<u8>().ok().filter(|number| number.to_string() == text);
        let heaps: Vec<u8> =
            text.split('-').map(|heap| number(heap).ok_or_else(wrong)).collect::<Result<_, _>>()?;
        let fits = heaps.len() <= MOST_HEAPS && heaps.iter().all(|heap| (1..=MOST_IN_A_HEAP).contains(heap));
        if fits { Ok(Nim { heaps, misere }) } else { Err(wrong()) }
    }

    fn rules(&self) -> String {
        let heaps: Vec<String> = self.heaps.iter().map(u8::to_string).collect();
        heaps.join("-") + if self.misere { "-misere" } else { "" }
    }

    fn start(&self) -> NimState {
        NimState { heaps: self.heaps.clone(), mover: Color::White }
    }

    fn mover(&self, state: &NimState) -> Color {
        state.mover
    }

    fn outcome(&self, state: &NimState) -> Option<Outcome> {
        let winner = if self.misere { state.mover } else { !state.mover };
        state.heaps.iter().all(|&heap| heap == 0).then(|| Outcome::win_for(winner))
    }

    /// Heap by heap, few counters first.
    fn actions(&self, state: &NimState, actions: &mut Vec<u16>) {
        for (heap, &size) in (0..).zip(&state.heaps) {
            actions.extend((1..=u16::from(size)).map(|taken| heap << 8 | taken));
        }
    }

    fn apply(&self, state: &mut NimState, action: u16) {
        state.heaps[usize::from(action >> 8)] -= action as u8;
        state.mover = !state.mover;
    }

    /// The same for both sides: what is good for one is good for the other. Spread over 64 bits, as books want it.
    fn key(&self, state: &NimState) -> u64 {
        let heaps = state.heaps.iter().fold(1, |key: u64, &heap| key << 4 | u64::from(heap));
        heaps.wrapping_mul(0x9E37_79B9_7F4A_7C15)
    }

    /// `2x3`: three counters from the second heap.
    fn action_text(&self, _state: &NimState, action: u16) -> String {
        format!("{}x{}", (action >> 8) + 1, action & 0xFF)
    }

    fn diagram(&self, state: &NimState) -> String {
        let heap =
            |(number, &size): (usize, &u8)| format!("{}: {}\n", number + 1, "o".repeat(usize::from(size)));
        state.heaps.iter().enumerate().map(heap).collect()
    }
}
