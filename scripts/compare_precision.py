#!/usr/bin/env python3
"""Compares the processor time of two builds for the same precision, seed by seed in turns.

    python3 scripts/compare_precision.py OLD NEW DIR [--seeds 9] [--precision 0.1] [NAME ...]

OLD and NEW are programs; one of before `--model` is asked for `--covariance`. DIR is written by `scripts/tables.py`. Prints per
table the sums over seeds of processor seconds and of squared widths of the interval of `clusters`, as ratios NEW : OLD, and their
product: the time for the same width. A run makes at least 64 replicates, so widths are often less than what was asked for.
"""

import argparse
import json
import pathlib
import resource
import subprocess
import tempfile

EASY = "iris wine faithful galaxies swiss".split()


def measure(program: str, table: pathlib.Path, seed: int, precision: str):
    """Processor seconds of a fit, and the width of its interval."""
    option = "--model" if "--model <" in subprocess.run([program, "fit", "--help"], capture_output=True, text=True).stdout else "--covariance"
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with tempfile.TemporaryDirectory() as room:
        command = [program, "fit", str(table), option, "diagonal", "--precision", precision, "--summary", "clusters"]
        command += ["--threads", "1", "--seed", str(seed), "--json", "--out", f"{room}/run"]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    low, high = next(line for line in json.loads(done.stdout)["summaries"] if line["name"] == "clusters")["ci95"]
    return after.ru_utime - before.ru_utime, (high - low) ** 2


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("directory", type=pathlib.Path)
    parser.add_argument("names", nargs="*", default=EASY)
    parser.add_argument("--seeds", type=int, default=9)
    parser.add_argument("--precision", default="0.1")
    given = parser.parse_intermixed_args()
    print("| table | seconds of one run: old | new | ratio | squared width, ratio | time for the same width, ratio |")
    print("|---|---|---|---|---|---|")
    for name in given.names:
        sums = {given.old: [0.0, 0.0], given.new: [0.0, 0.0]}
        for seed in range(1, given.seeds + 1):
            for program, sum_of in sums.items():
                found = measure(program, given.directory / f"{name}.csv", seed, given.precision)
                sum_of[:] = [a + b for a, b in zip(sum_of, found)]
        (old, old_width), (new, new_width) = sums[given.old], sums[given.new]
        time, width = new / old, new_width / old_width
        each = [f"{seconds / given.seeds:.2f}" for seconds in (old, new)]
        print(f"| {name} | {each[0]} | {each[1]} | {time:.2f} | {width:.2f} | {time * width:.2f} |", flush=True)


if __name__ == "__main__":
    main()
