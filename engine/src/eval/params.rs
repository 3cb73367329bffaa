//! The one list of weights. Everything else about them (the struct, their number, their names, the
//! file format, the tuner's vector) follows from it.
//!
//! A new term is one line here and one line where it is counted:
//! `side.add(&p.bishop_pair, 1)`.
//!
//! The values are those of the first day, set by hand: round numbers, and formulas in
//! [`defaults`](super::defaults). The weights that the engine plays with are in `data/weights/`.

use super::defaults::{self, s};
use super::list::{Field, Role, Weight, eval_params};
use super::score::Score;

eval_params! {
    Linear "Material" {
        /// `// [kind]` pawn to queen
        piece_value: [Score; 5] = [s(100, 100), s(320, 320), s(330, 330), s(500, 500), s(900, 900)];
    }
    Linear "Piece squares" {
        /// `// [kind][square]` pawn to queen, as the side sees the board, mirrored so that its king
        /// stands on the files e to h
        psqt: [[Score; 64]; 5] = defaults::PSQT;
        /// `// [rank * 4 + file]` the king, its file counted from e to h after the same mirroring
        king_square: [Score; 32] = defaults::KING_SQUARE;
    }
    Linear "Tempo" {
        /// The right to move.
        tempo: Score = s(20, 10);
    }
}

impl EvalParams {
    /// The flat index of a weight, from its place inside this struct.
    #[inline(always)]
    pub fn index_of(&self, weight: &Score) -> usize {
        let place = std::ptr::from_ref(weight).addr() - std::ptr::from_ref(self).addr();
        debug_assert!(place < size_of::<EvalParams>(), "the weight is another struct's");
        place / size_of::<Score>()
    }

    /// All weights as one vector, in the order of the list.
    pub fn to_vec(&self) -> Vec<Score> {
        let mut flat = Vec::with_capacity(Self::COUNT);
        self.visit(&mut |weight| flat.push(*weight));
        flat
    }

    /// The weights from one vector of [`EvalParams::COUNT`] scores, in the order of the list.
    pub fn from_vec(flat: &[Score]) -> EvalParams {
        assert_eq!(flat.len(), Self::COUNT);
        let mut params = EvalParams::default();
        let mut next = flat.iter();
        params.visit_mut(&mut |weight| *weight = next.next().copied().unwrap_or_default());
        params
    }

    /// The line of the list that a flat index belongs to.
    pub fn field(index: usize) -> &'static Field {
        let after = Self::FIELDS.partition_point(|field| field.first <= index);
        &Self::FIELDS[after - 1]
    }

    /// The name of a weight: `psqt[1][5]`.
    pub fn name(index: usize) -> String {
        let field = Self::field(index);
        format!("{}{}", field.name, field.shape.indices(index - field.first))
    }

    /// Every name with its weight, in the order of the list.
    pub fn named(&self) -> Vec<(String, Score)> {
        self.to_vec().into_iter().enumerate().map(|(index, weight)| (Self::name(index), weight)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_weights_place_is_its_index_and_its_name() {
        let params = EvalParams::default();
        let mut expected = 0;
        params.visit(&mut |weight| {
            assert_eq!(params.index_of(weight), expected);
            expected += 1;
        });
        assert_eq!(expected, EvalParams::COUNT);
        assert_eq!(EvalParams::name(params.index_of(&params.psqt[1][5])), "psqt[1][5]");
        assert_eq!(EvalParams::name(params.index_of(&params.tempo)), "tempo");
        assert_eq!(EvalParams::from_vec(&params.to_vec()), params);
        let mut next = 0;
        for field in EvalParams::FIELDS {
            assert_eq!(field.first, next, "{}", field.name);
            next += field.count;
        }
    }
}
