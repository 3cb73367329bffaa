"""What a terminal says of a running night."""

import json
import os
import tempfile
import unittest

from night.clock import timed
from night.manifest import Night
from night.progress import last_count, line, now
from night.stages import BY_NAME


class Progress(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.night = Night(self.folder.name, {"settings": {"games": 40, "shards": 2, "gate_games": 100, "gate_nodes": 1000, "arms": "weights"}})
        os.makedirs(self.night.path("logs"))

    def tearDown(self):
        self.folder.cleanup()

    def log(self, name, text):
        with open(self.night.log(name), "w", encoding="utf-8") as file:
            file.write(text)

    def test_the_last_line_of_the_last_command_counts(self):
        self.log("generate-1-games-1", "$ one\n20 games: old\n$ two\n5 games: 2.00 games/s, 9 positions/s\nother\n")
        self.assertEqual(last_count(self.night.log("generate-1-games-1")), (5, "2.00 games/s, 9 positions/s"))
        said = line(self.night, BY_NAME["generate"], 1, 0)
        self.assertIn("25%", said)
        self.assertIn("0:00:07 left", said)
        self.log("generate-1-games-1", "20 games: old\n$ two\n")
        self.assertEqual(line(self.night, BY_NAME["generate"], 1, 0), "")
        self.assertEqual(line(self.night, BY_NAME["tune"], 1, 0), "", "nobody counts games there")

    def test_a_gate_shows_its_ratio(self):
        self.log("gate-1-weights-1", "10 games: +3 =4 -3  LLR 0.10 [-2.94, 2.94]\n")
        self.assertIn("10 of at most 100 games", line(self.night, BY_NAME["gate"], 1, 0))
        self.assertIn("LLR 0.10", line(self.night, BY_NAME["gate"], 1, 0))

    def test_times_are_kept_and_a_task_that_goes_on_adds_up(self):
        stage = BY_NAME["generate"]
        with timed(self.night, stage, 1, 0):
            self.assertEqual(len(now(self.night)), 1, "it runs")
        path = self.night.path("times", "generate-1-0.json")
        with open(path, encoding="utf-8") as file:
            first = json.load(file)
        self.assertGreaterEqual(first["ended"], first["begun"])
        with timed(self.night, stage, 1, 0):
            pass
        with open(path, encoding="utf-8") as file:
            second = json.load(file)
        self.assertGreaterEqual(second["ended"] - second["begun"], first["ended"] - first["begun"])


if __name__ == "__main__":
    unittest.main()
