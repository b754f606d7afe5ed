"""Measures the Python package: import, a large array, and `fit` against the command on gene, in turns."""

import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from workspace import data

import partita

ROOT = Path(__file__).resolve().parents[1]
TURNS = 3


def best(action, turns=TURNS):
    """The least of some times: what else the machine does only adds."""
    times = []
    for _ in range(turns):
        begin = time.perf_counter()
        action()
        times.append(time.perf_counter() - begin)
    return min(times), times


def import_time():
    code = "import numpy, time; t = time.perf_counter(); import partita; print(time.perf_counter() - t)"
    found = [
        float(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout) for _ in range(5)
    ]
    print(f"import partita, numpy imported: {min(found):.3f} s")


def ingestion():
    chance = np.random.default_rng(1)
    table = chance.normal(size=(1_000_000, 10))
    _, made, _ = partita._data.columns(table)
    processor = []
    for _ in range(TURNS):
        begin = time.process_time()
        partita._native.take(("array", made))
        processor.append(time.process_time() - begin)
    wall, _ = best(lambda: partita._native.take(("array", made)))
    print(
        f"10^6 x 10 array to a checked table with its fingerprint: {wall:.2f} s ({min(processor):.2f} s of a processor)"
    )


def overhead(command):
    path = data("gene")
    if path is None:
        return
    path = path.resolve()
    # The schedule is said: a pilot would take most of the time, and the same in both.
    options = {"replicates": 2000, "covariance": "known", "lag": 10, "burn_in": 10, "sweeps": 50, "seed": 1}
    words = [word for key, value in options.items() for word in (f"--{key.replace('_', '-')}", str(value))]

    def theirs():
        with tempfile.TemporaryDirectory() as room:
            subprocess.run([command, "fit", path, "--out", f"{room}/run", *words], check=True, capture_output=True)

    def ours():
        code = f"import partita; partita.fit({str(path)!r}, **{options!r})"
        subprocess.run([sys.executable, "-c", code], check=True)

    # In turns; the processor time tells what the wall time would be on a machine that does nothing else.
    taken = {theirs: [], ours: []}
    for _ in range(TURNS):
        for run in (theirs, ours):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            wall, _ = best(run, 1)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            busy = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
            taken[run].append((wall, busy))
    for their, our in zip(taken[theirs], taken[ours], strict=True):
        print(
            f"gene, 2000 replicates: command {their[0]:.2f} s ({their[1]:.2f} s of processors), "
            f"Python {our[0]:.2f} s ({our[1]:.2f} s)"
        )
    for at, what in enumerate(("wall", "processor")):
        ratio = min(our[at] for our in taken[ours]) / min(their[at] for their in taken[theirs])
        print(f"ratio of the least {what} times: {ratio:.3f}")


if __name__ == "__main__":
    print(f"partita {partita.__version__}, Python {sys.version.split()[0]}, {os.cpu_count()} processors")
    import_time()
    ingestion()
    overhead(os.environ.get("PARTITA_COMMAND", str(ROOT / "target" / "release" / "partita")))
