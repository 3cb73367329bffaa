"""How games are played that a book learns from: a pupil who asks the book against the engine without one.

Both play as quickly as a match, with nodes that vary: one opening and one number of nodes give one game. A judge
searches each of the first moves alone and patiently, and what it finds is recorded.
"""

VARIED_PERCENT = 25  # whole ones: matches may lie between them
JUDGED_PLIES = 16  # after the opening
PATIENCE = 10  # times the nodes of a match, for the judge


def teaching_games(nodes, openings, book=None):
    """Options of `selfplay generate`: `nodes` are those of a match, each opening of the file is played from both sides."""
    return ["--nodes", str(nodes), "--vary-nodes", str(VARIED_PERCENT), "--openings", openings, "--opening-nodes", "0",
            "--sparring", "--judge", f"plies={JUDGED_PLIES},nodes={PATIENCE * nodes}", *(["--book", book] if book else [])]
