"""Tests of what a night refuses and what it leaves alone. From the folder scripts: python3 -B -m unittest night.tests.test_names"""

import contextlib
import io
import os
import sys
import tempfile
import unittest
from unittest import mock

from .. import command, files, report
from ..champion import Champion, Hall
from ..files import NightError
from ..manifest import Night, check_name
from ..settings import SETTINGS

# Names that are no names of folders, that mean something to a shell or a cluster, or that are taken.
HOSTILE_NAMES = ["", ".", "..", "../escape", "/abs/path", "a/b", "a\\b", ".hidden", "-rf", "--slurm", "a b", "a\nb",
                 "a\n", "a\0b", "$(touch escaped)", "`touch escaped`", "a;b", "a'b", 'a"b', "<script>", "ä", "x" * 65,
                 "champion", "Champion", "history", "HISTORY", "player", "library", "alone.lock", "n.part-1"]
GOOD_NAMES = ["2026-01-31", "n", "x" * 64, "longer_games.2", "_a", "0"]


def nightly(*arguments):
    """Runs the command; returns its exit code and what it said."""
    said = io.StringIO()
    with mock.patch.object(sys, "argv", ["nightly", *arguments]):
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            code = command.main("")
    return code, said.getvalue()


def tree(folder):
    """Every path under a folder, links not followed."""
    return sorted(os.path.relpath(os.path.join(place, name), folder)
                  for place, folders, names in os.walk(folder) for name in folders + names)


class Names(unittest.TestCase):
    """One rule, before anything is created."""

    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.place = place.name
        self.nights = os.path.join(self.place, "nights")
        os.makedirs(os.path.join(self.place, "start"))
        os.makedirs(self.nights)
        with open(os.path.join(self.place, "start", "precious"), "w", encoding="utf-8") as file:
            file.write("kept")

    def test_hostile_names_are_refused_by_every_command_and_nothing_is_made(self):
        before = tree(self.place)
        for name in HOSTILE_NAMES:
            for what in ("run", "status", "history", "rollback", "adopt"):
                code, said = nightly(what, "--nights", self.nights, f"--name={name}", "--no-build")
                self.assertEqual(code, 1, f"{what} {name!r}: {said}")
                self.assertIn("nightly: --name ", said, f"{what} {name!r}")
                self.assertLess(len(said), 400, f"{what} {name!r}")
        self.assertEqual(tree(self.place), before)

    def test_ordinary_names_are_taken(self):
        for name in GOOD_NAMES:
            self.assertEqual(check_name(name), name)

    def test_a_folder_of_somebody_else_is_left_alone(self):
        folder = os.path.join(self.nights, "mine")
        os.makedirs(os.path.join(folder, "start"))
        with open(os.path.join(folder, "start", "letter.txt"), "w", encoding="utf-8") as file:
            file.write("kept")
        before = tree(self.place)
        code, said = nightly("--nights", self.nights, "--name", "mine", "--no-build")
        self.assertEqual(code, 1, said)
        self.assertIn("start/letter.txt", said)
        self.assertEqual(tree(self.place), before)

    def test_links_out_of_the_folder_are_not_followed_when_something_is_removed(self):
        link = os.path.join(self.nights, "link")
        os.symlink(os.path.join(self.place, "start"), link)
        os.makedirs(os.path.join(self.nights, "n"))
        os.symlink(os.path.join(self.place, "start"), os.path.join(self.nights, "n", "start"))
        for path, inside in ((link, self.nights), (os.path.join(link, "..", "start"), self.nights),
                             (os.path.join(self.place, "start"), self.nights)):
            with self.assertRaises(NightError):
                files.remove_tree(path, inside)
        code, said = nightly("--nights", self.nights, "--name", "n", "--no-build")
        self.assertEqual(code, 1, said)
        self.assertTrue(os.path.exists(os.path.join(self.place, "start", "precious")))

    def test_a_lock_that_is_a_link_is_refused_and_its_target_keeps_its_bytes(self):
        os.makedirs(os.path.join(self.nights, "n"))
        target = os.path.join(self.place, "start", "precious")
        os.symlink(target, os.path.join(self.nights, "n", "lock"))
        code, said = nightly("--nights", self.nights, "--name", "n", "--no-build")
        self.assertEqual(code, 1, said)
        with open(target, encoding="utf-8") as file:
            self.assertEqual(file.read(), "kept")


class Settings(unittest.TestCase):
    """What would fail after hours is refused before the night begins."""

    def test_hostile_values_are_refused_at_once(self):
        for option in ("--sprt", "--openings", "--arms", "--also"):
            for value in ("$(touch escaped)", "a'b", "-x", "--", "\n", "<b>"):
                with tempfile.TemporaryDirectory() as nights:
                    try:
                        code, said = nightly("--nights", nights, "--name", "n", "--no-build", f"{option}={value}")
                    except SystemExit as ended:
                        code, said = ended.code, "usage"
                    self.assertIn(code, (1, 2), f"{option}={value}: {said}")
                    self.assertFalse(os.path.exists(os.path.join(nights, "n", "bin")), f"{option}={value}")


class Reigning(unittest.TestCase):
    """Who reigns is a link to a champion, or it is said that it is not."""

    def test_something_else_in_the_champions_place_is_told_with_the_way_back(self):
        with tempfile.TemporaryDirectory() as nights:
            os.makedirs(os.path.join(nights, "champion"))
            with self.assertRaisesRegex(NightError, "remove .*champion to go on"):
                Hall(nights, Champion("shipped")).current()
            code, said = nightly("--nights", nights, "--name", "ordinary", "--no-build")
            self.assertEqual(code, 1)
            self.assertIn("to go on from what is shipped", said)
            self.assertNotIn("Traceback", said)


class Reports(unittest.TestCase):
    """Names and settings from outside are text in the page, whatever they look like."""

    HOSTILE = "</td><script>alert(1)</script>\"'&"

    def test_cells_titles_and_legends_are_escaped(self):
        page = report.html_table([self.HOSTILE], [[self.HOSTILE]])
        page += report.curve({self.HOSTILE: [(0, 0.0, 1.0), (1, 5.0, 2.0)]}, self.HOSTILE)
        self.assertNotIn("<script", page)

    def test_a_page_with_hostile_settings_holds_no_script(self):
        with tempfile.TemporaryDirectory() as folder:
            night = Night(folder, {"settings": {**SETTINGS, "sprt": self.HOSTILE, "openings": self.HOSTILE,
                                                "generations": 0, "arms": "weights", "gate_nodes": 1},
                                   "commit": self.HOSTILE, "programs": {}, "start": {}, "player": {},
                                   "library": {"files": [], "games": 0, "left_out": []}})
            self.assertNotIn("<script", report.page(night))


if __name__ == "__main__":
    unittest.main()
