//! The columns of the tuner's matrix: one for a weight that enters linearly (White's count less Black's),
//! three for any other (White's count, Black's, and one for the frequent case that both are the same).
//!
//! A row is one position: its columns in ascending order with their counts.

use engine::eval::gradient::{Pair, Slopes, Sums};
use engine::eval::{Coefficient, Coefficients, EvalParams, Role};

/// A column and how often it was counted.
pub type Entry = (u16, i16);

/// The same, ready to be computed with.
#[derive(Clone, Copy, Default, Debug)]
pub struct Counted {
    /// How often.
    pub count: f64,
    /// Which column.
    pub column: u16,
}

/// Tables by column have an entry a column and some unused ones: a power of two, so that an index is
/// masked instead of checked.
pub const TABLE: usize = {
    let (mut columns, mut index) = (0_usize, 0);
    while index < EvalParams::COUNT {
        columns += if matches!(EvalParams::ROLES[index], Role::Linear) { 1 } else { 3 };
        index += 1;
    }
    columns.next_power_of_two()
};

/// `// [column]`
pub type Table = Box<[Pair; TABLE]>;

/// A table of zeros.
pub fn empty_table() -> Table {
    Box::new([[0.0; 2]; TABLE])
}

/// Linear columns, then three groups for each of the other roles.
const GROUPS: usize = 10;
const ROLES: [Role; 3] = [Role::Danger, Role::Initiative, Role::Scale];

/// Which column belongs to which weight.
#[derive(Debug)]
pub struct Columns {
    /// `// [weight][white, black, both]` the same three times for a linear weight
    of_weight: Vec<[u16; 3]>,
    /// `// [column]`
    weight: Vec<u16>,
    /// `// [group]` the first column after the group
    ends: [u16; GROUPS],
    /// `// [danger, initiative, scale]` where its weights stand in the list
    ranges: [std::ops::Range<usize>; 3],
}

impl Columns {
    /// The columns of the evaluation's list of weights.
    pub fn new() -> Columns {
        let with_role = |role| (0..EvalParams::COUNT).filter(move |&index| EvalParams::ROLES[index] == role);
        let ranges = ROLES.map(|role| {
            let (first, count) = (with_role(role).next().unwrap_or(0), with_role(role).count());
            assert!(with_role(role).eq(first..first + count), "the weights of a role stand together");
            first..first + count
        });
        let mut columns = Columns {
            of_weight: vec![[0; 3]; EvalParams::COUNT],
            weight: Vec::new(),
            ends: [0; GROUPS],
            ranges,
        };
        for index in with_role(Role::Linear) {
            columns.of_weight[index] = [columns.weight.len() as u16; 3];
            columns.weight.push(index as u16);
        }
        columns.ends[0] = columns.weight.len() as u16;
        for (place, role) in ROLES.into_iter().enumerate() {
            for whose in 0..3 {
                for index in with_role(role) {
                    columns.of_weight[index][whose] = columns.weight.len() as u16;
                    columns.weight.push(index as u16);
                }
                columns.ends[1 + 3 * place + whose] = columns.weight.len() as u16;
            }
        }
        debug_assert!(columns.weight.len() <= TABLE);
        columns
    }

    /// How many entries at the front of a row are linear.
    pub fn linear_entries(&self, row: &[Entry]) -> usize {
        row.partition_point(|entry| entry.0 < self.ends[0])
    }

    /// The weight a column belongs to, if there is such a column.
    pub fn weight(&self, column: usize) -> Option<usize> {
        self.weight.get(column).map(|&weight| usize::from(weight))
    }

    /// The row of a position, written over `row`.
    pub fn row(&self, coefficients: &Coefficients, row: &mut Vec<Entry>) {
        row.clear();
        // Linear columns are in the order of the list, around the ranges of the other roles.
        let counted = coefficients.counted.as_slice();
        let at = |index: usize| counted.partition_point(|counted| usize::from(counted.index) < index);
        let mut next = 0;
        for role in &self.ranges {
            let (first, end) = (at(role.start), at(role.end));
            let linear = counted[next..first].iter().filter(|counted| counted.white != counted.black);
            row.extend(linear.map(|c| (self.of_weight[usize::from(c.index)][0], c.white - c.black)));
            next = end;
        }
        let linear = counted[next..].iter().filter(|counted| counted.white != counted.black);
        row.extend(linear.map(|c| (self.of_weight[usize::from(c.index)][0], c.white - c.black)));
        // Each role's weights stand together in the list, so three walks give its three groups in order.
        for role in &self.ranges {
            let own = &counted[at(role.start)..at(role.end)];
            let column = |index: u16, whose: usize| self.of_weight[usize::from(index)][whose];
            for &Coefficient { index, white, black } in own {
                if white != black && white != 0 {
                    row.push((column(index, 0), white));
                }
            }
            for &Coefficient { index, white, black } in own {
                if white != black && black != 0 {
                    row.push((column(index, 1), black));
                }
            }
            for &Coefficient { index, white, black } in own {
                if white == black {
                    row.push((column(index, 2), white));
                }
            }
        }
    }

    /// `// [column]` the weights spread out.
    pub fn spread(&self, weights: &[Pair]) -> Table {
        let mut table = empty_table();
        for (place, &index) in table.iter_mut().zip(&self.weight) {
            *place = weights[usize::from(index)];
        }
        table
    }

    /// `// [weight]` sums over columns gathered.
    pub fn gather(&self, by_column: &[Pair; TABLE]) -> Vec<Pair> {
        let mut by_weight = vec![[0.0; 2]; EvalParams::COUNT];
        for (&index, sum) in self.weight.iter().zip(by_column) {
            let by_weight = &mut by_weight[usize::from(index)];
            *by_weight = [by_weight[0] + sum[0], by_weight[1] + sum[1]];
        }
        by_weight
    }

    /// The sums of a row's entries that are not linear, and `linear`, the sum of those that are.
    #[inline(always)]
    pub fn sums(&self, linear: Pair, others: &[Counted], spread: &[Pair; TABLE]) -> Sums {
        let mut groups = [[0.0; 2]; GROUPS - 1];
        let mut place = 0;
        for (sum, &end) in groups.iter_mut().zip(&self.ends[1..]) {
            while place < others.len() && others[place].column < end {
                let (weight, count) =
                    (spread[usize::from(others[place].column) % TABLE], others[place].count);
                *sum = [sum[0] + weight[0] * count, sum[1] + weight[1] * count];
                place += 1;
            }
        }
        let by_color = |first: usize| {
            let [white, black, both] = [groups[first], groups[first + 1], groups[first + 2]];
            [[white[0] + both[0], white[1] + both[1]], [black[0] + both[0], black[1] + both[1]]]
        };
        Sums {
            linear,
            dangers: by_color(0),
            initiatives: by_color(3),
            scales: by_color(6),
            ..Sums::default()
        }
    }

    /// Shows how the value moves with each entry of a row that is not linear, without the count.
    #[inline(always)]
    pub fn other_slopes(&self, others: &[Counted], slopes: &Slopes, mut see: impl FnMut(&Counted, Pair)) {
        let both = |[white, black]: [Pair; 2]| [white[0] + black[0], white[1] + black[1]];
        let [danger, initiative, scale] = [slopes.dangers, slopes.initiatives, slopes.scales];
        let groups: [Pair; GROUPS - 1] = [
            danger[0],
            danger[1],
            both(danger),
            initiative[0],
            initiative[1],
            both(initiative),
            scale[0],
            scale[1],
            both(scale),
        ];
        let mut place = 0;
        for (slope, &end) in groups.iter().zip(&self.ends[1..]) {
            while place < others.len() && others[place].column < end {
                see(&others[place], *slope);
                place += 1;
            }
        }
    }
}

impl Default for Columns {
    fn default() -> Columns {
        Columns::new()
    }
}
