//! The columns of the tuner's matrix: one for a weight that enters linearly (White's count less Black's),
//! three for any other (White's count, Black's, and one for the frequent case that both are the same).
//!
//! A row is one position: its columns in ascending order with their counts, in [`PARTS`] parts.

use engine::eval::gradient::{Pair, Slopes, Sums};
use engine::eval::{Coefficient, CountedSums, EvalParams, Role, Score};

/// A column and how often it was counted.
pub type Entry = (u16, i16);

/// How many columns there are.
const COLUMNS: usize = {
    let (mut columns, mut index) = (0_usize, 0);
    while index < EvalParams::COUNT {
        columns += if matches!(EvalParams::ROLES[index], Role::Linear) { 1 } else { 3 };
        index += 1;
    }
    columns
};

/// Tables by column have an entry a column and some unused ones: a power of two, so that an index is
/// masked instead of checked.
pub const TABLE: usize = COLUMNS.next_power_of_two();

const _: () = assert!(TABLE <= 1 << 15, "columns are numbered in 16 bits");

/// `// [column]`
pub type Table = Box<[Pair; TABLE]>;

/// A table of zeros.
pub fn empty_table() -> Table {
    Box::new([[0.0; 2]; TABLE])
}

/// What columns are added up to. Linear columns are one group, and those of each other role three.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Group {
    Linear,
    /// White's, Black's, of both; and so for the others.
    Danger,
    Initiative = 4,
    Scale = 7,
}

/// Sums by group have this many entries, the last of them unused, for the same reason as [`TABLE`].
pub const GROUPS: usize = 16;

/// A row's parts: linear columns, danger of White's, of Black's and of both, and all the rest.
pub const PARTS: usize = 5;

/// Which column belongs to which weight.
#[derive(Debug)]
pub struct Columns {
    /// `// [weight]` its first column, and the distance to the next of its three
    places: Vec<(u16, u16)>,
    /// `// [column]`
    weight: Vec<u16>,
    /// `// [column]`
    group: Box<[u8; TABLE]>,
}

impl Columns {
    /// The columns of the evaluation's list of weights.
    pub fn new() -> Columns {
        let with_role = |role| (0..EvalParams::COUNT).filter(move |&index| EvalParams::ROLES[index] == role);
        let mut columns = Columns {
            places: vec![(0, 0); EvalParams::COUNT],
            weight: Vec::new(),
            group: Box::new([0; TABLE]),
        };
        for index in with_role(Role::Linear) {
            columns.places[index] = (columns.add(index, Group::Linear as usize), 0);
        }
        let dangers = with_role(Role::Danger).count() as u16;
        for whose in 0..3 {
            for index in with_role(Role::Danger) {
                let column = columns.add(index, Group::Danger as usize + whose);
                columns.places[index] = (column - whose as u16 * dangers, dangers);
            }
        }
        // The others stand in the order of the list, so that a row is in order too.
        for index in 0..EvalParams::COUNT {
            let first = match EvalParams::ROLES[index] {
                Role::Initiative => Group::Initiative as usize,
                Role::Scale => Group::Scale as usize,
                Role::Linear | Role::Danger => continue,
            };
            let column = columns.add(index, first);
            (1..3).for_each(|whose| _ = columns.add(index, first + whose));
            columns.places[index] = (column, 1);
        }
        columns
    }

    /// The first column of a weight, and the distance to the next of its three; 0 for a linear weight, and 1 for
    /// one of the last part of a row.
    #[inline(always)]
    pub fn place(&self, weight: u16) -> (u16, u16) {
        self.places[usize::from(weight)]
    }

    fn add(&mut self, weight: usize, group: usize) -> u16 {
        let column = self.weight.len();
        self.weight.push(weight as u16);
        self.group[column] = group as u8;
        column as u16
    }

    /// The weight a column belongs to, if there is such a column.
    pub fn weight(&self, column: usize) -> Option<usize> {
        self.weight.get(column).map(|&weight| usize::from(weight))
    }

    /// `// [column]` the weights spread out.
    pub fn spread(&self, weights: &[Pair]) -> Table {
        let mut table = empty_table();
        for (place, &index) in table.iter_mut().zip(&self.weight) {
            *place = weights[usize::from(index)];
        }
        table
    }

    /// `// [column]` the same for weights as the engine has them.
    pub fn spread_scores(&self, weights: &[Score]) -> Box<[Score; TABLE]> {
        let mut table = Box::new([Score::ZERO; TABLE]);
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

    /// The group of a column.
    #[inline(always)]
    pub fn group(&self, column: u16) -> usize {
        usize::from(self.group[usize::from(column) % TABLE]) % GROUPS
    }

    /// The sums of an evaluation from those of the groups.
    #[inline(always)]
    pub fn sums(groups: &[Pair; GROUPS]) -> Sums {
        let by_color = |first: Group| {
            let first = first as usize;
            let [white, black, both] = [groups[first], groups[first + 1], groups[first + 2]];
            [[white[0] + both[0], white[1] + both[1]], [black[0] + both[0], black[1] + both[1]]]
        };
        Sums {
            linear: groups[Group::Linear as usize],
            dangers: by_color(Group::Danger),
            initiatives: by_color(Group::Initiative),
            scales: by_color(Group::Scale),
            ..Sums::default()
        }
    }

    /// The same in whole numbers.
    pub fn counted_sums(groups: &[Score; GROUPS]) -> CountedSums {
        let by_color = |first: Group| {
            let first = first as usize;
            [groups[first] + groups[first + 2], groups[first + 1] + groups[first + 2]]
        };
        CountedSums {
            linear: groups[Group::Linear as usize],
            dangers: by_color(Group::Danger),
            initiatives: by_color(Group::Initiative),
            scales: by_color(Group::Scale),
        }
    }

    /// `// [group]` how the value moves with one more count of a group's columns and a weight of one.
    #[inline(always)]
    pub fn group_slopes(slopes: &Slopes) -> [Pair; GROUPS] {
        let both = |[white, black]: [Pair; 2]| [white[0] + black[0], white[1] + black[1]];
        let [danger, initiative, scale] = [slopes.dangers, slopes.initiatives, slopes.scales];
        let nothing = [0.0; 2];
        [
            slopes.linear,
            danger[0],
            danger[1],
            both(danger),
            initiative[0],
            initiative[1],
            both(initiative),
            scale[0],
            scale[1],
            both(scale),
            nothing,
            nothing,
            nothing,
            nothing,
            nothing,
            nothing,
        ]
    }
}

impl Default for Columns {
    fn default() -> Columns {
        Columns::new()
    }
}

/// Entries that come one by one and may or may not be wanted.
struct Part {
    entries: [Entry; TABLE],
    length: usize,
}

impl Part {
    /// Without a branch: nothing a processor could guess decides.
    #[inline(always)]
    fn push_if(&mut self, wanted: bool, entry: Entry) {
        self.entries[self.length % TABLE] = entry;
        self.length += usize::from(wanted);
    }
}

/// The row of one position, written anew for each.
pub struct RowParts {
    parts: [Part; PARTS],
}

impl RowParts {
    /// An empty row.
    pub fn new() -> RowParts {
        RowParts { parts: std::array::from_fn(|_| Part { entries: [(0, 0); TABLE], length: 0 }) }
    }

    /// Begins anew.
    pub fn clear(&mut self) {
        self.parts.iter_mut().for_each(|part| part.length = 0);
    }

    /// Takes what was counted, in the order of the list.
    pub fn take(&mut self, columns: &Columns, counted: Coefficient) {
        let net = counted.white - counted.black;
        match columns.place(counted.index) {
            (column, 0) => self.parts[0].push_if(net != 0, (column, net)),
            place => self.take_other(place, counted),
        }
    }

    /// The same for a weight that is not linear, whose place is known.
    #[inline(always)]
    pub fn take_other(&mut self, (column, apart): (u16, u16), Coefficient { white, black, .. }: Coefficient) {
        let [_, for_white, for_black, for_both, rest] = &mut self.parts;
        if apart == 1 {
            rest.push_if(white != black && white != 0, (column, white));
            rest.push_if(white != black && black != 0, (column + 1, black));
            rest.push_if(white == black, (column + 2, white));
        } else {
            for_white.push_if(white != black && white != 0, (column, white));
            for_black.push_if(white != black && black != 0, (column + apart, black));
            for_both.push_if(white == black, (column + 2 * apart, white));
        }
    }

    /// One of the parts.
    #[inline(always)]
    pub fn part(&self, part: usize) -> &[Entry] {
        let Part { entries, length } = &self.parts[part];
        &entries[..(*length).min(TABLE)]
    }

    /// All of them in order: the row.
    pub fn row(&self) -> Vec<Entry> {
        (0..PARTS).flat_map(|part| self.part(part)).copied().collect()
    }
}

impl Default for RowParts {
    fn default() -> RowParts {
        RowParts::new()
    }
}
