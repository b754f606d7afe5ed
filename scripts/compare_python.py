"""partita against what Python users have, on five tables: time, agreement, held-out density, error bars.

Each method sees the same 80 % of the rows, standardised by these, with its own defaults as far as it has any. Agreement
is the adjusted Rand index of its clustering of those rows with the known classes; the score is the mean log density of
the other rows. Full covariances are tried up to ten columns: a density takes the square of their number. Prints the
table of docs/python-comparison.md.
"""

import contextlib
import io
import sys
import time
import warnings

import numpy as np
from sklearn import datasets as sk
from sklearn.cluster import HDBSCAN
from sklearn.metrics import adjusted_rand_score
from sklearn.mixture import BayesianGaussianMixture
from sklearn.model_selection import train_test_split

import partita

warnings.filterwarnings("ignore")


def tables():
    for name, load in [("iris", sk.load_iris), ("wine", sk.load_wine), ("breast cancer", sk.load_breast_cancer)]:
        yield (name, *load(return_X_y=True))
    birds = partita.datasets.penguins(species=True).dropna()
    yield "penguins", birds.select_dtypes("number").to_numpy(), birds["species"].to_numpy()
    yield ("two moons", *sk.make_moons(400, noise=0.08, random_state=1))


def by_partita(train, test, covariance):
    result = partita.fit(train, covariance=covariance, replicates=64, progress=False, standardize=False)
    line = result.to_dict()["summaries"][0]
    score = result.score(test)
    low, high = score.ci95 or (np.nan, np.nan)
    errors = f"{line['mean']:.2f} ± {1.96 * line['se']:.2f} clusters; score ± {(high - low) / 2:.3f}"
    return np.asarray(result.labels), float(score), errors


def by_scikit(train, test):
    model = BayesianGaussianMixture(n_components=10, max_iter=1000, random_state=1).fit(train)
    return model.predict(train), model.score(test), "none"


def by_hdbscan(train, test):
    return HDBSCAN().fit_predict(train), np.nan, "none"


def by_lace(train, test):
    import pandas as pd
    from lace import Engine

    frame = pd.DataFrame(train, columns=[f"x{i}" for i in range(train.shape[1])])
    frame.index = [f"r{i}" for i in range(len(frame))]
    engine = Engine.from_df(frame, n_states=8)
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


METHODS = {
    "partita, diagonal": lambda a, b: by_partita(a, b, "diagonal"),
    "partita, full": lambda a, b: by_partita(a, b, "full"),
    "scikit-learn BayesianGaussianMixture": by_scikit,
    "scikit-learn HDBSCAN": by_hdbscan,
    "pylace": by_lace,
    "pyrichlet": by_pyrichlet,
}


def main():
    print("| table | method | processor seconds | agreement | held-out log density | error bars |")
    print("|---|---|---|---|---|---|")
    for name, X, y in tables():
        train, test, known, _ = train_test_split(X, y, test_size=0.2, random_state=1, stratify=y)
        mean, sd = train.mean(axis=0), train.std(axis=0)
        train, test = (train - mean) / sd, (test - mean) / sd
        for method, run in METHODS.items():
            if method == "partita, full" and train.shape[1] > 10:
                continue
            begin = time.process_time()
            try:
                labels, score, errors = run(train, test)
            except Exception as error:
                print(f"| {name} | {method} | | | | {type(error).__name__}: {str(error)[:60]} |", flush=True)
                continue
            seconds = time.process_time() - begin
            ari = "" if labels is None else f"{adjusted_rand_score(known, labels):.2f}"
            density = "" if np.isnan(score) else f"{score:.2f}"
            print(f"| {name} | {method} | {seconds:.1f} | {ari} | {density} | {errors} |", flush=True)


if __name__ == "__main__":
    sys.exit(main())
