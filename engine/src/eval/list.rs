//! What turns the one list of weights into a struct with names: the shapes a weight may have, and the
//! macro [`eval_params!`].

use super::score::Score;

/// How a weight enters the evaluation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// Its count times itself is added to its side's score.
    Linear,
    /// It is summed into a side's danger to the enemy king, which goes through
    /// [`danger_value`](super::blend::danger_value) before it is added.
    Danger,
    /// It is summed into how winnable the position is, which moves an advantage up or down.
    Initiative,
    /// It is summed into the factor (in 64ths) on the score of the side that is ahead.
    Scale,
}

/// The extents of a weight's array, outermost first; empty for a single weight.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shape {
    extents: [usize; 3],
    rank: usize,
}

impl Shape {
    /// A single weight.
    pub const SINGLE: Shape = Shape { extents: [0; 3], rank: 0 };

    /// An array of `n` things of this shape.
    pub const fn times(self, n: usize) -> Shape {
        assert!(self.rank < 3, "a weight has at most three indices");
        let [a, b, _] = self.extents;
        Shape { extents: [n, a, b], rank: self.rank + 1 }
    }

    /// The extents, outermost first.
    pub fn extents(&self) -> &[usize] {
        &self.extents[..self.rank]
    }

    /// How many weights it holds.
    pub fn count(&self) -> usize {
        self.extents().iter().product()
    }

    /// The indices of the weight at a flat place, as they are written: `[1][5]`.
    pub fn indices(&self, mut place: usize) -> String {
        let mut inner = self.count();
        let mut text = String::new();
        for extent in self.extents() {
            inner /= extent;
            text.push_str(&format!("[{}]", place / inner));
            place %= inner;
        }
        text
    }
}

/// What may stand in the list: a [`Score`], or arrays of such.
pub trait Weight {
    /// How many scores it holds.
    const COUNT: usize;
    /// Its extents.
    const SHAPE: Shape;
    /// Shows every score in order.
    fn visit<'a>(&'a self, see: &mut dyn FnMut(&'a Score));
    /// Lends every score in order.
    fn visit_mut(&mut self, see: &mut dyn FnMut(&mut Score));
}

impl Weight for Score {
    const COUNT: usize = 1;
    const SHAPE: Shape = Shape::SINGLE;

    fn visit<'a>(&'a self, see: &mut dyn FnMut(&'a Score)) {
        see(self);
    }

    fn visit_mut(&mut self, see: &mut dyn FnMut(&mut Score)) {
        see(self);
    }
}

impl<W: Weight, const N: usize> Weight for [W; N] {
    const COUNT: usize = N * W::COUNT;
    const SHAPE: Shape = W::SHAPE.times(N);

    fn visit<'a>(&'a self, see: &mut dyn FnMut(&'a Score)) {
        self.iter().for_each(|inner| inner.visit(see));
    }

    fn visit_mut(&mut self, see: &mut dyn FnMut(&mut Score)) {
        self.iter_mut().for_each(|inner| inner.visit_mut(see));
    }
}

/// One line of the list.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// Its name.
    pub name: &'static str,
    /// The title of the section it stands in.
    pub section: &'static str,
    /// How its weights enter the evaluation.
    pub role: Role,
    /// Its extents.
    pub shape: Shape,
    /// The flat index of its first weight.
    pub first: usize,
    /// How many weights it has.
    pub count: usize,
}

impl Field {
    /// The flat indices of its weights.
    pub fn range(&self) -> std::ops::Range<usize> {
        self.first..self.first + self.count
    }
}

/// Generates `EvalParams` from sections of lines `name: shape = default;`.
macro_rules! eval_params {
    ($(
        $role:ident $section:literal {
            $( $(#[$doc:meta])* $name:ident : $shape:ty = $default:expr; )*
        }
    )*) => {
        /// Every weight of the evaluation, in the order of the list.
        #[derive(Clone, PartialEq, Eq, Debug)]
        #[repr(C)]
        pub struct EvalParams {
            $($( $(#[$doc])* pub $name: $shape, )*)*
        }

        impl EvalParams {
            /// How many weights there are.
            pub const COUNT: usize = 0 $($( + <$shape as Weight>::COUNT )*)*;

            /// The lines of the list.
            pub const FIELDS: &'static [Field] = &[$($( Field {
                name: stringify!($name),
                section: $section,
                role: Role::$role,
                shape: <$shape as Weight>::SHAPE,
                first: std::mem::offset_of!(EvalParams, $name) / size_of::<Score>(),
                count: <$shape as Weight>::COUNT,
            }, )*)*];

            /// `// [index]` how each weight enters the evaluation
            pub const ROLES: [Role; Self::COUNT] = {
                let mut roles = [Role::Linear; Self::COUNT];
                let mut line = 0;
                while line < Self::FIELDS.len() {
                    let field = &Self::FIELDS[line];
                    let mut index = field.first;
                    while index < field.first + field.count {
                        roles[index] = field.role;
                        index += 1;
                    }
                    line += 1;
                }
                roles
            };

            /// Shows every weight, in order.
            pub fn visit<'a>(&'a self, see: &mut dyn FnMut(&'a Score)) {
                $($( self.$name.visit(see); )*)*
            }

            /// Lends every weight, in order.
            pub fn visit_mut(&mut self, see: &mut dyn FnMut(&mut Score)) {
                $($( self.$name.visit_mut(see); )*)*
            }
        }

        impl Default for EvalParams {
            fn default() -> EvalParams {
                EvalParams { $($( $name: $default, )*)* }
            }
        }

        // An address inside the struct is a flat index only if there are scores and nothing else in it.
        const _: () = assert!(size_of::<EvalParams>() == EvalParams::COUNT * size_of::<Score>());
    };
}

pub(super) use eval_params;
