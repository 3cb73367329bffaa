//! The columns of the tuner's matrix: one for a weight that enters linearly (White's count less Black's),
//! three for any other (White's count, Black's, and one for the frequent case that both are the same).
//!
//! Where the kings stand on opposite wings, a piece counts its square in `psqt` and as often in `psqt_apart`. Such rows
//! have a bank of columns of their own, in which a square stands for both weights together: so they are no longer than
//! others. What does not fit that has a column at the very end, for `psqt_apart` alone.
//!
//! A row is one position: its columns in ascending order with their counts, in [`PARTS`] parts.

use engine::eval::gradient::{Pair, Slopes, Sums};
use engine::eval::{Coefficient, CountedSums, EvalParams, Role, Score, Sheet};

/// A column and how often it was counted.
pub type Entry = (u16, i16);

/// How many weights have a partner: one that is counted as often, or not at all.
const PAIRS: usize = 5 * 64;

/// How many columns a bank has.
const BANK: usize = {
    let (mut columns, mut index) = (0_usize, 0);
    while index < EvalParams::COUNT {
        columns += if matches!(EvalParams::ROLES[index], Role::Linear) { 1 } else { 3 };
        index += 1;
    }
    columns
};

/// How many columns there are.
const COLUMNS: usize = 2 * BANK;

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

/// Where the counts of a weight go.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// The first column.
    pub column: u16,
    /// The distance to the next of the three; 0 for a linear weight, and 1 for one of the last part of a row.
    pub apart: u16,
    /// The weight that may be counted as often as this one.
    pub partner: Option<u16>,
}

/// [`Place::apart`] of a linear weight that is the partner of another: it is counted at the end of a row.
const LATE: u16 = u16::MAX;

/// The bank of columns that a row uses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bank {
    /// Every column is for one weight.
    Single,
    /// The column of a weight with a partner is for both.
    Paired,
}

impl Bank {
    /// Where it begins.
    #[inline(always)]
    pub fn first(self) -> usize {
        match self {
            Bank::Single => 0,
            Bank::Paired => BANK,
        }
    }
}

/// Which column belongs to which weight.
#[derive(Debug)]
pub struct Columns {
    /// `// [weight]`
    places: Vec<Place>,
    /// `// [column]` and, where it is for two, the other
    weight: Vec<(u16, Option<u16>)>,
    /// `// [column]`
    group: Box<[u8; TABLE]>,
}

impl Columns {
    /// The columns of the evaluation's list of weights.
    pub fn new() -> Columns {
        let with_role = |role| (0..EvalParams::COUNT).filter(move |&index| EvalParams::ROLES[index] == role);
        let nowhere = Place { column: 0, apart: 0, partner: None };
        let mut columns = Columns {
            places: vec![nowhere; EvalParams::COUNT],
            weight: Vec::new(),
            group: Box::new([0; TABLE]),
        };
        for (index, partner) in pairs() {
            columns.places[index].partner = Some(partner as u16);
            columns.places[partner].apart = LATE;
        }
        for index in
            with_role(Role::Linear).filter(|&index| columns.places[index].apart != LATE).collect::<Vec<_>>()
        {
            columns.places[index].column = columns.add(index, Group::Linear as usize);
        }
        let dangers = with_role(Role::Danger).count() as u16;
        for whose in 0..3 {
            for index in with_role(Role::Danger) {
                let column = columns.add(index, Group::Danger as usize + whose) - whose as u16 * dangers;
                columns.places[index] = Place { column, apart: dangers, ..nowhere };
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
            columns.places[index] = Place { column, apart: 1, ..nowhere };
        }
        for (_, partner) in pairs() {
            columns.places[partner].column = columns.add(partner, Group::Linear as usize);
        }
        for column in 0..BANK {
            let (weight, _) = columns.weight[column];
            columns.weight.push((weight, columns.places[usize::from(weight)].partner));
            columns.group[BANK + column] = columns.group[column];
        }
        columns
    }

    /// Where the counts of a weight go.
    #[inline(always)]
    pub fn place(&self, weight: u16) -> Place {
        self.places[usize::from(weight)]
    }

    fn add(&mut self, weight: usize, group: usize) -> u16 {
        let column = self.weight.len();
        self.weight.push((weight as u16, None));
        self.group[column] = group as u8;
        column as u16
    }

    /// The weight or weights a column belongs to.
    pub fn weights(&self, column: usize) -> impl Iterator<Item = usize> + use<> {
        let (first, other) =
            self.weight.get(column).map_or((None, None), |&(first, other)| (Some(first), other));
        first.into_iter().chain(other).map(usize::from)
    }

    /// `// [column]` the weights spread out.
    pub fn spread(&self, weights: &[Pair]) -> Table {
        let mut table = empty_table();
        for (column, place) in table.iter_mut().enumerate() {
            for index in self.weights(column) {
                *place = [place[0] + weights[index][0], place[1] + weights[index][1]];
            }
        }
        table
    }

    /// `// [column]` the same for weights as the engine has them.
    pub fn spread_scores(&self, weights: &[Score]) -> Box<[Score; TABLE]> {
        let mut table = Box::new([Score::ZERO; TABLE]);
        for (column, place) in table.iter_mut().enumerate() {
            self.weights(column).for_each(|index| *place += weights[index]);
        }
        table
    }

    /// `// [weight]` sums over columns gathered.
    pub fn gather(&self, by_column: &[Pair; TABLE]) -> Vec<Pair> {
        let mut by_weight = vec![[0.0; 2]; EvalParams::COUNT];
        for (column, sum) in by_column.iter().enumerate() {
            for index in self.weights(column) {
                let by_weight = &mut by_weight[index];
                *by_weight = [by_weight[0] + sum[0], by_weight[1] + sum[1]];
            }
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

/// The weights that have a partner, and that.
fn pairs() -> impl Iterator<Item = (usize, usize)> {
    let params = EvalParams::default();
    let [first, second] = [&params.psqt, &params.psqt_apart].map(|table| params.index_of(&table[0][0]));
    (0..PAIRS).map(move |place| (first + place, second + place))
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
    /// Those of a row, and what comes behind them.
    parts: [Part; PARTS + 1],
    /// The bank of its columns, once it is known.
    bank: Option<Bank>,
}

impl RowParts {
    /// An empty row.
    pub fn new() -> RowParts {
        RowParts { parts: std::array::from_fn(|_| Part { entries: [(0, 0); TABLE], length: 0 }), bank: None }
    }

    /// Begins anew.
    pub fn clear(&mut self) {
        self.parts.iter_mut().for_each(|part| part.length = 0);
        self.bank = None;
    }

    /// The bank of its columns.
    #[inline(always)]
    pub fn bank(&self) -> Bank {
        self.bank.unwrap_or(Bank::Single)
    }

    /// Takes what was counted, in the order of the list.
    pub fn take(&mut self, columns: &Columns, sheet: &Sheet, counted: Coefficient) {
        let place = columns.place(counted.index);
        if place.apart != 0 {
            return self.take_other(place, counted);
        }
        if let Some(partner) = place.partner {
            self.take_partner(columns, sheet, counted, partner);
        }
        self.parts[0].push_if(true, (place.column, counted.white - counted.black));
    }

    /// Takes the counts of a weight's partner off the sheet. The first such weight decides about the bank.
    #[inline(always)]
    pub fn take_partner(&mut self, columns: &Columns, sheet: &Sheet, counted: Coefficient, partner: u16) {
        let (net, together) = (counted.white - counted.black, sheet.take_net(usize::from(partner)));
        let bank = *self.bank.get_or_insert(if together == net { Bank::Paired } else { Bank::Single });
        let more = together - if bank == Bank::Paired { net } else { 0 };
        self.parts[PARTS].push_if(more != 0, (columns.place(partner).column, more));
    }

    /// The same for a weight that is not linear, or late, and whose place is known.
    #[inline(always)]
    pub fn take_other(
        &mut self,
        Place { column, apart, .. }: Place,
        Coefficient { white, black, .. }: Coefficient,
    ) {
        let [_, for_white, for_black, for_both, rest, late] = &mut self.parts;
        match apart {
            1 => {
                rest.push_if(white != black && white != 0, (column, white));
                rest.push_if(white != black && black != 0, (column + 1, black));
                rest.push_if(white == black, (column + 2, white));
            }
            LATE => late.push_if(white != black, (column, white - black)),
            _ => {
                for_white.push_if(white != black && white != 0, (column, white));
                for_black.push_if(white != black && black != 0, (column + apart, black));
                for_both.push_if(white == black, (column + 2 * apart, white));
            }
        }
    }

    /// Puts what came too early behind the last part, in order. Nearly always there is nothing.
    #[inline(always)]
    pub fn finish(&mut self) {
        if self.parts[PARTS].length > 0 {
            self.append_late();
        }
    }

    #[cold]
    fn append_late(&mut self) {
        let [.., rest, late] = &mut self.parts;
        let entries = &mut late.entries[..late.length.min(TABLE)];
        entries.sort_unstable();
        entries.iter().for_each(|&entry| rest.push_if(true, entry));
        late.length = 0;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_partner_that_is_counted_alone_comes_last_and_in_order() {
        let (columns, sheet, mut row) = (Columns::new(), Sheet::new(), RowParts::new());
        let weights: Vec<(usize, usize)> = pairs().collect();
        let (first, partner, other) = (weights[70].0, weights[80].1, weights[75].1);
        let last = (0..EvalParams::COUNT).rfind(|&index| EvalParams::ROLES[index] == Role::Scale).unwrap();
        for (index, white) in [(first, 2), (other, 1), (partner, 3), (last, 1)] {
            row.take(&columns, &sheet, Coefficient { index: index as u16, white, black: 0 });
        }
        row.finish();
        assert_eq!(row.bank(), Bank::Single);
        let taken = row.row();
        assert!(taken.is_sorted_by(|a, b| a.0 < b.0), "{taken:?}");
        let meant: Vec<(Vec<usize>, i16)> =
            taken.iter().map(|&(column, count)| (columns.weights(column.into()).collect(), count)).collect();
        assert_eq!(meant, [(vec![first], 2), (vec![last], 1), (vec![other], 1), (vec![partner], 3)]);
        // In the second bank a weight goes with its partner, and all others are as they were.
        for (column, _) in taken {
            let both: Vec<usize> = columns.weights(Bank::Paired.first() + usize::from(column)).collect();
            let alone: Vec<usize> = columns.weights(column.into()).collect();
            assert_eq!(both, if alone == [first] { vec![first, weights[70].1] } else { alone });
        }
    }
}
