#!/usr/bin/env python3
"""How soon lag-1 pairs meet, by table, sampler and start: the table of docs/meeting.md.

    cargo build --release -p partita-cli
    python3 scripts/meeting_times.py target/release/partita DIR [NAME...]

DIR holds the tables of scripts/tables.py. Each line is `partita meet` with 24 pairs, lag 1 and a cap of 3,000 sweeps, on one
thread, interrupted after LIMIT seconds (then the slow pairs are missing, and `done` says how many are there). Milliseconds
are those of the processor for a coupled sweep, starts and reading included.
"""

import csv
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

LIMIT = float(os.environ.get("LIMIT", "20"))
PAIRS = 24
CAP = 3000
NAMES = ["penguins", "crabs", "crabs5", "wine", "gene", "diabetes", "quakes", "breast_cancer"]
MOVES = [f"{move}*{times}+gibbs" for move in ("split-merge", "sams") for times in (1, 5, 20)]
LINE = "| {:13} | {:20} | {:10} | {:>4} | {:>3} | {:>6} | {:>5} | {:>5} | {:>6} | {:>9} |"


def meet(program, table, sampler, start):
    """Meeting times of the pairs that were done, how many were cut, and milliseconds a sweep."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "run"
        command = [program, "meet", str(table), "--lag", "1", "--max-sweeps", str(CAP), "--replicates", str(PAIRS)]
        command += ["--threads", "1", "--sampler", sampler, "--start", start, "--out", str(out)]
        before = os.times().children_user
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        begin = time.monotonic()
        while process.poll() is None and time.monotonic() < begin + LIMIT:
            time.sleep(0.05)
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
        said = process.communicate()[1]
        user = os.times().children_user - before
        if process.returncode not in (0, 130):
            sys.exit(said)
        rows = list(csv.DictReader((out / "replicates.csv").open())) if (out / "replicates.csv").exists() else []
    taus = sorted(int(row["tau"]) if row["met"] == "true" else CAP for row in rows)
    sweeps = sum(int(row["sweeps"]) for row in rows)
    cut = sum(row["met"] != "true" for row in rows)
    # Of an interrupted run what the pair at hand took is counted in: by wall time, too.
    seconds = sum(float(row["seconds"]) for row in rows)
    share = min(1.0, seconds / (time.monotonic() - begin)) if rows else 0.0
    return taus, cut, 1e3 * user * share / sweeps if sweeps else float("nan")


def main():
    program, folder, *names = sys.argv[1:]
    print(LINE.format("table", "sampler", "start", "done", "cut", "median", "90 %", "max", "ms", "s a pair"))
    print("|---|---|---|---|---|---|---|---|---|---|", flush=True)
    for name in names or NAMES:
        table = Path(folder) / f"{name}.csv"
        for start in ("prior", "sequential"):
            for sampler in ["gibbs", *MOVES]:
                taus, cut, ms = meet(program, table, sampler, start)
                at = lambda p: taus[min(len(taus) - 1, int(p * len(taus)))] if taus else "-"
                mean = f"{sum(taus) / len(taus) * ms / 1e3:.2f}" if taus else "-"
                cells = [len(taus), cut, at(0.5), at(0.9), at(1.0), f"{ms:.2f}", mean]
                print(LINE.format(name, sampler, start, *cells), flush=True)


if __name__ == "__main__":
    main()
