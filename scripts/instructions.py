"""Instructions per item-step by callgrind: a figure that busy machines do not change.

    python3 scripts/instructions.py [DATA ...]

Builds the benchmark `instructions`, runs it under `valgrind --tool=callgrind` with S and with 2 S sweeps
and prints the difference by item-step. Valgrind has no AVX-512; the engine uses AVX2 at most. gene, seed and
abalone are read from ../shared/data and left out where they are not there.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
# Items, and the sweeps S by kind.
CASES = {
    "gene": (200, 300, 60),
    "seed": (210, 300, 60),
    "abalone": (4177, 15, 6),
    "synthetic": (300, 300, 60),
}


def build():
    command = ["cargo", "bench", "-p", "partita", "--bench", "instructions", "--no-run", "--message-format=json"]
    out = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout
    for line in out.splitlines():
        message = json.loads(line)
        if message.get("target", {}).get("name") == "instructions" and message.get("executable"):
            return message["executable"]
    sys.exit("cargo did not say where the benchmark is")


def instructions(program, *arguments):
    with tempfile.TemporaryDirectory() as folder:
        command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/out", program, *map(str, arguments)]
        done = subprocess.run(command, stderr=subprocess.PIPE, text=True)
    found = re.search(r"Collected : (\d+)", done.stderr)
    if done.returncode or not found:
        sys.exit(f"{' '.join(command)} failed:\n{done.stderr}")
    return int(found.group(1))


def main(names):
    program = build()
    print("| data | single | coupled pair | two single, the same sweeps | coupled / 2 single | VI / Hamming |")
    print("|---|---|---|---|---|---|")
    for name in names or CASES:
        items, single_sweeps, coupled_sweeps = CASES[name]
        if name != "synthetic" and not (ROOT / f"../shared/data/{name}.csv").exists():
            print(f"{name}: skipped, no data", file=sys.stderr)
            continue
        per_step = {}
        for kind in ["single", "coupled", "twice", "coupled-vi"]:
            sweeps = single_sweeps if kind == "single" else coupled_sweeps
            once, double = (instructions(program, name, kind, s, 2 * sweeps) for s in (sweeps, 2 * sweeps))
            per_step[kind] = (double - once) / (sweeps * items)
        single, coupled, twice, vi = per_step.values()
        print(
            f"| {name} | {single:.0f} | {coupled:.0f} | {twice:.0f} | {coupled / twice:.2f} | {vi / coupled:.2f} |",
            flush=True,
        )


if __name__ == "__main__":
    os.environ.pop("RUSTFLAGS", None)
    main(sys.argv[1:])
