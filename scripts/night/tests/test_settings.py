"""Every setting is checked before a night begins."""

import unittest

from night.files import NightError
from night.settings import SETTINGS, check, complete
from night.tests.places import TODAY


class Settings(unittest.TestCase):
    def refused(self, **asked):
        with self.assertRaises(NightError) as caught:
            check(complete(asked, TODAY))
        return str(caught.exception)

    def test_the_defaults_are_good(self):
        chosen = complete({}, TODAY)
        check(chosen)
        self.assertEqual(set(chosen), set(SETTINGS))
        self.assertNotIn(None, chosen.values())
        self.assertEqual((chosen["seed"], chosen["gate_nodes"], chosen["quick_nodes"]), (20261118, 1000, 125))

    def test_what_follows_from_other_settings(self):
        self.assertEqual(complete({"from_zero": True}, TODAY)["rating_games"], 100)
        self.assertEqual(complete({"openings": "dfrc"}, TODAY)["dfrc_share"], 0.0)
        self.assertEqual(complete({"nodes": 5000, "gate_nodes": 7}, TODAY)["gate_nodes"], 7)

    def test_two_nights_of_a_day_play_other_games(self):
        seeds = {complete({}, TODAY, name)["seed"] for name in ("2026-11-18", "2026-11-18.2", "2026-11-18.3", "mine")}
        self.assertEqual(len(seeds), 4)
        self.assertEqual(complete({}, TODAY, "2026-11-18")["seed"], 20261118)
        self.assertEqual(complete({}, TODAY, "mine"), complete({}, TODAY, "mine"))

    def test_nonsense_is_refused_with_its_option(self):
        for asked in ({"sprt": "nonsense"}, {"sprt": "elo0=5,elo1=0"}, {"sprt": "elo0=0,elo1=5,alpha=0.7"},
                      {"sprt": "elo0=0"}, {"sprt": "elo0=0,elo1=inf"}, {"sprt": "elo0=0,elo1=5,gamma=1"},
                      {"result_share": 3}, {"per_game": -1}, {"openings": "/no/such"}, {"arms": "weights,weights"},
                      {"arms": "weights,wings"}, {"gate_games": 7}, {"generations": 0}, {"dfrc_share": 1.5},
                      {"label_share": 0.0}, {"gate_tc": "soon"}, {"also": "/no/such.tgr"}, {"outsider_games": -2},
                      {"shards": 401}, {"replay_games": -1}):
            name = "--" + next(iter(asked)).replace("_", "-")
            self.assertTrue(self.refused(**asked).startswith(name), asked)

    def test_a_stage_fits_in_an_array(self):
        many = {"games": 10**6, "line_games": 10**6}
        self.assertIn("at most 500", self.refused(shards=501, **many))
        check(complete({"shards": 500, **many}, TODAY))
        check(complete({"shards": 1000, "arms": "weights", **many}, TODAY))
        self.assertIn("at most 333", self.refused(gate_shards=334))

    def test_tests_that_the_gate_knows_are_good(self):
        for text in ("elo0=0,elo1=15", "elo0=-5 elo1=0 alpha=0.1 beta=0.2", "elo0=0,elo1=5,model=normalised"):
            check(complete({"sprt": text, "gate_tc": "40/60+0.5"}, TODAY))


if __name__ == "__main__":
    unittest.main()
