#!/usr/bin/env python3
"""Measures which covariance of `partita fit` to use: meeting times, and agreement with known classes.

    python3 -m venv target/venv && target/venv/bin/pip install scikit-learn
    cargo build --release -p partita-cli
    target/venv/bin/python scripts/compare_models.py target/release/partita --data ../shared/data > tables.md

Meetings: quantiles of tau - lag over pairs of lag 1 from the prior, cut at --max-sweeps. Agreement: the adjusted Rand
index to the classes, of one clustering (of the kept states, the one with the least expected Binder loss) and in
expectation (partita's own estimate, `--label-column`). iris, wine and breast-cancer come with scikit-learn.
"""

import argparse
import csv
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from sklearn import datasets
from sklearn.metrics import adjusted_rand_score

KINDS = ["known", "shared", "shared-columns", "diagonal", "full"]
LABELLED = {"iris": datasets.load_iris, "wine": datasets.load_wine, "breast-cancer": datasets.load_breast_cancer}


def write(directory, name):
    """A data set of scikit-learn as CSV with the class as last column."""
    data = LABELLED[name]()
    path = Path(directory) / f"{name}.csv"
    with open(path, "w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow([*(f"x{i + 1}" for i in range(data.data.shape[1])), "class"])
        rows.writerows([*map(repr, map(float, row)), f"c{label}"] for row, label in zip(data.data, data.target))
    return path


def partita(program, arguments, seconds):
    """The JSON of a run, or None if it took too long."""
    try:
        done = subprocess.run(
            [program, *arguments, "--json", "--force"], capture_output=True, text=True, timeout=seconds, check=True
        )
    except subprocess.TimeoutExpired:
        return None
    return json.loads(done.stdout)


def point_clustering(directory):
    """Of the kept states the one with the least expected Binder loss; weights may be negative."""
    rows = np.genfromtxt(Path(directory) / "draws.csv", delimiter=",", skip_header=1)
    weights, labels = rows[:, 1], rows[:, 2:].astype(int)
    together = sum(w * (z[:, None] == z[None, :]) for w, z in zip(weights, labels)) / weights.sum()
    loss = [np.sum((z[:, None] == z[None, :]) * (1 - 2 * together)) for z in labels]
    return labels[int(np.argmin(loss))]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program")
    parser.add_argument("--data", default="../shared/data")
    parser.add_argument("--pairs", type=int, default=40)
    parser.add_argument("--max-sweeps", type=int, default=2000)
    parser.add_argument("--seconds", type=float, default=120.0, help="for one run")
    parser.add_argument("--only", nargs="*", default=None)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        files = {name: write(directory, name) for name in LABELLED}
        files |= {name: Path(given.data) / f"{name}.csv" for name in ("seed", "gene", "abalone")}
        files["built-in"] = None
        files = {name: path for name, path in files.items() if given.only is None or name in given.only}
        print("| data | covariance | met | median | 90 % | 99 % | largest |\n|---|---|---|---|---|---|---|")
        for name, path in files.items():
            for kind in KINDS:
                arguments = ["meet", *([str(path)] if path else []), "--covariance", kind, "--lag", "1"]
                arguments += ["--burn-in", "0", "--sweeps", "0", "--replicates", str(given.pairs)]
                arguments += ["--max-sweeps", str(given.max_sweeps), "--out", f"{directory}/meet"]
                arguments += ["--label-column", "class"] if name in LABELLED else []
                if partita(given.program, arguments, given.seconds) is None:
                    print(f"| {name} | {kind} | more than {given.seconds:g} s | | | | |", flush=True)
                    continue
                rows = list(csv.DictReader(open(f"{directory}/meet/replicates.csv")))
                waits = sorted(int(r["tau"]) - 1 if r["met"] == "true" else float("inf") for r in rows)
                at = lambda q: waits[min(len(waits) - 1, int(q * len(waits)))]
                met = sum(r["met"] == "true" for r in rows)
                show = lambda w: f"> {given.max_sweeps}" if w == float("inf") else str(w)
                print(f"| {name} | {kind} | {met} of {len(rows)} | {show(at(0.5))} | {show(at(0.9))} "
                      f"| {show(at(0.99))} | {show(waits[-1])} |", flush=True)
        print("\n| data | covariance | clusters | ARI of one clustering | expected ARI |\n|---|---|---|---|---|")
        for name in (n for n in LABELLED if n in files):
            truth = LABELLED[name]().target
            for kind in KINDS:
                arguments = ["fit", str(files[name]), "--covariance", kind, "--label-column", "class"]
                arguments += ["--lag", "100", "--burn-in", "300", "--sweeps", "600", "--replicates", "30"]
                arguments += ["--max-sweeps", str(max(given.max_sweeps, 700)), "--keep-draws", "20"]
                answer = partita(given.program, [*arguments, "--out", f"{directory}/fit"], given.seconds)
                if answer is None:
                    print(f"| {name} | {kind} | more than {given.seconds:g} s | | |", flush=True)
                    continue
                means = {line["name"]: line["mean"] for line in answer["summaries"]}
                rand = next((value for key, value in means.items() if "ari" in key.lower() or "rand" in key.lower()), None)
                one = adjusted_rand_score(truth, point_clustering(f"{directory}/fit"))
                cut = f" ({answer['censored']} cut)" if answer["censored"] else ""
                print(f"| {name} | {kind} | {means['clusters']:.2f}{cut} | {one:.2f} "
                      f"| {'–' if rand is None else f'{rand:.2f}'} |", flush=True)


if __name__ == "__main__":
    sys.exit(main())
