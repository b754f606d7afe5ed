#!/usr/bin/env python3
"""Measures replicates on a card beside those of the processors, and compares their bits.

    cargo build --release -p partita-cli --features cuda
    python3 scripts/measure_card.py TABLES bits record models plain

TABLES is a folder with the tables that `scripts/tables.py` writes, and gene.csv and abalone.csv. Parts:

    bits    rows and kept states of the card and of the processors, by model and moves: how many differ
    record  180,000 estimates on gene and 68,000 on abalone, in double and in single precision, cold and warm
    models  replicates a second by model, moves and number of replicates; of the processors beside them
    plain   plain fits with a card and on two threads: replicates a second, all told

Prints one line of a table for each run, as soon as it has ended. Only the standard library is used.
"""

import argparse
import csv
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

GENE = "--model known --prior-sd 0.5 --noise-sd 1.3 --alpha 1 --no-standardize --sampler gibbs"
PAPER = f"{GENE} --start one --lag 1 --burn-in 30 --sweeps 300 --max-sweeps 10000 --summary top:1 --summary co:0,21"
ABALONE = PAPER.replace("--noise-sd 1.3", "--noise-sd 2").replace("--burn-in 30 --sweeps 300", "--burn-in 10 --sweeps 100")
SHORT = "--lag 20 --burn-in 40 --sweeps 120 --max-sweeps 3000"
# The priors that a pilot took on these tables, so that chains do what they do in a plain run.
FULL = "--model full --cluster-prior table:0.2,2,0.1"

BITS = [
    ("gene", PAPER, 5000),
    ("gene", f"{GENE} {SHORT} --metric vi --start kmeans:5", 2000),
    ("wine", f"--model known --sampler sams-even*5+gibbs {SHORT}", 2000),
    ("wine", f"--model known --sampler sams-even*2+shuffle-near*3+gibbs {SHORT}", 2000),
    ("penguins", f"--model diagonal --sampler sams-even*5+gibbs {SHORT}", 2000),
    ("penguins", f"--model diagonal --sampler sams-even*2+shuffle-near*3+gibbs {SHORT}", 2000),
    ("penguins", f"--model diagonal --sampler gibbs --start sequential {SHORT}", 2000),
    ("penguins", f"{FULL} --sampler sams-even*5+gibbs {SHORT}", 2000),
    ("penguins", f"{FULL} --sampler sams-even*5+gibbs --prior pitman-yor:0.2 --metric vi {SHORT}", 1000),
    ("wine", f"{FULL} --sampler sams*3+shuffle*2+gibbs {SHORT}", 1000),
    ("crabs5", f"{FULL} --sampler split-merge*2+gibbs {SHORT}", 1000),
    ("Aids2", f"--model diagonal --sampler sams-even*5+gibbs {SHORT}", 200),
]

MODELS = [
    ("penguins", f"--model diagonal --sampler sams-even*5+gibbs {SHORT}", [3000, 30000]),
    ("penguins", f"{FULL} --sampler sams-even*5+gibbs {SHORT}", [3000, 30000]),
    ("penguins", f"{FULL} --sampler gibbs {SHORT}", [30000]),
    ("wine", f"{FULL} --sampler sams-even*5+gibbs {SHORT}", [3000]),
    ("wine", f"--model known --sampler sams-even*5+gibbs {SHORT}", [30000]),
]

PLAIN = ["penguins", "breast_cancer", "digits", "abalone"]


class Fit:
    """A run of `partita fit`: its rows without their seconds, its kept states, and how long it took."""

    def __init__(self, program, table, options, more, timeout=None):
        folder = Path(tempfile.mkdtemp())
        begin = time.time()
        command = [program, "fit", str(table), *options.split(), *more.split(), "--seed", "1", "--out", str(folder / "run")]
        done = subprocess.run(command, capture_output=True, text=True, timeout=timeout)
        self.wall = time.time() - begin
        self.said = done.stdout + done.stderr
        if done.returncode != 0:
            raise SystemExit(f"{' '.join(command)}\n{self.said}")
        with open(folder / "run" / "replicates.csv", newline="") as file:
            rows = list(csv.reader(file))
        seconds = rows[0].index("seconds")
        self.busy = sum(float(row[seconds]) for row in rows[1:])
        self.rows = [row[:seconds] + row[seconds + 1 :] for row in rows]
        draws = folder / "run" / "draws.csv"
        self.draws = draws.read_bytes() if draws.exists() else b""
        card = re.search(r"in ([0-9.]+) s of its\s+time", self.said)
        self.card = float(card[1]) if card else None
        left = re.search(r"processors did (\d+)", self.said)
        self.left = int(left[1]) if left else 0
        shutil.rmtree(folder)

    def count(self):
        return len(self.rows) - 1


def line(*cells):
    print("| " + " | ".join(str(cell) for cell in cells) + " |", flush=True)


def head(*cells):
    print()
    line(*cells)
    line(*["---"] * len(cells))


def bits(fit):
    head("table", "options", "replicates", "rows that differ", "kept states", "left", "card s", "threads' s")
    for table, options, count in BITS:
        options = f"{options} --keep-draws 2"
        ours = fit(table, options, f"--replicates {count} --device cuda")
        theirs = fit(table, options, f"--replicates {count} --device cpu")
        differ = sum(a != b for a, b in zip(ours.rows, theirs.rows)) + abs(len(ours.rows) - len(theirs.rows))
        states = "same" if ours.draws == theirs.draws else "DIFFER"
        line(table, options, count, differ, states, ours.left, ours.card, f"{theirs.busy:.1f}")


def record(fit):
    head("table", "options", "replicates", "precision", "kernels", "card s", "whole s", "left")
    for table, options, count, precision in [
        ("gene", PAPER, 180_000, "f64"),
        ("gene", PAPER, 180_000, "f32"),
        ("abalone", ABALONE, 68_000, "f32"),
    ]:
        for kept in ["cold", "warm"]:
            if table == "abalone" and kept == "cold":
                continue
            run = fit(table, options, f"--replicates {count} --keep-draws 0 --device cuda --float {precision}")
            line(table, options[-60:], count, precision, kept, run.card, f"{run.wall:.2f}", run.left)


def models(fit):
    head("table", "options", "replicates", "card s", "a second", "left", "a thread's a second", "card : two threads")
    for table, options, counts in MODELS:
        few = fit(table, options, "--replicates 200 --keep-draws 0 --device cpu")
        by_thread = few.count() / few.busy
        for count in counts:
            run = fit(table, options, f"--replicates {count} --keep-draws 0 --device cuda")
            rate = count / run.card
            line(table, options, count, run.card, f"{rate:.0f}", run.left, f"{by_thread:.1f}", f"{rate / by_thread / 2:.0f}")


def plain(fit):
    head("table", "device", "replicates", "card s", "whole s", "a second", "card : two threads")
    for table in PLAIN:
        on_card = fit(table, "", "--device cuda")
        beside = fit(table, "", "--device cpu --threads 2")
        rates = [run.count() / run.wall for run in (on_card, beside)]
        line(table, "card", on_card.count(), on_card.card, f"{on_card.wall:.1f}", f"{rates[0]:.1f}", f"{rates[0] / rates[1]:.1f}")
        line(table, "two threads", beside.count(), "", f"{beside.wall:.1f}", f"{rates[1]:.1f}", "")


PARTS = {"bits": bits, "record": record, "models": models, "plain": plain}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tables", type=Path, help="the folder with the tables")
    parser.add_argument("parts", nargs="+", choices=list(PARTS))
    parser.add_argument("--partita", default="target/release/partita", help="the program, built with the feature cuda")
    args = parser.parse_args()

    def fit(table, options, more):
        return Fit(args.partita, args.tables / f"{table}.csv", options, more)

    for part in args.parts:
        PARTS[part](fit)


if __name__ == "__main__":
    sys.exit(main())
