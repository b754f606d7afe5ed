#!/usr/bin/env python3
"""Leave-one-out scores of the diagonal model and of full covariances with each candidate prior, on well-known tables.

    python3 scripts/tables.py DIR                      # once: fetches the tables from Python packages
    python3 scripts/compare_priors.py DIR [--seconds 1.5] [--prior table:0.2,2,0.1 ...] [NAME ...]

Three chains of about so many seconds each, `--sampler sams*5+gibbs --start sequential`, the first two fifths not counted. Of each
model: the score (log density of a row given all others, the mean over rows; larger is better), in brackets the range of
the three chains where they differ by 0.05 and more; the adjusted Rand index to known classes and the number of
clusters, means over states. `penguins4` are the four measurements of penguins alone, without the rows that lack them.
The record is in docs/model-choice.md.
"""

import argparse
import csv
import json
import pathlib
import subprocess
import tempfile

from workspace import ROOT

TABLES = "iris crabs5 penguins4 penguins wine olive breast_cancer diabetes faithful".split()
MEASURED = ["bill_length_mm", "bill_depth_mm", "flipper_length_mm", "body_mass_g"]


def table(directory, name):
    """The rows of a table with their classes in a last column; and whether there are any."""
    source = "penguins" if name == "penguins4" else name
    rows = list(csv.reader((directory / f"{source}.csv").open()))
    labels = directory / f"{source}.labels.csv"
    known = labels.exists()
    if known:
        rows = [row + label for row, label in zip(rows, csv.reader(labels.open()))]
    if name == "penguins4":
        at = [rows[0].index(column) for column in MEASURED + ["class"]]
        rows = [[row[i] for i in at] for row in rows]
        rows = [row for row in rows if all(row)]
    return rows, known


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", type=pathlib.Path)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--seconds", default="1.5")
    parser.add_argument("--prior", action="append", default=[])
    options = parser.parse_args()
    build = "cargo build --release -q -p partita-run --example score_candidates"
    subprocess.run(build.split(), cwd=ROOT, check=True)
    program = ROOT / "target/release/examples/score_candidates"
    for name in options.names or TABLES:
        rows, known = table(options.directory, name)
        with tempfile.TemporaryDirectory() as room:
            path = pathlib.Path(room) / f"{name}.csv"
            with path.open("w", newline="") as file:
                csv.writer(file).writerows(rows)
            command = [program, path, "--seconds", options.seconds] + (["--labels", "class"] if known else [])
            for prior in options.prior:
                command += ["--prior", prior]
            lines = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()
        print(f"\n{name}: {len(rows) - 1} rows")
        for line in map(json.loads, lines):
            low, high = min(line["chains"]), max(line["chains"])
            apart = f" ({low:.2f} to {high:.2f})" if high - low >= 0.05 else ""
            agreement = line.get("reference:ari")
            agreement = "" if agreement is None else f"  ARI {agreement:.2f}"
            print(f"  {line['model']:28} {line['score']:8.2f}{agreement}  clusters {line['clusters']:4.1f}"
                  f"  {line['ms']:6.2f} ms a sweep{apart}", flush=True)


if __name__ == "__main__":
    main()
