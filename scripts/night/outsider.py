"""A word from outside: an engine that never saw our games says whether the candidate really plays better.

Self-play inbreeds: a candidate may learn to beat its parent and nobody else. Where another engine is installed, the
candidate and the champion both play it from the same openings; the candidate is refused if it does clearly worse.
"""

import json
import os
import shutil

from .engine_spec import process
from .files import run, write_json

# Debian's engines that obey `go nodes`, with the share of our nodes they get: one that loses every game says as
# little as one that wins them all.
ENGINES = (
    ("stockfish", "stockfish", {"Threads": "1", "Hash": "16"}, 0.3),
    ("glaurung", "glaurung", {"OwnBook": "false", "Threads": "1", "Hash": "16"}, 8.0),
)
# So many standard errors below the champion is clearly worse: one candidate in twenty that is as good is refused.
#
# How many games that takes: both matches have n games, the score of a pair of quick games has a variance of about 0.10, so
# the difference of the two scores has one of 2 · 0.10 · 2 / n. 25 Elo are 0.036 points, and 1.645 + 0.84 standard errors (one in
# twenty, and four of five that are seen) are as much at n = 1,930: 2,000 games each see 25 Elo.
CLEARLY = 1.645


def installed():
    for name, command, options, share in ENGINES:
        program = shutil.which(command) or shutil.which(command, path="/usr/games")
        if program:
            return name, program, options, share
    return None


def play(night, generation, who, player, games, threads):
    """A match of ours against the outsider that is installed; `failed` games say nothing of either."""
    name, program, options, share = installed()
    nodes = night.settings["gate_nodes"]
    handicap = night.settings["outsider_nodes"] or max(1, round(nodes * share))
    ours = {"EvalFile": player.weights, "Hash": "16"}
    ours.update({"ExperienceFile": player.book} if player.book else {"UseExperienceBook": "false"})
    told = run([
        night.program("selfplay"), "match",
        "--engine", process(who, night.program("tabula"), ours, f"nodes={nodes}"),
        "--engine", process(name, program, options, f"nodes={handicap}"),
        "--games", str(games), "--seed", str(night.seed_of(generation, "outsider")),
        "--concurrency", str(threads), "--log", os.path.join(night.folder, "logs", "outsider"),
        "--resign", "movecount=4,score=900,twosided", "--json",
    ], night.log(f"outsider-{generation}"), capture=True)
    report = json.loads(told)
    encounter = report["encounters"][0]
    return {"failed": sum(sum(engine["failures"].values()) for engine in report["engines"]),
            **{key: encounter[key] for key in ("results", "score", "elo", "pentanomial")}}


def rate(night, generation, champion, games, threads):
    """The champion against the outsider, for the curve over nights; nothing where none is installed."""
    if not installed():
        return {}
    said = play(night, generation, "champion", champion, games, threads)
    return {} if said.pop("failed") else {"outsider": said}


def ask(night, generation, candidate, champion, folder, threads):
    """Both against the outsider; `objects` if the candidate is clearly worse than the champion there."""
    settings, found = night.settings, installed()
    if not settings["outsider_games"]:
        return {"skipped": "not asked for"}
    if not found:
        return {"skipped": "no outsider is installed (apt install stockfish)"}
    scores = {}
    for who, player in (("candidate", candidate), ("champion", champion)):
        scores[who] = play(night, generation, who, player, settings["outsider_games"], threads)
        failed = scores[who].pop("failed")
        if failed:
            return {"skipped": f"{found[0]} or our engine failed in {failed} games (see the log)"}
    said = {"name": found[0], **scores, "objects": objects(scores["candidate"], scores["champion"])}
    write_json(os.path.join(folder, "outsider.json"), said)
    return said


def objects(candidate, champion):
    """Whether the candidate is clearly worse than the champion, by their matches against the outsider."""
    worse = champion["score"] - candidate["score"]
    error = (variance(champion["pentanomial"]) + variance(candidate["pentanomial"])) ** 0.5
    return error > 0 and worse > CLEARLY * error


def variance(pairs):
    """Of the mean score, from counts of pairs by half points."""
    count = sum(pairs)
    if count < 2:
        return 0.0
    mean = sum(number * points / 4 for points, number in enumerate(pairs)) / count
    return sum(number * (points / 4 - mean) ** 2 for points, number in enumerate(pairs)) / (count - 1) / count
