//! Positions as a table in Parquet, for people and notebooks.

use std::fs::File;
use std::path::Path;

use engine::Board;
use engine::types::Color;
use polars::prelude::{Column, DataFrame, ParquetWriter, PolarsResult};

use crate::packed::PackedPosition;

/// Writes one row a position: `game`, `ply`, `fen`, `white_to_move`, `key`, `pieces`, `result_white`,
/// `score_white`. The file is there whole or not at all.
pub fn write_parquet(path: &Path, positions: &[PackedPosition]) -> PolarsResult<()> {
    let mut beside = path.as_os_str().to_owned();
    beside.push(".new");
    let file = File::create(&beside)?;
    ParquetWriter::new(&file).finish(&mut table(positions)?)?;
    file.sync_all()?;
    std::fs::rename(&beside, path)?;
    Ok(())
}

fn table(positions: &[PackedPosition]) -> PolarsResult<DataFrame> {
    let boards: Vec<Board> = positions.iter().map(|position| Board::from_setup(&position.setup)).collect();
    let games: Vec<u32> = positions.iter().map(|position| position.game).collect();
    let plies: Vec<u16> = positions.iter().map(|position| position.ply).collect();
    let fens: Vec<String> = boards.iter().map(Board::fen).collect();
    let white_to_move: Vec<bool> = boards.iter().map(|board| board.side_to_move() == Color::White).collect();
    let keys: Vec<u64> = boards.iter().map(Board::key).collect();
    let pieces: Vec<u32> = boards.iter().map(|board| board.occupied().count()).collect();
    let results: Vec<Option<f32>> = positions.iter().map(|position| position.label.result).collect();
    let scores: Vec<Option<i16>> = positions.iter().map(|position| position.label.score).collect();
    let columns = vec![
        Column::new("game".into(), games),
        Column::new("ply".into(), plies),
        Column::new("fen".into(), fens),
        Column::new("white_to_move".into(), white_to_move),
        Column::new("key".into(), keys),
        Column::new("pieces".into(), pieces),
        Column::new("result_white".into(), results),
        Column::new("score_white".into(), scores),
    ];
    DataFrame::new(positions.len(), columns)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::label::Label;
    use polars::prelude::{ParquetReader, SerReader};

    #[test]
    fn a_table_comes_back() {
        let label = Label { result: Some(0.5), score: Some(-31) };
        let position = PackedPosition { setup: Board::start().setup(), label, game: 7, ply: 12 };
        let unlabelled = PackedPosition { label: Label::default(), ..position.clone() };
        let directory = tempfile::tempdir().expect("a temporary directory");
        let path = directory.path().join("positions.parquet");
        write_parquet(&path, &[position, unlabelled]).expect("it can be written");
        let read =
            ParquetReader::new(File::open(&path).expect("it is there")).finish().expect("it can be read");
        assert_eq!((read.height(), read.width()), (2, 8));
        let scores = read.column("score_white").expect("a column").i16().expect("of numbers").to_vec();
        assert_eq!(scores, [Some(-31), None]);
        let fens = read.column("fen").expect("a column").str().expect("of texts").get(0).map(str::to_owned);
        assert_eq!(fens, Some(Board::start().fen()));
    }
}
