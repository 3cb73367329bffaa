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
# So many standard errors below the champion is clearly worse.
CLEARLY = 2.0


def installed():
    for name, command, options, share in ENGINES:
        program = shutil.which(command) or shutil.which(command, path="/usr/games")
        if program:
            return name, program, options, share
    return None


def ask(night, generation, candidate, champion, folder, threads):
    """Both against the outsider; `objects` if the candidate is clearly worse than the champion there."""
    settings, found = night.settings, installed()
    if not settings["outsider_games"]:
        return {"skipped": "not asked for"}
    if not found:
        return {"skipped": "no outsider is installed (apt install stockfish)"}
    name, program, options, share = found
    nodes = settings["gate_nodes"]
    scores = {}
    for who, player in (("candidate", candidate), ("champion", champion)):
        ours = {"EvalFile": player.weights, "Hash": "16"}
        ours.update({"ExperienceFile": player.book} if player.book else {"UseExperienceBook": "false"})
        told = run([
            night.program("selfplay"), "match",
            "--engine", process(who, night.program("tabula"), ours, f"nodes={nodes}"),
            "--engine", process(name, program, options, f"nodes={max(1, round(nodes * share))}"),
            "--games", str(settings["outsider_games"]), "--seed", str(night.seed_of(generation, "outsider")),
            "--concurrency", str(threads), "--log", os.path.join(night.folder, "logs", "outsider"),
            "--resign", "movecount=4,score=900,twosided", "--json",
        ], night.log(f"outsider-{generation}"), capture=True)
        report = json.loads(told)
        failed = sum(sum(engine["failures"].values()) for engine in report["engines"])
        if failed:
            return {"skipped": f"{name} or our engine failed in {failed} games (see the log)"}
        encounter = report["encounters"][0]
        scores[who] = {key: encounter[key] for key in ("results", "score", "pentanomial")}
    worse = scores["champion"]["score"] - scores["candidate"]["score"]
    error = (variance(scores["champion"]["pentanomial"]) + variance(scores["candidate"]["pentanomial"])) ** 0.5
    said = {"name": name, **scores, "objects": error > 0 and worse > CLEARLY * error}
    write_json(os.path.join(folder, "outsider.json"), said)
    return said


def variance(pairs):
    """Of the mean score, from counts of pairs by half points."""
    count = sum(pairs)
    if count < 2:
        return 0.0
    mean = sum(number * points / 4 for points, number in enumerate(pairs)) / count
    return sum(number * (points / 4 - mean) ** 2 for points, number in enumerate(pairs)) / (count - 1) / count
