"""Champions: compare and swap, rollback, one pointer, and a player apart."""

import os
import unittest

from night.files import NightError, write_json
from night.tests.places import Place


def origin(night, generation=1, **more):
    return {"night": night, "generation": generation, **more}


class Champions(Place):
    def promote(self, name, beaten=None, **more):
        candidate = self.player(f"candidates/{name}", name)
        beaten = beaten or self.hall.current().identity
        return self.hall.promote(candidate, origin(name, **more), beaten)

    def reigning(self):
        with open(self.hall.current().weights, encoding="utf-8") as file:
            return file.read()

    def test_a_promotion_reigns_and_its_repetition_changes_nothing(self):
        self.assertIsNone(self.promote("a"))
        self.assertEqual((self.reigning(), self.hall.entries()), ("a", ["0001-a-1"]))
        self.assertIsNone(self.promote("a", beaten=self.shipped.identity))
        self.assertEqual(self.hall.entries(), ["0001-a-1"])

    def test_whoever_beat_another_champion_is_refused(self):
        start = self.hall.current().identity
        self.promote("quick")
        self.assertEqual(self.promote("slow", beaten=start), "0001-quick-1")
        self.assertEqual((self.reigning(), self.hall.entries()), ("quick", ["0001-quick-1"]))
        # A repetition after somebody else was promoted must not bring the old one back.
        self.promote("next")
        self.assertEqual(self.promote("quick", beaten=start), "0002-next-1")
        self.assertEqual(self.reigning(), "next")

    def test_a_kill_between_the_two_steps(self):
        candidate = self.player("candidates/a", "a")
        self.hall.keep(candidate, origin("a"))
        self.assertEqual(self.reigning(), "shipped")
        self.assertIsNone(self.promote("a"))
        self.assertEqual((self.reigning(), self.hall.entries()), ("a", ["0001-a-1"]))

    def test_rollback_goes_back_and_forth(self):
        for name in "abc":
            self.promote(name)
        self.assertEqual(self.hall.rollback(), ("0003-c-1", "0002-b-1"))
        self.assertEqual(self.hall.rollback("1"), ("0002-b-1", "0001-a-1"))
        self.assertEqual(self.hall.rollback("0003-c-1"), ("0001-a-1", "0003-c-1"))
        self.assertEqual(self.hall.rollback("shipped"), ("0003-c-1", "what is shipped"))
        self.assertEqual(self.reigning(), "shipped")
        with self.assertRaises(NightError):
            self.hall.rollback()
        with self.assertRaises(NightError) as caught:
            self.hall.rollback("7")
        self.assertIn("0003-c-1", str(caught.exception))
        self.promote("d")
        self.assertEqual(self.hall.rollback(), ("0004-d-1", "0003-c-1"))

    def test_what_the_repository_ships_later_reigns(self):
        self.promote("a", shipped_weights_sha256=self.shipped.identity["weights.toml"])
        self.assertEqual(self.reigning(), "a")
        self.player("data/champion", "from elsewhere")
        self.assertEqual(self.reigning(), "from elsewhere")
        with self.assertRaises(NightError):
            self.hall.rollback("1")
        self.player("data/champion", "a")  # adopted
        self.assertEqual(self.hall.current().folder, os.path.realpath(os.path.join(self.nights, "history", "0001-a-1")))

    def test_the_player_is_newer_as_long_as_its_champion_reigns(self):
        self.assertEqual(self.hall.player().folder, self.shipped.folder)
        newer = self.player("nights/n/generation-1/promote/player", "newer")
        write_json(os.path.join(newer.folder, "origin.json"), {"champion": self.shipped.identity})
        self.hall.play_on(newer.folder)
        self.assertEqual(self.hall.player().folder, os.path.realpath(newer.folder))
        self.promote("a")
        with open(self.hall.player().weights, encoding="utf-8") as file:
            self.assertEqual(file.read(), "a")


if __name__ == "__main__":
    unittest.main()
