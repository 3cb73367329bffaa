"""What nights made: every night in the order of their beginning, and the champions that came of them."""

import os

from .champion import Champion
from .files import read_json
from .manifest import FORMAT
from .report import elo_text, rows_of, why
from .stages import FINISHED, missing


def nights_of(folder):
    """The nights of a place, the oldest first: those that this program can read."""
    found = []
    for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else []:
        path = os.path.join(folder, name, "manifest.json")
        if os.path.isfile(path):
            manifest = read_json(path)
            if manifest.get("format") == FORMAT:
                found.append((manifest.get("begun", 0), os.path.join(folder, name)))
    return [path for _, path in sorted(found)]


def night_lines(night):
    """What became of each generation of a night, in a line each."""
    if os.path.exists(night.path(FINISHED)):
        for row in read_json(night.path(FINISHED))["generations"]:
            yield f"  {night.name}, generation {row['generation']}: {row['why']}"
        return
    left = missing(night)
    yield f"  {night.name}: not finished, {left[0] if left else 'report'}{' and more' if len(left) > 1 else ''} missing"
    for row in rows_of(night):
        yield f"  {night.name}, generation {row['generation']}: {why(night, row)}"


def champion_lines(hall):
    """The champions, the reigning one with a star."""
    reigning = os.path.basename(hall.current().folder)
    for name in hall.entries():
        origin = Champion(os.path.join(hall.history_folder, name)).origin
        match = origin.get("against_the_champion_before", {})
        results = match.get("results", {})
        yield (f"{'*' if name == reigning else ' '} {name}  {origin.get('promoted')}: +{results.get('wins')} "
               f"={results.get('draws')} -{results.get('losses')}, {elo_text(match.get('elo'))} Elo")
