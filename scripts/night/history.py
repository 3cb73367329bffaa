"""What nights made: every night in the order of their beginning, and the champions that came of them."""

import os

from .champion import Champion
from .files import read_json
from .manifest import FORMAT
from .report import elo_text, rows_of, why
from .stages import FINISHED, missing


def manifests(folder):
    """All nights of a place, the oldest first: (folder, manifest)."""
    found = []
    for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else []:
        path = os.path.join(folder, name, "manifest.json")
        if os.path.isfile(path):
            manifest = read_json(path)
            found.append((manifest.get("begun", 0), os.path.join(folder, name), manifest))
    return [(path, manifest) for _, path, manifest in sorted(found, key=lambda night: night[:2])]


def nights_of(folder):
    """Those that this program can read."""
    return [path for path, manifest in manifests(folder) if manifest.get("format") == FORMAT]


def older_lines(folder):
    """Those that it cannot."""
    for path, manifest in manifests(folder):
        if manifest.get("format") != FORMAT:
            yield f"  {os.path.basename(path)}: begun by another version of this program (format {manifest.get('format')})"


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
