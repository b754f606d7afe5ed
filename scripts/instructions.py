"""Instructions per item-step by callgrind, a figure that busy machines do not change; or processor time.

    python3 scripts/instructions.py [--time] [DATA ...]

Builds the benchmark `instructions`, runs it under `valgrind --tool=callgrind` with S and with 2 S sweeps and
prints the difference by item-step. Valgrind has no AVX-512; the engine uses AVX2 at most. With `--time` the same
difference in nanoseconds on the processor, without valgrind and with more sweeps: medians of rounds in turns.
gene, seed and abalone are left out where they are not there; PARTITA_DATA names their directory.
"""

import re
import resource
import statistics
import subprocess
import sys
import tempfile

import workspace

KINDS = ["single", "coupled", "twice", "coupled-vi"]
# Items, and the sweeps S: single, coupled.
CASES = {
    "gene": (200, 300, 60),
    "seed": (210, 300, 60),
    "abalone": (4177, 15, 6),
    "synthetic": (300, 300, 60),
}
ROUNDS = 7
# So many times more sweeps where time is measured.
LONGER = 40


def instructions(program, *arguments):
    with tempfile.TemporaryDirectory() as folder:
        command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/out", program, *map(str, arguments)]
        done = subprocess.run(command, stderr=subprocess.PIPE, text=True)
    found = re.search(r"Collected : (\d+)", done.stderr)
    if done.returncode or not found:
        sys.exit(f"{' '.join(command)} failed:\n{done.stderr}")
    return int(found.group(1))


def nanoseconds(program, *arguments):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([program, *map(str, arguments)], check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return 1e9 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def per_step(cost, program, name, kind, longer):
    """The cost of an item-step: of 2 S sweeps less that of S."""
    items, single, coupled = CASES[name]
    sweeps = longer * (single if kind == "single" else coupled)
    once, double = (cost(program, name, kind, s, 2 * sweeps) for s in (sweeps, 2 * sweeps))
    return (double - once) / (sweeps * items)


def main(names, timed):
    program = workspace.benchmark("instructions")
    print("| data | single | coupled pair | two single, the same sweeps | coupled / 2 single | VI / Hamming |")
    print("|---|---|---|---|---|---|")
    for name in names or CASES:
        if name != "synthetic" and workspace.data(name) is None:
            continue
        if timed:
            rounds = [[per_step(nanoseconds, program, name, kind, LONGER) for kind in KINDS] for _ in range(ROUNDS)]
        else:
            rounds = [[per_step(instructions, program, name, kind, 1) for kind in KINDS]]
        single, coupled, twice, vi = (statistics.median(column) for column in zip(*rounds))
        ratio = statistics.median(row[1] / row[2] for row in rounds)
        vi_ratio = statistics.median(row[3] / row[1] for row in rounds)
        print(f"| {name} | {single:.0f} | {coupled:.0f} | {twice:.0f} | {ratio:.2f} | {vi_ratio:.2f} |", flush=True)


if __name__ == "__main__":
    words = sys.argv[1:]
    main([word for word in words if word != "--time"], "--time" in words)
