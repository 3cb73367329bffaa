"""The outsider sees what it is said to see."""

import random
import unittest

from night import outsider
from night.settings import SETTINGS

# Pairs of quick games between players of one strength, by half points.
PAIRS = (0.18, 0.09, 0.46, 0.09, 0.18)


def match(games, elo, chance):
    """Pairs of a match in which the first is so many Elo stronger."""
    shares = list(PAIRS)
    # Moves weight from lost pairs to won ones until the mean is right.
    wanted = 1 / (1 + 10 ** (-elo / 400)) - 0.5
    shares[0] -= wanted / 2
    shares[1] -= wanted
    shares[3] += wanted
    shares[4] += wanted / 2
    mean = sum(share * points / 4 for points, share in enumerate(shares))
    assert abs(mean - 0.5 - wanted) < 1e-9 and min(shares) > 0
    drawn = chance.choices(range(5), shares, k=games // 2)
    pairs = [drawn.count(points) for points in range(5)]
    return {"pentanomial": pairs, "score": sum(drawn) / 4 / len(drawn)}


class Outsider(unittest.TestCase):
    def objections(self, elo, runs=600):
        chance, games = random.Random(1), SETTINGS["outsider_games"]
        return sum(outsider.objects(match(games, elo, chance), match(games, 0, chance)) for _ in range(runs)) / runs

    def test_25_elo_less_are_seen_and_none_are_not(self):
        self.assertGreaterEqual(self.objections(-25), 0.78)  # four of five, and what 600 runs may be off
        self.assertLessEqual(self.objections(0), 0.07)
        self.assertLessEqual(self.objections(10), 0.02)

    def test_without_games_nobody_objects(self):
        nothing = {"pentanomial": [0, 0, 1, 0, 0], "score": 0.5}
        self.assertFalse(outsider.objects(nothing, nothing))


if __name__ == "__main__":
    unittest.main()
