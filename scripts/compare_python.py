"""partita against what Python users have, on five tables: time, agreement, held-out density, error bars.

Each method sees the same 80 % of the rows, standardised by these, with its own defaults as far as it has any. Agreement
is the adjusted Rand index of its clustering of those rows with the known classes; the score is the mean log density of
the other rows. Prints the table of docs/python-comparison.md.

    python scripts/compare_python.py [--limit SECONDS] [--table NAME ...] [METHOD ...]     # METHOD: words of names

Each method runs on each table in a process of its own, which is ended after so many seconds of processor time. What a
method needs is imported where it runs, so that each can have an environment of its own (PyMC wants one).
"""

import argparse
import contextlib
import io
import multiprocessing
import resource
import sys
import time
import warnings
from importlib.metadata import PackageNotFoundError, version

import numpy as np
from sklearn import datasets as sk
from sklearn.metrics import adjusted_rand_score
from sklearn.model_selection import train_test_split

warnings.filterwarnings("ignore")
#: Of partita; the pilot comes before them.
REPLICATES = 64


def penguins():
    import partita

    birds = partita.datasets.penguins(species=True).dropna()
    return birds.select_dtypes("number").to_numpy(), birds["species"].astype(str).to_numpy()


TABLES = {
    "iris": lambda: sk.load_iris(return_X_y=True),
    "wine": lambda: sk.load_wine(return_X_y=True),
    "breast cancer": lambda: sk.load_breast_cancer(return_X_y=True),
    "penguins": penguins,
    "two moons": lambda: sk.make_moons(400, noise=0.08, random_state=1),
}


def by_partita(train, test):
    import partita

    result = partita.fit(train, replicates=REPLICATES, progress=False, standardize=False)
    line = result.to_dict()["summaries"][0]
    score = result.score(test)
    width = f"score ± {(score.ci95[1] - score.ci95[0]) / 2:.3f}" if score.ci95 else "no score"
    errors = f"{result.model}: {line['mean']:.2f} ± {1.96 * line['se']:.2f} clusters; {width}"
    censored = result.to_dict()["censored"]
    errors += f"; {censored} of {REPLICATES} pairs censored" if censored else ""
    return np.asarray(result.labels), float(score), errors


def by_scikit(train, test):
    from sklearn.mixture import BayesianGaussianMixture

    model = BayesianGaussianMixture(n_components=10, max_iter=1000, random_state=1).fit(train)
    return model.predict(train), model.score(test), "none"


def by_hdbscan(train, test):
    from sklearn.cluster import HDBSCAN

    return HDBSCAN().fit_predict(train), np.nan, "none"


def by_lace(train, test):
    import pandas as pd
    from lace import Engine

    frame = pd.DataFrame(train, columns=[f"x{i}" for i in range(train.shape[1])])
    frame.index = [f"r{i}" for i in range(len(frame))]
    engine = Engine.from_df(frame, n_states=8, rng_seed=1)
    with contextlib.redirect_stderr(io.StringIO()):
        engine.update(500)
    new = pd.DataFrame(test, columns=frame.columns)
    score = float(np.mean(np.asarray(engine.logp(new))))
    return None, score, "spread of states"


def by_pyrichlet(train, test):
    from pyrichlet import mixture_models

    model = mixture_models.DirichletProcessMixture(rng=1, total_iter=500, burn_in=100, subsample_steps=1)
    with contextlib.redirect_stdout(io.StringIO()):
        model.fit_gibbs(train, show_progress=False)
    density = np.asarray(model.gibbs_eap_density(test))
    return np.asarray(model.gibbs_map_cluster(train)), float(np.mean(np.log(density))), "none (one chain)"


def by_pymc(train, test, components=10, draws=500, chains=2):
    """Ten normals with independent columns, weights of a truncated Dirichlet process, labels summed out."""
    import logging

    import arviz as az
    import pymc as pm
    import pytensor.tensor as pt

    logging.getLogger("pymc").setLevel(logging.ERROR)

    def log_terms(x, weights, mean, sd, xp):
        normal = -0.5 * ((x[:, None, :] - mean) / sd) ** 2 - xp.log(sd) - 0.5 * np.log(2 * np.pi)
        return xp.log(weights) + normal.sum(axis=2)

    shape = (components, train.shape[1])
    with pm.Model():
        weights = pm.StickBreakingWeights("weights", alpha=1.0, K=components - 1)
        mean = pm.Normal("mean", 0, 1.5, shape=shape)
        sd = pm.HalfNormal("sd", 1, shape=shape)
        terms = log_terms(train, weights, mean, sd, pt)
        pm.Potential("likelihood", pt.logsumexp(terms, axis=1).sum())
        quiet = {"progressbar": False, "compute_convergence_checks": False}
        step = pm.NUTS(max_treedepth=6)
        trace = pm.sample(draws, tune=draws, chains=chains, cores=1, step=step, random_seed=1, **quiet)
    post = {name: np.concatenate(trace.posterior[name].to_numpy()) for name in ("weights", "mean", "sd")}
    each = list(zip(post["weights"], post["mean"], post["sd"], strict=True))
    density = [np.exp(log_terms(test, *one, np)).sum(axis=1) for one in each]
    # Names of components change from draw to draw: the clustering is the draw's that is nearest to who is together.
    found = np.array([log_terms(train, *one, np).argmax(axis=1) for one in each])
    together = np.mean([one[:, None] == one for one in found], axis=0)
    nearest = min(found, key=lambda one: np.sum(((one[:, None] == one) - together) ** 2))
    fits = [np.logaddexp.reduce(log_terms(train, *one, np), axis=1).sum() for one in each]
    errors = f"of its chains; R-hat of the likelihood {float(az.rhat(np.reshape(fits, (chains, draws)))):.2f}"
    return nearest, float(np.mean(np.log(np.mean(density, axis=0)))), errors


METHODS = {
    "partita": by_partita,
    "scikit-learn BayesianGaussianMixture": by_scikit,
    "scikit-learn HDBSCAN": by_hdbscan,
    "pylace": by_lace,
    "pyrichlet": by_pyrichlet,
    "PyMC": by_pymc,
}


def busy():
    """Processor seconds of this process and of those that it waited for, such as a compiler."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def cells(method, table):
    """The cells of a line, in a process of its own."""
    X, y = TABLES[table]()
    train, test, known, _ = train_test_split(X, y, test_size=0.2, random_state=1, stratify=y)
    mean, sd = train.mean(axis=0), train.std(axis=0)
    train, test = (train - mean) / sd, (test - mean) / sd
    begin = busy()
    try:
        labels, score, errors = METHODS[method](train, test)
    except Exception as error:
        return f"| | | {type(error).__name__}: {str(error)[:60]}"
    seconds = busy() - begin
    ari = "" if labels is None else f"{adjusted_rand_score(known, labels):.2f}"
    density = "" if np.isnan(score) else f"{score:.2f}"
    return f"{seconds:.1f} | {ari} | {density} | {errors}"


def limited(limit, pipe, method, table):
    resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 5))
    pipe.send(cells(method, table))


def line(limit, method, table):
    ours, theirs = multiprocessing.Pipe(duplex=False)
    process = multiprocessing.get_context("fork").Process(target=limited, args=(limit, theirs, method, table))
    process.start()
    theirs.close()
    try:
        found = ours.recv()
    except EOFError:
        found = f"> {limit} | | | not finished"
    process.join()
    return found


def versions():
    packages = ("partita", "scikit-learn", "pylace", "pyrichlet", "pymc")
    for name in packages:
        with contextlib.suppress(PackageNotFoundError):
            yield f"{name} {version(name)}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("methods", nargs="*", metavar="METHOD")
    parser.add_argument("--table", action="append", choices=list(TABLES))
    parser.add_argument("--limit", type=int, default=1800)
    said = parser.parse_args()
    wanted = [name for name in METHODS if not said.methods or any(word in name for word in said.methods)]
    print(", ".join(versions()), file=sys.stderr)
    print("| table | method | processor seconds | agreement | held-out log density | error bars |")
    print("|---|---|---|---|---|---|", flush=True)
    for table in said.table or TABLES:
        for method in wanted:
            print(f"| {table} | {method} | {line(said.limit, method, table)} |", flush=True)


if __name__ == "__main__":
    sys.exit(main())
