#!/usr/bin/env python3
"""Random positions with three and four men: does the engine's move keep the result of the tablebases?

    python3 engine/tests/tablebases.py path/to/tabula path/to/syzygy [--positions 1000] [--seed 1] [--nodes 200]

python-chess reads the same tables with code of its own and judges each move, the count of the fifty-move rule
included: half of the positions have it running. Needs the package `chess` (pip install chess). Ends with 0 if
every move kept the result, with 1 if one did not, with 2 if it could not be tried.
"""

import argparse
import pathlib
import random
import sys

try:
    import chess
    import chess.engine
    import chess.syzygy
except ImportError:
    print("tablebases.py: the package 'chess' is missing; install it with: pip install chess", file=sys.stderr)
    sys.exit(2)

# Generous: the machine may be busy. What hangs still fails.
PATIENCE = 60.0


def random_position(endings, rng):
    """A legal position of a random ending, either side with the stronger men, either side to move."""
    while True:
        strong, weak = rng.choice(endings).split("v")
        colour = rng.choice([chess.WHITE, chess.BLACK])
        men = [(colour, letter) for letter in strong] + [(not colour, letter) for letter in weak]
        squares = rng.sample(chess.SQUARES, len(men))
        board = chess.Board(None)
        for square, (side, letter) in zip(squares, men):
            piece_type = chess.PIECE_SYMBOLS.index(letter.lower())
            board.set_piece_at(square, chess.Piece(piece_type, side))
        board.turn = rng.choice([chess.WHITE, chess.BLACK])
        if rng.random() < 0.5:
            board.halfmove_clock = rng.randrange(1, 100)
            board.fullmove_number = 100
        # Most double checks of so few men could not have come about, and the engine refuses those.
        if board.is_valid() and len(board.checkers()) < 2 and not board.is_game_over():
            return board


def result(tables, board):
    """2 won, 1 won but for the fifty-move rule, 0 drawn, … for the side to move, with the count as it stands;
    None where distances, which may be a ply too small, leave it open."""
    if board.is_checkmate():
        return -2
    if board.halfmove_clock >= 100 or board.is_stalemate() or board.is_insufficient_material():
        return 0
    if board.halfmove_clock == 0:
        return tables.probe_wdl(board)
    dtz = tables.probe_dtz(board)
    sign = (dtz > 0) - (dtz < 0)
    plies = abs(dtz) + board.halfmove_clock
    if dtz == 0 or plies <= 99:
        return 2 * sign
    return sign if plies > 101 else None


def keeps(before, after):
    """Wins stay wins, draws (by whatever rule) do not become losses."""
    return after >= before or (abs(before) < 2 and abs(after) < 2)


def main():
    parser = argparse.ArgumentParser(description="Does the engine's move keep the result of the tablebases?")
    parser.add_argument("engine")
    parser.add_argument("tables")
    parser.add_argument("--positions", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--nodes", type=int, default=200)
    arguments = parser.parse_args()
    folder = pathlib.Path(arguments.tables).resolve()
    endings = sorted(path.stem for path in folder.glob("*.rtbw") if len(path.stem) <= 5)
    if not endings:
        print(f"tablebases.py: no tables of three or four men in {folder}", file=sys.stderr)
        sys.exit(2)
    rng = random.Random(arguments.seed)
    counts = {result: 0 for result in (-2, -1, 0, 1, 2)}
    open_cases, faults, without_hits = 0, [], 0
    with chess.syzygy.open_tablebase(str(folder)) as tables:
        engine = chess.engine.SimpleEngine.popen_uci(arguments.engine, timeout=PATIENCE)
        try:
            engine.configure({"SyzygyPath": str(folder), "Hash": 1})
            for _ in range(arguments.positions):
                board = random_position(endings, rng)
                before = result(tables, board)
                limit = chess.engine.Limit(nodes=arguments.nodes)
                answer = engine.play(board, limit, game=object(), info=chess.engine.INFO_ALL)
                # With few nodes a search may end before its first report; then nothing is known of hits.
                without_hits += answer.info.get("tbhits") == 0
                fen = board.fen()
                board.push(answer.move)
                after = result(tables, board)
                if before is None or after is None:
                    open_cases += 1
                elif keeps(before, -after):
                    counts[before] += 1
                else:
                    faults.append(f"{fen}: {answer.move} turns {before} into {-after}")
        finally:
            engine.quit()
    for fault in faults[:20]:
        print(fault)
    print(
        f"{sum(counts.values())} of {arguments.positions} moves keep the result "
        f"(won {counts[2]}, cursed {counts[1]}, drawn {counts[0]}, blessed {counts[-1]}, lost {counts[-2]}), "
        f"{open_cases} not to be judged, {len(faults)} lose it, {without_hits} without a hit"
    )
    sys.exit(1 if faults or without_hits else 0)


if __name__ == "__main__":
    main()
