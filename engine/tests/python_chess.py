#!/usr/bin/env python3
"""A real client drives the engine: python-chess plays, ponders, stops and analyses.

    python3 engine/tests/python_chess.py path/to/tabula

Needs the package `chess` (pip install chess). Ends with 0 if everything went well, with 1 if the engine
did something wrong, with 2 if it could not be tried.
"""

import logging
import random
import sys
import time

try:
    import chess
    import chess.engine
except ImportError:
    print("python_chess.py: the package 'chess' is missing; install it with: pip install chess", file=sys.stderr)
    sys.exit(2)

# Generous: the machine may be busy. What hangs still fails.
PATIENCE = 60.0


class Complaints(logging.Handler):
    """Keeps what python-chess finds odd about the engine's output: it only logs it."""

    def __init__(self):
        super().__init__(logging.WARNING)
        self.messages = []

    def emit(self, record):
        self.messages.append(record.getMessage())


def open_engine(path):
    return chess.engine.SimpleEngine.popen_uci(path, timeout=PATIENCE)


def play_game(engine, board, limit_of, max_plies=160, **options):
    """The engine against itself; python-chess refuses an illegal move by an exception."""
    game = object()
    while not board.is_game_over(claim_draw=True) and board.ply() < max_plies:
        result = engine.play(board, limit_of(board), game=game, **options)
        assert result.move in board.legal_moves, f"{result.move} in {board.fen()}"
        board.push(result.move)
    return board


def games_by_every_limit(engine):
    clocks = chess.engine.Limit(white_clock=0.5, black_clock=0.5, white_inc=0.01, black_inc=0.01)
    for limit in [
        chess.engine.Limit(depth=4),
        chess.engine.Limit(nodes=500),
        chess.engine.Limit(time=0.01),
        chess.engine.Limit(white_clock=1, black_clock=1, remaining_moves=40),
        clocks,
    ]:
        board = play_game(engine, chess.Board(), lambda _: limit)
        assert board.ply() > 10, f"a game of {board.ply()} plies by {limit}"


def chess960_games(engine):
    rng = random.Random(960)
    for _ in range(3):
        board = chess.Board.from_chess960_pos(rng.randrange(960))
        play_game(engine, board, lambda _: chess.engine.Limit(nodes=400))


def games_with_pondering(path):
    """Two engines; each ponders while the other thinks, so that it meets both hits and misses."""
    white, black = open_engine(path), open_engine(path)
    try:
        board, hits, misses = chess.Board(), 0, 0
        expected, games = {chess.WHITE: None, chess.BLACK: None}, {chess.WHITE: object(), chess.BLACK: object()}
        while not board.is_game_over(claim_draw=True) and board.ply() < 60:
            engine = white if board.turn else black
            if expected[board.turn] is not None:
                hit = board.peek() == expected[board.turn]
                hits, misses = hits + hit, misses + (not hit)
            # Different limits, so that they do not always agree.
            limit = chess.engine.Limit(time=0.03) if board.turn else chess.engine.Limit(nodes=300)
            result = engine.play(board, limit, game=games[board.turn], ponder=True)
            assert result.move in board.legal_moves
            expected[board.turn] = result.ponder
            board.push(result.move)
        assert hits > 0 and misses > 0, f"{hits} hits and {misses} misses: both should have been met"
        return f"{hits} hits, {misses} misses"
    finally:
        white.quit()
        black.quit()


def infinite_analysis_and_stop(engine):
    board = chess.Board("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1")
    with engine.analysis(board) as analysis:
        for info in analysis:
            if info.get("depth", 0) >= 6:
                break
        start = time.monotonic()
        analysis.stop()
        best = analysis.wait()
        took = time.monotonic() - start
    assert best.move in board.legal_moves
    assert took < 5, f"stop took {took:.1f} s"
    # The next search follows at once, twenty times over.
    for _ in range(20):
        with engine.analysis(board) as analysis:
            analysis.stop()
            assert analysis.wait().move in board.legal_moves
    return f"stopped in {1000 * took:.0f} ms"


def several_lines(engine):
    board = chess.Board()
    infos = engine.analyse(board, chess.engine.Limit(depth=6), multipv=4)
    assert len(infos) == 4, infos
    firsts = [info["pv"][0] for info in infos]
    assert len(set(firsts)) == 4, firsts
    scores = [info["score"].relative.score(mate_score=100000) for info in infos]
    assert scores == sorted(scores, reverse=True), scores
    for info in infos:
        for key in ["depth", "seldepth", "nodes", "nps", "time", "hashfull", "tbhits"]:
            assert key in info, f"no {key}"
        line = board.copy()
        for move in info["pv"]:
            assert move in line.legal_moves, f"{move} in {line.fen()}"
            line.push(move)


def chances(engine):
    engine.configure({"UCI_ShowWDL": True})
    info = engine.analyse(chess.Board(), chess.engine.Limit(depth=5))
    wdl = info["wdl"].relative
    assert wdl.wins + wdl.draws + wdl.losses == 1000, wdl
    engine.configure({"UCI_ShowWDL": False})


def root_moves_are_kept_to(engine):
    board = chess.Board()
    moves = [chess.Move.from_uci("a2a3"), chess.Move.from_uci("h2h4")]
    result = engine.play(board, chess.engine.Limit(depth=5), root_moves=moves)
    assert result.move in moves, result.move


def mates(engine):
    board = chess.Board("6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1")
    info = engine.analyse(board, chess.engine.Limit(mate=1))
    assert info["score"].relative == chess.engine.Mate(1), info
    board = chess.Board("8/8/8/8/8/5k2/6q1/7K w - - 0 1")
    assert board.is_checkmate()
    with engine.analysis(board, chess.engine.Limit(depth=3)) as analysis:
        assert analysis.wait().move is None


def options_while_idle(engine):
    for name, value in [("Hash", 16), ("Threads", 2), ("MoveOverhead", 10)]:
        assert name in engine.options, name
        engine.configure({name: value})
    engine.configure({"Clear Hash": None})
    engine.ping()
    engine.play(chess.Board(), chess.engine.Limit(time=0.05))
    engine.configure({"Threads": 1})


def many_positions_in_a_row(engine):
    rng = random.Random(4)
    for _ in range(150):
        board = chess.Board()
        for _ in range(rng.randrange(80)):
            if board.is_game_over():
                break
            board.push(rng.choice(list(board.legal_moves)))
        if not board.is_game_over():
            result = engine.play(board, chess.engine.Limit(nodes=rng.choice([1, 50, 2000])), game=object())
            assert result.move in board.legal_moves


def main():
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    path = sys.argv[1]
    complaints = Complaints()
    logging.getLogger("chess.engine").addHandler(complaints)
    try:
        engine = open_engine(path)
    except (OSError, chess.engine.EngineError) as error:
        print(f"python_chess.py: cannot start {path}: {error}", file=sys.stderr)
        return 2
    failures = 0
    steps = [
        games_by_every_limit,
        chess960_games,
        infinite_analysis_and_stop,
        several_lines,
        chances,
        root_moves_are_kept_to,
        mates,
        options_while_idle,
        many_positions_in_a_row,
        games_with_pondering,
    ]
    for step in steps:
        complaints.messages.clear()
        start = time.monotonic()
        try:
            remark = step(path if step is games_with_pondering else engine)
            assert not complaints.messages, f"python-chess complains: {complaints.messages}"
            outcome = "ok" + (f" ({remark})" if remark else "")
        except (AssertionError, chess.engine.EngineError, TimeoutError) as error:
            outcome, failures = f"FAILED: {type(error).__name__}: {error}", failures + 1
        print(f"{step.__name__:<28} {time.monotonic() - start:6.1f} s  {outcome}", flush=True)
        if engine.returncode.done():
            print(f"the engine ended by itself with {engine.returncode.result()}")
            return 1
    engine.quit()
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
