#!/usr/bin/env python3
"""Measures which covariance of `partita fit` to use: meeting times, and agreement with known classes.

    python3 -m venv target/venv && target/venv/bin/pip install scikit-learn
    cargo build --release -p partita-cli
    target/venv/bin/python scripts/compare_models.py target/release/partita > tables.md

Meetings: quantiles of tau - lag over pairs of lag 1 from the prior, cut at --max-sweeps. Agreement: the adjusted Rand
index to the classes, of the one clustering of `partita fit` and in expectation; then that of scikit-learn's
BayesianGaussianMixture. iris, wine and breast-cancer come with scikit-learn;
PARTITA_DATA or --data names the directory of seed, gene and abalone.
"""

import argparse
import csv
import json
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

import numpy as np
from sklearn import datasets
from sklearn.metrics import adjusted_rand_score
from sklearn.mixture import BayesianGaussianMixture

import workspace

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


def quantile(waits, share):
    return waits[min(len(waits) - 1, int(share * len(waits)))]


def meetings(given, directory, files):
    """Quantiles of tau - lag for each covariance."""
    print("| data | covariance | met | median | 90 % | largest | ms a pair |\n|---|---|---|---|---|---|---|")
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
            met = sum(r["met"] == "true" for r in rows)
            show = lambda w: f"> {given.max_sweeps}" if w == float("inf") else str(w)
            cost = 1000 * sum(float(r["seconds"]) for r in rows) / len(rows)
            print(f"| {name} | {kind} | {met} of {len(rows)} | {show(quantile(waits, 0.5))} | {show(quantile(waits, 0.9))} "
                  f"| {show(waits[-1])} | {cost:.3g} |", flush=True)


def agreement(given, directory, files):
    """The adjusted Rand index of `clustering.csv`: plain `fit`, and each covariance with a short schedule."""
    print("\n| data | model | clusters | ARI of one clustering | expected ARI |\n|---|---|---|---|---|")
    for name in (n for n in LABELLED if n in files):
        for kind in ["", *KINDS]:
            arguments = ["fit", str(files[name]), "--label-column", "class", "--out", f"{directory}/fit"]
            if kind:
                arguments += ["--covariance", kind, "--lag", "100", "--burn-in", "300", "--sweeps", "600"]
                arguments += ["--replicates", "30", "--max-sweeps", str(max(given.max_sweeps, 700)), "--keep-draws", "20"]
            answer = partita(given.program, arguments, given.seconds)
            if answer is None:
                print(f"| {name} | {kind} | more than {given.seconds:g} s | | |", flush=True)
                continue
            means = {line["name"]: line["mean"] for line in answer["summaries"]}
            labels = [row["cluster"] for row in csv.DictReader(open(f"{directory}/fit/clustering.csv"))]
            one = adjusted_rand_score(LABELLED[name]().target, labels)
            cut = f" ({answer['censored']} of {answer['replicates']} cut)" if answer["censored"] else ""
            print(f"| {name} | {kind or '**plain `fit`**'} | {means['clusters']:.2f}{cut} | {one:.2f} "
                  f"| {means['reference:ari']:.2f} |", flush=True)


def peers(files):
    """scikit-learn's BayesianGaussianMixture on the same standardised columns, mean of ten seeds."""
    settings = [("20 components, full", 20, "full"), ("20 components, diagonal", 20, "diag"), ("true number, full", 0, "full")]
    print("\n| data | scikit-learn | ARI |\n|---|---|---|")
    for name in (n for n in LABELLED if n in files):
        data = LABELLED[name]()
        values = (data.data - data.data.mean(0)) / data.data.std(0)
        for words, components, kind in settings:
            scores = []
            for seed in range(10):
                mixture = BayesianGaussianMixture(
                    n_components=components or len(set(data.target)), covariance_type=kind, random_state=seed, max_iter=1000
                )
                scores.append(adjusted_rand_score(data.target, mixture.fit_predict(values)))
            print(f"| {name} | {words} | {np.mean(scores):.2f} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program")
    parser.add_argument("--data", default=workspace.DATA)
    parser.add_argument("--pairs", type=int, default=40)
    parser.add_argument("--max-sweeps", type=int, default=2000)
    parser.add_argument("--seconds", type=float, default=120.0, help="for one run")
    parser.add_argument("--only", nargs="*", default=None)
    parser.add_argument("--tables", nargs="*", default=["meetings", "agreement", "peers"])
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as directory:
        files = {name: write(directory, name) for name in LABELLED}
        files |= {name: Path(given.data) / f"{name}.csv" for name in ("seed", "gene", "abalone")}
        files["built-in"] = None
        files = {name: path for name, path in files.items() if given.only is None or name in given.only}
        if "meetings" in given.tables:
            meetings(given, directory, files)
        if "agreement" in given.tables:
            agreement(given, directory, files)
        if "peers" in given.tables:
            peers(files)


if __name__ == "__main__":
    sys.exit(main())
