#!/usr/bin/env python3
"""Runs a plain `partita fit` on well-known tables and prints one line per table.

    python3 scripts/tables.py DIR                      # once: fetches the tables from Python packages
    python3 scripts/measure_tables.py DIR [--binary target/release/partita] [--limit 120] [--option ...]
        [--seeds 1,2] [--at-once 1] [NAME ...]

Columns: wall seconds of the whole command and of its pilot, the model and the moves it chose, lag, burn-in and sweeps,
replicates, pairs that were censored, meeting times (median, 99 %, longest), the number of clusters, the width of its
95 % interval, and the adjusted Rand index of the point estimate where classes are known. With two seeds there is one
line per seed, and the last column is the largest difference between any summary of the two runs, in joint standard
errors. Measure on an idle machine, with two processors for each of the runs at once; the record is in docs/meeting.md.
"""

import argparse
import json
import math
import pathlib
import shlex
import subprocess
import tempfile
import time
import tomllib
from concurrent.futures import ThreadPoolExecutor

QUICK = (
    "iris wine penguins crabs crabs5 diabetes breast_cancer USArrests swiss mtcars faithful galaxies quakes seed gene"
).split()


def rand_index(run: pathlib.Path, labels: pathlib.Path):
    """The adjusted Rand index of clustering.csv with known labels."""
    from collections import Counter
    from math import comb

    clusters = [line.rsplit(",", 3)[1] for line in (run / "clustering.csv").read_text().splitlines()[1:]]
    classes = [line.strip() for line in labels.read_text().splitlines()[1:]]
    if len(classes) != len(clusters):
        return None
    pairs = sum(comb(n, 2) for n in Counter(zip(clusters, classes)).values())
    a = sum(comb(n, 2) for n in Counter(clusters).values())
    b = sum(comb(n, 2) for n in Counter(classes).values())
    expected = a * b / comb(len(classes), 2)
    most = (a + b) / 2
    return (pairs - expected) / (most - expected) if most != expected else None


COLUMNS = "table, s, pilot, model, moves, lag, burn-in and sweeps, replicates, censored, meeting, clusters (width), ARI, z"


def line(*cells) -> str:
    """A line of a table in Markdown, with empty cells at its end where some are missing."""
    width = len(COLUMNS.split(", ")) - 1  # One name holds a comma.
    return "| " + " | ".join([str(cell) for cell in cells] + [""] * (width - len(cells))) + " |"


def largest_difference(one: dict, other: dict) -> float:
    """Between the summaries of two runs, in joint standard errors."""

    def z(a: dict, b: dict, value: str) -> float:
        joint = math.hypot(a["se"] or 0.0, b["se"] or 0.0)
        return abs(a[value] - b[value]) / joint if joint > 0 else 0.0

    lines = [z(a, b, "mean") for a, b in zip(one["summaries"], other["summaries"])]
    return max(lines, default=0.0)


def measure(binary: str, table: pathlib.Path, limit: float, options: list[str]):
    """Fits a table. The cells of its line but for the last, and what was found."""
    with tempfile.TemporaryDirectory() as room:
        run = pathlib.Path(room) / "run"
        command = [binary, "fit", str(table), "--json", "--out", str(run), *options]
        begin = time.monotonic()
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=limit)
        except subprocess.TimeoutExpired:
            return [table.stem, f"no answer after {limit:.0f} s"], None
        wall = time.monotonic() - begin
        if done.returncode != 0:
            return [table.stem, done.stderr.strip().splitlines()[-1]], None
        found = json.loads(done.stdout)
        kept = tomllib.loads((run / "run.toml").read_text())
        clusters = next(line for line in found["summaries"] if line["name"] == "clusters")
        labels = table.with_suffix(".labels.csv")
        rand = rand_index(run, labels) if labels.exists() else None
        meeting, pilot = found["meeting"], kept.get("pilot") or {}
        quantiles = ", ".join(str(meeting[key]) for key in ("median", "q99", "max"))
        low, high = clusters["ci95"]
        model = found.get("model") or kept["options"].get("covariance", "")
        taken = next((c for c in found.get("candidates") or [] if c["taken"]), None)
        if taken and taken.get("pca"):
            model += f" on {taken['pca']} components"
        if taken and taken["prior"]:
            model += f" ({taken['prior']})"
        cells = [
            table.stem,
            f"{wall:.0f}",
            f"{pilot.get('seconds', 0):.0f}",
            model,
            kept["options"]["sampler"],
            f"{found['lag']}, {found['burn_in']}, {found['sweeps']}",
            found["replicates"],
            found["censored"],
            quantiles,
            f"{clusters['mean']:.2f} ({high - low:.2f})",
            "" if rand is None else f"{rand:.2f}",
        ]
        return cells, found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", type=pathlib.Path)
    parser.add_argument("names", nargs="*", default=QUICK)
    parser.add_argument("--binary", default="target/release/partita")
    parser.add_argument("--limit", type=float, default=120.0)
    parser.add_argument("--option", default="", help="further options of fit, as one word")
    parser.add_argument("--seeds", default="1", help="seeds, separated by commas")
    parser.add_argument("--at-once", type=int, default=1, help="runs at once")
    given = parser.parse_intermixed_args()
    heads = COLUMNS.replace("lag, burn-in", "lag; burn-in").split(", ")
    print(line(*[head.replace(";", ",") for head in heads]))
    print("|" + "---|" * len(heads))
    with ThreadPoolExecutor(given.at_once) as pool:

        def run(name: str, seed: str):
            options = [*shlex.split(given.option), "--seed", seed]
            return pool.submit(measure, given.binary, given.directory / f"{name}.csv", given.limit, options)

        runs = {name: [run(name, seed) for seed in given.seeds.split(",")] for name in given.names}
        for each in runs.values():
            before = None
            for cells, found in (one.result() for one in each):
                z = "" if before is None or found is None else f"{largest_difference(before, found):.1f}"
                print(line(*cells, *([z] if found else [])), flush=True)
                before = found


if __name__ == "__main__":
    main()
