#!/usr/bin/env python3
"""Agreement with known classes: the adjusted Rand index of plain `partita fit` and of scikit-learn's mixtures and HDBSCAN.

    python3 scripts/tables.py DIR                     # once: fetches the tables from Python packages
    python3 scripts/compare_rand.py DIR [--binary target/release/partita] [NAME ...]

Needs scikit-learn (pip install scikit-learn). Tables of real numbers with known classes, all columns standardised, rows
with missing values left out for scikit-learn (partita takes them). No method sees the classes or their number:

- partita: plain `fit`, its point estimate
- BGMM full, BGMM diag: BayesianGaussianMixture with 20 components, mean of five seeds
- GMM by BIC: GaussianMixture with 1 to 12 components and each of four covariance types, the one with the best BIC
- HDBSCAN: its defaults; what it calls noise is a cluster of its own
"""

import argparse
import csv
import pathlib
import subprocess
import tempfile
import time
import warnings

import numpy as np
from sklearn.cluster import HDBSCAN
from sklearn.metrics import adjusted_rand_score
from sklearn.mixture import BayesianGaussianMixture, GaussianMixture

NAMES = "iris wine crabs5 penguins4 breast_cancer olive".split()


def read(table: pathlib.Path):
    """Standardised rows without missing values, and which rows these are."""
    rows = list(csv.reader(table.open()))[1:]
    values = np.array([[float(cell) if cell not in ("", "NA") else np.nan for cell in row] for row in rows])
    whole = ~np.isnan(values).any(axis=1)
    values = values[whole]
    return (values - values.mean(0)) / values.std(0), whole


def by_bic(values):
    fits = (
        GaussianMixture(k, covariance_type=kind, random_state=1).fit(values)
        for k in range(1, 13)
        for kind in ("full", "tied", "diag", "spherical")
    )
    best = min(fits, key=lambda fit: fit.bic(values))
    return best.predict(values), f"{best.n_components} {best.covariance_type}"


def partita(binary: str, table: pathlib.Path):
    with tempfile.TemporaryDirectory() as folder:
        run = pathlib.Path(folder) / "run"
        begin = time.monotonic()
        subprocess.run([binary, "fit", str(table), "--out", str(run)], check=True, capture_output=True)
        seconds = time.monotonic() - begin
        with (run / "clustering.csv").open() as lines:
            return [row["cluster"] for row in csv.DictReader(lines)], seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", type=pathlib.Path)
    parser.add_argument("names", nargs="*", default=NAMES)
    parser.add_argument("--binary", default="target/release/partita")
    parser.add_argument("--others", action="store_true", help="without partita, whose figures measure_tables.py has")
    given = parser.parse_intermixed_args()
    warnings.filterwarnings("ignore")
    print("| table | partita | BGMM full | BGMM diag | GMM by BIC | HDBSCAN |")
    print("|---|---|---|---|---|---|")
    for name in given.names:
        table = given.directory / f"{name}.csv"
        classes = np.array((given.directory / f"{name}.labels.csv").read_text().splitlines()[1:])
        ours = ""
        if not given.others:
            clusters, seconds = partita(given.binary, table)
            ours = f"{adjusted_rand_score(classes, clusters):.2f} ({seconds:.0f} s)"
        values, whole = read(table)
        known = classes[whole]
        score = lambda found: adjusted_rand_score(known, found)  # noqa: E731
        variational = {
            kind: np.mean([
                score(BayesianGaussianMixture(n_components=20, covariance_type=kind, max_iter=1000, random_state=seed).fit_predict(values))
                for seed in range(5)
            ])
            for kind in ("full", "diag")
        }
        chosen, what = by_bic(values)
        dense = HDBSCAN().fit_predict(values)
        print(
            f"| {name} | {ours} | {variational['full']:.2f} | {variational['diag']:.2f} | "
            f"{score(chosen):.2f} ({what}) | {score(dense):.2f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
