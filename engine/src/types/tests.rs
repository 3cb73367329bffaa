//! The small types over all of their values, for Miri too: what is unsafe in them rests on these ranges.

use super::*;

#[test]
fn sixteen_bits_are_a_move_that_can_be_taken_apart_or_none() {
    // Under Miri every thirteenth code, which leaves no kind and no square out.
    let step = if cfg!(miri) { 13 } else { 1 };
    let mut moves = 0;
    for bits in (0..=u16::MAX).step_by(step) {
        let Some(m) = Move::from_bits(bits) else { continue };
        moves += 1;
        assert_eq!(m.bits(), bits);
        assert_eq!(Move::new(m.from(), m.to(), m.kind()), m);
        assert_eq!(m.promotion().is_some(), m.is_promotion());
        assert!(m.from().index() < 64 && m.to().index() < 64 && m.from() != m.to());
    }
    if step == 1 {
        assert_eq!(moves, 13 * 64 * 63, "thirteen kinds, and two different squares");
    }
}

#[test]
fn pieces_are_a_colour_and_a_kind() {
    for color in Color::ALL {
        for kind in PieceType::ALL {
            let piece = Piece::new(color, kind);
            assert_eq!((piece.color(), piece.kind()), (color, kind));
            assert_eq!(Piece::ALL[piece.index()], piece);
        }
    }
}

#[test]
fn squares_are_below_64_however_they_are_made() {
    for index in 0..=u8::MAX {
        assert_eq!(Square::new(index).map(Square::index), (index < 64).then_some(usize::from(index)));
        assert_eq!(Square::from_index(usize::from(index)).index(), usize::from(index & 63));
        assert!(Square::at(index, index.wrapping_mul(3)).index() < 64);
    }
}

#[test]
fn a_list_holds_what_was_pushed_and_no_more() {
    let all: Vec<Move> = (0..=u16::MAX).filter_map(Move::from_bits).take(256).collect();
    let mut list = MoveList::new();
    assert!(list.is_empty());
    for (number, &m) in all.iter().enumerate() {
        list.push(m);
        assert_eq!(list.last(), Some(&all[number]));
    }
    assert_eq!(list[..], all[..]);
    list.reverse();
    assert_eq!(list[0], all[255]);
    list.clear();
    assert!(list.is_empty());
}

#[test]
#[should_panic(expected = "index out of bounds")]
fn a_full_list_takes_no_move() {
    let m = Move::new(Square::A1, Square::B1, MoveKind::Quiet);
    let mut list = MoveList::new();
    (0..257).for_each(|_| list.push(m));
}
