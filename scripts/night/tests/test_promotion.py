"""Who is promoted, who plays on, and what is said of it."""

import os
import unittest

from night.champion import Champion
from night.files import read_json, write_json
from night.report import why
from night.stages import promote, verdicts
from night.tests.places import Place


def judged(verdict, score=None):
    parts = [] if score is None else [{"score": score, "results": {"wins": 1, "draws": 0, "losses": 0},
                                       "elo": {"value": 1.0, "error": 1.0}}]
    return {"verdict": verdict, "reason": f"{verdict} for a reason", "parts": parts}


class Promotion(Place):
    def promoted(self, night, **arms):
        """The choice after these verdicts; the tuned weights are called `tuned`, the learned book `learned`."""
        for part in ("start", "player"):
            self.player(f"nights/{night.name}/{part}", "shipped")
        self.player(f"nights/{night.name}/generation-1/tune", "tuned")
        self.player(f"nights/{night.name}/generation-1/learn", "unused", "learned")
        for kind in ("games", "lines"):
            path = night.generation(1, "merge", f"{kind}.tgr")
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as file:
                file.write(kind)
        for arm in night.arms:
            os.makedirs(night.generation(1, "gate", arm), exist_ok=True)
            write_json(night.generation(1, "gate", arm, "verdict.json"), arms[arm])
        promote(night, 1, 0, 1)
        return read_json(night.generation(1, "promote", "choice.json"))

    @staticmethod
    def text(champion):
        with open(champion.weights, encoding="utf-8") as file:
            return file.read()

    def test_the_best_that_passed_reigns(self):
        night = self.night(outsider_games=0)
        choice = self.promoted(night, weights=judged("passed", 0.53), book=judged("passed", 0.56),
                               both=judged("failed", 0.49))
        self.assertEqual(choice["arm"], "book")
        self.assertEqual((self.text(self.hall.current()), bool(self.hall.current().book)), ("shipped", True))
        self.assertEqual(self.hall.current().origin["commit"], "c0ffee")

    def test_an_undecided_candidate_plays_on_and_is_not_shipped(self):
        night = self.night(outsider_games=0, arms="weights")
        choice = self.promoted(night, weights=judged("undecided", 0.505))
        self.assertIsNone(choice["arm"])
        self.assertEqual((self.text(self.hall.current()), self.text(self.hall.player())), ("shipped", "tuned"))
        self.assertEqual(self.text(night.player_before(2)), "tuned")
        self.assertEqual(self.text(night.champion_before(2)), "shipped")

    def test_one_that_measured_weaker_does_not(self):
        for verdict in (judged("failed", 0.47), judged("unchanged")):
            night = self.night(f"n-{verdict['verdict']}", outsider_games=0, arms="weights")
            self.promoted(night, weights=verdict)
            self.assertEqual(self.text(self.hall.player()), "shipped")

    def test_a_champion_that_came_meanwhile_is_not_dethroned(self):
        night = self.night(outsider_games=0, arms="weights")
        self.hall.promote(self.player("other", "other"), {"night": "other", "generation": 1}, self.shipped.identity)
        choice = self.promoted(night, weights=judged("passed", 0.55))
        self.assertEqual(choice["refused"], "0001-other-1")
        self.assertEqual(self.text(self.hall.current()), "other")
        row = {"choice": choice, "verdicts": verdicts(night, 1)}
        self.assertIn("0001-other-1 became champion while this night ran", why(night, row))

    def test_the_reason_is_one_sentence(self):
        night = self.night(arms="weights")
        row = {"choice": {"arm": None, "outsider": None}, "verdicts": {"weights": judged("failed", 0.4)}}
        self.assertEqual(why(night, row), "the champion stays: weights failed for a reason.")
        row["choice"]["outsider"] = {"objects": True}
        self.assertIn("outsider objects", why(night, row))
        self.assertIsInstance(night.start(), Champion)


if __name__ == "__main__":
    unittest.main()
