"""Nights without anybody watching."""

import datetime
import os
import subprocess
import sys
import types
import unittest

from night import source, unattended
from night.files import NightError, locked, write_json
from night.history import champion_lines, night_lines, nights_of, older_lines
from night.stages import FINISHED
from night.tests.places import Place


def fill(path, size):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(b"x" * size)


class Unattended(Place):
    def test_the_oldest_make_room_and_their_verdicts_stay(self):
        for number, name in enumerate(("old", "new")):
            night = self.night(name)
            night.manifest["begun"] = number
            write_json(night.path("manifest.json"), night.manifest)
            write_json(night.path(FINISHED), {"generations": [{"generation": 1, "why": "the champion stays."}]})
            fill(night.generation(1, "extract", "positions.tps"), 50_000)
            fill(night.generation(1, "merge", "games.tgr"), 50_000)
            fill(night.generation(1, "gate", "weights", "verdict.json"), 10)
        said = []
        self.assertTrue(unattended.make_room(self.nights, self.hall, 130_000, said.append))
        left = {name: [os.path.exists(os.path.join(self.nights, name, "generation-1", *file)) for file in
                       (("extract", "positions.tps"), ("merge", "games.tgr"), ("gate", "weights", "verdict.json"))]
                for name in ("old", "new")}
        self.assertEqual(left, {"old": [False, True, True], "new": [False, True, True]})
        self.assertTrue(unattended.make_room(self.nights, self.hall, 80_000, said.append))
        self.assertFalse(os.path.exists(os.path.join(self.nights, "old", "generation-1", "merge", "games.tgr")))
        self.assertTrue(os.path.exists(os.path.join(self.nights, "new", "generation-1", "merge", "games.tgr")))
        self.assertFalse(unattended.make_room(self.nights, self.hall, 10, said.append))

    def test_an_unfinished_night_keeps_everything(self):
        night = self.night()
        fill(night.generation(1, "extract", "positions.tps"), 50_000)
        self.assertFalse(unattended.make_room(self.nights, self.hall, 10, lambda text: None))
        self.assertTrue(os.path.exists(night.generation(1, "extract", "positions.tps")))

    def test_every_night_has_a_name_and_goes_on_if_it_must(self):
        begun = []
        arguments = types.SimpleNamespace(at=None, count=3, nights=self.nights)

        def begin_one(name):
            begun.append(name)
            if len(begun) != 2:  # The second is interrupted: the third goes on with it.
                fill(os.path.join(self.nights, name, FINISHED), 2)

        self.assertEqual(unattended.every_night(arguments, begin_one, lambda text: None), 0)
        self.assertEqual(begun[1:], [f"{begun[0]}.2", f"{begun[0]}.2"])

    def test_two_at_once_are_refused(self):
        arguments = types.SimpleNamespace(at=None, count=1, nights=self.nights)
        with locked(os.path.join(self.nights, "every-night.lock"), "another"):
            with self.assertRaises(NightError):
                unattended.every_night(arguments, None, lambda text: None)

    def test_the_clock(self):
        now = datetime.datetime(2026, 11, 18, 22, 0)
        self.assertEqual(unattended.seconds_until("01:30", now), 3.5 * 3600)
        self.assertEqual(unattended.seconds_until("23:00", now), 3600)
        for wrong in ("soon", "25:00", "1"):
            with self.assertRaises(NightError):
                unattended.seconds_until(wrong, now)

    def test_the_command_at_the_end_is_told_and_cannot_spoil_anything(self):
        said = []
        out = os.path.join(self.root, "told")
        unattended.at_end(f'echo "$NIGHT $NIGHT_CODE" >{out}; exit 3', "n", 0, self.nights, said.append)
        with open(out, encoding="utf-8") as file:
            self.assertEqual(file.read(), "n 0\n")
        self.assertIn("returned 3", said[0])

    def test_history_names_every_night(self):
        write_json(self.night("b").path(FINISHED), {"generations": [{"generation": 1, "why": "the champion stays."}]})
        self.night("a")
        self.assertEqual([os.path.basename(folder) for folder in nights_of(self.nights)], ["a", "b"])
        fill(os.path.join(self.nights, "old", "manifest.json"), 0)
        write_json(os.path.join(self.nights, "old", "manifest.json"), {"format": 1})
        self.assertEqual(list(older_lines(self.nights)), ["  old: begun by another version of this program (format 1)"])
        self.assertEqual(list(night_lines(self.night("c")))[0], "  c: not finished, extract of generation 1 and more missing")
        self.hall.promote(self.shipped, {"night": "x", "generation": 1}, self.shipped.identity)
        self.assertIn("* 0001-x-1", list(champion_lines(self.hall))[0])


class Source(Place):
    def test_the_source_is_frozen_as_it_is_with_its_commit(self):
        repository = os.path.realpath(os.path.join(self.root, "repository"))
        os.makedirs(repository)
        fill(os.path.join(repository, "kept.py"), 3)
        fill(os.path.join(repository, ".gitignore"), 0)
        with open(os.path.join(repository, ".gitignore"), "w", encoding="utf-8") as file:
            file.write("/target\n")
        fill(os.path.join(repository, "target", "large"), 3)
        self.assertEqual(source.commit_of(repository), "")
        git = ["git", "-C", repository, "-c", "user.name=n", "-c", "user.email=e@x"]
        for command in (["init", "-q"], ["add", "."], ["commit", "-qm", "first"]):
            subprocess.run([*git, *command], check=True)
        commit = source.commit_of(repository)
        self.assertRegex(commit, "^[0-9a-f]{40}$")
        fill(os.path.join(repository, "new.py"), 4)
        self.assertEqual(source.commit_of(repository), commit + "+")
        frozen = os.path.join(self.root, "frozen")
        source.freeze(repository, frozen)
        self.assertEqual(sorted(os.listdir(frozen)), [".gitignore", "kept.py", "new.py"])


class CommandLine(Place):
    def nightly(self, *arguments):
        root = os.path.realpath(os.path.join(os.path.dirname(__file__), "..", ".."))
        return subprocess.run([sys.executable, os.path.join(root, "nightly"), "--nights", self.nights, *arguments],
                              capture_output=True, text=True, check=False)

    def test_nonsense_makes_no_folder(self):
        for arguments in (["--sprt", "nonsense"], ["--result-share", "3"], ["--per-game", "-1"], ["--openings", "/no/such"],
                          ["--arms", "weights,weights"], ["--slurm", "--shards", "501", "--games", "5000"]):
            done = self.nightly("--name", "n", "--no-build", *arguments)
            self.assertEqual((done.returncode, os.listdir(self.nights)), (1, []), done.stderr)

    def test_a_dry_run_makes_nothing(self):
        for arguments in ([], ["--slurm"]):
            done = self.nightly("--name", "n", "--dry-run", *arguments)
            self.assertEqual((done.returncode, os.listdir(self.nights)), (0, []), done.stderr)
            self.assertIn("generate", done.stdout)


if __name__ == "__main__":
    unittest.main()
