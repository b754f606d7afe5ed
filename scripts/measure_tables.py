#!/usr/bin/env python3
"""Runs a plain `partita fit` on well-known tables and prints one line per table.

    python3 scripts/tables.py DIR                      # once: fetches the tables from Python packages
    python3 scripts/measure_tables.py DIR [--binary target/release/partita] [--limit 120] [--option ...] [NAME ...]

Columns: wall seconds of the whole command and of its pilot, the moves it chose, lag, burn-in and sweeps, replicates,
pairs that were censored, meeting times (median, 99 %, longest), the number of clusters, the width of its 95 %
interval, and the adjusted Rand index of the point estimate where classes are known. Compare two builds in turns on an idle
machine; the record is in docs/meeting.md.
"""

import argparse
import json
import pathlib
import shlex
import subprocess
import tempfile
import time
import tomllib

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


def measure(binary: str, table: pathlib.Path, limit: float, options: list[str]) -> str:
    with tempfile.TemporaryDirectory() as room:
        run = pathlib.Path(room) / "run"
        command = [binary, "fit", str(table), "--json", "--out", str(run), *options]
        begin = time.monotonic()
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=limit)
        except subprocess.TimeoutExpired:
            return f"| {table.stem} | no answer after {limit:.0f} s | | | | | | | | |"
        wall = time.monotonic() - begin
        if done.returncode != 0:
            return f"| {table.stem} | {done.stderr.strip().splitlines()[-1]} | | | | | | | | |"
        found = json.loads(done.stdout)
        kept = tomllib.loads((run / "run.toml").read_text())
        clusters = next(line for line in found["summaries"] if line["name"] == "clusters")
        labels = table.with_suffix(".labels.csv")
        rand = rand_index(run, labels) if labels.exists() else None
        meeting, pilot = found["meeting"], kept.get("pilot") or {}
        quantiles = ", ".join(str(meeting[key]) for key in ("median", "q99", "max"))
        low, high = clusters["ci95"]
        return (
            f"| {table.stem} | {wall:.0f} | {pilot.get('seconds', 0):.0f} | {kept['options']['sampler']} | "
            f"{found['lag']}, {found['burn_in']}, {found['sweeps']} | {found['replicates']} | {found['censored']} | "
            f"{quantiles} | {clusters['mean']:.2f} ({high - low:.2f}) | {'' if rand is None else f'{rand:.2f}'} |"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", type=pathlib.Path)
    parser.add_argument("names", nargs="*", default=QUICK)
    parser.add_argument("--binary", default="target/release/partita")
    parser.add_argument("--limit", type=float, default=120.0)
    parser.add_argument("--option", default="", help="further options of fit, as one word")
    given = parser.parse_intermixed_args()
    print("| table | s | pilot | moves | lag, burn-in, sweeps | replicates | censored | meeting | clusters (width) | ARI |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    for name in given.names:
        table = given.directory / f"{name}.csv"
        if not table.exists():
            print(f"| {name} | not in {given.directory} | | | | | | | | |", flush=True)
            continue
        print(measure(given.binary, table, given.limit, shlex.split(given.option)), flush=True)


if __name__ == "__main__":
    main()
