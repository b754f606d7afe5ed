"""Measures the Python package: import, a large array, and `fit` against the command on gene, in turns.

    python3 scripts/measure_python.py [--turns N] [--build]

Ratios are of one turn each, Python to the command, and their median: what else the machine does falls on both. With
`--build` the command and the wheel are built first, for release, and the wheel is measured in an environment of its own
with numpy and nothing else; without it, the package that this Python imports.
"""

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
import venv
from pathlib import Path

from workspace import data

ROOT = Path(__file__).resolve().parents[1]
COMMAND = os.environ.get("PARTITA_COMMAND", str(ROOT / "target" / "release" / "partita"))
OPTIONAL = ("pandas", "matplotlib", "sklearn", "polars", "pyarrow")


def built():
    """The interpreter of an environment with the wheel of this tree, numpy and nothing else; the command, too."""
    room = ROOT / "target" / "python"
    home, tools = room / "measure", room / "tools"
    for place in (home, tools):
        if not (place / "bin" / "pip").exists():
            venv.create(place, with_pip=True)
    install = ["install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([tools / "bin" / "pip", *install, "maturin"], check=True)
    subprocess.run(["cargo", "build", "--release", "--quiet", "-p", "partita-cli"], cwd=ROOT, check=True)
    wheels = room / "release"
    for old in wheels.glob("*.whl"):
        old.unlink()
    make = [tools / "bin" / "maturin", "build", "--release", "--quiet", "--out", wheels]
    subprocess.run(make, cwd=ROOT, check=True)
    pip = home / "bin" / "pip"
    subprocess.run([pip, *install, "numpy"], check=True)
    subprocess.run([pip, *install, "--force-reinstall", "--no-deps", *wheels.glob("*.whl")], check=True)
    return home / "bin" / "python"


def spent(action):
    """Wall and processor seconds of an action that starts processes."""
    before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    action()
    wall, after = time.perf_counter() - begin, resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def import_time(turns):
    """With numpy, from nothing, and beyond it."""
    code = (
        "from time import perf_counter as w, process_time as p; t, s = w(), p(); import numpy; n = p(); import partita;"
        "print(w() - t, p() - s, p() - n)"
    )
    runs = [subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout for _ in range(turns)]
    wall, whole, beyond = (min(column) for column in zip(*(map(float, run.split()) for run in runs), strict=True))
    code = f"import sys, partita; print([m for m in {OPTIONAL!r} if m in sys.modules])"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip()
    print(f"import partita: {wall:.3f} s, {whole:.3f} s of a processor, all but {beyond:.3f} s for numpy (limit 0.2 s)")
    print(f"imported with it of {', '.join(OPTIONAL)}: {loaded}")


def ingestion(turns):
    import numpy as np

    import partita

    table = np.random.default_rng(1).normal(size=(1_000_000, 10))
    _, made, _ = partita._data.columns(table)
    taken = []
    for _ in range(turns):
        wall, busy = time.perf_counter(), time.process_time()
        partita._native.take(("array", made))
        taken.append((time.perf_counter() - wall, time.process_time() - busy))
    wall, busy = (min(column) for column in zip(*taken, strict=True))
    print(f"10^6 x 10 array to a checked table: {wall:.2f} s, {busy:.2f} s of a processor (limit 0.3 s)")


def overhead(turns):
    path = data("gene")
    if path is None:
        return
    path = path.resolve()
    # The schedule is said: a pilot would take most of the time, and the same in both.
    options = {"replicates": 2000, "covariance": "known", "lag": 10, "burn_in": 10, "sweeps": 50, "seed": 1}
    words = [word for key, value in options.items() for word in (f"--{key.replace('_', '-')}", str(value))]

    def command():
        with tempfile.TemporaryDirectory() as room:
            subprocess.run([COMMAND, "fit", path, "--out", f"{room}/run", *words], check=True, capture_output=True)

    def package():
        code = f"import partita; partita.fit({str(path)!r}, **{options!r})"
        subprocess.run([sys.executable, "-c", code], check=True)

    ratios = []
    for turn in range(turns):
        # Who goes first changes from turn to turn.
        pair = (command, package) if turn % 2 == 0 else (package, command)
        taken = {run: spent(run) for run in pair}
        theirs, ours = taken[command], taken[package]
        ratios.append([our / their for our, their in zip(ours, theirs, strict=True)])
        print(
            f"gene, 2,000 replicates: command {theirs[0]:.2f} s ({theirs[1]:.2f} s of processors), "
            f"Python {ours[0]:.2f} s ({ours[1]:.2f} s): {ratios[-1][0]:.3f} ({ratios[-1][1]:.3f})",
            flush=True,
        )
    wall, busy = (statistics.median(column) for column in zip(*ratios, strict=True))
    print(f"median ratio, Python to the command: {wall:.3f} of wall time, {busy:.3f} of processor time (limit 1.05)")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--build", action="store_true")
    said = parser.parse_args()
    if said.build:
        python = built()
        return subprocess.run([python, __file__, "--turns", str(said.turns)]).returncode
    import partita

    print(f"partita {partita.__version__}, Python {sys.version.split()[0]}, {os.cpu_count()} processors")
    import_time(said.turns)
    ingestion(said.turns)
    overhead(said.turns)
    return 0


if __name__ == "__main__":
    sys.exit(main())
