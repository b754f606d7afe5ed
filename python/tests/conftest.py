"""What the tests share: small data, quick settings, the command."""

import os
import shutil
import signal
import subprocess
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(os.environ.get("PARTITA_ROOT", Path(__file__).resolve().parents[2]))
QUICK = {
    "lag": 40,
    "burn_in": 60,
    "sweeps": 150,
    "replicates": 60,
    "start": "sequential",
    "sampler": "sams+gibbs",
}


def pytest_configure():
    # A shell starts what runs in the background with Ctrl-C ignored, and the tests of it would wait for ever.
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_addoption(parser):
    parser.addoption("--slow", action="store_true", help="run what starts clusters, too")


def pytest_collection_modifyitems(config, items):
    if config.getoption("--slow"):
        return
    for item in items:
        if "slow" in item.keywords:
            item.add_marker(pytest.mark.skip(reason="slow: run with --slow"))


@pytest.fixture(scope="session")
def points():
    """Three groups in two columns."""
    chance = np.random.default_rng(7)
    centres = np.repeat([[-3.0, 0.0], [3.0, 0.0], [0.0, 5.0]], [20, 15, 10], axis=0)
    return centres + 0.5 * chance.normal(size=centres.shape)


def write(path, points):
    """Points as a CSV file, to the last bit."""
    path.write_text("x1,x2\n" + "".join(f"{x!r},{y!r}\n" for x, y in points.tolist()))


@pytest.fixture(scope="session")
def result(points):
    import partita

    return partita.fit(points, **QUICK)


@pytest.fixture(scope="session")
def command():
    """The command `partita` of this tree; where it is not built, its tests are skipped."""
    named = os.environ.get("PARTITA_COMMAND")
    places = [named] if named else [ROOT / "target" / kind / "partita" for kind in ("release", "debug")]
    found = next((str(p) for p in places if p and Path(p).exists()), shutil.which("partita"))
    if not found:
        pytest.skip("the command is not built: cargo build --release -p partita-cli")

    def run(*arguments):
        done = subprocess.run([found, *map(str, arguments)], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run
