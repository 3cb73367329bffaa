"""Folders that look like a year of nights: for what a page costs, and for pictures. The same numbers every time."""

import json
import math
import os
import random

HOSTILE = "<script>window.hacked=1</script><img src=x onerror=window.hacked=1>"


def write(path, value):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        json.dump(value, file)


def match(rng, elo, games):
    """Results of a match of this difference: wins, draws, losses, pairs, Elo with its error."""
    score = 1 / (1 + 10 ** (-elo / 400))
    draws = round(games * 1.8 * score * (1 - score))
    wins = min(games - draws, max(0, round(games * score - draws / 2 + rng.gauss(0, math.sqrt(games) * 0.25))))
    losses = games - draws - wins
    share = (wins + draws / 2) / games
    pairs = [round(games / 2 * part) for part in (0.06, 0.22, 0.42, 0.22, 0.08)]
    value = 400 * math.log10(share / (1 - share))
    error = 1.96 * 400 / math.log(10) * math.sqrt(0.11 / games) / (share * (1 - share))
    return {"results": {"wins": wins, "draws": draws, "losses": losses}, "score": share, "pentanomial": pairs,
            "elo": {"value": value, "low": value - error, "high": value + error, "error": error}}


def nights(folder, number, games=10_000):
    """So many nights, every sixth with a new champion."""
    rng = random.Random(7)
    champion, strength = "w0", 0.0
    settings = {"generations": 1, "arms": "weights,book,both", "games": games, "line_games": 200, "nodes": 5000, "shards": 4,
                "gate_games": 8000, "gate_shards": 1, "sprt": "elo0=0,elo1=15,alpha=0.04,beta=0.05", "from_zero": False}
    for night in range(number):
        begun = 1_700_000_000 + 86_400 * night
        name = f"night-{night + 1:03}"
        place, generation = os.path.join(folder, name), os.path.join(folder, name, "generation-1")
        write(f"{place}/manifest.json", {"format": 2, "begun": begun, "settings": settings, "commit": f"{night:040x}",
              "start": {"weights.toml": champion}, "shipped_weights_sha256": "w0", "library": {"games": games * night}})
        promoted = night % 6 == 5
        for arm in settings["arms"].split(","):
            # Large steps at first, small ones later.
            step = 13 + 22 * math.exp(-night / 70)
            gain = step * rng.uniform(0.8, 1.2) if promoted and arm == "both" else rng.uniform(-12, 9)
            part = {"name": "nodes", **match(rng, gain, 2400), "sprt": {"llr": 3.2 if promoted and arm == "both" else -3.2 + rng.random(),
                    "lower": -2.95, "upper": 3.18}}
            verdict = "passed" if promoted and arm == "both" else "failed"
            write(f"{generation}/gate/{arm}/verdict.json", {"verdict": verdict, "reason": verdict, "parts": [part]})
            write(f"{generation}/gate/{arm}-shard-1.json", {})
            if verdict == "passed":
                passed, gained = part, gain
        outsider = {"name": "stockfish", "objects": False, "champion": match(rng, 0.45 * strength - 180, 400)}
        choice = {"arm": None, "outsider": {**outsider, "candidate": outsider["champion"]}, "refused": None}
        if promoted:
            champion, strength = f"w{night + 1}", strength + 0.6 * gained
            choice["arm"] = "both"
            choice["outsider"]["candidate"] = match(rng, 0.45 * strength - 180, 400)
            origin = {"night": name, "generation": 1, "promoted": "both", "weights_sha256": champion, "book_sha256": None,
                      "against_the_champion_before": {key: passed[key] for key in ("results", "elo", "score")}}
            write(f"{generation}/promote/origin.json", origin)
            write(f"{folder}/history/{night // 6 + 1:04}-{name}-1/origin.json", origin)
        write(f"{generation}/promote/choice.json", choice)
        for kind, count in (("games", games), ("lines", 200)):
            write(f"{generation}/merge/{kind}.json", {"games": count, "positions": count * 90, "white_wins": count * 37 // 100,
                  "draws": count * 32 // 100, "black_wins": count * 31 // 100, "diversity": []})
        for stage, seconds in (("generate", 5400), ("gate", 4200), ("tune", 400)):
            write(f"{place}/times/{stage}-1-0.json", {"begun": begun, "ended": begun + seconds, "cpu": seconds * 1.9})
        write(f"{place}/finished.json", {"generations": []})
    history = sorted(os.listdir(f"{folder}/history")) if os.path.isdir(f"{folder}/history") else []
    if history:
        os.symlink(os.path.join("history", history[-1]), f"{folder}/champion")


def hostile(folder):
    """A night whose names, headers and logs would like to be scripts."""
    place = os.path.join(folder, "hostile")
    settings = {"generations": 1, "arms": "weights", "games": 2, "shards": 1, "gate_games": 2, "sprt": HOSTILE, "openings": HOSTILE}
    write(f"{place}/manifest.json", {"format": 2, "begun": 1_690_000_000, "settings": settings, "commit": HOSTILE, "start": {},
                                     "library": {"games": HOSTILE}})
    write(f"{place}/generation-1/gate/weights/verdict.json", {"verdict": HOSTILE, "reason": HOSTILE, "parts": []})
    os.makedirs(f"{place}/logs")
    with open(f"{place}/logs/tune-1.log", "w", encoding="utf-8") as file:
        file.write(HOSTILE)
    with open(f"{place}/generation-1/gate/weights/nodes-1-of-1.pgn", "w", encoding="utf-8") as file:
        file.write(f'[White "{HOSTILE}"]\n[Black "{HOSTILE}"]\n[Result "1-0"]\n[Termination "{HOSTILE}"]\n\n'
                   "1. e4 {+0.20/8 0.1s} e5 {-0.10/7 0.1s} 2. Qh5 (2. Nf3 Nc6) Nc6 3. Bc4 Nf6 4. Qxf7# 1-0\n")
    write(f"{place}/finished.json", {"generations": []})
