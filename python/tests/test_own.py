"""Likelihoods of one's own: in Python, in C by addresses, and the template crate."""

import ctypes
import importlib.util
import multiprocessing
import os
import pickle
import shutil
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor

import numpy as np
import pytest
from conftest import ROOT
from test_fit import rows

import partita

X = [0.0, 1.0, 0.0, 40.0, 55.0, 38.0]
SETTINGS = {"replicates": 100, "lag": 5, "burn_in": 5, "sweeps": 50, "alpha": 1.0, "start": "prior", "sampler": "gibbs"}
BRIEF = {**SETTINGS, "replicates": 20, "sweeps": 15}


def example():
    path = ROOT / "python" / "examples" / "own_likelihood.py"
    spec = importlib.util.spec_from_file_location("own_likelihood", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    # Where pickles look for it.
    return sys.modules.setdefault("own_likelihood", module)


def partitions(items):
    """All partitions, as labels."""
    if items == 0:
        yield []
        return
    for labels in partitions(items - 1):
        for label in range(max(labels, default=-1) + 2):
            yield [*labels, label]


def exact(likelihood, alpha=1.0):
    """The expected number of clusters by a sum over all partitions."""
    logs, counts = [], []
    for labels in partitions(len(likelihood)):
        clusters, log = {}, 0.0
        for item, label in enumerate(labels):
            size, cluster = clusters.get(label, (0, likelihood.empty()))
            log += np.log(size or alpha) + likelihood.log_predictive(cluster, item)
            clusters[label] = (size + 1, likelihood.insert(cluster, item))
        logs.append(log)
        counts.append(len(clusters))
    weights = np.exp(np.array(logs) - max(logs))
    return float((weights * counts).sum() / weights.sum())


def test_the_example_in_python():
    Waiting = example().Waiting
    result = partita.fit(likelihood=Waiting(X), **SETTINGS)
    line = result.to_dict()["summaries"][0]
    # |z| > 4.5 has probability 7e-6, and the seed is fixed.
    assert abs(line["mean"] - exact(Waiting(X))) < 4.5 * line["se"]
    assert result.labels.tolist()[3:] == [0, 0, 0] and 0 not in result.labels[:3]
    assert result.co_clustering.shape == (6, 6) and "user-defined likelihood" in result._page["question"]
    longer = result.more(replicates=10)
    assert len(longer.replicates_done) == 110
    with pytest.raises(ValueError, match="cannot predict"):
        result.predict([[1.0]])


def test_a_saved_run_is_read_with_its_likelihood(tmp_path):
    Waiting = example().Waiting
    result = partita.fit({"x": X}, likelihood=Waiting(X), **BRIEF)
    result.save(tmp_path / "run")
    again = partita.load(tmp_path / "run", likelihood=Waiting(X))
    assert rows(again) == rows(result) and again.to_dict() == result.to_dict()
    assert isinstance(again.likelihood, Waiting) and list(again.columns) == ["x"]
    assert rows(again.more(replicates=10)) == rows(result.more(replicates=10))
    again.save(tmp_path / "copy")
    for name in ("replicates.csv", "draws.csv", "clustering.csv", "summary.json"):
        assert (tmp_path / "copy" / name).read_bytes() == (tmp_path / "run" / name).read_bytes()
    with pytest.raises(ValueError, match=r"user-defined likelihood \(Waiting\).*likelihood=\.\.\."):
        partita.load(tmp_path / "run")
    # Other data, and the same data in another order.
    for other in ([1.0, *X[1:]], X[::-1]):
        with pytest.raises(ValueError, match="not the likelihood of the run"):
            partita.load(tmp_path / "run", likelihood=Waiting(other))
    with pytest.raises(ValueError, match="5 items, but the table has 6 rows"):
        partita.load(tmp_path / "run", likelihood=Waiting(X[1:]))
    partita.fit({"x": X}, **BRIEF).save(tmp_path / "plain")
    with pytest.raises(ValueError, match="no user-defined likelihood"):
        partita.load(tmp_path / "plain", likelihood=Waiting(X))


def test_a_run_into_a_directory_and_on_a_file(tmp_path):
    Waiting = example().Waiting
    result = partita.fit(likelihood=Waiting(X), out=tmp_path / "run", **BRIEF)
    assert rows(partita.resume(tmp_path / "run", likelihood=Waiting(X))) == rows(result)
    path = tmp_path / "x.csv"
    path.write_text("x\n" + "".join(f"{x}\n" for x in X))
    on_file = partita.fit(path, likelihood=Waiting(X), **BRIEF)
    assert rows(on_file) == rows(result) and on_file.likelihood is not None
    on_file.save(tmp_path / "of_file")
    assert rows(partita.load(tmp_path / "of_file", likelihood=Waiting(X))) == rows(result)


def shard(number):
    return partita.fit(likelihood=example().Waiting(X), shard=f"{number}/2", **BRIEF)


def test_pickles_and_shards_in_processes():
    result = partita.fit(likelihood=example().Waiting(X), **BRIEF)
    again = pickle.loads(pickle.dumps(result))
    assert rows(again) == rows(result) and again.summary.equals(result.summary)
    assert rows(again.more(replicates=10)) == rows(result.more(replicates=10))
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn"), initializer=example) as pool:
        assert rows(partita.merge(*pool.map(shard, (1, 2)))) == rows(result)
        with pytest.raises(ValueError, match="executor cannot be used"):
            partita.fit(likelihood=example().Waiting(X), executor=pool, **BRIEF)
        with pytest.raises(ValueError, match="executor cannot be used"):
            result.more(replicates=10, executor=pool)


def test_names_and_classes_come_with_a_frame():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"x": X}, index=list("abcdef"))
    result = partita.fit(frame, likelihood=example().Waiting(X), labels=[0, 0, 0, 1, 1, 1], **SETTINGS)
    assert list(result.labels.index) == list("abcdef") and result.to_dict()["clustering"]["reference_ari"] > 0.4


def test_mistakes_in_ones_own_code_are_raised():
    Waiting = example().Waiting

    class Broken(Waiting):
        def log_predictive(self, cluster, item):
            raise ZeroDivisionError("at home")

    class Nan(Waiting):
        def log_predictive(self, cluster, item):
            return float("nan")

    with pytest.raises(ZeroDivisionError, match="at home"):
        partita.fit(likelihood=Broken(X), **SETTINGS)

    later = Waiting(X)
    result = partita.fit(likelihood=later, **SETTINGS)
    later.log_predictive = Broken(X).log_predictive
    with pytest.raises(ZeroDivisionError, match="at home"):
        result.more(replicates=10)
    with pytest.raises(ValueError, match="not a number"):
        partita.fit(likelihood=Nan(X), **SETTINGS)
    with pytest.raises(TypeError, match="it has no empty"):
        partita.fit(likelihood=[1, 2, 3], **SETTINGS)
    with pytest.raises(ValueError, match="6 items, but the table has 2 rows"):
        partita.fit([[1.0], [2.0]], likelihood=Waiting(X), **SETTINGS)
    with pytest.raises(ValueError, match="model"):
        partita.fit(likelihood=Waiting(X), covariance="full", **SETTINGS)


C = r"""
#include <math.h>
#include <stddef.h>
void insert(const double *x, double *c, size_t i) { c[0] += 1; c[1] += x[i]; }
void take(const double *x, double *c, size_t i) { c[0] -= 1; c[1] -= x[i]; }
double predict(const double *x, const double *c, size_t i) {
    double a = 1 + c[0], b = 1 + c[1];
    return lgamma(a + 1) + lgamma(b + x[i]) - lgamma(a + b + x[i] + 1) - lgamma(a) - lgamma(b) + lgamma(a + b);
}
"""


def test_compiled_functions_by_their_addresses(tmp_path):
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler")
    (tmp_path / "own.c").write_text(C)
    library = tmp_path / "own.so"
    subprocess.run([compiler, "-O2", "-shared", "-fPIC", "-o", library, tmp_path / "own.c", "-lm"], check=True)
    made = ctypes.CDLL(str(library))

    class Waiting:
        x = np.array(X)

        def __len__(self):
            return len(self.x)

        def __partita_likelihood__(self):
            address = [ctypes.cast(f, ctypes.c_void_p).value for f in (made.insert, made.take, made.predict)]
            return (self.x.ctypes.data, len(self.x), 2, *address)

    many = {**SETTINGS, "replicates": 5000}
    line = partita.fit(likelihood=Waiting(), **many).to_dict()["summaries"][0]
    assert abs(line["mean"] - exact(example().Waiting(X))) < 4.5 * line["se"]
    # Whatever the threads.
    two, one = (partita.fit(likelihood=Waiting(), threads=threads, **SETTINGS) for threads in (2, 1))
    assert rows(two) == rows(one)


@pytest.mark.slow
def test_the_template_crate(tmp_path):
    if shutil.which("cargo") is None:
        pytest.skip("no Rust here")
    folder = ROOT / "python" / "examples" / "compiled"
    env = {**os.environ, "CARGO_TARGET_DIR": str(ROOT / "target" / "template")}
    subprocess.run(["cargo", "build", "--release", "--quiet"], cwd=folder, env=env, check=True)
    built = ROOT / "target" / "template" / "release" / "libpartita_waiting.so"
    shutil.copy(built, tmp_path / "partita_waiting.so")
    code = (
        f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import partita, partita_waiting;"
        f"r = partita.fit(likelihood=partita_waiting.Waiting({X!r}), **{SETTINGS!r}); print(r.labels.tolist()[3:])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.strip() == "[0, 0, 0]", done.stderr
