#!/usr/bin/env python3
"""Compare partita's predictive densities with SciPy's, from the posterior parameters of the textbook.

    python3 -m venv target/venv && target/venv/bin/pip install numpy scipy
    PARTITA_DUMP=$PWD/target cargo test -p partita --test predictives
    target/venv/bin/python scripts/check_predictives.py target/predictives.jsonl

Fails where a log density differs by more than 1e-9.
"""

import fileinput
import json
import sys
from collections import defaultdict

import numpy as np
from scipy import special, stats

TOLERANCE = 1e-9


def normal(case):
    x, (mean,), (kappa,), (a,), (b,) = np.array(case["data"]), *(case[k] for k in ("mean", "kappa", "shape", "rate"))
    n, average = len(x), np.mean(x)
    kappa_n, a_n = kappa + n, a + n / 2
    mean_n = (kappa * mean + n * average) / kappa_n
    b_n = b + 0.5 * np.sum((x - average) ** 2) + 0.5 * kappa * n / kappa_n * (average - mean) ** 2
    scale = np.sqrt(b_n * (kappa_n + 1) / (a_n * kappa_n))
    return stats.t.logpdf(case["point"][0], df=2 * a_n, loc=mean_n, scale=scale)


def count(case):
    x, (a,), (b,) = case["data"], case["shape"], case["rate"]
    a_n, b_n = a + sum(x), b + len(x)
    return stats.nbinom.logpmf(int(case["point"][0]), a_n, b_n / (b_n + 1))


def category(case):
    """A Dirichlet-multinomial of one trial; with two levels also the beta-binomial."""
    c = np.array(case["concentrations"])
    c_n = c + np.bincount(np.array(case["data"], dtype=int), minlength=len(c))
    level = int(case["point"][0])
    one = np.zeros(len(c), dtype=int)
    one[level] = 1
    found = stats.dirichlet_multinomial.logpmf(one, c_n, 1)
    if len(c) == 2:
        assert abs(found - stats.betabinom.logpmf(level, 1, c_n[1], c_n[0])) < TOLERANCE
    return found


def full(case):
    mean, (kappa,), (nu,) = np.array(case["mean"]), case["kappa"], case["degrees"]
    d = len(mean)
    x, scale = np.reshape(case["data"], (-1, d)), np.reshape(case["scale"], (d, d))
    n, average = len(x), np.mean(x, axis=0)
    kappa_n, nu_n = kappa + n, nu + n
    mean_n = (kappa * mean + n * average) / kappa_n
    e = average - mean
    scale_n = scale + (x - average).T @ (x - average) + kappa * n / kappa_n * np.outer(e, e)
    df = nu_n - d + 1
    shape = scale_n * (kappa_n + 1) / (kappa_n * df)
    return stats.multivariate_t.logpdf(case["point"], loc=mean_n, shape=shape, df=df)


def leave_one_out(case):
    """A sum over the clusters of the other items and a new one: the rule of the Dirichlet process times multivariate t."""
    d, item, (alpha,) = len(case["mean"]), int(case["item"][0]), case["alpha"]
    x, labels = np.reshape(case["data"], (-1, d)), np.delete(case["labels"], item)
    others = np.delete(x, item, axis=0)
    logs = []
    for label in {*labels}:
        part = others[labels == label]
        logs.append(np.log(len(part)) + full({**case, "data": part}))
    # Nothing in it yet: the parameters are those of the prior.
    (kappa,), (nu,) = case["kappa"], case["degrees"]
    df = nu - d + 1
    shape = np.reshape(case["scale"], (d, d)) * (kappa + 1) / (kappa * df)
    logs.append(np.log(alpha) + stats.multivariate_t.logpdf(case["point"], loc=case["mean"], shape=shape, df=df))
    return special.logsumexp(logs) - np.log(len(others) + alpha)


FAMILIES = {"normal": normal, "count": count, "category": category, "full": full, "leave-one-out": leave_one_out}


def main():
    worst, cases = defaultdict(float), defaultdict(int)
    for line in fileinput.input():
        case = json.loads(line)
        kind = case["kind"]
        difference = abs(float(FAMILIES[kind](case)) - case["log_density"])
        worst[kind] = max(worst[kind], difference)
        cases[kind] += 1
    for kind, difference in worst.items():
        print(f"{kind}: {cases[kind]} cases, largest difference {difference:.1e}")
    missing = FAMILIES.keys() - worst.keys()
    if missing or max(worst.values()) > TOLERANCE:
        sys.exit(f"failed: tolerance {TOLERANCE}, families without cases: {sorted(missing)}")


if __name__ == "__main__":
    main()
