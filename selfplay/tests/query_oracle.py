#!/usr/bin/env python3
"""The answers to the queries of query_differential.rs, worked out by python-chess alone.

    python3 query_oracle.py FILE.pgn [GAMES]

Prints one JSON object: the name of a query and its rows, as lists of texts. Needs the package `chess`.
"""

import collections
import json
import re
import sys

import chess
import chess.pgn

VALUES = {chess.PAWN: 1, chess.KNIGHT: 3, chess.BISHOP: 3, chess.ROOK: 5, chess.QUEEN: 9, chess.KING: 100}


class Position:
    """A position of a game with the move played there."""

    def __init__(self, game, ply, board, move, comment):
        self.game, self.ply, self.board, self.move, self.comment = game, ply, board, move, comment

    def is_capture(self):
        return self.move is not None and self.board.is_capture(self.move)

    def score(self):
        """The mover's centipawns in the comment behind the move; None for mates and where there is none."""
        found = re.match(r"([+-]\d+\.\d\d)/(\d+)", self.comment or "")
        return round(float(found[1]) * 100) if found else None


class Game:
    def __init__(self, number, pgn):
        self.number, self.result = number, pgn.headers.get("Result", "*")
        self.white = pgn.headers.get("White", "")
        self.positions = []
        board = pgn.board()
        for ply, node in enumerate(pgn.mainline()):
            self.positions.append(Position(self, ply, board.copy(), node.move, node.comment))
            board.push(node.move)
        self.positions.append(Position(self, len(self.positions), board, None, ""))


def points(board, side):
    return sum(VALUES[p.piece_type] for p in board.piece_map().values() if p.color == side and p.piece_type != chess.KING)


def phase(board):
    weights = {chess.KNIGHT: 1, chess.BISHOP: 1, chess.ROOK: 2, chess.QUEEN: 4}
    total = sum(weights.get(piece.piece_type, 0) for piece in board.piece_map().values())
    if total <= 8:
        return "endgame"
    return "opening" if total >= 20 and board.fullmove_number <= 10 else "middlegame"


def men(board, side):
    return [(square, piece) for square, piece in board.piece_map().items() if piece.color == side]


def forks(board, side):
    found = 0
    for square, piece in men(board, side):
        prey = 0
        for target in board.attacks(square):
            other = board.piece_at(target)
            if other is None or other.color == side:
                continue
            worth_more = VALUES[other.piece_type] > VALUES[piece.piece_type]
            loose = other.piece_type != chess.PAWN and not board.is_attacked_by(not side, target)
            prey += worth_more or loose
        found += prey >= 2
    return found


def skewers(board, side):
    found = 0
    for square, piece in men(board, side):
        if piece.piece_type not in (chess.BISHOP, chess.ROOK, chess.QUEEN):
            continue
        hit = False
        for front in board.attacks(square):
            first = board.piece_at(front)
            if first is None or first.color == side:
                continue
            step_file = chess.square_file(front) - chess.square_file(square)
            step_rank = chess.square_rank(front) - chess.square_rank(square)
            step_file = (step_file > 0) - (step_file < 0)
            step_rank = (step_rank > 0) - (step_rank < 0)
            file, rank = chess.square_file(front) + step_file, chess.square_rank(front) + step_rank
            while 0 <= file < 8 and 0 <= rank < 8:
                second = board.piece_at(chess.square(file, rank))
                if second is not None:
                    lesser = VALUES[second.piece_type] < VALUES[first.piece_type]
                    hit |= second.color != side and second.piece_type != chess.PAWN and lesser
                    break
                file, rank = file + step_file, rank + step_rank
        found += hit
    return found


def hanging(board, side):
    return sum(
        piece.piece_type != chess.KING and board.is_attacked_by(not side, square) and not board.is_attacked_by(side, square)
        for square, piece in men(board, side)
    )


def passed(board, side):
    enemies = board.pieces(chess.PAWN, not side)
    ahead = (lambda a, b: a > b) if side else (lambda a, b: a < b)
    return sum(
        not any(
            abs(chess.square_file(enemy) - chess.square_file(pawn)) <= 1
            and ahead(chess.square_rank(enemy), chess.square_rank(pawn))
            for enemy in enemies
        )
        for pawn in board.pieces(chess.PAWN, side)
    )


def isolated(board, side):
    files = {chess.square_file(pawn) for pawn in board.pieces(chess.PAWN, side)}
    return sum(
        not {chess.square_file(pawn) - 1, chess.square_file(pawn) + 1} & files for pawn in board.pieces(chess.PAWN, side)
    )


def longest_knight_paths(game):
    """The first ply at which a white knight has stood on five ranks; None if there is none."""
    been = {}
    for square, piece in game.positions[0].board.piece_map().items():
        if piece.color and piece.piece_type in (chess.KNIGHT, chess.PAWN):
            been[square] = {chess.square_rank(square)}
    for position in game.positions:
        knights = position.board.pieces(chess.KNIGHT, chess.WHITE)
        if any(len(been[square]) >= 5 for square in knights):
            return position.ply
        move = position.move
        if move is None:
            return None
        been.pop(move.to_square, None)
        if move.from_square in been:
            been[move.to_square] = been.pop(move.from_square) | {chess.square_rank(move.to_square)}
        if position.board.is_en_passant(move) and not position.board.turn:
            been.pop(move.to_square + 8, None)
    return None


def perft(board, depth):
    if depth == 0:
        return 1
    total = 0
    for move in board.legal_moves:
        board.push(move)
        total += perft(board, depth - 1)
        board.pop()
    return total


def rook_ending(board):
    kinds = {piece.piece_type for piece in board.piece_map().values()}
    rooks = all(len(board.pieces(chess.ROOK, side)) == 1 for side in chess.COLORS)
    return rooks and kinds <= {chess.KING, chess.ROOK, chess.PAWN}


def minor_ending(board, side):
    """King and one minor piece with any pawns against king and any pawns."""
    minors = len(board.pieces(chess.KNIGHT, side)) + len(board.pieces(chess.BISHOP, side))
    heavy = any(board.pieces(kind, any_side) for kind in (chess.ROOK, chess.QUEEN) for any_side in chess.COLORS)
    others = len(board.pieces(chess.KNIGHT, not side)) + len(board.pieces(chess.BISHOP, not side))
    return minors == 1 and len(board.pieces(chess.KNIGHT, side)) == 1 and others == 0 and not heavy


def answers(games):
    positions = [position for game in games for position in game.positions]
    moved = [position for position in positions if position.move is not None]
    count = lambda condition, among=positions: [[str(sum(bool(condition(p)) for p in among))]]
    total = lambda number: [[str(sum(number(p.board) for p in positions))]]

    def groups(key, among):
        counted = collections.Counter(key(p) for p in among)
        return [[str(name), str(number)] for name, number in sorted(counted.items())]

    name = lambda piece_type: chess.piece_name(piece_type)
    taken = lambda p: name(chess.PAWN if p.board.is_en_passant(p.move) else p.board.piece_type_at(p.move.to_square))
    following = lambda p: p.game.positions[p.ply + 1] if p.ply + 1 < len(p.game.positions) else None
    scored = [p for p in positions if p.score() is not None]
    both = lambda number: lambda board: number(board, chess.WHITE) + number(board, chess.BLACK)
    knight_plies = [longest_knight_paths(game) for game in games]
    checked = [game for game in games if any(p.board.is_check() for p in game.positions)]
    return {
        "all": count(lambda p: True),
        "check": count(lambda p: p.board.is_check()),
        "checkmate": count(lambda p: p.board.is_checkmate()),
        "stalemate": count(lambda p: p.board.is_stalemate()),
        "capture": count(lambda p: p.is_capture()),
        "promotion": count(lambda p: p.move.promotion, moved),
        "castling": count(lambda p: p.board.is_castling(p.move), moved),
        "en_passant": count(lambda p: p.board.is_en_passant(p.move), moved),
        "gives_check": count(lambda p: p.board.gives_check(p.move), moved),
        "moved": groups(lambda p: name(p.board.piece_type_at(p.move.from_square)), moved),
        "taken": groups(taken, [p for p in positions if p.is_capture()]),
        "results": groups(lambda p: p.game.result, [p for p in positions if p.ply == 0]),
        "phases": groups(lambda p: phase(p.board), positions),
        "first_moves": groups(lambda p: p.board.san(p.move), [p for p in moved if p.ply == 0]),
        "legal": [
            [str(5 * key), str(number)]
            for key, number in sorted(collections.Counter(p.board.legal_moves.count() // 5 for p in positions).items())
        ],
        "balance": [
            [str(key), str(number)]
            for key, number in sorted(
                collections.Counter(points(p.board, True) - points(p.board, False) for p in positions).items()
            )
        ],
        "rook_endings": count(lambda p: rook_ending(p.board)),
        "minor_endings": count(lambda p: minor_ending(p.board, True) or minor_ending(p.board, False)),
        "bishop_power": total(
            lambda board: len(
                chess.SquareSet(
                    sum(
                        {1 << target for square in board.pieces(chess.BISHOP, chess.BLACK) for target in board.attacks(square)}
                    )
                )
            )
        ),
        "pinned": total(lambda board: sum(board.is_pinned(piece.color, square) for square, piece in board.piece_map().items())),
        "forks": total(both(forks)),
        "skewers": total(both(skewers)),
        "hanging": total(both(hanging)),
        "passed": total(both(passed)),
        "isolated": total(both(isolated)),
        "recaptures": count(
            lambda p: p.is_capture() and following(p).is_capture() and p.move.to_square == following(p).move.to_square
        ),
        "after_castling": count(
            lambda p: p.board.is_castling(p.move)
            and any(q.board.is_check() for q in p.game.positions[p.ply + 1 : p.ply + 11]),
            moved,
        ),
        "knight_paths": [[str(sum(ply is not None for ply in knight_plies))]],
        "kings_near": count(lambda p: chess.square_distance(p.board.king(True), p.board.king(False)) <= 2),
        "may_castle": count(lambda p: p.board.has_castling_rights(chess.WHITE)),
        "attackers_of_e4": total(lambda board: len(board.attackers(chess.BLACK, chess.E4))),
        "threefold": count(lambda p: p.board.is_repetition(3)),
        "insufficient": count(lambda p: p.board.is_insufficient_material()),
        "distinct": [[str(len({p.board.fen() for p in positions}))]],
        "clock": [[str(max(p.board.halfmove_clock for p in positions))]],
        "checked_games": [[str(len(checked)), str(sum(len(game.positions) - 1 for game in checked))]],
        "scored": count(lambda p: p.score() > 100 and p.board.turn, scored),
        "quiet": count(
            lambda p: not p.board.is_check()
            and p.move is not None
            and not p.is_capture()
            and p.move.promotion is None
            and not p.board.gives_check(p.move)
        ),
        "perft": [[str(perft(p.board.copy(), 2))] for p in positions if p.ply == 20],
    }


def main():
    path, most = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else None
    games = []
    with open(path, encoding="utf-8", errors="replace") as file:
        while most is None or len(games) < most:
            pgn = chess.pgn.read_game(file)
            if pgn is None:
                break
            games.append(Game(len(games) + 1, pgn))
    json.dump(answers(games), sys.stdout)


if __name__ == "__main__":
    main()
