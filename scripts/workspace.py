"""What scripts know of the workspace: where the paper's data are, and where a benchmark's program is.

The data are looked for in the directory that PARTITA_DATA names, else in ../shared/data beside the workspace, as by
tests and benchmarks; a relative path counts from the workspace.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DATA = ROOT / (os.environ.get("PARTITA_DATA") or "../shared/data")


def data(name):
    """The file of a data set; None, with the reason printed, where it is not there."""
    file = DATA / f"{name}.csv"
    if file.exists():
        return file
    print(f"{name}: skipped, {file} is not there; PARTITA_DATA names the directory that has it", file=sys.stderr)
    return None


def benchmark(name):
    """Builds a benchmark of the crate `partita`; the path of its program."""
    command = ["cargo", "bench", "-p", "partita", "--bench", name, "--no-run", "--message-format=json"]
    out = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout
    for line in out.splitlines():
        message = json.loads(line)
        if message.get("target", {}).get("name") == name and message.get("executable"):
            return message["executable"]
    sys.exit("cargo did not say where the benchmark is")
