#!/usr/bin/env python3
"""Recomputes the statistics of 50 recorded pentanomial counts with scipy and writes the fixture that
`stats_reference.rs` compares the Rust code with.

    python3 selfplay/tests/reference_stats.py            # compares with the fixture, fails on a difference
    python3 selfplay/tests/reference_stats.py --write    # writes it

It shares no formula with the Rust code where another road leads to the same number: confidence limits come
from scipy's normal distribution, and the likelihoods of the sequential test from a numerical optimiser over
all distributions of five classes, polished by a root finder in seven unknowns.
"""
import json
import math
import pathlib
import sys

import numpy as np
from scipy import optimize, stats

FIXTURE = pathlib.Path(__file__).parent / "data" / "reference_stats.json"
SCORES = np.array([0.0, 0.25, 0.5, 0.75, 1.0])
# elo0, elo1, alpha, beta
TESTS = [(0.0, 5.0, 0.05, 0.05), (-3.0, 1.0, 0.05, 0.10), (0.0, 20.0, 0.01, 0.05)]


def recorded_counts():
    """Fifty counts: drawn from match-like distributions of several strengths and lengths, and some corners."""
    random = np.random.default_rng(20240229)
    corners = [[0, 0, 10, 0, 0], [0, 0, 1, 0, 1], [1, 0, 0, 0, 1], [0, 3, 40, 5, 0], [0, 0, 0, 1, 9],
               [9, 1, 0, 0, 0], [1, 1, 1, 1, 1], [0, 0, 2, 3, 0], [2, 0, 0, 0, 0], [0, 0, 0, 0, 3]]
    drawn = []
    for number in range(40):
        tilt = random.normal(0, 0.5)
        shape = np.array([0.03, 0.22, 0.5, 0.22, 0.03]) * np.exp(tilt * (SCORES - 0.5) * 4)
        pairs = int(10 ** random.uniform(1, 4.5))
        drawn.append(random.multinomial(pairs, shape / shape.sum()).tolist())
    return corners + drawn


def elo(score):
    if score <= 0:
        return -math.inf
    if score >= 1:
        return math.inf
    return -400 * math.log10(1 / score - 1)


def optimum(shares, target, normalised):
    """The distribution p of the given strength with the largest sum of shares * log(p): first an optimiser over
    all distributions (SLSQP), then Newton's method on the conditions of the optimum for the last digits."""
    def strength(p):
        mean = p @ SCORES
        if not normalised:
            return mean - target
        return mean - 0.5 - target * math.sqrt(max(p @ (SCORES - mean) ** 2, 1e-300))

    def conditions(z):
        p, a, b = np.exp(np.clip(z[:5], -80, 5)), z[5], z[6]
        if normalised:
            mean = p @ SCORES
            sigma = math.sqrt(max(p @ (SCORES - mean) ** 2, 1e-12))
            gradient = SCORES - target * (SCORES - mean) ** 2 / (2 * sigma)
        else:
            gradient = SCORES
        # Rows scaled by the shares: a class never seen counts as much as the others.
        return np.concatenate([1 - p * (a + b * gradient) / shares, [p.sum() - 1, strength(p)]])

    best = None
    random = np.random.default_rng(1)
    starts = [shares, np.full(5, 0.2), np.array([0.05, 0.2, 0.5, 0.2, 0.05])]
    # Where a class is all but empty the way is narrow: try more beginnings until one arrives.
    starts += [random.dirichlet(np.full(5, 0.3)) for _ in range(200)]
    for number, start in enumerate(starts):
        if number >= 3 and best is not None:
            break
        start = np.maximum(start, 1e-6)
        rough = optimize.minimize(
            lambda p: -(shares @ np.log(p)),
            start / start.sum(),
            jac=lambda p: -shares / p,
            bounds=[(1e-12, 1)] * 5,
            constraints=[{"type": "eq", "fun": lambda p: p.sum() - 1}, {"type": "eq", "fun": strength}],
            method="SLSQP",
            options={"ftol": 1e-15, "maxiter": 1000},
        )
        for near in (rough.x, start / start.sum()):
            found = optimize.root(conditions, np.concatenate([np.log(near), [1.0, 0.0]]), tol=1e-15)
            p = np.exp(np.clip(found.x[:5], -80, 5))
            if np.abs(conditions(found.x)).max() > 1e-10:
                continue
            value = float(shares @ np.log(p))
            # The optimiser must not know a better place than the one where the conditions hold.
            if abs(strength(rough.x)) < 1e-9 and abs(rough.x.sum() - 1) < 1e-9:
                assert -rough.fun < value + 1e-6, (shares, target, value, rough)
            if best is None or value > best:
                best = value
    return best


def llr(counts, test, normalised):
    counts = np.maximum(np.array(counts, float), 1e-3)
    total = counts.sum()
    shares = counts / total
    def target(elo_value):
        if normalised:
            return elo_value / (800 / math.log(10)) * math.sqrt(2)
        return 1 / (1 + 10 ** (-elo_value / 400))
    h0, h1 = (optimum(shares, target(elo_value), normalised) for elo_value in test[:2])
    return None if h0 is None or h1 is None else total * (h1 - h0)


def row(counts):
    pairs = sum(counts)
    shares = np.array(counts) / pairs
    mean = float(shares @ SCORES)
    variance = float(shares @ (SCORES - mean) ** 2)
    error = stats.norm.ppf(0.975) * math.sqrt(variance / pairs)
    sigma = math.sqrt(2 * variance)
    def normalise(score):
        return 0.0 if score == 0.5 else math.copysign(math.inf, score - 0.5) if sigma == 0 else \
            (score - 0.5) / sigma * 800 / math.log(10)
    if variance == 0:
        superiority = 0.5 if mean == 0.5 else float(mean > 0.5)
    else:
        superiority = float(stats.norm.cdf((mean - 0.5) / math.sqrt(variance / pairs)))
    tests = []
    for test in TESTS:
        lower = math.log(test[3] / (1 - test[2]))
        upper = math.log((1 - test[3]) / test[2])
        entry = {"elo0": test[0], "elo1": test[1], "alpha": test[2], "beta": test[3], "lower": lower, "upper": upper}
        for name, normalised in (("logistic", False), ("normalised", True)):
            ratio = llr(counts, test, normalised)
            state = None if ratio is None else "accepth1" if ratio >= upper else "accepth0" if ratio <= lower else "running"
            entry[name] = {"llr": ratio, "state": state}
        tests.append(entry)
    finite = lambda number: number if math.isfinite(number) else str(number)
    return {
        "counts": counts,
        "elo": [finite(elo(mean)), finite(elo(mean - error)), finite(elo(mean + error))],
        "normalised_elo": [finite(normalise(s)) for s in (mean, mean - error, mean + error)],
        "superiority": superiority,
        "tests": tests,
    }


def differences(old, new, path=""):
    if isinstance(old, dict):
        assert old.keys() == new.keys(), path
        for key in old:
            yield from differences(old[key], new[key], f"{path}.{key}")
    elif isinstance(old, list):
        assert len(old) == len(new), path
        for index, (a, b) in enumerate(zip(old, new)):
            yield from differences(a, b, f"{path}[{index}]")
    elif isinstance(old, float) and isinstance(new, float):
        if abs(old - new) > 1e-6 * max(1, abs(old)):
            yield f"{path}: {old} in the fixture, {new} computed"
    elif old != new:
        yield f"{path}: {old} in the fixture, {new} computed"


def main():
    rows = [row(counts) for counts in recorded_counts()]
    missing = sum(t[m]["llr"] is None for r in rows for t in r["tests"] for m in ("logistic", "normalised"))
    print(f"{len(rows)} counts, {missing} likelihood ratios without a certain optimum")
    if sys.argv[1:] == ["--write"]:
        FIXTURE.write_text(json.dumps(rows, indent=1) + "\n")
        return
    found = list(differences(json.loads(FIXTURE.read_text()), rows))
    print("\n".join(found) or "the fixture stands")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
