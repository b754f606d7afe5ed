"""Times `ot.emd` of Python Optimal Transport on the problems that the coupling's benchmark recorded.

    mkdir -p target/problems
    PARTITA_DUMP=$PWD/target/problems cargo bench -p partita --bench coupling
    python3 -m venv target/pot && target/pot/bin/pip install pot numpy
    target/pot/bin/python scripts/compare_pot.py target/problems

`ot.emd` is what a Python user calls; `core` is its compiled network simplex alone, called with arrays
that are ready. The fastest of several passes counts on both sides.
"""

import json
import sys
import time
from pathlib import Path

import numpy as np
import ot
from ot.lp.emd_wrap import emd_c

PASSES = 15


def fastest(run):
    times = []
    for _ in range(PASSES):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return min(times)


def main(folder):
    print(f"POT {ot.__version__}, numpy {np.__version__}; nanoseconds per problem")
    heads = ["clusters", "problems", "draw", "solve", "ot.emd", "core", "core / solve", "core / draw", "ot.emd / solve"]
    print("  ".join(f"{head:>14}" for head in heads))
    for path in sorted(Path(folder).glob("problems-*.json")):
        record = json.loads(path.read_text())
        problems = []
        for p in record["problems"]:
            a, b = np.array(p["a"]), np.array(p["b"])
            gain = np.array(p["gain"], dtype=float)
            # POT minimises, and wants both totals equal.
            problems.append((a / a.sum(), b / b.sum(), np.ascontiguousarray(gain.max() - gain)))
        emd = fastest(lambda: [ot.emd(a, b, cost) for a, b, cost in problems])
        core = fastest(lambda: [emd_c(a, b, cost, 100000, 1) for a, b, cost in problems])
        emd, core = (1e9 * t / len(problems) for t in (emd, core))
        draw, solve = record["draw_ns"], record["solve_ns"]
        figures = [f"{x:.0f}" for x in (draw, solve, emd, core)]
        figures += [f"{x:.1f}" for x in (core / solve, core / draw, emd / solve)]
        print("  ".join(f"{cell:>14}" for cell in [record["clusters"], len(problems), *figures]))


if __name__ == "__main__":
    main(sys.argv[1])
