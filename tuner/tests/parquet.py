"""From recorded games to a table and back: is what polars reads what the games say?

    parquet.py DIR     DIR holds games.jsonl (selfplay cat) and positions.parquet (tune extract --parquet) of the same games

Run by scripts/test --full after scripts/notebooks has made both.
"""

import sys
from pathlib import Path

import polars as pl

FORMATS = Path(__file__).parents[2] / "docs/2-formats.md"
TYPES = {"u32": pl.UInt32, "u16": pl.UInt16, "u64": pl.UInt64, "i16": pl.Int16, "f32": pl.Float32,
         "string": pl.String, "bool": pl.Boolean}


def documented() -> dict:
    """The columns as docs/2-formats.md lists them."""
    section = FORMATS.read_text().split("### The same as a table: Parquet")[1].split("\n#")[0]
    rows = [line.split("|")[1:3] for line in section.splitlines() if line.startswith("| `")]
    return {name.strip(" `"): TYPES[kind.strip()] for name, kind in rows}


def main() -> int:
    data = Path(sys.argv[1])
    positions = pl.read_parquet(data / "positions.parquet")
    assert dict(positions.schema) == documented(), f"{positions.schema} is not what {FORMATS.name} says"
    assert positions.height > 1_000 and positions["key"].n_unique() == positions.height
    assert positions["ply"].min() >= 16 and positions["score_white"].abs().max() <= 1_500

    fields = positions["fen"].str.split(" ")
    assert (fields.list.get(1) == "w").equals(positions["white_to_move"])
    men = positions["fen"].str.split(" ").list.get(0).str.count_matches("[a-zA-Z]")
    assert men.equals(positions["pieces"])

    # The result of the game, and the score of the move that was played in the position.
    points = {"1-0": 1.0, "1/2-1/2": 0.5, "0-1": 0.0}
    games = {game["id"]: game for game in pl.read_ndjson(data / "games.jsonl").iter_rows(named=True)}
    for row in positions.iter_rows(named=True):
        game = games[row["game"]]
        assert row["result_white"] == points[game["result"]], row
        score = game["scores_stm"][row["ply"] - len(game["opening"])]
        assert row["score_white"] == (score if row["white_to_move"] else -score), row
    print(f"{positions.height} positions of {positions['game'].n_unique()} games agree with their records")
    return 0


if __name__ == "__main__":
    sys.exit(main())
