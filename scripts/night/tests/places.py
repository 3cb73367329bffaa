"""Nights and champions for tests, in folders that vanish. No program of ours is run."""

import contextlib
import datetime
import os
import tempfile
import types
import unittest

from night.champion import Champion, Hall
from night.files import write_json
from night.manifest import FORMAT, Night
from night.settings import complete

TODAY = datetime.datetime(2026, 11, 18, tzinfo=datetime.timezone.utc)


class Place(unittest.TestCase):
    """A test with a folder of nights, and a repository that ships a champion."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = folder.name
        self.nights = os.path.join(self.root, "nights")
        os.makedirs(self.nights)
        self.shipped = self.player("data/champion", "shipped")
        self.hall = Hall(self.nights, self.shipped)

    def player(self, name, weights, book=None):
        """Weights and a book that are nothing but names."""
        folder = os.path.join(self.root, name)
        os.makedirs(folder, exist_ok=True)
        for file, text in (("weights.toml", weights), ("experience.exp", book)):
            if text is not None:
                with open(os.path.join(folder, file), "w", encoding="utf-8") as out:
                    out.write(text)
        return Champion(folder)

    def night(self, name="n", **settings):
        """A night that has begun, with nothing in it."""
        chosen = complete(settings, TODAY)
        manifest = {"format": FORMAT, "settings": chosen, "date_epoch": 0, "begun": 1, "commit": "c0ffee", "root": self.root,
                    "programs": {}, "start": {}, "player": {}, "also": {}, "shipped_weights_sha256": "",
                    "library": {"files": [], "games": 0, "left_out": []}}
        folder = os.path.join(self.nights, name)
        os.makedirs(folder, exist_ok=True)
        write_json(os.path.join(folder, "manifest.json"), manifest)
        night = Night(folder, manifest)
        night.hall = self.hall
        return night


def options(**chosen):
    """What the command line says of a cluster."""
    return types.SimpleNamespace(**{"sbatch": None, "max_jobs": None, "dry_run": False, "slurm": True, **chosen})


@contextlib.contextmanager
def programs_first(folder, programs):
    """Scripts in the place of programs, as long as the block lasts."""
    os.makedirs(folder, exist_ok=True)
    for name, text in programs.items():
        path = os.path.join(folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(path, 0o755)
    before = os.environ["PATH"]
    os.environ["PATH"] = folder + os.pathsep + before
    try:
        yield
    finally:
        os.environ["PATH"] = before
