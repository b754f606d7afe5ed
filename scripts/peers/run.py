"""partita and its peers in one table: sweeps and effective draws per second of processor time, one core.

    python3 -m venv target/peers
    target/peers/bin/pip install numpy pandas POT scikit-learn pylace==0.10 pyrichlet==0.0.9
    apt-get install r-cran-bayesm                                  # R from Debian, for rDPGibbs
    cargo build --release
    target/peers/bin/python scripts/peers/run.py [--seconds 10] [--target target/release] [gene] [seed] [--only ...]

PARTITA_DATA names the directory of gene and seed. A peer that is not installed is left out, with the reason printed.
What each peer fits is in docs/performance.md: only the textbook sampler has exactly partita's model and kernel.
Effective draws are of the number of clusters, by batch means over a trace.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "RAYON_NUM_THREADS"):
    os.environ[name] = "1"

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import workspace  # noqa: E402

MODELS = {"gene": dict(prior_sd=0.5, noise_sd=1.3, alpha=1.0), "seed": dict(prior_sd=1.0, noise_sd=1.0, alpha=1.0)}
# From the project's issue: the paper's released Python, a chain-sweep, on such a machine.
RELEASED = {"gene": 37e-3, "seed": 49e-3}


def effective(trace):
    """The effective number of draws in a trace by batch means, its first tenth left out."""
    import numpy as np

    trace = np.asarray(trace[len(trace) // 10 :], dtype=float)
    size = int(len(trace) ** 0.5)
    if size < 5 or trace.var() == 0:
        return None
    batches = trace[: len(trace) // size * size].reshape(-1, size).mean(axis=1)
    inflation = size * batches.var(ddof=1) / trace.var(ddof=1)
    return len(trace) / inflation / 0.9 if inflation > 0 else None


def child(command):
    """Output and processor seconds of a program."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    out = subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True).stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return out, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def command_line(args, path, model, *options):
    """kernel_calls and processor seconds of a run of `partita`."""
    with tempfile.TemporaryDirectory() as folder:
        command = [f"{args.target}/partita", *options, path, "--no-standardize", "--start", "one", "--threads", "1"]
        command += ["--prior-sd", model["prior_sd"], "--noise-sd", model["noise_sd"], "--alpha", model["alpha"]]
        out, seconds = child([str(word) for word in [*command, "--json", "--force", "--out", folder]])
    return json.loads(out)["kernel_calls"], seconds


def difference(args, path, model, options, first):
    """Chain-sweeps per second, from a run and a twice as long one: what both need besides falls out."""
    count = first
    while True:
        calls, seconds = command_line(args, path, model, *options(count))
        if seconds > args.seconds / 3:
            more_calls, more_seconds = command_line(args, path, model, *options(2 * count))
            return (more_calls - calls) / (more_seconds - seconds)
        count *= 4


def partita(args, name, path, model):
    data = ["--lag", 1, "--burn-in", 1]
    single = difference(
        args, path, model, lambda n: ["fit", *data, "--sweeps", n, "--replicates", 1, "--summary", "clusters"], 4000
    )
    sweeps = 20000
    words = [path, model["prior_sd"], model["noise_sd"], model["alpha"], sweeps]
    out, _ = child([workspace.benchmark("trace"), *map(str, words)])
    draws = effective([int(k) for k in out.splitlines()[1].split()])
    yield "partita, one chain", single, draws and draws / sweeps * single
    pair = difference(args, path, model, lambda n: ["meet", "--lag", 1, "--replicates", n], 50)
    yield "partita, coupled pairs until they meet", pair, None


def textbook(args, name, path, model):
    import numpy as np
    from textbook import measure

    data = np.loadtxt(path, delimiter=",", skiprows=1)
    single, pair, trace = measure(data, model, args.seconds)
    draws = effective(trace) if len(trace) > 400 else None
    yield "textbook numpy, one chain", single, draws and draws / len(trace) * single
    yield "textbook numpy + POT `ot.emd`, coupled pairs", pair, None


def bayesm(args, name, path, model):
    def run(iterations):
        words = [path, model["prior_sd"], model["noise_sd"], model["alpha"], iterations]
        out, _ = child(["Rscript", str(HERE / "bayesm.R"), *map(str, words)])
        lines = out.splitlines()
        return float(lines[0]), [int(k) for k in lines[1].split()]

    iterations = 200
    while True:
        seconds, trace = run(iterations)
        if seconds > args.seconds / 2:
            break
        iterations *= 4
    draws = effective(trace)
    yield "bayesm rDPGibbs", iterations / seconds, draws and draws / seconds


def pyrichlet(args, name, path, model):
    import numpy as np
    from pyrichlet.mixture_models import DirichletProcessMixture

    data = np.loadtxt(path, delimiter=",", skiprows=1)
    width, nu = data.shape[1], 10_000.0
    psi = np.eye(width) * model["noise_sd"] ** 2 * nu
    pinned = dict(psi_prior=psi, nu_prior=nu, lambda_prior=(model["noise_sd"] / model["prior_sd"]) ** 2)
    iterations = 20
    while True:
        mixture = DirichletProcessMixture(
            alpha=model["alpha"], rng=1, total_iter=iterations, burn_in=1, mu_prior=np.zeros(width), **pinned
        )
        start = time.process_time()
        mixture.fit_gibbs(data)
        seconds = time.process_time() - start
        if seconds > args.seconds / 4:
            break
        iterations *= 4
    draws = effective(list(mixture.n_groups)) if iterations > 400 else None
    yield "pyrichlet DirichletProcessMixture", iterations / seconds, draws and draws / seconds


def pylace(args, name, path, model):
    import pandas as pd
    from lace import Engine, RowKernel, StateTransition

    frame = pd.read_csv(path)
    frame.columns = [f"c{k}" for k in range(frame.shape[1])]
    frame.index = [str(k) for k in range(len(frame))]
    frame.index.name = "ID"
    engine = Engine.from_df(frame, n_states=1, rng_seed=1, flat_columns=True)
    moves = [StateTransition.row_assignment(RowKernel.gibbs()), StateTransition.component_parameters()]
    iterations = 20
    while True:
        start = time.process_time()
        engine.update(iterations, transitions=moves, quiet=True)
        seconds = time.process_time() - start
        if seconds > args.seconds / 4:
            break
        iterations *= 4
    yield "pylace, Gibbs on rows, columns in one view", iterations / seconds, None


def sklearn(args, name, path, model):
    import numpy as np
    from sklearn.mixture import BayesianGaussianMixture

    data = np.loadtxt(path, delimiter=",", skiprows=1)
    times = []
    for seed in range(5):
        mixture = BayesianGaussianMixture(
            n_components=20, covariance_type="spherical", weight_concentration_prior=model["alpha"], max_iter=1000, random_state=seed
        )
        start = time.process_time()
        mixture.fit(data)
        times.append(time.process_time() - start)
    answer = sorted(times)[2]
    yield f"scikit-learn BayesianGaussianMixture: an answer in {1e3 * answer:.0f} ms", None, None


def released(args, name, path, model):
    yield "the paper's released Python (from the issue, not run here)", 1 / RELEASED[name], None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--target", default=str(workspace.ROOT / "target/release"))
    parser.add_argument("--only", nargs="*", default=[], help="names of peers, as in: --only partita bayesm")
    parser.add_argument("data", nargs="*", default=list(MODELS))
    args = parser.parse_args()
    sys.path.insert(0, str(HERE))
    show = lambda value: "" if value is None else f"{value:,.3g}" if value < 1000 else f"{value:,.0f}"
    for name in args.data:
        path = workspace.data(name)
        if path is None:
            continue
        rows = []
        for peer in (partita, textbook, released, bayesm, pyrichlet, pylace, sklearn):
            if args.only and peer.__name__ not in args.only:
                continue
            try:
                rows += peer(args, name, path, MODELS[name])
            except (ImportError, OSError, subprocess.CalledProcessError, ValueError, TypeError) as error:
                reason = getattr(error, "stderr", None) or error
                print(f"{name}: {peer.__name__} skipped: {type(error).__name__}: {reason}", file=sys.stderr)
        print(f"\n| {name} | chain-sweeps per second | ours is faster by | effective draws per second |\n|---|---|---|---|")
        ours = rows[0][1] if rows and rows[0][0].startswith("partita") else None
        for title, rate, draws in rows:
            ratio = "" if not (ours and rate) else f"{ours / rate:,.0f}" if ours / rate >= 10 else f"{ours / rate:.1f}"
            print(f"| {title} | {show(rate)} | {ratio} | {show(draws)} |", flush=True)


if __name__ == "__main__":
    main()
