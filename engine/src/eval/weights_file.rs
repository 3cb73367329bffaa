//! Weights as a file: TOML that people can read and edit, written always the same way.
//!
//! ```toml
//! [header]
//! format = 1
//! made_by = "how these weights came to be"
//! date = "2025-01-31"
//! data = "what they were fitted to"
//! positions = 1000000
//! loss = 0.0712            # this and the rest is left out where nothing was fitted
//! loss_before = 0.0801
//! loss_holdout = 0.0715
//! k = 1.13
//! sigmoid = "1 / (1 + 10^(-k v / 400))"
//! labels = "0.5 result + 0.5 score, from 0.001 to 0.999"
//! data_hash = "0123456789abcdef"
//! hash = "0123456789abcdef"
//!
//! [weights]
//! tempo = [20, 10]         # [middlegame, endgame], in nested arrays where a weight has indices
//! ```

use std::fmt::Write;

use super::list::Field;
use super::params::EvalParams;
use super::score::Score;
use super::text::{Entry, LineError, Table, quoted, read};

/// What is wrong with a file of weights: the line, the problem and the way back.
pub type WeightsError = LineError;

/// The version of the layout that this engine reads and writes.
const FORMAT: i64 = 1;

/// The weights that are compiled in.
const EMBEDDED: &str = include_str!(concat!(env!("OUT_DIR"), "/weights.toml"));

/// Where weights come from.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Header {
    /// How they were made: by hand, or by which program with which options.
    pub made_by: String,
    /// When.
    pub date: String,
    /// What they were fitted to.
    pub data: String,
    /// How many positions that was.
    pub positions: u64,
    /// The error that remained.
    pub loss: Option<f64>,
    /// The error of the weights that the fit began with.
    pub loss_before: Option<f64>,
    /// The error that remained on positions kept aside.
    pub loss_holdout: Option<f64>,
    /// The factor from centipawns to winning chances that the loss was computed with.
    pub k: Option<f64>,
    /// The curve that `k` belongs to.
    pub sigmoid: Option<String>,
    /// What was predicted, and its range.
    pub labels: Option<String>,
    /// A hash of the files that it was fitted to.
    pub data_hash: Option<String>,
}

/// A file of weights.
#[derive(Clone, PartialEq, Debug)]
pub struct WeightsFile {
    /// Where they come from.
    pub header: Header,
    /// The weights.
    pub params: EvalParams,
}

impl WeightsFile {
    /// The file that is compiled in.
    pub fn embedded() -> WeightsFile {
        WeightsFile::parse(EMBEDDED).expect("a test reads the embedded file")
    }

    /// Reads a file's text. Every weight must be there, and nothing else.
    pub fn parse(text: &str) -> Result<WeightsFile, WeightsError> {
        read(text, |file| {
            file.allow_only(
                |name| name == "header" || name == "weights",
                |name| format!("`{name}` is neither [header] nor [weights]: remove it"),
            )?;
            let header = file.get("header")?.table()?;
            check_format(header)?;
            let params = read_weights(file.get("weights")?.table()?)?;
            Ok(WeightsFile { header: read_header(header, &params)?, params })
        })
    }

    /// Writes the file's text: reading it gives the same file, and writing that the same text.
    pub fn to_toml(&self) -> String {
        self.params.to_toml(&self.header)
    }
}

impl EvalParams {
    /// The weights that are compiled in.
    pub fn embedded() -> EvalParams {
        WeightsFile::embedded().params
    }

    /// Reads the weights of a file's text.
    pub fn from_toml(text: &str) -> Result<EvalParams, WeightsError> {
        WeightsFile::parse(text).map(|file| file.params)
    }

    /// Writes a file's text.
    pub fn to_toml(&self, header: &Header) -> String {
        let mut text = String::from(
            "# Tabula's evaluation weights: [middlegame, endgame] in centipawns.\n\
             # docs/4-evaluation.md says what each of them counts.\n\n",
        );
        write_header(&mut text, header, self);
        text.push_str("\n[weights]\n");
        let weights = self.to_vec();
        let mut section = "";
        for field in Self::FIELDS {
            if section != field.section {
                section = field.section;
                let _ = write!(text, "\n# {section}\n");
            }
            write_field(&mut text, field, &weights[field.range()]);
        }
        text
    }

    /// A number that changes with any weight: FNV-1a over the halves, in the order of the list.
    pub fn hash(&self) -> u64 {
        self.to_vec()
            .iter()
            .flat_map(|weight| [weight.mg() as i16, weight.eg() as i16])
            .flat_map(i16::to_le_bytes)
            .fold(0xCBF2_9CE4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3))
    }
}

fn check_format(header: Table) -> Result<(), WeightsError> {
    let format = header.get("format")?;
    match format.integer(0..i64::MAX)? {
        FORMAT => Ok(()),
        other => Err(format.error(format!(
            "format {other} is not known: this engine reads format {FORMAT}; use a file made for it"
        ))),
    }
}

fn read_header(header: Table, params: &EvalParams) -> Result<Header, WeightsError> {
    let known = [
        "format",
        "made_by",
        "date",
        "data",
        "positions",
        "loss",
        "loss_before",
        "loss_holdout",
        "k",
        "sigmoid",
        "labels",
        "data_hash",
        "hash",
    ];
    header.allow_only(
        |name| known.contains(&name),
        |name| format!("`{name}` is unknown in [header]: remove it"),
    )?;
    let string = |name| Ok(header.get(name)?.string()?.to_owned());
    let float = |name| header.find(name).map(|entry| entry.float()).transpose();
    let optional = |name| header.find(name).map(|entry| entry.string().map(str::to_owned)).transpose();
    let hash = header.get("hash")?;
    let (written, computed) = (hash.string()?, format!("{:016x}", params.hash()));
    if written != computed {
        return Err(hash.error(format!(
            "the hash is {written}, but the weights give {computed}: the file is damaged, or it was \
             edited, and then the hash must be changed too"
        )));
    }
    Ok(Header {
        made_by: string("made_by")?,
        date: string("date")?,
        data: string("data")?,
        positions: header.get("positions")?.integer(0..i64::MAX)? as u64,
        loss: float("loss")?,
        loss_before: float("loss_before")?,
        loss_holdout: float("loss_holdout")?,
        k: float("k")?,
        sigmoid: optional("sigmoid")?,
        labels: optional("labels")?,
        data_hash: optional("data_hash")?,
    })
}

fn write_header(text: &mut String, header: &Header, params: &EvalParams) {
    let _ = write!(
        text,
        "[header]\nformat = {FORMAT}\nmade_by = {}\ndate = {}\ndata = {}\npositions = {}\n",
        quoted(&header.made_by),
        quoted(&header.date),
        quoted(&header.data),
        header.positions
    );
    for (name, number) in [
        ("loss", header.loss),
        ("loss_before", header.loss_before),
        ("loss_holdout", header.loss_holdout),
        ("k", header.k),
    ] {
        if let Some(number) = number {
            // `{:?}` is the shortest text that reads back as the same number, always with a point.
            let _ = writeln!(text, "{name} = {number:?}");
        }
    }
    for (name, value) in
        [("sigmoid", &header.sigmoid), ("labels", &header.labels), ("data_hash", &header.data_hash)]
    {
        if let Some(value) = value {
            let _ = writeln!(text, "{name} = {}", quoted(value));
        }
    }
    let _ = writeln!(text, "hash = \"{:016x}\"", params.hash());
}

fn read_weights(weights: Table) -> Result<EvalParams, WeightsError> {
    weights.allow_only(
        |name| EvalParams::FIELDS.iter().any(|field| field.name == name),
        |name| {
            format!("`{name}` is no weight of this engine: remove it, or use a file made for this version")
        },
    )?;
    let mut flat = Vec::with_capacity(EvalParams::COUNT);
    for field in EvalParams::FIELDS {
        let entry = weights.find(field.name).ok_or_else(|| {
            weights.error(format!(
                "the weight `{}` is missing in [weights]: add it, or use a file made for this version",
                field.name
            ))
        })?;
        read_field(entry, field.name.to_owned(), field.shape.extents(), &mut flat)?;
    }
    Ok(EvalParams::from_vec(&flat))
}

/// Reads a weight, or an array of what is inside.
fn read_field(
    entry: Entry,
    name: String,
    extents: &[usize],
    flat: &mut Vec<Score>,
) -> Result<(), WeightsError> {
    let named =
        |error: WeightsError| WeightsError { problem: format!("`{name}`: {}", error.problem), ..error };
    let inside = entry.array().map_err(named)?;
    let Some((&extent, inner)) = extents.split_first() else {
        let [mg, eg] = inside.as_slice() else {
            return Err(entry
                .error(format!("`{name}`: expected [middlegame, endgame], found {} numbers", inside.len())));
        };
        let limit = i64::from(Score::WEIGHT_LIMIT);
        let half = |half: &Entry| half.integer(-limit..limit + 1).map_err(named);
        flat.push(Score::new(half(mg)? as i32, half(eg)? as i32));
        return Ok(());
    };
    if inside.len() != extent {
        return Err(entry.error(format!("`{name}` needs {extent} entries, found {}", inside.len())));
    }
    for (place, entry) in inside.into_iter().enumerate() {
        read_field(entry, format!("{name}[{place}]"), inner, flat)?;
    }
    Ok(())
}

/// How many weights stand on a line: a rank of the board.
const PER_LINE: usize = 8;

fn write_field(text: &mut String, field: &Field, weights: &[Score]) {
    let width = |half: fn(Score) -> i32| {
        weights.iter().map(|&weight| half(weight).to_string().len()).max().unwrap_or(0)
    };
    let widths = (width(Score::mg), width(Score::eg));
    let _ = write!(text, "{} = ", field.name);
    write_array(text, field.shape.extents(), weights, widths, 0);
    text.push('\n');
}

fn write_array(
    text: &mut String,
    extents: &[usize],
    weights: &[Score],
    widths: (usize, usize),
    depth: usize,
) {
    let Some((_, inner)) = extents.split_first() else {
        for weight in weights {
            let _ = write!(text, "[{:>1$}, {2:>3$}]", weight.mg(), widths.0, weight.eg(), widths.1);
        }
        return;
    };
    let each: usize = inner.iter().product();
    let flat = inner.is_empty();
    if flat && weights.len() <= PER_LINE {
        text.push('[');
        for (place, weight) in weights.iter().enumerate() {
            text.push_str(if place == 0 { "" } else { ", " });
            write_array(text, inner, std::slice::from_ref(weight), widths, depth + 1);
        }
        text.push(']');
        return;
    }
    text.push('[');
    for (place, part) in weights.chunks(each).enumerate() {
        if !flat || place % PER_LINE == 0 {
            let _ = write!(text, "\n{:1$}", "", 2 * depth + 2);
        } else {
            text.push(' ');
        }
        write_array(text, inner, part, widths, depth + 1);
        text.push(',');
    }
    let _ = write!(text, "\n{:1$}]", "", 2 * depth);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fitted() -> WeightsFile {
        let params = EvalParams { tempo: Score::new(-17, 2_500), ..EvalParams::default() };
        let header = Header {
            made_by: "a \"fit\" with \\ and\nlines".into(),
            date: "2025-01-31".into(),
            data: "games".into(),
            positions: 12_345_678,
            loss: Some(0.071_234_567_890_123),
            loss_before: Some(0.08),
            loss_holdout: Some(0.072),
            k: Some(1.0),
            sigmoid: Some("1 / (1 + 10^(-k v / 400))".into()),
            labels: Some("results".into()),
            data_hash: Some("0123456789abcdef".into()),
        };
        WeightsFile { header, params }
    }

    #[test]
    fn writing_and_reading_give_the_same_bytes_and_the_same_weights() {
        for file in [fitted(), WeightsFile { header: Header::default(), params: EvalParams::default() }] {
            let text = file.to_toml();
            let again = WeightsFile::parse(&text).unwrap();
            assert_eq!(again, file);
            assert_eq!(again.to_toml(), text);
        }
    }

    #[test]
    fn the_embedded_file_is_whole_and_in_step_with_the_list() {
        let file = WeightsFile::parse(EMBEDDED).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(file.to_toml(), EMBEDDED, "write it anew: cargo run -p engine --example default_weights");
        if file.header.made_by == "hand" {
            assert_eq!(file.params, EvalParams::default(), "write it anew, as above");
        }
    }

    /// Breaks a good file in one place and answers with the message.
    fn message(replace: &str, with: &str) -> String {
        let good = WeightsFile { header: Header::default(), params: EvalParams::default() }.to_toml();
        assert!(good.contains(replace), "{replace}");
        let broken = good.replacen(replace, with, 1);
        WeightsFile::parse(&broken).expect_err("the file is broken").to_string()
    }

    #[test]
    fn a_broken_file_says_where_and_what() {
        let hash = format!("{:016x}", EvalParams::default().hash());
        let line = |needle: &str| {
            let good = WeightsFile { header: Header::default(), params: EvalParams::default() }.to_toml();
            1 + good.lines().position(|line| line.starts_with(needle)).unwrap_or(0)
        };
        let (header, weights, tempo) = (line("[header]"), line("[weights]"), line("tempo ="));
        let (pair, knight) = (line("bishop_pair ="), line("mobility_knight ="));

        // Not TOML.
        assert_eq!(
            message("tempo = [20, 10]", "tempo [20, 10]"),
            format!("line {tempo}: this is not TOML: key with no value, expected `=`")
        );
        // A name twice.
        assert_eq!(
            message("tempo = [20, 10]", "tempo = [20, 10]\ntempo = [20, 10]"),
            format!("line {}: this is not TOML: duplicate key", tempo + 1)
        );
        // An unknown name.
        assert_eq!(
            message("tempo =", "temqo ="),
            format!(
                "line {tempo}: `temqo` is no weight of this engine: remove it, or use a file made for this version"
            )
        );
        // A missing name.
        assert_eq!(
            message("tempo = [20, 10]", ""),
            format!(
                "line {weights}: the weight `tempo` is missing in [weights]: add it, or use a file made for this version"
            )
        );
        // Out of range.
        assert_eq!(
            message("tempo = [20, 10]", "tempo = [20, 2501]"),
            format!("line {tempo}: `tempo`: 2501 is not within -2500..=2500")
        );
        // Not a pair.
        assert_eq!(
            message("bishop_pair = [30, 45]", "bishop_pair = [30]"),
            format!("line {pair}: `bishop_pair`: expected [middlegame, endgame], found 1 numbers")
        );
        // Not numbers.
        assert_eq!(
            message("bishop_pair = [30, 45]", "bishop_pair = [30, 4.5]"),
            format!("line {pair}: `bishop_pair`: expected a whole number, found float")
        );
        // Too many entries.
        assert_eq!(
            message("mobility_knight = [", "mobility_knight = [\n  [0, 0],"),
            format!("line {knight}: `mobility_knight` needs 9 entries, found 10")
        );
        // Deep inside an array.
        assert_eq!(
            message("king_attack_safe_check = [\n  [", "king_attack_safe_check = [\n  [[99999, 0]], #"),
            format!(
                "line {}: `king_attack_safe_check[0]` needs 2 entries, found 1",
                line("king_attack_safe_check") + 1
            )
        );
        // Another format.
        assert_eq!(
            message("format = 1", "format = 2"),
            format!(
                "line {}: format 2 is not known: this engine reads format 1; use a file made for it",
                header + 1
            )
        );
        // A header that lacks something.
        assert_eq!(message("date = \"\"\n", ""), format!("line {header}: `date` is missing here"));
        // A header with something unknown.
        assert_eq!(
            message("date =", "color = \"red\"\ndate ="),
            format!("line {}: `color` is unknown in [header]: remove it", header + 3)
        );
        // A weight changed without its hash.
        let changed = EvalParams { tempo: Score::new(21, 10), ..EvalParams::default() };
        assert_eq!(
            message("tempo = [20, 10]", "tempo = [21, 10]"),
            format!(
                "line {}: the hash is {hash}, but the weights give {:016x}: the file is damaged, or it was \
                 edited, and then the hash must be changed too",
                header + 6,
                changed.hash()
            )
        );
        // Something beside the two tables.
        assert_eq!(
            message("[header]", "[footer]\nx = 1\n[header]"),
            format!("line {header}: `footer` is neither [header] nor [weights]: remove it")
        );
        // Nothing at all.
        assert_eq!(WeightsFile::parse("").unwrap_err().to_string(), "line 1: `header` is missing here");
    }
}
